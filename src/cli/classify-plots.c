/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n.h>

#include "cli/classify-plots.h"
#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/plot/chart.h"

#define WIDTH 720
#define HEIGHT 440

static GFile *
plot_file (const char *folder, const char *name)
{
  g_autoptr (GFile) parent = g_file_new_for_commandline_arg (folder);

  return g_file_get_child (parent, name);
}

gboolean
cli_classify_plots_prepare (const char *folder, GError **error)
{
  g_autoptr (GFile) file = NULL, inside = NULL;
  g_autoptr (GError) cause = NULL;

  if (!folder)
    return TRUE;
  file = g_file_new_for_commandline_arg (folder);
  if (!g_file_make_directory_with_parents (file, NULL, &cause)
      && !g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_EXISTS))
    {
      g_set_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT, _ ("%s could not be made: %s"), folder, cause->message);
      return FALSE;
    }
  inside = plot_file (folder, "objective.png");
  return tosst_atomic_check (inside, error);
}

static gboolean
plot_objective (const char *folder, const GArray *trace, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (_ ("Objective of the first split"), _ ("Iteration"), _ ("Objective"));
  g_autoptr (GFile) file = plot_file (folder, "objective.png");
  guint series = tosst_chart_add_series (chart, _ ("Objective"));

  tosst_chart_set_integer_x (chart, TRUE);
  for (guint i = 0; i < trace->len; i++)
    {
      const TosstIteration *iteration = &g_array_index (trace, TosstIteration, i);

      tosst_chart_append (chart, series, iteration->iteration, iteration->objective);
    }
  return tosst_chart_save (chart, WIDTH, HEIGHT, file, error);
}

static gboolean
plot_accuracy (const char *folder, const TosstRunResult *result, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (_ ("Accuracy of each split"), _ ("Split"), _ ("Accuracy, %"));
  g_autoptr (GFile) file = plot_file (folder, "accuracy.png");
  guint series = tosst_chart_add_series (chart, _ ("Accuracy"));

  tosst_chart_set_integer_x (chart, TRUE);
  for (int i = 0; i < result->splits; i++)
    tosst_chart_append (chart, series, result->split[i].split + 1, result->split[i].accuracy);
  return tosst_chart_save (chart, WIDTH, HEIGHT, file, error);
}

gboolean
cli_classify_plots (const char *folder, const GArray *trace, const TosstRunResult *result, GError **error)
{
  return !folder
         || ((trace->len == 0 || plot_objective (folder, trace, error)) && plot_accuracy (folder, result, error));
}

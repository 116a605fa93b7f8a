/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/classify-scores.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/report/scores.h"

static gboolean
is_table (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1);

  return g_str_has_suffix (lower, ".csv");
}

gboolean
cli_scores_check (CliCall *call, const TosstRecipe *recipe, GError **error)
{
  gboolean several = tosst_recipe_has_several_labels (recipe);
  g_autoptr (GFile) curves = cli_call_file (call, "curves");

  if (several && cli_call_value (call, "confusion"))
    return cli_usage_error (error, _ ("--confusion needs a data set with one class an image; images with several "
                                      "labels have --scores and --curves"));
  if (!several && curves)
    return cli_usage_error (
        error, _ ("--curves needs a data set with several labels an image: dataset.kind voc2007 or labels"));
  if (!curves || is_table (curves) || tosst_draw_check (curves, NULL))
    return TRUE;

  g_autofree char *name = g_file_get_basename (curves);
  return cli_usage_error (error, _ ("--curves: “%s” must end in .csv, .svg, .pdf or .png"), name);
}

gboolean
cli_scores_save_plot (const TosstRunResult *result, GFile *file, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_precision_recall_chart (result->split[0].scores, result->class_names, error);

  return chart && tosst_chart_save (chart, CLI_PLOT_WIDTH, CLI_PLOT_HEIGHT, file, error);
}

static gboolean
save_plot (GFile *file, gpointer data, GError **error)
{
  return cli_scores_save_plot (data, file, error);
}

static gboolean
save_curves (CliCall *call, const TosstRunResult *result, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "curves");
  g_autofree char *csv = NULL;

  if (!file)
    return TRUE;
  if (!is_table (file))
    return tosst_atomic_keep (file, save_plot, (gpointer)result, error);
  csv = tosst_run_result_curves_csv (result, error);
  return csv && tosst_atomic_keep_text (file, csv, error);
}

/* A store keeps the margins of several labels only. */
static gboolean
save_scores (CliCall *call, const TosstRunResult *result, TosstDataset *dataset, GError **error)
{
  g_autofree char *csv = NULL;

  if (!cli_call_value (call, "scores"))
    return TRUE;
  for (int s = 0; s < result->splits; s++)
    if (!result->split[s].scores && !result->split[s].margins)
      return tosst_fail (error, TOSST_FAILED_INPUT,
                         _ ("--scores: split %d was finished before, and its margins were not stored; run without "
                            "--workspace for all of them"),
                         result->split[s].split + 1);
  csv = tosst_run_result_scores_csv (result, dataset);
  return cli_keep_text (call, "scores", csv, error);
}

gboolean
cli_scores_save (CliCall *call, const TosstRunResult *result, TosstDataset *dataset, GError **error)
{
  gboolean kept = save_scores (call, result, dataset, error);

  return save_curves (call, result, error) && kept;
}

char *
cli_scores_text (const TosstRunResult *result)
{
  TosstClassScore mean;
  g_autofree TosstClassScore *classes = tosst_run_result_class_scores (result, &mean, NULL);
  g_autoptr (TosstTable) table = NULL;
  g_autofree char *rows = NULL;

  if (!classes)
    return g_strdup ("");
  table = tosst_score_table (classes, result->class_names, (guint)result->classes, &mean, result->score);
  rows = tosst_table_to_text (table);
  return g_strdup_printf (ngettext ("%smean average precision (%s) %.2f ± %.2f %% over %d split\n",
                                    "%smean average precision (%s) %.2f ± %.2f %% over %d splits\n", result->splits),
                          rows, result->score == TOSST_SCORE_AREA ? _ ("area") : _ ("11 points"), result->accuracy_mean,
                          result->accuracy_std, result->splits);
}

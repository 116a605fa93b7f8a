/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "studio/sweep/sweep-view-private.h"
#include "studio/tasks/task.h"
#include "studio/widgets/save-dialog.h"

#define WIDTH 900
#define HEIGHT 560
#define SHARES_TOP 56 /* of a picture of shares, which is as high as its bars need */
#define SHARES_ROW 24

/* What is written: one of the five. */
typedef struct
{
  char *text;
  TosstChart *chart;
  TosstParallel *parallel;
  TosstGrid *grid;
  TosstShares *shares;
} WriteJob;

static void
write_job_free (gpointer data)
{
  WriteJob *job = data;

  g_free (job->text);
  g_clear_pointer (&job->chart, tosst_chart_free);
  g_clear_pointer (&job->parallel, tosst_parallel_free);
  g_clear_pointer (&job->grid, tosst_grid_free);
  g_clear_pointer (&job->shares, tosst_shares_free);
  g_free (job);
}

/* Worker. */

static void
draw_parallel (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_parallel (cr, width, height, style, data);
}

static void
draw_grid (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_grid (cr, width, height, style, data);
}

static void
draw_shares (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_shares (cr, width, height, style, data);
}

static gboolean
write_job (gpointer data, GFile *file, GError **error)
{
  WriteJob *job = data;

  if (job->chart != NULL)
    return tosst_chart_save (job->chart, WIDTH, HEIGHT, file, error);
  if (job->parallel != NULL)
    return tosst_draw_save (draw_parallel, job->parallel, WIDTH, HEIGHT, file, error);
  if (job->grid != NULL)
    return tosst_draw_save (draw_grid, job->grid, WIDTH, HEIGHT, file, error);
  if (job->shares != NULL)
    return tosst_draw_save (draw_shares, job->shares, WIDTH,
                            MIN (HEIGHT, SHARES_TOP + SHARES_ROW * (double)tosst_shares_count (job->shares)), file,
                            error);
  return tosst_atomic_write (file, job->text, strlen (job->text), error);
}

/* Main thread. */

static void
on_written (GObject *view, GFile *file, const char *problem)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *text = problem != NULL ? g_strdup (problem) : g_strdup_printf (_ ("Exported “%s”"), name);

  studio_sweep_view_say ((StudioSweepView *)view, text);
}

gboolean
studio_sweep_view_can_export (StudioSweepView *self, const char *kind)
{
  if (strcmp (kind, "run") == 0)
    return studio_sweep_table_get_selected (STUDIO_SWEEP_TABLE (self->table)) != NULL;
  if (strcmp (kind, "picture") == 0)
    return studio_sweep_charts_has_picture (STUDIO_SWEEP_CHARTS (self->charts));
  if (strcmp (kind, "recipe") == 0)
    return studio_sweep_planner_get_sweep (self->planner) != NULL;
  return studio_sweep_planner_get_plan (self->planner) != NULL;
}

static void
fill (StudioSweepView *self, const char *kind, WriteJob *job)
{
  StudioSweepTable *table = STUDIO_SWEEP_TABLE (self->table);

  if (strcmp (kind, "picture") == 0)
    studio_sweep_charts_copy (STUDIO_SWEEP_CHARTS (self->charts), &job->chart, &job->parallel, &job->grid,
                              &job->shares);
  else if (strcmp (kind, "recipe") == 0)
    job->text = tosst_sweep_to_text (studio_sweep_planner_get_sweep (self->planner));
  else if (strcmp (kind, "run") == 0)
    job->text = tosst_recipe_to_text (studio_sweep_row_run (studio_sweep_table_get_selected (table))->recipe, TRUE);
  else
    job->text = studio_sweep_table_to_csv (table);
}

void
studio_sweep_view_export (StudioSweepView *self, const char *kind, GFile *file)
{
  WriteJob *job;

  if (!studio_sweep_view_can_export (self, kind))
    {
      studio_sweep_view_say (self, _ ("There is nothing to export yet"));
      return;
    }
  job = g_new0 (WriteJob, 1);
  fill (self, kind, job);
  studio_write_in_background (file, write_job, job, write_job_free, G_OBJECT (self), on_written);
}

static void
on_chosen (GtkWidget *widget, const char *kind, GFile *file)
{
  studio_sweep_view_export ((StudioSweepView *)widget, kind, file);
}

void
studio_sweep_view_export_dialog (StudioSweepView *self, const char *kind)
{
  static const StudioSaveKind kinds[] = {
    { "table", N_ ("Export Table of Runs as CSV"), "sweep.csv", "csv" },
    { "picture", N_ ("Export Chart (SVG, PDF or PNG)"), "sweep.svg", "svg pdf png" },
    { "recipe", N_ ("Save Recipe of the Sweep"), "sweep.tosst", "tosst ini" },
    { "run", N_ ("Save Recipe of the Run"), "recipe.tosst", "tosst ini" },
  };

  studio_save_dialog (GTK_WIDGET (self), kinds, G_N_ELEMENTS (kinds), kind, on_chosen);
}

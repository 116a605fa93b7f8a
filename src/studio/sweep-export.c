/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "atomic-file.h"
#include "save-dialog.h"
#include "sweep-view-private.h"

#define WIDTH 900
#define HEIGHT 560

/* What is written is taken out of the view before a thread writes it. One of the three. */
typedef struct
{
  GFile *file;
  char *text;
  TosstChart *chart;
  TosstParallel *parallel;
} WriteJob;

static void
write_job_free (WriteJob *job)
{
  g_clear_object (&job->file);
  g_free (job->text);
  g_clear_pointer (&job->chart, tosst_chart_free);
  g_clear_pointer (&job->parallel, tosst_parallel_free);
  g_free (job);
}

/* Worker. */

static void
draw_parallel (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_parallel (cr, width, height, style, data);
}

static void
write_work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  WriteJob *job = data;
  GError *error = NULL;
  gboolean fine;

  if (job->chart != NULL)
    fine = tosst_chart_save (job->chart, WIDTH, HEIGHT, job->file, &error);
  else if (job->parallel != NULL)
    fine = tosst_draw_save (draw_parallel, job->parallel, WIDTH, HEIGHT, job->file, &error);
  else
    fine = tosst_atomic_write (job->file, job->text, strlen (job->text), &error);
  if (fine)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Main thread. */

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  GWeakRef *view = data;
  g_autoptr (StudioSweepView) self = g_weak_ref_get (view);
  g_autoptr (GError) error = NULL;
  WriteJob *job = g_task_get_task_data (G_TASK (result));
  g_autofree char *name = g_file_get_basename (job->file), *text = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  g_weak_ref_clear (view);
  g_free (view);
  if (self == NULL)
    return;
  text = error != NULL ? g_strdup (error->message) : g_strdup_printf (_ ("Exported “%s”"), name);
  studio_sweep_view_say (self, text);
}

gboolean
studio_sweep_view_can_export (StudioSweepView *self, const char *kind)
{
  if (strcmp (kind, "run") == 0)
    return studio_sweep_table_get_selected (STUDIO_SWEEP_TABLE (self->table)) != NULL;
  if (strcmp (kind, "picture") == 0)
    return studio_sweep_charts_has_picture (STUDIO_SWEEP_CHARTS (self->charts));
  if (strcmp (kind, "recipe") == 0)
    return studio_sweep_runner_get_sweep (self->runner) != NULL;
  return studio_sweep_runner_get_plan (self->runner) != NULL;
}

static void
fill (StudioSweepView *self, const char *kind, WriteJob *job)
{
  StudioSweepTable *table = STUDIO_SWEEP_TABLE (self->table);

  if (strcmp (kind, "picture") == 0)
    studio_sweep_charts_copy (STUDIO_SWEEP_CHARTS (self->charts), &job->chart, &job->parallel);
  else if (strcmp (kind, "recipe") == 0)
    job->text = tosst_sweep_to_text (studio_sweep_runner_get_sweep (self->runner));
  else if (strcmp (kind, "run") == 0)
    job->text = tosst_recipe_to_text (studio_sweep_row_run (studio_sweep_table_get_selected (table))->recipe, TRUE);
  else
    job->text = studio_sweep_table_to_csv (table);
}

void
studio_sweep_view_export (StudioSweepView *self, const char *kind, GFile *file)
{
  GWeakRef *view;
  WriteJob *job;
  g_autoptr (GTask) task = NULL;

  if (!studio_sweep_view_can_export (self, kind))
    {
      studio_sweep_view_say (self, _ ("There is nothing to export yet"));
      return;
    }
  job = g_new0 (WriteJob, 1);
  job->file = g_object_ref (file);
  fill (self, kind, job);
  view = g_new0 (GWeakRef, 1);
  g_weak_ref_init (view, self);
  task = g_task_new (NULL, NULL, on_written, view);
  g_task_set_task_data (task, job, (GDestroyNotify)write_job_free);
  g_task_run_in_thread (task, write_work);
}

static void
on_chosen (GtkWidget *widget, const char *kind, GFile *file)
{
  studio_sweep_view_export (STUDIO_SWEEP_VIEW (widget), kind, file);
}

void
studio_sweep_view_export_dialog (StudioSweepView *self, const char *kind)
{
  static const StudioSaveKind kinds[] = {
    { "table", N_ ("Export Table of Runs as CSV"), "sweep.csv" },
    { "picture", N_ ("Export Chart (SVG, PDF or PNG)"), "sweep.svg" },
    { "recipe", N_ ("Save Recipe of the Sweep"), "sweep.ini" },
    { "run", N_ ("Save Recipe of the Run"), "recipe.ini" },
  };

  studio_save_dialog (GTK_WIDGET (self), kinds, G_N_ELEMENTS (kinds), kind, on_chosen);
}

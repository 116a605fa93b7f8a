/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "compare-export.h"

#include <math.h>
#include <string.h>

#include "atomic-file.h"
#include "report.h"

#define CHART_WIDTH 900
#define CHART_HEIGHT 560

typedef struct ExportJob ExportJob;
struct ExportJob
{
  gboolean (*write) (ExportJob *self, GError **error);
  GFile *file, *store;
  TosstChart *chart;
  GArray *runs; /* gint64 */
};

typedef struct
{
  GWeakRef object;
  StudioExportDone done;
} Waiting;

static void
job_free (gpointer data)
{
  ExportJob *job = data;

  g_object_unref (job->file);
  g_clear_object (&job->store);
  g_clear_pointer (&job->chart, tosst_chart_free);
  g_clear_pointer (&job->runs, g_array_unref);
  g_free (job);
}

/* Worker. */

static gboolean
write_chart (ExportJob *job, GError **error)
{
  g_autofree char *name = g_file_get_basename (job->file), *lower = g_ascii_strdown (name, -1), *csv = NULL;

  if (!g_str_has_suffix (lower, ".csv"))
    return tosst_chart_save (job->chart, CHART_WIDTH, CHART_HEIGHT, job->file, error);
  csv = tosst_chart_to_csv (job->chart);
  return tosst_atomic_write (job->file, csv, strlen (csv), error);
}

static gboolean
is_wanted (const ExportJob *job, gint64 run)
{
  for (guint i = 0; i < job->runs->len; i++)
    if (g_array_index (job->runs, gint64, i) == run)
      return TRUE;
  return FALSE;
}

static gboolean
write_numbers (ExportJob *job, GError **error)
{
  g_autoptr (TosstStore) store = tosst_store_open (job->store, TOSST_STORE_READ, error);
  g_autoptr (GPtrArray) runs = store != NULL ? tosst_store_list (store, NULL, NULL, error) : NULL;
  g_autofree char *csv = NULL;

  if (runs == NULL)
    return FALSE;
  for (guint i = runs->len; i-- > 0;)
    if (!is_wanted (job, ((TosstStoreRun *)runs->pdata[i])->id))
      g_ptr_array_remove_index (runs, i);
  csv = tosst_store_export_csv (store, runs, error);
  return csv != NULL && tosst_atomic_write (job->file, csv, strlen (csv), error);
}

static gboolean
write_report (ExportJob *job, GError **error)
{
  g_autoptr (TosstStore) store = tosst_store_open (job->store, TOSST_STORE_READ, error);

  return store != NULL
         && tosst_report_save (store, (const gint64 *)(gconstpointer)job->runs->data, job->runs->len, job->file, error);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ExportJob *job = data;
  GError *error = NULL;

  if (job->write (job, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Main thread. */

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  Waiting *waiting = data;
  g_autoptr (GObject) object = g_weak_ref_get (&waiting->object);
  g_autoptr (GError) error = NULL;
  ExportJob *job = g_task_get_task_data (G_TASK (result));

  g_task_propagate_boolean (G_TASK (result), &error);
  if (object != NULL)
    waiting->done (object, job->file, error != NULL ? error->message : NULL);
  g_weak_ref_clear (&waiting->object);
  g_free (waiting);
}

static void
start (ExportJob *job, GObject *object, StudioExportDone done)
{
  Waiting *waiting = g_new0 (Waiting, 1);
  g_autoptr (GTask) task = g_task_new (NULL, NULL, on_written, waiting);

  g_weak_ref_init (&waiting->object, object);
  waiting->done = done;
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, work);
}

static ExportJob *
job_new (GFile *file, gboolean (*write) (ExportJob *self, GError **error))
{
  ExportJob *job = g_new0 (ExportJob, 1);

  job->file = g_object_ref (file);
  job->write = write;
  return job;
}

static void
start_for_runs (ExportJob *job, GFile *store, StudioCompareSet *set, GObject *object, StudioExportDone done)
{
  job->store = g_object_ref (store);
  job->runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < studio_compare_set_length (set); i++)
    {
      gint64 run = studio_run_row_get_id (studio_compare_set_at (set, i)->row);
      g_array_append_val (job->runs, run);
    }
  start (job, object, done);
}

void
studio_export_chart (TosstChart *chart, const char *title, GFile *file, GObject *object, StudioExportDone done)
{
  ExportJob *job = job_new (file, write_chart);

  job->chart = tosst_chart_copy (chart);
  tosst_chart_set_title (job->chart, title);
  start (job, object, done);
}

void
studio_export_numbers (GFile *store, StudioCompareSet *set, GFile *file, GObject *object, StudioExportDone done)
{
  start_for_runs (job_new (file, write_numbers), store, set, object, done);
}

void
studio_export_report (GFile *store, StudioCompareSet *set, GFile *file, GObject *object, StudioExportDone done)
{
  start_for_runs (job_new (file, write_report), store, set, object, done);
}

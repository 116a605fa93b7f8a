/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/compare/compare-export.h"

#include <string.h>

#include "core/base/atomic-file.h"
#include "core/report/report.h"

#define CHART_WIDTH 900
#define CHART_HEIGHT 560

typedef struct
{
  GFile *store;
  TosstChart *chart;
  GArray *runs; /* gint64 */
} ExportJob;

static void
job_free (gpointer data)
{
  ExportJob *job = data;

  g_clear_object (&job->store);
  g_clear_pointer (&job->chart, tosst_chart_free);
  g_clear_pointer (&job->runs, g_array_unref);
  g_free (job);
}

/* Worker. */

static gboolean
write_chart (gpointer data, GFile *file, GError **error)
{
  const ExportJob *job = data;
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1), *csv = NULL;

  if (!g_str_has_suffix (lower, ".csv"))
    return tosst_chart_save (job->chart, CHART_WIDTH, CHART_HEIGHT, file, error);
  csv = tosst_chart_to_csv (job->chart);
  return tosst_atomic_write (file, csv, strlen (csv), error);
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
write_numbers (gpointer data, GFile *file, GError **error)
{
  const ExportJob *job = data;
  g_autoptr (TosstStore) store = tosst_store_open (job->store, TOSST_STORE_READ, error);
  g_autoptr (GPtrArray) runs = store != NULL ? tosst_store_list (store, NULL, NULL, error) : NULL;
  g_autofree char *csv = NULL;

  if (runs == NULL)
    return FALSE;
  for (guint i = runs->len; i-- > 0;)
    if (!is_wanted (job, ((TosstStoreRun *)runs->pdata[i])->id))
      g_ptr_array_remove_index (runs, i);
  csv = tosst_store_export_csv (store, runs, error);
  return csv != NULL && tosst_atomic_write (file, csv, strlen (csv), error);
}

static gboolean
write_report (gpointer data, GFile *file, GError **error)
{
  const ExportJob *job = data;
  g_autoptr (TosstStore) store = tosst_store_open (job->store, TOSST_STORE_READ, error);

  return store != NULL
         && tosst_report_save (store, (const gint64 *)(gconstpointer)job->runs->data, job->runs->len, file, error);
}

/* Main thread. */

static void
start_for_runs (StudioWriteFunc write, GFile *store, StudioCompareSet *set, GFile *file, GObject *object,
                StudioWrittenFunc written)
{
  ExportJob *job = g_new0 (ExportJob, 1);

  job->store = g_object_ref (store);
  job->runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < studio_compare_set_length (set); i++)
    {
      gint64 run = studio_run_row_get_id (studio_compare_set_at (set, i)->row);
      g_array_append_val (job->runs, run);
    }
  studio_write_in_background (file, write, job, job_free, object, written);
}

void
studio_export_chart (TosstChart *chart, const char *title, GFile *file, GObject *object, StudioWrittenFunc written)
{
  ExportJob *job = g_new0 (ExportJob, 1);

  job->chart = tosst_chart_copy (chart);
  tosst_chart_set_title (job->chart, title);
  studio_write_in_background (file, write_chart, job, job_free, object, written);
}

void
studio_export_numbers (GFile *store, StudioCompareSet *set, GFile *file, GObject *object, StudioWrittenFunc written)
{
  start_for_runs (write_numbers, store, set, file, object, written);
}

void
studio_export_report (GFile *store, StudioCompareSet *set, GFile *file, GObject *object, StudioWrittenFunc written)
{
  start_for_runs (write_report, store, set, file, object, written);
}

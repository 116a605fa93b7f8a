/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "core/base/error.h"
#include "core/report/private.h"

static void
free_run (gpointer run)
{
  tosst_report_run_free (run);
}

/* TosstReportRun *, new. */
static GPtrArray *
load (TosstStore *store, const gint64 *runs, gsize n, GError **error)
{
  g_autoptr (GPtrArray) loaded = g_ptr_array_new_with_free_func (free_run);

  if (n == 0)
    {
      tosst_fail (error, TOSST_FAILED_INPUT, _ ("there is no run to report"));
      return NULL;
    }
  for (gsize i = 0; i < n; i++)
    {
      TosstReportRun *run = tosst_report_run_load (store, runs[i], error);

      if (!run)
        return NULL;
      g_ptr_array_add (loaded, run);
    }
  return g_steal_pointer (&loaded);
}

static char *
run_title (const TosstReportRun *run)
{
  if (*run->title)
    return g_strdup_printf (_ ("Run %" PRId64 ": %s"), run->id, run->title);
  return g_strdup_printf (_ ("Run %" PRId64 " on %s"), run->id, run->dataset);
}

static TosstDocument *
document_of_one (const TosstReportRun *run)
{
  g_autofree char *title = run_title (run);
  g_autofree char *time = tosst_report_time (isnan (run->finished) ? run->started : run->finished);
  g_autofree char *subtitle
      = g_strdup_printf ("%s · %s · TOSST Studio %s", run->dataset, time, tosst_report_run_text (run, "version"));
  TosstDocument *document = tosst_document_new (title, subtitle);

  tosst_report_add_run (document, run);
  return document;
}

static TosstDocument *
document_of (GPtrArray *runs)
{
  if (runs->len == 1)
    return document_of_one (g_ptr_array_index (runs, 0));

  g_autofree char *title = g_strdup_printf (ngettext ("%u run compared", "%u runs compared", runs->len), runs->len);
  TosstDocument *document = tosst_document_new (title, NULL);

  tosst_document_add_heading (document, 1, _ ("Differences"));
  tosst_report_add_differences (document, runs);
  for (guint i = 0; i < runs->len; i++)
    {
      g_autofree char *heading = run_title (g_ptr_array_index (runs, i));

      tosst_document_add_heading (document, 1, heading);
      tosst_report_add_run (document, g_ptr_array_index (runs, i));
    }
  return document;
}

TosstDocument *
tosst_report_new (TosstStore *store, const gint64 *runs, gsize n, GError **error)
{
  g_autoptr (GPtrArray) loaded = load (store, runs, n, error);

  return loaded ? document_of (loaded) : NULL;
}

gboolean
tosst_report_save (TosstStore *store, const gint64 *runs, gsize n, GFile *file, GError **error)
{
  g_autoptr (GPtrArray) loaded = NULL;
  g_autoptr (TosstDocument) document = NULL;
  double created = NAN;

  if (!tosst_document_check (file, error))
    return FALSE;
  loaded = load (store, runs, n, error);
  if (!loaded)
    return FALSE;
  for (guint i = 0; i < loaded->len; i++)
    created = fmax (created, ((TosstReportRun *)g_ptr_array_index (loaded, i))->finished);
  document = document_of (loaded);
  return tosst_document_save (document, created, file, error);
}

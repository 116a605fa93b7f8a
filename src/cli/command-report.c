/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cli/call.h"
#include "core/base/error.h"
#include "core/report/report.h"

static TosstStore *
open_store (CliCall *call, GError **error)
{
  const char *path = cli_call_value (call, "workspace");
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path ? path : CLI_DEFAULT_STORE);
  g_autofree char *name = g_file_get_parse_name (file);

  if (!g_file_query_exists (file, NULL))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("there is no store of runs at %s"), name), NULL;
  return tosst_store_open (file, TOSST_STORE_READ, error);
}

static void
say (CliCall *call, const GArray *runs)
{
  const char *path = cli_call_value (call, "output");
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < runs->len; i++)
    json_array_add_int_element (array, g_array_index (runs, gint64, i));
  JsonObject *object = TOSST_JSON (("runs", array), ("output", path));
  cli_call_result (call, object, ngettext ("report on %u run: %s", "report on %u runs: %s", runs->len), runs->len,
                   path);
}

static gboolean
run (CliCall *call, GError **error)
{
  g_autoptr (GFile) output = cli_call_file (call, "output");
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  GError *cause = NULL;

  for (guint i = 0; i < call->operands; i++)
    {
      const char *text = call->operand[i];
      gint64 run;

      if (!g_ascii_string_to_signed (text, 10, 1, G_MAXINT64, &run, NULL))
        return cli_usage_error (error, _ ("needs the numbers of runs, as listed by tosst runs, not “%s”"), text);
      g_array_append_val (runs, run);
    }
  if (!tosst_document_check (output, error))
    return FALSE;
  g_autoptr (TosstStore) store = open_store (call, &cause);

  if (!store || !tosst_report_save (store, (const gint64 *)(const void *)runs->data, runs->len, output, &cause))
    {
      /* A report does not modify the store; the error names the command that does. */
      g_autoptr (GError) owned = cause;

      if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_DAMAGED))
        return tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("%s; tosst runs --check salvages it"), cause->message);
      return tosst_pass_error (error, &owned);
    }

  say (call, runs);
  return TRUE;
}

static const CliOption options[] = {
  { "output", 'o', "FILE", N_ ("Output file of the report: OUT.html or OUT.pdf"), TRUE },
  { "workspace", 'w', "W.sqlite", N_ ("Store of runs (default: runs.sqlite)") },
  { NULL },
};

const CliCommand cli_report
    = { "report", "RUN...", N_ ("Write a report of runs as one HTML page or PDF"), options, NULL, 1, G_MAXUINT, run };

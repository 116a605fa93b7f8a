/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/run-script.h"

#include "core/report/script.h"

static TosstScriptKind
find (const char *name)
{
  TosstScriptKind kind = 0;

  while (kind < TOSST_N_SCRIPTS && !g_str_equal (tosst_script_name (kind), name))
    kind++;
  return kind;
}

gboolean
cli_run_script_is_known (const char *kind)
{
  return find (kind) < TOSST_N_SCRIPTS;
}

gboolean
cli_run_script (CliCall *call, TosstStore *store, gint64 run, const char *kind, GError **error)
{
  g_autoptr (TosstReportRun) loaded = tosst_report_run_load (store, run, error);
  g_autofree char *script = loaded ? tosst_script_new (loaded, find (kind), error) : NULL;
  JsonObject *object;

  if (!script)
    return FALSE;
  object = json_object_new ();
  json_object_set_string_member (object, "script", script);
  g_strchomp (script); /* the text of a result gets its last line end when it is printed */
  cli_call_result (call, object, script);
  return TRUE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/call.h"
#include "core/base/base.h"
#include "core/report/dictionary-export.h"

typedef enum
{
  FORM_UNKNOWN,
  FORM_MAT,
  FORM_CSV,
  FORM_PICTURES,
} Form;

/* Form by the name of the output: a folder if it exists as one or ends in a slash. */
static Form
form_of (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  if (g_str_has_suffix (lower, "/") || g_file_test (name, G_FILE_TEST_IS_DIR))
    return FORM_PICTURES;
  return g_str_has_suffix (lower, ".mat") ? FORM_MAT : g_str_has_suffix (lower, ".csv") ? FORM_CSV : FORM_UNKNOWN;
}

static gboolean
export_pictures (CliCall *call, const TosstDictionary *dictionary, GFile *folder, GError **error)
{
  g_autoptr (GFile) inside = g_file_get_child (folder, "atom-0001.png");
  g_autoptr (GError) cause = NULL;

  if (!g_file_make_directory (folder, NULL, &cause) && !g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_EXISTS))
    return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s could not be created: %s"), cli_call_value (call, "output"),
                       cause->message);
  if (!tosst_atomic_check (inside, error))
    return FALSE;
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Drawing"), dictionary->K, _ ("atoms"));
  for (int k = 0; k < dictionary->K; k++)
    {
      if (tosst_context_checkpoint (cli_call_context (call)))
        return cli_fail_interrupted (error);
      if (!tosst_dictionary_export_picture (dictionary, k, folder, error))
        return FALSE;
      cli_progress_set (progress, (k + 1.0) / dictionary->K);
    }
  return TRUE;
}

static gboolean export(CliCall *call, const TosstDictionary *dictionary, const TosstDictionaryMeta *meta, Form form,
                       GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "output");

  switch (form)
    {
    case FORM_MAT:
      return tosst_dictionary_export_mat (dictionary, meta, file, error);
    case FORM_CSV:
      return tosst_dictionary_export_csv (dictionary, file, error);
    case FORM_PICTURES:
    case FORM_UNKNOWN:
    default:
      return export_pictures (call, dictionary, file, error);
    }
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "output", NULL };
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (call->operand[0]);
  TosstDictionaryMeta meta = { 0 };
  const char *output = cli_call_value (call, "output");
  Form form = form_of (output);

  if (form == FORM_UNKNOWN)
    return cli_usage_error (error, _ ("%s: the output must end in .mat or .csv, or be a folder, “%s/”"), output,
                            output);
  if (form != FORM_PICTURES && !cli_call_check_outputs (call, outputs, error))
    return FALSE;
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_load (file, &meta, error);
  gboolean done = dictionary && export(call, dictionary, &meta, form, error);
  tosst_dictionary_meta_clear (&meta);
  if (done)
    {
      JsonObject *object = TOSST_JSON (("K", dictionary->K), ("output", output));
      cli_call_result (call, object, ngettext ("%d atom written to %s", "%d atoms written to %s", dictionary->K),
                       dictionary->K, output);
    }

  return done;
}

static const CliOption options[] = {
  { "output", 'o', "OUT", N_ ("Output: OUT.mat, OUT.csv, or OUT/ for a folder of heat maps"), TRUE },
  CLI_FIGURE_OPTIONS,
  { NULL },
};

const CliCommand cli_export
    = { "export", "D.npz", N_ ("Write a dictionary as a MATLAB file, a table or heat maps"), options, NULL, 1, 1, run };

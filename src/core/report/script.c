/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was done with the mouse, as a program: it can be read, kept with a paper, changed and run on another machine.
 * Only values that are not the defaults are written, as in recipe files; the data set is always named.
 */
#include "core/base/base.h"
#include "core/report/report.h"

const char *
tosst_script_name (TosstScriptKind kind)
{
  static const char *const names[TOSST_N_SCRIPTS] = { "shell", "python" };

  return names[kind];
}

/* --- what both say --- */

static char *
score_text (const TosstReportRun *run)
{
  char mean[G_ASCII_DTOSTR_BUF_SIZE], deviation[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (run->accuracy))
    return g_strdup ("none");
  g_ascii_formatd (mean, sizeof mean, "%.2f", run->accuracy);
  g_ascii_formatd (deviation, sizeof deviation, "%.2f", run->deviation);
  return isnan (run->deviation) ? g_strdup_printf ("%s %%", mean) : g_strdup_printf ("%s ± %s %%", mean, deviation);
}

static const char *
score_name (const TosstReportRun *run)
{
  return run->score == TOSST_SCORE_ACCURACY ? "accuracy" : "mean average precision";
}

static gint64
threads_of (const TosstReportRun *run)
{
  JsonNode *node = json_object_get_member (run->json, "threads");

  return node && JSON_NODE_HOLDS_VALUE (node) ? MAX (json_node_get_int (node), 1) : 1;
}

/* Lines that describe the run, each after this mark. The texts of the user stay on their line. */
static void
append_description (GString *script, const TosstReportRun *run, const char *mark)
{
  g_autofree char *title = tosst_clean_line (run->title), *dataset = tosst_clean_line (run->dataset);
  g_autofree char *version = tosst_clean_line (tosst_report_run_text (run, "version")),
                  *blas = tosst_clean_line (tosst_report_run_text (run, "blas")), *score = score_text (run);

  g_string_append_printf (script, "%sRepeats run %" PRId64 "%s%s of TOSST Studio %s.\n", mark, run->id,
                          *title ? ": " : "", title, version);
  g_string_append_printf (script, "%sData: %s. Splits: %d of %d. Result: %s %s.\n", mark, dataset, (int)run->done->len,
                          run->splits, score_name (run), score);
  g_string_append_printf (script, "%sThe same version, number of threads and BLAS kernel (%s) give the same numbers.\n",
                          mark, *blas ? blas : "unknown");
}

typedef void (*AppendFunc) (GString *script, const TosstParameter *p, const char *value);

static void
append_values (GString *script, const TosstRecipe *recipe, AppendFunc append)
{
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (p->offset == G_STRUCT_OFFSET (TosstRecipe, dataset.kind) || !tosst_recipe_is_default (recipe, p))
      {
        g_autofree char *value = tosst_recipe_get (recipe, p);

        append (script, p, value);
      }
}

/* Output files of classify besides the report: option, file; what the run has. */
static guint
outputs_of (const TosstReportRun *run, const char *outputs[][2])
{
  guint n = 0;

  if (run->dictionary)
    outputs[n][0] = "--dictionary", outputs[n++][1] = "dictionary.npz";
  if (run->score == TOSST_SCORE_ACCURACY)
    outputs[n][0] = "--confusion", outputs[n++][1] = "confusion.csv";
  else
    outputs[n][0] = "--scores", outputs[n++][1] = "scores.csv";
  return n;
}

/* --- shell --- */

static void
append_setting (GString *script, const TosstParameter *p, const char *value)
{
  g_autofree char *pair = g_strdup_printf ("%s=%s", p->name, value), *quoted = g_shell_quote (pair);
  gboolean plain = !pair[strspn (pair, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "._=/+,-")];

  g_string_append_printf (script, " \\\n  --set %s", plain ? pair : quoted);
}

static char *
shell_script (const TosstReportRun *run)
{
  GString *script = g_string_new ("#!/bin/sh\n");
  g_autofree char *score = score_text (run);
  const char *outputs[2][2];
  guint n = outputs_of (run, outputs);

  append_description (script, run, "# ");
  g_string_append_printf (script,
                          "set -eu\n"
                          "tosst=${TOSST:-tosst}\n"
                          "results=${1:-run-%" PRId64 "}\n"
                          "mkdir -p -- \"$results\"\n"
                          "\"$tosst\" classify --threads %" PRId64,
                          run->id, threads_of (run));
  append_values (script, run->recipe, append_setting);
  g_string_append (script, " \\\n  --report \"$results/report.json\"");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (script, " \\\n  %s \"$results/%s\"", outputs[i][0], outputs[i][1]);
  g_string_append_printf (script, "\necho 'Run %" PRId64 " had: %s %s'\n", run->id, score_name (run), score);
  return g_string_free (script, FALSE);
}

/* --- Python --- */

static void
append_literal (GString *script, const char *text)
{
  g_string_append_c (script, '"');
  for (const char *c = text; *c; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (script, "\\%c", *c);
    else if ((guchar)*c < 0x20 || *c == 0x7f)
      g_string_append_printf (script, "\\x%02x", (guchar)*c);
    else
      g_string_append_c (script, *c);
  g_string_append_c (script, '"');
}

static void
append_item (GString *script, const TosstParameter *p, const char *value)
{
  gboolean text = p->type == TOSST_PARAMETER_TEXT || p->type == TOSST_PARAMETER_CHOICE;

  g_string_append_printf (script, "    \"%s\": ", p->name);
  /* Digits with a point or an exponent are the same number in Python; "inf" and others stay texts, which Recipe takes. */
  if (!text && *value && g_regex_match_simple ("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(e[-+]?[0-9]+)?$", value, 0, 0))
    g_string_append (script, value);
  else if (!text && (g_str_equal (value, "true") || g_str_equal (value, "false")))
    g_string_append (script, *value == 't' ? "True" : "False");
  else
    append_literal (script, value);
  g_string_append (script, ",\n");
}

static char *
python_script (const TosstReportRun *run)
{
  GString *script = g_string_new ("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n");
  g_autofree char *score = score_text (run);
  const char *outputs[2][2];
  guint n = outputs_of (run, outputs);

  append_description (script, run, "# ");
  g_string_append (script, "import json\nimport os\nimport pathlib\nimport subprocess\nimport sys\n\nimport tosst\n\n"
                           "recipe = tosst.Recipe({\n");
  append_values (script, run->recipe, append_item);
  g_string_append_printf (script,
                          "})\n"
                          "results = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else \"run-%" PRId64 "\")\n"
                          "results.mkdir(parents=True, exist_ok=True)\n"
                          "tosst.save(results / \"recipe.tosst\", recipe)\n"
                          "subprocess.run([os.environ.get(\"TOSST\", \"tosst\"), \"classify\", results / "
                          "\"recipe.tosst\", \"--threads\", \"%" PRId64 "\",\n"
                          "                \"--report\", results / \"report.json\"",
                          run->id, threads_of (run));
  for (guint i = 0; i < n; i++)
    g_string_append_printf (script, ",\n                \"%s\", results / \"%s\"", outputs[i][0], outputs[i][1]);
  g_string_append_printf (script,
                          "], check=True)\n\n"
                          "report = json.loads((results / \"report.json\").read_text(encoding=\"utf-8\"))\n"
                          "print(f\"%s {report['accuracy_mean']:.2f} %%; run %" PRId64 " had %s\")\n",
                          score_name (run), run->id, score);
  if (run->dictionary)
    g_string_append (script, "\ndictionary = tosst.load(results / \"dictionary.npz\")  # atoms B and b as arrays\n"
                             "print(dictionary)\n");
  return g_string_free (script, FALSE);
}

char *
tosst_script_new (const TosstReportRun *run, TosstScriptKind kind, GError **error)
{
  if (!run->recipe)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("run %" PRId64 " was made by a version of the program with other parameters"), run->id),
           NULL;
  return kind == TOSST_SCRIPT_PYTHON ? python_script (run) : shell_script (run);
}

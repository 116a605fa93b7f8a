/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sections of the report on one run.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "core/base/json-text.h"
#include "core/report/private.h"

#define MAX_CURVES 10 /* limit for a readable chart */

/* --- outcome and main numbers --- */

static void
add_state (TosstDocument *document, const TosstReportRun *run)
{
  g_autofree char *text = NULL;
  const char *known = tosst_report_run_text (run, "reason"), *reason = *known ? known : _ ("unknown reason");

  switch (run->state)
    {
    case TOSST_RUN_QUEUED:
      text = g_strdup (_ ("This run has not started."));
      break;
    case TOSST_RUN_RUNNING:
      text = g_strdup_printf (_ ("This run was not finished when the report was made: %u of %d splits were done."),
                              run->done->len, run->splits);
      break;
    case TOSST_RUN_FAILED:
      text = g_strdup_printf (_ ("This run failed after %u of %d splits: %s."), run->done->len, run->splits, reason);
      break;
    case TOSST_RUN_STOPPED:
      text = g_strdup_printf (_ ("This run was stopped after %u of %d splits: %s."), run->done->len, run->splits,
                              reason);
      break;
    case TOSST_RUN_DONE:
    case TOSST_N_RUN_STATES:
    default:
      break;
    }
  if (text)
    tosst_document_add_warning (document, text);
  if (run->trouble)
    tosst_document_add_warning (document, run->trouble);
}

static double
mean_nonzeros (const TosstReportRun *run)
{
  double sum = 0;

  for (guint i = 0; i < run->done->len; i++)
    sum += g_array_index (run->done, TosstReportSplit, i).mean_nonzeros;
  return sum / run->done->len;
}

static void
add_dictionary_merits (TosstDocument *document, const TosstReportRun *run)
{
  const char *scheme = tosst_report_run_parameter (run, "dictionary.scheme");
  double nonzeros = mean_nonzeros (run);

  if (run->dictionary)
    {
      g_autofree char *atoms
          = g_strdup_printf (ngettext ("%d atom", "%d atoms", run->dictionary->K), run->dictionary->K);
      g_autofree char *of = g_strdup_printf (_ ("scheme %s, d = %d"), scheme ? scheme : "–", run->dictionary->d);

      tosst_document_add_figure_of_merit (document, atoms, _ ("in the dictionary"), of);
    }
  if (isfinite (nonzeros))
    {
      g_autofree char *value = tosst_report_number (nonzeros, 3);

      tosst_document_add_figure_of_merit (document, value, _ ("non-zeros in a code"), _ ("mean over tensors"));
    }
}

/* --- recipe --- */

/* Parameters that differ from their defaults, with the default; for the others the values only. */
static TosstTable *
recipe_table (const TosstReportRun *run, gboolean changed)
{
  TosstTable *table = tosst_table_new ();
  guint n;
  const TosstParameter *p = tosst_parameters (&n);

  if (changed)
    tosst_table_add_column (table, _ ("Parameter"), FALSE);
  tosst_table_add_column (table, _ ("Key"), FALSE);
  tosst_table_add_column (table, _ ("Value"), FALSE);
  if (changed)
    tosst_table_add_column (table, _ ("Default"), FALSE);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%s", p[i].group, p[i].key), *label = tosst_report_label (&p[i]);

      if ((run->recipe
               ? !tosst_recipe_is_default (run->recipe, &p[i]) && !tosst_recipe_why_inactive (run->recipe, &p[i])
               : g_strcmp0 (tosst_report_run_parameter (run, name), p[i].default_text) != 0)
          != changed)
        continue;
      if (changed)
        tosst_table_add (table, label);
      tosst_table_add (table, name);
      tosst_table_add (table, tosst_report_value (tosst_report_run_parameter (run, name)));
      if (changed)
        tosst_table_add (table, tosst_report_value (run->recipe ? tosst_recipe_default_text (run->recipe, &p[i])
                                                                : p[i].default_text));
    }
  return table;
}

static void
add_recipe (TosstDocument *document, const TosstReportRun *run)
{
  TosstTable *changed = recipe_table (run, TRUE), *others = recipe_table (run, FALSE);
  guint rows = tosst_table_rows (others);
  g_autofree char *summary = g_strdup_printf (ngettext ("%u parameter at its default or without influence",
                                                        "%u parameters at their defaults or without influence", rows),
                                              rows);

  tosst_document_add_heading (document, 2, _ ("Recipe"));
  if (tosst_table_rows (changed))
    tosst_document_add_table (document, changed);
  else
    {
      tosst_document_add_text (document, _ ("All parameters have their defaults."));
      tosst_table_free (changed);
    }
  tosst_document_begin_fold (document, summary);
  tosst_document_add_table (document, others);
  tosst_document_end_fold (document);
}

/* --- accuracy --- */

static TosstTable *
split_table (const TosstReportRun *run)
{
  TosstTable *table = tosst_table_new ();
  gboolean combined = run->recipe && tosst_recipe_has_parts (run->recipe);

  tosst_table_add_column (table, _ ("Split"), TRUE);
  tosst_table_add_column (table, tosst_score_label (run->score), TRUE);
  tosst_table_add_column (table, _ ("Objective"), TRUE);
  tosst_table_add_column (table, _ ("Non-zeros"), TRUE);
  tosst_table_add_column (table, _ ("Worst residual"), TRUE);
  tosst_table_add_column (table, "C", TRUE);
  if (combined)
    tosst_table_add_column (table, _ ("Weights"), FALSE);
  for (guint i = 0; i < run->done->len; i++)
    {
      const TosstReportSplit *split = &g_array_index (run->done, TosstReportSplit, i);
      g_autofree char *accuracy = tosst_report_percent (split->accuracy, NAN);
      g_autofree char *objective = tosst_report_number (split->objective, 5);
      g_autofree char *nonzeros = tosst_report_number (split->mean_nonzeros, 3);
      g_autofree char *residual = tosst_report_number (split->worst_kkt, 2), *c = tosst_report_number (split->c, 4);

      tosst_table_add_printf (table, "%d", split->split + 1);
      tosst_table_add_bar (table, split->accuracy / 100, accuracy);
      tosst_table_add (table, objective);
      tosst_table_add (table, nonzeros);
      tosst_table_add (table, residual);
      tosst_table_add (table, c);
      if (combined)
        {
          g_autofree char *weights = tosst_report_run_weights (run, split->split);

          tosst_table_add (table, weights);
        }
    }
  return table;
}

/* Splits are drawn at random: their order has no meaning, and no line joins them. */
static TosstChart *
accuracy_chart (const TosstReportRun *run)
{
  gboolean is_accuracy = run->score == TOSST_SCORE_ACCURACY;
  TosstChart *chart
      = tosst_chart_new (is_accuracy ? _ ("Accuracy of each split") : _ ("Mean average precision of each split"),
                         _ ("Split"), is_accuracy ? _ ("Accuracy, %") : _ ("Mean average precision, %"));
  guint series = tosst_chart_add_series (chart, tosst_score_label (run->score));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  tosst_chart_set_y_bounds (chart, 0, 100);
  for (guint i = 0; i < run->done->len; i++)
    {
      const TosstReportSplit *split = &g_array_index (run->done, TosstReportSplit, i);

      g_ptr_array_add (names, g_strdup_printf ("%d", split->split + 1));
      tosst_chart_append (chart, series, i, split->accuracy);
    }
  g_ptr_array_add (names, g_strdup (_ ("Mean ± σ")));
  tosst_chart_append_error (chart, series, run->done->len, run->accuracy, run->deviation);
  tosst_chart_set_categories (chart, (const char *const *)names->pdata, names->len);
  return chart;
}

/* --- learning --- */

static guint
append_series (TosstChart *chart, const TosstReportRun *run, int split, const char *series, const char *name)
{
  guint n;
  g_autofree double *values = tosst_report_run_series (run, split, series, &n);
  guint index = n ? tosst_chart_add_series (chart, name) : 0;

  for (guint i = 0; i < n; i++)
    tosst_chart_append (chart, index, i + 1, values[i]);
  return n;
}

static TosstChart *
objective_chart (const TosstReportRun *run, guint *curves, int *first)
{
  TosstChart *chart = tosst_chart_new (_ ("Objective of each split"), _ ("Iteration"), _ ("Objective"));

  tosst_chart_set_integer_x (chart, TRUE);
  *curves = 0;
  *first = -1;
  for (int split = 0; split < MAX (run->splits, 1) && *curves < MAX_CURVES; split++)
    {
      g_autofree char *name = g_strdup_printf ("%d", split + 1);

      if (append_series (chart, run, split, "objective", name) == 0)
        continue;
      *first = *curves == 0 ? split : *first;
      ++*curves;
    }
  return chart;
}

static TosstChart *
parts_chart (const TosstReportRun *run, int split)
{
  g_autofree char *title = g_strdup_printf (_ ("Its parts, split %d"), split + 1);
  TosstChart *chart = tosst_chart_new (title, _ ("Iteration"), _ ("Objective"));

  tosst_chart_set_integer_x (chart, TRUE);
  append_series (chart, run, split, "objective", _ ("Objective"));
  append_series (chart, run, split, "fit", _ ("Fit"));
  append_series (chart, run, split, "proximity", _ ("Proximity"));
  append_series (chart, run, split, "sparsity", _ ("Sparsity"));
  return chart;
}

static void
add_learning (TosstDocument *document, const TosstReportRun *run)
{
  guint curves;
  int first;
  TosstChart *chart = objective_chart (run, &curves, &first);

  if (curves == 0)
    {
      tosst_chart_free (chart);
      return;
    }
  tosst_document_add_heading (document, 2, _ ("Learning"));
  tosst_document_add_chart (document, chart, TOSST_REPORT_HALF, 280, TRUE);
  tosst_document_add_chart (document, parts_chart (run, first), TOSST_REPORT_HALF, 280, TRUE);
  if (run->splits > MAX_CURVES)
    {
      g_autofree char *text = g_strdup_printf (_ ("The first %d of %d splits."), MAX_CURVES, run->splits);

      tosst_document_add_remark (document, text);
    }
}

/* --- time --- */

static void
add_time (TosstDocument *document, const TosstReportRun *run)
{
  static const char *const stages[TOSST_N_STAGES] = { "describe", "learn", "code", "train", "test" };
  TosstTable *table;

  if (isnan (run->seconds))
    return;
  table = tosst_table_new ();
  tosst_table_add_column (table, _ ("Stage"), FALSE);
  tosst_table_add_column (table, _ ("Time"), TRUE);
  for (int i = 0; i < TOSST_N_STAGES; i++)
    {
      double seconds = tosst_report_run_seconds (run, stages[i]);
      g_autofree char *text = tosst_report_duration (seconds);

      tosst_table_add (table, _ (tosst_stage_label (i, run->recipe)));
      tosst_table_add_bar (table, run->seconds > 0 ? seconds / run->seconds : NAN, text);
    }
  g_autofree char *total = tosst_report_duration (run->seconds);
  tosst_table_add (table, _ ("Total"));
  tosst_table_add (table, total);
  tosst_document_add_heading (document, 2, _ ("Time"));
  tosst_document_add_table (document, table);
}

/* --- environment and reproduction --- */

static void
add_fact (TosstTable *table, const char *label, const char *value)
{
  if (!*value)
    return;
  tosst_table_add (table, label);
  tosst_table_add (table, value);
}

static TosstTable *
origin_table (const TosstReportRun *run)
{
  TosstTable *table = tosst_table_new ();
  g_autofree char *id = g_strdup_printf ("%" PRId64, run->id);
  g_autofree char *started = tosst_report_time (run->started), *finished = tosst_report_time (run->finished);
  JsonNode *threads = json_object_get_member (run->json, "threads");
  g_autofree char *count
      = threads && JSON_NODE_HOLDS_VALUE (threads) ? tosst_json_write (threads, FALSE) : g_strdup ("");

  tosst_table_add_column (table, "", FALSE);
  tosst_table_add_column (table, "", FALSE);
  add_fact (table, _ ("Run"), id);
  add_fact (table, _ ("State"), tosst_run_state_label (run->state));
  add_fact (table, _ ("Tags"), tosst_report_run_text (run, "tags"));
  add_fact (table, _ ("Started"), started);
  add_fact (table, _ ("Finished"), finished);
  add_fact (table, _ ("Data set"), run->dataset);
  add_fact (table, _ ("Fingerprint of the data"), tosst_report_run_text (run, "data"));
  add_fact (table, _ ("Hash of the run"), tosst_report_run_text (run, "hash"));
  add_fact (table, _ ("Program"), tosst_report_run_text (run, "version"));
  add_fact (table, _ ("Processor"), tosst_report_run_text (run, "cpu"));
  add_fact (table, _ ("BLAS kernel"), tosst_report_run_text (run, "blas"));
  add_fact (table, _ ("Threads"), count);
  return table;
}

static void
add_origin (TosstDocument *document, const TosstReportRun *run)
{
  tosst_document_add_heading (document, 2, _ ("Environment"));
  tosst_document_add_table (document, origin_table (run));
  tosst_document_add_heading (document, 2, _ ("Command that repeats this run"));
  if (!run->recipe)
    {
      tosst_document_add_text (document,
                               _ ("This run was made by another version of the program, which has other parameters."));
      return;
    }
  g_autofree char *command = tosst_recipe_command (run->recipe);
  tosst_document_add_code (document, command);
}

void
tosst_report_add_run (TosstDocument *document, const TosstReportRun *run)
{
  add_state (document, run);

  g_autofree char *accuracy = tosst_report_percent (run->accuracy, run->deviation);
  g_autofree char *duration = tosst_report_duration (run->seconds), *started = tosst_report_time (run->started);
  g_autofree char *since = g_strdup_printf (_ ("started %s"), started);
  g_autofree char *splits = (int)run->done->len < run->splits
                                ? g_strdup_printf (_ ("%u of %d splits"), run->done->len, run->splits)
                                : g_strdup_printf (ngettext ("%u split", "%u splits", run->done->len), run->done->len);

  tosst_document_add_figure_of_merit (
      document, accuracy, run->score == TOSST_SCORE_ACCURACY ? _ ("accuracy") : _ ("mean average precision"), splits);
  add_dictionary_merits (document, run);
  tosst_document_add_figure_of_merit (document, duration, _ ("time"), since);
  if (*tosst_report_run_text (run, "note"))
    tosst_document_add_text (document, tosst_report_run_text (run, "note"));
  add_recipe (document, run);

  if (run->done->len != 0)
    {
      tosst_document_add_heading (document, 2, tosst_score_label (run->score));
      if (run->done->len > 1)
        tosst_document_add_chart (document, accuracy_chart (run), TOSST_REPORT_WIDTH, 260, FALSE);
      tosst_document_add_table (document, split_table (run));
    }
  add_learning (document, run);
  tosst_report_add_atoms (document, run);
  tosst_report_add_classes (document, run);
  tosst_report_add_scores (document, run);
  add_time (document, run);
  add_origin (document, run);
}

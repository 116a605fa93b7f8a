/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/report/against.h"
#include "core/report/private.h"

/* Differences between the runs of a report. */

#define MAX_ACROSS 5 /* maximum number of runs as columns; more are rows */
#define MAX_CURVES 8
#define INACTIVE "" /* value of a parameter without influence */

static const TosstReportRun *
run_at (GPtrArray *runs, guint i)
{
  return g_ptr_array_index (runs, i);
}

/* Text of a run for a line of the table, by the name of a parameter, of a number of splits (its mean), of what is named
 * here, or of a text of the store; new. */
static char *
value_of (const TosstReportRun *run, const char *name)
{
  const TosstParameter *p = tosst_parameter_find (name);
  gboolean is_accuracy = run->score == TOSST_SCORE_ACCURACY;

  if (strchr (name, '.') != NULL)
    return g_strdup (p && run->recipe && tosst_recipe_why_inactive (run->recipe, p)
                         ? INACTIVE
                         : tosst_report_value (tosst_report_run_parameter (run, name)));
  if (g_str_equal (name, "accuracy") || g_str_equal (name, "average precision"))
    return is_accuracy == g_str_equal (name, "accuracy") ? tosst_report_percent (run->accuracy, run->deviation)
                                                         : g_strdup ("–");
  for (guint i = 0; i < TOSST_SPLIT_NUMBERS; i++)
    if (g_str_equal (tosst_split_numbers[i].name, name))
      return tosst_report_number (tosst_report_mean (run, tosst_split_numbers[i].offset),
                                  g_str_equal (name, "objective") ? 5 : 4);
  if (g_str_equal (name, "state"))
    return g_strdup (tosst_run_state_label (run->state));
  if (g_str_equal (name, "dataset"))
    return g_strdup (run->dataset);
  if (g_str_equal (name, "splits"))
    return g_strdup_printf ("%u/%d", run->done->len, run->splits);
  if (g_str_equal (name, "time"))
    return tosst_report_duration (run->seconds);
  return g_strdup (tosst_report_value (tosst_report_run_text (run, name)));
}

static gboolean
differs (GPtrArray *runs, const char *name)
{
  g_autofree char *first = value_of (run_at (runs, 0), name);

  for (guint i = 1; i < runs->len; i++)
    {
      g_autofree char *other = value_of (run_at (runs, i), name);

      if (!g_str_equal (first, other))
        return TRUE;
    }
  return FALSE;
}

static void
add_line (TosstTable *table, GPtrArray *runs, const char *label, const char *name)
{
  tosst_table_add (table, label);
  for (guint i = 0; i < runs->len; i++)
    {
      g_autofree char *cell = value_of (run_at (runs, i), name);

      tosst_table_add (table, cell);
    }
}

/* --- parameters --- */

/* Whether two runs with influence of the parameter have different values. */
static gboolean
parameter_differs (GPtrArray *runs, const char *name)
{
  g_autofree char *first = NULL;

  for (guint i = 0; i < runs->len; i++)
    {
      g_autofree char *value = value_of (run_at (runs, i), name);

      if (first && !g_str_equal (value, INACTIVE) && !g_str_equal (first, value))
        return TRUE;
      if (!first && !g_str_equal (value, INACTIVE))
        first = g_steal_pointer (&value);
    }
  return FALSE;
}

/* TosstParameter *; new. */
static GPtrArray *
changed_parameters (GPtrArray *runs)
{
  GPtrArray *changed = g_ptr_array_new ();

  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    if (parameter_differs (runs, p->name))
      g_ptr_array_add (changed, (gpointer)p);
  return changed;
}

/* --- the table --- */

typedef struct
{
  const char *label, *name;
  gboolean always; /* or only if the runs differ */
} Line;

static void
add_lines (TosstTable *table, GPtrArray *runs, const Line *lines, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (lines[i].always || differs (runs, lines[i].name))
      add_line (table, runs, _ (lines[i].label), lines[i].name);
}

/* Whether all runs minimise the same objective. */
static gboolean
have_one_objective (GPtrArray *runs)
{
  const TosstReportRun *first = run_at (runs, 0);

  for (guint i = 1; i < runs->len; i++)
    if (first->recipe == NULL || run_at (runs, i)->recipe == NULL || differs (runs, "data")
        || !tosst_recipes_are_alike (first->recipe, run_at (runs, i)->recipe, TRUE))
      return FALSE;
  return TRUE;
}

static TosstTable *
difference_table (GPtrArray *runs, GPtrArray *changed)
{
  static const Line origin[] = { { N_ ("State"), "state" }, { N_ ("Data set"), "dataset" } },
                    outcome[] = { { N_ ("Splits"), "splits" },
                                  { N_ ("Relative residual"), "relative_residual" },
                                  { N_ ("Non-zeros per code"), "mean_nonzeros" },
                                  { N_ ("Time"), "time", TRUE } },
                    machine[] = { { N_ ("Program"), "version" },
                                  { N_ ("Processor"), "cpu" },
                                  { N_ ("BLAS kernel"), "blas" },
                                  { N_ ("Fingerprint of the data"), "data" } };
  TosstTable *table = tosst_table_new ("t", "");
  gboolean has[2] = { FALSE };

  for (guint i = 0; i < runs->len; i++)
    {
      g_autofree char *title = g_strdup_printf (_ ("Run %" PRId64), run_at (runs, i)->id);

      tosst_table_add_columns (table, "t", title);
    }
  add_lines (table, runs, origin, G_N_ELEMENTS (origin));
  /* A line for each of both scores that one of the runs has. */
  for (guint i = 0; i < runs->len; i++)
    has[run_at (runs, i)->score != TOSST_SCORE_ACCURACY] = TRUE;
  if (has[0])
    add_line (table, runs, tosst_score_label (TOSST_SCORE_ACCURACY), "accuracy");
  if (has[1])
    add_line (table, runs, tosst_score_label (TOSST_SCORE_AP11), "average precision");
  if (have_one_objective (runs))
    add_line (table, runs, _ ("Objective"), "objective");
  add_lines (table, runs, outcome, G_N_ELEMENTS (outcome));
  TOSST_FOR_EACH_POINTER (const TosstParameter, p, changed)
    {
      g_autofree char *label = tosst_report_label (p);

      add_line (table, runs, label, p->name);
    }
  add_lines (table, runs, machine, G_N_ELEMENTS (machine));
  return table;
}

/* --- charts --- */

/* The score against the only differing number; NULL unless there is exactly one, and at least three runs. */
static TosstChart *
accuracy_chart (GPtrArray *runs, GPtrArray *changed)
{
  const TosstParameter *p = changed->len == 1 ? g_ptr_array_index (changed, 0) : NULL;
  const char *title;

  if (runs->len < 3 || !p || (p->type != TOSST_PARAMETER_INTEGER && p->type != TOSST_PARAMETER_REAL))
    return NULL;
  g_autofree char *label = tosst_report_label (p);
  title = tosst_score_label (run_at (runs, 0)->score); /* of all: they have the same kind of data set */
  g_autofree char *percent = g_strdup_printf (_ ("%s (%%)"), title);
  TosstChart *chart = tosst_chart_new (title, label, percent);
  tosst_chart_add_series (chart, title);
  tosst_chart_set_y_bounds (chart, 0, 100);
  tosst_chart_set_logarithmic (chart, p->logarithmic, FALSE);
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstReportRun *run = run_at (runs, i);
      double x = g_ascii_strtod (tosst_report_value (tosst_report_run_parameter (run, p->name)), NULL);

      tosst_chart_append_error (chart, 0, x, run->accuracy, run->deviation);
    }
  return chart;
}

/* Curves of the first split of each run; NULL unless two runs have them, of one objective. */
static TosstChart *
objective_chart (GPtrArray *runs)
{
  if (!have_one_objective (runs))
    return NULL;

  TosstChart *chart = tosst_chart_new (_ ("Objective of the first split"), _ ("Iteration"), _ ("Objective"));
  guint curves = 0;

  tosst_chart_set_integer_x (chart, TRUE);
  for (guint i = 0; i < runs->len && curves < MAX_CURVES; i++)
    {
      guint n;
      g_autofree double *values = tosst_report_run_series (run_at (runs, i), 0, "objective", &n);
      g_autofree char *name = g_strdup_printf (_ ("Run %" PRId64), run_at (runs, i)->id);
      guint series = n ? tosst_chart_add_series (chart, name) : 0;

      for (guint j = 0; j < n; j++)
        tosst_chart_append (chart, series, j + 1, values[j]);
      curves += n > 0;
    }
  if (curves > 1)
    return chart;
  tosst_chart_free (chart);
  return NULL;
}

/* Differences of the scores to those of the first run, where splits can be compared. */
static void
add_against (TosstDocument *document, GPtrArray *runs)
{
  g_autoptr (GArray) found = tosst_against_first (runs);
  gboolean any = FALSE;

  for (guint i = 0; i < found->len; i++)
    any |= g_array_index (found, TosstAgainst, i).why == NULL;
  if (!any)
    return;
  tosst_document_add (document, TOSST_BLOCK_TEXT,
                      _ ("Scores against run %" PRId64
                         " on the same splits, in percent points, with the significance by "
                         "the test of Nadeau and Bengio and Holm's correction for the number of runs:"),
                      run_at (runs, 0)->id);
  tosst_document_add_table (document, tosst_against_table (found));
}

static void
add_differences (TosstDocument *document, GPtrArray *runs)
{
  g_autoptr (GPtrArray) changed = changed_parameters (runs);
  TosstChart *charts[] = { accuracy_chart (runs, changed), objective_chart (runs) };
  gboolean both = charts[0] && charts[1];

  if (differs (runs, "data"))
    tosst_document_add (document, TOSST_BLOCK_WARNING,
                        _ ("These runs are of different data: their results are not comparable."));

  TosstTable *table = difference_table (runs, changed);

  if (runs->len > MAX_ACROSS)
    {
      TosstTable *turned = tosst_table_transpose (table);

      tosst_table_free (table);
      table = turned;
    }
  tosst_document_add_table (document, table);
  add_against (document, runs);
  if (changed->len == 0)
    tosst_document_add (document, TOSST_BLOCK_TEXT, _ ("Their recipes are the same."));
  for (guint i = 0; i < G_N_ELEMENTS (charts); i++)
    if (charts[i])
      tosst_document_add_chart (document, charts[i], both ? TOSST_REPORT_HALF : TOSST_REPORT_WIDTH, 300, both);
}

/* TosstReportRun *, new. */
static GPtrArray *
load (TosstStore *store, const gint64 *runs, gsize n, GError **error)
{
  g_autoptr (GPtrArray) loaded = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_report_run_free);

  if (n == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("there is no run to report")), NULL;
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
document_of (GPtrArray *runs)
{
  if (runs->len == 1)
    {
      const TosstReportRun *run = g_ptr_array_index (runs, 0);
      g_autofree char *title = run_title (run);
      g_autofree char *time = tosst_report_time (isnan (run->finished) ? run->started : run->finished);
      g_autofree char *subtitle
          = g_strdup_printf ("%s · %s · TOSST Studio %s", run->dataset, time, tosst_report_run_text (run, "version"));
      TosstDocument *document = tosst_document_new (title, subtitle);

      tosst_report_add_run (document, run, FALSE);
      return document;
    }

  g_autofree char *title = g_strdup_printf (ngettext ("%u run compared", "%u runs compared", runs->len), runs->len);
  TosstDocument *document = tosst_document_new (title, NULL);

  tosst_document_add (document, TOSST_BLOCK_PART, _ ("Differences"));
  add_differences (document, runs);
  for (guint i = 0; i < runs->len; i++)
    {
      g_autofree char *heading = run_title (g_ptr_array_index (runs, i));

      tosst_document_add (document, TOSST_BLOCK_PART, "%s", heading);
      tosst_report_add_run (document, g_ptr_array_index (runs, i), TRUE);
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
  double created = NAN;

  if (!tosst_document_check (file, error))
    return FALSE;
  g_autoptr (GPtrArray) loaded = load (store, runs, n, error);
  if (!loaded)
    return FALSE;
  for (guint i = 0; i < loaded->len; i++)
    created = fmax (created, ((TosstReportRun *)g_ptr_array_index (loaded, i))->finished);
  g_autoptr (TosstDocument) document = document_of (loaded);
  return tosst_document_save (document, created, file, error);
}

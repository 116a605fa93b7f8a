/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comparison of methods. Each is a sweep of one run: it has its own entry in the store, and is resumed like any run.
 */
#include "core/compare/comparison.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/local/image-tensors.h"
#include "core/report/run.h"
#include "core/run/cache.h"

/* The finite sums of Abramowitz & Stegun, 26.7.3 and 26.7.4. */
double
tosst_student_two_sided (double t, guint degrees)
{
  double angle = atan2 (fabs (t), sqrt (degrees)), c = cos (angle), sum = 0, term = 1;

  if (degrees % 2 == 1)
    {
      for (guint k = 1; k + 2 <= degrees; k += 2)
        {
          term *= k == 1 ? c : c * c * (k - 1) / k;
          sum += term;
        }
      return fmax (1 - 2 / G_PI * (angle + sin (angle) * sum), 0);
    }
  for (guint k = 0; k + 2 <= degrees; k += 2)
    {
      term *= k == 0 ? 1 : c * c * (k - 1) / k;
      sum += term;
    }
  return fmax (1 - sin (angle) * sum, 0);
}

#define CONFIDENCE 0.95

/* The t that is exceeded with probability 1 - CONFIDENCE, by bisection. */
static double
student_bound (guint degrees)
{
  double low = 0, high = 1000;

  while (high - low > 1e-9 * high)
    {
      double middle = (low + high) / 2;

      *(tosst_student_two_sided (middle, degrees) > 1 - CONFIDENCE ? &low : &high) = middle;
    }
  return high;
}

TosstPaired
tosst_paired_compare (const double *a, const double *b, guint n, double trains, double tests)
{
  TosstPaired paired = { 0, NAN, NAN, NAN };
  double squares = 0;

  for (guint i = 0; i < n; i++)
    paired.mean += (a[i] - b[i]) / n;
  for (guint i = 0; i < n; i++)
    squares += pow (a[i] - b[i] - paired.mean, 2);
  if (n < 2)
    return paired;
  double variance = squares / (n - 1) * (1.0 / n + tests / trains);
  /* Equal differences: certain, unless there is none. */
  paired.p = variance > 0 ? tosst_student_two_sided (paired.mean / sqrt (variance), n - 1) : paired.mean == 0 ? 1 : 0;
  paired.low = paired.mean - sqrt (variance) * student_bound (n - 1);
  paired.high = 2 * paired.mean - paired.low;
  return paired;
}

void
tosst_holm (double *p, guint n)
{
  g_autofree gboolean *done = g_new0 (gboolean, n + 1);
  guint left = 0;
  double least = 0;

  for (guint i = 0; i < n; i++)
    left += !isnan (p[i]);
  for (; left > 0; left--)
    {
      guint next = n;

      for (guint i = 0; i < n; i++)
        if (!isnan (p[i]) && !done[i] && (next == n || p[i] < p[next]))
          next = i;
      done[next] = TRUE;
      p[next] = least = fmin (fmax (least, left * p[next]), 1);
    }
}

/* Below this a difference is called significant. */
#define SIGNIFICANT 0.05

/* The parameters that a comparison depends on, besides those of the descriptor for objectives. */
static gboolean
decides (const TosstParameter *p, gboolean objective)
{
  static const char *const others[] = { "path", "splits", "copies", "additions", NULL };
  static const char *const problem[] = { "lambda", "gamma", "sample", NULL };

  if (strcmp (p->group, "dataset") == 0)
    return !g_strv_contains (others, p->key);
  return objective
         && (strcmp (p->group, "descriptor") == 0
             || (strcmp (p->group, "dictionary") == 0 && g_strv_contains (problem, p->key)));
}

gboolean
tosst_recipes_are_alike (const TosstRecipe *a, const TosstRecipe *b, gboolean objective)
{
  for (const TosstParameter *p = tosst_parameters (NULL); p->name; p++)
    {
      g_autofree char *first = tosst_recipe_get (a, p), *second = tosst_recipe_get (b, p);

      if (decides (p, objective) && strcmp (first, second) != 0
          && !(tosst_recipe_why_inactive (a, p) && tosst_recipe_why_inactive (b, p)))
        return FALSE;
    }
  return TRUE;
}

/* Training samples of a split that has so many tests. */
static double
count_training (const TosstRecipe *recipe, int classes, double tests)
{
  double share = recipe->dataset.train_share, trains = tosst_recipe_train_per_class (recipe) * (double)classes;

  return trains > 0 ? trains : tests * share / (1 - share);
}

char *
tosst_paired_sentence (const TosstRecipe *recipe, int classes, double tests, const double *a, const double *b, guint n,
                       const char *other)
{
  TosstPaired paired = tosst_paired_compare (a, b, n, count_training (recipe, classes, tests), tests);
  g_autofree char *plain = NULL, *difference = NULL;
  g_autoptr (GRegex) minus = NULL;

  /* Leaving one out, the numbers of samples are others. */
  if (isnan (paired.p) || recipe->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT)
    return NULL;
  /* Translators: a difference in percent points, and its interval */
  plain = g_strdup_printf (_ ("%+.1f points (95 %% interval %+.1f to %+.1f)"), paired.mean, paired.low, paired.high);
  minus = g_regex_new ("(?<!\\w)-(?=\\d)", 0, 0, NULL); /* a hyphen before a number */
  difference = g_regex_replace_literal (minus, plain, -1, 0, "−", 0, NULL);
  return g_strdup_printf (paired.p < SIGNIFICANT
                              /* Translators: a run, and a difference */
                              ? _ ("Against %s on the same splits: %s.")
                              : _ ("Against %s on the same splits: %s: no difference that these splits can show."),
                          other, difference);
}

/* Of the splits that both have. */
static char *
compare_runs (TosstStore *store, const TosstRecipe *recipe, const gint64 run[2], int classes, const char *other,
              GError **error)
{
  g_autoptr (GArray) a = tosst_store_splits (store, run[0], classes, error);
  g_autoptr (GArray) b = a != NULL ? tosst_store_splits (store, run[1], classes, error) : NULL;
  guint n = b != NULL ? MIN (a->len, b->len) : 0;
  g_autofree double *x = g_new (double, n), *y = g_new (double, n);
  double tests = 0;

  for (guint s = 0; s < n; s++)
    {
      x[s] = g_array_index (a, TosstSplitResult, s).accuracy;
      y[s] = g_array_index (b, TosstSplitResult, s).accuracy;
    }
  for (int i = 0; n > 0 && i < classes * classes; i++)
    tests += g_array_index (a, TosstSplitResult, 0).confusion[i];
  return tosst_paired_sentence (recipe, classes, tests, x, y, n, other);
}

char *
tosst_compare_with_earlier (TosstStore *store, gint64 run, int classes, GError **error)
{
  g_autofree char *filter = g_strdup_printf ("state=done, id<=%" G_GINT64_FORMAT, run);
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "-id", filter, error);
  const TosstStoreRun *own = runs != NULL && runs->len > 0 ? runs->pdata[0] : NULL, *other = NULL;
  g_autoptr (TosstRecipe) recipe = own != NULL && own->id == run ? tosst_store_recipe (store, run, error) : NULL;
  g_autofree char *name = NULL;

  for (guint i = 1; recipe != NULL && other == NULL && i < runs->len; i++)
    {
      const TosstStoreRun *one = runs->pdata[i];
      g_autoptr (TosstRecipe) its = NULL;

      if (g_strcmp0 (one->data, own->data) == 0 && one->score == TOSST_SCORE_ACCURACY
          && g_strcmp0 (one->hash, own->hash) != 0 && (its = tosst_store_recipe (store, one->id, NULL)) != NULL
          && tosst_recipes_are_alike (recipe, its, FALSE))
        other = one;
    }
  if (other == NULL)
    return NULL;
  name = other->title != NULL && *other->title != '\0' ? g_strdup_printf (_ ("“%s”"), other->title)
                                                       : g_strdup_printf (_ ("run %d"), (int)other->id);
  return compare_runs (store, recipe, (const gint64[]){ run, other->id }, classes, name, error);
}

/* Why two runs cannot be compared by their splits; NULL: they can. */
static const char *
why_apart (const TosstReportRun *one, const TosstReportRun *other)
{
  if (one->recipe == NULL || other->recipe == NULL)
    return _ ("its recipe is of another version of the program");
  if (!g_str_equal (tosst_report_run_text (one, "data"), tosst_report_run_text (other, "data")))
    return _ ("it has other images");
  if (one->score != other->score || !tosst_recipes_are_alike (one->recipe, other->recipe, FALSE))
    return _ ("its splits test other images");
  if (one->recipe->dataset.protocol == TOSST_PROTOCOL_LEAVE_ONE_OUT)
    return _ ("leaving one out has no random splits");
  return MIN (one->done->len, other->done->len) < 2 ? _ ("fewer than two splits are done of both") : NULL;
}

static void
clear_against (gpointer data)
{
  g_free (((TosstAgainst *)data)->why);
}

static TosstAgainst
against (const TosstReportRun *one, const TosstReportRun *other)
{
  guint n = MIN (one->done->len, other->done->len);
  g_autofree double *a = g_new (double, n + 1), *b = g_new (double, n + 1);
  const char *why = why_apart (one, other);
  double tests = n > 0 ? (double)one->tests / one->done->len : 0;

  if (why != NULL)
    return (TosstAgainst){ one->id, { NAN, NAN, NAN, NAN }, NAN, g_strdup (why) };
  for (guint i = 0; i < n; i++)
    {
      a[i] = g_array_index (one->done, TosstSplitResult, i).accuracy;
      b[i] = g_array_index (other->done, TosstSplitResult, i).accuracy;
    }
  return (TosstAgainst){ one->id,
                         tosst_paired_compare (a, b, n, count_training (one->recipe, (int)one->classes, tests), tests),
                         NAN, NULL };
}

GArray *
tosst_compare_against (TosstStore *store, gint64 reference, const gint64 *runs, guint n, GError **error)
{
  g_autoptr (GArray) found = g_array_new (FALSE, TRUE, sizeof (TosstAgainst));
  g_autoptr (TosstReportRun) other = tosst_report_run_load (store, reference, error);
  g_autofree double *p = NULL;

  g_array_set_clear_func (found, clear_against);
  for (guint i = 0; other != NULL && i < n; i++)
    {
      g_autoptr (TosstReportRun) one = runs[i] != reference ? tosst_report_run_load (store, runs[i], error) : NULL;
      TosstAgainst its;

      if (runs[i] == reference)
        continue;
      if (one == NULL)
        return NULL;
      its = against (one, other);
      g_array_append_val (found, its);
    }
  if (other == NULL)
    return NULL;
  p = g_new (double, found->len + 1);
  for (guint i = 0; i < found->len; i++)
    p[i] = g_array_index (found, TosstAgainst, i).paired.p;
  tosst_holm (p, found->len);
  for (guint i = 0; i < found->len; i++)
    g_array_index (found, TosstAgainst, i).holm = p[i];
  return g_steal_pointer (&found);
}

static void
free_method (gpointer data)
{
  TosstComparedMethod *self = data;

  tosst_recipe_free (self->recipe);
  g_array_unref (self->splits);
  g_free (self->problem);
  g_free (self);
}

TosstComparison *
tosst_comparison_new (const TosstRecipe *base, GPtrArray *methods)
{
  TosstComparison *self = g_new0 (TosstComparison, 1);

  self->methods = g_ptr_array_new_with_free_func (free_method);
  self->best = -1;
  self->score = tosst_recipe_score (base);
  for (guint i = 0; i < methods->len; i++)
    {
      TosstComparedMethod *one = g_new0 (TosstComparedMethod, 1);

      one->method = g_ptr_array_index (methods, i);
      one->recipe = tosst_recipe_copy (base);
      one->splits = g_array_new (FALSE, FALSE, sizeof (double));
      one->accuracy = one->deviation = one->seconds = one->difference.mean = one->difference.p = one->holm = NAN;
      tosst_method_apply (one->method, one->recipe);
      g_ptr_array_add (self->methods, one);
    }
  return self;
}

void
tosst_comparison_free (TosstComparison *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->methods);
  g_free (self);
}

static TosstComparedMethod *
method_at (const TosstComparison *self, guint i)
{
  return g_ptr_array_index (self->methods, i);
}

static gboolean
read_result (TosstComparedMethod *one, const TosstSweepResult *result, GFile *workspace, GError **error)
{
  const TosstSweepOutcome *outcome = &result->outcome[0];
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (TosstReportRun) run = NULL;

  one->run = outcome->id;
  if (outcome->state != TOSST_RUN_DONE)
    {
      one->problem = g_strdup (outcome->reason ? outcome->reason : tosst_run_state_label (outcome->state));
      return TRUE;
    }
  store = tosst_store_open (workspace, TOSST_STORE_READ, error);
  run = store ? tosst_report_run_load (store, one->run, error) : NULL;
  if (!run)
    return FALSE;
  one->accuracy = run->accuracy;
  one->deviation = run->deviation;
  one->seconds = outcome->seconds + outcome->shared;
  for (guint i = 0; i < run->done->len; i++)
    g_array_append_val (one->splits, g_array_index (run->done, TosstSplitResult, i).accuracy);
  return TRUE;
}

/* A method that cannot be run has its reason in place of a plan. */
static TosstSweepPlan *
plan_method (TosstComparison *self, TosstComparedMethod *one, TosstStageCache *cache)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (TosstDataset) dataset = tosst_local_open (one->recipe, NULL, &problem);
  g_autoptr (GArray) train = NULL, test = NULL;
  TosstSweepPlan *plan;

  if (!dataset || !tosst_recipe_check (one->recipe, &problem))
    {
      one->problem = g_strdup (problem->message);
      return NULL;
    }
  /* Sizes of the first split, which the others have, too. */
  if (!(self->trains > 0) && tosst_dataset_split (dataset, one->recipe, 0, &train, &test, NULL))
    {
      self->trains = train->len;
      self->tests = test->len;
    }
  plan = tosst_sweep_plan_new_run (one->recipe, dataset);
  tosst_sweep_plan_set_title (plan, _ (one->method->title));
  tosst_stage_cache_reserve (cache, one->recipe, dataset);
  return plan;
}

/* Only errors of the store end the comparison. */
static gboolean
run_method (TosstComparedMethod *one, const TosstSweepPlan *plan, const TosstSweepOptions *options,
            TosstContext *context, const TosstSweepObserver *observer, GError **error)
{
  const TosstSweepRun *run = tosst_sweep_plan_run (plan, 0);
  g_autoptr (TosstSweepResult) result = NULL;
  TosstSweepOptions with_title = *options;
  gboolean fine;

  with_title.title = run->title;
  fine = tosst_sweep_execute (plan, &with_title, context, observer, &result, error)
         && read_result (one, result, options->workspace, error);
  tosst_stage_cache_release (options->cache, run->recipe, run->dataset);
  return fine;
}

/* Differences to the best, over the splits that both have. */
static void
find_differences (TosstComparison *self)
{
  const TosstComparedMethod *best;

  self->best = -1;
  for (guint i = 0; i < self->methods->len; i++)
    if (!isnan (method_at (self, i)->accuracy)
        && (self->best < 0 || method_at (self, i)->accuracy > method_at (self, (guint)self->best)->accuracy))
      self->best = (int)i;
  if (self->best < 0)
    return;
  best = method_at (self, (guint)self->best);
  for (guint i = 0; i < self->methods->len; i++)
    {
      TosstComparedMethod *one = method_at (self, i);

      if (one != best && !isnan (one->accuracy))
        one->difference = tosst_paired_compare ((const double *)one->splits->data, (const double *)best->splits->data,
                                                MIN (one->splits->len, best->splits->len), self->trains, self->tests);
    }

  g_autofree double *p = g_new (double, self->methods->len + 1);
  for (guint i = 0; i < self->methods->len; i++)
    p[i] = method_at (self, i)->difference.p;
  tosst_holm (p, self->methods->len);
  for (guint i = 0; i < self->methods->len; i++)
    method_at (self, i)->holm = p[i];
}

gboolean
tosst_comparison_execute (TosstComparison *self, const TosstSweepOptions *options, TosstContext *context,
                          const TosstSweepObserver *observer,
                          void (*begin) (guint method, const TosstComparison *self, gpointer data), GError **error)
{
  g_autoptr (TosstStageCache) cache = tosst_sweep_cache_new (1);
  g_autoptr (GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_sweep_plan_free);
  TosstSweepOptions with_cache = *options;
  gboolean fine = TRUE;

  with_cache.cache = cache;
  for (guint i = 0; i < self->methods->len; i++)
    g_ptr_array_add (plans, plan_method (self, method_at (self, i), cache));
  for (guint i = 0; i < self->methods->len && fine; i++)
    if (plans->pdata[i])
      {
        if (begin)
          begin (i, self, observer->data);
        fine = run_method (method_at (self, i), plans->pdata[i], &with_cache, context, observer, error);
      }
  self->is_incomplete = !fine;
  for (guint i = 0; i < self->methods->len && !fine; i++)
    if (isnan (method_at (self, i)->accuracy) && !method_at (self, i)->problem)
      method_at (self, i)->problem = g_strdup (_ ("not finished"));
  find_differences (self);
  return fine;
}

/* --- the table --- */

/* By falling accuracy; methods without a result last, in their order. */
static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const TosstComparison *self = data;
  guint i = *(const guint *)a, j = *(const guint *)b;
  double x = method_at (self, i)->accuracy, y = method_at (self, j)->accuracy;

  if (isnan (x) != isnan (y))
    return isnan (x) - isnan (y);
  if (x != y && !isnan (x))
    return x < y ? 1 : -1;
  return (i > j) - (i < j);
}

static void
add_number (TosstTable *table, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  tosst_table_add (table, isfinite (value) ? g_ascii_dtostr (text, sizeof text, value) : NULL);
}

static void
add_numbers (TosstTable *table, const TosstComparedMethod *one)
{
  tosst_table_add (table, one->method->name);
  add_number (table, one->accuracy);
  add_number (table, one->deviation);
  add_number (table, one->seconds);
  add_number (table, one->difference.mean);
  add_number (table, one->difference.p);
  add_number (table, one->holm);
  add_number (table, one->splits->len);
  if (one->run > 0)
    add_number (table, (double)one->run);
  else
    tosst_table_add (table, NULL);
  tosst_table_add (table, one->problem);
}

static char *
significance_text (double p)
{
  if (isnan (p))
    return g_strdup ("");
  return p < 0.001 ? g_strdup ("p < 0.001") : g_strdup_printf ("p = %.3f", p);
}

TosstTable *
tosst_against_table (const GArray *found)
{
  const char *const columns[] = { _ ("run"), _ ("difference"), _ ("interval (95 %)"), _ ("significance"), "" };
  TosstTable *table = tosst_table_new ();

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    tosst_table_add_column (table, columns[i], i > 0 && i < 3);
  for (guint i = 0; i < found->len; i++)
    {
      const TosstAgainst *one = &g_array_index (found, TosstAgainst, i);
      g_autofree char *significance = significance_text (one->holm);

      tosst_table_add_printf (table, "%" G_GINT64_FORMAT, one->run);
      if (one->why != NULL)
        for (int k = 0; k < 3; k++)
          tosst_table_add (table, k < 2 ? "–" : "");
      else
        {
          tosst_table_add_printf (table, "%+.2f", one->paired.mean);
          tosst_table_add_printf (table, "%+.2f … %+.2f", one->paired.low, one->paired.high);
          tosst_table_add (table, significance);
        }
      tosst_table_add (table, one->why != NULL           ? one->why
                              : one->holm >= SIGNIFICANT ? _ ("no difference that these splits can show")
                              : one->paired.mean < 0     ? _ ("significantly lower")
                                                         : _ ("significantly higher"));
    }
  return table;
}

static void
add_row (TosstTable *table, const TosstComparison *self, const TosstComparedMethod *one, gboolean is_best)
{
  g_autofree char *significance = significance_text (one->holm);

  tosst_table_add (table, one->method->name);
  if (isnan (one->accuracy))
    {
      for (int i = 0; i < 4; i++)
        tosst_table_add (table, NULL);
      tosst_table_add (table, one->problem);
      return;
    }
  if (isnan (one->deviation))
    tosst_table_add_printf (table, "%.2f", one->accuracy);
  else
    tosst_table_add_printf (table, "%.2f ± %.2f", one->accuracy, one->deviation);
  tosst_table_add_printf (table, "%.1f", one->seconds);
  if (isnan (one->difference.mean))
    tosst_table_add (table, NULL);
  else
    tosst_table_add_printf (table, "%+.2f", one->difference.mean);
  tosst_table_add (table, significance);
  tosst_table_add (table, is_best                   ? _ ("best")
                          : isnan (one->holm)       ? ""
                          : one->holm < SIGNIFICANT ? _ ("significantly lower")
                                                    : _ ("not significantly lower"));
}

TosstTable *
tosst_comparison_table (const TosstComparison *self, gboolean numbers)
{
  static const char *const plain[] = { "method", "accuracy_mean", "accuracy_std", "seconds", "difference",
                                       "p",      "p_holm",        "splits",       "run",     "problem" };
  gboolean is_accuracy = self->score == TOSST_SCORE_ACCURACY;
  const char *const shown[] = { _ ("method"),       is_accuracy ? _ ("accuracy %") : _ ("MAP %"),
                                _ ("seconds"),      _ ("difference"),
                                _ ("significance"), "" };
  TosstTable *table = tosst_table_new ();
  guint n = self->methods->len;
  g_autofree guint *order = g_new (guint, n);

  for (guint i = 0; i < (numbers ? G_N_ELEMENTS (plain) : G_N_ELEMENTS (shown)); i++)
    tosst_table_add_column (table, numbers ? plain[i] : shown[i], i > 0 && i < 5);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int)n, sizeof *order, compare, (gpointer)self);
  for (guint i = 0; i < n; i++)
    if (numbers)
      add_numbers (table, method_at (self, order[i]));
    else
      add_row (table, self, method_at (self, order[i]), (int)order[i] == self->best);
  return table;
}

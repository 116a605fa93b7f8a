/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comparison of methods. Each is a sweep of one run: it has its own entry in the store, and is resumed like any run.
 */
#include "core/compare/comparison.h"

#include "core/base/base.h"
#include "core/local/image-tensors.h"
#include "core/report/run.h"
#include "core/run/cache.h"

TOSST_DEFINE_FREE (TosstComparedMethod, free_method, (recipe, tosst_recipe_free), (splits, g_array_unref),
                   (problem, g_free))

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
      tosst_method_apply (one->method, NULL, one->recipe);
      g_ptr_array_add (self->methods, one);
    }
  return self;
}

TOSST_DEFINE_PUBLIC_FREE (TosstComparison, tosst_comparison_free, TosstComparison *, (methods, g_ptr_array_unref))

static TosstComparedMethod *
method_at (const TosstComparison *self, guint i)
{
  return g_ptr_array_index (self->methods, i);
}

static gboolean
read_result (TosstComparedMethod *one, const TosstSweepResult *result, GFile *workspace, GError **error)
{
  const TosstSweepOutcome *outcome = &result->outcome[0];

  one->run = outcome->id;
  if (outcome->state != TOSST_RUN_DONE)
    {
      one->problem = g_strdup (outcome->reason ? outcome->reason : tosst_run_state_label (outcome->state));
      return TRUE;
    }
  g_autoptr (TosstStore) store = tosst_store_open (workspace, TOSST_STORE_READ, error);
  g_autoptr (TosstReportRun) run = store ? tosst_report_run_load (store, one->run, error) : NULL;
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
  TosstSweepPlan *plan = tosst_sweep_plan_new_run (one->recipe, dataset);
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

  with_title.title = run->title;
  gboolean fine = tosst_sweep_execute (plan, &with_title, context, observer, &result, error)
                  && read_result (one, result, options->workspace, error);
  tosst_stage_cache_release (options->cache, run->recipe, run->dataset);
  return fine;
}

/* Differences to the best, over the splits that both have. */
static void
find_differences (TosstComparison *self)
{
  self->best = -1;
  for (guint i = 0; i < self->methods->len; i++)
    if (!isnan (method_at (self, i)->accuracy)
        && (self->best < 0 || method_at (self, i)->accuracy > method_at (self, (guint)self->best)->accuracy))
      self->best = (int)i;
  if (self->best < 0)
    return;
  const TosstComparedMethod *best = method_at (self, (guint)self->best);
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

  return tosst_compare_falling (method_at (self, i)->accuracy, method_at (self, j)->accuracy) ?: (i > j) - (i < j);
}

static void
add_numbers (TosstTable *table, const TosstComparedMethod *one)
{
  tosst_table_add (table, one->method->name);
  tosst_table_add_numbers (table, one->accuracy, one->deviation, one->seconds, one->difference.mean, one->difference.p,
                           one->holm, one->splits->len, one->run > 0 ? (double)one->run : NAN);
  tosst_table_add (table, one->problem);
}

static void
add_row (TosstTable *table, const TosstComparison *self, const TosstComparedMethod *one, gboolean is_best)
{
  g_autofree char *significance = tosst_significance_text (one->holm);

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
  tosst_table_add (table, significance,
                   is_best             ? (one->recipe->dataset.within > 0 ? _ ("best") : _ ("best of tests"))
                   : isnan (one->holm) ? ""
                   : one->holm < TOSST_SIGNIFICANT ? _ ("significantly lower")
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
  TosstTable *table = tosst_table_new ("");
  guint n = self->methods->len;
  g_autofree guint *order = g_new (guint, n);

  for (guint i = 0; i < (numbers ? G_N_ELEMENTS (plain) : G_N_ELEMENTS (shown)); i++)
    tosst_table_add_columns (table, i > 0 && i < 5 ? "n" : "t", numbers ? plain[i] : shown[i]);
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs on the same splits against each other, with intervals and significance.
 */
#include "core/report/against.h"

#include "core/base/base.h"

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

gboolean
tosst_parameter_changes_problem (const TosstParameter *p, gboolean objective)
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

      if (tosst_parameter_changes_problem (p, objective) && strcmp (first, second) != 0
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
tosst_against_new (void)
{
  GArray *found = g_array_new (FALSE, TRUE, sizeof (TosstAgainst));

  g_array_set_clear_func (found, clear_against);
  return found;
}

void
tosst_against_add (GArray *found, const TosstReportRun *run, const TosstReportRun *reference)
{
  if (run->id == reference->id)
    return;
  TosstAgainst its = against (run, reference);
  g_array_append_val (found, its);
}

void
tosst_against_correct (GArray *found)
{
  g_autofree double *p = g_new (double, found->len + 1);

  for (guint i = 0; i < found->len; i++)
    p[i] = g_array_index (found, TosstAgainst, i).paired.p;
  tosst_holm (p, found->len);
  for (guint i = 0; i < found->len; i++)
    g_array_index (found, TosstAgainst, i).holm = p[i];
}

GArray *
tosst_against_first (const GPtrArray *runs)
{
  GArray *found = tosst_against_new ();

  for (guint i = 1; i < runs->len; i++)
    tosst_against_add (found, runs->pdata[i], runs->pdata[0]);
  tosst_against_correct (found);
  return found;
}

char *
tosst_against_sentence (const TosstReportRun *run, const TosstReportRun *reference, const char *name)
{
  g_autoptr (GRegex) minus = NULL;
  TosstAgainst its = against (run, reference);

  g_free (its.why);
  if (isnan (its.paired.p))
    return NULL;
  /* Translators: a difference in percent points, and its interval */
  g_autofree char *plain = g_strdup_printf (_ ("%+.1f points (95 %% interval %+.1f to %+.1f)"), its.paired.mean,
                                            its.paired.low, its.paired.high);
  minus = g_regex_new ("(?<!\\w)-(?=\\d)", 0, 0, NULL); /* a hyphen before a number */
  g_autofree char *difference = g_regex_replace_literal (minus, plain, -1, 0, "−", 0, NULL);
  return g_strdup_printf (its.paired.p < TOSST_SIGNIFICANT
                              /* Translators: a run, and a difference */
                              ? _ ("Against %s on the same splits: %s.")
                              : _ ("Against %s on the same splits: %s: no difference that these splits can show."),
                          name, difference);
}

/* The latest run with the same images and splits as the first of the list, and other results; NULL without one. */
static const TosstStoreRun *
find_alike (TosstStore *store, const TosstRecipe *recipe, GPtrArray *runs)
{
  const TosstStoreRun *own = runs->pdata[0];

  for (guint i = 1; i < runs->len; i++)
    {
      const TosstStoreRun *one = runs->pdata[i];
      g_autoptr (TosstRecipe) its = NULL;

      if (g_strcmp0 (one->data, own->data) == 0 && one->score == TOSST_SCORE_ACCURACY
          && g_strcmp0 (one->hash, own->hash) != 0 && (its = tosst_store_recipe (store, one->id, NULL)) != NULL
          && tosst_recipes_are_alike (recipe, its, FALSE))
        return one;
    }
  return NULL;
}

char *
tosst_against_earlier (TosstStore *store, gint64 run, GError **error)
{
  g_autofree char *filter = g_strdup_printf ("state=done, id<=%" G_GINT64_FORMAT, run), *name = NULL;
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "-id", filter, error);
  const TosstStoreRun *own = runs != NULL && runs->len > 0 ? runs->pdata[0] : NULL;
  g_autoptr (TosstRecipe) recipe = own != NULL && own->id == run ? tosst_store_recipe (store, run, error) : NULL;
  const TosstStoreRun *other = recipe != NULL ? find_alike (store, recipe, runs) : NULL;
  g_autoptr (TosstReportRun) one = other != NULL ? tosst_report_run_load (store, run, error) : NULL;
  g_autoptr (TosstReportRun) reference = one != NULL ? tosst_report_run_load (store, other->id, error) : NULL;

  if (reference == NULL)
    return NULL;
  name = other->title != NULL && *other->title != '\0' ? g_strdup_printf (_ ("“%s”"), other->title)
                                                       : g_strdup_printf (_ ("run %d"), (int)other->id);
  return tosst_against_sentence (one, reference, name);
}

char *
tosst_significance_text (double p)
{
  if (isnan (p))
    return g_strdup ("");
  return p < 0.001 ? g_strdup ("p < 0.001") : g_strdup_printf ("p = %.3f", p);
}

char *
tosst_against_interval (const TosstAgainst *one)
{
  return g_strdup_printf ("%+.2f … %+.2f", one->paired.low, one->paired.high);
}

TosstTable *
tosst_against_table (const GArray *found)
{
  TosstTable *table
      = tosst_table_new ("tnntt", _ ("run"), _ ("difference"), _ ("interval (95 %)"), _ ("significance"), "");

  TOSST_FOR_EACH (const TosstAgainst, one, found)
    {
      g_autofree char *significance = tosst_significance_text (one->holm);

      tosst_table_add_printf (table, "%" G_GINT64_FORMAT, one->run);
      if (one->why != NULL)
        tosst_table_add (table, "–", "–", "");
      else
        {
          g_autofree char *interval = tosst_against_interval (one);

          tosst_table_add_printf (table, "%+.2f", one->paired.mean);
          tosst_table_add (table, interval, significance);
        }
      tosst_table_add (table, one->why != NULL                 ? one->why
                              : one->holm >= TOSST_SIGNIFICANT ? _ ("no difference that these splits can show")
                              : one->paired.mean < 0           ? _ ("significantly lower")
                                                               : _ ("significantly higher"));
    }
  return table;
}

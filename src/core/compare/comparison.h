/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/method/methods.h"
#include "core/report/table.h"
#include "core/sweep/sweep.h"

/* Difference of two methods on the same splits. */
typedef struct
{
  double mean;      /* of the differences a - b */
  double p;         /* two-sided; NAN for fewer than two splits */
  double low, high; /* interval of 95 %; NAN with it */
} TosstPaired;

/* Corrected resampled t test (Nadeau & Bengio 2003): splits of one data set share samples, so that the variance of the
 * mean difference is (1 / n + tests / trains) s^2 instead of s^2 / n. trains, tests: samples of each split. */
TosstPaired tosst_paired_compare (const double *a, const double *b, guint n, double trains, double tests);

/* Holm's correction of n values of p for their number, in place; NAN stays and does not count. */
void tosst_holm (double *p, guint n);

/* P (|T| > |t|) of Student's distribution. */
double tosst_student_two_sided (double t, guint degrees);

/* Whether splits of one number test the same images for both recipes on the same data and, with objective, learning
 * minimises the same objective: of the same tensors, lambda and gamma. */
gboolean tosst_recipes_are_alike (const TosstRecipe *a, const TosstRecipe *b, gboolean objective);

/* One sentence on a run whose splits have the accuracies a, percent, against another one, b, on the same n splits: the
 * difference, its interval, and whether these splits can show one. tests: of a split. New; NULL for fewer than two, and where one
 * image of each class is left out. */
char *tosst_paired_sentence (const TosstRecipe *recipe, int classes, double tests, const double *a, const double *b,
                             guint n, const char *other);

/* The same of a run against the latest earlier one of the store with the same data and the same splits. classes: of the
 * data. New; NULL without such a run, or with error. */
char *tosst_compare_with_earlier (TosstStore *store, gint64 run, int classes, GError **error);

/* A run against another one on the splits that both have. */
typedef struct
{
  gint64 run;
  TosstPaired paired; /* mean is NAN, too, of a run that cannot be compared */
  double holm;        /* p corrected for the number of runs */
  char *why;          /* it cannot be compared, a sentence; or NULL */
} TosstAgainst;

/* n runs of a store against one of it: TosstAgainst, without the reference itself. New; NULL with error. */
GArray *tosst_compare_against (TosstStore *store, gint64 reference, const gint64 *runs, guint n, GError **error);
/* Run, difference, interval, p and what it says. New. */
TosstTable *tosst_against_table (const GArray *against);

/* Several methods on the same data and the same splits, as runs of a store. */
typedef struct
{
  const TosstMethod *method;
  TosstRecipe *recipe;
  gint64 run;     /* in the store; 0: none */
  char *problem;  /* why there is no result, one sentence; or NULL */
  GArray *splits; /* double: accuracy or average precision of each split, percent */
  double accuracy, deviation, seconds;
  TosstPaired difference; /* to the best method; p is NAN without one */
  double holm;            /* p corrected for the number of methods */
} TosstComparedMethod;

typedef struct
{
  GPtrArray *methods;     /* TosstComparedMethod * */
  int best;               /* index of the highest accuracy; -1: no result */
  double trains, tests;   /* samples of a split */
  TosstScore score;       /* of all */
  gboolean is_incomplete; /* interrupted */
} TosstComparison;

/* base: data set, splits, and values that apply to every method that does not set them. methods: of
 * tosst_methods_parse(). */
TosstComparison *tosst_comparison_new (const TosstRecipe *base, GPtrArray *methods);
void tosst_comparison_free (TosstComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstComparison, tosst_comparison_free)

/* Runs the methods one after another, the observer seeing each as a sweep of one run; begin is called before each.
 * Results that methods share, such as the parts of a combination, are computed once; the seconds of each are about those
 * of it alone. Finished runs of the store are not repeated. A method that fails keeps its reason and does not end the others. FALSE
 * with TOSST_FAILED_CANCELLED after an interrupt, with the results of finished methods, or with an error of the store
 * or the data. */
gboolean tosst_comparison_execute (TosstComparison *self, const TosstSweepOptions *options, TosstContext *context,
                                   const TosstSweepObserver *observer,
                                   void (*begin) (guint method, const TosstComparison *self, gpointer data),
                                   GError **error);

/* The table, by falling accuracy: method, accuracy, deviation, seconds, difference to the best and its significance.
 * numbers: plain numbers of full precision under English titles, for files; otherwise for display. New. */
TosstTable *tosst_comparison_table (const TosstComparison *self, gboolean numbers);

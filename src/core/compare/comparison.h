/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/method/methods.h"
#include "core/report/against.h"
#include "core/sweep/sweep.h"

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

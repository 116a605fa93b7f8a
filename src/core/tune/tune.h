/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"

/* Choice of a recipe by nested splits, within a given time. Trials are runs with dataset.within=1: only the training
 * images of the first split are used, and its test images are not even read. A list of methods, the most promising
 * first, is halved: all are tried on one nested split, the better half of them on two, and so on. Then values of the
 * best one are varied in the same way, until what is left of the time is what the run of the winner takes: a trial measures
 * that, and one that leaves too little time for it cannot win. The same trials in the same order give the same choice; how
 * many there are depends on the time. */

/* A trial. */
typedef struct
{
  guint number;     /* from 1 */
  const char *name; /* of the method, with the values that were varied: "fisher coding.gaussians=128" */
  const TosstRecipe *recipe;
  int splits;         /* nested splits done */
  double score;       /* percent, mean of these; NAN: none */
  double seconds;     /* of this trial */
  gboolean best;      /* so far */
  gboolean earlier;   /* read from the store */
  const char *reason; /* why it has no score, one sentence; or NULL */
} TosstTrial;

/* Every function may be NULL, and is called on the thread of tosst_tune(). */
typedef struct
{
  void (*begins) (const TosstTrial *trial, gpointer data);
  void (*progress) (double fraction, double seconds_left, gpointer data); /* of the time */
  void (*ended) (const TosstTrial *trial, gpointer data);
  gpointer data;
} TosstTuneObserver;

typedef struct
{
  double seconds;           /* for all trials and the final run, for which 1.2 times its expected time is left */
  struct TosstStore *store; /* in which trials are recorded as runs, and found again; or NULL */
} TosstTuneOptions;

/* base: data set and values that trials keep; values that are not defaults are kept. *winner (new) is set whenever a
 * trial has a score: the recipe of the best one for the first split, without nested splits; *seconds is the expected time
 * of its run. FALSE with error if none
 * has, or with TOSST_FAILED_CANCELLED after tosst_context_cancel(). */
gboolean tosst_tune (const TosstRecipe *base, TosstDataset *dataset, TosstContext *context,
                     const TosstTuneOptions *options, const TosstTuneObserver *observer, TosstRecipe **winner,
                     double *seconds, GError **error);

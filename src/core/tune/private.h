/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tune/tune.h"

/* A recipe to try. */
typedef struct
{
  char *name;
  TosstRecipe *recipe;
} TosstCandidate;

/* Methods, the most promising first; values of base that are not defaults are kept, and methods that contradict them
 * are omitted. New array of TosstCandidate. */
GPtrArray *tosst_tune_methods (const TosstRecipe *base);
/* Expected time of the final run for that of a trial on one nested split, before the trial; and after it, by the
 * times of its stages. dataset: the whole one. */
double tosst_tune_final_ratio (const TosstRecipe *final, const TosstRecipe *trial, TosstDataset *dataset);
double tosst_tune_final_seconds (const TosstRecipe *final, const TosstRecipe *trial, TosstDataset *dataset,
                                 const TosstRunResult *result);

/* What trials take place in. Tests count work instead of time. */
typedef struct
{
  double (*seconds) (gpointer data); /* a clock */
  /* As tosst_run_execute_with(). */
  TosstRunResult *(*execute) (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                              const TosstRunObserver *observer, const TosstRunOptions *options, gpointer data,
                              GError **error);
  gpointer data;
} TosstTuneWorld;

/* tosst_tune() in such a world. *seconds: the expected time of the run of *winner. */
gboolean tosst_tune_in (const TosstTuneWorld *world, const TosstRecipe *base, TosstDataset *dataset,
                        TosstContext *context, const TosstTuneOptions *options, const TosstTuneObserver *observer,
                        TosstRecipe **winner, double *seconds, GError **error);

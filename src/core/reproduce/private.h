/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/private.h"
#include "core/reproduce/reproduce.h"

/* A run of a part and its results. */
typedef struct
{
  guint part;
  TosstRecipe *recipe;
  char *title;  /* values of the varying parameters */
  char *reason; /* reason of a failure, or NULL */
  gint64 run;
  int splits;
  double accuracy, accuracy_deviation; /* percent; NAN */
  double objective, objective_deviation;
  double area; /* mean average precision by area, percent; NAN */
} TosstReproducedRun;

struct TosstReproduction
{
  const TosstExperiment *experiment;
  TosstReproduceFlags flags;
  GPtrArray *sweeps;  /* TosstSweep *, one per part */
  GPtrArray *plans;   /* TosstSweepPlan *, one per part, after tosst_reproduction_plan() */
  GPtrArray *runs;    /* TosstReproducedRun * */
  GHashTable *own;    /* keys set by the caller */
  char *left_out;     /* classes that were left out, or NULL */
  gboolean official;  /* the data are the official ones, whole */
  GPtrArray *varying; /* const TosstParameter *: those with different values within a part */
};

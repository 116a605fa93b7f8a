/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/report/private.h"
#include "core/reproduce/reproduce.h"

G_BEGIN_DECLS

/* A run of a part and what came of it. */
typedef struct
{
  guint part;
  TosstRecipe *recipe;
  char *title;  /* what varies within its part */
  char *reason; /* why it failed, or NULL */
  gint64 run;
  int splits;
  double accuracy, accuracy_deviation; /* percent; NAN */
  double objective, objective_deviation;
} TosstReproducedRun;

struct TosstReproduction
{
  const TosstExperiment *experiment;
  TosstReproduceFlags flags;
  GPtrArray *sweeps;  /* TosstSweep *, one for each part */
  GPtrArray *plans;   /* TosstSweepPlan *, of these once they are made */
  GPtrArray *runs;    /* TosstReproducedRun * */
  GPtrArray *varying; /* const TosstParameter *: those with different values within a part */
};

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/sweep/sweep.h"

/* The values of a parameter that varies, each of them once, in order. */
typedef struct
{
  guint n;
  char **texts;    /* in the form of files; NULL: no effect on the run */
  double *numbers; /* 0 and 1 for switches; NAN: not a number */
  guint *index;    /* of each run: its value */
} StudioSweepValues;

/* A shared plan: reference-counted, immutable, any thread. */
typedef struct
{
  TosstSweepPlan *plan;
  StudioSweepValues *values; /* of each of plan->varying: tables and charts of 100,000 runs read them repeatedly */
} StudioSweepPlan;

/* Worker: reads the values of all runs. Takes ownership. */
StudioSweepPlan *studio_sweep_plan_new (TosstSweepPlan *plan);
#define studio_sweep_plan_ref(self) g_atomic_rc_box_acquire (self)
void studio_sweep_plan_unref (StudioSweepPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepPlan, studio_sweep_plan_unref)

/* Names of parameters that have the same value: "Atoms K", "Sparsity λ (Dictionary + Coding)", "Patch + Step". tied: const
 * TosstParameter *, or NULL. brief: the first is named by its symbol alone, if it has one. New. */
char *studio_tied_label (const TosstParameter *parameter, const GPtrArray *tied, gboolean brief);
/* The same of an axis. axes: TosstSweepAxis *, or NULL. parameter: the first of its axis. */
char *studio_sweep_label (const GPtrArray *axes, const TosstParameter *parameter, gboolean brief);

/* NULL: the parameter does not vary. */
const StudioSweepValues *studio_sweep_plan_values (const StudioSweepPlan *self, const TosstParameter *parameter);

/* The value in a run, new, and as a number, as in StudioSweepValues; of any parameter. */
char *studio_sweep_plan_text (const StudioSweepPlan *self, guint run, const TosstParameter *parameter);
double studio_sweep_plan_number (const StudioSweepPlan *self, guint run, const TosstParameter *parameter);

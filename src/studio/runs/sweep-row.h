/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "studio/runs/sweep-plan.h"

/* Columns of a run, besides one for each parameter that varies. The last three need a dictionary, the last one runs of
 * one objective. */
typedef enum
{
  STUDIO_SWEEP_ACCURACY,
  STUDIO_SWEEP_SECONDS,
  STUDIO_SWEEP_NONZEROS,
  STUDIO_SWEEP_RESIDUAL,
  STUDIO_SWEEP_OBJECTIVE,
  STUDIO_SWEEP_N_METRICS,
} StudioSweepMetric;

/* How many of them, from the first, the runs of a plan (NULL: none) have and can be compared by. */
guint studio_sweep_count_metrics (const TosstSweepPlan *plan);
const char *studio_sweep_metric_name (StudioSweepMetric metric); /* in filters and files: "accuracy" */
/* Translated. sweep: of the runs; NULL is allowed. */
const char *studio_sweep_metric_label (StudioSweepMetric metric, const TosstSweep *sweep);

/* A run of a sweep: its position in the plan, and its outcome. Signal "changed". */
#define STUDIO_TYPE_SWEEP_ROW (studio_sweep_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepRow, studio_sweep_row, STUDIO, SWEEP_ROW, GObject)

struct _StudioSweepRow
{
  GObject parent_instance;
  StudioSweepPlan *plan;
  guint index;               /* in the plan */
  TosstSweepOutcome outcome; /* reason: owned by the row */
  gboolean hidden;           /* by the user */
  char *words;               /* "Name #tag #tag", what the user wrote; NULL: nothing */
};

StudioSweepRow *studio_sweep_row_new (StudioSweepPlan *plan, guint index, const TosstSweepOutcome *outcome);
void studio_sweep_row_update (StudioSweepRow *self, const TosstSweepOutcome *outcome);
void studio_sweep_row_mark (StudioSweepRow *self, gboolean starred, gboolean hidden,
                            const char *words); /* NULL: nothing */

/* NAN: none yet. Seconds are those of the run by itself: the time shared with other runs would make settings differ by
 * their order. */
double studio_sweep_row_metric (StudioSweepRow *self, StudioSweepMetric metric);
/* The value of a parameter in the form of files, new; NULL where it has no effect on the run. */
char *studio_sweep_row_value (StudioSweepRow *self, const TosstParameter *parameter);
/* The same in the user's locale, new; "–" where it has no effect. */
char *studio_sweep_row_text (StudioSweepRow *self, const TosstParameter *parameter);
/* Value of a number, or -1, 0, 1 for switches; NAN for others. */
double studio_sweep_row_number (StudioSweepRow *self, const TosstParameter *parameter);
char *studio_sweep_row_state (StudioSweepRow *self); /* "done", "failed: why", "running, split 2 of 3"; new */
char *studio_sweep_row_title (StudioSweepRow *self); /* "λ 0.01, K 60: 91.2 % ± 0.4"; new */

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/sweep-row.h"

/* The values of a parameter that varies in the plan, as far as they occur among the rows. */
typedef struct
{
  const TosstParameter *parameter;
  const StudioSweepValues *all; /* NULL: there are no rows */
  gboolean names;               /* instead of numbers: a word, ∞ or nothing is among them */
  guint n;
  guint *at;    /* of each that occurs: its index in all */
  guint *index; /* of each in all that occurs: its index here */
} StudioSweepShown;

void studio_sweep_shown_init (StudioSweepShown *self, GListModel *rows, const TosstParameter *parameter);
void studio_sweep_shown_clear (StudioSweepShown *self);
guint studio_sweep_shown_index (const StudioSweepShown *self, StudioSweepRow *row);
double studio_sweep_shown_place (const StudioSweepShown *self, StudioSweepRow *row); /* on an axis */
char *studio_sweep_shown_text (const StudioSweepShown *self, guint index);           /* new */
char **studio_sweep_shown_names (const StudioSweepShown *self);                      /* NULL-terminated, new */

/* Names with units of a parameter and of those that are tied to it; sweep may be NULL. New. */
char *studio_sweep_axis_label (const TosstSweep *sweep, const TosstParameter *p);
const char *studio_sweep_metric_axis (StudioSweepMetric metric, const TosstSweep *sweep);
/* Whether a run has a better value than another. */
gboolean studio_sweep_is_better (StudioSweepRow *row, StudioSweepRow *than, StudioSweepMetric metric);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/sweep/sweep.h"

/* One parameter that a sweep varies, or several tied together: a list of values, or a linear or logarithmic range. Signals: "changed"; "remove";
 * "move" (int steps), up is negative. */
#define STUDIO_TYPE_SWEEP_AXIS_ROW (studio_sweep_axis_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepAxisRow, studio_sweep_axis_row, STUDIO, SWEEP_AXIS_ROW, GtkListBoxRow)

/* tied: const TosstParameter * that have the same value, or NULL. text: as core/sweep/sweep.h reads axes; random: of random
 * search. */
StudioSweepAxisRow *studio_sweep_axis_row_new (const TosstParameter *parameter, const GPtrArray *tied, const char *text,
                                               gboolean random);

gboolean studio_sweep_axis_row_has_parameter (StudioSweepAxisRow *self, const TosstParameter *parameter);
/* Its text is in the C locale, and to the letter what was given as long as it is not edited; NULL: it makes no sense. */
TosstSweepAxis *studio_sweep_axis_row_get_axis (StudioSweepAxisRow *self);
/* Random search draws from the whole range of a row, until it is given a number of values. */
void studio_sweep_axis_row_set_random (StudioSweepAxisRow *self, gboolean random);
void studio_sweep_axis_row_align (StudioSweepAxisRow *self, GtkSizeGroup *kinds); /* values below each other */
void studio_sweep_axis_row_set_place (StudioSweepAxisRow *self, gboolean first, gboolean last);

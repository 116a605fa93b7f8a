/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/sweep/sweep.h"

/* The values that a sweep gives a parameter, edited: a list of numbers or texts, a linear or logarithmic range, or some
 * of the words that the parameter knows. Signal: "changed". */
#define STUDIO_TYPE_SWEEP_AXIS_VALUES (studio_sweep_axis_values_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepAxisValues, studio_sweep_axis_values, STUDIO, SWEEP_AXIS_VALUES, AdwBin)

/* text: as core/sweep/sweep.h reads axes; random: of random search. */
StudioSweepAxisValues *studio_sweep_axis_values_new (const TosstParameter *parameter, const char *text,
                                                     gboolean random);
/* Other widgets of its row, before and after its own; all of them continue in further lines where one does not suffice. */
void studio_sweep_axis_values_surround (StudioSweepAxisValues *self, GtkWidget *before, GtkWidget *after);

/* New, in the C locale; to the letter what was given until it is edited. */
char *studio_sweep_axis_values_get_text (StudioSweepAxisValues *self);
gboolean studio_sweep_axis_values_is_list (StudioSweepAxisValues *self);   /* no range */
gboolean studio_sweep_axis_values_is_choice (StudioSweepAxisValues *self); /* of words, not typed */
void studio_sweep_axis_values_set_random (StudioSweepAxisValues *self, gboolean random);
void studio_sweep_axis_values_align (StudioSweepAxisValues *self, GtkSizeGroup *kinds); /* the kinds of rows */

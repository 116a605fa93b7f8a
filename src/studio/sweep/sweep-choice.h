/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/runs/sweep-plan.h"
#include "studio/runs/sweep-row.h"

/* The drop-downs above the pictures of a sweep. varying: const TosstParameter *. */

/* The metrics, StudioSweepMetric; the chosen one stays. sweep: NULL without a plan. */
void studio_sweep_choice_fill_metrics (GtkWidget *drop_down, const TosstSweep *sweep);
/* The button of a drop-down gives long names little room, its list all that they need. */
void studio_sweep_choice_shorten (GtkWidget *drop_down);
/* The parameters, in by after "Nothing". axes: TosstSweepAxis * of each of them. */
void studio_sweep_choice_fill (GtkWidget *x, GtkWidget *by, const GPtrArray *varying, const GPtrArray *axes);
/* Numbers make the x axis, and another parameter that has not too many values the curves. */
void studio_sweep_choice_suggest (GtkWidget *x, GtkWidget *by, const GPtrArray *varying, const StudioSweepPlan *plan);

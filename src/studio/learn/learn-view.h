/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/plot/chart.h"
#include "studio/runs/project.h"

/* Live view of learning: the objective and its parts, numbers, atoms. */
#define STUDIO_TYPE_LEARN_VIEW (studio_learn_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioLearnView, studio_learn_view, STUDIO, LEARN_VIEW, AdwBin)

/* Once. The blocks of the stepper are shown instead of a run while it has any. */
void studio_learn_view_set_project (StudioLearnView *self, StudioProject *project);
TosstChart *studio_learn_view_get_chart (StudioLearnView *self); /* owned by the view */
/* The state of the chart's axes; signal "axes-changed". */
void studio_learn_view_get_axes (StudioLearnView *self, gboolean *logarithmic_x, gboolean *logarithmic,
                                 gboolean *over_seconds);
void studio_learn_view_set_axes (StudioLearnView *self, gboolean logarithmic_x, gboolean logarithmic,
                                 gboolean over_seconds);
int studio_learn_view_get_split (StudioLearnView *self); /* shown; -1: none */

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/runs/project.h"

/* project-state.c */
/* Whether the recipe is valid. That of a data set being opened may lack the length of its features. */
gboolean studio_project_check (StudioProject *self, GError **error);
/* Swapped. */
void studio_project_connect (StudioProject *self, gpointer object, const char *signal, GCallback handler);

/* project-open.c */
void studio_project_open_init (StudioProject *self);
void studio_project_cancel_opening (StudioProject *self);

/* project-run.c */
void studio_project_run_init (StudioProject *self);
void studio_project_forecast_init (StudioProject *self);

/* project-preset.c */
void studio_project_preset_init (StudioProject *self);
/* The estimate of a recipe that is the present one, or NULL: it is there before it is asked for. */
const TosstSweepEstimate *studio_project_find_estimate (StudioProject *self, const TosstRecipe *recipe);
/* The recipe of a preset with the user's changes, and its base: the data set is one step to undo, the preset another. */
void studio_project_take_preset (StudioProject *self, TosstPreset preset, const TosstRecipe *recipe,
                                 const TosstRecipe *base, const GPtrArray *kept);

void studio_project_usage_init (StudioProject *self);
void studio_project_stop_finding (StudioProject *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/sweep/sweep.h"
#include "studio/recipe/recipe-model.h"

/* What a sweep varies about the recipe of the window: axes, grid or random search, and how many runs at once. Signal
 * "changed": also when the recipe has changed. */
#define STUDIO_TYPE_SWEEP_EDITOR (studio_sweep_editor_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepEditor, studio_sweep_editor, STUDIO, SWEEP_EDITOR, AdwBin)

void studio_sweep_editor_set_model (StudioSweepEditor *self, StudioRecipeModel *model); /* once */

guint studio_sweep_editor_n_axes (StudioSweepEditor *self);
/* About the recipe as it is now, new; NULL where nothing varies or an axis makes no sense. */
TosstSweep *studio_sweep_editor_dup_sweep (StudioSweepEditor *self);
/* The same, maybe without axes; NULL where one makes no sense. */
TosstSweep *studio_sweep_editor_dup_edited (StudioSweepEditor *self);
/* Whether the editor can show it to the letter; else a sentence names what it cannot. */
gboolean studio_sweep_editor_can_show (const TosstSweep *sweep, GError **error);
/* The axes of sweep, and its recipe for the window. */
void studio_sweep_editor_take (StudioSweepEditor *self, const TosstSweep *sweep);
/* An axis, in the place of the one that the parameter had; text NULL: about the value that the recipe has. */
void studio_sweep_editor_add (StudioSweepEditor *self, const char *name, const char *text);
void studio_sweep_editor_clear (StudioSweepEditor *self);
int studio_sweep_editor_get_jobs (StudioSweepEditor *self);
void studio_sweep_editor_set_jobs (StudioSweepEditor *self, int jobs); /* at most as many as there are processors */

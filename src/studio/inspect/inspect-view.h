/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/inspect/code-session.h"

/* A code and its reconstruction of the tensor: slices side by side, a film strip of all of them, numbers, stems.
 * Signal: "atom-chosen" (int atom) when a stem is clicked. */
#define STUDIO_TYPE_CODE_PANEL (studio_code_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioCodePanel, studio_code_panel, STUDIO, CODE_PANEL, AdwBin)

void studio_code_panel_set_code (StudioCodePanel *self, StudioCode *code); /* NULL: none */
StudioCode *studio_code_panel_get_code (StudioCodePanel *self);
void studio_code_panel_set_groups (StudioCodePanel *self, GArray *groups); /* of TosstFeatureGroup, or NULL */
GArray *studio_code_panel_get_groups (StudioCodePanel *self);
int studio_code_panel_get_slice (StudioCodePanel *self);

/* Its figures in one line, translated: new. */
char *studio_code_facts (const StudioCode *code);

/* One patch of an image: its tensor, reconstruction and residual, its code, and their changes while lambda, gamma and
 * the number of atoms are dragged. Signals: "atom-chosen" (int atom), "values-chosen" (double lambda, double gamma,
 * int atoms; NaN, NaN, 0: unchanged) for the recipe; "changed" when the exports changed, "selected" when another
 * patch is chosen. */
#define STUDIO_TYPE_INSPECT_VIEW (studio_inspect_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioInspectView, studio_inspect_view, STUDIO, INSPECT_VIEW, AdwBin)

void studio_inspect_view_set_dataset (StudioInspectView *self, TosstDataset *dataset); /* NULL: none */
void studio_inspect_view_set_image (StudioInspectView *self, guint image);
void studio_inspect_view_choose_patch (StudioInspectView *self, int x, int y);
gboolean studio_inspect_view_get_patch (StudioInspectView *self, guint *image, int *x, int *y); /* FALSE: none */
/* The descriptor of patches if the dictionary has none. */
void studio_inspect_view_set_recipe (StudioInspectView *self, const TosstRecipe *recipe);
void studio_inspect_view_set_atoms (StudioInspectView *self, StudioAtomSet *atoms); /* NULL: none */
void studio_inspect_view_set_waiting (StudioInspectView *self, gboolean waiting);   /* a run will provide atoms */

StudioCodePanel *studio_inspect_view_get_panel (StudioInspectView *self); /* the code of the shown patch */
/* Name of the patch and slice, for a sheet: new. */
char *studio_inspect_view_title (StudioInspectView *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/recipe/preset-chooser.h"
#include "studio/recipe/recipe-model.h"

/* The parameters of a recipe, by group, from the table tosst_parameters(). The property advanced, a boolean, is whether
 * all are listed; else the basic ones are, and those that the user has changed. */
#define STUDIO_TYPE_RECIPE_PANEL (studio_recipe_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioRecipePanel, studio_recipe_panel, STUDIO, RECIPE_PANEL, AdwBin)

void studio_recipe_panel_set_model (StudioRecipePanel *self, StudioRecipeModel *model); /* once */
/* What its buttons would undo and redo; NULL: nothing. */
void studio_recipe_panel_name_history (StudioRecipePanel *self, const char *undo, const char *redo);
/* A sentence below the rows; NULL: none. */
void studio_recipe_panel_say (StudioRecipePanel *self, const char *text, gboolean wrong);
const char *studio_recipe_panel_get_said (StudioRecipePanel *self);             /* "": nothing */
StudioPresetChooser *studio_recipe_panel_get_presets (StudioRecipePanel *self); /* the panel's, hidden */
/* Of StudioParameterRow, the panel's, in the table's order; makes those of sections that were not opened yet. */
GPtrArray *studio_recipe_panel_get_rows (StudioRecipePanel *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/recipe/preset-chooser.h"
#include "studio/recipe/recipe-model.h"

/* The parameters of a recipe, by group, from the table tosst_parameters(). The property advanced, a boolean, is whether
 * all are listed; else the basic ones are, and those that the user has changed. */
#define STUDIO_TYPE_RECIPE_PANEL (studio_recipe_panel_get_type ())
G_DECLARE_FINAL_TYPE (StudioRecipePanel, studio_recipe_panel, STUDIO, RECIPE_PANEL, AdwBin)

/* Other files only read the members. */
struct _StudioRecipePanel
{
  AdwBin parent_instance;
  StudioRecipeModel *model;
  GArray *lines;       /* of Line, one of each parameter, in the table's order */
  GPtrArray *rows;     /* of StudioParameterRow, of each line, NULL: not made yet; not owned: children */
  GPtrArray *sections; /* of AdwExpanderRow, not owned */
  guint making;        /* source that makes what is missing */
  gboolean searching, advanced;
  GtkWidget *presets, *search, *groups, *undo_button, *redo_button, *said, *nothing;
};

void studio_recipe_panel_set_model (StudioRecipePanel *self, StudioRecipeModel *model); /* once */
/* What its buttons would undo and redo; NULL: nothing. */
void studio_recipe_panel_name_history (StudioRecipePanel *self, const char *undo, const char *redo);
/* A sentence below the rows; NULL: none. */
void studio_recipe_panel_say (StudioRecipePanel *self, const char *text, gboolean wrong);
/* The panel's StudioParameterRows, in the table's order; makes those of sections that were not opened yet. */
GPtrArray *studio_recipe_panel_get_rows (StudioRecipePanel *self);

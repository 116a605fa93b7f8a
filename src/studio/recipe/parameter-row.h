/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/recipe/recipe-model.h"

/* One parameter of the recipe: label and symbol, editor, mark and reset when changed, and a popover that teaches. */
#define STUDIO_TYPE_PARAMETER_ROW (studio_parameter_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioParameterRow, studio_parameter_row, STUDIO, PARAMETER_ROW, AdwPreferencesRow)

GtkWidget *studio_parameter_row_new (const TosstParameter *parameter, StudioRecipeModel *model);
const TosstParameter *studio_parameter_row_get_parameter (StudioParameterRow *self);

/* What the row edits with, for the window's shortcuts and for tests. */
GtkWidget *studio_parameter_row_get_editor (StudioParameterRow *self);

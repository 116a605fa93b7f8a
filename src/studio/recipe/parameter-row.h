/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/recipe/recipe-model.h"

/* One parameter of the recipe: label and symbol, editor, mark and reset when changed, and a popover that teaches. */
#define STUDIO_TYPE_PARAMETER_ROW (studio_parameter_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioParameterRow, studio_parameter_row, STUDIO, PARAMETER_ROW, AdwPreferencesRow)

/* Other files only read the members. */
struct _StudioParameterRow
{
  AdwPreferencesRow parent_instance;
  const TosstParameter *parameter;
  char *name; /* "group.key" */
  StudioRecipeModel *model;
  gboolean updating; /* the model is being shown: changes are not the user's */
  char *problem;     /* what is wrong with what was typed, or NULL */

  /* By the type of the value: a switch, a spin button, a drop-down, or an entry; and a logarithmic scale or NULL. */
  GtkWidget *editor, *scale;
  GtkWidget *line, *title, *symbol, *editor_bin, *scale_bin, *note, *reset, *info, *popover_box;
  GtkWidget *default_label; /* in the popover; NULL before it is first opened */
};

GtkWidget *studio_parameter_row_new (const TosstParameter *parameter, StudioRecipeModel *model);

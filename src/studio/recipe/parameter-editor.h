/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/recipe/recipe-model.h"

/* Editors for one value of the recipe, by its type: switch, spin button, drop-down, entry with a logarithmic scale
 * below. */
typedef struct
{
  const TosstParameter *parameter;
  char *name;                                          /* "group.key" */
  StudioRecipeModel *model;                            /* owned */
  GtkWidget *editor, *scale;                           /* not owned: children of the row; scale may be NULL */
  gboolean updating;                                   /* the model is being shown: changes are not the user's */
  void (*report) (const char *problem, gpointer data); /* problem NULL: all is well */
  gpointer report_data;
} StudioParameterEditor;

/* Fills in editor and scale (floating). */
void studio_parameter_editor_init (StudioParameterEditor *self, const TosstParameter *parameter,
                                   StudioRecipeModel *model);
void studio_parameter_editor_clear (StudioParameterEditor *self);
void studio_parameter_editor_show (StudioParameterEditor *self); /* the model's value */

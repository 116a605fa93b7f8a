/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* A typeset formula (formula.h) in the colour and size of the text around it, on its baseline; its accessible label is
 * in words. A formula that is too wide shrinks a little; one without outlines is a line of text. Properties: source, and scale, its size relative to the
 * text. */
#define STUDIO_TYPE_FORMULA (studio_formula_get_type ())
G_DECLARE_FINAL_TYPE (StudioFormula, studio_formula, STUDIO, FORMULA, GtkWidget)

GtkWidget *studio_formula_new (const char *source);
/* NULL: empty. A formula that cannot be parsed is a warning of the program and empty. */
void studio_formula_set_source (StudioFormula *self, const char *source);

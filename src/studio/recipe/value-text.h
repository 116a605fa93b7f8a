/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

/* The text of an unset value, for a parameter that may be left empty. */
const char *studio_unset_label (const TosstParameter *parameter);

/* A value as people read it, new: numbers in their locale, words of choices, "∞". */
char *studio_value_text (const TosstParameter *parameter, const char *value);

/* Pango markup of the label of a parameter and its symbol; new. */
char *studio_parameter_markup (const TosstParameter *parameter);
/* "λ" where the paper has a symbol, else the label of the parameter; new. */
char *studio_parameter_text (const TosstParameter *parameter);

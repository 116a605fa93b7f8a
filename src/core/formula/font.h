/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/formula/private.h"

/* A text in a face of formulas, one line, laid out at so many units an em. New. */
PangoLayout *tosst_formula_text_layout (const char *text, TosstFace face, double size);
/* Height of an x above the baseline. */
double tosst_formula_x_height (double size);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"

/* All errors here are TOSST_FAILED_RECIPE. */
#define fail(error, ...) tosst_fail (error, TOSST_FAILED_RECIPE, __VA_ARGS__)

/* options.c. Whole numbers of a list such as "12;16;24" into values (TOSST_SIFT_MAX_SCALES; may be NULL). Returns their number, or 0
 * with error. */
int tosst_parameter_numbers (const TosstParameter *p, const char *text, int *values, GError **error);

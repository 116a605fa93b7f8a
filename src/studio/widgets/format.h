/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers as people read them, in the user's locale; each returns a new string. Files never use these. */

/* digits significant ones; very large and small numbers as "3.2×10⁻⁴"; "∞", "–" for NaN. */
char *studio_format_real (double value, int digits);
/* The value of a slider, two digits and no zeros at its end: "0.002", "1", "∞". */
char *studio_format_setting (double value);
/* Whole numbers with the locale's grouping: "11,025". */
char *studio_format_count (guint64 value);
/* Takes a number with signs around it, and marks it where text runs from right to left, so that they stay on their side
 * of it: "± 1.4". */
char *studio_format_isolated (char *text);
/* "98.7 %" of a percentage. */
char *studio_format_percent (double percent, int decimals);
/* "8 s", "3 min 20 s", "2 h 5 min". */
char *studio_format_duration (double seconds);
/* What a run takes by itself: its own seconds, NAN: not known ("–"), and those that others took for what it has from
 * them, with which it is "≈ 1 min 16 s". */
char *studio_format_run_time (double own, double shared);
/* One that is only guessed: "8 s", "45 s", "3 min 20 s", "12 min". */
char *studio_format_rough_duration (double seconds);

/* A number typed by a user, locale's or C decimal point, "∞" or "inf", as text for tosst_recipe_set(). */
char *studio_number_to_c (const char *typed);
/* A number as recipes write it, with the locale's decimal point and "∞". */
char *studio_number_from_c (const char *text);

/* What is wrong, as a window says it: a whole sentence's first letter, and parameters by the names that their rows have.
 * What begins with the path of a file stays as it is: keys are what stands there. */
char *studio_format_problem (const char *problem);

/* Pango markup of a symbol or formula of the paper, whose subscripts and exponents Unicode lacks: "|X|^γ_c". */
char *studio_symbol_markup (const char *symbol);

G_END_DECLS

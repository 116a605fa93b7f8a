/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Formats numbers for display, in the user's locale; each function returns a new string. Not for files. */

/* digits: significant digits; very large and small numbers as "3.2×10⁻⁴"; "∞", "–" for NaN. */
char *studio_format_real (double value, int digits);
/* With that many decimals: numbers that are compared one below the other. */
char *studio_format_decimals (double value, int decimals);
/* The value of a slider, two digits without trailing zeros: "0.002", "1", "∞". */
char *studio_format_setting (double value);
/* Whole numbers with the locale's grouping: "11,025". */
char *studio_format_count (guint64 value);
/* Takes a number with signs around it, and marks it in right-to-left locales, so that the signs keep their side: "±
 * 1.4". */
char *studio_format_isolated (char *text);
/* "98.7 %" of a percentage. */
char *studio_format_percent (double percent, int decimals);
/* "8 s", "3 min 20 s", "2 h 5 min". */
char *studio_format_duration (double seconds);
/* The time of a run by itself: its own seconds, NAN: unknown ("–"), and those of other runs for results shared with
 * them, with which the text is "≈ 1 min 16 s". */
char *studio_format_run_time (double own, double shared);
/* An estimate: "8 s", "45 s", "3 min 20 s", "12 min". */
char *studio_format_rough_duration (double seconds);

/* A number typed by a user, locale's or C decimal point, "∞" or "inf", as text for tosst_recipe_set(). */
char *studio_number_to_c (const char *typed);
/* A number in the form of recipes, with the locale's decimal point and "∞". */
char *studio_number_from_c (const char *text);

/* Whether text, which may be NULL, has the part, which is folded (g_utf8_casefold()). */
gboolean studio_text_contains (const char *text, const char *part);

/* An error message for the window: capitalized, and with parameters by the labels of their rows. A message that begins
 * with the path of a file is unchanged, as the file contains the keys. */
char *studio_format_problem (const char *problem);

/* Pango markup of a symbol or formula of the paper, whose subscripts and exponents Unicode lacks: "|X|^γ_c". */
char *studio_symbol_markup (const char *symbol);

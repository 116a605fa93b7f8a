/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Returns a copy of text that is safe to display and to write: invalid UTF-8, control characters except line ends
 * and tabs, and noncharacters become U+FFFD. */
char *tosst_clean_text (const char *text);
/* As tosst_clean_text(), on one line: line ends and tabs become spaces. */
char *tosst_clean_line (const char *text);

/* Appends text as one field of CSV, quoted if it has commas, quotation marks, line ends or spaces around it. */
void tosst_csv_append_field (GString *csv, const char *text);
/* A comma, and the field. */
void tosst_csv_next_field (GString *csv, const char *text);
void tosst_csv_next_real (GString *csv, double value);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* text without what cannot be drawn or written down: bytes that are not UTF-8, control characters but line ends and tabs,
 * and what Unicode has no character for become U+FFFD. New. */
char *tosst_clean_text (const char *text);
/* The same on one line: line ends and tabs become spaces. */
char *tosst_clean_line (const char *text);

/* text as one field of CSV: quoted where it must be. */
void tosst_csv_append_field (GString *csv, const char *text);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What the tables of the window have in common. */

/* A GClosureNotify: data is the copy of a description that g_free() frees. */
void studio_table_free_column (gpointer data, GClosure *closure);

/* Puts the title of the newest column to the right, over right-aligned numbers, behind its arrow, so that sorting does not
 * move it: titles are at the left, where GTK offers no choice. */
void studio_table_align_title_right (GtkColumnView *table);

/* Where text runs from right to left a table that is wider than its place begins there, at its first column: GTK shows
 * the last ones. Once, when it stands in its scrolled window. */
void studio_table_begin_with_first (GtkColumnView *table);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Functions shared by the tables of the window. */

/* Aligns the title of the newest column to the right, over right-aligned numbers, after its arrow, so that sorting does
 * not move it: GTK aligns titles to the left without an option. */
void studio_table_align_title_right (GtkColumnView *table);

/* Scrolls a table that is wider than its viewport to its first column in right-to-left locales, where GTK shows the
 * last ones. Call once, when it is in its scrolled window. */
void studio_table_begin_with_first (GtkColumnView *table);

/* Lets the titles of the columns that there are take up to three lines where the table is narrow, see studio_table_fit(). */
void studio_table_wrap_titles (GtkColumnView *table);

/* Where columns would not all be in sight, their bars, and places for signs of an order that they do not have, are left
 * out: the class "narrow". Call once, when it is in its scrolled window. */
void studio_table_fit (GtkColumnView *table);

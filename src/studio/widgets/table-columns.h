/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Functions shared by the tables of the window. */

/* How the rows of a list are shown: setup makes the widget of an item, and show fills it, at first and whenever the row
 * emits "changed", if it has such a signal. Both are called with data. */
typedef struct
{
  void (*setup) (gconstpointer data, GtkListItem *item);
  void (*show) (gconstpointer data, GtkListItem *item);
  GCompareDataFunc compare;          /* of a column that sorts: rows, and data */
  gboolean right, expand, resizable; /* of a column; right: its title is over right-aligned numbers */
} StudioCells;

/* cells: static; free_data is called with data in the end, or NULL. New. */
GtkListItemFactory *studio_list_factory_new (const StudioCells *cells, gpointer data, GDestroyNotify free_data);
/* Adds such a column to a table; borrowed. */
GtkColumnViewColumn *studio_table_add_column (GtkColumnView *table, const char *title, const StudioCells *cells,
                                              gpointer data, GDestroyNotify free_data);
void studio_table_remove_columns (GtkColumnView *table, guint first);          /* from that one on */
GtkColumnViewColumn *studio_table_get_column (GtkWidget *table, guint number); /* borrowed; NULL: none */

/* Rows that are plain data: adds row, which free_row frees, as a GObject to the list; the row of such an item. */
void studio_rows_append (GListStore *list, gpointer row, GDestroyNotify free_row);
gpointer studio_row_of (gconstpointer item);

/* Scrolls a table that is wider than its viewport to its first column in right-to-left locales, where GTK shows the
 * last ones. Call once, when it is in its scrolled window. */
void studio_table_begin_with_first (GtkColumnView *table);

/* Lets the titles of the columns that there are take up to three lines where the table is narrow, see studio_table_fit(). */
void studio_table_wrap_titles (GtkColumnView *table);

/* Where columns would not all be in sight, their bars, and places for signs of an order that they do not have, are left
 * out: the class "narrow". Call once, when it is in its scrolled window. */
void studio_table_fit (GtkColumnView *table);

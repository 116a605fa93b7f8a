/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/compare/compare-set.h"

/* A row of the list of runs to compare: a check button that chooses the run, its description, its accuracy, and its
 * colour while it is chosen. For the signals of a GtkSignalListItemFactory whose items are StudioRunRow. */
void studio_compare_cell_set_up (GtkListItemFactory *factory, GtkListItem *item);
void studio_compare_cell_bind (GtkListItemFactory *factory, GtkListItem *item, StudioCompareSet **set);
void studio_compare_cell_unbind (GtkListItemFactory *factory, GtkListItem *item); /* before the item is freed */

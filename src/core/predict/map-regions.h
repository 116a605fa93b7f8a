/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A connected region of equal cells, and the cell of it that is farthest from its border: where its name finds room. */
typedef struct
{
  int value;
  int row, column; /* of that cell */
  int room;        /* cells from it to the border, itself included: at least 1 */
} TosstMapRegion;

/* cells: rows x columns. An array of TosstMapRegion in order of their first cells, new. */
GArray *tosst_map_regions (const int *cells, int rows, int columns);

G_END_DECLS

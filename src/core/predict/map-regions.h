/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* A connected region of equal cells, and its cell farthest from its border, the position of its label. */
typedef struct
{
  int value;
  int row, column; /* of that cell */
  int room;        /* distance from that cell to the border, at least 1 */
} TosstMapRegion;

/* cells: rows x columns. Returns a new array of TosstMapRegion in order of their first cells. */
GArray *tosst_map_regions (const int *cells, int rows, int columns);

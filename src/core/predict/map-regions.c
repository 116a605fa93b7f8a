/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/predict/map-regions.h"

static gboolean
same (const int *cells, int rows, int columns, int i, int j, int di, int dj)
{
  int p = i + di, q = j + dj;

  return p >= 0 && q >= 0 && p < rows && q < columns && cells[p * (gsize)columns + q] == cells[i * (gsize)columns + j];
}

/* Visits all cells connected with `first` once. */
static TosstMapRegion
flood (const int *cells, int rows, int columns, const int *room, gsize first, guint8 *seen, GArray *stack)
{
  static const int near[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
  TosstMapRegion region = { cells[first], 0, 0, 0 };

  g_array_append_val (stack, first);
  seen[first] = 1;
  while (stack->len > 0)
    {
      gsize at = g_array_index (stack, gsize, stack->len - 1);
      int i = (int)(at / columns), j = (int)(at % columns);

      g_array_set_size (stack, stack->len - 1);
      if (room[at] > region.room)
        region = (TosstMapRegion){ region.value, i, j, room[at] };
      for (int k = 0; k < 4; k++)
        {
          gsize next = at + near[k][0] * (gssize)columns + near[k][1];

          if (!same (cells, rows, columns, i, j, near[k][0], near[k][1]) || seen[next])
            continue;
          seen[next] = 1;
          g_array_append_val (stack, next);
        }
    }
  return region;
}

GArray *
tosst_map_regions (const int *cells, int rows, int columns)
{
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (TosstMapRegion));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (gsize));

  /* Chessboard distance of each cell to the nearest cell of another class, in two passes: from the top left and from
   * the bottom right. */
  g_autofree int *room = g_new (int, (gsize)rows *columns);

  for (int pass = 0; pass < 2; pass++)
    for (gsize n = 0; n < (gsize)rows * columns; n++)
      {
        gsize at = pass == 0 ? n : (gsize)rows * columns - 1 - n;
        int i = (int)(at / columns), j = (int)(at % columns), sign = pass == 0 ? -1 : 1;
        const int near[4][2] = { { sign, -1 }, { sign, 0 }, { sign, 1 }, { 0, sign } };
        int least = G_MAXINT - 1;

        for (int k = 0; k < 4; k++)
          least = MIN (least, same (cells, rows, columns, i, j, near[k][0], near[k][1])
                                  ? room[(i + near[k][0]) * (gsize)columns + j + near[k][1]]
                                  : 0);
        room[at] = pass == 0 ? least + 1 : MIN (room[at], least + 1);
      }
  g_autofree guint8 *seen = g_malloc0 ((gsize)rows * columns);

  for (gsize at = 0; at < (gsize)rows * columns; at++)
    if (!seen[at])
      {
        TosstMapRegion region = flood (cells, rows, columns, room, at, seen, stack);

        g_array_append_val (regions, region);
      }
  return regions;
}

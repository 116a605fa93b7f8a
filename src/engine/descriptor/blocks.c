/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Partition of a grid of patches into blocks. Partial sums on the border of a block are computed by the neighbouring
 * block as well: for blocks of 8 x 8 patches, 25 % more parts than patches.
 */
#include "engine/descriptor/private.h"

#include <string.h>

#include "engine/descriptor/tuning.h"

static int
smaller_step (int step, int distance)
{
  return distance > 0 && (step == 0 || distance < step) ? distance : step;
}

TosstBlocks
tosst_blocks (const TosstPoint *points, const size_t *order, size_t n, int threads)
{
  TosstBlocks self = { .rows = BLOCK_ROWS };
  int across = 0;

  for (size_t i = 1; i < n; i++)
    {
      TosstPoint before = points[order[i - 1]], here = points[order[i]];
      self.step = smaller_step (self.step, here.y - before.y);
      across = smaller_step (across, here.x - before.x);
    }
  if (self.step == 0)
    self.step = across > 0 ? across : 1;
  while (self.rows > 1 && n / (size_t)(self.rows * self.rows) < (size_t)threads * BLOCKS_PER_THREAD)
    self.rows /= 2;
  self.pitch = self.step * self.rows;
  return self;
}

/* Stable counting sort of n indices by the column of their block. */
static void
sort_columns (const TosstPoint *points, size_t n, int pitch, int columns, size_t *order, size_t *sorted, size_t *count)
{
  memset (count, 0, sizeof *count * ((size_t)columns + 1));
  for (size_t i = 0; i < n; i++)
    count[points[order[i]].x / pitch + 1]++;
  for (int x = 0; x < columns; x++)
    count[x + 1] += count[x];
  for (size_t i = 0; i < n; i++)
    sorted[count[points[order[i]].x / pitch]++] = order[i];
  memcpy (order, sorted, sizeof *order * n);
}

size_t
tosst_blocks_sort (const TosstBlocks *self, const TosstPoint *points, size_t n, int width, size_t *order, size_t *start,
                   size_t *scratch)
{
  int pitch = self->pitch, top = n > 0 ? points[order[0]].y : 0;
  size_t blocks = 0;

  for (size_t first = 0, last; first < n; first = last)
    {
      int row = (points[order[first]].y - top) / pitch;
      for (last = first; last < n && (points[order[last]].y - top) / pitch == row; last++)
        ;
      sort_columns (points, last - first, pitch, (width - 1) / pitch + 1, order + first, scratch + width + 1, scratch);
      for (size_t i = first; i < last; i++)
        if (i == first || points[order[i]].x / pitch != points[order[i - 1]].x / pitch)
          start[blocks++] = i;
    }
  start[blocks] = n;
  return blocks;
}

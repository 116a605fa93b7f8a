/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/describe.h"

/* Points of a band in the order in which they are described: square blocks of the image one after the other, so that
 * patches that overlap are near each other. */
typedef struct
{
  int pitch; /* side of a block in pixels */
  int rows;  /* of patches in a block, if they lie on a grid */
  int step;  /* least distance of rows, or of neighbours in a single one; at least 1 */
} TosstBlocks;

/* Of n points in the order of their rows, y first; blocks so small that all threads have some. */
TosstBlocks tosst_blocks (const TosstPoint *points, const size_t *order, size_t n, int threads);

/* Sorts `order`, indices of n points in the order of their rows, by blocks, and writes where blocks begin in it, and the end,
 * to start (n + 1 numbers). scratch: n + 1 + width numbers, of the image. Returns the number of blocks. */
size_t tosst_blocks_sort (const TosstBlocks *self, const TosstPoint *points, size_t n, int width, size_t *order,
                          size_t *start, size_t *scratch);

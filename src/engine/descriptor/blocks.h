/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/descriptor/describe.h"

/* Processing order of the points of a band: square blocks of the image one after the other, so that overlapping
 * patches are processed close together in time. */
typedef struct
{
  int pitch; /* side of a block in pixels */
  int rows;  /* rows of patches per block, for points on a grid */
  int step;  /* smallest distance between rows, or between neighbours of a single row; at least 1 */
} TosstBlocks;

/* Chooses the block size for n points, sorted by row through `order`, so that every one of the threads gets some
 * blocks. */
TosstBlocks tosst_blocks (const TosstPoint *points, const size_t *order, size_t n, int threads);

/* Sorts `order`, indices of n points sorted by row, by block. start (n + 1 elements) receives the offset of each
 * block in `order`, followed by n. width: of the image. scratch: n + 1 + width elements. Returns the number of
 * blocks. */
size_t tosst_blocks_sort (const TosstBlocks *self, const TosstPoint *points, size_t n, int width, size_t *order,
                          size_t *start, size_t *scratch);

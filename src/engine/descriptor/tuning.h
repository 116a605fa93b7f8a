/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of describing images.
 */
#pragma once

/* describe.c */
/* Features of a band, unless a row of patches needs more; small enough for malloc() to retain the pages: returning 57
 * MB took 4 ms. */
#define BAND_BYTES ((size_t)16 << 20)
/* Rows and columns of patches per block at most: its parts stay in the cache of the thread, and 25 % more parts than
 * patches are computed. */
#define BLOCK_ROWS 8
#define BLOCKS_PER_THREAD 4 /* blocks per thread at least, to balance the load */

/* moments.c */
#define MOMENT_CHUNK 64 /* vectors centred and multiplied together; partial sums limit rounding errors */

/* third-order.c: cached partial sums */
#define LEAST_PARTS 2                      /* quarters and halves at least: those of one patch */
#define PARTS_MOST_BYTES ((size_t)4 << 20) /* memory of more than these for a thread; a bound, not measured */

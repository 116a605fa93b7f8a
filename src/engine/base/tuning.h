/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of threads, memory and products.
 */
#pragma once

/* context.c: loops */
/* Nanoseconds; a paused thread polls for cancellation, which must be async-signal-safe and only stores a flag. */
#define PAUSE_POLL_NS 20000000L
#define SERIAL_WORK 1e5 /* multiply-adds that take about as long as waking a thread */
/* Pieces of a loop per thread: a piece of 1.6 us items takes longer than its dispatch, and the load is balanced. */
#define LOOP_PIECES 256

/* context.c: spinning */
#define LONGEST_SPIN 50000 /* ns: sleeping and waking take as long */
#define SHORTEST_SPIN 1000 /* ns, also with more threads than processors */
#define SPIN_PAUSES 16     /* pause instructions between two clock readings */

/* memory.c: pages */
/* Bytes per thread from which workspaces are a huge page apart: scattered 4 KiB pages cause L2 conflict misses. */
#define LARGE_SHARE ((size_t)1 << 20)

/* blas.c: tasks of products */
/* Columns of the result per task at most; many, because each task packs the left factor again. */
#define PRODUCT_COLUMNS 256
#define MIRROR_TILE 32 /* side of the tiles in which a triangle is copied to the other one */
/* Values copied per task: one huge page, so that no two tasks fault the same page. */
#define COPIED ((size_t)1 << 18)
/* Columns per block; the serial part is a panel, (64 / n)^2 of the work: 0.2 of 86 ms at K = 2000. */
#define CHOLESKY_BLOCK 64

/* blas.c: rates of products */
#define MEASURED_SIDE 1280 /* of the matrices */
#define MEASUREMENTS 5
#define MEASURED_SECONDS 0.25 /* after which a product is not repeated */

/* blas.c: address space (ulimit -v) */
#define BLAS_BUFFER ((size_t)128 << 20) /* bytes of the buffer that OpenBLAS allocates for a thread */
/* Bytes left to the rest of a program; not measured, bounds what a product may find missing. */
#define PROGRAM_MARGIN ((size_t)48 << 20)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"

/* `count` numbers of `element` bytes that begin with a cache line: where rows are whole lines, a register is read from one
 * line and not from two. Many megabytes come in large pages where the system has them: of ordinary ones 62 MB are 15,000,
 * and the first write to each takes the system longer than the engine takes to fill it, one thread after the other.
 * The caller's, to free(); what they hold is undefined. NULL if out of memory. */
void *tosst_alloc_aligned (size_t count, size_t element);

/* The bytes to give each of several threads of one tosst_alloc_aligned() where it works in `bytes`: whole cache lines, and from a
 * megabyte on whole large pages. Small pages lie anywhere in memory, and push each other out of a second-level cache
 * that has just room for them. */
size_t tosst_thread_stride (size_t bytes);

/* First writes to the pages of what holds nothing yet, on all threads: where tasks write into all of it, each thread would
 * otherwise make the same page as the others at the same time. */
TosstStatus tosst_prefault (TosstContext *context, void *memory, size_t bytes);

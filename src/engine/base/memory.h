/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/context.h"

/* Seconds on a monotonic clock. */
double tosst_seconds (void);

/* Ends a function of a TosstStatus if there is a sentence that says what is wrong with its arguments. */
#define TOSST_REFUSE(context, wrong)                                                                                   \
  for (const char *sentence = (wrong); sentence;)                                                                      \
  return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s", sentence)

/* Ends a function of a TosstStatus with that of a call unless that is TOSST_OK. */
#define TOSST_TRY(call)                                                                                                \
  for (TosstStatus tried = (call); tried != TOSST_OK;)                                                                 \
  return tried

/* The next step of a function that has something to release at its end: makes the call if all before it went well. */
#define TOSST_THEN(status, call)                                                                                       \
  do                                                                                                                   \
    {                                                                                                                  \
      if ((status) == TOSST_OK)                                                                                        \
        (status) = (call);                                                                                             \
    }                                                                                                                  \
  while (0)

/* Begins a public function: unless `given` holds, one of the pointers that it needs is NULL. context: may be NULL. */
#define TOSST_REQUIRE(context, given)                                                                                  \
  if (!(given))                                                                                                        \
  return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "%s(): an argument is NULL", __func__)

/* Data written by one thread has cache lines of its own, to avoid false sharing. */
#define TOSST_CACHE_LINE ((size_t)64)

/* Allocates `count` elements of `element` bytes, aligned to a cache line so that a vector register does not straddle
 * two lines. Large blocks use huge pages if available: 62 MB are 15,000 ordinary pages, and their page faults take
 * longer than filling them. Contents are undefined. The caller frees the block with free(). Returns NULL if out of
 * memory. */
void *tosst_alloc_aligned (size_t count, size_t element);

/* Blocks with one owner, released together. Zeroed before the first use; used by one thread at a time. */
typedef struct
{
  void *block[32];
  int count;
  bool failed; /* a block could not be allocated */
} TosstMemory;

/* Adds a block from malloc() or a similar function, and returns it; NULL sets failed. */
void *tosst_keep (TosstMemory *self, void *block);
void tosst_release (TosstMemory *self);

/* Distance in bytes between the workspaces of threads that share one tosst_alloc_aligned() block and use `bytes`
 * each: a multiple of the cache line, or of the huge page for one megabyte and more. Scattered 4 KiB pages cause L2
 * conflict misses. */
size_t tosst_thread_stride (size_t bytes);

/* Writes to each page of a new block once, on all threads, so that tasks that all write to the whole block do not
 * fault the same pages at the same time. */
TosstStatus tosst_prefault (TosstContext *context, void *memory, size_t bytes);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/memory.h"

#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "engine/base/tuning.h"

#define SMALLEST_PAGE ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)

typedef struct
{
  void *memory;
  size_t bytes;
} Touch;

void *
tosst_alloc_aligned (size_t count, size_t element)
{
  size_t bytes = count * element;

#if defined(MADV_HUGEPAGE)
  if (bytes >= LARGE_PAGE)
    {
      /* Only whole huge pages are advised: the remainder of the last one may belong to other allocations. */
      void *memory;
      if (posix_memalign (&memory, LARGE_PAGE, bytes) != 0)
        return NULL;
      madvise (memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
      return memory;
    }
#endif
  return aligned_alloc (TOSST_CACHE_LINE, (bytes + TOSST_CACHE_LINE - 1) / TOSST_CACHE_LINE * TOSST_CACHE_LINE);
}

void *
tosst_keep (TosstMemory *self, void *block)
{
  if (block && self->count < (int)(sizeof self->block / sizeof *self->block))
    return self->block[self->count++] = block;
  self->failed = true;
  free (block);
  return NULL;
}

void
tosst_release (TosstMemory *self)
{
  while (self->count > 0)
    free (self->block[--self->count]);
}

size_t
tosst_thread_stride (size_t bytes)
{
  size_t unit = bytes < LARGE_SHARE ? TOSST_CACHE_LINE : LARGE_PAGE;
  return (bytes + unit - 1) / unit * unit;
}

static TosstStatus
touch_task (size_t item, int worker, void *data)
{
  const Touch *self = data;
  size_t first = item * LARGE_PAGE, end = first + LARGE_PAGE < self->bytes ? first + LARGE_PAGE : self->bytes;
  for (size_t i = first; i < end; i += SMALLEST_PAGE)
    ((volatile char *)self->memory)[i] = 0;
  return TOSST_OK;
}

TosstStatus
tosst_prefault (TosstContext *context, void *memory, size_t bytes)
{
  Touch self = { memory, bytes };
  return tosst_parallel_work (context, (bytes + LARGE_PAGE - 1) / LARGE_PAGE, bytes / sizeof (double), touch_task,
                              &self);
}

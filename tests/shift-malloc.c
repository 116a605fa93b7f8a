/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preloaded into a program, returns memory at other addresses modulo a cache line in every run: results must not depend on
 * them. TOSST_SHIFT: a number; each sequence of shifts is its own.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *memory, size_t size);

/* Arrays of numbers, of which few enough are made for the gaps between them to cost little. */
#define SMALLEST 256

static atomic_uint_least64_t state;

/* Leaves a gap of small blocks, 32 and 48 bytes each with their headers, before the next block of the heap. */
static void
shift (void)
{
  if (atomic_load (&state) == 0)
    {
      const char *text = getenv ("TOSST_SHIFT");
      atomic_store (&state, (text ? strtoull (text, NULL, 10) : 0) * 2 + 1);
    }
  uint64_t next = atomic_fetch_add (&state, UINT64_C (0x9e3779b97f4a7c15));
  next = (next ^ next >> 31) * UINT64_C (0xbf58476d1ce4e5b9);
  for (unsigned gap = next >> 62; gap > 0; gap--)
    (void)!__libc_malloc (next >> (58 + gap) & 1 ? 1 : 32);
}

void *
malloc (size_t size)
{
  if (size >= SMALLEST)
    shift ();
  return __libc_malloc (size);
}

void *
calloc (size_t count, size_t size)
{
  if (size >= SMALLEST || count >= SMALLEST)
    shift ();
  return __libc_calloc (count, size);
}

void *
realloc (void *memory, size_t size)
{
  if (size >= SMALLEST)
    shift ();
  return __libc_realloc (memory, size);
}

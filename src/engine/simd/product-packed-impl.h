/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of many rows with columns that are packed once for many products (TosstKernels.product_packed). The loops
 * around a register tile follow Goto's matrix product. Rows are packed here, a part of their terms at a time. The
 * sums of a block of rows and columns stay in the second-level cache over all slices of the terms. Within a slice,
 * the panels of one register tile stay in the first-level cache over all rows.
 *
 * The order of summation depends on the number of terms alone: one chain of multiply-adds per slice, then the slices
 * of a part in order, then the parts in order.
 */

#if defined(__AVX512F__)

typedef float PackedQuad __attribute__ ((vector_size (16), aligned (sizeof (float)), may_alias));

/* Operands of a register tile, and the data prefetched to the second-level cache meanwhile: one line each per
 * PACKED_STEPS terms. */
typedef struct
{
  const float *panel; /* first panel; successive panels are `stride` values apart */
  size_t stride;
  const float *rows; /* terms x PACKED_ROWS */
  int terms;
  const char *fetch_panel, *fetch_rows;
} PackedTile;

/* Loops over registers are unrolled explicitly, before the compiler assigns arrays to memory. */
static inline __attribute__ ((always_inline)) void
packed_terms (const PackedTile *tile, int panels, int first, int count, Vector_float *sum)
{
#pragma GCC unroll 8
  for (int i = 0; i < count; i++)
    {
      size_t t = first + i;
      Vector_float column[PACKED_GROUP];
#pragma GCC unroll 8
      for (int p = 0; p < panels; p++)
        column[p] = *(const Vector_float *)(tile->panel + p * tile->stride + t * TOSST_PANEL);
#pragma GCC unroll 8
      for (int r = 0; r < PACKED_ROWS; r++)
#pragma GCC unroll 8
        for (int p = 0; p < panels; p++)
          sum[r * panels + p] += column[p] * tile->rows[t * PACKED_ROWS + r];
    }
}

/* sums: PACKED_ROWS x panels registers; with add, the result is added to them. */
static inline __attribute__ ((always_inline)) void
packed_tile (const PackedTile *tile, int panels, bool add, float *sums)
{
  Vector_float sum[PACKED_ROWS * PACKED_GROUP], *out = (Vector_float *)sums;
  int t = 0;
#pragma GCC unroll 24
  for (int i = 0; i < PACKED_ROWS * panels; i++)
    sum[i] = (Vector_float){ 0 };
  for (; t + PACKED_STEPS <= tile->terms; t += PACKED_STEPS)
    {
      size_t line = (size_t)t / PACKED_STEPS * 64;
      __builtin_prefetch (tile->fetch_panel + line, 0, 2);
      __builtin_prefetch (tile->fetch_rows + line, 0, 2);
      if (add)
        __builtin_prefetch ((const char *)sums + line, 1, 3);
      packed_terms (tile, panels, t, PACKED_STEPS, sum);
    }
  for (; t < tile->terms; t++)
    packed_terms (tile, panels, t, 1, sum);
#pragma GCC unroll 24
  for (int i = 0; i < PACKED_ROWS * panels; i++)
    {
      if (add)
        sum[i] += out[i];
      out[i] = sum[i];
    }
}

static void
packed_tile_of (const PackedTile *tile, int panels, bool add, float *sums)
{
  if (panels == 3 && add)
    packed_tile (tile, 3, true, sums);
  else if (panels == 3)
    packed_tile (tile, 3, false, sums);
  else if (panels == 2)
    packed_tile (tile, 2, add, sums);
  else
    packed_tile (tile, 1, add, sums);
}

/* Interleaves up to PACKED_ROWS rows, terms first .. first + terms - 1; missing rows repeat the last row. */
static void
packed_rows (const float *rows, size_t m, int count, size_t first, int terms, float *out)
{
  const float *from[PACKED_ROWS];
  int t = 0;
  for (int r = 0; r < PACKED_ROWS; r++)
    from[r] = rows + (r < count ? r : count - 1) * m + first;
  for (; t + 4 <= terms; t += 4)
    for (int r = 0; r < PACKED_ROWS; r += 4)
      {
        PackedQuad a = *(const PackedQuad *)(from[r] + t), b = *(const PackedQuad *)(from[r + 1] + t),
                   c = *(const PackedQuad *)(from[r + 2] + t), d = *(const PackedQuad *)(from[r + 3] + t);
        PackedQuad ab = __builtin_shufflevector (a, b, 0, 4, 1, 5), cd = __builtin_shufflevector (c, d, 0, 4, 1, 5);
        float *to = out + t * PACKED_ROWS + r;
        *(PackedQuad *)to = __builtin_shufflevector (ab, cd, 0, 1, 4, 5);
        *(PackedQuad *)(to + PACKED_ROWS) = __builtin_shufflevector (ab, cd, 2, 3, 6, 7);
        ab = __builtin_shufflevector (a, b, 2, 6, 3, 7);
        cd = __builtin_shufflevector (c, d, 2, 6, 3, 7);
        *(PackedQuad *)(to + 2 * PACKED_ROWS) = __builtin_shufflevector (ab, cd, 0, 1, 4, 5);
        *(PackedQuad *)(to + 3 * PACKED_ROWS) = __builtin_shufflevector (ab, cd, 2, 3, 6, 7);
      }
  for (; t < terms; t++)
    for (int r = 0; r < PACKED_ROWS; r++)
      out[t * PACKED_ROWS + r] = from[r][t];
}

/* Some rows, a part of their terms, and a block of panels. */
typedef struct
{
  const float *panels; /* panels of all columns */
  size_t m;
  int first, last;  /* panels of the block */
  size_t part, end; /* terms of the part */
  int tiles;        /* number of row tiles */
  float *rows;      /* packed rows: tile by tile, slice by slice */
  float *sums;
} PackedBlock;

static int
packed_slice (const PackedBlock *block, size_t t)
{
  return block->end - t < PACKED_SLICE ? block->end - t : PACKED_SLICE;
}

static const float *
packed_panel (const PackedBlock *block, int panel, size_t t)
{
  return block->panels + (panel * block->m + t) * TOSST_PANEL;
}

/* Returns the start of row tile i in the slice at t. */
static float *
packed_tile_rows (const PackedBlock *block, int i, size_t t)
{
  return block->rows + ((t - block->part) * block->tiles + i * (size_t)packed_slice (block, t)) * PACKED_ROWS;
}

/* Selects the prefetches of row tile i with a group of panels, the total-th register tile in the slice at t: a
 * quarter of a panel of the next group, which starts at `next`, and half of a row tile of the next slice. Otherwise
 * the addresses are in the first-level cache already. */
static inline void
packed_fetch (const PackedBlock *block, PackedTile *tile, const float *next, int i, int total, size_t t)
{
  size_t bytes = (size_t)tile->terms / PACKED_STEPS * 64,
         following = t + PACKED_SLICE < block->end ? t + PACKED_SLICE : block->part;
  tile->fetch_panel = tile->fetch_rows = (const char *)tile->panel;
  if (next && i < PACKED_STEPS * PACKED_GROUP)
    tile->fetch_panel = (const char *)(next + i / PACKED_STEPS * tile->stride) + i % PACKED_STEPS * bytes;
  if (total < 2 * block->tiles)
    tile->fetch_rows = (const char *)packed_tile_rows (block, 0, following) + total * bytes;
}

/* Processes a slice; next: panels after the last group. */
static void
multiply_slice (const PackedBlock *block, size_t t, const float *next)
{
  PackedTile tile = { .stride = block->m * TOSST_PANEL, .terms = packed_slice (block, t) };
  float *sums = block->sums;
  for (int panel = block->first, total = 0; panel < block->last; panel += PACKED_GROUP)
    {
      int panels = block->last - panel < PACKED_GROUP ? block->last - panel : PACKED_GROUP;
      const float *following
          = panel + PACKED_GROUP < block->last ? packed_panel (block, panel + PACKED_GROUP, t) : next;
      tile.panel = packed_panel (block, panel, t);
      for (int i = 0; i < block->tiles; i++, total++)
        {
          tile.rows = packed_tile_rows (block, i, t);
          packed_fetch (block, &tile, following, i, total, t);
          packed_tile_of (&tile, panels, t > block->part, sums);
          sums += panels * TOSST_PANEL * PACKED_ROWS;
        }
    }
}

/* Writes the block's sums, or adds them to those of the previous parts. */
static void
store_block (const PackedBlock *block, int columns, int count, float *out, size_t stride)
{
  const float *sums = block->sums;
  for (int panel = block->first; panel < block->last; panel += PACKED_GROUP)
    {
      int panels = block->last - panel < PACKED_GROUP ? block->last - panel : PACKED_GROUP, first = panel * TOSST_PANEL,
          width = panels * TOSST_PANEL, used = columns - first < width ? columns - first : width;
      for (int r = 0; r < block->tiles * PACKED_ROWS; r++, sums += width)
        {
          float *to = out + r * stride + first;
          if (r < count && block->part == 0)
            memcpy (to, sums, sizeof *to * used);
          else if (r < count)
            for (int c = 0; c < used; c++)
              to[c] += sums[c];
        }
    }
}

/* Processes one part of the terms of up to PACKED_BLOCK_ROWS rows, with `all` panels. */
static void
multiply_part (PackedBlock *block, int all, int columns, int count, float *out, size_t stride)
{
  for (block->first = 0; block->first < all; block->first = block->last)
    {
      block->last = block->first + PACKED_BLOCK_PANELS < all ? block->first + PACKED_BLOCK_PANELS : all;
      const float *after = block->last < all ? packed_panel (block, block->last, block->part) : NULL;
      for (size_t t = block->part; t < block->end; t += PACKED_SLICE)
        multiply_slice (block, t,
                        t + PACKED_SLICE < block->end ? packed_panel (block, block->first, t + PACKED_SLICE) : after);
      store_block (block, columns, count, out, stride);
    }
}

static void
pack_part (const PackedBlock *block, const float *rows, int count)
{
  for (int i = 0; i < block->tiles; i++)
    for (size_t t = block->part; t < block->end; t += PACKED_SLICE)
      packed_rows (rows + (size_t)i * PACKED_ROWS * block->m, block->m,
                   count - i * PACKED_ROWS < PACKED_ROWS ? count - i * PACKED_ROWS : PACKED_ROWS, t,
                   packed_slice (block, t), packed_tile_rows (block, i, t));
}

/* Terms per part, about equal for all parts. */
static size_t
packed_part (size_t m)
{
  size_t slices = (m + PACKED_SLICE - 1) / PACKED_SLICE, parts = (slices + PACKED_PART_SLICES - 1) / PACKED_PART_SLICES;
  return (slices + parts - 1) / parts * PACKED_SLICE;
}

static size_t
product_packed_work (size_t m)
{
  return (size_t)PACKED_BLOCK_ROWS * (PACKED_BLOCK_PANELS * TOSST_PANEL + packed_part (m)) * sizeof (float);
}

static void
product_packed (const float *panels, int columns, size_t m, const float *rows, size_t count, float *out, size_t stride,
                void *work)
{
  int all = (columns + TOSST_PANEL - 1) / TOSST_PANEL;
  size_t part = packed_part (m);
  float *sums = work;
  PackedBlock block = {
    .panels = panels, .m = m, .rows = sums + PACKED_BLOCK_ROWS * PACKED_BLOCK_PANELS * TOSST_PANEL, .sums = sums
  };
  for (size_t i = 0; i < count; i += PACKED_BLOCK_ROWS)
    {
      int some = count - i < PACKED_BLOCK_ROWS ? count - i : PACKED_BLOCK_ROWS;
      block.tiles = (some + PACKED_ROWS - 1) / PACKED_ROWS;
      for (block.part = 0; block.part < m; block.part = block.end)
        {
          block.end = m - block.part < part ? m : block.part + part;
          pack_part (&block, rows + i * m, some);
          multiply_part (&block, all, columns, some, out + i * stride, stride);
        }
    }
}

#endif

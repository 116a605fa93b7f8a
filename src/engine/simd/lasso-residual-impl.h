/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Residuals q - H alpha of a batch of codes, for the Lasso of coding/lasso.h. Codes are sparse, and only the rows of
 * H of their non-zeros are accumulated. A tile of H, some columns of some rows, is copied to a buffer that stays in
 * the first-level cache while all codes are processed. Included once for float and once for double.
 */

/* Columns of a tile, and its rows for dense codes: 32 kB. */
#define COLUMNS ((size_t)SIDE_BY_SIDE * LANES)
#define ROWS (((size_t)32 << 10) / (COLUMNS * sizeof (REAL)))

/* Unaligned vector type. */
typedef REAL NAME (Loose) __attribute__ ((vector_size (VECTOR_BYTES), aligned (sizeof (REAL)), may_alias));

/* sums -= weighted rows, for a few registers of columns. Each column is accumulated in the order of atoms, with or
 * without tiles. */
static inline __attribute__ ((always_inline)) void
NAME (subtract_rows) (const REAL *rows, size_t stride, int first, const int *index, const REAL *value, int count,
                      int vectors, const REAL *from, REAL *to)
{
  NAME (Vector) sum[SIDE_BY_SIDE];
  for (int v = 0; v < vectors; v++)
    sum[v] = ((const NAME (Loose) *)from)[v];
  for (int i = 0; i < count; i++)
    {
      const NAME (Loose) *row = (const NAME (Loose) *)(rows + (size_t)(uint32_t)(index[i] - first) * stride);
      for (int v = 0; v < vectors; v++)
        sum[v] -= value[i] * row[v];
    }
  for (int v = 0; v < vectors; v++)
    ((NAME (Loose) *)to)[v] = sum[v];
}

/* Copies some columns; the common case is a full tile width. */
static inline void
NAME (copy_columns) (const REAL *from, size_t width, REAL *to)
{
  if (width == COLUMNS)
    for (size_t v = 0; v < COLUMNS / LANES; v++)
      ((NAME (Loose) *)to)[v] = ((const NAME (Loose) *)from)[v];
  else
    for (size_t c = 0; c < width; c++)
      to[c] = from[c];
}

/* r = q - H alpha for one code. */
static void
NAME (residual_alone) (const REAL *H, size_t K, const REAL *q, const int *index, const REAL *value, int count, REAL *r)
{
  size_t c = 0;
  for (; c + SIDE_BY_SIDE * LANES <= K; c += SIDE_BY_SIDE * LANES)
    NAME (subtract_rows) (H + c, K, 0, index, value, count, SIDE_BY_SIDE, q + c, r + c);
  for (; c + LANES <= K; c += LANES)
    NAME (subtract_rows) (H + c, K, 0, index, value, count, 1, q + c, r + c);
  for (; c < K; c++)
    {
      REAL sum = q[c];
      for (int i = 0; i < count; i++)
        sum -= value[i] * H[index[i] * K + c];
      r[c] = sum;
    }
}

/* Whether any of some bytes, a multiple of 8, is not zero. */
static inline bool
NAME (any_set) (const void *bytes, size_t n)
{
  uint64_t all = 0, word;
  for (size_t i = 0; i < n; i += sizeof word)
    {
      memcpy (&word, (const char *)bytes + i, sizeof word);
      all |= word;
    }
  return all != 0;
}

/* Lists the non-zeros of the codes in the given rows consecutively. Zeros of sparse codes are skipped in blocks of
 * GLANCE. There are no other branches, here and below, because they would be mispredicted for every other non-zero. */
static void
NAME (list_codes) (const REAL *alpha, size_t K, const int *row, int rows, TosstLassoWork *work)
{
  REAL *value = work->value;
  size_t n = 0;
  for (int i = 0; i < rows; i++)
    {
      const REAL *a = alpha + row[i] * K;
      work->start[i] = n;
      for (size_t first = 0; first < K; first += GLANCE)
        {
          size_t end = first + GLANCE < K ? first + GLANCE : K;
          if (end - first == GLANCE && !NAME (any_set) (a + first, sizeof *a * GLANCE))
            continue;
          for (size_t k = first; k < end; k++)
            {
              work->index[n] = k;
              value[n] = a[k];
              n += a[k] != 0;
            }
        }
    }
  work->start[rows] = n;
}

/* Prefetches part i of n of a tile of H. */
static inline void
NAME (fetch_tile) (const REAL *H, size_t K, size_t first, size_t end, size_t c, int i, int n)
{
  size_t width = K - c < COLUMNS ? K - c : COLUMNS, count = end - first;
  for (size_t k = first + count * i / n; k < first + count * (i + 1) / n; k++)
    for (size_t l = 0; l < width; l += 64 / sizeof (REAL))
      __builtin_prefetch (H + k * K + c + l, 0, 2);
}

/* Determines the rows of each tile, work->first[b] .. work->first[b + 1] - 1, and the start of the non-zeros of code
 * i in these rows, work->place[b rows + i]. Returns the number of tiles per column. */
static int
NAME (cut_tiles) (size_t K, int rows, TosstLassoWork *work)
{
  size_t least = (size_t)TILE_USES * rows;
  uint32_t *place = work->place;
  int *first = work->first, tiles = 0;
  for (int i = 0; i < rows; i++)
    place[i] = work->start[i];
  first[0] = 0;
  for (size_t end = ROWS, begin = 0; begin < K; end += ROWS)
    {
      uint32_t *now = place + (size_t)tiles * rows, *next = now + rows;
      size_t count = 0;
      end = end < K ? end : K;
      if (begin == (size_t)first[tiles])
        memcpy (next, now, sizeof *next * rows);
      for (int i = 0; i < rows; i++)
        {
          uint32_t at = next[i];
          while (at < work->start[i + 1] && work->index[at] < (int)end)
            at++;
          count += at - now[i];
          next[i] = at;
        }
      begin = end;
      if (count >= least || end == K || end - first[tiles] + ROWS > TOSST_LASSO_TILE_ROWS)
        first[++tiles] = end;
    }
  return tiles;
}

static void
NAME (residuals_tiled) (const REAL *H, size_t K, const REAL *q, const int *row, int rows, REAL *r, TosstLassoWork *work)
{
  int tiles = NAME (cut_tiles) (K, rows, work), *first = work->first;
  REAL *tile = work->tile, *sums = work->sums;
  for (size_t c = 0; c < K; c += COLUMNS)
    {
      size_t width = K - c < COLUMNS ? K - c : COLUMNS;
      for (int i = 0; i < rows; i++)
        NAME (copy_columns) (q + row[i] * K + c, width, sums + (size_t)i * COLUMNS);
      for (int b = 0; b < tiles; b++)
        {
          const uint32_t *place = work->place + (size_t)b * rows;
          for (int k = first[b]; k < first[b + 1]; k++)
            NAME (copy_columns) (H + k * K + c, width, tile + (k - first[b]) * (size_t)COLUMNS);
          bool last = b + 1 == tiles;
          for (int i = 0; i < rows; i++)
            {
              if (COLUMNS * sizeof (REAL) < FORESEEN && (!last || c + COLUMNS < K))
                NAME (fetch_tile)
              (H, K, last ? 0 : first[b + 1], last ? first[1] : first[b + 2], last ? c + COLUMNS : c, i, rows);
              NAME (subtract_rows)
              (tile, COLUMNS, first[b], work->index + place[i], (REAL *)work->value + place[i],
               place[rows + i] - place[i], SIDE_BY_SIDE, sums + (size_t)i * COLUMNS, sums + (size_t)i * COLUMNS);
            }
        }
      for (int i = 0; i < rows; i++)
        NAME (copy_columns) (sums + (size_t)i * COLUMNS, width, r + row[i] * K + c);
    }
}

/* The result of a row does not depend on the others. */
static void
NAME (lasso_residuals) (const REAL *H, int K, const REAL *q, const REAL *alpha, const int *row, int rows, REAL *r,
                        TosstLassoWork *work)
{
  NAME (list_codes) (alpha, K, row, rows, work);
  if (work->tile && work->start[rows] >= DENSE_FROM * (size_t)K)
    NAME (residuals_tiled) (H, K, q, row, rows, r, work);
  else
    for (int i = 0; i < rows; i++)
      {
        size_t place = (size_t)row[i] * K, first = work->start[i];
        NAME (residual_alone)
        (H, K, q + place, work->index + first, (REAL *)work->value + first, work->start[i + 1] - first, r + place);
      }
}

#undef COLUMNS
#undef ROWS

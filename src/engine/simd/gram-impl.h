/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inner products of rows with many zeros, in double. Rows are packed in groups, term by term; a bit mask marks the
 * terms in which some row of the group is not zero. Register tiles of two groups skip the terms in which either
 * group is zero: signatures of one class lack the same atoms.
 *
 * A skipped term is zero, so that the bits of an inner product do not depend on which rows share a group.
 */

#if defined(__AVX2__)

#define LANES ((int)(VECTOR_BYTES / sizeof (double)))
#define WIDE (GRAM_VECTORS * LANES) /* columns of a register tile; NARROW: its rows */
#if defined(__AVX512F__)
#define NARROW 8
#else
#define NARROW 4
#endif
#define GROUPS (TOSST_GRAM_SIDE / WIDE)
#define WORDS (GRAM_TERMS / 64)

typedef struct
{
  double columns[TOSST_GRAM_SIDE * GRAM_TERMS], rows[NARROW * GRAM_TERMS];
  uint64_t column_mask[GROUPS * WORDS], row_mask[WORDS];
} GramWork;

/* Packs the terms of a slice for a group of `width` rows of x, of which `count` exist. */
static inline __attribute__ ((always_inline)) void
gram_pack (const float *x, size_t p, int count, int width, int terms, double *packed, uint64_t *mask)
{
  uint32_t any[GRAM_TERMS] = { 0 };
  const float *from[WIDE];
  for (int i = 0; i < width; i++)
    {
      from[i] = x + (i < count ? i : count - 1) * p;
      for (int t = 0; t < terms; t++)
        any[t] |= from[i][t] != 0.0f;
    }
  for (int t = 0; t < terms; t++)
#pragma GCC unroll 24
    for (int i = 0; i < width; i++)
      packed[t * width + i] = from[i][t];
  for (int w = 0; w < WORDS; w++)
    {
      mask[w] = 0;
      for (int t = 0; t < 64; t++)
        mask[w] |= (uint64_t)any[w * 64 + t] << t;
    }
}

/* Adds the contribution of a slice to a register tile of NARROW x WIDE values. */
static inline __attribute__ ((always_inline)) void
gram_sums (const double *columns, const uint64_t *column_mask, const double *rows, const uint64_t *row_mask,
           Vector_double *out)
{
  Vector_double sum[NARROW * GRAM_VECTORS];
#pragma GCC unroll 24
  for (int i = 0; i < NARROW * GRAM_VECTORS; i++)
    sum[i] = (Vector_double){ 0 };
  for (int w = 0; w < WORDS; w++)
    for (uint64_t bits = column_mask[w] & row_mask[w]; bits; bits &= bits - 1)
      {
        int t = w * 64 + __builtin_ctzll (bits);
        const Vector_double *from = (const Vector_double *)(columns + t * WIDE);
        Vector_double a = from[0], b = from[1], c = from[2];
#pragma GCC unroll 8
        for (int r = 0; r < NARROW; r++)
          {
            double row = rows[t * NARROW + r];
            sum[r * GRAM_VECTORS] += a * row;
            sum[r * GRAM_VECTORS + 1] += b * row;
            sum[r * GRAM_VECTORS + 2] += c * row;
          }
      }
#pragma GCC unroll 24
  for (int i = 0; i < NARROW * GRAM_VECTORS; i++)
    out[i] = sum[i];
}

static void
gram_add (const Vector_double *sums, int rows, int columns, bool first, double *out, size_t stride)
{
  const double *from = (const double *)sums;
  for (int r = 0; r < rows; r++, out += stride, from += WIDE)
    for (int c = 0; c < columns; c++)
      out[c] = (first ? 1.0 : out[c]) + from[c];
}

_Static_assert(sizeof (GramWork) <= TOSST_GRAM_WORK * sizeof (double), "the work space is too small");

/* Processes a slice of the terms, starting at x + first. */
static void
gram_slice (const float *row, int rows, const float *column, int columns, size_t p, size_t first, double *out,
            size_t stride, GramWork *work)
{
  int terms = p - first < GRAM_TERMS ? (int)(p - first) : GRAM_TERMS;

  for (int c = 0; c < columns; c += WIDE)
    gram_pack (column + (size_t)c * p + first, p, columns - c < WIDE ? columns - c : WIDE, WIDE, terms,
               work->columns + c * GRAM_TERMS, work->column_mask + c / WIDE * WORDS);
  for (int r = 0; r < rows; r += NARROW)
    {
      int used = rows - r < NARROW ? rows - r : NARROW;
      int end = row == column && r + used < columns ? r + used : columns;
      gram_pack (row + (size_t)r * p + first, p, used, NARROW, terms, work->rows, work->row_mask);
      for (int c = 0; c < end; c += WIDE)
        {
          Vector_double sums[NARROW * GRAM_VECTORS];
          gram_sums (work->columns + c * GRAM_TERMS, work->column_mask + c / WIDE * WORDS, work->rows, work->row_mask,
                     sums);
          gram_add (sums, used, columns - c < WIDE ? columns - c : WIDE, first == 0, out + (size_t)r * stride + c,
                    stride);
        }
    }
}

static void
gram (const float *row, int rows, const float *column, int columns, size_t p, double *out, size_t stride, void *work)
{
  for (size_t first = 0; first < p; first += GRAM_TERMS)
    gram_slice (row, rows, column, columns, p, first, out, stride, work);
}

#undef LANES
#undef WIDE
#undef NARROW
#undef GROUPS
#undef WORDS
#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for one patch, packed. Included once for float and once for double.
 *
 * Pairs j <= k are numbered in lexicographic order, so that the pairs with j >= i are the last ones: row i of the
 * product
 *     out[i][pair] = sum_n (x_i)_n (x_j x_k)_n
 * requires a suffix of the pairs only, and the concatenated suffixes are the packed tensor. Pixels are processed in
 * chunks; partial sums per chunk limit the growth of rounding errors in long sums of similar terms. Pairs are processed
 * in blocks of whole rows j, so that the sums of a block and the pair products of a chunk stay in the second-level cache
 * for all chunks. Neither the blocks nor the tiles change the bits of a sum.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (REAL)))

/* out (rows `to` apart) += X' Z over the pixels of a chunk, `rows` features, `vectors` registers of pairs. */
static inline __attribute__ ((always_inline)) void
NAME (third_order_tile) (const REAL *z, size_t stride, const REAL *x, int ld, size_t pixels, int rows, int vectors,
                         REAL *out, size_t to)
{
  NAME (Vector) sum[THIRD_ROWS][THIRD_VECTORS];
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++)
      sum[r][v] = (NAME (Vector)){ 0 };
  for (size_t n = 0; n < pixels; n++, z += stride, x += ld)
    {
      NAME (Vector) pair[THIRD_VECTORS];
      for (int v = 0; v < vectors; v++)
        pair[v] = *(const NAME (Vector) *)(z + v * LANES);
      for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
          sum[r][v] += pair[v] * x[r];
    }
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++)
      *(NAME (Vector) *)(out + r * to + v * LANES) += sum[r][v];
}

/* `pairs` pairs, a multiple of the lanes; the remainder after full tiles comes last. */
static inline __attribute__ ((always_inline)) void
NAME (third_order_rows) (const REAL *z, size_t stride, size_t pairs, const REAL *x, int ld, size_t pixels, int rows,
                         REAL *out, size_t to)
{
  size_t p = 0;
  for (; p + THIRD_VECTORS * LANES <= pairs; p += THIRD_VECTORS * LANES)
    NAME (third_order_tile) (z + p, stride, x, ld, pixels, rows, THIRD_VECTORS, out + p, to);
#if THIRD_VECTORS > 3
  if (p + 3 * LANES <= pairs)
    {
      NAME (third_order_tile) (z + p, stride, x, ld, pixels, rows, 3, out + p, to);
      p += 3 * LANES;
    }
#endif
  for (; p + 2 * LANES <= pairs; p += 2 * LANES)
    NAME (third_order_tile) (z + p, stride, x, ld, pixels, rows, 2, out + p, to);
  if (p < pairs)
    NAME (third_order_tile) (z + p, stride, x, ld, pixels, rows, 1, out + p, to);
}

/* Computes the pairs of one pixel with j from first to last - 1, and zeros up to the stride. Whole registers are stored:
 * elements written past the end of a row of pairs are overwritten by the next row, and reads past the end of x stay
 * inside its buffer. */
static inline void
NAME (third_order_pairs) (const REAL *x, int d, int first, int last, size_t pairs, size_t stride, REAL *z)
{
  REAL *row = z;
  for (int j = first; j < last; row += d - j++)
    for (int k = j; k < d; k += LANES)
      {
        NAME (Vector) v;
        memcpy (&v, x + k, sizeof v);
        v *= x[j];
        memcpy (row + k - j, &v, sizeof v);
      }
  for (size_t p = pairs; p < stride; p++)
    z[p] = 0;
}

/* out += X' Z: `rows` features, at most THIRD_ROWS of them. */
static void
NAME (third_order_product) (const REAL *z, size_t stride, size_t pairs, const REAL *x, int ld, size_t pixels, int rows,
                            REAL *out, size_t to)
{
  switch (rows)
    {
    case 1:
      NAME (third_order_rows) (z, stride, pairs, x, ld, pixels, 1, out, to);
      break;
    case 2:
      NAME (third_order_rows) (z, stride, pairs, x, ld, pixels, 2, out, to);
      break;
    case 3:
      NAME (third_order_rows) (z, stride, pairs, x, ld, pixels, 3, out, to);
      break;
#if THIRD_ROWS > 4
    case 4:
      NAME (third_order_rows) (z, stride, pairs, x, ld, pixels, 4, out, to);
      break;
    case 5:
      NAME (third_order_rows) (z, stride, pairs, x, ld, pixels, 5, out, to);
      break;
#endif
    default:
      NAME (third_order_rows) (z, stride, pairs, x, ld, pixels, THIRD_ROWS, out, to);
      break;
    }
}

/* First pair with j = i. */
static inline size_t
NAME (third_order_suffix) (int d, int i)
{
  return (size_t)i * d - (size_t)i * (i - 1) / 2;
}

/* Adds a chunk of pixels to the sums of a block that begins with row j = first; pairs: rounded up to a multiple of the
 * lanes. */
static void
NAME (third_order_chunk) (const REAL *z, size_t stride, size_t pairs, const REAL *x, int d, int first, int last, int ld,
                          size_t pixels, REAL *out)
{
  for (int i = 0; i < last; i += THIRD_ROWS)
    {
      size_t from = i <= first ? 0 : NAME (third_order_suffix) (d, i) - NAME (third_order_suffix) (d, first);
      from = from / LANES * LANES;
      NAME (third_order_product)
      (z + from, stride, pairs - from, x + i, ld, pixels, last - i < THIRD_ROWS ? last - i : THIRD_ROWS,
       out + i * stride + from, stride);
    }
}

/* Copies the sums of a block to their places. */
static void
NAME (third_order_pack) (const REAL *out, size_t stride, int d, int first, int last, REAL *packed)
{
  size_t start = NAME (third_order_suffix) (d, first), end = NAME (third_order_suffix) (d, last),
         pairs = (size_t)d * (d + 1) / 2;
  for (int i = 0; i < last; i++, out += stride)
    {
      size_t suffix = NAME (third_order_suffix) (d, i), from = suffix > start ? suffix : start;
      memcpy (packed + (from - suffix), out + (from - start), sizeof *out * (end - from));
      packed += pairs - suffix;
    }
}

static void
NAME (third_order) (const REAL *x, size_t n, int d, int ld, void *work, REAL *packed)
{
  for (int first = 0, last; first < d; first = last)
    {
      size_t pairs = d - first, stride;
      for (last = first + 1; last < d && (pairs + d - last) * (last + 1) * sizeof (REAL) <= THIRD_BLOCK_BYTES; last++)
        pairs += d - last;
      stride = (pairs + LANES - 1) / LANES * LANES;
      REAL *out = work, *z = out + last * stride;
      memset (out, 0, sizeof *out * last * stride);
      for (size_t n0 = 0; n0 < n; n0 += THIRD_CHUNK)
        {
          size_t pixels = n - n0 < THIRD_CHUNK ? n - n0 : THIRD_CHUNK;
          const REAL *chunk = x + n0 * ld;
          for (size_t r = 0; r < pixels; r++)
            NAME (third_order_pairs) (chunk + r * ld, d, first, last, pairs, stride, z + r * stride);
          NAME (third_order_chunk) (z, stride, stride, chunk, d, first, last, ld, pixels, out);
        }
      NAME (third_order_pack) (out, stride, d, first, last, packed);
    }
}

#undef LANES

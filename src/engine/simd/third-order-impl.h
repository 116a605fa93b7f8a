/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for one patch, packed. Included once for float and once for double.
 *
 * Pairs j <= k are numbered in lexicographic order, so that the pairs with j >= i are the last ones: row i of the
 * product
 *     out[i][pair] = sum_n (x_i)_n (x_j x_k)_n
 * requires a suffix of the pairs only, and the concatenated suffixes are the packed tensor. Pixels are processed in
 * chunks whose pair products stay in the second-level cache; partial sums per chunk limit the growth of rounding
 * errors in long sums of similar terms.
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

/* Computes all pairs of one pixel, and zeros up to the stride. Whole registers are stored: elements written past the
 * end of a row of pairs are overwritten by the next row, and reads past the end of x stay inside its buffer. */
static inline void
NAME (third_order_pairs) (const REAL *x, int d, size_t pairs, size_t stride, REAL *z)
{
  REAL *row = z;
  for (int j = 0; j < d; row += d - j++)
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

/* Adds a chunk of pixels to the suffixes of out; pairs: rounded up to a multiple of the lanes. */
static void
NAME (third_order_chunk) (const REAL *z, size_t stride, size_t pairs, const REAL *x, int d, int ld, size_t pixels,
                          REAL *out)
{
  for (int i = 0; i < d; i += THIRD_ROWS)
    {
      size_t from = ((size_t)i * d - (size_t)i * (i - 1) / 2) / LANES * LANES;
      NAME (third_order_product)
      (z + from, stride, pairs - from, x + i, ld, pixels, d - i < THIRD_ROWS ? d - i : THIRD_ROWS,
       out + i * stride + from, stride);
    }
}

/* Concatenates the suffixes. Returns the end. */
static REAL *
NAME (third_order_pack) (const REAL *out, size_t stride, int d, REAL *packed)
{
  size_t pairs = (size_t)d * (d + 1) / 2, from = 0;
  for (int i = 0; i < d; from += d - i++, out += stride)
    {
      memcpy (packed, out + from, sizeof *out * (pairs - from));
      packed += pairs - from;
    }
  return packed;
}

static void
NAME (third_order) (const REAL *x, size_t n, int d, int ld, void *work, REAL *packed)
{
  size_t pairs = (size_t)d * (d + 1) / 2, stride = (pairs + LANES - 1) / LANES * LANES;
  REAL *out = work, *z = out + d * stride;
  memset (out, 0, sizeof *out * d * stride);

  for (size_t n0 = 0; n0 < n; n0 += THIRD_CHUNK, x += (size_t)THIRD_CHUNK * ld)
    {
      size_t pixels = n - n0 < THIRD_CHUNK ? n - n0 : THIRD_CHUNK;
      for (size_t r = 0; r < pixels; r++)
        NAME (third_order_pairs) (x + r * ld, d, pairs, stride, z + r * stride);
      NAME (third_order_chunk) (z, stride, stride, x, d, ld, pixels, out);
    }
  NAME (third_order_pack) (out, stride, d, packed);
}

#undef LANES

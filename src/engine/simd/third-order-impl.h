/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equation (1) for one patch, packed. Included once for float and once for double.
 *
 * Pairs (i <= j) are numbered by their larger index, j (j + 1) / 2 + i, so that the pairs with j <= k are the first
 * (k + 1)(k + 2) / 2 of them: column k of the product
 *     out[k][pair] = sum_n (x_i x_j)_n (x_k)_n
 * needs a prefix of the pairs only. Pixels are taken in chunks whose pair products stay in the second-level cache; sums
 * of chunks are added up, so that rounding errors of many like terms do not pile up in one long sum.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (REAL)))
#define TILE (LANES * TILE_VECTORS)
#define CHUNK 64

/* out (TILE_COLUMNS rows of stride) += Z' X over chunk pixels, one tile of pairs, columns x .. x + columns - 1. */
static inline __attribute__ ((always_inline)) void
NAME (third_order_tile) (const REAL *z, size_t stride, const REAL *x, int ld, size_t pixels, int columns, REAL *out)
{
  NAME (Vector) sum[TILE_COLUMNS][TILE_VECTORS];
  for (int c = 0; c < columns; c++)
    for (int v = 0; v < TILE_VECTORS; v++)
      sum[c][v] = (NAME (Vector)){ 0 };
  for (size_t n = 0; n < pixels; n++, z += stride, x += ld)
    for (int v = 0; v < TILE_VECTORS; v++)
      {
        NAME (Vector) pair = *(const NAME (Vector) *)(z + v * LANES);
        for (int c = 0; c < columns; c++)
          sum[c][v] += pair * x[c];
      }
  for (int c = 0; c < columns; c++)
    for (int v = 0; v < TILE_VECTORS; v++)
      *(NAME (Vector) *)(out + c * stride + v * LANES) += sum[c][v];
}

static void
NAME (third_order_columns) (const REAL *z, size_t stride, size_t pairs, const REAL *x, int ld, size_t pixels,
                            int columns, REAL *out)
{
  for (size_t p = 0; p < pairs; p += TILE)
    switch (columns)
      {
      case 6:
        NAME (third_order_tile) (z + p, stride, x, ld, pixels, 6, out + p);
        break;
      case 5:
        NAME (third_order_tile) (z + p, stride, x, ld, pixels, 5, out + p);
        break;
      case 4:
        NAME (third_order_tile) (z + p, stride, x, ld, pixels, 4, out + p);
        break;
      case 3:
        NAME (third_order_tile) (z + p, stride, x, ld, pixels, 3, out + p);
        break;
      case 2:
        NAME (third_order_tile) (z + p, stride, x, ld, pixels, 2, out + p);
        break;
      default:
        NAME (third_order_tile) (z + p, stride, x, ld, pixels, 1, out + p);
        break;
      }
}

/* All pairs of one pixel, and zeros up to the stride. Whole registers are stored: what they write past the end of a row
 * of pairs the next row overwrites, and what they read past the end of x lies inside its buffer. */
static inline void
NAME (third_order_pairs) (const REAL *x, int d, size_t pairs, size_t stride, REAL *z)
{
  REAL *row = z;
  for (int j = 0; j < d; row += ++j)
    for (int i = 0; i <= j; i += LANES)
      {
        NAME (Vector) v;
        memcpy (&v, x + i, sizeof v);
        v *= x[j];
        memcpy (row + i, &v, sizeof v);
      }
  for (size_t p = pairs; p < stride; p++)
    z[p] = 0;
}

static void
NAME (third_order) (const REAL *x, size_t n, int d, int ld, void *work, REAL *packed)
{
  size_t pairs = (size_t)d * (d + 1) / 2;
  size_t stride = (pairs + TILE - 1) / TILE * TILE;
  REAL *out = work, *z = out + d * stride;
  memset (out, 0, sizeof *out * d * stride);

  for (size_t n0 = 0; n0 < n; n0 += CHUNK, x += (size_t)CHUNK * ld)
    {
      size_t pixels = n - n0 < CHUNK ? n - n0 : CHUNK;
      for (size_t r = 0; r < pixels; r++)
        NAME (third_order_pairs) (x + r * ld, d, pairs, stride, z + r * stride);
      for (int k = 0; k < d; k += TILE_COLUMNS)
        {
          int columns = d - k < TILE_COLUMNS ? d - k : TILE_COLUMNS;
          size_t prefix = (size_t)(k + columns) * (k + columns + 1) / 2;
          NAME (third_order_columns) (z, stride, prefix, x + k, ld, pixels, columns, out + k * stride);
        }
    }
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++)
        *packed++ = out[k * stride + (size_t)j * (j + 1) / 2 + i];
}

#undef LANES
#undef TILE
#undef CHUNK

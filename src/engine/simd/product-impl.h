/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of small matrices; the rows of the right factor are given by offsets. Included once for float and once
 * for double.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (REAL)))

typedef REAL NAME (ProductVector) __attribute__ ((vector_size (VECTOR_BYTES), aligned (VECTOR_BYTES)));

/* Register tile of rows x vectors sums. */
static inline __attribute__ ((always_inline)) void
NAME (product_tile) (const REAL *left, size_t row, size_t column, int rows, const REAL *right, const int32_t *offset,
                     int terms, int vectors, REAL *out, size_t stride, bool add)
{
  NAME (ProductVector) sum[TILE_COLUMNS][TILE_VECTORS];
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++)
      sum[r][v] = add ? *(const NAME (ProductVector) *)(out + r * stride + v * LANES) : (NAME (ProductVector)){ 0 };
  for (int k = 0; k < terms; k++, left += column)
    {
      const NAME (ProductVector) *from = (const NAME (ProductVector) *)(right + offset[k]);
      for (int v = 0; v < vectors; v++)
        {
          NAME (ProductVector) x = from[v];
          for (int r = 0; r < rows; r++)
            sum[r][v] += x * left[r * row];
        }
    }
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++)
      *(NAME (ProductVector) *)(out + r * stride + v * LANES) = sum[r][v];
}

/* Computes all columns of some rows. */
static inline __attribute__ ((always_inline)) void
NAME (product_rows) (const REAL *left, size_t row, size_t column, int rows, const REAL *right, const int32_t *offset,
                     int terms, int columns, REAL *out, size_t stride, bool add)
{
  int c = 0;
  for (; columns - c >= TILE_VECTORS * LANES; c += TILE_VECTORS * LANES)
    NAME (product_tile) (left, row, column, rows, right + c, offset, terms, TILE_VECTORS, out + c, stride, add);
#if TILE_VECTORS > 3
  if (columns - c == 3 * LANES)
    {
      NAME (product_tile) (left, row, column, rows, right + c, offset, terms, 3, out + c, stride, add);
      return;
    }
#endif
#if TILE_VECTORS > 2
  for (; columns - c >= 2 * LANES; c += 2 * LANES)
    NAME (product_tile) (left, row, column, rows, right + c, offset, terms, 2, out + c, stride, add);
#endif
  for (; c < columns; c += LANES)
    NAME (product_tile) (left, row, column, rows, right + c, offset, terms, 1, out + c, stride, add);
}

static void
NAME (product) (const REAL *left, size_t row, size_t column, int rows, const REAL *right, const int32_t *offset,
                int terms, int columns, REAL *out, size_t stride, bool add)
{
  int r = 0;
  for (; r + TILE_COLUMNS <= rows; r += TILE_COLUMNS)
    NAME (product_rows)
  (left + r * row, row, column, TILE_COLUMNS, right, offset, terms, columns, out + r * stride, stride, add);
  for (; r + 3 <= rows; r += 3)
    NAME (product_rows) (left + r * row, row, column, 3, right, offset, terms, columns, out + r * stride, stride, add);
  for (; r < rows; r++)
    NAME (product_rows) (left + r * row, row, column, 1, right, offset, terms, columns, out + r * stride, stride, add);
}

#undef LANES

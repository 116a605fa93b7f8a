/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cholesky factorisation A = U'U of the small matrices of Newton steps (tens to hundreds of rows), for which LAPACK
 * spends most of its time on calls and copies. Row j of U is stored at U + j ld, columns j .. n - 1; ld is a
 * multiple of the lanes and U is aligned. Included once for float and once for double.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (REAL)))

/* Subtracts the contribution of the rows above from rows j .. j + CHOLESKY_PANEL - 1, `vectors` registers of columns
 * from c on. */
static inline __attribute__ ((always_inline)) void
NAME (cholesky_tile) (REAL *U, int ld, int j, int c, int vectors)
{
  NAME (Vector) sum[CHOLESKY_PANEL][CHOLESKY_VECTORS];
  for (int r = 0; r < CHOLESKY_PANEL; r++)
    for (int v = 0; v < vectors; v++)
      sum[r][v] = *(const NAME (Vector) *)(U + (size_t)(j + r) * ld + c + v * LANES);
  for (int p = 0; p < j; p++)
    {
      const REAL *row = U + (size_t)p * ld;
      for (int v = 0; v < vectors; v++)
        {
          NAME (Vector) above = *(const NAME (Vector) *)(row + c + v * LANES);
          for (int r = 0; r < CHOLESKY_PANEL; r++)
            sum[r][v] -= above * row[j + r];
        }
    }
  for (int r = 0; r < CHOLESKY_PANEL; r++)
    for (int v = 0; v < vectors; v++)
      *(NAME (Vector) *)(U + (size_t)(j + r) * ld + c + v * LANES) = sum[r][v];
}

/* Factors the diagonal block of a panel and scales its rows, after subtracting from row r the contribution of the
 * rows above it in the panel. */
static bool
NAME (cholesky_panel) (REAL *U, int ld, int n, int j, int rows)
{
  for (int r = 0; r < rows; r++)
    {
      REAL *restrict row = U + (size_t)(j + r) * ld;
      for (int q = 0; q < r; q++)
        {
          const REAL *above = U + (size_t)(j + q) * ld;
          REAL factor = above[j + r];
#pragma omp simd
          for (int c = j + r; c < n; c++)
            row[c] -= factor * above[c];
        }
      REAL pivot = row[j + r];
      if (!(pivot > 0))
        return false;
      REAL inverse = 1 / (REAL)sqrt (pivot);
#pragma omp simd
      for (int c = j + r; c < n; c++)
        row[c] *= inverse;
    }
  return true;
}

/* Factorises A, given in the upper triangle of U, in place. Rows n .. of the last panel and columns up to ld are
 * scratch. Returns false if A is not numerically positive definite. */
static bool
NAME (cholesky) (REAL *U, int ld, int n)
{
  for (int j = 0; j < n; j += CHOLESKY_PANEL)
    {
      int c = j / LANES * LANES;
      for (; c + CHOLESKY_VECTORS * LANES <= ld; c += CHOLESKY_VECTORS * LANES)
        NAME (cholesky_tile) (U, ld, j, c, CHOLESKY_VECTORS);
      for (; c < ld; c += LANES)
        NAME (cholesky_tile) (U, ld, j, c, 1);
      if (!NAME (cholesky_panel) (U, ld, n, j, n - j < CHOLESKY_PANEL ? n - j : CHOLESKY_PANEL))
        return false;
    }
  return true;
}

/* x = (U'U)^{-1} x */
static void
NAME (cholesky_solve) (const REAL *U, int ld, int n, REAL *restrict x)
{
  for (int p = 0; p < n; p++)
    {
      const REAL *row = U + (size_t)p * ld;
      REAL value = x[p] /= row[p];
#pragma omp simd
      for (int c = p + 1; c < n; c++)
        x[c] -= value * row[c];
    }
  for (int p = n - 1; p >= 0; p--)
    {
      const REAL *row = U + (size_t)p * ld;
      REAL sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int c = p + 1; c < n; c++)
        sum += row[c] * x[c];
      x[p] = (x[p] - sum) / row[p];
    }
}

#undef LANES

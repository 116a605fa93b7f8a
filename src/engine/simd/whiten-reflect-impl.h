/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Core of tensors in lanes, one tensor per lane of a float register, and the inverse transform.
 *
 * The eigenvectors A are converted to reflections, A = P_0 P_1 ... diag (+-1), where P = I - V T V' is the product
 * of LANES_TILE of them and block B affects the indices from B LANES_TILE on only. The signs cancel, so that the
 * core is X with P_0', then P_1', ... applied to all three modes, in place. With W = V T' (for P; V T for P') that
 * is
 *
 *     U_a[jk]  = sum_i W_ia X[ijk]                                          j <= k
 *     S_ab[k]  = sum_j W_jb U_a[jk],   R_abc = sum_k W_kc S_ab[k]
 *     U_a[jk] -= sum_b V_jb Y_ab[k] + V_kb Y_ab[j],   Y_ab[k] = S_ab[k] / 2 - sum_c V_kc R_abc / 6
 *     X[ijk]  -= sum_a V_ia U_a[jk] + V_ja U_a[ik] + V_ka U_a[ij]           i <= j <= k
 *
 * This takes d^4 / 2 multiplications and additions for all blocks and a lower-order term for Y, while products with
 * a full A, mode by mode, take 7 d^4 / 6.
 */

/* Register tile: sum[r][c] = sum_k left[row[r][k]] right[k LANES_TILE + c], offsets of left in steps of `step`. */
static inline __attribute__ ((always_inline)) void
whiten_tile (const Vector_float *left, int step, const int32_t *row, int length, const Vector_float *right, int terms,
             Vector_float sum[LANES_TILE][LANES_TILE])
{
  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      sum[r][c] = (Vector_float){ 0 };
  for (int k = 0; k < terms; k++, right += LANES_TILE)
    {
      Vector_float y[LANES_TILE];
      for (int c = 0; c < LANES_TILE; c++)
        y[c] = right[c];
      for (int r = 0; r < LANES_TILE; r++)
        {
          Vector_float x = left[(size_t)row[r * length + k] * step];
          for (int c = 0; c < LANES_TILE; c++)
            sum[r][c] += x * y[c];
        }
    }
}

/* Computes W of the block whose first reflection is c0. For P' the first reflection of all is omitted; it is applied
 * by whiten_reflect_first(). */
static void
whiten_weigh (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, bool inverse)
{
  const Vector_float *V = work->V + c0 * tables->side, *T = work->T + c0 * LANES_TILE;

  for (int i = c0; i < tables->side; i++)
    for (int a = 0; a < LANES_TILE; a++)
      {
        Vector_float sum = { 0 };
        for (int b = inverse && c0 == 0; b < LANES_TILE && !(inverse && c0 + a == 0); b++)
          sum += V[i * LANES_TILE + b] * T[inverse ? b * LANES_TILE + a : a * LANES_TILE + b];
        work->W[i * LANES_TILE + a] = sum;
      }
}

/* Computes U. */
static void
whiten_contract (const TosstWhitenTables *tables, const WhitenLanes *work, int c0)
{
  int d = tables->d;
  Vector_float sum[LANES_TILE][LANES_TILE];

  for (int p = 0; p < tables->pairs; p += LANES_TILE)
    {
      whiten_tile (work->X, 1, tables->index + (size_t)p * d + c0, d, work->W + c0 * LANES_TILE, d - c0, sum);
      for (int r = 0; r < LANES_TILE; r++)
        for (int c = 0; c < LANES_TILE; c++)
          work->U[(p + r) * LANES_TILE + c] = sum[r][c];
    }
}

/* Computes some rows of S_ab for all b >= a. */
static inline __attribute__ ((always_inline)) void
whiten_overlap_tile (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int a, int k, int rows)
{
  int d = tables->d, side = tables->side;
  const int32_t *pair = tables->pair + k * d;
  Vector_float sum[2 * LANES_TILE][LANES_TILE];

  for (int r = 0; r < rows; r++)
    for (int b = a; b < LANES_TILE; b++)
      sum[r][b] = (Vector_float){ 0 };
  for (int j = c0; j < d; j++)
    {
      Vector_float y[LANES_TILE];
      for (int b = a; b < LANES_TILE; b++)
        y[b] = work->W[j * LANES_TILE + b];
      for (int r = 0; r < rows; r++)
        {
          Vector_float x = work->U[(size_t)pair[r * d + j] * LANES_TILE + a];
          for (int b = a; b < LANES_TILE; b++)
            sum[r][b] += x * y[b];
        }
    }
  for (int r = 0; r < rows; r++)
    for (int b = a; b < LANES_TILE; b++)
      work->Y[WHITEN_BOTH (a, b) * side + k + r] = sum[r][b];
}

/* Computes S_ab of one a; with few columns more rows are processed at a time. */
static inline __attribute__ ((always_inline)) void
whiten_overlap_one (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int a)
{
  int k = 0, rows = 2 * (LANES_TILE - a) < LANES_TILE ? 2 * LANES_TILE : LANES_TILE;

  for (; k + rows <= tables->side; k += rows)
    whiten_overlap_tile (tables, work, c0, a, k, rows);
  if (k < tables->side)
    whiten_overlap_tile (tables, work, c0, a, k, LANES_TILE);
}

/* Computes R, the first two indices as pairs. */
static void
whiten_overlap_thrice (const TosstWhitenTables *tables, const WhitenLanes *work, int c0,
                       Vector_float R[LANES_PAIRS][LANES_TILE])
{
  for (int q = 0; q < LANES_PAIRS; q++)
    {
      const Vector_float *S = work->Y + q * tables->side, *W = work->W;
      Vector_float sum[LANES_TILE] = { 0 };
      for (int k = c0; k < tables->d; k++)
        for (int c = 0; c < LANES_TILE; c++)
          sum[c] += S[k] * W[k * LANES_TILE + c];
      for (int c = 0; c < LANES_TILE; c++)
        R[q][c] = sum[c];
    }
}

/* Computes Y. */
static void
whiten_overlap (const TosstWhitenTables *tables, const WhitenLanes *work, int c0)
{
  int side = tables->side;
  Vector_float R[LANES_PAIRS][LANES_TILE], *Y = work->Y;

  whiten_overlap_one (tables, work, c0, 0);
  whiten_overlap_one (tables, work, c0, 1);
  whiten_overlap_one (tables, work, c0, 2);
#if LANES_TILE > 3
  whiten_overlap_one (tables, work, c0, 3);
  whiten_overlap_one (tables, work, c0, 4);
#endif
  whiten_overlap_thrice (tables, work, c0, R);
  for (int q = 0; q < LANES_PAIRS; q++, Y += side)
    {
      for (int k = 0; k < c0; k++)
        Y[k] *= 0.5f;
      for (int k = c0; k < side; k++)
        {
          Vector_float sum = 3 * Y[k];
          for (int c = 0; c < LANES_TILE; c++)
            sum -= work->V[c0 * side + k * LANES_TILE + c] * R[q][c];
          Y[k] = sum * (1 / 6.0f);
        }
    }
}

/* Updates one tile of U_a; both: the block affects the rows as well. Only columns c >= r + skip that exist. */
static inline __attribute__ ((always_inline)) void
whiten_fold_tile (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int a, int j0, int k0, bool both,
                  int skip, int rows, int columns)
{
  int d = tables->d, side = tables->side;
  const Vector_float *V = work->V + c0 * side;
  Vector_float sum[LANES_TILE][LANES_TILE],
      *U = work->U + ((size_t)tables->pair[j0 * d + j0] + k0 - j0) * LANES_TILE + a;

  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      sum[r][c] = (Vector_float){ 0 };
#pragma GCC unroll 1
  for (int b = 0; b < LANES_TILE; b++)
    {
      const Vector_float *Y = work->Y + (a < b ? WHITEN_BOTH (a, b) : WHITEN_BOTH (b, a)) * side;
      whiten_subtract_column (Y + j0, 1, V + k0 * LANES_TILE + b, LANES_TILE, LANES_TILE, skip, sum);
      if (both)
        whiten_subtract_column (V + j0 * LANES_TILE + b, LANES_TILE, Y + k0, 1, LANES_TILE, skip, sum);
    }
  for (int r = 0; r < rows; U += (d - 1 - j0 - r++) * LANES_TILE)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip && c < columns)
        U[c * LANES_TILE] += sum[r][c];
}

static inline __attribute__ ((always_inline)) void
whiten_fold_any (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int a, int j0, int k0, bool both)
{
  int left = tables->d - k0;

  if (left >= LANES_TILE && j0 == k0)
    whiten_fold_tile (tables, work, c0, a, j0, k0, both, 0, LANES_TILE, LANES_TILE);
  else if (left >= LANES_TILE)
    whiten_fold_tile (tables, work, c0, a, j0, k0, both, -LANES_TILE, LANES_TILE, LANES_TILE);
  else if (j0 == k0)
    whiten_fold_tile (tables, work, c0, a, j0, k0, both, 0, left, left);
  else
    whiten_fold_tile (tables, work, c0, a, j0, k0, both, -LANES_TILE, LANES_TILE, left);
}

/* Updates U to U - V Y' - Y V'. */
static void
whiten_fold (const TosstWhitenTables *tables, const WhitenLanes *work, int c0)
{
  for (int a = 0; a < LANES_TILE; a++)
    for (int k0 = c0; k0 < tables->d; k0 += LANES_TILE)
      {
        for (int j0 = 0; j0 < c0; j0 += LANES_TILE)
          whiten_fold_any (tables, work, c0, a, j0, k0, false);
        for (int j0 = c0; j0 <= k0; j0 += LANES_TILE)
          whiten_fold_any (tables, work, c0, a, j0, k0, true);
      }
}

/* Applies X x_1 P x_2 P x_3 P (inverse: P') for the block whose first reflection is c0. */
static void
whiten_reflect (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, bool inverse)
{
  whiten_weigh (tables, work, c0, inverse);
  whiten_contract (tables, work, c0);
  whiten_overlap (tables, work, c0);
  whiten_fold (tables, work, c0);
  whiten_update (tables, work, c0);
}

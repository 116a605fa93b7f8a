/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The core of as many tensors as a register has floats, one in each lane, and the way back: included by
 * simd/whiten-impl.h, whose WhitenLanes it works on.
 *
 * The eigenvectors A are turned into reflections, A = P_0 P_1 ... diag (+-1), where P = I - V T V' is the product of
 * LANES_TILE of them and block B moves the indices from B LANES_TILE on alone. The signs do not matter, so that the
 * core is X with P_0', then P_1', ... applied to all three modes, in place. With W = V T' (for P; V T for P') that is
 *
 *     U_a[jk]  = sum_i W_ia X[ijk]                                          j <= k
 *     S_ab[k]  = sum_j W_jb U_a[jk],   R_abc = sum_k W_kc S_ab[k]
 *     U_a[jk] -= sum_b V_jb Y_ab[k] + V_kb Y_ab[j],   Y_ab[k] = S_ab[k] / 2 - sum_c V_kc R_abc / 6
 *     X[ijk]  -= sum_a V_ia U_a[jk] + V_ja U_a[ik] + V_ka U_a[ij]           i <= j <= k
 *
 * d^4 / 2 multiplications and additions for all blocks and somewhat more for Y, where products with a full A, mode by
 * mode, take 7 d^4 / 6.
 */

/* A register tile: sum[r][c] = sum_k left[row[r][k]] right[k LANES_TILE + c], offsets of left in steps of `step`. */
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

/* sum[r][c] -= left[r][a] right[c][a]; only c >= r + skip. */
static inline __attribute__ ((always_inline)) void
whiten_subtract_column (const Vector_float *left, const Vector_float *right, int a, int rows, int skip,
                        Vector_float sum[LANES_TILE][LANES_TILE])
{
  Vector_float y[LANES_TILE];

  for (int c = 0; c < LANES_TILE; c++)
    y[c] = right[c * LANES_TILE + a];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip)
        sum[r][c] -= left[r * LANES_TILE + a] * y[c];
}

/* sum[r][c] -= sum_a left[r][a] right[c][a]. */
static inline __attribute__ ((always_inline)) void
whiten_subtract (const Vector_float *left, const Vector_float *right, Vector_float sum[LANES_TILE][LANES_TILE])
{
#pragma GCC unroll 1
  for (int a = 0; a < LANES_TILE; a++)
    whiten_subtract_column (left, right, a, LANES_TILE, -LANES_TILE, sum);
}

/* W of the block whose first reflection is c0, but for the first of all where P' is taken: whiten_reflect_first(). */
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

/* U. */
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

/* Y, for each a side rows. */
static void
whiten_overlap (const TosstWhitenTables *tables, const WhitenLanes *work, int c0)
{
  int d = tables->d, side = tables->side;
  const Vector_float *V = work->V + c0 * side, *W = work->W;
  Vector_float sum[LANES_TILE][LANES_TILE], R[LANES_TILE][LANES_TILE];

  for (int a = 0; a < LANES_TILE; a++)
    {
      Vector_float *Y = work->Y + a * side * LANES_TILE;
      for (int k = 0; k < side; k += LANES_TILE)
        {
          whiten_tile (work->U + a, LANES_TILE, tables->pair + k * d + c0, d, W + c0 * LANES_TILE, d - c0, sum);
          for (int r = 0; r < LANES_TILE; r++)
            for (int b = 0; b < LANES_TILE; b++)
              Y[(k + r) * LANES_TILE + b] = sum[r][b];
        }
      memset (R, 0, sizeof R);
      for (int k = c0; k < d; k++)
        for (int b = 0; b < LANES_TILE; b++)
          for (int c = 0; c < LANES_TILE; c++)
            R[b][c] += Y[k * LANES_TILE + b] * W[k * LANES_TILE + c];
      for (int k = 0; k < side; k += LANES_TILE)
        {
          for (int r = 0; r < LANES_TILE; r++)
            for (int b = 0; b < LANES_TILE; b++)
              sum[r][b] = 3 * Y[(k + r) * LANES_TILE + b];
          if (k >= c0)
            whiten_subtract (V + k * LANES_TILE, R[0], sum);
          for (int r = 0; r < LANES_TILE; r++)
            for (int b = 0; b < LANES_TILE; b++)
              Y[(k + r) * LANES_TILE + b] = sum[r][b] * (1 / 6.0f);
        }
    }
}

/* One tile of U_a; both: the block moves the rows as well. Only columns c >= r + skip, and those that are there. */
static inline __attribute__ ((always_inline)) void
whiten_fold_tile (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int a, int j0, int k0, bool both,
                  int skip, int rows, int columns)
{
  int d = tables->d, side = tables->side;
  const Vector_float *V = work->V + c0 * side, *Y = work->Y + a * side * LANES_TILE;
  Vector_float sum[LANES_TILE][LANES_TILE],
      *U = work->U + ((size_t)tables->pair[j0 * d + j0] + k0 - j0) * LANES_TILE + a;

  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      sum[r][c] = (Vector_float){ 0 };
#pragma GCC unroll 1
  for (int b = 0; b < LANES_TILE; b++)
    {
      whiten_subtract_column (Y + j0 * LANES_TILE, V + k0 * LANES_TILE, b, LANES_TILE, skip, sum);
      if (both)
        whiten_subtract_column (V + j0 * LANES_TILE, Y + k0 * LANES_TILE, b, LANES_TILE, skip, sum);
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

/* U - V Y' - Y V'. */
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

/* A tile of X and what is subtracted from it: all that the rows j and columns k of one i need. */
typedef struct
{
  Vector_float *X[LANES_TILE];            /* of the j */
  const Vector_float *across[LANES_TILE]; /* U_a[jk] of the j */
  const Vector_float *down, *along;       /* U_a[ij], U_a[ik] */
  const Vector_float *Vi, *Vj, *Vk;
} WhitenTile;

/* Some rows of a tile, only columns c >= r + skip. active: how many of i and j the block moves, besides k. */
static inline __attribute__ ((always_inline)) void
whiten_update_rows (const WhitenTile *tile, int rows, int skip, int active)
{
  Vector_float sum[LANES_TILE][LANES_TILE];

  for (int r = 0; r < rows; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip)
        sum[r][c] = tile->X[r][c];
#pragma GCC unroll 1
  for (int a = 0; a < LANES_TILE; a++)
    {
      whiten_subtract_column (tile->down, tile->Vk, a, rows, skip, sum);
      if (active > 0)
        whiten_subtract_column (tile->Vj, tile->along, a, rows, skip, sum);
      Vector_float x = tile->Vi[a];
      for (int r = 0; r < rows && active > 1; r++)
        for (int c = 0; c < LANES_TILE; c++)
          if (c >= r + skip)
            sum[r][c] -= x * tile->across[r][c * LANES_TILE + a];
    }
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip)
        tile->X[r][c] = sum[r][c];
}

/* The same for `rows` that end a tile of j; diagonal: the columns are those of the same tile. Fewer rows than a tile has
 * are only where i lies in it too. */
static inline __attribute__ ((always_inline)) void
whiten_update_case (const WhitenTile *tile, int rows, bool diagonal, int active)
{
  if (diagonal)
    whiten_update_rows (tile, rows, LANES_TILE - rows, 2);
  else if (active > 0)
    whiten_update_rows (tile, rows, -LANES_TILE, 2);
  else
    whiten_update_rows (tile, rows, -LANES_TILE, 0);
}

static void
whiten_update_tile (const WhitenTile *tile, int rows, bool diagonal, int active)
{
  switch (rows)
    {
    case 1:
      whiten_update_case (tile, 1, diagonal, active);
      break;
    case 2:
      whiten_update_case (tile, 2, diagonal, active);
      break;
#if LANES_TILE > 3
    case 3:
      whiten_update_case (tile, 3, diagonal, active);
      break;
    case 4:
      whiten_update_case (tile, 4, diagonal, active);
      break;
#endif
    default:
      if (active == 1)
        {
          if (diagonal)
            whiten_update_rows (tile, LANES_TILE, 0, 1);
          else
            whiten_update_rows (tile, LANES_TILE, -LANES_TILE, 1);
        }
      else
        whiten_update_case (tile, LANES_TILE, diagonal, active);
      break;
    }
}

/* The same at the end of all indices: entries that are not there are read from, and written to, a tile of their own. */
static void
whiten_update_edge (WhitenTile *tile, int rows, bool diagonal, int active, int most_rows, int columns)
{
  Vector_float entries[LANES_TILE][LANES_TILE] = { 0 }, *X[LANES_TILE];

  for (int r = 0; r < rows; r++)
    {
      int first = diagonal ? r + LANES_TILE - rows : 0;
      for (int c = first; r < most_rows && c < columns; c++)
        entries[r][c] = tile->X[r][c];
      X[r] = tile->X[r];
      tile->X[r] = entries[r];
    }
  whiten_update_tile (tile, rows, diagonal, active);
  for (int r = 0; r < rows && r < most_rows; r++)
    for (int c = diagonal ? r + LANES_TILE - rows : 0; c < columns; c++)
      X[r][c] = entries[r][c];
}

/* Where the rows j of a tile begin: in X and in U each is as much shorter than the one before. */
static inline __attribute__ ((always_inline)) void
whiten_place_rows (WhitenTile *tile, Vector_float *X, const Vector_float *across, int rest)
{
  for (int r = 0; r < LANES_TILE; r++)
    {
      tile->X[r] = X;
      tile->across[r] = across;
      X += rest > 0 ? rest : 0;
      across += (rest > 0 ? rest : 0) * LANES_TILE;
      rest--;
    }
}

/* One i, the rows of a tile of j that are not below it, and a tile of k. */
static inline __attribute__ ((always_inline)) WhitenTile
whiten_tile_of (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int i, int j, int k0)
{
  int d = tables->d;
  const Vector_float *V = work->V + c0 * tables->side;
  const Vector_float *U = work->U + ((size_t)tables->pair[i * d + i] - i) * LANES_TILE;
  WhitenTile tile = { .down = U + j * LANES_TILE,
                      .along = U + k0 * LANES_TILE,
                      .Vi = V + i * LANES_TILE,
                      .Vj = V + j * LANES_TILE,
                      .Vk = V + k0 * LANES_TILE };

  whiten_place_rows (&tile, work->X + tables->run[i * d + j] + k0 - j,
                     work->U + ((size_t)tables->pair[j * d + j] + k0 - j) * LANES_TILE, d - 1 - j);
  return tile;
}

static void
whiten_update_row (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int i, int j0, int k0)
{
  int d = tables->d, j = j0 > i ? j0 : i, rows = j0 + LANES_TILE - j, active = (i >= c0) + (j0 >= c0);
  WhitenTile tile = whiten_tile_of (tables, work, c0, i, j, k0);

  if (k0 + LANES_TILE <= d)
    whiten_update_tile (&tile, rows, k0 == j0, active);
  else
    whiten_update_edge (&tile, rows, k0 == j0, active, d - j, d - k0);
}

/* The usual case: all i of a tile that lies before those of j and k, which are whole. */
static inline __attribute__ ((always_inline)) void
whiten_update_cube (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int i0, int j0, int k0, int skip,
                    int active)
{
#pragma GCC unroll 1
  for (int i = i0; i < i0 + LANES_TILE; i++)
    {
      WhitenTile tile = whiten_tile_of (tables, work, c0, i, j0, k0);
      whiten_update_rows (&tile, LANES_TILE, skip, active);
    }
}

static void
whiten_update_cubes (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, int i0, int j0, int k0)
{
  if (i0 >= c0 && j0 == k0)
    whiten_update_cube (tables, work, c0, i0, j0, k0, 0, 2);
  else if (i0 >= c0)
    whiten_update_cube (tables, work, c0, i0, j0, k0, -LANES_TILE, 2);
  else if (j0 == k0)
    whiten_update_cube (tables, work, c0, i0, j0, k0, 0, 1);
  else if (j0 >= c0)
    whiten_update_cube (tables, work, c0, i0, j0, k0, -LANES_TILE, 1);
  else
    whiten_update_cube (tables, work, c0, i0, j0, k0, -LANES_TILE, 0);
}

/* X - V U' in all modes. One tile of U serves several i. */
static void
whiten_update (const TosstWhitenTables *tables, const WhitenLanes *work, int c0)
{
  int d = tables->d;

  for (int i0 = 0; i0 < d; i0 += LANES_TILE)
    for (int j0 = i0; j0 < d; j0 += LANES_TILE)
      for (int k0 = j0 > c0 ? j0 : c0; k0 < d; k0 += LANES_TILE)
        if (i0 < j0 && k0 + LANES_TILE <= d)
          whiten_update_cubes (tables, work, c0, i0, j0, k0);
        else
          for (int i = i0; i < i0 + LANES_TILE && i < d; i++)
            whiten_update_row (tables, work, c0, i, j0, k0);
}

/* X x_1 P x_2 P x_3 P (inverse: P') for the block whose first reflection is c0. */
static void
whiten_reflect (const TosstWhitenTables *tables, const WhitenLanes *work, int c0, bool inverse)
{
  whiten_weigh (tables, work, c0, inverse);
  whiten_contract (tables, work, c0);
  whiten_overlap (tables, work, c0);
  whiten_fold (tables, work, c0);
  whiten_update (tables, work, c0);
}

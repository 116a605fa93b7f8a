/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Last step of a block of reflections: X - V U' in all modes, tile by tile. The equations are in
 * simd/whiten-reflect-impl.h.
 */

/* sum[r][c] -= left[r][a] right[c][a]; only c >= r + skip. */
static inline __attribute__ ((always_inline)) void
whiten_subtract_column (const Vector_float *left, int left_step, const Vector_float *right, int right_step, int rows,
                        int skip, Vector_float sum[LANES_TILE][LANES_TILE])
{
  Vector_float y[LANES_TILE];

  for (int c = 0; c < LANES_TILE; c++)
    y[c] = right[c * right_step];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip)
        sum[r][c] -= left[r * left_step] * y[c];
}

/* A tile of X and the operands subtracted from it: rows j and columns k of one i. */
typedef struct
{
  Vector_float *X[LANES_TILE];            /* rows j */
  const Vector_float *across[LANES_TILE]; /* U_a[jk] of rows j */
  const Vector_float *down, *along;       /* U_a[ij], U_a[ik] */
  const Vector_float *Vi, *Vj, *Vk;
} WhitenTile;

/* Updates some rows of a tile, only columns c >= r + skip. active: how many of i and j the block affects, besides k. */
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
      whiten_subtract_column (tile->down + a, LANES_TILE, tile->Vk + a, LANES_TILE, rows, skip, sum);
      if (active > 0)
        whiten_subtract_column (tile->Vj + a, LANES_TILE, tile->along + a, LANES_TILE, rows, skip, sum);
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

/* whiten_update_rows() for the last `rows` rows of a tile of j; diagonal: the columns are those of the same tile.
 * There are fewer rows than LANES_TILE only if i is in the tile too. */
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

/* The same at the end of the index range: entries that do not exist are read from and written to a separate tile. */
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

/* Sets the start of the rows j of a tile: in X and in U each row is shorter than the previous one. */
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

/* Returns the tile of one i, of the rows from j on of a tile of j, and of a tile of k. */
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

/* The common case: all i of a tile that precedes those of j and k, which are complete. */
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

/* Updates X to X - V U' in all modes. One tile of U serves several i. */
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

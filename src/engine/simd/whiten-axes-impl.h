/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenvectors of the Gram matrices of tensors in lanes, one tensor per lane of a float register, and their
 * conversion to reflections.
 */

/* Widens some columns of the mode-1 unfoldings in one half of the lanes, once for all tiles: conversions use the
 * same execution ports as products, and per tile there would be nearly as many of them. */
static void
whiten_gram_widen (const TosstWhitenTables *tables, const WhitenLanes *work, const int32_t *order, int pairs, int half)
{
  int n = tables->d, side = tables->side;

  for (int q = 0; q < pairs; q++)
    {
      const int32_t *index = tables->index + (size_t)order[q] * n;
      Vector_double *to = work->wide + q * side;
      for (int i = 0; i < n; i++)
        to[i] = whiten_wide (work->X + index[i], half);
    }
}

/* Adds the products of these columns to one tile; only entries c >= r + skip. */
static inline __attribute__ ((always_inline)) void
whiten_gram_tile (const Vector_double *wide, int side, int pairs, int i0, int j0, int skip, Vector_double *tile)
{
  Vector_double sum[LANES_TILE][LANES_TILE];

  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip)
        sum[r][c] = tile[r * LANES_TILE + c];
  for (int q = 0; q < pairs; q++, wide += side)
    {
      Vector_double y[LANES_TILE];
      for (int c = 0; c < LANES_TILE; c++)
        {
          y[c] = wide[j0 + c];
          KEEP (y[c], VECTOR_REGISTER);
        }
      for (int r = 0; r < LANES_TILE; r++)
        {
          Vector_double x = wide[i0 + r];
          KEEP (x, VECTOR_REGISTER);
          for (int c = 0; c < LANES_TILE; c++)
            if (c >= r + skip)
              sum[r][c] += x * y[c];
        }
    }
  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip)
        tile[r * LANES_TILE + c] = sum[r][c];
}

/* Accumulates the Gram matrix tile by tile in the storage of the eigenvectors. */
static void
whiten_gram_pairs (const TosstWhitenTables *tables, const WhitenLanes *work, int first, int end)
{
  int side = tables->side;

  for (int p = first; p < end; p += WIDENED_PAIRS)
    for (int half = 0; half < 2; half++)
      {
        int pairs = end - p < WIDENED_PAIRS ? end - p : WIDENED_PAIRS;
        Vector_double *tile = work->eigen[half].V;
        whiten_gram_widen (tables, work, tables->order + p, pairs, half);
        for (int i0 = 0; i0 < side; i0 += LANES_TILE)
          {
            whiten_gram_tile (work->wide, side, pairs, i0, i0, 0, tile);
            tile += LANES_TILE * LANES_TILE;
            for (int j0 = i0 + LANES_TILE; j0 < side; j0 += LANES_TILE, tile += LANES_TILE * LANES_TILE)
              whiten_gram_tile (work->wide, side, pairs, i0, j0, -LANES_TILE, tile);
          }
      }
}

/* Copies entries i <= j from the tiles. */
static void
whiten_gram_place (const TosstWhitenTables *tables, const EigenLanes *eigen)
{
  int n = tables->d, side = tables->side;
  const Vector_double *tile = eigen->V;

  for (int i0 = 0; i0 < side; i0 += LANES_TILE)
    for (int j0 = i0; j0 < side; j0 += LANES_TILE, tile += LANES_TILE * LANES_TILE)
      for (int i = i0; i < i0 + LANES_TILE && i < n; i++)
        for (int j = j0 > i ? j0 : i; j < j0 + LANES_TILE && j < n; j++)
          eigen->A[i * n + j] = tile[(i - i0) * LANES_TILE + j - j0];
}

/* Half the Gram matrices of the mode-1 unfoldings: off-diagonal pairs represent two columns. */
static void
whiten_gram (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d, D = d * (d + 1) / 2, side = tables->side, numbers = side * (side + LANES_TILE) / 2;

  for (int half = 0; half < 2; half++)
    memset (work->eigen[half].V, 0, sizeof (Vector_double) * numbers);
  whiten_gram_pairs (tables, work, 0, d);
  for (int half = 0; half < 2; half++)
    for (int i = 0; i < numbers; i++)
      work->eigen[half].V[i] *= 0.5;
  whiten_gram_pairs (tables, work, d, D);
  for (int half = 0; half < 2; half++)
    whiten_gram_place (tables, &work->eigen[half]);
}

/* Eigenvalues and eigenvectors in decreasing order in every lane. Later blocks do not change the results of earlier
 * ones, so that the rounding errors of the large entries reach the small entries of the core through the first block
 * only. */
static void
whiten_sort (const EigenLanes *self)
{
  int n = self->n, lanes = VECTOR_BYTES / sizeof (double);
  double *a = (double *)self->a, *V = (double *)self->V, *row = (double *)self->w;
  int order[lanes][n];

  for (int l = 0; l < lanes; l++)
    for (int r = 0; r < n; r++)
      {
        int at = r;
        for (; at > 0 && a[order[l][at - 1] * lanes + l] < a[r * lanes + l]; at--)
          order[l][at] = order[l][at - 1];
        order[l][at] = r;
      }
  for (int i = -1; i < n; i++)
    {
      double *from = i < 0 ? a : V + i * n * lanes;
      for (int r = 0; r < n; r++)
        for (int l = 0; l < lanes; l++)
          row[r * lanes + l] = from[order[l][r] * lanes + l];
      memcpy (from, row, sizeof *row * n * lanes);
    }
}

/* One diagonal block of L and U. */
typedef struct
{
  Vector_double q[LANES_TILE][LANES_TILE]; /* L below the unit diagonal; U on and above the diagonal */
  Vector_double inverse[LANES_TILE];       /* reciprocal diagonal of U */
  Vector_double sign[LANES_TILE];          /* -S */
} WhitenCorner;

/* Computes L and U of the reflections from c0 on in one block. */
static inline __attribute__ ((always_inline)) void
whiten_factor_corner (const Vector_double *Q, int n, int c0, WhitenCorner *corner)
{
  Vector_double (*q)[LANES_TILE] = corner->q, one = (Vector_double){ 0 } + 1;

  for (int i = 0; i < LANES_TILE; i++)
    for (int c = 0; c < LANES_TILE; c++)
      q[i][c] = c0 + i < n && c0 + c < n ? Q[(c0 + i) * n + c0 + c] : (Vector_double){ 0 };
  for (int a = 0; a < LANES_TILE; a++)
    {
      corner->sign[a] = lanes_choose (q[a][a] > 0, one, -one);
      q[a][a] += corner->sign[a];
      corner->inverse[a] = 1 / q[a][a];
      for (int i = a + 1; i < LANES_TILE; i++)
        {
          q[i][a] *= corner->inverse[a];
          for (int c = a + 1; c < LANES_TILE; c++)
            q[i][c] -= q[i][a] * q[a][c];
        }
    }
}

/* Stores V and T of this block; the last row starts no reflection. */
static void
whiten_keep_corner (const WhitenLanes *work, int side, int n, int c0, int half, const WhitenCorner *corner)
{
  Vector_double T[LANES_TILE][LANES_TILE];

  for (int a = 0; a < LANES_TILE && c0 + a + 1 < n; a++)
    {
      for (int b = 0; b <= a; b++)
        {
          T[b][a] = corner->q[b][a] * corner->sign[a];
          for (int c = b; c < a; c++)
            T[b][a] -= T[b][c] * corner->q[a][c];
          ((HalfVector *)(work->T + (c0 + b) * LANES_TILE + a))[half] = whiten_narrow (T[b][a]);
        }
      for (int i = a; i < LANES_TILE && c0 + i < n; i++)
        ((HalfVector *)(work->V + c0 * side + (c0 + i) * LANES_TILE + a))[half]
            = i > a ? whiten_narrow (corner->q[i][a]) : (HalfVector){ 0 } + 1;
    }
}

/* Computes the rows of L below a block. */
static void
whiten_factor_rows (const WhitenLanes *work, int side, int c0, int half, const WhitenCorner *corner)
{
  int n = work->eigen[half].n;
  Vector_double *Q = work->eigen[half].V;

  for (int i = c0 + LANES_TILE; i < n; i++)
    {
      Vector_double l[LANES_TILE];
      for (int a = 0; a < LANES_TILE; a++)
        {
          l[a] = Q[i * n + c0 + a];
          for (int b = 0; b < a; b++)
            l[a] -= l[b] * corner->q[b][a];
          l[a] *= corner->inverse[a];
          Q[i * n + c0 + a] = l[a];
          ((HalfVector *)(work->V + c0 * side + i * LANES_TILE + a))[half] = whiten_narrow (l[a]);
        }
    }
}

/* Computes the columns of U to the right of a block. */
static void
whiten_factor_columns (Vector_double *Q, int n, int c0, const WhitenCorner *corner)
{
  for (int j = c0 + LANES_TILE; j < n; j++)
    {
      Vector_double u[LANES_TILE];
      for (int a = 0; a < LANES_TILE; a++)
        {
          u[a] = Q[(c0 + a) * n + j];
          for (int b = 0; b < a; b++)
            u[a] -= corner->q[a][b] * u[b];
          Q[(c0 + a) * n + j] = u[a];
        }
    }
}

/* Updates a tile of the trailing matrix: subtracts the product of a block of L and one of U. */
static inline __attribute__ ((always_inline)) void
whiten_factor_tile (Vector_double *Q, int n, int c0, int i0, int j0, int rows, int columns)
{
  Vector_double sum[LANES_TILE][LANES_TILE];

  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      sum[r][c] = Q[(i0 + r) * n + j0 + c];
#pragma GCC unroll 1
  for (int a = c0; a < c0 + LANES_TILE; a++)
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++)
        sum[r][c] -= Q[(i0 + r) * n + a] * Q[a * n + j0 + c];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      Q[(i0 + r) * n + j0 + c] = sum[r][c];
}

static void
whiten_factor_rest (Vector_double *Q, int n, int c0)
{
  for (int i = c0 + LANES_TILE; i < n; i += LANES_TILE)
    for (int j = c0 + LANES_TILE; j < n; j += LANES_TILE)
      if (i + LANES_TILE <= n && j + LANES_TILE <= n)
        whiten_factor_tile (Q, n, c0, i, j, LANES_TILE, LANES_TILE);
      else
        whiten_factor_tile (Q, n, c0, i, j, n - i < LANES_TILE ? n - i : LANES_TILE,
                            n - j < LANES_TILE ? n - j : LANES_TILE);
}

/* Converts eigenvectors to reflections in one half of the lanes. For A = (I - V T V') S with signs S and the vectors
 * of the reflections as columns of the unit lower triangular V, A - S = V (-T V' S) is a product L U: elimination
 * gives V = L and T = -U S L'^-1, block by block. S_r = -1 for a positive pivot and 1 otherwise makes every diagonal
 * element of U at least 1 in magnitude (Ballard et al., Reconstructing Householder vectors from tall-skinny QR,
 * 2014). */
static void
whiten_factor (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int n = tables->d, side = tables->side;
  Vector_double *Q = work->eigen[half].V;
  WhitenCorner corner;

  for (int c0 = 0; c0 + 1 < n; c0 += LANES_TILE)
    {
      whiten_factor_corner (Q, n, c0, &corner);
      whiten_keep_corner (work, side, n, c0, half, &corner);
      whiten_factor_rows (work, side, c0, half, &corner);
      whiten_factor_columns (Q, n, c0, &corner);
      whiten_factor_rest (Q, n, c0);
      if (c0 == 0)
        {
          work->first[2 * n + half] = corner.q[0][0] * corner.sign[0];
          work->first[half] = (Vector_double){ 0 } + 1;
          for (int i = 1; i < n; i++)
            work->first[2 * i + half] = i < LANES_TILE ? corner.q[i][0] : Q[i * n];
        }
    }
}

/* Computes the reflections and the directions above rounding level. Returns false on failure in some lane. */
static bool
whiten_axes (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d;

  whiten_gram (tables, work);
  for (int half = 0; half < 2; half++)
    {
      Vector_double trace = { 0 };
      for (int i = 0; i < d; i++)
        trace += work->eigen[half].A[i * d + i];
      if (lanes_any (~(lanes_abs (trace) < INFINITY)))
        return false;
    }
  if (!lanes_eigen (work->eigen))
    return false;
  for (int half = 0; half < 2; half++)
    {
      const EigenLanes *eigen = &work->eigen[half];
      whiten_sort (eigen);
      Vector_double least = eigen->a[0] * ((double)FLT_EPSILON * FLT_EPSILON);
      for (int r = 0; r < d; r++)
        ((HalfMask *)(work->holds + r))[half] = __builtin_convertvector(eigen->a[r] > least, HalfMask);
      whiten_factor (tables, work, half);
    }
  return true;
}

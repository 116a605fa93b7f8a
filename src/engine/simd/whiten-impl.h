/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equations (15)-(20) for as many tensors as a register has floats, one in each lane: no entry that symmetry gives is
 * computed, and none is there to fill a register. For some columns c of A at a time
 *
 *     M_c[ij] = sum_k X[ijk] A[k][c]          i <= j
 *     N[i][b] = sum_j M_c[ij] A[j][b]         b <= c
 *     E[abc]  = sum_i A[i][a] N[i][b]         a <= b
 *
 * The second is done for one tile of b, which the third takes from the first-level cache.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (float)))
#define GRAM_PAIRS 16 /* pairs that are converted to double at a time */

typedef float HalfVector __attribute__ ((vector_size (VECTOR_BYTES / 2)));

typedef struct
{
  Vector_float *X, *E;  /* m + 1, the last zero */
  Vector_float *M;      /* LANES_TILE x pairs */
  Vector_float *N;      /* side x LANES_TILE */
  Vector_float *A, *At; /* side x side, zero beyond d */
  Vector_double *chunk; /* GRAM_PAIRS x side */
  EigenLanes eigen;
} WhitenLanes;

static size_t
whiten_work (const TosstWhitenTables *tables)
{
  size_t side = tables->side, n = tables->d;
  size_t floats = 2 * (tables->m + 1) + LANES_TILE * (size_t)tables->pairs + side * LANES_TILE + 2 * side * side;
  return (floats + GRAM_PAIRS * side + 2 * side * side + 6 * (n + 1)) * VECTOR_BYTES;
}

static WhitenLanes
whiten_lanes (const TosstWhitenTables *tables, void *memory)
{
  size_t side = tables->side, n = tables->d;
  WhitenLanes work = { .X = memory };
  work.E = work.X + tables->m + 1;
  work.M = work.E + tables->m + 1;
  work.N = work.M + LANES_TILE * (size_t)tables->pairs;
  work.A = work.N + side * LANES_TILE;
  work.At = work.A + side * side;
  work.chunk = (Vector_double *)(work.At + side * side);
  work.eigen = (EigenLanes){ .A = work.chunk + GRAM_PAIRS * side, .n = tables->d };
  work.eigen.V = work.eigen.A + side * side;
  work.eigen.a = work.eigen.V + side * side;
  work.eigen.b = work.eigen.a + n + 1;
  work.eigen.v = work.eigen.b + n + 1;
  work.eigen.w = work.eigen.v + n + 1;
  work.eigen.weight = work.eigen.w + n + 1;
  return work;
}

/* A register tile: sum[r][c] = sum_k left[row[r][k]] right[k stride + c]. */
static inline __attribute__ ((always_inline)) void
whiten_tile (const Vector_float *left, const int32_t *row, int length, const Vector_float *right, int stride, int terms,
             int columns, Vector_float sum[LANES_TILE][LANES_TILE])
{
  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < columns; c++)
      sum[r][c] = (Vector_float){ 0 };
  for (int k = 0; k < terms; k++, right += stride)
    {
      Vector_float y[LANES_TILE];
      for (int c = 0; c < columns; c++)
        y[c] = right[c];
      for (int r = 0; r < LANES_TILE; r++)
        {
          Vector_float x = left[row[r * length + k]];
          for (int c = 0; c < columns; c++)
            sum[r][c] += x * y[c];
        }
    }
}

/* M of columns c0 .. c0 + LANES_TILE - 1. */
static void
whiten_first (const TosstWhitenTables *tables, const Vector_float *X, const Vector_float *A, int c0, Vector_float *M)
{
  int d = tables->d, pairs = tables->pairs;
  Vector_float sum[LANES_TILE][LANES_TILE];

  for (int p = 0; p < pairs; p += LANES_TILE)
    {
      whiten_tile (X, tables->index + (size_t)p * d, d, A + c0, tables->side, d, LANES_TILE, sum);
      for (int r = 0; r < LANES_TILE; r++)
        for (int c = 0; c < LANES_TILE; c++)
          M[(size_t)c * pairs + p + r] = sum[r][c];
    }
}

/* N of columns b0 .. b0 + columns - 1. */
static inline __attribute__ ((always_inline)) void
whiten_second (const TosstWhitenTables *tables, const Vector_float *M, const Vector_float *A, int b0, int columns,
               Vector_float *N)
{
  int d = tables->d, side = tables->side;
  Vector_float sum[LANES_TILE][LANES_TILE];

  for (int i = 0; i < side; i += LANES_TILE)
    {
      whiten_tile (M, tables->pair + i * d, d, A + b0, side, d, columns, sum);
      for (int r = 0; r < LANES_TILE; r++)
        for (int c = 0; c < columns; c++)
          N[(i + r) * LANES_TILE + c] = sum[r][c];
    }
}

/* Entries a <= b of one c, b0 <= b < b0 + columns. */
static inline __attribute__ ((always_inline)) void
whiten_third (const TosstWhitenTables *tables, const Vector_float *N, const Vector_float *A, int b0, int columns, int c,
              Vector_float *E)
{
  int d = tables->d, side = tables->side;

  for (int a0 = 0; a0 <= b0; a0 += LANES_TILE)
    {
      Vector_float sum[LANES_TILE][LANES_TILE];
      for (int r = 0; r < LANES_TILE; r++)
        for (int b = 0; b < columns; b++)
          sum[r][b] = (Vector_float){ 0 };
      for (int i = 0; i < d; i++)
        {
          Vector_float y[LANES_TILE];
          for (int b = 0; b < columns; b++)
            y[b] = N[i * LANES_TILE + b];
          for (int r = 0; r < LANES_TILE; r++)
            for (int b = 0; b < columns; b++)
              sum[r][b] += A[i * side + a0 + r] * y[b];
        }
      for (int b = 0; b < columns; b++)
        for (int r = 0; r < LANES_TILE && a0 + r <= b0 + b; r++)
          E[tables->run[(a0 + r) * d + b0 + b] + c - b0 - b] = sum[r][b];
    }
}

static inline __attribute__ ((always_inline)) void
whiten_column (const TosstWhitenTables *tables, const WhitenLanes *work, const Vector_float *M, const Vector_float *A,
               int b0, int columns, int c, Vector_float *E)
{
  whiten_second (tables, M, A, b0, columns, work->N);
  whiten_third (tables, work->N, A, b0, columns, c, E);
}

/* E = X x_1 A' x_2 A' x_3 A'. */
static void
whiten_transform (const TosstWhitenTables *tables, const WhitenLanes *work, const Vector_float *X,
                  const Vector_float *A, Vector_float *E)
{
  for (int c0 = 0; c0 < tables->d; c0 += LANES_TILE)
    {
      whiten_first (tables, X, A, c0, work->M);
      for (int c = c0; c < c0 + LANES_TILE && c < tables->d; c++)
        {
          const Vector_float *M = work->M + (size_t)(c - c0) * tables->pairs;
          for (int b0 = 0; b0 < c0; b0 += LANES_TILE)
            whiten_column (tables, work, M, A, b0, LANES_TILE, c, E);
          switch (c + 1 - c0)
            {
            case 1:
              whiten_column (tables, work, M, A, c0, 1, c, E);
              break;
            case 2:
              whiten_column (tables, work, M, A, c0, 2, c, E);
              break;
#if LANES_TILE > 3
            case 3:
              whiten_column (tables, work, M, A, c0, 3, c, E);
              break;
            case 4:
              whiten_column (tables, work, M, A, c0, 4, c, E);
              break;
#endif
            default:
              whiten_column (tables, work, M, A, c0, LANES_TILE, c, E);
              break;
            }
        }
    }
}

/* One tile of the Gram matrix, over the pairs of a chunk. */
static inline __attribute__ ((always_inline)) void
whiten_gram_tile (const Vector_double *chunk, int side, int n, int pairs, int i0, int j0, Vector_double *gram)
{
  Vector_double sum[LANES_TILE][LANES_TILE];
  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      sum[r][c] = (Vector_double){ 0 };
  for (int p = 0; p < pairs; p++, chunk += side)
    {
      Vector_double y[LANES_TILE];
      for (int c = 0; c < LANES_TILE; c++)
        y[c] = chunk[j0 + c];
      for (int r = 0; r < LANES_TILE; r++)
        for (int c = 0; c < LANES_TILE; c++)
          sum[r][c] += chunk[i0 + r] * y[c];
    }
  for (int r = 0; r < LANES_TILE && i0 + r < n; r++)
    for (int c = 0; c < LANES_TILE && j0 + c < n; c++)
      gram[(i0 + r) * n + j0 + c] += sum[r][c];
}

/* Gram matrices of the mode-1 unfoldings in one half of the lanes; the weights stand for pairs that are two columns. */
static void
whiten_gram (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int d = tables->d, side = tables->side, D = d * (d + 1) / 2;

  memset (work->eigen.A, 0, sizeof *work->eigen.A * d * d);
  for (int p0 = 0; p0 < D; p0 += GRAM_PAIRS)
    {
      int pairs = D - p0 < GRAM_PAIRS ? D - p0 : GRAM_PAIRS;
      Vector_double *to = work->chunk;
      for (int p = p0; p < p0 + pairs; p++, to += side)
        for (int k = 0; k < d; k++)
          {
            const HalfVector *from = (const HalfVector *)(work->X + tables->index[(size_t)p * d + k]);
            to[k] = __builtin_convertvector(from[half], Vector_double) * tables->weight[p];
          }
      for (int i0 = 0; i0 < d; i0 += LANES_TILE)
        for (int j0 = i0; j0 < d; j0 += LANES_TILE)
          whiten_gram_tile (work->chunk, side, d, pairs, i0, j0, work->eigen.A);
    }
}

/* A and its transpose in one half of the lanes; directions that hold only rounding are zero. False if that fails in some
 * lane. */
static bool
whiten_axes (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int d = tables->d, side = tables->side;
  Vector_double trace = { 0 }, least = { 0 };

  whiten_gram (tables, work, half);
  for (int i = 0; i < d; i++)
    trace += work->eigen.A[i * d + i];
  if (lanes_any (~(lanes_abs (trace) < INFINITY)) || !lanes_eigen (&work->eigen))
    return false;
  for (int r = 0; r < d; r++)
    least = lanes_choose (work->eigen.a[r] > least, work->eigen.a[r], least);
  least *= (double)FLT_EPSILON * FLT_EPSILON;
  for (int r = 0; r < d; r++)
    {
      LaneMask holds = work->eigen.a[r] > least;
      for (int i = 0; i < d; i++)
        {
          Vector_double entry = (Vector_double)(holds & (LaneMask)work->eigen.V[i * d + r]);
          HalfVector value = __builtin_convertvector(entry, HalfVector);
          ((HalfVector *)(work->A + i * side + r))[half] = value;
          ((HalfVector *)(work->At + r * side + i))[half] = value;
        }
    }
  return true;
}

/* Tensors side by side to lanes side by side, and back. */
static void
whiten_load (const float *tensors, size_t m, int count, Vector_float *X)
{
  float *to = (float *)X;
  for (size_t i0 = 0; i0 < m; i0 += LANES)
    for (int l = 0; l < LANES; l++)
      for (size_t i = i0; i < i0 + LANES && i < m; i++)
        to[i * LANES + l] = l < count ? tensors[l * m + i] : 0;
  X[m] = (Vector_float){ 0 };
}

static void
whiten_store (const Vector_float *X, size_t m, int count, float *tensors)
{
  const float *from = (const float *)X;
  for (size_t i0 = 0; i0 < m; i0 += LANES)
    for (int l = 0; l < count; l++)
      for (size_t i = i0; i < i0 + LANES && i < m; i++)
        tensors[l * m + i] = from[i * LANES + l];
}

static bool
whiten (const TosstWhitenTables *tables, float *tensors, int count, float gamma_eigen, float gamma_coefficient,
        void *memory)
{
  WhitenLanes work = whiten_lanes (tables, memory);

  whiten_load (tensors, tables->m, count, work.X);
  work.E[tables->m] = (Vector_float){ 0 };
  for (int half = 0; half < 2; half++)
    if (!whiten_axes (tables, &work, half))
      return false;
  whiten_transform (tables, &work, work.X, work.A, work.E);
  signed_power ((float *)work.E, tables->m * LANES, gamma_eigen);
  whiten_transform (tables, &work, work.E, work.At, work.X);
  if (gamma_coefficient < 1)
    signed_power ((float *)work.X, tables->m * LANES, gamma_coefficient);
  whiten_store (work.X, tables->m, count, tensors);
  return true;
}

#undef LANES

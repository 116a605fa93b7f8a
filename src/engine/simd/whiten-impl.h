/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equations (15)-(20) for as many tensors as a register has floats, one in each lane: no entry that symmetry gives is
 * computed, and none is there to fill a register. The transforms are in simd/whiten-reflect-impl.h.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (float)))
#define GRAM_PAIRS 16  /* pairs that are converted to double at a time */
#define LOAD_AHEAD 256 /* floats */

typedef float HalfVector __attribute__ ((vector_size (VECTOR_BYTES / 2)));
typedef int32_t HalfMask __attribute__ ((vector_size (VECTOR_BYTES / 2)));
typedef int32_t WhitenMask __attribute__ ((vector_size (VECTOR_BYTES)));

/* Matrices with a column for each reflection of a block have rows of LANES_TILE. */
typedef struct
{
  Vector_float *X;      /* m + 1, the last zero */
  Vector_float *U;      /* pairs + LANES_TILE rows; what lies beyond the pairs is read and not used */
  Vector_float *Y;      /* LANES_TILE x side rows: first S */
  Vector_float *V;      /* for each block side rows, zero where it does not reach */
  Vector_float *T;      /* for each block LANES_TILE rows */
  Vector_float *W;      /* side rows, of one block */
  WhitenMask *holds;    /* side: directions that hold more than rounding */
  Vector_double *chunk; /* GRAM_PAIRS x side */
  Vector_double *first; /* d + 1 numbers of both halves in turns: the first reflection and its weight */
  EigenLanes eigen[2];  /* of the halves */
} WhitenLanes;

static size_t
whiten_work (const TosstWhitenTables *tables)
{
  size_t side = tables->side, n = tables->d, tile = LANES_TILE;
  size_t floats = tables->m + 1 + (tables->pairs + tile) * tile + tile * side * tile + side * side + side * tile
                  + side * tile + side;
  return (floats + GRAM_PAIRS * side + 4 * side * side + 12 * (n + 1)) * VECTOR_BYTES;
}

static WhitenLanes
whiten_lanes (const TosstWhitenTables *tables, void *memory)
{
  size_t side = tables->side, n = tables->d, tile = LANES_TILE;
  WhitenLanes work = { .X = memory };
  work.U = work.X + tables->m + 1;
  work.Y = work.U + (tables->pairs + tile) * tile;
  work.V = work.Y + tile * side * tile;
  work.T = work.V + side * side;
  work.W = work.T + side * tile;
  work.holds = (WhitenMask *)(work.W + side * tile);
  work.chunk = (Vector_double *)(work.holds + side);
  Vector_double *at = work.chunk + GRAM_PAIRS * side;
  for (int half = 0; half < 2; half++)
    {
      EigenLanes *eigen = &work.eigen[half];
      *eigen = (EigenLanes){ .A = at, .V = at + side * side, .n = tables->d };
      eigen->a = eigen->V + side * side;
      eigen->b = eigen->a + n + 1;
      eigen->v = eigen->b + n + 1;
      eigen->w = eigen->v + n + 1;
      eigen->weight = eigen->w + n + 1;
      at = eigen->weight + n + 1;
    }
  work.first = at;
  return work;
}

#include "simd/whiten-reflect-impl.h"

static inline Vector_double
whiten_wide (const Vector_float *x, int half)
{
  return __builtin_convertvector(((const HalfVector *)x)[half], Vector_double);
}

/* One tile of the Gram matrix, over the pairs of a chunk; only c >= r + skip. */
static inline __attribute__ ((always_inline)) void
whiten_gram_tile (const Vector_double *chunk, int side, int n, int pairs, int i0, int j0, int skip, Vector_double *gram)
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
          if (c >= r + skip)
            sum[r][c] += chunk[i0 + r] * y[c];
    }
  for (int r = 0; r < LANES_TILE; r++)
    for (int c = 0; c < LANES_TILE; c++)
      if (c >= r + skip && i0 + r < n && j0 + c < n)
        gram[(i0 + r) * n + j0 + c] += sum[r][c];
}

/* Gram matrices of the mode-1 unfoldings in one half of the lanes; the weights stand for pairs that are two columns. */
static void
whiten_gram (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int d = tables->d, side = tables->side, D = d * (d + 1) / 2;

  Vector_double *gram = work->eigen[half].A;
  memset (gram, 0, sizeof *gram * d * d);
  for (int p0 = 0; p0 < D; p0 += GRAM_PAIRS)
    {
      int pairs = D - p0 < GRAM_PAIRS ? D - p0 : GRAM_PAIRS;
      Vector_double *to = work->chunk;
      for (int p = p0; p < p0 + pairs; p++, to += side)
        for (int k = 0; k < d; k++)
          to[k] = whiten_wide (work->X + tables->index[(size_t)p * d + k], half) * tables->weight[p];
      for (int i0 = 0; i0 < d; i0 += LANES_TILE)
        {
          whiten_gram_tile (work->chunk, side, d, pairs, i0, i0, 0, gram);
          for (int j0 = i0 + LANES_TILE; j0 < d; j0 += LANES_TILE)
            whiten_gram_tile (work->chunk, side, d, pairs, i0, j0, -LANES_TILE, gram);
        }
    }
}

/* One reflection into its block: its vector, in column r of the eigenvectors, and what it adds to the triangle of T. */
static void
whiten_keep_reflection (const WhitenLanes *work, int side, int r, int half, Vector_double weight,
                        Vector_double T[LANES_TILE][LANES_TILE])
{
  int n = work->eigen[half].n, a = r % LANES_TILE, c0 = r - a;
  const Vector_double *Q = work->eigen[half].V, *v = work->eigen[half].v;
  Vector_double z[LANES_TILE];

  for (int i = r; i < n; i++)
    ((HalfVector *)(work->V + c0 * side + i * LANES_TILE + a))[half] = __builtin_convertvector(v[i], HalfVector);
  for (int b = 0; b < a; b++)
    {
      z[b] = (Vector_double){ 0 };
      for (int i = r; i < n; i++)
        z[b] += Q[i * n + c0 + b] * v[i];
    }
  T[a][a] = weight;
  for (int b = 0; b < a; b++)
    {
      T[b][a] = (Vector_double){ 0 };
      for (int c = b; c < a; c++)
        T[b][a] -= weight * T[b][c] * z[c];
    }
  for (int b = 0; b <= a; b++)
    ((HalfVector *)(work->T + (c0 + b) * LANES_TILE + a))[half] = __builtin_convertvector(T[b][a], HalfVector);
}

/* Eigenvalues and vectors in falling order in every lane. Later blocks leave what earlier ones made, so that the small
 * entries of the core get no rounding errors of large ones but those of the first block. */
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

/* Eigenvectors to reflections in one half of the lanes: those that make their columns multiples of unit vectors. */
static void
whiten_factor (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int n = tables->d;
  Vector_double *Q = work->eigen[half].V, *v = work->eigen[half].v, T[LANES_TILE][LANES_TILE];

  for (int r = 0; r + 1 < n; r++)
    {
      Vector_double square = { 0 };
      for (int i = r; i < n; i++)
        {
          v[i] = Q[i * n + r];
          square += v[i] * v[i];
        }
      Vector_double norm = lanes_sqrt (square), weight = 1 / (norm * (norm + lanes_abs (v[r])));
      v[r] += lanes_choose (v[r] > 0, norm, -norm);
      lanes_apply (Q, n, v, weight, r, r + 1);
      whiten_keep_reflection (work, tables->side, r, half, weight, T);
      for (int i = 0; r == 0 && i < n; i++)
        work->first[2 * i + half] = v[i];
      if (r == 0)
        work->first[2 * n + half] = weight;
      for (int i = r; i < n; i++)
        Q[i * n + r] = v[i];
    }
}

/* Reflections, and the directions that hold more than rounding. False if that fails in some lane. */
static bool
whiten_axes (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d;

  for (int half = 0; half < 2; half++)
    {
      Vector_double trace = { 0 };
      whiten_gram (tables, work, half);
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

/* The first reflection by itself: U of both halves of the lanes, in turns. */
static void
whiten_contract_first (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d;
  Vector_double *U = work->eigen[0].A;

  for (int p = 0; p < tables->pairs; p += LANES_TILE)
    {
      Vector_double sum[LANES_TILE][2] = { 0 };
      for (int i = 0; i < d; i++)
        for (int r = 0; r < LANES_TILE; r++)
          {
            const Vector_float *x = work->X + tables->index[(p + r) * d + i];
            for (int half = 0; half < 2; half++)
              sum[r][half] += work->first[2 * i + half] * whiten_wide (x, half);
          }
      for (int r = 0; r < LANES_TILE; r++)
        for (int half = 0; half < 2; half++)
          U[2 * (p + r) + half] = work->first[2 * d + half] * sum[r][half];
    }
}

static void
whiten_fold_first (const TosstWhitenTables *tables, const WhitenLanes *work, int half)
{
  int d = tables->d;
  Vector_double *U = work->eigen[0].A + half, *Y = work->eigen[0].w, rest = { 0 };
  const Vector_double *v = work->first + half, weight = v[2 * d];

  for (int k = 0; k < d; k++)
    {
      Y[k] = (Vector_double){ 0 };
      for (int j = 0; j < d; j++)
        Y[k] += v[2 * j] * U[2 * tables->pair[k * d + j]];
      rest += v[2 * k] * Y[k];
    }
  rest *= weight * weight / 6;
  for (int k = 0; k < d; k++)
    Y[k] = 0.5 * weight * Y[k] - rest * v[2 * k];
  for (int j = 0, p = 0; j < d; j++)
    for (int k = j; k < d; k++, p++)
      U[2 * p] -= v[2 * j] * Y[k] + v[2 * k] * Y[j];
}

/* X after the first reflection. It takes nearly all of a tensor of an image out of what later ones work on, whose
 * rounding errors become small with it: hence double, in place of eigenvectors. */
static void
whiten_reflect_first (const TosstWhitenTables *tables, const WhitenLanes *work)
{
  int d = tables->d;
  const Vector_double *v = work->first;
  HalfVector *X = (HalfVector *)work->X;

  whiten_contract_first (tables, work);
  whiten_fold_first (tables, work, 0);
  whiten_fold_first (tables, work, 1);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      {
        const Vector_double *across = work->eigen[0].A + 2 * (tables->pair[i * d + i] - i);
        const Vector_double *along = work->eigen[0].A + 2 * (tables->pair[j * d + j] - j);
        Vector_double x[2], y[2], z[2];
        for (int half = 0; half < 2; half++)
          {
            x[half] = v[2 * i + half];
            y[half] = v[2 * j + half];
            z[half] = across[2 * j + half];
          }
        for (int k = 2 * j; k < 2 * d; k += 2, X += 2)
          for (int half = 0; half < 2; half++)
            X[half]
                = __builtin_convertvector(__builtin_convertvector(X[half], Vector_double) - x[half] * along[k + half]
                                              - y[half] * across[k + half] - z[half] * v[k + half],
                                          HalfVector);
      }
}

/* The power of the core; what belongs to a direction that holds only rounding becomes zero. */
static void
whiten_power (const TosstWhitenTables *tables, const WhitenLanes *work, float gamma)
{
  int d = tables->d;
  Vector_float *E = work->X;

  for (int a = 0; a < d; a++)
    for (int b = a; b < d; b++)
      for (int c = b; c < d; c++, E++)
        {
          WhitenMask holds = work->holds[a] & work->holds[b] & work->holds[c];
          *E = signed_power_vector ((PowerVector)(holds & (WhitenMask)*E), gamma);
        }
}

/* The rows of a square of registers become its columns. even, odd: where the numbers of two rows come from in each
 * step. */
static inline __attribute__ ((always_inline)) void
whiten_transpose (Vector_float row[LANES], const WhitenMask *even, const WhitenMask *odd)
{
#pragma GCC unroll 4
  for (int s = 0; s < 4; s++)
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
      if (1 << s < LANES && !(i & 1 << s))
        {
          Vector_float x = row[i], y = row[i + (1 << s)];
          row[i] = __builtin_shuffle (x, y, even[s]);
          row[i + (1 << s)] = __builtin_shuffle (x, y, odd[s]);
        }
}

static void
whiten_shuffles (WhitenMask even[4], WhitenMask odd[4])
{
  for (int s = 0; s < 4; s++)
    for (int l = 0; l < LANES; l++)
      {
        even[s][l] = l & 1 << s ? LANES + l - (1 << s) : l;
        odd[s][l] = l & 1 << s ? LANES + l : l + (1 << s);
      }
}

/* Tensors side by side to lanes side by side. Lanes beyond count get the first tensor once more. */
static void
whiten_load (const float *tensors, size_t m, int count, Vector_float *X)
{
  WhitenMask even[4], odd[4];
  const float *from[LANES];
  size_t i = 0;

  whiten_shuffles (even, odd);
  for (int l = 0; l < LANES; l++)
    from[l] = tensors + (l < count ? l * m : 0);
  for (; i + LANES <= m; i += LANES)
    {
      Vector_float row[LANES];
      for (int l = 0; l < LANES; l++)
        {
          __builtin_prefetch (from[l] + i + LOAD_AHEAD);
          memcpy (&row[l], from[l] + i, sizeof row[l]);
        }
      whiten_transpose (row, even, odd);
      for (int l = 0; l < LANES; l++)
        X[i + l] = row[l];
    }
  for (; i < m; i++)
    for (int l = 0; l < LANES; l++)
      X[i][l] = from[l][i];
  X[m] = (Vector_float){ 0 };
}

/* And back. */
static void
whiten_store (const Vector_float *X, size_t m, int count, float *tensors)
{
  WhitenMask even[4], odd[4];
  size_t i = 0;

  whiten_shuffles (even, odd);
  for (; i + LANES <= m; i += LANES)
    {
      Vector_float row[LANES];
      for (int l = 0; l < LANES; l++)
        row[l] = X[i + l];
      whiten_transpose (row, even, odd);
#pragma GCC unroll 16
      for (int l = 0; l < LANES; l++)
        if (l < count)
          memcpy (tensors + l * m + i, &row[l], sizeof row[l]);
    }
  for (; i < m; i++)
    for (int l = 0; l < count; l++)
      tensors[l * m + i] = X[i][l];
}

static bool
whiten (const TosstWhitenTables *tables, float *tensors, int count, float gamma_eigen, float gamma_coefficient,
        void *memory)
{
  WhitenLanes work = whiten_lanes (tables, memory);
  int d = tables->d;

  whiten_load (tensors, tables->m, count, work.X);
  if (!whiten_axes (tables, &work))
    return false;
  whiten_reflect_first (tables, &work);
  for (int c0 = 0; c0 + 1 < d; c0 += LANES_TILE)
    whiten_reflect (tables, &work, c0, true);
  whiten_power (tables, &work, gamma_eigen);
  for (int c0 = (d - 1) / LANES_TILE * LANES_TILE; c0 >= 0; c0 -= LANES_TILE)
    whiten_reflect (tables, &work, c0, false);
  if (gamma_coefficient < 1)
    signed_power ((float *)work.X, tables->m * LANES, gamma_coefficient);
  whiten_store (work.X, tables->m, count, tensors);
  return true;
}

#undef LANES

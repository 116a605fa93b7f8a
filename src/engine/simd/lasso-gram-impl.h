/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Lasso of coding/lasso.h on its active atoms, whose part of H is copied to a compact matrix G: only the lower
 * triangle, because the following operations are bound by cache bandwidth. G is stored in bands of LANES rows; a
 * band is a sequence of square tiles with one register per row, up to the full tile on the diagonal. A pass reads G
 * sequentially and uses each element for its row and for its column. Rows and columns after the last atom are zero,
 * as are x, rho and inverse there, so that they have no effect. Included once for float and once for double.
 */

#define LANES ((int)(VECTOR_BYTES / sizeof (REAL)))
#define TILE (LANES * LANES)

typedef struct
{
  const REAL *H;
  int K;
  REAL t;
  bool is_signed;
  int n;     /* active atoms */
  int bands; /* bands of LANES atoms */
  TosstLassoWork *w;
} NAME (Lasso);

#if defined(__AVX512F__)
#ifndef LASSO_MERGE
#define LASSO_MERGE
/* Permutes the register at `from` by index into the lanes of the mask; other lanes are unchanged. */
static inline __attribute__ ((always_inline)) __m512
merge_float (__m512 into, int mask, const int32_t *index, const float *from)
{
  return _mm512_mask_permutexvar_ps (into, mask, _mm512_load_si512 (index), _mm512_loadu_ps (from));
}

static inline __attribute__ ((always_inline)) __m512d
merge_double (__m512d into, int mask, const int64_t *index, const double *from)
{
  return _mm512_mask_permutexvar_pd (into, mask, _mm512_load_si512 (index), _mm512_loadu_pd (from));
}
#endif
#endif

static inline NAME (Vector) NAME (larger) (NAME (Vector) a, NAME (Vector) b)
{
  REAL u[LANES], v[LANES];
  memcpy (u, &a, sizeof u);
  memcpy (v, &b, sizeof v);
#pragma omp simd
  for (int i = 0; i < LANES; i++)
    u[i] = u[i] > v[i] ? u[i] : v[i];
  memcpy (&a, u, sizeof a);
  return a;
}

static inline NAME (Vector) NAME (smaller) (NAME (Vector) a, NAME (Vector) b)
{
  REAL u[LANES], v[LANES];
  memcpy (u, &a, sizeof u);
  memcpy (v, &b, sizeof v);
#pragma omp simd
  for (int i = 0; i < LANES; i++)
    u[i] = u[i] < v[i] ? u[i] : v[i];
  memcpy (&a, u, sizeof a);
  return a;
}

/* Returns the tile of band b in column c <= b. */
static inline REAL *
NAME (tile) (const NAME (Lasso) * s, int b, int c)
{
  return (REAL *)s->w->G + ((size_t)b * (b + 1) / 2 + c) * TILE;
}

/* Returns a vector whose lane i is the sum of all lanes of rows[i], by pairwise reduction of rows to half sums. */
static inline __attribute__ ((always_inline)) NAME (Vector) NAME (sum_lanes) (const NAME (Vector) * rows)
{
  typedef INTEGER Lanes __attribute__ ((vector_size (VECTOR_BYTES)));
  static const INTEGER numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
  NAME (Vector) sum[LANES];
  Lanes lane;
  memcpy (&lane, numbers, sizeof lane);
  for (int i = 0; i < LANES; i++)
    sum[i] = rows[i];
#pragma GCC unroll 8
  for (int d = LANES / 2; d > 0; d /= 2)
    {
      Lanes upper = (lane & d) != 0;
      Lanes left = lane + (upper & (LANES - d)), right = lane + (upper & LANES) + (~upper & d);
#pragma GCC unroll 16
      for (int i = 0; i < d; i++)
        sum[i] = SHUFFLE_TWO (sum[i], sum[i + d], left) + SHUFFLE_TWO (sum[i], sum[i + d], right);
    }
  return sum[0];
}

#if defined(__AVX512F__)

/* Determines the pieces of a copied row: the elements of one register of a row of H that go to one register of the
 * copy. Their lane indices are stored in L. */
static void
NAME (plan_pieces) (NAME (Lasso) * s)
{
  const int *active = s->w->active;
  TosstLassoPiece *piece = s->w->piece;
  INTEGER *index = s->w->L;
  int pieces = 0;
  for (int c = 0; c < s->bands; c++)
    {
      s->w->first[c] = pieces;
      for (int l = 0, block = -1; l < LANES && c * LANES + l < s->n; l++)
        {
          int k = active[c * LANES + l];
          if (k / LANES != block)
            {
              block = k / LANES;
              /* The last register of a row ends at its last column. */
              piece[pieces].from = block * LANES < s->K - LANES ? block * LANES : s->K - LANES;
              piece[pieces++].mask = 0;
            }
          piece[pieces - 1].mask |= 1 << l;
          index[(pieces - 1) * LANES + l] = k - piece[pieces - 1].from;
        }
    }
  s->w->first[s->bands] = pieces;
}

/* Returns the row of H of active atom a; an arbitrary row for padding. */
static inline const REAL *
NAME (row_of) (const NAME (Lasso) * s, int a)
{
  return s->H + (size_t)s->w->active[a < s->n ? a : 0] * s->K;
}

/* Copies COPIED_ABREAST rows of a band by pieces, up to its diagonal tile. */
static void
NAME (merge_rows) (const NAME (Lasso) * s, int b, int row, REAL *band)
{
  const TosstLassoPiece *piece = s->w->piece;
  const INTEGER *index = s->w->L;
  const REAL *h[COPIED_ABREAST];
  typedef typeof (NAME (merge) ((NAME (Vector)){ 0 }, 0, index, h[0])) Wide;
  for (int i = 0; i < COPIED_ABREAST; i++)
    h[i] = NAME (row_of) (s, b * LANES + row + i);
  for (int c = 0; c <= b; c++)
    {
      Wide out[COPIED_ABREAST] = { { 0 } };
      for (int p = s->w->first[c]; p < s->w->first[c + 1]; p++)
        {
#pragma GCC unroll 8
          for (int i = 0; i < COPIED_ABREAST; i++)
            out[i] = NAME (merge) (out[i], piece[p].mask, index + p * LANES, h[i] + piece[p].from);
        }
      for (int i = 0; i < COPIED_ABREAST; i++)
        *(NAME (Vector) *)(band + c * TILE + (row + i) * LANES) = (NAME (Vector))out[i];
    }
}
#endif

/* Copies the rows of H for the active atoms of a band, up to the diagonal tile. */
static void
NAME (gather_band) (NAME (Lasso) * s, int b)
{
  const int *active = s->w->active;
  int end = (b + 1) * LANES, count = end < s->n ? end : s->n, rows = count - b * LANES;
  REAL *band = NAME (tile) (s, b, 0);
#if defined(__AVX512F__)
  if (s->K >= LANES)
    {
      for (int i = 0; i < rows; i += COPIED_ABREAST)
        NAME (merge_rows) (s, b, i, band);
      return;
    }
#endif
  for (int i = 0; i < rows; i++)
    {
      int a = b * LANES + i;
      const REAL *h = s->H + (size_t)active[a] * s->K;
      const REAL *ahead = s->H + (size_t)active[a + ROWS_AHEAD < s->n ? a + ROWS_AHEAD : a] * s->K;
      for (int c = 0; c < count; c++)
        {
          __builtin_prefetch (ahead + active[c]);
          band[c / LANES * TILE + i * LANES + c % LANES] = h[active[c]];
        }
    }
}

/* Zeroes the padding after the last active atom. */
static void
NAME (clear_padding) (NAME (Lasso) * s)
{
  REAL *x = s->w->x, *rho = s->w->rho, *inverse = s->w->inverse, *diagonal = s->w->diagonal;
  int last = s->bands - 1;
  for (int a = s->n; a < s->bands * LANES; a++)
    {
      x[a] = rho[a] = inverse[a] = diagonal[a] = 0;
      for (int c = 0; c < s->bands; c++)
        for (int i = 0; i < LANES; i++)
          NAME (tile) (s, last, c)[a % LANES * LANES + i] = 0;
      for (int i = 0; i < LANES; i++)
        NAME (tile) (s, last, last)[i * LANES + a % LANES] = 0;
    }
}

/* Copies H on the active atoms to G. */
static void
NAME (gather) (NAME (Lasso) * s)
{
  REAL *x = s->w->x, *inverse = s->w->inverse, *diagonal = s->w->diagonal;
#if defined(__AVX512F__)
  if (s->K >= LANES)
    NAME (plan_pieces) (s);
#endif
  for (int b = 0; b < s->bands; b++)
    NAME (gather_band) (s, b);
  for (int a = 0; a < s->n; a++)
    {
      diagonal[a] = NAME (tile) (s, a / LANES, a / LANES)[a % LANES * (LANES + 1)];
      inverse[a] = diagonal[a] > SMALLEST ? 1 / diagonal[a] : 0;
      /* A zero atom is excluded. */
      x[a] = inverse[a] != 0 ? x[a] : 0;
    }
  NAME (clear_padding) (s);
}

/* Moves an atom to an earlier position, overwriting the atom there. */
static void
NAME (move_atom) (NAME (Lasso) * s, int from, int to)
{
  REAL *x = s->w->x, *rho = s->w->rho, *inverse = s->w->inverse, *diagonal = s->w->diagonal;
  int in = to / LANES, i = to % LANES, out = from / LANES, o = from % LANES;
  x[to] = x[from];
  rho[to] = rho[from];
  inverse[to] = inverse[from];
  diagonal[to] = diagonal[from];
  s->w->active[to] = s->w->active[from];
  for (int c = 0; c <= in; c++)
    *(NAME (Vector) *)(NAME (tile) (s, in, c) + i * LANES) = *(NAME (Vector) *)(NAME (tile) (s, out, c) + o * LANES);
  REAL *corner = NAME (tile) (s, in, in);
  corner[i * LANES + i] = diagonal[to];
  for (int l = 0; l < LANES; l++)
    corner[l * LANES + i] = corner[i * LANES + l];
  for (int b = in + 1; b < s->bands; b++)
    {
      const REAL *row = NAME (tile) (s, out, b) + o * LANES, *column = NAME (tile) (s, b, out) + o;
      REAL *left = NAME (tile) (s, b, in) + i;
      for (int l = 0; l < LANES; l++)
        left[l * LANES] = b < out ? row[l] : column[l * LANES];
    }
}

/* Removes atoms with a zero coefficient and a residual below `bound` from the active set, which shortens passes. */
static void
NAME (shrink) (NAME (Lasso) * s, REAL bound)
{
  const REAL *x = s->w->x, *rho = s->w->rho;
  char *stays = s->w->state;
  int first = 0, last = s->n - 1, count = 0;
  for (int a = 0; a < s->n; a++)
    {
      stays[a] = (x[a] != 0) | (rho[a] > bound) | (s->is_signed & (rho[a] < -bound));
      count += stays[a];
    }
  if (count > s->n - LANES)
    return;
  for (;; first++, last--)
    {
      while (first < count && stays[first])
        first++;
      while (last >= count && !stays[last])
        last--;
      if (first >= count)
        break;
      NAME (move_atom) (s, last, first);
    }
  s->n = count;
  s->bands = (count + LANES - 1) / LANES;
  NAME (clear_padding) (s);
}

/* rho -= contribution of the steps of the atoms of a tile's rows to the residuals of its columns. */
static inline __attribute__ ((always_inline)) void
NAME (push) (REAL *rho, const REAL *tile, const NAME (Vector) * step)
{
  NAME (Vector) even = *(NAME (Vector) *)rho, odd = { 0 };
#pragma GCC unroll 16
  for (int j = 0; j < LANES; j += 2)
    {
      even -= step[j] * *(const NAME (Vector) *)(tile + j * LANES);
      odd += step[j + 1] * *(const NAME (Vector) *)(tile + (j + 1) * LANES);
    }
  *(NAME (Vector) *)rho = even - odd;
}

/* sum += rows of a tile times values of its columns, lane by lane. */
static inline __attribute__ ((always_inline)) void
NAME (pull) (NAME (Vector) * sum, const REAL *tile, NAME (Vector) value)
{
#pragma GCC unroll 16
  for (int j = 0; j < LANES; j++)
    sum[j] += value * *(const NAME (Vector) *)(tile + j * LANES);
}

/* One pass of coordinate descent over the atoms of a band, whose residuals stay in a register: the step of a
 * coordinate is the median of (rho - t) / g, -x and (rho + t) / g, or the larger of the first two if alpha >= 0.
 * Returns all steps; step[j] is that of lane j in every lane. The steps form a dependency chain, which is kept
 * short: the contribution of all but the last step to a coordinate is broadcast and scaled before the last step is
 * known, whose contribution is then subtracted. */
static inline __attribute__ ((always_inline)) NAME (Vector)
    NAME (sweep_band) (NAME (Lasso) * s, int b, NAME (Vector) * step)
{
  typedef NAME (Vector) Vector;
  typedef INTEGER Mask __attribute__ ((vector_size (VECTOR_BYTES), may_alias));
  const REAL *tile = NAME (tile) (s, b, b);
  Vector *x = (Vector *)s->w->x + b, *rho = (Vector *)s->w->rho + b, inverse = ((Vector *)s->w->inverse)[b];
  Vector r = *rho, back = -*x, steps = { 0 };
  Vector threshold = s->t * inverse, low = SHUFFLE_ONE (r * inverse - threshold, (Mask){ 0 });
#pragma GCC unroll 16
  for (int j = 0; j < LANES; j++)
    {
      Mask lane, all = (Mask){ 0 } + j;
      Vector most = SHUFFLE_ONE (back, all);
      if (s->is_signed)
        most = NAME (smaller) (low + 2 * SHUFFLE_ONE (threshold, all), most);
      step[j] = NAME (larger) (low, most);
      if (j + 1 < LANES)
        {
          Vector scale = SHUFFLE_ONE (inverse, all + 1), t = SHUFFLE_ONE (threshold, all + 1);
          low = SHUFFLE_ONE (r, all + 1) * scale - t;
          low -= step[j] * (scale * tile[j * LANES + j + 1]);
        }
      r -= step[j] * *(const Vector *)(tile + j * LANES);
      for (int i = 0; i < LANES; i++)
        lane[i] = i == j ? -1 : 0;
      steps = (Vector)((Mask)steps | ((Mask)step[j] & lane));
    }
  *rho = r;
  *x = steps - back;
  return steps;
}

/* One pass of coordinate descent. Returns the largest change of a residual by a step on its own coordinate: its
 * violation, or less if the step ended at zero. The contributions of steps to later residuals are accumulated per
 * band, mostly interleaved with the dependency chain of the band before it. */
static REAL
NAME (sweep) (NAME (Lasso) * s)
{
  REAL *rho = s->w->rho, most = 0;
  const NAME (Vector) *diagonal = s->w->diagonal;
  NAME (Vector) worst = { 0 }, step[LANES], *steps = s->w->delta, sum[LANES] = { { 0 } };
  for (int b = 0; b < s->bands; b++)
    {
      if (b > 0)
        NAME (pull) (sum, NAME (tile) (s, b, b - 1), steps[b - 1]);
      ((NAME (Vector) *)rho)[b] -= NAME (sum_lanes) (sum);
      steps[b] = NAME (sweep_band) (s, b, step);
      for (int i = 0; i < LANES; i++)
        sum[i] = (NAME (Vector)){ 0 };
      for (int c = 0; c < b && b + 1 < s->bands; c++)
        NAME (pull) (sum, NAME (tile) (s, b + 1, c), steps[c]);
      NAME (Vector) change = steps[b] * diagonal[b];
      worst = NAME (larger) (worst, NAME (larger) (change, -change));
      for (int c = 0; c < b; c++)
        NAME (push) (rho + c * LANES, NAME (tile) (s, b, c), step);
    }
  for (int i = 0; i < LANES; i++)
    most = worst[i] > most ? worst[i] : most;
  return most;
}

/* out += columns of a tile times p of its rows; sum as in pull(). Each row is loaded once: without KEEP it would be
 * loaded for either use, and the addresses of p would occupy registers needed for sums. */
static inline __attribute__ ((always_inline)) void
NAME (push_and_pull) (const REAL *tile, const REAL *p, NAME (Vector) value, NAME (Vector) * out, NAME (Vector) * sum)
{
  NAME (Vector) part[4] = { *out };
  KEEP (p, "r");
  KEEP (tile, "r");
#pragma GCC unroll 16
  for (int j = 0; j < LANES; j++)
    {
      NAME (Vector) row = *(const NAME (Vector) *)(tile + j * LANES);
      KEEP (row, VECTOR_REGISTER);
      part[j % 4] += p[j] * row;
      sum[j] += value * row;
    }
  *out = (part[0] + part[1]) + (part[2] + part[3]);
}

/* out = G p */
static void
NAME (multiply) (const NAME (Lasso) * s, const REAL *p, REAL *out)
{
  NAME (Vector) *to = (NAME (Vector) *)out;
  const NAME (Vector) *value = (const NAME (Vector) *)p;
  for (int b = 0; b < s->bands; b++)
    {
      NAME (Vector) sum[LANES] = { { 0 } };
      for (int c = 0; c < b; c++)
        NAME (push_and_pull) (NAME (tile) (s, b, c), p + b * LANES, value[c], to + c, sum);
      NAME (pull) (sum, NAME (tile) (s, b, b), value[b]);
      to[b] = NAME (sum_lanes) (sum);
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solver of the Lasso in coding/lasso.h, in rounds: the residual of a code over all atoms certifies it or names the
 * worst violators, and with these the active set is solved anew. Only the code goes from round to round, so that the
 * residuals of many codes can be made together, which then read H once. A warm start is never made worse. Included once
 * for float and once for double.
 */

#include "simd/lasso-gram-impl.h"

#include "simd/lasso-face-impl.h"

/* Columns of H in one pass over the codes; registers of them that are summed side by side. */
#define COLUMNS 64
#define SIDE_BY_SIDE 4

/* Numbers of a code, or flags, that are looked at together. */
#define GLANCE 32

/* Non-zeros of all codes to a row of H, from which on this is worth its time. */
#define DENSE_FROM 4

/* Violators that are taken in at a time, where there are more. */
#define FEWEST_TAKEN 48

/* Atoms this near the threshold are taken in with those above it, for they often follow. */
#define NEAR ((REAL)0.85)

/* With more violators than this part of a code more will come: what the round is to leave of the violation, and passes
 * of coordinate descent before a step on the support. The same where not even all of them are taken in. */
#define MANY_FROM 32
#define MANY_LEAVE ((REAL)0.02)
#define MANY_PASSES 6
#define CROWDED_LEAVE ((REAL)0.2)
#define CROWDED_PASSES 20

/* The part of the tolerance to which the last rounds solve: a residual computed afresh is a little different. */
#define LAST_LEAVES ((REAL)0.5)
#define LAST_PASSES 3

/* May lie anywhere. */
typedef REAL NAME (Loose) __attribute__ ((vector_size (VECTOR_BYTES), aligned (sizeof (REAL)), may_alias));

/* r = q - H alpha in a few registers of columns; the code is given by its non-zeros. Those at even and odd places are
 * summed apart, for a sum waits for the one before. */
static inline __attribute__ ((always_inline)) void
NAME (residual_columns) (const REAL *H, size_t K, const REAL *q, const int *index, const REAL *value, int count,
                         int vectors, REAL *r)
{
  NAME (Vector) even[SIDE_BY_SIDE], odd[SIDE_BY_SIDE];
  for (int v = 0; v < vectors; v++)
    {
      even[v] = ((const NAME (Loose) *)q)[v];
      odd[v] = (NAME (Vector)){ 0 };
    }
  int i = 0;
  for (; i + 2 <= count; i += 2)
    {
      const NAME (Loose) *row = (const NAME (Loose) *)(H + index[i] * K);
      const NAME (Loose) *next = (const NAME (Loose) *)(H + index[i + 1] * K);
      for (int v = 0; v < vectors; v++)
        {
          even[v] -= value[i] * row[v];
          odd[v] += value[i + 1] * next[v];
        }
    }
  if (i < count)
    for (int v = 0; v < vectors; v++)
      even[v] -= value[i] * ((const NAME (Loose) *)(H + index[i] * K))[v];
  for (int v = 0; v < vectors; v++)
    ((NAME (Loose) *)r)[v] = even[v] - odd[v];
}

static void
NAME (residual_tile) (const REAL *H, size_t K, const REAL *q, const int *index, const REAL *value, int count, int width,
                      REAL *r)
{
  int c = 0;
  for (; c + SIDE_BY_SIDE * LANES <= width; c += SIDE_BY_SIDE * LANES)
    NAME (residual_columns) (H + c, K, q + c, index, value, count, SIDE_BY_SIDE, r + c);
  for (; c + LANES <= width; c += LANES)
    NAME (residual_columns) (H + c, K, q + c, index, value, count, 1, r + c);
  for (; c < width; c++)
    {
      REAL sum = q[c];
      for (int i = 0; i < count; i++)
        sum -= value[i] * H[index[i] * K + c];
      r[c] = sum;
    }
}

/* Whether some bytes, a multiple of 8, are not all zero. */
static inline bool
NAME (any_set) (const void *bytes, size_t n)
{
  uint64_t all = 0, word;
  for (size_t i = 0; i < n; i += sizeof word)
    {
      memcpy (&word, (const char *)bytes + i, sizeof word);
      all |= word;
    }
  return all != 0;
}

/* The non-zeros of the codes in the named rows, one after the other. Where codes are short most of them is passed by in
 * steps of GLANCE. No branches otherwise, here and below: they would be guessed wrong for every other non-zero. */
static void
NAME (list_codes) (const REAL *alpha, size_t K, const int *row, int rows, TosstLassoWork *work)
{
  REAL *value = work->value;
  size_t n = 0;
  for (int i = 0; i < rows; i++)
    {
      const REAL *a = alpha + row[i] * K;
      work->start[i] = n;
      for (size_t first = 0; first < K; first += GLANCE)
        {
          size_t end = first + GLANCE < K ? first + GLANCE : K;
          if (end - first == GLANCE && !NAME (any_set) (a + first, sizeof *a * GLANCE))
            continue;
          for (size_t k = first; k < end; k++)
            {
              work->index[n] = k;
              value[n] = a[k];
              n += a[k] != 0;
            }
        }
    }
  work->start[rows] = n;
}

/* Fetches part i of n of some columns of H. */
static inline void
NAME (fetch_columns) (const REAL *H, size_t K, int i, int n)
{
  for (size_t k = K * i / n; k < K * (i + 1) / n; k++)
    for (size_t c = 0; c < COLUMNS; c += 64 / sizeof (REAL))
      __builtin_prefetch (H + k * K + c, 0, 2);
}

/* Where codes are dense some columns of H stay in the second cache while all codes pass by, and the next ones are fetched
 * meanwhile; else code by code. What a row receives is the same, and does not depend on the others. */
static void
NAME (lasso_residuals) (const REAL *H, int K, const REAL *q, const REAL *alpha, const int *row, int rows, REAL *r,
                        TosstLassoWork *work)
{
  const REAL *value = work->value;
  NAME (list_codes) (alpha, K, row, rows, work);
  bool dense = work->start[rows] >= DENSE_FROM * (size_t)K;
  int columns = dense ? COLUMNS : K;
  for (int c = 0; c < K; c += columns)
    for (int i = 0; i < rows; i++)
      {
        size_t place = (size_t)row[i] * K + c, first = work->start[i];
        if (dense && c + 2 * COLUMNS <= K)
          NAME (fetch_columns) (H + c + COLUMNS, K, i, rows);
        NAME (residual_tile)
        (H + c, K, q + place, work->index + first, value + first, work->start[i + 1] - first,
         K - c < columns ? K - c : columns, r + place);
      }
}

/* What a residual says of a code. */
typedef struct
{
  REAL worst;    /* violation */
  int support;   /* atoms in the code, */
  int violators; /* out of it and violating, */
  int near;      /* out of it and near that or more */
} NAME (Verdict);

/* How far r is from what optimality asks: r = t sign (x), or |r| (signed) or r (alpha >= 0) at most t where x = 0. */
static NAME (Verdict) NAME (judge) (const NAME (Lasso) * s, const REAL *r, const REAL *x, REAL limit, REAL near)
{
  REAL worst = 0, t = s->t, mirror = s->is_signed ? -1 : 1;
  int support = 0, violators = 0, nearby = 0;
#pragma omp simd reduction(max : worst) reduction(+ : support, violators, nearby)
  for (int k = 0; k < s->K; k++)
    {
      REAL size = r[k] < 0 ? mirror * r[k] : r[k], off = r[k] - (x[k] > 0 ? t : -t);
      REAL held = off < 0 ? -off : off, v = x[k] != 0 ? held : size - t;
      worst = v > worst ? v : worst;
      support += x[k] != 0;
      violators += x[k] == 0 && size > limit;
      nearby += x[k] == 0 && size > near;
    }
  return (NAME (Verdict)){ worst, support, violators, nearby };
}

/* Moves the largest `wanted` of the listed violators to the front (quickselect by |r|). */
static void
NAME (select_worst) (const REAL *r, int *list, int count, int wanted)
{
  int low = 0, high = count - 1;
  while (low < high)
    {
      REAL pivot = r[list[(low + high) / 2]] < 0 ? -r[list[(low + high) / 2]] : r[list[(low + high) / 2]];
      int i = low, j = high;
      while (i <= j)
        {
          while ((r[list[i]] < 0 ? -r[list[i]] : r[list[i]]) > pivot)
            i++;
          while ((r[list[j]] < 0 ? -r[list[j]] : r[list[j]]) < pivot)
            j--;
          if (i <= j)
            {
              int swap = list[i];
              list[i++] = list[j];
              list[j--] = swap;
            }
        }
      if (wanted <= j)
        high = j;
      else if (wanted >= i)
        low = i;
      else
        return;
    }
}

/* Flags the atoms of the code and up to `wanted` others, those with the largest residuals above the limit, of which there
 * are `count`. */
static void
NAME (choose) (NAME (Lasso) * s, const REAL *r, const REAL *x, REAL limit, int count, int wanted)
{
  REAL mirror = s->is_signed ? -1 : 1;
  char *state = s->w->state;
  int *list = s->w->list, n = 0;
#pragma omp simd
  for (int k = 0; k < s->K; k++)
    {
      REAL size = r[k] < 0 ? mirror * r[k] : r[k];
      state[k] = (x[k] != 0) | (size > limit);
    }
  if (count <= wanted)
    return;
  for (int first = 0; first < s->K; first += GLANCE)
    {
      int end = first + GLANCE < s->K ? first + GLANCE : s->K;
      if (end - first == GLANCE && !NAME (any_set) (state + first, GLANCE))
        continue;
      for (int k = first; k < end; k++)
        {
          list[n] = k;
          n += state[k] & (x[k] == 0);
        }
    }
  NAME (select_worst) (r, list, n, wanted);
  for (int i = wanted; i < n; i++)
    state[list[i]] = 0;
}

/* The flagged atoms become active. */
static void
NAME (activate) (NAME (Lasso) * s, const REAL *r, const REAL *alpha)
{
  int *active = s->w->active, n = 0;
  REAL *x = s->w->x, *rho = s->w->rho;
  for (int first = 0; first < s->K; first += GLANCE)
    {
      int end = first + GLANCE < s->K ? first + GLANCE : s->K;
      if (end - first == GLANCE && !NAME (any_set) (s->w->state + first, GLANCE))
        continue;
      for (int k = first; k < end; k++)
        {
          active[n] = k;
          n += s->w->state[k];
        }
    }
  s->n = n;
  s->bands = (n + LANES - 1) / LANES;
  for (int a = 0; a < n; a++)
    {
      x[a] = alpha[active[a]];
      rho[a] = r[active[a]];
    }
}

/* The active set of a round. */
static void
NAME (take_in) (NAME (Lasso) * s, const REAL *r, const REAL *alpha, const NAME (Verdict) * verdict, REAL limit,
                REAL near)
{
  int most = verdict->support > FEWEST_TAKEN ? verdict->support : FEWEST_TAKEN, some = verdict->support / 3 + 8;
  int violators = verdict->violators;
  if (violators > most || violators == 0)
    NAME (choose) (s, r, alpha, limit, violators, most);
  else
    NAME (choose) (s, r, alpha, near, verdict->near, violators > some ? violators : some);
  NAME (activate) (s, r, alpha);
  NAME (gather) (s);
}

/* Exact values would be wasted while many atoms are still to come. */
static void
NAME (improve) (NAME (Lasso) * s, const NAME (Verdict) * verdict, REAL tolerance)
{
  int most = verdict->support > FEWEST_TAKEN ? verdict->support : FEWEST_TAKEN;
  REAL worst = verdict->worst;
  if (verdict->violators > most && worst * CROWDED_LEAVE > tolerance)
    NAME (minimise) (s, worst * CROWDED_LEAVE, CROWDED_PASSES);
  else if (verdict->violators * MANY_FROM > verdict->support && worst * MANY_LEAVE > tolerance)
    NAME (minimise) (s, worst * MANY_LEAVE, MANY_PASSES);
  else
    NAME (minimise) (s, tolerance * LAST_LEAVES, LAST_PASSES);
}

/* Measures a code with residual r. Beyond the tolerance it is improved. */
static double
NAME (lasso_round) (const REAL *H, int K, const REAL *r, REAL t, bool is_signed, REAL tolerance, REAL *alpha,
                    TosstLassoWork *work)
{
  NAME (Lasso) s = { .H = H, .K = K, .t = t, .is_signed = is_signed, .w = work };
  REAL limit = t + tolerance, near = NEAR * t;
  NAME (Verdict) verdict = NAME (judge) (&s, r, alpha, limit, near);
  if (verdict.worst <= tolerance)
    return verdict.worst;
  NAME (take_in) (&s, r, alpha, &verdict, limit, near);
  NAME (improve) (&s, &verdict, tolerance);
  const REAL *x = work->x;
  memset (alpha, 0, sizeof *alpha * K);
  for (int a = 0; a < s.n; a++)
    alpha[work->active[a]] = x[a];
  return verdict.worst;
}

/* What is returned is measured on a residual computed afresh. */
static double
NAME (lasso) (const REAL *H, int K, const REAL *q, REAL t, bool is_signed, REAL tolerance, REAL *alpha,
              TosstLassoWork *work)
{
  static const int first = 0;
  double worst = 0;
  for (int round = 0; round <= TOSST_LASSO_ROUNDS; round++)
    {
      NAME (lasso_residuals) (H, K, q, alpha, &first, 1, work->r, work);
      worst = NAME (lasso_round) (H, K, work->r, t, is_signed, round < TOSST_LASSO_ROUNDS ? tolerance : INFINITY, alpha,
                                  work);
      if (worst <= tolerance)
        break;
    }
  return worst;
}

#undef COLUMNS
#undef SIDE_BY_SIDE
#undef DENSE_FROM
#undef GLANCE
#undef FEWEST_TAKEN
#undef NEAR
#undef MANY_FROM
#undef MANY_LEAVE
#undef MANY_PASSES
#undef CROWDED_LEAVE
#undef CROWDED_PASSES
#undef LAST_LEAVES
#undef LAST_PASSES
#undef LANES
#undef TILE
#undef SMALLEST
#undef BEYOND

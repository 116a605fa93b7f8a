/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solver of the Lasso in coding/lasso.h: an active set that grows by the worst violators; on it, coordinate descent
 * finds the signs and Newton steps (Cholesky of the support's block) the values. Every step lowers the objective, so a
 * warm start is never made worse. Included once for float and once for double.
 */

typedef struct
{
  const REAL *H;
  const REAL *q;
  int K;
  REAL t, tolerance;
  bool is_signed;
  int n;  /* size of the active set */
  int ld; /* row length of G */
  TosstLassoWork *w;
} NAME (Lasso);

/* How far r is from what optimality asks at a coordinate with value x. */
static inline REAL
NAME (violation) (const NAME (Lasso) * s, REAL x, REAL r)
{
  REAL v = x > 0 ? r - s->t : x < 0 ? -r - s->t : (s->is_signed && r < 0 ? -r : r) - s->t;
  return x != 0 && v < 0 ? -v : v > 0 ? v : 0;
}

/* r = q - H x over all atoms. */
static void
NAME (residual) (NAME (Lasso) * s)
{
  REAL *restrict r = s->w->r;
  const REAL *x = s->w->x;
  int K = s->K, *list = s->w->list, count = 0;
  memcpy (r, s->q, sizeof *r * K);
  for (int a = 0; a < s->n; a++)
    if (x[a] != 0)
      list[count++] = a;
  int i = 0;
  for (; i + 4 <= count; i += 4)
    {
      const REAL *h0 = s->H + (size_t)s->w->active[list[i]] * K, *h1 = s->H + (size_t)s->w->active[list[i + 1]] * K;
      const REAL *h2 = s->H + (size_t)s->w->active[list[i + 2]] * K, *h3 = s->H + (size_t)s->w->active[list[i + 3]] * K;
      REAL x0 = x[list[i]], x1 = x[list[i + 1]], x2 = x[list[i + 2]], x3 = x[list[i + 3]];
#pragma omp simd
      for (int k = 0; k < K; k++)
        r[k] -= (x0 * h0[k] + x1 * h1[k]) + (x2 * h2[k] + x3 * h3[k]);
    }
  for (; i < count; i++)
    {
      const REAL *h = s->H + (size_t)s->w->active[list[i]] * K;
      REAL xi = x[list[i]];
#pragma omp simd
      for (int k = 0; k < K; k++)
        r[k] -= xi * h[k];
    }
}

static void
NAME (gather_residual) (NAME (Lasso) * s)
{
  const REAL *r = s->w->r;
  REAL *rho = s->w->rho;
  for (int a = 0; a < s->n; a++)
    rho[a] = r[s->w->active[a]];
  for (int a = s->n; a < s->ld; a++)
    rho[a] = 0;
}

/* Copies H on active atoms first .. n - 1, rows and columns, into G; all of it when the rows must get longer. */
static void
NAME (gather_gram) (NAME (Lasso) * s, int first)
{
  REAL *G = s->w->G;
  REAL *inverse = s->w->inverse;
  const int *active = s->w->active;
  int n = s->n;
  if (n > s->ld)
    {
      int ld = 64;
      while (ld < n)
        ld *= 2;
      int most = (s->K + 15) / 16 * 16;
      s->ld = ld < most ? ld : most;
      first = 0;
    }
  for (int a = first; a < n; a++)
    {
      const REAL *h = s->H + (size_t)active[a] * s->K;
      REAL *row = G + (size_t)a * s->ld;
      for (int b = 0; b < n; b++)
        row[b] = h[active[b]];
      for (int b = n; b < s->ld; b++)
        row[b] = 0;
      for (int b = 0; b < first; b++)
        G[(size_t)b * s->ld + a] = row[b];
      inverse[a] = row[a] > 0 ? 1 / row[a] : 0;
    }
}

static void
NAME (activate) (NAME (Lasso) * s, int k, REAL x)
{
  s->w->position[k] = s->n;
  s->w->active[s->n] = k;
  ((REAL *)s->w->x)[s->n++] = x;
}

/* Drops coordinates that are zero and satisfied, so that sweeps and copies stay short. */
static void
NAME (prune) (NAME (Lasso) * s)
{
  REAL *x = s->w->x, *rho = s->w->rho, *G = s->w->G, *inverse = s->w->inverse;
  int *active = s->w->active, *keep = s->w->list, kept = 0;
  for (int a = 0; a < s->n; a++)
    if (x[a] != 0 || NAME (violation) (s, 0, rho[a]) > 0)
      keep[kept++] = a;
  if (kept + 8 > s->n)
    return;
  for (int a = 0; a < s->n; a++)
    s->w->position[active[a]] = -1;
  for (int i = 0; i < kept; i++)
    {
      int a = keep[i];
      active[i] = active[a];
      s->w->position[active[i]] = i;
      x[i] = x[a];
      rho[i] = rho[a];
      inverse[i] = inverse[a];
      REAL *to = G + (size_t)i * s->ld;
      const REAL *from = G + (size_t)a * s->ld;
      for (int j = 0; j < kept; j++)
        to[j] = from[keep[j]];
    }
  for (int i = 0; i < kept; i++)
    for (int j = kept; j < s->n; j++)
      G[(size_t)i * s->ld + j] = 0;
  for (int j = kept; j < s->n; j++)
    rho[j] = 0;
  s->n = kept;
}

/* rho -= step * row over the padded active set. */
static inline void
NAME (subtract_row) (REAL *restrict rho, const REAL *restrict row, REAL step, int n)
{
  REAL *r = __builtin_assume_aligned (rho, VECTOR_BYTES);
  const REAL *g = __builtin_assume_aligned (row, VECTOR_BYTES);
#pragma omp simd
  for (int i = 0; i < n; i++)
    r[i] -= step * g[i];
}

/* One pass of coordinate descent; returns the largest change of a residual that a step on its own coordinate made: what
 * it violated, or less where the step ended at zero. No branch but for steps of zero: passes are what dense codes spend
 * their time in. */
static REAL
NAME (sweep) (NAME (Lasso) * s)
{
  REAL *x = s->w->x, *rho = s->w->rho, worst = 0;
  const REAL *G = s->w->G, *inverse = s->w->inverse;
  const REAL t = s->t, negative = s->is_signed;
  int padded = (s->n + 15) / 16 * 16;
  for (int a = 0; a < s->n; a++)
    {
      const REAL *row = G + (size_t)a * s->ld;
      /* Minimiser of the coordinate: soft threshold of g x + rho, over g. */
      REAL z = row[a] * x[a] + rho[a], above = z - t, below = z + t;
      REAL soft = (above > 0 ? above : 0) + negative * (below < 0 ? below : 0);
      REAL target = soft * inverse[a], step = target - x[a];
      REAL change = step * row[a];
      change = change < 0 ? -change : change;
      worst = change > worst ? change : worst;
      if (step != 0)
        {
          x[a] = target;
          NAME (subtract_row) (rho, row, step, padded);
        }
    }
  return worst;
}

/* The support, its Gram block into L, factored. Returns the length of a row of L, 0 if the block is not numerically
 * positive definite. */
static int
NAME (factor) (NAME (Lasso) * s, int *size)
{
  REAL *L = s->w->L;
  const REAL *x = s->w->x, *G = s->w->G;
  int *support = s->w->list, n = 0;
  for (int a = 0; a < s->n; a++)
    if (x[a] != 0)
      support[n++] = a;
  int ld = (n + 15) / 16 * 16;
  for (int i = 0; i < n; i++)
    {
      const REAL *row = G + (size_t)support[i] * s->ld;
      for (int j = i; j < n; j++)
        L[(size_t)i * ld + j] = row[support[j]];
    }
  *size = n;
  return n > 0 && NAME (cholesky) (L, ld, n) ? ld : 0;
}

/* step = G delta over the active set, delta given on the support. */
static void
NAME (multiply) (NAME (Lasso) * s, int size)
{
  REAL *step = s->w->step;
  const REAL *delta = s->w->delta;
  memset (step, 0, sizeof *step * s->ld);
  for (int i = 0; i < size; i++)
    NAME (subtract_row) (step, (const REAL *)s->w->G + (size_t)s->w->list[i] * s->ld, -delta[i], (s->n + 15) / 16 * 16);
}

/* delta' G delta - 2 e' delta on the support: how much the objective changes by the step, with e = rho - t sign (x). */
static REAL
NAME (change) (NAME (Lasso) * s, int size)
{
  const REAL *x = s->w->x, *rho = s->w->rho, *delta = s->w->delta, *step = s->w->step;
  REAL sum = 0;
  for (int i = 0; i < size; i++)
    {
      int a = s->w->list[i];
      sum += delta[i] * (step[a] - 2 * (rho[a] - (x[a] > 0 ? s->t : -s->t)));
    }
  return sum;
}

/* Minimises over the support: a Newton step, cut where a coordinate would change its sign. First all coordinates that
 * would cross zero are set to zero together, which is often right; if that raises the objective the step ends at the
 * first crossing. Returns false if there was nothing to gain or no factorisation; *whole says that no coordinate was
 * cut. */
static bool
NAME (newton) (NAME (Lasso) * s, bool *whole)
{
  REAL *x = s->w->x, *rho = s->w->rho, *delta = s->w->delta, *step = s->w->step;
  int *support = s->w->list, size;
  *whole = false;
  int ld = NAME (factor) (s, &size);
  if (ld == 0)
    return false;
  for (int i = 0; i < size; i++)
    delta[i] = rho[support[i]] - (x[support[i]] > 0 ? s->t : -s->t);
  NAME (cholesky_solve) (s->w->L, ld, size, delta);

  REAL first = 1;
  int crossing = 0;
  for (int i = 0; i < size; i++)
    {
      REAL here = x[support[i]], there = here + delta[i];
      if ((here > 0) != (there > 0))
        {
          crossing++;
          REAL theta = here / (here - there);
          first = theta < first ? theta : first;
        }
    }
  *whole = crossing == 0;
  REAL *full = s->w->L; /* the factor has done its work */
  if (crossing)
    {
      memcpy (full, delta, sizeof *delta * size);
      for (int i = 0; i < size; i++)
        {
          REAL here = x[support[i]], there = here + delta[i];
          if ((here > 0) != (there > 0))
            delta[i] = -here;
        }
    }
  NAME (multiply) (s, size);
  if (crossing && !(NAME (change) (s, size) < 0))
    {
      for (int i = 0; i < size; i++)
        delta[i] = first * full[i];
      NAME (multiply) (s, size);
    }
  else if (!crossing && !(NAME (change) (s, size) < 0))
    return false;

  for (int i = 0; i < size; i++)
    {
      int a = support[i];
      REAL there = x[a] + delta[i];
      x[a] = (x[a] > 0) == (there > 0) ? there : 0;
    }
  for (int a = 0; a < s->n; a++)
    rho[a] -= step[a];
  return true;
}

/* Solves on the active set to the given violation; passes of coordinate descent before each Newton step. */
static void
NAME (minimise) (NAME (Lasso) * s, REAL target, int passes)
{
  for (int round = 0; round < 60; round++)
    {
      for (int i = 0; i < passes; i++)
        if (NAME (sweep) (s) <= target)
          return;
      bool whole = false;
      for (int i = 0; i < 4 && !whole; i++)
        if (!NAME (newton) (s, &whole))
          break;
    }
}

/* The largest violation over all atoms; inactive violators above the tolerance are listed. */
static REAL
NAME (check) (NAME (Lasso) * s, int *count)
{
  const REAL *r = s->w->r, *x = s->w->x;
  REAL worst = 0, limit = s->t + s->tolerance;
  int n = 0, *list = s->w->list;
  for (int a = 0; a < s->n; a++)
    {
      REAL v = NAME (violation) (s, x[a], r[s->w->active[a]]);
      worst = v > worst ? v : worst;
    }
  for (int k = 0; k < s->K; k++)
    {
      REAL size = s->is_signed && r[k] < 0 ? -r[k] : r[k];
      if (size > limit && s->w->position[k] < 0)
        list[n++] = k;
    }
  for (int i = 0; i < n; i++)
    {
      REAL v = NAME (violation) (s, 0, r[list[i]]);
      worst = v > worst ? v : worst;
    }
  *count = n;
  return worst;
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

/* Grows the active set until no atom violates optimality; what it returns is measured on a residual computed afresh. */
static double
NAME (lasso) (const REAL *H, int K, const REAL *q, REAL t, bool is_signed, REAL tolerance, REAL *alpha,
              TosstLassoWork *work)
{
  NAME (Lasso) s = { .H = H, .q = q, .K = K, .t = t, .tolerance = tolerance, .is_signed = is_signed, .w = work };
  REAL *r = work->r, *x = work->x, worst = 0;
  for (int k = 0; k < K; k++)
    work->position[k] = -1;
  for (int k = 0; k < K; k++)
    if (alpha[k] != 0)
      NAME (activate) (&s, k, alpha[k]);
  NAME (gather_gram) (&s, 0);

  for (int outer = 0;; outer++)
    {
      int count;
      NAME (residual) (&s);
      worst = NAME (check) (&s, &count);
      if (worst <= tolerance || outer == MOST_OUTER)
        break;
      NAME (gather_residual) (&s);
      int wanted = s.n > 48 ? s.n : 48;
      if (count > wanted)
        NAME (select_worst) (r, work->list, count, wanted);
      else
        wanted = count;
      int before = s.n, *list = work->list;
      for (int i = 0; i < wanted; i++)
        if (H[(size_t)list[i] * K + list[i]] > 0)
          NAME (activate) (&s, list[i], 0);
      NAME (gather_gram) (&s, before);
      NAME (gather_residual) (&s);
      /* While many atoms are still to come, exact values would be wasted. */
      bool early = count > wanted / 2 && worst * (REAL)0.2 > tolerance;
      if (early)
        NAME (minimise) (&s, worst * (REAL)0.2, 20);
      else
        NAME (minimise) (&s, tolerance * (REAL)0.3, 3);
      NAME (prune) (&s);
    }

  memset (alpha, 0, sizeof *alpha * K);
  for (int a = 0; a < s.n; a++)
    alpha[work->active[a]] = x[a];
  return worst;
}

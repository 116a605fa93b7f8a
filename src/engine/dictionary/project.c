/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projections onto the constraint sets of equation (5).
 *
 * PSD with bounded trace: with S = U diag (mu) U', the projection of S onto {B PSD, tr B <= 1} is U diag (nu) U'
 * where nu is the projection of mu onto the simplex cap {nu >= 0, sum nu <= 1}. For rank <= R only the R largest mu
 * are projected, which gives a nearest point of this non-convex set.
 */
#include <lapacke.h>
#include <stdint.h>

#include "engine/base/base.h"
#include "engine/dictionary/tuning.h"
#include "engine/simd/kernels.h"
#include "tosst/dictionary.h"
#include "tosst/tensor.h"

/* Projection for problem (2): the super-symmetric tensor x nearest to y whose slices X_s = X[:,:,s] are all PSD with
 * trace at most 1,
 *
 *     min  ||x - y||^2 / 2     X_s(x) PSD,   t_s = 1 - tr X_s(x) >= 0,   s = 1..d.
 *
 * With multipliers Z_s PSD for the slices and z_s >= 0 for the traces, and a_s the gradient of tr X_s, the
 * conditions
 *
 *     x - y - sum_s X_s*(Z_s) + sum_s z_s a_s = 0,   X_s Z_s = nu I,   t_s z_s = nu
 *
 * are solved for decreasing nu by a primal-dual interior point method (Mehrotra's predictor and corrector; the
 * direction of Helmberg, Kojima and Monteiro). It takes 10 to 20 steps for any y, without a warm start; alternating
 * projections (Dykstra) take thousands of iterations if slices of the solution lose rank. Every iterate, including
 * the solution, is super-symmetric, because only the packed entries are unknowns, and strictly inside the set. Its
 * objective is within sum_s <X_s, Z_s> + t_s z_s of the minimum. */

/* Arrays over slices are d x d x d, slice by slice; arrays over packed entries have m elements. */
typedef struct
{
  int d, m;
  double *inverse_weight;            /* m: factor from packed values to entries of the tensor */
  double *X, *Z;                     /* slices and their multipliers */
  double *dX, *dZ;                   /* the step */
  double *R;                         /* X_s^{-1} */
  double *mixed;                     /* corrector term: sym (dZ dX R) of the predictor */
  double *scratch;                   /* d x d, twice */
  double *t, *z, *dt, *dz, *mixed_z; /* d each */
  double *x, *dx, *residual;         /* m each */
  double *H;                         /* m x m, lower triangle */
  int *place;                        /* d x D: packed entry of pair (i <= j) of slice s */
} Interior;

size_t
tosst_project_whole_work (int d)
{
  size_t n = d, m = tosst_packed_size (d);
  return 6 * n * n * n + 2 * n * n + 5 * n + 4 * m + m * m + n * n * (n + 1) / 2;
}

static void
lay_out (Interior *self, int d, double *work)
{
  size_t n = d, slices = n * n * n;
  int m = (int)tosst_packed_size (d);
  self->d = d;
  self->m = m;
  double **by_slice[] = { &self->X, &self->Z, &self->dX, &self->dZ, &self->R, &self->mixed };
  double **by_entry[] = { &self->inverse_weight, &self->x, &self->dx, &self->residual };
  double **by_side[] = { &self->t, &self->z, &self->dt, &self->dz, &self->mixed_z };
  for (int i = 0; i < 6; i++, work += slices)
    *by_slice[i] = work;
  for (int i = 0; i < 4; i++, work += m)
    *by_entry[i] = work;
  for (int i = 0; i < 5; i++, work += n)
    *by_side[i] = work;
  self->scratch = work;
  self->H = self->scratch + 2 * n * n;
  self->place = (int *)(self->H + (size_t)m * m);

  double *weight = self->inverse_weight;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++)
        *weight++ = 1 / sqrt (i == j && j == k ? 1 : i == j || j == k ? 3 : 6);
  int *place = self->place;
  for (int s = 0; s < d; s++)
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++)
        *place++ = (int)tosst_packed_index (d, i, j, s);
}

/* Expands the packed tensor x to slices, full matrices. */
static void
to_slices (const Interior *self, const double *x, double *slices)
{
  int d = self->d;
  const int *place = self->place;
  for (int s = 0; s < d; s++, slices += d * d)
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++, place++)
        slices[i * d + j] = slices[j * d + i] = x[*place] * self->inverse_weight[*place];
}

/* out += factor times the adjoint of to_slices() at symmetric matrices. */
static void
add_adjoint (const Interior *self, double factor, const double *slices, double *out)
{
  int d = self->d;
  const int *place = self->place;
  for (int s = 0; s < d; s++, slices += d * d)
    for (int i = 0; i < d; i++)
      for (int j = i; j < d; j++, place++)
        out[*place] += (i == j ? factor : 2 * factor) * self->inverse_weight[*place] * slices[i * d + j];
}

/* out += sum_s factor value_s a_s */
static void
add_traces (const Interior *self, double factor, const double *value, double *out)
{
  int d = self->d;
  for (int s = 0; s < d; s++)
    for (int i = 0; i < d; i++)
      {
        size_t entry = tosst_packed_index (d, i, i, s);
        out[entry] += factor * value[s] * self->inverse_weight[entry];
      }
}

static void
traces (int d, const double *slices, double *out)
{
  for (int s = 0; s < d; s++, slices += d * d)
    {
      out[s] = 0;
      for (int i = 0; i < d; i++)
        out[s] += slices[i * d + i];
    }
}

/* Factorises L L' = A + step dA + shift I, lower; dA may be NULL. Returns false if the matrix is not positive
 * definite. */
static bool
factor (int d, const double *A, const double *dA, double step, double shift, double *L)
{
  double inverse[TOSST_FULL_SIDE];
  for (int i = 0; i < d; i++)
    for (int j = 0; j <= i; j++)
      {
        double sum = A[i * d + j] + (dA ? step * dA[i * d + j] : 0) + (i == j ? shift : 0);
        for (int k = 0; k < j; k++)
          sum -= L[i * d + k] * L[j * d + k];
        if (i > j)
          L[i * d + j] = sum * inverse[j];
        else if (sum > 0)
          inverse[i] = 1 / (L[i * d + i] = sqrt (sum));
        else
          return false;
      }
  return true;
}

/* out = (L L')^{-1}, both triangles; L is replaced by its inverse. */
static void
invert (int d, double *L, double *out)
{
  for (int j = 0; j < d; j++)
    {
      L[j * d + j] = 1 / L[j * d + j];
      for (int i = j + 1; i < d; i++)
        {
          double sum = 0;
          for (int k = j; k < i; k++)
            sum -= L[i * d + k] * L[k * d + j];
          L[i * d + j] = sum / L[i * d + i];
        }
    }
  for (int i = 0; i < d; i++)
    for (int j = 0; j <= i; j++)
      {
        double sum = 0;
        for (int k = i; k < d; k++)
          sum += L[k * d + i] * L[k * d + j];
        out[i * d + j] = out[j * d + i] = sum;
      }
}

/* Whether the packed tensor v is inside the set. */
static bool
is_inside (Interior *self, const double *v)
{
  int d = self->d;
  to_slices (self, v, self->X);
  traces (d, self->X, self->t);
  for (int s = 0; s < d; s++)
    if (!(self->t[s] <= 1) || !factor (d, self->X + (size_t)s * d * d, NULL, 0, WHOLE_ROUNDING, self->scratch))
      return false;
  return true;
}

/* Starting point in the interior of the set: the mean of u (x) u (x) u for u in {0, 1}^d with independent fair
 * entries, scaled to traces of 1/2. */
static void
start (Interior *self, const double *y)
{
  int d = self->d;
  double trace = 0.5 + 0.25 * (d - 1), distance = 0;
  for (int i = 0, entry = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++, entry++)
        self->x[entry] = 0.5 / trace * ldexp (1, -1 - (j > i) - (k > j)) / self->inverse_weight[entry];
  for (int i = 0; i < self->m; i++)
    distance += (self->x[i] - y[i]) * (self->x[i] - y[i]);
  to_slices (self, self->x, self->X);
  /* Multipliers on the central path, with nu proportional to an estimate of the distance. */
  double nu = 0.1 * fmax (sqrt (distance), 0.1) / d;
  for (int s = 0; s < d; s++)
    {
      double *Z = self->Z + (size_t)s * d * d;
      factor (d, self->X + (size_t)s * d * d, NULL, 0, 0, self->scratch);
      invert (d, self->scratch, Z);
      for (int i = 0; i < d * d; i++)
        Z[i] *= nu;
      self->t[s] = 0.5;
      self->z[s] = nu / self->t[s];
    }
}

/* Computes R and H = I + sum_s X_s*(sym (Z_s X_s(.) R_s)) + sum_s z_s / t_s a_s a_s', factored. */
static bool
assemble (Interior *self)
{
  int d = self->d, m = self->m, D = d * (d + 1) / 2;
  memset (self->H, 0, sizeof *self->H * m * m);
  for (int i = 0; i < m; i++)
    self->H[(size_t)i * m + i] = 1;
  for (int s = 0; s < d; s++)
    {
      const double *Z = self->Z + (size_t)s * d * d, *weight = self->inverse_weight;
      double *R = self->R + (size_t)s * d * d, ratio = self->z[s] / self->t[s];
      const int *place = self->place + (size_t)s * D;
      if (!factor (d, self->X + (size_t)s * d * d, NULL, 0, 0, self->scratch))
        return false;
      invert (d, self->scratch, R);
      /* With E_p = e_i e_j' + e_j e_i' (halved for i = j): tr (E_p Z E_q R), symmetric in p and q. */
      for (int i = 0, p = 0; i < d; i++)
        for (int j = i; j < d; j++, p++)
          for (int k = 0, q = 0; k < d && q <= p; k++)
            for (int l = k; l < d && q <= p; l++, q++)
              {
                double value = Z[j * d + k] * R[l * d + i] + Z[j * d + l] * R[k * d + i] + Z[i * d + k] * R[l * d + j]
                               + Z[i * d + l] * R[k * d + j];
                if (i == j)
                  value *= 0.5;
                if (k == l)
                  value *= 0.5;
                if (i == j && k == l)
                  value += ratio;
                value *= weight[place[p]] * weight[place[q]];
                /* Within one slice the packed indices increase with the pairs. */
                self->H[(size_t)place[q] * m + place[p]] += value;
              }
    }
  return LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', m, self->H, m) == 0;
}

/* out = sym (Z dX R) */
static void
mix (int d, const double *Z, const double *dX, const double *R, double *work, double *out)
{
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      {
        double sum = 0;
        for (int k = 0; k < d; k++)
          sum += Z[i * d + k] * dX[k * d + j];
        work[i * d + j] = sum;
      }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      {
        double sum = 0;
        for (int k = 0; k < d; k++)
          sum += work[i * d + k] * R[k * d + j];
        out[i * d + j] = sum;
      }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < i; j++)
      out[i * d + j] = out[j * d + i] = 0.5 * (out[i * d + j] + out[j * d + i]);
}

/* Newton step to the point of the central path at nu, including second-order terms (mixed). */
static void
direction (Interior *self, const double *y, double nu)
{
  int d = self->d, m = self->m, square = d * d;
  double *goal = self->dZ, *goal_z = self->dz; /* nu R - mixed, nu / t - mixed */
  for (int i = 0; i < d * square; i++)
    goal[i] = nu * self->R[i] - self->mixed[i];
  for (int s = 0; s < d; s++)
    goal_z[s] = nu / self->t[s] - self->mixed_z[s];
  for (int i = 0; i < m; i++)
    self->dx[i] = y[i] - self->x[i];
  add_adjoint (self, 1, goal, self->dx);
  add_traces (self, -1, goal_z, self->dx);
  LAPACKE_dpotrs_work (LAPACK_COL_MAJOR, 'L', m, 1, self->H, m, self->dx, m);

  to_slices (self, self->dx, self->dX);
  traces (d, self->dX, self->dt);
  for (int s = 0; s < d; s++)
    {
      size_t at = (size_t)s * square;
      double *change = self->scratch + square;
      mix (d, self->Z + at, self->dX + at, self->R + at, self->scratch, change);
      for (int i = 0; i < square; i++)
        self->dZ[at + i] += -self->Z[at + i] - change[i];
      self->dz[s] += -self->z[s] + self->z[s] / self->t[s] * self->dt[s];
      self->dt[s] = -self->dt[s];
    }
}

static bool
stays_inside (const Interior *self, double step)
{
  int d = self->d;
  for (int s = 0; s < d; s++)
    if (!(self->t[s] + step * self->dt[s] > 0) || !(self->z[s] + step * self->dz[s] > 0))
      return false;
  for (int s = 0; s < d; s++)
    {
      size_t at = (size_t)s * d * d;
      if (!factor (d, self->X + at, self->dX + at, step, 0, self->scratch)
          || !factor (d, self->Z + at, self->dZ + at, step, 0, self->scratch))
        return false;
    }
  return true;
}

/* Step length, at most 1, that ends inside the boundary; determined by bisection. */
static double
step_length (const Interior *self, int halvings)
{
  double inside = 0, outside = 1 / WHOLE_NEARLY;
  if (stays_inside (self, outside))
    return 1;
  for (int i = 0; i < 40 && (i < halvings || inside == 0); i++)
    {
      double middle = 0.5 * (inside + outside);
      *(stays_inside (self, middle) ? &inside : &outside) = middle;
    }
  return WHOLE_NEARLY * inside;
}

/* Duality gap sum_s <X_s, Z_s> + t_s z_s after a step. */
static double
complementarity (const Interior *self, double step)
{
  int d = self->d;
  double sum = 0;
  for (int i = 0; i < d * d * d; i++)
    sum += (self->X[i] + step * self->dX[i]) * (self->Z[i] + step * self->dZ[i]);
  for (int s = 0; s < d; s++)
    sum += (self->t[s] + step * self->dt[s]) * (self->z[s] + step * self->dz[s]);
  return sum;
}

/* One predictor-corrector iteration. Returns false if rounding permits no further step. */
static bool
advance (Interior *self, const double *y, double nu)
{
  int d = self->d, cells = d * d * d;
  if (!assemble (self))
    return false;
  memset (self->mixed, 0, sizeof *self->mixed * cells);
  memset (self->mixed_z, 0, sizeof *self->mixed_z * d);
  direction (self, y, 0);
  double step = step_length (self, 3), reached = complementarity (self, step) / (d * (d + 1)) / nu;
  for (int s = 0; s < d; s++)
    {
      size_t at = (size_t)s * d * d;
      mix (d, self->dZ + at, self->dX + at, self->R + at, self->scratch, self->mixed + at);
      self->mixed_z[s] = self->dt[s] * self->dz[s] / self->t[s];
    }
  direction (self, y, fmin (reached * reached * reached, 1) * nu);
  step = step_length (self, 6);
  if (!(step > 1e-8))
    return false;
  for (int i = 0; i < self->m; i++)
    self->x[i] += step * self->dx[i];
  for (int i = 0; i < d * d * d; i++)
    self->Z[i] += step * self->dZ[i];
  for (int s = 0; s < d; s++)
    self->z[s] += step * self->dz[s];
  to_slices (self, self->x, self->X);
  traces (d, self->X, self->t);
  for (int s = 0; s < d; s++)
    self->t[s] = 1 - self->t[s];
  return true;
}

/* Returns ||x - y||^2; *residual: the norm of the first optimality condition. */
static double
measure (Interior *self, const double *y, double *residual)
{
  double distance = 0, sum = 0;
  for (int i = 0; i < self->m; i++)
    {
      self->residual[i] = self->x[i] - y[i];
      distance += self->residual[i] * self->residual[i];
    }
  add_adjoint (self, -1, self->Z, self->residual);
  add_traces (self, 1, self->z, self->residual);
  for (int i = 0; i < self->m; i++)
    sum += self->residual[i] * self->residual[i];
  *residual = sqrt (sum);
  return distance;
}

TosstStatus
tosst_project_whole (int d, double *v, double *work)
{
  TOSST_REQUIRE (NULL, v && work);
  Interior self;
  memset (work, 0, sizeof *work * tosst_project_whole_work (d));
  lay_out (&self, d, work);
  if (is_inside (&self, v))
    return TOSST_OK;
  start (&self, v);
  double before = INFINITY;
  for (int i = 0, stalled = 0; i < WHOLE_STEPS; i++)
    {
      double residual, distance = measure (&self, v, &residual), gap = complementarity (&self, 0);
      double relative = (gap + residual) / (1 + distance);
      if (!isfinite (relative))
        return TOSST_ERROR_NUMERIC;
      stalled += relative <= WHOLE_ROUNDING_GAP && relative > 0.5 * before;
      if (relative <= WHOLE_GAP || stalled == 3 || !advance (&self, v, gap / (d * (d + 1))))
        break;
      before = relative;
    }
  memcpy (v, self.x, sizeof *v * self.m);
  return TOSST_OK;
}

/* Threshold t >= 0 with sum max (u_i - t, 0) = 1, for u >= 0 with sum > 1: t computed from all elements is too
 * small, as is t of the elements above it, until no element drops out. The iteration ends when their number does not
 * decrease, because rounding could make it cycle. */
static double
simplex_threshold (const double *u, int n)
{
  double t = 0;
  for (int before = n + 1;;)
    {
      double sum = 0;
      int above = 0;
      for (int i = 0; i < n; i++)
        {
          sum += u[i] > t ? u[i] : 0;
          above += u[i] > t;
        }
      if (above == 0 || above >= before)
        return t;
      t = (sum - 1) / above;
      before = above;
    }
}

void
tosst_project_l1 (double *b, int n, bool nonnegative, double *work)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (nonnegative && b[i] < 0)
        b[i] = 0;
      work[i] = fabs (b[i]);
      sum += work[i];
    }
  if (sum <= 1)
    return;
  double t = simplex_threshold (work, n);
  for (int i = 0; i < n; i++)
    b[i] = copysign (fmax (fabs (b[i]) - t, 0), b[i]);
}

/* Workspace of the projection of a d x d matrix; rows are stride apart. */
typedef struct
{
  size_t stride;
  double *mu;   /* d: eigenvalues, ascending; later those of the projection */
  double *U;    /* their eigenvectors, as rows; initially the matrix */
  double *V;    /* unsorted eigenvectors; later those of the projection times their eigenvalues */
  double *B;    /* the projection; initially the unsorted eigenvalues */
  double *work; /* workspace of the eigensolver */
} Spectrum;

static Spectrum
spectrum_in (int d, double *work)
{
  size_t stride = tosst_grain (d);
  double *mu = (double *)(((uintptr_t)work + 63) / 64 * 64), *U = mu + stride;
  return (Spectrum){ stride, mu, U, U + d * stride, U + 2 * d * stride, U + 3 * d * stride };
}

size_t
tosst_project_atom_work (int d)
{
  size_t stride = tosst_grain (d);
  return TOSST_GRAIN + stride + 3 * d * stride + TOSST_EIGEN_WORK (stride);
}

static void
project_frobenius (double *v, int D)
{
  double norm = 0;
  for (int i = 0; i < D; i++)
    norm += v[i] * v[i];
  norm = sqrt (norm);
  if (norm > 1)
    for (int i = 0; i < D; i++)
      v[i] /= norm;
}

/* Computes S = sum_r mu_r u_r u_r', mu ascending. */
static TosstStatus
diagonalise (int d, const double *v, const Spectrum *self)
{
  size_t stride = self->stride;
  double *S = self->U, *values = self->B;
  memset (S, 0, sizeof *S * d * stride);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, v++)
      S[i * stride + j] = S[j * stride + i] = i == j ? *v : *v * M_SQRT1_2;
  if (!tosst_kernels ()->symmetric_eigen (S, d, stride, self->V, values, self->work))
    return TOSST_ERROR_NUMERIC;
  for (int r = 0; r < d; r++)
    {
      int rank = 0;
      for (int other = 0; other < d; other++)
        rank += values[other] < values[r] || (values[other] == values[r] && other < r);
      self->mu[rank] = values[r];
      memcpy (self->U + rank * stride, self->V + r * stride, sizeof *S * stride);
    }
  return TOSST_OK;
}

/* Computes B = sum_r mu_r u_r u_r' over the positive mu only. */
static void
rebuild (int d, const Spectrum *self, double *v)
{
  size_t stride = self->stride;
  int32_t offset[d];
  int terms = 0;
  for (int r = d - 1; r >= 0 && self->mu[r] > 0; r--, terms++)
    {
      const double *u = self->U + r * stride;
      offset[terms] = r * stride;
      for (int i = 0; i < d; i++)
        self->V[terms * stride + i] = self->mu[r] * u[i];
    }
  tosst_kernels ()->product_double (self->V, 1, stride, d, self->U, offset, terms, stride, self->B, stride, false);
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      *v++ = self->B[i * stride + j] * (i == j ? 1 : M_SQRT2);
}

TosstStatus
tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work)
{
  TOSST_REQUIRE (NULL, v && (work || scheme == TOSST_SCHEME_FREE));
  if (scheme == TOSST_SCHEME_FREE)
    {
      project_frobenius (v, d * (d + 1) / 2);
      return TOSST_OK;
    }
  Spectrum spectrum = spectrum_in (d, work);
  TOSST_TRY (diagonalise (d, v, &spectrum));
  /* Only the top rank of the eigenvalues, which are ascending, is projected onto the simplex cap. */
  double *mu = spectrum.mu, sum = 0;
  int first = scheme == TOSST_SCHEME_LOW_RANK && rank < d ? d - rank : 0;
  for (int i = 0; i < d; i++)
    {
      if (i < first || mu[i] < 0)
        mu[i] = 0;
      sum += mu[i];
    }
  double t = sum > 1 ? simplex_threshold (mu, d) : 0;
  for (int i = 0; i < d && sum > 1; i++)
    mu[i] = fmax (mu[i] - t, 0);
  rebuild (d, &spectrum, v);
  return TOSST_OK;
}

TosstStatus
tosst_atom_set_normalise (const TosstAtomSet *set, double *v, bool *exists, double *work)
{
  TOSST_REQUIRE (NULL, set && v && exists && work);
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  int rank = set->scheme == TOSST_SCHEME_LOW_RANK && set->rank < d ? set->rank : d;
  Spectrum spectrum = spectrum_in (d, work);
  double size = 0, *mu = spectrum.mu;
  if (set->scheme == TOSST_SCHEME_FREE)
    size = tosst_atom_set_size (set, v);
  else if (diagonalise (d, v, &spectrum) != TOSST_OK)
    return TOSST_ERROR_NUMERIC;
  else
    {
      for (int i = 0; i < d; i++)
        size += mu[i] = i < d - rank ? 0 : fmax (mu[i], 0);
      rebuild (d, &spectrum, v);
    }
  *exists = size > 0;
  for (int p = 0; p < D && *exists; p++)
    v[p] /= size;
  return isfinite (size) ? TOSST_OK : TOSST_ERROR_NUMERIC;
}

const char *
tosst_atom_set_check (const TosstAtomSet *set)
{
  int side = set->shape.d1 < set->shape.d2 ? set->shape.d1 : set->shape.d2;
  if ((unsigned)set->scheme > TOSST_SCHEME_FULL)
    return "the scheme of the atoms is unknown";
  if (set->scheme == TOSST_SCHEME_FULL && set->shape.kind != TOSST_SHAPE_WHOLE)
    return "atoms that are whole tensors (dictionary.scheme=full) need super-symmetric third-order tensors";
  if (set->scheme != TOSST_SCHEME_FULL && set->shape.kind == TOSST_SHAPE_WHOLE)
    return "whole third-order atoms are learned by the scheme full";
  if (set->scheme != TOSST_SCHEME_FREE && set->shape.kind == TOSST_SHAPE_GENERAL)
    return "general tensors have slices that are not symmetric and need free atoms: set dictionary.scheme=free";
  if (set->scheme == TOSST_SCHEME_FULL && set->shape.d1 > TOSST_FULL_SIDE)
    return "whole third-order atoms (dictionary.scheme=full) are for sides up to 10: they have d(d+1)(d+2)/6 numbers "
           "each";
  if (set->scheme == TOSST_SCHEME_LOW_RANK && (set->rank < 1 || set->rank > side))
    return "the rank R must be between 1 and d";
  return NULL;
}

size_t
tosst_atom_set_work (const TosstAtomSet *set)
{
  return set->scheme == TOSST_SCHEME_FULL ? tosst_project_whole_work (set->shape.d1)
                                          : tosst_project_atom_work (set->shape.d1);
}

TosstStatus
tosst_atom_set_project (const TosstAtomSet *set, double *v, double *work)
{
  TOSST_REQUIRE (NULL, set && v);
  switch (set->scheme)
    {
    case TOSST_SCHEME_FREE:
      project_frobenius (v, tosst_shape_slice_length (set->shape));
      return TOSST_OK;
    case TOSST_SCHEME_FULL:
      return tosst_project_whole (set->shape.d1, v, work);
    case TOSST_SCHEME_PSD:
    case TOSST_SCHEME_LOW_RANK:
    default:
      return tosst_project_atom (set->scheme, set->rank, set->shape.d1, v, work);
    }
}

double
tosst_atom_set_size (const TosstAtomSet *set, const double *v)
{
  int d = set->shape.d1, D = tosst_shape_slice_length (set->shape);
  double size = 0;
  if (set->scheme == TOSST_SCHEME_FREE)
    {
      for (int p = 0; p < D; p++)
        size += v[p] * v[p];
      return sqrt (size);
    }
  if (set->scheme == TOSST_SCHEME_FULL)
    {
      for (int s = 0; s < d; s++)
        {
          double trace = 0;
          for (int i = 0; i < d; i++)
            trace += v[tosst_packed_index (d, i, i, s)] / (i == s ? 1 : sqrt (3));
          size = fmax (size, trace);
        }
      return size;
    }
  for (int i = 0, p = 0; i < d; p += d - i++)
    size += v[p];
  return size;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projections onto the constraint sets of equation (5).
 *
 * PSD with bounded trace: with S = U diag (mu) U', the projection of S onto {B PSD, tr B <= 1} is U diag (nu) U' where
 * nu is the projection of mu onto the simplex cap {nu >= 0, sum nu <= 1}. For rank <= R only the R largest mu take
 * part: the best point of that (non-convex) set.
 */
#include "dictionary/project.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/layout.h"

static int
descending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The t >= 0 for which sum max (u_i - t, 0) = 1, u >= 0 sorted downwards with sum > 1. */
static double
simplex_threshold (const double *u, int n)
{
  double sum = 0, t = 0;
  for (int i = 0; i < n; i++)
    {
      sum += u[i];
      double candidate = (sum - 1) / (i + 1);
      if (u[i] <= candidate)
        break;
      t = candidate;
    }
  return t;
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
  qsort (work, n, sizeof *work, descending);
  double t = simplex_threshold (work, n);
  for (int i = 0; i < n; i++)
    b[i] = copysign (fmax (fabs (b[i]) - t, 0), b[i]);
}

size_t
tosst_project_atom_work (int d)
{
  size_t n = d;
  /* Matrix, eigenvalues and LAPACK's own: dsyevd wants 1 + 6 n + 2 n^2 doubles and 3 + 5 n integers. */
  return n * n + n + (1 + 6 * n + 2 * n * n) + (3 + 5 * n);
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

/* Eigenvalues (ascending) to the simplex cap, only the top rank of them. */
static void
project_spectrum (double *mu, int d, int rank)
{
  double sum = 0;
  for (int i = 0; i < d; i++)
    {
      if (i < d - rank || mu[i] < 0)
        mu[i] = 0;
      sum += mu[i];
    }
  if (sum <= 1)
    return;
  double t = 0, total = 0;
  for (int i = d - 1; i >= 0; i--)
    {
      total += mu[i];
      double candidate = (total - 1) / (d - i);
      if (mu[i] <= candidate)
        break;
      t = candidate;
    }
  for (int i = 0; i < d; i++)
    mu[i] = fmax (mu[i] - t, 0);
}

TosstStatus
tosst_project_atom (TosstScheme scheme, int rank, int d, double *v, double *work)
{
  int D = d * (d + 1) / 2;
  if (scheme == TOSST_SCHEME_FREE)
    {
      project_frobenius (v, D);
      return TOSST_OK;
    }

  double *U = work, *mu = U + d * d, *lapack = mu + d;
  int lwork = 1 + 6 * d + 2 * d * d, liwork = 3 + 5 * d;
  tosst_vec_to_matrix (d, v, U);
  if (LAPACKE_dsyevd_work (LAPACK_COL_MAJOR, 'V', 'U', d, U, d, mu, lapack, lwork, (lapack_int *)(lapack + lwork),
                           liwork)
      != 0)
    return TOSST_ERROR_NUMERIC;
  project_spectrum (mu, d, scheme == TOSST_SCHEME_LOW_RANK && rank < d ? rank : d);

  /* B = sum_r nu_r u_r u_r', over the positive nu only. */
  memset (v, 0, sizeof *v * D);
  for (int r = d - 1; r >= 0 && mu[r] > 0; r--)
    {
      const double *u = U + (size_t)r * d;
      double *out = v;
      for (int i = 0; i < d; i++)
        {
          double diagonal = mu[r] * u[i], beside = diagonal * M_SQRT2;
          *out++ += diagonal * u[i];
          for (int j = i + 1; j < d; j++)
            *out++ += beside * u[j];
        }
    }
  return TOSST_OK;
}

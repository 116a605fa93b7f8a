/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Second-order pooling, after Koniusz, Yan, Gosselin & Mikolajczyk, "Higher-order occurrence pooling for
 * bags-of-words" (2016), here on codes of tensors: with the codes a_1 .. a_N of a sample as rows of A (N x K),
 *     M = A' A / N = V diag (e) V',   M <- V diag (e^p) V'.
 * Atoms without a code leave rows and columns of zeros, which are left out. For fewer codes than atoms M has the
 * eigenvalues of G = A A' / N = U diag (e) U', which is smaller, and
 *     V diag (e^p) V' = A' U diag (e^(p - 1)) U' A / N.
 * Both are computed in float64: with p below 1 the rounding of float32, 1e-7 of the largest eigenvalue, would become
 * a hundredth of it in each direction that codes do not have.
 */
#include "tosst/pool.h"

#include <lapacke.h>
#include <limits.h>

#include "engine/base/base.h"
#include "engine/pooling/private.h"

size_t
tosst_pool_pairs (int K)
{
  return (size_t)K * ((size_t)K + 1) / 2;
}

static const float *
code_of (const float *codes, int K, const size_t *index, size_t i)
{
  return codes + (index ? index[i] : i) * (size_t)K;
}

/* Lists the atoms that some code has; returns their number. A NaN counts as a code. */
static int
find_used (const float *codes, int K, const size_t *index, size_t n, int *used)
{
  int count = 0;

  for (int k = 0; k < K; k++)
    used[k] = 0;
  for (size_t i = 0; i < n; i++)
    {
      const float *code = code_of (codes, K, index, i);

      for (int k = 0; k < K; k++)
        used[k] |= code[k] != 0.0f;
    }
  for (int k = 0; k < K; k++)
    if (used[k])
      used[count++] = k;
  return count;
}

/* A / sqrt (N) with the power of the codes: n columns of `count` used atoms. */
static void
gather (const float *codes, int K, const size_t *index, size_t n, const int *used, int count, double code_power,
        double *A)
{
  double factor = 1.0 / sqrt ((double)n);

  for (size_t i = 0; i < n; i++)
    {
      const float *code = code_of (codes, K, index, i);

      for (int k = 0; k < count; k++)
        A[i * (size_t)count + (size_t)k] = factor * signed_power (code[used[k]], code_power);
    }
}

/* Scales the eigenvectors (columns of V, side n) by the square root of e^power, the negligible ones left out; returns
 * the first column that is kept. Eigenvalues ascend. */
static int
scale_vectors (int n, double power, const double *e, double *V)
{
  int first = n;

  while (first > 0 && e[first - 1] > SMALLEST_EIGENVALUE * e[n - 1])
    {
      first--;
      cblas_dscal (n, pow (e[first], 0.5 * power), V + (size_t)first * (size_t)n, 1);
    }
  return first;
}

/* The upper triangle of M^p (count x count, column-major) in M; A: count x n. work: as large as both. */
static TosstStatus
raise (int count, int n, double power, const double *A, double *M, double *work)
{
  bool codes = n < count;
  int side = codes ? n : count, first;
  double *V = codes ? work : M, *e = work + (codes ? (size_t)n * (size_t)n : 0), *W = e + side;

  cblas_dsyrk (CblasColMajor, CblasUpper, codes ? CblasTrans : CblasNoTrans, side, codes ? count : n, 1.0, A, count,
               0.0, V, side);
  if (power == 1.0 && !codes)
    return TOSST_OK;
  if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'U', side, V, side, e) != 0)
    return TOSST_ERROR_NUMERIC;
  first = scale_vectors (side, codes ? power - 1.0 : power, e, V);
  V += (size_t)first * (size_t)side;
  if (codes)
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, count, side - first, side, 1.0, A, count, V, side, 0.0, W,
                 count);
  else
    memcpy (W, V, (size_t)(side - first) * (size_t)side * sizeof *W);
  cblas_dsyrk (CblasColMajor, CblasUpper, CblasNoTrans, count, side - first, 1.0, W, count, 0.0, M, count);
  return TOSST_OK;
}

/* Entries i <= j of all K atoms, those off the diagonal times sqrt (2), divided by their norm. */
static void
write_triangle (const double *M, const int *used, int count, int K, int l2, float *out)
{
  double squares = 0.0, factor;

  memset (out, 0, tosst_pool_pairs (K) * sizeof *out);
  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++)
      {
        double value = M[(size_t)j * (size_t)count + (size_t)i];

        squares += (i == j ? 1.0 : 2.0) * value * value;
      }
  factor = l2 && squares > 0.0 ? 1.0 / sqrt (squares) : 1.0;
  for (int i = 0; i < count; i++)
    {
      float *row = out + tosst_pool_pairs (K) - tosst_pool_pairs (K - used[i]) - used[i];

      for (int j = i; j < count; j++)
        row[used[j]] = (float)((i == j ? factor : M_SQRT2 * factor) * M[(size_t)j * (size_t)count + (size_t)i]);
    }
}

TosstStatus
tosst_pool_second_order (const float *codes, int K, const size_t *index, size_t n, double code_power, double power,
                         int l2, float *out)
{
  TOSST_REQUIRE (NULL, codes && out);
  int *used = malloc ((size_t)K * sizeof *used), count;
  TosstStatus status = TOSST_OK;
  double *A, *M, *work;

  if (n == 0 || n > INT_MAX || !(code_power > 0.0) || !(power > 0.0))
    status = TOSST_ERROR_ARGUMENT;
  else if (!used)
    status = TOSST_ERROR_MEMORY;
  count = status == TOSST_OK ? find_used (codes, K, index, n, used) : 0;
  if (status == TOSST_OK && count == 0)
    memset (out, 0, tosst_pool_pairs (K) * sizeof *out);
  if (status != TOSST_OK || count == 0)
    {
      free (used);
      return status;
    }
  size_t side = n < (size_t)count ? n : (size_t)count;
  A = tosst_alloc_aligned (n * (size_t)count, sizeof *A);
  M = tosst_alloc_aligned ((size_t)count * (size_t)count, sizeof *M);
  work = tosst_alloc_aligned (side * side + side + side * (size_t)count, sizeof *work);
  if (!A || !M || !work)
    status = TOSST_ERROR_MEMORY;
  else
    {
      gather (codes, K, index, n, used, count, code_power, A);
      status = raise (count, (int)n, power, A, M, work);
    }
  if (status == TOSST_OK)
    write_triangle (M, used, count, K, l2, out);
  free (A);
  free (M);
  free (work);
  free (used);
  return status;
}

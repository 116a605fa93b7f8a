/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pooling of order 2 of one image on one thread: its time beside that of its product A'A and of its eigenvalue problem
 * alone, for more and for fewer codes than atoms.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "tosst/pool.h"

#define ROUNDS 15

/* Sparse codes: a share of the K numbers of each is not zero. */
static float *
make_codes (size_t n, int K, double share)
{
  float *codes = g_new0 (float, n *(size_t)K);
  GRand *random = g_rand_new_with_seed (1);

  for (size_t i = 0; i < n * (size_t)K; i++)
    if (g_rand_double (random) < share)
      codes[i] = (float)g_rand_double (random);
  g_rand_free (random);
  return codes;
}

static double
time_pooling (const float *codes, size_t n, int K, float *out)
{
  double start = bench_processor_seconds ();

  if (tosst_pool_second_order (codes, K, NULL, n, 0.5, 0.3, TRUE, out) != TOSST_OK)
    g_error ("pooling failed");
  return bench_processor_seconds () - start;
}

/* The smaller of A'A and AA', and its eigenvectors, in float64. */
static double
time_parts (const double *A, size_t n, int K, double *M, double *values)
{
  int side = n < (size_t)K ? (int)n : K;
  double start = bench_processor_seconds ();

  cblas_dsyrk (CblasColMajor, CblasUpper, side < K ? CblasTrans : CblasNoTrans, side, side < K ? K : (int)n, 1, A, K, 0,
               M, side);
  if (LAPACKE_dsyevd (LAPACK_COL_MAJOR, 'V', 'U', side, M, side, values) != 0)
    g_error ("no eigenvalues");
  return bench_processor_seconds () - start;
}

static void
measure (size_t n, int K)
{
  g_autofree float *codes = make_codes (n, K, 0.35), *out = g_new (float, tosst_pool_pairs (K));
  g_autofree double *A = g_new (double, n *(size_t)K), *M = g_new (double, (size_t)K *(size_t)K),
                    *values = g_new (double, K);
  double whole[ROUNDS], parts[ROUNDS];

  for (size_t i = 0; i < n * (size_t)K; i++)
    A[i] = sqrt (codes[i] / (double)n);
  for (int i = 0; i < ROUNDS; i++)
    {
      whole[i] = time_pooling (codes, n, K, out);
      parts[i] = time_parts (A, n, K, M, values);
    }
  double all = bench_median (whole, ROUNDS), least = bench_median (parts, ROUNDS);
  g_print ("%4zu codes, K = %4d: %7.2f ms, %.2f times its product and eigenvalue problem (%.2f ms)\n", n, K, 1e3 * all,
           all / least, 1e3 * least);
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);

  measure (500, 200);
  measure (100, 200);
  measure (1000, 400);
  measure (2000, 1000);
  tosst_context_free (context);
  return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cholesky factors of every number of blocks, whole and not: L L' gives the matrix back to rounding, and threads do not
 * change a bit.
 */
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "engine/base/blas.h"
#include "matrices.h"
#include "objects.h"

static const int sides[] = { 1, 2, 35, 63, 64, 65, 128, 200, 630 };

/* I + X X', n x n, of n random vectors. */
static double *
random_definite (int n)
{
  g_autofree double *X = random_vectors (n, n, 0, 7 + n);
  double *A = g_new0 (double, (gsize)n *n);

  for (int i = 0; i < n; i++)
    A[(gsize)i * n + i] = 1;
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, X, n, X, n, 1, A, n);
  return A;
}

/* The lower triangle of what tosst_cholesky() makes; zeros above. */
static double *
factor (const double *A, int n, int threads)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  double *L = g_memdup2 (A, sizeof *A * n * n);

  assert_ok (tosst_cholesky (context, n, L));
  for (gsize j = 1; j < (gsize)n; j++)
    memset (L + j * n, 0, sizeof *L * j);
  return L;
}

static void
test_product (void)
{
  for (gsize c = 0; c < G_N_ELEMENTS (sides); c++)
    {
      int n = sides[c];
      g_autofree double *A = random_definite (n), *L = factor (A, n, 2);
      double largest = 0, worst = 0;
      for (gsize i = 0; i < (gsize)n * n; i++)
        largest = fmax (largest, fabs (A[i]));
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, L, n, L, n, 1, A, n);
      for (gsize i = 0; i < (gsize)n * n; i++)
        worst = fmax (worst, fabs (A[i]));
      g_assert_cmpfloat (worst, <=, 1e-15 * sqrt (n) * largest);
    }
}

static void
test_threads (void)
{
  for (gsize c = 0; c < G_N_ELEMENTS (sides); c++)
    {
      int n = sides[c];
      g_autofree double *A = random_definite (n), *alone = factor (A, n, 1);
      for (int threads = 2; threads <= 3; threads++)
        {
          g_autofree double *L = factor (A, n, threads);
          g_assert_cmpmem (L, sizeof *L * n * n, alone, sizeof *L * n * n);
        }
    }
}

/* Whichever block it is in, a pivot that is not positive is found. */
static void
test_indefinite (void)
{
  static const int places[] = { 0, 63, 64, 100, 199 };
  int n = 200;

  for (gsize p = 0; p < G_N_ELEMENTS (places); p++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (2);
      g_autofree double *A = random_definite (n);
      A[(gsize)places[p] * n + places[p]] = -1;
      g_assert_cmpint (tosst_cholesky (context, n, A), ==, TOSST_ERROR_NUMERIC);
      g_assert_cmpstr (tosst_context_message (context), ==, "a matrix is not positive definite");
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cholesky/product", test_product);
  g_test_add_func ("/cholesky/threads", test_threads);
  g_test_add_func ("/cholesky/indefinite", test_indefinite);
  return g_test_run ();
}

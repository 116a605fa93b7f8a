/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernels of whitening, every build that the processor can do: signed powers, products and eigenvectors.
 */
#include "builds.h"
#include "whiten-cases.h"

/* Every build against the library's own power, from the smallest numbers to the largest, in every position. */
static void
test_power (void)
{
  const TosstKernels *list[3];
  static const double exponents[] = { 0.01, 0.1, 0.5, 0.73, 0.999 };
  float x[123], y[123];
  TosstRandom random;

  tosst_random_init (&random, 8, 0);
  for (gsize b = 0; b < list_builds (list); b++)
    for (gsize e = 0; e < G_N_ELEMENTS (exponents); e++)
      for (int n = 1; n < 123; n++)
        {
          for (int i = 0; i < 123; i++)
            y[i] = x[i] = (float)((i % 3 ? 1 : -1) * exp (170 * tosst_random_uniform (&random) - 86));
          y[0] = x[0] = n % 2 ? 0.0f : 1.0f;
          list[b]->signed_power (y, (gsize)n, (float)exponents[e]);
          for (int i = 0; i < n; i++)
            {
              double expected = sgn_power (x[i], (float)exponents[e]);
              g_assert_cmpfloat (fabs (y[i] - expected), <=, 1e-5 * fabs (expected));
            }
          for (int i = n; i < 123; i++)
            g_assert_cmpfloat (y[i], ==, x[i]);
        }
}

/* Every build against a loop, at all remainders of rows and columns, rows of the right factor in any order. */
static void
test_products (void)
{
  const TosstKernels *list[3];
  enum
  {
    TERMS = 9,
    STRIDE = 7 * TOSST_GRAIN
  };
  _Alignas(64) static float right[TERMS * STRIDE], out[14 * STRIDE];
  static float left[14 * TERMS];
  int32_t offset[TERMS];
  TosstRandom random;

  tosst_random_init (&random, 9, 0);
  for (int i = 0; i < TERMS * STRIDE; i++)
    right[i] = (float)tosst_random_normal (&random);
  for (int i = 0; i < 14 * TERMS; i++)
    left[i] = (float)tosst_random_normal (&random);
  for (int k = 0; k < TERMS; k++)
    offset[k] = (k * 5 % TERMS) * STRIDE;
  for (gsize b = 0; b < list_builds (list); b++)
    for (int rows = 1; rows <= 14; rows++)
      for (int columns = TOSST_GRAIN; columns <= STRIDE; columns += TOSST_GRAIN)
        for (int add = 0; add <= 1; add++)
          {
            for (int i = 0; i < 14 * STRIDE; i++)
              out[i] = 3;
            /* The left factor is taken by columns here. */
            list[b]->product_float (left, 1, 14, rows, right, offset, TERMS, columns, out, STRIDE, add);
            for (int r = 0; r < 14; r++)
              for (int c = 0; c < STRIDE; c++)
                {
                  double expected = r < rows && c < columns ? (add ? 3 : 0) : 3;
                  for (int k = 0; k < TERMS && r < rows && c < columns; k++)
                    expected += (double)left[r + k * 14] * right[offset[k] + c];
                  g_assert_cmpfloat_with_epsilon (out[r * STRIDE + c], expected, 1e-5);
                }
          }
}

/* A = V' diag (values) V with V orthogonal, to the last few bits of the largest entry. */
static void
assert_eigen (const TosstKernels *kernels, const double *A, int n)
{
  int stride = (n + TOSST_GRAIN - 1) / TOSST_GRAIN * TOSST_GRAIN;
  gsize numbers = n * stride;
  double *copy = g_aligned_alloc0 (2 * numbers + TOSST_EIGEN_WORK (stride), sizeof (double), 64);
  double *V = copy + numbers, *work = V + numbers, size = 0, off = 0, skew = 0;
  g_autofree double *values = g_new (double, n);

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        copy[i * stride + j] = A[i * n + j];
        size = fmax (size, fabs (A[i * n + j]));
      }
  g_assert_true (kernels->symmetric_eigen (copy, n, stride, V, values, work));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        double again = 0, product = 0;
        for (int r = 0; r < n; r++)
          {
            again += values[r] * V[r * stride + i] * V[r * stride + j];
            product += V[i * stride + r] * V[j * stride + r];
          }
        g_assert_true (isfinite (again) && isfinite (product));
        off = fmax (off, fabs (again - A[i * n + j]));
        skew = fmax (skew, fabs (product - (i == j)));
      }
  g_aligned_free (copy);
  g_assert_cmpfloat (off, <=, 1e-15 * n * size);
  g_assert_cmpfloat (skew, <=, fmax (1e-14, 2e-16 * n));
}

/* Entries i <= j of matrices that are not made from their eigenvalues. */
static double
special_entry (TosstRandom *random, int kind, int n, int i, int j)
{
  switch (kind)
    {
    case 3:
      return i == j ? tosst_random_normal (random) : 0;
    case 4:
      return j - i < 2 ? tosst_random_normal (random) : 0;
    case 5:
      return i == j ? abs (n - 1 - 2 * i) / 2. : j - i == 1;
    case 6:
      return 1 + 1e-12 * tosst_random_normal (random);
    case 7:
      return 1e-200 * tosst_random_normal (random);
    case 8:
      return 1e200 * tosst_random_normal (random);
    case 9:
      return i == 0 && j == 0 ? 1 : 1e-170 * tosst_random_normal (random);
    default:
      return 0;
    }
}

/* Full, graded over 24 decades, of three distinct eigenvalues, diagonal, tridiagonal, of nearly equal pairs (Wilkinson's),
 * nearly of rank one, tiny, huge, with tiny rows, and zero matrices, of all small orders and a large one. */
static void
test_eigen (void)
{
  const TosstKernels *list[3];
  TosstRandom random;

  tosst_random_init (&random, 12, 0);
  for (gsize b = 0; b < list_builds (list); b++)
    for (int n = 1; n <= 101; n += n < 41 ? 1 : 60)
      for (int kind = 0; kind < 11; kind++)
        {
          g_autofree double *Q = random_rotation (&random, n), *A = g_new0 (double, n *n);
          for (int r = 0; r < n && kind < 3; r++)
            {
              double graded = pow (10, -24.0 * r / n), value = tosst_random_normal (&random);
              value = kind == 0 ? value : kind == 1 ? graded : (r % 3) - 1;
              for (int i = 0; i < n * n; i++)
                A[i] += value * (Q[r * n + i / n] * Q[r * n + i % n]);
            }
          for (int i = 0; i < n && kind >= 3; i++)
            for (int j = i; j < n; j++)
              A[i * n + j] = A[j * n + i] = special_entry (&random, kind, n, i, j);
          assert_eigen (list[b], A, n);
        }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whiten-kernels/power", test_power);
  g_test_add_func ("/whiten-kernels/products", test_products);
  g_test_add_func ("/whiten-kernels/eigen", test_eigen);
  return g_test_run ();
}

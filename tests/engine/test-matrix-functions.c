/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers and logarithms of symmetric matrices, against identities that hold for every matrix.
 */
#include <math.h>

#include "matrices.h"
#include "objects.h"
#include "tosst/tensor.h"

/* n packed random symmetric matrices; of rank vectors and PSD, or indefinite. */
static float *
random_matrices (gsize n, int d, int vectors, gboolean indefinite)
{
  gsize m = d * (d + 1) / 2;
  float *out = g_new0 (float, n *m);

  for (gsize p = 0; p < n; p++)
    {
      g_autofree double *x = random_vectors (vectors, d, 0.3, 50 + p);
      float *C = out + p * m;
      for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++, C++)
          for (int v = 0; v < vectors; v++)
            *C += (float)(x[v * d + i] * x[v * d + j] * (indefinite && v % 2 ? -1 : 1));
    }
  return out;
}

static void
multiply (const double *A, const double *B, int d, double *out)
{
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      {
        out[i * d + j] = 0;
        for (int k = 0; k < d; k++)
          out[i * d + j] += A[i * d + k] * B[k * d + j];
      }
}

static void
unpack (const float *packed, int d, double off_diagonal, double *X)
{
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, packed++)
      X[i * d + j] = X[j * d + i] = *packed * (i == j ? 1 : off_diagonal);
}

/* The square of C^1/2 is C, and sgn (e)|e|^g has LAPACK's eigenvectors. */
static void
test_power (void)
{
  static const int sides[] = { 1, 2, 7, 16, 35 };

  for (gsize c = 0; c < G_N_ELEMENTS (sides); c++)
    {
      int d = sides[c];
      gsize m = d * (d + 1) / 2;
      g_autoptr (TosstContext) context = tosst_context_new (2);
      g_autoptr (TosstLayout) layout = matrices (d);
      g_autofree float *C = random_matrices (20, d, 2 * d, FALSE), *root = g_memdup2 (C, sizeof *C * 20 * m);
      g_autofree float *X = random_matrices (20, d, 2 * d, TRUE), *power = g_memdup2 (X, sizeof *X * 20 * m);
      g_autofree double *R = g_new (double, d *d), *square = g_new (double, d *d), *A = g_new (double, d *d);
      g_autofree double *values = g_new (double, d);

      assert_ok (tosst_whiten (context, layout, root, 20, 0.5, 1));
      assert_ok (tosst_whiten (context, layout, power, 20, 0.3, 1));
      for (gsize p = 0; p < 20; p++)
        {
          unpack (root + p * m, d, 1, R);
          multiply (R, R, d, square);
          unpack (C + p * m, d, 1, A);
          double size = 0;
          for (int i = 0; i < d; i++)
            size += A[i * d + i];
          for (int i = 0; i < d * d; i++)
            g_assert_cmpfloat_with_epsilon (square[i], A[i], 1e-6 * size);

          eigenvalues (X + p * m, d, values, A);
          unpack (power + p * m, d, 1, R);
          for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
              {
                double sum = 0, largest = fmax (fabs (values[0]), fabs (values[d - 1]));
                for (int r = 0; r < d; r++)
                  sum += copysign (pow (fabs (values[r]), 0.3), values[r]) * A[r * d + i] * A[r * d + j];
                g_assert_cmpfloat_with_epsilon (R[i * d + j], sum, 1e-6 * pow (largest, 0.3));
              }
        }
    }
}

/* The power of x x' is x x' |x|^(2 g - 2): rounding of its other eigenvalues is not lifted. Entries have their own
 * power; exponents of 1 change nothing, and a zero matrix stays zero. */
static void
test_power_special (void)
{
  const int d = 6, m = 21;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = matrices (d);
  g_autoptr (TosstLayout) general = tosst_layout_new_shape ((TosstShape){ TOSST_SHAPE_GENERAL, d, d, d });
  g_autofree float *C = random_matrices (1, d, 1, FALSE), *same = g_memdup2 (C, sizeof *C * m),
                   *power = g_memdup2 (C, sizeof *C * m), *entries = g_memdup2 (C, sizeof *C * m);
  float zero[21] = { 0 };
  double trace = 0;

  for (int i = 0, e = 0; i < d; e += d - i, i++)
    trace += C[e];
  assert_ok (tosst_whiten (context, layout, same, 1, 1, 1));
  g_assert_cmpmem (same, sizeof *C * m, C, sizeof *C * m);
  assert_ok (tosst_whiten (context, layout, power, 1, 0.1, 1));
  assert_ok (tosst_whiten (context, layout, entries, 1, 1, 0.5));
  for (int i = 0; i < m; i++)
    {
      g_assert_cmpfloat_with_epsilon (power[i], C[i] * pow (trace, 0.1 - 1), 1e-6);
      g_assert_cmpfloat_with_epsilon (entries[i], copysign (sqrt (fabs (C[i])), C[i]), 1e-6);
    }
  assert_ok (tosst_whiten (context, layout, zero, 1, 0.5, 0.5));
  for (int i = 0; i < m; i++)
    g_assert_cmpfloat (zero[i], ==, 0);
  C[3] = NAN;
  g_assert_cmpint (tosst_whiten (context, layout, C, 1, 0.5, 1), ==, TOSST_ERROR_NUMERIC);
  g_assert_cmpint (tosst_whiten (context, layout, C, 1, 1, 0.5), ==, TOSST_ERROR_NUMERIC);
  g_assert_cmpint (tosst_whiten (context, general, C, 1, 0.5, 1), ==, TOSST_ERROR_ARGUMENT);
}

/* By its series, scaled down to where that converges at once and squared back. */
static void
exponential (const double *X, int d, double *out)
{
  g_autofree double *scaled = g_new (double, d *d), *term = g_new0 (double, d *d), *next = g_new (double, d *d);

  for (int i = 0; i < d * d; i++)
    scaled[i] = X[i] / 1024;
  memset (out, 0, sizeof *out * d * d);
  for (int i = 0; i < d; i++)
    out[i * d + i] = term[i * d + i] = 1;
  for (int k = 1; k < 20; k++)
    {
      multiply (term, scaled, d, next);
      for (int i = 0; i < d * d; i++)
        out[i] += term[i] = next[i] / k;
    }
  for (int k = 0; k < 10; k++)
    {
      multiply (out, out, d, next);
      memcpy (out, next, sizeof *out * d * d);
    }
}

static void
test_logarithm (void)
{
  static const int sides[] = { 1, 2, 7, 35 };

  for (gsize c = 0; c < G_N_ELEMENTS (sides); c++)
    {
      int d = sides[c];
      gsize n = 10, m = d * (d + 1) / 2;
      g_autoptr (TosstContext) context = tosst_context_new (2);
      g_autoptr (TosstLayout) layout = matrices (d);
      /* The last ones are of deficient rank. */
      g_autofree float *C = random_matrices (n, d, MAX (1, d / 2), FALSE), *L = g_new (float, n *m);
      g_autofree float *scaled = g_new (float, n *m);
      g_autofree double *A = g_new (double, d *d), *X = g_new (double, d *d), *E = g_new (double, d *d);

      for (gsize i = 0; i < n * m; i++)
        scaled[i] = 4 * C[i];
      assert_ok (tosst_plain_log_euclidean (context, layout, C, n, L));
      assert_ok (tosst_plain_log_euclidean (context, layout, scaled, n, scaled));
      for (gsize p = 0; p < n; p++)
        {
          double trace = 0;
          unpack (C + p * m, d, 1, A);
          unpack (L + p * m, d, M_SQRT1_2, X);
          exponential (X, d, E);
          for (int i = 0; i < d; i++)
            trace += A[i * d + i];
          for (int i = 0; i < d; i++)
            A[i * d + i] += TOSST_LOG_FLOOR * trace / d;
          for (int i = 0; i < d * d; i++)
            g_assert_cmpfloat_with_epsilon (E[i], A[i], 2e-6 * trace);
          /* log (4 C) = log C + log 4 I */
          gsize e = p * m;
          for (int i = 0; i < d; i++)
            for (int j = i; j < d; j++, e++)
              g_assert_cmpfloat_with_epsilon (scaled[e], L[e] + (i == j ? log (4) : 0), 2e-6);
        }
    }
}

static void
test_logarithm_refused (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = matrices (2), third = tosst_layout_new (2);
  float zero[3] = { 0 }, indefinite[3] = { 1, 0, -0.01f }, rounding[3] = { 1, 0, -1e-7f }, nan[3] = { 1, NAN, 1 };
  float out[4];

  g_assert_cmpint (tosst_plain_log_euclidean (context, layout, zero, 1, out), ==, TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "tensor 0 is zero"));
  g_assert_cmpint (tosst_plain_log_euclidean (context, layout, indefinite, 1, out), ==, TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "positive semi-definite"));
  g_assert_cmpint (tosst_plain_log_euclidean (context, layout, nan, 1, out), ==, TOSST_ERROR_NUMERIC);
  g_assert_cmpint (tosst_plain_log_euclidean (context, third, rounding, 1, out), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_plain_raw (context, third, rounding, 1, out), ==, TOSST_ERROR_ARGUMENT);
  assert_ok (tosst_plain_log_euclidean (context, layout, rounding, 1, out));
  g_assert_cmpfloat_with_epsilon (out[2], log (TOSST_LOG_FLOOR / 2), 1e-5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/matrix-functions/power", test_power);
  g_test_add_func ("/matrix-functions/power-special", test_power_special);
  g_test_add_func ("/matrix-functions/logarithm", test_logarithm);
  g_test_add_func ("/matrix-functions/logarithm-refused", test_logarithm_refused);
  return g_test_run ();
}

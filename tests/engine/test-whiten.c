/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whitening against tensors whose answer is known, against equations (15)-(20) written out in double, and against what
 * must hold for every tensor.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "builds.h"
#include "engine/tensor/whiten-private.h"
#include "objects.h"
#include "whiten-cases.h"

/* The mean of x (x) x (x) x over a number of random non-negative vectors, as tensors of images are. */
static double *
random_tensor (TosstRandom *random, int d, int vectors)
{
  double *full = g_new0 (double, d *d *d), *x = g_newa (double, d);

  for (int n = 0; n < vectors; n++)
    {
      for (int i = 0; i < d; i++)
        x[i] = tosst_random_uniform (random) / (1 + i);
      for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
          for (int k = 0; k < d; k++)
            full[(i * d + j) * d + k] += x[i] * x[j] * x[k] / vectors;
    }
  return full;
}

/* out_abc = sum M_ai M_bj M_ck X_ijk, one index at a time: after each round the product's index is the first. */
static double *
multiply (const double *X, const double *M, int d)
{
  double *from = g_memdup2 (X, sizeof *X * d * d * d), *to = g_new (double, d *d *d);

  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
          for (int c = 0; c < d; c++)
            {
              double sum = 0;
              for (int k = 0; k < d; k++)
                sum += M[c * d + k] * from[(i * d + j) * d + k];
              to[(c * d + i) * d + j] = sum;
            }
      memcpy (from, to, sizeof *to * d * d * d);
    }
  g_free (to);
  return from;
}

/* Eigenvectors of a symmetric matrix, as rows, by Jacobi's rotations. */
static double *
eigenvectors (const double *symmetric, int d)
{
  g_autofree double *G = g_memdup2 (symmetric, sizeof *symmetric * d * d);
  double *V = g_new0 (double, d *d);

  for (int i = 0; i < d; i++)
    V[i * d + i] = 1;
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < d; p++)
      for (int q = p + 1; q < d; q++)
        {
          double angle = 0.5 * atan2 (2 * G[p * d + q], G[q * d + q] - G[p * d + p]), c = cos (angle), s = sin (angle);
          for (int k = 0; k < d; k++)
            {
              double a = G[k * d + p], b = G[k * d + q];
              G[k * d + p] = c * a - s * b;
              G[k * d + q] = s * a + c * b;
            }
          for (int k = 0; k < d; k++)
            {
              double a = G[p * d + k], b = G[q * d + k], v = V[p * d + k], w = V[q * d + k];
              G[p * d + k] = c * a - s * b;
              G[q * d + k] = s * a + c * b;
              V[p * d + k] = c * v - s * w;
              V[q * d + k] = s * v + c * w;
            }
        }
  return V;
}

/* Equations (15)-(20) written out; every eigenvector gets a random sign. */
static double *
written_out (TosstRandom *random, const double *X, int d, double gamma_eigen, double gamma_coefficient)
{
  g_autofree double *G = g_new0 (double, d *d), *A = NULL, *At = NULL, *E = NULL;

  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int k = 0; k < d * d; k++)
        G[i * d + j] += X[i * d * d + k] * X[j * d * d + k];
  At = eigenvectors (G, d);
  A = g_new (double, d *d);
  for (int r = 0; r < d; r++)
    {
      double sign = tosst_random_below (random, 2) ? 1 : -1;
      for (int i = 0; i < d; i++)
        A[i * d + r] = At[r * d + i] *= sign;
    }
  E = multiply (X, At, d);
  for (int i = 0; i < d * d * d; i++)
    E[i] = sgn_power (E[i], gamma_eigen);
  double *Y = multiply (E, A, d);
  for (int i = 0; i < d * d * d; i++)
    Y[i] = sgn_power (Y[i], gamma_coefficient);
  return Y;
}

static float *
pack (const double *full, int d)
{
  float *packed = g_new (float, tosst_packed_size (d)), *out = packed;

  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++)
        *out++ = (float)full[(i * d + j) * d + k];
  return packed;
}

static float *
whiten (const double *full, int d, double gamma_eigen, double gamma_coefficient)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  float *packed = pack (full, d);

  assert_ok (tosst_whiten (context, layout, packed, 1, gamma_eigen, gamma_coefficient));
  return packed;
}

/* Largest difference relative to the largest expected entry. */
static void
assert_near (const float *packed, const double *expected, int d, double tolerance)
{
  double worst = 0, size = 0;

  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++)
        {
          double value = expected[(i * d + j) * d + k];
          worst = fmax (worst, fabs (*packed++ - value));
          size = fmax (size, fabs (value));
        }
  g_test_message ("side %d: off by %.2g of the largest entry", d, worst / size);
  g_assert_cmpfloat (worst, <=, tolerance * size);
}

/* sum_r w_r u_r (x) u_r (x) u_r over the first rank rows of u. */
static double *
sum_of_cubes (const double *u, const double *w, int rank, int d)
{
  double *full = g_new0 (double, d *d *d);

  for (int r = 0; r < rank; r++)
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++)
        for (int k = 0; k < d; k++)
          full[(i * d + j) * d + k] += w[r] * u[r * d + i] * u[r * d + j] * u[r * d + k];
  return full;
}

/* One vector: its cube, and its core is one number. All other directions are rounding, which must not be blown up even
 * by a small exponent. */
static void
test_one_vector (void)
{
  static const int sides[] = { 1, 2, 6, 16, 17, 35, 49, 65 };
  TosstRandom random;

  tosst_random_init (&random, 3, 0);
  for (gsize s = 0; s < G_N_ELEMENTS (sides); s++)
    {
      int d = sides[s];
      g_autofree double *Q = random_rotation (&random, d);
      g_autofree double *X = sum_of_cubes (Q, (double[]){ -7 }, 1, d);
      g_autofree double *expected = sum_of_cubes (Q, (double[]){ -pow (7, 0.1) }, 1, d);
      g_autofree float *got = whiten (X, d, 0.1, 1);

      assert_near (got, expected, d, 1e-5);
    }
}

/* Cubes of orthogonal vectors have a diagonal core: the weights. */
static void
test_orthogonal_vectors (void)
{
  static const double weights[] = { 5, -3, 2, 0.5 };
  double raised[4];
  TosstRandom random;

  tosst_random_init (&random, 4, 0);
  for (int r = 0; r < 4; r++)
    raised[r] = sgn_power (weights[r], 0.6);
  for (int d = 4; d <= 20; d += 8)
    {
      g_autofree double *Q = random_rotation (&random, d);
      g_autofree double *X = sum_of_cubes (Q, weights, 4, d), *expected = sum_of_cubes (Q, raised, 4, d);
      g_autofree float *got = whiten (X, d, 0.6, 1);

      assert_near (got, expected, d, 1e-3);
    }
}

/* Signs of eigenvectors are the test's own choice here, at random, and must make no difference. */
static void
test_written_out (void)
{
  static const struct
  {
    int d;
    double gamma_eigen, gamma_coefficient;
  } cases[] = { { 1, 0.5, 0.5 },  { 2, 0.5, 1 },  { 3, 0.7, 0.8 },  { 7, 0.5, 1 },  { 15, 0.9, 0.9 },
                { 16, 0.5, 0.7 }, { 17, 0.5, 1 }, { 23, 0.7, 0.8 }, { 35, 0.5, 1 }, { 34, 1, 0.5 } };
  TosstRandom random;

  tosst_random_init (&random, 5, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      int d = cases[i].d;
      g_autofree double *X = random_tensor (&random, d, 4 * d);
      g_autofree double *expected = written_out (&random, X, d, cases[i].gamma_eigen, cases[i].gamma_coefficient);
      g_autofree float *got = whiten (X, d, cases[i].gamma_eigen, cases[i].gamma_coefficient);

      assert_near (got, expected, d, 1e-3);
    }
}

/* A full tensor from its packed entries, each moved by at most so many units in its last place. */
static double *
unpack_moved (TosstRandom *random, const float *packed, int d, double units)
{
  gsize m = tosst_packed_size (d);
  g_autofree double *entries = g_new (double, m);
  double *full = g_new (double, d *d *d);

  for (gsize t = 0; t < m; t++)
    entries[t] = packed[t] * (1 + units * 0x1p-23 * (2 * tosst_random_uniform (random) - 1));
  for (int i = 0; i < d * d * d; i++)
    full[i] = entries[tosst_packed_index (d, i / (d * d), i / d % d, i % d)];
  return full;
}

/* However far singular values spread, the answer is off by little more than what rounding the entries that came in to
 * float32 does to the answer in float64. */
static void
test_conditioning (void)
{
  const int d = 10;
  TosstRandom random;

  tosst_random_init (&random, 15, 0);
  for (int decades = 0; decades <= 3; decades++)
    {
      g_autofree double *plain = random_tensor (&random, d, 4 * d), *Q = random_rotation (&random, d);
      for (int i = 0; i < d * d; i++)
        Q[i] *= pow (10, -(double)decades * (i / d) / (d - 1));
      g_autofree double *graded = multiply (plain, Q, d);
      g_autofree float *packed = pack (graded, d), *got = whiten (graded, d, 0.5, 1);
      g_autofree double *X = unpack_moved (&random, packed, d, 0), *expected = written_out (&random, X, d, 0.5, 1);
      double size = 0, moved = 0;
      for (int i = 0; i < d * d * d; i++)
        size = fmax (size, fabs (expected[i]));
      for (int draw = 0; draw < 20; draw++)
        {
          g_autofree double *near = unpack_moved (&random, packed, d, 0.5),
                            *answer = written_out (&random, near, d, 0.5, 1);
          for (int i = 0; i < d * d * d; i++)
            moved = fmax (moved, fabs (answer[i] - expected[i]));
        }
      g_test_message ("%d decades: rounding of the entries moves the answer by %.2g", decades, moved / size);
      assert_near (got, expected, d, 4 * moved / size + 1e-6);
    }
}

/* A rotated tensor has rotated eigenvectors and the same core. */
static void
test_rotation (void)
{
  const int d = 9;
  TosstRandom random;

  tosst_random_init (&random, 6, 0);
  g_autofree double *X = random_tensor (&random, d, 60), *Q = random_rotation (&random, d),
                    *turned = multiply (X, Q, d);
  g_autofree float *plain = whiten (X, d, 0.5, 1), *got = whiten (turned, d, 0.5, 1);
  g_autofree double *full = g_new (double, d *d *d);
  for (int i = 0; i < d * d * d; i++)
    full[i] = plain[tosst_packed_index (d, i / (d * d), i / d % d, i % d)];
  g_autofree double *expected = multiply (full, Q, d);
  assert_near (got, expected, d, 1e-4);
}

/* Zero stays zero beside tensors that do not, and exponents of 1 leave every bit. */
static void
test_zero_and_off (void)
{
  const int d = 8;
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  gsize m = layout->m;
  TosstRandom random;

  tosst_random_init (&random, 7, 0);
  g_autofree double *X = random_tensor (&random, d, 50);
  g_autofree float *packed = pack (X, d), *tensors = g_new0 (float, 3 * m);
  memcpy (tensors + m, packed, m * sizeof (float));
  assert_ok (tosst_whiten (context, layout, tensors, 3, 1, 1));
  g_assert_cmpmem (tensors + m, m * sizeof (float), packed, m * sizeof (float));
  assert_ok (tosst_whiten (context, layout, tensors, 3, 0.5, 0.5));
  for (gsize i = 0; i < m; i++)
    g_assert_true (tensors[i] == 0 && tensors[2 * m + i] == 0);
  g_assert_cmpfloat (tensors[m], >, 0);
}

/* Narrow Gaussians of a flat patch leave rows whose cubes are the smallest of floats: their squares are nearly the smallest
 * of doubles, and they change nothing. */
static void
test_tiny_rows (void)
{
  const TosstKernels *list[3];
  const int d = 9;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  gsize builds = list_builds (list), m = layout->m;

  for (gsize b = 0; b < builds; b++)
    for (double tiny = 1e-15; tiny < 1e-8; tiny *= 3)
      {
        double *x[2] = { (double[9]){ 0.5, 0.7, 0.2 }, (double[9]){ 0 } };
        g_autofree double *X = g_new0 (double, d *d *d);
        g_autofree float *together = NULL, *alone = NULL;

        for (int i = 3; i < d; i++)
          x[1][i] = tiny * i;
        for (int c = 0; c < d * d * d; c++)
          for (int n = 0; n < 2; n++)
            X[c] += x[n][c / (d * d)] * x[n][c / d % d] * x[n][c % d];
        together = pack (X, d);
        alone = g_memdup2 (together, m * sizeof (float));
        assert_ok (tosst_whiten_lanes (context, list[b], layout, together, 1, 0.5, 1));
        assert_ok (tosst_whiten_alone (context, list[b], layout, alone, 1, 0.5, 1));
        for (gsize i = 0; i < m; i++)
          {
            g_assert_cmpfloat_with_epsilon (together[i], alone[i], 1e-5);
            g_assert_true (isfinite (together[i]));
          }
      }
}

/* More tensors than lanes and some lanes empty: different ones, a zero one, and one of few directions. */
static void
check_build (TosstContext *context, const TosstKernels *kernels, int d, TosstRandom *random)
{
  int n = kernels->lanes + 3, cube = d * d * d;
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *together = g_new0 (float, n * layout->m), *alone = NULL;
  g_autofree double *expected = g_new0 (double, n *cube), *Q = random_rotation (random, d);

  for (int i = 0; i < n; i++)
    {
      if (i == 2)
        continue;
      g_autofree double *X = i == 4 ? sum_of_cubes (Q, (double[]){ 3 }, 1, d) : random_tensor (random, d, 4 * d + i);
      g_autofree double *answer
          = i == 4 ? sum_of_cubes (Q, (double[]){ sgn_power (3, 0.7) }, 1, d) : written_out (random, X, d, 0.7, 1);
      g_autofree float *packed = pack (X, d);
      memcpy (together + i * layout->m, packed, layout->m * sizeof (float));
      memcpy (expected + i * cube, answer, sizeof *answer * cube);
    }
  alone = g_memdup2 (together, n * layout->m * sizeof (float));
  assert_ok (tosst_whiten_lanes (context, kernels, layout, together, n, 0.7, 1));
  assert_ok (tosst_whiten_alone (context, kernels, layout, alone, n, 0.7, 1));
  for (int i = 0; i < n; i++)
    {
      assert_near (together + i * layout->m, expected + i * cube, d, 1e-4);
      assert_near (alone + i * layout->m, expected + i * cube, d, 1e-4);
    }
}

static void
test_builds (void)
{
  const TosstKernels *list[3];
  static const int sides[] = { 1, 2, 3, 5, 7, 10, 15, 16, 17, 23, 35 };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstRandom random;

  tosst_random_init (&random, 13, 0);
  for (gsize b = 0; b < list_builds (list); b++)
    for (gsize s = 0; s < G_N_ELEMENTS (sides); s++)
      check_build (context, list[b], sides[s], &random);
}

/* Alone or in company, whichever the lane: every bit the same. */
static void
test_company (void)
{
  const int d = 13, n = 37;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *together = g_new (float, n * layout->m), *alone = NULL;
  TosstRandom random;

  tosst_random_init (&random, 14, 0);
  for (int i = 0; i < n; i++)
    {
      g_autofree double *X = random_tensor (&random, d, 10 + i);
      g_autofree float *packed = pack (X, d);
      memcpy (together + i * layout->m, packed, layout->m * sizeof (float));
    }
  alone = g_memdup2 (together, n * layout->m * sizeof (float));
  assert_ok (tosst_whiten (context, layout, together, n, 0.5, 0.9));
  for (int i = 0; i < n; i++)
    assert_ok (tosst_whiten (context, layout, alone + i * layout->m, 1, 0.5, 0.9));
  g_assert_cmpmem (together, n * layout->m * sizeof (float), alone, n * layout->m * sizeof (float));
}

static void
test_threads (void)
{
  const int d = 12, n = 9;
  g_autoptr (TosstContext) one = tosst_context_new (1);
  g_autoptr (TosstContext) three = tosst_context_new (3);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *a = g_new (float, n * layout->m), *b = NULL;
  TosstRandom random;

  tosst_random_init (&random, 10, 0);
  for (int i = 0; i < n; i++)
    {
      g_autofree double *X = random_tensor (&random, d, 40);
      g_autofree float *packed = pack (X, d);
      memcpy (a + i * layout->m, packed, layout->m * sizeof (float));
    }
  b = g_memdup2 (a, n * layout->m * sizeof (float));
  assert_ok (tosst_whiten (one, layout, a, n, 0.5, 0.9));
  assert_ok (tosst_whiten (three, layout, b, n, 0.5, 0.9));
  g_assert_cmpmem (a, n * layout->m * sizeof (float), b, n * layout->m * sizeof (float));
}

static void
test_refusals (void)
{
  static const double wrong[] = { 0, -0.5, 1.01, NAN, INFINITY };
  const int d = 5;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *tensors = g_new (float, 3 * layout->m);

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_cmpint (tosst_whiten (context, layout, tensors, 1, wrong[i], 1), ==, TOSST_ERROR_ARGUMENT);
      g_assert_cmpint (tosst_whiten (context, layout, tensors, 1, 1, wrong[i]), ==, TOSST_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (tosst_context_message (context), "exponents"));
    }
  assert_ok (tosst_whiten (context, layout, NULL, 0, 0.5, 0.5));
  for (int which = 0; which < 2; which++)
    for (int which_gamma = 0; which_gamma < 2; which_gamma++)
      {
        for (gsize i = 0; i < 3 * layout->m; i++)
          tensors[i] = 1;
        tensors[layout->m + 17] = which ? NAN : -INFINITY;
        g_assert_cmpint (tosst_whiten (context, layout, tensors, 3, which_gamma ? 1 : 0.5, which_gamma ? 0.5 : 1), ==,
                         TOSST_ERROR_NUMERIC);
        g_assert_nonnull (strstr (tosst_context_message (context), "tensor 1 "));
      }
  tosst_context_cancel (context);
  g_assert_cmpint (tosst_whiten (context, layout, tensors, 3, 0.5, 1), ==, TOSST_CANCELLED);
}

/* -m perf: CPU time of one tensor. */
static void
test_speed (void)
{
  const int d = 35, n = 200;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *tensors = g_new (float, n * layout->m);
  TosstRandom random;

  if (!g_test_perf ())
    {
      g_test_skip ("only with -m perf");
      return;
    }
  tosst_random_init (&random, 11, 0);
  g_autofree double *X = random_tensor (&random, d, 100);
  g_autofree float *packed = pack (X, d);
  for (int round = 0; round < 5; round++)
    {
      for (int i = 0; i < n; i++)
        memcpy (tensors + i * layout->m, packed, layout->m * sizeof (float));
      clock_t start = clock ();
      assert_ok (tosst_whiten (context, layout, tensors, n, 0.5, 0.9));
      g_test_message ("%.1f us a tensor of side %d", (clock () - start) * 1e6 / CLOCKS_PER_SEC / n, d);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whiten/one-vector", test_one_vector);
  g_test_add_func ("/whiten/orthogonal-vectors", test_orthogonal_vectors);
  g_test_add_func ("/whiten/written-out", test_written_out);
  g_test_add_func ("/whiten/conditioning", test_conditioning);
  g_test_add_func ("/whiten/rotation", test_rotation);
  g_test_add_func ("/whiten/zero-and-off", test_zero_and_off);
  g_test_add_func ("/whiten/tiny-rows", test_tiny_rows);
  g_test_add_func ("/whiten/builds", test_builds);
  g_test_add_func ("/whiten/company", test_company);
  g_test_add_func ("/whiten/threads", test_threads);
  g_test_add_func ("/whiten/refusals", test_refusals);
  g_test_add_func ("/whiten/speed", test_speed);
  return g_test_run ();
}

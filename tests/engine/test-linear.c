/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear maps of plain descriptors: inner products after Gaussian projection, and after all principal components.
 */
#include <math.h>
#include <string.h>

#include "objects.h"

#define SIDE 20
#define N 70 /* more than a tile of descriptors */

typedef struct
{
  TosstContext *context;
  TosstLayout *layout;
  float *tensors, *plain; /* N x m, each plain descriptor of norm 1 */
} Case;

static void
set_up (Case *self, gconstpointer data)
{
  gsize m;
  TosstRandom random;

  self->context = tosst_context_new (2);
  self->layout = tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_WHOLE, SIDE));
  m = self->layout->m;
  self->tensors = g_new (float, N *m);
  self->plain = g_new (float, N *m);
  tosst_random_init (&random, 1, 0);
  for (gsize i = 0; i < N; i++)
    {
      double sum = 0;

      for (gsize j = 0; j < m; j++)
        {
          self->tensors[i * m + j] = (float)tosst_random_uniform (&random); /* of one sign: inner products are large */
          sum += pow (self->layout->weight[j] * self->tensors[i * m + j], 2);
        }
      for (gsize j = 0; j < m; j++)
        self->tensors[i * m + j] /= (float)sqrt (sum);
    }
  assert_ok (tosst_plain_raw (self->context, self->layout, self->tensors, N, self->plain));
}

static void
tear_down (Case *self, gconstpointer data)
{
  tosst_layout_free (self->layout);
  tosst_context_free (self->context);
  g_free (self->tensors);
  g_free (self->plain);
}

static double
dot (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double)a[i] * b[i];
  return sum;
}

/* Largest and mean square difference of inner products from those of the plain descriptors. */
static void
compare_products (const Case *self, const float *codes, gsize K, double *largest, double *square)
{
  gsize m = self->layout->m;

  *largest = *square = 0;
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j <= i; j++)
      {
        double difference = dot (codes + i * K, codes + j * K, K) - dot (self->plain + i * m, self->plain + j * m, m);

        *largest = fmax (*largest, fabs (difference));
        *square += difference * difference / (N * (N + 1) / 2);
      }
}

static float *
map (const Case *self, const TosstLinear *linear)
{
  float *codes = g_new (float, N *(gsize)linear->K);

  assert_ok (tosst_linear_map (self->context, self->layout, linear, self->tensors, N, codes));
  return codes;
}

static TosstLinear *
project (const Case *self, int K, guint64 seed, gsize memory)
{
  TosstLinear *linear;

  assert_ok (tosst_linear_random (self->context, self->layout->m, K, seed, memory, &linear));
  return linear;
}

/* The deviation of an inner product of unit vectors is sqrt ((1 + c^2) / K), c their cosine. */
static void
test_projection (Case *self, gconstpointer data)
{
  for (int K = 101; K <= 2501; K += 1200)
    {
      TosstLinear *linear = project (self, K, 7, G_MAXSIZE);
      g_autofree float *codes = map (self, linear);
      double largest, square;

      compare_products (self, codes, (gsize)K, &largest, &square);
      g_test_message ("K = %d: %.4f at most, root mean square %.4f", K, largest, sqrt (square));
      g_assert_cmpfloat (largest, <, 5 * sqrt (2.0 / K));
      g_assert_cmpfloat (largest, >, 0.05 * sqrt (2.0 / K));
      tosst_linear_free (linear);
    }
}

/* Stored or drawn again: the same bits. One by one on one thread: equal to rounding, since the sums of some kernels of
 * OpenBLAS (Haswell, Zen) depend on the place of a row among others. */
static void
test_same_bits (Case *self, gconstpointer data)
{
  const int K = 300;
  gsize m = self->layout->m, bytes = N * K * sizeof (float);
  TosstLinear *stored = project (self, K, 3, G_MAXSIZE), *drawn = project (self, K, 3, 0),
              *other = project (self, K, 4, 0);
  g_autofree float *codes = map (self, stored), *again = map (self, drawn), *changed = map (self, other);
  g_autofree float *single = g_new (float, N *K);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  double largest = 0, difference = 0;

  g_assert_nonnull (stored->rows);
  g_assert_null (drawn->rows);
  g_assert_cmpmem (codes, bytes, again, bytes);
  g_assert_cmpint (memcmp (codes, changed, bytes), !=, 0);
  for (gsize i = 0; i < N; i++)
    assert_ok (tosst_linear_map (context, self->layout, stored, self->tensors + i * m, 1, single + i * (gsize)K));
  for (gsize i = 0; i < N * K; i++)
    {
      largest = MAX (largest, fabs (codes[i]));
      difference = MAX (difference, fabs (codes[i] - single[i]));
    }
  g_assert_cmpfloat (difference, <, 1e-6 * largest);
  tosst_linear_free (stored);
  tosst_linear_free (drawn);
  tosst_linear_free (other);
}

static void
test_components (Case *self, gconstpointer data)
{
  TosstLinear *linear;
  double largest, square, whole;
  g_autofree float *codes = NULL, *few = NULL;

  assert_ok (tosst_linear_components (self->context, self->plain, N, self->layout->m, N, &linear));
  codes = map (self, linear);
  compare_products (self, codes, N, &largest, &whole);
  g_test_message ("all components: %.2g", largest);
  g_assert_cmpfloat (largest, <, 2e-5);
  tosst_linear_free (linear);

  assert_ok (tosst_linear_components (self->context, self->plain, N, self->layout->m, 10, &linear));
  few = map (self, linear);
  compare_products (self, few, 10, &largest, &square);
  g_assert_cmpfloat (square, >, 1e3 * whole);
  for (gsize i = 0; i < N; i++)
    for (gsize k = 0; k < 10; k++)
      g_assert_cmpfloat_with_epsilon (few[i * 10 + k], codes[i * N + k], 1e-4);
  tosst_linear_free (linear);
}

/* Equal descriptors span one direction; the others are zero, not rounding errors blown up. */
static void
test_rank (Case *self, gconstpointer data)
{
  gsize m = self->layout->m;
  TosstLinear *linear;

  for (gsize i = 1; i < 5; i++)
    memcpy (self->plain + i * m, self->plain, m * sizeof (float));
  assert_ok (tosst_linear_components (self->context, self->plain, 5, m, 5, &linear));
  for (gsize i = 0; i < m; i++)
    for (gsize k = 1; k < 5; k++)
      g_assert_cmpfloat (linear->rows[i * 5 + k], ==, 0);
  tosst_linear_free (linear);
  g_assert_cmpint (tosst_linear_components (self->context, self->plain, 5, m, 6, &linear), ==, TOSST_ERROR_ARGUMENT);
  self->plain[3] = NAN;
  g_assert_cmpint (tosst_linear_components (self->context, self->plain, 5, m, 5, &linear), ==, TOSST_ERROR_NUMERIC);
}

#define ADD(name, function) g_test_add ("/linear/" name, Case, NULL, set_up, function, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("projection", test_projection);
  ADD ("same-bits", test_same_bits);
  ADD ("components", test_components);
  ADD ("rank", test_rank);
  return g_test_run ();
}

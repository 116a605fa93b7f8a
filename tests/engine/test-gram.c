/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gram matrices against sums in float64: the kernel of each build that has one, and the whole matrix of samples with many
 * zeros and with none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builds.h"
#include "engine/base/memory.h"
#include "engine/classify/svm-private.h"
#include "objects.h"

/* n rows of p numbers; a neighbourhood of 24 rows has `kept` of the terms, of which each row lacks a third. */
static float *
make_rows (gsize n, gsize p, double kept)
{
  float *x = g_new0 (float, n *p + 1);
  TosstRandom random;

  for (gsize i = 0; i < n; i++)
    for (gsize t = 0; t < p; t++)
      {
        tosst_random_init (&random, i / 24, t);
        if (kept < 1 && tosst_random_uniform (&random) > kept)
          continue;
        tosst_random_init (&random, 1000 + i, t);
        x[i * p + t] = kept < 1 && i * t % 3 == 1 ? 0 : tosst_random_uniform (&random) - 0.3;
      }
  return x;
}

/* Accuracy of long rows: see tosst_svm_gram(). */
static void
check_long (const float *a, const float *b, gsize p, double found)
{
  double sum = 1, aa = 0, bb = 0;

  for (gsize t = 0; t < p; t++)
    {
      sum += (double)a[t] * b[t];
      aa += (double)a[t] * a[t];
      bb += (double)b[t] * b[t];
    }
  g_assert_cmpfloat (fabs (found - sum), <=, 2e-7 * sqrt (aa * bb));
}

static void
check_number (const float *a, const float *b, gsize p, double found)
{
  double sum = 1, size = 1;

  for (gsize t = 0; t < p; t++)
    {
      sum += (double)a[t] * b[t];
      size += fabs ((double)a[t] * b[t]);
    }
  g_assert_cmpfloat (fabs (found - sum), <=, 1e-14 * size);
}

/* Every number asked for is right, none is written beside them, and it is the same among other rows. */
static void
check_kernel (const TosstKernels *kernels, int rows, int columns, gsize p, double kept)
{
  gsize n = (gsize)MAX (rows, columns) + 5, stride = (gsize)columns + 3;
  g_autofree float *x = make_rows (n, p, kept);
  g_autofree double *out = g_new (double, (gsize)rows *stride);
  double *work = tosst_alloc_aligned (TOSST_GRAM_WORK, sizeof *work), one;
  const float *other = x + 5 * p;

  for (gsize i = 0; i < (gsize)rows * stride; i++)
    out[i] = -7;
  kernels->gram (x, rows, other, columns, p, out, stride, work);
  for (gsize r = 0; r < (gsize)rows; r++)
    for (gsize c = 0; c < stride; c++)
      if (c < (gsize)columns)
        check_number (x + r * p, other + c * p, p, out[r * stride + c]);
      else
        g_assert_cmpfloat (out[r * stride + c], ==, -7);
  kernels->gram (x + (rows - 1) * p, 1, other + (columns - 1) * p, 1, p, &one, 1, work);
  g_assert_cmpfloat (one, ==, out[(rows - 1) * stride + columns - 1]);

  rows = MIN (rows, columns);
  kernels->gram (other, rows, other, rows, p, out, stride, work);
  for (gsize r = 0; r < (gsize)rows; r++)
    for (gsize c = 0; c <= r; c++)
      check_number (other + r * p, other + c * p, p, out[r * stride + c]);
  free (work);
}

static void
test_kernels (void)
{
  static const struct
  {
    int rows, columns;
    gsize p;
  } shapes[] = { { 1, 1, 1 },    { 8, 24, 64 },   { 9, 25, 63 },   { 4, 12, 256 },
                 { 5, 13, 257 }, { 50, 70, 300 }, { 33, 23, 513 }, { TOSST_GRAM_SIDE, TOSST_GRAM_SIDE, 40 } };
  const TosstKernels *builds[3];

  list_builds (builds);
  for (int b = 0; b < 3 && builds[b] != NULL; b++)
    for (gsize i = 0; i < G_N_ELEMENTS (shapes) && builds[b]->gram != NULL; i++)
      for (double kept = 0; kept <= 1; kept += 0.5)
        check_kernel (builds[b], shapes[i].rows, shapes[i].columns, shapes[i].p, kept);
}

/* More than a tile; one thread and two make the same bits. */
static void
test_matrix (gconstpointer data)
{
  const double *kept = data;
  enum
  {
    N = TOSST_GRAM_SIDE + 61,
    P = 270
  };
  g_autofree float *x = make_rows (N, P, *kept);
  double *gram[2];

  for (int threads = 1; threads <= 2; threads++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (threads);
      assert_ok (tosst_svm_gram (context, x, N, P, &gram[threads - 1]));
    }
  g_assert_cmpmem (gram[0], N * N * sizeof (double), gram[1], N * N * sizeof (double));
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < N; j++)
      {
        g_assert_cmpfloat (gram[0][i * N + j], ==, gram[0][j * N + i]);
        if (j <= i)
          check_number (x + i * P, x + j * P, P, gram[0][i * N + j]);
      }
  free (gram[0]);
  free (gram[1]);
}

/* Rows that are multiplied in float: two tiles, and panels of which the last is narrow. The same bits from one thread and
 * two, and where x lies elsewhere. */
static void
test_long (void)
{
  enum
  {
    N = TOSST_GRAM_SIDE + 21,
    P = 8192 + 77
  };
  g_autofree float *x = g_new (float, N *P), *moved = g_new (float, N *P + 3);
  double *gram[2];
  TosstRandom random;

  tosst_random_init (&random, 3, 0);
  for (gsize i = 0; i < N * P; i++)
    x[i] = moved[i + 3] = (float)(tosst_random_normal (&random) + 0.3);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (1 + i);
      assert_ok (tosst_svm_gram (context, i ? moved + 3 : x, N, P, &gram[i]));
    }
  g_assert_cmpmem (gram[0], N * N * sizeof (double), gram[1], N * N * sizeof (double));
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j <= i; j++)
      {
        g_assert_cmpfloat (gram[0][i * N + j], ==, gram[0][j * N + i]);
        if ((i + j) % 16 == 0)
          check_long (x + i * P, x + j * P, P, gram[0][i * N + j]);
      }
  free (gram[0]);
  free (gram[1]);
}

int
main (int argc, char *argv[])
{
  static const double kept[] = { 0.3, 1 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gram/kernels", test_kernels);
  g_test_add_data_func ("/gram/sparse", &kept[0], test_matrix);
  g_test_add_data_func ("/gram/dense", &kept[1], test_matrix);
  g_test_add_func ("/gram/long", test_long);
  return g_test_run ();
}

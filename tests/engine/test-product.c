/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The product with packed columns of each build against sums in float64, and the panels of transformed atoms against atoms
 * made one by one.
 */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builds.h"
#include "engine/base/memory.h"
#include "tosst/context.h"

/* Around the sizes at which the product is cut: register tiles, panels, blocks, slices and parts of the terms. */
typedef struct
{
  int columns;
  gsize terms, rows;
} Shape;

static const Shape shapes[]
    = { { 1, 1, 1 },      { 16, 4, 8 },      { 17, 3, 7 },       { 33, 159, 9 },   { 48, 160, 16 },  { 49, 161, 3 },
        { 100, 163, 31 }, { 241, 320, 33 },  { 5, 3199, 2 },     { 20, 3200, 25 }, { 50, 3201, 10 }, { 63, 3361, 1 },
        { 70, 6563, 13 }, { 300, 200, 257 }, { 500, 3300, 264 }, { 16, 7, 520 },   { 735, 330, 12 } };

typedef struct
{
  Shape shape;
  float *columns; /* columns x terms */
  float *panels;  /* the same, packed */
  float *rows;    /* rows x terms, anywhere in memory */
  void *work;
} Product;

static void
pack (const Product *p, gsize first, gsize count, float *panels)
{
  gsize m = p->shape.terms;

  for (gsize c = 0; c < (count + TOSST_PANEL - 1) / TOSST_PANEL * TOSST_PANEL; c++)
    for (gsize t = 0; t < m; t++)
      panels[(c / TOSST_PANEL * m + t) * TOSST_PANEL + c % TOSST_PANEL]
          = c < count ? p->columns[(first + c) * m + t] : 0;
}

static Product
make_product (const TosstKernels *kernels, Shape shape)
{
  gsize m = shape.terms, padded = (gsize)(shape.columns + TOSST_PANEL - 1) / TOSST_PANEL * TOSST_PANEL;
  Product p = { shape, g_new (float, shape.columns *m), tosst_alloc_aligned (padded * m, sizeof (float)),
                g_new (float, shape.rows *m + 1), tosst_alloc_aligned (kernels->product_packed_work (m), 1) };
  TosstRandom random;

  tosst_random_init (&random, 3, m);
  for (gsize i = 0; i < shape.columns * m; i++)
    p.columns[i] = tosst_random_uniform (&random) - 0.3;
  for (gsize i = 0; i < shape.rows * m + 1; i++)
    p.rows[i] = tosst_random_uniform (&random) - 0.4;
  pack (&p, 0, shape.columns, p.panels);
  return p;
}

static void
free_product (Product *p)
{
  g_free (p->columns);
  free (p->panels);
  g_free (p->rows);
  free (p->work);
}

/* Every number is as near as sums of floats are, and nothing is written beside them. */
static void
check_sums (const TosstKernels *kernels, const Product *p)
{
  gsize m = p->shape.terms, columns = p->shape.columns, stride = columns + 3;
  g_autofree float *out = g_new (float, p->shape.rows *stride);
  const float *rows = p->rows + 1;

  for (gsize i = 0; i < p->shape.rows * stride; i++)
    out[i] = -77;
  kernels->product_packed (p->panels, columns, m, rows, p->shape.rows, out, stride, p->work);
  for (gsize r = 0; r < p->shape.rows; r++)
    {
      for (gsize c = 0; c < columns; c++)
        {
          double sum = 0, size = 0;
          for (gsize t = 0; t < m; t++)
            {
              double term = (double)rows[r * m + t] * p->columns[c * m + t];
              sum += term;
              size += fabs (term);
            }
          g_assert_cmpfloat (fabs (out[r * stride + c] - sum), <=, FLT_EPSILON * size * (1 + sqrt (m)));
        }
      for (gsize c = columns; c < stride; c++)
        g_assert_cmpfloat (out[r * stride + c], ==, -77);
    }
}

/* A row has the same bits alone, elsewhere in memory and with fewer columns. */
static void
check_bits (const TosstKernels *kernels, const Product *p)
{
  gsize m = p->shape.terms, columns = p->shape.columns;
  g_autofree float *all = g_new (float, p->shape.rows *columns), *one = g_new (float, columns + 1);
  g_autofree float *row = g_new (float, m + 2);

  kernels->product_packed (p->panels, columns, m, p->rows, p->shape.rows, all, columns, p->work);
  for (gsize r = 0; r < p->shape.rows; r += 1 + r / 3)
    {
      memcpy (row + 2, p->rows + r * m, sizeof *row * m);
      kernels->product_packed (p->panels, columns, m, row + 2, 1, one + 1, columns, p->work);
      g_assert_cmpmem (all + r * columns, sizeof *all * columns, one + 1, sizeof *one * columns);
    }
  gsize first = columns / 3, some = columns - first, last = p->shape.rows - 1;
  pack (p, first, some, p->panels);
  kernels->product_packed (p->panels, some, m, p->rows + last * m, 1, one, columns, p->work);
  g_assert_cmpmem (all + last * columns + first, sizeof *all * some, one, sizeof *one * some);
}

static gboolean
is_there (const TosstKernels *builds[3])
{
  gboolean found = FALSE;

  list_builds (builds);
  for (int b = 0; b < 3 && builds[b] != NULL; b++)
    found = found || builds[b]->product_packed != NULL;
  if (!found)
    g_test_skip ("products are made by sgemm here");
  return found;
}

static void
test_product (void)
{
  const TosstKernels *builds[3];

  if (!is_there (builds))
    return;
  for (int b = 0; b < 3 && builds[b] != NULL; b++)
    for (gsize s = 0; s < G_N_ELEMENTS (shapes) && builds[b]->product_packed != NULL; s++)
      {
        Product product = make_product (builds[b], shapes[s]);
        check_sums (builds[b], &product);
        check_bits (builds[b], &product);
        free_product (&product);
      }
}

static void
check_atoms (const TosstKernels *kernels, int d)
{
  gsize D = (gsize)d * (d + 1) / 2, m = D * (d + 2) / 3;
  double *C = tosst_alloc_aligned (D * TOSST_PANEL, sizeof *C), *b = tosst_alloc_aligned (d * TOSST_PANEL, sizeof *b);
  float *panel = tosst_alloc_aligned (m * TOSST_PANEL, sizeof *panel);
  g_autofree double *full = g_new (double, d *d), *factor = g_new (double, d);
  g_autofree float *atom = g_new (float, m);
  TosstRandom random;

  tosst_random_init (&random, 4, d);
  for (gsize i = 0; i < D * TOSST_PANEL; i++)
    C[i] = tosst_random_uniform (&random) - 0.5;
  for (int i = 0; i < d * TOSST_PANEL; i++)
    b[i] = tosst_random_uniform (&random);
  kernels->symmetric_atoms_panel (C, b, d, panel);
  for (int l = 0; l < TOSST_PANEL; l++)
    {
      gsize part = l / TOSST_ABREAST, lane = l % TOSST_ABREAST, p = part * D;
      for (int i = 0; i < d; i++)
        {
          factor[i] = b[(part * d + i) * TOSST_ABREAST + lane];
          for (int j = i; j < d; j++, p++)
            full[i * d + j] = full[j * d + i] = C[p * TOSST_ABREAST + lane];
        }
      kernels->symmetric_atom_float (full, factor, d, atom);
      for (gsize t = 0; t < m; t++)
        g_assert_cmpfloat_with_epsilon (panel[t * TOSST_PANEL + l], atom[t], 2e-7);
    }
  free (C);
  free (b);
  free (panel);
}

static void
test_atoms (void)
{
  const TosstKernels *builds[3];

  if (!is_there (builds))
    return;
  for (int b = 0; b < 3 && builds[b] != NULL; b++)
    for (int d = 1; d < 40 && builds[b]->symmetric_atoms_panel != NULL; d += 1 + d / 5)
      check_atoms (builds[b], d);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/product/packed", test_product);
  g_test_add_func ("/product/atoms", test_atoms);
  return g_test_run ();
}

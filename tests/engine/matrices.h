/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <lapacke.h>
#include <string.h>

#include "tosst/context.h"
#include "tosst/tensor.h"

/* For symmetric matrices of side d. */
static inline TosstLayout *
matrices (int d)
{
  return tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_SYMMETRIC, d));
}

/* Eigenvalues in ascending order; vectors (d x d, column-major) may be NULL. */
static inline void
eigenvalues (const float *packed, int d, double *values, double *vectors)
{
  g_autofree double *A = g_new (double, d *d);

  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      A[i * d + j] = A[j * d + i] = *packed++;
  g_assert_cmpint (LAPACKE_dsyev (LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'U', d, A, d, values), ==, 0);
  if (vectors)
    memcpy (vectors, A, sizeof *A * d * d);
}

/* Vectors that float32 holds exactly: uniform in [-1, 1], and offset. */
static inline double *
random_vectors (gsize n, int d, double offset, guint64 seed)
{
  double *x = g_new (double, n *d);
  TosstRandom random;

  tosst_random_init (&random, seed, 0);
  for (gsize i = 0; i < n * d; i++)
    x[i] = (float)(2 * tosst_random_uniform (&random) - 1) + offset;
  return x;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tests of whitening and of the kernels that it is made of need both.
 */
#pragma once

#include <glib.h>
#include <math.h>

#include "tosst/context.h"

static inline double
sgn_power (double x, double p)
{
  return x == 0 ? 0 : copysign (pow (fabs (x), p), x);
}

/* A random orthogonal matrix: Gram-Schmidt, twice. Rows are the vectors. */
static inline double *
random_rotation (TosstRandom *random, int d)
{
  double *Q = g_new (double, d *d);

  for (int i = 0; i < d; i++)
    {
      double *q = Q + i * d, norm = 0;
      for (int j = 0; j < d; j++)
        q[j] = tosst_random_normal (random);
      for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < i; r++)
          {
            double product = 0;
            for (int j = 0; j < d; j++)
              product += q[j] * Q[r * d + j];
            for (int j = 0; j < d; j++)
              q[j] -= product * Q[r * d + j];
          }
      for (int j = 0; j < d; j++)
        norm += q[j] * q[j];
      for (int j = 0; j < d; j++)
        q[j] /= sqrt (norm);
    }
  return Q;
}

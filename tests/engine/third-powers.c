/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "third-powers.h"

#include <glib.h>
#include <math.h>

#include "tosst/context.h"

float *
third_powers (const TosstLayout *layout, size_t n)
{
  float *tensors = g_new0 (float, n * layout->m);
  TosstRandom random;

  tosst_random_init (&random, 5, 0);
  for (gsize t = 0; t < n; t++)
    for (int r = 0; r < 3; r++)
      {
        double x[THIRD_POWERS_SIDE];
        gsize at = t * layout->m;

        for (int i = 0; i < THIRD_POWERS_SIDE; i++)
          x[i] = fabs (tosst_random_normal (&random));
        for (int i = 0; i < THIRD_POWERS_SIDE; i++)
          for (int j = i; j < THIRD_POWERS_SIDE; j++)
            for (int k = j; k < THIRD_POWERS_SIDE; k++)
              tensors[at++] += (float)(x[i] * x[j] * x[k]);
      }
  return tensors;
}

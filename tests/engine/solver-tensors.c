/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver-tensors.h"

#include <glib.h>

#include "tosst/context.h"

float *
make_tensors (const TosstLayout *layout, gsize n)
{
  float *tensors = g_new0 (float, n * layout->m);
  TosstRandom random;

  tosst_random_init (&random, 5, 0);
  for (gsize i = 0; i < n; i++)
    for (int pixel = 0; pixel < 9; pixel++)
      {
        double x[SIDE];
        float *out = tensors + i * layout->m;
        for (int j = 0; j < SIDE; j++)
          x[j] = tosst_random_uniform (&random) * (1 + 2 * ((i + j) % 3 == 0));
        for (int a = 0; a < SIDE; a++)
          for (int b = a; b < SIDE; b++)
            for (int c = b; c < SIDE; c++)
              *out++ += (float)(x[a] * x[b] * x[c] / 9);
      }
  return tensors;
}

TosstLearnOptions
default_options (TosstSolver solver)
{
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.solver = solver;
  options.rank = 2;
  options.tolerance = 0;
  return options;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The objective of the exact solver never rises: over drawn small problems of every kind, long after they have settled. */

#include <float.h>
#include <gio/gio.h>
#include <math.h>

#include "objects.h"
#include "tosst/learn.h"

#define PROBLEMS 24
#define ITERATIONS 100
#define PIXELS 9

typedef struct
{
  double last, worst; /* the objective; what it rose by at most */
  int n;
} Descent;

static void
look (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Descent *descent = data;

  descent->worst = MAX (descent->worst, iteration->objective - descent->last);
  descent->last = iteration->objective;
  descent->n++;
}

static float *
draw_tensors (const TosstLayout *layout, gsize n, TosstRandom *random)
{
  int d = layout->d;
  float *tensors = g_new0 (float, n * layout->m);

  for (gsize i = 0; i < n * PIXELS; i++)
    {
      double x[8];
      float *out = tensors + i / PIXELS * layout->m;

      for (int a = 0; a < d; a++)
        x[a] = tosst_random_uniform (random);
      for (int a = 0; a < d; a++)
        for (int b = a; b < d; b++)
          for (int c = b; c < d; c++)
            *out++ += (float)(x[a] * x[b] * x[c] / PIXELS);
    }
  return tensors;
}

static TosstLearnOptions
draw_options (int problem)
{
  static const TosstScheme schemes[]
      = { TOSST_SCHEME_PSD, TOSST_SCHEME_LOW_RANK, TOSST_SCHEME_FREE, TOSST_SCHEME_FULL };
  static const double lambdas[] = { 0.01, 0.1, 1e-3 }, gammas[] = { 1, INFINITY, 0.1 };
  static const int atoms[] = { 2, 6, 12 };
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.scheme = schemes[problem % 4];
  options.rank = 1;
  options.atoms = atoms[problem % 3];
  options.problem.lambda = lambdas[problem / 4 % 3];
  options.problem.gamma = gammas[problem / 2 % 3];
  options.problem.signed_alpha = options.signed_b = problem % 5 == 4;
  options.problem.nonnegative_beta = problem % 7 == 6;
  options.iterations = ITERATIONS;
  options.tolerance = 0;
  options.seed = (guint64)problem;
  return options;
}

/* Tensors are scaled to a mean square norm of 1, so that what is left of them is a difference of sums of n: that many
 * units of rounding, and a few. */
static void
test_drawn (void)
{
  static const gsize counts[] = { 20, 60, 200 };
  g_autoptr (TosstContext) context = tosst_context_new (1);

  for (int problem = 0; problem < PROBLEMS; problem++)
    {
      TosstLearnOptions options = draw_options (problem);
      gsize n = counts[problem / 3 % 3];
      TosstShapeKind kind = options.scheme == TOSST_SCHEME_FULL ? TOSST_SHAPE_WHOLE : TOSST_SHAPE_SUPER_SYMMETRIC;
      g_autoptr (TosstLayout) layout = tosst_layout_new_shape (tosst_shape (kind, 2 + problem % 5));
      TosstRandom random;
      TosstDictionary *dictionary = NULL;
      Descent descent = { .last = INFINITY, .worst = -INFINITY };

      tosst_random_init (&random, (guint64)problem, 7);
      g_autofree float *tensors = draw_tensors (layout, n, &random);
      assert_ok (tosst_learn (context, layout, tensors, n, &options, NULL, look, &descent, &dictionary));
      g_test_message ("problem %d: n %zu, d %d, K %d, objective %g, largest rise %.2g", problem, n, layout->d,
                      options.atoms, descent.last, descent.worst);
      g_assert_cmpint (descent.n, ==, ITERATIONS);
      g_assert_cmpfloat (descent.worst, <=, 4 * DBL_EPSILON * (double)n);
      tosst_dictionary_free (dictionary);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/descent/drawn", test_drawn);
  return g_test_run ();
}

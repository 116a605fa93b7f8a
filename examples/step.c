/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning that is watched and steered: a callback after each iteration, which stops early, and single blocks with undo.
 *
 *     cc step.c $(pkg-config --cflags --libs tosst) -lm -o step
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tosst/tosst.h>

enum
{
  SIDE = 5,
  N = 200,
  VECTORS = 12,
  ATOMS = 10,
};

typedef struct
{
  TosstContext *context;
  double before; /* objective of the last iteration */
} Watch;

/* The objective never increases. Half a percent an iteration is enough here; cancelling keeps the dictionary. */
static void
watch_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Watch *watch = data;
  printf ("iteration %d: objective %.4f, %.1f non-zeros\n", iteration->iteration, iteration->objective,
          iteration->mean_nonzeros);
  if (iteration->objective > watch->before * .995)
    tosst_context_cancel (watch->context);
  watch->before = iteration->objective;
}

static float *
make_tensors (const TosstLayout *layout)
{
  TosstLocalEncoding mean_of_cubes = { .D = SIDE, .q = SIDE, .order = 3 };
  float *tensors = malloc (sizeof *tensors * N * layout->m), x[VECTORS * SIDE];
  TosstRandom random;
  tosst_random_init (&random, 1, 0);
  for (int n = 0; n < N; n++)
    {
      for (int i = 0; i < VECTORS * SIDE; i++)
        x[i] = i % SIDE == n % SIDE ? 1 + .2 * tosst_random_normal (&random) : .2 * tosst_random_uniform (&random);
      tosst_local_tensor (&mean_of_cubes, x, NULL, VECTORS, NULL, tensors + n * layout->m, NULL);
    }
  return tensors;
}

int
main (void)
{
  TosstLayout *layout = tosst_layout_new (SIDE);
  TosstContext *context = tosst_context_new (1);
  float *tensors = make_tensors (layout);
  TosstLearnOptions options;
  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.tolerance = 0;
  options.problem.lambda = .02;

  Watch watch = { context, INFINITY };
  TosstDictionary *dictionary = NULL;
  TosstStatus status = tosst_learn (context, layout, tensors, N, &options, NULL, watch_iteration, &watch, &dictionary);
  printf ("%s with %d atoms\n", status == TOSST_CANCELLED ? "stopped" : "ended", dictionary ? dictionary->K : 0);
  tosst_context_reset (context);

  /* The same blocks one by one: codes, atoms B, weights b, and back. */
  TosstStepper *stepper = NULL;
  TosstStep step, undone;
  if (tosst_stepper_new (context, layout, tensors, N, &options, NULL, 1 << 20, &stepper) != TOSST_OK)
    return 1;
  for (int i = 0; i < 3 && tosst_stepper_step (stepper, context, &step) == TOSST_OK; i++)
    printf ("block %d: objective %.4f\n", i + 1, step.after.objective);
  if (tosst_stepper_back (stepper, &undone))
    printf ("undone: objective %.4f\n", undone.before.objective);

  tosst_stepper_free (stepper);
  tosst_dictionary_free (dictionary);
  tosst_context_free (context);
  tosst_layout_free (layout);
  free (tensors);
  return status == TOSST_CANCELLED ? 0 : 1;
}

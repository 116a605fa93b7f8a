/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Residuals by products of floats: as near to those in float64 as they promise, taken only where the last pass gained enough for
 * that, and the same whether blocks are learned at once or step by step.
 */
#include <math.h>
#include <string.h>

#include "engine/learning/state.h"
#include "learned.h"
#include "objects.h"
#include "third-powers.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

#define N 1200
#define K 96
#define ITERATIONS 3

typedef struct
{
  TosstLayout *layout;
  float *tensors;
  TosstLearnOptions options;
  TosstContext *context;
} Case;

static void
case_init (Case *self, double gamma)
{
  self->layout = tosst_layout_new_shape (tosst_moment_shape (TOSST_MOMENT_THIRD_ORDER, THIRD_POWERS_SIDE));
  self->tensors = third_powers (self->layout, N);
  self->context = tosst_context_new (2);
  tosst_learn_options_default (&self->options);
  self->options.atoms = K;
  self->options.problem.lambda = 1e-3;
  self->options.problem.gamma = gamma;
  self->options.iterations = ITERATIONS;
  self->options.tolerance = 0;
}

static void
case_clear (Case *self)
{
  tosst_layout_free (self->layout);
  g_free (self->tensors);
  tosst_context_free (self->context);
}

static void
must (const Case *self, TosstStatus status)
{
  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (self->context));
}

/* After a coding and one round of block updates. */
static void
learn_a_round (Case *self, TosstLearning *learning)
{
  TosstIteration iteration = { .iteration = 1 };

  g_assert_true (tosst_learning_init (learning, self->context, self->layout, self->tensors, N, &self->options, NULL));
  must (self, tosst_learning_update_Sxx (learning));
  must (self, tosst_learning_init_atoms (learning));
  must (self, tosst_learning_code (learning, false, &iteration));
  must (self, tosst_learning_update_stats (learning));
  must (self, tosst_learning_update (learning));
}

/* sum_k ||a_k - b_k||^2 / Scc_kk. */
static double
distance (const TosstLearning *learning, const double *a, const double *b)
{
  double sum = 0;

  for (gsize k = 0; k < K; k++)
    for (gsize p = 0; p < (gsize)learning->D && learning->Scc[k * K + k] > 0; p++)
      {
        double difference = a[k * learning->D + p] - b[k * learning->D + p];
        sum += difference * difference / learning->Scc[k * K + k];
      }
  return sum;
}

static void
test_near (gconstpointer data)
{
  Case given;
  TosstLearning learning;

  case_init (&given, data ? INFINITY : 1);
  learn_a_round (&given, &learning);
  gsize size = (gsize)learning.D * K;
  double gained = learning.gained;
  g_assert_cmpfloat (gained, >, 0);

  must (&given, tosst_learning_residuals_for_pass (&learning));
  g_autofree double *rounded = g_memdup2 (learning.R, sizeof *rounded * size);
  learning.gained = 0;
  must (&given, tosst_learning_residuals_for_pass (&learning));
  g_autofree double *exact = g_memdup2 (learning.R, sizeof *exact * size);
  double far = distance (&learning, rounded, exact);
  g_assert_cmpfloat (far, >, 0);
  g_assert_cmpfloat (far, <, 0.02 * gained);

  /* Where next to nothing was gained, rounding would spoil all of it. */
  learning.gained = far;
  must (&given, tosst_learning_residuals_for_pass (&learning));
  g_assert_cmpmem (learning.R, sizeof *exact * size, exact, sizeof *exact * size);
  tosst_learning_clear (&learning);
  case_clear (&given);
}

/* The numbers and atoms of tosst_learn(), a third of the passes atom by atom, with steps back in between. */
static void
test_steps (gconstpointer data)
{
  Case given;
  Course course = { .n = 0 };
  g_autoptr (TosstDictionary) dictionary = NULL;
  TosstStepper *stepper;
  TosstStep done;
  int ended = 0, moves = 0;

  case_init (&given, data ? INFINITY : 1);
  must (&given, tosst_learn (given.context, given.layout, given.tensors, N, &given.options, NULL, keep_course, &course,
                             &dictionary));
  must (&given,
        tosst_stepper_new (given.context, given.layout, given.tensors, N, &given.options, NULL, SIZE_MAX, &stepper));
  while (ended < ITERATIONS)
    {
      tosst_stepper_peek (stepper, &done);
      tosst_stepper_set_single (stepper, done.round == 2 || done.atom > 0);
      must (&given, tosst_stepper_step (stepper, given.context, &done));
      if (++moves % 7 == 0)
        {
          g_assert_true (tosst_stepper_back (stepper, &done));
          must (&given, tosst_stepper_step (stepper, given.context, &done));
        }
      g_assert_cmpfloat (done.after.objective, <=, done.before.objective * (1 + 1e-6));
      if (!done.ends)
        continue;
      g_assert_cmpfloat (done.after.objective, ==, course.trace[ended].objective);
      assert_same_atoms (tosst_stepper_dictionary (stepper), course.dictionary[ended]);
      ended++;
    }
  g_assert_cmpint (moves, >, ITERATIONS * K);
  assert_same_atoms (tosst_stepper_dictionary (stepper), dictionary);
  tosst_stepper_free (stepper);
  free_course (&course);
  case_clear (&given);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/residuals/near", NULL, test_near);
  g_test_add_data_func ("/residuals/near-equal", "infinity", test_near);
  g_test_add_data_func ("/residuals/steps", NULL, test_steps);
  g_test_add_data_func ("/residuals/steps-equal", "infinity", test_steps);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Blocks one at a time come to the bits of tosst_learn(), each lowers the objective, and a step back and forth changes
 * nothing, whatever is kept and whatever was cancelled. Atoms that move one at a time come to the same bits.
 */
#include <math.h>
#include <string.h>

#include "learned.h"
#include "objects.h"
#include "third-powers.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

#define N 90
#define K 11
#define ITERATIONS 4
#define MOST 256 /* steps */

static const struct
{
  const char *name;
  TosstScheme scheme;
  double gamma;
  bool signed_alpha, nonnegative_beta, signed_b;
} variants[] = {
  { "psd", TOSST_SCHEME_PSD, 1, false, false, false },
  { "low-rank", TOSST_SCHEME_LOW_RANK, 1, false, false, false },
  { "free", TOSST_SCHEME_FREE, 1, true, false, true },
  { "full", TOSST_SCHEME_FULL, 1, false, false, false },
  { "equal", TOSST_SCHEME_PSD, INFINITY, false, false, false },
  { "nonnegative", TOSST_SCHEME_PSD, 1, false, true, false },
  { "nonnegative-equal", TOSST_SCHEME_PSD, INFINITY, false, true, false },
};

/* A learning of some tensors: so many atoms for so few of them that some are not used. */
typedef struct
{
  TosstLayout *layout;
  float *tensors;
  TosstLearnOptions options;
  TosstContext *context;
} Case;

static void
case_init (Case *self, gsize variant, double lambda)
{
  TosstShape shape = tosst_moment_shape (TOSST_MOMENT_THIRD_ORDER, THIRD_POWERS_SIDE);

  if (variants[variant].scheme == TOSST_SCHEME_FULL)
    shape.kind = TOSST_SHAPE_WHOLE;
  self->layout = tosst_layout_new_shape (shape);
  self->tensors = third_powers (self->layout, N);
  self->context = tosst_context_new (2);
  tosst_learn_options_default (&self->options);
  self->options.atoms = K;
  self->options.rank = 2;
  self->options.problem.lambda = lambda;
  self->options.iterations = ITERATIONS;
  self->options.tolerance = 0;
  self->options.scheme = variants[variant].scheme;
  self->options.problem.gamma = variants[variant].gamma;
  self->options.problem.signed_alpha = variants[variant].signed_alpha;
  self->options.problem.nonnegative_beta = variants[variant].nonnegative_beta;
  self->options.signed_b = variants[variant].signed_b;
}

static void
case_clear (Case *self)
{
  tosst_layout_free (self->layout);
  g_free (self->tensors);
  tosst_context_free (self->context);
}

static TosstStepper *
case_begin_run (Case *self, const TosstLearnRun *run, size_t history)
{
  TosstStepper *stepper;

  assert_ok (tosst_stepper_new (self->context, self->layout, self->tensors, N, &self->options, run, history, &stepper));
  return stepper;
}

static TosstStepper *
case_begin (Case *self, size_t history)
{
  return case_begin_run (self, NULL, history);
}

static void
step (Case *self, TosstStepper *stepper, TosstStep *done)
{
  if (tosst_stepper_step (stepper, self->context, done) != TOSST_OK)
    g_error ("%s", tosst_context_message (self->context));
}

static void
assert_same_numbers (const TosstIteration *a, const TosstIteration *b)
{
  g_assert_cmpfloat (a->objective, ==, b->objective);
  g_assert_cmpfloat (a->fit, ==, b->fit);
  g_assert_cmpfloat (a->proximity, ==, b->proximity);
  g_assert_cmpfloat (a->sparsity, ==, b->sparsity);
  g_assert_cmpfloat (a->mean_nonzeros, ==, b->mean_nonzeros);
  g_assert_cmpfloat (a->worst_kkt, ==, b->worst_kkt);
  g_assert_cmpint (a->unused_atoms, ==, b->unused_atoms);
}

/* The path of the learner, downhill all the way. */
static void
test_same_path (gconstpointer data)
{
  for (int sparse = 0; sparse < 2; sparse++)
    {
      Case given;
      Course course = { .n = 0 };
      g_autoptr (TosstDictionary) dictionary = NULL;
      int kinds[5] = { 0 };

      case_init (&given, GPOINTER_TO_SIZE (data), sparse ? 0.3 : 2e-3);
      assert_ok (tosst_learn (given.context, given.layout, given.tensors, N, &given.options, NULL, keep_course, &course,
                              &dictionary));
      TosstStepper *stepper = case_begin (&given, SIZE_MAX);
      for (int ended = 0; ended < ITERATIONS;)
        {
          TosstStep done;

          step (&given, stepper, &done);
          kinds[done.kind]++;
          g_assert_cmpint (done.iteration, ==, ended + 1);
          g_assert_cmpfloat (done.after.objective, <=, done.before.objective * (1 + 1e-9));
          g_assert_cmpfloat_with_epsilon (done.after.fit + done.after.proximity + done.after.sparsity,
                                          done.after.objective, 1e-9 * done.after.objective);
          if (!done.ends)
            continue;
          assert_same_numbers (&done.after, &course.trace[ended]);
          assert_same_atoms (tosst_stepper_dictionary (stepper), course.dictionary[ended]);
          ended++;
        }
      g_assert_cmpint (kinds[TOSST_STEP_CODES], ==, ITERATIONS);
      g_assert_cmpint (kinds[TOSST_STEP_B] + kinds[TOSST_STEP_BOTH], >=, ITERATIONS);
      if (sparse && variants[GPOINTER_TO_SIZE (data)].scheme == TOSST_SCHEME_PSD && given.options.problem.gamma == 1)
        g_assert_cmpint (kinds[TOSST_STEP_UNUSED], >, 0);
      assert_same_atoms (tosst_stepper_dictionary (stepper), dictionary);
      tosst_stepper_free (stepper);
      free_course (&course);
      case_clear (&given);
    }
}

/* Forth to the end, back to the beginning, forth again; then steps to and fro. */
static void
test_back (gconstpointer data)
{
  Case given;
  TosstStep first[MOST], again;
  TosstDictionary *atoms[MOST + 1];
  TosstRandom random;
  int n = 0, at;

  case_init (&given, GPOINTER_TO_SIZE (data), 0.05);
  TosstStepper *stepper = case_begin (&given, SIZE_MAX);
  for (int ended = 0; ended < 3; ended += first[n++].ends)
    {
      g_assert_cmpint (n, <, MOST);
      atoms[n] = tosst_dictionary_copy (tosst_stepper_dictionary (stepper));
      step (&given, stepper, &first[n]);
    }
  atoms[n] = tosst_dictionary_copy (tosst_stepper_dictionary (stepper));
  g_assert_cmpint (tosst_stepper_undo_depth (stepper), ==, n);
  g_assert_false (tosst_stepper_is_truncated (stepper));
  for (at = n; at > 0; at--)
    {
      g_assert_true (tosst_stepper_back (stepper, &again));
      g_assert_cmpint (again.kind, ==, first[at - 1].kind);
      assert_same_numbers (&again.after, &first[at - 1].after);
      assert_same_atoms (tosst_stepper_dictionary (stepper), atoms[at - 1]);
    }
  g_assert_false (tosst_stepper_back (stepper, &again));

  tosst_random_init (&random, 17, 0);
  for (int move = 0; move < 150; move++)
    if (at > 0 && (at == n || tosst_random_below (&random, 5) < 2))
      {
        g_assert_true (tosst_stepper_back (stepper, &again));
        at--;
      }
    else
      {
        step (&given, stepper, &again);
        g_assert_cmpint (again.kind, ==, first[at].kind);
        g_assert_cmpint (again.round, ==, first[at].round);
        g_assert_true (again.ends == first[at].ends);
        assert_same_numbers (&again.after, &first[at].after);
        at++;
        assert_same_atoms (tosst_stepper_dictionary (stepper), atoms[at]);
      }
  for (int i = 0; i <= n; i++)
    tosst_dictionary_free (atoms[i]);
  tosst_stepper_free (stepper);
  case_clear (&given);
}

/* gamma = infinity is learned without a beta of its own, and so are tensors of one slice. */
static bool
is_joint (const Case *self)
{
  return self->options.problem.nonnegative_beta && isfinite (self->options.problem.gamma);
}

/* The B_k of one pass alone, in their order and downhill, then what is left of it; the last `rest` of them in one block. */
static void
step_through_pass (Case *self, TosstStepper *stepper, int rest, TosstStep *done)
{
  bool has_beta = !is_joint (self) && isfinite (self->options.problem.gamma) && self->layout->S > 1;

  for (int k = 1; k <= K - rest; k++)
    {
      step (self, stepper, done);
      g_assert_cmpint (done->kind, ==, TOSST_STEP_ONE_B);
      g_assert_cmpint (done->atom, ==, k);
      g_assert_cmpfloat (done->after.objective, <=, done->before.objective * (1 + 1e-6));
    }
  if (rest == 0 && !has_beta && !is_joint (self))
    return;
  tosst_stepper_set_single (stepper, rest == 0);
  step (self, stepper, done);
  g_assert_cmpint (done->kind, ==,
                   rest > 0 && is_joint (self) ? TOSST_STEP_BOTH
                   : rest > 0                  ? TOSST_STEP_B
                   : has_beta                  ? TOSST_STEP_BETA
                                               : TOSST_STEP_b);
  g_assert_cmpint (done->atom, ==, rest > 0 ? K - rest + 1 : 0);
  g_assert_cmpfloat (done->after.objective, <=, done->before.objective * (1 + 1e-6));
  tosst_stepper_set_single (stepper, true);
}

static void
test_single (gconstpointer data)
{
  Case given;
  TosstStep all, one;
  int passes = 0;

  case_init (&given, GPOINTER_TO_SIZE (data), 0.05);
  TosstStepper *whole = case_begin (&given, SIZE_MAX), *single = case_begin (&given, SIZE_MAX);
  tosst_stepper_set_single (single, true);
  for (int ended = 0; ended < ITERATIONS; ended += all.ends)
    {
      step (&given, whole, &all);
      if (all.kind == TOSST_STEP_B || all.kind == TOSST_STEP_BOTH)
        step_through_pass (&given, single, passes++ % 2 == 0 ? 0 : K / 2, &one);
      else
        step (&given, single, &one);
      g_assert_true (one.ends == all.ends);
      g_assert_cmpint (one.round, ==, all.round);
      assert_same_numbers (&one.after, &all.after);
      assert_same_atoms (tosst_stepper_dictionary (single), tosst_stepper_dictionary (whole));
    }
  tosst_stepper_free (whole);
  tosst_stepper_free (single);
  case_clear (&given);
}

/* With more atoms than a block of the sweep has, so that residuals also pass from block to block. */
static void
test_single_many (void)
{
  Case given;
  TosstStep all, one;

  case_init (&given, 0, 1e-3);
  given.options.atoms = 80;
  TosstStepper *whole = case_begin (&given, 0), *single = case_begin (&given, 0);
  tosst_stepper_set_single (single, true);
  for (int i = 0; i < 2; i++)
    step (&given, whole, &all);
  for (int i = 0; i < 1 + 80 + 1; i++)
    step (&given, single, &one);
  g_assert_cmpint (one.kind, ==, TOSST_STEP_BETA);
  assert_same_numbers (&one.after, &all.after);
  assert_same_atoms (tosst_stepper_dictionary (single), tosst_stepper_dictionary (whole));
  tosst_stepper_free (whole);
  tosst_stepper_free (single);
  case_clear (&given);
}

/* To and fro, one by one here and the rest at once there, now and then cancelled: the same bits as the first time. */
static void
test_single_back (gconstpointer data)
{
  Case given;
  TosstStep first[MOST], again;
  TosstDictionary *atoms[MOST + 1];
  bool is_single[MOST];
  TosstRandom random;
  int n = 0, at;

  case_init (&given, GPOINTER_TO_SIZE (data), 0.05);
  TosstStepper *stepper = case_begin (&given, SIZE_MAX);
  tosst_random_init (&random, 23, 0);
  for (int ended = 0; ended < 3; ended += first[n++].ends)
    {
      g_assert_cmpint (n, <, MOST);
      is_single[n] = tosst_random_below (&random, 12) > 0;
      atoms[n] = tosst_dictionary_copy (tosst_stepper_dictionary (stepper));
      tosst_stepper_set_single (stepper, is_single[n]);
      step (&given, stepper, &first[n]);
    }
  at = n;
  atoms[n] = tosst_dictionary_copy (tosst_stepper_dictionary (stepper));
  for (int move = 0; move < 400; move++)
    if (at > 0 && (at == n || tosst_random_below (&random, 2) == 0))
      {
        g_assert_true (tosst_stepper_back (stepper, &again));
        at--;
        assert_same_atoms (tosst_stepper_dictionary (stepper), atoms[at]);
      }
    else
      {
        tosst_stepper_set_single (stepper, is_single[at]);
        if (move % 5 == 0)
          {
            tosst_context_cancel (given.context);
            g_assert_cmpint (tosst_stepper_step (stepper, given.context, &again), ==, TOSST_CANCELLED);
            tosst_context_reset (given.context);
          }
        step (&given, stepper, &again);
        g_assert_cmpint (again.kind, ==, first[at].kind);
        g_assert_cmpint (again.atom, ==, first[at].atom);
        assert_same_numbers (&again.after, &first[at].after);
        at++;
        assert_same_atoms (tosst_stepper_dictionary (stepper), atoms[at]);
      }
  for (int i = 0; i <= n; i++)
    tosst_dictionary_free (atoms[i]);
  tosst_stepper_free (stepper);
  case_clear (&given);
}

/* With little room the oldest steps go, and the last one stays. */
static void
test_bound (void)
{
  Case given;
  TosstStep done;

  case_init (&given, 0, 0.05);
  TosstStepper *stepper = case_begin (&given, 1);
  for (int i = 0; i < 12; i++)
    step (&given, stepper, &done);
  g_assert_cmpint (tosst_stepper_undo_depth (stepper), ==, 1);
  g_assert_true (tosst_stepper_is_truncated (stepper));
  g_assert_true (tosst_stepper_back (stepper, &done));
  g_assert_false (tosst_stepper_back (stepper, &done));
  tosst_stepper_free (stepper);
  case_clear (&given);
}

/* A block that is cancelled has not happened. */
static void
test_cancelled (gconstpointer data)
{
  Case given;
  TosstStep expected[MOST], done;
  int n = 0;

  case_init (&given, GPOINTER_TO_SIZE (data), 0.05);
  TosstStepper *whole = case_begin (&given, SIZE_MAX), *stepper = case_begin (&given, SIZE_MAX);
  for (int ended = 0; ended < 2; ended += expected[n++].ends)
    step (&given, whole, &expected[n]);
  for (int i = 0; i < n; i++)
    {
      tosst_context_cancel (given.context);
      g_assert_cmpint (tosst_stepper_step (stepper, given.context, &done), ==, TOSST_CANCELLED);
      tosst_context_reset (given.context);
      g_assert_cmpint (tosst_stepper_undo_depth (stepper), ==, i);
      step (&given, stepper, &done);
      assert_same_numbers (&done.after, &expected[i].after);
    }
  assert_same_atoms (tosst_stepper_dictionary (stepper), tosst_stepper_dictionary (whole));
  tosst_stepper_free (whole);
  tosst_stepper_free (stepper);
  case_clear (&given);
}

typedef struct
{
  TosstLearnState state;
  TosstDictionary *dictionary;
  float *codes;
} Rest;

static void
keep_rest (const TosstLearnState *state, void *data)
{
  Rest *rest = data;

  if (state->done != 2)
    return;
  rest->dictionary = tosst_dictionary_copy (state->dictionary);
  rest->codes = g_memdup2 (state->codes, sizeof (float) * N * K);
  rest->state = *state;
  rest->state.dictionary = rest->dictionary;
  rest->state.codes = rest->codes;
}

/* From the middle of a run that was stopped. */
static void
test_from_state (gconstpointer data)
{
  Case given;
  Course course = { .n = 0 };
  Rest rest = { .codes = NULL };
  TosstDictionary *dictionary;
  TosstStep done = { .ends = false };

  case_init (&given, GPOINTER_TO_SIZE (data), 2e-3);
  TosstLearnRun keeping = { .state = keep_rest, .state_data = &rest }, resumed = { .resume = &rest.state };
  assert_ok (tosst_learn (given.context, given.layout, given.tensors, N, &given.options, &keeping, keep_course, &course,
                          &dictionary));
  TosstStepper *stepper = case_begin_run (&given, &resumed, SIZE_MAX);
  tosst_stepper_peek (stepper, &done);
  g_assert_cmpint (done.iteration, ==, 3);
  g_assert_cmpfloat_with_epsilon (done.before.objective, course.trace[1].objective, 1e-6 * done.before.objective);
  for (done.ends = false; !done.ends;)
    step (&given, stepper, &done);
  assert_same_numbers (&done.after, &course.trace[2]);
  assert_same_atoms (tosst_stepper_dictionary (stepper), course.dictionary[2]);
  tosst_stepper_free (stepper);
  tosst_dictionary_free (dictionary);
  tosst_dictionary_free (rest.dictionary);
  g_free (rest.codes);
  free_course (&course);
  case_clear (&given);
}

static void
test_refused (void)
{
  Case given;
  TosstStepper *stepper;

  case_init (&given, 0, 0.05);
  given.options.solver = TOSST_SOLVER_PQN;
  g_assert_cmpint (tosst_stepper_new (given.context, given.layout, given.tensors, N, &given.options, NULL, 0, &stepper),
                   ==, TOSST_ERROR_ARGUMENT);
  g_assert_null (stepper);
  case_clear (&given);
}

static void
add (const char *test, gsize variant, GTestDataFunc function)
{
  g_autofree char *name = g_strconcat ("/stepper/", test, "/", variants[variant].name, NULL);

  g_test_add_data_func (name, GSIZE_TO_POINTER (variant), function);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      add ("same-path", i, test_same_path);
      add ("back", i, test_back);
      add ("cancelled", i, test_cancelled);
      add ("single", i, test_single);
      add ("single-back", i, test_single_back);
      add ("from-state", i, test_from_state);
    }
  g_test_add_func ("/stepper/single-many", test_single_many);
  g_test_add_func ("/stepper/bound", test_bound);
  g_test_add_func ("/stepper/refused", test_refused);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning of more atoms than there are tensors.
 */
#include <math.h>
#include <string.h>

#include "learned.h"
#include "objects.h"
#include "third-powers.h"
#include "tosst/learn.h"

#define N 10
#define K 45
#define ITERATIONS 6
#define D (THIRD_POWERS_SIDE * (THIRD_POWERS_SIDE + 1) / 2)

static TosstLayout *
new_layout (void)
{
  return tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, THIRD_POWERS_SIDE));
}

static TosstLearnOptions
default_options (void)
{
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = K;
  options.rank = 2;
  options.iterations = ITERATIONS;
  options.tolerance = 0;
  return options;
}

/* Number of the slice with the direction of a free atom, which the projection only scales. */
static int
find_slice (const TosstLayout *layout, const float *tensors, const double *v)
{
  int found = -1;

  for (int i = 0; i < N * layout->S; i++)
    {
      const float *tensor = tensors + (gsize)(i / layout->S) * layout->m;
      double vv = 0, xx = 0, vx = 0;
      for (int p = 0; p < D; p++)
        {
          double x = layout->weight[p] * tensor[layout->index[i % layout->S * D + p]];
          vv += v[p] * v[p];
          xx += x * x;
          vx += v[p] * x;
        }
      if (vx >= (1 - 1e-10) * sqrt (vv * xx))
        {
          g_assert_cmpint (found, ==, -1);
          found = i;
        }
    }
  return found;
}

/* Different slices, 4 or 5 of each tensor. */
static void
test_start (void)
{
  g_autoptr (TosstLayout) layout = new_layout ();
  g_autofree float *tensors = third_powers (layout, N);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options = default_options ();
  TosstStepper *stepper;
  gboolean taken[N * THIRD_POWERS_SIDE] = { FALSE };
  int used[N] = { 0 };

  options.scheme = TOSST_SCHEME_FREE;
  g_assert_cmpint (layout->S, ==, THIRD_POWERS_SIDE);
  assert_ok (tosst_stepper_new (context, layout, tensors, N, &options, NULL, 0, &stepper));
  for (int k = 0; k < K; k++)
    {
      int slice = find_slice (layout, tensors, tosst_stepper_dictionary (stepper)->V + k * D);
      g_assert_cmpint (slice, >=, 0);
      g_assert_false (taken[slice]);
      taken[slice] = TRUE;
      used[slice / layout->S]++;
    }
  for (int n = 0; n < N; n++)
    g_assert_true (used[n] == K / N || used[n] == K / N + 1);
  tosst_stepper_free (stepper);
}

static TosstDictionary *
learn (const TosstLayout *layout, const float *tensors, int n, const TosstLearnOptions *options,
       const TosstLearnRun *run, int threads, Course *course)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstDictionary *dictionary;

  if (tosst_learn (context, layout, tensors, n, options, run, keep_course, course, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return dictionary;
}

static void
assert_descent (const Course *course, const TosstLearnOptions *options)
{
  for (int i = 0; i < course->n; i++)
    {
      g_assert_cmpfloat (course->trace[i].worst_kkt, <=, 1e-5);
      if (i > 0)
        g_assert_cmpfloat (course->trace[i].objective, <=, course->trace[i - 1].objective * (1 + 1e-9));
      assert_constraints (course->dictionary[i], options);
    }
  g_assert_cmpfloat (course->trace[course->n - 1].objective, <, course->trace[0].objective);
}

static void
test_never_rises (void)
{
  static const TosstScheme schemes[] = { TOSST_SCHEME_PSD, TOSST_SCHEME_LOW_RANK, TOSST_SCHEME_FREE };
  static const double gammas[] = { 0.1, 10, INFINITY };
  g_autoptr (TosstLayout) layout = new_layout ();
  g_autofree float *tensors = third_powers (layout, N);
  TosstLearnOptions options = default_options ();

  for (int i = 0; i < 18; i++)
    {
      Course course = { .n = 0 };
      options.scheme = schemes[i % 3];
      options.problem.gamma = gammas[i / 3 % 3];
      options.problem.nonnegative_beta = i >= 9;
      options.problem.signed_alpha = options.signed_b = i % 2;
      tosst_dictionary_free (learn (layout, tensors, N, &options, NULL, 2, &course));
      assert_descent (&course, &options);
      free_course (&course);
    }
}

/* Every slice is an atom, and one more than these is refused. */
static void
test_most (void)
{
  g_autoptr (TosstLayout) layout = new_layout ();
  g_autofree float *tensors = third_powers (layout, N);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options = default_options ();
  TosstMinibatchOptions minibatch;
  Course course = { .n = 0 };
  TosstDictionary *dictionary;

  options.atoms = N * THIRD_POWERS_SIDE;
  tosst_dictionary_free (learn (layout, tensors, N, &options, NULL, 1, &course));
  assert_descent (&course, &options);
  options.atoms++;
  g_assert_cmpint (tosst_learn (context, layout, tensors, N, &options, NULL, NULL, NULL, &dictionary), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (tosst_context_message (context), "fewer slices than there are atoms"));
  tosst_minibatch_options_default (&minibatch);
  minibatch.batch = N;
  g_assert_nonnull (tosst_minibatch_check (&minibatch, &options, layout->shape));
  options.atoms--;
  g_assert_null (tosst_minibatch_check (&minibatch, &options, layout->shape));
  free_course (&course);
}

/* Tensors of which few have slices: these are drawn again. */
static void
test_few_usable (void)
{
  g_autoptr (TosstLayout) layout = new_layout ();
  g_autofree float *tensors = third_powers (layout, N);
  TosstLearnOptions options = default_options ();
  Course course = { .n = 0 };

  memset (tensors, 0, sizeof *tensors * layout->m * (N - 2));
  tosst_dictionary_free (learn (layout, tensors, N, &options, NULL, 1, &course));
  assert_descent (&course, &options);
  free_course (&course);
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
  rest->state = *state;
  rest->state.dictionary = rest->dictionary = tosst_dictionary_copy (state->dictionary);
  rest->state.codes = rest->codes = g_memdup2 (state->codes, sizeof *state->codes * N * K);
}

/* Learning that goes on after two iterations, on other threads, leaves the same bits. */
static void
test_resume (void)
{
  g_autoptr (TosstLayout) layout = new_layout ();
  g_autofree float *tensors = third_powers (layout, N);
  TosstLearnOptions options = default_options ();
  Course whole = { .n = 0 }, after = { .n = 0 };
  Rest rest = { .codes = NULL };

  TosstLearnRun keeping = { .state = keep_rest, .state_data = &rest }, resumed = { .resume = &rest.state };
  g_autoptr (TosstDictionary) expected = learn (layout, tensors, N, &options, &keeping, 1, &whole);
  g_autoptr (TosstDictionary) found = learn (layout, tensors, N, &options, &resumed, 2, &after);
  assert_same_atoms (expected, found);
  g_assert_cmpint (after.n, ==, whole.n - 2);
  for (int i = 0; i < after.n; i++)
    g_assert_cmpfloat (after.trace[i].objective, ==, whole.trace[i + 2].objective);
  tosst_dictionary_free (rest.dictionary);
  g_free (rest.codes);
  free_course (&whole);
  free_course (&after);
}

typedef struct
{
  const TosstLayout *layout;
  const float *tensors;
} Rows;

static TosstStatus
read_rows (size_t first, size_t count, float *out, void *data)
{
  const Rows *rows = data;
  gsize m = rows->layout->m;

  memcpy (out, rows->tensors + first * m, sizeof *out * count * m);
  return TOSST_OK;
}

/* Batches of fewer tensors than atoms. */
static void
test_batches (void)
{
  g_autoptr (TosstLayout) layout = new_layout ();
  g_autofree float *tensors = third_powers (layout, 4 * N);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options = default_options ();
  TosstMinibatchOptions minibatch;
  Rows rows = { layout, tensors };
  const TosstStream stream = { read_rows, &rows, 4 * N };
  g_autoptr (TosstDictionary) dictionary = NULL;
  Course course = { .n = 0 };

  tosst_minibatch_options_default (&minibatch);
  minibatch.batch = N;
  if (tosst_learn_minibatch (context, layout, &stream, &options, &minibatch, NULL, keep_course, &course, &dictionary)
      != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  g_assert_cmpint (course.n, ==, ITERATIONS);
  for (int i = 0; i < course.n; i++)
    {
      g_assert_cmpfloat (course.trace[i].worst_kkt, <=, 1e-5);
      assert_constraints (course.dictionary[i], &options);
    }
  g_assert_cmpfloat (course.trace[course.n - 1].objective, <, course.trace[0].objective);
  free_course (&course);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/many-atoms/start", test_start);
  g_test_add_func ("/many-atoms/never-rises", test_never_rises);
  g_test_add_func ("/many-atoms/most", test_most);
  g_test_add_func ("/many-atoms/few-usable", test_few_usable);
  g_test_add_func ("/many-atoms/resume", test_resume);
  g_test_add_func ("/many-atoms/batches", test_batches);
  return g_test_run ();
}

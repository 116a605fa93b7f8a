/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning that is stopped after any iteration and taken up again comes to the same bits as learning that is not,
 * whatever the number of threads.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "descriptor/moments.h"
#include "learned.h"

#define SIDE 6
#define N 90
#define K 11
#define ITERATIONS 8

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
  { "nonnegative-signed", TOSST_SCHEME_PSD, 1, true, true, true },
  { "nonnegative-equal", TOSST_SCHEME_PSD, INFINITY, false, true, false },
};

/* Sums of a few third powers. */
static float *
make_tensors (const TosstLayout *layout)
{
  float *tensors = g_new0 (float, N * layout->m);
  TosstRandom random;

  tosst_random_init (&random, 5, 0);
  for (int n = 0; n < N; n++)
    for (int r = 0; r < 3; r++)
      {
        double x[SIDE];
        gsize at = n * layout->m;

        for (int i = 0; i < SIDE; i++)
          x[i] = fabs (tosst_random_normal (&random));
        for (int i = 0; i < SIDE; i++)
          for (int j = i; j < SIDE; j++)
            for (int k = j; k < SIDE; k++)
              tensors[at++] += (float)(x[i] * x[j] * x[k]);
      }
  return tensors;
}

/* What is left of learning when it is killed. */
typedef struct
{
  TosstLearnState state;
  TosstDictionary *dictionary;
  float *codes;
  int at;
} Rest;

static void
keep_rest (const TosstLearnState *state, void *data)
{
  Rest *rest = data;

  if (state->done != rest->at)
    return;
  rest->dictionary = tosst_dictionary_copy (state->dictionary);
  rest->codes = g_memdup2 (state->codes, sizeof (float) * N * K);
  rest->state = *state;
  rest->state.dictionary = rest->dictionary;
  rest->state.codes = rest->codes;
}

static TosstDictionary *
learn (const TosstLayout *layout, const float *tensors, const TosstLearnOptions *options, int threads, Course *course)
{
  TosstContext *context = tosst_context_new (threads);
  TosstDictionary *dictionary;
  TosstStatus status = tosst_learn (context, layout, tensors, N, options, keep_course, course, &dictionary);

  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  tosst_context_free (context);
  return dictionary;
}

static void
assert_same (const TosstDictionary *a, const TosstDictionary *b)
{
  g_assert_cmpmem (a->V, sizeof (double) * a->D * K, b->V, sizeof (double) * b->D * K);
  g_assert_cmpmem (a->b, sizeof (double) * a->S * K, b->b, sizeof (double) * b->S * K);
  g_assert_cmpfloat (a->scale, ==, b->scale);
}

static void
check (gsize variant, double tolerance, int at, int threads)
{
  TosstShape shape = tosst_moment_shape (TOSST_MOMENT_THIRD_ORDER, SIDE);
  TosstLearnOptions options;
  Course whole = { .n = 0 }, before = { .n = 0 }, after = { .n = 0 };
  Rest rest = { .at = at };

  if (variants[variant].scheme == TOSST_SCHEME_FULL)
    shape.kind = TOSST_SHAPE_WHOLE;
  TosstLayout *layout = tosst_layout_new_shape (shape);
  g_autofree float *tensors = make_tensors (layout);
  tosst_learn_options_default (&options);
  options.atoms = K;
  options.rank = 2;
  options.iterations = ITERATIONS;
  options.tolerance = tolerance;
  options.scheme = variants[variant].scheme;
  options.gamma = variants[variant].gamma;
  options.signed_alpha = variants[variant].signed_alpha;
  options.nonnegative_beta = variants[variant].nonnegative_beta;
  options.signed_b = variants[variant].signed_b;
  TosstDictionary *expected = learn (layout, tensors, &options, 1, &whole);
  options.state = keep_rest;
  options.state_data = &rest;
  tosst_dictionary_free (learn (layout, tensors, &options, 2, &before));
  g_assert_nonnull (rest.codes);
  options.state = NULL;
  options.resume = &rest.state;
  TosstDictionary *found = learn (layout, tensors, &options, threads, &after);

  assert_same (expected, found);
  g_assert_cmpint (after.n, ==, whole.n - at);
  for (int i = 0; i < after.n; i++)
    {
      g_assert_cmpint (after.trace[i].iteration, ==, at + i + 1);
      g_assert_cmpfloat (after.trace[i].objective, ==, whole.trace[at + i].objective);
      g_assert_cmpfloat (after.trace[i].worst_kkt, ==, whole.trace[at + i].worst_kkt);
    }
  tosst_dictionary_free (expected);
  tosst_dictionary_free (found);
  tosst_dictionary_free (rest.dictionary);
  g_free (rest.codes);
  free_course (&whole);
  free_course (&before);
  free_course (&after);
  tosst_layout_free (layout);
}

static void
test_resume (gconstpointer data)
{
  gsize variant = GPOINTER_TO_SIZE (data);

  check (variant, 0, 1, 1);
  check (variant, 0, 5, 3);
}

/* The last objective is part of the state: learning ends where it would have ended. */
static void
test_settles (void)
{
  check (0, 2e-2, 1, 1);
}

static void
test_refused (void)
{
  TosstShape shape = tosst_moment_shape (TOSST_MOMENT_THIRD_ORDER, SIDE);
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = K;
  options.state = keep_rest;
  g_assert_null (tosst_learn_options_check (&options, N, shape));
  options.solver = TOSST_SOLVER_PQN;
  g_assert_nonnull (strstr (tosst_learn_options_check (&options, N, shape), "only the exact solver"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *name = g_strconcat ("/learn-resume/", variants[i].name, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_resume);
    }
  g_test_add_func ("/learn-resume/settles", test_settles);
  g_test_add_func ("/learn-resume/refused", test_refused);
  return g_test_run ();
}

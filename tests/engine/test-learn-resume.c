/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning that is stopped after any iteration (of batches: after any batch) and taken up again comes to the same bits as
 * learning that is not; with the exact solver whatever the number of threads.
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
#define ITERATIONS 8
#define BATCH 40 /* 3 of them an epoch */

static const struct
{
  const char *name;
  TosstScheme scheme;
  double gamma;
  bool signed_alpha, nonnegative_beta, signed_b;
  TosstSolver solver;
  bool batches;
} variants[] = {
  { "psd", TOSST_SCHEME_PSD, 1, false, false, false },
  { "low-rank", TOSST_SCHEME_LOW_RANK, 1, false, false, false },
  { "free", TOSST_SCHEME_FREE, 1, true, false, true },
  { "full", TOSST_SCHEME_FULL, 1, false, false, false },
  { "equal", TOSST_SCHEME_PSD, INFINITY, false, false, false },
  { "nonnegative", TOSST_SCHEME_PSD, 1, false, true, false },
  { "nonnegative-signed", TOSST_SCHEME_PSD, 1, true, true, true },
  { "nonnegative-equal", TOSST_SCHEME_PSD, INFINITY, false, true, false },
  { "batches", TOSST_SCHEME_PSD, 1, false, false, false, TOSST_SOLVER_EXACT, true },
  { "batches-free", TOSST_SCHEME_FREE, INFINITY, true, false, true, TOSST_SOLVER_EXACT, true },
  { "pqn", TOSST_SCHEME_PSD, 1, false, false, false, TOSST_SOLVER_PQN },
  { "pqn-equal", TOSST_SCHEME_LOW_RANK, INFINITY, true, false, true, TOSST_SOLVER_PQN },
  { "pqn-nonnegative", TOSST_SCHEME_PSD, 1, false, true, false, TOSST_SOLVER_PQN },
  { "gradient", TOSST_SCHEME_PSD, 1, false, false, false, TOSST_SOLVER_GRADIENT },
  { "gradient-free", TOSST_SCHEME_FREE, 0.5, true, false, true, TOSST_SOLVER_GRADIENT },
};

/* What is left of learning when it is killed. */
typedef struct
{
  TosstLearnState state;
  TosstDictionary *dictionary;
  float *codes;
  void *part[TOSST_LEARN_PARTS];
  int at;
} Rest;

static void
keep_rest (const TosstLearnState *state, void *data)
{
  Rest *rest = data;

  if (state->done != rest->at)
    return;
  rest->dictionary = tosst_dictionary_copy (state->dictionary);
  rest->codes = state->codes ? g_memdup2 (state->codes, sizeof (float) * N * K) : NULL;
  rest->state = *state;
  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    rest->state.part[i].data = rest->part[i] = g_memdup2 (state->part[i].data, state->part[i].bytes);
  rest->state.dictionary = rest->dictionary;
  rest->state.codes = rest->codes;
}

typedef struct
{
  const float *tensors;
  gsize m;
} Rows;

static TosstStatus
read_rows (size_t first, size_t count, float *out, void *data)
{
  const Rows *rows = data;

  memcpy (out, rows->tensors + first * rows->m, sizeof *out * count * rows->m);
  return TOSST_OK;
}

static TosstStatus
learn_batches (TosstContext *context, const TosstLayout *layout, const float *tensors, const TosstLearnOptions *options,
               const TosstLearnRun *run, Course *course, TosstDictionary **dictionary)
{
  Rows rows = { tensors, layout->m };
  const TosstStream stream = { read_rows, &rows, N };
  TosstMinibatchOptions minibatch;

  tosst_minibatch_options_default (&minibatch);
  minibatch.batch = BATCH;
  return tosst_learn_minibatch (context, layout, &stream, options, &minibatch, run, keep_course, course, dictionary);
}

static TosstDictionary *
learn (const TosstLayout *layout, const float *tensors, const TosstLearnOptions *options, const TosstLearnRun *run,
       gboolean batches, int threads, Course *course)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstDictionary *dictionary;
  TosstStatus status = batches
                           ? learn_batches (context, layout, tensors, options, run, course, &dictionary)
                           : tosst_learn (context, layout, tensors, N, options, run, keep_course, course, &dictionary);

  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return dictionary;
}

static void
check (gsize variant, double tolerance, int at, int threads)
{
  TosstShape shape = tosst_moment_shape (TOSST_MOMENT_THIRD_ORDER, THIRD_POWERS_SIDE);
  TosstLearnOptions options;
  Course whole = { .n = 0 }, before = { .n = 0 }, after = { .n = 0 };
  Rest rest = { .at = at };

  if (variants[variant].scheme == TOSST_SCHEME_FULL)
    shape.kind = TOSST_SHAPE_WHOLE;
  g_autoptr (TosstLayout) layout = tosst_layout_new_shape (shape);
  g_autofree float *tensors = third_powers (layout, N);
  tosst_learn_options_default (&options);
  options.atoms = K;
  options.rank = 2;
  options.iterations = ITERATIONS;
  options.tolerance = tolerance;
  options.scheme = variants[variant].scheme;
  options.problem.gamma = variants[variant].gamma;
  options.problem.signed_alpha = variants[variant].signed_alpha;
  options.problem.nonnegative_beta = variants[variant].nonnegative_beta;
  options.signed_b = variants[variant].signed_b;
  options.solver = variants[variant].solver;
  gboolean batches = variants[variant].batches;
  int other = options.solver == TOSST_SOLVER_EXACT ? 2 : 1;
  g_autoptr (TosstDictionary) expected = learn (layout, tensors, &options, NULL, batches, 1, &whole);
  TosstLearnRun keeping = { .state = keep_rest, .state_data = &rest }, resumed = { .resume = &rest.state };
  tosst_dictionary_free (learn (layout, tensors, &options, &keeping, batches, other, &before));
  g_assert_nonnull (rest.dictionary);
  g_autoptr (TosstDictionary) found = learn (layout, tensors, &options, &resumed, batches, threads, &after);
  int done = batches ? at / ((N + BATCH - 1) / BATCH) : at;

  assert_same_atoms (expected, found);
  g_assert_cmpint (after.n, ==, whole.n - done);
  for (int i = 0; i < after.n; i++)
    {
      g_assert_cmpint (after.trace[i].iteration, ==, done + i + 1);
      g_assert_cmpfloat (after.trace[i].objective, ==, whole.trace[done + i].objective);
      g_assert_cmpfloat (after.trace[i].worst_kkt, ==, whole.trace[done + i].worst_kkt);
      g_assert_cmpint (after.trace[i].unused_atoms, ==, whole.trace[done + i].unused_atoms);
    }
  tosst_dictionary_free (rest.dictionary);
  g_free (rest.codes);
  for (int i = 0; i < TOSST_LEARN_PARTS; i++)
    g_free (rest.part[i]);
  free_course (&whole);
  free_course (&before);
  free_course (&after);
}

static void
test_resume (gconstpointer data)
{
  gsize variant = GPOINTER_TO_SIZE (data);

  check (variant, 0, 1, 1);
  check (variant, 0, 5, variants[variant].solver == TOSST_SOLVER_EXACT ? 3 : 1);
  if (variants[variant].batches)
    check (variant, 0, 3 * ITERATIONS - 1, 1);
}

/* The last objective is part of the state: learning ends where it would have ended. */
static void
test_settles (void)
{
  check (0, 2e-2, 1, 1);
}

/* What another way of learning has left is of no use. */
static void
test_refused (void)
{
  g_autoptr (TosstLayout) layout
      = tosst_layout_new_shape (tosst_moment_shape (TOSST_MOMENT_THIRD_ORDER, THIRD_POWERS_SIDE));
  g_autofree float *tensors = third_powers (layout, N);
  TosstDictionary *atoms = tosst_dictionary_new_shape (layout->shape, K), *dictionary;
  TosstLearnState state = { .dictionary = atoms, .done = 1, .objective = INFINITY };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnRun run = { .resume = &state };
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = K;
  for (TosstSolver solver = TOSST_SOLVER_EXACT; solver <= TOSST_SOLVER_GRADIENT; solver++)
    {
      options.solver = solver;
      g_assert_cmpint (tosst_learn (context, layout, tensors, N, &options, &run, NULL, NULL, &dictionary), ==,
                       TOSST_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (tosst_context_message (context), "does not fit"));
    }
  options.solver = TOSST_SOLVER_EXACT;
  g_assert_cmpint (learn_batches (context, layout, tensors, &options, &run, NULL, &dictionary), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (tosst_context_message (context), "does not fit"));
  tosst_dictionary_free (atoms);
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole runs of the paper's solvers: feasible throughout, never rising, the same again, stopped and refused.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "../sanitized.h"
#include "engine/learning/stored.h"
#include "learned.h"
#include "objects.h"
#include "processor-time.h"
#include "solver-tensors.h"

typedef struct
{
  const TosstLearnOptions *options;
  TosstIteration first, last;
  int n, rises;
} Summary;

static void
follow (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *user_data)
{
  Summary *summary = user_data;

  assert_constraints (dictionary, summary->options);
  g_assert_cmpint (iteration->iteration, ==, summary->n + 1);
  g_assert_cmpfloat_with_epsilon (iteration->objective, iteration->fit + iteration->proximity + iteration->sparsity,
                                  1e-9 * iteration->objective);
  g_assert_cmpfloat (iteration->mean_nonzeros, >, 0);
  for (int k = 0; k < ATOMS; k++)
    g_assert_cmpfloat (usage[k], >=, 0);
  if (summary->n++ == 0)
    summary->first = *iteration;
  else
    summary->rises += iteration->objective > summary->last.objective * (1 + 1e-12);
  summary->last = *iteration;
}

static Summary
run_from (const TosstLearnOptions *options, const TosstDictionary *initial, int threads, TosstDictionary **dictionary)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  g_autoptr (TosstLayout) layout = tosst_layout_new (SIDE);
  g_autofree float *tensors = make_tensors (layout, TENSORS);
  Summary summary = { .options = options };

  assert_ok (tosst_learn (context, layout, tensors, TENSORS, options, &(TosstLearnRun){ .initial = initial }, follow,
                          &summary, dictionary));
  return summary;
}

static Summary
run (const TosstLearnOptions *options, int threads, TosstDictionary **dictionary)
{
  return run_from (options, NULL, threads, dictionary);
}

/* Every scheme, gamma and sign: feasible throughout; pqn never rises; gradient ends lower with its own step size. */
static void
test_runs (void)
{
  static const double gammas[] = { 0.3, 10, INFINITY };
  static const TosstScheme schemes[] = { TOSST_SCHEME_PSD, TOSST_SCHEME_LOW_RANK, TOSST_SCHEME_FREE };

  for (int solver = TOSST_SOLVER_PQN; solver <= TOSST_SOLVER_GRADIENT; solver++)
    for (int s = 0; s < 3; s++)
      for (int g = 0; g < (solver == TOSST_SOLVER_PQN ? 3 : 2); g++)
        for (int is_signed = 0; is_signed < 5; is_signed++)
          {
            TosstLearnOptions options = default_options (solver);
            g_autoptr (TosstDictionary) dictionary = NULL;
            options.scheme = schemes[s];
            options.problem.gamma = gammas[g];
            options.problem.signed_alpha = is_signed & 1;
            options.signed_b = is_signed & 2;
            options.problem.nonnegative_beta = is_signed & 4;
            options.iterations = SANITIZED ? 3 : 6;
            Summary summary = run (&options, 2, &dictionary);
            g_test_message ("solver %d, scheme %d, gamma %g, signed %d: %g to %g, %d rises", solver, s,
                            options.problem.gamma, is_signed, summary.first.objective, summary.last.objective,
                            summary.rises);
            g_assert_cmpfloat (summary.last.objective, <, summary.first.objective);
            if (solver == TOSST_SOLVER_PQN)
              g_assert_cmpint (summary.rises, ==, 0);
          }
}

/* From the same first atoms pqn gets to where the exact solver gets, in more iterations. */
static void
test_pqn_reaches_exact (void)
{
  static const double gammas[] = { 1, INFINITY };

  for (int g = 0; g < (SANITIZED ? 1 : 3); g++)
    {
      TosstLearnOptions options = default_options (TOSST_SOLVER_EXACT);
      TosstDictionary *initial, *exact, *pqn;
      options.problem.gamma = gammas[g % 2];
      options.problem.nonnegative_beta = g == 2;
      options.iterations = 1;
      run (&options, 1, &initial);
      options.iterations = 300;
      Summary best = run_from (&options, initial, 1, &exact);
      options.solver = TOSST_SOLVER_PQN;
      options.iterations = 300;
      Summary summary = run_from (&options, initial, 1, &pqn);
      g_test_message ("gamma %g: exact %g, pqn %g, off by %g", options.problem.gamma, best.last.objective,
                      summary.last.objective, summary.last.objective / best.last.objective - 1);
      g_assert_cmpfloat (fabs (summary.last.objective / best.last.objective - 1), <=, 0.005);
      tosst_dictionary_free (initial);
      tosst_dictionary_free (exact);
      tosst_dictionary_free (pqn);
    }
}

/* U max (mu, 0) U' / trace, from LAPACK's own decomposition; without a positive mu there is none. */
static void
test_printed_projection (void)
{
  TosstRandom random;

  tosst_random_init (&random, 9, 0);
  for (int scheme = TOSST_SCHEME_PSD; scheme <= TOSST_SCHEME_FREE; scheme++)
    for (int trial = 0; trial < 5; trial++)
      {
        TosstAtomSet set = { tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, SIDE), scheme, 2 };
        g_autofree double *work = g_new (double, tosst_atom_set_work (&set));
        double v[VEC], U[SIDE * SIDE], mu[SIDE], B[SIDE * SIDE] = { 0 }, expected[VEC], sum = 0;
        bool exists;
        for (int p = 0; p < VEC; p++)
          expected[p] = v[p] = tosst_random_normal (&random);
        tosst_vec_to_matrix (SIDE, v, U);
        g_assert_cmpint (LAPACKE_dsyev (LAPACK_COL_MAJOR, 'V', 'U', SIDE, U, SIDE, mu), ==, 0);
        for (int i = scheme == TOSST_SCHEME_LOW_RANK ? SIDE - 2 : 0; i < SIDE; i++)
          if (mu[i] > 0)
            {
              cblas_dger (CblasColMajor, SIDE, SIDE, mu[i], U + i * SIDE, 1, U + i * SIDE, 1, B, SIDE);
              sum += mu[i];
            }
        if (scheme == TOSST_SCHEME_FREE)
          sum = cblas_dnrm2 (VEC, v, 1);
        else
          tosst_matrix_to_vec (SIDE, B, expected);
        assert_ok (tosst_atom_set_normalise (&set, v, &exists, work));
        g_assert_true (exists);
        for (int p = 0; p < VEC; p++)
          g_assert_cmpfloat_with_epsilon (v[p], expected[p] / sum, 1e-12);

        double negative[VEC] = { 0 };
        for (int i = 0, p = 0; i < SIDE; p += SIDE - i++)
          negative[p] = -1;
        assert_ok (tosst_atom_set_normalise (&set, negative, &exists, work));
        g_assert_true (exists == (scheme == TOSST_SCHEME_FREE));
      }
}

/* All traces are 1; a step that is too long lets the objective rise, and one that is far too long ends with a sentence.
 */
static void
test_gradient_steps (void)
{
  TosstLearnOptions options = default_options (TOSST_SOLVER_GRADIENT);
  TosstDictionary *dictionary;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (SIDE);
  g_autofree float *tensors = make_tensors (layout, TENSORS);

  options.iterations = 5;
  Summary summary = run (&options, 1, &dictionary);
  for (int k = 0; k < ATOMS; k++)
    {
      double B[SIDE * SIDE], sum = 0;
      tosst_vec_to_matrix (SIDE, dictionary->V + k * VEC, B);
      for (int i = 0; i < SIDE; i++)
        sum += B[i * SIDE + i];
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-12);
    }
  tosst_dictionary_free (dictionary);
  options.eta = 0.5;
  summary = run (&options, 1, &dictionary);
  g_assert_cmpint (summary.rises, >, 0);
  tosst_dictionary_free (dictionary);

  options.eta = 1e9;
  options.iterations = 100;
  g_assert_cmpint (tosst_learn (context, layout, tensors, TENSORS, &options, NULL, NULL, NULL, &dictionary), ==,
                   TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "eta"));
  g_assert_null (dictionary);
}

/* The same bits for the same number of threads, the same to rounding for another. */
static void
test_repeats (void)
{
  for (int solver = TOSST_SOLVER_PQN; solver <= TOSST_SOLVER_GRADIENT; solver++)
    {
      TosstLearnOptions options = default_options (solver);
      TosstDictionary *a, *b, *c;
      options.iterations = 4;
      Summary first = run (&options, 3, &a), again = run (&options, 3, &b), other = run (&options, 1, &c);
      g_assert_true (first.last.objective == again.last.objective);
      g_assert_cmpmem (a->V, sizeof *a->V * VEC * ATOMS, b->V, sizeof *b->V * VEC * ATOMS);
      g_assert_cmpfloat_with_epsilon (first.last.objective, other.last.objective, 1e-6 * first.last.objective);
      tosst_dictionary_free (a);
      tosst_dictionary_free (b);
      tosst_dictionary_free (c);
    }
}

static void
test_refuses (void)
{
  TosstShape shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, SIDE);
  TosstLearnOptions options = default_options (TOSST_SOLVER_GRADIENT);

  g_assert_null (tosst_learn_options_check (&options, TENSORS, shape));
  options.problem.gamma = INFINITY;
  g_assert_nonnull (tosst_learn_options_check (&options, TENSORS, shape));
  options.solver = TOSST_SOLVER_PQN;
  g_assert_null (tosst_learn_options_check (&options, TENSORS, shape));
  options.eta = -1;
  g_assert_nonnull (tosst_learn_options_check (&options, TENSORS, shape));
  options.eta = NAN;
  g_assert_nonnull (tosst_learn_options_check (&options, TENSORS, shape));
  options = default_options (TOSST_SOLVER_GRADIENT);
  options.scheme = TOSST_SCHEME_FULL;
  g_assert_nonnull (tosst_learn_options_check (&options, TENSORS, tosst_shape (TOSST_SHAPE_WHOLE, SIDE)));
}

/* Stored codes are most of the memory, and are counted. */
static void
test_memory (void)
{
  g_autoptr (TosstLayout) layout = tosst_layout_new (SIDE);
  TosstLearnOptions pqn = default_options (TOSST_SOLVER_PQN);
  gsize n = 1000000;

  /* One alpha and SIDE betas of every atom. */
  g_assert_cmpuint (tosst_learn_memory (layout, n, &pqn, 0, 2) - tosst_learn_memory (layout, n / 2, &pqn, 0, 2), >=,
                    n / 2 * (SIDE + 1) * ATOMS * sizeof (double));
}

static void
follow_shape (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *user_data)
{
  Summary *summary = user_data;

  if (summary->n == 0)
    summary->first = *iteration;
  summary->rises += summary->n++ > 0 && iteration->objective > summary->last.objective * (1 + 1e-9);
  summary->last = *iteration;
}

/* The other things that equation (5) makes atoms for: pqn never rises there, and falls most of the way that the exact solver does. */
static void
test_shapes (void)
{
  static const struct
  {
    TosstShape shape;
    TosstScheme scheme;
  } cases[] = {
    { { TOSST_SHAPE_SYMMETRIC, 6, 6, 6 }, TOSST_SCHEME_PSD },
    { { TOSST_SHAPE_GENERAL, 3, 4, 5 }, TOSST_SCHEME_FREE },
    { { TOSST_SHAPE_WHOLE, 4, 4, 4 }, TOSST_SCHEME_FULL },
  };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstRandom random;

  tosst_random_init (&random, 4, 0);
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (TosstLayout) layout = tosst_layout_new_shape (cases[c].shape);
      g_autofree float *tensors = g_new (float, TENSORS * layout->m);
      TosstLearnOptions options = default_options (TOSST_SOLVER_EXACT);
      TosstDictionary *initial, *dictionary;
      double reached[3] = { 0 }, at_start = 0;
      for (gsize i = 0; i < TENSORS * layout->m; i++)
        tensors[i] = tosst_random_uniform (&random) * (1 + (i / layout->m + i) % 3);
      options.scheme = cases[c].scheme;
      options.iterations = 1;
      assert_ok (tosst_learn (context, layout, tensors, TENSORS, &options, NULL, NULL, NULL, &initial));
      options.iterations = 30;
      TosstLearnRun from = { .initial = initial };
      for (int solver = 0; solver < (cases[c].scheme == TOSST_SCHEME_FULL ? 2 : 3); solver++)
        {
          Summary summary = { 0 };
          options.solver = solver;
          assert_ok (
              tosst_learn (context, layout, tensors, TENSORS, &options, &from, follow_shape, &summary, &dictionary));
          reached[solver] = summary.last.objective;
          if (solver == TOSST_SOLVER_EXACT)
            at_start = summary.first.objective;
          g_test_message ("shape %d, solver %d: %g from %g, %d rises", cases[c].shape.kind, solver, reached[solver],
                          at_start, summary.rises);
          if (solver == TOSST_SOLVER_PQN)
            g_assert_cmpint (summary.rises, ==, 0);
          tosst_dictionary_free (dictionary);
        }
      /* Their minima need not be the same one. */
      g_assert_cmpfloat (at_start - reached[1], >=, 0.6 * (at_start - reached[0]));
      tosst_dictionary_free (initial);
    }
}

static double cancelled_at;

static gpointer
cancel_soon (gpointer context)
{
  g_usleep (10000);
  cancelled_at = processor_seconds ();
  tosst_context_cancel (context);
  return NULL;
}

typedef struct
{
  TosstContext *context;
  GThread *thread;
} Canceller;

static void
start_cancelling (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
                  void *user_data)
{
  Canceller *self = user_data;

  if (!self->thread)
    self->thread = g_thread_new ("cancel", cancel_soon, self->context);
}

/* In the middle of an iteration that takes longer than the wait. Without the request all iterations would take hours. */
static void
test_stops (void)
{
  for (int solver = TOSST_SOLVER_PQN; solver <= TOSST_SOLVER_GRADIENT; solver++)
    {
      Canceller canceller = { tosst_context_new (2) };
      g_autoptr (TosstLayout) layout = tosst_layout_new (SIDE);
      gsize n = 60;
      g_autofree float *tensors = make_tensors (layout, n);
      TosstLearnOptions options = default_options (solver);
      g_autoptr (TosstDictionary) dictionary = NULL;
      options.atoms = 30;
      options.iterations = 100000;
      g_assert_cmpint (tosst_learn (canceller.context, layout, tensors, n, &options, NULL, start_cancelling, &canceller,
                                    &dictionary),
                       ==, TOSST_CANCELLED);
      double stopped_at = processor_seconds ();
      g_thread_join (canceller.thread);
      g_test_message ("solver %d: stopped after %.0f ms", solver, 1e3 * (stopped_at - cancelled_at));
      g_assert_nonnull (dictionary);
      assert_constraints (dictionary, &options);
      tosst_context_free (canceller.context);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/solvers/runs", test_runs);
  g_test_add_func ("/solvers/pqn-reaches-exact", test_pqn_reaches_exact);
  g_test_add_func ("/solvers/shapes", test_shapes);
  g_test_add_func ("/solvers/printed-projection", test_printed_projection);
  g_test_add_func ("/solvers/gradient-steps", test_gradient_steps);
  g_test_add_func ("/solvers/repeats", test_repeats);
  g_test_add_func ("/solvers/refuses", test_refuses);
  g_test_add_func ("/solvers/memory", test_memory);
  g_test_add_func ("/solvers/stops", test_stops);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The blocks of the paper's solvers, judged by the exact one and by the problem itself: where a block is convex all of
 * them must find the same minimum.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "engine/learning/stored.h"
#include "objects.h"
#include "solver-tensors.h"

/* A learning as tosst_learn() sets it up, with the codes of a paper's solver. */
typedef struct
{
  TosstContext *context;
  TosstLayout *layout;
  float *tensors;
  TosstLearnOptions options;
  TosstLearning learning;
  TosstStored *stored;
} Setup;

static void
setup_init (Setup *self, int threads, const TosstLearnOptions *options)
{
  *self = (Setup){ tosst_context_new (threads), tosst_layout_new (SIDE) };
  self->tensors = make_tensors (self->layout, TENSORS);
  self->options = *options;
  g_assert_true (
      tosst_learning_init (&self->learning, self->context, self->layout, self->tensors, TENSORS, &self->options, NULL));
  assert_ok (tosst_learning_update_Sxx (&self->learning));
  assert_ok (tosst_learning_init_atoms (&self->learning));
  self->stored = self->learning.stored = tosst_stored_new (&self->learning);
  g_assert_nonnull (self->stored);
  assert_ok (tosst_stored_start (self->stored));
}

static void
setup_clear (Setup *self)
{
  tosst_stored_free (self->stored);
  tosst_learning_clear (&self->learning);
  tosst_layout_free (self->layout);
  tosst_context_free (self->context);
  g_free (self->tensors);
}

static double
objective_of (Setup *self)
{
  TosstIteration iteration;

  if (!self->stored->beta)
    assert_ok (tosst_stored_correlate (self->stored));
  assert_ok (tosst_stored_objective (self->stored, &iteration));
  return iteration.objective;
}

typedef TosstStatus (*Function) (const double *x, double *f, double *gradient, void *data);

/* Differences of f in a few directions against the gradient. */
static void
check_gradient (Function function, void *data, const double *at, gsize n)
{
  g_autofree double *x = g_new (double, n), *gradient = g_new (double, n), *ignored = g_new (double, n),
                    *direction = g_new (double, n);
  TosstRandom random;
  double f, ahead, behind, h = 1e-4;

  tosst_random_init (&random, 2, 0);
  assert_ok (function (at, &f, gradient, data));
  for (int i = 0; i < 5; i++)
    {
      for (gsize j = 0; j < n; j++)
        direction[j] = tosst_random_normal (&random);
      memcpy (x, at, sizeof *x * n);
      cblas_daxpy (n, h, direction, 1, x, 1);
      assert_ok (function (x, &ahead, ignored, data));
      cblas_daxpy (n, -2 * h, direction, 1, x, 1);
      assert_ok (function (x, &behind, ignored, data));
      /* Central differences of a quadratic have no error but rounding. */
      double slope = cblas_ddot (n, gradient, 1, direction, 1);
      double size = cblas_dnrm2 (n, gradient, 1) * cblas_dnrm2 (n, direction, 1);
      g_assert_cmpfloat_with_epsilon ((ahead - behind) / (2 * h), slope, 1e-7 * size + 1e-10 * fabs (f) / h);
    }
}

static void
test_gradients (void)
{
  static const double gammas[] = { 0.3, 20, INFINITY };

  for (int g = 0; g < 3; g++)
    for (int is_signed = 0; is_signed < 2; is_signed++)
      {
        TosstLearnOptions options = default_options (TOSST_SOLVER_PQN);
        Setup setup;
        options.problem.gamma = gammas[g];
        options.problem.lambda = 0.02;
        options.problem.signed_alpha = is_signed;
        setup_init (&setup, 1, &options);
        TosstStored *stored = setup.stored;
        TosstStoredWork *work = &stored->work[0];
        gsize unknowns = tosst_stored_unknowns (setup.layout, &options);
        for (gsize n = 0; n < TENSORS; n += 13)
          {
            tosst_stored_tensor (stored, n, work);
            tosst_stored_read_unknowns (stored, n, work->z);
            check_gradient (tosst_stored_evaluate, &work->tensor, work->z, unknowns);
          }
        check_gradient (tosst_pqn_atoms_evaluate, stored, setup.learning.dictionary->V, VEC * ATOMS);
        if (!stored->beta)
          assert_ok (tosst_stored_correlate (stored));
        check_gradient (tosst_pqn_vectors_evaluate, stored, setup.learning.dictionary->b, SIDE * ATOMS);
        setup_clear (&setup);
      }
}

/* The exact answer for the setup's dictionary: codes and the sum of equation (5) over tensors, in parts. */
static double
exact_codes (Setup *self, double *codes, double *parts)
{
  TosstCodingOptions options = { .problem = self->options.problem, .tolerance = 1e-12 };
  g_autoptr (TosstCoder) coder = NULL;
  gsize m = self->layout->m;
  g_autofree double *wide = g_new (double, TENSORS *m), *each = g_new (double, 3 * TENSORS);
  double objective[TENSORS], sum = 0;

  for (gsize i = 0; i < TENSORS * m; i++)
    wide[i] = self->tensors[i];
  assert_ok (tosst_coder_new (self->context, self->learning.dictionary, self->layout, &options, &coder));
  assert_ok (tosst_code_double (self->context, coder, wide, TENSORS, FALSE, codes, NULL));
  assert_ok (tosst_code_objective (self->context, coder, wide, TENSORS, codes, objective, each));
  memset (parts, 0, sizeof *parts * 3);
  for (int n = 0; n < TENSORS; n++)
    {
      sum += objective[n];
      for (int i = 0; i < 3; i++)
        parts[i] += each[3 * n + i];
    }
  return sum;
}

/* beta^s = (V'V + gamma I)^{-1} (V'x^s + gamma b^s . alpha), from the normal equations themselves. */
static void
set_best_beta (Setup *self, gsize n)
{
  TosstStored *stored = self->stored;
  double N[ATOMS * ATOMS], *beta = stored->beta + n * SIDE * ATOMS, gamma = self->options.problem.gamma;

  tosst_stored_tensor (stored, n, &stored->work[0]);
  for (int i = 0; i < SIDE * ATOMS; i++)
    beta[i] = stored->work[0].tensor.T[i] + gamma * stored->columns[i] * stored->alpha[n * ATOMS + i % ATOMS];
  memcpy (N, stored->G, sizeof N);
  for (int k = 0; k < ATOMS; k++)
    N[k * ATOMS + k] += gamma;
  g_assert_cmpint (LAPACKE_dposv (LAPACK_COL_MAJOR, 'L', ATOMS, SIDE, N, ATOMS, beta, ATOMS), ==, 0);
}

/* At the same dictionary and codes the exact solver's objective and this one are one function, part by part. */
static void
test_same_objective (void)
{
  static const double gammas[] = { 0.3, 20, INFINITY };

  for (int g = 0; g < 3; g++)
    for (int is_signed = 0; is_signed < 2; is_signed++)
      {
        TosstLearnOptions options = default_options (TOSST_SOLVER_PQN);
        TosstIteration iteration;
        Setup setup;
        double parts[3];
        options.problem.gamma = gammas[g];
        options.problem.lambda = 0.02;
        options.problem.signed_alpha = is_signed;
        setup_init (&setup, 2, &options);
        double expected = exact_codes (&setup, setup.stored->alpha, parts);
        for (gsize n = 0; n < TENSORS && setup.stored->beta; n++)
          set_best_beta (&setup, n);
        assert_ok (tosst_stored_sum (setup.stored));
        g_assert_cmpfloat_with_epsilon (objective_of (&setup), expected, 1e-10 * expected);
        assert_ok (tosst_stored_objective (setup.stored, &iteration));
        g_assert_cmpfloat_with_epsilon (iteration.fit, parts[0], 1e-10 * expected);
        g_assert_cmpfloat_with_epsilon (iteration.proximity, parts[1], 1e-10 * expected);
        g_assert_cmpfloat_with_epsilon (iteration.sparsity, parts[2], 1e-10 * expected);
        /* And it is the sum of what coding minimises for each tensor. */
        double sum = 0;
        for (gsize n = 0; n < TENSORS; n++)
          {
            TosstStoredWork *work = &setup.stored->work[0];
            double f;
            tosst_stored_tensor (setup.stored, n, work);
            tosst_stored_read_unknowns (setup.stored, n, work->z);
            assert_ok (tosst_stored_evaluate (work->z, &f, work->gradient, &work->tensor));
            sum += f;
          }
        g_assert_cmpfloat_with_epsilon (sum, expected, 1e-10 * expected);
        setup_clear (&setup);
      }
}

/* Codes of a paper's solver against the exact ones, from the same dictionary. */
static void
check_codes_agree (const TosstLearnOptions *options)
{
  Setup setup;
  double codes[TENSORS * ATOMS], parts[3];

  setup_init (&setup, 2, options);
  double at_start = objective_of (&setup), expected = exact_codes (&setup, codes, parts);
  g_assert_cmpfloat (at_start, >, expected * (1 + 1e-4));
  if (options->solver == TOSST_SOLVER_PQN)
    assert_ok (tosst_pqn_code (setup.stored, 3000, 1e-9));
  else
    for (int i = 0; i < 25000; i++)
      assert_ok (tosst_gradient_code (setup.stored));
  double reached = objective_of (&setup);
  g_test_message ("solver %d, gamma %g, signed %d, beta >= 0 %d: %g from %g, off by %g", options->solver,
                  options->problem.gamma, options->problem.signed_alpha, options->problem.nonnegative_beta, reached,
                  at_start, reached / expected - 1);
  g_assert_cmpfloat_with_epsilon (reached, expected, 1e-6 * expected);
  for (gsize i = 0; i < TENSORS * SIDE * ATOMS && options->problem.nonnegative_beta; i++)
    g_assert_cmpfloat (setup.stored->beta[i], >=, 0);
  setup_clear (&setup);
}

/* B and b fixed: codes of all solvers reach the one minimum. */
static void
test_codes_agree (void)
{
  static const double gammas[] = { 0.3, 1, 20, INFINITY };
  TosstLearnOptions options;

  for (int i = 0; i < 14; i++)
    {
      options = default_options (TOSST_SOLVER_PQN);
      options.problem.lambda = 0.02;
      options.problem.gamma = gammas[i % 8 / 2];
      options.problem.signed_alpha = i % 2;
      options.problem.nonnegative_beta = i >= 8;
      check_codes_agree (&options);
    }
  for (int i = 0; i < 3; i++)
    {
      options = default_options (TOSST_SOLVER_GRADIENT);
      options.problem.lambda = 0.02;
      options.problem.gamma = i == 1 ? 1 : 0.3;
      options.problem.signed_alpha = i == 1;
      options.problem.nonnegative_beta = i == 2;
      check_codes_agree (&options);
    }
}

/* What minimises over all B when the codes are fixed: many passes of the exact update of one B_k. */
static double
best_atoms (Setup *self)
{
  TosstLearning *l = &self->learning;
  g_autofree double *V = g_memdup2 (l->dictionary->V, sizeof (double) * VEC * ATOMS),
                    *gradient = g_new (double, VEC *ATOMS), *work = g_new (double, tosst_atom_set_work (&l->set));
  double f;

  for (int pass = 0; pass < 20000; pass++)
    for (int k = 0; k < ATOMS; k++)
      {
        double *v = V + k * VEC, step[VEC];
        memcpy (step, l->C + k * VEC, sizeof step);
        cblas_dgemv (CblasColMajor, CblasNoTrans, VEC, ATOMS, -1, V, VEC, l->A + k * ATOMS, 1, 1, step, 1);
        cblas_daxpy (VEC, 1 / l->A[k * ATOMS + k], step, 1, v, 1);
        assert_ok (tosst_atom_set_project (&l->set, v, work));
      }
  assert_ok (tosst_pqn_atoms_evaluate (V, &f, gradient, self->stored));
  return f;
}

/* Codes and b fixed, the two convex schemes. */
static void
test_atoms_agree (void)
{
  static const TosstScheme schemes[] = { TOSST_SCHEME_PSD, TOSST_SCHEME_FREE };

  for (int s = 0; s < 2; s++)
    {
      TosstLearnOptions options = default_options (TOSST_SOLVER_PQN);
      g_autofree double *gradient = g_new (double, VEC *ATOMS);
      Setup setup;
      double f;
      options.scheme = schemes[s];
      setup_init (&setup, 2, &options);
      assert_ok (tosst_pqn_code (setup.stored, 5, 0));
      double expected = best_atoms (&setup);
      assert_ok (tosst_pqn_atoms (setup.stored, 1000, 0));
      assert_ok (tosst_pqn_atoms_evaluate (setup.learning.dictionary->V, &f, gradient, setup.stored));
      g_test_message ("scheme %d: %g, off by %g", s, f, f / expected - 1);
      g_assert_cmpfloat_with_epsilon (f, expected, 1e-6 * expected);
      setup_clear (&setup);
    }
}

/* Codes and B fixed: each b_k is the projection of n_k / P_kk. */
static void
test_vectors_agree (void)
{
  for (int is_signed = 0; is_signed < 2; is_signed++)
    {
      TosstLearnOptions options = default_options (TOSST_SOLVER_PQN);
      Setup setup;
      double expected[SIDE], work[SIDE];
      options.signed_b = is_signed;
      setup_init (&setup, 1, &options);
      assert_ok (tosst_pqn_vectors (setup.stored, 500, 0));
      for (int k = 0; k < ATOMS; k++)
        {
          double P = setup.learning.P[k * ATOMS + k];
          if (!(P > 0))
            continue;
          for (int s = 0; s < SIDE; s++)
            expected[s] = setup.stored->moment[k * SIDE + s] / P;
          tosst_project_l1 (expected, SIDE, !is_signed, work);
          for (int s = 0; s < SIDE; s++)
            g_assert_cmpfloat_with_epsilon (setup.learning.dictionary->b[k * SIDE + s], expected[s], 1e-6);
        }
      setup_clear (&setup);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/solvers/gradients", test_gradients);
  g_test_add_func ("/solvers/same-objective", test_same_objective);
  g_test_add_func ("/solvers/codes-agree", test_codes_agree);
  g_test_add_func ("/solvers/atoms-agree", test_atoms_agree);
  g_test_add_func ("/solvers/vectors-agree", test_vectors_agree);
  return g_test_run ();
}

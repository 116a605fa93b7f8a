/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's solvers, judged by the exact one and by the problem itself: where a block is convex all of them must find
 * the same minimum.
 */
#include <cblas.h>
#include <glib.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "dictionary/stored.h"

#define SIDE 6
#define VEC (SIDE * (SIDE + 1) / 2)
#define TENSORS 40
#define ATOMS 8

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

/* Means of third-order products of random feature vectors that are a mixture of few kinds. */
static float *
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

static TosstLearnOptions
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

static void
setup_init (Setup *self, int threads, const TosstLearnOptions *options)
{
  *self = (Setup){ tosst_context_new (threads), tosst_layout_new (SIDE) };
  self->tensors = make_tensors (self->layout, TENSORS);
  self->options = *options;
  g_assert_true (
      tosst_learning_init (&self->learning, self->context, self->layout, self->tensors, TENSORS, &self->options));
  g_assert_cmpint (tosst_learning_measure (&self->learning), ==, TOSST_OK);
  g_assert_cmpint (tosst_learning_start (&self->learning), ==, TOSST_OK);
  self->stored = self->learning.stored = tosst_stored_new (&self->learning);
  g_assert_nonnull (self->stored);
  g_assert_cmpint (tosst_stored_start (self->stored), ==, TOSST_OK);
}

static void
setup_clear (Setup *self)
{
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
    g_assert_cmpint (tosst_stored_correlate (self->stored), ==, TOSST_OK);
  g_assert_cmpint (tosst_stored_objective (self->stored, &iteration), ==, TOSST_OK);
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
  g_assert_cmpint (function (at, &f, gradient, data), ==, TOSST_OK);
  for (int i = 0; i < 5; i++)
    {
      for (gsize j = 0; j < n; j++)
        direction[j] = tosst_random_normal (&random);
      memcpy (x, at, sizeof *x * n);
      cblas_daxpy (n, h, direction, 1, x, 1);
      g_assert_cmpint (function (x, &ahead, ignored, data), ==, TOSST_OK);
      cblas_daxpy (n, -2 * h, direction, 1, x, 1);
      g_assert_cmpint (function (x, &behind, ignored, data), ==, TOSST_OK);
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
        options.gamma = gammas[g];
        options.lambda = 0.02;
        options.signed_alpha = is_signed;
        setup_init (&setup, 1, &options);
        TosstStored *stored = setup.stored;
        TosstStoredWork *work = &stored->work[0];
        gsize unknowns = tosst_stored_unknowns (setup.layout, &options);
        for (gsize n = 0; n < TENSORS; n += 13)
          {
            tosst_stored_tensor (stored, n, work);
            tosst_stored_get (stored, n, work->z);
            check_gradient (tosst_stored_evaluate, &work->tensor, work->z, unknowns);
          }
        check_gradient (tosst_pqn_atoms_evaluate, stored, setup.learning.dictionary->V, VEC * ATOMS);
        if (!stored->beta)
          g_assert_cmpint (tosst_stored_correlate (stored), ==, TOSST_OK);
        check_gradient (tosst_pqn_vectors_evaluate, stored, setup.learning.dictionary->b, SIDE * ATOMS);
        setup_clear (&setup);
      }
}

/* The exact answer for the setup's dictionary: codes and the sum of equation (5) over tensors, in parts. */
static double
exact_codes (Setup *self, double *codes, double *parts)
{
  TosstCodingOptions options = { .lambda = self->options.lambda,
                                 .gamma = self->options.gamma,
                                 .signed_alpha = self->options.signed_alpha,
                                 .nonnegative_beta = self->options.nonnegative_beta,
                                 .tolerance = 1e-12 };
  TosstCoder *coder;
  gsize m = self->layout->m;
  g_autofree double *wide = g_new (double, TENSORS *m), *each = g_new (double, 3 * TENSORS);
  double objective[TENSORS], sum = 0;

  for (gsize i = 0; i < TENSORS * m; i++)
    wide[i] = self->tensors[i];
  g_assert_cmpint (tosst_coder_new (self->context, self->learning.dictionary, self->layout, &options, &coder), ==,
                   TOSST_OK);
  g_assert_cmpint (tosst_code_double (self->context, coder, wide, TENSORS, FALSE, codes, NULL), ==, TOSST_OK);
  g_assert_cmpint (tosst_code_objective (self->context, coder, wide, TENSORS, codes, objective, each), ==, TOSST_OK);
  memset (parts, 0, sizeof *parts * 3);
  for (int n = 0; n < TENSORS; n++)
    {
      sum += objective[n];
      for (int i = 0; i < 3; i++)
        parts[i] += each[3 * n + i];
    }
  tosst_coder_free (coder);
  return sum;
}

/* beta^s = (V'V + gamma I)^{-1} (V'x^s + gamma b^s . alpha), from the normal equations themselves. */
static void
set_best_beta (Setup *self, gsize n)
{
  TosstStored *stored = self->stored;
  double N[ATOMS * ATOMS], *beta = stored->beta + n * SIDE * ATOMS, gamma = self->options.gamma;

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
        options.gamma = gammas[g];
        options.lambda = 0.02;
        options.signed_alpha = is_signed;
        setup_init (&setup, 2, &options);
        double expected = exact_codes (&setup, setup.stored->alpha, parts);
        for (gsize n = 0; n < TENSORS && setup.stored->beta; n++)
          set_best_beta (&setup, n);
        g_assert_cmpint (tosst_stored_sum (setup.stored), ==, TOSST_OK);
        g_assert_cmpfloat_with_epsilon (objective_of (&setup), expected, 1e-10 * expected);
        g_assert_cmpint (tosst_stored_objective (setup.stored, &iteration), ==, TOSST_OK);
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
            tosst_stored_get (setup.stored, n, work->z);
            g_assert_cmpint (tosst_stored_evaluate (work->z, &f, work->gradient, &work->tensor), ==, TOSST_OK);
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
    g_assert_cmpint (tosst_pqn_code (setup.stored, 3000, 1e-9), ==, TOSST_OK);
  else
    for (int i = 0; i < 25000; i++)
      g_assert_cmpint (tosst_gradient_code (setup.stored), ==, TOSST_OK);
  double reached = objective_of (&setup);
  g_test_message ("solver %d, gamma %g, signed %d, beta >= 0 %d: %g from %g, off by %g", options->solver,
                  options->gamma, options->signed_alpha, options->nonnegative_beta, reached, at_start,
                  reached / expected - 1);
  g_assert_cmpfloat_with_epsilon (reached, expected, 1e-6 * expected);
  for (gsize i = 0; i < TENSORS * SIDE * ATOMS && options->nonnegative_beta; i++)
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
      options.lambda = 0.02;
      options.gamma = gammas[i % 8 / 2];
      options.signed_alpha = i % 2;
      options.nonnegative_beta = i >= 8;
      check_codes_agree (&options);
    }
  for (int i = 0; i < 3; i++)
    {
      options = default_options (TOSST_SOLVER_GRADIENT);
      options.lambda = 0.02;
      options.gamma = i == 1 ? 1 : 0.3;
      options.signed_alpha = i == 1;
      options.nonnegative_beta = i == 2;
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
        g_assert_cmpint (tosst_atom_set_project (&l->set, v, work), ==, TOSST_OK);
      }
  g_assert_cmpint (tosst_pqn_atoms_evaluate (V, &f, gradient, self->stored), ==, TOSST_OK);
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
      g_assert_cmpint (tosst_pqn_code (setup.stored, 5, 0), ==, TOSST_OK);
      double expected = best_atoms (&setup);
      g_assert_cmpint (tosst_pqn_atoms (setup.stored, 1000, 0), ==, TOSST_OK);
      g_assert_cmpint (tosst_pqn_atoms_evaluate (setup.learning.dictionary->V, &f, gradient, setup.stored), ==,
                       TOSST_OK);
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
      g_assert_cmpint (tosst_pqn_vectors (setup.stored, 500, 0), ==, TOSST_OK);
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

static int
descending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x < y) - (x > y);
}

/* mu of B_k, largest first. */
static void
spectrum (const TosstDictionary *dictionary, int k, double *mu)
{
  double matrix[SIDE * SIDE];

  tosst_vec_to_matrix (SIDE, dictionary->V + k * VEC, matrix);
  g_assert_cmpint (LAPACKE_dsyev (LAPACK_COL_MAJOR, 'N', 'U', SIDE, matrix, SIDE, mu), ==, 0);
  qsort (mu, SIDE, sizeof *mu, descending);
}

static void
check_constraints (const TosstDictionary *dictionary, const TosstLearnOptions *options)
{
  for (int k = 0; k < dictionary->K; k++)
    {
      const double *b = dictionary->b + k * SIDE;
      double mu[SIDE], trace = 0;
      g_assert_cmpfloat (cblas_dasum (SIDE, b, 1), <=, 1 + 1e-12);
      for (int s = 0; s < SIDE && !options->signed_b; s++)
        g_assert_cmpfloat (b[s], >=, 0);
      if (options->scheme == TOSST_SCHEME_FREE)
        {
          g_assert_cmpfloat (cblas_dnrm2 (VEC, dictionary->V + k * VEC, 1), <=, 1 + 1e-12);
          continue;
        }
      spectrum (dictionary, k, mu);
      for (int i = 0; i < SIDE; i++)
        trace += mu[i];
      g_assert_cmpfloat (mu[SIDE - 1], >=, -1e-12);
      g_assert_cmpfloat (trace, <=, 1 + 1e-12);
      if (options->scheme == TOSST_SCHEME_LOW_RANK)
        g_assert_cmpfloat (mu[options->rank], <=, 1e-12);
    }
}

typedef struct
{
  const TosstLearnOptions *options;
  TosstIteration first, last;
  int n, rises;
} Course;

static void
follow (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *user_data)
{
  Course *course = user_data;

  check_constraints (dictionary, course->options);
  g_assert_cmpint (iteration->iteration, ==, course->n + 1);
  g_assert_cmpfloat_with_epsilon (iteration->objective, iteration->fit + iteration->proximity + iteration->sparsity,
                                  1e-9 * iteration->objective);
  g_assert_cmpfloat (iteration->mean_nonzeros, >, 0);
  for (int k = 0; k < ATOMS; k++)
    g_assert_cmpfloat (usage[k], >=, 0);
  if (course->n++ == 0)
    course->first = *iteration;
  else
    course->rises += iteration->objective > course->last.objective * (1 + 1e-12);
  course->last = *iteration;
}

static Course
run (const TosstLearnOptions *options, int threads, TosstDictionary **dictionary)
{
  TosstContext *context = tosst_context_new (threads);
  TosstLayout *layout = tosst_layout_new (SIDE);
  g_autofree float *tensors = make_tensors (layout, TENSORS);
  Course course = { .options = options };

  g_assert_cmpint (tosst_learn (context, layout, tensors, TENSORS, options, follow, &course, dictionary), ==, TOSST_OK);
  tosst_layout_free (layout);
  tosst_context_free (context);
  return course;
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
            TosstDictionary *dictionary;
            options.scheme = schemes[s];
            options.gamma = gammas[g];
            options.signed_alpha = is_signed & 1;
            options.signed_b = is_signed & 2;
            options.nonnegative_beta = is_signed & 4;
            options.iterations = 12;
            Course course = run (&options, 2, &dictionary);
            g_test_message ("solver %d, scheme %d, gamma %g, signed %d: %g to %g, %d rises", solver, s, options.gamma,
                            is_signed, course.first.objective, course.last.objective, course.rises);
            g_assert_cmpfloat (course.last.objective, <, course.first.objective);
            if (solver == TOSST_SOLVER_PQN)
              g_assert_cmpint (course.rises, ==, 0);
            tosst_dictionary_free (dictionary);
          }
}

/* From the same first atoms pqn gets to where the exact solver gets, in more iterations. */
static void
test_pqn_reaches_exact (void)
{
  static const double gammas[] = { 1, INFINITY };

  for (int g = 0; g < 3; g++)
    {
      TosstLearnOptions options = default_options (TOSST_SOLVER_EXACT);
      TosstDictionary *initial, *exact, *pqn;
      options.gamma = gammas[g % 2];
      options.nonnegative_beta = g == 2;
      options.iterations = 1;
      run (&options, 1, &initial);
      options.initial = initial;
      options.iterations = 300;
      Course best = run (&options, 1, &exact);
      options.solver = TOSST_SOLVER_PQN;
      options.iterations = 300;
      Course course = run (&options, 1, &pqn);
      g_test_message ("gamma %g: exact %g, pqn %g, off by %g", options.gamma, best.last.objective,
                      course.last.objective, course.last.objective / best.last.objective - 1);
      g_assert_cmpfloat (fabs (course.last.objective / best.last.objective - 1), <=, 0.005);
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
        g_assert_cmpint (tosst_atom_set_normalise (&set, v, &exists, work), ==, TOSST_OK);
        g_assert_true (exists);
        for (int p = 0; p < VEC; p++)
          g_assert_cmpfloat_with_epsilon (v[p], expected[p] / sum, 1e-12);

        double negative[VEC] = { 0 };
        for (int i = 0, p = 0; i < SIDE; p += SIDE - i++)
          negative[p] = -1;
        g_assert_cmpint (tosst_atom_set_normalise (&set, negative, &exists, work), ==, TOSST_OK);
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
  TosstContext *context = tosst_context_new (1);
  TosstLayout *layout = tosst_layout_new (SIDE);
  g_autofree float *tensors = make_tensors (layout, TENSORS);

  options.iterations = 5;
  Course course = run (&options, 1, &dictionary);
  for (int k = 0; k < ATOMS; k++)
    {
      double mu[SIDE], trace = 0;
      spectrum (dictionary, k, mu);
      for (int i = 0; i < SIDE; i++)
        trace += mu[i];
      g_assert_cmpfloat_with_epsilon (trace, 1, 1e-12);
    }
  tosst_dictionary_free (dictionary);
  options.eta = 0.5;
  course = run (&options, 1, &dictionary);
  g_assert_cmpint (course.rises, >, 0);
  tosst_dictionary_free (dictionary);

  options.eta = 1e9;
  options.iterations = 100;
  g_assert_cmpint (tosst_learn (context, layout, tensors, TENSORS, &options, NULL, NULL, &dictionary), ==,
                   TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "eta"));
  g_assert_null (dictionary);
  tosst_layout_free (layout);
  tosst_context_free (context);
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
      Course first = run (&options, 3, &a), again = run (&options, 3, &b), other = run (&options, 1, &c);
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
  options.gamma = INFINITY;
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
  TosstLayout *layout = tosst_layout_new (SIDE);
  TosstLearnOptions pqn = default_options (TOSST_SOLVER_PQN);
  gsize n = 1000000;

  /* One alpha and SIDE betas of every atom. */
  g_assert_cmpuint (tosst_learn_memory (layout, n, &pqn, 2) - tosst_learn_memory (layout, n / 2, &pqn, 2), >=,
                    n / 2 * (SIDE + 1) * ATOMS * sizeof (double));
  tosst_layout_free (layout);
}

static void
follow_shape (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *user_data)
{
  Course *course = user_data;

  if (course->n == 0)
    course->first = *iteration;
  course->rises += course->n++ > 0 && iteration->objective > course->last.objective * (1 + 1e-9);
  course->last = *iteration;
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
  TosstContext *context = tosst_context_new (2);
  TosstRandom random;

  tosst_random_init (&random, 4, 0);
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      TosstLayout *layout = tosst_layout_new_shape (cases[c].shape);
      g_autofree float *tensors = g_new (float, TENSORS * layout->m);
      TosstLearnOptions options = default_options (TOSST_SOLVER_EXACT);
      TosstDictionary *initial, *dictionary;
      double reached[3] = { 0 }, at_start = 0;
      for (gsize i = 0; i < TENSORS * layout->m; i++)
        tensors[i] = tosst_random_uniform (&random) * (1 + (i / layout->m + i) % 3);
      options.scheme = cases[c].scheme;
      options.iterations = 1;
      g_assert_cmpint (tosst_learn (context, layout, tensors, TENSORS, &options, NULL, NULL, &initial), ==, TOSST_OK);
      options.initial = initial;
      options.iterations = 60;
      for (int solver = 0; solver < (cases[c].scheme == TOSST_SCHEME_FULL ? 2 : 3); solver++)
        {
          Course course = { 0 };
          options.solver = solver;
          g_assert_cmpint (
              tosst_learn (context, layout, tensors, TENSORS, &options, follow_shape, &course, &dictionary), ==,
              TOSST_OK);
          reached[solver] = course.last.objective;
          if (solver == TOSST_SOLVER_EXACT)
            at_start = course.first.objective;
          g_test_message ("shape %d, solver %d: %g from %g, %d rises", cases[c].shape.kind, solver, reached[solver],
                          at_start, course.rises);
          if (solver == TOSST_SOLVER_PQN)
            g_assert_cmpint (course.rises, ==, 0);
          tosst_dictionary_free (dictionary);
        }
      /* Their minima need not be the same one. */
      g_assert_cmpfloat (at_start - reached[1], >=, 0.6 * (at_start - reached[0]));
      tosst_dictionary_free (initial);
      tosst_layout_free (layout);
    }
  tosst_context_free (context);
}

static gint64 cancelled_at;

static gpointer
cancel_soon (gpointer context)
{
  g_usleep (50000);
  cancelled_at = g_get_monotonic_time ();
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

/* In the middle of an iteration that takes longer than the wait. */
static void
test_stops (void)
{
  for (int solver = TOSST_SOLVER_PQN; solver <= TOSST_SOLVER_GRADIENT; solver++)
    {
      Canceller canceller = { tosst_context_new (2) };
      TosstLayout *layout = tosst_layout_new (SIDE);
      gsize n = 2000;
      g_autofree float *tensors = make_tensors (layout, n);
      TosstLearnOptions options = default_options (solver);
      TosstDictionary *dictionary;
      options.atoms = 60;
      options.iterations = 100000;
      g_assert_cmpint (
          tosst_learn (canceller.context, layout, tensors, n, &options, start_cancelling, &canceller, &dictionary), ==,
          TOSST_CANCELLED);
      double took = 1e-6 * (g_get_monotonic_time () - cancelled_at);
      g_thread_join (canceller.thread);
      g_test_message ("solver %d: stopped after %.0f ms", solver, 1e3 * took);
      g_assert_cmpfloat (took, <, 1);
      g_assert_nonnull (dictionary);
      check_constraints (dictionary, &options);
      tosst_dictionary_free (dictionary);
      tosst_layout_free (layout);
      tosst_context_free (canceller.context);
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding along paths of lambda and gamma, judged by its certificate, by cold codes of the coder, which has another H
 * and other correlations, and by residuals with beta written out.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "coding-problem.h"

#define SIDE 8
#define ATOMS 70
#define TENSORS 6
#define SCALE 1.7

static Problem
make_problem (int threads)
{
  Problem p = { tosst_layout_new (SIDE), tosst_dictionary_new (SIDE, ATOMS), .context = tosst_context_new (threads) };
  TosstRandom random;
  gsize m = p.layout->m;
  g_autofree double *work = g_new (double, tosst_project_atom_work (SIDE));

  tosst_random_init (&random, 5, 0);
  p.narrow = g_new0 (float, TENSORS *m);
  p.tensors = g_new (double, TENSORS *m);
  for (int n = 0; n < TENSORS; n++)
    for (int pixel = 0; pixel < 7; pixel++)
      {
        double x[SIDE];
        float *out = p.narrow + n * m;
        for (int i = 0; i < SIDE; i++)
          x[i] = pow (tosst_random_uniform (&random), 3);
        for (int i = 0; i < SIDE; i++)
          for (int j = i; j < SIDE; j++)
            for (int k = j; k < SIDE; k++)
              *out++ += (float)(x[i] * x[j] * x[k]);
      }
  for (gsize i = 0; i < TENSORS * m; i++)
    p.tensors[i] = p.narrow[i];
  for (int k = 0; k < ATOMS; k++)
    {
      double *v = p.dictionary->V + k * p.dictionary->D, *b = p.dictionary->b + k * SIDE;
      for (int i = 0; i < p.dictionary->D; i++)
        v[i] = tosst_random_uniform (&random) - 0.2;
      for (int i = 0; i < SIDE; i++)
        b[i] = tosst_random_uniform (&random) - 0.3;
      assert_ok (tosst_project_atom (TOSST_SCHEME_PSD, 0, SIDE, v, work));
      tosst_project_l1 (b, SIDE, TRUE, work);
    }
  p.dictionary->scale = SCALE;
  return p;
}

static TosstRecoding *
start_with (const Problem *p, gboolean is_signed, gboolean nonnegative, double tolerance)
{
  TosstCodingOptions options;
  TosstRecoding *recoding;

  tosst_coding_options_default (&options);
  options.problem.signed_alpha = is_signed;
  options.problem.nonnegative_beta = nonnegative;
  options.tolerance = tolerance;
  assert_ok (tosst_recoding_new (p->context, p->dictionary, p->layout, &options, p->narrow, TENSORS, &recoding));
  return recoding;
}

static TosstRecoding *
start (const Problem *p, gboolean is_signed, double tolerance)
{
  return start_with (p, is_signed, FALSE, tolerance);
}

/* A step of a path against a coder that starts from nothing. */
static void
check_step (const Problem *p, TosstRecoding *recoding, double lambda, double gamma, gboolean is_signed,
            gboolean nonnegative)
{
  TosstCodingOptions options;
  TosstCodingReport report;
  g_autoptr (TosstCoder) coder = NULL;
  g_autofree double *cold = g_new (double, TENSORS *ATOMS);
  double cold_value[TENSORS], warm_value[TENSORS], parts[TENSORS * 3];
  const double *codes = tosst_recoding_codes (recoding);
  double nonzeros = 0, kkt = 0;
  /* beta >= 0 is found to the tolerance, and only the objective is flat there. */
  double near = nonnegative ? 1e-7 : 1e-10;

  tosst_coding_options_default (&options);
  options.problem.lambda = lambda;
  options.problem.gamma = gamma;
  options.problem.signed_alpha = is_signed;
  options.problem.nonnegative_beta = nonnegative;
  options.tolerance = 1e-12;
  g_test_message ("lambda %g, gamma %g, signed %d, beta >= 0 %d", lambda, gamma, is_signed, nonnegative);
  assert_ok (tosst_recode (p->context, recoding, lambda, gamma, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, 1e-9);
  assert_ok (tosst_coder_new (p->context, p->dictionary, p->layout, &options, &coder));
  assert_ok (tosst_code_double (p->context, coder, p->tensors, TENSORS, false, cold, NULL));
  assert_ok (tosst_code_objective (p->context, coder, p->tensors, TENSORS, cold, cold_value, NULL));
  assert_ok (tosst_code_objective (p->context, coder, p->tensors, TENSORS, codes, warm_value, parts));
  for (int n = 0; n < TENSORS; n++)
    {
      TosstRecodingState state;
      double left[SIDE * SIDE * SIDE], fit = 0;
      assert_ok (tosst_recoding_state (p->context, recoding, n, &state));
      assert_ok (tosst_recoding_residual (p->context, recoding, n, FALSE, left));
      for (int i = 0; i < SIDE * p->dictionary->D; i++)
        fit += left[i] * left[i];
      g_assert_cmpfloat_with_epsilon (fit, state.fit, 1e-10 * cold_value[n]);
      g_assert_cmpfloat_with_epsilon (warm_value[n], cold_value[n], 1e-8 * cold_value[n]);
      g_assert_cmpfloat_with_epsilon (state.objective, warm_value[n], 1e-10 * cold_value[n]);
      g_assert_cmpfloat_with_epsilon (state.fit, parts[3 * n], near * cold_value[n]);
      g_assert_cmpfloat_with_epsilon (state.proximity, parts[3 * n + 1], near * cold_value[n]);
      g_assert_cmpfloat_with_epsilon (state.sparsity, parts[3 * n + 2], 1e-10 * cold_value[n]);
      kkt = fmax (kkt, state.kkt);
      nonzeros += (double)state.nonzeros / TENSORS;
    }
  g_assert_cmpfloat (kkt, ==, report.worst_kkt);
  g_assert_cmpfloat_with_epsilon (nonzeros, report.mean_nonzeros, 1e-12);
}

static void
test_paths (void)
{
  static const double lambdas[] = { 1, 0.05, 0.01, 1e-3, 1e-4, 0, 0.02, 0.5 }, gammas[] = { 1, 0.1, 20, INFINITY, 3 };
  g_auto (Problem) p = make_problem (2);

  for (int kind = 0; kind < 4; kind++)
    {
      gboolean is_signed = kind & 1, nonnegative = kind >> 1;
      TosstRecoding *recoding = start_with (&p, is_signed, nonnegative, 1e-9);
      for (gsize g = 0; g < G_N_ELEMENTS (gammas); g++)
        for (gsize l = 0; l < G_N_ELEMENTS (lambdas); l++)
          check_step (&p, recoding, lambdas[l], gammas[g], is_signed, nonnegative);
      for (gsize g = 0; g < G_N_ELEMENTS (gammas); g++)
        check_step (&p, recoding, 0.01, gammas[g], is_signed, nonnegative);
      tosst_recoding_free (recoding);
    }
}

/* Residuals with beta = c + M (x - V c), M = (V' V + gamma I)^{-1} V', from the slices of the full tensor. */
static void
residual_written_out (const Problem *p, const double *alpha, int n, double gamma, gboolean tied, double *residual)
{
  int D = p->dictionary->D, K = ATOMS;
  const double *V = p->dictionary->V, *b = p->dictionary->b;
  g_autofree double *G = g_new0 (double, K *K), *right = g_new (double, K), *c = g_new (double, K);

  for (int s = 0; s < SIDE; s++)
    {
      double X[SIDE * SIDE], *r = residual + s * D;
      for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
          X[i * SIDE + j] = p->tensors[n * p->layout->m + tosst_packed_index (SIDE, i, j, s)] / SCALE;
      tosst_matrix_to_vec (SIDE, X, r);
      for (int k = 0; k < K; k++)
        c[k] = alpha[k] * b[k * SIDE + s];
      cblas_dgemv (CblasColMajor, CblasNoTrans, D, K, -1, V, D, c, 1, 1, r, 1);
      if (tied || isinf (gamma))
        continue;
      cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K, K, D, 1, V, D, V, D, 0, G, K);
      for (int k = 0; k < K; k++)
        G[k * K + k] += gamma;
      cblas_dgemv (CblasColMajor, CblasTrans, D, K, 1, V, D, r, 1, 0, right, 1);
      g_assert_cmpint (LAPACKE_dposv (LAPACK_COL_MAJOR, 'U', K, 1, G, K, right, K), ==, 0);
      cblas_dgemv (CblasColMajor, CblasNoTrans, D, K, -1, V, D, right, 1, 1, r, 1);
    }
}

static void
test_residual (void)
{
  static const double gammas[] = { 0.5, INFINITY };
  g_auto (Problem) p = make_problem (1);
  TosstRecoding *recoding = start (&p, FALSE, 1e-9);
  int size = SIDE * p.dictionary->D;
  g_autofree double *got = g_new (double, size), *expected = g_new (double, size);

  for (gsize g = 0; g < G_N_ELEMENTS (gammas); g++)
    {
      assert_ok (tosst_recode (p.context, recoding, 0.002, gammas[g], NULL));
      for (int n = 0; n < TENSORS; n++)
        for (int tied = 0; tied <= 1; tied++)
          {
            residual_written_out (&p, tosst_recoding_codes (recoding) + n * ATOMS, n, gammas[g], tied, expected);
            assert_ok (tosst_recoding_residual (p.context, recoding, n, tied, got));
            for (int i = 0; i < size; i++)
              g_assert_cmpfloat_with_epsilon (got[i], expected[i], 1e-11);
          }
    }
  tosst_recoding_free (recoding);
}

/* The number of threads does not show in a single bit; a given solution is kept; a cancelled call can be repeated. */
static void
test_states (void)
{
  g_auto (Problem) one = make_problem (1), two = make_problem (2);
  TosstRecoding *a = start (&one, FALSE, 1e-7), *b = start (&two, FALSE, 1e-7), *c = start (&two, FALSE, 1e-7);
  static const double lambdas[] = { 0.02, 0.002 };
  TosstCodingReport report;

  for (int i = 0; i < 2; i++)
    {
      assert_ok (tosst_recode (one.context, a, lambdas[i], 1, NULL));
      assert_ok (tosst_recode (two.context, b, lambdas[i], 1, NULL));
    }
  gsize bytes = sizeof (double) * TENSORS * ATOMS;
  g_assert_cmpmem (tosst_recoding_codes (a), bytes, tosst_recoding_codes (b), bytes);

  tosst_context_cancel (two.context);
  g_assert_cmpint (tosst_recode (two.context, c, 0.002, 1, NULL), ==, TOSST_CANCELLED);
  tosst_context_reset (two.context);
  assert_ok (tosst_recoding_set_codes (two.context, c, tosst_recoding_codes (a)));
  assert_ok (tosst_recode (two.context, c, 0.002, 1, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, 1e-7);
  g_assert_cmpmem (tosst_recoding_codes (a), bytes, tosst_recoding_codes (c), bytes);
  tosst_recoding_free (a);
  tosst_recoding_free (b);
  tosst_recoding_free (c);
}

/* Without lambda, and with more atoms than a tensor has numbers, H is singular, and what float makes of it need not even
 * be positive semi-definite: codes must stay, and be certified. */
static void
test_thin (void)
{
  enum
  {
    THIN = 2,
    MANY = 13,
    NUMBERS = 4,
    DRAWN = 40
  };
  static const double lambdas[] = { 0.3, 0, 1e-4, 0 }, gammas[] = { 1, 0.01, INFINITY, 0.01 };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (THIN);
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new (THIN, MANY);
  TosstRandom random;

  tosst_random_init (&random, 11, 0);
  for (int drawn = 0; drawn < DRAWN; drawn++)
    {
      TosstCodingOptions options;
      TosstCodingReport report;
      TosstRecoding *recoding;
      float tensor[NUMBERS];

      for (int i = 0; i < MANY * 3; i++)
        dictionary->V[i] = tosst_random_normal (&random);
      for (int i = 0; i < MANY * THIN; i++)
        dictionary->b[i] = tosst_random_normal (&random);
      for (int i = 0; i < NUMBERS; i++)
        tensor[i] = (float)tosst_random_normal (&random);
      tosst_coding_options_default (&options);
      options.problem.signed_alpha = drawn % 2;
      options.tolerance = 1e-10;
      assert_ok (tosst_recoding_new (context, dictionary, layout, &options, tensor, 1, &recoding));
      for (gsize i = 0; i < G_N_ELEMENTS (lambdas); i++)
        {
          assert_ok (tosst_recode (context, recoding, lambdas[i], gammas[i], &report));
          g_test_message ("drawn %d, lambda %g, gamma %g: %g", drawn, lambdas[i], gammas[i], report.worst_kkt);
          /* With a little lambda the way to the minimum is long and flat. */
          g_assert_cmpfloat (report.worst_kkt, <=, lambdas[i] == 1e-4 ? 2e-6 : 1e-9);
          for (int k = 0; k < MANY; k++)
            g_assert_cmpfloat (fabs (tosst_recoding_codes (recoding)[k]), <, 1e4);
        }
      tosst_recoding_free (recoding);
    }
}

static void
test_refuses (void)
{
  g_auto (Problem) p = make_problem (1);
  TosstRecoding *recoding = start (&p, FALSE, 1e-7), *other;
  TosstRecodingState state;
  TosstCodingOptions options;
  g_autoptr (TosstLayout) larger = tosst_layout_new (SIDE + 1);
  g_autofree double *codes = g_new0 (double, TENSORS *ATOMS);

  g_assert_cmpint (tosst_recoding_state (p.context, recoding, 0, &state), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_recode (p.context, recoding, -1, 1, NULL), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_recode (p.context, recoding, 1, 0, NULL), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_recode (p.context, recoding, 1, NAN, NULL), ==, TOSST_ERROR_ARGUMENT);
  codes[ATOMS + 3] = -1;
  g_assert_cmpint (tosst_recoding_set_codes (p.context, recoding, codes), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpstr (tosst_context_message (p.context), ==, "code 3 of tensor 1 is -1");
  tosst_coding_options_default (&options);
  g_assert_cmpint (tosst_recoding_new (p.context, p.dictionary, larger, &options, p.narrow, 1, &other), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_recoding_new (p.context, p.dictionary, p.layout, &options, p.narrow, 0, &other), ==,
                   TOSST_ERROR_ARGUMENT);
  p.narrow[p.layout->m + 5] = NAN;
  g_assert_cmpint (tosst_recoding_new (p.context, p.dictionary, p.layout, &options, p.narrow, TENSORS, &other), ==,
                   TOSST_ERROR_NUMERIC);
  g_assert_null (other);
  tosst_recoding_free (recoding);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recode/paths", test_paths);
  g_test_add_func ("/recode/residual", test_residual);
  g_test_add_func ("/recode/states", test_states);
  g_test_add_func ("/recode/thin", test_thin);
  g_test_add_func ("/recode/refuses", test_refuses);
  return g_test_run ();
}

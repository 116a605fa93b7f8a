/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes, judged by the optimality conditions of their Lasso, evaluated in float64 from V, W and b written out.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builds.h"
#include "coding-problem.h"
#include "engine/coding/lasso.h"
#include "engine/simd/kernels.h"
#include "engine/simd/tuning.h"

#define SIDE 9
#define TENSORS 40

static Problem
make_problem (int K)
{
  Problem p = { tosst_layout_new (SIDE), tosst_dictionary_new (SIDE, K), NULL, NULL };
  TosstRandom random;
  gsize m = p.layout->m;
  g_autofree double *work = g_new (double, tosst_project_atom_work (SIDE));

  tosst_random_init (&random, 11, (guint64)K);
  p.tensors = g_new0 (double, TENSORS *m);
  p.narrow = g_new (float, TENSORS *m);
  for (int n = 0; n < TENSORS; n++)
    for (int pixel = 0; pixel < 6; pixel++)
      {
        double x[SIDE], *out = p.tensors + n * m;
        for (int i = 0; i < SIDE; i++)
          x[i] = pow (tosst_random_uniform (&random), 3);
        for (int i = 0; i < SIDE; i++)
          for (int j = i; j < SIDE; j++)
            for (int k = j; k < SIDE; k++)
              *out++ += x[i] * x[j] * x[k];
      }
  for (gsize i = 0; i < TENSORS * m; i++)
    p.narrow[i] = (float)p.tensors[i];
  for (int k = 0; k < K; k++)
    {
      double *v = p.dictionary->V + k * p.dictionary->D, *b = p.dictionary->b + k * SIDE;
      for (int i = 0; i < p.dictionary->D; i++)
        v[i] = tosst_random_uniform (&random) - 0.2;
      for (int i = 0; i < SIDE; i++)
        b[i] = tosst_random_uniform (&random) - 0.3;
      assert_ok (tosst_project_atom (TOSST_SCHEME_PSD, 0, SIDE, v, work));
      tosst_project_l1 (b, SIDE, TRUE, work);
    }
  p.dictionary->scale = 1.7;
  return p;
}

/* H and q of the method, by explicit inverse and slices. */
static void
written_out (const Problem *p, double gamma, double *H, double *q)
{
  int D = p->dictionary->D, K = p->dictionary->K;
  const double *V = p->dictionary->V, *b = p->dictionary->b;
  g_autofree double *F = g_new0 (double, D *D), *WV = g_memdup2 (V, sizeof (double) * D * K);
  g_autofree double *X = g_new (double, SIDE *SIDE), *x = g_new (double, D);

  for (int i = 0; i < D; i++)
    F[i * D + i] = 1;
  if (isfinite (gamma))
    {
      cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, D, K, 1 / gamma, V, D, V, D, 1, F, D);
      g_assert_cmpint (LAPACKE_dposv (LAPACK_COL_MAJOR, 'U', D, K, F, D, WV, D), ==, 0);
    }
  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++)
      H[i * K + j] = cblas_ddot (D, V + i * D, 1, WV + j * D, 1) * cblas_ddot (SIDE, b + i * SIDE, 1, b + j * SIDE, 1);
  memset (q, 0, sizeof *q * TENSORS * K);
  for (int n = 0; n < TENSORS; n++)
    for (int s = 0; s < SIDE; s++)
      {
        for (int i = 0; i < SIDE; i++)
          for (int j = 0; j < SIDE; j++)
            X[i * SIDE + j] = p->tensors[n * p->layout->m + tosst_packed_index (SIDE, i, j, s)] / p->dictionary->scale;
        tosst_matrix_to_vec (SIDE, X, x);
        for (int k = 0; k < K; k++)
          q[n * K + k] += b[k * SIDE + s] * cblas_ddot (D, WV + k * D, 1, x, 1);
      }
}

/* The largest violation of optimality over all tensors, relative to max |2q| of each. */
static double
worst_violation (const Problem *p, const double *H, const double *q, const double *codes, double lambda,
                 gboolean is_signed)
{
  int K = p->dictionary->K;
  double worst = 0;

  for (int n = 0; n < TENSORS; n++)
    {
      double largest = 0, bad = 0;
      for (int k = 0; k < K; k++)
        {
          double a = codes[n * K + k], gradient = 2 * (q[n * K + k] - cblas_ddot (K, H + k * K, 1, codes + n * K, 1));
          largest = fmax (largest, fabs (2 * q[n * K + k]));
          if (!is_signed)
            g_assert_cmpfloat (a, >=, 0);
          if (a != 0)
            bad = fmax (bad, fabs (gradient - copysign (lambda, a)));
          else
            bad = fmax (bad, (is_signed ? fabs (gradient) : gradient) - lambda);
        }
      worst = fmax (worst, bad / largest);
    }
  return worst;
}

static void
check_mode (TosstContext *context, const Problem *p, double lambda, double gamma, gboolean is_signed)
{
  gsize K = p->dictionary->K;
  TosstCodingOptions options = { .problem = { lambda, gamma, is_signed }, .tolerance = 1e-10 };
  TosstCodingReport report;
  g_autoptr (TosstCoder) coder = NULL;
  g_autofree double *H = g_new (double, K *K), *q = g_new (double, TENSORS *K);
  g_autofree double *codes = g_new (double, TENSORS *K), *widened = g_new (double, TENSORS *K);
  g_autofree float *narrow = g_new (float, TENSORS *K);

  assert_ok (tosst_coder_new (context, p->dictionary, p->layout, &options, &coder));
  written_out (p, gamma, H, q);
  assert_ok (tosst_code_double (context, coder, p->tensors, TENSORS, false, codes, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, 1e-10);
  g_assert_cmpfloat (worst_violation (p, H, q, codes, lambda, is_signed), <=, 1e-9);
  assert_ok (tosst_code (context, coder, p->narrow, TENSORS, false, narrow, &report));
  for (gsize i = 0; i < TENSORS * K; i++)
    widened[i] = narrow[i];
  double measured = worst_violation (p, H, q, widened, lambda, is_signed);
  g_assert_cmpfloat (measured, <=, 1e-5);
  /* The reported certificate is honest: it is that of the problem up to float32 rounding of H and q. */
  g_assert_cmpfloat (measured, <=, report.worst_kkt + 4e-6);
}

/* The violation of tensor n alone, relative to max |2q|. */
static double
violation_of (const Problem *p, const double *H, const double *q, const double *codes, double lambda,
              gboolean is_signed, int n)
{
  int K = p->dictionary->K;
  g_autofree double *one_q = g_new (double, TENSORS *K), *one = g_new (double, TENSORS *K);

  for (int i = 0; i < TENSORS; i++)
    {
      memcpy (one_q + i * K, q + n * K, sizeof *q * K);
      memcpy (one + i * K, codes + n * K, sizeof *one * K);
    }
  return worst_violation (p, H, one_q, one, lambda, is_signed);
}

/* Certificates are those of float32 codes in float64. */
static void
test_certificate (void)
{
  const struct
  {
    int K;
    double lambda, gamma;
    gboolean is_signed;
  } cases[] = { { 60, 2e-3, 1, FALSE }, { 60, 1e-2, INFINITY, TRUE }, { 150, 1e-3, 0.1, TRUE }, { 9, 1e-2, 1, FALSE } };
  g_autoptr (TosstContext) context = tosst_context_new (2);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Problem) p = make_problem (cases[i].K);
      gsize K = cases[i].K;
      TosstCodingOptions options
          = { .problem = { cases[i].lambda, cases[i].gamma, cases[i].is_signed }, .tolerance = 1e-6 };
      g_autoptr (TosstCoder) coder = NULL;
      g_autofree double *H = g_new (double, K *K), *q = g_new (double, TENSORS *K), *exact = g_new (double, TENSORS *K),
                        *kkt = g_new (double, TENSORS);
      g_autofree float *codes = g_new (float, TENSORS *K);

      written_out (&p, cases[i].gamma, H, q);
      assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
      assert_ok (tosst_code (context, coder, p.narrow, TENSORS, false, codes, NULL));
      codes[0] += codes[0] > 0 ? 1e-3f : 0.1f; /* a code that is wrong */
      for (gsize j = 0; j < TENSORS * K; j++)
        exact[j] = codes[j];
      assert_ok (tosst_code_certificate (context, coder, p.tensors, TENSORS, exact, kkt));
      for (int n = 0; n < TENSORS; n++)
        {
          double truth = violation_of (&p, H, q, exact, cases[i].lambda, cases[i].is_signed, n);
          g_assert_cmpfloat (fabs (kkt[n] - truth), <=, 1e-12);
          g_assert_true (n == 0 ? truth > 1e-5 : truth < 1e-5);
        }
      for (gsize j = 0; j < TENSORS * K; j++)
        g_assert_true (exact[j] == codes[j]);
    }
}

static void
test_optimal (void)
{
  static const int atoms[] = { 1, 7, 40, 150 };
  static const double lambdas[] = { 0, 1e-3, 0.05, 100 }, gammas[] = { 0.1, 10, INFINITY };
  g_autoptr (TosstContext) context = tosst_context_new (2);

  for (gsize a = 0; a < G_N_ELEMENTS (atoms); a++)
    {
      g_auto (Problem) p = make_problem (atoms[a]);
      for (gsize l = 0; l < G_N_ELEMENTS (lambdas); l++)
        for (gsize g = 0; g < G_N_ELEMENTS (gammas); g++)
          for (int is_signed = 0; is_signed <= 1; is_signed++)
            {
              /* More atoms than a tensor has numbers, and no penalty: H is singular and minimisers are many, but still
               * optimal. */
              g_test_message ("K %d, lambda %g, gamma %g, signed %d", atoms[a], lambdas[l], gammas[g], is_signed);
              check_mode (context, &p, lambdas[l], gammas[g], is_signed);
            }
    }
}

/* A code for another lambda as starting point gives the same minimum. */
static void
test_warm (void)
{
  g_auto (Problem) p = make_problem (60);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstCodingOptions options = { .problem = { 0.02, 1 }, .tolerance = 1e-11 };
  TosstCoder *before, *after;
  g_autofree double *warm = g_new (double, TENSORS * 60), *cold = g_new (double, TENSORS * 60);
  g_autofree double *warm_value = g_new (double, TENSORS), *cold_value = g_new (double, TENSORS);

  assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &before));
  options.problem.lambda = 0.001;
  assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &after));
  assert_ok (tosst_code_double (context, before, p.tensors, TENSORS, false, warm, NULL));
  assert_ok (tosst_code_double (context, after, p.tensors, TENSORS, true, warm, NULL));
  assert_ok (tosst_code_double (context, after, p.tensors, TENSORS, false, cold, NULL));
  assert_ok (tosst_code_objective (context, after, p.tensors, TENSORS, warm, warm_value, NULL));
  assert_ok (tosst_code_objective (context, after, p.tensors, TENSORS, cold, cold_value, NULL));
  for (int n = 0; n < TENSORS; n++)
    g_assert_cmpfloat_with_epsilon (warm_value[n], cold_value[n], 1e-9 * cold_value[n]);
  tosst_coder_free (before);
  tosst_coder_free (after);
}

/* Parts add up to the objective, which is the same without them; with more atoms than D, and with few. */
static void
test_parts (void)
{
  for (int few = 0; few <= 1; few++)
    for (int infinite = 0; infinite <= 1; infinite++)
      {
        int K = few ? 5 : 60;
        g_auto (Problem) p = make_problem (K);
        g_autoptr (TosstContext) context = tosst_context_new (2);
        TosstCodingOptions options = { .problem = { 0.02, infinite ? INFINITY : 1 }, .tolerance = 1e-9 };
        g_autoptr (TosstCoder) coder = NULL;
        g_autofree double *codes = g_new0 (double, TENSORS *K), *with = g_new (double, TENSORS),
                          *without = g_new (double, TENSORS), *parts = g_new (double, TENSORS * 3);

        assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
        /* First with no code at all, then with some zero. */
        for (int coded = 0; coded <= 1; coded++)
          {
            if (coded)
              assert_ok (tosst_code_double (context, coder, p.tensors, TENSORS, false, codes, NULL));
            memset (codes, 0, sizeof *codes * K);
            assert_ok (tosst_code_objective (context, coder, p.tensors, TENSORS, codes, with, parts));
            assert_ok (tosst_code_objective (context, coder, p.tensors, TENSORS, codes, without, NULL));
            for (int n = 0; n < TENSORS; n++)
              {
                g_assert_cmpfloat (with[n], ==, without[n]);
                g_assert_cmpfloat_with_epsilon (parts[3 * n] + parts[3 * n + 1] + parts[3 * n + 2], with[n],
                                                1e-12 * with[n]);
              }
          }
      }
}

/* Takes the Lassos of all tensors through their rounds side by side. */
static void
solve_together (const TosstKernels *kernels, const float *H, int K, const float *q, float t, gboolean is_signed,
                float tolerance, float *codes)
{
  TosstLassoWork *work = tosst_lasso_work_new (K, TENSORS, sizeof (float));
  g_autofree float *residuals = g_new (float, TENSORS *K);
  int row[TENSORS], left = TENSORS;

  for (int n = 0; n < TENSORS; n++)
    row[n] = n;
  for (int round = 0; left > 0; round++)
    {
      int kept = 0;
      g_assert_cmpint (round, <, TOSST_LASSO_ROUNDS);
      kernels->lasso_residuals_float (H, K, q, codes, row, left, residuals, work);
      for (int j = 0; j < left; j++)
        if (kernels->lasso_round_float (H, K, residuals + row[j] * K, t, is_signed, tolerance, codes + row[j] * K, work)
            > tolerance)
          row[kept++] = row[j];
      left = kept;
    }
  tosst_lasso_work_free (work);
}

/* In every build Lassos side by side are optimal, and to the last bit what each of them is alone. Sides of H that do and
 * do not fill registers; dense codes and sparse ones; from zero and from the code for a larger lambda. */
static void
check_rounds (const TosstKernels *kernels, int K, double lambda, gboolean is_signed)
{
  g_auto (Problem) p = make_problem (K);
  g_autofree double *H = g_new (double, K *K), *q = g_new (double, TENSORS *K), *wide = g_new (double, TENSORS *K);
  g_autofree float *h = g_new (float, K *K), *narrow = g_new (float, TENSORS *K);
  g_autofree float *together = g_new0 (float, TENSORS *K), *alone = g_new0 (float, TENSORS *K);
  TosstLassoWork *work = tosst_lasso_work_new (K, 1, sizeof (float));
  float largest = 0;

  written_out (&p, 1, H, q);
  for (int i = 0; i < K * K; i++)
    h[i] = (float)H[i];
  for (int i = 0; i < TENSORS * K; i++)
    {
      narrow[i] = (float)q[i];
      largest = MAX (largest, fabsf (narrow[i]));
    }
  for (int pass = 0; pass < 2; pass++)
    {
      double now = pass == 0 ? 5 * lambda : lambda;
      solve_together (kernels, h, K, narrow, now / 2, is_signed, 1e-5f * largest, together);
      for (int n = 0; n < TENSORS; n++)
        kernels->lasso_float (h, K, narrow + n * K, now / 2, is_signed, 1e-5f * largest, alone + n * K, work);
      g_assert_cmpmem (together, sizeof (float) * TENSORS * K, alone, sizeof (float) * TENSORS * K);
      for (int i = 0; i < TENSORS * K; i++)
        wide[i] = together[i];
      /* Relative to max |q| of each tensor there, of all of them here. */
      g_assert_cmpfloat (worst_violation (&p, H, q, wide, now, is_signed), <=, 2e-4);
    }
  tosst_lasso_work_free (work);
}

static void
test_rounds (void)
{
  static const int atoms[] = { 1, 16, 67, 150 };
  static const double lambdas[] = { 1e-4, 3e-3 };
  const TosstKernels *builds[3];

  list_builds (builds);
  for (int i = 0; i < 3; i++)
    for (gsize a = 0; a < G_N_ELEMENTS (atoms) && builds[i]; a++)
      for (gsize l = 0; l < G_N_ELEMENTS (lambdas); l++)
        for (int is_signed = 0; is_signed <= 1; is_signed++)
          {
            g_test_message ("%s, K %d, lambda %g, signed %d", builds[i]->name, atoms[a], lambdas[l], is_signed);
            check_rounds (builds[i], atoms[a], lambdas[l], is_signed);
          }
}

/* Every build of the hot loops that this processor can run gives the same codes. */
static void
test_builds (void)
{
  const TosstKernels *builds[3];
  g_auto (Problem) p = make_problem (50);
  g_autofree double *H = g_new (double, 50 * 50), *q = g_new (double, TENSORS * 50);
  g_autofree float *x = g_new (float, 20 * 30 + 16);
  TosstRandom random;

  list_builds (builds);
  tosst_random_init (&random, 1, 0);
  for (int i = 0; i < 20 * 30 + 16; i++)
    x[i] = (float)tosst_random_uniform (&random);
  written_out (&p, 1, H, q);
  for (int i = 1; i < 3; i++)
    {
      if (builds[i] == NULL)
        continue;
      TosstLassoWork *work = tosst_lasso_work_new (50, 1, sizeof (double));
      for (int n = 0; n < TENSORS; n++)
        {
          double a[50] = { 0 }, b[50] = { 0 };
          builds[0]->lasso_double (H, 50, q + n * 50, 1e-3, false, 1e-12, a, work);
          builds[i]->lasso_double (H, 50, q + n * 50, 1e-3, false, 1e-12, b, work);
          for (int k = 0; k < 50; k++)
            g_assert_cmpfloat_with_epsilon (a[k], b[k], 1e-6);
        }
      tosst_lasso_work_free (work);
      g_autofree float *one = g_new (float, 4960), *other = g_new (float, 4960);
      void *space = aligned_alloc (64, tosst_third_order_work (30, sizeof (float)));
      builds[0]->third_order_float (x, 20, 30, 30, space, one);
      builds[i]->third_order_float (x, 20, 30, 30, space, other);
      for (int t = 0; t < 4960; t++)
        g_assert_cmpfloat_with_epsilon (one[t], other[t], 1e-5 * one[t]);
      free (space);
    }
}

static void
test_refuses (void)
{
  g_auto (Problem) p = make_problem (5);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstCodingOptions options;
  TosstCoder *coder;
  float codes[TENSORS * 5];

  tosst_coding_options_default (&options);
  options.problem.lambda = -1;
  g_assert_cmpint (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder), ==, TOSST_ERROR_ARGUMENT);
  tosst_coding_options_default (&options);
  options.problem.gamma = NAN;
  g_assert_cmpint (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder), ==, TOSST_ERROR_ARGUMENT);
  tosst_coding_options_default (&options);
  g_autoptr (TosstLayout) other = tosst_layout_new (SIDE + 1);
  g_assert_cmpint (tosst_coder_new (context, p.dictionary, other, &options, &coder), ==, TOSST_ERROR_ARGUMENT);
  assert_ok (tosst_coder_new (context, p.dictionary, p.layout, &options, &coder));
  p.narrow[3 * p.layout->m + 5] = NAN;
  g_assert_cmpint (tosst_code (context, coder, p.narrow, TENSORS, false, codes, NULL), ==, TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "tensor 3"));
  tosst_coder_free (coder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/coding/optimal", test_optimal);
  g_test_add_func ("/coding/certificate", test_certificate);
  g_test_add_func ("/coding/warm", test_warm);
  g_test_add_func ("/coding/parts", test_parts);
  g_test_add_func ("/coding/rounds", test_rounds);
  g_test_add_func ("/coding/builds", test_builds);
  g_test_add_func ("/coding/refuses", test_refuses);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes whose parts cancel each other: what floats cannot certify is finished in float64.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "engine/coding/coder-private.h"
#include "engine/coding/lasso.h"
#include "engine/simd/kernels.h"
#include "objects.h"

#define TOLERANCE 1e-5
#define NUMBERS 60
#define TENSORS 20
#define SIDE 9

/* Atoms that are one vector and little else, and a q of that little: codes are large, H alpha small. */
static void
make_lasso (guint64 seed, int K, double little, float *H, float *q)
{
  g_autofree double *A = g_new (double, K *NUMBERS), *y = g_new (double, NUMBERS);
  TosstRandom random;

  tosst_random_init (&random, 5, seed);
  for (int i = 0; i < NUMBERS; i++)
    y[i] = i == 0 ? 0 : tosst_random_normal (&random);
  for (int k = 0; k < K; k++)
    for (int i = 0; i < NUMBERS; i++)
      A[k * NUMBERS + i] = i == 0 ? 1 : little * tosst_random_normal (&random) / sqrt (NUMBERS);
  for (int k = 0; k < K; k++)
    {
      q[k] = (float)cblas_ddot (NUMBERS, A + k * NUMBERS, 1, y, 1);
      for (int j = 0; j < K; j++)
        H[k * K + j] = (float)cblas_ddot (NUMBERS, A + MIN (j, k) * NUMBERS, 1, A + MAX (j, k) * NUMBERS, 1);
    }
}

static double
largest (const float *q, int K)
{
  double most = 0;
  for (int k = 0; k < K; k++)
    most = fmax (most, fabs (q[k]));
  return most;
}

/* The largest violation of half the gradient, in float64. */
static double
violation (const float *H, int K, const float *q, double t, gboolean is_signed, const float *alpha)
{
  double worst = 0;
  for (int k = 0; k < K; k++)
    {
      double r = q[k];
      for (int j = 0; j < K; j++)
        r -= (double)H[k * K + j] * alpha[j];
      if (!is_signed)
        g_assert_cmpfloat (alpha[k], >=, 0);
      if (alpha[k] != 0)
        worst = fmax (worst, fabs (r - copysign (t, alpha[k])));
      else
        worst = fmax (worst, (is_signed ? fabs (r) : r) - t);
    }
  return worst;
}

/* From what floats make of it, from nothing, and from what is no code. Returns whether floats missed the tolerance. */
static gboolean
check_lasso (guint64 seed, int K, double little, double part, gboolean is_signed)
{
  g_autofree float *H = g_new (float, K *K), *q = g_new (float, K);
  g_autofree float *warm = g_new0 (float, K), *cold = g_new0 (float, K), *again = g_new (float, K);
  TosstLassoWork *work = tosst_lasso_work_new (K, 1, sizeof (float));
  double kkt;

  make_lasso (seed, K, little, H, q);
  double most = largest (q, K), t = part * most, tolerance = TOLERANCE * most;
  tosst_kernels ()->lasso_float (H, K, q, (float)t, is_signed, (float)tolerance, warm, work);
  gboolean missed = violation (H, K, q, t, is_signed, warm) > tolerance;
  memcpy (again, warm, sizeof *warm * K);
  g_assert_true (tosst_lasso_refine (H, K, q, t, is_signed, tolerance, warm, &kkt));
  g_assert_cmpfloat (kkt, <=, tolerance);
  g_assert_cmpfloat_with_epsilon (kkt, violation (H, K, q, t, is_signed, warm), 1e-6 * tolerance);
  g_assert_true (tosst_lasso_refine (H, K, q, t, is_signed, tolerance, again, &kkt));
  g_assert_cmpmem (again, sizeof *again * K, warm, sizeof *warm * K);
  g_assert_true (tosst_lasso_refine (H, K, q, t, is_signed, tolerance, cold, &kkt));
  g_assert_cmpfloat (kkt, <=, tolerance);
  g_assert_cmpfloat (violation (H, K, q, t, is_signed, cold), <=, tolerance * (1 + 1e-6));
  again[seed % K] = NAN;
  g_assert_true (tosst_lasso_refine (H, K, q, t, is_signed, tolerance, again, &kkt));
  g_assert_cmpmem (again, sizeof *again * K, cold, sizeof *cold * K);
  tosst_lasso_work_free (work);
  return missed;
}

static void
test_certified (void)
{
  static const int atoms[] = { 1, 12, 50, 200 };
  static const double parts[] = { 1e-3, 0.05 };
  int missed = 0;

  for (gsize a = 0; a < G_N_ELEMENTS (atoms); a++)
    for (gsize l = 0; l < G_N_ELEMENTS (parts); l++)
      for (guint64 seed = 0; seed < (atoms[a] > 100 ? 2 : 10); seed++)
        for (int is_signed = 0; is_signed <= 1; is_signed++)
          missed += check_lasso (seed, atoms[a], 0.25, parts[l], is_signed);
  g_test_message ("%d Lassos that floats could not certify", missed);
  g_assert_cmpint (missed, >=, 5);
}

/* Where a code of floats cannot do it, what comes back is no worse, and tells the truth. */
static void
test_beyond_floats (void)
{
  const int K = 50;
  g_autofree float *H = g_new (float, K *K), *q = g_new (float, K), *alpha = g_new0 (float, K);

  for (guint64 seed = 0; seed < 3; seed++)
    {
      double kkt, before;
      make_lasso (seed, K, 0.02, H, q);
      memset (alpha, 0, sizeof *alpha * K);
      before = violation (H, K, q, 1e-8, TRUE, alpha);
      g_assert_true (tosst_lasso_refine (H, K, q, 1e-8, TRUE, 1e-6 * largest (q, K), alpha, &kkt));
      g_assert_cmpfloat (kkt, <=, before);
      g_assert_cmpfloat_with_epsilon (kkt, violation (H, K, q, 1e-8, TRUE, alpha), 1e-12);
    }
}

/* The same by way of a dictionary of nearly equal atoms, and tensors without what these have in common. */
static void
test_codes (void)
{
  const int K = 40;
  g_autoptr (TosstLayout) layout = tosst_layout_new (SIDE);
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new (SIDE, K);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstCodingOptions options
      = { .problem.lambda = 1e-4, .problem.gamma = INFINITY, .problem.signed_alpha = true, .tolerance = TOLERANCE };
  gsize m = layout->m;
  g_autofree float *tensors = g_new (float, TENSORS *m), *codes = g_new (float, TENSORS *K);
  TosstCodingReport report;
  g_autoptr (TosstCoder) coder = NULL;
  TosstRandom random;

  tosst_random_init (&random, 5, 99);
  for (int k = 0; k < K; k++)
    for (int i = 0; i < dictionary->D; i++)
      dictionary->V[k * dictionary->D + i] = (i == 0) + 0.03 * tosst_random_normal (&random);
  for (int i = 0; i < K * SIDE; i++)
    dictionary->b[i] = i % SIDE == 0;
  for (gsize i = 0; i < TENSORS * m; i++)
    tensors[i] = i % m == 0 ? 0 : (float)tosst_random_normal (&random);
  assert_ok (tosst_coder_new (context, dictionary, layout, &options, &coder));
  assert_ok (tosst_code (context, coder, tensors, TENSORS, false, codes, &report));
  g_test_message ("%.1f non-zeros", report.mean_nonzeros);
  g_assert_cmpfloat (report.worst_kkt, <=, TOLERANCE);
}

/* Without lambda, and with more atoms than a tensor has numbers, H is singular, and what float makes of it need not even
 * be positive semi-definite: nothing holds a code but the certificate. */
static void
test_thin (void)
{
  enum
  {
    THIN = 2,
    MANY = 13,
    NUMBERS_THIN = 4,
    DRAWN = 60
  };
  static const double lambdas[] = { 0, 0, 1e-6 }, gammas[] = { INFINITY, 0.01, 1 };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (THIN);
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new (THIN, MANY);
  float tensors[TENSORS * NUMBERS_THIN], codes[TENSORS * MANY];
  TosstRandom random;

  tosst_random_init (&random, 13, 0);
  for (int drawn = 0; drawn < DRAWN; drawn++)
    {
      TosstCodingOptions options;
      TosstCodingReport report;
      g_autoptr (TosstCoder) coder = NULL;

      for (int i = 0; i < MANY * 3; i++)
        dictionary->V[i] = tosst_random_normal (&random);
      for (int i = 0; i < MANY * THIN; i++)
        dictionary->b[i] = drawn % 2 ? tosst_random_normal (&random) : tosst_random_uniform (&random);
      for (int i = 0; i < TENSORS * NUMBERS_THIN; i++)
        tensors[i] = (float)tosst_random_normal (&random);
      tosst_coding_options_default (&options);
      options.problem.lambda = lambdas[drawn % 3];
      options.problem.gamma = gammas[drawn / 3 % 3];
      options.problem.signed_alpha = drawn / 2 % 2;
      assert_ok (tosst_coder_new (context, dictionary, layout, &options, &coder));
      assert_ok (tosst_code (context, coder, tensors, TENSORS, false, codes, &report));
      /* Half a unit in the last place of a large code may be more than the tolerance. */
      g_assert_cmpfloat (report.worst_kkt, <=, 1e-3);
      for (int i = 0; i < TENSORS * MANY; i++)
        g_assert_cmpfloat (fabs (codes[i]), <, 1e5);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/coding-finish/certified", test_certified);
  g_test_add_func ("/coding-finish/beyond-floats", test_beyond_floats);
  g_test_add_func ("/coding-finish/codes", test_codes);
  g_test_add_func ("/coding-finish/thin", test_thin);
  return g_test_run ();
}

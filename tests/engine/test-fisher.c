/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mixtures of Gaussians and Fisher vectors: against derivatives of the log-likelihood in float64, and against VLFeat
 * where that is installed.
 */
#include <math.h>
#include <string.h>

#ifdef HAVE_VLFEAT
#include <vl/fisher.h>
#include <vl/gmm.h>
#endif

#include "builds.h"
#include "engine/base/memory.h"
#include "objects.h"
#include "tosst/local.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstMixture, tosst_mixture_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFisher, tosst_fisher_free)

enum
{
  D = 7,
  K = 11,
  N = 700, /* more than two blocks */
};

/* Vectors of `clusters` Gaussians of different axes, at `away` from zero. */
static float *
make_vectors (gsize n, int d, int clusters, double away, guint64 seed)
{
  float *x = g_new (float, n *(gsize)d);
  TosstRandom random;

  tosst_random_init (&random, seed, 1);
  for (gsize i = 0; i < n; i++)
    {
      int cluster = (int)tosst_random_below (&random, (guint64)clusters);
      for (int j = 0; j < d; j++)
        x[i * (gsize)d + (gsize)j] = (float)(away + 2 * sin (3.0 * cluster + 1.7 * j)
                                             + (0.3 + 0.2 * ((cluster + j) % 3)) * tosst_random_normal (&random));
    }
  return x;
}

static TosstMixture *
learn (TosstContext *context, const float *x, gsize n, int d, int k, TosstMixtureReport *report)
{
  TosstMixtureOptions options;
  TosstMixture *mixture;

  tosst_mixture_options_default (&options);
  options.gaussians = k;
  assert_ok (tosst_mixture_learn (context, x, n, d, &options, NULL, report, &mixture));
  g_assert_true (tosst_mixture_is_valid (mixture));
  return mixture;
}

/* Mean of log p (x) in float64. */
static double
log_likelihood (const TosstMixture *mixture, const float *x, gsize n)
{
  gsize d = (gsize)mixture->D;
  double all = 0;

  for (gsize i = 0; i < n; i++)
    {
      double most = -INFINITY, sum = 0;
      g_autofree double *logs = g_new (double, mixture->K);
      for (gsize k = 0; k < (gsize)mixture->K; k++)
        {
          logs[k] = log (mixture->weights[k]);
          for (gsize j = 0; j < d; j++)
            {
              double variance = mixture->variances[k * d + j], r = x[i * d + j] - mixture->means[k * d + j];
              logs[k] -= 0.5 * (log (2 * G_PI * variance) + r * r / variance);
            }
          most = fmax (most, logs[k]);
        }
      for (int k = 0; k < mixture->K; k++)
        sum += exp (logs[k] - most);
      all += most + log (sum);
    }
  return all / (double)n;
}

/* Derivative of the log-likelihood to the parameter, which is restored. */
static double
derivative (const TosstMixture *mixture, double *parameter, double step, const float *x, gsize n)
{
  double middle = *parameter, high, low;

  *parameter = middle + step;
  high = log_likelihood (mixture, x, n);
  *parameter = middle - step;
  low = log_likelihood (mixture, x, n);
  *parameter = middle;
  return (high - low) / (2 * step);
}

static void
check_gradients (double away)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autofree float *x = make_vectors (N, D, K, away, 1), *some = make_vectors (N, D, 2, away, 2);
  g_autoptr (TosstMixture) mixture = learn (context, x, N, D, K, NULL);
  g_autoptr (TosstFisher) fisher = tosst_fisher_new (mixture);
  float out[2 * K * D];
  double likelihood, largest = 0, tolerance = away == 0 ? 2e-5 : 5e-4;

  g_assert_cmpuint (tosst_fisher_length (mixture), ==, G_N_ELEMENTS (out));
  assert_ok (tosst_fisher_code (fisher, some, N, out, &likelihood));
  g_assert_cmpfloat_with_epsilon (likelihood, log_likelihood (mixture, some, N), tolerance * fabs (likelihood));
  for (gsize i = 0; i < G_N_ELEMENTS (out); i++)
    largest = fmax (largest, fabs (out[i]));
  for (gsize i = 0; i < K * D; i++)
    {
      double deviation = sqrt (mixture->variances[i]), weight = mixture->weights[i / D];
      double mean = derivative (mixture, &mixture->means[i], 1e-4 * deviation, some, N) * deviation / sqrt (weight);
      /* d sigma^2 = 2 sigma d sigma. */
      double variance = derivative (mixture, &mixture->variances[i], 1e-4 * deviation * deviation, some, N) * 2
                        * deviation * deviation / sqrt (2 * weight);
      g_assert_cmpfloat_with_epsilon (out[i], mean, tolerance * largest);
      g_assert_cmpfloat_with_epsilon (out[K * D + i], variance, tolerance * largest);
    }
}

static void
test_gradients (void)
{
  check_gradients (0);
}

/* Vectors far from zero in the units of their deviation, as features that are not centred. */
static void
test_far_from_zero (void)
{
  check_gradients (500);
}

static void
test_never_decreases (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree float *x = make_vectors (5000, D, 40, 0, 3);
  TosstMixtureOptions options;

  tosst_mixture_options_default (&options);
  options.iterations = 60;
  options.tolerance = 0;
  for (int k = 1; k <= 64; k *= 4)
    {
      g_autoptr (TosstMixture) mixture = NULL;
      g_autofree double *trace = g_new (double, options.iterations + 1);
      TosstMixtureReport report;

      options.gaussians = k;
      assert_ok (tosst_mixture_learn (context, x, 5000, D, &options, trace, &report, &mixture));
      g_assert_cmpint (report.iterations, >, 0);
      for (int i = 0; i < report.iterations; i++)
        g_assert_cmpfloat (trace[i + 1], >=, trace[i]);
      g_assert_cmpfloat (report.likelihood, ==, trace[report.iterations]);
      g_assert_cmpfloat_with_epsilon (report.likelihood, log_likelihood (mixture, x, 5000), 1e-4);
    }
}

/* The parameters of well separated Gaussians, and a start from any seed. */
static void
test_recovers (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree float *x = make_vectors (6000, D, 3, 0, 4);
  g_autoptr (TosstMixture) mixture = learn (context, x, 6000, D, 3, NULL);

  for (int cluster = 0; cluster < 3; cluster++)
    {
      int found = -1;
      for (int k = 0; k < 3; k++)
        {
          double worst = 0;
          for (int j = 0; j < D; j++)
            worst = fmax (worst, fabs (mixture->means[k * D + j] - 2 * sin (3.0 * cluster + 1.7 * j)));
          found = worst < 0.1 ? k : found;
        }
      g_assert_cmpint (found, >=, 0);
      g_assert_cmpfloat_with_epsilon (mixture->weights[found], 1.0 / 3, 0.03);
      for (int j = 0; j < D; j++)
        g_assert_cmpfloat_with_epsilon (sqrt (mixture->variances[found * D + j]), 0.3 + 0.2 * ((cluster + j) % 3),
                                        0.05);
    }
}

static void
test_threads (void)
{
  g_autoptr (TosstContext) one = tosst_context_new (1), three = tosst_context_new (3);
  g_autofree float *x = make_vectors (4000, D, 20, 0, 5);
  g_autoptr (TosstMixture) a = learn (one, x, 4000, D, K, NULL), b = learn (three, x, 4000, D, K, NULL);

  g_assert_cmpmem (a->weights, K * sizeof (double), b->weights, K * sizeof (double));
  g_assert_cmpmem (a->means, K * D * sizeof (double), b->means, K * D * sizeof (double));
  g_assert_cmpmem (a->variances, K * D * sizeof (double), b->variances, K * D * sizeof (double));
}

/* Fewer different vectors than components, and a number that never changes. */
static void
test_degenerate (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  float x[100 * 3], out[2 * 8 * 3];
  g_autoptr (TosstMixture) mixture = NULL;
  g_autoptr (TosstFisher) fisher = NULL;

  for (int i = 0; i < 300; i++)
    x[i] = i % 3 == 2 ? 5 : (float)(i / 3 % 4 / 2 * (i % 3 + 1));
  mixture = learn (context, x, 100, 3, 8, NULL);
  fisher = tosst_fisher_new (mixture);
  assert_ok (tosst_fisher_code (fisher, x, 100, out, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (out); i++)
    g_assert_true (isfinite (out[i]));
}

static void
test_errors (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autofree float *x = make_vectors (50, D, 3, 0, 6);
  g_autoptr (TosstMixture) good = learn (context, x, 50, D, 3, NULL);
  g_autoptr (TosstFisher) fisher = tosst_fisher_new (good);
  TosstMixture *mixture;
  TosstMixtureOptions options;
  float out[2 * 3 * D];

  tosst_mixture_options_default (&options);
  options.gaussians = 51;
  g_assert_cmpint (tosst_mixture_learn (context, x, 50, D, &options, NULL, NULL, &mixture), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_fisher_code (fisher, x, 0, out, NULL), ==, TOSST_ERROR_ARGUMENT);
  options.gaussians = 3;
  x[10] = NAN;
  g_assert_cmpint (tosst_mixture_learn (context, x, 50, D, &options, NULL, NULL, &mixture), ==, TOSST_ERROR_NUMERIC);
  g_assert_null (mixture);
  g_assert_cmpint (tosst_fisher_code (fisher, x, 50, out, NULL), ==, TOSST_ERROR_NUMERIC);
  x[10] = 1e30f;
  g_assert_cmpint (tosst_fisher_code (fisher, x, 50, out, NULL), ==, TOSST_ERROR_NUMERIC);
  good->variances[2] = 0;
  g_assert_false (tosst_mixture_is_valid (good));
}

/* The kernels of each build against float64. */
static void
test_kernels (void)
{
  enum
  {
    ROWS = 9,
    STRIDE = 48,
    WIDTH = 32,
  };
  const TosstKernels *builds[3];
  gsize n = list_builds (builds);
  TosstRandom random;

  for (gsize b = 0; b < n; b++)
    {
      float *rows = tosst_alloc_aligned (ROWS * STRIDE, sizeof *rows),
            *x = tosst_alloc_aligned (ROWS * WIDTH, sizeof *x);
      float *constants = tosst_alloc_aligned (STRIDE, sizeof *constants);
      float *sums = tosst_alloc_aligned (STRIDE * WIDTH, sizeof *sums);
      double logs[ROWS], expected[STRIDE * WIDTH] = { 0 }, all[STRIDE] = { 0 };
      float *totals = tosst_alloc_aligned (STRIDE, sizeof *totals);

      tosst_random_init (&random, 7, 1);
      for (int k = 0; k < STRIDE; k++)
        constants[k] = k < 40 ? (float)tosst_random_normal (&random) : -1e30f;
      for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = (float)tosst_random_normal (&random);
      for (int i = 0; i < ROWS; i++)
        {
          double scale = pow (3, i - 2), sum = 0, wanted[STRIDE];
          for (int k = 0; k < STRIDE; k++)
            {
              rows[i * STRIDE + k] = (float)(scale * tosst_random_normal (&random) - 50);
              sum += wanted[k] = exp ((double)(rows[i * STRIDE + k] + constants[k]));
            }
          builds[b]->posteriors (rows + i * STRIDE, 1, STRIDE, constants, logs + i);
          if (scale > 100)
            continue;
          g_assert_cmpfloat_with_epsilon (logs[i], log (sum), 1e-5 * fabs (log (sum)));
          for (int k = 0; k < STRIDE; k++)
            g_assert_cmpfloat_with_epsilon (rows[i * STRIDE + k], wanted[k] / sum, 2e-6);
        }
      for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < STRIDE; k++)
          for (int j = 0; j < WIDTH; j++)
            if (rows[i * STRIDE + k] > 0.01f)
              expected[k * WIDTH + j] += (double)rows[i * STRIDE + k] * x[i * WIDTH + j];
      for (int i = 0; i < ROWS * STRIDE; i++)
        all[i % STRIDE] += rows[i] > 0.01f ? rows[i] : 0;
      memset (sums, 0, STRIDE * WIDTH * sizeof *sums);
      memset (totals, 0, STRIDE * sizeof *totals);
      builds[b]->posterior_sums (rows, ROWS, STRIDE, 0.01f, x, WIDTH, sums, totals);
      for (int i = 0; i < STRIDE * WIDTH; i++)
        g_assert_cmpfloat_with_epsilon (sums[i], expected[i], 1e-5);
      for (int k = 0; k < STRIDE; k++)
        g_assert_cmpfloat_with_epsilon (totals[k], all[k], 1e-5);
      free (rows);
      free (totals);
      free (x);
      free (constants);
      free (sums);
    }
}

#ifdef HAVE_VLFEAT
/* As good a mixture as that of VLFeat, and the same Fisher vector of its mixture. */
static void
test_vlfeat (void)
{
  enum
  {
    SIDE = 24,
    COMPONENTS = 32,
    VECTORS = 6000,
  };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree float *x = make_vectors (VECTORS, SIDE, 60, 0, 8);
  g_autofree float *means = g_new (float, SIDE *COMPONENTS), *variances = g_new (float, SIDE *COMPONENTS);
  g_autofree float *weights = g_new (float, COMPONENTS);
  g_autofree float *wanted = g_new (float, 2 * SIDE * COMPONENTS), *out = g_new (float, 2 * SIDE * COMPONENTS);
  g_autoptr (TosstMixture) mixture = learn (context, x, VECTORS, SIDE, COMPONENTS, NULL);
  g_autoptr (TosstFisher) fisher = tosst_fisher_new (mixture);
  VlGMM *gmm = vl_gmm_new (VL_TYPE_FLOAT, SIDE, COMPONENTS);
  double largest = 0;

  vl_set_num_threads (1);
  vl_gmm_set_max_num_iterations (gmm, 100);
  vl_gmm_set_initialization (gmm, VlGMMRand);
  vl_rand_seed (vl_get_rand (), 1);
  vl_gmm_cluster (gmm, x, VECTORS);
  g_assert_cmpfloat (log_likelihood (mixture, x, VECTORS), >, vl_gmm_get_loglikelihood (gmm) / VECTORS - 0.1);
  vl_gmm_delete (gmm);

  for (int i = 0; i < SIDE * COMPONENTS; i++)
    {
      means[i] = (float)mixture->means[i];
      variances[i] = (float)mixture->variances[i];
      weights[i / SIDE] = (float)mixture->weights[i / SIDE];
    }
  vl_fisher_encode (wanted, VL_TYPE_FLOAT, means, SIDE, COMPONENTS, variances, weights, x, VECTORS / 3, 0);
  assert_ok (tosst_fisher_code (fisher, x, VECTORS / 3, out, NULL));
  for (int i = 0; i < 2 * SIDE * COMPONENTS; i++)
    largest = fmax (largest, fabs (wanted[i]));
  for (int i = 0; i < 2 * SIDE * COMPONENTS; i++)
    g_assert_cmpfloat_with_epsilon (out[i], wanted[i], 1e-4 * largest);
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fisher/kernels", test_kernels);
  g_test_add_func ("/fisher/gradients", test_gradients);
  g_test_add_func ("/fisher/far-from-zero", test_far_from_zero);
  g_test_add_func ("/fisher/never-decreases", test_never_decreases);
  g_test_add_func ("/fisher/recovers", test_recovers);
  g_test_add_func ("/fisher/threads", test_threads);
  g_test_add_func ("/fisher/degenerate", test_degenerate);
  g_test_add_func ("/fisher/errors", test_errors);
#ifdef HAVE_VLFEAT
  g_test_add_func ("/fisher/vlfeat", test_vlfeat);
#endif
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning, judged by the problem itself: equation (5) is written out in float64 with full matrices and explicit beta.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/data/textures.h"
#include "learned.h"
#include "objects.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

#define SIDE 6
#define TENSORS 60
#define ITERATIONS 6

typedef struct
{
  TosstLayout *layout;
  float *tensors;
} Data;

/* Means of third-order products of a few random feature vectors; signed ones give slices that are not PSD. */
static Data
make_data (gboolean is_signed)
{
  Data data = { tosst_layout_new (SIDE), NULL };
  TosstRandom random;
  gsize m = data.layout->m;

  data.tensors = g_new0 (float, TENSORS *m);
  tosst_random_init (&random, 7, is_signed);
  for (int n = 0; n < TENSORS; n++)
    for (int pixel = 0; pixel < 9; pixel++)
      {
        double x[SIDE];
        float *out = data.tensors + n * m;
        for (int i = 0; i < SIDE; i++)
          x[i] = is_signed ? tosst_random_normal (&random) : tosst_random_uniform (&random) * (1 + (n + i) % 3);
        for (int i = 0; i < SIDE; i++)
          for (int j = i; j < SIDE; j++)
            for (int k = j; k < SIDE; k++)
              *out++ += (float)(x[i] * x[j] * x[k] / 9);
      }
  return data;
}

/* Patches of the sample textures, linear features without luminance: d = 6. */
static Data
make_real_data (void)
{
  Data data = { tosst_layout_new (SIDE), NULL };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstFeatureOptions options;
  int images = TENSORS / 4;

  tosst_feature_options_default (&options);
  options.kind = TOSST_FEATURES_LINEAR;
  options.luminance = false;
  data.tensors = g_new (float, TENSORS *data.layout->m);
  for (int i = 0; i < images; i++)
    {
      TosstImage *image = tosst_textures_render (i % TOSST_TEXTURES, i, TRUE);
      TosstPoint points[] = { { 3, 5 }, { 60, 7 }, { 20, 70 }, { 80, 90 } };
      assert_ok (tosst_describe (context, image, &options, 20, points, 4, data.tensors + i * 4 * data.layout->m));
      tosst_image_free (image);
    }
  return data;
}

static void
free_data (Data *data)
{
  tosst_layout_free (data->layout);
  g_free (data->tensors);
}

/* Minimises x' N x - 2 x' right over x >= 0, one entry after another until none moves; x holds right first. */
static void
solve_nonnegative (const double *N, int K, double *x)
{
  g_autofree double *right = g_memdup2 (x, sizeof *x * K);
  double moved = 1;

  memset (x, 0, sizeof *x * K);
  for (int pass = 0; pass < 100000 && moved > 1e-14; pass++)
    {
      moved = 0;
      for (int k = 0; k < K; k++)
        {
          double old = x[k];
          x[k] = fmax (0, old + (right[k] - cblas_ddot (K, N + k * K, 1, x, 1)) / N[k * K + k]);
          moved = fmax (moved, fabs (x[k] - old));
        }
    }
}

/* Equation (5) of one tensor at a code, every term as printed; beta solves its normal equations, or those with beta >= 0. */
static double
written_out (const TosstLayout *layout, const TosstDictionary *dictionary, const float *tensor, const double *alpha,
             const TosstLearnOptions *options)
{
  double lambda = options->problem.lambda, gamma = options->problem.gamma;
  int K = dictionary->K, d = layout->d;
  g_autofree double *B = g_new (double, K *d *d), *b = g_new (double, K *d), *N = g_new (double, K *K);
  double X[SIDE * SIDE], beta[64], sum = 0;

  tosst_dictionary_get (dictionary, B, b);
  for (int s = 0; s < d; s++)
    {
      tosst_slice_matrix (layout, tensor, s, X);
      for (int i = 0; i < d * d; i++)
        X[i] /= dictionary->scale;
      for (int k = 0; k < K; k++)
        {
          beta[k] = b[k * d + s] * alpha[k];
          if (!isfinite (gamma))
            continue;
          beta[k] = gamma * beta[k] + cblas_ddot (d * d, B + k * d * d, 1, X, 1);
          for (int j = 0; j < K; j++)
            N[k * K + j] = cblas_ddot (d * d, B + k * d * d, 1, B + j * d * d, 1) + (j == k ? gamma : 0);
        }
      if (isfinite (gamma) && options->problem.nonnegative_beta)
        solve_nonnegative (N, K, beta);
      else if (isfinite (gamma))
        g_assert_cmpint (LAPACKE_dposv (LAPACK_COL_MAJOR, 'U', K, 1, N, K, beta, K), ==, 0);
      for (int k = 0; k < K; k++)
        {
          double apart = beta[k] - b[k * d + s] * alpha[k];
          if (options->problem.nonnegative_beta)
            g_assert_cmpfloat (beta[k], >=, 0);
          if (isfinite (gamma))
            sum += gamma * apart * apart;
          cblas_daxpy (d * d, -beta[k], B + k * d * d, 1, X, 1);
        }
      sum += cblas_ddot (d * d, X, 1, X, 1);
    }
  return sum + lambda * cblas_dasum (K, alpha, 1);
}

/* The sum over tensors at codes solved to float64. */
static double
best_objective (TosstContext *context, const Data *data, const TosstDictionary *dictionary,
                const TosstLearnOptions *learn)
{
  TosstCodingOptions options = { .problem = learn->problem, .tolerance = 1e-12 };
  g_autoptr (TosstCoder) coder = NULL;
  gsize m = data->layout->m, K = dictionary->K;
  g_autofree double *wide = g_new (double, TENSORS *m), *codes = g_new (double, TENSORS *K);
  double sum = 0;

  for (gsize i = 0; i < TENSORS * m; i++)
    wide[i] = data->tensors[i];
  assert_ok (tosst_coder_new (context, dictionary, data->layout, &options, &coder));
  assert_ok (tosst_code_double (context, coder, wide, TENSORS, FALSE, codes, NULL));
  for (int n = 0; n < TENSORS; n++)
    sum += written_out (data->layout, dictionary, data->tensors + n * m, codes + n * K, learn);
  return sum;
}

/* What iteration t reports was reached with codes of the dictionary before it, and iteration t + 1 starts with codes
 * that are best for the dictionary it left: reported_t >= written out at the best codes >= reported_(t+1). */
static void
check_course (TosstContext *context, const Data *data, const TosstLearnOptions *options)
{
  Course course = { 0 };
  g_autoptr (TosstDictionary) dictionary = NULL;

  assert_ok (
      tosst_learn (context, data->layout, data->tensors, TENSORS, options, NULL, keep_course, &course, &dictionary));
  g_assert_cmpint (course.n, ==, options->iterations);
  for (int i = 0; i < course.n; i++)
    {
      const TosstIteration *now = &course.trace[i];
      double best = best_objective (context, data, course.dictionary[i], options);
      g_assert_cmpfloat (best, <=, now->objective * (1 + 1e-6));
      if (i + 1 < course.n)
        {
          g_assert_cmpfloat (course.trace[i + 1].objective, <=, best * (1 + 1e-6));
          g_assert_cmpfloat (course.trace[i + 1].objective, <=, now->objective * (1 + 1e-9));
        }
      g_assert_cmpfloat_with_epsilon (now->objective, now->fit + now->proximity + now->sparsity, 1e-9 * now->objective);
      g_assert_cmpfloat (now->worst_kkt, <=, 1e-5);
      assert_constraints (course.dictionary[i], options);
    }
  g_assert_cmpfloat (course.trace[course.n - 1].objective, <, course.trace[0].objective);
  free_course (&course);
}

static TosstLearnOptions
small_options (void)
{
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = 12;
  options.rank = 2;
  options.iterations = ITERATIONS;
  options.tolerance = 0;
  return options;
}

static void
test_never_rises (void)
{
  static const double lambdas[] = { 1e-3, 0.03 }, gammas[] = { 0.1, 10, INFINITY };
  static const TosstScheme schemes[] = { TOSST_SCHEME_PSD, TOSST_SCHEME_LOW_RANK, TOSST_SCHEME_FREE };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options = small_options ();

  for (int source = 0; source <= 2; source++)
    {
      Data data = source == 2 ? make_real_data () : make_data (source == 1);
      for (int s = 0; s < 3; s++)
        for (int l = 0; l < 2; l++)
          for (int g = 0; g < 3; g++)
            {
              options.scheme = schemes[s];
              options.problem.lambda = lambdas[l];
              options.problem.gamma = gammas[g];
              options.signed_b = source > 0 && g == 1;
              g_test_message ("source %d, scheme %d, lambda %g, gamma %g", source, s, options.problem.lambda,
                              options.problem.gamma);
              check_course (context, &data, &options);
            }
      free_data (&data);
    }
}

/* Signed codes, and beta >= 0 with every other option. */
static void
test_signs (void)
{
  static const double lambdas[] = { 1e-3, 0.03 }, gammas[] = { 0.1, 10, INFINITY };
  static const TosstScheme schemes[] = { TOSST_SCHEME_PSD, TOSST_SCHEME_LOW_RANK, TOSST_SCHEME_FREE };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options = small_options ();

  for (int source = 0; source <= 2; source++)
    {
      Data data = source == 2 ? make_real_data () : make_data (source == 1);
      for (int i = 0; i < 18; i++)
        {
          options.scheme = schemes[i % 3];
          options.problem.gamma = gammas[i / 3 % 3];
          options.problem.lambda = lambdas[i / 9];
          options.problem.nonnegative_beta = (i + source) % 4 != 0;
          options.problem.signed_alpha = i % 2 || !options.problem.nonnegative_beta;
          options.signed_b = (i / 2 + source) % 2;
          g_test_message ("source %d, scheme %d, lambda %g, gamma %g, beta >= 0 %d, signed alpha %d, signed b %d",
                          source, (int)options.scheme, options.problem.lambda, options.problem.gamma,
                          options.problem.nonnegative_beta, options.problem.signed_alpha, options.signed_b);
          check_course (context, &data, &options);
        }
      free_data (&data);
    }
}

static double
learn_final (int threads, const Data *data, const float *tensors, gboolean nonnegative, TosstDictionary **dictionary)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstLearnOptions options;
  Course course = { 0 };

  tosst_learn_options_default (&options);
  options.atoms = 10;
  options.iterations = 6;
  options.problem.nonnegative_beta = nonnegative;
  options.tolerance = 0;
  assert_ok (tosst_learn (context, data->layout, tensors, TENSORS, &options, NULL, keep_course, &course, dictionary));
  double objective = course.trace[course.n - 1].objective;
  free_course (&course);
  return objective;
}

/* The same bits for the same number of threads, the same to rounding for another; tensors times a constant change the
 * scale only. */
static void
test_repeats (gconstpointer nonnegative)
{
  gboolean is_nonnegative = GPOINTER_TO_INT (nonnegative);
  Data data = make_data (FALSE);
  gsize numbers = TENSORS * data.layout->m;
  g_autofree float *enlarged = g_new (float, numbers);
  TosstDictionary *a, *b, *c, *e;

  for (gsize i = 0; i < numbers; i++)
    enlarged[i] = data.tensors[i] * 1024;
  double first = learn_final (1, &data, data.tensors, is_nonnegative, &a),
         again = learn_final (1, &data, data.tensors, is_nonnegative, &b);
  double three = learn_final (3, &data, data.tensors, is_nonnegative, &c),
         large = learn_final (1, &data, enlarged, is_nonnegative, &e);
  g_assert_true (first == again);
  g_assert_cmpint (memcmp (a->V, b->V, sizeof *a->V * a->D * a->K), ==, 0);
  g_assert_cmpfloat_with_epsilon (first, three, 1e-6 * first);
  g_assert_cmpfloat_with_epsilon (first, large, 1e-6 * first);
  g_assert_cmpfloat_with_epsilon (e->scale, 1024 * a->scale, 1e-9 * e->scale);
  tosst_dictionary_free (a);
  tosst_dictionary_free (b);
  tosst_dictionary_free (c);
  tosst_dictionary_free (e);
  free_data (&data);
}

/* Going on from a dictionary never loses what it had reached, and needs the same shape. */
static void
test_goes_on (void)
{
  Data data = make_data (FALSE);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options;
  TosstDictionary *first, *second, *none;
  Course before = { 0 }, after = { 0 };

  tosst_learn_options_default (&options);
  options.atoms = 10;
  options.iterations = 5;
  options.tolerance = 0;
  assert_ok (tosst_learn (context, data.layout, data.tensors, TENSORS, &options, NULL, keep_course, &before, &first));
  TosstLearnRun run = { .initial = first };
  assert_ok (tosst_learn (context, data.layout, data.tensors, TENSORS, &options, &run, keep_course, &after, &second));
  g_assert_cmpfloat (after.trace[0].objective, <=, before.trace[4].objective * (1 + 1e-6));
  g_assert_cmpfloat (after.trace[4].objective, <, before.trace[4].objective);
  options.atoms = 11;
  g_assert_cmpint (tosst_learn (context, data.layout, data.tensors, TENSORS, &options, &run, NULL, NULL, &none), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_null (none);
  free_course (&before);
  free_course (&after);
  tosst_dictionary_free (first);
  tosst_dictionary_free (second);
  free_data (&data);
}

/* Atoms that codes pass by turn to tensors whose codes will take them, for as long as there are any. */
static void
test_finds_work (void)
{
  Data data = make_data (FALSE);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options;
  g_autoptr (TosstDictionary) dictionary = NULL;
  Course course = { 0 };

  tosst_learn_options_default (&options);
  options.atoms = 60;
  options.problem.lambda = 2e-2;
  options.iterations = ITERATIONS;
  options.tolerance = 0;
  assert_ok (
      tosst_learn (context, data.layout, data.tensors, TENSORS, &options, NULL, keep_course, &course, &dictionary));
  int least = course.trace[0].unused_atoms;
  g_assert_cmpint (least, >, 0); /* or there is nothing to test */
  for (int i = 1; i < course.n; i++)
    least = MIN (least, course.trace[i].unused_atoms);
  g_assert_cmpint (least, ==, 0);
  free_course (&course);
  free_data (&data);
}

static void
stop_after_two (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *context)
{
  if (iteration->iteration == 2)
    tosst_context_cancel (context);
}

static void
test_stops (void)
{
  Data data = make_data (FALSE);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstLearnOptions options;
  g_autoptr (TosstDictionary) dictionary = NULL;

  tosst_learn_options_default (&options);
  options.atoms = 5;
  options.tolerance = 0;
  g_assert_cmpint (
      tosst_learn (context, data.layout, data.tensors, TENSORS, &options, NULL, stop_after_two, context, &dictionary),
      ==, TOSST_CANCELLED);
  g_assert_nonnull (dictionary);
  assert_constraints (dictionary, &options);
  free_data (&data);
}

/* Most tensors are zero, as those of empty frames are: atoms begin as slices of the few that are not. */
static void
test_starts_from_few (void)
{
  Data data = make_data (FALSE);
  g_autofree float *few = g_new0 (float, TENSORS *data.layout->m);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstLearnOptions options;
  g_autoptr (TosstDictionary) dictionary = NULL;

  memcpy (few + 40 * data.layout->m, data.tensors, sizeof *few * data.layout->m);
  tosst_learn_options_default (&options);
  options.atoms = 10;
  options.iterations = 3;
  assert_ok (tosst_learn (context, data.layout, few, TENSORS, &options, NULL, NULL, NULL, &dictionary));
  assert_constraints (dictionary, &options);
  free_data (&data);
}

static void
assert_refused (const Data *data, const float *tensors, const TosstLearnOptions *options, TosstStatus expected)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstDictionary *dictionary;

  g_assert_cmpint (tosst_learn (context, data->layout, tensors, TENSORS, options, NULL, NULL, NULL, &dictionary), ==,
                   expected);
  g_assert_null (dictionary);
  g_assert_cmpstr (tosst_context_message (context), !=, "");
}

static void
test_refuses (void)
{
  Data data = make_data (FALSE);
  TosstLearnOptions good, bad;
  g_autofree float *zero = g_new0 (float, TENSORS *data.layout->m);

  tosst_learn_options_default (&good);
  good.atoms = 5;
  bad = good;
  bad.atoms = TENSORS * SIDE + 1;
  assert_refused (&data, data.tensors, &bad, TOSST_ERROR_ARGUMENT);
  bad = good;
  bad.problem.lambda = -1;
  assert_refused (&data, data.tensors, &bad, TOSST_ERROR_ARGUMENT);
  bad.problem.lambda = NAN;
  assert_refused (&data, data.tensors, &bad, TOSST_ERROR_ARGUMENT);
  bad = good;
  bad.problem.gamma = 0;
  assert_refused (&data, data.tensors, &bad, TOSST_ERROR_ARGUMENT);
  bad = good;
  bad.scheme = TOSST_SCHEME_LOW_RANK;
  bad.rank = SIDE + 1;
  assert_refused (&data, data.tensors, &bad, TOSST_ERROR_ARGUMENT);
  assert_refused (&data, zero, &good, TOSST_ERROR_NUMERIC);
  data.tensors[17] = NAN;
  assert_refused (&data, data.tensors, &good, TOSST_ERROR_NUMERIC);
  free_data (&data);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/learn/never-rises", test_never_rises);
  g_test_add_func ("/learn/signs", test_signs);
  g_test_add_data_func ("/learn/repeats", GINT_TO_POINTER (FALSE), test_repeats);
  g_test_add_data_func ("/learn/repeats-nonnegative", GINT_TO_POINTER (TRUE), test_repeats);
  g_test_add_func ("/learn/goes-on", test_goes_on);
  g_test_add_func ("/learn/finds-work", test_finds_work);
  g_test_add_func ("/learn/stops", test_stops);
  g_test_add_func ("/learn/starts-from-few", test_starts_from_few);
  g_test_add_func ("/learn/refuses", test_refuses);
  return g_test_run ();
}

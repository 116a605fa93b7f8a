/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Covariance and autocorrelation of patches against their definitions in long double, and the road of such matrices
 * through a dictionary.
 */
#include <math.h>
#include <string.h>

#include "matrices.h"
#include "objects.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstImage, tosst_image_free)

static const TosstMoment second[] = { TOSST_MOMENT_COVARIANCE, TOSST_MOMENT_AUTOCORRELATION };

/* The definition, in long double; x: n x d. */
static void
written_out (TosstMoment moment, const double *x, gsize n, int d, double *out)
{
  g_autofree long double *mean = g_new0 (long double, d);

  for (gsize r = 0; moment == TOSST_MOMENT_COVARIANCE && r < n; r++)
    for (int j = 0; j < d; j++)
      mean[j] += (long double)x[r * d + j] / n;
  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      {
        long double sum = 0;
        for (gsize r = 0; r < n; r++)
          sum += (x[r * d + i] - mean[i]) * (x[r * d + j] - mean[j]);
        *out++ = (double)(sum / (moment == TOSST_MOMENT_COVARIANCE && n > 1 ? n - 1 : n));
      }
}

static void
compute (TosstMoment moment, gboolean wide, const double *x, gsize n, int d, float *out)
{
  gsize count = n * d, room = count + tosst_packed_size (d) + 64;
  g_autofree double *doubles = g_new (double, room);
  g_autofree float *floats = g_new (float, room);
  void *work = g_aligned_alloc (1, tosst_moment_work (moment, d, wide), 64);

  for (gsize i = 0; i < count; i++)
    floats[i] = (float)(doubles[i] = x[i]);
  tosst_moment (moment, wide, wide ? (void *)doubles : (void *)floats, n, d, work, out);
  g_aligned_free (work);
}

static void
test_definition (void)
{
  static const int sides[] = { 1, 2, 6, 7, 15, 16, 17, 35, 45 };
  static const gsize numbers[] = { 1, 2, 4, 63, 64, 65, 400 };

  for (gsize a = 0; a < G_N_ELEMENTS (sides); a++)
    for (gsize b = 0; b < G_N_ELEMENTS (numbers); b++)
      for (gsize c = 0; c < 4; c++)
        {
          int d = sides[a];
          gsize n = numbers[b], m = d * (d + 1) / 2;
          g_autofree double *x = random_vectors (n, d, 0, a * 100 + b), *plain = g_new (double, m);
          g_autofree float *ours = g_new (float, m);

          written_out (second[c / 2], x, n, d, plain);
          compute (second[c / 2], c % 2, x, n, d, ours);
          for (gsize i = 0; i < m; i++)
            g_assert_cmpfloat_with_epsilon (ours[i], plain[i], 6.1e-8 * fabs (plain[i]) + 1e-15);
        }
}

/* Variances of 1/3 around a million: the mean square minus the squared mean would have lost four of the seven digits of
 * a float in double, and all of them in float. */
static void
test_offset (void)
{
  const int d = 7;
  const gsize n = 400, m = d * (d + 1) / 2;

  for (double offset = 1e3; offset < 1e10; offset *= 10)
    {
      g_autofree double *x = random_vectors (n, d, offset, 5), *plain = g_new (double, m);
      g_autofree float *ours = g_new (float, m);

      written_out (TOSST_MOMENT_COVARIANCE, x, n, d, plain);
      compute (TOSST_MOMENT_COVARIANCE, TRUE, x, n, d, ours);
      for (gsize i = 0; i < m; i++)
        g_assert_cmpfloat_with_epsilon (ours[i], plain[i], 6.1e-8 * fabs (plain[i]) + 1e-14);
    }
}

/* What does not vary has exact zeros, whatever its value; so has a single vector. */
static void
test_constant (void)
{
  const int d = 5, constant = 2;
  const gsize n = 1600;

  for (int wide = 0; wide < 2; wide++)
    {
      g_autofree double *x = random_vectors (n, d, 0, 6);
      float out[15], *row = out;

      for (gsize r = 0; r < n; r++)
        x[r * d + constant] = 0.1;
      compute (TOSST_MOMENT_COVARIANCE, wide, x, n, d, out);
      for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++, row++)
          if (i == constant || j == constant)
            g_assert_cmpfloat (*row, ==, 0);
          else if (i == j)
            g_assert_cmpfloat (*row, >, 0.3);
      compute (TOSST_MOMENT_COVARIANCE, wide, x, 1, d, out);
      for (int i = 0; i < 15; i++)
        g_assert_cmpfloat (out[i], ==, 0);
    }
}

static void
test_permutation (void)
{
  const int d = 9;
  const gsize n = 333, m = d * (d + 1) / 2;
  g_autofree double *x = random_vectors (n, d, 0.5, 7), *reversed = g_new (double, n *d);

  for (gsize r = 0; r < n; r++)
    memcpy (reversed + r * d, x + (n - 1 - r) * d, sizeof *x * d);
  for (gsize c = 0; c < G_N_ELEMENTS (second); c++)
    {
      g_autofree float *a = g_new (float, m), *b = g_new (float, m);

      compute (second[c], TRUE, x, n, d, a);
      compute (second[c], TRUE, reversed, n, d, b);
      for (gsize i = 0; i < m; i++)
        g_assert_cmpfloat_with_epsilon (a[i], b[i], 1.2e-7 * fabs (a[i]) + 1e-15);
    }
}

/* Levels k / 256, exact in float32, as a I + b is for the a and b below. */
static TosstImage *
noise (int width, int height, int channels, float a, float b)
{
  TosstImage *image = tosst_image_new (width, height, channels);
  TosstRandom random;

  tosst_random_init (&random, 3, 0);
  for (int i = 0; i < width * height * channels; i++)
    image->data[i] = a * (float)tosst_random_below (&random, 256) / 256.0f + b;
  image->maximum = 0;
  return image;
}

static float *
describe (const TosstImage *image, TosstFeatureOptions options, TosstMoment moment, int size, int step, int threads,
          gsize *n)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  gsize m = tosst_shape_numbers (tosst_moment_shape (moment, tosst_feature_dimension (&options)));
  g_autofree TosstPoint *points = NULL;
  float *out;

  *n = tosst_patch_grid (image->width, image->height, size, step, NULL);
  points = g_new (TosstPoint, *n);
  tosst_patch_grid (image->width, image->height, size, step, points);
  out = g_new (float, *n *m);
  assert_ok (tosst_describe_moment (context, image, &options, moment, size, points, *n, out));
  return out;
}

static TosstFeatureOptions
features (TosstFeatureKind kind)
{
  TosstFeatureOptions options;

  tosst_feature_options_default (&options);
  options.kind = kind;
  return options;
}

static void
test_patches (void)
{
  static const struct
  {
    TosstFeatureKind kind;
    gboolean opponent;
    int size;
  } cases[] = { { TOSST_FEATURES_LINEAR, FALSE, 20 },
                { TOSST_FEATURES_LINEAR, TRUE, 2 },
                { TOSST_FEATURES_RBF, FALSE, 13 },
                { TOSST_FEATURES_RBF, TRUE, 2 } };

  for (gsize c = 0; c < 2 * G_N_ELEMENTS (cases); c++)
    {
      TosstFeatureOptions options = features (cases[c / 2].kind);
      options.opponent = cases[c / 2].opponent;
      int size = cases[c / 2].size, d = tosst_feature_dimension (&options);
      g_autoptr (TosstContext) context = tosst_context_new (1);
      g_autoptr (TosstImage) image = noise (41, 37, options.opponent ? 3 : 1, 1, 0);
      gsize n, pixels = (gsize)(size * size), m = d * (d + 1) / 2;
      g_autofree float *one = describe (image, options, second[c % 2], size, 7, 1, &n);
      g_autofree float *three = describe (image, options, second[c % 2], size, 7, 3, &n);
      g_autofree float *x = g_new (float, pixels *d);
      g_autofree double *wide = g_new (double, pixels *d), *plain = g_new (double, m);
      g_autofree TosstPoint *points = g_new (TosstPoint, n);

      tosst_patch_grid (41, 37, size, 7, points);
      g_assert_cmpmem (one, sizeof *one * n * m, three, sizeof *three * n * m);
      for (gsize p = 0; p < n; p++)
        {
          assert_ok (tosst_patch_features (context, image, &options, size, points[p], x));
          for (gsize i = 0; i < pixels * d; i++)
            wide[i] = x[i];
          written_out (second[c % 2], wide, pixels, d, plain);
          /* tosst_patch_features() rounds linear features to float32, which the sums do not. */
          for (gsize i = 0; i < m; i++)
            g_assert_cmpfloat_with_epsilon (one[p * m + i], plain[i], 2.5e-7);
        }
    }
}

/* I <- a I + b multiplies luminance and derivatives, and with them rows and columns of the covariance, by a. */
static void
test_affine_luminance (void)
{
  TosstFeatureOptions options = features (TOSST_FEATURES_LINEAR);
  g_autoptr (TosstImage) image = noise (30, 30, 1, 1, 0), changed = noise (30, 30, 1, 0.5f, 0.25f);
  gsize n;
  g_autofree float *C = describe (image, options, TOSST_MOMENT_COVARIANCE, 12, 6, 1, &n);
  g_autofree float *scaled = describe (changed, options, TOSST_MOMENT_COVARIANCE, 12, 6, 1, &n);
  gsize e = 0;

  for (gsize p = 0; p < n; p++)
    for (int i = 0; i < 7; i++)
      for (int j = i; j < 7; j++, e++)
        {
          double factor = (i < 2 ? 1 : 0.5) * (j < 2 ? 1 : 0.5);
          g_assert_cmpfloat_with_epsilon (scaled[e], factor * C[e], 1.2e-7 * fabs (C[e]) + 1e-15);
        }
}

static void
test_semidefinite (void)
{
  for (gsize c = 0; c < 4; c++)
    {
      TosstFeatureOptions options = features (c / 2 ? TOSST_FEATURES_RBF : TOSST_FEATURES_LINEAR);
      g_autoptr (TosstImage) image = noise (40, 40, 1, 1, 0);
      int d = tosst_feature_dimension (&options);
      gsize n, m = d * (d + 1) / 2;
      g_autofree float *C = describe (image, options, second[c % 2], 10, 5, 1, &n);
      g_autofree double *values = g_new (double, d);

      for (gsize p = 0; p < n; p++)
        {
          eigenvalues (C + p * m, d, values, NULL);
          g_assert_cmpfloat (values[d - 1], >, 0);
          g_assert_cmpfloat (values[0], >, -2e-7 * values[d - 1]);
        }
    }
}

/* Inner products of rows are those of whole tensors: of x (x) x (x) x and y (x) y (x) y (x . y)^3. */
static void
test_raw (void)
{
  enum
  {
    D = 5
  };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) third = tosst_layout_new_shape (tosst_shape (TOSST_SHAPE_WHOLE, D)), matrix = matrices (D);
  g_autofree double *x = random_vectors (2, D, 0.2, 8);
  float X[2 * 35], C[2 * 15];
  double product = 0, cube = 0, square = 0;

  for (int n = 0; n < 2; n++)
    for (int i = 0, e = 0, f = 0; i < D; i++)
      for (int j = i; j < D; j++)
        {
          C[n * 15 + f++] = (float)(x[n * D + i] * x[n * D + j]);
          for (int k = j; k < D; k++)
            X[n * 35 + e++] = (float)(x[n * D + i] * x[n * D + j] * x[n * D + k]);
        }
  assert_ok (tosst_plain_raw (context, third, X, 2, X));
  assert_ok (tosst_plain_raw (context, matrix, C, 2, C));
  for (int i = 0; i < D; i++)
    product += x[i] * x[D + i];
  for (int i = 0; i < 35; i++)
    cube += (double)X[i] * X[35 + i];
  for (int i = 0; i < 15; i++)
    square += (double)C[i] * C[15 + i];
  g_assert_cmpfloat_with_epsilon (cube, pow (product, 3), 1e-6);
  g_assert_cmpfloat_with_epsilon (square, pow (product, 2), 1e-6);
}

static void
on_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  double *last = data;

  g_assert_cmpfloat (iteration->objective, <=, *last * (1 + 1e-9));
  *last = iteration->objective;
}

/* Covariances of patches through a dictionary: the objective falls, atoms are PSD with trace at most 1, codes are
 * certified. */
static void
test_dictionary (void)
{
  TosstFeatureOptions options = features (TOSST_FEATURES_LINEAR);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (TosstImage) image = noise (64, 64, 1, 1, 0);
  g_autoptr (TosstLayout) layout = matrices (7);
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autoptr (TosstCoder) coder = NULL;
  TosstCodingOptions coding;
  TosstCodingReport report = { 0 };
  TosstLearnOptions learn;
  double objective = INFINITY;
  gsize n;
  g_autofree float *C = describe (image, options, TOSST_MOMENT_COVARIANCE, 8, 4, 2, &n), *codes = g_new (float, n * 12);

  tosst_learn_options_default (&learn);
  learn.atoms = 12;
  learn.iterations = 15;
  assert_ok (tosst_learn (context, layout, C, n, &learn, NULL, on_iteration, &objective, &dictionary));
  g_assert_cmpint (dictionary->S, ==, 1);
  for (int k = 0; k < 12; k++)
    {
      double B[49], values[7], trace = 0;
      tosst_vec_to_matrix (7, dictionary->V + k * dictionary->D, B);
      for (int i = 0; i < 7; i++)
        trace += B[i * 8];
      g_assert_cmpfloat (trace, <=, 1 + 1e-9);
      g_assert_cmpfloat (dictionary->b[k], <=, 1 + 1e-12);
      g_assert_cmpint (LAPACKE_dsyev (LAPACK_COL_MAJOR, 'N', 'U', 7, B, 7, values), ==, 0);
      g_assert_cmpfloat (values[0], >, -1e-9);
    }
  tosst_coding_options_default (&coding);
  assert_ok (tosst_coder_new (context, dictionary, layout, &coding, &coder));
  assert_ok (tosst_code (context, coder, C, n, false, codes, &report));
  g_assert_cmpfloat (report.worst_kkt, <, 1e-4);
  g_assert_cmpfloat (report.mean_nonzeros, >, 0.5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/second-order/definition", test_definition);
  g_test_add_func ("/second-order/offset", test_offset);
  g_test_add_func ("/second-order/constant", test_constant);
  g_test_add_func ("/second-order/permutation", test_permutation);
  g_test_add_func ("/second-order/patches", test_patches);
  g_test_add_func ("/second-order/affine-luminance", test_affine_luminance);
  g_test_add_func ("/second-order/semidefinite", test_semidefinite);
  g_test_add_func ("/second-order/raw", test_raw);
  g_test_add_func ("/second-order/dictionary", test_dictionary);
  return g_test_run ();
}

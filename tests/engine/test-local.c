/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Properties of local features, of their tensors, and of problems with several labels.
 */
#include <math.h>
#include <string.h>

#include "objects.h"
#include "tosst/classify.h"
#include "tosst/local.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPca, tosst_pca_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSvm, tosst_svm_free)

enum
{
  N = 3000, /* more than one block of sums */
  D = 12,
  Q = 6,
};

typedef struct
{
  float x[N * D];
  double xy[2 * N];
  double mean[D], basis[D * Q];
} Features;

static Features *
features_new (guint64 seed)
{
  Features *self = g_new (Features, 1);
  TosstRandom random;

  tosst_random_init (&random, seed, 1);
  for (gsize i = 0; i < N * D; i++)
    self->x[i] = (float)tosst_random_normal (&random);
  for (gsize i = 0; i < 2 * N; i++)
    self->xy[i] = tosst_random_uniform (&random);
  for (gsize i = 0; i < D; i++)
    self->mean[i] = 0.1 * tosst_random_normal (&random);
  for (gsize i = 0; i < D * Q; i++)
    self->basis[i] = tosst_random_normal (&random) / sqrt (D);
  return self;
}

static TosstLocalEncoding
encoding_of (const Features *self, int order)
{
  return (
      TosstLocalEncoding){ .D = D, .q = Q, .mean = self->mean, .basis = self->basis, .weight = 0.25, .order = order };
}

static float *
tensor_of (const TosstLocalEncoding *encoding, const float *x, const double *xy, gsize n, const TosstRegion *region,
           gsize *used)
{
  gsize m = tosst_shape_numbers (tosst_local_shape (encoding));
  float *tensor = g_new (float, m);

  assert_ok (tosst_local_tensor (encoding, x, xy, n, region, tensor, used));
  return tensor;
}

/* The sums written out in float64 from the vectors. */
static void
test_sums (void)
{
  g_autofree Features *features = features_new (1);
  TosstLocalEncoding encoding = encoding_of (features, 3);
  gsize d = (gsize)tosst_local_dimension (&encoding), used = 0;
  g_autofree float *v = g_new (float, N *d), *cubes = tensor_of (&encoding, features->x, features->xy, N, NULL, &used);
  const float *cube = cubes;
  double worst = 0, largest = 0;

  g_assert_cmpuint (used, ==, N);
  assert_ok (tosst_local_vectors (&encoding, features->x, features->xy, N, v));
  for (gsize i = 0; i < d; i++)
    for (gsize j = i; j < d; j++)
      for (gsize k = j; k < d; k++, cube++)
        {
          double sum = 0;
          for (gsize n = 0; n < N; n++)
            sum += (double)v[n * d + i] * v[n * d + j] * v[n * d + k];
          worst = fmax (worst, fabs (sum / N - *cube));
          largest = fmax (largest, fabs (sum / N));
        }
  g_assert_cmpfloat (worst, <=, 1e-6 * largest);
}

/* The tensor of all features is the mean of the tensors of two parts, weighted by their numbers. */
static void
test_partition (void)
{
  for (int order = 2; order <= 3; order++)
    {
      g_autofree Features *features = features_new (2);
      TosstLocalEncoding encoding = encoding_of (features, order);
      gsize m = tosst_shape_numbers (tosst_local_shape (&encoding)), first = 1100;
      g_autofree float *all = tensor_of (&encoding, features->x, features->xy, N, NULL, NULL);
      g_autofree float *a = tensor_of (&encoding, features->x, features->xy, first, NULL, NULL);
      g_autofree float *b
          = tensor_of (&encoding, features->x + first * D, features->xy + 2 * first, N - first, NULL, NULL);

      for (gsize i = 0; i < m; i++)
        g_assert_cmpfloat (fabs (all[i] - (a[i] * (double)first + b[i] * (double)(N - first)) / N), <=, 2e-6);
    }
}

/* The first entry of a spatial code is the weight for every feature: that slice of the third-order tensor is the
 * second-order tensor times the weight. */
static void
test_second_order (void)
{
  g_autofree Features *features = features_new (3);
  TosstLocalEncoding third = encoding_of (features, 3), second = encoding_of (features, 2);
  int d = tosst_local_dimension (&third);
  g_autofree float *cubes = tensor_of (&third, features->x, features->xy, N, NULL, NULL);
  g_autofree float *squares = tensor_of (&second, features->x, features->xy, N, NULL, NULL);
  const float *square = squares;

  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++, square++)
      g_assert_cmpfloat (fabs (cubes[tosst_packed_index (d, i, j, Q)] / third.weight - *square), <=, 4e-6);
}

/* Changing the sign of a component changes the signs of the entries with an odd number of its index, and no inner
 * product of tensors. */
static void
test_signs (void)
{
  g_autofree Features *features = features_new (4);
  TosstLocalEncoding encoding = encoding_of (features, 3);
  int d = tosst_local_dimension (&encoding);
  g_autofree float *before = tensor_of (&encoding, features->x, features->xy, N, NULL, NULL);

  for (gsize i = 0; i < D; i++)
    features->basis[i * Q + 2] *= -1;
  g_autofree float *after = tensor_of (&encoding, features->x, features->xy, N, NULL, NULL);
  for (int i = 0, at = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++, at++)
        g_assert_cmpfloat (after[at], ==, ((i == 2) + (j == 2) + (k == 2)) % 2 ? -before[at] : before[at]);
}

/* A region describes the features inside it, at positions relative to it. */
static void
test_region (void)
{
  g_autofree Features *features = features_new (5);
  TosstLocalEncoding encoding = encoding_of (features, 3);
  TosstRegion region = { 0.45, 0, 1, 0.55 };
  gsize m = tosst_shape_numbers (tosst_local_shape (&encoding)), used, inside = 0;
  g_autofree float *part = tensor_of (&encoding, features->x, features->xy, N, &region, &used);

  for (gsize i = 0; i < N; i++)
    if (features->xy[2 * i] >= 0.45 && features->xy[2 * i + 1] <= 0.55)
      {
        memmove (features->x + inside * D, features->x + i * D, D * sizeof (float));
        features->xy[2 * inside] = (features->xy[2 * i] - 0.45) / 0.55;
        features->xy[2 * inside + 1] = features->xy[2 * i + 1] / 0.55;
        inside++;
      }
  g_assert_cmpuint (used, ==, inside);
  g_autofree float *alone = tensor_of (&encoding, features->x, features->xy, inside, NULL, NULL);
  for (gsize i = 0; i < m; i++)
    g_assert_cmpfloat (part[i], ==, alone[i]);
}

/* Features without positions give the same tensor; what needs positions is refused without. */
static void
test_unplaced (void)
{
  g_autofree Features *features = features_new (7);
  TosstLocalEncoding encoding = encoding_of (features, 3);
  TosstRegion left = { 0, 0, .5, 1 };

  for (encoding.order = 2; encoding.order <= 3; encoding.order++)
    {
      encoding.weight = 0;
      gsize m = tosst_shape_numbers (tosst_local_shape (&encoding)), used = 0;
      g_autofree float *placed = tensor_of (&encoding, features->x, features->xy, N, NULL, NULL);
      g_autofree float *unplaced = tensor_of (&encoding, features->x, NULL, N, NULL, &used);
      double scale = 0, worst = 0;

      for (gsize i = 0; i < m; i++)
        {
          scale = MAX (scale, fabs (placed[i]));
          worst = MAX (worst, fabs (placed[i] - unplaced[i]));
        }
      g_assert_cmpfloat (worst, <, 1e-6 * scale); /* sums of thirds of an image are added in another order */
      g_assert_cmpint (used, ==, N);
      g_assert_cmpint (tosst_local_tensor (&encoding, features->x, NULL, N, &left, placed, NULL), ==,
                       TOSST_ERROR_ARGUMENT);
      encoding.weight = 0.25;
      g_assert_cmpint (tosst_local_tensor (&encoding, features->x, NULL, N, NULL, placed, NULL), ==,
                       TOSST_ERROR_ARGUMENT);
      g_assert_cmpint (tosst_local_vectors (&encoding, features->x, NULL, N, placed), ==, TOSST_ERROR_ARGUMENT);
    }
}

static void
test_empty (void)
{
  g_autofree Features *features = features_new (6);
  TosstLocalEncoding encoding = encoding_of (features, 3);
  g_autofree float *tensor = g_new (float, tosst_shape_numbers (tosst_local_shape (&encoding)));
  TosstRegion nothing = { 2, 2, 3, 3 };

  g_assert_cmpint (tosst_local_tensor (&encoding, features->x, features->xy, 0, NULL, tensor, NULL), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_local_tensor (&encoding, features->x, features->xy, N, &nothing, tensor, NULL), ==,
                   TOSST_ERROR_ARGUMENT);
  features->x[17] = NAN;
  g_assert_cmpint (tosst_local_tensor (&encoding, features->x, features->xy, N, NULL, tensor, NULL), ==,
                   TOSST_ERROR_NUMERIC);
}

/* Features of one direction have equal vectors after normalisation. */
static void
test_normalise (void)
{
  float x[6] = { 3, 0, -4, 30, 0, -40 }, v[6];
  double xy[4] = { 0.5, 0.5, 0.5, 0.5 };
  TosstLocalEncoding encoding = { .D = 3, .q = 3, .normalise = TOSST_NORMALISE_L2, .order = 3 };

  assert_ok (tosst_local_vectors (&encoding, x, xy, 2, v));
  for (int i = 0; i < 3; i++)
    {
      g_assert_cmpfloat (fabs (v[i] - x[i] / 5), <=, 1e-7);
      g_assert_cmpfloat (fabs (v[3 + i] - x[i] / 5), <=, 1e-7);
    }
  encoding.normalise = TOSST_NORMALISE_ROOT;
  assert_ok (tosst_local_vectors (&encoding, x, xy, 2, v));
  g_assert_cmpfloat (fabs (v[0] - sqrt (3.0 / 7)), <=, 1e-7);
  g_assert_cmpfloat (fabs (v[5] + sqrt (4.0 / 7)), <=, 1e-7);
}

static void
test_tensor_norm (void)
{
  g_autofree Features *features = features_new (7);
  TosstLocalEncoding encoding = encoding_of (features, 3);
  int d = tosst_local_dimension (&encoding);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autofree float *tensor = tensor_of (&encoding, features->x, features->xy, N, NULL, NULL);
  double sum = 0;

  tosst_tensor_normalise (layout, tensor);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int k = 0; k < d; k++)
        sum += pow (tensor[tosst_packed_index (d, i, j, k)], 2);
  g_assert_cmpfloat (fabs (sum - 1), <=, 1e-6);
}

/* Components are orthonormal, their values the variances, whitened variances are 1, and the parts in which vectors are
 * added do not matter. */
static void
test_pca (void)
{
  g_autofree Features *features = features_new (8);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstPca) pca = NULL, parts = NULL, whitened = NULL;
  TosstScatter scatter;

  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < D; j++)
      features->x[i * D + j] = features->x[i * D + j] * (float)(j + 1) + 1000;
  g_assert_true (tosst_scatter_init (&scatter, D));
  assert_ok (tosst_scatter_add (&scatter, features->x, N));
  assert_ok (tosst_pca_compute (context, &scatter, D, TRUE, FALSE, &pca));
  assert_ok (tosst_pca_compute (context, &scatter, D, TRUE, TRUE, &whitened));
  tosst_scatter_clear (&scatter);
  g_assert_true (tosst_scatter_init (&scatter, D));
  assert_ok (tosst_scatter_add (&scatter, features->x, 77));
  assert_ok (tosst_scatter_add (&scatter, features->x + 77 * D, N - 77));
  assert_ok (tosst_pca_compute (context, &scatter, D, TRUE, FALSE, &parts));
  tosst_scatter_clear (&scatter);
  for (int k = 0; k < D; k++)
    {
      double variance = 0, white = 0;
      for (gsize i = 0; i < N; i++)
        {
          double projected = 0, narrow = 0;
          for (int j = 0; j < D; j++)
            {
              projected += (features->x[i * D + (gsize)j] - pca->mean[j]) * pca->basis[j * D + k];
              narrow += (features->x[i * D + (gsize)j] - pca->mean[j]) * whitened->basis[j * D + k];
            }
          variance += projected * projected / N;
          white += narrow * narrow / N;
        }
      g_assert_cmpfloat (fabs (variance - pca->values[k]), <=, 1e-9 * variance);
      g_assert_cmpfloat (fabs (white - 1), <=, 1e-9);
      g_assert_cmpfloat (fabs (parts->values[k] - pca->values[k]), <=, 1e-9 * variance);
      for (int j = 0; j < D; j++)
        g_assert_cmpfloat (fabs (parts->basis[j * D + k] - pca->basis[j * D + k]), <=, 1e-7);
    }
}

static void
test_sift_constant (void)
{
  float grey[60 * 50], *descriptors;
  TosstSiftOptions options;

  tosst_sift_options_default (&options);
  for (gsize i = 0; i < G_N_ELEMENTS (grey); i++)
    grey[i] = 0.5f;
  gsize n = tosst_sift_count (&options, 60, 50);
  g_autofree float *mass = g_new (float, n);
  descriptors = g_new (float, n *TOSST_SIFT_LENGTH);
  assert_ok (tosst_sift (&options, grey, 60, 50, descriptors, NULL, mass, NULL));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (mass[i], ==, 0);
  for (gsize i = 0; i < n * TOSST_SIFT_LENGTH; i++)
    g_assert_cmpfloat (descriptors[i], ==, 0);
  g_free (descriptors);
  g_assert_cmpuint (tosst_sift_count (&options, 18, 300), ==, 0);
  g_assert_cmpuint (tosst_sift_count (&options, 19, 19), ==, 1);
  options.radius[0] = 13;
  g_assert_cmpint (tosst_sift (&options, grey, 60, 50, grey, NULL, NULL, NULL), ==, TOSST_ERROR_ARGUMENT);
}

/* A ramp along x has all of its gradient in orientation 0, one along -y in orientation 6. */
static void
test_sift_ramp (void)
{
  float grey[60 * 50];
  TosstSiftOptions options;

  tosst_sift_options_default (&options);
  gsize n = tosst_sift_count (&options, 60, 50);
  g_autofree float *descriptors = g_new (float, n *TOSST_SIFT_LENGTH);
  for (int along = 0; along < 2; along++)
    {
      for (int i = 0; i < 60 * 50; i++)
        grey[i] = along == 0 ? (float)(i % 60) / 64 : 1 - (float)(i / 60) / 64;
      assert_ok (tosst_sift (&options, grey, 60, 50, descriptors, NULL, NULL, NULL));
      for (gsize i = 0; i < n * TOSST_SIFT_LENGTH; i++)
        if (i % 8 == (along == 0 ? 0 : 6))
          g_assert_cmpfloat (descriptors[i], >, 0.1);
        else
          g_assert_cmpfloat (descriptors[i], <=, 1e-6);
    }
}

/* The averages depend on the order of the scores only. */
static void
test_average_precision (void)
{
  enum
  {
    SAMPLES = 200
  };
  double scores[SAMPLES], mapped[SAMPLES];
  int labels[SAMPLES];
  TosstAveragePrecision a, b;
  TosstRecallPoint curve[SAMPLES];
  TosstRandom random;

  tosst_random_init (&random, 9, 1);
  for (gsize i = 0; i < SAMPLES; i++)
    {
      scores[i] = floor (10 * tosst_random_normal (&random)) / 4;
      mapped[i] = exp (scores[i]) - 3;
      labels[i] = (int)tosst_random_below (&random, 3) - 1;
    }
  assert_ok (tosst_average_precision (scores, labels, SAMPLES, &a, curve));
  assert_ok (tosst_average_precision (mapped, labels, SAMPLES, &b, NULL));
  g_assert_cmpfloat (a.ap11, ==, b.ap11);
  g_assert_cmpfloat (a.area, ==, b.area);
  g_assert_cmpfloat (a.mean, ==, b.mean);
  g_assert_cmpfloat (curve[a.positives + a.negatives - 1].recall, ==, 1);
  scores[5] = NAN;
  g_assert_cmpint (tosst_average_precision (scores, labels, SAMPLES, &a, NULL), ==, TOSST_ERROR_ARGUMENT);
}

/* Samples left out do not matter: the classifier equals that of the other samples alone, for any number of threads. */
static void
test_left_out (void)
{
  enum
  {
    SAMPLES = 150,
    LENGTH = 40,
    CLASSES = 3
  };
  g_autofree float *x = g_new (float, SAMPLES *LENGTH), *kept = g_new (float, SAMPLES *LENGTH);
  signed char targets[CLASSES * SAMPLES], own[SAMPLES];
  TosstRandom random;
  TosstSvmOptions options;

  tosst_svm_options_default (&options);
  options.tolerance = 1e-9;
  tosst_random_init (&random, 10, 1);
  for (gsize i = 0; i < SAMPLES * LENGTH; i++)
    x[i] = (float)tosst_random_normal (&random) / 6;
  for (gsize i = 0; i < CLASSES * SAMPLES; i++)
    targets[i] = (signed char)((int)tosst_random_below (&random, 3) - 1);
  g_autoptr (TosstContext) one = tosst_context_new (1), two = tosst_context_new (2);
  g_autoptr (TosstSvm) all = NULL, again = NULL;
  assert_ok (tosst_svm_train_targets (one, x, SAMPLES, LENGTH, targets, CLASSES, &options, NULL, NULL, &all));
  assert_ok (tosst_svm_train_targets (two, x, SAMPLES, LENGTH, targets, CLASSES, &options, NULL, NULL, &again));
  for (int i = 0; i < CLASSES * (LENGTH + 1); i++)
    g_assert_cmpfloat (all->w[i], ==, again->w[i]);
  for (gsize c = 0; c < CLASSES; c++)
    {
      g_autoptr (TosstSvm) alone = NULL;
      gsize count = 0;
      for (gsize i = 0; i < SAMPLES; i++)
        if (targets[c * SAMPLES + i] != 0)
          {
            memcpy (kept + count * LENGTH, x + i * LENGTH, LENGTH * sizeof *x);
            own[count++] = targets[c * SAMPLES + i];
          }
      assert_ok (tosst_svm_train_targets (one, kept, count, LENGTH, own, 1, &options, NULL, NULL, &alone));
      for (gsize j = 0; j <= LENGTH; j++)
        g_assert_cmpfloat (fabs (all->w[c * (LENGTH + 1) + j] - alone->w[j]), <=, 1e-7);
    }
  memset (targets, -1, SAMPLES);
  g_clear_pointer (&again, tosst_svm_free);
  g_assert_cmpint (tosst_svm_train_targets (one, x, SAMPLES, LENGTH, targets, CLASSES, &options, NULL, NULL, &again),
                   ==, TOSST_ERROR_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/local/tensor/sums", test_sums);
  g_test_add_func ("/local/tensor/partition", test_partition);
  g_test_add_func ("/local/tensor/second-order", test_second_order);
  g_test_add_func ("/local/tensor/signs", test_signs);
  g_test_add_func ("/local/tensor/region", test_region);
  g_test_add_func ("/local/tensor/unplaced", test_unplaced);
  g_test_add_func ("/local/tensor/empty", test_empty);
  g_test_add_func ("/local/tensor/norm", test_tensor_norm);
  g_test_add_func ("/local/vectors/normalise", test_normalise);
  g_test_add_func ("/local/pca", test_pca);
  g_test_add_func ("/local/sift/constant", test_sift_constant);
  g_test_add_func ("/local/sift/ramp", test_sift_ramp);
  g_test_add_func ("/local/average-precision", test_average_precision);
  g_test_add_func ("/local/svm/left-out", test_left_out);
  return g_test_run ();
}

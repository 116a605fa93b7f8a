/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Features and tensors against their definitions, evaluated the plain way.
 */
#include <math.h>
#include <string.h>

#include "builds.h"
#include "engine/descriptor/private.h"
#include "objects.h"
#include "tosst/describe.h"
#include "tosst/tensor.h"

static TosstImage *
noise (int width, int height, int channels)
{
  TosstImage *image = tosst_image_new (width, height, channels);
  TosstRandom random;

  tosst_random_init (&random, 3, 0);
  for (int i = 0; i < width * height * channels; i++)
    image->data[i] = (float)tosst_random_below (&random, 256) / 255.0f;
  g_assert_cmpuint (tosst_random_below (&random, 0), ==, 0);
  image->maximum = 255;
  return image;
}

/* Equation (13) as printed, in long double, where its exponentials do not all underflow. */
static void
test_rbf_map (void)
{
  static const double sigmas[] = { 0.05, 0.1, 0.25, 1, 10 };

  for (int Z = 2; Z <= 9; Z++)
    for (gsize s = 0; s < G_N_ELEMENTS (sigmas); s++)
      for (double u = -1.3; u <= 1.3; u += 0.0137)
        {
          double ours[9], clamped = fmin (fmax (u, -0.5), 0.5);
          long double plain[9], sum = 0;
          for (int z = 0; z < Z; z++)
            {
              long double zeta = -0.5L + (long double)z / (Z - 1), away = (clamped - zeta) / sigmas[s];
              plain[z] = expl (-away * away);
              sum += plain[z] * plain[z];
            }
          tosst_rbf_map (u, -0.5, 0.5, Z, sigmas[s], ours);
          for (int z = 0; z < Z; z++)
            g_assert_cmpfloat_with_epsilon (ours[z], (double)(plain[z] / sqrtl (sum)),
                                            1e-12 * (double)(plain[z] / sqrtl (sum)) + 1e-300);
        }
}

/* A sigma so small that every exponential underflows: all weight goes to the nearest pivots, and nothing is NaN. */
static void
test_rbf_underflow (void)
{
  double out[3];

  tosst_rbf_map (0.3, 0, 1, 3, 1e-3, out);
  g_assert_cmpfloat (out[0], ==, 0);
  g_assert_cmpfloat (out[1], ==, 1);
  g_assert_cmpfloat (out[2], ==, 0);
  tosst_rbf_map (0.25, 0, 1, 3, 1e-3, out);
  g_assert_cmpfloat_with_epsilon (out[0], G_SQRT2 / 2, 1e-12);
  g_assert_cmpfloat_with_epsilon (out[1], G_SQRT2 / 2, 1e-12);
  tosst_rbf_map (1e9, 0, 1, 3, 1e-3, out);
  g_assert_cmpfloat (out[2], ==, 1);
}

static void
test_grid (void)
{
  TosstPoint points[6];

  g_assert_cmpuint (tosst_patch_grid (50, 41, 20, 10, NULL), ==, 12);
  g_assert_cmpuint (tosst_patch_grid (19, 50, 20, 10, NULL), ==, 0);
  g_assert_cmpuint (tosst_patch_grid (INT_MAX, INT_MAX, 1, 1, NULL), ==, (gsize)INT_MAX * INT_MAX);
  g_assert_cmpuint (tosst_patch_grid (INT_MAX, 1, INT_MAX, 1, NULL), ==, 0);
  g_assert_cmpuint (tosst_patch_grid (20, 20, 20, 7, points), ==, 1);
  g_assert_cmpuint (tosst_patch_grid (35, 30, 20, 10, points), ==, 4);
  g_assert_cmpint (points[1].x, ==, 10);
  g_assert_cmpint (points[2].x, ==, 0);
  g_assert_cmpint (points[3].y, ==, 10);
  g_assert_cmpuint (tosst_packed_size (30), ==, 4960);
  g_assert_cmpint (tosst_packed_side (16215), ==, 45);
  g_assert_cmpint (tosst_packed_side (4961), ==, 0);
}

/* The layout's indices agree with a count of triples, in any order of i, j, k. */
static void
test_layout (void)
{
  const int d = 7;
  gsize t = 0;

  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++, t++)
        {
          g_assert_cmpuint (tosst_packed_index (d, i, j, k), ==, t);
          g_assert_cmpuint (tosst_packed_index (d, k, i, j), ==, t);
          g_assert_cmpuint (tosst_packed_index (d, j, k, i), ==, t);
        }
  g_assert_cmpuint (t, ==, tosst_packed_size (d));
}

/* The colour ramp R = x, G = y, B = 0 has features known in closed form. */
static void
test_features_of_ramp (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstImage *image = tosst_image_new (16, 16, 3);
  TosstFeatureOptions options;
  float features[16 * 9];

  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++)
      {
        image->data[y * 16 + x] = (float)x / 16;
        image->data[256 + y * 16 + x] = (float)y / 16;
        image->data[512 + y * 16 + x] = 0;
      }
  tosst_feature_options_default (&options);
  options.kind = TOSST_FEATURES_LINEAR;
  options.opponent = true;
  assert_ok (tosst_patch_features (context, image, &options, 4, (TosstPoint){ 5, 6 }, features));
  const float *f = features + (2 * 4 + 3) * 9; /* pixel (8, 8) */
  g_assert_cmpfloat_with_epsilon (f[0], 1, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[1], 2.0 / 3, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[2], (0.299 + 0.587) * 0.5, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[3], 0.299 / 16, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[4], 0.587 / 16, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[5], 0, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[6], 0, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[7], 0, 1e-7);
  g_assert_cmpfloat_with_epsilon (f[8], 1 / sqrt (6), 1e-7);
  tosst_image_free (image);
}

/* Equation (1) summed in float64 over the features of each patch, for every variant. */
static void
check_tensors (TosstFeatureOptions options, int width, int height, int size, int step, int threads)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstImage *image = noise (width, height, options.opponent ? 3 : 1);
  gsize n = tosst_patch_grid (width, height, size, step, NULL), N = (gsize)size * (gsize)size;
  int d = tosst_feature_dimension (&options);
  gsize m = tosst_packed_size (d);
  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree float *tensors = g_new (float, n *m), *x = g_new (float, N *d);

  tosst_patch_grid (width, height, size, step, points);
  /* In reverse, as the order of patches must not matter. */
  for (gsize i = 0; i < n / 2; i++)
    {
      TosstPoint swap = points[i];
      points[i] = points[n - 1 - i];
      points[n - 1 - i] = swap;
    }
  assert_ok (tosst_describe (context, image, &options, size, points, n, tensors));
  for (gsize p = 0; p < n; p += MAX (n / 3, 1))
    {
      const float *tensor = tensors + p * m;
      assert_ok (tosst_patch_features (context, image, &options, size, points[p], x));
      for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++)
          for (int k = j; k < d; k++, tensor++)
            {
              double sum = 0, size_of_terms = 0;
              for (gsize q = 0; q < N; q++)
                {
                  double term = (double)x[q * d + i] * x[q * d + j] * x[q * d + k];
                  sum += term;
                  size_of_terms += fabs (term);
                }
              g_assert_cmpfloat_with_epsilon (*tensor, sum / N, 2e-6 * size_of_terms / N + 1e-30);
            }
    }
  tosst_image_free (image);
}

static void
test_tensors (void)
{
  TosstFeatureOptions options;

  tosst_feature_options_default (&options);
  for (int kind = 0; kind <= 1; kind++)
    for (int luminance = 0; luminance <= 1; luminance++)
      {
        options.kind = kind;
        options.luminance = luminance;
        check_tensors (options, 47, 40, 12, 9, 2);
      }
  options.opponent = true;
  check_tensors (options, 31, 40, 9, 7, 1);
  options.pivots = 2;
  options.absolute = true;
  check_tensors (options, 31, 33, 11, 5, 3);
  options.kind = TOSST_FEATURES_LINEAR;
  check_tensors (options, 31, 33, 2, 11, 1);
  /* So tall that its features come in several bands. */
  tosst_feature_options_default (&options);
  check_tensors (options, 900, 1500, 20, 290, 2);
}

/* A tensor of a patch written out: n features g of a pixel, rows `row` numbers apart, behind P of column and row. */
static void
assert_patch (const float *tensor, const double *p, const double *g, int size, int P, int n, gsize row,
              double tolerance)
{
  int d = 2 * P + n;

  for (int i = 0; i < d; i++)
    for (int j = i; j < d; j++)
      for (int k = j; k < d; k++, tensor++)
        {
          double sum = 0, size_of_terms = 0;
          for (int q = 0; q < size * size; q++)
            {
              double term = 1;
              for (int f = 0; f < 3; f++)
                {
                  int which = f == 0 ? i : f == 1 ? j : k, x = q % size, y = q / size;
                  term *= which < P       ? p[x * P + which]
                          : which < 2 * P ? p[y * P + which - P]
                                          : g[(gsize)y * row + (gsize)(x * n + which - 2 * P)];
                }
              sum += term;
              size_of_terms += fabs (term);
            }
          g_assert_cmpfloat_with_epsilon (*tensor, sum / (size * size), tolerance * size_of_terms / (size * size));
        }
}

/* Signed features and a table of positions, as floats pixel by pixel and, if they are few, as doubles in planes. */
static void
check_patch (const TosstKernels *kernels, int size, int P, int n, TosstRandom *random)
{
  TosstPatchShape shape = { size, P, n, (gsize)(size + 3) * (gsize)n };
  int d = 2 * P + n, numbers = size * (int)shape.row;
  g_autofree double *p = g_new (double, size *P), *g = g_new0 (double, numbers + 64), *sums = NULL, *apart = NULL;
  g_autofree float *narrow = g_new0 (float, numbers + 64), *tensor = g_new (float, tosst_packed_size (d));
  void *table;

  for (int i = 0; i < size * P; i++)
    p[i] = (float)tosst_random_uniform (random);
  for (int i = 0; i < numbers; i++)
    g[i] = narrow[i] = (float)tosst_random_normal (random);
  table = tosst_position_table (p, size, P);
  TosstPatchSums *cache = tosst_patch_sums_new (kernels, &shape, table, size, 1);
  tosst_patch_sums_tensor (cache, 0, 0, narrow, tensor);
  assert_patch (tensor, p, g, size, P, n, shape.row, 1e-6);
  tosst_patch_sums_free (cache);
  free (table);
  if (P > 1)
    return;

  TosstPlanes planes = { .d = d };
  gsize plane = (gsize)size * (gsize)(size + 3);
  sums = g_new (double, tosst_packed_size (d));
  apart = g_new (double, (gsize)n *plane + 8);
  for (gsize i = 0; i < (gsize)n * plane + 8; i++)
    apart[i] = NAN;
  for (int i = 0; i < size * size * n; i++)
    {
      int f = i % n, x = i / n % size, y = i / n / size;
      apart[(gsize)f * plane + (gsize)(y * (size + 3) + x)] = g[(gsize)y * shape.row + (gsize)(x * n + f)];
    }
  table = tosst_position_planes (p, size, &planes);
  for (int f = 0; f < n; f++)
    planes.feature[2 + f] = (TosstPlane){ apart + (gsize)f * plane, (gsize)size + 3, 1 };
  tosst_planes_third_order (kernels, &planes, sums, tensor);
  assert_patch (tensor, p, g, size, P, n, shape.row, 1e-7);
  free (table);
}

static void
test_builds (void)
{
  const TosstKernels *builds[3];
  static const int shapes[][3] = { { 2, 1, 4 },   { 7, 1, 5 },   { 16, 1, 6 },  { 20, 1, 7 },
                                   { 11, 2, 10 }, { 20, 3, 17 }, { 27, 5, 25 }, { 9, 4, 33 } };
  TosstRandom random;

  list_builds (builds);
  tosst_random_init (&random, 5, 0);
  for (gsize b = 0; b < 3; b++)
    for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
      if (builds[b] != NULL)
        check_patch (builds[b], shapes[s][0], shapes[s][1], shapes[s][2], &random);
}

/* Equation (13) for rows of numbers, also of the domain's ends and beside it. */
static void
check_spread (const TosstKernels *kernels, int pivots, double sigma)
{
  const double low = -0.25, high = 0.5;
  double u[37], expected[TOSST_MOST_PIVOTS];
  float out[37 * (TOSST_MOST_PIVOTS + 3)];
  int stride = pivots + 3;
  TosstSpread spread = { low, high, (high - low) / (pivots - 1), sigma * sigma, pivots };

  for (int i = 0; i < 37; i++)
    u[i] = low - 0.1 + (high - low + 0.2) * i / 36;
  for (int i = 0; i < 37 * stride; i++)
    out[i] = -1;
  kernels->rbf_spread (&spread, u, 37, out, (gsize)stride);
  for (int i = 0; i < 37; i++)
    {
      tosst_rbf_map (u[i], low, high, pivots, sigma, expected);
      for (int z = 0; z < pivots; z++)
        g_assert_cmpfloat_with_epsilon (out[i * stride + z], expected[z], 1e-7);
      for (int z = pivots; z < stride; z++)
        g_assert_cmpfloat (out[i * stride + z], ==, -1);
    }
}

static void
test_spread (void)
{
  const TosstKernels *builds[3];

  list_builds (builds);
  for (gsize b = 0; b < 3; b++)
    for (int pivots = 2; builds[b] != NULL && pivots <= TOSST_MOST_PIVOTS; pivots += pivots < 9 ? 1 : 55)
      for (double sigma = 1e-160; sigma < 1e12; sigma *= sigma < 1e-3 ? 1e13 : 7)
        check_spread (builds[b], pivots, sigma);
}

/* Parts that overlapping patches share: a tensor has the same bits alone. */
static void
check_shared (int size, int step)
{
  g_autoptr (TosstContext) one = tosst_context_new (1), two = tosst_context_new (2);
  TosstImage *image = noise (150, 70, 1);
  TosstFeatureOptions options;
  gsize n = tosst_patch_grid (150, 70, size, step, NULL);
  g_autofree TosstPoint *points = g_new (TosstPoint, n + 2);

  tosst_feature_options_default (&options);
  options.pivots = 2;
  gsize m = tosst_packed_size (tosst_feature_dimension (&options));
  g_autofree float *together = g_new (float, (n + 2) * m), *alone = g_new (float, m);
  tosst_patch_grid (150, 70, size, step, points);
  /* One that is there twice, and one beside the grid. */
  points[n] = points[n / 2];
  points[n + 1] = (TosstPoint){ 1, 2 };
  for (int threads = 1; threads <= 2; threads++)
    {
      assert_ok (tosst_describe (threads == 1 ? one : two, image, &options, size, points, n + 2, together));
      for (gsize i = 0; i < n + 2; i++)
        {
          assert_ok (tosst_describe (one, image, &options, size, &points[i], 1, alone));
          g_assert_cmpmem (alone, m * sizeof *alone, together + i * m, m * sizeof *alone);
        }
    }
  tosst_image_free (image);
}

static void
test_shared (void)
{
  check_shared (20, 10);
  check_shared (20, 5);
  check_shared (20, 7);
  check_shared (24, 4);
  check_shared (11, 5);
  check_shared (2, 1);
}

static void
test_refuses (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstImage *image = noise (30, 30, 1);
  TosstFeatureOptions options;
  g_autofree float *tensor = g_new (float, 7770);

  tosst_feature_options_default (&options);
  g_assert_cmpint (tosst_describe (context, image, &options, 20, &(TosstPoint){ 11, 0 }, 1, tensor), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (tosst_context_message (context), "does not fit into the image"));
  g_assert_cmpint (tosst_describe (context, image, &options, 31, &(TosstPoint){ 0, 0 }, 1, tensor), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_describe (context, image, &options, 1, &(TosstPoint){ 0, 0 }, 1, tensor), ==,
                   TOSST_ERROR_ARGUMENT);
  options.sigma_first = 0;
  g_assert_cmpint (tosst_describe (context, image, &options, 20, &(TosstPoint){ 0, 0 }, 1, tensor), ==,
                   TOSST_ERROR_ARGUMENT);
  tosst_feature_options_default (&options);
  tosst_context_cancel (context);
  g_assert_cmpint (tosst_describe (context, image, &options, 20, &(TosstPoint){ 0, 0 }, 1, tensor), ==,
                   TOSST_CANCELLED);
  tosst_image_free (image);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/describe/rbf-map", test_rbf_map);
  g_test_add_func ("/describe/rbf-underflow", test_rbf_underflow);
  g_test_add_func ("/describe/grid", test_grid);
  g_test_add_func ("/describe/layout", test_layout);
  g_test_add_func ("/describe/features-of-ramp", test_features_of_ramp);
  g_test_add_func ("/describe/tensors", test_tensors);
  g_test_add_func ("/describe/builds", test_builds);
  g_test_add_func ("/describe/spread", test_spread);
  g_test_add_func ("/describe/shared", test_shared);
  g_test_add_func ("/describe/refuses", test_refuses);
  return g_test_run ();
}

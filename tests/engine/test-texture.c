/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Descriptors of whole images: hand-made images, turned and scaled ones, and their definitions written out. */

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "objects.h"
#include "tosst/describe.h"

#define CHANNELS 16
#define LENGTH 136
#define PATTERNS 54

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstImage, tosst_image_free)

/* Noise of 256 levels, so that many pixels are equal. */
static TosstImage *
noise_new (int width, int height, guint64 seed, int levels)
{
  TosstImage *image = tosst_image_new (width, height, 1);
  TosstRandom random;

  tosst_random_init (&random, seed, 1);
  image->maximum = 255;
  for (int i = 0; i < width * height; i++)
    image->data[i] = (float)tosst_random_below (&random, (uint64_t)levels) / 255.0f;
  return image;
}

static TosstImage *
turn (const TosstImage *image)
{
  TosstImage *turned = tosst_image_new (image->height, image->width, 1);

  turned->maximum = image->maximum;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      turned->data[x * turned->width + image->height - 1 - y] = image->data[y * image->width + x];
  return turned;
}

static void
describe (TosstTexture kind, const TosstImage *image, float *out)
{
  assert_ok (tosst_texture (kind, image, (TosstPoint){ 0, 0 }, image->width, image->height, out));
}

/* Bin of one centre, written out. */
static int
pattern_of (const TosstImage *image, int x, int y, int P, int R)
{
  int bit[24], ones = 0, changes = 0;

  for (int p = 0; p < P; p++)
    {
      double u = x + R * cos (2 * G_PI * p / P), v = y + R * sin (2 * G_PI * p / P);
      int left = (int)floor (u + 1e-7), top = (int)floor (v + 1e-7);
      double value = 0;
      for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++)
          {
            double weight = (1 - fabs (u - left - dx)) * (1 - fabs (v - top - dy));
            if (weight > 1e-6)
              value += weight * rint (image->data[(top + dy) * image->width + left + dx] * 255) / 255;
          }
      bit[p] = value >= rint (image->data[y * image->width + x] * 255) / 255 - 1e-6;
      ones += bit[p];
    }
  for (int p = 0; p < P; p++)
    changes += bit[p] != bit[(p + 1) % P];
  return changes <= 2 ? ones : P + 1;
}

static void
test_patterns (gconstpointer data)
{
  int levels = GPOINTER_TO_INT (data);
  g_autoptr (TosstImage) image = noise_new (23, 17, 3, levels);
  float out[PATTERNS], *bin = out;

  describe (TOSST_TEXTURE_LBP, image, out);
  for (int R = 1; R <= 3; bin += 8 * R + 2, R++)
    {
      double expected[26] = { 0 }, sum = 0;
      for (int y = R; y < image->height - R; y++)
        for (int x = R; x < image->width - R; x++)
          expected[pattern_of (image, x, y, 8 * R, R)] += 1.0 / ((image->width - 2 * R) * (image->height - 2 * R));
      for (int b = 0; b < 8 * R + 2; b++)
        {
          g_assert_cmpfloat_with_epsilon (bin[b], expected[b], 1e-6);
          sum += bin[b];
        }
      g_assert_cmpfloat_with_epsilon (sum, 1.0, 1e-6);
    }
}

/* A flat image has all bits set; a bright pixel none, and its neighbours all but some. */
static void
test_hand_made (void)
{
  g_autoptr (TosstImage) image = noise_new (7, 7, 1, 1);
  float out[PATTERNS];

  describe (TOSST_TEXTURE_LBP, image, out);
  g_assert_cmpfloat (out[8], ==, 1.0f);
  g_assert_cmpfloat (out[10 + 16], ==, 1.0f);
  g_assert_cmpfloat (out[10 + 18 + 24], ==, 1.0f);
  image->data[3 * 7 + 3] = 1;
  describe (TOSST_TEXTURE_LBP, image, out);
  g_assert_cmpfloat_with_epsilon (out[0], 1 / 25.0, 1e-7);
  g_assert_cmpfloat_with_epsilon (out[8], 24 / 25.0, 1e-7);
  g_assert_cmpfloat (out[10 + 18], ==, 1.0f);
  /* An edge: the three neighbours on its dark side are off in one column. */
  for (int i = 0; i < 49; i++)
    image->data[i] = i % 7 >= 3;
  describe (TOSST_TEXTURE_LBP, image, out);
  g_assert_cmpfloat_with_epsilon (out[5], 5 / 25.0, 1e-7);
  g_assert_cmpfloat_with_epsilon (out[8], 20 / 25.0, 1e-7);
}

/* Turning by right angles leaves patterns as they are, and exchanges the derivatives in x and y. */
static void
test_turned (void)
{
  static const int other[] = { 1, 0, 3, 2, 4 };
  g_autoptr (TosstImage) image = noise_new (40, 31, 5, 256), turned = turn (image);
  float patterns[2][PATTERNS], covariance[2][LENGTH];
  int place[CHANNELS][CHANNELS], n = 0;

  describe (TOSST_TEXTURE_LBP, image, patterns[0]);
  describe (TOSST_TEXTURE_LBP, turned, patterns[1]);
  g_assert_cmpmem (patterns[0], sizeof patterns[0], patterns[1], sizeof patterns[1]);
  describe (TOSST_TEXTURE_COVARIANCE, image, covariance[0]);
  describe (TOSST_TEXTURE_COVARIANCE, turned, covariance[1]);
  for (int i = 0; i < CHANNELS; i++)
    for (int j = i; j < CHANNELS; j++)
      place[i][j] = place[j][i] = n++;
  for (int i = 0; i < CHANNELS; i++)
    for (int j = i; j < CHANNELS; j++)
      {
        int a = i == 0 ? 0 : (i - 1) / 5 * 5 + 1 + other[(i - 1) % 5];
        int b = j == 0 ? 0 : (j - 1) / 5 * 5 + 1 + other[(j - 1) % 5];
        g_assert_cmpfloat_with_epsilon (covariance[0][place[i][j]], covariance[1][place[a][b]], 2e-5);
      }
}

/* Smooths by the same filters, each pixel on its own. New: height x width. */
static double *
smooth (const double *from, int width, int height, double sigma)
{
  double *to = g_new0 (double, width *height), sum = 0;
  int radius = (int)(4 * sigma + 0.5);

  for (int v = -radius; v <= radius; v++)
    for (int u = -radius; u <= radius; u++)
      {
        double weight = exp (-0.5 * (u * u + v * v) / (sigma * sigma));
        sum += weight;
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++)
            {
              int a = x + u, b = y + v;
              a = a < 0 ? -1 - a : a >= width ? 2 * width - 1 - a : a;
              b = b < 0 ? -1 - b : b >= height ? 2 * height - 1 - b : b;
              to[y * width + x] += weight * from[b * width + a];
            }
      }
  for (int i = 0; i < width * height; i++)
    to[i] /= sum;
  return to;
}

static double
covariance_of (const double *a, const double *b, int n)
{
  double mean_a = 0, mean_b = 0, sum = 0;

  for (int i = 0; i < n; i++)
    {
      mean_a += a[i] / n;
      mean_b += b[i] / n;
    }
  for (int i = 0; i < n; i++)
    sum += (a[i] - mean_a) * (b[i] - mean_b) / n;
  return sum;
}

/* The matrix of a descriptor is the exponential of it, less 1e-6 on the diagonal. matrix: size x size. */
static void
exponential (const float *descriptor, int size, double *matrix)
{
  g_autofree double *vectors = g_new (double, size *size), *values = g_new (double, size);

  for (int i = 0; i < size; i++)
    for (int j = i; j < size; j++, descriptor++)
      vectors[i * size + j] = vectors[j * size + i] = *descriptor / (i == j ? 1 : G_SQRT2);
  g_assert_cmpint (LAPACKE_dsyevd (LAPACK_ROW_MAJOR, 'V', 'L', size, vectors, size, values), ==, 0);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      {
        double *entry = &matrix[i * size + j];
        *entry = i == j ? -1e-6 : 0;
        for (int k = 0; k < size; k++)
          *entry += vectors[i * size + k] * vectors[j * size + k] * exp (values[k]);
      }
}

static void
test_covariance (void)
{
  const int width = 30, height = 26, n = 30 * 26;
  g_autoptr (TosstImage) image = noise_new (width, height, 7, 256);
  g_autofree double *grey = g_new (double, n), *first = g_new (double, n), *mixed = g_new (double, n);
  g_autofree double *light = NULL, *fine = NULL, *coarse = NULL;
  double matrix[CHANNELS * CHANNELS];
  float out[LENGTH];

  for (int i = 0; i < n; i++)
    grey[i] = rint (image->data[i] * 255) / 255;
  light = smooth (grey, width, height, 0.7);
  fine = smooth (light, width, height, sqrt (1 - 0.49));
  coarse = smooth (fine, width, height, sqrt (3));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        int l = MAX (x - 1, 0), r = MIN (x + 1, width - 1), t = MAX (y - 1, 0), b = MIN (y + 1, height - 1);
        first[y * width + x] = fabs (fine[y * width + r] - fine[y * width + l]) / 2;
        mixed[y * width + x]
            = fabs (coarse[b * width + r] - coarse[b * width + l] - coarse[t * width + r] + coarse[t * width + l]);
      }
  describe (TOSST_TEXTURE_COVARIANCE, image, out);
  exponential (out, CHANNELS, matrix);
  g_assert_cmpfloat_with_epsilon (matrix[0], covariance_of (light, light, n), 1e-8);
  g_assert_cmpfloat_with_epsilon (matrix[1], covariance_of (light, first, n), 1e-8);
  g_assert_cmpfloat_with_epsilon (matrix[CHANNELS + 1], covariance_of (first, first, n), 1e-8);
  g_assert_cmpfloat_with_epsilon (matrix[CHANNELS + 10], covariance_of (first, mixed, n), 1e-8);
  g_assert_cmpfloat_with_epsilon (matrix[10 * CHANNELS + 10], covariance_of (mixed, mixed, n), 1e-8);
}

/* Scales of invariant channels. */
static const double sigmas[] = { 0.7, 1, G_SQRT2, 2, 2 * G_SQRT2, 4 };

#define INVARIANTS 30
#define INVARIANT_LENGTH 496

/* Turning by right angles changes nothing, and adding to the intensity neither. */
static void
test_invariant (void)
{
  g_autoptr (TosstImage) image = noise_new (40, 31, 5, 200), turned = turn (image), back = turn (turned);
  float out[3][INVARIANT_LENGTH];

  for (int i = 0; i < back->width * back->height; i++)
    back->data[i] += 30 / 255.0f;
  describe (TOSST_TEXTURE_INVARIANT, image, out[0]);
  describe (TOSST_TEXTURE_INVARIANT, turned, out[1]);
  describe (TOSST_TEXTURE_INVARIANT, back, out[2]);
  for (int i = 0; i < INVARIANT_LENGTH; i++)
    {
      g_assert_cmpfloat_with_epsilon (out[0][i], out[1][i], 2e-5);
      g_assert_cmpfloat_with_epsilon (out[0][i], out[2][i], 2e-5);
    }
}

/* Channels of one scale at pixel (x, y), by the definitions: of the characteristic polynomial of the Hessian. */
static void
invariants_at (const double *plane, int width, int height, int x, int y, double sigma, double *out)
{
  int l = MAX (x - 1, 0), r = MIN (x + 1, width - 1), t = MAX (y - 1, 0), b = MIN (y + 1, height - 1);
#define P(u, v) plane[(v)*width + (u)]
  double first[] = { (P (r, y) - P (l, y)) / 2, (P (x, b) - P (x, t)) / 2 };
  double xx = P (r, y) - 2 * P (x, y) + P (l, y), yy = P (x, b) - 2 * P (x, y) + P (x, t);
  double xy = (P (r, b) - P (l, b) - P (r, t) + P (l, t)) / 4, trace = xx + yy, det = xx * yy - xy * xy;
  double root = sqrt (MAX (trace * trace - 4 * det, 0)), high = (trace + root) / 2, low = (trace - root) / 2;
#undef P

  out[0] = sigma * hypot (first[0], first[1]);
  out[1] = sigma * sigma * high;
  out[2] = sigma * sigma * low;
  out[3] = sigma * sigma * MAX (fabs (high), fabs (low));
  out[4] = sigma * sigma * MIN (fabs (high), fabs (low));
}

static void
test_invariant_matrix (void)
{
  const int width = 30, height = 26, n = 30 * 26, size = INVARIANTS + 1;
  g_autoptr (TosstImage) image = noise_new (width, height, 7, 256);
  g_autofree double *plane = g_new (double, n), *channel = g_new (double, INVARIANTS *n);
  g_autofree double *matrix = g_new (double, size *size);
  float out[INVARIANT_LENGTH];
  double before = 0;

  for (int i = 0; i < n; i++)
    plane[i] = rint (image->data[i] * 255) / 255;
  for (int s = 0; s < 6; before = sigmas[s++])
    {
      double *smoothed = smooth (plane, width, height, sqrt (sigmas[s] * sigmas[s] - before * before));

      g_free (plane);
      plane = smoothed;
      for (int i = 0; i < n; i++)
        {
          double values[5];

          invariants_at (plane, width, height, i % width, i / width, sigmas[s], values);
          for (int c = 0; c < 5; c++)
            channel[(5 * s + c) * n + i] = values[c];
        }
    }
  describe (TOSST_TEXTURE_INVARIANT, image, out);
  exponential (out, size, matrix);
  g_assert_cmpfloat_with_epsilon (matrix[size * size - 1], 1, 1e-5);
  for (int a = 0; a < INVARIANTS; a++)
    {
      double mean = 0;

      for (int i = 0; i < n; i++)
        mean += channel[a * n + i] / n;
      g_assert_cmpfloat_with_epsilon (matrix[INVARIANTS * size + a], mean, 1e-6);
      for (int b = 0; b <= a; b++)
        {
          double sum = 0;

          for (int i = 0; i < n; i++)
            sum += channel[a * n + i] * channel[b * n + i] / n;
          g_assert_cmpfloat_with_epsilon (matrix[a * size + b], sum, 1e-6);
        }
    }
}

/* Only the pixels of the part count, wherever it is. */
static void
test_part (gconstpointer data)
{
  TosstTexture kind = GPOINTER_TO_INT (data);
  g_autoptr (TosstImage) image = noise_new (50, 40, 9, 256), part = tosst_image_new (20, 16, 1);
  float inside[INVARIANT_LENGTH], alone[INVARIANT_LENGTH];
  gsize length = (gsize)tosst_texture_length (kind);

  part->maximum = 255;
  for (int y = 0; y < 16; y++)
    memcpy (part->data + y * 20, image->data + (y + 11) * 50 + 23, 20 * sizeof (float));
  describe (kind, part, alone);
  assert_ok (tosst_texture (kind, image, (TosstPoint){ 23, 11 }, 20, 16, inside));
  g_assert_cmpmem (alone, length * sizeof *alone, inside, length * sizeof *inside);
  g_assert_cmpint (tosst_texture (kind, image, (TosstPoint){ 31, 0 }, 20, 16, inside), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_texture (kind, image, (TosstPoint){ 0, 0 }, tosst_texture_side (kind) - 1, 16, inside), ==,
                   TOSST_ERROR_ARGUMENT);
  for (int i = 0; i < 50 * 40; i++)
    image->data[i] = 0.5f;
  describe (kind, image, inside);
  for (gsize i = 0; i < length; i++)
    g_assert_true (isfinite (inside[i]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/texture/patterns/many-levels", GINT_TO_POINTER (256), test_patterns);
  g_test_add_data_func ("/texture/patterns/few-levels", GINT_TO_POINTER (3), test_patterns);
  g_test_add_func ("/texture/hand-made", test_hand_made);
  g_test_add_func ("/texture/turned", test_turned);
  g_test_add_func ("/texture/covariance", test_covariance);
  g_test_add_data_func ("/texture/part/lbp", GINT_TO_POINTER (TOSST_TEXTURE_LBP), test_part);
  g_test_add_func ("/texture/invariant/turned", test_invariant);
  g_test_add_func ("/texture/invariant/matrix", test_invariant_matrix);
  g_test_add_data_func ("/texture/part/invariant", GINT_TO_POINTER (TOSST_TEXTURE_INVARIANT), test_part);
  g_test_add_data_func ("/texture/part/covariance", GINT_TO_POINTER (TOSST_TEXTURE_COVARIANCE), test_part);
  return g_test_run ();
}

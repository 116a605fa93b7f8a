/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors of patches at frames: those of the pixels where frames are pixels, the same in a turned image, and of every
 * image of a data set.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/data/patches.h"
#include "core/dictionary/patch-coder.h"
#include "core/local/image-tensors.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

enum
{
  SIDE = 129,
  PATCH = 12, /* as many pixels as a frame of scale 1 covers */
};

static TosstRecipe *
recipe_new (const char *const *settings)
{
  TosstRecipe *recipe = tosst_recipe_new ();

  for (; *settings != NULL; settings += 2)
    {
      g_autoptr (GError) error = NULL;

      tosst_recipe_set (recipe, settings[0], settings[1], &error);
      g_assert_no_error (error);
    }
  return recipe;
}

/* Blobs within a circle, twice as long as wide in one direction, turned about the centre. */
static TosstImage *
draw_turned (int seed, double angle)
{
  TosstImage *image = tosst_image_new (SIDE, SIDE, 1);
  TosstRandom random;

  tosst_random_init (&random, (guint64)seed, 1);
  for (int i = 0; i < SIDE * SIDE; i++)
    image->data[i] = 0.5f;
  for (int k = 0; k < 120; k++)
    {
      double away = 0.42 * SIDE * sqrt (tosst_random_uniform (&random));
      double turn = angle + 2 * G_PI * tosst_random_uniform (&random);
      double x = SIDE / 2 + away * cos (turn), y = SIDE / 2 + away * sin (turn);
      double size = 2 + 3 * tosst_random_uniform (&random), height = 0.5 * tosst_random_uniform (&random) - 0.25;

      for (int i = 0; i < SIDE * SIDE; i++)
        {
          double u = i % SIDE - x, v = i / SIDE - y;
          double distance
              = hypot (0.7 * (u * cos (angle) + v * sin (angle)), 1.4 * (v * cos (angle) - u * sin (angle))) / size;
          image->data[i] += (float)(height * exp (-0.5 * distance * distance));
        }
    }
  image->maximum = 0;
  return image;
}

static TosstImage *
draw (int seed)
{
  return draw_turned (seed, 0);
}

static float *
describe (const TosstRecipe *recipe, const TosstImage *image, const TosstPoint *points, const TosstFrame *frames,
          gsize n)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  float *tensors = g_new (float, n *tosst_shape_numbers (tosst_recipe_shape (recipe)));

  g_assert_cmpint (tosst_describe_places (recipe, context, image, points, frames, n, tensors), ==, TOSST_OK);
  return tensors;
}

/* Frames of scale 1 are patches of the grid. */
static void
test_pixels (void)
{
  static const char *const kinds[] = { "linear", "rbf", "covariance" };

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autoptr (TosstRecipe) recipe = recipe_new ((const char *const[]){
          "descriptor.kind", kinds[k], "descriptor.patch", "12", "descriptor.gamma-eigen", "0.5", NULL });
      g_autoptr (TosstImage) image = draw (1);
      TosstPoint points[40];
      TosstFrame frames[40];

      for (int i = 0; i < 40; i++)
        {
          points[i] = (TosstPoint){ 5 + 2 * i, 100 - i };
          frames[i] = (TosstFrame){ (float)points[i].x + 5.5f, (float)points[i].y + 5.5f, { 1, 0, 0, 1 } };
        }
      g_autofree float *a = describe (recipe, image, points, NULL, 40),
                       *b = describe (recipe, image, points, frames, 40);
      for (gsize i = 0; i < 40 * tosst_shape_numbers (tosst_recipe_shape (recipe)); i++)
        g_assert_cmpfloat (fabs (a[i] - b[i]), <=, 2e-5);
    }
}

/* Brightness and contrast have no effect with descriptor.photometric, on a grid and at frames. */
static void
test_light (void)
{
  g_autoptr (TosstRecipe) recipe = recipe_new ((const char *const[]){
      "descriptor.kind", "covariance", "descriptor.patch", "12", "descriptor.photometric", "true", NULL });
  g_autoptr (TosstImage) image = draw (1), dark = draw (1);
  const TosstPoint point = { 50, 60 };
  const TosstFrame frame = { 60, 60, { 2, 1, -1, 2 } };
  gsize m = tosst_shape_numbers (tosst_recipe_shape (recipe));

  for (int i = 0; i < SIDE * SIDE; i++)
    dark->data[i] = 0.3f * dark->data[i] + 0.1f;
  for (int at = 0; at < 2; at++)
    {
      const TosstFrame *frames = at == 0 ? NULL : &frame;
      g_autofree float *a = describe (recipe, image, &point, frames, 1),
                       *b = describe (recipe, dark, &point, frames, 1);

      for (gsize i = 0; i < m; i++)
        g_assert_cmpfloat (fabs (a[i] - b[i]), <=, 3e-5);
      recipe->descriptor.photometric = FALSE;
      g_autofree float *c = describe (recipe, dark, &point, frames, 1);
      g_assert_cmpfloat (fabs (a[m - 1] - c[m - 1]), >, 3e-4);
      recipe->descriptor.photometric = TRUE;
    }
}

/* Distance of the mean tensors of the keypoints of an image and of a turned one, relative to their length. */
static double
turned_distance (const char *kind, double angle, gboolean upright)
{
  g_autoptr (TosstRecipe) recipe = recipe_new ((const char *const[]){
      "descriptor.kind", kind, "descriptor.patch", "12", "descriptor.pivots", "3", "descriptor.frames", "keypoints",
      "descriptor.upright", upright ? "true" : "false", NULL });
  gsize m = tosst_shape_numbers (tosst_recipe_shape (recipe));
  g_autofree double *mean = g_new0 (double, 2 * m);
  double apart = 0, size = 0;

  for (int k = 0; k < 2; k++)
    {
      g_autoptr (TosstImage) image = draw_turned (3, k * angle);
      g_autoptr (GError) error = NULL;
      gsize n;
      g_autofree TosstFrame *frames = tosst_frames_of_image (recipe, image, &n, NULL, "image", &error);

      g_assert_no_error (error);
      g_assert_cmpuint (n, >, 50);
      g_autofree float *tensors = describe (recipe, image, NULL, frames, n);
      for (gsize i = 0; i < n * m; i++)
        mean[k * m + i % m] += tensors[i] / (double)n;
    }
  for (gsize i = 0; i < m; i++)
    {
      apart += pow (mean[i] - mean[m + i], 2);
      size += pow (mean[i], 2);
    }
  return sqrt (apart / size);
}

/* Gradients are relative to the dominant direction: the mean tensor of a turned image is that of the image. With upright
 * frames it is not. */
static void
test_turned (void)
{
  static const char *const kinds[] = { "linear", "rbf", "covariance", "autocorrelation" };

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      double upright = turned_distance (kinds[k], 0.5 * G_PI, TRUE), oblique = turned_distance (kinds[k], 0.6, TRUE);

      g_assert_cmpfloat (turned_distance (kinds[k], 0.5 * G_PI, FALSE), <, MIN (0.01, upright / 3));
      g_assert_cmpfloat (turned_distance (kinds[k], 0.6, FALSE), <, 0.7 * oblique);
    }
}

/* A flat image, those too small for a detector or for the grid, and one of a pixel have one frame: upright, in the middle,
 * as wide as the shorter side. Local features have none, and the error names the image. */
static void
test_none (void)
{
  static const struct
  {
    const char *frames;
    int width, height;
    gboolean flat;
  } cases[] = { { "keypoints", 50, 70, TRUE },
                { "keypoints", 9, 40, FALSE },
                { "dense-scales", 30, 14, FALSE },
                { "keypoints", 1, 1, FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TosstRecipe) recipe
          = recipe_new ((const char *const[]){ "descriptor.frames", cases[i].frames, "descriptor.patch", "6", NULL });
      g_autoptr (TosstImage) image = tosst_image_new (cases[i].width, cases[i].height, 1);
      g_autoptr (GError) error = NULL;
      gboolean found = TRUE;
      gsize n;

      for (int p = 0; p < image->width * image->height; p++)
        image->data[p] = cases[i].flat ? 0.4f : (float)(p % 7) / 7;
      image->maximum = 0;
      g_autofree TosstFrame *frames = tosst_frames_of_image (recipe, image, &n, &found, "wall.png", &error);
      g_assert_no_error (error);
      g_assert_cmpuint (n, ==, 1);
      g_assert_false (found);
      g_assert_cmpfloat (frames->x, ==, 0.5 * (cases[i].width - 1));
      g_assert_cmpfloat (frames->y, ==, 0.5 * (cases[i].height - 1));
      g_assert_cmpfloat_with_epsilon (2 * TOSST_FRAME_EXTENT * frames->a[0], MIN (image->width, image->height), 1e-5);
      g_assert_true (frames->a[1] == 0 && frames->a[2] == 0 && frames->a[3] == frames->a[0]);
      g_autofree float *tensor = describe (recipe, image, NULL, frames, 1);
      for (gsize k = 0; k < tosst_shape_numbers (tosst_recipe_shape (recipe)); k++)
        g_assert_true (isfinite (tensor[k]));
      TosstFrameOptions options;
      tosst_recipe_frame_options (recipe, &options);
      g_assert_null (
          tosst_frames_of_plane (&options, image->data, image->width, image->height, &n, "wall.png", &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_EMPTY);
      g_assert_nonnull (strstr (error->message, "wall.png"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frames/pixels", test_pixels);
  g_test_add_func ("/frames/light", test_light);
  g_test_add_func ("/frames/turned", test_turned);
  g_test_add_func ("/frames/none", test_none);
  return g_test_run ();
}

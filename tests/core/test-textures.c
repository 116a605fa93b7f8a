/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/textures.h"

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/image/probe.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static char *
checksum (guint texture, guint variant, gboolean grey)
{
  g_autoptr (TosstImage) image = tosst_textures_render (texture, variant, grey);
  gsize samples = (gsize)image->width * (gsize)image->height * (gsize)image->channels;
  g_autofree guint8 *levels = g_malloc (samples);

  for (gsize i = 0; i < samples; i++)
    levels[i] = (guint8)lroundf (image->data[i] * 255.0f);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, levels, samples);
}

/* A texture is the same each time and in any order, and differs for every class and variant. */
static void
test_deterministic (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = TOSST_TEXTURES;

  for (guint texture = 0; texture < n; texture++)
    for (guint variant = 0; variant < 3; variant++)
      g_assert_true (g_hash_table_add (seen, checksum (texture, variant, FALSE)));
  for (guint texture = n; texture-- > 0;)
    for (guint variant = 3; variant-- > 0;)
      {
        g_autofree char *again = checksum (texture, variant, FALSE);

        g_assert_true (g_hash_table_contains (seen, again));
      }
}

static void
test_contract (void)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  g_assert_cmpuint (TOSST_TEXTURES, >=, 14);
  g_assert_cmpuint (TOSST_TEXTURE_IMAGES, ==, 30);
  for (guint texture = 0; texture < TOSST_TEXTURES; texture++)
    {
      g_autoptr (TosstImage) colour = tosst_textures_render (texture, 29, FALSE);
      g_autoptr (TosstImage) grey = tosst_textures_render (texture, 29, TRUE);
      gsize pixels = (gsize)TOSST_TEXTURE_SIZE * (gsize)TOSST_TEXTURE_SIZE;

      g_assert_true (g_hash_table_add (names, (gpointer)tosst_textures_name (texture)));
      g_assert_cmpint (colour->width, ==, TOSST_TEXTURE_SIZE);
      g_assert_cmpint (colour->height, ==, TOSST_TEXTURE_SIZE);
      g_assert_cmpint (colour->channels, ==, 3);
      g_assert_cmpint (grey->channels, ==, 1);
      for (gsize i = 0; i < 3 * pixels; i++)
        {
          float level = colour->data[i] * 255.0f;

          g_assert_true (level >= 0.0f && level <= 255.0f);
          g_assert_cmpfloat (roundf (level) / 255.0f, ==, colour->data[i]);
        }
      /* Grey is the luminance, rounded to a level. */
      for (gsize i = 0; i < pixels; i++)
        {
          const float *rgb = colour->data + i;
          double luminance = 0.299 * rgb[0] + 0.587 * rgb[pixels] + 0.114 * rgb[2 * pixels];

          g_assert_cmpfloat_with_epsilon ((double)grey->data[i], luminance, 0.5001 / 255.0);
        }
    }
}

static double
mean_grey (guint texture, guint variant)
{
  g_autoptr (TosstImage) image = tosst_textures_render (texture, variant, TRUE);
  double sum = 0.0;

  for (int i = 0; i < image->width * image->height; i++)
    sum += (double)image->data[i];
  return sum / (image->width * image->height);
}

/* Brightness alone must not separate the classes: nearest class mean, half of the images each to train and to test.
 */
static void
test_brightness_says_little (void)
{
  guint n = TOSST_TEXTURES, half = TOSST_TEXTURE_IMAGES / 2, right = 0;
  g_autofree double *centre = g_new0 (double, n);

  for (guint texture = 0; texture < n; texture++)
    for (guint i = 0; i < half; i++)
      centre[texture] += mean_grey (texture, i) / half;
  for (guint texture = 0; texture < n; texture++)
    for (guint i = half; i < 2 * half; i++)
      {
        double grey = mean_grey (texture, i);
        guint best = 0;

        for (guint k = 1; k < n; k++)
          if (fabs (grey - centre[k]) < fabs (grey - centre[best]))
            best = k;
        right += best == texture;
      }
  g_test_message ("nearest mean grey: %.1f %% of %u classes", 100.0 * right / (n * half), n);
  g_assert_cmpfloat (100.0 * right / (n * half), <, 25.0);
}

/* Enough structure to learn from: neighbouring pixels are similar, distant ones are not all similar. */
static void
test_has_structure (void)
{
  for (guint texture = 0; texture < TOSST_TEXTURES; texture++)
    {
      g_autoptr (TosstImage) image = tosst_textures_render (texture, 5, TRUE);
      int size = image->width;
      double sum = 0.0, squares = 0.0, steps = 0.0, n = (double)size * size;

      for (int i = 0; i < size * size; i++)
        {
          double value = (double)image->data[i], next = (double)image->data[i % size == size - 1 ? i - 1 : i + 1];

          sum += value;
          squares += value * value;
          steps += (value - next) * (value - next);
        }
      squares = squares / n - sum / n * (sum / n);
      g_assert_cmpfloat (sqrt (squares), >, 0.05);
      g_assert_cmpfloat (steps / n, <, 1.6 * squares);
    }
}

static void
test_wave (void)
{
  for (double t = -3.0; t < 3.0; t += 0.01)
    g_assert_cmpfloat_with_epsilon (tosst_wave (t), cos (2.0 * G_PI * t), 1e-6);
}

static void
test_write (void)
{
  g_autofree char *path = g_dir_make_tmp ("tosst-textures-XXXXXX", NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (path);
  g_autoptr (GFile) out = g_file_resolve_relative_path (folder, "new/textures");
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_textures_write (out, FALSE, &error));
  g_assert_no_error (error);
  for (guint texture = 0; texture < TOSST_TEXTURES; texture++)
    {
      const char *name = tosst_textures_name (texture);
      g_autofree char *last = g_strdup_printf ("%s/%s-29.png", name, name);
      g_autoptr (GFile) file = g_file_resolve_relative_path (out, last);
      g_autoptr (TosstImage) expected = tosst_textures_render (texture, 29, FALSE);
      g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, &error);
      gsize bytes = 3 * sizeof (float) * (gsize)expected->width * (gsize)expected->height;

      g_assert_no_error (error);
      g_assert_cmpmem (image->data, bytes, expected->data, bytes);
    }
  tosst_remove_tree (path);
}

static void
test_write_refused (void)
{
  g_autofree char *path = g_dir_make_tmp ("tosst-textures-XXXXXX", NULL);
  g_autofree char *blocked = g_build_filename (path, "file", NULL);
  g_autoptr (GFile) out = g_file_new_for_path (blocked);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (blocked, "x", 1, NULL));
  g_assert_false (tosst_textures_write (out, FALSE, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_OUTPUT);
  g_assert_nonnull (strstr (error->message, blocked));
  tosst_remove_tree (path);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/textures/deterministic", test_deterministic);
  g_test_add_func ("/textures/contract", test_contract);
  g_test_add_func ("/textures/brightness-says-little", test_brightness_says_little);
  g_test_add_func ("/textures/has-structure", test_has_structure);
  g_test_add_func ("/textures/wave", test_wave);
  g_test_add_func ("/textures/write", test_write);
  g_test_add_func ("/textures/write-refused", test_write_refused);
  return g_test_run ();
}

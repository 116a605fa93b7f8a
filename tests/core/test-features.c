/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of local features, and the features of an image.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/format/npy.h"
#include "core/image/probe.h"
#include "core/local/features.h"
#include "tosst/context.h"

/* A folder with files of features, removed at the end. */
typedef struct
{
  char *path;
  GFile *folder;
} Place;

static void
place_set_up (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  (void)data;
  place->path = g_dir_make_tmp ("features-XXXXXX", &error);
  g_assert_no_error (error);
  place->folder = g_file_new_for_path (place->path);
}

static void
place_tear_down (Place *place, gconstpointer data)
{
  g_autoptr (GDir) files = g_dir_open (place->path, 0, NULL);
  const char *name;

  (void)data;
  while ((name = g_dir_read_name (files)) != NULL)
    {
      g_autofree char *path = g_build_filename (place->path, name, NULL);
      g_unlink (path);
    }
  g_rmdir (place->path);
  g_free (place->path);
  g_object_unref (place->folder);
}

static void
write_array (const Place *place, const char *name, int ndim, const gsize *shape, const double *values)
{
  g_autoptr (GFile) file = g_file_get_child (place->folder, name);
  g_autoptr (TosstNpy) array = tosst_npy_new (TOSST_NPY_FLOAT64, ndim, shape);
  g_autoptr (GError) error = NULL;

  memcpy (array->data, values, array->count * sizeof *values);
  g_assert_true (tosst_npy_write (array, file, &error));
  g_assert_no_error (error);
}

static void
expect_failure (const Place *place, const char *id, const char *fragment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = tosst_features_read (place->folder, id, &error);

  g_assert_null (features);
  g_assert_nonnull (error);
  if (strstr (error->message, fragment) == NULL)
    g_error ("%s: %s", id, error->message);
}

/* A map, vectors with positions, and an archive of both. */
static void
test_files (Place *place, gconstpointer data)
{
  static const double map[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, places[4] = { 0, 0.25, 1, 0.75 };
  g_autoptr (GError) error = NULL;

  (void)data;
  write_array (place, "map.npy", 3, (gsize[]){ 2, 3, 2 }, map);
  g_autoptr (TosstFeatures) cells = tosst_features_read (place->folder, "map", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (cells->n, ==, 6);
  g_assert_cmpint (cells->D, ==, 2);
  g_assert_cmpfloat (cells->x[7], ==, 8);
  g_assert_cmpfloat_with_epsilon (cells->xy[2], 0.5, 1e-15);
  g_assert_cmpfloat_with_epsilon (cells->xy[3], 0.25, 1e-15);
  g_assert_cmpfloat_with_epsilon (cells->xy[11], 0.75, 1e-15);

  write_array (place, "set.npy", 2, (gsize[]){ 2, 6 }, map);
  write_array (place, "set.xy.npy", 2, (gsize[]){ 2, 2 }, places);
  g_autoptr (TosstFeatures) set = tosst_features_read (place->folder, "set", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (set->n, ==, 2);
  g_assert_cmpint (set->D, ==, 6);
  g_assert_cmpfloat (set->xy[2], ==, 1);

  g_autoptr (GFile) archive = g_file_get_child (place->folder, "pack.npz");
  g_assert_true (tosst_features_write (set, archive, &error));
  g_autoptr (TosstFeatures) pack = tosst_features_read (place->folder, "pack", &error);
  g_assert_no_error (error);
  g_assert_cmpmem (pack->x, 12 * sizeof (float), set->x, 12 * sizeof (float));
  g_assert_cmpmem (pack->xy, 4 * sizeof (double), set->xy, 4 * sizeof (double));
}

static void
test_bad_files (Place *place, gconstpointer data)
{
  static const double values[12] = { 1, 2, 3, NAN, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const double outside[4] = { 0, 0.25, 1.5, 0.75 };

  (void)data;
  expect_failure (place, "none", "neither none.npz nor none.npy");
  write_array (place, "alone.npy", 2, (gsize[]){ 1, 3 }, values);
  expect_failure (place, "alone", "alone.xy.npy");
  write_array (place, "empty.npy", 3, (gsize[]){ 0, 3, 2 }, values);
  expect_failure (place, "empty", "empty");
  write_array (place, "nan.npy", 3, (gsize[]){ 2, 3, 2 }, values);
  expect_failure (place, "nan", "row");
  write_array (place, "flat.npy", 1, (gsize[]){ 3 }, values);
  write_array (place, "flat.xy.npy", 2, (gsize[]){ 2, 2 }, outside);
  expect_failure (place, "flat", "an array (N, D) is expected");
  write_array (place, "far.npy", 2, (gsize[]){ 2, 1 }, values);
  write_array (place, "far.xy.npy", 2, (gsize[]){ 2, 2 }, outside);
  expect_failure (place, "far", "position 1.5 in row 1");
  write_array (place, "few.npy", 2, (gsize[]){ 3, 1 }, values);
  write_array (place, "few.xy.npy", 2, (gsize[]){ 2, 2 }, outside);
  expect_failure (place, "few", "positions of 3 features");
  write_array (place, "large.npy", 3, (gsize[]){ 1, 1, 2 }, (double[]){ 1, -3e38 });
  expect_failure (place, "large", "large.npy has entries up to 3e+38, more than 1e+12");
}

/* Noise of some size, with the same value in all channels. */
static TosstImage *
noise (int width, int height)
{
  TosstImage *image = tosst_image_new (width, height, 1);
  TosstRandom random;

  tosst_random_init (&random, 11, 1);
  for (int i = 0; i < width * height; i++)
    image->data[i] = (float)tosst_random_uniform (&random);
  return image;
}

static void
test_sift_features (void)
{
  g_autoptr (TosstImage) image = noise (120, 80), flat = tosst_image_new (60, 60, 1), tiny = noise (15, 15);
  g_autoptr (TosstFeatures) features = NULL, reduced = NULL;
  g_autoptr (GError) error = NULL;
  TosstSiftOptions options;

  tosst_sift_options_default (&options);
  features = tosst_features_sift (image, &options, 0, 0.0001, "noise", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (features->n, ==, tosst_sift_count (&options, 120, 80));
  g_assert_cmpfloat_with_epsilon (features->xy[0], 9.5 / 120, 1e-15);
  g_assert_cmpfloat_with_epsilon (features->xy[1], 9.5 / 80, 1e-15);
  reduced = tosst_features_sift (image, &options, 60, 0.0001, "noise", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (reduced->n, ==, tosst_sift_count (&options, 60, 40));
  for (int i = 0; i < 3600; i++)
    flat->data[i] = 0.3f;
  g_assert_null (tosst_features_sift (flat, &options, 0, 0.0001, "flat", &error));
  g_assert_nonnull (strstr (error->message, "flat is flat"));
  g_clear_error (&error);
  g_assert_null (tosst_features_sift (tiny, &options, 0, 0.0001, "tiny", &error));
  g_assert_nonnull (strstr (error->message, "15 × 15"));
}

/* Each pixel is the mean of its area, so that the mean of the image remains. */
static void
test_reduce (void)
{
  static const double wide[6] = { 1, 2, 3, 4, 5, 6 };
  float narrow[4], thirds[2];
  double large[35 * 24], sum = 0, reduced_sum = 0;
  float small[13 * 7];

  tosst_image_reduce (wide, 3, 2, narrow, 3, 1);
  g_assert_cmpfloat (narrow[0], ==, 2.5);
  g_assert_cmpfloat (narrow[2], ==, 4.5);
  tosst_image_reduce (wide, 3, 2, thirds, 2, 1); /* 1.5 columns each */
  g_assert_cmpfloat_with_epsilon (thirds[0], (2.5 + 0.5 * 3.5) / 1.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (thirds[1], (0.5 * 3.5 + 4.5) / 1.5, 1e-6);
  for (int i = 0; i < 35 * 24; i++)
    sum += large[i] = (i * 37 % 101) / 101.0;
  tosst_image_reduce (large, 35, 24, small, 13, 7);
  for (int i = 0; i < 13 * 7; i++)
    reduced_sum += small[i];
  g_assert_cmpfloat_with_epsilon (sum / (35 * 24), reduced_sum / (13 * 7), 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/features/files", Place, NULL, place_set_up, test_files, place_tear_down);
  g_test_add ("/features/bad-files", Place, NULL, place_set_up, test_bad_files, place_tear_down);
  g_test_add_func ("/features/sift", test_sift_features);
  g_test_add_func ("/features/reduce", test_reduce);
  return g_test_run ();
}

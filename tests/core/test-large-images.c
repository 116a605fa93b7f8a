/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Photographs of many megapixels: time, memory and disk space of a run are known before it begins, and bounded.
 */
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/frames.h"
#include "core/image/probe.h"
#include "core/local/image-tensors.h"
#include "core/local/texture-vectors.h"
#include "core/run/hash.h"
#include "core/run/run.h"
#include "core/sweep/private.h"
#include "core/sweep/sweep.h"

#define WIDTH 4000
#define HEIGHT 3600
#define IMAGES 4 /* two classes of two */

static char *folder;

static char *
path_of (guint i)
{
  static const char *const classes[] = { "bark", "moss" };
  g_autofree char *name = g_strdup_printf ("%u.jpg", i);

  return g_build_filename (folder, classes[i / 2], name, NULL);
}

static void
write_images (void)
{
  g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, WIDTH, HEIGHT);
  guchar *data = gdk_pixbuf_get_pixels (pixels);
  int stride = gdk_pixbuf_get_rowstride (pixels);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      memset (data + y * stride + 3 * x, ((x / 37) ^ (y / 23)) % 2 ? 60 + x % 128 : 190 - y % 128, 3);
  for (guint i = 0; i < IMAGES; i++)
    {
      g_autofree char *path = path_of (i), *parent = g_path_get_dirname (path);

      g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
      memset (data, 60 * (int)i, 3 * 16);
      g_assert_true (gdk_pixbuf_save (pixels, path, "jpeg", NULL, NULL));
    }
}

static void
remove_images (void)
{
  for (guint i = 0; i < IMAGES; i++)
    {
      g_autofree char *path = path_of (i), *parent = g_path_get_dirname (path);

      g_unlink (path);
      g_rmdir (parent);
    }
  g_rmdir (folder);
}

static TosstRecipe *
make_recipe (const char *const values[][2], gsize n)
{
  TosstRecipe *recipe = tosst_recipe_new ();
  g_autoptr (GError) error = NULL;

  tosst_recipe_set (recipe, "dataset.kind", "folders", &error);
  tosst_recipe_set (recipe, "dataset.path", folder, &error);
  for (gsize i = 0; i < n; i++)
    tosst_recipe_set (recipe, values[i][0], values[i][1], &error);
  g_assert_no_error (error);
  return recipe;
}

static double
estimate_seconds (const TosstRecipe *recipe, TosstDataset *dataset)
{
  g_autoptr (TosstSweepPlan) plan = tosst_sweep_plan_new_run (recipe, dataset);
  const TosstSweepOptions options = { .jobs = 1 };
  TosstContext *context = tosst_context_new (1);
  TosstSweepEstimate estimate;
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_sweep_estimate (plan, &options, context, &estimate, &error));
  g_assert_no_error (error);
  tosst_context_free (context);
  return estimate.seconds;
}

/* An image of 14 megapixels needs more than 256 MB; its time is measured all the same, and the filter responses of the
 * covariance are those of a smaller one. */
static void
test_covariance (void)
{
  static const char *const values[][2] = { { "descriptor.kind", "image-covariance" } };
  g_autoptr (TosstRecipe) recipe = make_recipe (values, G_N_ELEMENTS (values));
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  TosstRunEstimate one, two;

  g_assert_cmpuint (dataset->entries->len, ==, IMAGES);
  g_assert_cmpuint (tosst_dataset_largest_pixels (dataset, 0), ==, WIDTH * HEIGHT);
  g_assert_cmpuint (tosst_dataset_largest_bytes (dataset, 0), >, TOSST_SWEEP_LARGE_IMAGE);
  tosst_run_estimate (recipe, dataset, 1, &one);
  tosst_run_estimate (recipe, dataset, 2, &two);
  /* The decoded image, a plane of float64, and eight planes of the reduced image. */
  g_assert_cmpuint (one.images, ==, tosst_dataset_largest_bytes (dataset, 0) + (gsize)WIDTH * HEIGHT * 8);
  g_assert_cmpuint (two.images, ==, 2 * one.images);
  g_assert_cmpuint (two.bytes - one.bytes, <, one.images + ((gsize)96 << 20));
  g_assert_true (isfinite (estimate_seconds (recipe, dataset)));
}

/* These images have so many patches that only some are measured. */
static void
test_patches (void)
{
  static const char *const values[][2]
      = { { "descriptor.kind", "linear" }, { "dictionary.atoms", "20" }, { "dataset.splits", "1" } };
  g_autoptr (TosstRecipe) recipe = make_recipe (values, G_N_ELEMENTS (values));
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);

  g_assert_true (isfinite (estimate_seconds (recipe, dataset)));
}

/* Frames of patches are found in as many whole images as there are threads. */
static void
test_frames (void)
{
  static const char *const values[][2] = { { "descriptor.kind", "linear" }, { "descriptor.frames", "keypoints" } };
  g_autoptr (TosstRecipe) recipe = make_recipe (values, G_N_ELEMENTS (values));
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);
  TosstRunEstimate two;

  tosst_run_estimate (recipe, dataset, 2, &two);
  g_assert_cmpuint (two.images, ==, 2 * (tosst_dataset_largest_bytes (dataset, 0) + (gsize)WIDTH * HEIGHT * 8));
  g_assert_cmpuint (two.bytes, >, two.images);
}

/* The description of a large image is that of the reduced one. */
static void
test_reduced (void)
{
  static const char *const kinds[] = { "image-covariance", "lbp" };
  g_autofree char *path = path_of (0);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, NULL);
  g_autoptr (TosstImage) small = tosst_image_reduced (image, TOSST_TEXTURE_LONGEST);

  g_assert_cmpint (small->width, ==, TOSST_TEXTURE_LONGEST);
  g_assert_cmpint (small->height, ==, (int)lround (TOSST_TEXTURE_LONGEST * (double)HEIGHT / WIDTH));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const char *const values[][2] = { { "descriptor.kind", kinds[i] } };
      g_autoptr (TosstRecipe) recipe = make_recipe (values, 1);
      gsize length = (gsize)tosst_recipe_dimension (recipe);
      g_autofree float *of_large = g_new0 (float, length), *of_small = g_new0 (float, length);
      g_autoptr (GError) error = NULL;

      tosst_describe_texture (recipe, image, NULL, 1, "large", of_large, &error);
      g_assert_no_error (error);
      tosst_describe_texture (recipe, small, NULL, 1, "small", of_small, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (of_large, length * sizeof (float), of_small, length * sizeof (float));
    }
}

/* The result of an earlier version, which described whole images, is not taken for that of this one. */
static void
test_hash (void)
{
  static const char *const values[][2] = { { "descriptor.kind", "lbp" }, { "dataset.within", "1" } };
  g_autoptr (TosstRecipe) recipe = make_recipe (values, 1), nested = make_recipe (values, 2);
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL), part = NULL;
  const char *key = dataset->key, *fingerprint = dataset->fingerprint;
  g_autofree char *now = tosst_run_hash (recipe, key, -1), *then = tosst_run_hash (recipe, fingerprint, -1);

  g_assert_true (g_str_has_prefix (key, fingerprint));
  g_assert_cmpint (atoi (strchr (key, ':') + 1), ==, WIDTH);
  g_assert_cmpstr (now, !=, then);
  part = tosst_dataset_of_run (dataset, nested, NULL);
  g_assert_nonnull (part);
  g_assert_cmpstr (part->key, ==, key);
}

/* An image of 80 megapixels, whose decoding would take 1.6 GB, is one of a data set with its own size. A recipe that reduces
 * it has no more than a small part of it in memory, and frames in its pixels. */
static void
test_huge (void)
{
  enum
  {
    HUGE_WIDTH = 10000,
    HUGE_HEIGHT = 8000
  };
  static const char *const values[][2]
      = { { "descriptor.kind", "sift" }, { "descriptor.frames", "keypoints" }, { "descriptor.upright", "true" } };
  g_autoptr (TosstRecipe) recipe = make_recipe (values, G_N_ELEMENTS (values)), texture = tosst_recipe_copy (recipe);
  g_autofree char *path = g_build_filename (folder, "moss", "huge.pbm", NULL);
  FILE *stream = g_fopen (path, "wb");
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstImage) image = NULL;
  g_autoptr (TosstFeatures) features = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  guint8 row[HUGE_WIDTH / 8];
  gboolean far = FALSE;
  TosstImageProbe probe;

  fprintf (stream, "P4 %d %d\n", HUGE_WIDTH, HUGE_HEIGHT);
  for (int y = 0; y < HUGE_HEIGHT; y++)
    {
      for (int x = 0; x < HUGE_WIDTH / 8; x++)
        row[x] = ((x / 71) ^ (y / 453)) % 3 == 0 ? 0xFF : 0;
      fwrite (row, sizeof row, 1, stream);
    }
  g_assert_cmpint (fclose (stream), ==, 0);
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->entries->len, ==, IMAGES + 1);
  g_assert_cmpint (tosst_dataset_image (dataset, IMAGES)->width, ==, HUGE_WIDTH);
  g_assert_cmpuint (tosst_dataset_image_bytes (dataset, IMAGES, 0), >, TOSST_IMAGE_WHOLE);
  g_assert_cmpuint (tosst_dataset_image_bytes (dataset, IMAGES, 500), <, 50000000);
  image = tosst_dataset_read_for (dataset, IMAGES, 500, &error);
  g_assert_no_error (error);
  g_assert_cmpint (image->width, ==, HUGE_WIDTH / 8);
  g_assert_cmpint (image->height, ==, HUGE_HEIGHT / 8);
  features = tosst_local_features (recipe, dataset, IMAGES, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < features->n; i++)
    {
      g_assert_cmpfloat (fabs ((features->frames[i].x + 0.5) / HUGE_WIDTH - features->xy[2 * i]), <, 1e-3);
      far = far || features->frames[i].x > HUGE_WIDTH / 2;
    }
  g_assert_true (far);
  /* Images of a few megapixels are decoded as they are. */
  tosst_image_free (g_steal_pointer (&image));
  image = tosst_dataset_read_for (dataset, 0, 500, NULL);
  g_assert_cmpint (image->width, ==, WIDTH);
  tosst_recipe_set (texture, "descriptor.kind", "image-covariance", NULL);
  g_assert_true (tosst_image_probe (file, &probe, NULL));
  g_assert_cmpint (tosst_image_probe_divisor (&probe, tosst_recipe_longest (texture), 0), ==, 4);
  g_unlink (path);
}

/* Where images take most of the memory, the sentence says so. */
static void
test_sentence (void)
{
  const TosstRunEstimate needs = { .images = 6000000000, .bytes = 8000000000, .available = 4000000000 };
  const TosstRunEstimate others = { .images = 1000000000, .bytes = 8000000000, .available = 4000000000 };
  g_autoptr (GError) error = NULL, other = NULL;

  g_assert_false (tosst_run_fits (&needs, &error));
  g_assert_nonnull (strstr (error->message, "threads"));
  g_assert_false (tosst_run_fits (&others, &other));
  g_assert_null (strstr (other->message, "threads"));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("tosst-large-XXXXXX", NULL);
  write_images ();
  g_test_add_func ("/large-images/covariance", test_covariance);
  g_test_add_func ("/large-images/patches", test_patches);
  g_test_add_func ("/large-images/frames", test_frames);
  g_test_add_func ("/large-images/reduced", test_reduced);
  g_test_add_func ("/large-images/hash", test_hash);
  g_test_add_func ("/large-images/huge", test_huge);
  g_test_add_func ("/large-images/sentence", test_sentence);
  status = g_test_run ();
  remove_images ();
  g_free (folder);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs on patches at frames and on patches without their light: the same result however tensors are kept, and models
 * whose files decide as the run did.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "../small-images.h"
#include "core/base/error.h"
#include "core/data/frames.h"
#include "core/dictionary/model.h"
#include "core/predict/class-map.h"
#include "core/predict/predictor.h"
#include "core/run/hash.h"
#include "core/run/run.h"
#include "small-run.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

typedef struct
{
  char *folder;
  TosstRecipe *recipe;
  TosstDataset *dataset;
  TosstContext *context;
} Fixture;

/* data: values of the recipe. */
static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("tosst-frames-XXXXXX", NULL);
  write_small_images (self->folder);
  self->recipe = small_recipe (self->folder);
  set_text (self->recipe, "descriptor.most=60");
  set_text (self->recipe, data);
  self->context = tosst_context_new (2);
  self->dataset = tosst_dataset_open (self->recipe, NULL, NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  remove_small_images (self->folder);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  tosst_context_free (self->context);
  g_free (self->folder);
}

static TosstModel *
reread (const TosstModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_model_to_bytes (model, "m.npz", &error);
  TosstModel *read;

  g_assert_no_error (error);
  read = tosst_model_from_bytes (bytes, "m.npz", &error);
  g_assert_no_error (error);
  return read;
}

/* The file of the model classifies the test images of the first split as the run did. */
static void
test_model (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstModel) model = NULL;
  g_autoptr (TosstPredictor) predictor = NULL;
  const GArray *predictions;

  result = tosst_run_execute (self->recipe, self->dataset, self->context, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (result->split[0].accuracy, >, 0.5);
  model = reread (result->model);
  predictor = tosst_predictor_new (model, self->context, &error);
  g_assert_no_error (error);
  predictions = result->split[0].predictions;
  g_assert_cmpuint (predictions->len, ==, 12);
  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);
      guint number = tosst_dataset_sample (self->dataset, one->sample)->image;
      g_autoptr (TosstImage) image = tosst_dataset_read_for (self->dataset, number, 0, NULL);
      double margins[3];

      g_assert_cmpint (tosst_predictor_classify (predictor, self->context, image, margins, &error), ==, one->predicted);
      g_assert_no_error (error);
    }
}

/* Two images side by side, and a flat one beside them. */
static TosstImage *
side_by_side (const TosstImage *a, const TosstImage *b)
{
  TosstImage *image = tosst_image_new (3 * 64, 64, 1);

  image->maximum = 0;
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 3 * 64; x++)
      image->data[y * 3 * 64 + x] = x < 64 ? a->data[y * 64 + x] : x < 128 ? b->data[y * 64 + x - 64] : 0.5f;
  return image;
}

static TosstImage *
flat_image (int width)
{
  TosstImage *image = tosst_image_new (width, 64, 1);

  image->maximum = 0;
  for (int i = 0; i < width * 64; i++)
    image->data[i] = 0.5f;
  return image;
}

static TosstImage *
read_grey (TosstDataset *dataset, guint index)
{
  g_autoptr (TosstImage) image = tosst_dataset_read_for (dataset, index, 0, NULL);

  return tosst_image_reduced (image, 0);
}

/* Models that describe whole images classify each window as an image; one without local features has means of the
 * others. */
static void
check_windows (Fixture *self, const TosstPredictor *predictor)
{
  g_autoptr (TosstImage) first = read_grey (self->dataset, 0), last = read_grey (self->dataset, 20),
                         wide = side_by_side (first, last), flat = flat_image (64);
  const TosstImage *const parts[] = { first, last, flat };
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstClassMap) map = tosst_class_map_new (predictor, self->context, wide, 64, 64, &error);
  gboolean local = tosst_recipe_is_local (self->recipe);
  double margins[3][3];

  g_assert_no_error (error);
  g_assert_cmpint (map->columns, ==, 3);
  g_assert_cmpint (map->rows, ==, 1);
  for (int i = 0; i < (local ? 2 : 3); i++)
    {
      g_assert_cmpint (tosst_predictor_classify (predictor, self->context, parts[i], margins[i], NULL), ==,
                       map->class_index[i]);
      for (int c = 0; c < 3; c++)
        g_assert_cmpfloat_with_epsilon (map->margins[3 * i + c], margins[i][c], 1e-5);
    }
  /* Distances 2 and 1. */
  for (int c = 0; c < 3 && local; c++)
    g_assert_cmpfloat_with_epsilon (map->margins[6 + c], (0.25 * margins[0][c] + margins[1][c]) / 1.25, 1e-5);
}

/* A default step, and what cannot be mapped. */
static void
check_limits (Fixture *self, const TosstPredictor *predictor)
{
  g_autoptr (TosstImage) first = read_grey (self->dataset, 0), last = read_grey (self->dataset, 20),
                         wide = side_by_side (first, last), flat = flat_image (80);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstClassMap) map = tosst_class_map_new (predictor, self->context, wide, 0, 0, &error);

  g_assert_no_error (error);
  g_assert_cmpint (map->window, ==, 64);
  g_assert_cmpint (map->step, ==, 16);
  g_assert_null (tosst_class_map_new (predictor, self->context, wide, 65, 0, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_clear_error (&error);
  g_assert_null (tosst_class_map_new (predictor, self->context, wide, 15, 0, &error));
  g_assert_nonnull (strstr (error->message, "a window of 15 pixels has no frames"));
  g_clear_error (&error);
  if (tosst_recipe_is_local (self->recipe))
    {
      g_assert_null (tosst_class_map_new (predictor, self->context, flat, 0, 0, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
      g_clear_error (&error);
    }
  tosst_context_cancel (self->context);
  g_assert_null (tosst_class_map_new (predictor, self->context, wide, 0, 0, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  tosst_context_reset (self->context);
}

/* A map of one window is the class of the image. */
static void
test_map (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstRunResult) result
      = tosst_run_execute (self->recipe, self->dataset, self->context, NULL, NULL, &error);
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (result->model, self->context, NULL);
  g_autoptr (TosstImage) image = tosst_dataset_read_for (self->dataset, 20, 0, NULL);
  g_autoptr (TosstClassMap) map = tosst_class_map_new (predictor, self->context, image, 64, 12, &error);
  double margins[3];

  g_assert_no_error (error);
  if (tosst_recipe_has_frames (self->recipe))
    {
      check_windows (self, predictor);
      check_limits (self, predictor);
    }
  g_assert_cmpint (map->columns * map->rows, ==, 1);
  g_assert_cmpint (tosst_predictor_classify (predictor, self->context, image, margins, NULL), ==, map->class_index[0]);
  for (int c = 0; c < 3; c++)
    g_assert_cmpfloat_with_epsilon (map->margins[c], margins[c], 1e-5);
}

static void
write_grey (const char *folder, const char *name, int side)
{
  g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, side, side);
  g_autofree char *path = g_build_filename (folder, "across", name, NULL);

  gdk_pixbuf_fill (pixels, 0x808080ff);
  g_assert_true (gdk_pixbuf_save (pixels, path, "png", NULL, NULL));
}

/* A flat image, and one smaller than a patch: they are samples, and the result and its report count them. */
static void
test_unfound (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autofree char *json = NULL;

  write_grey (self->folder, "0.png", 64);
  write_grey (self->folder, "1.png", 9);
  tosst_dataset_unref (self->dataset);
  self->dataset = tosst_dataset_open (self->recipe, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (self->dataset->entries->len, ==, 3 * SMALL_IMAGES);
  result = tosst_run_execute (self->recipe, self->dataset, self->context, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result->unfound, ==, 2);
  g_assert_cmpuint (result->empty, ==, 0);
  json = tosst_run_result_to_json (result, self->recipe);
  g_assert_nonnull (strstr (json, "\"images_without_frames\" : 2,"));
}

static void
assert_hash (const char *values, const char *more, gboolean same)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new (), other = NULL;
  g_autofree char *a = NULL, *b = NULL;

  set_text (recipe, values);
  other = tosst_recipe_copy (recipe);
  set_text (other, more);
  a = tosst_run_hash (recipe, "f", -1);
  b = tosst_run_hash (other, "f", -1);
  g_assert_cmpint (g_str_equal (a, b), ==, same);
}

/* What has no effect is not part of the hash of a run; what has is. */
static void
test_hash (void)
{
  assert_hash ("descriptor.frames=grid", "descriptor.detector=dog descriptor.most=7 descriptor.photometric=false",
               TRUE);
  assert_hash ("descriptor.frames=keypoints", "descriptor.step=3", TRUE);
  assert_hash ("descriptor.frames=keypoints descriptor.detector=dog", "descriptor.detector=hessian", FALSE);
  assert_hash ("descriptor.frames=keypoints", "descriptor.upright=true", FALSE);
  assert_hash ("descriptor.frames=keypoints", "descriptor.frames=dense-scales", FALSE);
  assert_hash ("descriptor.kind=covariance", "descriptor.photometric=true", FALSE);
  assert_hash ("descriptor.kind=sift", "descriptor.photometric=true", TRUE);
}

#define RAW "descriptor.kind=covariance coding.method=log-euclidean"

static const struct
{
  const char *name, *values;
} recipes[] = {
  { "tensor", "descriptor.kind=linear descriptor.frames=keypoints" },
  { "covariance", RAW " descriptor.frames=keypoints descriptor.photometric=true descriptor.shape=affine" },
  { "upright", RAW " descriptor.frames=keypoints descriptor.upright=true descriptor.detector=dog" },
  { "scales", RAW " descriptor.frames=dense-scales descriptor.most=30" },
  { "light", "descriptor.kind=linear descriptor.photometric=true" },
  { "features",
    "descriptor.kind=sift descriptor.frames=keypoints coding.method=fisher coding.gaussians=4 descriptor.pca=8" },
};

/* Keypoints of small images are fewer than the most, in proportion to the pixels; a grid has as many as it may. */
static void
test_expected (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  set_text (recipe, "descriptor.kind=sift descriptor.frames=keypoints descriptor.most=2000");
  gsize small = tosst_frames_expected (recipe, 100, 100), four = tosst_frames_expected (recipe, 200, 200);
  g_assert_cmpuint (small, >, 100);
  g_assert_cmpuint (four, >=, 4 * (small - 1));
  g_assert_cmpuint (four, <=, 4 * small);
  g_assert_cmpuint (tosst_frames_expected (recipe, 1000, 1000), ==, 2000);
  set_text (recipe, "descriptor.frames=dense-scales");
  g_assert_cmpuint (tosst_frames_expected (recipe, 100, 100), ==, tosst_frames_at_most (recipe, 100, 100));
}

/* An image of up to a million pixels is doubled for the detector, which then needs more memory than for a larger one. */
static void
test_detector_bytes (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  set_text (recipe, "descriptor.kind=sift descriptor.frames=keypoints");
  gsize doubled = tosst_frames_bytes (recipe, 1000, 1000), single = tosst_frames_bytes (recipe, 1001, 1000);
  g_assert_cmpuint (doubled, >, 3 * single);
  g_assert_cmpuint (single, >=, 1001 * 1000 * 4);
  set_text (recipe, "descriptor.frames=dense-scales");
  g_assert_cmpuint (tosst_frames_bytes (recipe, 1000, 1000), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_autofree char *model = g_strconcat ("/framed/model/", recipes[i].name, NULL);
      g_autofree char *map = g_strconcat ("/framed/map/", recipes[i].name, NULL);

      g_test_add (model, Fixture, recipes[i].values, set_up, test_model, tear_down);
      g_test_add (map, Fixture, recipes[i].values, set_up, test_map, tear_down);
    }
  g_test_add ("/framed/unfound", Fixture, recipes[0].values, set_up, test_unfound, tear_down);
  g_test_add_func ("/framed/hash", test_hash);
  g_test_add_func ("/framed/expected", test_expected);
  g_test_add_func ("/framed/detector-bytes", test_detector_bytes);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sliding windows pool like separate windows, and a map separates textures by position. */

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/data/textures.h"
#include "core/dictionary/patch-coder.h"
#include "core/predict/class-map.h"
#include "core/run/run.h"
#include "small-run.h"
#include "tosst/describe.h"
#include "tosst/pool.h"

static const TosstPoolKind kinds[] = { TOSST_POOL_AVERAGE, TOSST_POOL_MAX,    TOSST_POOL_MAXEXP, TOSST_POOL_GAMMA,
                                       TOSST_POOL_AXMIN,   TOSST_POOL_EXAPRO, TOSST_POOL_AT_N };

/* Signed codes, most of them zero, of very different sizes: sums with subtraction have rounding errors where an atom
 * has left the window. */
static float *
make_codes (gsize n, int K)
{
  float *codes = g_new0 (float, n *K);

  for (gsize i = 0; i < n * K; i++)
    if ((i * 2654435761u >> 9) % 7 == 0)
      codes[i] = (float)(sin (1.3 * i) * pow (10, (double)(i % 9) - 4));
  return codes;
}

static void
check_windows (TosstContext *context, const TosstWindowPoolOptions *o, gsize rows, const float *codes)
{
  g_autoptr (TosstWindowPool) pool = tosst_window_pool_new (o, tosst_context_threads (context));
  gsize windows = tosst_window_pool_windows (pool), seen = 0;
  g_autofree float *signatures = g_new (float, windows * o->K), *expected = g_new (float, o->K);
  g_autofree gsize *index = g_new (gsize, o->side * o->side);

  g_assert_cmpuint (windows, ==, (o->columns - o->side) / o->stride + 1);
  for (gsize row = 0; row < rows; row++)
    {
      gboolean complete;
      gsize top = row + 1 - o->side;

      g_assert_cmpint (tosst_window_pool_push (pool, context, codes + row * o->columns * o->K, signatures, &complete),
                       ==, TOSST_OK);
      g_assert_cmpint (complete, ==, row + 1 >= o->side && top % o->stride == 0);
      for (gsize w = 0; complete && w < windows; w++)
        {
          for (gsize i = 0; i < o->side * o->side; i++)
            index[i] = (top + i / o->side) * o->columns + w * o->stride + i % o->side;
          g_assert_cmpint (tosst_pool (o->kind, o->parameter, codes, o->K, index, o->side * o->side, expected), ==,
                           TOSST_OK);
          tosst_normalise_signature (expected, o->K, o->power, o->l2);
          for (int k = 0; k < o->K; k++)
            {
              double value = signatures[w * o->K + k];
              /* Positive and negative codes may nearly cancel: the absolute bound is only for these. */
              g_assert_cmpfloat (fabs (value - expected[k]), <=, 2e-6 * fabs (expected[k]) + 1e-12);
              g_assert_cmpint (value == 0, ==, expected[k] == 0);
            }
        }
      seen += complete;
    }
  g_assert_cmpuint (seen, ==, (rows - o->side) / o->stride + 1);
}

static void
test_windows (void)
{
  static const gsize sides[] = { 1, 2, 3, 5, 8, 13 }, strides[] = { 1, 2, 3 };
  enum
  {
    COLUMNS = 13,
    ROWS = 17,
    K = 11
  };
  g_autofree float *codes = make_codes (ROWS * COLUMNS, K);

  for (int threads = 1; threads <= 2; threads++)
    {
      TosstContext *context = tosst_context_new (threads);
      for (gsize kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
        for (gsize side = 0; side < G_N_ELEMENTS (sides); side++)
          for (gsize stride = 0; stride < G_N_ELEMENTS (strides); stride++)
            check_windows (
                context,
                &(TosstWindowPoolOptions){ kinds[kind], NAN, 0.5, TRUE, K, COLUMNS, sides[side], strides[stride] },
                ROWS, codes);
      tosst_context_free (context);
    }
}

/* --- a small model --- */

#define CLASSES 3

static TosstModel *
make_model (const char *pooling)
{
  TosstModel *model = g_new0 (TosstModel, 1);

  model->recipe = tosst_recipe_new ();
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.kind", "covariance", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.patch", "12", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.step", "5", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "coding.method", "log-euclidean", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "pooling.kind", pooling, NULL));
  model->svm = tosst_svm_new (tosst_recipe_code_length (model->recipe), CLASSES);
  for (int i = 0; i < CLASSES * (model->svm->p + 1); i++)
    model->svm->w[i] = cos (7.0 * i);
  model->class_names = g_strsplit ("one;two;three", ";", -1);
  model->sample_side = 40;
  return model;
}

/* Margins of the window at (x, y), from its own patches. */
static void
expect_margins (const TosstModel *model, TosstContext *context, const TosstImage *image, int x, int y, int window,
                double *margins)
{
  const TosstRecipe *recipe = model->recipe;
  int K = model->svm->p;
  gsize n = tosst_patch_grid (window, window, recipe->descriptor.patch, recipe->descriptor.step, NULL);
  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree float *tensors = g_new (float, n *K), *codes = g_new (float, n *K), *signature = g_new (float, K);
  g_autoptr (TosstPatchCoder) coder = NULL;

  tosst_patch_grid (window, window, recipe->descriptor.patch, recipe->descriptor.step, points);
  for (gsize i = 0; i < n; i++)
    {
      points[i].x += x;
      points[i].y += y;
    }
  g_assert_cmpint (tosst_patch_coder_new (recipe, context, NULL, &coder), ==, TOSST_OK);
  g_assert_cmpint (tosst_describe_patches (recipe, context, image, points, n, tensors), ==, TOSST_OK);
  g_assert_cmpint (tosst_patch_coder_code (coder, context, tensors, n, codes, NULL), ==, TOSST_OK);
  g_assert_cmpint (tosst_pool (recipe->pooling.kind, recipe->pooling.parameter, codes, K, NULL, n, signature), ==,
                   TOSST_OK);
  tosst_normalise_signature (signature, K, recipe->pooling.power, recipe->pooling.l2);
  tosst_svm_margins (model->svm, signature, 1, margins);
}

static TosstImage *
make_image (int width, int height)
{
  TosstImage *image = tosst_image_new (width, height, 1);

  for (int i = 0; i < width * height; i++)
    image->data[i] = (float)(0.5 + 0.2 * sin (i % width * 0.9) + 0.2 * sin (0.002 * i * (i % 7)));
  return image;
}

/* Every window of a map, against the engine's calls for it alone; a map of one window has the class of the image. */
static void
test_margins (void)
{
  static const char *const poolings[] = { "average", "max", "maxexp", "gamma", "axmin", "exapro", "at-n" };
  g_autoptr (TosstImage) image = make_image (83, 66);
  TosstContext *context = tosst_context_new (2);

  for (gsize p = 0; p < G_N_ELEMENTS (poolings); p++)
    {
      g_autoptr (TosstModel) model = make_model (poolings[p]);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, context, &error);
      g_autoptr (TosstClassMap) map = tosst_class_map_new (predictor, context, image, 0, 10, &error);
      g_autoptr (TosstImage) square = make_image (66, 66);
      g_autoptr (TosstClassMap) single = tosst_class_map_new (predictor, context, square, 66, 0, &error);
      double margins[CLASSES];

      g_assert_no_error (error);
      g_assert_cmpint (map->window, ==, 40);
      /* Patches begin at 0, 5 ... 70 and 0 ... 50, six side by side in a window, every second one starts a window. */
      g_assert_cmpint (map->columns, ==, 5);
      g_assert_cmpint (map->rows, ==, 3);
      g_assert_cmpuint (map->patches, ==, 36);
      for (int i = 0; i < map->rows; i++)
        for (int j = 0; j < map->columns; j++)
          {
            int window = i * map->columns + j;

            expect_margins (model, context, image, 10 * j, 10 * i, 40, margins);
            for (int c = 0; c < CLASSES; c++)
              {
                g_assert_cmpfloat_with_epsilon (map->margins[window * CLASSES + c], margins[c], 3e-6);
                g_assert_cmpfloat (map->margins[window * CLASSES + c], <=,
                                   map->margins[window * CLASSES + map->class_index[window]]);
              }
          }
      g_assert_cmpint (single->rows * single->columns, ==, 1);
      g_assert_cmpint (tosst_predictor_classify (predictor, context, square, margins, &error), ==,
                       single->class_index[0]);
      for (int c = 0; c < CLASSES; c++)
        g_assert_cmpfloat_with_epsilon (single->margins[c], margins[c], 3e-6);
    }
  tosst_context_free (context);
}

/* An image with so many patches that they are coded in chunks: signatures and windows span chunks. */
static void
test_pieces (void)
{
  static const char *const poolings[] = { "average", "at-n" };
  g_autoptr (TosstImage) image = make_image (330, 420);
  TosstContext *context = tosst_context_new (2);

  for (gsize p = 0; p < G_N_ELEMENTS (poolings); p++)
    {
      g_autoptr (TosstModel) model = make_model (poolings[p]);
      g_autoptr (TosstPredictor) predictor = NULL;
      g_autoptr (TosstClassMap) map = NULL;
      g_autoptr (TosstImage) square = make_image (330, 330);
      double margins[CLASSES], expected[CLASSES];

      g_assert_true (tosst_recipe_set (model->recipe, "descriptor.kind", "linear", NULL));
      g_assert_true (tosst_recipe_set (model->recipe, "coding.method", "raw", NULL));
      g_assert_true (tosst_recipe_set (model->recipe, "descriptor.step", "1", NULL));
      tosst_svm_free (model->svm);
      model->svm = tosst_svm_new (tosst_recipe_code_length (model->recipe), CLASSES);
      for (int i = 0; i < CLASSES * (model->svm->p + 1); i++)
        model->svm->w[i] = cos (7.0 * i);
      predictor = tosst_predictor_new (model, context, NULL);
      g_assert_cmpint (tosst_predictor_classify (predictor, context, square, margins, NULL), >=, 0);
      expect_margins (model, context, square, 0, 0, 330, expected);
      for (int c = 0; c < CLASSES; c++)
        g_assert_cmpfloat_with_epsilon (margins[c], expected[c], 1e-5);
      map = tosst_class_map_new (predictor, context, image, 20, 31, NULL);
      g_assert_cmpint (map->columns, ==, 11);
      g_assert_cmpint (map->rows, ==, 13);
      for (int window = 0; window < 11 * 13; window++)
        {
          expect_margins (model, context, image, window % 11 * 31, window / 11 * 31, 20, expected);
          for (int c = 0; c < CLASSES; c++)
            g_assert_cmpfloat_with_epsilon (map->margins[window * CLASSES + c], expected[c], 1e-5);
        }
    }
  tosst_context_free (context);
}

static void
expect_refusal (const TosstModel *model, TosstContext *context, const TosstImage *image, int window, int step,
                const char *fragment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, context, &error);

  g_assert_null (tosst_class_map_new (predictor, context, image, window, step, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  if (!strstr (error->message, fragment))
    g_error ("“%s” is not in “%s”", fragment, error->message);
}

static void
test_refusals (void)
{
  g_autoptr (TosstModel) model = make_model ("average");
  g_autoptr (TosstImage) image = make_image (83, 66), small = make_image (90, 11);
  TosstContext *context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, context, NULL);

  expect_refusal (model, context, image, 67, 0, "larger than the image of 83 × 66");
  expect_refusal (model, context, image, 11, 0, "smaller than a patch of 12");
  expect_refusal (model, context, image, 0, 7, "not a multiple of the step of patches, 5");
  expect_refusal (model, context, small, 0, 0, "smaller than a patch of 12");
  model->sample_side = 0;
  expect_refusal (model, context, image, 0, 0, "set the window size with --window");
  tosst_context_cancel (context);
  g_assert_null (tosst_class_map_new (predictor, context, image, 40, 0, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  tosst_context_free (context);
}

/* --- textures --- */

#define BLOCK 64

static const char *const textures[] = { "bricks", "gingham", "ripples", "wood" };

static gboolean
is_used (guint texture)
{
  for (gsize i = 0; i < G_N_ELEMENTS (textures); i++)
    if (strcmp (textures[i], tosst_textures_name (texture)) == 0)
      return TRUE;
  return FALSE;
}

/* The first split's model of four sample textures, by blocks. */
static TosstModel *
train (TosstContext *context, const char *settings)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();
  g_autoptr (GString) others = g_string_new (NULL);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL, partial = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < TOSST_TEXTURES; i++)
    if (!is_used (i))
      g_string_append_printf (others, "%s%s", others->len ? "," : "", tosst_textures_name (i));
  g_assert_true (tosst_recipe_set (recipe, "dataset.exclude", others->str, &error));
  set_text (recipe, settings);
  dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  result = tosst_run_execute (recipe, dataset, context, NULL, &partial, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&result->model);
}

/* Two by two textures, a picture of 128 pixels each, of variants that the model may or may not have seen. */
static TosstImage *
make_mosaic (guint variant)
{
  const int size = TOSST_TEXTURE_SIZE;
  TosstImage *mosaic = tosst_image_new (2 * size, 2 * size, 1);

  mosaic->maximum = 0;
  for (gsize i = 0, texture = 0; i < TOSST_TEXTURES; i++)
    if (is_used ((guint)i))
      {
        g_autoptr (TosstImage) tile = tosst_textures_render ((guint)i, variant, TRUE);

        for (int y = 0; y < size; y++)
          memcpy (mosaic->data + ((gsize)(texture / 2) * size + y) * 2 * size + texture % 2 * size,
                  tile->data + (gsize)y * size, size * sizeof (float));
        texture++;
      }
  return mosaic;
}

/* Windows within one texture have its class. */
static void
count_right (const TosstClassMap *map, guint *right, guint *inside)
{
  const int size = TOSST_TEXTURE_SIZE;

  for (int i = 0; i < map->rows; i++)
    for (int j = 0; j < map->columns; j++)
      {
        int x = j * map->step, y = i * map->step;
        int top = y / size, left = x / size;

        if ((y + map->window - 1) / size != top || (x + map->window - 1) / size != left)
          continue;
        ++*inside;
        *right += strcmp (map->class_names[map->class_index[i * map->columns + j]], textures[top * 2 + left]) == 0;
      }
}

static void
test_mosaic (gconstpointer data)
{
  TosstContext *context = tosst_context_new (2);
  g_autoptr (TosstModel) model = train (context, data);
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, context, NULL);
  guint right = 0, inside = 0;

  g_assert_cmpint (model->sample_side, ==, BLOCK);
  for (guint variant = 20; variant < 24; variant++)
    {
      g_autoptr (TosstImage) mosaic = make_mosaic (variant);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstClassMap) map = tosst_class_map_new (predictor, context, mosaic, 0, 0, &error);

      g_assert_no_error (error);
      g_assert_cmpint (map->window, ==, BLOCK);
      count_right (map, &right, &inside);
    }
  g_test_message ("%u of %u windows right", right, inside);
  g_assert_cmpuint (inside, >, 4 * 4 * 20);
  g_assert_cmpuint (100 * right, >, 95 * inside);
  tosst_context_free (context);
}

#define BLOCKS                                                                                                         \
  "dataset.block=64 dataset.block-step=32 dataset.splits=1 dataset.train-per-class=12 descriptor.patch=16 "            \
  "descriptor.step=8 "

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/class-map/windows", test_windows);
  g_test_add_func ("/class-map/margins", test_margins);
  g_test_add_func ("/class-map/pieces", test_pieces);
  g_test_add_func ("/class-map/refusals", test_refusals);
  g_test_add_data_func ("/class-map/mosaic-plain", BLOCKS "descriptor.kind=covariance coding.method=log-euclidean",
                        test_mosaic);
  g_test_add_data_func ("/class-map/mosaic-sparse",
                        BLOCKS "descriptor.pivots=3 dictionary.atoms=40 dictionary.iterations=6 dictionary.sample=2000",
                        test_mosaic);
  return g_test_run ();
}

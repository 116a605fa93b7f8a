/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/image/probe.h"
#include "core/predict/predictor.h"
#include "tosst/code.h"
#include "tosst/describe.h"
#include "tosst/pool.h"
#include "tosst/tensor.h"

#define SIZE 48
#define ATOMS 6
#define CLASSES 3

/* Stripes of a period, no two rows equal. */
static TosstImage *
make_image (double period)
{
  TosstImage *image = tosst_image_new (SIZE, SIZE, 1);

  for (int i = 0; i < SIZE * SIZE; i++)
    image->data[i] = (float)(0.5 + 0.4 * sin (i % SIZE * 6.28 / period + 0.01 * (i / SIZE)));
  return image;
}

/* A model with different margins for each class: small, linear features, unequal weights. */
static TosstModel *
make_model (void)
{
  TosstModel *model = g_new0 (TosstModel, 1);
  const int d = 7;
  g_autofree double *B = g_new0 (double, ATOMS *d *d), *b = g_new0 (double, ATOMS *d);

  model->recipe = tosst_recipe_new ();
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.kind", "linear", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.patch", "16", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "pooling.kind", "max", NULL));
  for (int k = 0; k < ATOMS; k++)
    {
      b[k * d + k] = 1;
      B[(k * d + k) * d + k] = 0.75;
      B[(k * d + (k + 1)) * d + (k + 1)] = 0.25;
    }
  model->dictionary = tosst_dictionary_new (d, ATOMS);
  tosst_dictionary_set (model->dictionary, B, b);
  model->dictionary->scale = 0.5;
  model->svm = tosst_svm_new (ATOMS, CLASSES);
  for (int i = 0; i < CLASSES * (ATOMS + 1); i++)
    model->svm->w[i] = cos (7.0 * i);
  model->class_names = g_strsplit ("fine;coarse;none of these", ";", -1);
  return model;
}

/* The steps from image to margins, one by one. */
static void
expect_margins (const TosstModel *model, TosstContext *context, const TosstImage *image, double *margins)
{
  TosstFeatureOptions features;
  TosstCodingOptions coding;
  TosstLayout *layout = tosst_layout_new (model->dictionary->d);
  TosstCoder *coder;
  gsize n = tosst_patch_grid (SIZE, SIZE, 16, 10, NULL);
  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree float *tensors = g_new (float, n * layout->m), *codes = g_new (float, n *ATOMS);
  float signature[ATOMS];

  tosst_recipe_feature_options (model->recipe, &features);
  tosst_recipe_coding_options (model->recipe, &coding);
  g_assert_cmpuint (n, ==, 16);
  tosst_patch_grid (SIZE, SIZE, 16, 10, points);
  g_assert_cmpint (tosst_describe (context, image, &features, 16, points, n, tensors), ==, TOSST_OK);
  g_assert_cmpint (tosst_whiten (context, layout, tensors, n, model->recipe->descriptor.gamma_eigen,
                                 model->recipe->descriptor.gamma_coefficient),
                   ==, TOSST_OK);
  g_assert_cmpint (tosst_coder_new (context, model->dictionary, layout, &coding, &coder), ==, TOSST_OK);
  g_assert_cmpint (tosst_code (context, coder, tensors, n, false, codes, NULL), ==, TOSST_OK);
  for (int k = 0; k < ATOMS; k++)
    {
      signature[k] = codes[k];
      for (gsize i = 1; i < n; i++)
        signature[k] = MAX (signature[k], codes[i * ATOMS + k]);
    }
  tosst_normalise_signature (signature, ATOMS, model->recipe->pooling.power, 1);
  tosst_svm_margins (model->svm, signature, 1, margins);
  tosst_coder_free (coder);
  tosst_layout_free (layout);
}

static int
predict (const TosstModel *model, TosstContext *context, const TosstImage *image, double *margins, GError **error)
{
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, context, error);

  g_assert_nonnull (predictor);
  return tosst_predictor_classify (predictor, context, image, margins, error);
}

static void
test_predict (void)
{
  g_autoptr (TosstModel) model = make_model ();
  TosstContext *context = tosst_context_new (2);

  for (int period = 3; period < 12; period += 4)
    {
      g_autoptr (TosstImage) image = make_image (period);
      /* The first without whitening, the others with each exponent of it. */
      g_assert_true (tosst_recipe_set (model->recipe, "descriptor.gamma-eigen", period == 7 ? "0.5" : "1", NULL));
      g_assert_true (tosst_recipe_set (model->recipe, "descriptor.gamma-coefficient", period > 7 ? "0.7" : "1", NULL));
      g_autoptr (GError) error = NULL;
      double margins[CLASSES], expected[CLASSES];
      int said = predict (model, context, image, margins, &error);

      g_assert_no_error (error);
      expect_margins (model, context, image, expected);
      for (int c = 0; c < CLASSES; c++)
        {
          g_assert_cmpfloat_with_epsilon (margins[c], expected[c], 1e-6);
          g_assert_cmpfloat (margins[c], <=, margins[said]);
        }
    }
  tosst_context_free (context);
}

static void
test_small_image (void)
{
  g_autoptr (TosstModel) model = make_model ();
  g_autoptr (TosstImage) image = tosst_image_new (15, 90, 1);
  g_autoptr (GError) error = NULL;
  double margins[CLASSES];
  TosstContext *context = tosst_context_new (1);

  g_assert_cmpint (predict (model, context, image, margins, &error), ==, -1);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  tosst_context_free (context);
}

/* A model file is read back completely and is also a dictionary file; a dictionary file is not a model. */
static void
test_files (void)
{
  g_autoptr (TosstModel) model = make_model (), again = NULL;
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "M.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_model_save (model, file, &error));
  again = tosst_model_load (file, &error);
  g_assert_no_error (error);
  g_assert_true (tosst_recipe_equal (model->recipe, again->recipe));
  g_assert_true (g_strv_equal ((const char *const *)model->class_names, (const char *const *)again->class_names));
  g_assert_cmpmem (model->svm->w, sizeof (double) * CLASSES * (ATOMS + 1), again->svm->w,
                   sizeof (double) * CLASSES * (ATOMS + 1));
  g_assert_cmpfloat (again->dictionary->scale, ==, 0.5);
  dictionary = tosst_dictionary_load (file, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (dictionary->K, ==, ATOMS);
  g_assert_true (tosst_dictionary_save (dictionary, NULL, file, &error));
  g_assert_null (tosst_model_load (file, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, "not a model"));
  g_file_delete (file, NULL, NULL);
  g_rmdir (folder);
}

/* A model of descriptors that need no dictionary. */
static TosstModel *
make_plain_model (const char *kind, const char *method)
{
  TosstModel *model = g_new0 (TosstModel, 1);

  model->recipe = tosst_recipe_new ();
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.kind", kind, NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "descriptor.patch", "16", NULL));
  g_assert_true (tosst_recipe_set (model->recipe, "coding.method", method, NULL));
  model->svm = tosst_svm_new (tosst_recipe_code_length (model->recipe), CLASSES);
  for (int i = 0; i < CLASSES * (model->svm->p + 1); i++)
    model->svm->w[i] = cos (7.0 * i);
  model->class_names = g_strsplit ("fine;coarse;none of these", ";", -1);
  return model;
}

/* Margins of the mean of all rows, from the engine's calls alone. */
static void
expect_plain_margins (const TosstModel *model, TosstMoment moment, gboolean logarithm, TosstContext *context,
                      const TosstImage *image, double *margins)
{
  TosstFeatureOptions features;
  TosstShape shape = tosst_moment_shape (moment, 7);
  if (moment == TOSST_MOMENT_THIRD_ORDER)
    shape.kind = TOSST_SHAPE_WHOLE;
  TosstLayout *layout = tosst_layout_new_shape (shape);
  gsize n = tosst_patch_grid (SIZE, SIZE, 16, 10, NULL), m = layout->m;
  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree float *rows = g_new (float, n *m), *signature = g_new (float, m);

  tosst_feature_options_default (&features);
  features.kind = TOSST_FEATURES_LINEAR;
  tosst_patch_grid (SIZE, SIZE, 16, 10, points);
  g_assert_cmpint (tosst_describe_moment (context, image, &features, moment, 16, points, n, rows), ==, TOSST_OK);
  g_assert_cmpint (logarithm ? tosst_plain_log_euclidean (context, layout, rows, n, rows)
                             : tosst_plain_raw (context, layout, rows, n, rows),
                   ==, TOSST_OK);
  for (gsize i = 0; i < m; i++)
    {
      double sum = 0;
      for (gsize r = 0; r < n; r++)
        sum += rows[r * m + i];
      signature[i] = (float)(sum / n);
    }
  tosst_normalise_signature (signature, (int)m, model->recipe->pooling.power, 1);
  tosst_svm_margins (model->svm, signature, 1, margins);
  tosst_layout_free (layout);
}

/* Predictions equal those of the engine's calls, before writing and after reading; the file has no dictionary. */
static void
test_plain (void)
{
  static const struct
  {
    const char *kind, *method;
    TosstMoment moment;
    gboolean logarithm;
  } cases[] = { { "covariance", "log-euclidean", TOSST_MOMENT_COVARIANCE, TRUE },
                { "autocorrelation", "raw", TOSST_MOMENT_AUTOCORRELATION, FALSE },
                { "linear", "raw", TOSST_MOMENT_THIRD_ORDER, FALSE } };
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "M.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = make_image (5);
  TosstContext *context = tosst_context_new (2);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TosstModel) model = make_plain_model (cases[i].kind, cases[i].method), again = NULL;
      g_autoptr (GError) error = NULL, refusal = NULL;
      double margins[CLASSES], margins_again[CLASSES], expected[CLASSES];

      predict (model, context, image, margins, &error);
      g_assert_no_error (error);
      expect_plain_margins (model, cases[i].moment, cases[i].logarithm, context, image, expected);
      for (int c = 0; c < CLASSES; c++)
        g_assert_cmpfloat_with_epsilon (margins[c], expected[c], 1e-5);
      g_assert_true (tosst_model_save (model, file, &error));
      again = tosst_model_load (file, &error);
      g_assert_no_error (error);
      g_assert_null (again->dictionary);
      predict (again, context, image, margins_again, &error);
      g_assert_cmpmem (margins, sizeof *margins * CLASSES, margins_again, sizeof *margins * CLASSES);
      g_assert_null (tosst_dictionary_load (file, NULL, &refusal));
      g_assert_nonnull (strstr (refusal->message, "not a dictionary"));

      /* Weights for other descriptors than the recipe's. */
      g_assert_true (tosst_recipe_set (model->recipe, "descriptor.opponent", "true", NULL));
      g_assert_true (tosst_model_save (model, file, &error));
      g_assert_null (tosst_model_load (file, &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
    }
  g_file_delete (file, NULL, NULL);
  g_rmdir (folder);
  tosst_context_free (context);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/predict", test_predict);
  g_test_add_func ("/model/small-image", test_small_image);
  g_test_add_func ("/model/files", test_files);
  g_test_add_func ("/model/plain", test_plain);
  return g_test_run ();
}

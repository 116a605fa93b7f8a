/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models of local features: their file, predictions by dense SIFT and by features in files, and what they refuse.
 */
#include <math.h>

#include "core/data/textures.h"
#include "core/dictionary/atom-usage.h"
#include "core/dictionary/common-atoms.h"
#include "core/local/feature-cache.h"
#include "core/predict/class-map.h"
#include "core/run/run.h"
#include "core/run/scores.h"
#include "dataset-folder.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

#define IMAGES 18
#define CLASSES 3

/* Grey textures, each with one or two classes in a list; every third image tests. */
static void
put_labels (Fixture *fixture)
{
  g_autoptr (GString) csv = g_string_new ("image,split,first,second,both\n");

  for (guint i = 0; i < IMAGES; i++)
    {
      g_autofree char *name = g_strdup_printf ("%02u.png", i), *path = g_build_filename (fixture->folder, name, NULL);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (TosstImage) image = tosst_textures_render (i % 2, i / 2, TRUE);

      g_assert_true (tosst_image_write_png (image, file, NULL));
      g_string_append_printf (csv, "%s,%s,%d,%d,%d\n", name, i / 2 % 3 == 2 ? "test" : "train", i % 2 == 0 ? 1 : -1,
                              i % 2 == 1 ? 1 : -1,
                              i % 4 == 0   ? 0
                              : i % 4 == 3 ? -1
                                           : 1);
    }
  put_text (fixture, "labels.csv", csv->str);
}

static void
set_up_labels (Fixture *fixture, gconstpointer data)
{
  set_up (fixture, data);
  put_labels (fixture);
  set (fixture->recipe, "dataset.kind", "labels");
  set (fixture->recipe, "descriptor.kind", "sift");
  set (fixture->recipe, "descriptor.strides", "16;16;20;20");
  set (fixture->recipe, "descriptor.longest-side", "100");
  set (fixture->recipe, "descriptor.pca", "5");
  set (fixture->recipe, "coding.method", "raw");
}

static void
set_dictionary (TosstRecipe *recipe)
{
  set (recipe, "coding.method", "sparse");
  set (recipe, "dictionary.atoms", "4");
  set (recipe, "dictionary.sample", "40");
  set (recipe, "dictionary.iterations", "2");
  set (recipe, "descriptor.regions", "5");
}

static TosstRunResult *
run (TosstRecipe *recipe, TosstDataset **dataset)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (GError) error = NULL;
  TosstRunResult *result = NULL;

  *dataset = tosst_local_open (recipe, NULL, &error);
  g_assert_no_error (error);
  result = tosst_run_execute (recipe, *dataset, context, NULL, NULL, &error);
  g_assert_no_error (error);
  return result;
}

/* As written to a file and read again. */
static TosstModel *
stored (const TosstModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_model_to_bytes (model, "model", &error);
  TosstModel *again = bytes ? tosst_model_from_bytes (bytes, "model", &error) : NULL;

  g_assert_no_error (error);
  return again;
}

/* Margins of an image by its file, as a user has it. */
static void
predict_file (const TosstModel *model, const char *folder, const char *name, double *margins)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *id = g_strndup (name, strcspn (name, "."));
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = tosst_local_features_of_file (model->recipe, file, id, &error);
  g_autoptr (TosstPredictor) predictor = features ? tosst_predictor_new (model, context, &error) : NULL;

  g_assert_no_error (error);
  g_assert_cmpint (tosst_predictor_classify_features (predictor, context, features, margins, &error), >=, 0);
  g_assert_no_error (error);
  if (model->recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT)
    {
      g_autoptr (TosstImage) image = tosst_image_read_for (file, 0, 0, &error);
      double again[CLASSES];

      tosst_predictor_classify (predictor, context, image, again, &error);
      g_assert_cmpmem (margins, sizeof again, again, sizeof again);
    }
}

static void
check_predictions (Fixture *fixture)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = run (fixture->recipe, &dataset);
  g_autoptr (TosstModel) model = stored (result->model);
  const TosstScores *scores = result->split[0].scores;
  double largest = 0;

  g_assert_cmpuint (scores->samples, ==, IMAGES / 3);
  for (guint i = 0; i < scores->samples; i++)
    {
      const char *name = tosst_dataset_image (dataset, scores->sample[i])->name;
      double margins[CLASSES];

      predict_file (model, fixture->folder, name, margins);
      for (int c = 0; c < CLASSES; c++)
        {
          g_assert_cmpfloat_with_epsilon (margins[c], scores->margin[i * CLASSES + (guint)c], 1e-5);
          largest = fmax (largest, fabs (margins[c]));
        }
    }
  g_assert_cmpfloat (largest, >, 0.1);
}

/* A stored model scores new images as the run did. */
static void
test_predict (Fixture *fixture, gconstpointer data)
{
  check_predictions (fixture);
  set (fixture->recipe, "descriptor.order", "2");
  set (fixture->recipe, "descriptor.pca-centre", "false");
  check_predictions (fixture);
  set (fixture->recipe, "descriptor.order", "3");
  set_dictionary (fixture->recipe);
  check_predictions (fixture);
  set (fixture->recipe, "coding.method", "span");
  check_predictions (fixture);
}

/* The same by Fisher vectors, of components and of features as they are. */
static void
test_fisher (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstModel) model = NULL;

  set (fixture->recipe, "coding.method", "fisher");
  set (fixture->recipe, "coding.gaussians", "4");
  set (fixture->recipe, "coding.gaussian-sample", "2000");
  check_predictions (fixture);
  set (fixture->recipe, "descriptor.pca", "0");
  check_predictions (fixture);
  result = run (fixture->recipe, &dataset);
  g_assert_cmpuint (result->tensors, ==, 0);
  g_assert_null (result->model->pca);
  model = stored (result->model);
  g_assert_cmpint (model->mixture->K, ==, 4);
  g_assert_cmpint (model->mixture->D, ==, 128);
  g_assert_cmpmem (model->mixture->variances, sizeof (double) * 4 * 128, result->model->mixture->variances,
                   sizeof (double) * 4 * 128);
}

/* Writes dense SIFT of all images as tosst features does. */
static void
write_features (Fixture *fixture, const char *below)
{
  g_autofree char *path = g_build_filename (fixture->folder, below, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0755), ==, 0);
  for (guint i = 0; i < IMAGES; i++)
    {
      g_autofree char *image_path = g_strdup_printf ("%s/%02u.png", fixture->folder, i),
                      *name = g_strdup_printf ("%s/%02u.npz", path, i);
      g_autoptr (GFile) image = g_file_new_for_path (image_path), file = g_file_new_for_path (name);
      g_autoptr (GError) error = NULL;
      g_autoptr (TosstFeatures) features = tosst_local_features_of_file (fixture->recipe, image, "", &error);

      g_assert_no_error (error);
      g_assert_true (tosst_features_write (features, file, &error));
    }
  set (fixture->recipe, "descriptor.kind", "features");
  set (fixture->recipe, "descriptor.folder", path);
}

/* Features that were written and read back score as dense SIFT does, in a run and in predictions. */
static void
test_features (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL, again = NULL;
  g_autoptr (TosstRunResult) sift = run (fixture->recipe, &dataset), files = NULL;

  write_features (fixture, "sift");
  files = run (fixture->recipe, &again);
  g_assert_cmpint (fixture->recipe->descriptor.length, ==, 128);
  g_assert_cmpfloat_with_epsilon (sift->accuracy_mean, files->accuracy_mean, 1e-6);
  for (guint i = 0; i < sift->split[0].scores->samples * CLASSES; i++)
    g_assert_cmpfloat_with_epsilon (sift->split[0].scores->margin[i], files->split[0].scores->margin[i], 1e-6);
  check_predictions (fixture);
  g_assert_cmpint (files->model->pca->D, ==, 128);
}

/* Features as they are: no components, and a length that the recipe learns from the first file. */
static void
test_plain_features (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->folder, "own", NULL);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstModel) model = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  for (guint i = 0; i < IMAGES; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%02u.npz", folder, i);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      float x[20];
      double xy[10];
      TosstFeatures features = { .n = 5, .D = 4, .x = x, .xy = xy };

      for (guint j = 0; j < 20; j++)
        x[j] = (float)sin (1.0 + j + (i % 2) + 0.1 * i * j);
      for (guint j = 0; j < 10; j++)
        xy[j] = 0.1 * j;
      g_assert_true (tosst_features_write (&features, file, NULL));
    }
  set (fixture->recipe, "descriptor.kind", "features");
  set (fixture->recipe, "descriptor.folder", folder);
  set (fixture->recipe, "descriptor.pca", "0");
  check_predictions (fixture);
  result = run (fixture->recipe, &dataset);
  g_assert_cmpint (result->d, ==, 15);
  g_assert_null (result->model->pca);
  model = stored (result->model);
  g_assert_cmpint (model->recipe->descriptor.length, ==, 4);
}

/* Features that were kept in memory, in a file or, without room for either, not at all, are those of the image. */
static void
test_cache (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = tosst_local_open (fixture->recipe, NULL, NULL);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (GError) error = NULL;
  gsize most[] = { G_MAXSIZE, 0, 300000 };

  for (gsize i = 0; i < G_N_ELEMENTS (most); i++)
    {
      g_autoptr (TosstFeatureCache) cache = tosst_feature_cache_new (fixture->recipe, dataset, most[i]);

      g_assert_true (tosst_feature_cache_fill (cache, context, 0, dataset->entries->len, &error));
      g_assert_cmpuint (tosst_feature_cache_bytes (cache), <=, most[i]);
      g_assert_true ((tosst_feature_cache_bytes (cache) > 0) == (most[i] > 0));
      for (guint image = 0; image < IMAGES; image++)
        {
          g_autoptr (TosstFeatures) own = tosst_local_features (fixture->recipe, dataset, image, &error),
                                    kept = tosst_feature_cache_get (image, cache, &error);

          g_assert_no_error (error);
          g_assert_cmpstr (kept->name, ==, own->name);
          g_assert_cmpmem (kept->x, kept->n * 128 * sizeof (float), own->x, own->n * 128 * sizeof (float));
          g_assert_cmpmem (kept->xy, kept->n * 2 * sizeof (double), own->xy, own->n * 2 * sizeof (double));
        }
    }
}

static void
expect_model_failure (TosstNpz *npz, const char *fragment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_npz_to_bytes (npz, "model", &error);
  g_autoptr (TosstModel) model = tosst_model_from_bytes (bytes, "model.npz", &error);

  g_assert_null (model);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  if (strstr (error->message, fragment) == NULL || strstr (error->message, "model.npz") == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, fragment);
}

/* Reads the members of a model, and replaces one: NULL drops it. */
static TosstNpz *
change (GBytes *bytes, const char *member, TosstNpy *replacement)
{
  static const char *const names[]
      = { "w", "pca_mean", "pca_values", "pca_basis", "gaussian_weights", "gaussian_means", "gaussian_variances" };
  g_autoptr (TosstNpz) whole = tosst_npz_from_bytes (bytes, NULL, "model", NULL);
  TosstNpz *npz = tosst_npz_new ();

  tosst_npz_add_bytes (npz, "meta.json", tosst_npz_bytes (whole, "meta.json"));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const TosstNpy *array = tosst_npz_array (whole, names[i]);

      if (strcmp (names[i], member) == 0)
        {
          if (replacement)
            tosst_npz_steal_array (npz, names[i], replacement);
          continue;
        }
      if (array == NULL)
        continue;
      TosstNpy *copy = tosst_npy_new (array->type, array->ndim, array->shape);
      memcpy (copy->data, array->data, array->count * sizeof (double));
      tosst_npz_steal_array (npz, names[i], copy);
    }
  return npz;
}

static TosstNpy *
numbers (int ndim, gsize rows, gsize columns, double value)
{
  gsize shape[2] = { rows, columns };
  TosstNpy *array = tosst_npy_new (TOSST_NPY_FLOAT64, ndim, shape);

  for (gsize i = 0; i < array->count; i++)
    ((double *)array->data)[i] = value;
  return array;
}

/* Components are checked against the recipe. */
static void
test_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = run (fixture->recipe, &dataset);
  g_autoptr (GBytes) bytes = tosst_model_to_bytes (result->model, "model", NULL);
  g_autoptr (TosstModel) again = stored (result->model);
  const struct
  {
    const char *member;
    TosstNpy *replacement;
    const char *fragment;
  } cases[] = {
    { "pca_basis", NULL, "no member pca_basis" },
    { "pca_mean", NULL, "pca_mean" },
    { "pca_values", numbers (1, 5, 1, 1), "pca_values" },
    { "pca_basis", numbers (2, 128, 6, 1), "128 numbers and 5 components" },
    { "pca_basis", numbers (2, 127, 5, 1), "128 numbers and 5 components" },
    { "pca_mean", numbers (1, 128, 1, NAN), "model.npz" },
    { "w", numbers (2, 3, 7, 1), "w" },
  };

  g_assert_cmpmem (again->pca->basis, sizeof (double) * 128 * 5, result->model->pca->basis, sizeof (double) * 128 * 5);
  g_assert_cmpmem (again->pca->mean, sizeof (double) * 128, result->model->pca->mean, sizeof (double) * 128);
  g_assert_cmpmem (again->pca->values, sizeof (double) * 128, result->model->pca->values, sizeof (double) * 128);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TosstNpz) npz = change (bytes, cases[i].member, cases[i].replacement);

      expect_model_failure (npz, cases[i].fragment);
    }
}

/* So is the mixture. */
static void
test_fisher_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const struct
  {
    const char *member;
    TosstNpy *replacement;
  } cases[] = {
    { "gaussian_means", NULL },
    { "gaussian_weights", numbers (1, 2, 1, 0.5) },
    { "gaussian_weights", numbers (1, 3, 1, 0) },
    { "gaussian_variances", numbers (2, 3, 5, -1) },
    { "gaussian_variances", numbers (2, 3, 4, 1) },
  };

  set (fixture->recipe, "coding.method", "fisher");
  set (fixture->recipe, "coding.gaussians", "3");
  result = run (fixture->recipe, &dataset);
  bytes = tosst_model_to_bytes (result->model, "model", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TosstNpz) npz = change (bytes, cases[i].member, cases[i].replacement);

      expect_model_failure (npz, "3 Gaussians of 5 numbers");
    }
}

static void
expect_refusal (const TosstPredictor *predictor, TosstContext *context, const TosstFeatures *features,
                const char *fragment)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (tosst_predictor_classify_features (predictor, context, features, NULL, &error), ==, -1);
  g_assert_nonnull (error);
  if (strstr (error->message, fragment) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, fragment);
  g_assert_null (strchr (error->message, '\n'));
}

static void
expect_image_refusal (const TosstPredictor *predictor, TosstContext *context, int side, const char *fragment)
{
  g_autoptr (TosstImage) image = tosst_image_new (side, side, 1);
  g_autoptr (GError) error = NULL;

  memset (image->data, 0, (gsize)(side * side) * sizeof *image->data);
  g_assert_cmpint (tosst_predictor_classify (predictor, context, image, NULL, &error), ==, -1);
  g_assert_nonnull (error);
  if (strstr (error->message, fragment) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, fragment);
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = run (fixture->recipe, &dataset);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (result->model, context, NULL);
  g_autoptr (TosstImage) image = tosst_dataset_read_for (dataset, 0, 0, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstClassMap) map = NULL;
  float x[128] = { 1, NAN };
  double xy[2] = { 0.5, 0.5 };
  char name[] = "own.npz";
  TosstFeatures features = { .n = 1, .D = 127, .x = x, .xy = xy, .name = name };

  expect_image_refusal (predictor, context, 64, "flat");
  expect_image_refusal (predictor, context, 10, "10 × 10 pixels, too few");
  expect_refusal (predictor, context, &features, "own.npz has features of 127 numbers instead of 128");
  features.D = 128;
  expect_refusal (predictor, context, &features, "own.npz has features that are not finite");
  /* A map of one window is the class of the image. */
  map = tosst_class_map_new (predictor, context, image, MIN (image->width, image->height), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (map->class_index[0], ==, tosst_predictor_classify (predictor, context, image, NULL, &error));
}

/* Codes of whole images: the use of atoms is that of the run, and two images of one texture share atoms. */
static void
test_usage (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstPatchCoder) coder = NULL;
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint)), common = NULL;

  set_dictionary (fixture->recipe);
  result = run (fixture->recipe, &dataset);
  g_autoptr (TosstAtomUsage) found = tosst_find_usage (fixture->recipe, context, result->dictionary, dataset, &error);
  g_assert_no_error (error);
  for (int k = 0; k < 4; k++)
    g_assert_cmpfloat_with_epsilon (found->use[k], result->usage->use[k], 1e-9);
  for (guint i = 0; i < 4; i += 2)
    g_array_append_val (samples, i);
  g_assert_cmpint (tosst_patch_coder_new (fixture->recipe, context, result->dictionary, &coder), ==, TOSST_OK);
  common = tosst_common_atoms (fixture->recipe, context, coder, 4, dataset, samples, 4, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (common->len, >, 0);
}

int
main (int argc, char **argv)
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up_labels, function, tear_down)
  ADD ("/model-local/predict", test_predict);
  ADD ("/model-local/features", test_features);
  ADD ("/model-local/plain-features", test_plain_features);
  ADD ("/model-local/file", test_file);
  ADD ("/model-local/fisher", test_fisher);
  ADD ("/model-local/cache", test_cache);
  ADD ("/model-local/fisher-file", test_fisher_file);
  ADD ("/model-local/refusals", test_refusals);
  ADD ("/model-local/usage", test_usage);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs with kernels, and of the kinds lbp, image-covariance and invariant-covariance: their results, models and predictions.
 */
#include <math.h>

#include "core/data/textures.h"
#include "core/local/texture-vectors.h"
#include "core/predict/class-map.h"
#include "core/run/private.h"
#include "core/run/scores.h"
#include "dataset-folder.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

#define CLASSES 4
#define IMAGES 6

/* Grey textures in folders; three of each class train. */
static void
set_up_textures (Fixture *fixture, gconstpointer data)
{
  set_up (fixture, data);
  for (guint c = 0; c < CLASSES; c++)
    {
      g_autofree char *folder = g_build_filename (fixture->folder, tosst_textures_name (c), NULL);

      g_assert_cmpint (g_mkdir (folder, 0755), ==, 0);
      for (guint i = 0; i < IMAGES; i++)
        {
          g_autofree char *name = g_strdup_printf ("%u.png", i), *path = g_build_filename (folder, name, NULL);
          g_autoptr (GFile) file = g_file_new_for_path (path);
          g_autoptr (TosstImage) image = tosst_textures_render (c, i, TRUE);

          g_assert_true (tosst_image_write_png (image, file, NULL));
        }
    }
  set (fixture->recipe, "dataset.train-per-class", "3");
  set (fixture->recipe, "dataset.splits", "2");
  if (data != NULL)
    set (fixture->recipe, "descriptor.kind", data);
}

static TosstRunResult *
run (const TosstRecipe *recipe, int threads, TosstDataset **dataset)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  g_autoptr (GError) error = NULL;
  TosstRunResult *result;

  *dataset = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  result = tosst_run_execute (recipe, *dataset, context, NULL, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static GBytes *
bytes_of (const TosstModel *model)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = tosst_model_to_bytes (model, "model", &error);

  g_assert_no_error (error);
  return bytes;
}

static TosstModel *
stored (const TosstModel *model)
{
  g_autoptr (GBytes) bytes = bytes_of (model);
  g_autoptr (GError) error = NULL;
  TosstModel *again = tosst_model_from_bytes (bytes, "model", &error);

  g_assert_no_error (error);
  return again;
}

/* A stored model of the first split predicts its tests as the run did. */
static void
check_predictions (const TosstRecipe *recipe, double least)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = run (recipe, 2, &dataset);
  g_autoptr (TosstModel) model = stored (result->model);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, context, &error);
  const GArray *predictions = result->split[0].predictions;

  g_assert_no_error (error);
  g_assert_cmpint (result->splits, ==, 2);
  g_assert_cmpfloat (result->accuracy_mean, >=, least);
  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *said = &g_array_index (predictions, TosstPrediction, i);
      guint image = (guint)tosst_dataset_sample (dataset, said->sample)->image;
      g_autoptr (TosstImage) pixels = tosst_dataset_read_for (dataset, image, 0, NULL);
      double margins[CLASSES];

      g_assert_cmpint (tosst_predictor_classify (predictor, context, pixels, margins, &error), ==, said->predicted);
      g_assert_no_error (error);
      for (int c = 0; c < CLASSES; c++)
        g_assert_true (isfinite (margins[c]) && margins[c] <= margins[said->predicted]);
    }
}

static void
test_predict (Fixture *fixture, gconstpointer data)
{
  static const char *const kernels[] = { "linear", "rbf", "chi2" }, *const losses[] = { "hinge", "squares" };

  check_predictions (fixture->recipe, 80);
  for (gsize k = 0; k < G_N_ELEMENTS (kernels); k++)
    for (gsize l = 0; l < G_N_ELEMENTS (losses); l++)
      {
        set (fixture->recipe, "classifier.kernel", kernels[k]);
        set (fixture->recipe, "classifier.loss", losses[l]);
        check_predictions (fixture->recipe, 50);
        set (fixture->recipe, "classifier.choose-c", "true");
        check_predictions (fixture->recipe, 50);
        set (fixture->recipe, "classifier.choose-c", "false");
      }
}

/* The same bytes on one thread and on two, and with vectors in a file. */
static void
test_same (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) first = NULL;

  set (fixture->recipe, "dataset.block", "80");
  set (fixture->recipe, "dataset.block-step", "20");
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (TosstDataset) dataset = NULL;
      g_autoptr (TosstRunResult) result = NULL;
      g_autoptr (GBytes) bytes = NULL;

      if (i == 2)
        g_setenv ("TOSST_RESIDENT_MB", "0", TRUE);
      result = run (fixture->recipe, i == 0 ? 1 : 2, &dataset);
      g_unsetenv ("TOSST_RESIDENT_MB");
      g_assert_cmpuint (result->tensors, ==, dataset->samples->len);
      g_assert_cmpuint (result->tensors, >, dataset->entries->len);
      bytes = bytes_of (result->model);
      if (first == NULL)
        first = g_bytes_ref (bytes);
      g_assert_true (g_bytes_equal (first, bytes));
    }
}

/* Rows of a model are the vectors of the training blocks. */
static void
test_rows (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (GArray) train = NULL, tests = NULL;
  const TosstKernelModel *kernel;
  TosstTexture kind;

  set (fixture->recipe, "dataset.block", "60");
  set (fixture->recipe, "dataset.block-step", "25");
  result = run (fixture->recipe, 2, &dataset);
  kernel = result->model->kernel;
  g_assert_true (tosst_recipe_is_texture (fixture->recipe, &kind));
  g_assert_true (tosst_dataset_split (dataset, fixture->recipe, 0, &train, &tests, NULL));
  g_assert_cmpuint (kernel->machine->n, ==, train->len);
  g_assert_cmpuint (kernel->length, ==, (gsize)tosst_texture_length (kind));
  for (guint i = 0; i < train->len; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, g_array_index (train, guint, i));
      g_autoptr (TosstImage) image = tosst_dataset_read_for (dataset, (guint)sample->image, 0, NULL);
      g_autofree float *vector = g_new (float, kernel->length);

      g_assert_cmpint (tosst_texture (kind, image, (TosstPoint){ sample->x, sample->y }, 60, 60, vector), ==, TOSST_OK);
      g_assert_cmpmem (vector, kernel->length * sizeof *vector, kernel->rows + i * kernel->length,
                       kernel->length * sizeof *vector);
    }
}

/* Distance of the blocks of two samples, by the kernel of the kind. */
static double
distance (TosstDataset *dataset, TosstTexture kind, gboolean chi2, guint first, guint second)
{
  gsize n = (gsize)tosst_texture_length (kind);
  g_autofree float *vectors = g_new (float, 2 * n);
  guint samples[2] = { first, second };
  double sum = 0;

  for (int i = 0; i < 2; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, samples[i]);
      g_autoptr (TosstImage) image = tosst_dataset_read_for (dataset, (guint)sample->image, 0, NULL);

      g_assert_cmpint (tosst_texture (kind, image, (TosstPoint){ sample->x, sample->y }, sample->width, sample->height,
                                      vectors + i * n),
                       ==, TOSST_OK);
    }
  for (gsize j = 0; j < n; j++)
    {
      double x = vectors[j], y = vectors[n + j];

      sum += x == y ? 0 : (x - y) * (x - y) / (chi2 ? fabs (x) + fabs (y) : 1);
    }
  return sum;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* They are three different training samples of the class, at its smallest distances, in ascending order. */
static void
check_nearest (TosstDataset *dataset, TosstTexture kind, gboolean chi2, const GArray *train, guint sample,
               int class_index, const int nearest[TOSST_NEAREST])
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < train->len; i++)
    {
      guint one = g_array_index (train, guint, i);
      double d;

      if (tosst_dataset_sample (dataset, one)->class_index != class_index)
        continue;
      d = distance (dataset, kind, chi2, sample, one);
      g_array_append_val (all, d);
    }
  g_array_sort (all, compare_doubles);
  for (int k = 0; k < TOSST_NEAREST; k++)
    {
      gboolean trains = FALSE;

      for (guint i = 0; i < train->len; i++)
        trains = trains || (int)g_array_index (train, guint, i) == nearest[k];
      g_assert_true (trains);
      g_assert_true (k == 0 || nearest[k] != nearest[k - 1]);
      g_assert_cmpint (tosst_dataset_sample (dataset, (guint)nearest[k])->class_index, ==, class_index);
      g_assert_cmpfloat_with_epsilon (distance (dataset, kind, chi2, sample, (guint)nearest[k]),
                                      g_array_index (all, double, k), 1e-6 * (1 + g_array_index (all, double, k)));
    }
}

/* Half of the images of a class are of the texture of another one. */
static void
mix_classes (Fixture *fixture)
{
  for (guint i = 0; i < IMAGES / 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = g_build_filename (fixture->folder, tosst_textures_name (1), name, NULL);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (TosstImage) image = tosst_textures_render (0, IMAGES + i, TRUE);

      g_assert_true (tosst_image_write_png (image, file, NULL));
    }
}

/* Wrong predictions have the nearest training samples of both classes, in the run and in the form of the store. */
static void
test_nearest (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (GArray) train = NULL, tests = NULL, again = NULL;
  g_autoptr (GBytes) csv = NULL;
  TosstTexture kind;
  guint wrong = 0;

  mix_classes (fixture);
  set (fixture->recipe, "dataset.block", "60");
  set (fixture->recipe, "dataset.block-step", "25");
  set (fixture->recipe, "dataset.train-per-class", "4");
  set (fixture->recipe, "classifier.choose-c", "false");
  set (fixture->recipe, "classifier.c", "0.001");
  g_assert_true (tosst_recipe_is_texture (fixture->recipe, &kind));
  result = run (fixture->recipe, 2, &dataset);
  g_assert_true (tosst_dataset_split (dataset, fixture->recipe, 0, &train, &tests, NULL));
  const GArray *predictions = result->split[0].predictions;
  csv = tosst_predictions_to_csv (predictions);
  again = tosst_predictions_from_csv (csv, result->split[0].confusion, CLASSES);
  g_assert_nonnull (again);
  g_assert_cmpmem (again->data, again->len * sizeof (TosstPrediction), predictions->data,
                   predictions->len * sizeof (TosstPrediction));
  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);

      if (one->truth == one->predicted || wrong > 10)
        {
          g_assert_true (wrong > 10 || one->nearest[0][0] == -1);
          continue;
        }
      wrong++;
      for (int side = 0; side < 2; side++)
        check_nearest (dataset, kind, result->model->kernel->kernel == TOSST_KERNEL_CHI2, train, one->sample,
                       side == 0 ? one->predicted : one->truth, one->nearest[side]);
    }
  g_assert_cmpuint (wrong, >, 0);
}

/* Classes drawn with the probabilities of a slope have it as that of the largest likelihood. */
static void
test_slope (void)
{
  enum
  {
    N = 20000,
    C = 5
  };
  static const double slopes[] = { 0.3, 2, 15 };
  g_autofree double *margins = g_new (double, N *C);
  g_autofree int *labels = g_new (int, N);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (gsize k = 0; k < G_N_ELEMENTS (slopes); k++)
    {
      for (int i = 0; i < N; i++)
        {
          double *f = margins + i * C, total = 0, draw;

          for (int c = 0; c < C; c++)
            {
              f[c] = g_rand_double_range (random, -1, 1) / slopes[k] * 3;
              total += exp (slopes[k] * f[c]);
            }
          draw = g_rand_double (random) * total;
          for (labels[i] = 0; labels[i] < C - 1 && (draw -= exp (slopes[k] * f[labels[i]])) > 0; labels[i]++)
            ;
        }
      g_assert_cmpfloat_with_epsilon (tosst_run_fit_slope (margins, labels, N, C) / slopes[k], 1, 0.05);
    }
  /* All right: finite. None known, or one class: no slope. */
  for (int i = 0; i < N; i++)
    for (int c = 0; c < C; c++)
      margins[i * C + c] = c == labels[i] ? 1 : -1;
  g_assert_cmpfloat (tosst_run_fit_slope (margins, labels, N, C), <, 20);
  g_assert_true (isnan (tosst_run_fit_slope (margins, labels, 0, C)));
  g_assert_true (isnan (tosst_run_fit_slope (margins, labels, N, 1)));
}

/* The mean probability of predicted classes is about the accuracy on tests; a stored model has the same probabilities. */
static void
test_probabilities (Fixture *fixture, gconstpointer data)
{
  static const char *const kernels[] = { "linear", "rbf", "rbf" }, *const losses[] = { "hinge", "hinge", "squares" };

  /* 24 more images of each class, a quarter of them of another one. */
  for (guint c = 0; c < CLASSES; c++)
    for (guint i = 0; i < 24; i++)
      {
        g_autofree char *name = g_strdup_printf ("more-%u.png", i);
        g_autofree char *path = g_build_filename (fixture->folder, tosst_textures_name (c), name, NULL);
        g_autoptr (GFile) file = g_file_new_for_path (path);
        g_autoptr (TosstImage) image = tosst_textures_render ((c + (i % 4 == 0)) % CLASSES, IMAGES + i, TRUE);

        g_assert_true (tosst_image_write_png (image, file, NULL));
      }
  set (fixture->recipe, "dataset.train-per-class", "15");
  for (gsize k = 0; k < G_N_ELEMENTS (kernels); k++)
    {
      g_autoptr (TosstDataset) dataset = NULL;
      g_autoptr (TosstRunResult) result = NULL;
      g_autoptr (TosstModel) again = NULL;
      double confidence = 0;

      set (fixture->recipe, "classifier.kernel", kernels[k]);
      set (fixture->recipe, "classifier.loss", losses[k]);
      result = run (fixture->recipe, 2, &dataset);
      again = stored (result->model);
      g_assert_cmpfloat (result->model->slope, >, 0);
      g_assert_cmpfloat (again->slope, ==, result->model->slope);
      const TosstScores *scores = result->split[0].margins;
      for (guint i = 0; i < scores->samples; i++)
        {
          const double *margins = scores->margin + (gsize)i * CLASSES;
          double p[CLASSES], sum = 0;
          int best = 0, largest = 0;

          g_assert_true (tosst_model_probabilities (again, margins, p));
          for (int c = 0; c < CLASSES; c++)
            {
              sum += p[c];
              best = margins[c] > margins[best] ? c : best;
              largest = p[c] > p[largest] ? c : largest;
            }
          g_assert_cmpfloat_with_epsilon (sum, 1, 1e-12);
          g_assert_cmpint (largest, ==, best);
          confidence += p[best] / scores->samples;
        }
      g_test_message ("%s %s: %.1f %% right, %.1f %% by probabilities, slope %.3g", kernels[k], losses[k],
                      result->split[0].accuracy, 100 * confidence, again->slope);
      g_assert_cmpfloat (fabs (100 * confidence - result->split[0].accuracy), <, 15);
    }
}

/* Several labels an image, by rbf kernels of both losses. */
static void
test_labels (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GString) csv = g_string_new ("image,split,first,second,both\n");

  for (guint c = 0; c < CLASSES; c++)
    for (guint i = 0; i < IMAGES; i++)
      g_string_append_printf (csv, "%s/%u.png,%s,%d,%d,%d\n", tosst_textures_name (c), i, i % 3 == 2 ? "test" : "train",
                              c == 0 ? 1 : -1, c == 1 ? 1 : -1,
                              c < 2    ? 1
                              : i == 0 ? 0
                                       : -1);
  put_text (fixture, "labels.csv", csv->str);
  set (fixture->recipe, "dataset.kind", "labels");
  for (int loss = 0; loss < 2; loss++)
    {
      g_autoptr (TosstDataset) dataset = NULL;
      g_autoptr (TosstRunResult) result = NULL;
      g_autoptr (TosstModel) model = NULL;
      g_autoptr (TosstContext) context = tosst_context_new (1);
      g_autoptr (TosstPredictor) predictor = NULL;
      const TosstScores *scores;
      double right = 0, known = 0;

      set (fixture->recipe, "classifier.loss", loss == 0 ? "hinge" : "squares");
      set (fixture->recipe, "classifier.choose-c", loss == 0 ? "false" : "true");
      result = run (fixture->recipe, 2, &dataset);
      g_assert_cmpfloat (result->accuracy_mean, >=, 80);
      model = stored (result->model);
      predictor = tosst_predictor_new (model, context, NULL);
      scores = result->split[0].scores;
      for (guint i = 0; i < scores->samples; i++)
        {
          g_autoptr (TosstImage) pixels = tosst_dataset_read_for (dataset, scores->sample[i], 0, NULL);
          double margins[3], p[3];

          g_assert_cmpint (tosst_predictor_classify (predictor, context, pixels, margins, NULL), >=, 0);
          g_assert_cmpmem (margins, sizeof margins, scores->margin + (gsize)i * 3, sizeof margins);
          /* Each class by itself; a margin that says more has a probability that does. */
          g_assert_true (tosst_model_probabilities (model, margins, p));
          for (int c = 0; c < 3; c++)
            {
              g_assert_true (p[c] > 0 && p[c] < 1);
              g_assert_true (tosst_model_shows (model, margins, c) == (p[c] >= 0.5));
              right += (p[c] >= 0.5) == (scores->label[(gsize)c * scores->samples + i] > 0);
              known += scores->label[(gsize)c * scores->samples + i] != 0;
            }
        }
      g_assert_cmpmem (model->sigmoids, 6 * sizeof (double), result->model->sigmoids, 6 * sizeof (double));
      g_assert_cmpfloat (right, >=, 0.75 * known);
    }
}

/* Patches with a kernel machine: a map of one window is the image. */
static void
test_map (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (TosstPredictor) predictor = NULL;
  g_autoptr (TosstImage) image = NULL;
  g_autoptr (GError) error = NULL;
  double margins[CLASSES];

  set (fixture->recipe, "coding.method", "log-euclidean");
  set (fixture->recipe, "classifier.kernel", "rbf");
  set (fixture->recipe, "descriptor.step", "20");
  result = run (fixture->recipe, 2, &dataset);
  g_assert_nonnull (result->model->kernel);
  g_assert_null (result->model->svm);
  predictor = tosst_predictor_new (result->model, context, NULL);
  image = tosst_dataset_read_for (dataset, 0, 0, NULL);
  g_assert_cmpint (tosst_predictor_classify (predictor, context, image, margins, NULL), >=, 0);
  g_autoptr (TosstClassMap) map
      = tosst_class_map_new (predictor, context, image, MIN (image->width, image->height), 0, &error);
  g_assert_no_error (error);
  for (int c = 0; c < CLASSES; c++)
    g_assert_cmpfloat_with_epsilon (map->margins[c], margins[c], 1e-4);
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = run (fixture->recipe, 2, &dataset);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (result->model, context, NULL);
  g_autoptr (TosstImage) image = tosst_dataset_read_for (dataset, 0, 0, NULL), small = tosst_image_new (3, 50, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstClassMap) map = NULL;
  g_autoptr (GBytes) bytes = NULL;

  /* A map of one window is the class of the image. */
  map = tosst_class_map_new (predictor, context, image, MIN (image->width, image->height), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (map->class_index[0], ==, tosst_predictor_classify (predictor, context, image, NULL, &error));
  g_clear_error (&error);
  for (int i = 0; i < 150; i++)
    small->data[i] = 0;
  g_assert_cmpint (tosst_predictor_classify (predictor, context, small, NULL, &error), ==, -1);
  g_assert_nonnull (strstr (error->message, "3 × 50 pixels"));
  g_clear_error (&error);
  /* A model whose signatures are of another length. */
  result->model->kernel->length--;
  bytes = bytes_of (result->model);
  result->model->kernel->length++;
  g_assert_null (tosst_model_from_bytes (bytes, "odd.npz", &error));
  g_assert_nonnull (strstr (error->message, "odd.npz has a kernel machine"));
  g_clear_error (&error);
  set (fixture->recipe, "dataset.block", "3");
  g_assert_false (tosst_recipe_check (fixture->recipe, &error));
  g_assert_nonnull (strstr (error->message, "dataset.block is 3 pixels"));
}

/* Exponents are classifier.sharpness times as large: those of rbf by the square of the width. A width that is set stays. */
static void
test_sharpness (Fixture *fixture, gconstpointer data)
{
  double factor = g_str_equal (data, "lbp") ? 4 : 2, width[2];

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TosstDataset) dataset = NULL;
      g_autoptr (TosstRunResult) result = NULL;

      set (fixture->recipe, "classifier.sharpness", i == 0 ? "1" : "4");
      result = run (fixture->recipe, 2, &dataset);
      width[i] = result->model->kernel->width;
    }
  g_assert_cmpfloat_with_epsilon (width[0] / width[1], factor, 1e-9);
  g_assert_null (tosst_recipe_why_inactive (fixture->recipe, tosst_parameter_find ("classifier.sharpness")));
  set (fixture->recipe, "classifier.width", "3");
  g_assert_nonnull (tosst_recipe_why_inactive (fixture->recipe, tosst_parameter_find ("classifier.sharpness")));
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = run (fixture->recipe, 2, &dataset);
  g_assert_cmpfloat (result->model->kernel->width, ==, 3);
}

/* Defaults follow the kind. */
static void
test_defaults (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  set (recipe, "descriptor.kind", "lbp");
  g_assert_cmpint (recipe->classifier.kernel, ==, TOSST_KERNEL_CHI2);
  g_assert_false (recipe->pooling.l2);
  set (recipe, "descriptor.kind", "image-covariance");
  g_assert_cmpint (recipe->classifier.kernel, ==, TOSST_KERNEL_RBF);
  g_assert_cmpint (recipe->classifier.loss, ==, TOSST_LOSS_SQUARES);
  g_assert_true (recipe->classifier.choose_c);
  g_assert_false (tosst_recipe_has_dictionary (recipe));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("descriptor.patch")));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("coding.method")));
  g_assert_nonnull (tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dictionary.atoms")));
  g_assert_cmpfloat (recipe->classifier.sharpness, ==, 1);
  set (recipe, "descriptor.kind", "invariant-covariance");
  g_assert_cmpint (recipe->classifier.kernel, ==, TOSST_KERNEL_RBF);
  g_assert_cmpfloat (recipe->classifier.sharpness, ==, 10);
  set (recipe, "classifier.choose-c", "false");
  set (recipe, "descriptor.kind", "rbf");
  g_assert_cmpfloat (recipe->classifier.sharpness, ==, 1);
  g_assert_cmpint (recipe->classifier.kernel, ==, TOSST_KERNEL_LINEAR);
  g_assert_cmpint (recipe->classifier.loss, ==, TOSST_LOSS_HINGE);
  g_assert_true (recipe->pooling.l2);
}

/* Labels drawn with the probabilities of a sigmoid have it as that of the largest likelihood. */
static void
test_sigmoid (void)
{
  enum
  {
    N = 20000
  };
  static const double sigmoids[][2] = { { 0.5, 0 }, { 3, -1 }, { 20, 2 }, { 1, -4 } };
  g_autofree double *margins = g_new (double, 2 * N); /* every second one */
  g_autofree signed char *labels = g_new (signed char, N);
  g_autoptr (GRand) random = g_rand_new_with_seed (9);
  double a, b;

  for (gsize k = 0; k < G_N_ELEMENTS (sigmoids); k++)
    {
      for (int i = 0; i < N; i++)
        {
          double z = g_rand_double_range (random, -4, 4) - sigmoids[k][1] * (k == 3 ? 0.5 : 0);

          margins[2 * i] = (z - sigmoids[k][1]) / sigmoids[k][0];
          margins[2 * i + 1] = NAN;
          labels[i] = i % 7 == 0 ? 0 : g_rand_double (random) < 1 / (1 + exp (-z)) ? 1 : -1;
        }
      tosst_run_fit_sigmoid (margins, 2, labels, N, &a, &b);
      g_assert_cmpfloat_with_epsilon (a / sigmoids[k][0], 1, 0.05);
      g_assert_cmpfloat_with_epsilon (b, sigmoids[k][1], 0.2);
    }
  /* Classes that separate: finite. Margins that say the opposite, or nothing, and a class without positives: the share. */
  for (int i = 0; i < N; i++)
    {
      labels[i] = i % 4 == 0 ? 1 : -1;
      margins[i] = labels[i];
    }
  tosst_run_fit_sigmoid (margins, 1, labels, N, &a, &b);
  g_assert_cmpfloat (a, >, 3);
  g_assert_cmpfloat (a, <, 30);
  for (int kind = 0; kind < 2; kind++)
    {
      for (int i = 0; i < N; i++)
        margins[i] = kind == 0 ? -labels[i] : 0.5;
      tosst_run_fit_sigmoid (margins, 1, labels, N, &a, &b);
      g_assert_cmpfloat_with_epsilon (1 / (1 + exp (-a * 0.5 - b)), 0.25, 0.01);
    }
  memset (labels, -1, N);
  tosst_run_fit_sigmoid (margins, 1, labels, N, &a, &b);
  g_assert_cmpfloat (a, ==, 0);
  g_assert_cmpfloat (1 / (1 + exp (-b)), <, 1e-3);
  tosst_run_fit_sigmoid (margins, 1, labels, 0, &a, &b);
  g_assert_true (isfinite (a) && isfinite (b));
}

int
main (int argc, char **argv)
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(name, kind, function) g_test_add (name, Fixture, kind, set_up_textures, function, tear_down)
  ADD ("/kernel-runs/predict/lbp", "lbp", test_predict);
  ADD ("/kernel-runs/predict/image-covariance", "image-covariance", test_predict);
  ADD ("/kernel-runs/predict/invariant-covariance", "invariant-covariance", test_predict);
  ADD ("/kernel-runs/same/lbp", "lbp", test_same);
  ADD ("/kernel-runs/same/image-covariance", "image-covariance", test_same);
  ADD ("/kernel-runs/same/invariant-covariance", "invariant-covariance", test_same);
  ADD ("/kernel-runs/rows/lbp", "lbp", test_rows);
  ADD ("/kernel-runs/rows/image-covariance", "image-covariance", test_rows);
  ADD ("/kernel-runs/rows/invariant-covariance", "invariant-covariance", test_rows);
  ADD ("/kernel-runs/nearest/lbp", "lbp", test_nearest);
  ADD ("/kernel-runs/nearest/image-covariance", "image-covariance", test_nearest);
  ADD ("/kernel-runs/probabilities", "image-covariance", test_probabilities);
  g_test_add_func ("/kernel-runs/slope", test_slope);
  g_test_add_func ("/kernel-runs/sigmoid", test_sigmoid);
  ADD ("/kernel-runs/labels", "image-covariance", test_labels);
  ADD ("/kernel-runs/map", "covariance", test_map);
  ADD ("/kernel-runs/refusals/lbp", "lbp", test_refusals);
  ADD ("/kernel-runs/refusals/image-covariance", "image-covariance", test_refusals);
  ADD ("/kernel-runs/refusals/invariant-covariance", "invariant-covariance", test_refusals);
  ADD ("/kernel-runs/sharpness/lbp", "lbp", test_sharpness);
  ADD ("/kernel-runs/sharpness/image-covariance", "image-covariance", test_sharpness);
  g_test_add_func ("/kernel-runs/defaults", test_defaults);
  return g_test_run ();
}

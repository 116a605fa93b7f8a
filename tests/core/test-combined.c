/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of descriptor.kind=combined and of classifier.beside: weights, the model file, and what is refused.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../small-images.h"
#include "core/base/error.h"
#include "core/dictionary/model.h"
#include "core/method/parts.h"
#include "core/predict/predictor.h"
#include "core/run/cache.h"
#include "core/run/hash.h"
#include "core/run/run.h"
#include "core/run/scores.h"
#include "own-cache.h"
#include "run-same.h"
#include "small-run.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

typedef struct
{
  char *folder;
  TosstRecipe *recipe;
  TosstDataset *dataset;
  TosstContext *context;
  guint exact, landmarks; /* of TosstRunOptions */
} Fixture;

static void
set (Fixture *self, const char *name, const char *value)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_recipe_set (self->recipe, name, value, &error));
  g_assert_no_error (error);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("tosst-combined-XXXXXX", NULL);
  write_small_images (self->folder);
  self->recipe = small_recipe (self->folder);
  self->context = tosst_context_new (2);
  self->dataset = tosst_dataset_open (self->recipe, NULL, NULL);
  set (self, "descriptor.kind", "combined");
  set (self, "descriptor.parts", "raw;log-covariance;tensor");
  set (self, "descriptor.most", "100");
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

static TosstRunResult *
run (Fixture *self, const TosstRecipe *recipe, TosstStageCache *cache)
{
  const TosstRunOptions options = { .cache = cache, .exact = self->exact, .landmarks = self->landmarks };
  g_autoptr (GError) error = NULL;
  TosstRunResult *result = tosst_run_execute_with (recipe, self->dataset, self->context, NULL, &options, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static double
weight_of (const TosstRunResult *result, int split, guint part)
{
  return g_array_index (result->split[split].parts, TosstPartResult, part).weight;
}

static gboolean
changes_hash (Fixture *self, const char *name, const char *value)
{
  const char *fingerprint = self->dataset->fingerprint;
  g_autofree char *before = tosst_run_hash (self->recipe, fingerprint, -1), *after = NULL;

  set (self, name, value);
  after = tosst_run_hash (self->recipe, fingerprint, -1);
  return strcmp (before, after) != 0;
}

/* Values that each part has of its own, or that no part uses, are inactive; others may be of a part. */
static void
test_inactive (Fixture *self, gconstpointer data)
{
  static const char *const without[]
      = { "pooling.normalise", "classifier.kernel", "classifier.width", "descriptor.folder",
          "descriptor.length", "dictionary.atoms",  "coding.lambda",    "descriptor.pca" },
      *const with[] = { "pooling.power", "descriptor.most", "descriptor.step", "classifier.c" };

  set (self, "classifier.choose-c", "false");
  for (guint i = 0; i < G_N_ELEMENTS (without); i++)
    g_assert_nonnull (tosst_recipe_why_inactive (self->recipe, tosst_parameter_find (without[i])));
  for (guint i = 0; i < G_N_ELEMENTS (with); i++)
    g_assert_null (tosst_recipe_why_inactive (self->recipe, tosst_parameter_find (with[i])));
  g_assert_false (changes_hash (self, "pooling.normalise", "none"));
  g_assert_false (changes_hash (self, "descriptor.length", "77"));
}

/* Another run are values of the parts, not those that no part has. */
static void
test_hash (Fixture *self, gconstpointer data)
{
  g_assert_false (changes_hash (self, "dictionary.atoms", "101"));
  g_assert_true (changes_hash (self, "descriptor.most", "101"));
  g_assert_true (changes_hash (self, "classifier.choose-c", "false"));
  g_assert_true (changes_hash (self, "descriptor.parts", "raw;tensor"));
}

/* Progress of learning: calls of on_stage() between its begin and its end. */
static void
count_learning (TosstStage stage, int split, double fraction, gpointer data)
{
  if (stage == TOSST_STAGE_LEARN && fraction > 0 && fraction < 1)
    ++*(guint *)data;
}

typedef struct
{
  TosstContext *context;
  guint coded; /* stages of coding so far */
} Interrupting;

static void
cancel_in_coding (TosstStage stage, int split, double fraction, gpointer data)
{
  Interrupting *self = data;

  self->coded += stage == TOSST_STAGE_CODE && fraction == 0;
  /* A part enters this stage twice: before it learns, and to code. */
  if (self->coded == 4)
    tosst_context_cancel (self->context);
}

/* A run that was cancelled after learning goes on without learning that again: mixtures of the split are kept as features
 * are, and give the same bits. */
static void
test_mixtures (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = NULL;
  g_autoptr (TosstRunResult) whole = NULL, first = NULL, second = NULL;
  g_autoptr (GError) error = NULL;
  Interrupting interrupting = { self->context, 0 };
  const TosstRunObserver stops = { .stage = cancel_in_coding, .data = &interrupting };
  guint all = 0, again = 0;
  const TosstRunObserver counts = { .stage = count_learning, .data = &all },
                         counts_again = { .stage = count_learning, .data = &again };

  set (self, "descriptor.parts", "fisher;fisher-affine");
  set (self, "dataset.splits", "1");
  whole = tosst_run_execute (self->recipe, self->dataset, self->context, &counts, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (all, >, 0);
  folder = make_cache ();
  first = tosst_run_execute (self->recipe, self->dataset, self->context, &stops, NULL, &error);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
  g_clear_error (&error);
  tosst_context_reset (self->context);
  second = tosst_run_execute (self->recipe, self->dataset, self->context, &counts_again, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (again, ==, 0);
  g_assert_cmpfloat (whole->split[0].accuracy, ==, second->split[0].accuracy);
  g_assert_cmpmem (whole->split[0].confusion, 9 * sizeof (int), second->split[0].confusion, 9 * sizeof (int));
  for (guint i = 0; i < 2; i++)
    {
      const TosstModel *a = g_ptr_array_index (whole->model->parts, i),
                       *b = g_ptr_array_index (second->model->parts, i);
      gsize n = (gsize)a->mixture->K * (gsize)a->mixture->D;

      g_assert_cmpmem (a->mixture->means, n * 8, b->mixture->means, n * 8);
      g_assert_cmpmem (a->mixture->variances, n * 8, b->mixture->variances, n * 8);
      g_assert_cmpmem (a->pca->basis, (gsize)(a->pca->D * a->pca->q) * 8, b->pca->basis,
                       (gsize)(b->pca->D * b->pca->q) * 8);
    }
  remove_cache (folder);
  g_setenv ("TOSST_CACHE_MB", "0", TRUE);
}

/* All weight on one part is a combination of it alone. */
static void
test_alone (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) whole = NULL, alone = NULL;
  g_autoptr (TosstParts) parts = NULL;

  set (self, "descriptor.weights", "0;3;0");
  set (self, "classifier.choose-c", "true");
  whole = run (self, self->recipe, NULL);
  parts = tosst_parts_new (self->recipe, NULL);
  g_assert_cmpuint (parts->n, ==, 3);
  g_assert_cmpint (parts->recipe[1]->descriptor.kind, ==, TOSST_DESCRIPTOR_COVARIANCE);
  g_assert_cmpint (parts->recipe[1]->descriptor.step, ==, 12);
  set (self, "descriptor.parts", "log-covariance");
  set (self, "descriptor.weights", "");
  alone = run (self, self->recipe, NULL);
  for (int split = 0; split < 2; split++)
    {
      const GArray *a = whole->split[split].predictions, *b = alone->split[split].predictions;

      g_assert_cmpfloat (weight_of (whole, split, 1), ==, 1);
      g_assert_cmpfloat (whole->split[split].c, ==, alone->split[split].c);
      g_assert_cmpmem (a->data, a->len * sizeof (TosstPrediction), b->data, b->len * sizeof (TosstPrediction));
    }
}

/* data: weights, or NULL. Weights are of sum 1 and the same on every run, with a cache, too; parts are computed once. */
static void
test_weights (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstStageCache) cache = tosst_stage_cache_new ((gsize)1 << 30);
  g_autoptr (TosstRunResult) first = NULL, second = NULL, third = NULL;
  TosstStageCounts counts;

  if (data)
    set (self, "descriptor.weights", data);
  first = run (self, self->recipe, NULL);
  tosst_stage_cache_reserve (cache, self->recipe, self->dataset);
  second = run (self, self->recipe, cache);
  third = run (self, self->recipe, cache);
  tosst_stage_cache_release (cache, self->recipe, self->dataset);
  tosst_stage_cache_count (cache, &counts);
  g_assert_cmpuint (counts.found[TOSST_PART_SIGNATURES], >, 0);
  assert_same (first, second);
  assert_same (first, third);
  for (int split = 0; split < 2; split++)
    {
      double sum = 0;

      for (guint i = 0; i < 3; i++)
        {
          sum += weight_of (first, split, i);
          /* By the errors every part has some say. */
          if (!data)
            g_assert_cmpfloat (weight_of (first, split, i), >, 0);
          g_assert_cmpfloat (weight_of (first, split, i), >=, 0);
          g_assert_cmpfloat (weight_of (first, split, i), ==, weight_of (second, split, i));
        }
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-12);
    }
}

/* The file of the model decides as the run did. data: weights, or NULL. */
static void
test_model (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstModel) model = NULL;
  g_autoptr (TosstPredictor) predictor = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const GArray *predictions;

  if (data)
    set (self, tosst_recipe_is_combined (self->recipe) ? "descriptor.weights" : "classifier.beside", data);
  result = run (self, self->recipe, NULL);
  bytes = tosst_model_to_bytes (result->model, "m.npz", &error);
  g_assert_no_error (error);
  model = tosst_model_from_bytes (bytes, "m.npz", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->parts->len, ==, 3);
  predictor = tosst_predictor_new (model, self->context, &error);
  g_assert_no_error (error);
  predictions = result->split[0].predictions;
  for (guint i = 0; i < predictions->len; i++)
    {
      const TosstPrediction *one = &g_array_index (predictions, TosstPrediction, i);
      const TosstSample *sample = tosst_dataset_sample (self->dataset, one->sample);
      g_autoptr (TosstImage) image = tosst_dataset_read_for (self->dataset, sample->image, 0, NULL);
      double margins[3];

      g_assert_cmpint (tosst_predictor_classify (predictor, self->context, image, margins, &error), ==, one->predicted);
      g_assert_no_error (error);
      g_assert_true (isfinite (margins[0]) && isfinite (margins[2]));
    }
}

/* --- further training --- */

static void
sign_image (Fixture *self, const TosstPredictor *predictor, guint image, float **signature)
{
  g_autoptr (TosstImage) pixels = tosst_dataset_read_for (self->dataset, image, 0, NULL);
  g_autoptr (GError) error = NULL;

  *signature = tosst_predictor_sign (predictor, self->context, pixels, &error);
  g_assert_no_error (error);
}

/* Largest difference of the margins of all images by two models, relative to the largest margin. */
static double
margins_differ (Fixture *self, const TosstModel *a, const TosstModel *b)
{
  g_autoptr (TosstPredictor) first = tosst_predictor_new (a, self->context, NULL),
                             second = tosst_predictor_new (b, self->context, NULL);
  double worst = 0, largest = 0;

  for (guint i = 0; i < self->dataset->entries->len; i++)
    {
      g_autoptr (TosstImage) pixels = tosst_dataset_read_for (self->dataset, i, 0, NULL);
      double x[3], y[3];

      g_assert_cmpint (tosst_predictor_classify (first, self->context, pixels, x, NULL), >=, 0);
      g_assert_cmpint (tosst_predictor_classify (second, self->context, pixels, y, NULL), >=, 0);
      for (int c = 0; c < 3; c++)
        {
          worst = fmax (worst, fabs (x[c] - y[c]));
          largest = fmax (largest, fabs (x[c]));
        }
    }
  return worst / largest;
}

static TosstRunResult *
run_with_training (Fixture *self)
{
  const TosstRunOptions options = { .training = TRUE };
  g_autoptr (GError) error = NULL;
  TosstRunResult *result
      = tosst_run_execute_with (self->recipe, self->dataset, self->context, NULL, &options, NULL, &error);

  g_assert_no_error (error);
  return result;
}

/* Where nothing is learned but the classifier, a model that is trained with one more image is that of a run with it. */
static void
test_retrain (Fixture *self, gconstpointer data)
{
  const char *single = data;
  g_autofree char *list = g_build_filename (self->folder, "additions.txt", NULL),
                  *copy = g_build_filename (self->folder, "copy.png", NULL),
                  *of = g_build_filename (self->folder, small_classes[0], "0.png", NULL), *line = NULL;
  g_autoptr (TosstRunResult) before = NULL, after = NULL;
  g_autoptr (TosstModel) same = NULL, again = NULL;
  g_autoptr (TosstPredictor) predictor = NULL;
  g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new_from_file (of, NULL), flipped = gdk_pixbuf_flip (picture, TRUE);
  g_autoptr (GError) error = NULL;
  g_autofree float *signature = NULL;
  guint added = self->dataset->entries->len;
  const int wrong = 2;

  if (single == NULL)
    set_text (self->recipe, "descriptor.parts=raw;image-covariance;lbp descriptor.weights=0.2;0.5;0.3");
  else
    set_text (self->recipe, single);
  set (self, "classifier.choose-c", "false");
  before = run_with_training (self);
  g_assert_nonnull (before->model->training);
  same = tosst_model_retrain (before->model, self->context, NULL, NULL, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (margins_differ (self, before->model, same), <, 1e-4);

  g_assert_true (gdk_pixbuf_save (flipped, copy, "png", NULL, NULL));
  line = g_strdup_printf ("%s\t%s\n", small_classes[wrong], copy);
  g_assert_true (g_file_set_contents (list, line, -1, NULL));
  set (self, "dataset.additions", list);
  tosst_dataset_unref (self->dataset);
  self->dataset = tosst_dataset_open (self->recipe, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (self->dataset->entries->len, ==, added + 1);
  after = run_with_training (self);
  predictor = tosst_predictor_new (before->model, self->context, NULL);
  sign_image (self, predictor, added, &signature);
  again = tosst_model_retrain (before->model, self->context, (const float *const[]){ signature }, &wrong, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (margins_differ (self, before->model, after->model), >, 1e-2);
  g_assert_cmpfloat (margins_differ (self, again, after->model), <, 1e-4);
  g_unlink (list);
  g_unlink (copy);
}

/* --- landmarks --- */

#define TRAINED 12 /* training samples */

static void
set_up_landmarks (Fixture *self, gconstpointer data)
{
  set_up (self, data);
  set (self, "classifier.loss", "squares");
  set (self, "classifier.choose-c", "true");
  self->exact = 1;
  self->landmarks = 6;
}

static void
assert_close (const TosstRunResult *a, const TosstRunResult *b)
{
  for (int split = 0; split < 2; split++)
    {
      const TosstScores *left = a->split[split].margins, *right = b->split[split].margins;

      g_assert_cmpfloat (a->split[split].c, ==, b->split[split].c);
      for (guint i = 0; i < 3 * left->samples; i++)
        g_assert_cmpfloat_with_epsilon (left->margin[i], right->margin[i], 1e-6);
    }
}

/* With all training samples as landmarks the run is that without, but for rounding; with half of them it is another with
 * nearly its accuracy. data: one part, or a single descriptor; NULL: the parts. */
static void
test_landmarks (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) exact = NULL, all = NULL, some = NULL;

  if (data != NULL)
    set (self, "descriptor.kind", data);
  set (self, "classifier.loss", "squares");
  some = run (self, self->recipe, NULL);
  self->landmarks = TRAINED;
  all = run (self, self->recipe, NULL);
  self->exact = TRAINED;
  exact = run (self, self->recipe, NULL);
  assert_close (exact, all);
  g_assert_cmpfloat (exact->split[0].margins->margin[0], !=, some->split[0].margins->margin[0]);
  g_assert_cmpfloat (some->accuracy_mean, >=, exact->accuracy_mean - 10);
  for (int split = 0; split < 2 && data == NULL; split++)
    for (guint i = 0; i < 3; i++)
      g_assert_cmpfloat_with_epsilon (weight_of (exact, split, i), weight_of (all, split, i), 1e-12);
}

/* Signatures in a file are those in memory. data: parts. */
static void
test_mapped (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) resident = NULL, mapped = NULL;

  set (self, "descriptor.parts", data);
  resident = run (self, self->recipe, NULL);
  g_setenv ("TOSST_RESIDENT_MB", "0", TRUE);
  mapped = run (self, self->recipe, NULL);
  g_unsetenv ("TOSST_RESIDENT_MB");
  assert_same (resident, mapped);
}

/* A search for weights, and the hinge loss, which landmarks replace by squares. */
static void
test_landmarks_others (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) squares = run (self, self->recipe, NULL), hinge = NULL, search = NULL;

  set (self, "classifier.loss", "hinge");
  hinge = run (self, self->recipe, NULL);
  assert_close (squares, hinge);
  set (self, "descriptor.weights", "choose");
  search = run (self, self->recipe, NULL);
  g_assert_cmpfloat_with_epsilon (weight_of (search, 0, 0) + weight_of (search, 0, 1) + weight_of (search, 0, 2), 1,
                                  1e-12);
}

#define BLANK 4 /* the first images of a class */

/* Images without a gradient, some of which train and some test. */
static void
make_blank (Fixture *self)
{
  g_autoptr (GdkPixbuf) pixels = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 64, 64);

  for (int i = 0; i < BLANK; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%s/%d.png", self->folder, small_classes[1], i);

      gdk_pixbuf_fill (pixels, 0x808080ff + 0x01010100u * (guint)i);
      g_assert_true (gdk_pixbuf_save (pixels, path, "png", NULL, NULL));
    }
  tosst_dataset_unref (self->dataset);
  self->dataset = tosst_dataset_open (self->recipe, NULL, NULL);
}

static gboolean
is_blank (Fixture *self, guint sample)
{
  const char *name
      = tosst_dataset_image (self->dataset, (guint)tosst_dataset_sample (self->dataset, sample)->image)->name;

  return g_str_has_prefix (name, small_classes[1]) && atoi (name + strlen (small_classes[1]) + 1) < BLANK;
}

/* Margins of the first split, and those that the file of the model gives. Returns the number of blank tests. */
static guint
compare_margins (Fixture *self, const TosstRunResult *result, gboolean is_alone)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tosst_model_to_bytes (result->model, "m.npz", &error);
  g_autoptr (TosstModel) model = tosst_model_from_bytes (bytes, "m.npz", &error);
  g_autoptr (TosstPredictor) predictor = tosst_predictor_new (model, self->context, &error);
  const TosstScores *scores = result->split[0].margins;
  guint blank = 0;

  for (guint i = 0; i < scores->samples; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (self->dataset, scores->sample[i]);
      g_autoptr (TosstImage) image = tosst_dataset_read_for (self->dataset, (guint)sample->image, 0, NULL);
      double margins[3];
      gboolean empty = is_blank (self, scores->sample[i]);
      gboolean found = tosst_predictor_classify (predictor, self->context, image, margins, &error) >= 0;

      blank += empty;
      for (int c = 0; c < 3; c++)
        g_assert_true (isfinite (scores->margin[3 * i + c]));
      /* With four training images of each class least squares prefer none where there is nothing to see. */
      for (int c = 0; c < 3 && empty && is_alone; c++)
        g_assert_cmpfloat_with_epsilon (scores->margin[3 * i + c], scores->margin[3 * i], 1e-9);
      g_assert_cmpint (found, ==, !(empty && is_alone));
      if (!found)
        g_assert_error (error, TOSST_ERROR, TOSST_FAILED_EMPTY);
      g_clear_error (&error);
      for (int c = 0; c < 3 && found; c++)
        g_assert_cmpfloat_with_epsilon (margins[c], scores->margin[3 * i + c], 1e-5);
    }
  return blank;
}

/* An image in which a part finds nothing does not end the run: the other parts decide, and the part alone has no
 * preference. data: the parts. */
static void
test_blank (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRunResult) result = NULL;
  guint tested;

  make_blank (self);
  set (self, "descriptor.parts", data);
  set (self, "classifier.loss", "squares");
  result = run (self, self->recipe, NULL);
  g_assert_cmpuint (result->empty, ==, BLANK);
  g_assert_cmpstr (result->empty_name, ==, "across/0.png");
  tested = compare_margins (self, result, strchr (data, ';') == NULL);
  g_assert_cmpuint (tested, >, 0);
  g_assert_cmpuint (tested, <, BLANK);
}

static void
refuse (Fixture *self, const char *parts, const char *weights, const char *fragment)
{
  g_autoptr (GError) error = NULL;

  set (self, "descriptor.parts", parts);
  set (self, "descriptor.weights", weights);
  g_assert_null (tosst_run_execute (self->recipe, self->dataset, self->context, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, fragment));
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  refuse (self, "", "", "descriptor.parts must name");
  refuse (self, "raw;vectors", "", "“vectors”");
  refuse (self, "raw;tensor", "1;2;3", "3 numbers for 2 parts");
  refuse (self, "raw;tensor", "1;-2", "“-2”");
  refuse (self, "raw;tensor", "0;0", "above 0");
  set (self, "descriptor.pca", "1");
  set (self, "dataset.block", "32");
  refuse (self, "raw;tensor", "", "the part tensor");
}

/* --- methods beside a dictionary --- */

static void
set_up_beside (Fixture *self, gconstpointer data)
{
  set_up (self, data);
  set (self, "descriptor.kind", "rbf");
  set (self, "descriptor.parts", "");
  set (self, "descriptor.most", "2000");
  set (self, "dictionary.atoms", "12");
  set (self, "dictionary.iterations", "3");
  set (self, "pooling.order", "2");
  set (self, "classifier.loss", "squares");
  set (self, "classifier.choose-c", "true");
}

static void
count_iterations (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
                  gpointer data)
{
  g_assert_cmpint (dictionary->K, ==, 12);
  ++*(int *)data;
}

static TosstRunResult *
run_observed (Fixture *self, int *iterations)
{
  const TosstRunObserver observer = { .iteration = count_iterations, .data = iterations };
  g_autoptr (GError) error = NULL;
  TosstRunResult *result = tosst_run_execute (self->recipe, self->dataset, self->context, &observer, NULL, &error);

  g_assert_no_error (error);
  return result;
}

/* What stands beside a dictionary, even another one, changes neither it nor its codes, and its iterations are reported. */
static void
test_beside (Fixture *self, gconstpointer data)
{
  int alone_iterations = 0, iterations = 0;
  g_autoptr (TosstRunResult) alone = NULL, both = NULL;

  /* One split: a second dictionary takes as long as many tests. */
  set (self, "dataset.splits", "1");
  alone = run_observed (self, &alone_iterations);
  set (self, "classifier.beside", "log-covariance;tosst-light");
  both = run_observed (self, &iterations);
  g_assert_cmpint (iterations, ==, alone_iterations);
  g_assert_nonnull (both->usage);
  g_assert_cmpint (both->d, ==, alone->d);
  g_assert_cmpuint (both->tensors, ==, alone->tensors);
  g_assert_cmpmem (both->dictionary->V, sizeof (double) * 12 * (gsize)both->dictionary->D, alone->dictionary->V,
                   sizeof (double) * 12 * (gsize)alone->dictionary->D);
  const TosstSplitResult *one = both->split;
  g_assert_cmpfloat (one->objective, ==, alone->split->objective);
  g_assert_cmpfloat (one->relative_residual, ==, alone->split->relative_residual);
  g_assert_cmpfloat (one->mean_nonzeros, ==, alone->split->mean_nonzeros);
  g_assert_cmpuint (one->parts->len, ==, 3);
  g_assert_cmpstr (g_array_index (one->parts, TosstPartResult, 0).name, ==, "dictionary");
  g_assert_cmpfloat_with_epsilon (weight_of (both, 0, 0) + weight_of (both, 0, 1) + weight_of (both, 0, 2), 1, 1e-12);
}

/* With all weight on one part the whole has the accuracy that is reported of the part alone. */
static void
test_beside_alone (Fixture *self, gconstpointer data)
{
  static const char *const weights[] = { "1;0", "0;1" }, *const names[] = { "dictionary", "log-covariance" };
  g_autoptr (TosstRunResult) both = NULL;

  set (self, "classifier.beside", "log-covariance");
  both = run (self, self->recipe, NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TosstRunResult) one = NULL;

      set (self, "descriptor.weights", weights[i]);
      one = run (self, self->recipe, NULL);
      for (int split = 0; split < 2; split++)
        {
          g_assert_cmpfloat (one->split[split].accuracy, ==, tosst_run_part_accuracy (&one->split[split], names[i]));
          g_assert_cmpfloat (one->split[split].accuracy, ==, tosst_run_part_accuracy (&both->split[split], names[i]));
        }
    }
}

/* A method beside has its own values: another K or patch is another dictionary beside the same method. */
static void
test_beside_recipes (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstParts) parts = NULL;

  set (self, "classifier.beside", "fisher;lbp");
  parts = tosst_parts_new (self->recipe, NULL);
  g_assert_cmpuint (parts->n, ==, 3);
  g_assert_cmpint (parts->recipe[0]->dictionary.atoms, ==, 12);
  g_assert_null (parts->recipe[0]->classifier.beside);
  g_assert_cmpint (parts->recipe[1]->descriptor.most, ==, 2000);
  g_assert_cmpint (parts->recipe[2]->descriptor.kind, ==, TOSST_DESCRIPTOR_LBP);
  g_assert_cmpint (parts->recipe[2]->dataset.splits, ==, 2);
  g_assert_true (changes_hash (self, "dictionary.atoms", "13"));
  g_assert_true (changes_hash (self, "classifier.beside", "fisher"));
  g_assert_true (changes_hash (self, "classifier.beside", ""));
  set (self, "classifier.beside", "combined");
  g_assert_null (tosst_parts_new (self->recipe, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/combined/mixtures", Fixture, NULL, set_up, test_mixtures, tear_down);
  g_test_add ("/combined/inactive", Fixture, NULL, set_up, test_inactive, tear_down);
  g_test_add ("/combined/hash", Fixture, NULL, set_up, test_hash, tear_down);
  g_test_add ("/combined/alone", Fixture, NULL, set_up, test_alone, tear_down);
  g_test_add ("/combined/weights", Fixture, NULL, set_up, test_weights, tear_down);
  g_test_add ("/combined/weights-chosen", Fixture, "choose", set_up, test_weights, tear_down);
  g_test_add ("/combined/model", Fixture, NULL, set_up, test_model, tear_down);
  g_test_add ("/combined/model-weights", Fixture, "1;2;4", set_up, test_model, tear_down);
  g_test_add ("/retrain/parts", Fixture, NULL, set_up, test_retrain, tear_down);
  g_test_add ("/retrain/squares", Fixture,
              "descriptor.kind=image-covariance classifier.kernel=linear classifier.loss=squares", set_up, test_retrain,
              tear_down);
  g_test_add ("/retrain/rbf", Fixture, "descriptor.kind=image-covariance classifier.kernel=rbf classifier.loss=squares",
              set_up, test_retrain, tear_down);
  g_test_add ("/retrain/hinge", Fixture, "descriptor.kind=covariance coding.method=log-euclidean classifier.c=10",
              set_up, test_retrain, tear_down);
  g_test_add ("/landmarks/parts", Fixture, NULL, set_up_landmarks, test_landmarks, tear_down);
  g_test_add ("/landmarks/kernel", Fixture, "image-covariance", set_up_landmarks, test_landmarks, tear_down);
  g_test_add ("/landmarks/linear", Fixture, "covariance", set_up_landmarks, test_landmarks, tear_down);
  g_test_add ("/landmarks/mapped", Fixture, "fisher;image-covariance", set_up_landmarks, test_mapped, tear_down);
  g_test_add ("/landmarks/others", Fixture, NULL, set_up_landmarks, test_landmarks_others, tear_down);
  g_test_add ("/landmarks/model", Fixture, NULL, set_up_landmarks, test_model, tear_down);
  g_test_add ("/combined/blank", Fixture, "fisher;log-covariance", set_up, test_blank, tear_down);
  g_test_add ("/combined/blank-alone", Fixture, "fisher", set_up, test_blank, tear_down);
  g_test_add ("/combined/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/beside/dictionary", Fixture, NULL, set_up_beside, test_beside, tear_down);
  g_test_add ("/beside/alone", Fixture, NULL, set_up_beside, test_beside_alone, tear_down);
  g_test_add ("/beside/recipes", Fixture, NULL, set_up_beside, test_beside_recipes, tear_down);
  g_test_add ("/beside/model", Fixture, "log-covariance;lbp", set_up_beside, test_model, tear_down);
  return g_test_run ();
}

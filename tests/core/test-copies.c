/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dataset.copies: which samples have copies, what their pixels are, and runs with them.
 */
#include "config.h"

#include <math.h>

#include "core/dictionary/model.h"
#include "core/predict/predictor.h"
#include "core/run/hash.h"
#include "core/run/private.h"
#include "core/run/run.h"
#include "dataset-folder.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

/* Value at a pixel, by the name of a pattern. */
typedef double (*Pattern) (int x, int y);

static double
ramp (int x, int y)
{
  return 0.2 + 0.002 * x + 0.003 * y;
}

static double
stripes (int x, int y)
{
  return x % 2 == 0 ? 0.2 : 0.8;
}

/* A grey block on white. */
static double
island (int x, int y)
{
  return x >= 40 && x < 80 && y >= 40 && y < 80 ? 0.4 : 1;
}

static double
waves (int x, int y)
{
  return 0.5 + 0.3 * sin (0.9 * x + 0.2 * y) + 0.1 * sin (0.37 * x * y);
}

static void
put_pattern (Fixture *fixture, const char *name, Pattern pattern, double turn, int width, int height)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = tosst_image_new (width, height, 1);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  for (int i = 0; i < width * height; i++)
    image->data[i] = (float)(pattern (i % width, i / width) + turn * sin (0.5 * (i / width)));
  image->data[0] = (float)(g_str_hash (name) % 256) / 255; /* no two images are the same */
  tosst_image_write_png (image, file, &error);
  g_assert_no_error (error);
}

/* Two classes of five images. */
static void
put_classes (Fixture *fixture, Pattern pattern, int width, int height)
{
  for (int i = 0; i < 10; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%d.png", i < 5 ? "a" : "b", i);

      put_pattern (fixture, name, pattern, i < 5 ? 0 : 0.1, width, height);
    }
}

static TosstDataset *
open_run (const TosstRecipe *recipe, TosstDataset **whole)
{
  g_autoptr (GError) error = NULL;
  TosstDataset *used;

  *whole = tosst_dataset_open (recipe, NULL, &error);
  g_assert_no_error (error);
  used = tosst_dataset_of_run (*whole, recipe, &error);
  g_assert_no_error (error);
  return used;
}

/* The sample of which a sample of the run is a copy: the name of a copy begins with that of its image. */
static gboolean
is_copy_of (TosstDataset *used, guint copy, guint sample)
{
  const char *name = tosst_dataset_image (used, (guint)tosst_dataset_sample (used, copy)->image)->name;

  return g_str_has_prefix (name, tosst_dataset_image (used, (guint)tosst_dataset_sample (used, sample)->image)->name);
}

/* Training: samples and all of their copies; tests: samples without a copy. */
static void
check_splits (const TosstRecipe *recipe, TosstDataset *used)
{
  guint own = tosst_dataset_own_samples (used), copies = (guint)recipe->dataset.copies;

  for (guint copy = own; copy < used->samples->len && recipe->dataset.within == 0; copy++)
    g_assert_true (is_copy_of (used, copy, tosst_dataset_origin (used, copy)));
  for (guint split = 0; split < tosst_dataset_splits (used, recipe); split++)
    {
      g_autoptr (GArray) train = NULL, test = NULL;
      g_autoptr (GError) error = NULL;
      guint trained = 0;

      g_assert_true (tosst_dataset_split (used, recipe, split, &train, &test, &error));
      while (trained < train->len && g_array_index (train, guint, trained) < own)
        trained++;
      g_assert_cmpuint (trained, >, 0);
      g_assert_cmpuint (train->len, ==, trained * (copies + 1));
      for (guint i = trained; i < train->len; i++)
        {
          guint copy = g_array_index (train, guint, i), of = g_array_index (train, guint, (i - trained) / copies);

          g_assert_cmpuint (copy, >=, own);
          g_assert_true (is_copy_of (used, copy, of));
          g_assert_cmpint (tosst_dataset_sample (used, copy)->class_index, ==,
                           tosst_dataset_sample (used, of)->class_index);
        }
      g_assert_cmpuint (test->len, >, 0);
      for (guint i = 0; i < test->len; i++)
        g_assert_cmpuint (g_array_index (test, guint, i), <, own);
    }
}

static void
test_splits (Fixture *fixture, gconstpointer data)
{
  static const char *const protocols[] = { "random", "leave-one-out", "fixed" };

  put_classes (fixture, waves, 60, 50);
  set (fixture->recipe, "dataset.copies", "3");
  for (gsize p = 0; p < G_N_ELEMENTS (protocols); p++)
    for (int block = 0; block < 2; block++)
      {
        g_autoptr (TosstDataset) whole = NULL, used = NULL;

        set (fixture->recipe, "dataset.protocol", protocols[p]);
        set (fixture->recipe, "dataset.block", block ? "25" : "0");
        set (fixture->recipe, "dataset.block-step", "25");
        used = open_run (fixture->recipe, &whole);
        g_assert_cmpuint (tosst_dataset_own_samples (used), ==, whole->samples->len);
        g_assert_cmpuint (tosst_dataset_own_images (used), ==, whole->entries->len);
        /* In the fixed protocol two images of each class train. */
        g_assert_cmpuint (used->samples->len - tosst_dataset_own_samples (used), ==,
                          (p == 2 ? 4 : 10) * (block ? 4 : 1) * 3);
        g_assert_cmpstr (used->fingerprint, ==, whole->fingerprint);
        check_splits (fixture->recipe, used);
      }
}

static void
assert_same_images (TosstDataset *a, guint i, TosstDataset *b, guint j)
{
  g_autoptr (TosstImage) x = tosst_dataset_read_for (a, i, 0, NULL), y = tosst_dataset_read_for (b, j, 0, NULL);

  g_assert_nonnull (x);
  g_assert_cmpint (x->width, ==, y->width);
  g_assert_cmpint (x->height, ==, y->height);
  g_assert_cmpint (x->width, ==, tosst_dataset_image (a, i)->width);
  g_assert_cmpint (x->height, ==, tosst_dataset_image (a, i)->height);
  g_assert_cmpmem (x->data, (gsize)(x->width * x->height) * 4, y->data, (gsize)(x->width * x->height) * 4);
}

/* Nested splits have copies of their training samples only, the same as the outer split. */
static void
test_nested (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, used = NULL, other = NULL, nested = NULL;
  g_autoptr (GArray) train = NULL, test = NULL;

  put_classes (fixture, waves, 60, 50);
  set (fixture->recipe, "dataset.copies", "2");
  set (fixture->recipe, "dataset.train-per-class", "4");
  used = open_run (fixture->recipe, &whole);
  g_assert_true (tosst_dataset_split (used, fixture->recipe, 0, &train, &test, NULL));
  set (fixture->recipe, "dataset.within", "1");
  set (fixture->recipe, "dataset.validate", "2");
  nested = open_run (fixture->recipe, &other);
  g_assert_cmpuint (nested->samples->len, ==, 8 * 3);
  check_splits (fixture->recipe, nested);
  for (guint i = 0; i < 24; i++)
    assert_same_images (nested, i, used, g_array_index (train, guint, i));
}

static double
value_at (const TosstImage *image, int x, int y)
{
  return image->data[y * image->width + x];
}

/* A ramp remains one, of the same value in the middle; its slope is divided by the scale. */
static void
test_ramp (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, used = NULL;
  double least = 9, most = 0, least_turn = 9, most_turn = -9;

  put_classes (fixture, ramp, 120, 90);
  set (fixture->recipe, "dataset.copies", "6");
  used = open_run (fixture->recipe, &whole);
  for (guint i = 10; i < 40; i++)
    {
      g_autoptr (TosstImage) image = tosst_dataset_read_for (used, i, 0, NULL);
      int w = image->width, h = image->height, left = w / 4, top = h / 4;
      double across = (value_at (image, w - 1 - left, top) - value_at (image, left, top)) / (w - 1 - 2 * left);
      double down = (value_at (image, left, h - 1 - top) - value_at (image, left, top)) / (h - 1 - 2 * top);
      double scale = hypot (0.002, 0.003) / hypot (across, down), turn = atan2 (down, across);

      least = MIN (least, scale);
      most = MAX (most, scale);
      least_turn = MIN (least_turn, turn);
      most_turn = MAX (most_turn, turn);
      for (int y = top; y < h - top; y++)
        for (int x = left; x < w - left; x++)
          g_assert_cmpfloat_with_epsilon (value_at (image, x, y),
                                          ramp (0, 0) + 0.002 * 59.5 + 0.003 * 44.5 + across * (x - 0.5 * (w - 1))
                                              + down * (y - 0.5 * (h - 1)),
                                          0.003);
    }
  /* Levels of grey and smoothing at the border change slopes a little. */
  g_assert_cmpfloat (least, >, 0.58);
  g_assert_cmpfloat (least, <, 0.75);
  g_assert_cmpfloat (most, <, 1.65);
  g_assert_cmpfloat (most, >, 1.3);
  g_assert_cmpfloat (least_turn, <, -2);
  g_assert_cmpfloat (most_turn, >, 2);
}

static double
deviation (const TosstImage *image)
{
  double sum = 0, squares = 0;
  int n = image->width * image->height;

  for (int i = 0; i < n; i++)
    {
      sum += image->data[i];
      squares += image->data[i] * image->data[i];
    }
  return sqrt (fmax (squares / n - sum * sum / n / n, 0));
}

/* What smaller copies cannot show is removed, and does not become a coarser pattern. */
static void
test_low_pass (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, used = NULL;
  guint smaller = 0;

  put_classes (fixture, stripes, 150, 150);
  set (fixture->recipe, "dataset.copies", "30");
  used = open_run (fixture->recipe, &whole);
  /* The first class has no other pattern. Scales are at most 0.66 where the inner square is so small. */
  for (guint i = 10; i < 160; i++)
    {
      g_autoptr (TosstImage) image = tosst_dataset_read_for (used, i, 0, NULL);

      if (image->width > 70)
        continue;
      smaller++;
      g_assert_cmpfloat (deviation (image), <, 0.35 * 0.3);
    }
  g_assert_cmpuint (smaller, >, 3);
}

/* A copy has pixels of its block alone, whatever surrounds that. */
static void
test_inside (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, used = NULL;
  guint grey = 0;

  put_classes (fixture, island, 120, 120);
  set (fixture->recipe, "dataset.block", "40");
  set (fixture->recipe, "dataset.block-step", "40");
  set (fixture->recipe, "dataset.copies", "2");
  used = open_run (fixture->recipe, &whole);
  for (guint i = tosst_dataset_own_images (used); i < used->entries->len; i++)
    {
      g_autoptr (TosstImage) image = tosst_dataset_read_for (used, i, 0, NULL);

      if (tosst_dataset_image (used, i)->class_index > 0 || image->data[0] > 0.9)
        continue;
      grey++;
      for (int k = 0; k < image->width * image->height; k++)
        g_assert_cmpfloat_with_epsilon (image->data[k], 0.4, 1e-6);
    }
  g_assert_cmpuint (grey, ==, 5 * 2);
}

static void
test_seed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, used = NULL, again = NULL, same = NULL, other = NULL, third = NULL;
  guint different = 0;

  put_classes (fixture, waves, 60, 50);
  set (fixture->recipe, "dataset.copies", "1");
  used = open_run (fixture->recipe, &whole);
  again = open_run (fixture->recipe, &same);
  set (fixture->recipe, "dataset.seed", "2");
  other = open_run (fixture->recipe, &third);
  for (guint i = 0; i < 20; i++)
    {
      const TosstDatasetImage *a = tosst_dataset_image (used, i), *b = tosst_dataset_image (other, i);

      assert_same_images (used, i, again, i);
      different += a->width != b->width || a->height != b->height;
    }
  g_assert_cmpuint (different, >, 5);
}

static char *
hash_of (TosstRecipe *recipe, const char *copies, TosstRunPart part)
{
  set (recipe, "dataset.copies", copies);
  return part < TOSST_N_RUN_PARTS ? tosst_run_part_hash (recipe, "f", part) : tosst_run_hash (recipe, "f", -1);
}

static void
check_hashes (const char *name, const char *value, gboolean matters)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  set (recipe, name, value);
  for (int part = TOSST_PART_TENSORS; part <= TOSST_N_RUN_PARTS; part++)
    {
      g_autofree char *none = hash_of (recipe, "0", part), *one = hash_of (recipe, "1", part),
                      *two = hash_of (recipe, "2", part);

      g_assert_cmpint (strcmp (none, one) != 0, ==, matters);
      g_assert_cmpint (strcmp (one, two) != 0, ==, matters);
    }
}

/* All stages depend on copies, also on the seed that draws them where nothing else is drawn. */
static void
test_hash (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *a = NULL, *b = NULL;

  check_hashes ("descriptor.kind", "linear", TRUE);
  check_hashes ("descriptor.kind", "lbp", TRUE);
  check_hashes ("descriptor.kind", "features", FALSE);
  check_hashes ("dataset.kind", "labels", FALSE);
  set (recipe, "dataset.protocol", "fixed");
  a = hash_of (recipe, "1", TOSST_PART_TENSORS);
  set (recipe, "dataset.seed", "7");
  b = hash_of (recipe, "1", TOSST_PART_TENSORS);
  g_assert_cmpstr (a, !=, b);
}

/* Estimates of memory and time count copies. */
static void
test_estimate (Fixture *fixture, gconstpointer data)
{
  static const char *const kinds[] = { "linear", "image-covariance", "sift" };
  g_autoptr (TosstDataset) whole = NULL, used = NULL;

  put_classes (fixture, waves, 120, 90);
  used = open_run (fixture->recipe, &whole);
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      TosstRunEstimate none, some;
      double less[TOSST_N_STAGES], more[TOSST_N_STAGES];

      set (fixture->recipe, "descriptor.kind", kinds[k]);
      set (fixture->recipe, "dataset.copies", "0");
      tosst_run_estimate (fixture->recipe, whole, 1, &none);
      tosst_run_work (fixture->recipe, whole, less);
      set (fixture->recipe, "dataset.copies", "3");
      tosst_run_estimate (fixture->recipe, whole, 1, &some);
      tosst_run_work (fixture->recipe, whole, more);
      g_assert_cmpuint (some.samples, ==, 4 * none.samples);
      g_assert_cmpuint (2 * some.tensors, >, 3 * none.tensors);
      g_assert_cmpuint (some.files, >, none.files);
      g_assert_cmpfloat (more[TOSST_STAGE_DESCRIBE], >, 1.5 * less[TOSST_STAGE_DESCRIBE]);
    }
}

static void
apply (TosstRecipe *recipe, const char *values)
{
  g_auto (GStrv) all = g_strsplit (values, " ", -1);

  for (char **one = all; *one != NULL; one++)
    {
      g_auto (GStrv) parts = g_strsplit (*one, "=", 2);

      set (recipe, parts[0], parts[1]);
    }
}

/* data: values of a descriptor. The same result with tensors in memory and on the disk, and a model that decides as
 * the run did, on tests that are no copies. */
static void
test_run (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstRunResult) result = NULL, stored = NULL;
  g_autoptr (TosstPredictor) predictor = NULL;
  g_autoptr (GError) error = NULL;

  put_classes (fixture, waves, 64, 60);
  apply (fixture->recipe, "dataset.splits=2 dataset.train-per-class=3 dataset.copies=2 descriptor.patch=16 "
                          "descriptor.step=12 descriptor.pivots=2 descriptor.most=60 dictionary.atoms=8 "
                          "dictionary.iterations=3 dictionary.sample=80 coding.gaussians=2 classifier.choose-c=true");
  apply (fixture->recipe, data);
  dataset = tosst_dataset_open (fixture->recipe, NULL, &error);
  g_assert_no_error (error);
  result = tosst_run_execute (fixture->recipe, dataset, context, NULL, NULL, &error);
  g_assert_no_error (error);
  g_setenv ("TOSST_RESIDENT_MB", "0", TRUE);
  stored = tosst_run_execute (fixture->recipe, dataset, context, NULL, NULL, &error);
  g_unsetenv ("TOSST_RESIDENT_MB");
  g_assert_no_error (error);
  predictor = tosst_predictor_new (result->model, context, &error);
  g_assert_no_error (error);
  for (int split = 0; split < 2; split++)
    {
      const GArray *a = result->split[split].predictions, *b = stored->split[split].predictions;

      g_assert_cmpuint (a->len, ==, 4);
      g_assert_cmpfloat (result->split[split].c, ==, stored->split[split].c);
      g_assert_cmpmem (a->data, a->len * sizeof (TosstPrediction), b->data, b->len * sizeof (TosstPrediction));
    }
  for (guint i = 0; i < 4; i++)
    {
      const TosstPrediction *one = &g_array_index (result->split[0].predictions, TosstPrediction, i);
      g_autoptr (TosstImage) image = NULL;
      double margins[2];

      g_assert_cmpuint (one->sample, <, dataset->samples->len);
      image = tosst_dataset_read_for (dataset, ((guint)tosst_dataset_sample (dataset, one->sample)->image), 0, NULL);
      g_assert_cmpint (tosst_predictor_classify (predictor, context, image, margins, NULL), ==, one->predicted);
    }
}

static const char *const runs[][2] = {
  { "tensor", "descriptor.kind=linear" },
  { "keypoints", "descriptor.kind=covariance coding.method=log-euclidean descriptor.frames=keypoints" },
  { "covariance", "descriptor.kind=covariance coding.method=log-euclidean" },
  { "autocorrelation", "descriptor.kind=autocorrelation coding.method=raw" },
  { "sift", "descriptor.kind=sift descriptor.pca=4 coding.method=raw" },
  { "fisher", "descriptor.kind=sift descriptor.frames=keypoints descriptor.pca=4 coding.method=fisher" },
  { "lbp", "descriptor.kind=lbp classifier.kernel=chi2" },
  { "image-covariance", "descriptor.kind=image-covariance classifier.loss=squares classifier.kernel=rbf" },
  { "combined", "descriptor.kind=combined descriptor.parts=fisher;image-covariance" },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test) g_test_add ("/copies/" name, Fixture, NULL, set_up, test, tear_down)
  ADD ("splits", test_splits);
  ADD ("nested", test_nested);
  ADD ("ramp", test_ramp);
  ADD ("low-pass", test_low_pass);
  ADD ("inside", test_inside);
  ADD ("seed", test_seed);
  ADD ("estimate", test_estimate);
  g_test_add_func ("/copies/hash", test_hash);
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *name = g_strconcat ("/copies/run/", runs[i][0], NULL);

      g_test_add (name, Fixture, runs[i][1], set_up, test_run, tear_down);
    }
  return g_test_run ();
}

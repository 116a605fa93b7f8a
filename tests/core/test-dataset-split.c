/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Splits: of the sample textures, within those of others, and of published data sets. */

#include <string.h>

#include "core/data/lists.h"
#include "core/data/textures.h"
#include "core/run/hash.h"
#include "dataset-sides.h"
#include "shared-path.h"

typedef struct
{
  TosstDataset *dataset;
  TosstRecipe *recipe;
} SplitJob;

static gpointer
split_in_thread (gpointer data)
{
  SplitJob *job = data;
  GArray *train = NULL;
  g_autoptr (GArray) test = NULL;

  split (job->dataset, job->recipe, 3, &train, &test);
  return train;
}

static void
test_samples (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = open_well (recipe);
  g_autoptr (TosstImage) image = NULL;
  g_autoptr (TosstImage) expected = tosst_textures_render (1, 2, FALSE);
  guint classes = TOSST_TEXTURES, each = TOSST_TEXTURE_IMAGES;
  g_autofree guint *drawn = g_new0 (guint, dataset->samples->len);
  guint never = 0;

  g_assert_cmpuint (dataset->classes->len, ==, classes);
  g_assert_cmpuint (dataset->samples->len, ==, classes * each);
  g_assert_cmpuint (tosst_dataset_splits (dataset, recipe), ==, (guint)recipe->dataset.splits);
  image = tosst_dataset_read_for (dataset, (each + 2), 0, NULL);
  g_assert_cmpmem (image->data, 128 * 128 * 12, expected->data, 128 * 128 * 12);
  for (guint number = 0; number < 20; number++)
    {
      g_autoptr (GArray) train = NULL;
      g_autoptr (GArray) test = NULL;

      split (dataset, recipe, number, &train, &test);
      assert_partition (dataset, train, test, TRUE);
      for (guint i = 0; i < classes; i++)
        g_assert_cmpuint (count_class (dataset, train, (int)i), ==, 24);
      for (guint i = 0; i < train->len; i++)
        drawn[at (train, i)]++;
    }
  /* Each sample trains with probability 24/30: one of 480 that never or always does in 20 splits is rare (1 % each). */
  for (guint i = 0; i < dataset->samples->len; i++)
    never += drawn[i] == 0 || drawn[i] == 20;
  g_assert_cmpuint (never, <, 24);
}

/* The hard textures have the same classes and splits, other images and another fingerprint; twins are mutual. */
static void
test_hard (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new (), hard = tosst_recipe_new ();
  g_autoptr (TosstDataset) plain_set = open_well (recipe), hard_set = NULL;
  g_autoptr (GArray) train = NULL, test = NULL, hard_train = NULL, hard_test = NULL;
  g_autoptr (TosstImage) plain = tosst_dataset_read_for (plain_set, 5, 0, NULL), image = NULL,
                         again = tosst_textures_render_hard (0, 5);

  set (hard, "dataset.hard", "true");
  hard_set = open_well (hard);
  image = tosst_dataset_read_for (hard_set, 5, 0, NULL);
  g_assert_cmpmem (image->data, 3 * 128 * 128 * sizeof (float), again->data, 3 * 128 * 128 * sizeof (float));
  g_assert_cmpint (memcmp (image->data, plain->data, 128 * 128 * sizeof (float)), !=, 0);
  g_assert_cmpstr (plain_set->fingerprint, !=, hard_set->fingerprint);
  split (plain_set, recipe, 0, &train, &test);
  split (hard_set, hard, 0, &hard_train, &hard_test);
  g_assert_cmpmem (train->data, train->len * sizeof (guint), hard_train->data, hard_train->len * sizeof (guint));
  for (guint i = 0; i < TOSST_TEXTURES; i++)
    {
      g_assert_cmpuint (tosst_textures_twin (i), !=, i);
      g_assert_cmpuint (tosst_textures_twin (tosst_textures_twin (i)), ==, i);
    }
}

/* Divisions of the training samples of a split: its test samples are in neither side of any division. */
static void
assert_within (TosstDataset *dataset, TosstRecipe *recipe, int within, int validate)
{
  g_autoptr (GArray) outer_train = NULL, outer_test = NULL;
  g_autofree guint8 *is_test = g_new0 (guint8, dataset->samples->len);
  g_autofree char *text = g_strdup_printf ("%d", within), *count = g_strdup_printf ("%d", validate);

  set (recipe, "dataset.within", "0");
  split (dataset, recipe, (guint)within - 1, &outer_train, &outer_test);
  for (guint i = 0; i < outer_test->len; i++)
    is_test[at (outer_test, i)] = 1;
  set (recipe, "dataset.within", text);
  set (recipe, "dataset.validate", count);
  g_assert_cmpuint (tosst_dataset_splits (dataset, recipe), ==, (guint)recipe->dataset.splits);
  for (guint number = 0; number < 4; number++)
    {
      g_autoptr (GArray) train = NULL, test = NULL, again = NULL, test_again = NULL;

      split (dataset, recipe, number, &train, &test);
      g_assert_cmpuint (train->len + test->len, ==, outer_train->len);
      for (guint i = 0, j = 0, k = 0; k < outer_train->len; k++)
        {
          guint sample = at (outer_train, k);
          gboolean trains = i < train->len && at (train, i) == sample, tests = j < test->len && at (test, j) == sample;

          g_assert_true (trains != tests);
          g_assert_cmpuint (is_test[sample], ==, 0);
          i += trains;
          j += tests;
        }
      for (guint c = 0; c < dataset->classes->len; c++)
        g_assert_cmpuint (count_class (dataset, test, (int)c), ==, (guint)validate);
      split (dataset, recipe, number, &again, &test_again);
      g_assert_cmpmem (test->data, test->len * sizeof (guint), test_again->data, test_again->len * sizeof (guint));
    }
  set (recipe, "dataset.within", "0");
}

/* A dictionary of other samples, and tensors of the images of one split alone, are never accepted as these. */
static void
assert_parts (TosstRecipe *recipe)
{
  char *tensors[2], *dictionary[2];

  for (int i = 0; i < 2; i++)
    {
      set (recipe, "dataset.within", i ? "1" : "0");
      tensors[i] = tosst_run_part_hash (recipe, "data", TOSST_PART_TENSORS);
      dictionary[i] = tosst_run_part_hash (recipe, "data", TOSST_PART_DICTIONARY);
    }
  g_assert_cmpstr (tensors[0], !=, tensors[1]);
  g_assert_cmpstr (dictionary[0], !=, dictionary[1]);
  for (int i = 0; i < 2; i++)
    {
      g_free (tensors[i]);
      g_free (dictionary[i]);
    }
}

static void
test_within (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = open_well (recipe);
  g_autoptr (GArray) train = NULL, test = NULL, other_train = NULL, other_test = NULL;
  g_autoptr (GError) error = NULL, none = NULL;

  assert_parts (recipe);
  assert_within (dataset, recipe, 1, 8);
  assert_within (dataset, recipe, 7, 1);
  set (recipe, "dataset.protocol", "fixed");
  assert_within (dataset, recipe, 1, 23);
  set (recipe, "dataset.protocol", "leave-one-out");
  assert_within (dataset, recipe, 3, 8);
  set (recipe, "dataset.protocol", "random");

  /* Divisions differ by number. */
  set (recipe, "dataset.within", "1");
  set (recipe, "dataset.validate", "8");
  split (dataset, recipe, 0, &train, &test);
  split (dataset, recipe, 1, &other_train, &other_test);
  g_assert_cmpint (memcmp (test->data, other_test->data, test->len * sizeof (guint)), !=, 0);

  set (recipe, "dataset.validate", "24");
  g_clear_pointer (&train, g_array_unref);
  g_clear_pointer (&test, g_array_unref);
  g_assert_false (tosst_dataset_split (dataset, recipe, 0, &train, &test, &error));
  g_assert_nonnull (strstr (error->message, "dataset.validate is 24"));
  set (recipe, "dataset.protocol", "fixed");
  set (recipe, "dataset.within", "2");
  g_assert_false (tosst_dataset_split (dataset, recipe, 0, &train, &test, &none));
  g_assert_nonnull (strstr (none->message, "there is no split 2"));
}

/* A split does not depend on earlier calls or on the thread, only on seed and number. */
static void
test_split_is_deterministic (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = open_well (recipe);
  SplitJob job = { dataset, recipe };
  g_autoptr (GArray) expected = split_in_thread (&job);
  GThread *thread[4];

  for (int i = 0; i < 4; i++)
    thread[i] = g_thread_new ("split", split_in_thread, &job);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (GArray) train = g_thread_join (thread[i]);

      g_assert_cmpmem (train->data, train->len * sizeof (guint), expected->data, expected->len * sizeof (guint));
    }
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GArray) train = NULL;
      g_autoptr (GArray) test = NULL;

      if (i == 1)
        set (recipe, "dataset.seed", "2");
      split (dataset, recipe, i == 1 ? 3 : 4, &train, &test);
      g_assert_cmpuint (train->len, ==, expected->len);
      g_assert_cmpint (memcmp (train->data, expected->data, train->len * sizeof (guint)), !=, 0);
    }
}

static void
test_brodatz (void)
{
  g_autofree char *path = shared_path ("datasets/brodatz");
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GArray) train = NULL;
  g_autoptr (GArray) test = NULL;
  g_autoptr (GFile) folder = NULL;
  gint64 start = g_get_monotonic_time ();

  if (path == NULL)
    return;
  folder = g_file_new_for_path (path);
  g_assert_cmpint (tosst_dataset_guess_kind (folder), ==, TOSST_DATASET_BRODATZ);
  set (recipe, "dataset.kind", "brodatz");
  set (recipe, "dataset.path", path);
  dataset = open_well (recipe);
  g_test_message ("opened in %.0f ms", (double)(g_get_monotonic_time () - start) / 1e3);
  g_assert_cmpstr (dataset->title, ==, "Brodatz");
  g_assert_cmpuint (dataset->skipped->len, ==, 0);
  g_assert_cmpuint (dataset->classes->len, ==, 111);
  g_assert_cmpuint (dataset->samples->len, ==, 111 * 49);
  g_assert_cmpstr (tosst_dataset_class_name (dataset, 9), ==, "D10");
  g_assert_cmpstr (tosst_dataset_class_name (dataset, 13), ==, "D15");
  split (dataset, recipe, 0, &train, &test);
  assert_partition (dataset, train, test, FALSE);
  for (int i = 0; i < 111; i++)
    {
      g_assert_cmpuint (count_class (dataset, train, i), ==, 24);
      g_assert_cmpuint (count_class (dataset, test, i), ==, 25);
    }
}

static void
test_kth_tips (void)
{
  g_autofree char *path = shared_path ("datasets/kth_tips_grey");
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = NULL;
  gint64 start = g_get_monotonic_time ();

  if (path == NULL)
    return;
  set (recipe, "dataset.kind", "folders");
  set (recipe, "dataset.path", path);
  dataset = open_well (recipe);
  g_test_message ("opened in %.0f ms", (double)(g_get_monotonic_time () - start) / 1e3);
  g_assert_cmpuint (dataset->classes->len, ==, 10);
  g_assert_cmpuint (dataset->entries->len + dataset->skipped->len, ==, 810);
}

/* The numbers that come with the subset. */
static void
test_voc2007_subset (void)
{
  static const struct
  {
    const char *name;
    guint trainval, test;
  } classes[] = { { "aeroplane", 3, 4 }, { "bicycle", 9, 4 },     { "bird", 1, 0 },        { "boat", 5, 5 },
                  { "bottle", 4, 4 },    { "bus", 68, 62 },       { "car", 280, 289 },     { "cat", 135, 130 },
                  { "chair", 14, 8 },    { "cow", 0, 1 },         { "diningtable", 0, 1 }, { "dog", 9, 11 },
                  { "horse", 4, 3 },     { "motorbike", 15, 14 }, { "person", 137, 141 },  { "pottedplant", 10, 4 },
                  { "sheep", 1, 0 },     { "sofa", 9, 9 },        { "train", 103, 103 },   { "tvmonitor", 4, 6 } };
  g_autofree char *path = shared_path ("datasets/voc2007_subset");
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GArray) train = NULL, test = NULL, half = NULL, val = NULL;
  g_autoptr (GPtrArray) warnings = NULL, missing = NULL;
  g_autoptr (GFile) folder = NULL;
  gint64 start = g_get_monotonic_time ();

  if (path == NULL)
    return;
  folder = g_file_new_for_path (path);
  g_assert_cmpint (tosst_dataset_guess_kind (folder), ==, TOSST_DATASET_VOC2007);
  set (recipe, "dataset.kind", "voc2007");
  set (recipe, "dataset.path", path);
  dataset = open_well (recipe);
  g_test_message ("opened in %.0f ms", (double)(g_get_monotonic_time () - start) / 1e3);
  g_assert_cmpstr (dataset->title, ==, "VOC2007");
  g_assert_cmpuint (dataset->entries->len, ==, 1163);
  g_assert_cmpuint (dataset->skipped->len, ==, 0);
  split (dataset, recipe, 0, &train, &test);
  g_assert_cmpuint (train->len, ==, 579);
  g_assert_cmpuint (test->len, ==, 584);
  set (recipe, "dataset.within", "1");
  split (dataset, recipe, 0, &half, &val);
  g_assert_cmpuint (half->len, ==, 296);
  g_assert_cmpuint (val->len, ==, 283);
  set (recipe, "dataset.within", "0");
  g_assert_cmpuint (dataset->classes->len, ==, G_N_ELEMENTS (classes));
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      g_assert_cmpstr (tosst_dataset_class_name (dataset, i), ==, classes[i].name);
      g_assert_cmpuint (tosst_dataset_count_label (dataset, TOSST_SIDE_TRAIN, i, 1)
                            + tosst_dataset_count_label (dataset, TOSST_SIDE_VALIDATE, i, 1),
                        ==, classes[i].trainval);
      g_assert_cmpuint (tosst_dataset_count_label (dataset, TOSST_SIDE_TEST, i, 1), ==, classes[i].test);
    }
  warnings = tosst_dataset_warnings (dataset, recipe);
  g_assert_cmpuint (warnings->len, ==, 2);
  g_assert_true (g_str_has_suffix (warnings->pdata[0], ": cow, diningtable"));
  g_assert_true (g_str_has_suffix (warnings->pdata[1], ": bird, sheep"));
  missing = tosst_voc_missing (folder);
  g_assert_cmpuint (missing->len, ==, 4);
}

/* Left empty, the validation images are 8, or a third where a class has no more, or where shares divide a folder. */
static void
test_validate_units (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new_samples ();

  g_assert_cmpuint (tosst_recipe_validate_units (recipe, 24), ==, 8);
  g_assert_cmpuint (tosst_recipe_validate_units (recipe, 9), ==, 8);
  g_assert_cmpuint (tosst_recipe_validate_units (recipe, 8), ==, 3);
  g_assert_cmpuint (tosst_recipe_validate_units (recipe, 2), ==, 1);
  set (recipe, "dataset.validate", "8");
  g_assert_cmpuint (tosst_recipe_validate_units (recipe, 8), ==, 8); /* refused with a sentence */
  set (recipe, "dataset.validate", "");
  set (recipe, "dataset.kind", "folders");
  set (recipe, "dataset.train-share", "0.5");
  g_assert_cmpuint (tosst_recipe_validate_units (recipe, 30), ==, 10);
}

int
main (int argc, char *argv[])
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/split/validate-units", test_validate_units);
  g_test_add_func ("/dataset-split/samples", test_samples);
  g_test_add_func ("/dataset-split/hard", test_hard);
  g_test_add_func ("/dataset-split/within", test_within);
  g_test_add_func ("/dataset-split/is-deterministic", test_split_is_deterministic);
  g_test_add_func ("/dataset-split/brodatz", test_brodatz);
  g_test_add_func ("/dataset-split/kth-tips", test_kth_tips);
  g_test_add_func ("/dataset-split/voc2007-subset", test_voc2007_subset);
  return g_test_run ();
}

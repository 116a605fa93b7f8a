/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../opens.h"
#include "dataset-folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two classes of four images one of them with nested files; the natural order of names is not that of their bytes. */
static void
put_two_classes (Fixture *fixture)
{
  for (int i = 1; i <= 4; i++)
    {
      g_autofree char *a = g_strdup_printf ("alpha/a%d.png", i * 5);
      g_autofree char *b = g_strdup_printf ("beta/%s/b%d.PNG", i < 3 ? "left" : "right", i);

      put_image (fixture, a, 60, 50);
      put_image (fixture, b, 64, 48);
    }
}

static void
test_folders (Fixture *fixture, gconstpointer data)
{
  static const char *const names[]
      = { "alpha/a5.png",     "alpha/a10.png",    "alpha/a15.png",     "alpha/a20.png",
          "beta/left/b1.PNG", "beta/left/b2.PNG", "beta/right/b3.PNG", "beta/right/b4.PNG" };
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstImage) pixels = NULL;
  g_autofree char *base = g_path_get_basename (fixture->folder);

  put_two_classes (fixture);
  put_text (fixture, "SOURCE.md", "About these images.\n");
  put_text (fixture, "alpha/notes.txt", "Notes.\n");
  put_text (fixture, "documents/paper.pdf", "%PDF");
  put_text (fixture, "alpha/.hidden.png", "hidden");
  dataset = open_well (fixture->recipe);
  g_assert_cmpstr (dataset->title, ==, base);
  g_assert_cmpuint (dataset->classes->len, ==, 2);
  g_assert_cmpstr (tosst_dataset_class_name (dataset, 0), ==, "alpha");
  g_assert_cmpstr (tosst_dataset_class_name (dataset, 1), ==, "beta");
  g_assert_cmpuint (dataset->skipped->len, ==, 1);
  g_assert_nonnull (strstr (skipped_reason (dataset, "documents/paper.pdf"), "pdftoppm"));
  g_assert_cmpuint (dataset->entries->len, ==, G_N_ELEMENTS (names));
  g_assert_cmpuint (dataset->samples->len, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const TosstDatasetImage *image = tosst_dataset_image (dataset, i);
      const TosstSample *sample = tosst_dataset_sample (dataset, i);

      g_assert_cmpstr (image->name, ==, names[i]);
      g_assert_cmpint (image->class_index, ==, i < 4 ? 0 : 1);
      g_assert_cmpint (sample->image, ==, (int)i);
      g_assert_cmpint (sample->width, ==, i < 4 ? 60 : 64);
      g_assert_cmpint (sample->height, ==, i < 4 ? 50 : 48);
    }
  pixels = tosst_dataset_read_for (dataset, 7, 0, NULL);
  g_assert_cmpint (pixels->width, ==, 64);
  g_assert_cmpint (pixels->channels, ==, 1);
}

static void
test_blocks_keep_together (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;

  put_two_classes (fixture);
  set (fixture->recipe, "dataset.block", "40");
  set (fixture->recipe, "dataset.block-step", "4");
  dataset = open_well (fixture->recipe);
  /* 60 x 50: 6 x 3 blocks; 64 x 48: 7 x 3. */
  g_assert_cmpuint (dataset->samples->len, ==, 4 * 18 + 4 * 21);
  for (guint i = 0; i < dataset->samples->len; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, i);
      const TosstDatasetImage *image = tosst_dataset_image (dataset, (guint)sample->image);

      g_assert_cmpint (sample->width, ==, 40);
      g_assert_cmpint (sample->x % 4 + sample->y % 4, ==, 0);
      g_assert_cmpint (sample->x + sample->width, <=, image->width);
      g_assert_cmpint (sample->y + sample->height, <=, image->height);
    }
  for (guint number = 0; number < 5; number++)
    {
      g_autoptr (GArray) train = NULL;
      g_autoptr (GArray) test = NULL;

      split (dataset, fixture->recipe, number, &train, &test);
      assert_partition (dataset, train, test, TRUE);
      g_assert_cmpuint (count_class (dataset, train, 0), ==, 2 * 18);
      g_assert_cmpuint (count_class (dataset, train, 1), ==, 2 * 21);
    }
}

static void
test_bad_files_are_skipped (Fixture *fixture, gconstpointer data)
{
  g_autofree char *whole = g_build_filename (fixture->folder, "alpha/a5.png", NULL);
  g_autofree char *cut = g_build_filename (fixture->folder, "beta/cut.png", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (TosstDataset) dataset = NULL;
  gsize size;

  put_two_classes (fixture);
  g_assert_true (g_file_get_contents (whole, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (cut, bytes, (gssize)size * 2 / 3, NULL));
  put_text (fixture, "alpha/text.png", "Not a picture at all.\n");
  put_text (fixture, "alpha/empty.gif", "");
  put_text (fixture, "alpha/telephone.HEIC", "ftypheic");
  put_text (fixture, "beta/left/film.mp4", "");
  put_text (fixture, "film.mp4", "");
  put_image (fixture, "alpha/tiny.png", 100, 10);
  put_image (fixture, "stray.png", 60, 60);
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->entries->len, ==, 8);
  g_assert_cmpuint (dataset->skipped->len, ==, 7);
  g_assert_nonnull (strstr (skipped_reason (dataset, "beta/left/film.mp4"), "ffmpeg"));
  g_assert_nonnull (strstr (skipped_reason (dataset, "alpha/telephone.HEIC"), "heif-convert"));
  g_assert_true (g_str_has_prefix (skipped_reason (dataset, "beta/cut.png"), "truncated PNG"));
  g_assert_cmpstr (skipped_reason (dataset, "alpha/text.png"), ==, "is a text file, not an image");
  g_assert_cmpstr (skipped_reason (dataset, "alpha/empty.gif"), ==, "is empty");
  g_assert_nonnull (strstr (skipped_reason (dataset, "alpha/tiny.png"), "100 × 10 pixels"));
  g_assert_nonnull (strstr (skipped_reason (dataset, "stray.png"), "outside"));
}

/* The folder above the folders of the classes. */
static void
test_level_too_high (Fixture *fixture, gconstpointer data)
{
  put_image (fixture, "trees/oak/1.png", 50, 50);
  assert_refused (fixture->recipe, "only one class (trees)", "two are needed");
  put_image (fixture, "trees/elm/1.png", 50, 50);
  assert_refused (fixture->recipe, "only one class (trees)", "the folders in trees are classes");
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (fixture->folder, "nowhere", NULL);
  g_autofree char *file = g_build_filename (fixture->folder, "file", NULL);
  g_autofree char *base = g_path_get_basename (fixture->folder);

  assert_refused (fixture->recipe, base, "no image found");
  set (fixture->recipe, "dataset.path", missing);
  assert_refused (fixture->recipe, "nowhere", "no such folder");
  set (fixture->recipe, "dataset.path", "");
  assert_refused (fixture->recipe, "dataset.path", "folder");
  put_text (fixture, "file", "x");
  set (fixture->recipe, "dataset.path", file);
  assert_refused (fixture->recipe, "file", "is not a folder");

  set (fixture->recipe, "dataset.path", fixture->folder);
  put_text (fixture, "alpha/text.png", "x");
  assert_refused (fixture->recipe, "its 1 image file is not usable", "alpha/text.png");
  put_image (fixture, "alpha/1.png", 50, 50);
  assert_refused (fixture->recipe, "only one class (alpha)", "two are needed");
  put_image (fixture, "beta/1.png", 50, 50);
  assert_refused (fixture->recipe, "“alpha” needs at least two usable images", "it has 1");
  put_image (fixture, "alpha/2.png", 50, 50);
  assert_refused (fixture->recipe, "“alpha” has 2 images", "train-per-class is 2: lower it to 1 or less");
  put_image (fixture, "beta/2.png", 50, 50);
  set (fixture->recipe, "dataset.train-per-class", "1");
  tosst_dataset_unref (open_well (fixture->recipe));
  set (fixture->recipe, "dataset.block", "51");
  assert_refused (fixture->recipe, "every image is smaller than a block of 51", "dataset.block");
  set (fixture->recipe, "dataset.block", "0");
  set (fixture->recipe, "descriptor.patch", "60");
  assert_refused (fixture->recipe, "every image is smaller than a patch of 60", "descriptor.patch");
}

/* Numbers of training and test samples of each class in split 0. */
static void
count_sides (TosstDataset *dataset, const TosstRecipe *recipe, guint *train, guint *test)
{
  g_autoptr (GArray) trains = NULL, tests = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_dataset_split (dataset, recipe, 0, &trains, &tests, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < trains->len; i++)
    train[tosst_dataset_sample (dataset, g_array_index (trains, guint, i))->class_index]++;
  for (guint i = 0; i < tests->len; i++)
    test[tosst_dataset_sample (dataset, g_array_index (tests, guint, i))->class_index]++;
}

/* Without a number of training samples a share of each class trains, and a class of one image is left out. */
static void
test_share (Fixture *fixture, gconstpointer data)
{
  static const guint sizes[] = { 1, 2, 3, 10 }, trains[] = { 1, 2, 7 }, validates[] = { 0, 1, 2 };
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GPtrArray) warnings = NULL;
  guint train[3] = { 0 }, test[3] = { 0 }, inner[3] = { 0 }, validate[3] = { 0 };

  for (guint c = 0; c < G_N_ELEMENTS (sizes); c++)
    for (guint i = 0; i < sizes[c]; i++)
      {
        g_autofree char *name = g_strdup_printf ("%c/%u.png", 'a' + c, i);

        put_image (fixture, name, 50, 50);
      }
  set (fixture->recipe, "dataset.train-per-class", "");
  set (fixture->recipe, "dataset.train-share", "0.7");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->classes->len, ==, 3);
  g_assert_cmpuint (dataset->entries->len, ==, 15);
  g_assert_cmpstr (tosst_dataset_class_name (dataset, 0), ==, "b");
  warnings = tosst_dataset_warnings (dataset, fixture->recipe);
  g_assert_cmpuint (warnings->len, ==, 1);
  g_assert_nonnull (strstr (warnings->pdata[0], "left out: a"));
  count_sides (dataset, fixture->recipe, train, test);
  /* Nested: a third of the training images, none of a class with one. */
  set (fixture->recipe, "dataset.within", "1");
  count_sides (dataset, fixture->recipe, inner, validate);
  for (guint c = 0; c < G_N_ELEMENTS (trains); c++)
    {
      g_assert_cmpuint (train[c], ==, trains[c]);
      g_assert_cmpuint (train[c] + test[c], ==, sizes[c + 1]);
      g_assert_cmpuint (validate[c], ==, validates[c]);
      g_assert_cmpuint (inner[c] + validate[c], ==, train[c]);
    }
  set (fixture->recipe, "dataset.exclude", "b,c");
  set (fixture->recipe, "dataset.within", "0");
  assert_refused (fixture->recipe, "two classes of at least two images", "“a” has one");
}

/* A part of a data set has its images, samples and classes, and another fingerprint. */
static void
test_subset (Fixture *fixture, gconstpointer data)
{
  const guint chosen[] = { 2, 4 };
  g_autoptr (GArray) images = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (TosstDataset) whole = NULL, some = NULL;
  g_autoptr (TosstImage) pixels = NULL;

  put_two_classes (fixture);
  put_image (fixture, "aaa/1.png", 60, 60);
  put_image (fixture, "aaa/2.png", 60, 60);
  put_image (fixture, "aaa/3.png", 60, 60);
  set (fixture->recipe, "dataset.block", "30");
  set (fixture->recipe, "dataset.block-step", "30");
  set (fixture->recipe, "dataset.exclude", "aaa");
  whole = open_well (fixture->recipe);
  g_array_append_vals (images, chosen, G_N_ELEMENTS (chosen));
  some = tosst_dataset_subset (whole, images, 1, 0);
  g_assert_cmpuint (some->entries->len, ==, 2);
  g_assert_cmpstr (some->fingerprint, !=, whole->fingerprint);
  for (guint i = 0; i < 2; i++)
    {
      const TosstDatasetImage *image = tosst_dataset_image (some, i), *same = tosst_dataset_image (whole, chosen[i]);

      g_assert_cmpstr (image->name, ==, same->name);
      g_assert_cmpstr (tosst_dataset_class_name (some, (guint)image->class_index), ==,
                       tosst_dataset_class_name (whole, (guint)same->class_index));
    }
  for (guint i = 0; i < some->samples->len; i++)
    g_assert_cmpint (tosst_dataset_sample (some, i)->class_index, ==,
                     tosst_dataset_image (some, (guint)tosst_dataset_sample (some, i)->image)->class_index);
  pixels = tosst_dataset_read_for (some, 1, 0, NULL);
  g_assert_nonnull (pixels);
}

/* Nested splits of the part that they use are those of the whole data set. */
static void
check_part (Fixture *fixture, guint images, guint samples)
{
  g_autoptr (TosstDataset) whole = open_well (fixture->recipe), part = NULL;

  set (fixture->recipe, "dataset.within", "2");
  part = tosst_dataset_of_run (whole, fixture->recipe, NULL);
  g_assert_cmpuint (part->entries->len, ==, images);
  g_assert_cmpuint (part->samples->len, ==, samples);
  for (guint split = 0; split < 3; split++)
    {
      g_autoptr (GArray) train = NULL, test = NULL, some = NULL, others = NULL;

      g_assert_true (tosst_dataset_split (whole, fixture->recipe, split, &train, &test, NULL));
      g_assert_true (tosst_dataset_split (part, fixture->recipe, split, &some, &others, NULL));
      g_assert_cmpuint (train->len, ==, some->len);
      g_assert_cmpuint (test->len, ==, others->len);
      g_assert_cmpuint (test->len, >, 0);
      for (guint i = 0; i < train->len; i++)
        g_assert_cmpuint (g_array_index (train, guint, i), ==,
                          tosst_dataset_origin (part, g_array_index (some, guint, i)));
      for (guint i = 0; i < test->len; i++)
        {
          guint at = g_array_index (others, guint, i), of_whole = g_array_index (test, guint, i);
          const TosstSample *here = tosst_dataset_sample (part, at), *there = tosst_dataset_sample (whole, of_whole);

          g_assert_cmpuint (of_whole, ==, tosst_dataset_origin (part, at));
          g_assert_cmpint (here->class_index, ==, there->class_index);
          g_assert_cmpint (here->x, ==, there->x);
          g_assert_cmpstr (tosst_dataset_image (part, (guint)here->image)->name, ==,
                           tosst_dataset_image (whole, (guint)there->image)->name);
        }
    }
}

static void
test_part (Fixture *fixture, gconstpointer data)
{
  put_two_classes (fixture);
  set (fixture->recipe, "dataset.train-per-class", "3");
  set (fixture->recipe, "dataset.validate", "1");
  set (fixture->recipe, "dataset.splits", "3");
  check_part (fixture, 6, 6);
}

static void
test_part_of_album (Fixture *fixture, gconstpointer data)
{
  put_image (fixture, "D1.png", 90, 90);
  put_image (fixture, "D2.png", 90, 90);
  set (fixture->recipe, "dataset.kind", "brodatz");
  set (fixture->recipe, "dataset.block", "30");
  set (fixture->recipe, "dataset.block-step", "30");
  set (fixture->recipe, "dataset.train-per-class", "5");
  set (fixture->recipe, "dataset.validate", "2");
  check_part (fixture, 2, 10);
}

/* A path without a kind implies one; a kind that was set is kept, in files as well. */
static void
test_implied_kind (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new (), read = NULL;
  g_autofree char *text = NULL;

  put_two_classes (fixture);
  g_assert_false (tosst_dataset_imply_kind (recipe));
  set (recipe, "dataset.path", fixture->folder);
  g_assert_true (tosst_dataset_imply_kind (recipe));
  g_assert_cmpint (recipe->dataset.kind, ==, TOSST_DATASET_FOLDERS);
  set (recipe, "dataset.kind", "samples");
  g_assert_false (tosst_dataset_imply_kind (recipe));
  text = tosst_recipe_to_text (recipe, TRUE);
  read = tosst_recipe_parse (text, "text", NULL);
  g_assert_nonnull (read);
  g_assert_false (tosst_dataset_imply_kind (read));
  g_assert_cmpint (read->dataset.kind, ==, TOSST_DATASET_SAMPLES);
}

static void
test_exclude (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;

  put_two_classes (fixture);
  put_image (fixture, "gamma/g.png", 50, 50);
  set (fixture->recipe, "dataset.exclude", "a5, Gamma");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->classes->len, ==, 2);
  g_assert_cmpuint (dataset->entries->len, ==, 7);
  g_assert_cmpstr (tosst_dataset_image (dataset, 0)->name, ==, "alpha/a10.png");
}

static void
test_fixed_folders (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GArray) train = NULL;
  g_autoptr (GArray) test = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 5; i++)
    {
      g_autofree char *a = g_strdup_printf ("%s/alpha/%d.png", i < 2 ? "train" : "test", i);
      g_autofree char *b = g_strdup_printf ("%s/beta/%d.png", i < 1 ? "train" : "test", i);

      put_image (fixture, a, 50, 50);
      put_image (fixture, b, 50, 50);
    }
  set (fixture->recipe, "dataset.protocol", "fixed");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->classes->len, ==, 2);
  g_assert_cmpuint (tosst_dataset_splits (dataset, fixture->recipe), ==, 1);
  split (dataset, fixture->recipe, 0, &train, &test);
  assert_partition (dataset, train, test, TRUE);
  g_assert_cmpuint (train->len, ==, 3);
  for (guint i = 0; i < train->len; i++)
    g_assert_true (g_str_has_prefix (
        tosst_dataset_image (dataset, (guint)tosst_dataset_sample (dataset, at (train, i))->image)->name, "train/"));
  g_clear_pointer (&train, g_array_unref);
  g_clear_pointer (&test, g_array_unref);
  g_assert_false (tosst_dataset_split (dataset, fixture->recipe, 1, &train, &test, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE);

  put_image (fixture, "test/gamma/0.png", 50, 50);
  assert_refused (fixture->recipe, "“gamma”", "folder train");
}

static void
test_fixed_first (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GArray) train = NULL;
  g_autoptr (GArray) test = NULL;
  const guint expected[] = { 0, 1, 4, 5 };

  put_two_classes (fixture);
  set (fixture->recipe, "dataset.protocol", "fixed");
  dataset = open_well (fixture->recipe);
  split (dataset, fixture->recipe, 0, &train, &test);
  assert_partition (dataset, train, test, TRUE);
  g_assert_cmpmem (train->data, train->len * sizeof (guint), expected, sizeof expected);
}

static void
test_leave_one_out (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autofree guint *tested = NULL;

  put_two_classes (fixture);
  put_image (fixture, "beta/zz.png", 50, 50);
  set (fixture->recipe, "dataset.protocol", "leave-one-out");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (tosst_dataset_splits (dataset, fixture->recipe), ==, 5);
  tested = g_new0 (guint, dataset->samples->len);
  for (guint number = 0; number < 5; number++)
    {
      g_autoptr (GArray) train = NULL;
      g_autoptr (GArray) test = NULL;

      split (dataset, fixture->recipe, number, &train, &test);
      assert_partition (dataset, train, test, TRUE);
      g_assert_cmpuint (test->len, ==, number < 4 ? 2 : 1);
      for (guint i = 0; i < test->len; i++)
        tested[at (test, i)]++;
    }
  for (guint i = 0; i < dataset->samples->len; i++)
    g_assert_cmpuint (tested[i], ==, 1);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  put_two_classes (fixture);
  g_cancellable_cancel (cancellable);
  g_assert_null (tosst_dataset_open (fixture->recipe, cancellable, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_CANCELLED);
}

static void
test_changed_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) before = NULL;
  g_autoptr (TosstDataset) after = NULL;
  g_autoptr (TosstDataset) again = NULL;
  g_autoptr (GError) error = NULL;

  put_two_classes (fixture);
  before = open_well (fixture->recipe);
  again = open_well (fixture->recipe);
  g_assert_cmpuint (strlen (before->fingerprint), ==, 16);
  g_assert_cmpstr (before->fingerprint, ==, again->fingerprint);
  put_image (fixture, "alpha/a5.png", 70, 70);
  g_assert_null (tosst_dataset_read_for (before, 0, 0, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, "a5.png"));
  after = open_well (fixture->recipe);
  g_assert_cmpstr (before->fingerprint, !=, after->fingerprint);
}

static void
make_old (Fixture *fixture, const char *name)
{
  static const struct timespec times[] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

/* An image is opened for its header and for its sum, whatever the recipe, until the file is another one; and once for its
 * pixels. */
static void
test_opens (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "alpha/a5.png", "alpha/a10.png", "alpha/a15.png", "alpha/a20.png" };
  g_autofree char *folder = g_build_filename (fixture->folder, "alpha", NULL);
  g_autoptr (TosstDataset) first = NULL, blocks = NULL, after = NULL;
  g_autoptr (TosstImage) pixels = NULL;
  int watch;

  put_two_classes (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    make_old (fixture, names[i]);
  watch = opens_watch (folder);
  first = open_well (fixture->recipe);
  g_assert_cmpuint (opens_count (watch), ==, 2 * 4);
  set (fixture->recipe, "dataset.block", "40");
  blocks = open_well (fixture->recipe);
  g_assert_cmpuint (opens_count (watch), ==, 0);
  pixels = tosst_dataset_read_for (blocks, 0, 0, NULL);
  g_assert_nonnull (pixels);
  g_assert_cmpuint (opens_count (watch), ==, 1);
  put_image (fixture, names[2], 80, 70);
  make_old (fixture, names[2]);
  opens_count (watch);
  after = open_well (fixture->recipe);
  g_assert_cmpuint (opens_count (watch), ==, 2);
  g_assert_cmpint (tosst_dataset_image (after, 2)->width, ==, 80);
  close (watch);
}

/* An image of the same size replaces a listed one: only its time differs. */
static void
test_replaced_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  TosstImage *image;
  g_autoptr (GError) error = NULL;

  put_two_classes (fixture);
  dataset = open_well (fixture->recipe);
  image = tosst_dataset_read_for (dataset, 0, 0, &error);
  g_assert_no_error (error);
  tosst_image_free (image);
  make_old (fixture, "alpha/a5.png");
  g_assert_null (tosst_dataset_read_for (dataset, 0, 0, &error));
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, "has changed since"));
}

/* Messages name an image with its folder: many classes have an image of the same name. */
static void
test_missing_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "alpha", "a5.png", NULL);
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GError) error = NULL, reduced = NULL;

  put_two_classes (fixture);
  dataset = open_well (fixture->recipe);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_null (tosst_dataset_read_for (dataset, 0, 0, &error));
  g_assert_true (g_str_has_prefix (error->message, "alpha/a5.png: "));
  g_assert_null (strstr (error->message + strlen ("alpha/a5.png: "), "a5.png: "));
  g_assert_null (tosst_dataset_read_reduced (dataset, 0, 16, &reduced));
  g_assert_true (g_str_has_prefix (reduced->message, "alpha/a5.png: "));
}

static void
test_only_damaged (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) one = NULL, two = NULL;

  put_text (fixture, "alpha/a.png", "torn");
  g_assert_null (tosst_dataset_open (fixture->recipe, NULL, &one));
  g_assert_nonnull (strstr (one->message, "its 1 image file is not usable; alpha/a.png: "));
  put_text (fixture, "beta/b.png", "torn");
  g_assert_null (tosst_dataset_open (fixture->recipe, NULL, &two));
  g_assert_nonnull (strstr (two->message, "none of its 2 image files is usable; alpha/a.png: "));
}

/* Images without folders of classes: the sentence says what to do. */
static void
test_flat (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  put_image (fixture, "a.png", 40, 40);
  put_image (fixture, "b.png", 40, 40);
  g_assert_null (tosst_dataset_open (fixture->recipe, NULL, &error));
  g_assert_nonnull (strstr (error->message, "its 2 images lie in the folder itself: give each class a folder"));
}

/* The names of the album determine classes, with or without folders. */
static void
test_guess (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);

  put_two_classes (fixture);
  put_image (fixture, "Door.png", 50, 50);
  g_assert_cmpint (tosst_dataset_guess_kind (folder), ==, TOSST_DATASET_FOLDERS);
  put_image (fixture, "D7.png", 50, 50);
  g_assert_cmpint (tosst_dataset_guess_kind (folder), ==, TOSST_DATASET_BRODATZ);
}

/* A small album: order, default exclusion, removal of classes without files. */
static void
test_album (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "D1", "D2", "D10", "D100" };
  g_autoptr (TosstDataset) dataset = NULL;

  put_image (fixture, "D10.png", 80, 80);
  put_image (fixture, "D1.png", 80, 80);
  put_image (fixture, "D100.png", 80, 80);
  put_image (fixture, "D14.png", 80, 80);
  put_image (fixture, "D2.png", 80, 80);
  put_image (fixture, "D3.png", 30, 80);
  put_image (fixture, "Door.png", 80, 80);
  put_text (fixture, "D5.gif", "GIF89a");
  set (fixture->recipe, "dataset.kind", "brodatz");
  set (fixture->recipe, "dataset.block", "40");
  set (fixture->recipe, "dataset.block-step", "20");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->classes->len, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_cmpstr (tosst_dataset_class_name (dataset, i), ==, names[i]);
      g_assert_cmpint (tosst_dataset_image (dataset, i)->class_index, ==, (int)i);
      g_assert_true (g_str_has_prefix (tosst_dataset_image (dataset, i)->name, names[i]));
    }
  g_assert_cmpuint (dataset->samples->len, ==, 4 * 9);
  g_assert_cmpuint (dataset->skipped->len, ==, 3);
  set (fixture->recipe, "dataset.train-per-class", "9");
  assert_refused (fixture->recipe, "“D1” has 9 blocks", "lower it to 8 or less");
}

static void
put_link (Fixture *fixture, const char *name, const char *target)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

/* Links to parent folders would include images of the other class, and each image many times, in training and in
 * tests. */
static void
test_links (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) plain = NULL, linked = NULL;

  put_two_classes (fixture);
  plain = tosst_dataset_open (fixture->recipe, NULL, NULL);
  put_link (fixture, "alpha/up", "..");
  put_link (fixture, "alpha/here", ".");
  put_link (fixture, "beta/left/beta", "../../beta");
  put_link (fixture, "gamma", ".");
  linked = tosst_dataset_open (fixture->recipe, NULL, NULL);
  g_assert_nonnull (linked);
  g_assert_cmpuint (linked->classes->len, ==, 2);
  g_assert_cmpuint (linked->entries->len, ==, plain->entries->len);
}

int
main (int argc, char *argv[])
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/dataset/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("folders", test_folders);
  ADD ("blocks-keep-together", test_blocks_keep_together);
  ADD ("bad-files-are-skipped", test_bad_files_are_skipped);
  ADD ("level-too-high", test_level_too_high);
  ADD ("refused", test_refused);
  ADD ("links", test_links);
  ADD ("share", test_share);
  ADD ("implied-kind", test_implied_kind);
  ADD ("subset", test_subset);
  ADD ("part", test_part);
  ADD ("part-of-album", test_part_of_album);
  ADD ("exclude", test_exclude);
  ADD ("fixed-folders", test_fixed_folders);
  ADD ("fixed-first", test_fixed_first);
  ADD ("leave-one-out", test_leave_one_out);
  ADD ("cancelled", test_cancelled);
  ADD ("changed-file", test_changed_file);
  ADD ("opens", test_opens);
  ADD ("replaced-file", test_replaced_file);
  ADD ("missing-file", test_missing_file);
  ADD ("only-damaged", test_only_damaged);
  ADD ("flat", test_flat);
  ADD ("guess", test_guess);
  ADD ("album", test_album);
  return g_test_run ();
}

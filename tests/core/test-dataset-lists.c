/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data sets with several labels an image: lists in the layout of PASCAL VOC 2007, and tables of labels. */

#include "core/data/lists.h"
#include "core/run/hash.h"
#include "dataset-folder.h"

#define MAIN "VOC2007/ImageSets/Main/"

static void
put_once (Fixture *fixture, const char *name, int height)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    put_image (fixture, name, 60, height);
}

/* Images 01 and 02 train, 03 validates, 04 to 06 test. The name of one class is that of a list. */
static void
put_voc (Fixture *fixture)
{
  static const char *const files[][2] = { { "train.txt", "02\r\n01\r\n" },
                                          { "val.txt", "03\n" },
                                          { "trainval.txt", "01\n02\n03\n" },
                                          { "test.txt", "04\n05\n06" },
                                          { "cat_train.txt", "01  1\n02 -1\n" },
                                          { "cat_val.txt", "03  0\n" },
                                          { "cat_trainval.txt", "01  1\n02 -1\n03  0\n" },
                                          { "cat_test.txt", "\n04  1\n05 -1\n\n06  0\n" },
                                          { "train_trainval.txt", "01 -1\n02  1\n03  1\n" },
                                          { "train_test.txt", "\xEF\xBB\xBF"
                                                              "04 -1\n05\t1\n06 -1\n" } };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (MAIN, files[i][0], NULL);

      put_text (fixture, name, files[i][1]);
    }
  for (int i = 1; i <= 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("VOC2007/JPEGImages/%02d.%s", i, i == 5 ? "PNG" : "png");

      put_once (fixture, name, 50 + i);
    }
  set (fixture->recipe, "dataset.kind", "voc2007");
}

static void
put_table (Fixture *fixture, const char *text)
{
  put_text (fixture, "labels.csv", text);
  for (int i = 1; i <= 4; i++)
    {
      g_autofree char *name = g_strdup_printf (i < 3 ? "sub/%d.png" : "JPEGImages/%d.png", i);

      put_once (fixture, name, 50 + i);
    }
  set (fixture->recipe, "dataset.kind", "labels");
}

static void
drop (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_cmpint (g_remove (path), ==, 0);
}

/* Labels of all samples, a row of digits for each class: + 1, - -1, 0. */
static void
assert_labels (TosstDataset *dataset, guint class_index, const char *name, const char *signs)
{
  g_assert_cmpstr (tosst_dataset_class_name (dataset, class_index), ==, name);
  g_assert_cmpuint (dataset->samples->len, ==, strlen (signs));
  for (guint i = 0; signs[i] != '\0'; i++)
    g_assert_cmpint (tosst_dataset_label (dataset, i, class_index), ==, signs[i] == '0' ? 0 : signs[i] == '+' ? 1 : -1);
}

/* The only split: T for each sample that trains, E for one that tests. */
static void
assert_split (TosstDataset *dataset, const TosstRecipe *recipe, const char *sides)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  guint i = 0, j = 0;

  g_assert_cmpuint (tosst_dataset_splits (dataset, recipe), ==, 1);
  g_assert_cmpuint (dataset->samples->len, ==, strlen (sides));
  split (dataset, recipe, 0, &train, &test);
  for (guint sample = 0; sides[sample] != '\0'; sample++)
    {
      gboolean trains = i < train->len && at (train, i) == sample, tests = j < test->len && at (test, j) == sample;

      g_assert_true (trains == (sides[sample] == 'T') && tests == (sides[sample] == 'E'));
      i += trains;
      j += tests;
    }
  g_assert_cmpuint (train->len + test->len, ==, i + j);
}

static void
assert_no_split (TosstDataset *dataset, const TosstRecipe *recipe, guint number, const char *words)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (tosst_dataset_split (dataset, recipe, number, &train, &test, &error));
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_voc (Fixture *fixture, gconstpointer data)
{
  static const int shown[] = { 0, 1, 1, 0, 1, 0 };
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstImage) pixels = NULL;
  g_autofree char *csv = NULL, *id = NULL;
  g_autoptr (GPtrArray) warnings = NULL;

  put_voc (fixture);
  dataset = open_well (fixture->recipe);
  g_assert_true (dataset->labels != NULL);
  g_assert_cmpstr (dataset->title, ==, "VOC2007");
  g_assert_cmpuint (dataset->classes->len, ==, 2);
  assert_labels (dataset, 0, "cat", "+-0+-0");
  assert_labels (dataset, 1, "train", "-++-+-");
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, i);

      g_assert_cmpint (sample->class_index, ==, shown[i]);
      g_assert_cmpint (sample->image, ==, (int)i);
      g_assert_cmpint (sample->height, ==, 51 + (int)i);
    }
  g_assert_cmpint (tosst_dataset_side (dataset, 0), ==, TOSST_SIDE_TRAIN);
  g_assert_cmpint (tosst_dataset_side (dataset, 2), ==, TOSST_SIDE_VALIDATE);
  g_assert_cmpint (tosst_dataset_side (dataset, 5), ==, TOSST_SIDE_TEST);
  g_assert_cmpuint (tosst_dataset_count_label (dataset, TOSST_SIDE_ANY, 0, 0), ==, 2);
  g_assert_cmpuint (tosst_dataset_count_label (dataset, TOSST_SIDE_TEST, 1, -1), ==, 2);
  id = tosst_dataset_image_id (dataset, 4);
  g_assert_cmpstr (id, ==, "05");
  csv = tosst_dataset_to_csv (dataset);
  g_assert_cmpstr (csv, ==,
                   "image,split,cat,train\n01.png,train,1,-1\n02.png,train,-1,1\n03.png,val,0,1\n04.png,test,1,-1\n"
                   "05.PNG,test,-1,1\n06.png,test,0,-1\n");
  warnings = tosst_dataset_warnings (dataset, fixture->recipe);
  g_assert_cmpuint (warnings->len, ==, 0);
  pixels = tosst_dataset_read_for (dataset, 4, 0, NULL);
  g_assert_cmpint (pixels->height, ==, 55);
}

/* With dataset.within = 1 the list val tests; parameters that only divide have no effect. */
static void
test_split (Fixture *fixture, gconstpointer data)
{
  static const char *const without[]
      = { "train-per-class", "splits", "seed", "protocol", "validate", "block", "block-step" };
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GPtrArray) warnings = NULL;
  g_autofree char *before = NULL, *after = NULL;

  put_voc (fixture);
  dataset = open_well (fixture->recipe);
  before = tosst_run_hash (fixture->recipe, "data", -1);
  for (guint i = 0; i < G_N_ELEMENTS (without); i++)
    {
      g_autofree char *name = g_strconcat ("dataset.", without[i], NULL);

      set (fixture->recipe, name, strcmp (without[i], "protocol") == 0 ? "leave-one-out" : "40");
      g_assert_nonnull (tosst_recipe_why_inactive (fixture->recipe, tosst_parameter_find (name)));
    }
  after = tosst_run_hash (fixture->recipe, "data", -1);
  g_assert_cmpstr (before, ==, after);
  g_assert_null (tosst_recipe_why_inactive (fixture->recipe, tosst_parameter_find ("dataset.within")));
  assert_split (dataset, fixture->recipe, "TTTEEE");
  assert_no_split (dataset, fixture->recipe, 1, "there is no split 2");
  set (fixture->recipe, "dataset.within", "1");
  assert_no_split (dataset, fixture->recipe, 1, "there is no split 2");
  assert_split (dataset, fixture->recipe, "TTE---");
  g_assert_true (tosst_dataset_has_scores (dataset, fixture->recipe, 1));
  g_assert_false (tosst_dataset_has_scores (dataset, fixture->recipe, 0));
  warnings = tosst_dataset_warnings (dataset, fixture->recipe);
  g_assert_cmpuint (warnings->len, ==, 1);
  g_assert_cmpstr (warnings->pdata[0], ==, "left out, as no image of the list val shows them: cat");
  set (fixture->recipe, "dataset.within", "2");
  assert_no_split (dataset, fixture->recipe, 0, "dataset.within is 2");
}

/* Without trainval.txt train and val are it; without them nothing is left for the choice of parameters. */
static void
test_missing_lists (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, halves = NULL, joined = NULL;

  put_voc (fixture);
  whole = open_well (fixture->recipe);
  drop (fixture, MAIN "trainval.txt");
  halves = open_well (fixture->recipe);
  g_assert_cmpstr (whole->fingerprint, ==, halves->fingerprint);
  put_text (fixture, MAIN "trainval.txt", "01\n02\n03\n");
  drop (fixture, MAIN "train.txt");
  drop (fixture, MAIN "val.txt");
  joined = open_well (fixture->recipe);
  assert_split (joined, fixture->recipe, "TTTEEE");
  set (fixture->recipe, "dataset.within", "1");
  assert_no_split (joined, fixture->recipe, 0, "needs the lists train and val, and val is missing");
  assert_refused (fixture->recipe, "dataset.within", "val is missing");

  put_text (fixture, MAIN "train.txt", "01\n02\n");
  put_text (fixture, MAIN "val.txt", "03\n");
  drop (fixture, MAIN "test.txt");
  drop (fixture, MAIN "cat_test.txt");
  drop (fixture, MAIN "train_test.txt");
  tosst_dataset_unref (open_well (fixture->recipe));
  set (fixture->recipe, "dataset.within", "0");
  assert_refused (fixture->recipe, "list test is missing", "dataset.within=1");
}

/* Every list, label and image is part of the fingerprint. */
static void
test_fingerprint (Fixture *fixture, gconstpointer data)
{
  static const char *const changes[][2] = { { MAIN "cat_test.txt", "04 1\n05 -1\n06 -1\n" },
                                            { MAIN "train.txt", "01\n02\n03\n" },
                                            { MAIN "dog_trainval.txt", "01 1\n02 1\n03 1\n" } };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  put_voc (fixture);
  for (guint i = 0; i <= G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (TosstDataset) dataset = open_well (fixture->recipe);

      g_assert_true (g_hash_table_add (seen, g_strdup (dataset->fingerprint)));
      if (i < G_N_ELEMENTS (changes))
        put_text (fixture, changes[i][0], changes[i][1]);
      if (i == 1)
        drop (fixture, MAIN "val.txt");
      if (i == 1)
        drop (fixture, MAIN "cat_val.txt");
      if (i == 2)
        put_text (fixture, MAIN "dog_test.txt", "04 1\n05 1\n06 1\n");
    }
}

static void
test_exclude (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;

  put_voc (fixture);
  set (fixture->recipe, "dataset.exclude", "cat, 06, 03.png");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->classes->len, ==, 1);
  assert_labels (dataset, 0, "train", "-+-+");
  set (fixture->recipe, "dataset.exclude", "cat, train");
  assert_refused (fixture->recipe, "Main", "no file of a class");
}

static void
test_unreadable (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;

  put_voc (fixture);
  drop (fixture, "VOC2007/JPEGImages/03.png");
  put_text (fixture, "VOC2007/JPEGImages/03.png", "Not a picture at all.\n");
  dataset = open_well (fixture->recipe);
  g_assert_cmpstr (skipped_reason (dataset, "03.png"), ==, "is a text file, not an image");
  assert_labels (dataset, 0, "cat", "+-+-0");
  assert_labels (dataset, 1, "train", "-+-+-");
}

/* Local features need no patch. */
static void
test_small_images (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;

  put_voc (fixture);
  set (fixture->recipe, "descriptor.patch", "56");
  assert_refused (fixture->recipe, "no usable image to train", "");
  set (fixture->recipe, "descriptor.kind", "sift");
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->samples->len, ==, 6);
}

static void
test_refused_lists (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *file, *text, *first, *second;
  } faults[] = {
    { "test.txt", "04\n05\n06\n07\n", "class “cat” have no label of “07”", "test.txt" },
    { "test.txt", "04\n05\n06\n01\n", "“01”", "train.txt and in test.txt" },
    { "val.txt", "03\n01\n", "“01”", "train.txt and in val.txt" },
    { "train.txt", "01\n02\n04\n", "“04”", "train.txt and in test.txt" },
    { "trainval.txt", "01\n02\n", "“03”", "in val.txt but not in trainval.txt" },
    { "train.txt", "01\n", "“02”", "neither in train.txt nor in val.txt" },
    { "train.txt", "01\n02\n01\n", "train.txt, line 3", "“01” is there twice" },
    { "test.txt", " \n\n", "test.txt", "names no image" },
    { "test.txt", "04\n../05\n06\n", "test.txt, line 2", "outside the folder" },
    { "test.txt", "04\n/etc/05\n06\n", "test.txt, line 2", "outside the folder" },
    { "test.txt", "04\na/../../05\n06\n", "test.txt, line 2", "outside the folder" },
    { "test.txt", "04\n05\x1b[31m\n06\n", "test.txt, line 2", "control character" },
    { "test.txt", "04\n05\xff\n06\n", "test.txt, line 2", "not UTF-8" },
    { "cat_test.txt", "04 1\n05 2\n06 0\n", "cat_test.txt, line 2", "must be 1, 0 or -1, not “2”" },
    { "cat_test.txt", "04 1\n05 -\n06 0\n", "cat_test.txt, line 2", "must be 1, 0 or -1, not “-”" },
    { "cat_test.txt", "04 1\n05\n06 0\n", "cat_test.txt, line 2", "expected an image and its label" },
    { "cat_test.txt", "04 1\n07 1\n06 0\n", "cat_test.txt, line 2", "unknown image “07”, which is not in test.txt" },
    { "cat_test.txt", "04 1\n05 1\n06 0\n01 1\n", "cat_test.txt, line 4", "unknown image “01”" },
    { "cat_val.txt", "03 0\n02 -1\n", "cat_val.txt, line 2", "not in val.txt" },
    { "cat_val.txt", "03 1\n", "cat_trainval.txt, line 3", "label 0 here and 1 in another" },
    { "cat_trainval.txt", "01 1\n02 -1\n03 -1\n", "“03”", "in another list" },
    { "cat_test.txt", "04 1\n06 0\n", "class “cat” have no label of “05”", "test.txt" },
    { "bad\x1b_test.txt", "04 1\n05 1\n06 1\n", "Main", "control character" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *name = g_strconcat (MAIN, faults[i].file, NULL);

      put_voc (fixture);
      put_text (fixture, name, faults[i].text);
      assert_refused (fixture->recipe, faults[i].first, faults[i].second);
      drop (fixture, name);
    }
  put_voc (fixture);
  put_text (fixture, MAIN "cat_test.txt", "04 -1\n05 -1\n06 0\n");
  put_text (fixture, MAIN "train_test.txt", "04 0\n05 -1\n06 -1\n");
  assert_refused (fixture->recipe, "no class has images", "to test");
  put_voc (fixture);
  drop (fixture, "VOC2007/JPEGImages/05.PNG");
  assert_refused (fixture->recipe, "no image “05”", "line 2 of test.txt");
  drop (fixture, "VOC2007/JPEGImages/02.png");
  assert_refused (fixture->recipe, "no image “02”", "2 images are missing");
  tosst_remove_tree (fixture->folder);
  put_text (fixture, MAIN "notes", "");
  assert_refused (fixture->recipe, "Main", "no list train.txt");
  put_text (fixture, MAIN "trainval.txt", "01");
  assert_refused (fixture->recipe, "Main", "no file of a class");
  tosst_remove_tree (fixture->folder);
  assert_refused (fixture->recipe, fixture->folder, "no such folder");
  g_assert_cmpint (g_mkdir (fixture->folder, 0755), ==, 0);
  assert_refused (fixture->recipe, fixture->folder, "no folder ImageSets/Main and no labels.csv");
}

/* Zero bytes, and a list that is a folder. */
static void
test_odd_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, MAIN "test.txt", NULL);

  put_voc (fixture);
  g_assert_true (g_file_set_contents (path, "04\n\0005\n06\n", 9, NULL));
  assert_refused (fixture->recipe, "test.txt, line 2", "not UTF-8");
  drop (fixture, MAIN "test.txt");
  put_text (fixture, MAIN "test.txt/file", "");
  assert_refused (fixture->recipe, "test.txt", "could not be read");
}

static void
test_table (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL, file = NULL, as_voc = NULL, again = NULL;
  g_autofree char *csv = NULL, *id = NULL, *path = g_build_filename (fixture->folder, "labels.csv", NULL);

  put_table (fixture, "\xEF\xBB\xBF"
                      "Image,Split,\"cat, big\",\"a \"\"dog\"\"\"\r\n\r\n"
                      "\"sub/2.png\",val, 0 ,1\r\nsub/1,train,1,-1\r\n3.png,trainval,-1,1\n4,test,1,\"1\"\n");
  put_text (fixture, "sub/1.txt", "");
  dataset = open_well (fixture->recipe);
  assert_labels (dataset, 0, "cat, big", "-++0");
  assert_labels (dataset, 1, "a \"dog\"", "++-+");
  assert_split (dataset, fixture->recipe, "TETT");
  set (fixture->recipe, "dataset.within", "1");
  assert_split (dataset, fixture->recipe, "T-TE");
  set (fixture->recipe, "dataset.within", "0");
  id = tosst_dataset_image_id (dataset, 3);
  g_assert_cmpstr (id, ==, "sub/2");

  /* The same by the name of the file, as a replacement of the lists, and after writing and reading it. */
  set (fixture->recipe, "dataset.kind", "voc2007");
  as_voc = open_well (fixture->recipe);
  set (fixture->recipe, "dataset.kind", "labels");
  set (fixture->recipe, "dataset.path", path);
  file = open_well (fixture->recipe);
  csv = tosst_dataset_to_csv (dataset);
  put_text (fixture, "labels.csv", csv);
  again = open_well (fixture->recipe);
  g_assert_cmpstr (file->title, ==, dataset->title);
  g_assert_cmpstr (file->fingerprint, ==, dataset->fingerprint);
  g_assert_cmpstr (as_voc->fingerprint, ==, dataset->fingerprint);
  g_assert_cmpstr (again->fingerprint, ==, dataset->fingerprint);
}

static void
test_table_without_split (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;

  put_table (fixture, "image,split,a\nsub/1.png,train,1\nsub/2.png,train,-1\n3.png,,1\n4.png,test,1\n");
  dataset = open_well (fixture->recipe);
  assert_split (dataset, fixture->recipe, "ETT");
  g_assert_cmpstr (skipped_reason (dataset, "3.png"), ==, "it has no split");
  set (fixture->recipe, "dataset.within", "1");
  assert_no_split (dataset, fixture->recipe, 0, "val is missing");
}

static void
test_refused_tables (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text, *first, *second;
  } faults[] = {
    { "", "labels.csv, line 1", "expected a header with" },
    { "\n\n", "labels.csv", "expected a header with" },
    { "image,split\n4,test\n", "labels.csv, line 1", "expected a header with" },
    { "name,split,a\n4,test,1\n", "labels.csv, line 1", "expected a header with" },
    { "image,split,a,\n4,test,1,1\n", "labels.csv, line 1", "a class has no name" },
    { "image,split,a,b,a\n4,test,1,1,1\n", "labels.csv, line 1", "class “a” is there twice" },
    { "image,split,a\tb\n4,test,1\n", "labels.csv, line 1", "control character" },
    { "image,split,\"a\nb\"\n4,test,1\n", "labels.csv, line 1", "control character" },
    { "image,split,a\n", "labels.csv", "names no image" },
    { "image,split,a\n\n4,test\n", "labels.csv, line 3", "2 values, but the header has 3" },
    { "image,split,a\n4,test,1,\n", "labels.csv, line 2", "4 values" },
    { "image,split,a\n4,test,2\n", "labels.csv, line 2", "must be 1, 0 or -1, not “2”" },
    { "image,split,a\n4,test,\n", "labels.csv, line 2", "must be 1, 0 or -1, not “”" },
    { "image,split,a\n4,Test,1\n", "labels.csv, line 2", "not “Test”" },
    { "image,split,a\n4,test,1\n3,train,1\n4,test,1\n", "labels.csv, line 4", "first in line 2" },
    { "image,split,a\n4,test,1\n4.png,train,1\n", "line 3 of labels.csv", "listed already" },
    { "image,split,a\n./4,test,1\n4.png,train,1\n", "line 3 of labels.csv", "listed already" },
    { "image,split,a\n9,test,1\n", "no image “9”", "line 2 of labels.csv" },
    { "image,split,a\n9,test,1\n8,test,1\n", "no image “9”", "2 images are missing" },
    { "image,split,a\n,test,1\n", "labels.csv, line 2", "has no image" },
    { "image,split,a\n../4,test,1\n", "labels.csv, line 2", "outside the folder" },
    { "image,split,a\n\"4,test,1\n", "labels.csv, line 2", "not closed" },
    { "image,split,a\n\"4\"x,test,1\n", "labels.csv, line 2", "closing quotation mark" },
    { "image,split,a\n4,test,1\nsub/1,train,-1\n", "no class has images", "to test" },
    { "image,split,a\n4,test,1\n", "no usable image to train", "" },
    { "image,split,a\n3,train,1\nsub/1,train,-1\n", "list test is missing", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      put_table (fixture, faults[i].text);
      assert_refused (fixture->recipe, faults[i].first, faults[i].second);
    }
  drop (fixture, "labels.csv");
  assert_refused (fixture->recipe, fixture->folder, "has no labels.csv");
}

/* A class that all training images show, or no test image, has no scores. */
static void
test_warnings (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GPtrArray) warnings = NULL;

  put_table (fixture, "image,split,all,good,some,late\nsub/1,train,1,1,1,-1\nsub/2,train,1,-1,-1,0\n"
                      "3,test,1,1,-1,1\n4,test,1,1,0,1\n");
  dataset = open_well (fixture->recipe);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (tosst_dataset_has_scores (dataset, fixture->recipe, i), ==, i == 1);
  warnings = tosst_dataset_warnings (dataset, fixture->recipe);
  g_assert_cmpuint (warnings->len, ==, 3);
  g_assert_cmpstr (warnings->pdata[0], ==, "left out, as no image of the list trainval shows them: late");
  g_assert_cmpstr (warnings->pdata[1], ==, "left out, as every image of the list trainval shows them: all");
  g_assert_cmpstr (warnings->pdata[2], ==, "left out, as no image of the list test shows them: some");
}

static TosstDatasetKind
guess (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return tosst_dataset_guess_kind (file);
}

static void
test_guess (Fixture *fixture, gconstpointer data)
{
  put_voc (fixture);
  g_assert_cmpint (guess (fixture, "VOC2007"), ==, TOSST_DATASET_VOC2007);
  g_assert_cmpint (guess (fixture, "."), ==, TOSST_DATASET_VOC2007);
  g_assert_cmpint (guess (fixture, "VOC2007/JPEGImages"), ==, TOSST_DATASET_FOLDERS);
  put_text (fixture, "table/labels.csv", "");
  g_assert_cmpint (guess (fixture, "table"), ==, TOSST_DATASET_LABELS);
  g_assert_cmpint (guess (fixture, "table/labels.csv"), ==, TOSST_DATASET_LABELS);
}

/* Other data sets have the same functions. */
static void
test_one_label (void)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = open_well (recipe);
  g_autoptr (GPtrArray) warnings = tosst_dataset_warnings (dataset, recipe);
  g_autofree char *id = tosst_dataset_image_id (dataset, 0),
                  *expected = g_strndup (tosst_dataset_image (dataset, 0)->name, strlen (id));

  g_assert_false (dataset->labels != NULL);
  g_assert_cmpuint (warnings->len, ==, 0);
  g_assert_cmpint (tosst_dataset_label (dataset, 0, 0), ==, 1);
  g_assert_cmpint (tosst_dataset_label (dataset, 0, 1), ==, -1);
  g_assert_cmpint (tosst_dataset_side (dataset, 0), ==, TOSST_SIDE_ANY);
  g_assert_cmpstr (id, ==, expected);
  g_assert_null (strchr (id, '.'));
}

/* The folder of a test lacks nearly everything of the official data set, and says so. */
static void
test_missing (Fixture *fixture, gconstpointer data)
{
  static const char *const words[] = { "train.txt names 2 images instead of 2501",
                                       "val.txt names 1 images instead of 2510",
                                       "trainval.txt is missing",
                                       "test.txt names 3 images instead of 4952",
                                       "has no aeroplane_train.txt, ",
                                       "1 image is missing in JPEGImages: 02" };
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);
  g_autoptr (GPtrArray) missing = NULL, none = tosst_voc_missing (folder);

  g_assert_cmpuint (none->len, ==, 1);
  g_assert_nonnull (strstr (none->pdata[0], "has no folder ImageSets/Main"));
  put_voc (fixture);
  drop (fixture, MAIN "trainval.txt");
  drop (fixture, "VOC2007/JPEGImages/02.png");
  missing = tosst_voc_missing (folder);
  g_assert_cmpuint (missing->len, ==, G_N_ELEMENTS (words));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (missing->pdata[i], words[i]) == NULL)
      g_error ("\"%s\" lacks \"%s\"", (char *)missing->pdata[i], words[i]);
}

/* Lists of the official sizes, with empty files as images, lack nothing. */
static void
test_whole (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) classes
      = g_strsplit (" aeroplane_ bicycle_ bird_ boat_ bottle_ bus_ car_ cat_ chair_ cow_ diningtable_ "
                    "dog_ horse_ motorbike_ person_ pottedplant_ sheep_ sofa_ train_ tvmonitor_",
                    " ", -1);
  static const struct
  {
    const char *name;
    int first, end;
  } lists[] = { { "train", 0, 2501 }, { "val", 2501, 5011 }, { "trainval", 0, 5011 }, { "test", 5011, 9963 } };
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);
  g_autoptr (GPtrArray) missing = NULL;

  for (guint c = 0; classes[c] != NULL; c++)
    for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
      {
        g_autofree char *name = g_strdup_printf (MAIN "%s%s.txt", classes[c], lists[k].name);
        g_autoptr (GString) text = g_string_new (NULL);

        for (int i = lists[k].first; i < lists[k].end; i++)
          g_string_append_printf (text, c == 0 ? "%06d\n" : i % 20 == (int)c ? "%06d  1\n" : "%06d -1\n", i + 1);
        put_text (fixture, name, text->str);
      }
  put_text (fixture, "VOC2007/JPEGImages/000001.jpg", "");
  for (int i = 2; i <= 9963; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/VOC2007/JPEGImages/%06d.jpg", fixture->folder, i);

      g_assert_cmpint (fclose (fopen (name, "w")), ==, 0);
    }
  missing = tosst_voc_missing (folder);
  g_assert_cmpuint (missing->len, ==, 0);
}

int
main (int argc, char *argv[])
{
  g_setenv ("LC_ALL", "C", TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/dataset-lists/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("voc", test_voc);
  ADD ("split", test_split);
  ADD ("missing-lists", test_missing_lists);
  ADD ("fingerprint", test_fingerprint);
  ADD ("exclude", test_exclude);
  ADD ("unreadable", test_unreadable);
  ADD ("small-images", test_small_images);
  ADD ("refused-lists", test_refused_lists);
  ADD ("odd-files", test_odd_files);
  ADD ("table", test_table);
  ADD ("table-without-split", test_table_without_split);
  ADD ("refused-tables", test_refused_tables);
  ADD ("warnings", test_warnings);
  ADD ("guess", test_guess);
  ADD ("missing", test_missing);
  ADD ("whole", test_whole);
  g_test_add_func ("/dataset-lists/one-label", test_one_label);
  return g_test_run ();
}

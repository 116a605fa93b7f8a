/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Images of a list that train beside those of a data set. */

#include <unistd.h>

#include "core/data/lists.h"
#include "core/data/textures.h"
#include "dataset-folder.h"

static char *list_path; /* in a folder that is missing at first */
static char *outside;   /* folder of new images */

static GFile *
outside_file (const char *name)
{
  return g_file_new_build_filename (outside, name, NULL);
}

static void
put (const char *name, const char *class_name)
{
  g_autoptr (GFile) list = g_file_new_for_path (list_path), image = outside_file (name);
  g_autoptr (GError) error = NULL;

  tosst_additions_put (list, image, class_name, &error);
  g_assert_no_error (error);
}

static void
put_new_image (const char *name, int side)
{
  Fixture there = { .folder = outside };

  put_image (&there, name, side, side);
}

static void
begin (Fixture *fixture, gconstpointer data)
{
  static const char *const classes[] = { "brick", "cloth" };

  set_up (fixture, data);
  for (int i = 0; i < 10; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%d.png", classes[i % 2], i);

      put_image (fixture, name, 64, 48);
    }
  outside = g_dir_make_tmp ("tosst-new-XXXXXX", NULL);
  list_path = g_build_filename (outside, "lists", "additions.txt", NULL);
  put_new_image ("new 1.png", 64);
  put_new_image ("new2.png", 80);
}

static void
end (Fixture *fixture, gconstpointer data)
{
  tear_down (fixture, data);
  tosst_remove_tree (outside);
  g_clear_pointer (&outside, g_free);
  g_clear_pointer (&list_path, g_free);
}

static int
find_image (TosstDataset *dataset, const char *name)
{
  for (guint i = 0; i < dataset->entries->len; i++)
    if (g_str_has_suffix (tosst_dataset_image (dataset, i)->name, name))
      return (int)i;
  return -1;
}

/* Names of the images of a side, as text. */
static char *
names_of (TosstDataset *dataset, GArray *side)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < side->len; i++)
    {
      guint image = (guint)tosst_dataset_sample (dataset, at (side, i))->image;

      g_string_append_printf (names, "%s\n", tosst_dataset_image (dataset, image)->name);
    }
  return g_string_free (names, FALSE);
}

/* The list is unchanged by an image that is listed again with the same class, and has one line for each. */
static void
test_list (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) list = g_file_new_for_path (list_path), image = outside_file ("new2.png");
  g_autoptr (GPtrArray) additions = NULL, fewer = NULL;
  g_autoptr (GError) error = NULL;

  put ("new 1.png", "brick");
  put ("new2.png", "brick");
  put ("new2.png", "cloth");
  additions = tosst_additions_load (list, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (additions->len, ==, 2);
  g_assert_cmpstr (((TosstAddition *)additions->pdata[1])->class_name, ==, "cloth");
  g_assert_true (g_file_equal (((TosstAddition *)additions->pdata[1])->image, image));
  put ("new2.png", NULL);
  fewer = tosst_additions_load (list, &error);
  g_assert_cmpuint (fewer->len, ==, 1);
  g_assert_true (g_file_query_exists (image, NULL));
}

/* Added images train in every split of every protocol, and the others are divided as without them. */
static void
test_splits (Fixture *fixture, gconstpointer data)
{
  static const char *const protocols[] = { "random", "leave-one-out", "fixed" };
  g_autoptr (TosstRecipe) plain = tosst_recipe_copy (fixture->recipe);

  put ("new 1.png", "brick");
  put ("new2.png", "cloth");
  set (fixture->recipe, "dataset.additions", list_path);
  for (guint p = 0; p < G_N_ELEMENTS (protocols); p++)
    {
      g_autoptr (TosstDataset) whole = NULL, without = NULL;

      set (fixture->recipe, "dataset.protocol", protocols[p]);
      set (plain, "dataset.protocol", protocols[p]);
      whole = open_well (fixture->recipe);
      without = open_well (plain);
      g_assert_cmpuint (whole->entries->len, ==, 12);
      g_assert_cmpuint (tosst_dataset_splits (whole, fixture->recipe), ==, tosst_dataset_splits (without, plain));
      g_assert_cmpstr (whole->fingerprint, !=, without->fingerprint);
      for (guint number = 0; number < tosst_dataset_splits (without, plain); number++)
        {
          g_autoptr (GArray) train = NULL, test = NULL, plain_train = NULL, plain_test = NULL;
          g_autofree char *names = NULL, *plain_names = NULL, *trained = NULL;

          split (whole, fixture->recipe, number, &train, &test);
          split (without, plain, number, &plain_train, &plain_test);
          names = names_of (whole, test);
          plain_names = names_of (without, plain_test);
          trained = names_of (whole, train);
          g_assert_cmpstr (names, ==, plain_names);
          g_assert_cmpuint (train->len, ==, plain_train->len + 2);
          g_assert_nonnull (strstr (trained, "new 1.png"));
          g_assert_nonnull (strstr (trained, "new2.png"));
        }
    }
}

/* Nested splits validate with images of the data set alone. */
static void
test_within (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) whole = NULL, part = NULL;
  g_autoptr (GArray) train = NULL, test = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *tests = NULL, *trained = NULL;

  put ("new 1.png", "brick");
  set (fixture->recipe, "dataset.additions", list_path);
  set (fixture->recipe, "dataset.train-per-class", "4");
  set (fixture->recipe, "dataset.within", "1");
  set (fixture->recipe, "dataset.validate", "2");
  whole = open_well (fixture->recipe);
  part = tosst_dataset_of_run (whole, fixture->recipe, &error);
  g_assert_no_error (error);
  for (guint number = 0; number < 5; number++)
    {
      split (part, fixture->recipe, number, &train, &test);
      tests = names_of (part, test);
      trained = names_of (part, train);
      g_assert_null (strstr (tests, "new 1.png"));
      g_assert_nonnull (strstr (trained, "new 1.png"));
      g_assert_cmpuint (test->len, ==, 4);
      g_assert_cmpuint (train->len, ==, 5);
      g_clear_pointer (&train, g_array_unref);
      g_clear_pointer (&test, g_array_unref);
      g_clear_pointer (&tests, g_free);
      g_clear_pointer (&trained, g_free);
    }
}

/* The pixels of an added image are read from where it is, also beside the textures. */
static void
test_samples (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (TosstImage) image = NULL;
  g_autoptr (GError) error = NULL;
  int number;

  put ("new2.png", tosst_textures_name (3));
  set (recipe, "dataset.additions", list_path);
  dataset = open_well (recipe);
  number = find_image (dataset, "new2.png");
  g_assert_cmpint (tosst_dataset_image (dataset, (guint)number)->class_index, ==, 3);
  image = tosst_dataset_read_for (dataset, (guint)number, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (image->width, ==, 80);
}

static void
test_skipped (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) dataset = NULL;
  g_autoptr (GFile) list = g_file_new_for_path (list_path),
                    own = g_file_new_build_filename (fixture->folder, "brick", "0.png", NULL), fresh = NULL;
  g_autofree char *gone = g_build_filename (outside, "gone.png", NULL),
                  *odd = g_build_filename (outside, "new 1.png", NULL), *inside = g_file_get_path (own);
  g_autoptr (GError) error = NULL;

  put ("new 1.png", "marble");
  put ("gone.png", "brick");
  g_assert_true (tosst_additions_put (list, own, "brick", &error));
  set (fixture->recipe, "dataset.additions", list_path);
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->entries->len, ==, 10);
  g_assert_nonnull (strstr (skipped_reason (dataset, odd), "marble"));
  g_assert_nonnull (skipped_reason (dataset, gone));
  g_assert_nonnull (strstr (skipped_reason (dataset, inside), "already"));
  fresh = outside_file ("new2.png");
  g_assert_true (tosst_dataset_has_file (dataset, own));
  g_assert_false (tosst_dataset_has_file (dataset, fresh));
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  Fixture there = { .folder = outside };
  g_autoptr (GFile) list = g_file_new_for_path (list_path), strange = outside_file ("a\nb.png"),
                    plain = outside_file ("plain.png"), other = g_file_new_build_filename (outside, "fresh.txt", NULL);
  static const char *const names[] = { "", " brick", "br\tick", "\357\273\277brick" };
  g_autoptr (GError) error = NULL;

  set (fixture->recipe, "dataset.additions", list_path);
  assert_refused (fixture->recipe, list_path, "");
  put_text (&there, "lists/additions.txt", "brick\tnew2.png\nbrick new 1.png\n");
  assert_refused (fixture->recipe, "line 2", "tab");
  g_assert_false (tosst_additions_put (list, strange, "brick", &error));
  g_assert_nonnull (error);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_clear_error (&error);
      g_assert_false (tosst_additions_put (other, plain, names[i], &error));
      g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
    }
}

/* Test images under another name and by way of a link, and one image listed twice, add nothing; in another class they are
 * refused. */
static void
test_duplicates (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TosstDataset) alone = open_well (fixture->recipe), dataset = NULL;
  g_autofree char *path = g_build_filename (fixture->folder, "brick", "0.png", NULL);
  g_autofree char *wrong = g_build_filename (outside, "wrong.png", NULL);

  for (int i = 0; i < 10; i++)
    {
      g_autofree char *of = g_strdup_printf ("%s/%d.png", i % 2 == 0 ? "brick" : "cloth", i),
                      *from = g_build_filename (fixture->folder, of, NULL), *copy = g_strdup_printf ("copy-%d.png", i),
                      *to = g_build_filename (outside, copy, NULL), *content = NULL;
      gsize length;

      if (i < 5)
        g_assert_cmpint (symlink (from, to), ==, 0);
      else
        {
          g_assert_true (g_file_get_contents (from, &content, &length, NULL));
          g_assert_true (g_file_set_contents (to, content, (gssize)length, NULL));
        }
      put (copy, i % 2 == 0 ? "brick" : "cloth");
    }
  set (fixture->recipe, "dataset.additions", list_path);
  dataset = open_well (fixture->recipe);
  g_assert_cmpuint (dataset->entries->len, ==, 10);
  g_assert_cmpuint (dataset->skipped->len, ==, 10);
  g_assert_cmpstr (dataset->fingerprint, ==, alone->fingerprint);
  g_assert_cmpint (symlink (path, wrong), ==, 0);
  put ("wrong.png", "cloth");
  assert_refused (fixture->recipe, "0.png", "wrong.png");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = { { "/additions/list", test_list },
                { "/additions/splits", test_splits },
                { "/additions/within", test_within },
                { "/additions/samples", test_samples },
                { "/additions/skipped", test_skipped },
                { "/additions/refused", test_refused },
                { "/additions/duplicates", test_duplicates } };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, Fixture, NULL, begin, tests[i].test, end);
  return g_test_run ();
}

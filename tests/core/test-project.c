/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projects: what is packed is unpacked, runs know their images again, and archives of others write nothing elsewhere.
 */
#include "config.h"

#include <string.h>
#include <zip.h>

#include "../small-images.h"
#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/base/machine.h"
#include "core/data/lists.h"
#include "core/run/hash.h"
#include "core/store/project.h"
#include "small-run.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstContext, tosst_context_free)

typedef struct
{
  char *folder, *images;
  GFile *file, *place; /* the project; where it is unpacked */
} Fixture;

static GFile *
inside (Fixture *self, const char *name)
{
  return g_file_new_build_filename (self->folder, name, NULL);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("tosst-project-XXXXXX", NULL);
  self->images = g_build_filename (self->folder, "photos", NULL);
  write_small_images (self->images);
  self->file = inside (self, "work" TOSST_PROJECT_SUFFIX);
  self->place = inside (self, "there");
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  tosst_remove_tree (self->folder);
  g_free (self->folder);
  g_free (self->images);
  g_object_unref (self->file);
  g_object_unref (self->place);
}

static TosstDataset *
open_dataset (const TosstRecipe *recipe)
{
  g_autoptr (GError) error = NULL;
  TosstDataset *dataset = tosst_dataset_open (recipe, NULL, &error);

  g_assert_no_error (error);
  return dataset;
}

static void
add_run (GFile *file, const TosstRecipe *recipe, TosstDataset *dataset, TosstRunState state)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_WRITE, &error);

  g_assert_no_error (error);
  add_small_run (store, recipe, dataset, 1, state);
}

/* Another folder, another name: the runs are those of the images there. */
static void
test_round_trip (Fixture *self, gconstpointer images)
{
  gboolean adds = g_strcmp0 (images, "additions") == 0;
  g_autoptr (TosstRecipe) recipe = small_recipe (self->images), other = small_recipe (self->images), back = NULL;
  g_autoptr (GFile) runs = inside (self, "runs.sqlite"), list = inside (self, "lists/added.txt"),
                    added = inside (self, "new.png"), folder = NULL, inner = NULL, packed = NULL;
  g_autofree char *first = g_build_filename (self->images, small_classes[0], "0.png", NULL), *hash = NULL, *key = NULL;
  g_autoptr (TosstDataset) dataset = NULL, again = NULL;
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GPtrArray) listed = NULL;
  g_autoptr (GError) error = NULL;

  g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new_from_file (first, NULL), flipped = gdk_pixbuf_flip (picture, TRUE);
  g_assert_true (gdk_pixbuf_save (flipped, g_file_peek_path (added), "png", NULL, NULL));
  if (adds)
    {
      g_assert_true (tosst_additions_put (list, added, small_classes[1], NULL));
      g_assert_true (tosst_recipe_set (recipe, "dataset.additions", g_file_peek_path (list), NULL));
    }
  dataset = open_dataset (recipe);
  add_run (runs, recipe, dataset, TOSST_RUN_DONE);
  add_run (runs, recipe, dataset, TOSST_RUN_RUNNING);
  g_assert_true (tosst_recipe_set (other, "dataset.exclude", "0.png", NULL));
  again = open_dataset (other);
  add_run (runs, other, again, TOSST_RUN_DONE);
  g_clear_pointer (&again, tosst_dataset_unref);

  tosst_project_save (&(TosstProject){ recipe, dataset, images != NULL, runs, NULL }, self->file, &error);
  g_assert_no_error (error);
  if (images)
    tosst_remove_tree (self->images);
  folder = tosst_project_unpack (self->file, self->place, &error);
  g_assert_no_error (error);
  inner = g_file_get_child (folder, "recipe.tosst");
  back = tosst_recipe_load (inner, &error);
  g_assert_no_error (error);
  again = open_dataset (back);
  g_assert_cmpuint (again->entries->len, ==, dataset->entries->len);
  g_assert_cmpuint (tosst_dataset_own_images (again), ==, tosst_dataset_own_images (dataset));
  g_assert_cmpstr (again->fingerprint, ==, dataset->fingerprint);
  g_assert_true (g_str_has_prefix (back->dataset.path, images ? g_file_peek_path (folder) : self->images));
  packed = g_file_get_child (folder, "runs.sqlite");
  store = tosst_store_open (packed, TOSST_STORE_WRITE, &error);
  g_assert_no_error (error);
  hash = tosst_run_hash (back, again->key, -1);
  key = g_strdup_printf ("hash=%s", hash);
  listed = tosst_store_list (store, NULL, key, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (listed->len, ==, 1); /* the running one was left out */
  g_clear_pointer (&listed, g_ptr_array_unref);
  listed = tosst_store_list (store, NULL, NULL, &error);
  g_assert_cmpuint (listed->len, ==, 1); /* and that on other images */
  /* A second time it has a folder of its own. */
  g_autoptr (GFile) second = tosst_project_unpack (self->file, self->place, &error);
  g_assert_no_error (error);
  g_assert_false (g_file_equal (folder, second));
}

/* A run of an earlier version, which knew images by their time of change, is one of this data set. */
static void
test_earlier (Fixture *self, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = small_recipe (self->images);
  g_autoptr (TosstDataset) dataset = open_dataset (recipe);
  const char *listed = dataset->listed;
  g_autofree char *hash = tosst_run_hash (recipe, dataset->key, -1), *before = tosst_run_hash (recipe, listed, -1);
  g_autoptr (GFile) runs = inside (self, "runs.sqlite");
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstStore) store = tosst_store_open (runs, TOSST_STORE_WRITE, &error);
  const char *const names[] = { "a", "b", NULL };
  TosstStoreOrigin origin = { .hash = before,
                              .version = "1",
                              .numerics = TOSST_NUMERICS,
                              .cpu = "",
                              .blas = "",
                              .threads = 1,
                              .data = listed,
                              .dataset = "photos",
                              .class_names = names,
                              .splits = 2,
                              .split = -1 };
  gint64 id, found = 0;

  g_assert_no_error (error);
  g_assert_cmpstr (listed, !=, dataset->fingerprint);
  id = tosst_store_add (store, recipe, &origin, TOSST_RUN_DONE, &error);
  g_assert_no_error (error);
  origin.data = "0123456789abcdef";
  g_assert_cmpint (tosst_store_add (store, recipe, &origin, TOSST_RUN_DONE, &error), >, id);
  g_assert_true (tosst_store_find (store, hash, &found, NULL));
  g_assert_cmpint (found, ==, 0);
  g_assert_true (tosst_store_renew_hashes (store, dataset, &error));
  g_assert_true (tosst_store_find (store, hash, &found, NULL));
  g_assert_cmpint (found, ==, id);
}

static void
write_zip (Fixture *self, const char *const *names, gsize n)
{
  zip_t *zip = zip_open (g_file_peek_path (self->file), ZIP_CREATE | ZIP_TRUNCATE, NULL);

  for (gsize i = 0; i < n; i++)
    g_assert_cmpint (zip_file_add (zip, names[i], zip_source_buffer (zip, "[dataset]\n", 10, 0), ZIP_FL_ENC_UTF_8), >=,
                     0);
  g_assert_cmpint (zip_close (zip), ==, 0);
}

/* Members with other names are left alone. */
static void
test_elsewhere (Fixture *self, gconstpointer data)
{
  static const char *const names[] = { "recipe.tosst", "../evil",   "images/../../evil", "/tmp/tosst-evil",
                                       "images//evil", "images/..", "bin/evil",          "images/a\\..\\evil",
                                       "evil" };
  g_autoptr (GFile) folder = NULL, evil = g_file_get_child (self->place, "evil"), own = NULL, images = NULL;
  g_autoptr (GError) error = NULL;

  write_zip (self, names, G_N_ELEMENTS (names));
  folder = tosst_project_unpack (self->file, self->place, &error);
  g_assert_no_error (error);
  own = g_file_get_child (folder, "evil");
  images = g_file_get_child (folder, "images");
  g_assert_false (g_file_query_exists (evil, NULL));
  g_assert_false (g_file_query_exists (own, NULL));
  g_assert_false (g_file_query_exists (images, NULL));
  g_assert_false (g_file_test ("/tmp/tosst-evil", G_FILE_TEST_EXISTS));
}

/* A sentence, and no folder. */
static void
assert_refused (Fixture *self, const char *sentence)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) folder = tosst_project_unpack (self->file, self->place, &error);
  g_autoptr (GDir) dir = NULL;

  g_assert_null (folder);
  g_assert_error (error, TOSST_ERROR, TOSST_FAILED_INPUT);
  g_assert_nonnull (strstr (error->message, sentence));
  dir = g_dir_open (g_file_peek_path (self->place), 0, NULL);
  g_assert_true (dir == NULL || g_dir_read_name (dir) == NULL);
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  static const char *const other[] = { "B.npy" };
  g_autoptr (TosstRecipe) recipe = small_recipe (self->images);
  g_autoptr (TosstDataset) dataset = open_dataset (recipe);
  g_autofree char *bytes = NULL;
  gsize size;

  g_assert_true (g_file_set_contents (g_file_peek_path (self->file), "text", -1, NULL));
  assert_refused (self, "is not a project");
  write_zip (self, other, 1);
  assert_refused (self, "is not a project");
  g_assert_true (tosst_project_save (&(TosstProject){ recipe, dataset, TRUE, NULL, NULL }, self->file, NULL));
  g_assert_true (g_file_get_contents (g_file_peek_path (self->file), &bytes, &size, NULL));
  bytes[size / 4] ^= 1; /* in an image */
  g_assert_true (g_file_set_contents (g_file_peek_path (self->file), bytes, (gssize)size, NULL));
  assert_refused (self, "damaged");
  g_assert_true (g_file_set_contents (g_file_peek_path (self->file), bytes, (gssize)size / 2, NULL));
  assert_refused (self, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/project/images", Fixture, "images", set_up, test_round_trip, tear_down);
  g_test_add ("/project/additions", Fixture, "additions", set_up, test_round_trip, tear_down);
  g_test_add ("/project/without-images", Fixture, NULL, set_up, test_round_trip, tear_down);
  g_test_add ("/project/earlier", Fixture, NULL, set_up, test_earlier, tear_down);
  g_test_add ("/project/elsewhere", Fixture, NULL, set_up, test_elsewhere, tear_down);
  g_test_add ("/project/refused", Fixture, NULL, set_up, test_refused, tear_down);
  return g_test_run ();
}

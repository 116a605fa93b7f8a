/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left of a store after damage, and that it is true.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "store-place.h"

#define RUNS 40

static void
make_large (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  for (int i = 0; i < RUNS; i++)
    add_whole_run (store, NULL);
}

/* Every salvaged run has its stored values, or none; returns the number of runs. */
static guint
assert_truthful (Place *place, guint *whole)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GPtrArray) runs = list_runs (store, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (tosst_store_check (store, &error));
  g_assert_no_error (error);
  *whole = 0;
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstStoreRun *run = g_ptr_array_index (runs, i);
      g_autoptr (GBytes) content = tosst_store_artifact (store, run->id, 0, "model.npz", NULL),
                         wanted = content_of (run->id, 6000);
      gsize n;
      g_autofree double *series = tosst_store_series (store, run->id, 2, "objective", &n, &error);

      g_assert_no_error (error);
      JsonObject *all = tosst_store_run_json (store, run->id, &error);
      g_assert_no_error (error);
      g_assert_cmpint (json_object_get_int_member (all, "id"), ==, run->id);
      json_object_unref (all);
      g_assert_true (!content || g_bytes_equal (content, wanted));
      for (gsize j = 0; j < n; j++)
        g_assert_cmpfloat (series[j], ==, objective_of (run->id, 2, (int)j + 1));
      if (!isnan (run->accuracy) && run->splits_done == 3)
        g_assert_cmpfloat_with_epsilon (run->accuracy, 50 + (double)run->id / 8 + 5.0 / 3, 1e-9);
      *whole += run->state == TOSST_RUN_DONE && content && n == 7 && run->splits_done == 3
                && !strstr (run->tags, "salvaged");
    }
  /* The salvaged store is usable. */
  g_assert_cmpint (add_whole_run (store, NULL), >, 0);
  return runs->len;
}

/* The damaged file is kept. */
static void
assert_kept (Place *place, GBytes *damaged)
{
  g_autoptr (GDir) dir = g_dir_open (place->folder, 0, NULL);
  g_autoptr (GBytes) kept = NULL;
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (place->folder, name, NULL);

      g_assert_null (strstr (name, "salvage-"));
      if (!g_str_has_prefix (name, "runs.sqlite.damaged-") || g_str_has_suffix (name, "-wal"))
        continue;
      g_assert_null (kept);
      kept = file_contents (path);
      g_unlink (path);
    }
  g_assert_nonnull (kept);
  g_assert_true (g_bytes_equal (kept, damaged));
}

static void
damage_page (Place *place, GBytes *sound, gsize page)
{
  gsize size;
  const char *data = g_bytes_get_data (sound, &size);
  g_autofree char *copy = g_memdup2 (data, size);

  for (gsize i = 0; i < 4096; i++)
    copy[page * 4096 + i] = (char)g_test_rand_int ();
  g_assert_true (g_file_set_contents (place->path, copy, (gssize)size, NULL));
}

static void
test_damaged_pages (Place *place, gconstpointer data)
{
  make_large (place);
  g_autoptr (GBytes) sound = file_contents (place->path);
  gsize pages = g_bytes_get_size (sound) / 4096;
  guint least = RUNS, whole;

  /* The first pages, which are the roots of all tables, and some of the others. */
  for (gsize page = 0; page < pages; page += page < 24 ? 1 : 29)
    {
      g_autoptr (GBytes) damaged = NULL;
      g_autoptr (TosstStore) store = NULL;
      const char *notice;

      damage_page (place, sound, page);
      damaged = file_contents (place->path);
      store = open_store (place, TOSST_STORE_WRITE);
      notice = tosst_store_notice (store);
      if (!notice)
        {
          /* Within an artifact: found by its checksum. */
          g_autoptr (GError) error = NULL;
          g_autofree char *sentence = NULL;

          g_assert_false (tosst_store_check (store, &error));
          g_assert_error (error, TOSST_ERROR, TOSST_FAILED_DAMAGED);
          tosst_store_free (g_steal_pointer (&store));
          damaged = (g_bytes_unref (damaged), file_contents (place->path));
          g_assert_true (tosst_store_salvage (place->file, &sentence, NULL));
          g_assert_nonnull (strstr (sentence, "kept as runs.sqlite.damaged-"));
        }
      else
        g_assert_nonnull (strstr (notice, "kept as runs.sqlite.damaged-"));
      g_clear_pointer (&store, tosst_store_free);
      assert_kept (place, damaged);
      g_autoptr (GPtrArray) marked = NULL;
      store = open_store (place, TOSST_STORE_READ);
      marked = list_runs (store, NULL, "tag=salvaged");
      guint gaps = marked->len;
      g_clear_pointer (&store, tosst_store_free);
      guint left = assert_truthful (place, &whole);
      g_test_message ("page %zu of %zu: %u runs, %u of them whole", page, pages, left, whole);
      least = MIN (least, left);
      if (page == 0)
        g_assert_cmpuint (whole, ==, RUNS);
      /* Damage of the root page of the runs: none of them counts as complete. */
      if (page == 2)
        g_assert_cmpuint (gaps, ==, RUNS);
      g_unlink (place->path);
    }
  /* Damage of one page never loses all runs. */
  g_assert_cmpuint (least, >, RUNS / 2);
}

/* An invalid first page that resembles one of a table, after its header. */
static void
test_damaged_start (Place *place, gconstpointer data)
{
  make_large (place);
  g_autoptr (GBytes) sound = file_contents (place->path);
  gsize size;
  const char *bytes = g_bytes_get_data (sound, &size);

  for (int kind = 5; kind <= 13; kind += 8)
    {
      g_autofree char *copy = g_memdup2 (bytes, size);
      guint whole;

      for (gsize i = 0; i < 4096; i++)
        copy[i] = (char)g_test_rand_int ();
      copy[100] = (char)kind;
      g_assert_true (g_file_set_contents (place->path, copy, (gssize)size, NULL));
      g_autoptr (GBytes) damaged = file_contents (place->path);
      g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
      g_assert_nonnull (tosst_store_notice (store));
      g_clear_pointer (&store, tosst_store_free);
      assert_kept (place, damaged);
      g_assert_cmpuint (assert_truthful (place, &whole), ==, RUNS);
      g_assert_cmpuint (whole, ==, RUNS);
      g_unlink (place->path);
    }
}

static void
test_truncated (Place *place, gconstpointer data)
{
  make_large (place);
  g_autoptr (GBytes) sound = file_contents (place->path);
  guint whole;

  for (int part = 1; part <= 9; part += 4)
    {
      g_autoptr (GBytes) damaged = g_bytes_new_from_bytes (sound, 0, g_bytes_get_size (sound) / 10 * (gsize)part);
      g_autoptr (TosstStore) store = NULL;
      gsize size;
      const char *bytes = g_bytes_get_data (damaged, &size);

      g_assert_true (g_file_set_contents (place->path, bytes, (gssize)size, NULL));
      store = open_store (place, TOSST_STORE_WRITE);
      g_assert_nonnull (tosst_store_notice (store));
      g_clear_pointer (&store, tosst_store_free);
      assert_kept (place, damaged);
      guint left = assert_truthful (place, &whole);
      g_test_message ("%d0 %% of the file: %u runs, %u of them whole", part, left, whole);
      if (part == 9)
        g_assert_cmpuint (left, >, RUNS / 2);
      g_unlink (place->path);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_TEST ("damaged-pages", NULL, test_damaged_pages);
  ADD_TEST ("damaged-start", NULL, test_damaged_start);
  ADD_TEST ("truncated", NULL, test_truncated);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A data set in a folder that a test makes.
 */
#pragma once

#include <glib/gstdio.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "dataset-sides.h"

typedef struct
{
  char *folder;
  TosstRecipe *recipe; /* kind folders on that folder */
} Fixture;

static inline void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("tosst-dataset-XXXXXX", NULL);
  fixture->recipe = tosst_recipe_new ();
  set (fixture->recipe, "dataset.kind", "folders");
  set (fixture->recipe, "dataset.path", fixture->folder);
  set (fixture->recipe, "dataset.train-per-class", "2");
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  tosst_remove_tree (fixture->folder);
  g_free (fixture->folder);
  tosst_recipe_free (fixture->recipe);
}

/* Noise of its own for each name. */
static inline void
put_image (Fixture *fixture, const char *name, int width, int height)
{
  guint state = g_str_hash (name);
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = tosst_image_new (width, height, 1);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  for (int i = 0; i < width * height; i++)
    {
      state = state * 1664525u + 1013904223u;
      image->data[i] = (float)(state >> 24) / 255.0f;
    }
  tosst_image_write_png (image, file, &error);
  g_assert_no_error (error);
}

static inline void
put_text (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* One sentence that contains the words: no full stop, no line break. */
static inline void
assert_refused (const TosstRecipe *recipe, const char *first, const char *second)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tosst_dataset_open (recipe, NULL, &error));
  g_assert_nonnull (error);
  g_assert_true (error->domain == TOSST_ERROR);
  if (strstr (error->message, first) == NULL || strstr (error->message, second) == NULL)
    g_error ("\"%s\" lacks \"%s\" or \"%s\"", error->message, first, second);
  g_assert_null (strchr (error->message, '\n'));
  g_assert_false (g_str_has_suffix (error->message, "."));
}

static inline const char *
skipped_reason (TosstDataset *dataset, const char *name)
{
  const GPtrArray *skipped = dataset->skipped;

  for (guint i = 0; i < skipped->len; i++)
    {
      const TosstSkippedFile *file = g_ptr_array_index (skipped, i);

      if (strcmp (file->name, name) == 0)
        return file->reason;
    }
  g_error ("%s was not skipped", name);
}

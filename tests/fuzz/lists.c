/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "core/data/dataset.h"
#include "core/data/lists.h"
#include "targets.h"

/* Lists of labels in a folder in memory with five images, sub/e.png among them. */

#define MAIN "ImageSets/Main"
#define IMAGES "JPEGImages"

static char *
path_of (const char *first, const char *second)
{
  return g_build_filename (fuzz_folder (), "lists", first, second, NULL);
}

static void
put_images (void)
{
  static const char *const names[] = { "a.png", "b.png", "c.png", "d.PNG", "sub/e.png" };
  g_autofree char *main = path_of (MAIN, NULL), *sub = path_of (IMAGES, "sub");

  FUZZ_ASSERT (g_mkdir_with_parents (main, 0700) == 0 && g_mkdir_with_parents (sub, 0700) == 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = path_of (IMAGES, names[i]);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (TosstImage) image = tosst_image_new (2, 2, 1);

      FUZZ_ASSERT (g_file_test (path, G_FILE_TEST_EXISTS) || tosst_image_write_png (image, file, NULL));
    }
}

static void
put_file (const char *folder, const char *name, const char *data, gsize size)
{
  g_autofree char *path = path_of (folder, name);

  FILE *file = fopen (path, "wb");

  FUZZ_ASSERT (file != NULL && fwrite (data, 1, size, file) == size && fclose (file) == 0);
}

static void
empty_main (void)
{
  g_autofree char *main = path_of (MAIN, NULL);
  g_autoptr (GDir) dir = g_dir_open (main, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (main, name, NULL);

      g_unlink (path);
    }
}

static TosstDataset *
open_lists (const char *kind, int within)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autofree char *folder = path_of (".", NULL);
  g_autoptr (GError) error = NULL;
  TosstDataset *dataset;

  tosst_recipe_set (recipe, "dataset.kind", kind, NULL);
  tosst_recipe_set (recipe, "dataset.path", folder, NULL);
  tosst_recipe_set (recipe, "descriptor.kind", "sift", NULL);
  recipe->dataset.within = within;
  dataset = tosst_dataset_open (recipe, NULL, &error);
  FUZZ_ASSERT ((dataset != NULL) == (error == NULL));
  FUZZ_ASSERT (error == NULL || (g_utf8_validate (error->message, -1, NULL) && !strpbrk (error->message, "\n\x1b")));
  return dataset;
}

static void
check_dataset (TosstDataset *dataset)
{
  for (guint i = 0; i < dataset->entries->len; i++)
    {
      g_autofree char *id = tosst_dataset_image_id (dataset, i);

      FUZZ_ASSERT (*id != '/' && *id != '\0' && strstr (id, "../") == NULL);
      FUZZ_ASSERT (tosst_dataset_side (dataset, i) != TOSST_SIDE_ANY);
      for (guint c = 0; c < dataset->classes->len; c++)
        FUZZ_ASSERT (ABS (tosst_dataset_label (dataset, i, c)) <= 1);
    }
}

/* What is written as a table is read as the same data set. */
static void
check_table (TosstDataset *dataset, int within)
{
  g_autofree char *csv = tosst_dataset_to_csv (dataset);
  g_autoptr (TosstDataset) again = NULL;

  put_file (".", "labels.csv", csv, strlen (csv));
  again = open_lists ("labels", within);
  FUZZ_ASSERT (again != NULL);
  FUZZ_ASSERT (strcmp (dataset->fingerprint, again->fingerprint) == 0);
}

static void
open_both (const char *kind)
{
  for (int within = 0; within < 2; within++)
    {
      g_autoptr (TosstDataset) dataset = open_lists (kind, within);

      if (dataset == NULL)
        continue;
      check_dataset (dataset);
      check_table (dataset, within);
    }
}

void
fuzz_labels (const guint8 *data, gsize size)
{
  put_images ();
  put_file (".", "labels.csv", (const char *)data, size);
  open_both ("labels");
}

/* Writes the files of ImageSets/Main: each begins with a line of "=" and its name. */
static void
put_lists (const guint8 *data, gsize size)
{
  const char *at = (const char *)data, *end = at + size;

  for (int n = 0; n < 20 && at < end && *at == '='; n++)
    {
      const char *line = memchr (at, '\n', (gsize)(end - at)), *next;
      g_autofree char *name = line != NULL ? g_strndup (at + 1, (gsize)(line - at - 1)) : NULL;

      if (name == NULL)
        return;
      for (next = line + 1; next < end && !(*next == '=' && next[-1] == '\n');)
        next++;
      if (*name != '\0' && strlen (name) < 200 && *name != '.' && strchr (name, '/') == NULL)
        put_file (MAIN, name, line + 1, (gsize)(next - line - 1));
      at = next;
    }
}

void
fuzz_lists (const guint8 *data, gsize size)
{
  g_autofree char *path = path_of (".", NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (path);
  g_autoptr (GPtrArray) missing = NULL;

  put_images ();
  empty_main ();
  put_lists (data, size);
  open_both ("voc2007");
  missing = tosst_voc_missing (folder);
  FUZZ_ASSERT (missing->len > 0);
}

/* What is read is written and read back equal, in the same order, unless a list cannot contain it. */
void
fuzz_additions (const guint8 *data, gsize size)
{
  g_autofree char *path = path_of (".", "additions.txt");
  g_autoptr (GFile) list = g_file_new_for_path (path);
  g_autoptr (GPtrArray) additions = tosst_additions_load (fuzz_file (data, size), NULL);

  g_remove (path);
  for (guint i = 0; additions != NULL && i < MIN (additions->len, 8); i++)
    {
      const TosstAddition *one = additions->pdata[i], *back;
      g_autoptr (GPtrArray) again = NULL;

      if (!tosst_additions_put (list, one->image, one->class_name, NULL))
        return;
      again = tosst_additions_load (list, NULL);
      FUZZ_ASSERT (again != NULL && again->len > 0);
      back = again->pdata[again->len - 1];
      FUZZ_ASSERT (g_file_equal (back->image, one->image) && strcmp (back->class_name, one->class_name) == 0);
    }
}

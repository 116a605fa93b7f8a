/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/lists.h"

#include "core/base/error.h"
#include "core/data/private.h"
#include "core/data/voc.h"
#include "core/image/files.h"

#include <glib/gi18n.h>
#include <string.h>

/* Data sets with several labels an image: from their lists to images, sides and labels. */

static TosstDatasetEntry *
entry_at (TosstDataset *self, guint index)
{
  return g_ptr_array_index (self->entries, index);
}

/* Display only. */
static int
shown_class (const gint8 *labels, guint classes)
{
  const gint8 *found = memchr (labels, 1, classes);

  if (found == NULL)
    found = memchr (labels, 0, classes);
  return found != NULL ? (int)(found - labels) : 0;
}

typedef struct
{
  const TosstDatasetScan *scan;
  TosstLists *lists;
  GHashTable *taken; /* names of images, borrowed */
  guint missing;     /* number of images */
  const TosstListRow *first_missing;
} Adding;

/* name: with or without subfolders and suffix. */
static gboolean
is_left_out (const TosstDatasetScan *scan, const char *name)
{
  const char *slash = strrchr (name, '/');

  return tosst_dataset_scan_excludes (scan, name) || (slash && tosst_dataset_scan_excludes (scan, slash + 1));
}

static gboolean
add_image (Adding *self, guint index, GError **error)
{
  TosstDataset *dataset = self->scan->self;
  const TosstListRow *row = &g_array_index (self->lists->rows, TosstListRow, index);
  const gint8 *labels = (const gint8 *)self->lists->labels->data + (gsize)index * dataset->classes->len;
  g_autoptr (GFileInfo) info = NULL;
  g_autoptr (GFile) file = NULL;
  g_autofree char *name = NULL;
  TosstDatasetEntry *entry;

  if (is_left_out (self->scan, row->id))
    return TRUE;
  for (guint i = 0; file == NULL && i < self->lists->folders->len; i++)
    {
      file = tosst_lists_find_image (self->lists->folders->pdata[i], row->id, &info);
      if (file != NULL)
        name = g_file_get_relative_path (self->lists->folders->pdata[i], file);
    }
  if (file == NULL)
    {
      self->first_missing = self->missing++ > 0 ? self->first_missing : row;
      return TRUE;
    }
  if (is_left_out (self->scan, name))
    return TRUE;
  if (row->side == TOSST_SIDE_ANY)
    {
      tosst_dataset_skip (dataset, name, _ ("it has no split"));
      return TRUE;
    }
  if (g_hash_table_contains (self->taken, name))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: “%s” in line %u of %s names an image that is listed already"),
                       dataset->where, row->id, row->line, row->file);
  entry = tosst_dataset_add_file (dataset, file, info, name, shown_class (labels, dataset->classes->len),
                                  (TosstSide)row->side);
  if (entry != NULL)
    {
      entry->row = index;
      g_hash_table_add (self->taken, entry->public.name);
    }
  return TRUE;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  return tosst_image_files_compare ((*(TosstDatasetEntry *const *)a)->public.name,
                                    (*(TosstDatasetEntry *const *)b)->public.name);
}

static gboolean
add_images (const TosstDatasetScan *scan, TosstLists *lists, GError **error)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);
  Adding adding = { .scan = scan, .lists = lists, .taken = taken };

  for (guint i = 0; i < lists->rows->len; i++)
    if (tosst_dataset_scan_is_cancelled (scan, error) || !add_image (&adding, i, error))
      return FALSE;
  g_ptr_array_sort (scan->self->entries, compare_entries);
  if (adding.missing == 0)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     ngettext ("%s: there is no image “%s”, which line %u of %s names",
                               "%s: there is no image “%s”, which line %u of %s names; %u images are missing in all",
                               adding.missing),
                     scan->self->where, adding.first_missing->id, adding.first_missing->line,
                     adding.first_missing->file, adding.missing);
}

static gboolean
leave_out (const char *class_name, gpointer data)
{
  return tosst_dataset_scan_excludes (data, class_name);
}

/* Reads the lists of the folder or of the file that the recipe names; renames the data set by its own folder. */
static gboolean
read_lists (const TosstDatasetScan *scan, TosstLists *lists, GError **error)
{
  TosstDataset *self = scan->self;
  g_autoptr (GFile) root = self->kind == TOSST_DATASET_VOC2007 ? tosst_voc_find (scan->root) : NULL;
  gboolean is_folder = g_file_query_file_type (scan->root, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY;
  g_autoptr (GFile) csv = is_folder ? g_file_get_child (scan->root, "labels.csv") : (GFile *)g_object_ref (scan->root);
  g_autoptr (GFile) folder = root != NULL ? (GFile *)g_object_ref (root) : g_file_get_parent (csv);
  g_autofree char *base = folder != NULL ? g_file_get_basename (folder) : NULL;

  if (base != NULL)
    {
      g_free (self->title);
      self->title = g_filename_display_name (base);
    }
  if (root != NULL)
    return tosst_lists_read_voc (lists, root, leave_out, (gpointer)scan, error);
  if (folder == NULL || !g_file_query_exists (csv, NULL))
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       !g_file_query_exists (scan->root, NULL) ? _ ("%s: no such folder")
                       : self->kind == TOSST_DATASET_VOC2007 ? _ ("%s: has no folder ImageSets/Main and no labels.csv")
                                                             : _ ("%s: has no labels.csv"),
                       self->where);
  return tosst_lists_read_csv (lists, csv, leave_out, (gpointer)scan, error);
}

gboolean
tosst_dataset_scan_lists (const TosstDatasetScan *scan, GError **error)
{
  g_autoptr (TosstLists) lists = tosst_lists_new ();
  TosstDataset *self = scan->self;

  if (!read_lists (scan, lists, error))
    return FALSE;
  g_ptr_array_unref (self->classes);
  self->classes = g_ptr_array_ref (lists->classes);
  g_set_object (&self->folder, lists->folders->pdata[0]);
  if (!add_images (scan, lists, error))
    return FALSE;
  self->labels = (gint8 *)g_byte_array_free (g_steal_pointer (&lists->labels), FALSE);
  return TRUE;
}

gboolean
tosst_dataset_has_several_labels (TosstDataset *self)
{
  return self->labels != NULL;
}

static int
image_label (TosstDataset *self, guint image, guint class_index)
{
  const TosstDatasetEntry *entry = entry_at (self, image);

  if (self->labels == NULL)
    return entry->public.class_index == (int)class_index ? 1 : -1;
  return self->labels[(gsize)entry->row * self->classes->len + class_index];
}

int
tosst_dataset_label (TosstDataset *self, guint sample, guint class_index)
{
  g_return_val_if_fail (sample < self->samples->len, 0);
  g_return_val_if_fail (class_index < self->classes->len, 0);

  return image_label (self, (guint)g_array_index (self->samples, TosstSample, sample).image, class_index);
}

TosstSide
tosst_dataset_side (TosstDataset *self, guint image)
{
  g_return_val_if_fail (image < self->entries->len, TOSST_SIDE_ANY);

  return entry_at (self, image)->side;
}

guint
tosst_dataset_count_label (TosstDataset *self, TosstSide side, guint class_index, int label)
{
  guint n = 0;

  g_return_val_if_fail (class_index < self->classes->len, 0);

  for (guint i = 0; i < self->entries->len; i++)
    n += (side == TOSST_SIDE_ANY || entry_at (self, i)->side == side) && image_label (self, i, class_index) == label;
  return n;
}

/* Images of a class that train or test with a recipe. */
static guint
count (TosstDataset *self, const TosstRecipe *recipe, gboolean trains, guint class_index, int label)
{
  gboolean within = recipe->dataset.within > 0;

  if (!trains)
    return tosst_dataset_count_label (self, within ? TOSST_SIDE_VALIDATE : TOSST_SIDE_TEST, class_index, label);
  return tosst_dataset_count_label (self, TOSST_SIDE_TRAIN, class_index, label)
         + (within ? 0 : tosst_dataset_count_label (self, TOSST_SIDE_VALIDATE, class_index, label));
}

gboolean
tosst_dataset_has_scores (TosstDataset *self, const TosstRecipe *recipe, guint class_index)
{
  g_return_val_if_fail (class_index < self->classes->len, FALSE);

  return count (self, recipe, TRUE, class_index, 1) > 0 && count (self, recipe, TRUE, class_index, -1) > 0
         && count (self, recipe, FALSE, class_index, 1) > 0;
}

/* Adds a sentence with the names of the classes without an image of the label in a list. */
static void
warn_of (TosstDataset *self, const TosstRecipe *recipe, gboolean trains, int label, GPtrArray *warnings)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const char *list = trains                       ? recipe->dataset.within > 0 ? "train" : "trainval"
                     : recipe->dataset.within > 0 ? "val"
                                                  : "test";

  for (guint i = 0; i < self->classes->len; i++)
    if (count (self, recipe, trains, i, label) == 0)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", (char *)g_ptr_array_index (self->classes, i));
  if (names->len > 0)
    g_ptr_array_add (warnings,
                     g_strdup_printf (label > 0 ? _ ("left out, as no image of the list %s shows them: %s")
                                                : _ ("left out, as every image of the list %s shows them: %s"),
                                      list, names->str));
}

GPtrArray *
tosst_dataset_warnings (TosstDataset *self, const TosstRecipe *recipe)
{
  GPtrArray *warnings = g_ptr_array_new_with_free_func (g_free);

  if (self->left_out->len > 0)
    g_ptr_array_add (
        warnings,
        g_strdup_printf (ngettext ("%u class of one image is left out: %s",
                                   "%u classes of one image are left out; the first: %s", self->left_out->len),
                         self->left_out->len, (const char *)g_ptr_array_index (self->left_out, 0)));
  if (self->labels != NULL)
    {
      warn_of (self, recipe, TRUE, 1, warnings);
      warn_of (self, recipe, TRUE, -1, warnings);
      warn_of (self, recipe, FALSE, 1, warnings);
    }
  return warnings;
}

static guint
count_side (TosstDataset *self, TosstSide side)
{
  guint n = 0;

  for (guint i = 0; i < self->entries->len; i++)
    n += entry_at (self, i)->side == side;
  return n;
}

/* Fails if a list that the recipe needs has no usable image. */
static gboolean
check_sides (TosstDataset *self, const TosstRecipe *recipe, GError **error)
{
  guint train = count_side (self, TOSST_SIDE_TRAIN), val = count_side (self, TOSST_SIDE_VALIDATE);

  if (recipe->dataset.within > 0 && (train == 0 || val == 0))
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("%s: dataset.within needs the lists train and val, and %s is missing or has no usable image"),
                       self->where, train == 0 ? "train" : "val");
  if (train + val == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: there is no usable image to train with"), self->where);
  if (recipe->dataset.within == 0 && count_side (self, TOSST_SIDE_TEST) == 0)
    return tosst_fail (
        error, TOSST_FAILED_INPUT,
        _ ("%s: the list test is missing or has no usable image; with dataset.within=1 the list val tests"),
        self->where);
  return TRUE;
}

gboolean
tosst_dataset_check_lists (TosstDataset *self, const TosstRecipe *recipe, GError **error)
{
  if (recipe->dataset.within > 1)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("dataset.within is %d, but a data set with lists has one split: it must be 0 or 1"),
                       recipe->dataset.within);
  if (!check_sides (self, recipe, error))
    return FALSE;
  for (guint i = 0; i < self->classes->len; i++)
    if (tosst_dataset_has_scores (self, recipe, i))
      return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     _ ("%s: no class has images to train with and to test, with and without it"), self->where);
}

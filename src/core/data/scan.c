/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/private.h"

#include "core/base/error.h"
#include "core/data/feature-files.h"
#include "core/data/textures.h"
#include "core/image/files.h"

#include <glib/gi18n.h>
#include <string.h>

typedef TosstDatasetScan Scan;

static int
compare_infos (gconstpointer a, gconstpointer b)
{
  return tosst_image_files_compare (g_file_info_get_name (*(GFileInfo *const *)a),
                                    g_file_info_get_name (*(GFileInfo *const *)b));
}

gboolean
tosst_dataset_is_album_name (const char *name)
{
  return g_ascii_toupper (name[0]) == 'D' && g_ascii_isdigit (name[1]) && tosst_image_files_has_suffix (name)
         && strspn (name + 1, "0123456789") + 1 == strcspn (name, ".");
}

/* Entries of a folder in natural order, without hidden ones; NULL with an error if it cannot be listed. */
static GPtrArray *
list_folder (GFile *folder, const Scan *scan, GError **error)
{
  g_autoptr (GPtrArray) infos = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GFileEnumerator) enumerator
      = g_file_enumerate_children (folder, TOSST_DATASET_QUERY, G_FILE_QUERY_INFO_NONE, scan->cancellable, &reason);
  GFileInfo *info;

  while (enumerator != NULL && (info = g_file_enumerator_next_file (enumerator, scan->cancellable, &reason)) != NULL)
    if (g_file_info_get_name (info)[0] == '.')
      g_object_unref (info);
    else
      g_ptr_array_add (infos, info);
  if (reason == NULL)
    {
      g_ptr_array_sort (infos, compare_infos);
      return g_steal_pointer (&infos);
    }
  if (!tosst_dataset_scan_is_cancelled (scan, error))
    {
      g_autofree char *name = g_file_get_parse_name (folder);
      const char *text = g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)       ? _ ("no such folder")
                         : g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY) ? _ ("is not a folder")
                                                                                          : reason->message;

      g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT, "%s: %s", name, text);
    }
  return NULL;
}

static void
add_file (const Scan *scan, GFile *file, GFileInfo *info, int class_index, TosstSide side)
{
  g_autofree char *relative = g_file_get_relative_path (scan->root, file);
  g_autofree char *name = g_filename_display_name (relative);

  if (scan->features)
    tosst_dataset_add_entry (scan->self, file, info, name, class_index, side);
  else
    tosst_dataset_add_file (scan->self, file, info, name, class_index, side);
}

static int
class_of (TosstDataset *self, const char *name)
{
  for (guint i = 0; i < self->classes->len; i++)
    if (strcmp (g_ptr_array_index (self->classes, i), name) == 0)
      return (int)i;
  g_ptr_array_add (self->classes, g_strdup (name));
  return (int)self->classes->len - 1;
}

static gboolean
scan_album (const Scan *scan, GError **error)
{
  g_autoptr (GPtrArray) infos = list_folder (scan->root, scan, error);
  g_autofree char *last = NULL;

  for (guint i = 0; infos != NULL && i < infos->len; i++)
    {
      GFileInfo *info = g_ptr_array_index (infos, i);
      const char *name = g_file_info_get_name (info);
      g_autoptr (GFile) file = g_file_get_child (scan->root, name);
      g_autofree char *shown = g_filename_display_name (name);
      g_autofree char *stem = tosst_feature_files_id (shown);
      guint before = scan->self->entries->len;

      if (tosst_dataset_scan_is_cancelled (scan, error))
        return FALSE;
      if (!tosst_image_files_has_suffix (name) || g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY
          || tosst_dataset_scan_excludes (scan, shown))
        continue;
      if (!tosst_dataset_is_album_name (name))
        tosst_dataset_skip (scan->self, shown, _ ("its name is not D followed by a number"));
      else if (last != NULL && g_ascii_strcasecmp (stem, last) == 0)
        tosst_dataset_skip (scan->self, shown, _ ("another file has the same texture number"));
      else
        {
          add_file (scan, file, info, (int)scan->self->classes->len, TOSST_SIDE_ANY);
          if (scan->self->entries->len > before)
            {
              g_ptr_array_add (scan->self->classes, g_strdup (stem));
              g_free (last);
              last = g_steal_pointer (&stem);
            }
        }
    }
  return infos != NULL;
}

/* Whether a file of a class is an image, or has features: of ID.npz and ID.npy the first is read. */
static gboolean
is_wanted (const Scan *scan, GFile *folder, const char *name)
{
  g_autofree char *id = NULL;
  g_autoptr (GFile) read = NULL, file = NULL;

  if (!scan->features)
    return tosst_image_files_has_suffix (name);
  if (!tosst_feature_files_has_suffix (name))
    return FALSE;
  id = tosst_feature_files_id (name);
  read = tosst_feature_files_find (folder, id);
  file = g_file_get_child (folder, name);
  return read != NULL && g_file_equal (read, file);
}

static void
skip_foreign (const Scan *scan, GFile *file, const char *advice)
{
  g_autofree char *relative = g_file_get_relative_path (scan->root, file);
  g_autofree char *name = g_filename_display_name (relative);

  tosst_dataset_skip (scan->self, name, advice);
}

static gboolean
scan_class (const Scan *scan, GFile *folder, const TosstFolderTrail *above, const char *class_name, TosstSide side,
            GError **error)
{
  g_auto (TosstFolderTrail) here = { 0 };
  gboolean enters = tosst_folder_trail_enter (&here, above, folder);
  g_autoptr (GPtrArray) infos = enters ? list_folder (folder, scan, NULL) : NULL;

  if (enters && infos == NULL)
    {
      g_autofree char *relative = g_file_get_relative_path (scan->root, folder);
      g_autofree char *name = g_filename_display_name (relative);

      tosst_dataset_skip (scan->self, name, _ ("the folder cannot be read"));
    }
  for (guint i = 0; infos != NULL && i < infos->len; i++)
    {
      GFileInfo *info = g_ptr_array_index (infos, i);
      const char *name = g_file_info_get_name (info);
      g_autoptr (GFile) file = g_file_get_child (folder, name);
      g_autofree char *shown = g_filename_display_name (name);

      if (tosst_dataset_scan_is_cancelled (scan, error))
        return FALSE;
      if (tosst_dataset_scan_excludes (scan, shown))
        continue;
      if (g_file_info_get_file_type (info) != G_FILE_TYPE_DIRECTORY)
        {
          if (is_wanted (scan, folder, name))
            add_file (scan, file, info, class_of (scan->self, class_name), side);
          else if (!scan->features && tosst_image_files_advice (name) != NULL)
            skip_foreign (scan, file, tosst_image_files_advice (name));
        }
      else if (!scan_class (scan, file, &here, class_name, side, error))
        return FALSE;
    }
  return !tosst_dataset_scan_is_cancelled (scan, error);
}

static gboolean
scan_classes (const Scan *scan, GFile *folder, const TosstFolderTrail *above, TosstSide side, GError **error)
{
  g_auto (TosstFolderTrail) here = { 0 };
  g_autoptr (GPtrArray) infos = list_folder (folder, scan, error);

  tosst_folder_trail_enter (&here, above, folder);
  for (guint i = 0; infos != NULL && i < infos->len; i++)
    {
      GFileInfo *info = g_ptr_array_index (infos, i);
      const char *name = g_file_info_get_name (info);
      g_autoptr (GFile) file = g_file_get_child (folder, name);
      g_autofree char *shown = g_filename_display_name (name);

      if (tosst_dataset_scan_excludes (scan, shown))
        continue;
      if (g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY)
        {
          if (!scan_class (scan, file, &here, shown, side, error))
            return FALSE;
        }
      else if (tosst_image_files_is_any (name))
        tosst_dataset_skip (scan->self, shown, _ ("it lies outside the folders of the classes"));
    }
  return infos != NULL;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const TosstDatasetEntry *p = *(TosstDatasetEntry *const *)a, *q = *(TosstDatasetEntry *const *)b;

  if (p->public.class_index != q->public.class_index)
    return p->public.class_index < q->public.class_index ? -1 : 1;
  return tosst_image_files_compare (p->public.name, q->public.name);
}

static gboolean
scan_folders (const Scan *scan, const TosstRecipe *recipe, GError **error)
{
  g_autoptr (GFile) train = g_file_get_child (scan->root, "train");
  g_autoptr (GFile) test = g_file_get_child (scan->root, "test");
  g_auto (TosstFolderTrail) root = { 0 };

  scan->self->has_sides = recipe->dataset.protocol == TOSST_PROTOCOL_FIXED
                          && g_file_query_file_type (train, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY
                          && g_file_query_file_type (test, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY;
  if (!scan->self->has_sides)
    return scan_classes (scan, scan->root, NULL, TOSST_SIDE_ANY, error);
  tosst_folder_trail_enter (&root, NULL, scan->root);
  if (!scan_classes (scan, train, &root, TOSST_SIDE_TRAIN, error)
      || !scan_classes (scan, test, &root, TOSST_SIDE_TEST, error))
    return FALSE;
  g_ptr_array_sort (scan->self->entries, compare_entries);
  return TRUE;
}

/* A folder may have files of features only. */
static gboolean
scan_images_or_features (Scan *scan, const TosstRecipe *recipe, GError **error)
{
  if (!scan_folders (scan, recipe, error))
    return FALSE;
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || scan->self->entries->len > 0
      || scan->self->skipped->len > 0)
    return TRUE;
  scan->features = TRUE;
  return scan_folders (scan, recipe, error);
}

/* The names of hard textures differ, and with them the fingerprint. */
static void
scan_textures (const Scan *scan, gboolean hard)
{
  for (guint texture = 0; texture < tosst_textures_count (); texture++)
    {
      const char *name = tosst_textures_name (texture);

      if (tosst_dataset_scan_excludes (scan, name))
        continue;
      for (guint variant = 0; variant < tosst_textures_images (); variant++)
        {
          TosstDatasetEntry *entry = g_new0 (TosstDatasetEntry, 1);

          entry->public.name = g_strdup_printf (hard ? "%s/%s-hard-%02u.png" : "%s/%s-%02u.png", name, name, variant);
          entry->public.class_index = class_of (scan->self, name);
          entry->public.width = entry->public.height = tosst_textures_size ();
          entry->header.bytes = 12 * (guint64)entry->public.width * (guint64)entry->public.height;
          entry->texture = texture;
          entry->variant = variant;
          entry->hard = hard;
          g_ptr_array_add (scan->self->entries, entry);
        }
    }
}

static gboolean
scan_kind (Scan *scan, const TosstRecipe *recipe, GError **error)
{
  switch (scan->self->kind)
    {
    case TOSST_DATASET_BRODATZ:
      return scan_album (scan, error);
    case TOSST_DATASET_FOLDERS:
      return scan_images_or_features (scan, recipe, error);
    case TOSST_DATASET_VOC2007:
    case TOSST_DATASET_LABELS:
      return tosst_dataset_scan_lists (scan, error);
    case TOSST_DATASET_SAMPLES:
    default:
      scan_textures (scan, recipe->dataset.hard);
      return TRUE;
    }
}

gboolean
tosst_dataset_scan (TosstDataset *self, const TosstRecipe *recipe, GCancellable *cancellable, GError **error)
{
  const char *text = recipe->dataset.exclude;
  g_auto (GStrv) excluded = NULL;

  if (text == NULL || *text == '\0')
    text = recipe->dataset.kind == TOSST_DATASET_BRODATZ ? "D14" : "";
  excluded = g_strsplit (g_ascii_strcasecmp (text, "none") == 0 ? "" : text, ",", -1);
  for (guint i = 0; excluded[i] != NULL; i++)
    g_strstrip (excluded[i]);
  g_autoptr (GFile) root = recipe->dataset.path != NULL ? g_file_new_for_path (recipe->dataset.path) : NULL;
  Scan scan = { self, root, excluded, cancellable, FALSE };

  self->folder = root != NULL ? g_object_ref (root) : NULL;
  if (tosst_dataset_scan_is_cancelled (&scan, error) || !scan_kind (&scan, recipe, error))
    return FALSE;
  return recipe->dataset.additions == NULL
         || tosst_recipe_why_inactive (recipe, tosst_parameter_find ("dataset.additions")) != NULL
         || tosst_dataset_scan_additions (&scan, recipe->dataset.additions, error);
}

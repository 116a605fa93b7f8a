/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/base.h"
#include "core/data/feature-files.h"
#include "core/data/lists.h"
#include "core/data/private.h"
#include "core/data/textures.h"
#include "core/image/files.h"

typedef TosstDatasetScan Scan;

static int
compare_infos (gconstpointer a, gconstpointer b)
{
  return tosst_image_files_compare (g_file_info_get_name (*(GFileInfo *const *)a),
                                    g_file_info_get_name (*(GFileInfo *const *)b));
}

/* D12.gif */
static gboolean
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
  guint index;

  if (g_ptr_array_find_with_equal_func (self->classes, name, g_str_equal, &index))
    return (int)index;
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
  if (!scan->features)
    return tosst_image_files_has_suffix (name);
  if (!tosst_feature_files_has_suffix (name))
    return FALSE;
  g_autofree char *id = tosst_feature_files_id (name);
  g_autoptr (GFile) read = tosst_feature_files_find (folder, id);
  g_autoptr (GFile) file = g_file_get_child (folder, name);
  return read != NULL && g_file_equal (read, file);
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
            {
              g_autofree char *relative = g_file_get_relative_path (scan->root, file);
              g_autofree char *foreign = g_filename_display_name (relative);

              tosst_dataset_skip (scan->self, foreign, tosst_image_files_advice (name));
            }
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

/* The names of hard textures differ, and with them the fingerprint. */
static void
scan_textures (const Scan *scan, gboolean hard)
{
  for (guint texture = 0; texture < TOSST_TEXTURES; texture++)
    {
      const char *name = tosst_textures_name (texture);

      if (tosst_dataset_scan_excludes (scan, name))
        continue;
      for (guint variant = 0; variant < TOSST_TEXTURE_IMAGES; variant++)
        {
          TosstDatasetEntry *entry = g_new0 (TosstDatasetEntry, 1);

          entry->public.name = g_strdup_printf (hard ? "%s/%s-hard-%02u.png" : "%s/%s-%02u.png", name, name, variant);
          entry->public.class_index = class_of (scan->self, name);
          entry->public.width = entry->public.height = TOSST_TEXTURE_SIZE;
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
      {
        /* A folder may have files of features only. */
        if (!scan_folders (scan, recipe, error))
          return FALSE;
        if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || scan->self->entries->len > 0
            || scan->self->skipped->len > 0)
          return TRUE;
        scan->features = TRUE;
        return scan_folders (scan, recipe, error);
      }
    case TOSST_DATASET_VOC2007:
    case TOSST_DATASET_LABELS:
      return tosst_dataset_scan_lists (scan, error);
    case TOSST_DATASET_SAMPLES:
    default:
      scan_textures (scan, recipe->dataset.hard);
      return TRUE;
    }
}

/* Fill classes, entries and skipped. */
static gboolean
tosst_dataset_scan (TosstDataset *self, const TosstRecipe *recipe, GCancellable *cancellable, GError **error)
{
  const char *text = recipe->dataset.exclude;

  if (text == NULL || *text == '\0')
    text = recipe->dataset.kind == TOSST_DATASET_BRODATZ ? "D14" : "";
  g_auto (GStrv) excluded = g_strsplit (g_ascii_strcasecmp (text, "none") == 0 ? "" : text, ",", -1);
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

TOSST_DEFINE_FREE (TosstSkippedFile, skipped_free, (name, g_free), (reason, g_free))

/* For a use that reduces images to a longest side. */
static int
divisor_of (const TosstDatasetEntry *entry, int side)
{
  return tosst_image_probe_divisor (&entry->header, side, 0);
}

#define fail(dataset, error, ...) tosst_fail_about (error, TOSST_FAILED_INPUT, (dataset)->where, ": ", __VA_ARGS__)

static void
add_samples (TosstDataset *self, guint image, int block, int step)
{
  const TosstDatasetImage *info = &tosst_dataset_entry (self, image)->public;
  TosstSample sample = { (int)image, info->class_index, 0, 0, info->width, info->height };

  if (block == 0)
    {
      g_array_append_val (self->samples, sample);
      return;
    }
  sample.width = sample.height = block;
  for (sample.y = 0; sample.y + block <= info->height; sample.y += step)
    for (sample.x = 0; sample.x + block <= info->width; sample.x += step)
      g_array_append_val (self->samples, sample);
}

/* Images without a whole block or patch are removed from the list before indices are assigned. */
static gboolean
drop_small (TosstDataset *self, int least, gboolean is_block, GError **error)
{
  guint had = self->entries->len;

  for (guint i = 0; i < self->entries->len;)
    {
      const TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;

      if (image->width >= least && image->height >= least)
        i++;
      else
        {
          g_autofree char *reason = g_strdup_printf (is_block ? _ ("%d × %d pixels, smaller than a block of %d")
                                                              : _ ("%d × %d pixels, smaller than a patch of %d"),
                                                     image->width, image->height, least);

          tosst_dataset_skip (self, image->name, reason);
          g_ptr_array_remove_index (self->entries, i);
        }
    }
  if (self->entries->len > 0 || had == 0)
    return TRUE;
  return fail (self, error,
               is_block ? _ ("every image is smaller than a block of %d pixels: lower dataset.block")
                        : _ ("every image is smaller than a patch of %d pixels: lower descriptor.patch"),
               least);
}

/* Whether all images lie in the folder itself, and none in a folder of a class. */
static gboolean
is_flat (const TosstDataset *self)
{
  for (guint i = 0; i < self->skipped->len; i++)
    if (strchr (((TosstSkippedFile *)g_ptr_array_index (self->skipped, i))->name, G_DIR_SEPARATOR) != NULL)
      return FALSE;
  return TRUE;
}

static gboolean
check_whole (TosstDataset *self, const TosstRecipe *recipe, GError **error)
{
  if (self->entries->len == 0 && self->left_out->len == 0 && self->skipped->len > 0)
    {
      const TosstSkippedFile *first = g_ptr_array_index (self->skipped, 0);

      if (!self->labels && is_flat (self))
        return fail (self, error,
                     ngettext ("its %u image lies in the folder itself: give each class a folder of its own, with the "
                               "name of the class, and move its images there",
                               "its %u images lie in the folder itself: give each class a folder of its own, with the "
                               "name of the class, and move its images there",
                               self->skipped->len),
                     self->skipped->len);
      return fail (self, error,
                   ngettext ("its %u image file is not usable; %s: %s", "none of its %u image files is usable; %s: %s",
                             self->skipped->len),
                   self->skipped->len, first->name, first->reason);
    }
  if (self->entries->len == 0 && self->left_out->len == 0)
    return fail (self, error,
                 self->labels ? _ ("dataset.exclude leaves out all images")
                              : _ ("no image found; expected one folder per class or D*.gif files"));
  if (self->classes->len < 2 && self->left_out->len > 0)
    return fail (self, error, _ ("needs two classes of at least two images; class “%s” has one image"),
                 (const char *)g_ptr_array_index (self->left_out, 0));
  if (self->classes->len < 2 && !self->labels && tosst_dataset_is_a_level_too_high (self))
    return fail (self, error,
                 _ ("only one class (%s), at least two are needed: if the folders in %s are classes, name that one"),
                 (const char *)g_ptr_array_index (self->classes, 0),
                 (const char *)g_ptr_array_index (self->classes, 0));
  if (self->classes->len < 2 && !self->labels)
    return fail (self, error, _ ("only one class (%s), at least two are needed"),
                 (const char *)g_ptr_array_index (self->classes, 0));
  return TRUE;
}

/* Blocks are counted before the list is built: a small block step gives more blocks of large images than fit into
 * memory. */
static gboolean
check_count (TosstDataset *self, int block, int step, GError **error)
{
  guint64 count = 0;

  for (guint i = 0; block > 0 && i < self->entries->len; i++)
    {
      const TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;

      count += ((guint64)(image->width - block) / (guint64)step + 1)
               * ((guint64)(image->height - block) / (guint64)step + 1);
    }
  if (count <= G_MAXINT && 2 * count * sizeof (TosstSample) <= tosst_memory_available () / 2)
    return TRUE;
  return fail (self, error,
               _ ("would be cut into %" PRIu64 " blocks, more than fit into memory: raise dataset.block-step"), count);
}

static gboolean
cut (TosstDataset *self, const TosstRecipe *recipe, GError **error)
{
  int block = tosst_recipe_block (recipe), step = MAX (recipe->dataset.block_step, 1);

  /* Frames have scales instead of patches of a size, features of files have no size at all. */
  TosstTexture texture;
  int least = tosst_recipe_is_texture (recipe, &texture) ? tosst_texture_side (texture) : recipe->descriptor.patch;

  if ((block > 0 || (!tosst_recipe_is_local (recipe) && !tosst_recipe_has_frames (recipe)))
      && !drop_small (self, block > 0 ? block : least, block > 0, error))
    return FALSE;

  /* In an album each class is one file: the class is removed with it. In folders a class without images is reported as
   * an error later. */
  for (guint i = 0; self->kind == TOSST_DATASET_BRODATZ && i < self->entries->len; i++)
    {
      TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;

      while (image->class_index > (int)i)
        {
          g_ptr_array_remove_index (self->classes, i);
          for (guint j = i; j < self->entries->len; j++)
            tosst_dataset_entry (self, j)->public.class_index--;
        }
    }
  if (self->kind == TOSST_DATASET_BRODATZ)
    g_ptr_array_set_size (self->classes, (int)self->entries->len);
  tosst_dataset_leave_out (self, recipe);
  if (!check_whole (self, recipe, error))
    return FALSE;
  if (!check_count (self, block, step, error))
    return FALSE;
  for (guint i = 0; i < self->entries->len; i++)
    add_samples (self, i, block, step);
  return tosst_dataset_check_units (self, recipe, error);
}

static void
name_dataset (TosstDataset *self, const TosstRecipe *recipe)
{
  if (self->kind == TOSST_DATASET_SAMPLES)
    {
      self->title = g_strdup (_ ("Sample textures"));
      self->where = g_strdup (self->title);
      return;
    }
  g_autoptr (GFile) folder = g_file_new_for_path (recipe->dataset.path);
  g_autofree char *base = g_file_get_basename (folder);
  self->where = g_file_get_parse_name (folder);
  self->title = self->kind == TOSST_DATASET_BRODATZ ? g_strdup ("Brodatz") : g_filename_display_name (base);
}

GFile *
tosst_dataset_features_folder (TosstDataset *self, const TosstRecipe *recipe)
{
  if (recipe->descriptor.folder != NULL)
    return g_file_new_for_path (recipe->descriptor.folder);
  return self->folder != NULL ? g_object_ref (self->folder) : NULL;
}

/* As earlier versions knew a file. */
static void
add_stat (gpointer file, gpointer sum)
{
  g_autofree char *name = g_file_get_basename (file), *line = NULL;
  struct stat info;

  if (stat (g_file_peek_path (file), &info) != 0)
    return;
  line = g_strdup_printf ("%s\t%" G_GUINT64_FORMAT "\t%" G_GINT64_FORMAT ".%09ld\n", name, (guint64)info.st_size,
                          (gint64)info.st_mtim.tv_sec, (long)info.st_mtim.tv_nsec);
  g_checksum_update (sum, (const guchar *)line, -1);
}

/* Adds the files of features to the fingerprint; fails if an image has none. */
static gboolean
add_features (TosstDataset *self, const TosstRecipe *recipe, gboolean listed, GChecksum *sum, GCancellable *cancellable,
              GError **error)
{
  g_autoptr (GFile) folder = tosst_dataset_features_folder (self, recipe);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree char *first = NULL, *name = folder != NULL ? g_file_get_parse_name (folder) : NULL;
  guint missing = 0;

  for (guint i = 0; folder != NULL && i < self->entries->len; i++)
    {
      g_autofree char *id = tosst_dataset_image_id (self, i);
      GFile *file = tosst_feature_files_find (folder, id);
      g_autoptr (GFile) positions = file != NULL ? tosst_feature_files_positions (file) : NULL;

      if (file != NULL)
        g_ptr_array_add (files, file);
      if (positions != NULL && g_file_query_exists (positions, NULL))
        g_ptr_array_add (files, g_object_ref (positions));
      if (file == NULL && missing++ == 0)
        first = g_steal_pointer (&id);
    }
  if (missing == 0 && !listed)
    return tosst_dataset_add_features (self, files, sum, cancellable, error);
  if (missing == 0)
    {
      g_ptr_array_foreach (files, add_stat, sum);
      return TRUE;
    }
  return tosst_fail_input (
      error, name,
      ngettext ("has no features of %u image, which would be in %s.npz or %s.npy%s",
                "has no features of %u images; those of the first would be in %s.npz or %s.npy%s", missing),
      missing, first, first, recipe->descriptor.folder == NULL ? _ (": set descriptor.folder to their folder") : "");
}

TosstDataset *
tosst_dataset_new (TosstDatasetKind kind)
{
  TosstDataset *self = g_atomic_rc_box_new0 (TosstDataset);

  self->kind = kind;
  self->classes = g_ptr_array_new_with_free_func (g_free);
  self->entries = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_dataset_entry_free);
  self->samples = g_array_new (FALSE, FALSE, sizeof (TosstSample));
  self->skipped = g_ptr_array_new_with_free_func (skipped_free);
  self->left_out = g_ptr_array_new_with_free_func (g_free);
  return self;
}

/* What tells an image from others: its content, beside how it is called in the data set; or, as earlier versions had it,
 * length and time of its file. */
static char *
line_of (const TosstDatasetEntry *entry, gboolean listed)
{
  const TosstDatasetImage *image = &entry->public;

  if (listed || entry->file == NULL)
    return g_strdup_printf ("%s\t%d\t%d\t%d\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT "\n", image->name,
                            image->class_index, image->width, image->height, entry->bytes, entry->modified);
  return g_strdup_printf ("%s\t%d\t%d\t%d\t%s\n", entry->added ? "" : image->name, image->class_index, image->width,
                          image->height, entry->sum);
}

/* The checksum behind the fingerprint of these or earlier versions; new. */
static char *
digest (TosstDataset *self, const TosstRecipe *recipe, gboolean listed, GCancellable *cancellable, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; self->labels && i < self->classes->len; i++)
    g_checksum_update (sum, g_ptr_array_index (self->classes, i),
                       (gssize)strlen (g_ptr_array_index (self->classes, i)) + 1);
  for (guint i = 0; i < self->entries->len; i++)
    {
      const TosstDatasetEntry *entry = tosst_dataset_entry (self, i);
      g_autofree char *line = line_of (entry, listed);

      g_checksum_update (sum, (const guchar *)line, -1);
      /* Versions that ignored it had other pixels. */
      if (entry->header.orientation > 1)
        g_checksum_update (sum, (const guchar *)"turned\n", -1);
      /* A machine with more memory has other pixels. */
      if (entry->header.bytes <= TOSST_IMAGE_WHOLE && divisor_of (entry, self->longest) > 1)
        g_checksum_update (sum, (const guchar *)"reduced\n", -1);
      if (self->labels)
        {
          guchar list = (guchar)entry->side;

          g_checksum_update (sum, &list, 1);
          g_checksum_update (sum, (const guchar *)self->labels + (gsize)entry->row * self->classes->len,
                             self->classes->len);
        }
    }
  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES
      && !add_features (self, recipe, listed, sum, cancellable, error))
    return NULL;
  return g_strdup (g_checksum_get_string (sum));
}

TosstDataset *
tosst_dataset_open (const TosstRecipe *recipe, GCancellable *cancellable, GError **error)
{
  if (recipe->dataset.kind != TOSST_DATASET_SAMPLES && (recipe->dataset.path == NULL || *recipe->dataset.path == '\0'))
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("dataset.path must name the folder of the images")), NULL;
  g_autoptr (TosstDataset) self = tosst_dataset_new (recipe->dataset.kind);
  self->longest = tosst_recipe_longest (recipe);
  name_dataset (self, recipe);
  if (!tosst_dataset_scan (self, recipe, cancellable, error) || !tosst_dataset_read_contents (self, cancellable, error)
      || !cut (self, recipe, error))
    return NULL;

  /* Earlier versions trained with one of two equal images and tested with the other: their runs are others. */
  g_autofree char *listed = self->has_equal ? g_strdup ("") : digest (self, recipe, TRUE, cancellable, error),
                  *sum = listed != NULL ? digest (self, recipe, FALSE, cancellable, error) : NULL;

  if (sum == NULL)
    return NULL;
  tosst_dataset_set_fingerprint (self, sum);
  g_strlcpy (self->listed, listed, sizeof self->listed);
  return g_steal_pointer (&self);
}

GFile *
tosst_dataset_image_file (TosstDataset *self, guint image)
{
  const TosstDatasetEntry *entry = tosst_dataset_entry (self, image);

  return entry->copy == NULL ? entry->file : NULL;
}

TOSST_DEFINE_SHARED (TosstDataset, tosst_dataset, (classes, g_ptr_array_unref), (entries, g_ptr_array_unref),
                     (samples, g_array_unref), (skipped, g_ptr_array_unref), (left_out, g_ptr_array_unref),
                     (labels, g_free), (numbers, g_free), (origin, g_array_unref), (copied, g_array_unref),
                     (folder, g_object_unref), (title, g_free), (where, g_free))

static gboolean
has_child (GFile *folder, const char *name)
{
  g_autoptr (GFile) child = g_file_get_child (folder, name);

  return g_file_query_exists (child, NULL);
}

TosstDatasetKind
tosst_dataset_guess_kind (GFile *folder)
{
  g_autofree char *name = g_file_get_basename (folder);
  g_autoptr (GFile) voc = tosst_voc_find (folder);
  g_autoptr (GFileEnumerator) enumerator = g_file_enumerate_children (
      folder, G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  GFileInfo *info;

  if (voc != NULL && has_child (voc, "JPEGImages"))
    return TOSST_DATASET_VOC2007;
  if (has_child (folder, "labels.csv") || (enumerator == NULL && name != NULL && g_str_has_suffix (name, ".csv")))
    return TOSST_DATASET_LABELS;
  while (enumerator != NULL && g_file_enumerator_iterate (enumerator, &info, NULL, NULL, NULL) && info != NULL)
    if (g_file_info_get_file_type (info) != G_FILE_TYPE_DIRECTORY
        && tosst_dataset_is_album_name (g_file_info_get_name (info)))
      return TOSST_DATASET_BRODATZ;
  return TOSST_DATASET_FOLDERS;
}

gboolean
tosst_dataset_imply_kind (TosstRecipe *recipe)
{
  const TosstParameter *kind = tosst_parameter_find ("dataset.kind");

  if (recipe->dataset.kind_given || recipe->dataset.path == NULL)
    return FALSE;
  g_autoptr (GFile) folder = g_file_new_for_path (recipe->dataset.path);
  return tosst_recipe_set_parameter (recipe, kind, kind->choices[tosst_dataset_guess_kind (folder)], NULL);
}

const char *
tosst_dataset_class_name (TosstDataset *self, guint index)
{
  return g_ptr_array_index (self->classes, index);
}

const char *
tosst_dataset_class_label (TosstDataset *self, guint index)
{
  const char *name = tosst_dataset_class_name (self, index);

  return self->kind == TOSST_DATASET_SAMPLES ? tosst_textures_label (name) : name;
}

const TosstDatasetImage *
tosst_dataset_image (TosstDataset *self, guint index)
{
  return &tosst_dataset_entry (self, index)->public;
}

const TosstSample *
tosst_dataset_sample (TosstDataset *self, guint index)
{
  return &g_array_index (self->samples, TosstSample, index);
}

gsize
tosst_dataset_image_bytes (TosstDataset *self, guint image, int side)
{
  const TosstDatasetEntry *entry = tosst_dataset_entry (self, image);

  return (gsize)tosst_image_probe_bytes (&entry->header, divisor_of (entry, side));
}

gsize
tosst_dataset_largest_bytes (TosstDataset *self, int side)
{
  gsize most = 0;

  for (guint i = 0; i < self->entries->len; i++)
    most = MAX (most, tosst_dataset_image_bytes (self, i, side));
  return most;
}

gsize
tosst_dataset_largest_pixels (TosstDataset *self, int side)
{
  gsize most = 0;

  for (guint i = 0; i < self->entries->len; i++)
    {
      const TosstDatasetImage *image = &tosst_dataset_entry (self, i)->public;
      int n = divisor_of (tosst_dataset_entry (self, i), side);

      most = MAX (most, (gsize)MAX (image->width / n, 0) * (gsize)MAX (image->height / n, 0));
    }
  return most;
}

static TosstImage *
read_texture (const TosstDatasetEntry *entry, GError **error)
{
  TosstImage *image = entry->hard ? tosst_textures_render_hard (entry->texture, entry->variant)
                                  : tosst_textures_render (entry->texture, entry->variant, FALSE);

  if (image == NULL)
    tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, entry->public.name, error);
  return image;
}

gboolean
tosst_dataset_entry_is_as_listed (const TosstDatasetEntry *entry, struct stat *info)
{
  return stat (g_file_peek_path (entry->file), info) == 0 && (guint64)info->st_size == entry->bytes
         && (guint64)info->st_mtim.tv_sec * G_USEC_PER_SEC + (guint64)info->st_mtim.tv_nsec / 1000 == entry->modified;
}

/* The image as it is or, for a use of a longest side, divided; or reduced to a longest side. */
static TosstImage *
read_entry (TosstDataset *self, guint image, int side, gboolean reduced, GError **error)
{
  g_autoptr (GError) cause = NULL;
  struct stat info;

  const TosstDatasetEntry *entry = tosst_dataset_entry (self, image);
  if (entry->copy != NULL)
    {
      g_autoptr (TosstImage) whole = tosst_dataset_read_for (self, (guint)entry->copy->of.image, 0, error);

      return whole != NULL ? tosst_dataset_make_copy (entry, whole, error) : NULL;
    }
  if (entry->file == NULL)
    return read_texture (entry, error);
  if (entry->header.bytes == 0)
    return tosst_fail_input (error, entry->public.name, _ ("has local features, but no pixels")), NULL;
  TosstImage *pixels = reduced ? tosst_image_read_reduced (entry->file, side, &cause)
                               : tosst_image_read_for (entry->file, side, 0, &cause);
  if (pixels == NULL)
    g_set_error (error, cause->domain, cause->code, "%s: %s", entry->public.name,
                 tosst_dataset_reason (entry->file, cause)); /* named as in the data set, with its folder */
  if (pixels == NULL || reduced)
    return pixels;
  int n = divisor_of (entry, side);
  if (pixels->width == (entry->public.width + n - 1) / n && pixels->height == (entry->public.height + n - 1) / n
      && tosst_dataset_entry_is_as_listed (entry, &info))
    return pixels;
  /* Samples were cut for the old size, and results of other pixels would be stored under the old fingerprint. */
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_INPUT, _ ("%s: has changed since the data set was opened"),
               entry->public.name);
  tosst_image_free (pixels);
  return NULL;
}

TosstImage *
tosst_dataset_read_for (TosstDataset *self, guint image, int side, GError **error)
{
  return read_entry (self, image, side, FALSE, error);
}

TosstImage *
tosst_dataset_read_reduced (TosstDataset *self, guint image, int side, GError **error)
{
  return read_entry (self, image, side, TRUE, error);
}

char *
tosst_dataset_image_id (TosstDataset *self, guint image)
{
  return tosst_feature_files_id (tosst_dataset_entry (self, image)->public.name);
}

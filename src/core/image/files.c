/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/image/files.h"

#include "core/base/error.h"

#include <string.h>

int
tosst_image_files_compare (const char *a, const char *b)
{
  const char *p = a, *q = b;

  while (*p != '\0' && *q != '\0')
    {
      if (g_ascii_isdigit (*p) && g_ascii_isdigit (*q))
        {
          gsize m, n;

          while (*p == '0')
            p++;
          while (*q == '0')
            q++;
          m = strspn (p, "0123456789");
          n = strspn (q, "0123456789");
          if (m != n)
            return m < n ? -1 : 1;
          if (m > 0 && memcmp (p, q, m) != 0)
            return memcmp (p, q, m);
          p += m;
          q += n;
        }
      else
        {
          int difference = (guchar)g_ascii_tolower (*p) - (guchar)g_ascii_tolower (*q);

          if (difference != 0)
            return difference;
          p++;
          q++;
        }
    }
  if (*p != *q)
    return *p == '\0' ? -1 : 1;
  return strcmp (a, b);
}

const char *const tosst_image_files_suffixes[]
    = { ".jpg", ".jpeg", ".png", ".gif", ".tif", ".tiff", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".webp", NULL };

gboolean
tosst_image_files_has_suffix (const char *name)
{
  const char *const *suffixes = tosst_image_files_suffixes;
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; suffixes[i] != NULL; i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return TRUE;
  return FALSE;
}

/* Photographs of telephones and cameras, and pictures of the web. */
static const char *const foreign[] = { ".heic", ".heif", ".avif", ".jxl", ".jp2", ".j2k", ".dng", ".cr2", ".cr3",
                                       ".nef",  ".arw",  ".orf",  ".rw2", ".raf", ".svg", ".psd", ".xcf", NULL };

gboolean
tosst_image_files_is_foreign (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; foreign[i] != NULL; i++)
    if (g_str_has_suffix (lower, foreign[i]))
      return TRUE;
  return FALSE;
}

gboolean
tosst_image_files_is_any (const char *name)
{
  return tosst_image_files_has_suffix (name) || tosst_image_files_is_foreign (name);
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  g_autofree char *p = g_file_get_basename (*(GFile *const *)a), *q = g_file_get_basename (*(GFile *const *)b);

  return tosst_image_files_compare (p, q);
}

static gboolean
fail (GFile *folder, const GError *reason, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (folder);

  return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", name, reason->message);
}

gboolean
tosst_folder_trail_enter (TosstFolderTrail *self, const TosstFolderTrail *above, GFile *folder)
{
  g_autoptr (GFileInfo) info = g_file_query_info (folder, G_FILE_ATTRIBUTE_ID_FILE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  self->above = above;
  self->depth = above != NULL ? above->depth + 1 : 0;
  self->id = info != NULL ? g_strdup (g_file_info_get_attribute_string (info, G_FILE_ATTRIBUTE_ID_FILE)) : NULL;
  for (const TosstFolderTrail *t = above; t != NULL && self->id != NULL; t = t->above)
    if (g_strcmp0 (t->id, self->id) == 0)
      return FALSE;
  return self->depth <= TOSST_IMAGE_FILES_DEPTH;
}

void
tosst_folder_trail_clear (TosstFolderTrail *self)
{
  g_clear_pointer (&self->id, g_free);
}

static gboolean
collect (GFile *folder, const TosstFolderTrail *above, gboolean (*selects) (const char *name), GPtrArray *found,
         GError **error)
{
  g_auto (TosstFolderTrail) here = { 0 };
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_object_unref);

  if (!tosst_folder_trail_enter (&here, above, folder))
    return TRUE;
  /* Lists images and subfolders of a folder, each in natural order. */
  g_autoptr (GError) reason = NULL;
  g_autoptr (GFileEnumerator) enumerator = g_file_enumerate_children (
      folder, G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE, G_FILE_QUERY_INFO_NONE, NULL, &reason);
  GFileInfo *info = NULL;

  while (enumerator != NULL && g_file_enumerator_iterate (enumerator, &info, NULL, NULL, &reason) && info != NULL)
    {
      const char *name = g_file_info_get_name (info);
      GPtrArray *list = g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY ? folders
                        : selects (name)                                          ? images
                                                                                  : NULL;

      if (list != NULL && name[0] != '.')
        g_ptr_array_add (list, g_file_get_child (folder, name));
    }
  if (reason != NULL)
    return fail (folder, reason, error);
  g_ptr_array_sort (images, compare_files);
  g_ptr_array_sort (folders, compare_files);
  g_ptr_array_extend_and_steal (found, g_steal_pointer (&images));
  for (guint i = 0; i < folders->len; i++)
    if (!collect (g_ptr_array_index (folders, i), &here, selects, found, error))
      return FALSE;
  return TRUE;
}

GPtrArray *
tosst_image_files_list_with (GFile *folder, gboolean (*selects) (const char *name), GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_object_unref);

  return collect (folder, NULL, selects, found, error) ? g_steal_pointer (&found) : NULL;
}

GPtrArray *
tosst_image_files_list (GFile *folder, GError **error)
{
  return tosst_image_files_list_with (folder, tosst_image_files_has_suffix, error);
}

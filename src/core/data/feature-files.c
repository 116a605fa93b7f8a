/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/feature-files.h"

#include "core/image/files.h"

#include <string.h>

#define NPZ ".npz"
#define NPY ".npy"
#define POSITIONS ".xy.npy"

gboolean
tosst_feature_files_has_suffix (const char *name)
{
  return g_str_has_suffix (name, NPZ) || (g_str_has_suffix (name, NPY) && !g_str_has_suffix (name, POSITIONS));
}

char *
tosst_feature_files_id (const char *name)
{
  const char *slash = strrchr (name, G_DIR_SEPARATOR), *dot = strrchr (name, '.');

  return dot != NULL && dot > (slash != NULL ? slash + 1 : name) ? g_strndup (name, (gsize)(dot - name))
                                                                 : g_strdup (name);
}

static GFile *
find_with (GFile *folder, const char *id, const char *suffix)
{
  g_autofree char *name = g_strconcat (id, suffix, NULL);
  g_autoptr (GFile) file = g_file_resolve_relative_path (folder, name);

  return g_file_query_exists (file, NULL) ? g_steal_pointer (&file) : NULL;
}

GFile *
tosst_feature_files_find (GFile *folder, const char *id)
{
  GFile *file = find_with (folder, id, NPZ);

  return file != NULL ? file : find_with (folder, id, NPY);
}

GFile *
tosst_feature_files_positions (GFile *file)
{
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autofree char *base = g_file_get_basename (file), *id = tosst_feature_files_id (base);
  g_autofree char *name = g_strconcat (id, POSITIONS, NULL);

  return g_str_has_suffix (base, NPY) && folder != NULL ? g_file_get_child (folder, name) : NULL;
}

GPtrArray *
tosst_feature_files_list (GFile *folder, GError **error)
{
  return tosst_image_files_list (folder, tosst_feature_files_has_suffix, error);
}

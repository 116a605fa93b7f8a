/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/images.h"

#include <glib/gi18n.h>

#include "core/data/dataset.h"
#include "core/data/feature-files.h"
#include "core/data/voc.h"
#include "core/image/files.h"

static void
image_clear (gpointer data)
{
  CliImage *image = data;

  g_clear_object (&image->file);
  g_free (image->id);
}

GArray *
cli_images_new (void)
{
  GArray *images = g_array_new (FALSE, FALSE, sizeof (CliImage));

  g_array_set_clear_func (images, image_clear);
  return images;
}

static gboolean
is_folder (GFile *file)
{
  return g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY;
}

/* The folder of the images of an operand; NULL: it is a file. New. */
static GFile *
find_folder (GFile *operand)
{
  g_autofree char *name = g_file_get_basename (operand);
  g_autoptr (GFile) folder = is_folder (operand)                               ? (GFile *)g_object_ref (operand)
                             : name != NULL && g_str_has_suffix (name, ".csv") ? g_file_get_parent (operand)
                                                                               : NULL;
  g_autoptr (GFile) root = folder != NULL ? tosst_voc_find (folder) : NULL;
  g_autoptr (GFile) images = folder != NULL ? g_file_get_child (root != NULL ? root : folder, "JPEGImages") : NULL;
  gboolean several = folder != NULL && tosst_dataset_guess_kind (operand) != TOSST_DATASET_FOLDERS;

  return several && is_folder (images) ? g_steal_pointer (&images) : g_steal_pointer (&folder);
}

static void
add (GArray *images, GFile *file, const char *name)
{
  CliImage image = { g_object_ref (file), tosst_feature_files_id (name) };

  g_array_append_val (images, image);
}

gboolean
cli_images_add (GArray *images, GFile *operand, gboolean features, GError **error)
{
  g_autoptr (GFile) folder = find_folder (operand);
  g_autoptr (GPtrArray) files
      = folder != NULL ? tosst_image_files_list (folder, tosst_image_files_is_any, error) : NULL;

  if (folder == NULL)
    {
      g_autofree char *name = g_file_get_basename (operand);

      add (images, operand, name);
      return TRUE;
    }
  if (files != NULL && files->len == 0 && features)
    {
      g_ptr_array_unref (files);
      files = tosst_feature_files_list (folder, error);
    }
  for (guint i = 0; files != NULL && i < files->len; i++)
    {
      g_autofree char *name = g_file_get_relative_path (folder, files->pdata[i]);

      add (images, files->pdata[i], name);
    }
  return files != NULL;
}

char *
cli_images_unfound (guint n)
{
  return n > 0 ? g_strdup_printf (
             ngettext ("no frame was found in %u image: it is described by one patch in its middle\n",
                       "no frame was found in %u images: each is described by one patch in its middle\n", n),
             n)
               : NULL;
}

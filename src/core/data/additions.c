/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/additions.h"

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/data/lists.h"
#include "core/data/private.h"

#include <glib/gi18n.h>
#include <string.h>

static void
addition_free (gpointer data)
{
  TosstAddition *addition = data;

  g_free (addition->class_name);
  g_object_unref (addition->image);
  g_free (addition);
}

static gboolean
read_line (TosstListText *text, char *line, GFile *folder, GPtrArray *additions, GError **error)
{
  char *tab = strchr (line, '\t');
  TosstAddition *addition;

  if (tab == NULL || tab == line || tab[1] == '\0')
    return tosst_list_text_fail (text, error, _ ("needs a class, a tab and the path of an image"));
  addition = g_new (TosstAddition, 1);
  addition->class_name = g_strndup (line, (gsize)(tab - line));
  addition->image = g_file_resolve_relative_path (folder, tab + 1);
  g_ptr_array_add (additions, addition);
  return TRUE;
}

GPtrArray *
tosst_additions_load (GFile *list, GError **error)
{
  g_autoptr (GPtrArray) additions = g_ptr_array_new_with_free_func (addition_free);
  g_autoptr (GFile) folder = g_file_get_parent (list);
  g_auto (TosstListText) text = { 0 };
  char *line;

  if (!tosst_list_text_load (&text, list, error))
    return NULL;
  while ((line = tosst_list_text_next (&text)) != NULL)
    if (!read_line (&text, line, folder, additions, error))
      return NULL;
  return g_steal_pointer (&additions);
}

static gboolean
append (GString *text, GFile *image, const char *class_name, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (image);
  const char *path = g_file_peek_path (image);

  if (path == NULL)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is not on a local disk: copy it there first"), name);
  if (!g_utf8_validate (path, -1, NULL) || strpbrk (path, "\n\r") != NULL || g_ascii_isspace (path[strlen (path) - 1])
      || strpbrk (class_name, "\t\n\r") != NULL || *class_name == '\0'
      || g_ascii_isspace (*class_name)                  /* which reading would strip, as at the end of a path */
      || g_str_has_prefix (class_name, "\357\273\277")) /* a byte order mark, which the first line loses */
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: a list cannot contain this name"), name);
  g_string_append_printf (text, "%s\t%s\n", class_name, path);
  return TRUE;
}

gboolean
tosst_additions_put (GFile *list, GFile *image, const char *class_name, GError **error)
{
  g_autoptr (GPtrArray) old = NULL;
  g_autoptr (GFile) folder = g_file_get_parent (list);
  g_autoptr (GString) text = g_string_new (NULL);

  if (g_file_query_exists (list, NULL) && (old = tosst_additions_load (list, error)) == NULL)
    return FALSE;
  for (guint i = 0; old != NULL && i < old->len; i++)
    {
      const TosstAddition *addition = old->pdata[i];

      if (!g_file_equal (addition->image, image) && !append (text, addition->image, addition->class_name, error))
        return FALSE;
    }
  if (class_name != NULL && !append (text, image, class_name, error))
    return FALSE;
  g_mkdir_with_parents (g_file_peek_path (folder), 0700); /* writing fails with a sentence where this does */
  return tosst_atomic_write (list, text->str, text->len, error);
}

/* --- as part of a scan --- */

static int
find_class (const TosstDataset *self, const char *name)
{
  for (guint i = 0; i < self->classes->len; i++)
    if (strcmp (g_ptr_array_index (self->classes, i), name) == 0)
      return (int)i;
  return -1;
}

gboolean
tosst_dataset_has_file (TosstDataset *self, GFile *file)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const TosstDatasetEntry *entry = g_ptr_array_index (self->entries, i);

      if (!entry->added && entry->file != NULL && g_file_equal (entry->file, file))
        return TRUE;
    }
  return FALSE;
}

/* Moves the last entry behind the others of its class: the images of the data set keep their order, and random splits
 * draw the same ones as without additions. */
static void
sort_in (TosstDataset *self)
{
  TosstDatasetEntry *entry = g_ptr_array_steal_index (self->entries, self->entries->len - 1);
  guint place = self->entries->len;

  while (place > 0
         && ((TosstDatasetEntry *)g_ptr_array_index (self->entries, place - 1))->public.class_index
                > entry->public.class_index)
    place--;
  entry->added = TRUE;
  g_ptr_array_insert (self->entries, (gint)place, entry);
}

/* An image that cannot train is skipped, as those of folders are. */
static void
add (TosstDataset *self, const TosstAddition *addition)
{
  int class_index = find_class (self, addition->class_name);
  g_autofree char *name = g_file_get_parse_name (addition->image), *reason = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info
      = g_file_query_info (addition->image, TOSST_DATASET_QUERY, G_FILE_QUERY_INFO_NONE, NULL, &error);

  if (class_index < 0)
    reason = g_strdup_printf (_ ("it was added to the class “%s”, which the data set does not have"),
                              addition->class_name);
  else if (tosst_dataset_has_file (self, addition->image))
    reason = g_strdup (_ ("it was added, but the data set has it already"));
  else if (info == NULL)
    reason = g_strdup (error->message);
  if (reason != NULL)
    tosst_dataset_skip (self, name, reason);
  else if (tosst_dataset_add_file (self, addition->image, info, name, class_index, TOSST_SIDE_TRAIN) != NULL)
    sort_in (self);
}

gboolean
tosst_dataset_scan_additions (const TosstDatasetScan *scan, const char *path, GError **error)
{
  g_autoptr (GFile) list = g_file_new_for_path (path);
  g_autoptr (GPtrArray) additions = tosst_additions_load (list, error);

  for (guint i = 0; additions != NULL && i < additions->len; i++)
    {
      if (tosst_dataset_scan_is_cancelled (scan, error))
        return FALSE;
      add (scan->self, additions->pdata[i]);
    }
  return additions != NULL;
}

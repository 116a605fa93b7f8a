/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/lists.h"

#include "core/base/error.h"
#include "core/base/input-file.h"
#include "core/base/text.h"
#include "core/data/private.h"
#include "core/image/files.h"

#include <glib/gi18n.h>
#include <string.h>

/* Far above any list of images; they bound memory. */
#define MOST_BYTES ((gsize)256 << 20)
#define MOST_ROWS 4000000
#define MOST_CLASSES 10000

gboolean
tosst_list_text_load (TosstListText *self, GFile *file, GError **error)
{
  g_autoptr (GBytes) bytes = tosst_input_load (file, MOST_BYTES + 1, error);
  const char *data, *end = NULL;
  gsize size;

  *self = (TosstListText){ .name = g_file_get_parse_name (file) };
  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &size);
  if (size > MOST_BYTES)
    return tosst_list_text_fail (self, error, _ ("is larger than 256 MB"));
  /* A zero byte is invalid as well. */
  if (size > 0 && !g_utf8_validate_len (data, size, &end))
    {
      for (const char *p = data; p < end; p++)
        self->line += *p == '\n';
      self->line++;
      return tosst_list_text_fail (self, error, _ ("is not UTF-8 text"));
    }
  if (size >= 3 && memcmp (data, "\xEF\xBB\xBF", 3) == 0)
    {
      data += 3;
      size -= 3;
    }
  self->at = self->text = g_strndup (size > 0 ? data : "", size);
  return TRUE;
}

void
tosst_list_text_clear (TosstListText *self)
{
  g_free (self->name);
  g_free (self->text);
}

char *
tosst_list_text_next (TosstListText *self)
{
  while (*self->at != '\0')
    {
      char *line = self->at;

      self->at += strcspn (line, "\n");
      if (*self->at == '\n')
        *self->at++ = '\0';
      self->line++;
      if (*g_strstrip (line) != '\0')
        return line;
    }
  return NULL;
}

gboolean
tosst_list_text_fail (const TosstListText *self, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (self->line == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", self->name, text);
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s, line %u: %s"), self->name, self->line, text);
}

static gboolean
leaves_folder (const char *id)
{
  g_auto (GStrv) parts = g_strsplit (id, "/", -1);

  return *id == '/' || g_strv_contains ((const char *const *)parts, "..");
}

gboolean
tosst_list_text_check_word (const TosstListText *self, const char *word, gboolean is_id, GError **error)
{
  g_autofree char *clean = tosst_clean_line (word);

  if (*word == '\0')
    return tosst_list_text_fail (self, error, is_id ? _ ("has no image") : _ ("a class has no name"));
  if (strcmp (word, clean) != 0)
    return tosst_list_text_fail (self, error, _ ("“%s” has a control character"), clean);
  if (is_id && leaves_folder (word))
    return tosst_list_text_fail (self, error, _ ("“%s” is outside the folder of the images"), word);
  return TRUE;
}

gboolean
tosst_list_text_label (const TosstListText *self, const char *word, gint8 *label, GError **error)
{
  g_autofree char *clean = NULL;

  *label = (gint8)(word[0] == '-' ? -(word[1] - '0') : word[0] - '0');
  if (strcmp (word, "1") == 0 || strcmp (word, "0") == 0 || strcmp (word, "-1") == 0)
    return TRUE;
  clean = tosst_clean_line (word);
  return tosst_list_text_fail (self, error, _ ("a label must be 1, 0 or -1, not “%s”"), clean);
}

static void
row_clear (gpointer data)
{
  g_free (((TosstListRow *)data)->id);
}

TosstLists *
tosst_lists_new (void)
{
  TosstLists *self = g_new0 (TosstLists, 1);

  self->classes = g_ptr_array_new_with_free_func (g_free);
  self->rows = g_array_new (FALSE, FALSE, sizeof (TosstListRow));
  g_array_set_clear_func (self->rows, row_clear);
  self->index = g_hash_table_new (g_str_hash, g_str_equal);
  self->labels = g_byte_array_new ();
  self->folders = g_ptr_array_new_with_free_func (g_object_unref);
  return self;
}

void
tosst_lists_free (TosstLists *self)
{
  g_ptr_array_unref (self->classes);
  g_hash_table_unref (self->index);
  g_array_unref (self->rows);
  g_clear_pointer (&self->labels, g_byte_array_unref);
  g_ptr_array_unref (self->folders);
  g_free (self);
}

TosstListRow *
tosst_lists_find (TosstLists *self, const char *id)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->index, id));

  return index > 0 ? &g_array_index (self->rows, TosstListRow, index - 1) : NULL;
}

TosstListRow *
tosst_lists_add (TosstLists *self, const TosstListText *text, const char *id, const char *file, GError **error)
{
  TosstListRow row = { .file = file, .line = text->line };

  if (!tosst_list_text_check_word (text, id, TRUE, error))
    return NULL;
  if (self->rows->len >= MOST_ROWS)
    return tosst_list_text_fail (text, error, _ ("more than %d images"), MOST_ROWS), NULL;
  row.id = g_strdup (id);
  g_array_append_val (self->rows, row);
  g_hash_table_insert (self->index, row.id, GUINT_TO_POINTER (self->rows->len));
  return &g_array_index (self->rows, TosstListRow, self->rows->len - 1);
}

gboolean
tosst_lists_add_class (TosstLists *self, const TosstListText *text, const char *name, GError **error)
{
  if (!tosst_list_text_check_word (text, name, FALSE, error))
    return FALSE;
  if (self->classes->len >= MOST_CLASSES)
    return tosst_list_text_fail (text, error, _ ("more than %d classes"), MOST_CLASSES);
  if (g_ptr_array_find_with_equal_func (self->classes, name, g_str_equal, NULL))
    return tosst_list_text_fail (text, error, _ ("class “%s” is there twice"), name);
  g_ptr_array_add (self->classes, g_strdup (name));
  return TRUE;
}

static GFile *
find_file (GFile *folder, const char *name, GFileInfo **info)
{
  g_autoptr (GFile) file = g_file_resolve_relative_path (folder, name);
  g_autoptr (GFileInfo) found = g_file_query_info (file, TOSST_DATASET_QUERY, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  if (found == NULL || g_file_info_get_file_type (found) == G_FILE_TYPE_DIRECTORY)
    return NULL;
  if (info != NULL)
    *info = g_steal_pointer (&found);
  return g_steal_pointer (&file);
}

GFile *
tosst_lists_find_image (GFile *folder, const char *id, GFileInfo **info)
{
  GFile *file = tosst_image_files_has_suffix (id) ? find_file (folder, id, info) : NULL;

  for (guint i = 0; file == NULL && tosst_image_files_suffixes[i] != NULL; i++)
    {
      g_autofree char *lower = g_strconcat (id, tosst_image_files_suffixes[i], NULL);
      g_autofree char *capitals = g_ascii_strup (tosst_image_files_suffixes[i], -1);
      g_autofree char *upper = g_strconcat (id, capitals, NULL);

      file = find_file (folder, lower, info);
      if (file == NULL)
        file = find_file (folder, upper, info);
    }
  return file;
}

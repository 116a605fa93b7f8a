/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/lists.h"

#include "core/base/text.h"

#include <glib/gi18n.h>
#include <string.h>

/* Comma-separated values with a header: image,split,<class>,... */

#define FILE_NAME "labels.csv"
#define FIRST 2 /* column of the first class */

typedef struct
{
  TosstLists *out;
  TosstListText text;
  GPtrArray *fields; /* of the current row; borrowed from text */
  GArray *columns;   /* guint: column of each class */
  guint ends;        /* line ends in the current row */
} Reading;

/* Removes the quotes of a field in its place. Returns the end of the field in the text, or NULL if it has no closing
 * quote. */
static char *
unquote (Reading *self, char *field)
{
  char *from = field + 1, *to = field;

  while (*from != '\0' && (*from != '"' || from[1] == '"'))
    {
      self->ends += *from == '\n';
      from += *from == '"';
      *to++ = *from++;
    }
  if (*from == '\0')
    return NULL;
  *to = '\0';
  from++;
  return from + (from[0] == '\r' && (from[1] == '\n' || from[1] == '\0'));
}

/* Reads one field and what separates it from the next; last: it ends its row. */
static gboolean
read_field (Reading *self, gboolean *last, GError **error)
{
  char *field = self->text.at + strspn (self->text.at, " "), *end;
  gboolean quoted = *field == '"';
  char separator;

  end = quoted ? unquote (self, field) : field + strcspn (field, ",\n");
  if (end == NULL)
    return tosst_list_text_fail (&self->text, error, _ ("a quotation mark is not closed"));
  separator = *end;
  if (separator != ',' && separator != '\n' && separator != '\0')
    return tosst_list_text_fail (&self->text, error, _ ("text follows a closing quotation mark"));
  *last = separator != ',';
  self->ends += separator == '\n';
  self->text.at = end + (separator != '\0');
  if (!quoted)
    *end = '\0';
  g_ptr_array_add (self->fields, quoted ? field : g_strchomp (field));
  return TRUE;
}

/* Reads a row that is not blank. Returns FALSE at the end, and with an error. */
static gboolean
read_row (Reading *self, GError **error)
{
  gboolean last;

  do
    {
      g_ptr_array_set_size (self->fields, 0);
      if (*self->text.at == '\0')
        return FALSE;
      self->text.line += self->ends;
      self->ends = 0;
      do
        if (!read_field (self, &last, error))
          return FALSE;
      while (!last);
    }
  while (self->fields->len == 1 && *(const char *)self->fields->pdata[0] == '\0');
  return TRUE;
}

static const char *
field (const Reading *self, guint i)
{
  return self->fields->pdata[i];
}

static gboolean
read_header (Reading *self, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  g_autoptr (GError) cause = NULL;

  self->text.line = 1;
  if (!read_row (self, &cause) && cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (self->fields->len <= FIRST || g_ascii_strcasecmp (field (self, 0), "image") != 0
      || g_ascii_strcasecmp (field (self, 1), "split") != 0)
    return tosst_list_text_fail (&self->text, error, _ ("expected a header with image, split and the classes"));
  for (guint i = FIRST; i < self->fields->len; i++)
    if (!leave_out (field (self, i), data))
      {
        g_array_append_val (self->columns, i);
        if (!tosst_lists_add_class (self->out, &self->text, field (self, i), error))
          return FALSE;
      }
  return self->columns->len > 0
         || tosst_list_text_fail (&self->text, error, _ ("dataset.exclude leaves out all classes"));
}

static gboolean
read_split (const Reading *self, TosstListRow *row, GError **error)
{
  static const struct
  {
    const char *word;
    TosstSide side;
  } sides[] = { { "train", TOSST_SIDE_TRAIN },
                { "trainval", TOSST_SIDE_TRAIN },
                { "val", TOSST_SIDE_VALIDATE },
                { "test", TOSST_SIDE_TEST },
                { "", TOSST_SIDE_ANY } };
  g_autofree char *clean = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    if (strcmp (field (self, 1), sides[i].word) == 0)
      {
        row->side = (guint8)sides[i].side;
        return TRUE;
      }
  clean = tosst_clean_line (field (self, 1));
  return tosst_list_text_fail (&self->text, error, _ ("the split must be train, val, trainval or test, not “%s”"),
                               clean);
}

static gboolean
take_row (Reading *self, guint fields, GError **error)
{
  TosstListRow *row = tosst_lists_find (self->out, field (self, 0));

  if (self->fields->len != fields)
    return tosst_list_text_fail (&self->text, error, _ ("%u values, but the header has %u"), self->fields->len, fields);
  if (row != NULL)
    return tosst_list_text_fail (&self->text, error, _ ("“%s” is there twice, first in line %u"), row->id, row->line);
  row = tosst_lists_add (self->out, &self->text, field (self, 0), FILE_NAME, error);
  if (row == NULL || !read_split (self, row, error))
    return FALSE;
  for (guint i = 0; i < self->columns->len; i++)
    {
      gint8 label;

      if (!tosst_list_text_label (&self->text, field (self, g_array_index (self->columns, guint, i)), &label, error))
        return FALSE;
      g_byte_array_append (self->out->labels, (const guint8 *)&label, 1);
    }
  return TRUE;
}

static gboolean
read_rows (Reading *self, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  g_autoptr (GError) cause = NULL;
  guint fields;

  if (!read_header (self, leave_out, data, error))
    return FALSE;
  fields = self->fields->len;
  while (read_row (self, &cause))
    if (!take_row (self, fields, error))
      return FALSE;
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  else if (self->out->rows->len > 0)
    return TRUE;
  else
    tosst_list_text_fail (&self->text, error, _ ("names no image"));
  return FALSE;
}

gboolean
tosst_lists_read_csv (TosstLists *self, GFile *file, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  Reading reading = { .out = self };
  GFile *folder = g_file_get_parent (file);
  gboolean ok;

  g_ptr_array_add (self->folders, folder);
  g_ptr_array_add (self->folders, g_file_get_child (folder, "JPEGImages"));
  if (!tosst_list_text_load (&reading.text, file, error))
    {
      tosst_list_text_clear (&reading.text);
      return FALSE;
    }
  reading.fields = g_ptr_array_new ();
  reading.columns = g_array_new (FALSE, FALSE, sizeof (guint));
  ok = read_rows (&reading, leave_out, data, error);
  g_ptr_array_unref (reading.fields);
  g_array_unref (reading.columns);
  tosst_list_text_clear (&reading.text);
  return ok;
}

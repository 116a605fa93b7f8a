/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/lists.h"

#include "core/base/base.h"
#include "core/base/input-file.h"
#include "core/data/private.h"
#include "core/image/files.h"

/* Far above any list of images; they bound memory. */
#define MOST_BYTES ((gsize)256 << 20)
#define MOST_ROWS 4000000
#define MOST_CLASSES 10000

/* Text of a list, read line by line. name and line are prefixed to messages. */
typedef struct
{
  char *name;
  char *text, *at; /* at: rest of it */
  guint line;      /* number of the current line, from 1 */
} TosstListText;

typedef struct
{
  char *id;
  const char *file; /* the list that names it; static */
  guint line;
  guint8 lists; /* bits of the lists of VOC */
  guint8 side;  /* TosstSide; ANY: in no list */
} TosstListRow;

typedef struct
{
  GPtrArray *classes; /* char * */
  GArray *rows;       /* TosstListRow */
  GHashTable *index;  /* of rows, by id, from 1 */
  GByteArray *labels; /* gint8, rows of classes */
  GPtrArray *folders; /* GFile *: where images are looked for */
} TosstLists;

/* Whether to leave a class out. */
typedef gboolean (*TosstListsLeaveOut) (const char *class_name, gpointer data);

/* Fails with "NAME, line N: SENTENCE", or "NAME: SENTENCE" before the first line. */
static gboolean G_GNUC_PRINTF (3, 4)
    tosst_list_text_fail (const TosstListText *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (self->line == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, "%s: %s", self->name, text);
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s, line %u: %s"), self->name, self->line, text);
}

/* Reads a file. Rejects other texts than UTF-8 and files of more than 256 MB. A byte order mark is left out. */
static gboolean
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

TOSST_DEFINE_CLEAR (TosstListText, tosst_list_text_clear, (name, g_free), (text, g_free))

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TosstListText, tosst_list_text_clear)

/* The next line that is not blank, without spaces around it; NULL at the end. */
static char *
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

static gboolean
leaves_folder (const char *id)
{
  g_auto (GStrv) parts = g_strsplit (id, "/", -1);

  return *id == '/' || g_strv_contains ((const char *const *)parts, "..");
}

/* Whether a word is safe to show and, is_id, to look for below a folder. */
static gboolean
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

/* Reads a label: 1, 0 or -1. */
static gboolean
tosst_list_text_label (const TosstListText *self, const char *word, gint8 *label, GError **error)
{
  *label = (gint8)(word[0] == '-' ? -(word[1] - '0') : word[0] - '0');
  if (strcmp (word, "1") == 0 || strcmp (word, "0") == 0 || strcmp (word, "-1") == 0)
    return TRUE;
  g_autofree char *clean = tosst_clean_line (word);
  return tosst_list_text_fail (self, error, _ ("a label must be 1, 0 or -1, not “%s”"), clean);
}

static void
row_clear (gpointer data)
{
  g_free (((TosstListRow *)data)->id);
}

static TosstLists *
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

TOSST_DEFINE_FREE (TosstLists, tosst_lists_free, (classes, g_ptr_array_unref), (index, g_hash_table_unref),
                   (rows, g_array_unref), (labels, g_byte_array_unref), (folders, g_ptr_array_unref))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstLists, tosst_lists_free)

/* or NULL */
static TosstListRow *
tosst_lists_find (TosstLists *self, const char *id)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->index, id));

  return index > 0 ? &g_array_index (self->rows, TosstListRow, index - 1) : NULL;
}

/* Appends a row for the current line; NULL with error for an unsafe id, or for too many rows. */
static TosstListRow *
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

/* Appends a class; rejects one that is there already, unsafe names and too many classes. */
static gboolean
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

/* The file of an image below a folder: id as given, or with a known suffix. Its attributes are those of
 * TOSST_DATASET_QUERY. New, or NULL. */
static GFile *
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

  end = quoted ? unquote (self, field) : field + strcspn (field, ",\n");
  if (end == NULL)
    return tosst_list_text_fail (&self->text, error, _ ("a quotation mark is not closed"));
  char separator = *end;
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
    return tosst_pass_error (error, &cause);
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

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    if (strcmp (field (self, 1), sides[i].word) == 0)
      {
        row->side = (guint8)sides[i].side;
        return TRUE;
      }
  g_autofree char *clean = tosst_clean_line (field (self, 1));
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

  if (!read_header (self, leave_out, data, error))
    return FALSE;
  guint fields = self->fields->len;
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

/* A file in the form of labels.csv. */
static gboolean
tosst_lists_read_csv (TosstLists *self, GFile *file, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  Reading reading = { .out = self };
  GFile *folder = g_file_get_parent (file);

  g_ptr_array_add (self->folders, folder);
  g_ptr_array_add (self->folders, g_file_get_child (folder, "JPEGImages"));
  reading.fields = g_ptr_array_new ();
  reading.columns = g_array_new (FALSE, FALSE, sizeof (guint));
  gboolean ok = tosst_list_text_load (&reading.text, file, error) && read_rows (&reading, leave_out, data, error);
  g_ptr_array_unref (reading.fields);
  g_array_unref (reading.columns);
  tosst_list_text_clear (&reading.text);
  return ok;
}

/* The lists of ImageSets/Main. */
enum
{
  TRAIN,
  VAL,
  TRAINVAL,
  TEST,
  N_LISTS
};
#define BIT(list) (1u << (list))

static const struct
{
  const char *name, *file;
  guint official; /* number of images of PASCAL VOC 2007 */
} voc_lists[N_LISTS] = { [TRAIN] = { "train", "train.txt", 2501 },
                         [VAL] = { "val", "val.txt", 2510 },
                         [TRAINVAL] = { "trainval", "trainval.txt", 5011 },
                         [TEST] = { "test", "test.txt", 4952 } };

#define UNKNOWN 2 /* label that no file has given */

typedef struct
{
  TosstLists *out;
  GFile *main;   /* ImageSets/Main */
  char *where;   /* its name in messages */
  guint present; /* bits of the lists that there are */
  gsize known;   /* labels */
} VocReading;

static GFile *
list_file (GFile *main, const char *class_name, int list)
{
  g_autofree char *name = class_name != NULL ? g_strdup_printf ("%s_%s", class_name, voc_lists[list].file) : NULL;

  return g_file_get_child (main, name != NULL ? name : voc_lists[list].file);
}

GFile *
tosst_voc_find (GFile *folder)
{
  static const char *const below[] = { ".", "VOC2007", "VOCdevkit/VOC2007" };

  for (guint i = 0; i < G_N_ELEMENTS (below); i++)
    {
      g_autoptr (GFile) root = g_file_resolve_relative_path (folder, below[i]);
      g_autoptr (GFile) main = g_file_resolve_relative_path (root, "ImageSets/Main");

      if (g_file_query_file_type (main, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY)
        return g_steal_pointer (&root);
    }
  return NULL;
}

static gboolean
read_list (VocReading *self, int list, GError **error)
{
  g_auto (TosstListText) text = { 0 };
  g_autoptr (GFile) file = list_file (self->main, NULL, list);
  guint n = 0;

  if (!g_file_query_exists (file, NULL))
    return TRUE;
  if (!tosst_list_text_load (&text, file, error))
    return FALSE;
  self->present |= BIT (list);
  for (const char *id; (id = tosst_list_text_next (&text)) != NULL; n++)
    {
      TosstListRow *row = tosst_lists_find (self->out, id);

      if (row == NULL)
        row = tosst_lists_add (self->out, &text, id, voc_lists[list].file, error);
      if (row == NULL)
        return FALSE;
      if (row->lists & BIT (list))
        return tosst_list_text_fail (&text, error, _ ("“%s” is there twice"), id);
      row->lists |= (guint8)BIT (list);
    }
  text.line = 0;
  return n > 0 || tosst_list_text_fail (&text, error, _ ("names no image"));
}

static gboolean
fail_lists (const VocReading *self, const TosstListRow *row, int a, int b, GError **error)
{
  const char *words = row->lists & BIT (b) ? _ ("%s: “%s” is in %s and in %s") : _ ("%s: “%s” is in %s but not in %s");

  return tosst_fail (error, TOSST_FAILED_INPUT, words, self->where, row->id, voc_lists[a].file, voc_lists[b].file);
}

static gboolean
assign_side (const VocReading *self, TosstListRow *row, GError **error)
{
  const guint halves = BIT (TRAIN) | BIT (VAL);

  for (int list = 0; list < TEST; list++)
    if ((row->lists & BIT (TEST)) && (row->lists & BIT (list)))
      return fail_lists (self, row, list, TEST, error);
  if ((row->lists & halves) == halves)
    return fail_lists (self, row, TRAIN, VAL, error);
  if ((self->present & BIT (TRAINVAL)) && (row->lists & halves) && !(row->lists & BIT (TRAINVAL)))
    return fail_lists (self, row, row->lists & BIT (TRAIN) ? TRAIN : VAL, TRAINVAL, error);
  if ((self->present & halves) == halves && row->lists == BIT (TRAINVAL))
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("%s: “%s” is in trainval.txt but neither in train.txt nor in "
                          "val.txt"),
                       self->where, row->id);
  row->side = row->lists & BIT (TEST)  ? TOSST_SIDE_TEST
              : row->lists & BIT (VAL) ? TOSST_SIDE_VALIDATE
                                       : TOSST_SIDE_TRAIN;
  return TRUE;
}

/* Whether the file of a class for a list may have a row. Without the list itself it may have those of its side. */
static gboolean
belongs (const VocReading *self, const TosstListRow *row, int list)
{
  if (self->present & BIT (list))
    return (row->lists & BIT (list)) != 0;
  return (row->side == TOSST_SIDE_TEST) == (list == TEST);
}

static gboolean
read_label (VocReading *self, const TosstListText *text, char *line, guint class_index, int list, GError **error)
{
  char *value = line + strlen (line);
  gint8 label, *cell;

  while (value > line && !g_ascii_isspace (value[-1]))
    value--;
  if (value == line)
    return tosst_list_text_fail (text, error, _ ("expected an image and its label"));
  value[-1] = '\0';
  g_strchomp (line);
  if (!tosst_list_text_label (text, value, &label, error) || !tosst_list_text_check_word (text, line, TRUE, error))
    return FALSE;
  TosstListRow *row = tosst_lists_find (self->out, line);
  if (row == NULL || !belongs (self, row, list))
    return tosst_list_text_fail (text, error, _ ("unknown image “%s”, which is not in %s"), line, voc_lists[list].file);
  cell = (gint8 *)self->out->labels->data
         + (gsize)(row - (TosstListRow *)(gpointer)self->out->rows->data) * self->out->classes->len + class_index;
  if (*cell != UNKNOWN && *cell != label)
    return tosst_list_text_fail (text, error, _ ("“%s” has label %d here and %d in another list"), line, label, *cell);
  self->known += *cell == UNKNOWN;
  *cell = label;
  return TRUE;
}

static gboolean
read_class (VocReading *self, guint class_index, GError **error)
{
  const char *name = g_ptr_array_index (self->out->classes, class_index);

  for (int list = 0; list < N_LISTS; list++)
    {
      g_auto (TosstListText) text = { 0 };
      g_autoptr (GFile) file = list_file (self->main, name, list);
      char *line;

      if (!g_file_query_exists (file, NULL))
        continue;
      if (!tosst_list_text_load (&text, file, error))
        return FALSE;
      while ((line = tosst_list_text_next (&text)) != NULL)
        if (!read_label (self, &text, line, class_index, list, error))
          return FALSE;
    }
  return TRUE;
}

/* The class of a file such as cat_train.txt; NULL for other files. New. */
static char *
class_of_file (const char *name)
{
  const char *underscore = strrchr (name, '_');

  for (int list = 0; list < N_LISTS; list++)
    if (underscore != NULL && underscore > name && strcmp (underscore + 1, voc_lists[list].file) == 0)
      return g_strndup (name, (gsize)(underscore - name));
  return NULL;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return tosst_image_files_compare (*(const char *const *)a, *(const char *const *)b);
}

/* Names of the classes that have a file, in natural order. New. */
static GPtrArray *
list_classes (GFile *main)
{
  g_autoptr (GFileEnumerator) children
      = g_file_enumerate_children (main, G_FILE_ATTRIBUTE_STANDARD_NAME, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GFileInfo *info;

  while (children != NULL && g_file_enumerator_iterate (children, &info, NULL, NULL, NULL) && info != NULL)
    {
      g_autofree char *name = class_of_file (g_file_info_get_name (info));

      if (name == NULL || !g_utf8_validate (name, -1, NULL) || g_hash_table_contains (seen, name))
        continue;
      g_hash_table_add (seen, name);
      g_ptr_array_add (names, g_steal_pointer (&name));
    }
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
add_classes (VocReading *self, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) names = list_classes (self->main);
  const TosstListText folder = { .name = self->where };
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < names->len; i++)
    if (!leave_out (names->pdata[i], data))
      ok = tosst_lists_add_class (self->out, &folder, names->pdata[i], error);
  if (ok && self->out->classes->len == 0)
    ok = tosst_list_text_fail (&folder, error, _ ("there is no file of a class, such as cat_trainval.txt"));
  return ok;
}

static gboolean
fail_unknown (const VocReading *self, gsize cell, GError **error)
{
  const TosstListRow *row = &g_array_index (self->out->rows, TosstListRow, cell / self->out->classes->len);

  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: the files of class “%s” have no label of “%s”, which is in %s"),
                     self->where, (char *)self->out->classes->pdata[cell % self->out->classes->len], row->id,
                     row->file);
}

static gboolean
read_labels (VocReading *self, GError **error)
{
  gsize cells = (gsize)self->out->rows->len * self->out->classes->len;

  if (cells > MIN (tosst_memory_available () / 4, G_MAXUINT))
    return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: %u labels of %u images do not fit into memory"), self->where,
                       self->out->classes->len, self->out->rows->len);
  g_byte_array_set_size (self->out->labels, (guint)cells);
  memset (self->out->labels->data, UNKNOWN, cells);
  for (guint i = 0; i < self->out->classes->len; i++)
    if (!read_class (self, i, error))
      return FALSE;
  const guint8 *first = self->known < cells ? memchr (self->out->labels->data, UNKNOWN, cells) : NULL;
  return first == NULL || fail_unknown (self, (gsize)(first - self->out->labels->data), error);
}

/* Images of the lists get their sides, and then their labels. */
static gboolean
finish_lists (VocReading *self, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  for (guint i = 0; i < self->out->rows->len; i++)
    if (!assign_side (self, &g_array_index (self->out->rows, TosstListRow, i), error))
      return FALSE;
  return add_classes (self, leave_out, data, error) && read_labels (self, error);
}

/* Lists and class files of root/ImageSets/Main. */
static gboolean
tosst_lists_read_voc (TosstLists *self, GFile *root, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  g_autoptr (GFile) main = g_file_resolve_relative_path (root, "ImageSets/Main");
  g_autofree char *where = g_file_get_parse_name (main);
  VocReading reading = { .out = self, .main = main, .where = where };

  g_ptr_array_add (self->folders, g_file_get_child (root, "JPEGImages"));
  for (int list = 0; list < N_LISTS; list++)
    if (!read_list (&reading, list, error))
      return FALSE;
  if (self->rows->len == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("%s: there is no list train.txt, val.txt, trainval.txt or "
                          "test.txt"),
                       where);
  return finish_lists (&reading, leave_out, data, error);
}

/* Comparison with the official data set. */

static gboolean
keeps_all (const char *class_name, gpointer data)
{
  return FALSE;
}

static void G_GNUC_PRINTF (2, 3) say (GPtrArray *sentences, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (sentences, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static void
compare_list (VocReading *self, int list, GPtrArray *sentences)
{
  g_autoptr (GError) error = NULL;
  guint n = 0;

  if (!read_list (self, list, &error))
    {
      say (sentences, "%s", error->message);
      return;
    }
  for (guint i = 0; i < self->out->rows->len; i++)
    n += (g_array_index (self->out->rows, TosstListRow, i).lists & BIT (list)) != 0;
  if (n == 0)
    say (sentences, _ ("ImageSets/Main/%s is missing"), voc_lists[list].file);
  else if (n != voc_lists[list].official)
    say (sentences, _ ("ImageSets/Main/%s names %u images instead of %u"), voc_lists[list].file, n,
         voc_lists[list].official);
}

static void
compare_classes (GFile *main, GPtrArray *sentences)
{
  static const char *const official[] = { "aeroplane",   "bicycle", "bird",  "boat",      "bottle",
                                          "bus",         "car",     "cat",   "chair",     "cow",
                                          "diningtable", "dog",     "horse", "motorbike", "person",
                                          "pottedplant", "sheep",   "sofa",  "train",     "tvmonitor" };
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (official); i++)
    for (int list = 0; list < N_LISTS; list++)
      {
        g_autoptr (GFile) file = list_file (main, official[i], list);

        if (!g_file_query_exists (file, NULL))
          g_string_append_printf (missing, "%s%s_%s", missing->len > 0 ? ", " : "", official[i], voc_lists[list].file);
      }
  if (missing->len > 0)
    say (sentences, _ ("ImageSets/Main has no %s"), missing->str);
}

static void
compare_images (GFile *root, const TosstLists *read, GPtrArray *sentences)
{
  g_autoptr (GFile) folder = g_file_get_child (root, "JPEGImages");
  const char *first = NULL;
  guint n = 0;

  TOSST_FOR_EACH (const TosstListRow, row, read->rows)
    {
      g_autoptr (GFile) file = tosst_lists_find_image (folder, row->id, NULL);

      if (file == NULL && n++ == 0)
        first = row->id;
    }
  if (n > 0)
    say (sentences,
         ngettext ("%u image is missing in JPEGImages: %s", "%u images are missing in JPEGImages, the first is %s", n),
         n, first);
}

GPtrArray *
tosst_voc_missing (GFile *folder)
{
  g_autoptr (GFile) root = tosst_voc_find (folder);
  g_autoptr (GFile) main = g_file_resolve_relative_path (root != NULL ? root : folder, "ImageSets/Main");
  g_autoptr (TosstLists) read = tosst_lists_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *where = g_file_get_parse_name (main);
  VocReading reading = { .out = read, .main = main, .where = where };
  GPtrArray *sentences = g_ptr_array_new_with_free_func (g_free);

  if (root == NULL)
    {
      g_autofree char *name = g_file_get_parse_name (folder);

      say (sentences, _ ("%s has no folder ImageSets/Main, nor has a folder VOC2007 in it"), name);
      return sentences;
    }
  for (int list = 0; list < N_LISTS; list++)
    compare_list (&reading, list, sentences);
  compare_classes (main, sentences);
  if (read->rows->len > 0 && !finish_lists (&reading, keeps_all, NULL, &error))
    say (sentences, "%s", error->message);
  compare_images (root, read, sentences);
  return sentences;
}

/* Data sets with several labels an image: from their lists to images, sides and labels. */

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
  TosstDatasetEntry *entry = tosst_dataset_add_file (dataset, file, info, name,
                                                     shown_class (labels, dataset->classes->len), (TosstSide)row->side);
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

static int
image_label (TosstDataset *self, guint image, guint class_index)
{
  const TosstDatasetEntry *entry = tosst_dataset_entry (self, image);

  if (self->labels == NULL)
    return entry->public.class_index == (int)class_index ? 1 : -1;
  return self->labels[(gsize)entry->row * self->classes->len + class_index];
}

int
tosst_dataset_label (TosstDataset *self, guint sample, guint class_index)
{
  return image_label (self, (guint)g_array_index (self->samples, TosstSample, sample).image, class_index);
}

TosstSide
tosst_dataset_side (TosstDataset *self, guint image)
{
  return tosst_dataset_entry (self, image)->side;
}

guint
tosst_dataset_count_label (TosstDataset *self, TosstSide side, guint class_index, int label)
{
  guint n = 0;

  for (guint i = 0; i < self->entries->len; i++)
    n += (side == TOSST_SIDE_ANY || tosst_dataset_entry (self, i)->side == side)
         && image_label (self, i, class_index) == label;
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
    n += tosst_dataset_entry (self, i)->side == side;
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

TOSST_DEFINE_FREE (TosstAddition, addition_free, (class_name, g_free), (image, g_object_unref))

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
    {
      char *tab = strchr (line, '\t');

      if (tab == NULL || tab == line || tab[1] == '\0')
        return tosst_list_text_fail (&text, error, _ ("needs a class, a tab and the path of an image")), NULL;
      TosstAddition *addition = g_new (TosstAddition, 1);
      addition->class_name = g_strndup (line, (gsize)(tab - line));
      addition->image = g_file_resolve_relative_path (folder, tab + 1);
      g_ptr_array_add (additions, addition);
    }
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

/* An image that cannot train is skipped, as those of folders are. */
static void
add (TosstDataset *self, const TosstAddition *addition)
{
  guint class_index;
  gboolean known = g_ptr_array_find_with_equal_func (self->classes, addition->class_name, g_str_equal, &class_index);
  g_autofree char *name = g_file_get_parse_name (addition->image), *reason = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info
      = g_file_query_info (addition->image, TOSST_DATASET_QUERY, G_FILE_QUERY_INFO_NONE, NULL, &error);

  if (!known)
    reason = g_strdup_printf (_ ("it was added to the class “%s”, which the data set does not have"),
                              addition->class_name);
  else if (info == NULL)
    reason = g_strdup (error->message);
  if (reason != NULL)
    tosst_dataset_skip (self, name, reason);
  else if (tosst_dataset_add_file (self, addition->image, info, name, (int)class_index, TOSST_SIDE_TRAIN) != NULL)
    {
      /* Moves the entry behind the others of its class: the images of the data set keep their order, and random splits
       * draw the same ones as without additions. */
      TosstDatasetEntry *entry = g_ptr_array_steal_index (self->entries, self->entries->len - 1);
      guint place = self->entries->len;

      while (place > 0 && tosst_dataset_entry (self, place - 1)->public.class_index > entry->public.class_index)
        place--;
      entry->added = TRUE;
      g_ptr_array_insert (self->entries, (gint)place, entry);
    }
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

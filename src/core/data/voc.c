/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/voc.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/data/lists.h"
#include "core/image/files.h"

#include <glib/gi18n.h>
#include <string.h>

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
} lists[N_LISTS] = { [TRAIN] = { "train", "train.txt", 2501 },
                     [VAL] = { "val", "val.txt", 2510 },
                     [TRAINVAL] = { "trainval", "trainval.txt", 5011 },
                     [TEST] = { "test", "test.txt", 4952 } };

#define UNKNOWN 2 /* label that no file has given */

typedef struct
{
  TosstLists *out;
  GFile *main;   /* ImageSets/Main */
  guint present; /* bits of the lists that there are */
  gsize known;   /* labels */
} Reading;

static GFile *
list_file (GFile *main, const char *class_name, int list)
{
  g_autofree char *name = class_name != NULL ? g_strdup_printf ("%s_%s", class_name, lists[list].file) : NULL;

  return g_file_get_child (main, name != NULL ? name : lists[list].file);
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
read_list (Reading *self, int list, GError **error)
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
        row = tosst_lists_add (self->out, &text, id, lists[list].file, error);
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
fail_lists (const Reading *self, const TosstListRow *row, int a, int b, GError **error)
{
  g_autofree char *where = g_file_get_parse_name (self->main);
  const char *words = row->lists & BIT (b) ? _ ("%s: “%s” is in %s and in %s") : _ ("%s: “%s” is in %s but not in %s");

  return tosst_fail (error, TOSST_FAILED_INPUT, words, where, row->id, lists[a].file, lists[b].file);
}

static gboolean
assign_side (const Reading *self, TosstListRow *row, GError **error)
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
    {
      g_autofree char *where = g_file_get_parse_name (self->main);

      return tosst_fail (error, TOSST_FAILED_INPUT,
                         _ ("%s: “%s” is in trainval.txt but neither in train.txt nor in "
                            "val.txt"),
                         where, row->id);
    }
  row->side = row->lists & BIT (TEST)  ? TOSST_SIDE_TEST
              : row->lists & BIT (VAL) ? TOSST_SIDE_VALIDATE
                                       : TOSST_SIDE_TRAIN;
  return TRUE;
}

/* Whether the file of a class for a list may have a row. Without the list itself it may have those of its side. */
static gboolean
belongs (const Reading *self, const TosstListRow *row, int list)
{
  if (self->present & BIT (list))
    return (row->lists & BIT (list)) != 0;
  return (row->side == TOSST_SIDE_TEST) == (list == TEST);
}

static gboolean
read_label (Reading *self, const TosstListText *text, char *line, guint class_index, int list, GError **error)
{
  char *value = line + strlen (line);
  TosstListRow *row;
  gint8 label, *cell;

  while (value > line && !g_ascii_isspace (value[-1]))
    value--;
  if (value == line)
    return tosst_list_text_fail (text, error, _ ("expected an image and its label"));
  value[-1] = '\0';
  g_strchomp (line);
  if (!tosst_list_text_label (text, value, &label, error) || !tosst_list_text_check_word (text, line, TRUE, error))
    return FALSE;
  row = tosst_lists_find (self->out, line);
  if (row == NULL || !belongs (self, row, list))
    return tosst_list_text_fail (text, error, _ ("unknown image “%s”, which is not in %s"), line, lists[list].file);
  cell = (gint8 *)self->out->labels->data
         + (gsize)(row - (TosstListRow *)(gpointer)self->out->rows->data) * self->out->classes->len + class_index;
  if (*cell != UNKNOWN && *cell != label)
    return tosst_list_text_fail (text, error, _ ("“%s” has label %d here and %d in another list"), line, label, *cell);
  self->known += *cell == UNKNOWN;
  *cell = label;
  return TRUE;
}

static gboolean
read_class (Reading *self, guint class_index, GError **error)
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
    if (underscore != NULL && underscore > name && strcmp (underscore + 1, lists[list].file) == 0)
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
add_classes (Reading *self, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) names = list_classes (self->main);
  TosstListText folder = { .name = g_file_get_parse_name (self->main) };
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < names->len; i++)
    if (!leave_out (names->pdata[i], data))
      ok = tosst_lists_add_class (self->out, &folder, names->pdata[i], error);
  if (ok && self->out->classes->len == 0)
    ok = tosst_list_text_fail (&folder, error, _ ("there is no file of a class, such as cat_trainval.txt"));
  g_free (folder.name);
  return ok;
}

static gboolean
fail_unknown (const Reading *self, gsize cell, GError **error)
{
  const TosstListRow *row = &g_array_index (self->out->rows, TosstListRow, cell / self->out->classes->len);
  g_autofree char *where = g_file_get_parse_name (self->main);

  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s: the files of class “%s” have no label of “%s”, which is in %s"),
                     where, (char *)self->out->classes->pdata[cell % self->out->classes->len], row->id, row->file);
}

static gboolean
read_labels (Reading *self, GError **error)
{
  gsize cells = (gsize)self->out->rows->len * self->out->classes->len;
  const guint8 *first;

  if (cells > MIN (tosst_memory_available () / 4, G_MAXUINT))
    {
      g_autofree char *where = g_file_get_parse_name (self->main);

      return tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s: %u labels of %u images do not fit into memory"), where,
                         self->out->classes->len, self->out->rows->len);
    }
  g_byte_array_set_size (self->out->labels, (guint)cells);
  memset (self->out->labels->data, UNKNOWN, cells);
  for (guint i = 0; i < self->out->classes->len; i++)
    if (!read_class (self, i, error))
      return FALSE;
  first = self->known < cells ? memchr (self->out->labels->data, UNKNOWN, cells) : NULL;
  return first == NULL || fail_unknown (self, (gsize)(first - self->out->labels->data), error);
}

/* Images of the lists get their sides, and then their labels. */
static gboolean
finish_lists (Reading *self, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  for (guint i = 0; i < self->out->rows->len; i++)
    if (!assign_side (self, &g_array_index (self->out->rows, TosstListRow, i), error))
      return FALSE;
  return add_classes (self, leave_out, data, error) && read_labels (self, error);
}

gboolean
tosst_lists_read_voc (TosstLists *self, GFile *root, TosstListsLeaveOut leave_out, gpointer data, GError **error)
{
  g_autoptr (GFile) main = g_file_resolve_relative_path (root, "ImageSets/Main");
  Reading reading = { .out = self, .main = main };

  g_ptr_array_add (self->folders, g_file_get_child (root, "JPEGImages"));
  for (int list = 0; list < N_LISTS; list++)
    if (!read_list (&reading, list, error))
      return FALSE;
  if (self->rows->len == 0)
    {
      g_autofree char *where = g_file_get_parse_name (main);

      return tosst_fail (error, TOSST_FAILED_INPUT,
                         _ ("%s: there is no list train.txt, val.txt, trainval.txt or "
                            "test.txt"),
                         where);
    }
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
compare_list (Reading *self, int list, GPtrArray *sentences)
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
    say (sentences, _ ("ImageSets/Main/%s is missing"), lists[list].file);
  else if (n != lists[list].official)
    say (sentences, _ ("ImageSets/Main/%s names %u images instead of %u"), lists[list].file, n, lists[list].official);
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
          g_string_append_printf (missing, "%s%s_%s", missing->len > 0 ? ", " : "", official[i], lists[list].file);
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

  for (guint i = 0; i < read->rows->len; i++)
    {
      const TosstListRow *row = &g_array_index (read->rows, TosstListRow, i);
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
  Reading reading = { .out = read, .main = main };
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

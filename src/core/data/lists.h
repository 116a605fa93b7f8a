/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of images with several labels, as their files say, before images are looked for. Private to the room.
 */
#pragma once

#include "core/data/dataset.h"

/* Text of a list, read line by line. name and line are prefixed to messages. */
typedef struct
{
  char *name;
  char *text, *at; /* at: rest of it */
  guint line;      /* number of the current line, from 1 */
} TosstListText;

/* Reads a file. Rejects other texts than UTF-8 and files of more than 256 MB. A byte order mark is left out. */
gboolean tosst_list_text_load (TosstListText *self, GFile *file, GError **error);
void tosst_list_text_clear (TosstListText *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TosstListText, tosst_list_text_clear)
/* The next line that is not blank, without spaces around it; NULL at the end. */
char *tosst_list_text_next (TosstListText *self);
/* Fails with "NAME, line N: SENTENCE", or "NAME: SENTENCE" before the first line. */
gboolean tosst_list_text_fail (const TosstListText *self, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Whether a word is safe to show and, is_id, to look for below a folder. */
gboolean tosst_list_text_check_word (const TosstListText *self, const char *word, gboolean is_id, GError **error);
/* Reads a label: 1, 0 or -1. */
gboolean tosst_list_text_label (const TosstListText *self, const char *word, gint8 *label, GError **error);

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

TosstLists *tosst_lists_new (void);
void tosst_lists_free (TosstLists *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstLists, tosst_lists_free)
TosstListRow *tosst_lists_find (TosstLists *self, const char *id); /* or NULL */
/* Appends a row for the current line; NULL with error for an unsafe id, or for too many rows. */
TosstListRow *tosst_lists_add (TosstLists *self, const TosstListText *text, const char *id, const char *file,
                               GError **error);
/* Appends a class; rejects one that is there already, unsafe names and too many classes. */
gboolean tosst_lists_add_class (TosstLists *self, const TosstListText *text, const char *name, GError **error);

/* Whether to leave a class out. */
typedef gboolean (*TosstListsLeaveOut) (const char *class_name, gpointer data);

/* voc.c: lists and class files of root/ImageSets/Main. */
gboolean tosst_lists_read_voc (TosstLists *self, GFile *root, TosstListsLeaveOut leave_out, gpointer data,
                               GError **error);
/* labels.c: a file in the form of labels.csv. */
gboolean tosst_lists_read_csv (TosstLists *self, GFile *file, TosstListsLeaveOut leave_out, gpointer data,
                               GError **error);

/* The file of an image below a folder: id as given, or with a known suffix. Its attributes are those of
 * TOSST_DATASET_QUERY. New, or NULL. */
GFile *tosst_lists_find_image (GFile *folder, const char *id, GFileInfo **info);

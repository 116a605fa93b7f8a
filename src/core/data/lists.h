/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of images with several labels, as their files say, before images are looked for. Private to the room.
 */
#pragma once

#include <gio/gio.h>

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

void tosst_lists_free (TosstLists *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstLists, tosst_lists_free)

/* Whether to leave a class out. */
typedef gboolean (*TosstListsLeaveOut) (const char *class_name, gpointer data);

/* The folder with ImageSets/Main: folder itself, VOC2007 or VOCdevkit/VOC2007 in it. New, or NULL. */
GFile *tosst_voc_find (GFile *folder);

/* What of the official PASCAL VOC 2007 (2501 images train, 2510 val, 5011 trainval, 4952 test; 20 classes) is missing
 * or different in a folder: one sentence each, none for the whole data set. Images are looked for but not read. New
 * array of strings. */
GPtrArray *tosst_voc_missing (GFile *folder);

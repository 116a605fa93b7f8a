/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Selection of image files by name, and their order. */

/* Maximum depth of nested folders. */
#define TOSST_IMAGE_FILES_DEPTH 10

extern const char *const tosst_image_files_suffixes[];    /* ".jpg" and so on, in lower case; NULL-terminated */
gboolean tosst_image_files_has_suffix (const char *name); /* one of them, in any case */
/* What a file is whose format this program does not read, and how to convert it, by its suffix or its first bytes: the
 * rest of a sentence that begins with its name. NULL for other files. A file of the user that is passed over is named. */
const char *tosst_image_files_advice (const char *name);
const char *tosst_image_files_advice_of_bytes (const guint8 *bytes, gsize n);
/* Whether the suffix is that of images, read or not. */
gboolean tosst_image_files_is_any (const char *name);

/* Natural order: runs of digits compare as numbers (D2 before D10), letters without case. Independent of the locale,
 * as the order determines splits. */
int tosst_image_files_compare (const char *a, const char *b);

/* Path of folders from the root of a search. Detects links back to a parent, which would list the same images again
 * under other names. */
typedef struct TosstFolderTrail
{
  const struct TosstFolderTrail *above; /* NULL: the root */
  char *id;
  guint depth;
} TosstFolderTrail;

/* Enters folder; FALSE if it is one of its own parents or too deep. */
gboolean tosst_folder_trail_enter (TosstFolderTrail *self, const TosstFolderTrail *above, GFile *folder);
void tosst_folder_trail_clear (TosstFolderTrail *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TosstFolderTrail, tosst_folder_trail_clear)

/* Files of a folder that a function selects by their names, followed by those of its subfolders, without hidden ones. New
 * array of GFile. */
GPtrArray *tosst_image_files_list (GFile *folder, gboolean (*selects) (const char *name), GError **error);

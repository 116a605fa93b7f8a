/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Which files are images, by name, and in which order. */

/* Folders nest no deeper in a sane data set. */
#define TOSST_IMAGE_FILES_DEPTH 10

gboolean tosst_image_files_has_suffix (const char *name); /* .png, .jpg and the like */

/* D2 before D10: runs of digits compare as numbers, letters without case. Not by the locale, for the order decides
 * splits. */
int tosst_image_files_compare (const char *a, const char *b);

/* The folders on the way down to one. A link back to one of them would find the same images again, under other names.
 * */
typedef struct TosstFolderTrail
{
  const struct TosstFolderTrail *above; /* NULL: where the way begins */
  char *id;
  guint depth;
} TosstFolderTrail;

/* Whether to descend into folder: it is not one of its own parents, and not too deep. */
gboolean tosst_folder_trail_enter (TosstFolderTrail *self, const TosstFolderTrail *above, GFile *folder);
void tosst_folder_trail_clear (TosstFolderTrail *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TosstFolderTrail, tosst_folder_trail_clear)

/* Images of a folder, then those of the folders in it, hidden ones left out; an array of GFile, new. */
GPtrArray *tosst_image_files_list (GFile *folder, GError **error);

G_END_DECLS

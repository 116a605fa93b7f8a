/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Which files are images, by name, and in which order. */

/* Folders nest no deeper in a sane data set; a loop of symbolic links does. */
#define TOSST_IMAGE_FILES_DEPTH 8

gboolean tosst_image_files_has_suffix (const char *name); /* .png, .jpg and the like */

/* D2 before D10: runs of digits compare as numbers, letters without case. Not by the locale, for the order decides
 * splits. */
int tosst_image_files_compare (const char *a, const char *b);

/* Images of a folder, then those of the folders in it, hidden ones left out; an array of GFile, new. */
GPtrArray *tosst_image_files_list (GFile *folder, GError **error);

G_END_DECLS

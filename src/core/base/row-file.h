/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Rows that do not fit into memory, in an unnamed file, which ends with the process. One writer at a time; any number of
 * readers of what is written. */
typedef struct TosstRowFile TosstRowFile;

/* The folder of such files, created if it is missing; new. */
GFile *tosst_row_file_folder (void);
/* Returns NULL if the disk has no room for all rows, or no file can be created. */
TosstRowFile *tosst_row_file_new (gsize rows, gsize row_bytes);
/* `bytes` zeros of such a file, mapped, with the room on the disk; NULL on failure. Released by munmap(). */
gpointer tosst_row_file_map (gsize bytes);
void tosst_row_file_free (TosstRowFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstRowFile, tosst_row_file_free)

/* Appends n rows. FALSE: the disk is full. */
gboolean tosst_row_file_append (TosstRowFile *self, gsize n, gconstpointer data);
/* Reads n rows from row first on. Returns FALSE on failure. */
gboolean tosst_row_file_read (const TosstRowFile *self, gsize first, gsize n, gpointer data);

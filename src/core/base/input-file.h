/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdio.h>
#include <sys/stat.h>

/* Input files. Only regular files are accepted: opening a named pipe blocks until there is a writer, and a device
 * has no end. Files are read and not mapped, as access to pages beyond the end of a truncated file raises SIGBUS. */

/* Opens a file for reading without blocking and stores its fstat() result in info. Returns a descriptor, or -1 with
 * errno: EISDIR for a folder, 0 for any other file that is not regular. */
int tosst_input_open_path (const char *path, struct stat *info);
/* As tosst_input_open_path(), with a GError. */
int tosst_input_open (GFile *file, gsize *size, GError **error);

/* Its bytes from the first on; fd remains open, and its offset moves with the stream. New, or NULL with error. name is
 * used in messages. */
FILE *tosst_input_stream (int fd, const char *name, GError **error);

/* Reads bytes at an offset. FALSE with error if the file is too short. name is used in messages. */
gboolean tosst_input_read_at (int fd, const char *name, gpointer out, gsize offset, gsize size, GError **error);

/* Reads or writes all bytes at an offset of an open file; FALSE with errno, 0 if it is too short. */
gboolean tosst_file_transfer (int fd, gboolean writes, char *data, gsize size, guint64 offset);

/* Reads the first bytes of a file, at most so many. */
GBytes *tosst_input_load (GFile *file, gsize most, GError **error);

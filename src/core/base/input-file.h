/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* Input files, which are regular ones: a named pipe would wait for a writer, and a device has no end. They are read,
 * not mapped: pages of a file that is cut short meanwhile would kill the program. */

/* A descriptor to read from, and what fstat() says of it; -1 with errno: EISDIR for a folder, 0 for what else is no
 * regular file. Does not wait. */
int tosst_input_open_path (const char *path, struct stat *info);
/* The same with a sentence. */
int tosst_input_open (GFile *file, gsize *size, GError **error);

/* Reads bytes at an offset. FALSE with error if the file is too short. name is used in messages. */
gboolean tosst_input_read_at (int fd, const char *name, gpointer out, gsize offset, gsize size, GError **error);

/* The first bytes of a file, at most so many. */
GBytes *tosst_input_load (GFile *file, gsize most, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Rows of tensors in a file: after a crash, rows already written are reused. A file is valid for the version of the
 * program, the processor and the boot that wrote it, since it is not synchronised to disk. One writer at a time; any
 * number of readers and threads once all rows are written. */
typedef struct TosstTensorFile TosstTensorFile;

/* Opens the file if it has rows of this hash and size; otherwise creates an empty one if `creates` is set and the
 * disk has room for all rows. Returns NULL without such a file, or if another process uses it. */
TosstTensorFile *tosst_tensor_file_open (GFile *file, const char *hash, gsize rows, gsize row_bytes, gboolean creates);
/* The folder of unnamed files, created if it is missing; new. */
GFile *tosst_tensor_file_folder (void);
/* Creates an unnamed file there, deleted when the process ends. Returns NULL on failure. */
TosstTensorFile *tosst_tensor_file_new_temporary (gsize rows, gsize row_bytes);
/* `bytes` zeros of such a file, mapped, with the room on the disk; NULL on failure. Released by munmap(). */
gpointer tosst_tensor_file_map (gsize bytes);
void tosst_tensor_file_free (TosstTensorFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstTensorFile, tosst_tensor_file_free)

gsize tosst_tensor_file_count (const TosstTensorFile *self); /* rows written so far */
/* Appends n rows. On failure returns FALSE, after deleting the file to release the disk space; self must then be
 * freed. */
gboolean tosst_tensor_file_append (TosstTensorFile *self, gsize n, gconstpointer data);
/* Reads n rows from row first on. Returns FALSE on failure. */
gboolean tosst_tensor_file_read (const TosstTensorFile *self, gsize first, gsize n, gpointer data);

G_END_DECLS

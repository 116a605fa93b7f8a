/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Rows of numbers, in their order, in a file that outlives the program that writes them: who is killed finds those that
 * were there. They are for the version, the processor and the boot of the machine that wrote them: what the system holds
 * back of a file it loses with the power, and nothing here waits for the disk. One writer at a time, any number of
 * readers once all rows are there; any thread may read. */
typedef struct TosstTensorFile TosstTensorFile;

/* The file, if it has rows of this hash and size; otherwise a new one without rows if `creates`, as long as the disk has
 * room for all. NULL if there is none, or somebody else is at it. */
TosstTensorFile *tosst_tensor_file_open (GFile *file, const char *hash, gsize rows, gsize row_bytes, gboolean creates);
/* One without a name, empty, that goes with the program, however that ends; NULL if there can be none. */
TosstTensorFile *tosst_tensor_file_new_temporary (gsize rows, gsize row_bytes);
void tosst_tensor_file_free (TosstTensorFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstTensorFile, tosst_tensor_file_free)

gsize tosst_tensor_file_count (const TosstTensorFile *self); /* rows that are there, from the first on */
/* Behind these. FALSE: it cannot be written, and has gone, so that the disk has its room again; free it. */
gboolean tosst_tensor_file_append (TosstTensorFile *self, gsize n, gconstpointer data);
/* Of these. FALSE: they cannot be read. */
gboolean tosst_tensor_file_read (const TosstTensorFile *self, gsize first, gsize n, gpointer data);

G_END_DECLS

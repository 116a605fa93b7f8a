/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Atomic replacement of an output file: data go to a temporary file in the same folder, which is flushed to disk and
 * then replaces the old file. The old file is unchanged until then and after any failure. A killed program leaves no
 * file or, on file systems without unnamed files, a temporary file that the next writer in the folder removes. */
typedef struct TosstAtomicFile TosstAtomicFile;

TosstAtomicFile *tosst_atomic_file_open (GFile *file, GError **error);
/* For libraries that write by path, to an existing file. */
TosstAtomicFile *tosst_atomic_file_open_named (GFile *file, GError **error);
gboolean tosst_atomic_file_write (TosstAtomicFile *self, gconstpointer data, gsize size, GError **error);
const char *tosst_atomic_file_temporary_path (TosstAtomicFile *self);      /* NULL unless opened as named */
gboolean tosst_atomic_file_commit (TosstAtomicFile *self, GError **error); /* then free it */
void tosst_atomic_file_free (TosstAtomicFile *self); /* removes the temporary file unless committed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstAtomicFile, tosst_atomic_file_free)

/* Removes the temporary files of all threads before the program exits. Later calls that create or commit one block
 * until the exit. */
void tosst_atomic_abandon_all (void);

/* The whole of a small file. */
gboolean tosst_atomic_write (GFile *file, gconstpointer data, gsize size, GError **error);

/* Fails with a sentence if file could not be written (folder missing or read-only): checked before long work starts. */
gboolean tosst_atomic_check (GFile *file, GError **error);

/* Creates an empty file with an unused name, for results that cannot be written to file any more: in the nearest writable
 * parent folder, or that of temporary files. New; NULL if none can be created. */
GFile *tosst_atomic_elsewhere (GFile *file);

typedef gboolean (*TosstAtomicSave) (GFile *file, gpointer data, GError **error);

/* Saves a result that took long to compute. If file cannot be written any more, because its folder was removed or became
 * read-only, saves it elsewhere and returns FALSE with an error that names the place. An error that is set already, by an
 * earlier output, is kept, and the sentence about this output is appended to it. */
gboolean tosst_atomic_keep (GFile *file, TosstAtomicSave save, gpointer data, GError **error);
/* The same with a text; without a file there is nothing to do. */
gboolean tosst_atomic_keep_text (GFile *file, const char *text, GError **error);
/* The same with what was written to an open file, of which file is the name. */
gboolean tosst_atomic_file_keep (TosstAtomicFile *self, GFile *file, GError **error);
/* After a commit that failed: gives what was written another name. */
gboolean tosst_atomic_file_commit_as (TosstAtomicFile *self, GFile *file, GError **error);

G_END_DECLS

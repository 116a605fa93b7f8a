/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Atomic replacement of an output file: data go to a temporary file in the same folder, which is flushed to disk and
 * then replaces the old file. The old file is unchanged until then and after any failure. A killed program leaves no
 * file or, on file systems without unnamed files, a temporary file that the next writer in the folder removes. */
typedef struct TosstAtomicFile TosstAtomicFile;

TosstAtomicFile *tosst_atomic_file_open (GFile *file, GError **error);
/* Opens a temporary file with a name, for libraries that write to the path of an existing file. */
TosstAtomicFile *tosst_atomic_file_open_named (GFile *file, GError **error);
gboolean tosst_atomic_file_write (TosstAtomicFile *self, gconstpointer data, gsize size, GError **error);
const char *tosst_atomic_file_temporary_path (TosstAtomicFile *self); /* NULL unless opened with _open_named() */
/* Flushes the temporary file and replaces the target. The caller frees self afterwards. */
gboolean tosst_atomic_file_commit (TosstAtomicFile *self, GError **error);
void tosst_atomic_file_free (TosstAtomicFile *self); /* removes the temporary file unless committed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstAtomicFile, tosst_atomic_file_free)

/* Removes the temporary files of all threads before the program exits. Later calls that create or commit one block
 * until the exit. */
void tosst_atomic_abandon_all (void);

/* Name of a temporary file in folder: ".tosst-", 16 hexadecimal digits, ".tmp". New. */
char *tosst_atomic_temporary_name (const char *folder);
/* Removes temporary files of killed programs from a folder. Runs once per process and folder; later calls do
 * nothing. */
void tosst_atomic_remove_stale (const char *folder);

/* Removes a folder with all that is in it; links are removed, and not followed. */
void tosst_remove_tree (const char *path);
/* Creates a folder and those that it lies in, unless it exists. name: in messages; NULL: its own. */
gboolean tosst_make_folder (GFile *folder, const char *name, GError **error);

/* Writes a small file in one call. */
gboolean tosst_atomic_write (GFile *file, gconstpointer data, gsize size, GError **error);

/* Fails with a sentence if the file cannot be written (folder missing or read-only). Called before long work starts. */
gboolean tosst_atomic_check (GFile *file, GError **error);

/* Creates an empty file with an unused name, for results that can no longer be written to file: in the nearest
 * writable parent folder, or in the folder of temporary files. Returns a new GFile; NULL if none can be created. */
GFile *tosst_atomic_elsewhere (GFile *file);

typedef gboolean (*TosstAtomicSave) (GFile *file, gpointer data, GError **error);

/* Saves a result that took long to compute. If file can no longer be written, because its folder was removed or
 * became read-only, saves it elsewhere and returns FALSE with an error that names the new path. If error is already
 * set, by an earlier output, the sentence about this output is appended to it. */
gboolean tosst_atomic_keep (GFile *file, TosstAtomicSave save, gpointer data, GError **error);
/* As tosst_atomic_keep(), for a text. Does nothing if file is NULL. */
gboolean tosst_atomic_keep_text (GFile *file, const char *text, GError **error);
/* As tosst_atomic_keep(), for data already written to self, which was opened for file. */
gboolean tosst_atomic_file_keep (TosstAtomicFile *self, GFile *file, GError **error);
/* After a failed commit: commits the data under the name of file. */
gboolean tosst_atomic_file_commit_as (TosstAtomicFile *self, GFile *file, GError **error);

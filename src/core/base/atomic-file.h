/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Every output of the program: a temporary file in the same folder, flushed to disk, that takes the place of the old one.
 * That stays as it is until then, and after any failure. A program that is killed leaves nothing; or where files cannot
 * be without a name, a temporary file that the next program which writes in the folder removes. */
typedef struct TosstAtomicFile TosstAtomicFile;

TosstAtomicFile *tosst_atomic_file_open (GFile *file, GError **error);
/* For libraries that write by path: they must write to the file that is there. */
TosstAtomicFile *tosst_atomic_file_open_named (GFile *file, GError **error);
gboolean tosst_atomic_file_write (TosstAtomicFile *self, gconstpointer data, gsize size, GError **error);
const char *tosst_atomic_file_temporary_path (TosstAtomicFile *self);      /* NULL unless opened as named */
gboolean tosst_atomic_file_commit (TosstAtomicFile *self, GError **error); /* then free it */
void tosst_atomic_file_free (TosstAtomicFile *self); /* removes the temporary file unless committed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstAtomicFile, tosst_atomic_file_free)

/* The program is about to end in the middle of things: removes the temporary files of all threads. From then on none can
 * be made or given its name; who tries waits for the end. */
void tosst_atomic_abandon_all (void);

/* The whole of a small file. */
gboolean tosst_atomic_write (GFile *file, gconstpointer data, gsize size, GError **error);

/* Fails with a sentence if file could not be written (folder missing or read-only): checked before long work starts. */
gboolean tosst_atomic_check (GFile *file, GError **error);

/* A name that nothing has but an empty file, for what cannot be written to file any more: in the nearest folder above that
 * can be written, or the one of temporary files. New; NULL where none can be made. */
GFile *tosst_atomic_elsewhere (GFile *file);

typedef gboolean (*TosstAtomicSave) (GFile *file, gpointer data, GError **error);

/* Saves a result that took long. Where it cannot be written to file any more, as the folder has gone or became read-only,
 * it is saved elsewhere, and the error says where. One that is set already, of an output before, stays: what is to be said
 * of this one is put behind it. */
gboolean tosst_atomic_keep (GFile *file, TosstAtomicSave save, gpointer data, GError **error);
/* The same with a text; without a file there is nothing to do. */
gboolean tosst_atomic_keep_text (GFile *file, const char *text, GError **error);
/* The same with what was written to an open file, of which file is the name. */
gboolean tosst_atomic_file_keep (TosstAtomicFile *self, GFile *file, GError **error);
/* After a commit that failed: gives what was written another name. */
gboolean tosst_atomic_file_commit_as (TosstAtomicFile *self, GFile *file, GError **error);

G_END_DECLS

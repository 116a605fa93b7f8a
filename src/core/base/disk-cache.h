/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* Values that take long to compute, kept for later runs: a file each in the folder tosst/descriptors of the user's cache,
 * named by a key that says all that the value depends on. A file is whole or not there; one that is damaged, or of
 * another key, is removed. Above a limit those go first that were not used for longest. Where nothing can be written,
 * nothing is kept. Any thread, and any number of processes. */

/* The default limit of the folder, bytes; less where a tenth of what is free on its disk is less. The variable
 * TOSST_CACHE_MB of the environment overrides it, and tosst_disk_cache_set_limit(). 0: nothing is kept, or read. */
#define TOSST_DISK_CACHE_BYTES ((guint64)8 << 30)
void tosst_disk_cache_set_limit (guint64 bytes); /* G_MAXUINT64: the default */
guint64 tosst_disk_cache_limit (void);

/* The key of what a text describes, to the last bit: version of the program, processor and kernel of BLAS are added. 32
 * hex digits, new; NULL, which the functions below take, where nothing is kept. */
char *tosst_disk_cache_key (const char *text);

/* Whether a value is worth keeping that took so many seconds: unless reading it takes as long. */
gboolean tosst_disk_cache_is_worth (double seconds, gsize bytes);
/* Keeps a value in one or two parts, if it is worth it. */
void tosst_disk_cache_write (const char *key, double seconds, gconstpointer first, gsize bytes, gconstpointer second,
                             gsize more);
/* Reads a part of a value, 0 or 1, of exactly so many bytes. FALSE: there is none. */
gboolean tosst_disk_cache_read (const char *key, guint part, gpointer to, gsize bytes);
/* The same of any number of bytes; new, NULL: there is none. */
gpointer tosst_disk_cache_load (const char *key, guint part, gsize *bytes);

/* A run begins: what is used from now on stays, and what does not fit is not kept. */
void tosst_disk_cache_begin (void);

/* A path in the folder, which is created; new. */
char *tosst_disk_cache_path (const char *name);
guint64 tosst_disk_cache_bytes (void); /* of all values */
void tosst_disk_cache_clear (void);    /* removes all values */

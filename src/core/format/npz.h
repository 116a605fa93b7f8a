/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

/* A zip archive of .npy members and plain ones such as meta.json. Written with libzip, atomically; numpy.load reads
 * the result. */
typedef struct TosstNpz TosstNpz;

TosstNpz *tosst_npz_new (void);
void tosst_npz_free (TosstNpz *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpz, tosst_npz_free)

void tosst_npz_steal_array (TosstNpz *self, const char *name, TosstNpy *array); /* adds member name.npy */
void tosst_npz_add_bytes (TosstNpz *self, const char *name, GBytes *bytes);     /* adds member name */
gboolean tosst_npz_write (TosstNpz *self, GFile *file, GError **error);
/* Serialises the archive; name is used in messages. New. */
GBytes *tosst_npz_to_bytes (TosstNpz *self, const char *name, GError **error);

/* Reads the stored and deflated members of these names ("B.npy", NULL-terminated) that exist; NULL: all. Errors name
 * the member that is damaged, does not have the length of its array, or expands to far more than the size of the
 * file. name is used in messages. */
TosstNpz *tosst_npz_read (GFile *file, const char *const *members, GError **error);
TosstNpz *tosst_npz_from_bytes (GBytes *bytes, const char *const *members, const char *name, GError **error);
const TosstNpy *tosst_npz_array (TosstNpz *self, const char *name); /* NULL if missing */
GBytes *tosst_npz_bytes (TosstNpz *self, const char *name);         /* borrowed; NULL if missing */

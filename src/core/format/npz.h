/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

G_BEGIN_DECLS

/* A zip of .npy members and plain ones such as meta.json. Writing uses libzip and is atomic; numpy.load reads the
 * result. */
typedef struct TosstNpz TosstNpz;

TosstNpz *tosst_npz_new (void);
void tosst_npz_free (TosstNpz *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpz, tosst_npz_free)

void tosst_npz_steal_array (TosstNpz *self, const char *name, TosstNpy *array); /* member name.npy */
void tosst_npz_add_bytes (TosstNpz *self, const char *name, GBytes *bytes);     /* member name */
gboolean tosst_npz_write (TosstNpz *self, GFile *file, GError **error);
GBytes *tosst_npz_to_bytes (TosstNpz *self, const char *name, GError **error); /* name is used in messages */

/* Reads the stored and deflated members of these names ("B.npy", NULL-terminated), as far as they are there; NULL: all.
 * Names the one that is damaged, that is not as long as its array says, or that unpacks to far more than the file
 * holds. name is used in messages. */
TosstNpz *tosst_npz_read (GFile *file, const char *const *members, GError **error);
TosstNpz *tosst_npz_from_bytes (GBytes *bytes, const char *const *members, const char *name, GError **error);
const TosstNpy *tosst_npz_array (TosstNpz *self, const char *name); /* NULL if there is none */
GBytes *tosst_npz_bytes (TosstNpz *self, const char *name);         /* borrowed; NULL if there is none */

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

/* Reads a .npy file a few rows at a time, for arrays that do not fit into memory. */
typedef struct TosstNpyRows TosstNpyRows;

/* Opens a file. Rejects the same files as tosst_npy_read(), except that NaN and infinity are detected when their
 * rows are read, and in addition arrays in Fortran order, whose rows are not contiguous. */
TosstNpyRows *tosst_npy_rows_open (GFile *file, GError **error);
void tosst_npy_rows_free (TosstNpyRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpyRows, tosst_npy_rows_free)

gsize tosst_npy_rows_count (const TosstNpyRows *self);

/* Reads rows first .. first + count - 1 as a new array. Fails with a sentence on NaN, infinity, or a file truncated
 * since it was opened. */
TosstNpy *tosst_npy_rows_read (TosstNpyRows *self, gsize first, gsize count, GError **error);

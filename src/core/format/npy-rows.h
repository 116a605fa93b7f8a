/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

G_BEGIN_DECLS

/* A .npy file read a few rows at a time, for arrays that do not fit into memory. */
typedef struct TosstNpyRows TosstNpyRows;

/* Refuses what tosst_npy_read() does but for NaN and infinity, which show when their rows are read, and arrays in
 * Fortran order, whose rows are scattered over the file. */
TosstNpyRows *tosst_npy_rows_open (GFile *file, GError **error);
void tosst_npy_rows_free (TosstNpyRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpyRows, tosst_npy_rows_free)

gsize tosst_npy_rows_count (const TosstNpyRows *self);

/* Rows first .. first + count - 1 as an array of their own, new. Fails with a sentence on NaN, infinity, and where the
 * file has become shorter. */
TosstNpy *tosst_npy_rows_read (TosstNpyRows *self, gsize first, gsize count, GError **error);

G_END_DECLS

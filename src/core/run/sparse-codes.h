/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Sparse rows of codes. Only numbers whose bits are all zero are omitted, so that expanding restores the rows bit
 * for bit. */
typedef struct TosstCodes TosstCodes;

TosstCodes *tosst_codes_new (gsize length); /* length: numbers per row */
void tosst_codes_free (TosstCodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstCodes, tosst_codes_free)

void tosst_codes_append (TosstCodes *self, const float *rows, gsize n);
/* Expands n rows from row number first on into rows, n x length. */
void tosst_codes_expand (const TosstCodes *self, gsize first, gsize n, float *rows);
gsize tosst_codes_rows (const TosstCodes *self);
gsize tosst_codes_bytes (const TosstCodes *self);

/* Serialisation, new, and parsing; NULL unless the bytes are codes of this length. */
GBytes *tosst_codes_to_bytes (const TosstCodes *self);
TosstCodes *tosst_codes_from_bytes (gconstpointer data, gsize size, gsize length);

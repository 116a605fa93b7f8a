/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Codes without their zeros, row after row. A zero is one whose bits are: what comes out is what went in, to the bit. */
typedef struct TosstCodes TosstCodes;

TosstCodes *tosst_codes_new (gsize length); /* numbers in a row */
void tosst_codes_free (TosstCodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstCodes, tosst_codes_free)

void tosst_codes_append (TosstCodes *self, const float *rows, gsize n);
/* rows: n x length, from row number first on. */
void tosst_codes_expand (const TosstCodes *self, gsize first, gsize n, float *rows);
gsize tosst_codes_rows (const TosstCodes *self);
gsize tosst_codes_bytes (const TosstCodes *self);

/* As bytes, new, and back; NULL unless they are of codes of this length. */
GBytes *tosst_codes_to_bytes (const TosstCodes *self);
TosstCodes *tosst_codes_from_bytes (gconstpointer data, gsize size, gsize length);

G_END_DECLS

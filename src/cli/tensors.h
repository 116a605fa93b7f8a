/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

/* Rows [from, from + n) of a file's tensors as float32 or float64: in place if they have that type already, else a
 * converted copy, which is also stored in *owned (free it with g_free()). */
const float *cli_rows_float (const TosstNpy *array, gsize from, gsize n, float **owned);
const double *cli_rows_double (const TosstNpy *array, gsize from, gsize n, double **owned);

/* Keeps count rows of a (N, m) array, drawn at random by seed without repetition, in their original order. */
void cli_draw_rows (TosstNpy *array, gsize count, guint64 seed);

/* Draws the indices of these rows, ascending; new. */
gsize *cli_draw_numbers (gsize rows, gsize count, guint64 seed);

/* Hash of shape and numbers, 16 hex digits. New. */
char *cli_fingerprint (const TosstNpy *array);
/* The same hash computed in blocks: at the start only type and shape of the array are used. */
GChecksum *cli_fingerprint_start (const TosstNpy *array);
void cli_fingerprint_add (GChecksum *checksum, const TosstNpy *piece);
char *cli_fingerprint_text (GChecksum *checksum); /* ends it; new */

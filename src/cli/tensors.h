/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

/* Rows [from, from + n) of a file's tensors as float32 or float64: in place when they are of that type already, else a
 * converted copy that *owned receives (free it with g_free()). */
const float *cli_rows_float (const TosstNpy *array, gsize from, gsize n, float **owned);
const double *cli_rows_double (const TosstNpy *array, gsize from, gsize n, double **owned);

/* Keeps count rows of a (N, m) array, drawn at random by seed without repetition and in their old order. */
void cli_draw_rows (TosstNpy *array, gsize count, guint64 seed);

/* The numbers of the rows that it keeps, ascending; new. */
gsize *cli_draw_numbers (gsize rows, gsize count, guint64 seed);

/* Sixteen hexadecimal digits that identify shape and numbers. New. */
char *cli_fingerprint (const TosstNpy *array);
/* The same from pieces: of the array only type and shape are needed to start. */
GChecksum *cli_fingerprint_start (const TosstNpy *array);
void cli_fingerprint_add (GChecksum *checksum, const TosstNpy *piece);
char *cli_fingerprint_text (GChecksum *checksum); /* ends it; new */

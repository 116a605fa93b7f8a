/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/format/npy.h"

/* What reading a file at once and reading it in pieces share. */

/* How one number stands in the file. */
typedef struct
{
  char kind;     /* f, i, u, b */
  int size;      /* bytes */
  gboolean swap; /* big-endian */
  gboolean fortran;
  int ndim;
  gsize shape[4];
} TosstNpyHeader;

/* Where the numbers begin; 0 on error. data may end where the numbers begin. error must not be NULL. */
gsize tosst_npy_parse_header (const guint8 *data, gsize size, const char *name, TosstNpyHeader *header, GError **error);
/* Whether available bytes of numbers are what the shape needs. */
gboolean tosst_npy_check_length (const TosstNpyHeader *header, gsize available, const char *name, GError **error);
/* An array for the numbers: zeros. NULL with error if there is no memory. */
TosstNpy *tosst_npy_for (const TosstNpyHeader *header, const char *name, GError **error);
/* Whether the numbers stand in the file as in the array. */
gboolean tosst_npy_is_ours (const TosstNpyHeader *header);
/* Puts n numbers of the file, from number from on, where they belong. */
void tosst_npy_fill (TosstNpy *self, const TosstNpyHeader *header, const guint8 *numbers, gsize from, gsize n);
gboolean tosst_npy_check_finite (const TosstNpy *self, gsize first_row, const char *name, GError **error);
/* The array of the numbers; refuses NaN and infinity, rows counted from first_row. */
TosstNpy *tosst_npy_convert (const TosstNpyHeader *header, const guint8 *numbers, gsize first_row, const char *name,
                             GError **error);

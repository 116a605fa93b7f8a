/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  TOSST_NPY_FLOAT32,
  TOSST_NPY_FLOAT64
} TosstNpyType;

/* A C-order array of at most 4 dimensions, held as one allocation. */
typedef struct
{
  TosstNpyType type;
  int ndim;
  gsize shape[4];
  gsize count;   /* product of shape; 1 for () */
  gpointer data; /* owned: float * or double * */
} TosstNpy;

TosstNpy *tosst_npy_new (TosstNpyType type, int ndim, const gsize *shape); /* zeros */
void tosst_npy_free (TosstNpy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpy, tosst_npy_free)

/* Versions 1.0-3.0 of the format, '<f4', '<f8' (also '>f4', '>f8', 'f2' and integers converted to float64), C order and
 * Fortran order (transposed). Refuses truncated data, object arrays, sizes that overflow, NaN and infinity (names the
 * first such row). */
TosstNpy *tosst_npy_read (GFile *file, GError **error);
/* name is used in messages. */
TosstNpy *tosst_npy_parse (const guint8 *data, gsize size, const char *name, GError **error);
GBytes *tosst_npy_serialise (const TosstNpy *self);
gboolean tosst_npy_write (const TosstNpy *self, GFile *file, GError **error);

/* Writes rows as they are made: the shape is (rows, columns), or (rows, ...) of ndim dimensions, rows known
 * beforehand. */
typedef struct TosstNpyWriter TosstNpyWriter;
TosstNpyWriter *tosst_npy_writer_new (GFile *file, TosstNpyType type, gsize rows, gsize columns, GError **error);
TosstNpyWriter *tosst_npy_writer_new_shape (GFile *file, TosstNpyType type, int ndim, const gsize *shape,
                                            GError **error);
gboolean tosst_npy_writer_rows (TosstNpyWriter *self, gconstpointer rows, gsize n, GError **error);
gboolean tosst_npy_writer_finish (TosstNpyWriter *self, GError **error); /* commits; free it afterwards */
gboolean tosst_npy_writer_keep (TosstNpyWriter *self, GError **error);   /* the same as tosst_atomic_keep() does */
void tosst_npy_writer_free (TosstNpyWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpyWriter, tosst_npy_writer_free)

/* For files read in pieces (npy-rows.c) and members of archives (npz.c). */

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
TosstNpy *tosst_npy_new_for_header (const TosstNpyHeader *header, const char *name, GError **error);
/* Whether the numbers stand in the file as in the array. */
gboolean tosst_npy_is_native (const TosstNpyHeader *header);
/* Puts n numbers of the file, from number from on, where they belong. */
void tosst_npy_fill (TosstNpy *self, const TosstNpyHeader *header, const guint8 *numbers, gsize from, gsize n);
gboolean tosst_npy_check_finite (const TosstNpy *self, gsize first_row, const char *name, GError **error);
/* The array of the numbers; refuses NaN and infinity, rows counted from first_row. */
TosstNpy *tosst_npy_convert (const TosstNpyHeader *header, const guint8 *numbers, gsize first_row, const char *name,
                             GError **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

typedef enum
{
  TOSST_NPY_FLOAT32,
  TOSST_NPY_FLOAT64
} TosstNpyType;

/* A C-order array of at most 4 dimensions in one allocation or mapping. */
typedef struct
{
  TosstNpyType type;
  int ndim;
  gsize shape[4];
  gsize count;      /* product of shape; 1 for () */
  gpointer data;    /* float * or double *, owned */
  gpointer mapping; /* private mapping of a file with data in it, owned; or NULL */
  gsize mapped;     /* its length */
} TosstNpy;

TosstNpy *tosst_npy_new (TosstNpyType type, int ndim, const gsize *shape); /* filled with zeros */
void tosst_npy_free (TosstNpy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpy, tosst_npy_free)

/* Files of this many bytes of '<f4' or '<f8' in C order are mapped instead of copied: changes of the array stay in
 * memory, and while it is in use the file must not be changed or truncated. */
#define TOSST_NPY_MAPPED ((gsize)1 << 30)

/* Reads versions 1.0-3.0 of the format, '<f4', '<f8' (also '>f4', '>f8', 'f2' and integers converted to float64), C
 * order and Fortran order (transposed). Rejects truncated data, object arrays, overflowing sizes, NaN and infinity
 * (naming the first such row). Returns a new array, or NULL with error. */
TosstNpy *tosst_npy_read (GFile *file, GError **error);
/* Parses the bytes of a file; name is used in messages. */
TosstNpy *tosst_npy_parse (const guint8 *data, gsize size, const char *name, GError **error);
GBytes *tosst_npy_serialise (const TosstNpy *self);
gboolean tosst_npy_write (const TosstNpy *self, GFile *file, GError **error);

/* Writes an array row by row: the shape is (rows, ...) of ndim dimensions, with the number of rows known in advance. */
typedef struct TosstNpyWriter TosstNpyWriter;
TosstNpyWriter *tosst_npy_writer_new (GFile *file, TosstNpyType type, int ndim, const gsize *shape, GError **error);
gboolean tosst_npy_writer_rows (TosstNpyWriter *self, gconstpointer rows, gsize n, GError **error);
/* Commits the file. The caller frees self afterwards. */
gboolean tosst_npy_writer_finish (TosstNpyWriter *self, GError **error);
gboolean tosst_npy_writer_keep (TosstNpyWriter *self, GError **error); /* commits as tosst_atomic_file_keep() */
void tosst_npy_writer_free (TosstNpyWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstNpyWriter, tosst_npy_writer_free)

/* Internal functions for files read in pieces and members of archives. */

/* Representation of a number in the file. */
typedef struct
{
  char kind;     /* f, i, u, b */
  int size;      /* bytes */
  gboolean swap; /* big-endian */
  gboolean fortran;
  int ndim;
  gsize shape[4];
} TosstNpyHeader;

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

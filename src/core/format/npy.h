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

G_END_DECLS

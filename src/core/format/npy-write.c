/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "core/base/atomic-file.h"
#include "core/base/error.h"
#include "core/format/npy.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "numbers are written as they stand in memory, which must be little-endian"
#endif

struct TosstNpyWriter
{
  TosstAtomicFile *file;
  GFile *place;
  char *name;
  gsize row_bytes, rows, written;
};

static gsize
size_of (TosstNpyType type)
{
  return type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double);
}

/* Version 1.0, padded so that the numbers start at a multiple of 64 bytes. */
static GByteArray *
make_header (TosstNpyType type, int ndim, const gsize *shape)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GByteArray *header = g_byte_array_new ();
  guint8 length[2];

  g_string_printf (text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                   type == TOSST_NPY_FLOAT32 ? "<f4" : "<f8");
  for (int i = 0; i < ndim; i++)
    g_string_append_printf (text,
                            ndim == 1 ? "%" G_GSIZE_FORMAT ","
                            : i       ? ", %" G_GSIZE_FORMAT
                                      : "%" G_GSIZE_FORMAT,
                            shape[i]);
  g_string_append (text, "), }");
  while ((10 + text->len + 1) % 64)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  length[0] = text->len & 255;
  length[1] = text->len >> 8;
  g_byte_array_append (header, (const guint8 *)"\x93NUMPY\x01\x00", 8);
  g_byte_array_append (header, length, 2);
  g_byte_array_append (header, (const guint8 *)text->str, text->len);
  return header;
}

GBytes *
tosst_npy_serialise (const TosstNpy *self)
{
  GByteArray *bytes = make_header (self->type, self->ndim, self->shape);
  gsize start = bytes->len, size = self->count * size_of (self->type);
  guint8 *whole = g_malloc (start + size);

  memcpy (whole, bytes->data, start);
  if (size)
    memcpy (whole + start, self->data, size);
  g_byte_array_unref (bytes);
  return g_bytes_new_take (whole, start + size);
}

gboolean
tosst_npy_write (const TosstNpy *self, GFile *file, GError **error)
{
  g_autoptr (TosstAtomicFile) out = tosst_atomic_file_open (file, error);
  g_autoptr (GByteArray) header = make_header (self->type, self->ndim, self->shape);

  return out && tosst_atomic_file_write (out, header->data, header->len, error)
         && tosst_atomic_file_write (out, self->data, self->count * size_of (self->type), error)
         && tosst_atomic_file_commit (out, error);
}

TosstNpyWriter *
tosst_npy_writer_new (GFile *file, TosstNpyType type, gsize rows, gsize columns, GError **error)
{
  return tosst_npy_writer_new_shape (file, type, 2, (gsize[]){ rows, columns }, error);
}

TosstNpyWriter *
tosst_npy_writer_new_shape (GFile *file, TosstNpyType type, int ndim, const gsize *shape, GError **error)
{
  g_autoptr (GByteArray) header = make_header (type, ndim, shape);
  TosstNpyWriter *self = g_new0 (TosstNpyWriter, 1);

  self->place = g_object_ref (file);
  self->name = g_file_get_parse_name (file);
  self->row_bytes = size_of (type);
  for (int i = 1; i < ndim; i++)
    self->row_bytes *= shape[i];
  self->rows = shape[0];
  self->file = tosst_atomic_file_open (file, error);
  if (!self->file || !tosst_atomic_file_write (self->file, header->data, header->len, error))
    g_clear_pointer (&self, tosst_npy_writer_free);
  return self;
}

gboolean
tosst_npy_writer_rows (TosstNpyWriter *self, gconstpointer rows, gsize n, GError **error)
{
  g_return_val_if_fail (n <= self->rows - self->written, FALSE);
  if (!tosst_atomic_file_write (self->file, rows, n * self->row_bytes, error))
    return FALSE;
  self->written += n;
  return TRUE;
}

static gboolean
check_rows (TosstNpyWriter *self, GError **error)
{
  if (self->written == self->rows)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s was not written: %zu of %zu rows were computed"), self->name,
                     self->written, self->rows);
}

gboolean
tosst_npy_writer_finish (TosstNpyWriter *self, GError **error)
{
  return check_rows (self, error) && tosst_atomic_file_commit (self->file, error);
}

gboolean
tosst_npy_writer_keep (TosstNpyWriter *self, GError **error)
{
  return check_rows (self, error) && tosst_atomic_file_keep (self->file, self->place, error);
}

void
tosst_npy_writer_free (TosstNpyWriter *self)
{
  if (!self)
    return;
  g_clear_pointer (&self->file, tosst_atomic_file_free);
  g_clear_object (&self->place);
  g_free (self->name);
  g_free (self);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "core/format/npy-rows.h"

#include <glib/gi18n.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/input-file.h"
#include "core/format/npy.h"

/* Maximum length of a header. */
#define MAX_HEADER 65536

/* Numbers converted per block. */
#define PIECE 65536

struct TosstNpyRows
{
  char *name; /* for messages */
  int fd;
  TosstNpyHeader header;
  gsize start, row_bytes;
};

static gboolean
read_header (TosstNpyRows *self, gsize size, GError **error)
{
  gsize length = MIN (size, MAX_HEADER);
  g_autofree guint8 *data = g_malloc (length + 1);

  if (!tosst_input_read_at (self->fd, self->name, data, 0, length, error))
    return FALSE;
  self->start = tosst_npy_parse_header (data, length, self->name, &self->header, error);
  return self->start > 0 && tosst_npy_check_length (&self->header, size - self->start, self->name, error);
}

static TosstNpyRows *
open_any (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = g_new0 (TosstNpyRows, 1);
  GError *cause = NULL;
  gsize size;

  self->name = g_file_get_parse_name (file);
  self->fd = tosst_input_open (file, &size, &cause);
  if (self->fd >= 0 && read_header (self, size, &cause))
    return g_steal_pointer (&self);
  g_propagate_error (error, cause);
  return NULL;
}

static gboolean
check_rows (TosstNpyRows *self, GError **error)
{
  gsize bytes = (gsize)self->header.size;

  if (self->header.ndim < 1)
    return tosst_fail_input (error, self->name, _ ("has no rows"));
  if (self->header.fortran)
    return tosst_fail_input (error, self->name,
                             _ ("is in Fortran order and cannot be read row by row; save it in C order"));
  for (int k = 1; k < self->header.ndim; k++)
    bytes *= self->header.shape[k];
  self->row_bytes = self->header.shape[0] ? bytes : 0;
  return TRUE;
}

TosstNpyRows *
tosst_npy_rows_open (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = open_any (file, error);

  return self && check_rows (self, error) ? g_steal_pointer (&self) : NULL;
}

/* The file as an array without a copy; NULL if it is small, has another representation or cannot be mapped. */
static TosstNpy *
map_array (const TosstNpyRows *self)
{
  const TosstNpyHeader *header = &self->header;
  gsize size = (gsize)header->size, count = 1;
  TosstNpy *array;
  gpointer mapping;

  for (int k = 0; k < header->ndim; k++)
    count *= header->shape[k];
  if (!tosst_npy_is_native (header) || count * size < TOSST_NPY_MAPPED || self->start % size != 0)
    return NULL;
  mapping = mmap (NULL, self->start + count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, self->fd, 0);
  if (mapping == MAP_FAILED)
    return NULL;
  array = g_new0 (TosstNpy, 1);
  *array = (TosstNpy){ .type = size == sizeof (float) ? TOSST_NPY_FLOAT32 : TOSST_NPY_FLOAT64,
                       .ndim = header->ndim,
                       .count = count,
                       .data = (char *)mapping + self->start,
                       .mapping = mapping,
                       .mapped = self->start + count * size };
  for (int k = 0; k < header->ndim; k++)
    array->shape[k] = header->shape[k];
  return array;
}

/* Reads the numbers into a new array. */
static TosstNpy *
read_array (const TosstNpyRows *self, GError **error)
{
  g_autoptr (TosstNpy) array = tosst_npy_new_for_header (&self->header, self->name, error);

  if (!array)
    return NULL;
  /* Reads directly into the array if the representations are equal, else in blocks, which avoids a second copy of a
   * large file. */
  gsize size = (gsize)self->header.size, most = tosst_npy_is_native (&self->header) ? MAX (array->count, 1) : PIECE;
  g_autofree guint8 *piece = tosst_npy_is_native (&self->header) ? NULL : g_malloc (PIECE * size);

  for (gsize from = 0, n; from < array->count; from += n)
    {
      n = MIN (most, array->count - from);
      if (!tosst_input_read_at (self->fd, self->name, piece ? piece : array->data, self->start + from * size, n * size,
                                error))
        return NULL;
      if (piece)
        tosst_npy_fill (array, &self->header, piece, from, n);
    }
  return g_steal_pointer (&array);
}

TosstNpy *
tosst_npy_read (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = open_any (file, error);
  g_autoptr (TosstNpy) array = self ? map_array (self) : NULL;

  if (self && !array)
    array = read_array (self, error);
  if (!array || !tosst_npy_check_finite (array, 0, self->name, error))
    return NULL;
  return g_steal_pointer (&array);
}

void
tosst_npy_rows_free (TosstNpyRows *self)
{
  if (!self)
    return;
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->name);
  g_free (self);
}

gsize
tosst_npy_rows_count (const TosstNpyRows *self)
{
  return self->header.shape[0];
}

TosstNpy *
tosst_npy_rows_read (TosstNpyRows *self, gsize first, gsize count, GError **error)
{
  TosstNpyHeader part = self->header;
  g_autofree guint8 *bytes = g_try_malloc (MAX (count * self->row_bytes, 1));

  g_return_val_if_fail (first + count <= self->header.shape[0], NULL);
  if (!bytes)
    {
      tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s does not fit into memory"), self->name);
      return NULL;
    }
  if (!tosst_input_read_at (self->fd, self->name, bytes, self->start + first * self->row_bytes, count * self->row_bytes,
                            error))
    return NULL;
  part.shape[0] = count;
  return tosst_npy_convert (&part, bytes, first, self->name, error);
}

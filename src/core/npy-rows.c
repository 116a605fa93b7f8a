/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "npy-rows.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "npy-private.h"

/* A header is shorter than this. */
#define MOST_HEADER 65536

struct TosstNpyRows
{
  char *name; /* for messages */
  int fd;
  TosstNpyHeader header;
  gsize start, row_bytes;
};

/* Not a mapping: pages of a file that is cut short meanwhile would kill the program. FALSE with an error where bytes
 * miss. */
static gboolean
read_all (TosstNpyRows *self, guint8 *out, gsize offset, gsize size, GError **error)
{
  while (size > 0)
    {
      gssize got = pread (self->fd, out, size, (off_t)offset);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s could not be read: %s"), self->name, g_strerror (errno));
      if (got == 0)
        return tosst_fail_input (error, self->name, _ ("has become shorter while it was read"));
      out += got;
      offset += (gsize)got;
      size -= (gsize)got;
    }
  return TRUE;
}

static gboolean
read_header (TosstNpyRows *self, gsize size, GError **error)
{
  gsize length = MIN (size, MOST_HEADER);
  g_autofree guint8 *data = g_malloc (length + 1);

  if (!read_all (self, data, 0, length, error))
    return FALSE;
  self->start = tosst_npy_parse_header (data, length, self->name, &self->header, error);
  if (self->start == 0 || !tosst_npy_check_length (&self->header, size - self->start, self->name, error))
    return FALSE;
  if (self->header.ndim < 1)
    return tosst_fail_input (error, self->name, _ ("has no rows"));
  if (self->header.fortran)
    return tosst_fail_input (error, self->name,
                             _ ("is in Fortran order and cannot be read row by row; save it in C order"));
  self->row_bytes = self->header.shape[0] ? (size - self->start) / self->header.shape[0] : 0;
  return TRUE;
}

TosstNpyRows *
tosst_npy_rows_open (GFile *file, GError **error)
{
  g_autoptr (TosstNpyRows) self = g_new0 (TosstNpyRows, 1);
  const char *path = g_file_peek_path (file);
  GError *cause = NULL;
  struct stat info;

  self->name = g_file_get_parse_name (file);
  self->fd = path ? g_open (path, O_RDONLY | O_CLOEXEC, 0) : -1;
  if (self->fd < 0 || fstat (self->fd, &info) != 0 || !S_ISREG (info.st_mode))
    {
      tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s could not be read: %s"), self->name,
                  self->fd < 0 && path ? g_strerror (errno) : _ ("it is no regular file"));
      return NULL;
    }
  if (read_header (self, (gsize)info.st_size, &cause))
    return g_steal_pointer (&self);
  g_propagate_error (error, cause);
  return NULL;
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
  if (!read_all (self, bytes, self->start + first * self->row_bytes, count * self->row_bytes, error))
    return NULL;
  part.shape[0] = count;
  return tosst_npy_convert (&part, bytes, first, self->name, error);
}

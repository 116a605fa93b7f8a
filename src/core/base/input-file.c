/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/input-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "core/base/error.h"

int
tosst_input_open_path (const char *path, struct stat *info)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), code;

  if (fd < 0)
    {
      /* ENXIO: a socket. */
      errno = errno == ENXIO ? 0 : errno;
      return -1;
    }
  code = fstat (fd, info) != 0 ? errno : S_ISDIR (info->st_mode) ? EISDIR : 0;
  if (code == 0 && S_ISREG (info->st_mode))
    return fd;
  close (fd);
  errno = code;
  return -1;
}

int
tosst_input_open (GFile *file, gsize *size, GError **error)
{
  const char *path = g_file_peek_path (file);
  g_autofree char *name = g_file_get_parse_name (file);
  struct stat info;

  errno = 0;
  int fd = path ? tosst_input_open_path (path, &info) : -1;
  if (fd < 0)
    tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s could not be read: %s"), name,
                errno ? g_strerror (errno) : _ ("it is not a regular file"));
  else
    *size = (gsize)info.st_size;
  return fd;
}

FILE *
tosst_input_stream (int fd, const char *name, GError **error)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  FILE *stream = copy >= 0 && lseek (copy, 0, SEEK_SET) == 0 ? fdopen (copy, "rb") : NULL;

  if (stream == NULL)
    tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s could not be read: %s"), name, g_strerror (errno));
  if (stream == NULL && copy >= 0)
    close (copy);
  return stream;
}

gboolean
tosst_file_transfer (int fd, gboolean writes, char *data, gsize size, guint64 offset)
{
  while (size > 0)
    {
      gssize n = writes ? pwrite (fd, data, size, (off_t)offset) : pread (fd, data, size, (off_t)offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n == 0)
        errno = 0;
      if (n <= 0)
        return FALSE;
      data += n;
      offset += (gsize)n;
      size -= (gsize)n;
    }
  return TRUE;
}

gboolean
tosst_input_read_at (int fd, const char *name, gpointer out, gsize offset, gsize size, GError **error)
{
  if (tosst_file_transfer (fd, FALSE, out, size, offset))
    return TRUE;
  return errno != 0 ? tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s could not be read: %s"), name, g_strerror (errno))
                    : tosst_fail_input (error, name, _ ("became shorter while it was read"));
}

GBytes *
tosst_input_load (GFile *file, gsize most, GError **error)
{
  g_autofree char *name = g_file_get_parse_name (file);
  gsize size;
  int fd = tosst_input_open (file, &size, error);

  if (fd < 0)
    return NULL;
  size = MIN (size, most);
  g_autofree guint8 *data = g_try_malloc (MAX (size, 1));
  gboolean ok = data ? tosst_input_read_at (fd, name, data, 0, size, error)
                     : tosst_fail (error, TOSST_FAILED_MEMORY, _ ("%s does not fit into memory"), name);
  close (fd);
  return ok ? g_bytes_new_take (g_steal_pointer (&data), size) : NULL;
}

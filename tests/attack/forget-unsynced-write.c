/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing, resizing, synchronising and naming files, recorded: see forget-unsynced.c.
 */
#undef _FILE_OFFSET_BITS /* else open64() and its like are other names of open() */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "forget-unsynced.h"

ssize_t
write (int fd, const void *data, size_t size)
{
  int last, full;
  int64_t place;
  ssize_t done = -1;

  if (!attack_is_watched (fd))
    return syscall (SYS_write, fd, data, size);
  size = attack_begin_write (size, &last, &full);
  place = fcntl (fd, F_GETFL) & O_APPEND ? lseek (fd, 0, SEEK_END) : lseek (fd, 0, SEEK_CUR);
  if (!full)
    done = syscall (SYS_write, fd, data, size);
  return attack_end_write (fd, place, data, done, last, full);
}

ssize_t
writev (int fd, const struct iovec *pieces, int count)
{
  ssize_t all = 0;

  if (!attack_is_watched (fd))
    return syscall (SYS_writev, fd, pieces, count);
  for (int i = 0; i < count; i++)
    {
      ssize_t done = write (fd, pieces[i].iov_base, pieces[i].iov_len);

      if (done < 0)
        return all ? all : -1;
      all += done;
      if ((size_t)done < pieces[i].iov_len)
        break;
    }
  return all;
}

ssize_t
pwrite64 (int fd, const void *data, size_t size, off64_t place)
{
  int last, full;
  ssize_t done = -1;

  if (!attack_is_watched (fd))
    return syscall (SYS_pwrite64, fd, data, size, place);
  size = attack_begin_write (size, &last, &full);
  if (!full)
    done = syscall (SYS_pwrite64, fd, data, size, place);
  return attack_end_write (fd, place, data, done, last, full);
}

ssize_t
pwrite (int fd, const void *data, size_t size, off_t place)
{
  return pwrite64 (fd, data, size, place);
}

size_t
fwrite (const void *data, size_t size, size_t count, FILE *stream)
{
  size_t (*next) (const void *, size_t, size_t, FILE *) = NEXT (fwrite);
  int fd = fileno (stream), last, full;
  size_t wanted = size * count, room, done = 0;
  int64_t place;

  if (!attack_is_watched (fd))
    return next (data, size, count, stream);
  room = attack_begin_write (wanted, &last, &full);
  place = ftello (stream);
  if (!full)
    {
      done = next (data, 1, room, stream);
      if (NEXT (fflush) (stream) != 0)
        done = 0;
    }
  attack_end_write (fd, place, data, (ssize_t)done, last, full);
  if (done < wanted)
    errno = ENOSPC;
  return size ? done / size : 0;
}

int
fputs (const char *text, FILE *stream)
{
  if (!attack_is_watched (fileno (stream)))
    return NEXT (fputs) (text, stream);
  return fwrite (text, 1, strlen (text), stream) == strlen (text) ? 1 : EOF;
}

static int
resize (int fd, off64_t length)
{
  int result;

  if (!attack_is_watched (fd))
    return (int)syscall (SYS_ftruncate, fd, length);
  attack_begin ();
  result = (int)syscall (SYS_ftruncate, fd, length);
  if (result == 0)
    attack_record ('t', 0, fd, length, NULL, 0, NULL, 0);
  attack_end ();
  return result;
}

int
ftruncate (int fd, off_t length)
{
  return resize (fd, length);
}

int
ftruncate64 (int fd, off64_t length)
{
  return resize (fd, length);
}

static int
allocate (int fd, off64_t place, off64_t length)
{
  struct stat info;
  int code = 0;

  if (fstat (fd, &info) != 0)
    return errno;
  if (attack_is_watched (fd) && place + length > info.st_size
      && (attack_take_space ((size_t)(place + length - info.st_size)) < (size_t)(place + length - info.st_size)))
    return ENOSPC;
  if (place + length > info.st_size && resize (fd, place + length) != 0)
    code = errno;
  return code;
}

int
posix_fallocate (int fd, off_t place, off_t length)
{
  return allocate (fd, place, length);
}

int
posix_fallocate64 (int fd, off64_t place, off64_t length)
{
  return allocate (fd, place, length);
}

/* The disk itself is not waited for. */
static int
sync_file (int fd)
{
  if (!attack_is_watched (fd))
    return 0;
  attack_begin ();
  attack_record ('s', 0, fd, 0, NULL, 0, NULL, 0);
  attack_end ();
  return 0;
}

int
fsync (int fd)
{
  return sync_file (fd);
}

int
fdatasync (int fd)
{
  return sync_file (fd);
}

int
syncfs (int fd)
{
  return sync_file (fd);
}

static int
change_names (char kind, const char *a, const char *b, int fd, long number, long arguments[5])
{
  char from[PATH_MAX], to[PATH_MAX];
  int result;

  attack_inside (a, 0, from);
  if (b)
    attack_inside (b, 0, to);
  attack_begin ();
  result = (int)syscall (number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
  if (result == 0 && (*from || (b && *to)))
    attack_record_paths (kind, 0, fd, from, b ? to : NULL);
  attack_end ();
  return result;
}

int
rename (const char *a, const char *b)
{
  return change_names ('r', a, b, -1, SYS_renameat, (long[]){ AT_FDCWD, (long)a, AT_FDCWD, (long)b, 0 });
}

int
unlink (const char *path)
{
  return change_names ('u', path, NULL, -1, SYS_unlinkat, (long[]){ AT_FDCWD, (long)path, 0, 0, 0 });
}

int
rmdir (const char *path)
{
  return change_names ('x', path, NULL, -1, SYS_unlinkat, (long[]){ AT_FDCWD, (long)path, AT_REMOVEDIR, 0, 0 });
}

int
remove (const char *path)
{
  return unlink (path) == 0 || (errno == EISDIR && rmdir (path) == 0) ? 0 : -1;
}

int
mkdir (const char *path, mode_t mode)
{
  return change_names ('d', path, NULL, -1, SYS_mkdirat, (long[]){ AT_FDCWD, (long)path, (long)mode, 0, 0 });
}

int
link (const char *a, const char *b)
{
  return change_names ('l', a, b, -1, SYS_linkat, (long[]){ AT_FDCWD, (long)a, AT_FDCWD, (long)b, 0 });
}

/* A file that was opened without a name gets one by its descriptor, in either of the two ways. */
int
linkat (int folder, const char *a, int target, const char *b, int flags)
{
  int fd = -1;

  if (flags & AT_EMPTY_PATH)
    fd = folder;
  else
    sscanf (a, "/proc/self/fd/%d", &fd);
  return change_names ('l', a, b, fd, SYS_linkat, (long[]){ folder, (long)a, target, (long)b, flags });
}

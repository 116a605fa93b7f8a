/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preloaded into a program, records or disturbs what it does to the files of one folder. scripts/attack replays the
 * record to the states that a power cut may leave.
 *
 * ATTACK_ROOT   only files below this folder count
 * ATTACK_LOG    a file that gets a record of every operation, below
 * ATTACK_KILL   a number N: SIGKILL in the middle of the Nth operation
 * ATTACK_SPACE  a number of bytes: what is written beyond them fails with ENOSPC
 * ATTACK_BOOT   a file that is read for the identity of the boot: after a power cut it is another one
 *
 * Standard I/O of glibc does not call write() through its table of symbols: fwrite() and its like are followed by a flush
 * and recorded as one write. Memory maps are not seen; SQLite's index of the log, which is rebuilt, is the only one.
 */
#undef _FILE_OFFSET_BITS /* else open64() and its like are other names of open() */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__ (&name))next_symbol (#name))
#define MAX_FILES 4096

/* A record: this head, then size bytes: data, or one or two paths that each end with a zero byte. */
typedef struct
{
  char
      kind; /* o open, c close, p second descriptor, w write, t truncate, s sync, r rename, l link, u unlink, d new folder, x folder removed */
  char fresh; /* of open: 'n' new file, 'a' without a name, 'o' an old one */
  int16_t fd;
  uint32_t size;
  int64_t place; /* of write: offset; of truncate: length; of a second descriptor: its number */
} Record;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char root[PATH_MAX];
static size_t root_length;
static int record_fd = -1;
static long long kill_at = -1, space = -1, operations;
static char watched[MAX_FILES];

static void *
next_symbol (const char *name)
{
  void *symbol = dlsym (RTLD_NEXT, name);

  if (!symbol)
    abort ();
  return symbol;
}

static void
read_settings (void)
{
  const char *folder = getenv ("ATTACK_ROOT"), *log = getenv ("ATTACK_LOG"), *at = getenv ("ATTACK_KILL"),
             *bytes = getenv ("ATTACK_SPACE");

  if (folder)
    root_length = (size_t)snprintf (root, sizeof root, "%s/", folder);
  if (log)
    record_fd = (int)syscall (SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (at)
    kill_at = atoll (at);
  if (bytes)
    space = atoll (bytes);
}

/* The path in full, or an empty one if it is none of the folder. Its last part is followed where it is opened. */
static const char *
inside (const char *path, int follow, char *whole)
{
  char folder[PATH_MAX];
  const char *name = strrchr (path, '/');

  pthread_once (&once, read_settings);
  whole[0] = '\0';
  if (!root_length || strlen (path) >= PATH_MAX)
    return whole;
  if (!follow || !realpath (path, whole))
    {
      snprintf (folder, sizeof folder, "%.*s", name ? (int)(name - path) + (name == path) : 1, name ? path : ".");
      if (!realpath (folder, whole))
        whole[0] = '\0';
      else
        snprintf (whole + strlen (whole), PATH_MAX - strlen (whole), "/%s", name ? name + 1 : path);
    }
  if (strncmp (whole, root, root_length) && (strncmp (whole, root, root_length - 1) || whole[root_length - 1]))
    whole[0] = '\0';
  return whole;
}

static int
is_watched (int fd)
{
  return fd > 2 && fd < MAX_FILES && watched[fd];
}

static void
put (const void *data, size_t size)
{
  if (syscall (SYS_write, record_fd, data, size) != (long)size)
    _exit (99);
}

static void
record (char kind, char fresh, int fd, int64_t place, const void *data, size_t size, const void *more, size_t more_size)
{
  Record head = { kind, fresh, (int16_t)fd, (uint32_t)(size + more_size), place };

  if (record_fd < 0)
    return;
  put (&head, sizeof head);
  put (data, size);
  put (more, more_size);
}

static void
record_paths (char kind, char fresh, int fd, const char *a, const char *b)
{
  record (kind, fresh, fd, 0, a, strlen (a) + 1, b ? b : "", b ? strlen (b) + 1 : 0);
}

static int
is_last (void)
{
  return ++operations == kill_at;
}

static void
die (void)
{
  kill (getpid (), SIGKILL);
  pause ();
}

/* With the lock; dies before it is done where its time has come. */
static void
begin (void)
{
  pthread_once (&once, read_settings);
  pthread_mutex_lock (&lock);
  if (is_last ())
    die ();
}

static void
end (void)
{
  int code = errno;

  pthread_mutex_unlock (&lock);
  errno = code;
}

/* How many of so many bytes there is room for. */
static size_t
take_space (size_t size)
{
  size_t room = space < 0 || (long long)size <= space ? size : (size_t)space;

  if (space >= 0)
    space -= (long long)room;
  return room;
}

/* Bytes to write now; half of them are written where it is the last operation. *full: none. */
static size_t
begin_write (size_t size, int *last, int *full)
{
  size_t room;

  pthread_once (&once, read_settings);
  pthread_mutex_lock (&lock);
  *last = is_last ();
  room = take_space (*last ? size / 2 : size);
  *full = room == 0 && size > 0 && !*last;
  return room;
}

static ssize_t
end_write (int fd, int64_t place, const void *data, ssize_t done, int last, int full)
{
  if (last)
    die ();
  if (full)
    errno = ENOSPC;
  else if (done > 0)
    record ('w', 0, fd, place, data, (size_t)done, NULL, 0);
  end ();
  return full ? -1 : done;
}

static int
opened (int fd, const char *whole, int flags, int existed)
{
  if (fd < 0 || fd >= MAX_FILES)
    return fd;
  watched[fd] = *whole != '\0' && ((flags & O_ACCMODE) != O_RDONLY || (flags & O_DIRECTORY) || !existed);
  if (*whole && !watched[fd])
    {
      struct stat info;

      watched[fd] = fstat (fd, &info) == 0 && S_ISDIR (info.st_mode); /* to be synced */
    }
  if (!watched[fd])
    return fd;
  record_paths ('o', (flags & O_TMPFILE) == O_TMPFILE ? 'a' : existed ? 'o' : 'n', fd, whole, NULL);
  if (existed && (flags & O_TRUNC))
    record ('t', 0, fd, 0, NULL, 0, NULL, 0);
  return fd;
}

static int
open_file (int folder, const char *path, int flags, mode_t mode)
{
  char whole[PATH_MAX];
  struct stat info;
  int fd, existed;

  if (getenv ("ATTACK_BOOT") && strcmp (path, "/proc/sys/kernel/random/boot_id") == 0)
    path = getenv ("ATTACK_BOOT");
  if (folder != AT_FDCWD && *path != '/')
    return (int)syscall (SYS_openat, folder, path, flags, mode);
  inside (path, 1, whole);
  existed = stat (path, &info) == 0;
  if (*whole && (flags & (O_CREAT | O_TRUNC)))
    begin ();
  else
    pthread_mutex_lock (&lock);
  if (*whole && !existed && (flags & O_CREAT) && space == 0)
    fd = -1, errno = ENOSPC;
  else
    fd = opened ((int)syscall (SYS_openat, folder, path, flags | O_LARGEFILE, mode), whole, flags, existed);
  end ();
  return fd;
}

static mode_t
mode_of (int flags, va_list arguments)
{
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg (arguments, mode_t) : 0;
}

#define OPEN(name)                                                                                                     \
  int name (const char *path, int flags, ...)                                                                          \
  {                                                                                                                    \
    va_list arguments;                                                                                                 \
    va_start (arguments, flags);                                                                                       \
    mode_t mode = mode_of (flags, arguments);                                                                          \
    va_end (arguments);                                                                                                \
    return open_file (AT_FDCWD, path, flags, mode);                                                                    \
  }
#define OPENAT(name)                                                                                                   \
  int name (int folder, const char *path, int flags, ...)                                                              \
  {                                                                                                                    \
    va_list arguments;                                                                                                 \
    va_start (arguments, flags);                                                                                       \
    mode_t mode = mode_of (flags, arguments);                                                                          \
    va_end (arguments);                                                                                                \
    return open_file (folder, path, flags, mode);                                                                      \
  }
OPEN (open)
OPEN (open64)
OPENAT (openat)
OPENAT (openat64)

int
creat (const char *path, mode_t mode)
{
  return open_file (AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

static FILE *
open_stream (FILE *(*next) (const char *, const char *), const char *path, const char *mode)
{
  char whole[PATH_MAX];
  int existed, flags = strpbrk (mode, "wa+") ? O_RDWR | (*mode == 'w' ? O_TRUNC : 0) : O_RDONLY;
  FILE *stream;
  struct stat info;

  inside (path, 1, whole);
  existed = stat (path, &info) == 0;
  if (*whole && flags != O_RDONLY)
    begin ();
  else
    pthread_mutex_lock (&lock);
  stream = next (path, mode);
  if (stream)
    opened (fileno (stream), whole, flags, existed);
  end ();
  return stream;
}

FILE *
fopen (const char *path, const char *mode)
{
  return open_stream (NEXT (fopen), path, mode);
}

FILE *
fopen64 (const char *path, const char *mode)
{
  return open_stream (NEXT (fopen64), path, mode);
}

static void
closing (int fd)
{
  pthread_mutex_lock (&lock);
  if (is_watched (fd))
    {
      record ('c', 0, fd, 0, NULL, 0, NULL, 0);
      watched[fd] = 0;
    }
  pthread_mutex_unlock (&lock);
}

int
close (int fd)
{
  closing (fd);
  return (int)syscall (SYS_close, fd);
}

int
fclose (FILE *stream)
{
  closing (fileno (stream));
  return NEXT (fclose) (stream);
}

/* A second descriptor of a file counts as the first. */
static int
control (int fd, int command, void *argument)
{
  int result = (int)syscall (SYS_fcntl, fd, command, argument);

  if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < MAX_FILES && is_watched (fd))
    {
      pthread_mutex_lock (&lock);
      watched[result] = 1;
      record ('p', 0, fd, result, NULL, 0, NULL, 0);
      pthread_mutex_unlock (&lock);
    }
  return result;
}

#define FCNTL(name)                                                                                                    \
  int name (int fd, int command, ...)                                                                                  \
  {                                                                                                                    \
    va_list arguments;                                                                                                 \
    va_start (arguments, command);                                                                                     \
    void *argument = va_arg (arguments, void *);                                                                       \
    va_end (arguments);                                                                                                \
    return control (fd, command, argument);                                                                            \
  }
FCNTL (fcntl)
FCNTL (fcntl64)

ssize_t
write (int fd, const void *data, size_t size)
{
  int last, full;
  int64_t place;
  ssize_t done = -1;

  if (!is_watched (fd))
    return syscall (SYS_write, fd, data, size);
  size = begin_write (size, &last, &full);
  place = fcntl (fd, F_GETFL) & O_APPEND ? lseek (fd, 0, SEEK_END) : lseek (fd, 0, SEEK_CUR);
  if (!full)
    done = syscall (SYS_write, fd, data, size);
  return end_write (fd, place, data, done, last, full);
}

ssize_t
writev (int fd, const struct iovec *pieces, int count)
{
  ssize_t all = 0;

  if (!is_watched (fd))
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

  if (!is_watched (fd))
    return syscall (SYS_pwrite64, fd, data, size, place);
  size = begin_write (size, &last, &full);
  if (!full)
    done = syscall (SYS_pwrite64, fd, data, size, place);
  return end_write (fd, place, data, done, last, full);
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

  if (!is_watched (fd))
    return next (data, size, count, stream);
  room = begin_write (wanted, &last, &full);
  place = ftello (stream);
  if (!full)
    {
      done = next (data, 1, room, stream);
      if (NEXT (fflush) (stream) != 0)
        done = 0;
    }
  end_write (fd, place, data, (ssize_t)done, last, full);
  if (done < wanted)
    errno = ENOSPC;
  return size ? done / size : 0;
}

int
fputs (const char *text, FILE *stream)
{
  if (!is_watched (fileno (stream)))
    return NEXT (fputs) (text, stream);
  return fwrite (text, 1, strlen (text), stream) == strlen (text) ? 1 : EOF;
}

static int
resize (int fd, off64_t length)
{
  int result;

  if (!is_watched (fd))
    return (int)syscall (SYS_ftruncate, fd, length);
  begin ();
  result = (int)syscall (SYS_ftruncate, fd, length);
  if (result == 0)
    record ('t', 0, fd, length, NULL, 0, NULL, 0);
  end ();
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
  if (is_watched (fd) && place + length > info.st_size
      && (take_space ((size_t)(place + length - info.st_size)) < (size_t)(place + length - info.st_size)))
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
  if (!is_watched (fd))
    return 0;
  begin ();
  record ('s', 0, fd, 0, NULL, 0, NULL, 0);
  end ();
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

  inside (a, 0, from);
  if (b)
    inside (b, 0, to);
  begin ();
  result = (int)syscall (number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
  if (result == 0 && (*from || (b && *to)))
    record_paths (kind, 0, fd, from, b ? to : NULL);
  end ();
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

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
 * Here are the record and the functions that open and close files; forget-unsynced-write.c has those that change them.
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
#include <unistd.h>

#include "forget-unsynced.h"

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

void *
attack_next_symbol (const char *name)
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

const char *
attack_inside (const char *path, int follow, char *whole)
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

int
attack_is_watched (int fd)
{
  return fd > 2 && fd < MAX_FILES && watched[fd];
}

static void
put (const void *data, size_t size)
{
  if (syscall (SYS_write, record_fd, data, size) != (long)size)
    _exit (99);
}

void
attack_record (char kind, char fresh, int fd, int64_t place, const void *data, size_t size, const void *more,
               size_t more_size)
{
  Record head = { kind, fresh, (int16_t)fd, (uint32_t)(size + more_size), place };

  if (record_fd < 0)
    return;
  put (&head, sizeof head);
  put (data, size);
  put (more, more_size);
}

void
attack_record_paths (char kind, char fresh, int fd, const char *a, const char *b)
{
  attack_record (kind, fresh, fd, 0, a, strlen (a) + 1, b ? b : "", b ? strlen (b) + 1 : 0);
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

void
attack_begin (void)
{
  pthread_once (&once, read_settings);
  pthread_mutex_lock (&lock);
  if (is_last ())
    die ();
}

void
attack_end (void)
{
  int code = errno;

  pthread_mutex_unlock (&lock);
  errno = code;
}

size_t
attack_take_space (size_t size)
{
  size_t room = space < 0 || (long long)size <= space ? size : (size_t)space;

  if (space >= 0)
    space -= (long long)room;
  return room;
}

size_t
attack_begin_write (size_t size, int *last, int *full)
{
  size_t room;

  pthread_once (&once, read_settings);
  pthread_mutex_lock (&lock);
  *last = is_last ();
  room = attack_take_space (*last ? size / 2 : size);
  *full = room == 0 && size > 0 && !*last;
  return room;
}

ssize_t
attack_end_write (int fd, int64_t place, const void *data, ssize_t done, int last, int full)
{
  if (last)
    die ();
  if (full)
    errno = ENOSPC;
  else if (done > 0)
    attack_record ('w', 0, fd, place, data, (size_t)done, NULL, 0);
  attack_end ();
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
  attack_record_paths ('o', (flags & O_TMPFILE) == O_TMPFILE ? 'a' : existed ? 'o' : 'n', fd, whole, NULL);
  if (existed && (flags & O_TRUNC))
    attack_record ('t', 0, fd, 0, NULL, 0, NULL, 0);
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
  attack_inside (path, 1, whole);
  existed = stat (path, &info) == 0;
  if (*whole && (flags & (O_CREAT | O_TRUNC)))
    attack_begin ();
  else
    pthread_mutex_lock (&lock);
  if (*whole && !existed && (flags & O_CREAT) && space == 0)
    fd = -1, errno = ENOSPC;
  else
    fd = opened ((int)syscall (SYS_openat, folder, path, flags | O_LARGEFILE, mode), whole, flags, existed);
  attack_end ();
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

  attack_inside (path, 1, whole);
  existed = stat (path, &info) == 0;
  if (*whole && flags != O_RDONLY)
    attack_begin ();
  else
    pthread_mutex_lock (&lock);
  stream = next (path, mode);
  if (stream)
    opened (fileno (stream), whole, flags, existed);
  attack_end ();
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
  if (attack_is_watched (fd))
    {
      attack_record ('c', 0, fd, 0, NULL, 0, NULL, 0);
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

  if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < MAX_FILES && attack_is_watched (fd))
    {
      pthread_mutex_lock (&lock);
      watched[result] = 1;
      attack_record ('p', 0, fd, result, NULL, 0, NULL, 0);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Preloaded library: a file system without locks, like some network file systems. */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int fcntl (int fd, int command, ...);
int fcntl64 (int fd, int command, ...);

static int
answer (int fd, int command, void *argument)
{
  if (command == F_SETLK || command == F_SETLKW || command == F_GETLK)
    {
      errno = ENOLCK;
      return -1;
    }
  return (int)syscall (SYS_fcntl, fd, command, argument);
}

#undef fcntl
#undef fcntl64
#define DEFINE(name)                                                                                                   \
  int name (int fd, int command, ...)                                                                                  \
  {                                                                                                                    \
    va_list arguments;                                                                                                 \
    void *argument;                                                                                                    \
                                                                                                                       \
    va_start (arguments, command);                                                                                     \
    argument = va_arg (arguments, void *);                                                                             \
    va_end (arguments);                                                                                                \
    return answer (fd, command, argument);                                                                             \
  }
#if defined(_FILE_OFFSET_BITS) && _FILE_OFFSET_BITS == 64
int plain_fcntl (int fd, int command, ...) __asm__("fcntl");
DEFINE (plain_fcntl)
#else
DEFINE (fcntl)
#endif
DEFINE (fcntl64)

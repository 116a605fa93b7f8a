/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often files are opened.
 */
#pragma once

#include <glib.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Begins to watch a file, or those of a folder. Returns a descriptor to close. */
static inline int
opens_watch (const char *path)
{
  int fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);

  /* Equal events in succession are told as one. */
  g_assert_cmpint (inotify_add_watch (fd, path, IN_OPEN | IN_ACCESS | IN_CLOSE), >=, 0);
  return fd;
}

/* Opens since the last call. */
static inline guint
opens_count (int fd)
{
  union
  {
    char bytes[65536];
    struct inotify_event first;
  } events;
  guint n = 0;
  gssize got;

  while ((got = read (fd, events.bytes, sizeof events)) > 0)
    for (gssize at = 0; at < got;)
      {
        const struct inotify_event *event = (const void *)(events.bytes + at);

        n += (event->mask & (IN_OPEN | IN_ISDIR)) == IN_OPEN;
        at += (gssize)(sizeof *event + event->len);
      }
  return n;
}

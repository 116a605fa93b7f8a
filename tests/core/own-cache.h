/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cache of a test program's own, which keeps everything, and files that lose their content unnoticed.
 */
#pragma once

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/disk-cache.h"

/* Called before GLib is asked for the cache of the user. New; removed with remove_cache(). */
static inline char *
make_cache (void)
{
  char *folder = g_dir_make_tmp ("tosst cache XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("TOSST_CACHE_MB", "1000", TRUE);
  g_setenv ("TOSST_CACHE_ALL", "1", TRUE);
  return folder;
}

static inline void
remove_cache (const char *folder)
{
  g_autofree char *own = g_build_filename (folder, "tosst", NULL),
                  *values = g_build_filename (own, "descriptors", NULL);

  tosst_disk_cache_clear ();
  g_rmdir (values);
  g_rmdir (own);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Paths of all values but the sums of files. New. */
static inline GPtrArray *
list_cache (void)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = tosst_disk_cache_path (NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      struct stat info;

      if (g_stat (path, &info) == 0 && info.st_size != 72 + 64)
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  return paths;
}

/* Sets the time of modification, s. */
static inline void
set_age (const char *path, time_t time)
{
  const struct timespec times[] = { { time, 0 }, { time, 0 } };

  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

/* Other bytes in the middle of an image, with its length and time: who decodes it finds out, and nobody else. */
static inline void
spoil (const char *path)
{
  struct stat info;
  FILE *file = g_fopen (path, "r+");

  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (fseek (file, info.st_size / 2, SEEK_SET), ==, 0);
  g_assert_cmpint (fputs ("spoiled", file), >=, 0);
  g_assert_cmpint (fclose (file), ==, 0);
  g_assert_cmpint (utimensat (AT_FDCWD, path, (const struct timespec[]){ info.st_atim, info.st_mtim }, 0), ==, 0);
}

static inline gint64
get_age (const char *path)
{
  struct stat info;

  g_assert_cmpint (g_stat (path, &info), ==, 0);
  return info.st_mtime;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "targets.h"

static char *folder;

/* What GLib raises then is not known to libFuzzer. */
static void
stop (int number)
{
  abort ();
}

/* What a library calls a mistake of the caller is a finding, but for GdkPixbuf, whose own loaders make some. */
static void __attribute__ ((constructor)) stop_at_criticals (void)
{
  signal (SIGTRAP, stop);
  static const char *const domains[] = { "tosst", "GLib", "GLib-GObject", "GLib-GIO", "Json" };

  for (gsize i = 0; i < G_N_ELEMENTS (domains); i++)
    g_log_set_fatal_mask (domains[i], (GLogLevelFlags)(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
}

GFile *
fuzz_file (const guint8 *data, gsize size)
{
  static int fd = -1;
  static GFile *file;

  if (fd < 0)
    {
      g_autofree char *path = NULL;

      fd = memfd_create ("fuzz", MFD_CLOEXEC);
      path = g_strdup_printf ("/proc/self/fd/%d", fd);
      file = g_file_new_for_path (path);
    }
  if (fd < 0 || ftruncate (fd, 0) != 0 || pwrite (fd, data, size, 0) != (gssize)size)
    g_error ("no file in memory: %s", g_strerror (errno));
  return file;
}

static void
remove_below (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_below (child);
      g_remove (child);
    }
}

void
fuzz_empty_folder (void)
{
  remove_below (fuzz_folder ());
}

static void
remove_folder (void)
{
  fuzz_empty_folder ();
  g_rmdir (folder);
}

const char *
fuzz_folder (void)
{
  if (!folder)
    {
      const char *memory = g_access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir ();

      folder = g_build_filename (memory, "tosst-fuzz-XXXXXX", NULL);
      if (!g_mkdtemp (folder))
        g_error ("no folder in %s: %s", memory, g_strerror (errno));
      atexit (remove_folder);
    }
  return folder;
}

char *
fuzz_text (const guint8 *data, gsize size)
{
  return g_strndup (size > 0 ? (const char *)data : "", size);
}

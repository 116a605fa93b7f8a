/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/error.h"

/* More memory hardly makes a coder faster; the rest remains for other programs. */
#define CODING_SHARE 0.6

/* Bytes of a disk that large files leave free. */
#define DISK_RESERVE ((guint64)2 << 30)

/* Reads a number from a one-line file of the control group; 0 if there is none ("max"). */
static guint64
read_number (const char *path)
{
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? g_ascii_strtoull (text, NULL, 10) : 0;
}

/* What a group and those that contain it leave. Their limits are files of the folder of each. usage: NULL for the whole of
 * what they allow. */
static guint64
leave (const char *root, const char *group, const char *maximum, const char *usage, guint64 available)
{
  g_autofree char *path = g_strdup (group);

  for (char *end = path; end != NULL;)
    {
      g_autofree char *most = g_build_filename (root, path, maximum, NULL),
                      *now = usage != NULL ? g_build_filename (root, path, usage, NULL) : NULL;
      guint64 limit = read_number (most), used = now != NULL ? read_number (now) : 0;

      if (limit > 0)
        available = MIN (available, limit > used ? limit - used : 0);
      end = strrchr (path, '/');
      if (end != NULL)
        *end = '\0';
    }
  return available;
}

gsize
tosst_memory_of_groups (const char *groups, const char *root, gsize available, gboolean used)
{
  g_auto (GStrv) lines = g_strsplit (groups, "\n", -1);
  g_autofree char *older = g_build_filename (root, "memory", NULL);

  available = leave (root, "", "memory.max", used ? "memory.current" : NULL, available);
  for (char **line = lines; *line != NULL; line++)
    {
      g_auto (GStrv) parts = g_strsplit (*line, ":", 3);

      /* A group outside those that the process sees has a path with "..". */
      if (g_strv_length (parts) < 3 || strstr (parts[2], "..") != NULL)
        continue;
      if (*parts[1] == '\0')
        available = leave (root, parts[2], "memory.max", used ? "memory.current" : NULL, available);
      else if (strcmp (parts[1], "memory") == 0)
        available = leave (older, parts[2], "memory.limit_in_bytes", used ? "memory.usage_in_bytes" : NULL, available);
    }
  return available;
}

gsize
tosst_memory_total (void)
{
  static gsize total;

  if (g_once_init_enter (&total))
    {
      g_autofree char *groups = NULL;
      gsize pages = (gsize)sysconf (_SC_PHYS_PAGES);

      g_file_get_contents ("/proc/self/cgroup", &groups, NULL, NULL);
      g_once_init_leave (&total, tosst_memory_of_groups (groups != NULL ? groups : "", "/sys/fs/cgroup",
                                                         pages * (gsize)sysconf (_SC_PAGESIZE), FALSE));
    }
  return total;
}

gsize
tosst_memory_available (void)
{
  g_autofree char *text = NULL, *groups = NULL;
  guint64 available = (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);

  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    {
      const char *line = strstr (text, "MemAvailable:");
      if (line != NULL)
        available = g_ascii_strtoull (line + strlen ("MemAvailable:"), NULL, 10) * 1024;
    }
  g_file_get_contents ("/proc/self/cgroup", &groups, NULL, NULL);
  return tosst_memory_of_groups (groups != NULL ? groups : "", "/sys/fs/cgroup", available, TRUE);
}

gsize
tosst_memory_for_coding (void)
{
  return (gsize)(CODING_SHARE * (double)tosst_memory_available ());
}

/* Fonts and their threads. */
#define DRAWING ((gsize)192 << 20)

gboolean
tosst_memory_check_drawing (GError **error)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return TRUE;
  void *room = mmap (NULL, DRAWING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED)
    munmap (room, DRAWING);
  return room != MAP_FAILED
         || tosst_fail (error, TOSST_FAILED_OUTPUT,
                        _ ("pictures need %d MB more than the memory limit (ulimit -v) leaves; raise it"),
                        (int)(DRAWING >> 20));
}

double
tosst_memory_peak_mb (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

static gboolean
find_free (GFile *folder, guint64 *bytes)
{
  g_autoptr (GFileInfo) info = g_file_query_filesystem_info (folder, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);

  if (info != NULL)
    *bytes = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE);
  return info != NULL;
}

guint64
tosst_disk_free (GFile *file)
{
  g_autoptr (GFile) place = g_object_ref (file);
  guint64 bytes = 0;

  while (place != NULL && !find_free (place, &bytes))
    {
      GFile *parent = g_file_get_parent (place);

      g_object_unref (place);
      place = parent;
    }
  return bytes;
}

gboolean
tosst_disk_has_room (GFile *folder, guint64 bytes)
{
  return tosst_disk_free (folder) > bytes + DISK_RESERVE;
}

char *
tosst_machine_cpu (void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++)
    if (g_str_has_prefix (*line, "model name") && strchr (*line, ':'))
      return g_strdup (g_strstrip (strchr (*line, ':') + 1));
  return g_strdup ("");
}

char *
tosst_machine_blas (void)
{
  TosstBlasLibrary blas;

  tosst_blas_describe (&blas);
  return g_strdup (blas.kernel != NULL ? blas.kernel : blas.name);
}

char *
tosst_machine_boot (void)
{
  char *boot = NULL;

  if (!g_file_get_contents ("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
    return g_strdup (g_get_host_name ());
  return g_strchomp (boot);
}

void
tosst_leave (int status)
{
  fflush (stdout);
  fflush (stderr);
#if LEAVES_AT_ONCE
  _exit (status);
#else
  exit (status);
#endif
}

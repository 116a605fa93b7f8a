/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/memory.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

gsize
tosst_memory_available (void)
{
  g_autofree char *text = NULL;
  guint64 available = (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);

  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    {
      const char *line = strstr (text, "MemAvailable:");
      if (line != NULL)
        available = g_ascii_strtoull (line + strlen ("MemAvailable:"), NULL, 10) * 1024;
    }
  guint64 limit = read_number ("/sys/fs/cgroup/memory.max"), used = read_number ("/sys/fs/cgroup/memory.current");
  if (limit > used && limit - used < available)
    available = limit - used;
  return available;
}

gsize
tosst_memory_for_coding (void)
{
  return (gsize)(CODING_SHARE * (double)tosst_memory_available ());
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

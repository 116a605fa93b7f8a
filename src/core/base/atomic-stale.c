/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Temporary files of killed programs. A temporary file is open for writing from its creation to its end, so that one
 * without a writer is stale. The test is a read lease, which the kernel grants only for a file that no process has
 * open for writing. This is reliable for local file systems only; files on others, which other machines may write, are
 * not removed.
 */
#define _GNU_SOURCE
#include "config.h"

#include "core/base/atomic-stale.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PREFIX ".tosst-"
#define DIGITS 16
#define SUFFIX ".tmp"

char *
tosst_atomic_temporary_name (const char *folder)
{
  g_autofree char *name = g_strdup_printf (PREFIX "%08x%08x" SUFFIX, g_random_int (), g_random_int ());

  return g_build_filename (folder, name, NULL);
}

static gboolean
is_temporary_name (const char *name)
{
  return strlen (name) == strlen (PREFIX SUFFIX) + DIGITS && g_str_has_prefix (name, PREFIX)
         && strspn (name + strlen (PREFIX), "0123456789abcdef") == DIGITS && g_str_has_suffix (name, SUFFIX);
}

/* File system numbers of linux/magic.h, and some missing from it. */
static gboolean
is_local (const char *folder)
{
  static const guint32 types[] = {
    0xef53,     /* ext2, ext3, ext4 */
    0x58465342, /* xfs */
    0x9123683e, /* btrfs */
    0xf2f52010, /* f2fs */
    0x01021994, /* tmpfs */
    0x858458f6, /* ramfs */
    0x794c7630, /* overlayfs */
    0x2fc12fc1, /* zfs */
    0xca451a4e, /* bcachefs */
    0x3153464a, /* jfs */
    0x4d44,     /* vfat */
    0x2011bab0, /* exfat */
    0x7366746e, /* ntfs3 */
  };
  struct statfs info;

  for (gsize i = 0; statfs (folder, &info) == 0 && i < G_N_ELEMENTS (types); i++)
    if ((guint32)info.f_type == types[i])
      return TRUE;
  return FALSE;
}

static void
remove_stale (const char *path)
{
  int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat ours, named;

  if (fd < 0)
    return;
  if (fstat (fd, &ours) == 0 && S_ISREG (ours.st_mode) && ours.st_uid == geteuid ()
      && fcntl (fd, F_SETLEASE, F_RDLCK) == 0)
    {
      /* The file may have been renamed between lookup and open, and its name reused. */
      if (lstat (path, &named) == 0 && named.st_dev == ours.st_dev && named.st_ino == ours.st_ino)
        g_unlink (path);
      fcntl (fd, F_SETLEASE, F_UNLCK);
    }
  close (fd);
}

static gboolean
is_first_time (const char *folder)
{
  static GMutex lock;
  static GHashTable *seen;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);

  if (seen == NULL)
    seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return g_hash_table_add (seen, g_strdup (folder));
}

void
tosst_atomic_remove_stale (const char *folder)
{
  g_autoptr (GDir) dir = is_first_time (folder) && is_local (folder) ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_temporary_name (name))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        remove_stale (path);
      }
}

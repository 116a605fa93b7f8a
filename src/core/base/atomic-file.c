/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the file system supports it, a temporary file has no name until it is complete: nothing remains after any end
 * of the program. Elsewhere, and for libraries that write by path, it has a name, and after a kill it is removed by
 * the next program that writes in the folder: see below.
 */
#define _GNU_SOURCE
#include "core/base/atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/error.h"

/* Temporary files of killed programs. A temporary file is open for writing from its creation to its end, so that one
 * without a writer is stale. The test is a read lease, which the kernel grants only for a file that no process has
 * open for writing. This is reliable for local file systems only; files on others, which other machines may write, are
 * not removed. */

#define PREFIX ".tosst-"
#define DIGITS 16
#define SUFFIX ".tmp"

/* Name of a temporary file in folder: ".tosst-", 16 hexadecimal digits, ".tmp". New. */
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

/* Removes temporary files of killed programs from a folder. Runs once per process and folder; later calls do
 * nothing. */
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

struct TosstAtomicFile
{
  char *target;     /* path with symbolic links resolved, so that a link is kept */
  char *temporary;  /* in the target's folder; NULL after the rename, or for an unnamed file */
  FILE *stream;     /* NULL once committed or after a failure to flush */
  int held;         /* the same file, open until it has its final name; -1: none */
  gboolean by_path; /* written by a library that needs a path */
  gboolean whole;   /* flushed */
};

/* Bytes per copied block. */
#define PIECE (1 << 20)

/* Protects the naming of files, and the list below: names of all existing temporary files, borrowed. */
static GMutex names_lock;
static GPtrArray *names;

/* Whether the file system of a device (gint64) supports unnamed files that can be named later. */
static GMutex devices_lock;
static GHashTable *devices;

static gboolean
fail_errno (const char *path, int code, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s: cannot be written: %s"), name, g_strerror (code));
}

static gboolean
fail_text (const char *path, const char *text, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  return tosst_fail (error, TOSST_FAILED_OUTPUT, "%s: %s", name, text);
}

/* Maximum length of a chain of symbolic links, as in the kernel. */
#define MAX_LINKS 40

/* Resolves a link whose target does not exist yet: the path of the file that would be created. Takes path. */
static char *
follow_links (char *path)
{
  struct stat info;

  for (int i = 0; i < MAX_LINKS && stat (path, &info) != 0 && errno == ENOENT; i++)
    {
      g_autofree char *folder = g_path_get_dirname (path), *target = g_file_read_link (path, NULL);

      if (target == NULL)
        break;
      g_free (path);
      path = g_path_is_absolute (target) ? g_strdup (target) : g_build_filename (folder, target, NULL);
    }
  return path;
}

/* Returns the path that the rename will replace; NULL with an error if no regular file can be created there. */
static char *
resolve_target (GFile *file, GError **error)
{
  g_autofree char *path = g_file_get_path (file), *folder = NULL;
  struct stat info;

  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_parse_name (file);

      return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s: is not in a local folder"), uri), NULL;
    }
  path = follow_links (g_steal_pointer (&path));
  folder = g_path_get_dirname (path);
  if (stat (folder, &info) != 0)
    return errno == ENOENT ? fail_text (path, _ ("its folder does not exist"), error) : fail_errno (path, errno, error),
           NULL;
  if (!S_ISDIR (info.st_mode))
    return fail_text (path, _ ("its folder is a file"), error), NULL;
  /* The temporary name is short: a final name that is too long would otherwise be detected only after the work. */
  if (lstat (path, &info) != 0 && errno == ENAMETOOLONG)
    return fail_errno (path, errno, error), NULL;
  if (stat (path, &info) != 0)
    return errno == ELOOP ? fail_errno (path, ELOOP, error), NULL : g_steal_pointer (&path);
  if (S_ISDIR (info.st_mode))
    return fail_text (path, _ ("is a folder, not a file"), error), NULL;
  if (!S_ISREG (info.st_mode))
    return fail_text (path, _ ("is not a regular file and cannot be replaced"), error), NULL;
  char *real = realpath (path, NULL);
  if (real != NULL)
    {
      g_free (path);
      path = g_strdup (real);
      free (real);
    }
  return g_steal_pointer (&path);
}

static int
create_named (char *path)
{
  g_mutex_lock (&names_lock);
  int fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  int code = errno;
  if (names == NULL)
    names = g_ptr_array_new ();
  if (fd >= 0)
    g_ptr_array_add (names, path);
  g_mutex_unlock (&names_lock);
  errno = code;
  return fd;
}

/* The file may have been removed or renamed. */
static void
forget_name (char **path)
{
  g_mutex_lock (&names_lock);
  g_ptr_array_remove_fast (names, *path);
  g_mutex_unlock (&names_lock);
  g_clear_pointer (path, g_free);
}

void
tosst_atomic_abandon_all (void)
{
  g_mutex_lock (&names_lock);
  for (guint i = 0; names != NULL && i < names->len; i++)
    g_unlink (names->pdata[i]);
}

/* Not mkstemp(): the file must get the mode that the user's umask gives to new files. */
static int
create_temporary (const char *folder, char **temporary)
{
  for (int attempt = 0; attempt < 100; attempt++)
    {
      g_autofree char *path = tosst_atomic_temporary_name (folder);
      int fd = create_named (path);

      if (fd >= 0)
        {
          *temporary = g_steal_pointer (&path);
          return fd;
        }
      if (errno != EEXIST)
        break;
    }
  return -1;
}

static int
create_unnamed (const char *folder)
{
  return g_open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

static gboolean
give_name (int fd, const char *path)
{
  char self[32];

  g_snprintf (self, sizeof self, "/proc/self/fd/%d", fd);
  return linkat (AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Tests linkat() on a real file: without /proc, and in some containers, unnamed files cannot be linked. *sure: the
 * result holds for the device; all other errors are detected by the attempt with a named file. */
static gboolean
can_be_unnamed (const char *folder, gboolean *sure)
{
  g_autofree char *path = tosst_atomic_temporary_name (folder);
  int fd = create_unnamed (folder);
  gboolean can = fd >= 0 && give_name (fd, path);

  *sure = fd >= 0 || errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
  if (can)
    g_unlink (path);
  if (fd >= 0)
    close (fd);
  return can;
}

/* As above, tested once per device. */
static gboolean
has_unnamed (const char *folder)
{
  gpointer known;
  struct stat info;
  gboolean can, sure;

  if (stat (folder, &info) != 0)
    return FALSE;
  gint64 device = (gint64)info.st_dev;
  g_mutex_lock (&devices_lock);
  if (devices == NULL)
    devices = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (g_hash_table_lookup_extended (devices, &device, NULL, &known))
    can = GPOINTER_TO_INT (known);
  else
    {
      can = can_be_unnamed (folder, &sure);
      if (sure)
        g_hash_table_insert (devices, g_memdup2 (&device, sizeof device), GINT_TO_POINTER (can));
    }
  g_mutex_unlock (&devices_lock);
  return can;
}

static TosstAtomicFile *
open_file (GFile *file, gboolean named, GError **error)
{
  g_autofree char *target = resolve_target (file, error);
  g_autofree char *folder = target != NULL ? g_path_get_dirname (target) : NULL;
  struct stat info;
  char *temporary = NULL;
  int fd = -1;

  if (target == NULL)
    return NULL;
  tosst_atomic_remove_stale (folder);
  if (!named && has_unnamed (folder))
    fd = create_unnamed (folder);
  if (fd < 0)
    fd = create_temporary (folder, &temporary);
  if (fd < 0)
    return fail_errno (target, errno, error), NULL;
  /* A replaced file keeps its permissions; where that is not permitted the new file has default ones. */
  if (stat (target, &info) == 0 && fchmod (fd, info.st_mode & 0777) != 0)
    g_debug ("%s: permissions not kept: %s", target, g_strerror (errno));
  TosstAtomicFile *self = g_new0 (TosstAtomicFile, 1);
  self->target = g_steal_pointer (&target);
  self->temporary = temporary;
  self->by_path = named;
  self->held = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  self->stream = self->held >= 0 ? fdopen (fd, "wb") : NULL;
  if (self->stream == NULL)
    {
      fail_errno (self->target, errno, error);
      close (fd);
      tosst_atomic_file_free (self);
      return NULL;
    }
  return self;
}

TosstAtomicFile *
tosst_atomic_file_open (GFile *file, GError **error)
{
  return open_file (file, FALSE, error);
}

TosstAtomicFile *
tosst_atomic_file_open_named (GFile *file, GError **error)
{
  return open_file (file, TRUE, error);
}

gboolean
tosst_atomic_file_write (TosstAtomicFile *self, gconstpointer data, gsize size, GError **error)
{
  errno = 0;
  if (size > 0 && fwrite (data, 1, size, self->stream) != size)
    return fail_errno (self->target, errno != 0 ? errno : EIO, error);
  return TRUE;
}

const char *
tosst_atomic_file_temporary_path (TosstAtomicFile *self)
{
  return self->temporary;
}

/* Some file systems do not support fsync() and give no stronger guarantee. */
static gboolean
sync_descriptor (int fd)
{
  return fsync (fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static gboolean
sync_path (const char *path)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);

  if (fd < 0)
    return errno == EACCES; /* a file without read permission for its owner */
  gboolean done = sync_descriptor (fd);
  int code = errno;
  close (fd);
  errno = code;
  return done;
}

/* Flushes the stream's file and, where a library that writes by path has replaced it, the file under that name. */
static gboolean
flush_temporary (TosstAtomicFile *self)
{
  FILE *stream = g_steal_pointer (&self->stream);
  gboolean flushed = fflush (stream) == 0 && sync_descriptor (fileno (stream));
  struct stat ours, named;
  int code = errno;

  gboolean same = !self->by_path
                  || (fstat (fileno (stream), &ours) == 0 && stat (self->temporary, &named) == 0
                      && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino);
  if (fclose (stream) != 0 && flushed)
    return FALSE;
  errno = code;
  return flushed && (same || sync_path (self->temporary));
}

/* linkat() cannot replace an existing name: the file is linked under a temporary name and renamed. */
static gboolean
link_target (TosstAtomicFile *self)
{
  g_autofree char *folder = g_path_get_dirname (self->target);

  if (give_name (self->held, self->target))
    return TRUE;
  for (int attempt = 0; attempt < 100 && errno == EEXIST; attempt++)
    {
      g_autofree char *path = tosst_atomic_temporary_name (folder);

      if (!give_name (self->held, path))
        continue;
      if (g_rename (path, self->target) == 0)
        return TRUE;
      int code = errno;
      g_unlink (path);
      errno = code;
      return FALSE;
    }
  return FALSE;
}

/* The file stays open until it has its final name: a temporary file without an open descriptor is treated as
 * stale. */
static gboolean
finish (TosstAtomicFile *self)
{
  g_autofree char *folder = g_path_get_dirname (self->target);

  g_mutex_lock (&names_lock);
  gboolean done = self->temporary != NULL ? g_rename (self->temporary, self->target) == 0 : link_target (self);
  int code = errno;
  g_mutex_unlock (&names_lock);
  errno = code;
  if (!done)
    return FALSE;
  if (self->temporary != NULL)
    forget_name (&self->temporary);
  /* Makes the rename durable against power loss. A folder that cannot be opened cannot be flushed either. */
  if (!sync_path (folder))
    g_debug ("%s: not flushed: %s", folder, g_strerror (errno));
  return TRUE;
}

gboolean
tosst_atomic_file_commit (TosstAtomicFile *self, GError **error)
{
  struct stat info;

  self->whole = flush_temporary (self);
  if (!self->whole)
    return fail_errno (self->target, errno, error);
  if (stat (self->target, &info) == 0 && S_ISDIR (info.st_mode))
    return fail_text (self->target, _ ("is a folder, not a file"), error);
  return finish (self) || fail_errno (self->target, errno, error);
}

/* A file without a remaining link, or for another file system, can only be copied. */
static gboolean
copy_held (TosstAtomicFile *self, GFile *file, GError **error)
{
  g_autoptr (TosstAtomicFile) copy = tosst_atomic_file_open (file, error);
  g_autofree char *self_path = g_strdup_printf ("/proc/self/fd/%d", self->held), *piece = g_malloc (PIECE);
  int fd = g_open (self_path, O_RDONLY | O_CLOEXEC, 0);
  gboolean fine = copy != NULL && (fd >= 0 || fail_errno (self->target, errno, error));
  ssize_t n = 0;

  while (fine && (n = read (fd, piece, PIECE)) > 0)
    fine = tosst_atomic_file_write (copy, piece, (gsize)n, error);
  if (fine && n < 0)
    fine = fail_errno (self->target, errno, error);
  if (fd >= 0)
    close (fd);
  return fine && tosst_atomic_file_commit (copy, error);
}

gboolean
tosst_atomic_file_commit_as (TosstAtomicFile *self, GFile *file, GError **error)
{
  if (self->stream != NULL)
    return tosst_atomic_file_commit (self, error);
  if (!self->whole)
    return fail_errno (self->target, EIO, error);
  g_free (self->target);
  self->target = g_file_get_path (file);
  return finish (self) || copy_held (self, file, error);
}

void
tosst_atomic_file_free (TosstAtomicFile *self)
{
  if (self == NULL)
    return;
  if (self->stream != NULL)
    fclose (self->stream);
  if (self->temporary != NULL)
    {
      g_unlink (self->temporary);
      forget_name (&self->temporary);
    }
  if (self->held >= 0)
    close (self->held);
  g_free (self->target);
  g_free (self);
}

void
tosst_remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *below = g_build_filename (path, name, NULL);

      if (g_file_test (below, G_FILE_TEST_IS_DIR) && !g_file_test (below, G_FILE_TEST_IS_SYMLINK))
        tosst_remove_tree (below);
      else
        g_unlink (below);
    }
  g_rmdir (path);
}

gboolean
tosst_make_folder (GFile *folder, const char *name, GError **error)
{
  g_autofree char *own = name == NULL ? g_file_get_parse_name (folder) : NULL;
  g_autoptr (GError) cause = NULL;

  return g_file_make_directory_with_parents (folder, NULL, &cause)
         || g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_EXISTS)
         || tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s could not be created: %s"), name != NULL ? name : own,
                        tosst_error_reason (cause));
}

gboolean
tosst_atomic_write (GFile *file, gconstpointer data, gsize size, GError **error)
{
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open (file, error);

  return output != NULL && tosst_atomic_file_write (output, data, size, error)
         && tosst_atomic_file_commit (output, error);
}

gboolean
tosst_atomic_check (GFile *file, GError **error)
{
  /* Creating the temporary file is the only test that covers all causes: permissions, read-only mounts, quotas,
   * links. */
  g_autoptr (TosstAtomicFile) output = tosst_atomic_file_open (file, error);

  return output != NULL;
}

/* Results that took long to compute and whose folder was removed or became read-only: they are saved under another
 * name. */

/* Returns the nearest writable parent folder. */
static char *
nearest_folder (const char *path)
{
  char *folder = g_path_get_dirname (path);

  while (access (folder, W_OK) != 0 && strcmp (folder, "/") != 0 && strcmp (folder, ".") != 0)
    {
      char *above = g_path_get_dirname (folder);

      g_free (folder);
      folder = above;
    }
  if (access (folder, W_OK) == 0)
    return folder;
  g_free (folder);
  return g_strdup (g_get_tmp_dir ());
}

/* Reserves the name with an empty file, as other programs may search for a name at the same time. */
GFile *
tosst_atomic_elsewhere (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file), *at = g_file_get_path (file);
  g_autofree char *folder = at != NULL ? nearest_folder (at) : g_strdup (g_get_user_data_dir ());
  const char *ending = strrchr (base, '.');

  for (int i = 1; i < 1000; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.rescued-%d%s", base, i, ending != NULL ? ending : "");
      g_autofree char *path = g_build_filename (folder, name, NULL);
      int fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

      if (fd >= 0)
        {
          close (fd);
          return g_file_new_for_path (path);
        }
      if (errno != EEXIST)
        break;
    }
  return NULL;
}

gboolean
tosst_atomic_keep (GFile *file, TosstAtomicSave save, gpointer data, GError **error)
{
  GError *cause = NULL;
  g_autoptr (GFile) elsewhere = NULL;

  if (save (file, data, &cause))
    return TRUE;
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_OUTPUT))
    elsewhere = tosst_atomic_elsewhere (file);
  if (elsewhere != NULL && save (elsewhere, data, NULL))
    {
      g_autofree char *why = g_strdup (cause->message), *name = g_file_get_parse_name (elsewhere);

      g_clear_error (&cause);
      tosst_fail (&cause, TOSST_FAILED_OUTPUT, _ ("%s; the result is kept in %s"), why, name);
    }
  else if (elsewhere != NULL)
    g_file_delete (elsewhere, NULL, NULL);
  if (error == NULL || *error == NULL)
    return g_propagate_error (error, cause), FALSE;
  /* The message is appended to that of an earlier output. */
  g_autofree char *before = (*error)->message;
  (*error)->message = g_strdup_printf ("%s; %s", before, cause->message);
  g_error_free (cause);
  return FALSE;
}

static gboolean
save_text (GFile *file, gpointer text, GError **error)
{
  return tosst_atomic_write (file, text, strlen (text), error);
}

gboolean
tosst_atomic_keep_text (GFile *file, const char *text, GError **error)
{
  return file == NULL || tosst_atomic_keep (file, save_text, (gpointer)text, error);
}

static gboolean
save_stream (GFile *file, gpointer data, GError **error)
{
  return tosst_atomic_file_commit_as (data, file, error);
}

gboolean
tosst_atomic_file_keep (TosstAtomicFile *self, GFile *file, GError **error)
{
  return tosst_atomic_keep (file, save_stream, self, error);
}

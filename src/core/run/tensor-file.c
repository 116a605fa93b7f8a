/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A header, with the hash of the rows and their number, and the rows. The number is written after the rows: as long as
 * the system is up, a reader finds complete rows even if the writer was killed.
 */
#include "config.h"

#include "core/run/tensor-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/machine.h"
#include "core/base/memory.h"
#include "core/run/hash.h"

#define MAGIC "tosstROW"

typedef struct
{
  char magic[8];
  char origin[64]; /* checksum of program, machine and hash, as text */
  guint64 rows, row_bytes, count;
} Head;

#define FIRST 4096 /* offset of the first row */

struct TosstTensorFile
{
  int file;
  char *path;
  Head head;
};

static gboolean
transfer (int file, gboolean writes, char *data, gsize size, guint64 offset)
{
  while (size > 0)
    {
      gssize n = writes ? pwrite (file, data, size, (off_t)offset) : pread (file, data, size, (off_t)offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      data += n;
      offset += (gsize)n;
      size -= (gsize)n;
    }
  return TRUE;
}

static gboolean
write_head (TosstTensorFile *self)
{
  return transfer (self->file, TRUE, (char *)&self->head, sizeof self->head, 0);
}

/* Whether the file has the rows of this header; reads their number. */
static gboolean
has_rows (TosstTensorFile *self)
{
  Head found;
  struct stat info;

  if (!transfer (self->file, FALSE, (char *)&found, sizeof found, 0) || fstat (self->file, &info) != 0
      || memcmp (&found, &self->head, G_STRUCT_OFFSET (Head, count)) != 0 || found.count > found.rows
      || (guint64)info.st_size < FIRST + found.count * found.row_bytes)
    return FALSE;
  self->head.count = found.count;
  return TRUE;
}

/* A writer locks the file exclusively; readers of a complete file share the lock. */
static gboolean
lock (TosstTensorFile *self, gboolean alone)
{
  return flock (self->file, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
}

static void
share (TosstTensorFile *self)
{
  if (self->head.count == self->head.rows)
    lock (self, FALSE);
}

/* Starts an empty file, discarding any content. */
static gboolean
begin (TosstTensorFile *self)
{
  g_autoptr (GFile) file = g_file_new_for_path (self->path);
  g_autoptr (GFile) folder = g_file_get_parent (file);

  return ftruncate (self->file, 0) == 0 && tosst_disk_has_room (folder, FIRST + self->head.rows * self->head.row_bytes)
         && write_head (self);
}

static gboolean
open_rows (TosstTensorFile *self, gboolean creates)
{
  struct stat info;

  self->file = open (self->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creates ? O_CREAT : 0), 0600);
  if (self->file < 0)
    return FALSE;
  if (!lock (self, TRUE))
    return lock (self, FALSE) && has_rows (self) && self->head.count == self->head.rows;
  /* Another process may have deleted the file between opening and locking. */
  if (fstat (self->file, &info) != 0 || info.st_nlink == 0)
    return FALSE;
  if (has_rows (self))
    {
      share (self);
      return TRUE;
    }
  if (creates && begin (self))
    return TRUE;
  unlink (self->path);
  return FALSE;
}

TosstTensorFile *
tosst_tensor_file_open (GFile *file, const char *hash, gsize rows, gsize row_bytes, gboolean creates)
{
  g_autoptr (TosstTensorFile) self = g_new0 (TosstTensorFile, 1);
  g_autofree char *boot = tosst_machine_boot (), *cpu = tosst_machine_cpu (), *blas = tosst_machine_blas ();
  g_autofree char *text
      = g_strdup_printf (PACKAGE_VERSION "\n%d\n%s\n%s\n%s\n%s\n", TOSST_NUMERICS, boot, cpu, blas, hash);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  self->path = g_file_get_path (file);
  self->head = (Head){ .magic = MAGIC, .rows = rows, .row_bytes = row_bytes };
  self->file = -1;
  memcpy (self->head.origin, sum, sizeof self->head.origin);
  return self->path != NULL && open_rows (self, creates) ? g_steal_pointer (&self) : NULL;
}

GFile *
tosst_tensor_file_folder (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "tosst", NULL);

  g_mkdir_with_parents (folder, 0700);
  return g_file_new_for_path (folder);
}

/* An unnamed file for so many bytes, or -1. */
static int
open_unnamed (gsize bytes)
{
  g_autoptr (GFile) place = tosst_tensor_file_folder ();
  g_autofree char *name = g_build_filename (g_file_peek_path (place), "tensors-XXXXXX", NULL);
  int file = tosst_disk_has_room (place, bytes) ? g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600) : -1;

  if (file >= 0)
    unlink (name);
  return file;
}

TosstTensorFile *
tosst_tensor_file_new_temporary (gsize rows, gsize row_bytes)
{
  g_autoptr (TosstTensorFile) self = g_new0 (TosstTensorFile, 1);

  self->head = (Head){ .magic = MAGIC, .rows = rows, .row_bytes = row_bytes };
  self->file = open_unnamed (FIRST + rows * row_bytes);
  return self->file >= 0 ? g_steal_pointer (&self) : NULL;
}

gpointer
tosst_tensor_file_map (gsize bytes)
{
  int file = open_unnamed (bytes);
  gpointer memory = MAP_FAILED;

  if (file < 0)
    return NULL;
  /* A write to a mapped page that the disk has no room for would end the program. */
  if (posix_fallocate (file, 0, (off_t)bytes) == 0)
    memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  return memory != MAP_FAILED ? memory : NULL;
}

void
tosst_tensor_file_free (TosstTensorFile *self)
{
  if (self == NULL)
    return;
  if (self->file >= 0)
    close (self->file);
  g_free (self->path);
  g_free (self);
}

gsize
tosst_tensor_file_count (const TosstTensorFile *self)
{
  return self->head.count;
}

gboolean
tosst_tensor_file_append (TosstTensorFile *self, gsize n, gconstpointer data)
{
  gsize bytes = self->head.row_bytes;

  if (transfer (self->file, TRUE, (char *)data, n * bytes, FIRST + self->head.count * bytes))
    {
      self->head.count += n;
      if (write_head (self))
        {
          share (self);
          return TRUE;
        }
    }
  if (self->path != NULL)
    unlink (self->path);
  return FALSE;
}

gboolean
tosst_tensor_file_read (const TosstTensorFile *self, gsize first, gsize n, gpointer data)
{
  return transfer (self->file, FALSE, data, n * self->head.row_bytes, FIRST + first * self->head.row_bytes);
}

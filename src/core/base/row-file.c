/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/base/row-file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/input-file.h"
#include "core/base/machine.h"

struct TosstRowFile
{
  int file;
  gsize row_bytes, count;
};

GFile *
tosst_row_file_folder (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "tosst", NULL);

  g_mkdir_with_parents (folder, 0700);
  return g_file_new_for_path (folder);
}

/* An unnamed file for so many bytes, or -1. */
static int
open_unnamed (gsize bytes)
{
  g_autoptr (GFile) place = tosst_row_file_folder ();
  g_autofree char *name = g_build_filename (g_file_peek_path (place), "tensors-XXXXXX", NULL);
  int file = tosst_disk_has_room (place, bytes) ? g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600) : -1;

  if (file >= 0)
    unlink (name);
  return file;
}

TosstRowFile *
tosst_row_file_new (gsize rows, gsize row_bytes)
{
  const TosstRowFile self = { open_unnamed (rows * row_bytes), row_bytes, 0 };

  return self.file >= 0 ? g_memdup2 (&self, sizeof self) : NULL;
}

gpointer
tosst_row_file_map (gsize bytes)
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
tosst_row_file_free (TosstRowFile *self)
{
  if (self == NULL)
    return;
  close (self->file);
  g_free (self);
}

gboolean
tosst_row_file_append (TosstRowFile *self, gsize n, gconstpointer data)
{
  g_autoptr (GFile) place = tosst_row_file_folder ();
  gsize bytes = self->row_bytes;

  if (!tosst_disk_has_room (place, n * bytes)
      || !tosst_file_transfer (self->file, TRUE, (char *)data, n * bytes, self->count * bytes))
    return FALSE;
  self->count += n;
  return TRUE;
}

gboolean
tosst_row_file_read (const TosstRowFile *self, gsize first, gsize n, gpointer data)
{
  return tosst_file_transfer (self->file, FALSE, data, n * self->row_bytes, first * self->row_bytes);
}

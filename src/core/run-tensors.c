/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the tensors of a run are: in memory, in a file without a name, or nowhere, to be described again when they are
 * asked for. What the recipe's splits read several times and memory should not hold goes into the file; on a disk of
 * some hundred MB/s reading takes less than describing and whitening. A file that cannot be made, or a full disk, costs
 * time and nothing else.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#include "describe-patches.h"
#include "error.h"
#include "run-private.h"

/* Bytes that the file leaves free on its disk. */
#define DISK_RESERVE ((guint64)2 << 30)

static gsize
row_bytes (const TosstRun *self)
{
  return self->layout->m * sizeof (float);
}

/* Tensors of the given patches (ascending) of one image. */
static gboolean
describe_image (TosstRun *self, guint image, const TosstPoint *points, gsize n, float *tensors, GError **error)
{
  g_autoptr (TosstImage) pixels = NULL;

  if (n == 0)
    return TRUE;
  pixels = tosst_dataset_read (self->dataset, image, error);
  if (pixels == NULL)
    return FALSE;
  TosstStatus status = tosst_describe_patches (self->recipe, self->context, pixels, points, n, tensors);
  return tosst_error_from_status (status, self->context, tosst_dataset_image (self->dataset, image)->name, error);
}

static gboolean
has_room (const char *folder, guint64 bytes)
{
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  g_autoptr (GFileInfo) info = g_file_query_filesystem_info (file, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);

  return info != NULL
         && g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE) > bytes + DISK_RESERVE;
}

/* A file that goes when it is closed, however the program ends; -1 if there can be none. */
static int
open_nameless (guint64 bytes)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "tosst", NULL);
  g_autofree char *name = g_build_filename (folder, "tensors-XXXXXX", NULL);
  int file;

  if (g_mkdir_with_parents (folder, 0700) != 0 || !has_room (folder, bytes))
    return -1;
  file = g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0)
    unlink (name);
  return file;
}

static gboolean
transfer (int file, gboolean writes, char *data, gsize size, gsize offset)
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

static void
close_file (TosstRun *self)
{
  if (self->tensor_file >= 0)
    close (self->tensor_file);
  self->tensor_file = -1;
}

/* Into memory, or through scratch (patches of the largest image) into the file. */
static gboolean
describe_all (TosstRun *self, float *scratch, GError **error)
{
  const TosstPatches *patches = self->patches;

  tosst_run_enter (self, TOSST_STAGE_DESCRIBE, -1);
  for (guint i = 0; i < patches->images && (self->tensors != NULL || self->tensor_file >= 0); i++)
    {
      gsize first = patches->first[i], n = patches->first[i + 1] - first;
      float *tensors = self->tensors != NULL ? self->tensors + first * self->layout->m : scratch;

      tosst_run_part (self, (double)first / patches->count, (double)(first + n) / patches->count);
      if (!describe_image (self, i, patches->points + first, n, tensors, error))
        return FALSE;
      if (self->tensors == NULL
          && !transfer (self->tensor_file, TRUE, (char *)tensors, n * row_bytes (self), first * row_bytes (self)))
        close_file (self);
    }
  tosst_run_leave (self);
  return TRUE;
}

gboolean
tosst_run_tensors_open (TosstRun *self, gboolean resident, GError **error)
{
  gsize most = tosst_run_largest_image (self->patches) * row_bytes (self);
  g_autofree float *scratch = NULL;

  self->tensor_file = -1;
  if (resident)
    self->tensors = g_try_malloc_n (self->patches->count, row_bytes (self));
  /* With one split every tensor is wanted once, and those that it learns from twice. */
  else if (self->splits > self->first + 1 && (scratch = g_try_malloc (most)) != NULL)
    self->tensor_file = open_nameless ((guint64)self->patches->count * row_bytes (self));
  self->total = tosst_run_total_work (self);
  return !tosst_run_keeps_tensors (self) || describe_all (self, scratch, error);
}

void
tosst_run_tensors_close (TosstRun *self)
{
  g_clear_pointer (&self->tensors, g_free);
  close_file (self);
}

gboolean
tosst_run_keeps_tensors (const TosstRun *self)
{
  return self->tensors != NULL || self->tensor_file >= 0;
}

const float *
tosst_run_tensors_of_image (TosstRun *self, guint image, float *scratch, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize first = patches->first[image], n = patches->first[image + 1] - first;

  if (self->tensors != NULL)
    return self->tensors + first * self->layout->m;
  if (self->tensor_file >= 0
      && transfer (self->tensor_file, FALSE, (char *)scratch, n * row_bytes (self), first * row_bytes (self)))
    return scratch;
  return describe_image (self, image, patches->points + first, n, scratch, error) ? scratch : NULL;
}

/* n patches of one image. */
static gboolean
gather_from_image (TosstRun *self, guint image, const gsize *number, gsize n, float *tensors, GError **error)
{
  gsize m = self->layout->m, row = row_bytes (self), read = 0;

  for (; self->tensors != NULL && read < n; read++)
    memcpy (tensors + read * m, self->tensors + number[read] * m, row);
  while (self->tensor_file >= 0 && read < n
         && transfer (self->tensor_file, FALSE, (char *)(tensors + read * m), row, number[read] * row))
    read++;
  if (read == n)
    return TRUE;

  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  for (gsize i = 0; i < n; i++)
    points[i] = self->patches->points[number[i]];
  return describe_image (self, image, points, n, tensors, error);
}

gboolean
tosst_run_tensors_gather (TosstRun *self, const gsize *number, gsize count, float *tensors, GError **error)
{
  const TosstPatches *patches = self->patches;

  for (gsize i = 0; i < count;)
    {
      guint image = tosst_patches_image (patches, number[i]);
      gsize n = 0;
      while (i + n < count && number[i + n] < patches->first[image + 1])
        n++;
      if (!gather_from_image (self, image, number + i, n, tensors + i * self->layout->m, error))
        return FALSE;
      i += n;
    }
  return TRUE;
}

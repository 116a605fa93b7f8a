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
#include "memory.h"
#include "run-private.h"

static gsize
row_bytes (const TosstRun *self)
{
  return self->layout->m * sizeof (float);
}

static void
free_tensors (gpointer data)
{
  TosstTensors *self = data;

  g_free (self->tensors);
  if (self->file >= 0)
    close (self->file);
  tosst_patches_free (self->patches);
  tosst_layout_free (self->layout);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  g_free (self);
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
  TosstStatus status = tosst_describe_patches (self->source->recipe, self->context, pixels, points, n, tensors);
  return tosst_error_from_status (status, self->context, tosst_dataset_image (self->dataset, image)->name, error);
}

/* A file that goes when it is closed, however the program ends; -1 if there can be none. */
static int
open_nameless (guint64 bytes)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "tosst", NULL);
  g_autoptr (GFile) place = g_file_new_for_path (folder);
  g_autofree char *name = g_build_filename (folder, "tensors-XXXXXX", NULL);
  int file;

  if (g_mkdir_with_parents (folder, 0700) != 0 || !tosst_disk_has_room (place, bytes))
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
close_file (TosstTensors *self)
{
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
}

/* Into memory, or through scratch (patches of the largest image) into the file. */
static gboolean
describe_all (TosstRun *self, TosstTensors *made, float *scratch, GError **error)
{
  const TosstPatches *patches = self->patches;

  tosst_run_enter (self, TOSST_STAGE_DESCRIBE, -1);
  for (guint i = 0; i < patches->images && (made->tensors != NULL || made->file >= 0); i++)
    {
      gsize first = patches->first[i], n = patches->first[i + 1] - first;
      float *tensors = made->tensors != NULL ? made->tensors + first * self->layout->m : scratch;

      tosst_run_part (self, (double)first / patches->count, (double)(first + n) / patches->count);
      if (!describe_image (self, i, patches->points + first, n, tensors, error))
        return FALSE;
      if (made->tensors == NULL
          && !transfer (made->file, TRUE, (char *)tensors, n * row_bytes (self), first * row_bytes (self)))
        close_file (made);
    }
  tosst_run_leave (self);
  return TRUE;
}

static void
use (TosstRun *self, TosstShared *shared)
{
  self->shared_tensors = shared;
  self->source = shared->data;
  self->patches = self->source->patches;
  self->layout = self->source->layout;
}

/* Lists and layout, without tensors; NULL if not even these fit. */
static TosstShared *
new_tensors (TosstRun *self, TosstRunEstimate *needs, GError **error)
{
  TosstTensors *made;

  if (!tosst_run_measure_lists (self->recipe, self->dataset, needs))
    {
      tosst_run_fits (needs, error);
      return NULL;
    }
  made = g_new0 (TosstTensors, 1);
  made->recipe = tosst_recipe_copy (self->recipe);
  made->dataset = tosst_dataset_ref (self->dataset);
  made->patches = tosst_patches_new (self->dataset, self->recipe->descriptor.patch, self->recipe->descriptor.step);
  made->layout = tosst_layout_new_shape (tosst_recipe_shape (self->recipe));
  made->file = -1;
  tosst_run_measure (self->recipe, self->dataset, made->patches, made->layout, tosst_context_threads (self->context),
                     needs);
  return tosst_shared_new (made, free_tensors, 0);
}

gboolean
tosst_run_tensors_list (TosstRun *self, GError **error)
{
  TosstRunEstimate needs;
  TosstShared *shared = new_tensors (self, &needs, error);

  if (shared == NULL)
    return FALSE;
  use (self, shared);
  return tosst_run_fits (&needs, error) && tosst_run_has_enough_patches (self, error);
}

/* Describes all patches if they are to be kept. */
static gboolean
fill (TosstRun *self, TosstTensors *made, gboolean resident, gboolean shared, GError **error)
{
  gsize most = tosst_run_largest_image (self->patches) * row_bytes (self);
  g_autofree float *scratch = NULL;

  if (resident)
    made->tensors = g_try_malloc_n (self->patches->count, row_bytes (self));
  /* With one split every tensor is wanted once, and those that it learns from twice. */
  else if ((shared || self->splits > self->first + 1) && (scratch = g_try_malloc (most)) != NULL)
    made->file = open_nameless ((guint64)self->patches->count * row_bytes (self));
  self->total = tosst_run_total_work (self);
  return !tosst_run_keeps_tensors (self) || describe_all (self, made, scratch, error);
}

static gboolean
make (TosstRun *self, TosstWant *want, GError **error)
{
  TosstRunEstimate needs;
  TosstShared *shared = new_tensors (self, &needs, error);
  TosstTensors *made;

  if (shared == NULL)
    return FALSE;
  use (self, shared);
  made = shared->data;
  if (!tosst_run_fits (&needs, error) || !tosst_run_has_enough_patches (self, error)
      || !fill (self, made, needs.resident, tosst_want_is_shared (want), error))
    return FALSE;
  shared->bytes = made->tensors != NULL ? self->patches->count * row_bytes (self) : 0;
  return TRUE;
}

/* Memory is asked for what others have not brought already. */
static gboolean
take (TosstRun *self, TosstShared *shared, GError **error)
{
  TosstRunEstimate needs;

  use (self, shared);
  if (!tosst_run_measure_lists (self->recipe, self->dataset, &needs))
    return tosst_run_fits (&needs, error);
  tosst_run_measure (self->recipe, self->dataset, self->patches, self->layout, tosst_context_threads (self->context),
                     &needs);
  if (needs.resident)
    needs.bytes -= self->patches->count * row_bytes (self);
  self->described = TRUE;
  self->total = tosst_run_total_work (self);
  return tosst_run_fits (&needs, error) && tosst_run_has_enough_patches (self, error);
}

gboolean
tosst_run_tensors_open (TosstRun *self, GError **error)
{
  TosstWant want;
  g_autoptr (GError) cause = NULL;
  TosstShared *shared = tosst_run_take (self, &want, TOSST_PART_TENSORS, -1, &cause);
  gboolean ok;

  if (cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (shared != NULL)
    return take (self, shared, error);
  ok = make (self, &want, error);
  tosst_run_give (self, &want, ok ? self->shared_tensors : NULL);
  return ok;
}

gboolean
tosst_run_keeps_tensors (const TosstRun *self)
{
  return self->source->tensors != NULL || self->source->file >= 0;
}

const float *
tosst_run_tensors_of_image (TosstRun *self, guint image, float *scratch, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize first = patches->first[image], n = patches->first[image + 1] - first;

  if (self->source->tensors != NULL)
    return self->source->tensors + first * self->layout->m;
  if (self->source->file >= 0
      && transfer (self->source->file, FALSE, (char *)scratch, n * row_bytes (self), first * row_bytes (self)))
    return scratch;
  return describe_image (self, image, patches->points + first, n, scratch, error) ? scratch : NULL;
}

/* n patches of one image. */
static gboolean
gather_from_image (TosstRun *self, guint image, const gsize *number, gsize n, float *tensors, GError **error)
{
  gsize m = self->layout->m, row = row_bytes (self), read = 0;

  for (; self->source->tensors != NULL && read < n; read++)
    memcpy (tensors + read * m, self->source->tensors + number[read] * m, row);
  while (self->source->file >= 0 && read < n
         && transfer (self->source->file, FALSE, (char *)(tensors + read * m), row, number[read] * row))
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

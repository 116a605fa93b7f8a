/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Storage of the tensors of a run: in memory, in a file, or described on demand. Tensors that several splits read and
 * that are too large for memory are stored in a file; on a disk of some hundred MB/s reading takes less time than
 * describing and whitening. With checkpoints the file has a name and is resumed after a crash; tensors in memory are
 * also written to such a file once the run has lasted longer than the time between checkpoints. A file that cannot be
 * created, or a full disk, costs time only.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dictionary/describe-patches.h"
#include "core/local/texture-vectors.h"
#include "core/run/hash.h"
#include "core/run/private.h"

/* Largest number of patches of one image that are described at a time. */
#define ROWS ((gsize)4096)

static gsize
row_bytes (const TosstRun *self)
{
  return self->layout->m * sizeof (float);
}

static void
free_tensors (gpointer data)
{
  TosstTensors *self = data;

  if (self->received == NULL)
    g_free (self->tensors);
  g_clear_pointer (&self->received, g_bytes_unref);
  tosst_pca_free (self->pca);
  tosst_feature_cache_free (self->features);
  tosst_tensor_file_free (self->file);
  tosst_patches_free (self->patches);
  if (self->layout != NULL)
    tosst_layout_free (self->layout);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  g_free (self);
}

static TosstFeatures *
read_features (guint image, gpointer data, GError **error)
{
  const TosstRun *self = data;

  return tosst_local_features (self->source->recipe, self->dataset, image, error);
}

/* Tensors of images and their regions by number. */
static gboolean
describe_parts (TosstRun *self, const gsize *number, gsize n, float *tensors, GError **error)
{
  g_autofree TosstLocalPart *parts = g_new (TosstLocalPart, n);

  for (gsize i = 0; i < n; i++)
    parts[i]
        = (TosstLocalPart){ tosst_patches_image (self->patches, number[i]), (guint)self->patches->points[number[i]].x };
  return tosst_local_describe (self->source->recipe, self->source->pca, self->context, parts, n, read_features, self,
                               tensors, error);
}

static const TosstFrame *
frames_from (const TosstPatches *patches, gsize first)
{
  return patches->frames != NULL ? patches->frames + first : NULL;
}

/* Tensors of patches (ascending) of an image with these pixels. */
static gboolean
describe_points (TosstRun *self, const TosstImage *pixels, guint image, const TosstPoint *points,
                 const TosstFrame *frames, gsize n, float *tensors, GError **error)
{
  if (tosst_recipe_is_texture (self->recipe, NULL))
    return tosst_describe_texture (self->recipe, pixels,
                                   image < tosst_dataset_own_images (self->dataset) ? points : NULL, n,
                                   tosst_dataset_image (self->dataset, image)->name, tensors, error);
  TosstStatus status = tosst_describe_places (self->source->recipe, self->context, pixels, points, frames, n, tensors);

  return tosst_error_from_status (status, self->context, tosst_dataset_image (self->dataset, image)->name, error);
}

/* Tensors of the given patches (ascending) of one image. */
static gboolean
describe_image (TosstRun *self, guint image, const TosstPoint *points, const TosstFrame *frames, gsize n,
                float *tensors, GError **error)
{
  g_autoptr (TosstImage) pixels = NULL;

  if (n == 0)
    return TRUE;
  pixels = tosst_dataset_read (self->dataset, image, error);
  return pixels != NULL && describe_points (self, pixels, image, points, frames, n, tensors, error);
}

static TosstTensorFile *
open_tensor_file (TosstRun *self, gboolean creates)
{
  return tosst_run_tensors_file (self, self->source->split, self->patches->count, row_bytes (self), creates);
}

/* State of describing all patches, into memory or, through scratch (ROWS patches), into a file. */
typedef struct
{
  TosstRun *run;
  TosstTensors *made;
  TosstTensorFile *kept; /* file in addition to memory, or NULL */
  float *scratch;
  double began; /* fraction of the stage before the first tensor */
} Describing;

/* Appends the tensors in memory up to `end` to the file. */
static void
save_rows (Describing *self, gsize end)
{
  gsize from = tosst_tensor_file_count (self->kept);
  gint64 start = g_get_monotonic_time ();

  if (!tosst_tensor_file_append (self->kept, end - from, self->made->tensors + from * self->run->layout->m))
    g_clear_pointer (&self->kept, tosst_tensor_file_free);
  tosst_run_saved (self->run, start);
}

/* Number of rows in the file of an earlier run; loads them if tensors are kept in memory. */
static gsize
load_rows (Describing *self)
{
  TosstTensors *made = self->made;
  gsize n;

  if (made->tensors == NULL)
    return tosst_tensor_file_count (made->file);
  self->kept = open_tensor_file (self->run, FALSE);
  n = self->kept != NULL ? tosst_tensor_file_count (self->kept) : 0;
  if (n == 0 || tosst_tensor_file_read (self->kept, 0, n, made->tensors))
    return n;
  g_clear_pointer (&self->kept, tosst_tensor_file_free);
  return 0;
}

static gboolean
describe_range (TosstRun *self, gsize first, gsize n, float *tensors, GError **error)
{
  g_autofree gsize *number = NULL;

  if (tosst_recipe_is_texture (self->recipe, NULL))
    return tosst_describe_textures (self->recipe, self->context, self->dataset, self->patches, first, n, tensors,
                                    error);
  number = g_new (gsize, n);
  for (gsize i = 0; i < n; i++)
    number[i] = first + i;
  return describe_parts (self, number, n, tensors, error);
}

/* Describes patches first .. first + n - 1, those of one image with pixels, or of several images. */
static gboolean
describe_some (Describing *self, const TosstImage *pixels, guint image, gsize first, gsize n, GError **error)
{
  TosstRun *run = self->run;
  TosstTensors *made = self->made;
  float *tensors = made->tensors != NULL ? made->tensors + (first - made->begin) * run->layout->m : self->scratch;

  double all = (double)(made->end - made->begin), own = (double)(first - made->begin);
  double low = self->began + (1 - self->began) * own / all;
  double high = self->began + (1 - self->began) * (own + (double)n) / all;

  tosst_run_part (run, low, high);
  if (!(pixels != NULL ? describe_points (run, pixels, image, run->patches->points + first,
                                          frames_from (run->patches, first), n, tensors, error)
                       : describe_range (run, first, n, tensors, error)))
    return FALSE;
  if (made->tensors != NULL && tosst_run_keep_is_due (run))
    {
      if (self->kept != NULL || (self->kept = open_tensor_file (run, TRUE)) != NULL)
        save_rows (self, first + n);
      else
        tosst_run_saved (run, g_get_monotonic_time ());
    }
  else if (made->tensors == NULL && !tosst_tensor_file_append (made->file, n, tensors))
    g_clear_pointer (&made->file, tosst_tensor_file_free);
  return TRUE;
}

/* Describes the patches of an image from *next on, or several images of local features; sets *next to the first patch of
 * the next image. */
static gboolean
describe_rest_of_image (Describing *self, gsize *next, GError **error)
{
  TosstRun *run = self->run;
  guint image = tosst_patches_image (run->patches, *next);
  gsize end = run->patches->first[image + 1], some = MIN (TOSST_RUN_IMAGES, run->patches->count - *next);
  g_autoptr (TosstImage) pixels = NULL;

  if (!tosst_recipe_has_patches (run->recipe))
    {
      *next += some;
      return describe_some (self, NULL, 0, *next - some, some, error);
    }
  pixels = tosst_dataset_read (run->dataset, image, error);
  if (pixels == NULL)
    return FALSE;
  for (; *next < end && tosst_run_stores_tensors (run); *next += MIN (ROWS, end - *next))
    if (!describe_some (self, pixels, image, *next, MIN (ROWS, end - *next), error))
      return FALSE;
  return TRUE;
}

/* Share of the principal components in the time of describing images. */
#define COMPONENTS 0.3

/* Computes the principal components of the training images of the split; sets the fraction of the stage that it took. */
static gboolean
find_components (TosstRun *run, TosstTensors *made, double *took, GError **error)
{
  if (!tosst_recipe_has_split_tensors (run->recipe) || run->recipe->descriptor.pca == 0)
    return TRUE;
  *took = COMPONENTS;
  tosst_run_part (run, 0, COMPONENTS);
  return tosst_local_components_of_split (run->recipe, run->context, run->dataset, (guint)made->split, &made->pca,
                                          error);
}

static gboolean
describe_all (Describing *self, GError **error)
{
  TosstRun *run = self->run;
  gsize next;

  tosst_run_enter (run, TOSST_STAGE_DESCRIBE, -1);
  if (!find_components (run, self->made, &self->began, error))
    return FALSE;
  next = self->made->begin + (tosst_run_stores_tensors (run) ? load_rows (self) : 0);
  while (next < self->made->end && tosst_run_stores_tensors (run))
    if (!describe_rest_of_image (self, &next, error))
      return FALSE;
  if (self->kept != NULL && tosst_tensor_file_count (self->kept) < run->patches->count)
    save_rows (self, run->patches->count);
  self->made->kept = self->kept != NULL;
  self->made->seconds = tosst_context_seconds (run->context) - run->stage_start;
  tosst_run_leave (run);
  return TRUE;
}

void
tosst_run_tensors_save (TosstRun *self)
{
  TosstTensors *source = self->shared_tensors->data;
  g_autoptr (TosstTensorFile) file = NULL;

  if (source->tensors == NULL || !tosst_run_is_worth_keeping (self, source->seconds)
      || !g_atomic_int_compare_and_exchange (&source->kept, FALSE, TRUE)
      || (file = open_tensor_file (self, TRUE)) == NULL)
    return;
  if (tosst_tensor_file_count (file) == 0)
    tosst_tensor_file_append (file, self->patches->count, source->tensors);
}

static void
set_tensors (TosstRun *self, TosstShared *shared)
{
  self->shared_tensors = shared;
  self->source = shared->data;
  self->patches = self->source->patches;
  self->layout = self->source->layout;
  self->result->unfound = MAX (self->result->unfound, self->patches->unfound);
}

/* Lists and layout, without tensors; NULL if they do not fit into memory. */
static TosstShared *
new_tensors (TosstRun *self, int split, TosstRunEstimate *needs, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL;
  TosstTensors *made;

  if (split >= 0 && !tosst_dataset_split (self->dataset, self->recipe, (guint)split, &train, &test, error))
    return NULL;
  if (!tosst_run_measure_lists (self->recipe, self->dataset, needs))
    {
      tosst_run_fits (needs, error);
      return NULL;
    }
  made = g_new0 (TosstTensors, 1);
  made->recipe = tosst_recipe_copy (self->recipe);
  made->dataset = tosst_dataset_ref (self->dataset);
  made->split = split;
  made->patches = tosst_patches_find (self->recipe, self->context, self->dataset, train, error);
  if (made->patches == NULL)
    {
      free_tensors (made);
      return NULL;
    }
  made->layout = tosst_layout_new_shape (tosst_recipe_shape (self->recipe));
  tosst_run_share_images (self, made->patches, &made->image, &made->images);
  made->begin = made->patches->first[made->image];
  made->end = made->patches->first[made->image + made->images];
  tosst_run_measure (self->recipe, self->dataset, made->patches, made->layout, tosst_context_threads (self->context),
                     needs);
  return tosst_shared_new (made, free_tensors, 0);
}

static gboolean
has_enough_components (const TosstRun *self, guint patches, GError **error)
{
  guint most = MIN (patches, (guint)self->recipe->dictionary.sample);

  return self->recipe->dictionary.atoms <= (int)most
         || tosst_fail (error, TOSST_FAILED_RECIPE,
                        _ ("dictionary.atoms is %d, more principal components than the %u tensors to learn from have"),
                        self->recipe->dictionary.atoms, most);
}

/* Checked before any patch is described, for the first split; learning checks each split. */
static gboolean
has_enough_patches (const TosstRun *self, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL, patches = NULL;

  if (!tosst_recipe_has_dictionary (self->recipe) && tosst_recipe_coding (self->recipe) != TOSST_CODING_PCA)
    return TRUE;
  if (!tosst_dataset_split (self->dataset, self->recipe, 0, &train, &test, error))
    return FALSE;
  patches = tosst_patches_of_samples (self->patches, train);
  if (tosst_recipe_coding (self->recipe) == TOSST_CODING_PCA)
    return has_enough_components (self, patches->len, error);
  if ((gsize)patches->len * (gsize)self->layout->S >= (gsize)self->recipe->dictionary.atoms)
    return TRUE;
  g_set_error (error, TOSST_ERROR, TOSST_FAILED_RECIPE,
               _ ("dictionary.atoms is %d, more than the slices of all training patches, %zu: lower it, or "
                  "descriptor.step"),
               self->recipe->dictionary.atoms, (gsize)patches->len * (gsize)self->layout->S);
  return FALSE;
}

gboolean
tosst_run_tensors_list (TosstRun *self, int split, GError **error)
{
  double took;
  TosstRunEstimate needs;
  TosstShared *shared = new_tensors (self, tosst_recipe_has_split_tensors (self->recipe) ? split : -1, &needs, error);

  if (shared == NULL)
    return FALSE;
  set_tensors (self, shared);
  return tosst_run_fits (&needs, error) && has_enough_patches (self, error)
         && find_components (self, shared->data, &took, error);
}

/* Describes all patches unless they are described on demand. The file of an earlier run is always used. A single split
 * reads every tensor once, and its sample twice: a new file is useful only for a large sample, which a resumed run then
 * need not describe again. */
static gboolean
fill (TosstRun *self, TosstTensors *made, gboolean resident, gboolean shared, GError **error)
{
  gboolean local = tosst_recipe_is_local (self->recipe);
  g_autofree float *scratch
      = resident ? NULL
                 : g_try_malloc_n (MIN (local ? TOSST_RUN_IMAGES : ROWS, self->patches->count), row_bytes (self));
  Describing describing = { .run = self, .made = made, .scratch = scratch };
  gsize sample = tosst_recipe_has_dictionary (self->recipe) ? (gsize)self->recipe->dictionary.sample : 0;
  gboolean wanted = shared || self->splits > self->first + 1
                    || (tosst_run_has_checkpoints (self) && 2 * sample > self->patches->count);
  gboolean ok;

  if (resident)
    made->tensors = g_try_malloc_n (MAX (made->end - made->begin, 1), row_bytes (self));
  else if (scratch != NULL && !(made->file = open_tensor_file (self, wanted)) && wanted)
    made->file = tosst_tensor_file_new_temporary (made->end - made->begin, row_bytes (self));
  if (self->total == 0)
    self->total = tosst_run_total_work (self);
  ok = (!tosst_run_stores_tensors (self) && made->split < 0) || describe_all (&describing, error);
  tosst_tensor_file_free (describing.kept);
  return ok;
}

static gboolean
make_tensors (TosstRun *self, int split, TosstCacheRequest *request, GError **error)
{
  TosstRunEstimate needs;
  TosstShared *shared = new_tensors (self, split, &needs, error);
  TosstTensors *made;

  if (shared == NULL)
    return FALSE;
  set_tensors (self, shared);
  made = shared->data;
  if (!tosst_recipe_has_tensors (self->recipe))
    {
      if (!tosst_run_fits (&needs, error) || !tosst_run_fill_features (self, made, &needs, error))
        return FALSE;
      shared->bytes = tosst_feature_cache_bytes (made->features);
      return TRUE;
    }
  if (!tosst_run_fits (&needs, error) || !has_enough_patches (self, error)
      || !fill (self, made, needs.resident, request->key != NULL, error))
    return FALSE;
  shared->bytes = made->tensors != NULL ? (made->end - made->begin) * row_bytes (self) : 0;
  return TRUE;
}

TosstShared *
tosst_run_tensors_received (TosstRun *self, int split, GBytes *content)
{
  TosstRunEstimate needs;
  g_autoptr (TosstShared) shared = new_tensors (self, split, &needs, NULL);
  TosstTensors *made = shared != NULL ? shared->data : NULL;
  gsize bytes;
  gconstpointer data = g_bytes_get_data (content, &bytes);

  if (made == NULL || bytes != made->patches->count * made->layout->m * sizeof (float))
    return NULL;
  made->received = g_bytes_ref (content);
  made->tensors = (float *)data;
  shared->bytes = bytes;
  return g_steal_pointer (&shared);
}

/* Checks memory for the rest of the run; the cached tensors are allocated already. */
static gboolean
use_cached (TosstRun *self, TosstShared *shared, GError **error)
{
  TosstRunEstimate needs;

  set_tensors (self, shared);
  if (!tosst_run_measure_lists (self->recipe, self->dataset, &needs))
    return tosst_run_fits (&needs, error);
  tosst_run_measure (self->recipe, self->dataset, self->patches, self->layout, tosst_context_threads (self->context),
                     &needs);
  if (needs.resident)
    needs.bytes -= self->patches->count * row_bytes (self);
  self->described = TRUE;
  if (self->total == 0)
    self->total = tosst_run_total_work (self);
  return tosst_run_fits (&needs, error) && has_enough_patches (self, error);
}

gboolean
tosst_run_tensors_open (TosstRun *self, int split, GError **error)
{
  TosstCacheRequest request;
  TosstShared *shared;
  gboolean ok;

  g_clear_pointer (&self->shared_tensors, tosst_shared_unref);
  if (!tosst_run_cache_get (self, &request, TOSST_PART_TENSORS, split, &shared, error))
    return FALSE;
  if (shared != NULL)
    return use_cached (self, shared, error);
  ok = make_tensors (self, split, &request, error);
  tosst_run_cache_put (self, &request, ok ? self->shared_tensors : NULL);
  return ok;
}

gsize
tosst_run_coded_patches (const TosstRun *self, guint image)
{
  return tosst_recipe_is_local (self->recipe) ? 1 : self->patches->first[image + 1] - self->patches->first[image];
}

const float *
tosst_run_tensors_of_images (TosstRun *self, guint image, guint images, float *scratch, GError **error)
{
  const TosstPatches *patches = self->patches;
  gsize first = patches->first[image], n = patches->first[image + 1] - first;

  if (tosst_recipe_is_local (self->recipe))
    return tosst_run_tensors_gather (self, patches->first + image, images, scratch, error) ? scratch : NULL;

  if (self->source->tensors != NULL)
    return self->source->tensors + (first - self->source->begin) * self->layout->m;
  if (self->source->file != NULL
      && tosst_tensor_file_read (self->source->file, first - self->source->begin, n, scratch))
    return scratch;
  return describe_image (self, image, patches->points + first, frames_from (patches, first), n, scratch, error)
             ? scratch
             : NULL;
}

/* Tensors of n patches of one image. Those of another process are described again. */
static gboolean
gather_from_image (TosstRun *self, guint image, const gsize *number, gsize n, float *tensors, GError **error)
{
  const TosstTensors *source = self->source;
  gsize m = self->layout->m, row = row_bytes (self), read = 0;
  gboolean own = number[0] >= source->begin && number[0] < source->end;

  for (; own && source->tensors != NULL && read < n; read++)
    memcpy (tensors + read * m, source->tensors + (number[read] - source->begin) * m, row);
  while (own && source->file != NULL && read < n
         && tosst_tensor_file_read (source->file, number[read] - source->begin, 1, tensors + read * m))
    read++;
  if (read == n)
    return TRUE;
  if (tosst_recipe_is_local (self->recipe))
    return describe_parts (self, number, n, tensors, error);

  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree TosstFrame *frames = self->patches->frames != NULL ? g_new (TosstFrame, n) : NULL;
  for (gsize i = 0; i < n; i++)
    {
      points[i] = self->patches->points[number[i]];
      if (frames != NULL)
        frames[i] = self->patches->frames[number[i]];
    }
  return describe_image (self, image, points, frames, n, tensors, error);
}

gboolean
tosst_run_tensors_gather (TosstRun *self, const gsize *number, gsize count, float *tensors, GError **error)
{
  const TosstPatches *patches = self->patches;
  gboolean local = tosst_recipe_is_local (self->recipe) && !tosst_run_stores_tensors (self);

  for (gsize i = 0; local && i < count; i += TOSST_RUN_IMAGES)
    if (!describe_parts (self, number + i, MIN (TOSST_RUN_IMAGES, count - i), tensors + i * self->layout->m, error))
      return FALSE;
  for (gsize i = 0; !local && i < count;)
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

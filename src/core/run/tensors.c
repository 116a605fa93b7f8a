/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Storage of the tensors of a run: in memory, in a temporary file, or described on demand. Tensors that several splits
 * read and that are too large for memory are stored in a file; on a disk of some hundred MB/s reading takes less time
 * than describing and whitening. What takes longer to describe than to read is kept on the disk for later runs, an image at
 * a time; of frames the resampled patches. A file that cannot be created, or a full disk, costs time only.
 */
#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/data/kept.h"
#include "core/dictionary/patch-coder.h"
#include "core/local/texture-vectors.h"
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
  TOSST_CLEAR_MEMBERS (self, (received, g_bytes_unref), (pca, tosst_pca_free), (features, tosst_feature_cache_free),
                       (file, tosst_row_file_free), (patches, tosst_patches_free));
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

  return tosst_local_features_kept (self->source->recipe, self->dataset, image, error);
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

/* An image whose patches are described: its pixels or, of frames, all patches resampled there, once they are needed. */
typedef struct
{
  TosstRun *run;
  guint image;
  TosstImage *pixels;
  float *patches;
  int channels;
  gboolean sought; /* the patches */
} Picture;

TOSST_DEFINE_CLEAR (Picture, clear_picture, (pixels, tosst_image_free), (patches, g_free))

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, clear_picture)

/* The resampled patch of a frame by its number, and those after it; NULL if they are not kept. */
static const float *
patch_of (Picture *self, gsize number)
{
  const TosstPatches *patches = self->run->patches;
  const TosstRecipe *recipe = self->run->source->recipe;
  gsize n = patches->first[self->image + 1] - patches->first[self->image], one = tosst_kept_patch_bytes (recipe, 1),
        bytes;

  if (!self->sought && patches->frames != NULL)
    {
      g_autofree char *key = tosst_kept_key (recipe, self->run->dataset, self->image, TOSST_KEPT_FRAMES, NULL, 0);

      self->patches = tosst_disk_cache_load (key, 1, &bytes);
      if (self->patches != NULL && bytes != n * one && bytes != 3 * n * one)
        g_clear_pointer (&self->patches, g_free);
      self->channels = self->patches != NULL && bytes == n * one ? 1 : 3;
    }
  self->sought = TRUE;
  return self->patches != NULL
             ? self->patches + (number - patches->first[self->image]) * (one / sizeof (float)) * (gsize)self->channels
             : NULL;
}

/* Tensors of n patches of an image: at points, at frames that it has, or NULL, of patches resampled there, or NULL. */
static gboolean
describe_at (Picture *self, const TosstPoint *points, const TosstFrame *frames, const float *resampled, gsize n,
             float *tensors, GError **error)
{
  TosstRun *run = self->run;
  const TosstRecipe *recipe = run->source->recipe;
  const char *name = tosst_dataset_image (run->dataset, self->image)->name;

  if (resampled != NULL)
    return tosst_error_from_status (
        tosst_describe_resampled (recipe, run->context, resampled, self->channels, n, tensors), run->context, name,
        error);
  if (self->pixels == NULL && (self->pixels = tosst_dataset_read_for (run->dataset, self->image, 0, error)) == NULL)
    return FALSE;
  if (tosst_recipe_is_texture (recipe, NULL))
    return tosst_describe_texture (recipe, self->pixels,
                                   self->image < tosst_dataset_own_images (run->dataset) ? points : NULL, n, name,
                                   tensors, error);
  return tosst_error_from_status (
      tosst_describe_places (recipe, run->context, self->pixels, points, frames, n, tensors), run->context, name,
      error);
}

/* The key of tensors of patches first .. first + n - 1 of an image. New, or NULL. */
static char *
rows_key (const Picture *self, gsize first, gsize n)
{
  const TosstPatches *patches = self->run->patches;
  const TosstPoint *points = patches->points + first;
  const TosstFrame *frames = patches->frames != NULL ? patches->frames + first : NULL;

  return tosst_kept_key (self->run->source->recipe, self->run->dataset, self->image, TOSST_KEPT_ROWS,
                         frames != NULL ? (gconstpointer)frames : points,
                         n * (frames != NULL ? sizeof *frames : sizeof *points));
}

/* Tensors of patches first .. first + n - 1 of an image, kept by an earlier run or from now on. */
static gboolean
describe_row (Picture *self, gsize first, gsize n, float *tensors, GError **error)
{
  TosstRun *run = self->run;
  const TosstPatches *patches = run->patches;
  g_autofree char *key = rows_key (self, first, n);
  gint64 start = g_get_monotonic_time ();

  if (tosst_disk_cache_read (key, 0, tensors, n * row_bytes (run)))
    {
      tosst_context_progress (run->context, 1);
      return !tosst_context_checkpoint (run->context)
             || tosst_error_from_status (TOSST_CANCELLED, run->context, _ ("Describing patches"), error);
    }
  if (!describe_at (self, patches->points + first, patches->frames != NULL ? patches->frames + first : NULL,
                    patch_of (self, first), n, tensors, error))
    return FALSE;
  tosst_disk_cache_write (key, 1e-6 * (double)(g_get_monotonic_time () - start), tensors, n * row_bytes (run), NULL, 0);
  return TRUE;
}

/* Tensors of n patches of an image by number. */
static gboolean
describe_some_of_image (Picture *self, const gsize *number, gsize n, float *tensors, GError **error)
{
  const TosstPatches *patches = self->run->patches;
  gsize first = patches->first[self->image], all = patches->first[self->image + 1] - first, row = row_bytes (self->run);
  g_autofree char *key = rows_key (self, first, all);
  gsize bytes = 0;
  g_autofree char *rows = tosst_disk_cache_load (key, 0, &bytes);
  gsize size = patch_of (self, number[0]) != NULL ? tosst_kept_patch_bytes (self->run->recipe, self->channels) : 0;

  for (gsize i = 0; rows != NULL && bytes == all * row && i < n; i++)
    memcpy ((char *)tensors + i * row, rows + (number[i] - first) * row, row);
  if (rows != NULL && bytes == all * row)
    return TRUE;
  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree TosstFrame *frames = patches->frames != NULL ? g_new (TosstFrame, n) : NULL;
  g_autofree float *resampled = size > 0 ? g_malloc_n (n, size) : NULL;

  for (gsize i = 0; i < n; i++)
    {
      points[i] = patches->points[number[i]];
      if (frames != NULL)
        frames[i] = patches->frames[number[i]];
      if (resampled != NULL)
        memcpy ((char *)resampled + i * size, patch_of (self, number[i]), size);
    }
  return describe_at (self, points, frames, resampled, n, tensors, error);
}

/* State of describing all patches, into memory or, through scratch (ROWS patches), into a file. */
typedef struct
{
  TosstRun *run;
  TosstTensors *made;
  float *scratch;
  double began; /* fraction of the stage before the first tensor */
} Describing;

static gboolean
describe_range (TosstRun *self, gsize first, gsize n, float *tensors, GError **error)
{
  if (tosst_recipe_is_texture (self->recipe, NULL))
    return tosst_describe_textures (self->recipe, self->context, self->dataset, self->patches, first, n, TRUE, tensors,
                                    error);
  g_autofree gsize *number = g_new (gsize, n);
  for (gsize i = 0; i < n; i++)
    number[i] = first + i;
  return describe_parts (self, number, n, tensors, error);
}

/* Describes patches first .. first + n - 1, those of one image or, with picture NULL, of several. */
static gboolean
describe_some (Describing *self, Picture *picture, gsize first, gsize n, GError **error)
{
  TosstRun *run = self->run;
  TosstTensors *made = self->made;
  float *tensors = made->tensors != NULL ? made->tensors + (first - made->begin) * run->layout->m : self->scratch;

  double all = (double)(made->end - made->begin), own = (double)(first - made->begin);
  double low = self->began + (1 - self->began) * own / all;
  double high = self->began + (1 - self->began) * (own + (double)n) / all;

  tosst_run_part (run, low, high);
  if (!(picture != NULL ? describe_row (picture, first, n, tensors, error)
                        : describe_range (run, first, n, tensors, error)))
    return FALSE;
  if (made->tensors == NULL && !tosst_row_file_append (made->file, n, tensors))
    g_clear_pointer (&made->file, tosst_row_file_free);
  return TRUE;
}

/* Describes the patches of an image from *next on, or several images of local features; sets *next to the first patch of
 * the next image. */
static gboolean
describe_rest_of_image (Describing *self, gsize *next, GError **error)
{
  TosstRun *run = self->run;
  guint image = tosst_patches_image (run->patches, *next);
  gsize end = run->patches->first[image + 1], some = MIN (TOSST_RUN_IMAGES, self->made->end - *next);
  g_auto (Picture) picture = { .run = run, .image = image };

  if (!tosst_recipe_has_patches (run->recipe))
    {
      *next += some;
      return describe_some (self, NULL, *next - some, some, error);
    }
  for (; *next < end && tosst_run_stores_tensors (run); *next += MIN (ROWS, end - *next))
    if (!describe_some (self, &picture, *next, MIN (ROWS, end - *next), error))
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

  tosst_run_enter (run, TOSST_STAGE_DESCRIBE, -1);
  if (!find_components (run, self->made, &self->began, error))
    return FALSE;
  gsize next = self->made->begin;
  while (next < self->made->end && tosst_run_stores_tensors (run))
    if (!describe_rest_of_image (self, &next, error))
      return FALSE;
  tosst_run_leave (run);
  return TRUE;
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
  double start = tosst_context_seconds (self->context);

  if (split >= 0 && !tosst_dataset_split (self->dataset, self->recipe, (guint)split, &train, &test, error))
    return NULL;
  if (!tosst_run_measure_lists (self->recipe, self->dataset, needs))
    {
      tosst_run_fits (needs, error);
      return NULL;
    }
  TosstTensors *made = g_new0 (TosstTensors, 1);
  made->recipe = tosst_recipe_copy (self->recipe);
  made->dataset = tosst_dataset_ref (self->dataset);
  made->split = split;
  made->patches = tosst_patches_find (self->recipe, self->context, self->options->ranks, self->dataset, train, error);
  if (made->patches == NULL)
    {
      free_tensors (made);
      return NULL;
    }
  /* Finding the frames of all images can take longer than describing their patches. */
  if (self->result != NULL && tosst_recipe_has_frames (self->recipe))
    self->result->seconds[TOSST_STAGE_DESCRIBE] += tosst_context_seconds (self->context) - start;
  made->layout = tosst_layout_new_shape (tosst_recipe_shape (self->recipe));
  tosst_run_share_images (self, made->patches, &made->image, &made->images);
  made->begin = made->patches->first[made->image];
  made->end = made->patches->first[made->image + made->images];
  tosst_run_measure (self->recipe, self->dataset, made->patches, made->layout, tosst_context_threads (self->context),
                     needs);
  return tosst_shared_new (made, free_tensors, 0);
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
    {
      guint most = MIN (patches->len, (guint)self->recipe->dictionary.sample);

      return self->recipe->dictionary.atoms <= (int)most
             || tosst_fail (
                 error, TOSST_FAILED_RECIPE,
                 _ ("dictionary.atoms is %d, more principal components than the %u tensors to learn from have"),
                 self->recipe->dictionary.atoms, most);
    }
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

/* Describes all patches unless they are described on demand. A single split reads every tensor once, and its sample twice:
 * a file is useful only for a large sample, or tensors that other runs share. */
static gboolean
fill (TosstRun *self, TosstTensors *made, gboolean resident, gboolean shared, GError **error)
{
  gboolean local = tosst_recipe_is_local (self->recipe);
  g_autofree float *scratch
      = resident ? NULL
                 : g_try_malloc_n (MIN (local ? TOSST_RUN_IMAGES : ROWS, self->patches->count), row_bytes (self));
  Describing describing = { .run = self, .made = made, .scratch = scratch };
  gsize sample = tosst_recipe_has_dictionary (self->recipe) ? (gsize)self->recipe->dictionary.sample : 0;
  gboolean wanted = shared || self->splits > self->first + 1 || 2 * sample > self->patches->count;

  if (resident)
    made->tensors = g_try_malloc_n (MAX (made->end - made->begin, 1), row_bytes (self));
  else if (scratch != NULL && wanted)
    made->file = tosst_row_file_new (made->end - made->begin, row_bytes (self));
  if (self->total == 0)
    self->total = tosst_run_total_work (self);
  return (!tosst_run_stores_tensors (self) && made->split < 0) || describe_all (&describing, error);
}

static gboolean
make_tensors (TosstRun *self, int split, TosstCacheRequest *request, GError **error)
{
  TosstRunEstimate needs;
  TosstShared *shared = new_tensors (self, split, &needs, error);

  if (shared == NULL)
    return FALSE;
  set_tensors (self, shared);
  TosstTensors *made = shared->data;
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

  g_clear_pointer (&self->shared_tensors, tosst_shared_unref);
  if (!tosst_run_cache_get (self, &request, TOSST_PART_TENSORS, split, &shared, error))
    return FALSE;
  if (shared != NULL)
    return use_cached (self, shared, error);
  gboolean ok = make_tensors (self, split, &request, error);
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
  if (self->source->file != NULL && tosst_row_file_read (self->source->file, first - self->source->begin, n, scratch))
    return scratch;
  g_auto (Picture) picture = { .run = self, .image = image };

  return n == 0 || describe_row (&picture, first, n, scratch, error) ? scratch : NULL;
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
         && tosst_row_file_read (source->file, number[read] - source->begin, 1, tensors + read * m))
    read++;
  if (read == n)
    return TRUE;
  if (tosst_recipe_is_local (self->recipe))
    return describe_parts (self, number, n, tensors, error);

  g_auto (Picture) picture = { .run = self, .image = image };

  return describe_some_of_image (&picture, number, n, tensors, error);
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

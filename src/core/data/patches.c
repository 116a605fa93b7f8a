/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/patches.h"

#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/data/frames.h"
#include "core/data/kept.h"
#include "core/ranks/processes.h"

/* Bytes of the patches of an image that are kept. */
#define MOST_PATCHES ((gsize)64 << 20)

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const TosstPoint *p = a, *q = b;

  return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

/* Appends the patch grid of a sample, in pixels of its image. */
static void
append_grid (GArray *points, const TosstSample *sample, int size, int step)
{
  gsize n = tosst_patch_grid (sample->width, sample->height, size, step, NULL), before = points->len;

  g_array_set_size (points, (guint)(before + n));
  TosstPoint *grid = &g_array_index (points, TosstPoint, before);
  tosst_patch_grid (sample->width, sample->height, size, step, grid);
  for (gsize i = 0; i < n; i++)
    {
      grid[i].x += sample->x;
      grid[i].y += sample->y;
    }
}

static void
list_points (TosstPatches *self, TosstDataset *dataset, int size, int step)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (TosstPoint));
  g_autoptr (GArray) image = g_array_new (FALSE, FALSE, sizeof (TosstPoint));

  self->first = g_new (gsize, self->images + 1);
  for (guint i = 0; i < self->images; i++)
    {
      g_array_set_size (image, 0);
      for (gsize j = self->by_image[i]; j < self->by_image[i + 1]; j++)
        append_grid (image, tosst_dataset_sample (dataset, self->sample[j]), size, step);

      guint kept = 0;

      g_array_sort (image, compare_points);
      for (guint j = 0; j < image->len; j++)
        {
          TosstPoint *list = (TosstPoint *)(void *)image->data;

          if (kept == 0 || compare_points (&list[kept - 1], &list[j]) != 0)
            list[kept++] = list[j];
        }
      g_array_set_size (image, kept);
      self->first[i] = all->len;
      g_array_append_vals (all, image->data, image->len);
    }
  self->first[self->images] = self->count = all->len;
  self->points = (TosstPoint *)(void *)g_array_free (g_steal_pointer (&all), FALSE);
}

static void
list_members (TosstPatches *self, TosstDataset *dataset, int size, int step)
{
  g_autoptr (GArray) grid = g_array_new (FALSE, FALSE, sizeof (TosstPoint));
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (gsize));

  self->offset = g_new (gsize, self->samples + 1);
  for (guint j = 0; j < self->samples; j++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, j);
      gsize first = self->first[sample->image], count = self->first[sample->image + 1] - first;

      g_array_set_size (grid, 0);
      append_grid (grid, sample, size, step);
      self->offset[j] = members->len;
      for (guint p = 0; p < grid->len; p++)
        {
          const TosstPoint *found = bsearch (&g_array_index (grid, TosstPoint, p), self->points + first, count,
                                             sizeof (TosstPoint), compare_points);
          gsize number = (gsize)(found - self->points);
          g_array_append_val (members, number);
        }
    }
  self->offset[self->samples] = members->len;
  self->member = (gsize *)(void *)g_array_free (g_steal_pointer (&members), FALSE);
}

/* Patches without lists of points; samples are sorted by image. */
static TosstPatches *
new_patches (TosstDataset *dataset)
{
  TosstPatches *self = g_new0 (TosstPatches, 1);

  self->images = dataset->entries->len;
  self->samples = dataset->samples->len;

  g_autofree gsize *next = g_new (gsize, self->images + 1);

  self->by_image = g_new0 (gsize, self->images + 1);
  self->sample = g_new (guint, self->samples);
  for (guint j = 0; j < self->samples; j++)
    self->by_image[tosst_dataset_sample (dataset, j)->image + 1]++;
  for (guint i = 0; i < self->images; i++)
    self->by_image[i + 1] += self->by_image[i];
  for (guint i = 0; i <= self->images; i++)
    next[i] = self->by_image[i];
  for (guint j = 0; j < self->samples; j++)
    self->sample[next[tosst_dataset_sample (dataset, j)->image]++] = j;
  return self;
}

/* One byte an image: whether a sample of the list is part of it. New. */
static guint8 *
mark_images (const TosstPatches *self, TosstDataset *dataset, const GArray *samples)
{
  guint8 *marked = g_new0 (guint8, self->images + 1);

  for (guint i = 0; samples != NULL && i < samples->len; i++)
    marked[tosst_dataset_sample (dataset, g_array_index (samples, guint, i))->image] = 1;
  return marked;
}

/* One patch for each image, and the regions of some. */
static TosstPatches *
new_images (TosstDataset *dataset, guint regions, const GArray *train)
{
  TosstPatches *self = new_patches (dataset);
  g_autofree guint8 *trains = mark_images (self, dataset, train);

  self->first = g_new (gsize, self->images + 1);
  self->points = g_new (TosstPoint, (gsize)self->images * regions + 1);
  for (guint i = 0; i < self->images; i++)
    {
      self->first[i] = self->count;
      for (guint region = 0; region < (trains[i] ? regions : 1); region++)
        self->points[self->count++] = (TosstPoint){ (int)region, 0 };
    }
  self->first[self->images] = self->count;
  self->offset = g_new (gsize, self->samples + 1);
  self->member = g_new (gsize, self->samples + 1);
  for (guint j = 0; j < self->samples; j++)
    {
      self->offset[j] = j;
      self->member[j] = self->first[tosst_dataset_sample (dataset, j)->image];
    }
  self->offset[self->samples] = self->samples;
  return self;
}

/* One patch for each sample, at its place. */
static TosstPatches *
new_samples (TosstDataset *dataset)
{
  TosstPatches *self = new_patches (dataset);

  self->count = self->samples;
  self->first = g_memdup2 (self->by_image, (self->images + 1) * sizeof *self->first);
  self->points = g_new (TosstPoint, self->samples + 1);
  self->offset = g_new (gsize, self->samples + 1);
  self->member = g_new (gsize, self->samples + 1);
  for (guint i = 0; i < self->samples; i++)
    {
      const TosstSample *sample = tosst_dataset_sample (dataset, self->sample[i]);

      self->points[i] = (TosstPoint){ sample->x, sample->y };
      self->offset[i] = i;
      self->member[self->sample[i]] = i;
    }
  self->offset[self->samples] = self->samples;
  return self;
}

/* Patches at frames: counts are those of images. All are those of each sample of the image, as samples are images. */
static TosstPatches *
new_framed (TosstDataset *dataset, const gsize *counts)
{
  TosstPatches *self = new_patches (dataset);
  gsize members = 0;

  self->first = g_new0 (gsize, self->images + 1);
  for (guint i = 0; i < self->images; i++)
    self->first[i + 1] = self->first[i] + counts[i];
  self->count = self->first[self->images];
  self->points = g_new0 (TosstPoint, self->count + 1);
  self->offset = g_new (gsize, self->samples + 1);
  for (guint j = 0; j < self->samples; j++)
    {
      self->offset[j] = members;
      members += counts[tosst_dataset_sample (dataset, j)->image];
    }
  self->offset[self->samples] = members;
  self->member = g_new (gsize, members + 1);
  for (guint j = 0; j < self->samples; j++)
    for (gsize p = self->offset[j]; p < self->offset[j + 1]; p++)
      self->member[p] = self->first[tosst_dataset_sample (dataset, j)->image] + p - self->offset[j];
  return self;
}

/* Largest number of patches of an image; of frames without a limit an estimate. */
static gsize
at_most (const TosstRecipe *recipe, int width, int height)
{
  return tosst_recipe_has_frames (recipe)
             ? tosst_frames_at_most (recipe, width, height)
             : tosst_patch_grid (width, height, recipe->descriptor.patch, recipe->descriptor.step, NULL);
}

static TosstPatches *
new_bound (const TosstRecipe *recipe, TosstDataset *dataset)
{
  guint images = dataset->entries->len;
  g_autofree gsize *counts = g_new (gsize, images + 1);

  for (guint i = 0; i < images; i++)
    {
      const TosstDatasetImage *image = tosst_dataset_image (dataset, i);
      counts[i] = at_most (recipe, image->width, image->height);
    }
  return new_framed (dataset, counts);
}

/* Finding the frames of all images. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset;
  guint begin;         /* first image of this process */
  TosstFrame **frames; /* of each image */
  gsize *counts;
  gint unfound;  /* atomic */
  GError *error; /* atomic: of the first image that failed */
} Finding;

/* First image of a process. */
static guint
share_begin (guint images, const TosstRanks *ranks, guint rank)
{
  return (guint)((guint64)images * rank / (ranks != NULL ? (guint)ranks->size : 1));
}

/* Keeps the frames of an image and, where they take little of a disk, the patches there: the image need not be decoded to
 * describe them. */
static void
keep_frames (const Finding *self, const char *key, gint64 start, const TosstImage *image, const TosstFrame *frames,
             gsize bytes)
{
  TosstFramePatch patch = tosst_recipe_frame_patch (self->recipe);
  gsize n = bytes / sizeof *frames, all = n * tosst_kept_patch_bytes (self->recipe, image->channels);
  double seconds = 1e-6 * (double)(g_get_monotonic_time () - start);
  g_autofree float *patches
      = key != NULL && all <= MOST_PATCHES && tosst_disk_cache_is_worth (seconds, all) ? g_try_malloc (all) : NULL;

  if (patches == NULL || tosst_frames_patches (&patch, image, frames, n, patches) != TOSST_OK)
    all = 0;
  tosst_disk_cache_write (key, seconds, frames, bytes, patches, all);
}

static TosstStatus
find_frames (size_t item, int worker, void *data)
{
  Finding *self = data;
  guint image = self->begin + (guint)item;
  g_autofree char *key = tosst_kept_key (self->recipe, self->dataset, image, TOSST_KEPT_FRAMES, NULL, 0);
  gsize bytes;

  self->frames[image] = tosst_disk_cache_load (key, 0, &bytes);
  if (self->frames[image] == NULL)
    {
      g_autoptr (GError) error = NULL;
      gint64 start = g_get_monotonic_time ();
      g_autoptr (TosstImage) pixels = tosst_dataset_read_for (self->dataset, image, 0, &error);
      gboolean found = TRUE;

      if (pixels != NULL)
        self->frames[image] = tosst_frames_of_image (self->recipe, pixels, &self->counts[image], &found,
                                                     tosst_dataset_image (self->dataset, image)->name, &error);
      if (error != NULL)
        {
          if (g_atomic_pointer_compare_and_exchange (&self->error, NULL, error))
            error = NULL;
          return TOSST_ERROR_ARGUMENT;
        }
      /* A byte more says that none was found. */
      bytes = self->counts[image] * sizeof (TosstFrame) + !found;
      self->frames[image] = g_realloc (self->frames[image], bytes);
      if (!found)
        ((char *)self->frames[image])[bytes - 1] = '\0';
      keep_frames (self, key, start, pixels, self->frames[image], bytes);
    }
  self->counts[image] = bytes / sizeof (TosstFrame);
  if (bytes % sizeof (TosstFrame) > 0 && image < tosst_dataset_own_images (self->dataset))
    g_atomic_int_inc (&self->unfound);
  return TOSST_OK;
}

/* Copies n bytes of a process; FALSE beyond their end. */
static gboolean
take (GBytes *bytes, gsize *at, gpointer out, gsize n)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  if (n > size - *at)
    return FALSE;
  memcpy (out, data + *at, n);
  *at += n;
  return TRUE;
}

/* All processes have the frames of all images: of each process the images without a frame, numbers of frames, frames. */
static TosstStatus
exchange_frames (Finding *self, TosstRanks *ranks, guint images, guint end, TosstStatus status)
{
  g_autoptr (GByteArray) array = g_byte_array_new ();
  g_autoptr (GPtrArray) parts = NULL;

  g_byte_array_append (array, (const guint8 *)&self->unfound, sizeof self->unfound);
  g_byte_array_append (array, (const guint8 *)(self->counts + self->begin), (end - self->begin) * sizeof *self->counts);
  for (guint i = self->begin; status == TOSST_OK && i < end; i++)
    g_byte_array_append (array, (const guint8 *)self->frames[i], (guint)(self->counts[i] * sizeof (TosstFrame)));
  g_autoptr (GBytes) own = g_byte_array_free_to_bytes (g_steal_pointer (&array));
  tosst_ranks_start (ranks);
  status = tosst_ranks_agree (ranks, status);
  if (status == TOSST_OK)
    parts = tosst_processes_exchange (ranks, own, &status);
  self->unfound = 0;
  for (guint r = 0; parts != NULL && r < parts->len && status == TOSST_OK; r++)
    {
      guint first = share_begin (images, ranks, r), last = share_begin (images, ranks, r + 1);
      gsize at = 0;
      gint unfound = 0;
      gboolean fine = take (parts->pdata[r], &at, &unfound, sizeof unfound)
                      && take (parts->pdata[r], &at, self->counts + first, (last - first) * sizeof *self->counts);

      self->unfound += unfound;
      for (guint i = first; i < last && fine; i++)
        {
          self->frames[i] = g_realloc_n (self->frames[i], self->counts[i] + 1, sizeof (TosstFrame));
          fine = take (parts->pdata[r], &at, self->frames[i], self->counts[i] * sizeof (TosstFrame));
        }
      status = fine ? TOSST_OK : TOSST_ERROR_ARGUMENT;
    }
  return tosst_ranks_agree (ranks, status);
}

TosstPatches *
tosst_patches_find (const TosstRecipe *recipe, TosstContext *context, TosstRanks *ranks, TosstDataset *dataset,
                    const GArray *train, GError **error)
{
  guint images = dataset->entries->len, rank = ranks != NULL ? (guint)ranks->rank : 0;
  guint end = share_begin (images, ranks, rank + 1);
  Finding finding = { .recipe = recipe, .dataset = dataset, .begin = share_begin (images, ranks, rank) };
  TosstPatches *self = NULL;

  if (!tosst_recipe_has_frames (recipe) || tosst_recipe_is_local (recipe))
    return tosst_patches_of_recipe (recipe, dataset, train);
  finding.frames = g_new0 (TosstFrame *, images + 1);
  finding.counts = g_new0 (gsize, images + 1);
  TosstStatus status = tosst_parallel (context, end - finding.begin, find_frames, &finding, 0, 0);
  if (ranks != NULL)
    status = exchange_frames (&finding, ranks, images, end, status);
  if (status == TOSST_OK)
    {
      /* Moves the frames of all images into one list. */
      self = new_framed (dataset, finding.counts);
      self->unfound = (guint)finding.unfound;
      self->frames = g_new (TosstFrame, self->count + 1);
      for (guint i = 0; i < self->images; i++)
        for (gsize k = 0; k < finding.counts[i]; k++)
          {
            self->frames[self->first[i] + k] = finding.frames[i][k];
            self->points[self->first[i] + k].x = (int)k;
          }
    }
  else if (status != TOSST_CANCELLED && finding.error != NULL)
    g_propagate_error (error, g_steal_pointer (&finding.error));
  else
    tosst_error_from_status (status, context, _ ("Finding frames"), error);
  g_clear_error (&finding.error);
  for (guint i = 0; i < images; i++)
    g_free (finding.frames[i]);
  g_free (finding.frames);
  g_free (finding.counts);
  return self;
}

TosstPatches *
tosst_patches_of_recipe (const TosstRecipe *recipe, TosstDataset *dataset, const GArray *train)
{
  if (tosst_recipe_is_texture (recipe, NULL))
    return new_samples (dataset);
  if (tosst_recipe_is_local (recipe))
    return new_images (dataset, tosst_recipe_regions (recipe, NULL), train);
  if (tosst_recipe_has_frames (recipe))
    return new_bound (recipe, dataset);

  TosstPatches *self = new_patches (dataset);

  list_points (self, dataset, recipe->descriptor.patch, recipe->descriptor.step);
  list_members (self, dataset, recipe->descriptor.patch, recipe->descriptor.step);
  return self;
}

gsize
tosst_patches_bytes_of_recipe (const TosstRecipe *recipe, TosstDataset *dataset, gsize *patches)
{
  if (tosst_recipe_is_texture (recipe, NULL))
    {
      *patches = dataset->samples->len;
      return *patches * (sizeof (TosstPoint) + sizeof (gsize));
    }
  if (tosst_recipe_has_frames (recipe) && !tosst_recipe_is_local (recipe))
    {
      *patches = 0;
      for (guint i = 0; i < dataset->entries->len; i++)
        {
          const TosstDatasetImage *image = tosst_dataset_image (dataset, i);
          *patches += at_most (recipe, image->width, image->height);
        }
      return 2 * *patches * (sizeof (gsize) + sizeof (TosstPoint) + sizeof (TosstFrame));
    }
  if (!tosst_recipe_is_local (recipe))
    {
      *patches = 0;
      for (guint j = 0; j < dataset->samples->len; j++)
        {
          const TosstSample *sample = tosst_dataset_sample (dataset, j);

          *patches += tosst_patch_grid (sample->width, sample->height, recipe->descriptor.patch,
                                        recipe->descriptor.step, NULL);
        }
      /* A growing array allocates up to twice its length. */
      return 2 * *patches * (sizeof (gsize) + sizeof (TosstPoint));
    }
  *patches = (gsize)dataset->entries->len * tosst_recipe_regions (recipe, NULL);
  return *patches * sizeof (TosstPoint);
}

TOSST_DEFINE_PUBLIC_FREE (TosstPatches, tosst_patches_free, TosstPatches *, (points, g_free), (frames, g_free),
                          (first, g_free), (offset, g_free), (member, g_free), (sample, g_free), (by_image, g_free))

guint
tosst_patches_image (const TosstPatches *self, gsize patch)
{
  guint low = 0, high = self->images - 1;

  while (low < high)
    {
      guint middle = (low + high + 1) / 2;
      if (self->first[middle] <= patch)
        low = middle;
      else
        high = middle - 1;
    }
  return low;
}

GArray *
tosst_patches_of_images (const TosstPatches *self, TosstDataset *dataset, const GArray *samples)
{
  g_autofree guint8 *marked = mark_images (self, dataset, samples);
  GArray *patches = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (guint i = 0; i < self->images; i++)
    for (gsize p = self->first[i]; marked[i] && p < self->first[i + 1]; p++)
      g_array_append_val (patches, p);
  return patches;
}

GArray *
tosst_patches_of_samples (const TosstPatches *self, const GArray *samples)
{
  g_autofree guint8 *used = g_malloc0 (self->count + 1);
  GArray *patches = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (guint i = 0; i < samples->len; i++)
    {
      guint j = g_array_index (samples, guint, i);
      for (gsize p = self->offset[j]; p < self->offset[j + 1]; p++)
        used[self->member[p]] = 1;
    }
  for (gsize p = 0; p < self->count; p++)
    if (used[p])
      g_array_append_val (patches, p);
  return patches;
}

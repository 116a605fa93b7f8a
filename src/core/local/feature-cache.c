/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/local/feature-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/data/frames.h"
#include "core/local/private.h"

/* Typical number of features in a file. */
#define FILE_FEATURES 1000

/* Features of an image in memory, or in the file from `at` on: xy, then x. */
typedef struct
{
  TosstFeatures *features;
  goffset at; /* -1: not in the file */
  gsize n;
  int D;
} Kept;

struct TosstFeatureCache
{
  TosstRecipe *recipe;
  TosstDataset *dataset;
  gsize bytes, most;
  GMutex lock; /* of the members below; entries are written once */
  Kept *kept;  /* one an image */
  int file;    /* -1: none */
  goffset end;
  int full; /* atomic: no room for further images */
};

TosstFeatureCache *
tosst_feature_cache_new (const TosstRecipe *recipe, TosstDataset *dataset, gsize bytes)
{
  TosstFeatureCache *self = g_new0 (TosstFeatureCache, 1);

  self->recipe = tosst_recipe_copy (recipe);
  self->dataset = tosst_dataset_ref (dataset);
  self->most = bytes;
  self->file = -1;
  self->kept = g_new0 (Kept, tosst_dataset_images (dataset));
  for (guint i = 0; i < tosst_dataset_images (dataset); i++)
    self->kept[i].at = -1;
  g_mutex_init (&self->lock);
  return self;
}

void
tosst_feature_cache_free (TosstFeatureCache *self)
{
  if (!self)
    return;
  for (guint i = 0; i < tosst_dataset_images (self->dataset); i++)
    tosst_features_free (self->kept[i].features);
  if (self->file >= 0)
    close (self->file);
  g_free (self->kept);
  g_mutex_clear (&self->lock);
  tosst_dataset_unref (self->dataset);
  tosst_recipe_free (self->recipe);
  g_free (self);
}

gsize
tosst_feature_cache_bytes (TosstFeatureCache *self)
{
  return self->bytes;
}

static gsize
row_bytes (int D)
{
  return (gsize)D * sizeof (float) + 2 * sizeof (double);
}

/* An unnamed file in the cache folder of the user; -1 without one. */
static int
new_file (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "tosst", NULL);
  g_autofree char *name = g_build_filename (folder, "features-XXXXXX", NULL);
  int file = g_mkdir_with_parents (folder, 0700) == 0 ? g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600) : -1;

  if (file >= 0)
    unlink (name);
  return file;
}

static gboolean
has_room (gsize bytes)
{
  g_autoptr (GFile) folder = g_file_new_build_filename (g_get_user_cache_dir (), "tosst", NULL);

  return tosst_disk_has_room (folder, bytes);
}

/* Writes or reads all bytes. */
static gboolean
transfer (int file, gboolean writes, char *data, gsize bytes, goffset at)
{
  while (bytes > 0)
    {
      gssize done = writes ? pwrite (file, data, bytes, at) : pread (file, data, bytes, at);

      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return FALSE;
      data += done;
      at += done;
      bytes -= (gsize)done;
    }
  return TRUE;
}

/* Reserves a place for the features of an image in memory (-2) or in the file; -1 without room. */
static goffset
reserve (TosstFeatureCache *self, gsize bytes)
{
  goffset at = -1;

  g_mutex_lock (&self->lock);
  if (self->bytes + bytes <= self->most)
    {
      self->bytes += bytes;
      at = -2;
    }
  else if (!g_atomic_int_get (&self->full) && (self->file >= 0 || (self->file = new_file ()) >= 0) && has_room (bytes))
    {
      at = self->end;
      self->end += (goffset)bytes;
    }
  else
    g_atomic_int_set (&self->full, TRUE);
  g_mutex_unlock (&self->lock);
  return at;
}

void
tosst_feature_cache_put (TosstFeatureCache *self, guint image, const TosstFeatures *features)
{
  Kept kept = { .at = -1, .n = features->n, .D = features->D };
  gsize positions = 2 * features->n * sizeof (double), numbers = features->n * (gsize)features->D * sizeof (float);
  goffset at = reserve (self, features->n * row_bytes (features->D));

  if (at == -2)
    kept.features = tosst_features_copy (features);
  else if (at >= 0 && transfer (self->file, TRUE, (char *)features->xy, positions, at)
           && transfer (self->file, TRUE, (char *)features->x, numbers, at + (goffset)positions))
    kept.at = at;
  g_mutex_lock (&self->lock);
  if (!self->kept[image].features && self->kept[image].at < 0)
    self->kept[image] = kept;
  else
    tosst_features_free (kept.features);
  g_mutex_unlock (&self->lock);
}

/* Features from the file; NULL if they cannot be read. */
static TosstFeatures *
read_kept (const TosstFeatureCache *self, guint image, const Kept *kept)
{
  gsize positions = 2 * kept->n * sizeof (double), numbers = kept->n * (gsize)kept->D * sizeof (float);
  g_autoptr (TosstFeatures) features = g_new0 (TosstFeatures, 1);

  features->n = kept->n;
  features->D = kept->D;
  features->x = g_try_malloc (numbers);
  features->xy = g_try_malloc (positions);
  features->name = g_strdup (tosst_dataset_image (self->dataset, image)->name);
  return features->x && features->xy && transfer (self->file, FALSE, (char *)features->xy, positions, kept->at)
                 && transfer (self->file, FALSE, (char *)features->x, numbers, kept->at + (goffset)positions)
             ? g_steal_pointer (&features)
             : NULL;
}

TosstFeatures *
tosst_feature_cache_get (guint image, gpointer cache, GError **error)
{
  TosstFeatureCache *self = cache;
  TosstFeatures *features = NULL;
  Kept kept;

  g_mutex_lock (&self->lock);
  kept = self->kept[image];
  g_mutex_unlock (&self->lock);
  if (kept.features)
    return tosst_features_copy (kept.features);
  if (kept.at >= 0)
    features = read_kept (self, image, &kept);
  if (features)
    return features;
  features = tosst_local_features (self->recipe, self->dataset, image, error);
  if (features)
    tosst_feature_cache_put (self, image, features);
  return features;
}

typedef struct
{
  TosstFeatureCache *cache;
  guint first;
  GError *error; /* atomic */
} Filling;

static TosstStatus
compute (size_t item, int worker, void *data)
{
  Filling *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = NULL;

  if (!g_atomic_int_get (&self->cache->full))
    features = tosst_feature_cache_get (self->first + (guint)item, self->cache, &error);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
}

gboolean
tosst_feature_cache_fill (TosstFeatureCache *self, TosstContext *context, guint first, guint n, GError **error)
{
  Filling filling = { .cache = self, .first = first };
  TosstStatus status = tosst_parallel (context, n, compute, &filling, 0, 1);

  return tosst_local_end_parallel (status, context, &filling.error, _ ("Local features"), error);
}

/* The size that an image is reduced to. */
static void
reduced_size (const TosstRecipe *recipe, const TosstDatasetImage *image, int *width, int *height)
{
  int longest = MAX (image->width, image->height), side = recipe->descriptor.longest_side;
  double ratio = side > 0 && longest > side ? (double)side / longest : 1;

  *width = (int)(image->width * ratio);
  *height = (int)(image->height * ratio);
}

/* Expected features of an image, by its size. */
static gsize
count_in_image (const TosstRecipe *recipe, const TosstSiftOptions *options, const TosstDatasetImage *image)
{
  int width, height;

  reduced_size (recipe, image, &width, &height);
  return tosst_recipe_has_frames (recipe) ? tosst_frames_expected (recipe, width, height)
                                          : tosst_sift_count (options, width, height);
}

gsize
tosst_local_features_expected (const TosstRecipe *recipe, TosstDataset *dataset)
{
  guint images = tosst_dataset_images (dataset);
  TosstSiftOptions options;
  gsize n = 0;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    return images * (gsize)FILE_FEATURES;
  if (!tosst_recipe_sift_options (recipe, &options, NULL))
    return 0;
  for (guint i = 0; i < images; i++)
    n += count_in_image (recipe, &options, tosst_dataset_image (dataset, i));
  return n;
}

gsize
tosst_local_features_bytes (const TosstRecipe *recipe, TosstDataset *dataset)
{
  int D = recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES ? MAX (recipe->descriptor.length, recipe->descriptor.pca)
                                                               : TOSST_SIFT_LENGTH;

  return tosst_local_features_expected (recipe, dataset) * row_bytes (D);
}

gsize
tosst_local_detector_bytes (const TosstRecipe *recipe, TosstDataset *dataset)
{
  gsize most = 0;

  for (guint i = 0; tosst_recipe_has_frames (recipe) && i < tosst_dataset_images (dataset); i++)
    {
      int width, height;

      reduced_size (recipe, tosst_dataset_image (dataset, i), &width, &height);
      most = MAX (most, tosst_frames_bytes (recipe, width, height));
    }
  return most;
}

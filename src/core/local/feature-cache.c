/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/local/feature-cache.h"

#include <glib/gi18n.h>

#include "core/base/row-file.h"
#include "core/data/frames.h"
#include "core/local/private.h"

/* Typical number of features in a file. */
#define FILE_FEATURES 1000

/* Features of an image in memory, or in the file from `at` on: xy, then x. */
typedef struct
{
  TosstFeatures *features;
  gboolean in_file;
  gsize at, n;
  int D;
} Kept;

struct TosstFeatureCache
{
  TosstRecipe *recipe;
  TosstDataset *dataset;
  gsize bytes, most;
  GMutex lock;        /* of the members below; entries are written once */
  Kept *kept;         /* one an image */
  TosstRowFile *file; /* of bytes, or NULL */
  gsize end;
  int full; /* atomic: no room for further images */
};

TosstFeatureCache *
tosst_feature_cache_new (const TosstRecipe *recipe, TosstDataset *dataset, gsize bytes)
{
  TosstFeatureCache *self = g_new0 (TosstFeatureCache, 1);

  self->recipe = tosst_recipe_copy (recipe);
  self->dataset = tosst_dataset_ref (dataset);
  self->most = bytes;
  self->kept = g_new0 (Kept, dataset->entries->len);
  g_mutex_init (&self->lock);
  return self;
}

void
tosst_feature_cache_free (TosstFeatureCache *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->dataset->entries->len; i++)
    tosst_features_free (self->kept[i].features);
  tosst_row_file_free (self->file);
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

/* With the lock held. */
static gboolean
append (TosstFeatureCache *self, gconstpointer data, gsize bytes)
{
  if (!self->file)
    self->file = tosst_row_file_new (bytes, 1);
  if (!self->file || !tosst_row_file_append (self->file, bytes, data))
    return FALSE;
  self->end += bytes;
  return TRUE;
}

/* Adds the features of an image, as long as there is room. */
static void
put (TosstFeatureCache *self, guint image, const TosstFeatures *features)
{
  Kept *kept = &self->kept[image];
  gsize positions = 2 * features->n * sizeof (double), numbers = features->n * (gsize)features->D * sizeof (float);

  g_mutex_lock (&self->lock);
  if (!kept->features && !kept->in_file)
    {
      *kept = (Kept){ .at = self->end, .n = features->n, .D = features->D };
      if (self->bytes + positions + numbers <= self->most)
        {
          self->bytes += positions + numbers;
          kept->features = tosst_features_copy (features);
        }
      else if (!g_atomic_int_get (&self->full))
        {
          kept->in_file = append (self, features->xy, positions) && append (self, features->x, numbers);
          g_atomic_int_set (&self->full, !kept->in_file);
        }
    }
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
  return features->x && features->xy && tosst_row_file_read (self->file, kept->at, positions, features->xy)
                 && tosst_row_file_read (self->file, kept->at + positions, numbers, features->x)
             ? g_steal_pointer (&features)
             : NULL;
}

TosstFeatures *
tosst_feature_cache_get (guint image, gpointer cache, GError **error)
{
  TosstFeatureCache *self = cache;
  TosstFeatures *features = NULL;

  g_mutex_lock (&self->lock);
  Kept kept = self->kept[image];
  g_mutex_unlock (&self->lock);
  if (kept.features)
    return tosst_features_copy (kept.features);
  if (kept.in_file)
    features = read_kept (self, image, &kept);
  if (features)
    return features;
  features = tosst_local_features_kept (self->recipe, self->dataset, image, error);
  if (features)
    put (self, image, features);
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

gsize
tosst_local_features_expected (const TosstRecipe *recipe, TosstDataset *dataset)
{
  guint images = dataset->entries->len;
  TosstSiftOptions options;
  gsize n = 0;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    return images * (gsize)FILE_FEATURES;
  if (!tosst_recipe_sift_options (recipe, &options, NULL))
    return 0;
  for (guint i = 0; i < images; i++)
    {
      int width, height;

      reduced_size (recipe, tosst_dataset_image (dataset, i), &width, &height);
      n += tosst_recipe_has_frames (recipe) ? tosst_frames_expected (recipe, width, height)
                                            : tosst_sift_count (&options, width, height);
    }
  return n;
}

gsize
tosst_local_features_bytes (const TosstRecipe *recipe, TosstDataset *dataset)
{
  int D = recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES ? MAX (recipe->descriptor.length, recipe->descriptor.pca)
                                                               : TOSST_SIFT_LENGTH;

  return tosst_local_features_expected (recipe, dataset) * ((gsize)D * sizeof (float) + 2 * sizeof (double));
}

gsize
tosst_local_detector_bytes (const TosstRecipe *recipe, TosstDataset *dataset)
{
  gsize most = 0;

  for (guint i = 0; tosst_recipe_has_frames (recipe) && i < dataset->entries->len; i++)
    {
      int width, height;

      reduced_size (recipe, tosst_dataset_image (dataset, i), &width, &height);
      most = MAX (most, tosst_frames_bytes (recipe, width, height));
    }
  return most;
}

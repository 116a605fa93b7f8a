/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors of images from their local features. Images are read, described and summed in parallel; the features of an
 * image are in memory only meanwhile.
 */
#include "config.h"

#include "core/local/image-tensors.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/disk-cache.h"
#include "core/base/error.h"
#include "core/data/feature-files.h"
#include "core/data/frames.h"
#include "core/data/kept.h"
#include "core/local/private.h"

/* Shares of the progress: features and sums, whitening. */
#define SUMMING 0.9

TosstFeatures *
tosst_local_features_of_image (const TosstRecipe *recipe, const TosstImage *image, const char *name, GError **error)
{
  TosstSiftOptions options;
  TosstFrameOptions frames;

  if (tosst_recipe_has_frames (recipe))
    {
      tosst_recipe_frame_options (recipe, &frames);
      return tosst_features_at_frames (image, &frames, recipe->descriptor.root, recipe->descriptor.longest_side,
                                       recipe->descriptor.flat, name, error);
    }
  return tosst_recipe_sift_options (recipe, &options, error) ? tosst_features_sift (
             image, &options, recipe->descriptor.longest_side, recipe->descriptor.flat, name, error)
                                                             : NULL;
}

TosstFeatures *
tosst_local_features (const TosstRecipe *recipe, TosstDataset *dataset, guint image, GError **error)
{
  const char *name = tosst_dataset_image (dataset, image)->name;
  g_autoptr (TosstImage) pixels = NULL;
  g_autoptr (GError) cause = NULL;
  TosstFeatures *features;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    {
      g_autoptr (GFile) folder = tosst_dataset_features_folder (dataset, recipe);
      g_autofree char *id = tosst_dataset_image_id (dataset, image);

      return tosst_features_read (folder, id, error);
    }
  pixels = tosst_dataset_read_for (dataset, image, tosst_recipe_longest (recipe), error);
  if (!pixels)
    return NULL;
  features = tosst_local_features_of_image (recipe, pixels, name, &cause);
  if (features && features->frames && pixels->width < tosst_dataset_image (dataset, image)->width)
    {
      const TosstImage whole = { .width = tosst_dataset_image (dataset, image)->width,
                                 .height = tosst_dataset_image (dataset, image)->height };

      tosst_frames_to_image (features->frames, features->n, pixels->width, pixels->height, &whole);
    }
  /* One blank image does not end the run of a folder: its signature is zero. */
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY))
    {
      features = g_new0 (TosstFeatures, 1);
      features->D = TOSST_SIFT_LENGTH;
      features->name = g_strdup (name);
    }
  else if (cause)
    g_propagate_error (error, g_steal_pointer (&cause));
  return features;
}

TosstFeatures *
tosst_local_features_kept (const TosstRecipe *recipe, TosstDataset *dataset, guint image, GError **error)
{
  g_autofree char *key = recipe->descriptor.kind == TOSST_DESCRIPTOR_SIFT
                             ? tosst_kept_key (recipe, dataset, image, TOSST_KEPT_FEATURES, NULL, 0)
                             : NULL;
  gsize positions = 0, numbers = 0;
  g_autofree double *xy = tosst_disk_cache_load (key, 0, &positions);
  g_autofree float *x = xy != NULL ? tosst_disk_cache_load (key, 1, &numbers) : NULL;
  gint64 start = g_get_monotonic_time ();
  TosstFeatures *features;

  if (x == NULL)
    {
      features = tosst_local_features (recipe, dataset, image, error);
      if (features != NULL)
        tosst_disk_cache_write (key, 1e-6 * (double)(g_get_monotonic_time () - start), features->xy,
                                features->n * 2 * sizeof *xy, features->x, features->n * TOSST_SIFT_LENGTH * sizeof *x);
      return features;
    }
  features = g_new0 (TosstFeatures, 1);
  features->n = positions / (2 * sizeof *xy);
  features->D = TOSST_SIFT_LENGTH;
  features->name = g_strdup (tosst_dataset_image (dataset, image)->name);
  features->xy = g_steal_pointer (&xy);
  features->x = g_steal_pointer (&x);
  return features;
}

TosstFeatures *
tosst_local_features_of_file (const TosstRecipe *recipe, GFile *file, const char *id, GError **error)
{
  g_autofree char *base = g_file_get_basename (file), *name = g_file_get_parse_name (file);
  g_autoptr (TosstImage) image = NULL;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    {
      g_autoptr (GFile) folder = recipe->descriptor.folder ? g_file_new_for_path (recipe->descriptor.folder) : NULL;

      if (tosst_feature_files_has_suffix (base))
        return tosst_features_read_file (file, error);
      if (folder)
        return tosst_features_read (folder, id, error);
      tosst_fail_input (error, name, _ ("has no features: descriptor.folder must name the folder of their files"));
      return NULL;
    }
  image = tosst_image_read_for (file, tosst_recipe_longest (recipe), 0, error);
  return image ? tosst_local_features_of_image (recipe, image, name, error) : NULL;
}

gboolean
tosst_local_complete_recipe (TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  g_autoptr (TosstFeatures) features = NULL;

  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || recipe->descriptor.length > 0
      || tosst_dataset_images (dataset) == 0)
    return TRUE;
  features = tosst_local_features (recipe, dataset, 0, error);
  if (features)
    recipe->descriptor.length = features->D;
  return features != NULL;
}

TosstDataset *
tosst_local_open (TosstRecipe *recipe, GCancellable *cancellable, GError **error)
{
  gboolean known = recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || recipe->descriptor.length > 0;
  g_autoptr (TosstDataset) dataset = NULL;

  if (known && !tosst_recipe_check (recipe, error))
    return NULL;
  dataset = tosst_dataset_open (recipe, cancellable, error);
  if (dataset && !known
      && (!tosst_local_complete_recipe (recipe, dataset, error) || !tosst_recipe_check (recipe, error)))
    return NULL;
  return g_steal_pointer (&dataset);
}

gboolean
tosst_local_open_once (TosstRecipe *recipe, TosstDataset **dataset, GCancellable *cancellable, GError **error)
{
  if (*dataset)
    return tosst_local_complete_recipe (recipe, *dataset, error);
  *dataset = tosst_local_open (recipe, cancellable, error);
  return *dataset != NULL;
}

/* Description of parts: one task for each image. */
typedef struct
{
  TosstLocalEncoding encoding;
  const TosstRegion *regions;
  const TosstLocalPart *parts;
  gsize *first; /* images + 1: parts of image i are first[i] .. first[i + 1] - 1 */
  TosstLocalSource source;
  gpointer data;
  TosstLayout *layout;
  float *tensors;
  GError *error; /* atomic */
} Describing;

static gboolean
describe_part (Describing *self, const TosstFeatures *features, gsize part, GError **error)
{
  guint number = self->parts[part].region;
  const TosstRegion *region = number > 0 ? &self->regions[number] : NULL;
  float *tensor = self->tensors + part * self->layout->m;

  if (features->n == 0)
    {
      memset (tensor, 0, self->layout->m * sizeof *tensor);
      return TRUE;
    }
  TosstStatus status
      = tosst_local_tensor (&self->encoding, features->x, features->xy, features->n, region, tensor, NULL);

  if (status == TOSST_ERROR_ARGUMENT && region)
    status = tosst_local_tensor (&self->encoding, features->x, features->xy, features->n, NULL, tensor, NULL);
  if (status == TOSST_ERROR_NUMERIC)
    return tosst_fail_input (error, tosst_features_name (features), _ ("has features that are not finite"));
  if (!tosst_error_from_status (status, NULL, _ ("Describing an image"), error))
    return FALSE;
  tosst_tensor_normalise (self->layout, tensor);
  return TRUE;
}

static TosstStatus
describe_image (size_t item, int worker, void *data)
{
  Describing *self = data;
  guint image = self->parts[self->first[item]].image;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = self->source (image, self->data, &error);

  if (features && tosst_local_check_length (features, self->encoding.D, &error))
    for (gsize part = self->first[item]; part < self->first[item + 1] && !error; part++)
      describe_part (self, features, part, &error);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
}

static gsize
list_images (Describing *self, gsize n)
{
  gsize images = 0;

  self->first = g_new (gsize, n + 1);
  for (gsize i = 0; i < n; i++)
    if (i == 0 || self->parts[i].image != self->parts[i - 1].image)
      self->first[images++] = i;
  self->first[images] = n;
  return images;
}

gboolean
tosst_local_describe (const TosstRecipe *recipe, const TosstPca *pca, TosstContext *context,
                      const TosstLocalPart *parts, gsize n, TosstLocalSource source, gpointer data, float *tensors,
                      GError **error)
{
  double eigen = recipe->descriptor.gamma_eigen, coefficient = recipe->descriptor.gamma_coefficient;
  Describing self = { .parts = parts, .source = source, .data = data, .tensors = tensors };
  gboolean ok;

  tosst_recipe_local_encoding (recipe, pca, &self.encoding);
  tosst_recipe_regions (recipe, &self.regions);
  self.layout = tosst_layout_new_shape (tosst_local_shape (&self.encoding));
  if (!self.layout)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Describing an image"), error);
  gsize images = list_images (&self, n);
  TosstStatus status = tosst_parallel (context, images, describe_image, &self, 0, SUMMING);
  ok = tosst_local_end_parallel (status, context, &self.error, _ ("Describing an image"), error);
  if (ok && (eigen < 1 || coefficient < 1))
    {
      TosstRange range = tosst_context_narrow (context, SUMMING, 1);

      status = tosst_whiten (context, self.layout, tensors, n, eigen, coefficient);
      tosst_context_set_range (context, range);
      ok = tosst_error_from_status (status, context, _ ("Whitening"), error);
      for (gsize i = 0; i < n && ok; i++)
        tosst_tensor_normalise (self.layout, tensors + i * self.layout->m);
    }
  tosst_layout_free (self.layout);
  g_free (self.first);
  return ok;
}

/* A data set and its recipe, as a source of features. */
typedef struct
{
  const TosstRecipe *recipe;
  TosstDataset *dataset;
} Source;

static TosstFeatures *
read_from_dataset (guint image, gpointer data, GError **error)
{
  const Source *self = data;

  return tosst_local_features (self->recipe, self->dataset, image, error);
}

static TosstFeatures *
read_kept (guint image, gpointer data, GError **error)
{
  const Source *self = data;

  return tosst_local_features_kept (self->recipe, self->dataset, image, error);
}

gboolean
tosst_local_components_of_images (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset,
                                  const GArray *images, TosstPca **pca, GError **error)
{
  Source source = { recipe, dataset };

  return tosst_local_components (recipe, context, images, read_from_dataset, &source, pca, error);
}

GArray *
tosst_local_training_images (const TosstRecipe *recipe, TosstDataset *dataset, guint split, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL, images = g_array_new (FALSE, FALSE, sizeof (guint));

  if (!tosst_dataset_split (dataset, recipe, split, &train, &test, error))
    return NULL;
  for (guint i = 0; i < train->len; i++)
    {
      guint image = (guint)tosst_dataset_sample (dataset, g_array_index (train, guint, i))->image;
      g_array_append_val (images, image);
    }
  return g_steal_pointer (&images);
}

gboolean
tosst_local_components_of_split (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset, guint split,
                                 TosstPca **pca, GError **error)
{
  g_autoptr (GArray) images = NULL;
  Source source = { recipe, dataset };

  *pca = NULL;
  if (recipe->descriptor.pca == 0)
    return TRUE;
  images = tosst_local_training_images (recipe, dataset, split, error);
  return images && tosst_local_components (recipe, context, images, read_kept, &source, pca, error);
}

gboolean
tosst_local_describe_images (const TosstRecipe *recipe, const TosstPca *pca, TosstContext *context,
                             TosstDataset *dataset, guint first, guint n, float *tensors, GError **error)
{
  g_autofree TosstLocalPart *parts = g_new (TosstLocalPart, n);
  Source source = { recipe, dataset };

  for (guint i = 0; i < n; i++)
    parts[i] = (TosstLocalPart){ first + i, 0 };
  return tosst_local_describe (recipe, pca, context, parts, n, read_from_dataset, &source, tensors, error);
}

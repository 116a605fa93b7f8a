/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors of images from their local features. Images are read, described and summed in parallel; the features of an
 * image are in memory only meanwhile.
 */
#include "config.h"

#include "core/local/image-tensors.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/feature-files.h"

/* Images whose drawn features are in memory at a time. */
#define DRAWN 32

/* First random stream of dataset.seed for drawing features; the division into training and tests uses lower ones. */
#define DRAW_STREAM ((guint64)1 << 32)

/* Shares of the progress: features and sums, whitening. */
#define SUMMING 0.9

TosstFeatures *
tosst_local_features_of_image (const TosstRecipe *recipe, const TosstImage *image, const char *name, GError **error)
{
  TosstSiftOptions options;

  return tosst_recipe_sift_options (recipe, &options, error) ? tosst_features_sift (
             image, &options, recipe->descriptor.longest_side, recipe->descriptor.flat, name, error)
                                                             : NULL;
}

TosstFeatures *
tosst_local_features (const TosstRecipe *recipe, TosstDataset *dataset, guint image, GError **error)
{
  g_autoptr (TosstImage) pixels = NULL;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    {
      g_autoptr (GFile) folder = tosst_dataset_features_folder (dataset, recipe);
      g_autofree char *id = tosst_dataset_image_id (dataset, image);

      return tosst_features_read (folder, id, error);
    }
  pixels = tosst_dataset_read (dataset, image, error);
  return pixels ? tosst_local_features_of_image (recipe, pixels, tosst_dataset_image (dataset, image)->name, error)
                : NULL;
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
  image = tosst_image_read (file, 0, error);
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

static const char *
name_of (const TosstFeatures *features)
{
  return features->name ? features->name : _ ("the image");
}

static gboolean
check_length (const TosstFeatures *features, int D, GError **error)
{
  return features->D == D
         || tosst_fail_input (error, name_of (features),
                              _ ("has features of %d numbers instead of %d, as other images or the model have"),
                              features->D, D);
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

/* Drawing of features, DRAWN images at a time. */
typedef struct
{
  const TosstRecipe *recipe;
  const guint *images;
  TosstLocalSource source;
  gpointer data;
  int D;
  float *drawn; /* DRAWN x pca_sample x D */
  gsize count[DRAWN];
  GError *error; /* atomic: of the first image that failed */
} Drawing;

/* Stores the first error; later ones are dropped. Returns the status of a task. */
static TosstStatus
end_task (GError **first, GError *error)
{
  if (!error)
    return TOSST_OK;
  if (!g_atomic_pointer_compare_and_exchange (first, NULL, error))
    g_error_free (error);
  return TOSST_ERROR_ARGUMENT;
}

/* Moves `wanted` of n rows, drawn without repetition, to the front. */
static void
shuffle_front (TosstRandom *random, float *x, gsize n, gsize wanted, gsize row, float *work)
{
  for (gsize i = 0; i < wanted; i++)
    {
      gsize j = i + tosst_random_below (random, n - i);

      memcpy (work, x + i * row, row * sizeof *x);
      memmove (x + i * row, x + j * row, row * sizeof *x);
      memcpy (x + j * row, work, row * sizeof *x);
    }
}

static TosstStatus
draw_from_image (size_t item, int worker, void *data)
{
  Drawing *self = data;
  guint image = self->images[item];
  gsize D = (gsize)self->D, most = (gsize)self->recipe->descriptor.pca_sample;
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = self->source (image, self->data, &error);
  g_autofree float *work = g_new (float, D);
  TosstLocalEncoding normalise = { .D = self->D, .q = self->D, .normalise = self->recipe->descriptor.normalise };
  TosstRandom random;

  self->count[item] = 0;
  if (!features || !check_length (features, self->D, &error))
    return end_task (&self->error, g_steal_pointer (&error));
  tosst_random_init (&random, self->recipe->dataset.seed, DRAW_STREAM + image);
  self->count[item] = MIN (features->n, most);
  shuffle_front (&random, features->x, features->n, self->count[item], D, work);
  TosstStatus status
      = tosst_local_vectors (&normalise, features->x, features->xy, self->count[item], self->drawn + item * most * D);
  if (status == TOSST_ERROR_NUMERIC)
    tosst_fail_input (&error, name_of (features), _ ("has features that are not finite"));
  else
    tosst_error_from_status (status, NULL, _ ("Principal components"), &error);
  return end_task (&self->error, g_steal_pointer (&error));
}

static gboolean
end_parallel (TosstStatus status, TosstContext *context, GError **first, const char *what, GError **error)
{
  if (status == TOSST_CANCELLED || !*first)
    {
      g_clear_error (first);
      return tosst_error_from_status (status, context, what, error);
    }
  g_propagate_error (error, g_steal_pointer (first));
  return FALSE;
}

static gboolean
draw_all (Drawing *self, TosstContext *context, const GArray *images, TosstScatter *scatter, GError **error)
{
  gsize most = (gsize)self->recipe->descriptor.pca_sample, D = (gsize)self->D;

  for (guint first = 0; first < images->len; first += DRAWN)
    {
      guint n = MIN (DRAWN, images->len - first);
      TosstStatus status;

      self->images = &g_array_index (images, guint, first);
      status = tosst_parallel (context, n, draw_from_image, self, (double)first / images->len,
                               (double)(first + n) / images->len);
      if (!end_parallel (status, context, &self->error, _ ("Principal components"), error))
        return FALSE;
      for (guint i = 0; i < n && status == TOSST_OK; i++)
        status = tosst_scatter_add (scatter, self->drawn + i * most * D, self->count[i]);
      if (!tosst_error_from_status (status, context, _ ("Principal components"), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tosst_local_components (const TosstRecipe *recipe, TosstContext *context, const GArray *images, TosstLocalSource source,
                        gpointer data, TosstPca **pca, GError **error)
{
  g_autoptr (TosstFeatures) features = NULL;
  g_autofree float *drawn = NULL;
  TosstScatter scatter;
  Drawing drawing = { .recipe = recipe, .source = source, .data = data };
  gboolean ok;

  *pca = NULL;
  if (recipe->descriptor.pca == 0)
    return TRUE;
  features = source (g_array_index (images, guint, 0), data, error);
  if (!features)
    return FALSE;
  if (recipe->descriptor.pca > features->D)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("descriptor.pca is %d, more than the %d numbers of a feature"),
                       recipe->descriptor.pca, features->D);
  drawing.D = features->D;
  g_clear_pointer (&features, tosst_features_free);
  drawing.drawn = drawn
      = g_try_malloc_n ((gsize)DRAWN * (gsize)recipe->descriptor.pca_sample, sizeof (float) * (gsize)drawing.D);
  if (!drawn || !tosst_scatter_init (&scatter, drawing.D))
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Principal components"), error);
  ok = draw_all (&drawing, context, images, &scatter, error);
  if (ok)
    {
      TosstStatus status = tosst_pca_compute (context, &scatter, recipe->descriptor.pca, recipe->descriptor.pca_centre,
                                              recipe->descriptor.pca_whiten, pca);
      ok = tosst_error_from_status (status, context, _ ("Principal components"), error);
    }
  tosst_scatter_clear (&scatter);
  return ok;
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
  TosstStatus status
      = tosst_local_tensor (&self->encoding, features->x, features->xy, features->n, region, tensor, NULL);

  if (status == TOSST_ERROR_ARGUMENT && region)
    status = tosst_local_tensor (&self->encoding, features->x, features->xy, features->n, NULL, tensor, NULL);
  if (status == TOSST_ERROR_NUMERIC)
    return tosst_fail_input (error, name_of (features), _ ("has features that are not finite"));
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

  if (features && check_length (features, self->encoding.D, &error))
    for (gsize part = self->first[item]; part < self->first[item + 1] && !error; part++)
      describe_part (self, features, part, &error);
  return end_task (&self->error, g_steal_pointer (&error));
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
  ok = end_parallel (status, context, &self.error, _ ("Describing an image"), error);
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

gboolean
tosst_local_components_of_images (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset,
                                  const GArray *images, TosstPca **pca, GError **error)
{
  Source source = { recipe, dataset };

  return tosst_local_components (recipe, context, images, read_from_dataset, &source, pca, error);
}

gboolean
tosst_local_components_of_split (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset, guint split,
                                 TosstPca **pca, GError **error)
{
  g_autoptr (GArray) train = NULL, test = NULL, images = g_array_new (FALSE, FALSE, sizeof (guint));

  *pca = NULL;
  if (recipe->descriptor.pca == 0)
    return TRUE;
  if (!tosst_dataset_split (dataset, recipe, split, &train, &test, error))
    return FALSE;
  for (guint i = 0; i < train->len; i++)
    {
      guint image = (guint)tosst_dataset_sample (dataset, g_array_index (train, guint, i))->image;
      g_array_append_val (images, image);
    }
  return tosst_local_components_of_images (recipe, context, dataset, images, pca, error);
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

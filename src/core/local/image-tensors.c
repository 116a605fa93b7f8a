/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fisher vectors of images: local features, their principal components, a mixture of Gaussians, gradients.
 */
#include "core/local/image-tensors.h"

#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/data/feature-files.h"
#include "core/data/frames.h"
#include "core/data/kept.h"
#include "core/local/private.h"
#include "core/ranks/processes.h"
#include "tosst/pool.h"

/* Local features drawn at random from images, to learn from: principal components. */

/* Images whose drawn features are in memory at a time. */
#define DRAWN 32

/* First random stream of dataset.seed for drawing features; the division into training and tests uses lower ones. */
#define DRAW_STREAM ((guint64)1 << 32)

/* for messages */
static const char *
tosst_features_name (const TosstFeatures *features)
{
  return features->name ? features->name : _ ("the image");
}

static gboolean
tosst_local_check_length (const TosstFeatures *features, int D, GError **error)
{
  return features->D == D
         || tosst_fail_input (error, tosst_features_name (features),
                              _ ("has features of %d numbers instead of %d, as other images or the model have"),
                              features->D, D);
}

/* Stores the first error; later ones are dropped. */
TosstStatus
tosst_local_end_task (GError **first, GError *error)
{
  if (!error)
    return TOSST_OK;
  if (!g_atomic_pointer_compare_and_exchange (first, NULL, error))
    g_error_free (error);
  return TOSST_ERROR_ARGUMENT;
}

gboolean
tosst_local_end_parallel (TosstStatus status, TosstContext *context, GError **first, const char *what, GError **error)
{
  if (status == TOSST_CANCELLED || !*first)
    {
      g_clear_error (first);
      return tosst_error_from_status (status, context, what, error);
    }
  g_propagate_error (error, g_steal_pointer (first));
  return FALSE;
}

/* Drawing from DRAWN images at a time. */
typedef struct
{
  const TosstLocalDraw *draw;
  const guint *images;
  const char *what;
  float *drawn; /* DRAWN x most x d */
  gsize count[DRAWN];
  GError *error; /* atomic: of the first image that failed */
} Drawing;

static TosstStatus
draw_from_image (size_t item, int worker, void *data)
{
  Drawing *self = data;
  const TosstLocalDraw *draw = self->draw;
  guint image = self->images[item];
  gsize D = (gsize)draw->encoding.D, row = draw->most * (gsize)tosst_local_dimension (&draw->encoding);
  g_autoptr (GError) error = NULL;
  g_autofree float *work = g_new (float, D);
  TosstRandom random;

  self->count[item] = 0;
  if (draw->share && (image < draw->share->begin || image >= draw->share->end))
    return TOSST_OK;
  g_autoptr (TosstFeatures) features = draw->source (image, draw->data, &error);
  if (!features || !tosst_local_check_length (features, draw->encoding.D, &error))
    return tosst_local_end_task (&self->error, g_steal_pointer (&error));
  tosst_random_init (&random, draw->seed, draw->stream + (draw->numbers ? draw->numbers[image] : image));
  self->count[item] = MIN (features->n, draw->most);
  if (self->count[item] == 0)
    return TOSST_OK;
  /* Moves the wanted rows, drawn without repetition, to the front. */
  for (gsize i = 0; i < self->count[item]; i++)
    {
      gsize j = i + tosst_random_below (&random, features->n - i);

      memcpy (work, features->x + i * D, D * sizeof *work);
      memmove (features->x + i * D, features->x + j * D, D * sizeof *work);
      memcpy (features->x + j * D, work, D * sizeof *work);
    }
  TosstStatus status
      = tosst_local_vectors (&draw->encoding, features->x, features->xy, self->count[item], self->drawn + item * row);
  if (status == TOSST_ERROR_NUMERIC)
    tosst_fail_input (&error, tosst_features_name (features), _ ("has features that are not finite"));
  else
    tosst_error_from_status (status, NULL, self->what, &error);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
}

/* The vectors that other processes have drawn from some of n images: of each process their numbers, and the vectors. */
static TosstStatus
exchange_drawn (Drawing *self, guint n)
{
  gsize vector = (gsize)tosst_local_dimension (&self->draw->encoding) * sizeof (float);
  TosstRanks *ranks = self->draw->share->ranks;
  g_autoptr (GByteArray) array = g_byte_array_new ();
  TosstStatus status;

  g_byte_array_append (array, (const guint8 *)self->count, n * sizeof *self->count);
  for (guint i = 0; i < n; i++)
    g_byte_array_append (array, (const guint8 *)self->drawn + i * self->draw->most * vector,
                         (guint)(self->count[i] * vector));
  g_autoptr (GBytes) own = g_byte_array_free_to_bytes (g_steal_pointer (&array));
  tosst_ranks_start (ranks);
  g_autoptr (GPtrArray) parts = tosst_processes_exchange (ranks, own, &status);
  for (guint r = 0; parts && r < parts->len; r++)
    {
      gsize count[DRAWN];
      const char *bytes = g_bytes_get_data (parts->pdata[r], NULL);

      memcpy (count, bytes, n * sizeof *count);
      bytes += n * sizeof *count;
      for (guint i = 0; i < n; i++)
        if (count[i] > 0)
          {
            self->count[i] = count[i];
            memcpy ((char *)self->drawn + i * self->draw->most * vector, bytes, count[i] * vector);
            bytes += count[i] * vector;
          }
    }
  return tosst_ranks_agree (ranks, status);
}

/* Draws without repetition and calls the sink for each image, in order. what: for messages. The same for any number
 * of threads. Progress is that of the context. */
static gboolean
tosst_local_draw (const TosstLocalDraw *draw, TosstContext *context, const GArray *images, TosstLocalSink sink,
                  gpointer data, const char *what, GError **error)
{
  gsize row = draw->most * (gsize)tosst_local_dimension (&draw->encoding);
  g_autofree float *drawn = g_try_malloc_n ((gsize)DRAWN * row, sizeof (float));
  Drawing self = { .draw = draw, .drawn = drawn, .what = what };

  if (!drawn)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, what, error);
  for (guint first = 0; first < images->len; first += DRAWN)
    {
      guint n = MIN (DRAWN, images->len - first);

      self.images = &g_array_index (images, guint, first);
      TosstStatus status = tosst_parallel (context, n, draw_from_image, &self, (double)first / images->len,
                                           (double)(first + n) / images->len);
      if (!tosst_local_end_parallel (status, context, &self.error, what, error))
        return FALSE;
      if (draw->share)
        status = exchange_drawn (&self, n);
      for (guint i = 0; i < n && status == TOSST_OK; i++)
        status = self.count[i] > 0 ? sink (drawn + i * row, self.count[i], data) : TOSST_OK;
      if (!tosst_error_from_status (status, context, what, error))
        return FALSE;
    }
  return TRUE;
}

static TosstStatus
add_to_scatter (const float *x, gsize count, gpointer data)
{
  return tosst_scatter_add (data, x, count);
}

gboolean
tosst_local_components (const TosstRecipe *recipe, TosstContext *context, const TosstLocalShare *share,
                        const GArray *images, const guint *numbers, TosstLocalSource source, gpointer data,
                        TosstPca **pca, GError **error)
{
  TosstScatter scatter = { 0 };
  TosstLocalDraw draw = { .seed = recipe->dataset.seed,
                          .stream = DRAW_STREAM,
                          .numbers = numbers,
                          .source = source,
                          .data = data,
                          .share = share,
                          .most = (gsize)recipe->descriptor.pca_sample };
  gboolean ok;

  *pca = NULL;
  if (recipe->descriptor.pca == 0)
    return TRUE;
  g_autoptr (TosstFeatures) features = source (g_array_index (images, guint, 0), data, error);
  if (!features)
    return FALSE;
  if (recipe->descriptor.pca > features->D)
    return tosst_fail (error, TOSST_FAILED_RECIPE, _ ("descriptor.pca is %d, more than the %d numbers of a feature"),
                       recipe->descriptor.pca, features->D);
  draw.encoding = (TosstLocalEncoding){ .D = features->D, .q = features->D, .normalise = recipe->descriptor.normalise };
  g_clear_pointer (&features, tosst_features_free);
  if (!tosst_scatter_init (&scatter, draw.encoding.D))
    ok = tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Principal components"), error);
  else
    ok = tosst_local_draw (&draw, context, images, add_to_scatter, &scatter, _ ("Principal components"), error);
  if (ok && scatter.n < 1)
    ok = tosst_fail (error, TOSST_FAILED_INPUT, _ ("no training image has a keypoint or a gradient to describe"));
  if (ok)
    {
      TosstStatus status = tosst_pca_compute (context, &scatter, recipe->descriptor.pca, recipe->descriptor.pca_centre,
                                              recipe->descriptor.pca_whiten, pca);
      ok = tosst_error_from_status (status, context, _ ("Principal components"), error);
    }
  tosst_scatter_clear (&scatter);
  return ok;
}

/* Random stream of dataset.seed for drawing features; those of images for components begin at 2^32. */
#define MIXTURE_STREAM ((guint64)1 << 33)

/* Share of drawing features in the progress of learning. */
#define DRAWING 0.5

/* Features to learn from. */
typedef struct
{
  float *x; /* most x d */
  gsize n, most, d;
} Sample;

static TosstStatus
add_to_sample (const float *x, gsize count, gpointer data)
{
  Sample *self = data;
  gsize n = MIN (count, self->most - self->n);

  memcpy (self->x + self->n * self->d, x, n * self->d * sizeof *x);
  self->n += n;
  return TOSST_OK;
}

static gboolean
learn (const TosstRecipe *recipe, TosstContext *context, const Sample *sample, TosstMixture **mixture, GError **error)
{
  TosstMixtureOptions options;

  tosst_mixture_options_default (&options);
  options.gaussians = recipe->coding.gaussians;
  options.seed = recipe->dataset.seed;
  if (sample->n < (gsize)options.gaussians)
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("coding.gaussians is %d, more than the %zu features of the training images"),
                       options.gaussians, sample->n);
  TosstStatus status
      = tosst_mixture_learn (context, sample->x, sample->n, (int)sample->d, &options, NULL, NULL, mixture);
  return tosst_error_from_status (status, context, _ ("Learning the mixture"), error);
}

gboolean
tosst_local_mixture (const TosstRecipe *recipe, TosstContext *context, const TosstLocalShare *share,
                     const TosstPca *pca, const GArray *images, const guint *numbers, TosstLocalSource source,
                     gpointer data, TosstMixture **mixture, GError **error)
{
  gsize wanted = (gsize)recipe->coding.gaussian_sample;
  TosstLocalDraw draw = { .seed = recipe->dataset.seed,
                          .stream = MIXTURE_STREAM,
                          .numbers = numbers,
                          .source = source,
                          .data = data,
                          .share = share,
                          .most = (wanted + images->len - 1) / images->len };
  Sample sample = { .most = draw.most * images->len };
  g_autofree float *x = NULL;
  TosstRange range = tosst_context_narrow (context, 0, DRAWING);
  gboolean ok;

  *mixture = NULL;
  tosst_recipe_local_encoding (recipe, pca, &draw.encoding);
  sample.d = (gsize)tosst_local_dimension (&draw.encoding);
  sample.x = x = g_try_malloc_n (sample.most * sample.d, sizeof *x);
  if (!x)
    ok = tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Learning the mixture"), error);
  else
    ok = tosst_local_draw (&draw, context, images, add_to_sample, &sample, _ ("Learning the mixture"), error);
  tosst_context_set_range (context, range);
  if (!ok)
    return FALSE;
  range = tosst_context_narrow (context, DRAWING, 1);
  ok = learn (recipe, context, &sample, mixture, error);
  tosst_context_set_range (context, range);
  return ok;
}

gboolean
tosst_local_fisher (const TosstRecipe *recipe, const TosstPca *pca, const TosstFisher *fisher,
                    const TosstFeatures *features, float *signature, GError **error)
{
  int length = tosst_recipe_code_length (recipe);
  TosstLocalEncoding encoding;
  TosstStatus status = TOSST_ERROR_MEMORY;

  tosst_recipe_local_encoding (recipe, pca, &encoding);
  if (!tosst_local_check_length (features, encoding.D, error))
    return FALSE;
  memset (signature, 0, (gsize)length * sizeof *signature);
  if (features->n == 0)
    return TRUE;
  g_autofree float *v = g_try_malloc_n (features->n, sizeof *v * (gsize)tosst_local_dimension (&encoding));
  if (v)
    status = tosst_local_vectors (&encoding, features->x, features->xy, features->n, v);
  if (status == TOSST_OK)
    status = tosst_fisher_code (fisher, v, features->n, signature, NULL);
  if (status == TOSST_ERROR_NUMERIC)
    return tosst_fail_input (error, tosst_features_name (features), _ ("has features that are not finite"));
  if (!tosst_error_from_status (status, NULL, _ ("Coding"), error))
    return FALSE;
  tosst_normalise_signature (signature, length, recipe->pooling.power, recipe->pooling.l2);
  return TRUE;
}

/* Tensors of images from their local features. Images are read, described and summed in parallel; the features of an
 * image are in memory only meanwhile. */

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
  g_autoptr (GError) cause = NULL;

  if (recipe->descriptor.kind == TOSST_DESCRIPTOR_FEATURES)
    {
      g_autoptr (GFile) folder = tosst_dataset_features_folder (dataset, recipe);
      g_autofree char *id = tosst_dataset_image_id (dataset, image);

      return tosst_features_read (folder, id, error);
    }
  g_autoptr (TosstImage) pixels = tosst_dataset_read_for (dataset, image, tosst_recipe_longest (recipe), error);
  if (!pixels)
    return NULL;
  TosstFeatures *features = tosst_local_features_of_image (recipe, pixels, name, &cause);
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
  g_autoptr (TosstImage) image = tosst_image_read_for (file, tosst_recipe_longest (recipe), 0, error);
  return image ? tosst_local_features_of_image (recipe, image, name, error) : NULL;
}

gboolean
tosst_local_complete_recipe (TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  if (recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || recipe->descriptor.length > 0
      || dataset->entries->len == 0)
    return TRUE;
  g_autoptr (TosstFeatures) features = tosst_local_features (recipe, dataset, 0, error);
  if (features)
    recipe->descriptor.length = features->D;
  return features != NULL;
}

TosstDataset *
tosst_local_open (TosstRecipe *recipe, GCancellable *cancellable, GError **error)
{
  gboolean known = recipe->descriptor.kind != TOSST_DESCRIPTOR_FEATURES || recipe->descriptor.length > 0;

  if (known && !tosst_recipe_check (recipe, error))
    return NULL;
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, cancellable, error);
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

gboolean
tosst_local_describe (const TosstRecipe *recipe, const TosstPca *pca, TosstContext *context,
                      const TosstLocalPart *parts, gsize n, TosstLocalSource source, gpointer data, float *tensors,
                      GError **error)
{
  double eigen = recipe->descriptor.gamma_eigen, coefficient = recipe->descriptor.gamma_coefficient;
  Describing self = { .parts = parts, .source = source, .data = data, .tensors = tensors };

  tosst_recipe_local_encoding (recipe, pca, &self.encoding);
  tosst_recipe_regions (recipe, &self.regions);
  self.layout = tosst_layout_new_shape (tosst_local_shape (&self.encoding));
  if (!self.layout)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Describing an image"), error);
  gsize images = 0;

  self.first = g_new (gsize, n + 1);
  for (gsize i = 0; i < n; i++)
    if (i == 0 || parts[i].image != parts[i - 1].image)
      self.first[images++] = i;
  self.first[images] = n;
  TosstStatus status = tosst_parallel (context, images, describe_image, &self, 0, SUMMING);
  gboolean ok = tosst_local_end_parallel (status, context, &self.error, _ ("Describing an image"), error);
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
  Source source = { recipe, dataset };

  *pca = NULL;
  if (recipe->descriptor.pca == 0)
    return TRUE;
  g_autoptr (GArray) images = tosst_local_training_images (recipe, dataset, split, error);
  return images
         && tosst_local_components (recipe, context, NULL, images, dataset->numbers, read_kept, &source, pca, error);
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

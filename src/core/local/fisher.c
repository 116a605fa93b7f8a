/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fisher vectors of images: local features, their principal components, a mixture of Gaussians, gradients.
 */
#include "config.h"

#include "core/local/fisher.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/local/private.h"
#include "tosst/pool.h"

/* Local features drawn at random from images, to learn from: principal components. */

/* Images whose drawn features are in memory at a time. */
#define DRAWN 32

/* First random stream of dataset.seed for drawing features; the division into training and tests uses lower ones. */
#define DRAW_STREAM ((guint64)1 << 32)

const char *
tosst_features_name (const TosstFeatures *features)
{
  return features->name ? features->name : _ ("the image");
}

gboolean
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
  const TosstLocalDraw *draw = self->draw;
  guint image = self->images[item];
  gsize D = (gsize)draw->encoding.D, row = draw->most * (gsize)tosst_local_dimension (&draw->encoding);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = draw->source (image, draw->data, &error);
  g_autofree float *work = g_new (float, D);
  TosstRandom random;

  self->count[item] = 0;
  if (!features || !tosst_local_check_length (features, draw->encoding.D, &error))
    return tosst_local_end_task (&self->error, g_steal_pointer (&error));
  tosst_random_init (&random, draw->seed, draw->stream + image);
  self->count[item] = MIN (features->n, draw->most);
  if (self->count[item] == 0)
    return TOSST_OK;
  shuffle_front (&random, features->x, features->n, self->count[item], D, work);
  TosstStatus status
      = tosst_local_vectors (&draw->encoding, features->x, features->xy, self->count[item], self->drawn + item * row);
  if (status == TOSST_ERROR_NUMERIC)
    tosst_fail_input (&error, tosst_features_name (features), _ ("has features that are not finite"));
  else
    tosst_error_from_status (status, NULL, self->what, &error);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
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
      TosstStatus status;

      self.images = &g_array_index (images, guint, first);
      status = tosst_parallel (context, n, draw_from_image, &self, (double)first / images->len,
                               (double)(first + n) / images->len);
      if (!tosst_local_end_parallel (status, context, &self.error, what, error))
        return FALSE;
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
tosst_local_components (const TosstRecipe *recipe, TosstContext *context, const GArray *images, TosstLocalSource source,
                        gpointer data, TosstPca **pca, GError **error)
{
  g_autoptr (TosstFeatures) features = NULL;
  TosstScatter scatter = { 0 };
  TosstLocalDraw draw = { .seed = recipe->dataset.seed,
                          .stream = DRAW_STREAM,
                          .source = source,
                          .data = data,
                          .most = (gsize)recipe->descriptor.pca_sample };
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
tosst_local_mixture (const TosstRecipe *recipe, TosstContext *context, const TosstPca *pca, const GArray *images,
                     TosstLocalSource source, gpointer data, TosstMixture **mixture, GError **error)
{
  gsize wanted = (gsize)recipe->coding.gaussian_sample;
  TosstLocalDraw draw = { .seed = recipe->dataset.seed,
                          .stream = MIXTURE_STREAM,
                          .source = source,
                          .data = data,
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

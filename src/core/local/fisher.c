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

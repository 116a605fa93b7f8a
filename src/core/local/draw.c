/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Local features drawn at random from images, to learn from: principal components.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/local/private.h"

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

gboolean
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

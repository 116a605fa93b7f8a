/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A map of classes by a model without patches on a grid: of patches at frames, of local features, of one vector an image, or
 * of several methods. Such a model describes an image as a whole, so that each window is cut out and classified as the
 * images were that it was trained on: its frames, its scale and its positions are those of an image of its size.
 */
#include "config.h"

#include "core/predict/crops.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/dataset.h"

/* A square of the image; NULL without memory. */
static TosstImage *
cut_out (const TosstImage *image, int x, int y, int side)
{
  TosstImage *crop = tosst_image_new (side, side, image->channels);
  gsize plane = (gsize)image->width * (gsize)image->height;

  if (crop == NULL)
    return NULL;
  crop->maximum = image->maximum;
  for (int c = 0; c < image->channels; c++)
    for (int row = 0; row < side; row++)
      memcpy (crop->data + ((gsize)c * (gsize)side + (gsize)row) * (gsize)side,
              image->data + (gsize)c * plane + (gsize)(y + row) * (gsize)image->width + x,
              (gsize)side * sizeof (float));
  return crop;
}

/* State of computing a map. */
typedef struct
{
  TosstClassMap *map;
  const TosstPredictor *predictor;
  TosstContext *context;
  const TosstImage *image;
  gboolean *decided; /* of each window */
  gsize n;           /* of them */
  char *reason;      /* why the last one was not */
} Mapping;

/* A window without features, such as a part of the sky, remains undecided. FALSE with any other error. */
static gboolean
decide (Mapping *self, gsize window, GError **error)
{
  TosstClassMap *map = self->map;
  int classes = map->classes, x = (int)(window % (gsize)map->columns) * map->step,
      y = (int)(window / (gsize)map->columns) * map->step;
  g_autoptr (TosstImage) crop = cut_out (self->image, x, y, map->window);
  g_autofree double *margins = g_new (double, classes);
  g_autoptr (GError) cause = NULL;

  if (crop == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Mapping the image"), error);
  self->decided[window] = tosst_predictor_classify (self->predictor, self->context, crop, margins, &cause) >= 0;
  if (!self->decided[window] && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_INPUT)
      && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_EMPTY))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (!self->decided[window])
    {
      g_free (self->reason);
      self->reason = g_strdup (cause->message);
      return TRUE;
    }
  self->n++;
  for (int c = 0; c < classes; c++)
    map->margins[window * (gsize)classes + (gsize)c] = (float)margins[c];
  return TRUE;
}

/* Margins of an undecided window: means of those of the decided ones, weighted by 1 / distance^2. */
static void
interpolate (Mapping *self, gsize window)
{
  TosstClassMap *map = self->map;
  gsize columns = (gsize)map->columns, classes = (gsize)map->classes, windows = columns * (gsize)map->rows;
  g_autofree double *sum = g_new0 (double, classes);
  double weights = 0;

  for (gsize other = 0; other < windows; other++)
    {
      double across = (double)(other % columns) - (double)(window % columns);
      double down = (double)(other / columns) - (double)(window / columns);
      double weight = 1 / (across * across + down * down);

      if (!self->decided[other])
        continue;
      weights += weight;
      for (gsize c = 0; c < classes; c++)
        sum[c] += weight * map->margins[other * classes + c];
    }
  for (gsize c = 0; c < classes; c++)
    map->margins[window * classes + c] = (float)(sum[c] / weights);
}

/* The largest of the stored margins, so that those in a file give the same class. */
static void
find_classes (TosstClassMap *map)
{
  gsize classes = (gsize)map->classes;

  for (gsize window = 0; window < (gsize)map->rows * (gsize)map->columns; window++)
    {
      const float *margins = map->margins + window * classes;
      int best = 0;

      for (int c = 1; c < map->classes; c++)
        best = margins[c] > margins[best] ? c : best;
      map->class_index[window] = best;
    }
}

static gboolean
decide_all (Mapping *self, gsize windows, GError **error)
{
  for (gsize window = 0; window < windows; window++)
    {
      TosstRange range = tosst_context_narrow (self->context, (double)window / (double)windows,
                                               (double)(window + 1) / (double)windows);
      gboolean ok = decide (self, window, error);

      tosst_context_set_range (self->context, range);
      if (ok && tosst_context_checkpoint (self->context))
        ok = tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Mapping the image"), error);
      if (!ok)
        return FALSE;
      tosst_context_progress (self->context, (double)(window + 1) / (double)windows);
    }
  if (self->n == 0)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("no window of %d pixels has a class: %s"), self->map->window,
                       self->reason);
  for (gsize window = 0; window < windows; window++)
    if (!self->decided[window])
      interpolate (self, window);
  find_classes (self->map);
  return TRUE;
}

gboolean
tosst_class_map_fill_crops (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context,
                            const TosstImage *image, GError **error)
{
  gsize windows = (gsize)self->rows * (gsize)self->columns;
  g_autofree gboolean *decided = g_try_new0 (gboolean, windows);
  Mapping mapping = { self, predictor, context, image, decided, 0, NULL };
  gboolean ok;

  self->class_index = g_try_new (int, windows);
  self->margins = g_try_malloc_n (windows, (gsize)self->classes * sizeof (float));
  if (decided == NULL || self->class_index == NULL || self->margins == NULL)
    return tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Mapping the image"), error);
  ok = decide_all (&mapping, windows, error);
  g_free (mapping.reason);
  return ok;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Local features of all images, the source of a run without tensors. They are kept in a named file, as tensors are: a
 * row for each image, with the number of its features and room for the largest number of frames.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/run/private.h"

/* State of computing the features of a run. */
typedef struct
{
  TosstRun *run;
  TosstFeatureCache *features;
  TosstTensorFile *file; /* or NULL */
  guint images;
  gsize most; /* features of an image in the file; 0: no file */
  char *row;
} Filling;

static gsize
row_bytes (const Filling *self)
{
  return sizeof (guint64) + self->most * (2 * sizeof (double) + TOSST_SIFT_LENGTH * sizeof (float));
}

static TosstTensorFile *
open_file (const Filling *self, gboolean creates)
{
  return self->most > 0 ? tosst_run_tensors_file (self->run, -1, self->images, row_bytes (self), creates) : NULL;
}

/* FALSE if the features do not fit into a row. */
static gboolean
write_row (const Filling *self, const TosstFeatures *features)
{
  const guint64 n = features->n;
  char *positions = self->row + sizeof n, *numbers = positions + 2 * features->n * sizeof (double);

  if (features->n > self->most || features->D != TOSST_SIFT_LENGTH)
    return FALSE;
  memset (self->row, 0, row_bytes (self));
  memcpy (self->row, &n, sizeof n);
  memcpy (positions, features->xy, 2 * features->n * sizeof (double));
  memcpy (numbers, features->x, features->n * TOSST_SIFT_LENGTH * sizeof (float));
  return TRUE;
}

/* Features of a row; NULL if it is invalid. New. */
static TosstFeatures *
read_row (const Filling *self, guint image)
{
  TosstFeatures *features;
  guint64 n;

  memcpy (&n, self->row, sizeof n);
  if (n == 0 || n > self->most)
    return NULL;
  features = g_new0 (TosstFeatures, 1);
  features->n = n;
  features->D = TOSST_SIFT_LENGTH;
  features->name = g_strdup (tosst_dataset_image (self->run->dataset, image)->name);
  features->xy = g_memdup2 (self->row + sizeof n, 2 * n * sizeof (double));
  features->x = g_memdup2 (self->row + sizeof n + 2 * n * sizeof (double), n * TOSST_SIFT_LENGTH * sizeof (float));
  return features;
}

/* Appends images up to `end`. Without success there is no file. */
static void
save_rows (Filling *self, guint end)
{
  gint64 start = g_get_monotonic_time ();

  if (self->file == NULL)
    self->file = open_file (self, TRUE);
  for (guint i = self->file != NULL ? (guint)tosst_tensor_file_count (self->file) : end; i < end; i++)
    {
      g_autoptr (TosstFeatures) features = tosst_feature_cache_get (i, self->features, NULL);

      if (features != NULL && write_row (self, features) && tosst_tensor_file_append (self->file, 1, self->row))
        continue;
      g_clear_pointer (&self->file, tosst_tensor_file_free);
      self->most = 0;
      break;
    }
  tosst_run_saved (self->run, start);
}

/* Number of images in the file of an earlier run, whose features are taken from it. */
static guint
load_rows (Filling *self)
{
  guint n;

  self->file = open_file (self, FALSE);
  n = self->file != NULL ? (guint)tosst_tensor_file_count (self->file) : 0;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstFeatures) features
          = tosst_tensor_file_read (self->file, i, 1, self->row) ? read_row (self, i) : NULL;

      if (features == NULL)
        return i;
      tosst_feature_cache_put (self->features, i, features);
    }
  return n;
}

static gboolean
fill (Filling *self, GError **error)
{
  TosstRun *run = self->run;
  guint images = self->images;

  for (guint first = load_rows (self), n; first < images; first += n)
    {
      n = (guint)MIN (TOSST_RUN_IMAGES, images - first);
      tosst_run_part (run, (double)first / images, (double)(first + n) / images);
      if (!tosst_feature_cache_fill (self->features, run->context, first, n, error))
        return FALSE;
      if (tosst_run_keep_is_due (run))
        save_rows (self, first + n);
    }
  if (tosst_run_is_worth_keeping (run, tosst_context_seconds (run->context) - run->stage_start))
    save_rows (self, images);
  return TRUE;
}

gboolean
tosst_run_fill_features (TosstRun *self, TosstTensors *made, const TosstRunEstimate *needs, GError **error)
{
  gsize base = needs->bytes - MIN (needs->bytes, needs->features);
  Filling filling = { .run = self, .images = tosst_dataset_images (self->dataset) };
  gboolean ok;

  if (self->total == 0)
    self->total = tosst_run_total_work (self);
  tosst_run_enter (self, TOSST_STAGE_DESCRIBE, -1);
  made->features
      = tosst_feature_cache_new (self->recipe, self->dataset, tosst_run_features_room (base, needs->available));
  filling.features = made->features;
  filling.most = tosst_recipe_has_frames (self->recipe) ? (gsize)self->recipe->descriptor.most : 0;
  filling.row = g_malloc (row_bytes (&filling));
  ok = fill (&filling, error);
  made->file = filling.file;
  g_free (filling.row);
  if (!ok)
    return FALSE;
  made->seconds = tosst_context_seconds (self->context) - self->stage_start;
  tosst_run_leave (self);
  return TRUE;
}

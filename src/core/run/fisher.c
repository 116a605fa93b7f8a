/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signatures that are Fisher vectors. There are no tensors: local features of all images are computed once, components
 * and mixture are learned from the training images of each split, and images are coded in batches.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"
#include "core/run/private.h"

/* Share of the principal components in the time of learning. */
#define COMPONENTS 0.3

static gboolean
learn (TosstRun *self, TosstSignatures *signatures, int split, GError **error)
{
  TosstFeatureCache *features = self->source->features;
  g_autoptr (GArray) images = NULL;

  if (tosst_run_load_mixture (self, split, &signatures->pca, &signatures->mixture))
    return TRUE;
  images = tosst_local_training_images (self->recipe, self->dataset, (guint)split, error);
  if (images == NULL)
    return FALSE;
  tosst_run_part (self, 0, COMPONENTS);
  if (!tosst_local_components (self->recipe, self->context, images, tosst_feature_cache_get, features, &signatures->pca,
                               error))
    return FALSE;
  tosst_run_part (self, COMPONENTS, 1);
  if (!tosst_local_mixture (self->recipe, self->context, signatures->pca, images, tosst_feature_cache_get, features,
                            &signatures->mixture, error))
    return FALSE;
  tosst_run_save_mixture (self, split, tosst_context_seconds (self->context) - self->stage_start, signatures->pca,
                          signatures->mixture);
  return TRUE;
}

/* Coding of some images. */
typedef struct
{
  TosstRun *run;
  TosstSignatures *signatures;
  TosstFisher *fisher;
  guint first;
  GError *error; /* atomic */
} Coding;

static TosstStatus
code_image (size_t item, int worker, void *data)
{
  Coding *self = data;
  const TosstPatches *patches = self->run->patches;
  gsize length = self->run->length;
  guint image = self->first + (guint)item;
  gsize sample = patches->sample[patches->by_image[image]];
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstFeatures) features = NULL;

  if (patches->by_image[image] == patches->by_image[image + 1])
    return TOSST_OK;
  features = tosst_feature_cache_get (image, self->run->source->features, &error);
  if (features != NULL)
    tosst_local_fisher (self->run->recipe, self->signatures->pca, self->fisher, features,
                        self->signatures->values + sample * length, &error);
  tosst_signatures_release (self->signatures, length, sample, 1);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
}

/* Saves a checkpoint after a number of images; immediately after cancelling. */
static void
save (const Coding *self, guint images, gboolean at_once)
{
  if (at_once ? tosst_run_has_checkpoints (self->run) : tosst_run_checkpoint_is_due (self->run))
    tosst_run_save_coded (self->run, NULL, self->signatures, images, NULL, NULL);
}

static gboolean
code_all (Coding *self, GError **error)
{
  TosstRun *run = self->run;
  guint all = run->patches->images;

  for (self->first = tosst_run_load_coded (run, self->signatures); self->first < all;)
    {
      guint n = (guint)MIN (TOSST_RUN_IMAGES, all - self->first);
      TosstStatus status;

      tosst_run_part (run, (double)self->first / all, (double)(self->first + n) / all);
      status = tosst_parallel (run->context, n, code_image, self, 0, 1);
      if (!tosst_local_end_parallel (status, run->context, &self->error, _ ("Coding"), error))
        {
          save (self, self->first, TRUE);
          return FALSE;
        }
      self->first += n;
      save (self, self->first, FALSE);
    }
  if (tosst_context_seconds (run->context) - run->stage_start >= run->options->interval)
    save (self, all, TRUE);
  return TRUE;
}

gboolean
tosst_run_code_fisher (TosstRun *self, TosstSignatures *signatures, int split, GError **error)
{
  Coding coding = { .run = self, .signatures = signatures };
  gboolean ok;

  signatures->worst_kkt = signatures->mean_nonzeros = NAN;
  tosst_run_enter (self, TOSST_STAGE_LEARN, split);
  if (!learn (self, signatures, split, error))
    return FALSE;
  tosst_run_leave (self);
  tosst_run_enter (self, TOSST_STAGE_CODE, split);
  coding.fisher = tosst_fisher_new (signatures->mixture);
  ok = coding.fisher != NULL ? code_all (&coding, error)
                             : tosst_error_from_status (TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error);
  tosst_fisher_free (coding.fisher);
  return ok;
}

gboolean
tosst_run_fill_features (TosstRun *self, TosstTensors *made, const TosstRunEstimate *needs, GError **error)
{
  gsize base = needs->bytes - MIN (needs->bytes, needs->features);
  guint images = tosst_dataset_images (self->dataset);

  if (self->total == 0)
    self->total = tosst_run_total_work (self);
  tosst_run_enter (self, TOSST_STAGE_DESCRIBE, -1);
  made->features
      = tosst_feature_cache_new (self->recipe, self->dataset, tosst_run_features_room (base, needs->available));
  if (!tosst_feature_cache_fill (made->features, self->context, 0, images, error))
    return FALSE;
  tosst_run_leave (self);
  return TRUE;
}

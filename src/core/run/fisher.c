/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signatures that are Fisher vectors. There are no tensors: local features of all images are computed once, components
 * and mixture are learned from the training images of each split, and images are coded in batches.
 */
#include "core/base/base.h"
#include "core/base/disk-cache.h"
#include "core/run/private.h"

/* The principal components and the mixture of a split, which an interrupted run and one of another classifier do not learn
 * again. They are kept on the disk, as local features are. */

static char *
find_key (const TosstRun *self, int split)
{
  g_autofree char *hash = tosst_run_part_hash (self->recipe, self->dataset->key, TOSST_PART_CODES);
  g_autofree char *text = g_strdup_printf ("mixture=%s\nsplit=%d", hash, split);

  return tosst_disk_cache_key (text);
}

/* Numbers in a row. */
typedef struct
{
  double *at;
  gsize n;
} Numbers;

#define PIECES 6

/* All numbers, in the order of the file; returns how many. */
static gsize
list_numbers (const TosstPca *pca, const TosstMixture *mixture, Numbers piece[PIECES])
{
  gsize K = (gsize)mixture->K, d = (gsize)mixture->D, D = pca != NULL ? (gsize)pca->D : 0, all = 0;

  piece[0] = (Numbers){ mixture->weights, K };
  piece[1] = (Numbers){ mixture->means, K * d };
  piece[2] = (Numbers){ mixture->variances, K * d };
  piece[3] = (Numbers){ pca != NULL ? pca->mean : NULL, D };
  piece[4] = (Numbers){ pca != NULL ? pca->values : NULL, D };
  piece[5] = (Numbers){ pca != NULL ? pca->basis : NULL, pca != NULL ? D * (gsize)pca->q : 0 };
  for (int i = 0; i < PIECES; i++)
    all += piece[i].n;
  return all;
}

/* Copies the numbers from or to a row of them. */
static void
copy_numbers (const Numbers piece[PIECES], double *row, gboolean from_row)
{
  for (int i = 0; i < PIECES; row += piece[i++].n)
    if (piece[i].n > 0)
      memcpy (from_row ? piece[i].at : row, from_row ? row : piece[i].at, piece[i].n * sizeof *row);
}

/* Keeps what Fisher vectors of a split are learned from its training images, which took so many seconds;
 * reads it again, FALSE if there is none of this split. */
static void
tosst_run_save_mixture (TosstRun *self, int split, double seconds, const TosstPca *pca, const TosstMixture *mixture)
{
  /* D = 0: no components. */
  const int head[] = { pca != NULL ? pca->D : 0, pca != NULL ? pca->q : 0, mixture->D, mixture->K };
  g_autofree char *key = find_key (self, split);
  Numbers piece[PIECES];
  gsize n = list_numbers (pca, mixture, piece);
  g_autofree double *row = g_new (double, n);

  copy_numbers (piece, row, FALSE);
  tosst_disk_cache_write (key, seconds, head, sizeof head, row, n * sizeof *row);
}

static gboolean
tosst_run_load_mixture (TosstRun *self, int split, TosstPca **pca, TosstMixture **mixture)
{
  g_autofree char *key = find_key (self, split);
  int head[4];
  gsize bytes;
  g_autofree double *row
      = tosst_disk_cache_read (key, 0, head, sizeof head) ? tosst_disk_cache_load (key, 1, &bytes) : NULL;
  Numbers piece[PIECES];

  *pca = row != NULL && head[0] > 0 ? tosst_pca_new (head[0], head[1]) : NULL;
  *mixture = row != NULL ? tosst_mixture_new (head[2], head[3]) : NULL;
  if (*mixture != NULL && (*pca != NULL || head[0] == 0) && list_numbers (*pca, *mixture, piece) * sizeof *row == bytes)
    {
      copy_numbers (piece, row, TRUE);
      return TRUE;
    }
  g_clear_pointer (pca, tosst_pca_free);
  g_clear_pointer (mixture, tosst_mixture_free);
  return FALSE;
}

/* Share of the principal components in the time of learning. */
#define COMPONENTS 0.3

/* One process of a divided run may lack what others have kept: all learn together, or none. */
static gboolean
has_kept (TosstRun *self, int split, TosstSignatures *signatures, gboolean *kept, GError **error)
{
  double missing = !tosst_run_load_mixture (self, split, &signatures->pca, &signatures->mixture);
  TosstStatus status = TOSST_OK;

  if (self->options->ranks != NULL)
    {
      tosst_ranks_start (self->options->ranks);
      status = tosst_ranks_sum (self->options->ranks, TOSST_OK, &missing, 1);
    }
  *kept = missing == 0;
  if (!*kept)
    {
      g_clear_pointer (&signatures->pca, tosst_pca_free);
      g_clear_pointer (&signatures->mixture, tosst_mixture_free);
    }
  return tosst_error_from_status (status, self->context, _ ("Learning the mixture"), error);
}

static gboolean
learn (TosstRun *self, TosstSignatures *signatures, int split, GError **error)
{
  const TosstTensors *source = self->source;
  const TosstLocalShare own = { self->options->ranks, source->image, source->image + source->images },
                        *share = own.ranks != NULL ? &own : NULL;
  const guint *numbers = self->dataset->numbers;
  gboolean kept;

  if (!has_kept (self, split, signatures, &kept, error) || kept)
    return kept;
  g_autoptr (GArray) images = tosst_local_training_images (self->recipe, self->dataset, (guint)split, error);
  if (images == NULL)
    return FALSE;
  tosst_run_part (self, 0, COMPONENTS);
  if (!tosst_local_components (self->recipe, self->context, share, images, numbers, tosst_feature_cache_get,
                               source->features, &signatures->pca, error))
    return FALSE;
  tosst_run_part (self, COMPONENTS, 1);
  if (!tosst_local_mixture (self->recipe, self->context, share, signatures->pca, images, numbers,
                            tosst_feature_cache_get, source->features, &signatures->mixture, error))
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

  if (patches->by_image[image] == patches->by_image[image + 1])
    return TOSST_OK;
  g_autoptr (TosstFeatures) features = tosst_feature_cache_get (image, self->run->source->features, &error);
  if (features != NULL)
    tosst_local_fisher (self->run->recipe, self->signatures->pca, self->fisher, features,
                        self->signatures->values + sample * length, &error);
  tosst_signatures_release (self->signatures, length, sample, 1);
  return tosst_local_end_task (&self->error, g_steal_pointer (&error));
}

gboolean
tosst_run_fisher_images (TosstRun *self, TosstSignatures *signatures, TosstFisher *fisher, guint first, guint n,
                         GError **error)
{
  Coding coding = { self, signatures, fisher, first, NULL };
  TosstStatus status = tosst_parallel (self->context, n, code_image, &coding, 0, 1);

  return tosst_local_end_parallel (status, self->context, &coding.error, _ ("Coding"), error);
}

TosstFisher *
tosst_run_fisher_new (TosstRun *self, TosstSignatures *signatures, int split, GError **error)
{
  signatures->worst_kkt = NAN;
  tosst_run_enter (self, TOSST_STAGE_LEARN, split);
  if (!learn (self, signatures, split, error))
    return NULL;
  tosst_run_leave (self);
  tosst_run_enter (self, TOSST_STAGE_CODE, split);
  TosstFisher *fisher = tosst_fisher_new (signatures->mixture);
  tosst_error_from_status (fisher != NULL ? TOSST_OK : TOSST_ERROR_MEMORY, NULL, _ ("Coding"), error);
  return fisher;
}

gboolean
tosst_run_fill_features (TosstRun *self, TosstTensors *made, const TosstRunEstimate *needs, GError **error)
{
  gsize base = needs->bytes - MIN (needs->bytes, needs->features);

  if (self->total == 0)
    self->total = tosst_run_total_work (self);
  tosst_run_enter (self, TOSST_STAGE_DESCRIBE, -1);
  made->features
      = tosst_feature_cache_new (self->recipe, self->dataset, tosst_run_features_room (base, needs->available));
  if (!tosst_feature_cache_fill (made->features, self->context, made->image, made->images, error))
    return FALSE;
  tosst_run_leave (self);
  return TRUE;
}

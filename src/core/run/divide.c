/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run that several processes execute together. Each describes and codes the images of its own, learns from its part of
 * the sample, and has the signatures of all samples, as training and testing take little of the time.
 */
#include "core/base/base.h"
#include "core/method/parts.h"
#include "core/ranks/processes.h"
#include "core/run/private.h"

/* Numbers of signatures that are exchanged at a time. */
#define CHUNK ((gsize)1 << 20)

static gboolean
is_divided (const TosstRecipe *recipe)
{
  return !tosst_recipe_is_local (recipe) ? tosst_recipe_coding (recipe) != TOSST_CODING_PCA
                                         : tosst_recipe_is_fisher (recipe);
}

gboolean
tosst_run_check_divided (const TosstRecipe *recipe, GError **error)
{
  g_autoptr (TosstParts) parts = tosst_recipe_has_parts (recipe) ? tosst_parts_new (recipe, error) : NULL;
  gboolean fine = parts != NULL || is_divided (recipe);

  if (tosst_recipe_has_parts (recipe) && parts == NULL)
    return FALSE;
  for (guint i = 0; parts != NULL && i < parts->n; i++)
    fine = fine && is_divided (parts->recipe[i]);
  return fine
         || tosst_fail (error, TOSST_FAILED_RECIPE,
                        _ ("runs of tensors of local features and of principal components are not divided over "
                           "processes: start this one without mpirun or srun"));
}

/* First image of a process: that in which its share of the patches begins. */
static guint
first_image (const TosstPatches *patches, int rank, int size)
{
  gsize begin = (gsize)((double)patches->count * rank / size);
  guint image = 0;

  if (rank == size)
    return patches->images;
  while (image < patches->images && patches->first[image] < begin)
    image++;
  return image;
}

void
tosst_run_share_images (const TosstRun *self, const TosstPatches *patches, guint *image, guint *images)
{
  const TosstRanks *ranks = self->options->ranks;

  *image = ranks != NULL ? first_image (patches, ranks->rank, ranks->size) : 0;
  *images = (ranks != NULL ? first_image (patches, ranks->rank + 1, ranks->size) : patches->images) - *image;
}

void
tosst_run_share (const TosstRun *self, gsize n, gsize *first, gsize *count)
{
  const TosstRanks *ranks = self->options->ranks;
  gsize rank = ranks != NULL ? (gsize)ranks->rank : 0, size = ranks != NULL ? (gsize)ranks->size : 1;

  *first = n * rank / size;
  *count = n * (rank + 1) / size - *first;
}

/* Zeros but for the own ones: their sum over processes is exact. */
static TosstStatus
sum_values (TosstRanks *ranks, float *values, gsize n)
{
  g_autofree double *sum = g_new (double, MIN (n, CHUNK));

  for (gsize at = 0; at < n; at += CHUNK)
    {
      gsize count = MIN (CHUNK, n - at);

      for (gsize i = 0; i < count; i++)
        sum[i] = values[at + i];
      TosstStatus status = tosst_ranks_sum (ranks, TOSST_OK, sum, count);
      if (status != TOSST_OK)
        return status;
      for (gsize i = 0; i < count; i++)
        values[at + i] = (float)sum[i];
    }
  return TOSST_OK;
}

/* The largest value; NAN is none. */
static TosstStatus
find_largest (TosstRanks *ranks, double *value)
{
  g_autofree double *all = g_new0 (double, ranks->size);

  all[ranks->rank] = *value;
  TosstStatus status = tosst_ranks_gather (ranks, TOSST_OK, all, sizeof *all, 1, (gsize)ranks->size);
  for (int r = 0; status == TOSST_OK && r < ranks->size; r++)
    if (isnan (*value) || all[r] > *value)
      *value = all[r];
  return status;
}

/* Sums over processes, of which one has the share of an image: exact. A share may be NAN. */
static TosstStatus
sum_shares (TosstRanks *ranks, double *shares, guint images, gboolean *ended)
{
  g_autofree double *sum = g_new0 (double, 2 * (gsize)images);

  for (guint i = 0; i < images; i++)
    if (tosst_is_coded (shares[i]))
      {
        sum[2 * i] = shares[i];
        sum[2 * i + 1] = 1;
      }
  TosstStatus status = tosst_ranks_sum (ranks, TOSST_OK, sum, 2 * (gsize)images);
  *ended = TRUE;
  for (guint i = 0; i < images; i++)
    {
      shares[i] = sum[2 * i + 1] > 0 ? sum[2 * i] : TOSST_NOT_CODED;
      *ended = *ended && sum[2 * i + 1] > 0;
    }
  return status;
}

gboolean
tosst_run_share_signatures (TosstRun *self, TosstSignatures *signatures, double *shares, gboolean *ended,
                            GError **error)
{
  TosstRanks *ranks = self->options->ranks;

  tosst_ranks_start (ranks);
  TosstStatus status = sum_shares (ranks, shares, self->patches->images, ended);
  if (status == TOSST_OK)
    status = sum_values (ranks, signatures->values, self->patches->samples * self->length);
  if (status == TOSST_OK)
    status = find_largest (ranks, &signatures->worst_kkt);
  if (status == TOSST_OK)
    status = tosst_ranks_agree (ranks, TOSST_OK);
  return status == TOSST_OK || tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Coding"), error);
}

void
tosst_run_keep_own (TosstRun *self, TosstSignatures *signatures, double *shares)
{
  const TosstPatches *patches = self->patches;

  for (guint i = 0; i < patches->images; i++)
    {
      if (i >= self->source->image && i < self->source->image + self->source->images)
        continue;
      shares[i] = TOSST_NOT_CODED;
      for (gsize s = patches->by_image[i]; s < patches->by_image[i + 1]; s++)
        memset (signatures->values + patches->sample[s] * self->length, 0, sizeof (float) * self->length);
    }
}

/* --- checkpoints --- */

GBytes *
tosst_run_share_checkpoint (TosstRun *self, GBytes *own)
{
  TosstRanks *ranks = self->options->ranks;
  guint64 bytes = own != NULL ? g_bytes_get_size (own) : 0;

  tosst_ranks_start (ranks);
  if (tosst_ranks_broadcast (ranks, TOSST_OK, 0, &bytes, sizeof bytes) != TOSST_OK || bytes == 0)
    return NULL;
  g_autofree char *data = own != NULL ? g_memdup2 (g_bytes_get_data (own, NULL), bytes) : g_malloc0 (bytes);
  return tosst_ranks_broadcast (ranks, TOSST_OK, 0, data, bytes) == TOSST_OK
             ? g_bytes_new_take (g_steal_pointer (&data), bytes)
             : NULL;
}

gboolean
tosst_run_agree_due (TosstRun *self)
{
  gboolean due = tosst_run_checkpoint_is_due (self);

  return tosst_ranks_broadcast (self->options->ranks, TOSST_OK, 0, &due, sizeof due) == TOSST_OK && due;
}

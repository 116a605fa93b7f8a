/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run that several processes execute together. Each describes and codes the images of its own, learns from its part of
 * the sample, and has the signatures of all samples, as training and testing take little of the time.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/base/error.h"
#include "core/run/private.h"

/* Numbers of signatures that are exchanged at a time. */
#define CHUNK ((gsize)1 << 20)

gboolean
tosst_run_check_divided (const TosstRecipe *recipe, GError **error)
{
  if (tosst_recipe_is_combined (recipe) || !tosst_recipe_has_tensors (recipe) || !tosst_recipe_has_patches (recipe)
      || tosst_recipe_is_local (recipe) || tosst_recipe_coding (recipe) == TOSST_CODING_PCA)
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("only runs of tensors of patches without principal components are divided over processes: "
                          "start this one without mpirun or srun"));
  return TRUE;
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
      TosstStatus status;

      for (gsize i = 0; i < count; i++)
        sum[i] = values[at + i];
      status = tosst_ranks_sum (ranks, TOSST_OK, sum, count);
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
  TosstStatus status;

  all[ranks->rank] = *value;
  status = tosst_ranks_gather (ranks, TOSST_OK, all, sizeof *all, 1, (gsize)ranks->size);
  for (int r = 0; status == TOSST_OK && r < ranks->size; r++)
    if (isnan (*value) || all[r] > *value)
      *value = all[r];
  return status;
}

gboolean
tosst_run_share_signatures (TosstRun *self, TosstSignatures *signatures, GError **error)
{
  TosstRanks *ranks = self->options->ranks;
  TosstStatus status;

  if (ranks == NULL)
    return TRUE;
  tosst_ranks_start (ranks);
  status = sum_values (ranks, signatures->values, self->patches->samples * self->length);
  if (status == TOSST_OK)
    status = find_largest (ranks, &signatures->worst_kkt);
  if (status == TOSST_OK)
    status = tosst_ranks_sum (ranks, TOSST_OK, &signatures->mean_nonzeros, 1);
  if (status == TOSST_OK)
    status = tosst_ranks_agree (ranks, TOSST_OK);
  return status == TOSST_OK || tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Coding"), error);
}

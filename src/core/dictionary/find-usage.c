/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/find-usage.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/data/patches.h"
#include "core/dictionary/describe-patches.h"
#include "core/dictionary/patch-coder.h"

#define PIECE 2048 /* maximum number of patches coded together */

typedef struct
{
  const TosstRecipe *recipe;
  TosstContext *context;
  TosstDataset *dataset;
  TosstPatches *patches;
  TosstPatchCoder *coder;
  float *tensors, *codes; /* for PIECE patches */
  TosstAtomUsage *usage;
} Finding;

static gboolean
finding_init (Finding *self, const TosstDictionary *dictionary, GError **error)
{
  gsize m = tosst_shape_numbers (tosst_recipe_shape (self->recipe)), K = dictionary->K;
  TosstStatus status = tosst_patch_coder_new (self->recipe, self->context, dictionary, &self->coder);

  if (!tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  self->patches = tosst_patches_new (self->dataset, self->recipe->descriptor.patch, self->recipe->descriptor.step);
  self->tensors = g_try_malloc_n (PIECE, m * sizeof (float));
  self->codes = g_try_malloc_n (PIECE, K * sizeof (float));
  self->usage = tosst_atom_usage_new (dictionary->K, (int)tosst_dataset_classes (self->dataset));
  status = self->tensors != NULL && self->codes != NULL && self->usage != NULL ? TOSST_OK : TOSST_ERROR_MEMORY;
  return tosst_error_from_status (status, NULL, _ ("Coding"), error);
}

/* Describes and codes patches first .. first + n - 1 of one image. */
static gboolean
add_piece (Finding *self, guint image, const TosstImage *pixels, gsize first, gsize n, GError **error)
{
  const TosstPoint *points = self->patches->points + first;
  double all = (double)self->patches->count;
  TosstRange range = tosst_context_narrow (self->context, (double)first / all, (double)(first + n) / all);
  TosstStatus status = tosst_describe_patches (self->recipe, self->context, pixels, points, n, self->tensors);

  if (status == TOSST_OK)
    status = tosst_patch_coder_code (self->coder, self->context, self->tensors, n, self->codes, NULL);
  tosst_context_set_range (self->context, range);
  tosst_context_progress (self->context, (double)(first + n) / all);
  if (!tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  tosst_atom_usage_add (self->usage, self->codes, n, points, image,
                        tosst_dataset_image (self->dataset, image)->class_index);
  return TRUE;
}

static gboolean
add_image (Finding *self, guint image, GError **error)
{
  gsize end = self->patches->first[image + 1];
  g_autoptr (TosstImage) pixels = NULL;

  if (self->patches->first[image] == end)
    return TRUE;
  if (tosst_context_checkpoint (self->context))
    return tosst_error_from_status (TOSST_CANCELLED, self->context, _ ("Coding"), error);
  pixels = tosst_dataset_read (self->dataset, image, error);
  if (pixels == NULL)
    return FALSE;
  for (gsize first = self->patches->first[image]; first < end; first += PIECE)
    if (!add_piece (self, image, pixels, first, MIN (PIECE, end - first), error))
      return FALSE;
  return TRUE;
}

TosstAtomUsage *
tosst_find_usage (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                  TosstDataset *dataset, GError **error)
{
  Finding finding = { .recipe = recipe, .context = context, .dataset = dataset };
  gboolean fine = finding_init (&finding, dictionary, error);
  TosstAtomUsage *usage;

  for (guint i = 0; fine && i < finding.patches->images; i++)
    fine = add_image (&finding, i, error);
  usage = fine ? g_steal_pointer (&finding.usage) : NULL;

  g_clear_pointer (&finding.patches, tosst_patches_free);
  g_clear_pointer (&finding.coder, tosst_patch_coder_free);
  g_clear_pointer (&finding.usage, tosst_atom_usage_unref);
  g_free (finding.tensors);
  g_free (finding.codes);
  return usage;
}

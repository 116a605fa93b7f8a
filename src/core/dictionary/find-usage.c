/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/dictionary/find-usage.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/data/patches.h"
#include "core/dictionary/describe-patches.h"
#include "core/dictionary/patch-coder.h"
#include "core/local/image-tensors.h"

#define PIECE 2048 /* maximum number of patches coded together */
#define IMAGES 64  /* the same of images of local features */

/* Share of description in the progress. */
#define DESCRIBING 0.3

typedef struct
{
  const TosstRecipe *recipe;
  TosstContext *context;
  TosstDataset *dataset;
  TosstPatches *patches;
  TosstPatchCoder *coder;
  TosstPca *pca;          /* of local features, or NULL */
  float *tensors, *codes; /* for PIECE patches, or IMAGES images */
  TosstAtomUsage *usage;
} Finding;

static gboolean
finding_init (Finding *self, const TosstDictionary *dictionary, GError **error)
{
  gboolean local = tosst_recipe_is_local (self->recipe);
  gsize m = tosst_shape_numbers (tosst_recipe_shape (self->recipe)), K = dictionary->K, piece = local ? IMAGES : PIECE;
  TosstStatus status = tosst_patch_coder_new (self->recipe, self->context, dictionary, &self->coder);

  if (!tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  if (local && !tosst_local_components_of_split (self->recipe, self->context, self->dataset, 0, &self->pca, error))
    return FALSE;
  self->patches = tosst_patches_find (self->recipe, self->context, self->dataset, NULL, error);
  if (self->patches == NULL)
    return FALSE;
  self->tensors = g_try_malloc_n (piece, m * sizeof (float));
  self->codes = g_try_malloc_n (piece, K * sizeof (float));
  self->usage = tosst_atom_usage_new (dictionary->K, (int)tosst_dataset_classes (self->dataset));
  status = self->tensors != NULL && self->codes != NULL && self->usage != NULL ? TOSST_OK : TOSST_ERROR_MEMORY;
  return tosst_error_from_status (status, NULL, _ ("Coding"), error);
}

/* Describes and codes patches first .. first + n - 1 of one image. */
static gboolean
add_piece (Finding *self, guint image, const TosstImage *pixels, gsize first, gsize n, GError **error)
{
  const TosstPoint *points = self->patches->points + first;
  const TosstFrame *frames = self->patches->frames != NULL ? self->patches->frames + first : NULL;
  double all = (double)self->patches->count, low = (double)first / all, high = (double)(first + n) / all;
  double middle = low + DESCRIBING * (high - low);
  TosstRange range = tosst_context_narrow (self->context, low, middle);
  TosstStatus status = tosst_describe_places (self->recipe, self->context, pixels, points, frames, n, self->tensors);

  tosst_context_set_range (self->context, range);
  tosst_context_narrow (self->context, middle, high);
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

/* Codes images with one tensor each, from `image` on. */
static gboolean
add_whole_images (Finding *self, guint image, guint n, GError **error)
{
  double all = (double)self->patches->count;
  TosstRange range = tosst_context_narrow (self->context, image / all, (image + n) / all);
  gboolean ok = tosst_local_describe_images (self->recipe, self->pca, self->context, self->dataset, image, n,
                                             self->tensors, error);
  TosstStatus status
      = ok ? tosst_patch_coder_code (self->coder, self->context, self->tensors, n, self->codes, NULL) : TOSST_OK;

  tosst_context_set_range (self->context, range);
  if (!ok || !tosst_error_from_status (status, self->context, _ ("Coding"), error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    tosst_atom_usage_add (self->usage, self->codes + i * (gsize)self->usage->K, 1, self->patches->points + image + i,
                          image + i, tosst_dataset_image (self->dataset, image + i)->class_index);
  return TRUE;
}

TosstAtomUsage *
tosst_find_usage (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                  TosstDataset *dataset, GError **error)
{
  Finding finding = { .recipe = recipe, .context = context, .dataset = dataset };
  gboolean fine = finding_init (&finding, dictionary, error);
  TosstAtomUsage *usage;

  for (guint i = 0, n = 1; fine && i < finding.patches->images; i += n)
    if (tosst_recipe_is_local (recipe))
      {
        n = MIN (IMAGES, finding.patches->images - i);
        fine = add_whole_images (&finding, i, n, error);
      }
    else
      fine = add_image (&finding, i, error);
  if (fine)
    tosst_atom_usage_set_frames (finding.usage, finding.patches);
  usage = fine ? g_steal_pointer (&finding.usage) : NULL;

  g_clear_pointer (&finding.patches, tosst_patches_free);
  g_clear_pointer (&finding.coder, tosst_patch_coder_free);
  g_clear_pointer (&finding.pca, tosst_pca_free);
  g_clear_pointer (&finding.usage, tosst_atom_usage_unref);
  g_free (finding.tensors);
  g_free (finding.codes);
  return usage;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"

/* While all patches are described: some patches of the data set, one after another, each with its features and the slices
 * of its tensor. A few a second at most while it is mapped; only one where the desktop has animations turned off. */
#define STUDIO_TYPE_PATCH_TENSOR (studio_patch_tensor_get_type ())
G_DECLARE_FINAL_TYPE (StudioPatchTensor, studio_patch_tensor, STUDIO, PATCH_TENSOR, AdwBin)

/* Begins anew, and is visible if the recipe describes patches by third-order tensors. Either may be NULL. */
void studio_patch_tensor_begin (StudioPatchTensor *self, TosstDataset *dataset, const TosstRecipe *recipe);
void studio_patch_tensor_end (StudioPatchTensor *self);

guint studio_patch_tensor_get_shown (StudioPatchTensor *self); /* number of patches since the beginning */
/* The patch that is shown: its image and place (for frames x is a number modulo theirs), the mean of its features (d) and the slices (d x d x d); borrowed.
 * FALSE: none. */
gboolean studio_patch_tensor_peek (StudioPatchTensor *self, guint *image, TosstPoint *place, int *d,
                                   const double **means, const double **slices);

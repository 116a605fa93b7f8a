/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"
#include "studio/tasks/worker.h"
#include "tosst/describe.h"

typedef struct
{
  guint image;
  TosstPoint place; /* with frames its x is a number modulo theirs */
  TosstPoint at;    /* its corner, or the centre of its frame */
  TosstFrame frame;
  GdkTexture *texture;
  int d;
  double *means, *slices; /* d; d x d x d */
  GArray *groups;
} StudioPatchSlices;

/* While all patches are described: some patches of the data set, one after another, each with its features and the slices
 * of its tensor. A few a second at most while it is mapped; only one where the desktop has animations turned off. */
#define STUDIO_TYPE_PATCH_TENSOR (studio_patch_tensor_get_type ())
G_DECLARE_FINAL_TYPE (StudioPatchTensor, studio_patch_tensor, STUDIO, PATCH_TENSOR, AdwBin)

/* Other files only read the members. */
struct _StudioPatchTensor
{
  AdwBin parent_instance;
  StudioWorker *worker; /* NULL before the first question */
  TosstDataset *dataset;
  TosstRecipe *recipe; /* NULL: ended */
  GRand *random;
  StudioPatchSlices *answer; /* that is shown; NULL: none yet */
  guint shown, source;       /* shown: number of patches since the beginning */
  GtkWidget *picture, *features, *strip, *caption;
};

/* Begins anew, and is visible if the recipe describes patches by third-order tensors. Either may be NULL. */
void studio_patch_tensor_begin (StudioPatchTensor *self, TosstDataset *dataset, const TosstRecipe *recipe);
void studio_patch_tensor_end (StudioPatchTensor *self);

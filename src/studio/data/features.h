/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"
#include "studio/widgets/image-view.h"
#include "tosst/describe.h"
#include "tosst/local.h"

/* Local features of one image as marks over it: a sentence about them, and the marks, computed in a thread. Signal
 * "marked" (guint image, StudioImageMarks *marks, borrowed; NULL: none). */
#define STUDIO_TYPE_IMAGE_FEATURES (studio_image_features_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageFeatures, studio_image_features, STUDIO, IMAGE_FEATURES, AdwBin)

/* Components of a run, for the colours (copied); NULL: those of each image. */
void studio_image_features_set_components (StudioImageFeatures *self, const TosstPca *pca);
/* Shown until the next image; the components are used if the features have their length. */
void studio_image_features_show (StudioImageFeatures *self, TosstDataset *dataset, guint image,
                                 const TosstRecipe *recipe);
void studio_image_features_hide (StudioImageFeatures *self);

/* A card that tells what a patch has: the mean of every feature over its pixels. They are computed in the background;
 * of patches asked for in a row only the last one counts. Not seen until it is asked for something. */
#define STUDIO_TYPE_PATCH_FEATURES (studio_patch_features_get_type ())
G_DECLARE_FINAL_TYPE (StudioPatchFeatures, studio_patch_features, STUDIO, PATCH_FEATURES, AdwBin)

/* The patch at `point` of an image of the data set, by [descriptor] of the recipe; of frames its x is a number. Such a patch
 * is shown as it is resampled. title: the patch in words. */
void studio_patch_features_show (StudioPatchFeatures *self, const char *title, TosstDataset *dataset, guint image,
                                 const TosstRecipe *recipe, TosstPoint point);
/* The means of the patch that was asked for last, d of them; NULL: they are not there yet. */
const double *studio_patch_features_peek (StudioPatchFeatures *self, int *d);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"
#include "core/recipe/recipe.h"
#include "tosst/describe.h"

/* A card that tells what a patch has: the mean of every feature over its pixels. They are computed in the background;
 * of patches asked for in a row only the last one counts. Not seen until it is asked for something. */
#define STUDIO_TYPE_PATCH_FEATURES (studio_patch_features_get_type ())
G_DECLARE_FINAL_TYPE (StudioPatchFeatures, studio_patch_features, STUDIO, PATCH_FEATURES, AdwBin)

/* The patch at `point` of an image of the data set, by [descriptor] of the recipe; of frames its x is a number. Such a patch
 * is shown as it is resampled. title: the patch in words. */
void studio_patch_features_show (StudioPatchFeatures *self, const char *title, TosstDataset *dataset, guint image,
                                 const TosstRecipe *recipe, TosstPoint point);
void studio_patch_features_hide (StudioPatchFeatures *self);
/* The patch that is on show, in words; valid until the next one. */
const char *studio_patch_features_get_title (StudioPatchFeatures *self);
/* The means of the patch that was asked for last, d of them; NULL: they are not there yet. */
const double *studio_patch_features_peek (StudioPatchFeatures *self, int *d);

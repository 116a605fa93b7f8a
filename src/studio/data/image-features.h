/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"
#include "studio/widgets/image-view.h"
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

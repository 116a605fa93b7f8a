/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"
#include "studio/widgets/image-view.h"

/* Classes, images and what a recipe cuts out of them. */
#define STUDIO_TYPE_DATA_VIEW (studio_data_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioDataView, studio_data_view, STUDIO, DATA_VIEW, AdwBin)

void studio_data_view_set_dataset (StudioDataView *self, TosstDataset *dataset);    /* NULL: none */
void studio_data_view_set_recipe (StudioDataView *self, const TosstRecipe *recipe); /* the grids; copied */
gboolean studio_data_view_has_image (StudioDataView *self);                         /* one is chosen, and read */
/* Principal components of a run, which colour local features (copied); NULL: those of each image. */
void studio_data_view_set_components (StudioDataView *self, const TosstPca *pca);
StudioImageSheet *studio_data_view_copy_image (StudioDataView *self); /* the chosen one, to be drawn; NULL: none */

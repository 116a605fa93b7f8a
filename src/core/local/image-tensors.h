/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/local/features.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPca, tosst_pca_free)

/* Local features of one image by [descriptor] of the recipe: dense SIFT of its pixels. name is used in messages. New. */
TosstFeatures *tosst_local_features_of_image (const TosstRecipe *recipe, const TosstImage *image, const char *name,
                                              GError **error);
/* The same for an image of a data set, or the features in its file. Any thread. New. */
TosstFeatures *tosst_local_features (const TosstRecipe *recipe, TosstDataset *dataset, guint image, GError **error);

/* Folder of the files of features: descriptor.folder, else that of the images (tosst_dataset_folder()). New. */
GFile *tosst_local_folder (const TosstRecipe *recipe, TosstDataset *dataset);
/* Sets descriptor.length, if it is unknown and needed, from the file of the first image. */
gboolean tosst_local_complete_recipe (TosstRecipe *recipe, TosstDataset *dataset, GError **error);

/* Returns local features of an image by its index; called from several threads. New, or NULL with error. */
typedef TosstFeatures *(*TosstLocalSource) (guint image, gpointer data, GError **error);

/* Principal components of descriptor.pca-sample features, drawn at random from each of the given images (guint); *pca is
 * NULL if the recipe has none. The same for any number of threads. Progress is that of the context. */
gboolean tosst_local_components (const TosstRecipe *recipe, TosstContext *context, const GArray *images,
                                 TosstLocalSource source, gpointer data, TosstPca **pca, GError **error);

/* An image, or a region of it by its number in tosst_recipe_regions(). */
typedef struct
{
  guint image, region;
} TosstLocalPart;

/* Tensors of n parts, those of one image side by side: the mean of v (x) v (x) v over the features, divided by its
 * Frobenius norm, whitened, and divided again. tensors: n x m float32. A region without features has the tensor of its
 * image. */
gboolean tosst_local_describe (const TosstRecipe *recipe, const TosstPca *pca, TosstContext *context,
                               const TosstLocalPart *parts, gsize n, TosstLocalSource source, gpointer data,
                               float *tensors, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/local/image-tensors.h"

/* Local features of the images of a data set, computed once for several uses: in memory up to a limit, then in an unnamed
 * file; without room for either they are computed again by each use. Thread-safe. */
typedef struct TosstFeatureCache TosstFeatureCache;

/* bytes: limit of memory. */
TosstFeatureCache *tosst_feature_cache_new (const TosstRecipe *recipe, TosstDataset *dataset, gsize bytes);
void tosst_feature_cache_free (TosstFeatureCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFeatureCache, tosst_feature_cache_free)

/* Computes the features of n images from `first` on, as long as there is room. Progress is that of the context. */
gboolean tosst_feature_cache_fill (TosstFeatureCache *self, TosstContext *context, guint first, guint n,
                                   GError **error);
/* Features of an image; a TosstLocalSource whose data is the cache. New. */
TosstFeatures *tosst_feature_cache_get (guint image, gpointer cache, GError **error);

gsize tosst_feature_cache_bytes (TosstFeatureCache *self); /* of memory, in use */

/* Expected number of features of a data set, and their bytes: of SIFT from the sizes of the images, of files from a
 * typical number. */
gsize tosst_local_features_expected (const TosstRecipe *recipe, TosstDataset *dataset);
gsize tosst_local_features_bytes (const TosstRecipe *recipe, TosstDataset *dataset);

/* Memory of detecting the frames of the largest image, in bytes; 0 without frames. */
gsize tosst_local_detector_bytes (const TosstRecipe *recipe, TosstDataset *dataset);

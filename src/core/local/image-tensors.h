/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "core/local/features.h"
#include "tosst/ranks.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPca, tosst_pca_free)

/* Local features of one image by [descriptor] of the recipe: dense SIFT of its pixels, or SIFT at its frames. name is used in messages. New. */
TosstFeatures *tosst_local_features_of_image (const TosstRecipe *recipe, const TosstImage *image, const char *name,
                                              GError **error);
/* The same for an image of a data set, or the features in its file. An image without any has n = 0. Any thread. New. */
TosstFeatures *tosst_local_features (const TosstRecipe *recipe, TosstDataset *dataset, guint image, GError **error);

/* The same for a run, which needs neither scales nor frames: SIFT is kept on the disk (core/data/kept.h). */
TosstFeatures *tosst_local_features_kept (const TosstRecipe *recipe, TosstDataset *dataset, guint image,
                                          GError **error);

/* Local features of an image outside a data set: dense SIFT of an image file; of kind features a file of features, or
 * the features of the image `id` in the folder of the recipe. Any thread. New. */
TosstFeatures *tosst_local_features_of_file (const TosstRecipe *recipe, GFile *file, const char *id, GError **error);

/* Sets descriptor.length, if it is unknown and needed, from the file of the first image. */
gboolean tosst_local_complete_recipe (TosstRecipe *recipe, TosstDataset *dataset, GError **error);
/* Checks a recipe, opens its data set and completes it. What needs the length of features is checked once it is known.
 * New, or NULL with error. */
TosstDataset *tosst_local_open (TosstRecipe *recipe, GCancellable *cancellable, GError **error);
/* The same for a data set that may be open already; otherwise *dataset is NULL. */
gboolean tosst_local_open_once (TosstRecipe *recipe, TosstDataset **dataset, GCancellable *cancellable, GError **error);

/* Returns local features of an image by its index; called from several threads. New, or NULL with error. */
typedef TosstFeatures *(*TosstLocalSource) (guint image, gpointer data, GError **error);

/* Errors of parallel tasks. A task ends with tosst_local_end_task(), which takes its error, stores the first one in
 * *first (atomic) and returns the status of the task; the loop with tosst_local_end_parallel(). what: for messages. */
TosstStatus tosst_local_end_task (GError **first, GError *error);
gboolean tosst_local_end_parallel (TosstStatus status, TosstContext *context, GError **first, const char *what,
                                   GError **error);

/* A process of several that learn together. Each draws from its own images, begin .. end - 1 of the data set, and has what
 * all have drawn: the bits are those of one process. */
typedef struct
{
  TosstRanks *ranks;
  guint begin, end;
} TosstLocalShare;

/* Principal components of descriptor.pca-sample features, drawn at random from each of the given images (guint), by their
 * numbers (->numbers); *pca is NULL if the recipe has none. share: or NULL. The same for any number of
 * threads. Progress is that of the context. */
gboolean tosst_local_components (const TosstRecipe *recipe, TosstContext *context, const TosstLocalShare *share,
                                 const GArray *images, const guint *numbers, TosstLocalSource source, gpointer data,
                                 TosstPca **pca, GError **error);

/* Images (guint) of the training samples of a split. New, or NULL with error. */
GArray *tosst_local_training_images (const TosstRecipe *recipe, TosstDataset *dataset, guint split, GError **error);

/* The same of the training images of a split, as a run computes them. */
gboolean tosst_local_components_of_split (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset,
                                          guint split, TosstPca **pca, GError **error);

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
/* Tensors of n whole images of a data set from `first` on. */
gboolean tosst_local_describe_images (const TosstRecipe *recipe, const TosstPca *pca, TosstContext *context,
                                      TosstDataset *dataset, guint first, guint n, float *tensors, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstMixture, tosst_mixture_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFisher, tosst_fisher_free)

/* Learns the mixture of coding.gaussians from coding.gaussian-sample local features, drawn from the given images (guint)
 * alike. pca: components of the recipe, or NULL. The same for any number of threads. Progress is that of the context. */
gboolean tosst_local_mixture (const TosstRecipe *recipe, TosstContext *context, const TosstLocalShare *share,
                              const TosstPca *pca, const GArray *images, const guint *numbers, TosstLocalSource source,
                              gpointer data, TosstMixture **mixture, GError **error);

/* Computes the signature of an image from its features: the Fisher vector, to the power, divided by its norm.
 * signature: tosst_recipe_code_length() values. Any thread. */
gboolean tosst_local_fisher (const TosstRecipe *recipe, const TosstPca *pca, const TosstFisher *fisher,
                             const TosstFeatures *features, float *signature, GError **error);

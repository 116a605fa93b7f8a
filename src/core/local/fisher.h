/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/local/image-tensors.h"
#include "tosst/local.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstMixture, tosst_mixture_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFisher, tosst_fisher_free)

/* Learns the mixture of coding.gaussians from coding.gaussian-sample local features, drawn from the given images (guint)
 * alike. pca: components of the recipe, or NULL. The same for any number of threads. Progress is that of the context. */
gboolean tosst_local_mixture (const TosstRecipe *recipe, TosstContext *context, const TosstPca *pca,
                              const GArray *images, TosstLocalSource source, gpointer data, TosstMixture **mixture,
                              GError **error);

/* Computes the signature of an image from its features: the Fisher vector, to the power, divided by its norm.
 * signature: tosst_recipe_code_length() values. Any thread. */
gboolean tosst_local_fisher (const TosstRecipe *recipe, const TosstPca *pca, const TosstFisher *fisher,
                             const TosstFeatures *features, float *signature, GError **error);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"
#include "engine/descriptor/describe.h"

G_BEGIN_DECLS

/* Tensors or matrices of n patches of an image as [descriptor] of the recipe says: described, and whitened where its
 * exponents ask for that. tensors: n x m float32, m of tosst_recipe_shape(). Everything that makes tensors of images
 * goes this way. */
TosstStatus tosst_describe_patches (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                                    const TosstPoint *points, gsize n, float *tensors);

/* The mean of every feature over the pixels of one patch of that size: `means` receives tosst_feature_dimension()
 * numbers. */
TosstStatus tosst_mean_features (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, int size,
                                 TosstPoint point, double *means);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"
#include "tosst/describe.h"

/* Describes n patches of an image by [descriptor] of the recipe: tensors or matrices, whitened if the exponents
 * require it. tensors: n x m float32, m of tosst_recipe_shape(). Like the two
 * below, the only functions that compute tensors of patches. */
TosstStatus tosst_describe_patches (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                                    const TosstPoint *points, gsize n, float *tensors);

/* The same of patches resampled at frames: descriptor.patch pixels that cover TOSST_FRAME_EXTENT to each side. */
TosstStatus tosst_describe_frames (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                                   const TosstFrame *frames, gsize n, float *tensors);

/* The same of patches that are resampled already: n x channels x side x side of tosst_recipe_frame_patch(). */
TosstStatus tosst_describe_resampled (const TosstRecipe *recipe, TosstContext *context, const float *patches,
                                      int channels, gsize n, float *tensors);
/* The pixels of the patch at a frame as they are described, with the margin that its derivatives see: features are those of
 * the square at *place. New; NULL without memory. */
TosstImage *tosst_frame_patch (const TosstRecipe *recipe, const TosstImage *image, const TosstFrame *frame,
                               TosstPoint *place);

/* Of frames, or where they are NULL of points. */
TosstStatus tosst_describe_places (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                                   const TosstPoint *points, const TosstFrame *frames, gsize n, float *tensors);

/* Mean of each feature over the pixels of one patch. means: tosst_feature_dimension() numbers. */
TosstStatus tosst_mean_features (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, int size,
                                 TosstPoint point, double *means);

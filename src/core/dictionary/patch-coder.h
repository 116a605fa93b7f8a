/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"
#include "tosst/describe.h"

/* Converts tensors of patches to the rows that are pooled, by [coding] of a recipe: codes by a dictionary, or plain
 * descriptors, or linear maps of these. */
typedef struct TosstPatchCoder TosstPatchCoder;

/* A larger random projection is not stored but drawn again in every call. */
#define TOSST_PROJECTION_BYTES ((gsize)512 << 20)

/* dictionary: NULL unless tosst_recipe_has_dictionary(); it may be freed after this returns. Error messages are
 * stored in the context. */
TosstStatus tosst_patch_coder_new (const TosstRecipe *recipe, TosstContext *context, const TosstDictionary *dictionary,
                                   TosstPatchCoder **coder);
void tosst_patch_coder_free (TosstPatchCoder *self);
/* The components of coding.method=pca, needed before the first code; NULL for other methods. Borrowed. */
void tosst_patch_coder_set_components (TosstPatchCoder *self, const TosstLinear *components);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPatchCoder, tosst_patch_coder_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstLinear, tosst_linear_free)

/* tensors: n x m; codes: n x length, length = K of the dictionary or tosst_recipe_code_length(). report: as of
 * tosst_code(), NaN if no problem is solved; may be NULL. */
TosstStatus tosst_patch_coder_code (const TosstPatchCoder *self, TosstContext *context, const float *tensors, gsize n,
                                    float *codes, TosstCodingReport *report);

/* Raises report->worst_kkt to the largest certificate of n codes in float64 (tosst_code_certificate()), unless that
 * takes too much memory. */
TosstStatus tosst_patch_coder_certify (const TosstPatchCoder *self, TosstContext *context, const float *tensors,
                                       gsize n, const float *codes, TosstCodingReport *report);

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

/* Describes frames, or points where they are NULL. */
TosstStatus tosst_describe_places (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image,
                                   const TosstPoint *points, const TosstFrame *frames, gsize n, float *tensors);

/* Mean of each feature over the pixels of one patch. means: tosst_feature_dimension() numbers. */
TosstStatus tosst_mean_features (const TosstRecipe *recipe, TosstContext *context, const TosstImage *image, int size,
                                 TosstPoint point, double *means);

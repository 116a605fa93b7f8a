/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Descriptors of a whole image without local features: local binary patterns, and the covariance of filter responses.
 */
#pragma once

#include "tosst/describe.h"
#include "tosst/macros.h"

TOSST_BEGIN_DECLS

/* Kinds of descriptors. */
typedef enum
{
  /* Local binary patterns, uniform and independent of rotation (riu2), of P = 8, 16 and 24 neighbours at the distances
   * R = 1, 2 and 3: three histograms of P + 2 bins and sum 1. */
  TOSST_TEXTURE_LBP,
  /* Logarithm of the covariance of intensity and absolute derivatives at three scales, 16 channels, as a vector: pairs i <= j in lexicographic order, those
   * off the diagonal times sqrt 2, so that distances of vectors are those of matrices. */
  TOSST_TEXTURE_COVARIANCE,
} TosstTexture;

/* Length of a descriptor: 54, 136. */
int tosst_texture_length (TosstTexture kind);

/* Smallest side of an image in pixels. */
int tosst_texture_side (TosstTexture kind);

/* Describes the width x height pixels of an image from (x, y) on, of which only these pixels are used. Colour images are
 * described by their luminance. out: tosst_texture_length() values. Computed in float64. Returns TOSST_ERROR_ARGUMENT
 * if the part is too small or extends beyond the image, and TOSST_ERROR_MEMORY. Any thread. */
TosstStatus tosst_texture (TosstTexture kind, const TosstImage *image, TosstPoint at, int width, int height,
                           float *out);

TOSST_END_DECLS

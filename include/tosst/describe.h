/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images, features of pixels and tensors of patches: equations (1), (8), (11)-(13); descriptors of a whole image.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tosst/context.h"
#include "tosst/tensor.h"

TOSST_BEGIN_DECLS

/* An image in [0, 1], float32, planar: channels x height x width, rows top to bottom. channels is 1 (grey) or 3 (R,
 * G, B). 8-bit samples are divided by 255, 16-bit samples by 65535, PNM samples by the maximum given in the file. */
typedef struct
{
  int width, height, channels;
  float *data; /* owned, from malloc */
  /* Maximum level of the file, usually 255 or 65535: values are k / maximum rounded to float32, and the engine uses the
   * exact k / maximum. 0: values are used as they are. */
  int maximum;
} TosstImage;

/* Allocates an image with undefined contents. Returns NULL if out of memory. */
TosstImage *tosst_image_new (int width, int height, int channels);
void tosst_image_free (TosstImage *image);

/* Reduces a plane of width x height to columns x rows, at most as large: each new pixel is the mean of the area that it
 * covers. from: float64, to: float32. */
void tosst_image_reduce (const double *from, int width, int height, float *to, int columns, int rows);

/* Encoding of the values of a pixel. */
typedef enum
{
  TOSST_FEATURES_LINEAR, /* the values of equation (8) */
  TOSST_FEATURES_RBF,    /* each value encoded by Z Gaussian pivots, equations (11)-(13) */
} TosstFeatureKind;

/* Feature vector of a pixel. Domains: position and luminance [0, 1]; first derivatives, second derivatives and
 * opponent colour [-range, range]. */
typedef struct
{
  TosstFeatureKind kind;
  bool luminance; /* include I */
  bool opponent;  /* include O1, O2 (0 for grey images) */
  bool absolute;  /* absolute values of derivatives */
  int pivots;     /* Z >= 2, RBF only */
  double sigma_position, sigma_luminance, sigma_opponent, sigma_first, sigma_second;
  double range_first, range_second, range_opponent;
} TosstFeatureOptions;

/* Sets the defaults: RBF, luminance, Z = 5. */
void tosst_feature_options_default (TosstFeatureOptions *options);

/* Returns NULL if the options are valid, else an error message (static). */
const char *tosst_feature_options_check (const TosstFeatureOptions *options);

/* Returns d, the length of a feature vector: 6, 7, 8 or 9, times Z for RBF. */
int tosst_feature_dimension (const TosstFeatureOptions *options);

/* Writes the name of component i, such as "I_x" or "I_x 3" (third pivot), to label: at most size bytes including the
 * terminating 0. */
void tosst_feature_label (const TosstFeatureOptions *options, int i, char *label, size_t size);

/* Equation (13): phi_z(u) / ||phi(u)||_2 for Z pivots uniform on [low, high]; u is clamped to this interval.
 * Exponents are relative to the nearest pivot, so that the result is finite for every sigma > 0. out: Z elements. */
void tosst_rbf_map (double u, double low, double high, int pivots, double sigma, double *out);

/* Moment of the N feature vectors x of a patch. */
typedef enum
{
  TOSST_MOMENT_THIRD_ORDER,     /* X = 1/N sum x (x) x (x) x, equation (1): super-symmetric */
  TOSST_MOMENT_COVARIANCE,      /* C = 1/(N-1) sum (x - mean)(x - mean)': symmetric, PSD */
  TOSST_MOMENT_AUTOCORRELATION, /* R = 1/N sum x x': symmetric, PSD */
} TosstMoment;

/* Returns the shape of the moment of vectors of length d. */
TosstShape tosst_moment_shape (TosstMoment moment, int d);

/* Computes the moment of n >= 1 vectors. x: n x d, float64 if wide, else float32, followed by space for m + 64
 * elements, which is overwritten. work: tosst_moment_work() bytes, 64-byte aligned. tensor: float32, stored according
 * to its shape.
 *
 * Second moments are accumulated in float64 and rounded once. A covariance is centred before summation, so that a
 * large offset of the features costs no digits; a constant feature has exact zeros in its row, and a single vector
 * gives the zero matrix. */
size_t tosst_moment_work (TosstMoment moment, int d, bool wide);
void tosst_moment (TosstMoment moment, bool wide, void *x, size_t n, int d, void *work, float *tensor);

/* Top left corner of a patch, in pixels of its image. */
typedef struct
{
  int x, y;
} TosstPoint;

/* Origins (0, 0), (step, 0), ... of all patches of size x size pixels inside a width x height image, row by row.
 * points may be NULL. Returns the number of patches, 0 if none fits. */
size_t tosst_patch_grid (int width, int height, int size, int step, TosstPoint *points);

/* Equation (1) for each of n patches: X = (1/N) sum_n x_n (x) x_n (x) x_n over the N = size^2 pixels of the patch;
 * derivatives are computed on the whole image. size: pixels per side, >= 2. tensors: n x m float32, packed simplex i
 * <= j <= k, unscaled, m = d(d+1)(d+2)/6. Returns TOSST_ERROR_ARGUMENT if a patch extends beyond the image. */
TosstStatus tosst_describe (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                            int size, const TosstPoint *points, size_t n, float *tensors);

/* tosst_describe() for any moment. tensors: n x m float32, m = tosst_shape_numbers (tosst_moment_shape (moment, d)). */
TosstStatus tosst_describe_moment (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                                   TosstMoment moment, int size, const TosstPoint *points, size_t n, float *tensors);

/* Feature vectors of one patch, the summands of tosst_describe(). features: N x d float32, row by row of the patch. */
TosstStatus tosst_patch_features (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *options,
                                  int size, TosstPoint point, float *features);

/* Descriptors of a whole image without local features: local binary patterns, and the covariance of filter
 * responses. */

/* Kinds of descriptors. */
typedef enum
{
  /* Local binary patterns, uniform and independent of rotation (riu2), of P = 8, 16 and 24 neighbours at the distances
   * R = 1, 2 and 3: three histograms of P + 2 bins and sum 1. */
  TOSST_TEXTURE_LBP,
  /* Logarithm of the covariance of intensity and absolute derivatives at three scales, 16 channels, as a vector: pairs i <= j in lexicographic order, those
   * off the diagonal times sqrt 2, so that distances of vectors are those of matrices. */
  TOSST_TEXTURE_COVARIANCE,
  /* Logarithm of the second moments and means of channels that do not change when the image turns, as a vector of the same
   * form: at six scales the length of the gradient, and the eigenvalues of the Hessian ordered by value and by absolute
   * value, 30 channels. Without the intensity. */
  TOSST_TEXTURE_INVARIANT,
} TosstTexture;

/* Length of a descriptor: 54, 136, 496. */
int tosst_texture_length (TosstTexture kind);

/* Smallest side of an image in pixels. */
int tosst_texture_side (TosstTexture kind);

/* Describes the width x height pixels of an image from (x, y) on, of which only these pixels are used. Colour images are
 * described by their luminance. out: tosst_texture_length() values. Computed in float64. Returns TOSST_ERROR_ARGUMENT
 * if the part is too small or extends beyond the image, and TOSST_ERROR_MEMORY. Any thread. */
TosstStatus tosst_texture (TosstTexture kind, const TosstImage *image, TosstPoint at, int width, int height,
                           float *out);

TOSST_END_DECLS

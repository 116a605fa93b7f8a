/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images described by local features: dense SIFT, principal components, spatial codes, and the tensor of an image:
 * section 6.5.
 */
#pragma once

#include "tosst/macros.h"
#include "tosst/tensor.h"

TOSST_BEGIN_DECLS

/* Length of a descriptor: 8 orientations of 4 x 4 spatial bins. */
#define TOSST_SIFT_LENGTH 128
#define TOSST_SIFT_MAX_SCALES 8

/* Scales of dense SIFT. A descriptor of radius r has spatial bins of r / 2 pixels; descriptors of one scale are
 * `stride` pixels apart in x and y. */
typedef struct
{
  int scales;
  int radius[TOSST_SIFT_MAX_SCALES]; /* pixels, even, >= 4 */
  int stride[TOSST_SIFT_MAX_SCALES]; /* pixels, >= 1 */
  bool root;                         /* RootSIFT: descriptors / their sum, then square roots */
} TosstSiftOptions;

void tosst_sift_options_default (TosstSiftOptions *options); /* radii 12, 16, 24, 32; strides 4, 6, 8, 10 */

/* Returns the number of descriptors of a width x height image; 0 if none fits. With bins of b pixels the centres are
 * 1.5 b, 1.5 b + stride, ... up to width - 1 - 1.5 b, and likewise in y. */
size_t tosst_sift_count (const TosstSiftOptions *options, int width, int height);

/* Computes dense SIFT with a flat window. The gradient of the grey image I in [0, 1] (central differences, one-sided
 * at borders) is divided linearly between the two nearest of 8 orientations, index 0 along +x, turning towards +y. Each
 * orientation is filtered by (1 - |t| / b), |t| < b, in x and y with replicated borders, sampled at the centres of 4 x 4
 * bins and weighted by the mean of a Gaussian of deviation 2 b over each bin. Descriptors are normalised to length
 * 1, clamped to 0.2, and normalised again.
 *
 * grey: height x width float32. descriptors: n x 128 float32, n = tosst_sift_count(), by scale, then y, then x; entry
 * o + 8 (bx + 4 by). xy: n x 2 float64, centres in pixels, x first; mass: n float32, the sum of a descriptor before
 * normalisation / (3 b + 1)^2; scale: n, index of the scale; each may be NULL. A descriptor without gradient is zero.
 *
 * Returns TOSST_ERROR_ARGUMENT for invalid options and TOSST_ERROR_MEMORY. Any thread. */
TosstStatus tosst_sift (const TosstSiftOptions *options, const float *grey, int width, int height, float *descriptors,
                        double *xy, float *mass, int *scale);

/* Principal components of vectors of length D; plain data, written to and read from model files. */
typedef struct
{
  int D, q;       /* q <= D components */
  double *mean;   /* D; zero if not centred. Owned. */
  double *values; /* D: eigenvalues of the covariance (1/n), in descending order; >= 0. Owned. */
  double *basis;  /* D x q, row-major, orthonormal columns. Owned. */
} TosstPca;

TosstPca *tosst_pca_new (int D, int q);         /* zeros; NULL if out of memory or q > D */
TosstPca *tosst_pca_copy (const TosstPca *pca); /* NULL if out of memory */
/* Frees components; NULL is ignored. */
void tosst_pca_free (TosstPca *pca);

/* Mean and scatter of vectors that are added in parts, combined in the order of the calls. */
typedef struct
{
  int D;
  double n;
  double *mean;    /* D */
  double *scatter; /* D x D, lower triangle: sum (x - mean)(x - mean)' */
  double *work;
} TosstScatter;

bool tosst_scatter_init (TosstScatter *scatter, int D); /* false: out of memory */
/* Frees the sums, not the struct itself. */
void tosst_scatter_clear (TosstScatter *scatter);

/* Adds count vectors x (count x D float32). Returns TOSST_ERROR_MEMORY, or TOSST_ERROR_NUMERIC for a value that is not
 * finite; the sums are then unchanged. */
TosstStatus tosst_scatter_add (TosstScatter *scatter, const float *x, size_t count);

/* Computes the components of the vectors added so far: eigenvectors of 1/n sum (x - mean)(x - mean)', or of 1/n sum x x'
 * if not centred, scaled by 1 / sqrt (eigenvalue) if `whiten`. Of the two directions of an eigenvector the one whose entry
 * of largest magnitude is positive (the first such entry) is taken: schemes that constrain the signs of atoms depend on
 * it. The caller owns *pca. */
TosstStatus tosst_pca_compute (TosstContext *context, const TosstScatter *scatter, int q, bool centred, bool whiten,
                               TosstPca **pca);

/* Spatial code: one-hot cells of 1 x 1, three bands from top to bottom, three from left to right, and 2 x 2 row by
 * row. */
#define TOSST_SPATIAL_LENGTH 11

/* Writes the code of position (x, y) in [0, 1], times weight. Of a pixel u of L the position is (u + 1/2) / L; its cell
 * among k is min (floor (k (u + 1/2) / L), k - 1), exactly. */
void tosst_spatial_code (double x, double y, float weight, float *code);

/* Normalisation of a feature. */
typedef enum
{
  TOSST_NORMALISE_NONE,
  TOSST_NORMALISE_L2,   /* x / ||x||_2 */
  TOSST_NORMALISE_ROOT, /* sgn (x) (|x| / ||x||_1)^{1/2} */
} TosstNormalise;

/* How a set of local features x (length D) at positions in [0, 1]^2 becomes one tensor:
 *     v = ((x - mean)' basis, weight * code (position)),   X = 1/n sum v (x) v (x) v,  or  1/n sum v v'. */
typedef struct
{
  int D;                    /* length of a feature */
  int q;                    /* components; D without a basis */
  const double *mean;       /* D, or NULL. Borrowed. */
  const double *basis;      /* D x q, row-major, or NULL: x as it is. Borrowed. */
  double weight;            /* of the spatial code; 0: none */
  TosstNormalise normalise; /* of x, first */
  int order;                /* 2 or 3 */
} TosstLocalEncoding;

/* Part of an image; positions are taken relative to it. */
typedef struct
{
  double left, top, right, bottom; /* in [0, 1] */
} TosstRegion;

int tosst_local_dimension (const TosstLocalEncoding *encoding); /* d = q + 11, or q */
/* Returns the shape of the tensor: super-symmetric for order 3, symmetric for order 2, of side d. */
TosstShape tosst_local_shape (const TosstLocalEncoding *encoding);

/* Computes the vectors v of n features. x: n x D float32; xy: n x 2 float64 in [0, 1], or NULL without a
 * spatial code (weight = 0). v: n x d float32. Returns TOSST_ERROR_ARGUMENT for missing positions, and TOSST_ERROR_MEMORY.
 * Any thread. */
TosstStatus tosst_local_vectors (const TosstLocalEncoding *encoding, const float *x, const double *xy, size_t n,
                                 float *v);

/* Computes the tensor of the features inside the region (NULL: all), packed float32 of the shape tosst_local_shape(). xy
 * may be NULL with weight = 0 and without a region: with D = q = d, order 3 and nothing else set, X is the mean of
 * x (x) x (x) x over n vectors of length d.
 * Sums of at most 2048 vectors in float32 are added in float64. *used, if not NULL, receives the number of
 * features. Returns TOSST_ERROR_ARGUMENT if there are none or positions are missing, TOSST_ERROR_NUMERIC for a value that is not finite, and
 * TOSST_ERROR_MEMORY. Any thread; inside a parallel loop BLAS runs on the calling thread. */
TosstStatus tosst_local_tensor (const TosstLocalEncoding *encoding, const float *x, const double *xy, size_t n,
                                const TosstRegion *region, float *tensor, size_t *used);

/* Divides a tensor by its Frobenius norm, which counts an entry as often as symmetry repeats it. A zero tensor remains
 * zero. Returns the norm. */
double tosst_tensor_normalise (const TosstLayout *layout, float *tensor);

TOSST_END_DECLS

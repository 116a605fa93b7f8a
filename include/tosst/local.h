/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images described by local features: dense SIFT, principal components, spatial codes, and the tensor of an image
 * (section 6.5); frames at which features and patches are taken; mixtures of Gaussians and Fisher vectors.
 */
#pragma once

#include "tosst/context.h"
#include "tosst/describe.h"
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

/* Frames of an image: where local features and patches are taken, how large they are, and how they are turned. Frames
 * found in an image move with its contents when the image is rotated, rescaled or, with affine shape, tilted; so do
 * features and patches resampled at them. */

/* The disc u'u <= 1 is mapped to (x, y) + a u, in pixels; the centre of the first pixel is (0, 0). The scale of a frame
 * is sqrt (|det a|). */
typedef struct
{
  float x, y;
  float a[4]; /* 2 x 2, row-major */
} TosstFrame;

/* Functions of space and scale whose extrema are frames. */
typedef enum
{
  TOSST_DETECTOR_HESSIAN, /* maxima over space and scale of the determinant of the Hessian: blobs */
  TOSST_DETECTOR_DOG,     /* extrema of differences of Gaussians, as in SIFT */
} TosstDetector;

/* How frames are found. */
typedef struct
{
  bool dense; /* a regular grid on scales that grow by sqrt (2), instead of a detector */

  /* A detector has these. */
  TosstDetector detector;
  bool doubled; /* begins with the image at twice its size, in four times the time: more and smaller frames */
  bool affine;  /* ellipses: the second moments of gradients are made equal in all directions */
  bool upright; /* not turned; otherwise the first column of a is the dominant direction of the gradient */
  /* Smallest contrast of a frame, relative to 0.01 for dog and sqrt (0.003) for hessian, for pixels in [0, 1]. An image with hardly any such
   * frame has all of them, and with still fewer also some of the grid. */
  double threshold;

  /* The grid has these. */
  double finest;  /* scale of the finest level, in pixels */
  int levels;     /* at most; a level whose features do not fit into the image is left out */
  double spacing; /* distance of frames / their scale, or / 1.6 if that is finer; larger where `most` needs it */

  size_t most; /* largest number of frames: the strongest are kept; 0: all */
} TosstFrameOptions;

/* Sets the defaults. */
void tosst_frame_options_default (TosstFrameOptions *options);

/* Returns NULL if the options are valid, else an error message (static). */
const char *tosst_frame_options_check (const TosstFrameOptions *options);

/* Finds the frames of a grey image. grey: height x width float32. *frames: *n frames, from the strongest response to the
 * weakest, or from the finest level of the grid to the coarsest, row by row; the caller frees it by free(). A frame with
 * several dominant directions is listed once for each, at most TOSST_FRAME_DIRECTIONS times. *n is 0, and *frames NULL,
 * for an image that is too small or flat.
 *
 * Returns TOSST_ERROR_ARGUMENT for invalid options or sides, TOSST_ERROR_NUMERIC for a pixel that is not finite, and
 * TOSST_ERROR_MEMORY. Any thread. */
#define TOSST_FRAME_DIRECTIONS 4
TosstStatus tosst_frames (const TosstFrameOptions *options, const float *grey, int width, int height,
                          TosstFrame **frames, size_t *n);

/* SIFT features have bins of 3 scales: they cover 6 scales to each side of the centre. */
#define TOSST_FRAME_EXTENT 6.0

/* SIFT of n frames: 4 x 4 bins of TOSST_FRAME_EXTENT / 2 scales, of the image smoothed to the scale of the frame and
 * resampled in its coordinates, as in tosst_sift(). Pixels outside the image are those of its border. root: RootSIFT.
 * descriptors: n x 128 float32; mass: n, as of tosst_sift(), or NULL. Any thread. */
TosstStatus tosst_frames_sift (const float *grey, int width, int height, const TosstFrame *frames, size_t n, bool root,
                               float *descriptors, float *mass);

/* How patches are resampled: side x side pixels cover -extent .. extent in both coordinates of the frame, and `margin`
 * further pixels on each side continue them. */
typedef struct
{
  int side, margin;
  double extent;
  bool photometric; /* brightness and contrast removed: the grey mean of the patch becomes 0.5, its deviation 0.2 */
} TosstFramePatch;

/* Resamples n patches of all channels of an image: bilinear, from the image smoothed according to the distance of the
 * samples. Where these are the pixels of the image the patch is a copy. patches: n x channels x s x s float32, s =
 * side + 2 margin. Any thread. */
TosstStatus tosst_frames_patches (const TosstFramePatch *options, const TosstImage *image, const TosstFrame *frames,
                                  size_t n, float *patches);

/* Mixtures of Gaussians and Fisher vectors: codes of a set of local features without a dictionary. */

/* Mixture of K Gaussians with diagonal covariances over vectors x of length D,
 *     p (x) = sum_k w_k N (x; mu_k, diag (sigma_k^2));
 * plain data, written to and read from model files. */
typedef struct
{
  int D, K;
  double *weights;   /* K, positive, of sum 1. Owned. */
  double *means;     /* K x D, row-major. Owned. */
  double *variances; /* K x D, positive. Owned. */
} TosstMixture;

TosstMixture *tosst_mixture_new (int D, int K);                 /* zeros; NULL if out of memory, or D or K < 1 */
TosstMixture *tosst_mixture_copy (const TosstMixture *mixture); /* NULL if out of memory */
/* Frees a mixture; NULL is ignored. */
void tosst_mixture_free (TosstMixture *mixture);
/* Whether weights and variances are positive and all values finite. */
bool tosst_mixture_is_valid (const TosstMixture *mixture);

/* How a mixture is learned. */
typedef struct
{
  int gaussians;    /* K >= 1 */
  int iterations;   /* of EM at most; >= 0 */
  double tolerance; /* EM ends with a smaller increase of the mean log-likelihood (nats a vector); >= 0 */
  double floor;     /* smallest variance, relative to that of all vectors; in (0, 1) */
  uint64_t seed;
} TosstMixtureOptions;

/* Sets the defaults. */
void tosst_mixture_options_default (TosstMixtureOptions *options);

/* How a mixture was learned. */
typedef struct
{
  int iterations;    /* of EM */
  int reseeded;      /* components without vectors that were placed again */
  double likelihood; /* mean of log p (x) over the vectors */
} TosstMixtureReport;

/* Learns a mixture of n >= K vectors x (n x D float32) by expectation maximisation, which starts from k-means with seeds of
 * k-means++. trace: options->iterations + 1 values, or NULL; receives the mean log-likelihood of the start and after each
 * iteration, which never decreases. A component that loses its vectors is placed beside the one with the most, unless
 * that lowers the likelihood. The result is the same for any number of threads. report may be NULL. The caller owns
 * *mixture. Returns TOSST_ERROR_ARGUMENT, TOSST_ERROR_MEMORY, TOSST_CANCELLED, or TOSST_ERROR_NUMERIC for a
 * value that is not finite. */
TosstStatus tosst_mixture_learn (TosstContext *context, const float *x, size_t n, int D,
                                 const TosstMixtureOptions *options, double *trace, TosstMixtureReport *report,
                                 TosstMixture **mixture);

/* Coder of Fisher vectors of a mixture; constant. */
typedef struct TosstFisher TosstFisher;

TosstFisher *tosst_fisher_new (const TosstMixture *mixture); /* the mixture is copied; NULL if out of memory */
/* Frees what tosst_fisher_new() returned; NULL is ignored. */
void tosst_fisher_free (TosstFisher *fisher);
size_t tosst_fisher_length (const TosstMixture *mixture); /* 2 K D */

/* Computes the Fisher vector of n vectors x (n x D float32): the gradient of their mean log-likelihood to means and
 * deviations, normalised by the diagonal approximation of the Fisher information,
 *     G_mu,k    = 1 / (n sqrt w_k)       sum_i gamma_ik (x_i - mu_k) / sigma_k,
 *     G_sigma,k = 1 / (n sqrt (2 w_k))   sum_i gamma_ik ((x_i - mu_k)^2 / sigma_k^2 - 1),
 *     gamma_ik  = w_k N (x_i; mu_k, sigma_k^2) / p (x_i)
 * (Perronnin, Sanchez & Mensink 2010; Sanchez, Perronnin, Mensink & Verbeek 2013), without the power and the
 * normalisation, which tosst_normalise_signature() does. Posteriors gamma below 1e-6 are taken as zero.
 *
 * out: G_mu,1 .. G_mu,K, G_sigma,1 .. G_sigma,K, 2 K D float32. likelihood: the mean of log p (x_i), or NULL. Returns
 * TOSST_ERROR_ARGUMENT for n = 0, TOSST_ERROR_NUMERIC for a value that is not finite, and TOSST_ERROR_MEMORY. Any thread; inside a
 * parallel loop BLAS runs on the calling thread. */
TosstStatus tosst_fisher_code (const TosstFisher *fisher, const float *x, size_t n, float *out, double *likelihood);

TOSST_END_DECLS

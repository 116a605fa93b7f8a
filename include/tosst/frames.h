/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames of an image: where local features and patches are taken, how large they are, and how they are turned. Frames
 * found in an image move with its contents when the image is rotated, rescaled or, with affine shape, tilted; so do
 * features and patches resampled at them.
 */
#pragma once

#include "tosst/describe.h"
#include "tosst/macros.h"

TOSST_BEGIN_DECLS

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

  /* Of a detector. */
  TosstDetector detector;
  bool doubled; /* begins with the image at twice its size, in four times the time: more and smaller frames */
  bool affine;  /* ellipses: the second moments of gradients are made equal in all directions */
  bool upright; /* not turned; otherwise the first column of a is the dominant direction of the gradient */
  /* Smallest contrast of a frame, relative to VLFeat's threshold for pixels in [0, 1]. An image with hardly any such
   * frame has all of them, and with still fewer also some of the grid. */
  double threshold;

  /* Of the grid. */
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

TOSST_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/describe.h"
#include "tosst/local.h"

/* Local features of one image: n vectors of length D at positions in the image. */
typedef struct
{
  gsize n;
  int D;
  float *x;           /* n x D */
  double *xy;         /* n x 2: horizontal and vertical position, in [0, 1] */
  int *scale;         /* n: index of the scale, of dense SIFT; or NULL */
  TosstFrame *frames; /* n: in pixels of the image, of features at frames; or NULL */
  char *name;         /* of the image or the file, for messages; or NULL */
} TosstFeatures;

TosstFeatures *tosst_features_copy (const TosstFeatures *self); /* new */
void tosst_features_free (TosstFeatures *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstFeatures, tosst_features_free)

/* Describes an image by dense SIFT. longest_side: larger images are reduced to it first, by the mean of areas; 0:
 * never. flat: descriptors of a smaller mass are left out; see tosst_sift(). name is used in messages: an image that is
 * too small for every scale, or flat everywhere, has no features and is TOSST_FAILED_EMPTY. New. */
TosstFeatures *tosst_features_sift (const TosstImage *image, const TosstSiftOptions *options, int longest_side,
                                    double flat, const char *name, GError **error);

/* Describes an image by SIFT at frames; see tosst_frames(). An image without frames is an error. Otherwise as above. New. */
TosstFeatures *tosst_features_at_frames (const TosstImage *image, const TosstFrameOptions *options, gboolean root,
                                         int longest_side, double flat, const char *name, GError **error);

/* Reads the features of an image from a folder. id: its name without suffix, with subfolders. In this order:
 *   ID.npz              x (N, D) and xy (N, 2) in [0, 1], as tosst_features_write() writes them;
 *   ID.npy, ID.xy.npy   the same arrays;
 *   ID.npy              a map (H, W, D), at the centres of its cells.
 * float16, float32 and float64 are converted to float32, positions to float64. Rejects missing, empty and non-finite
 * arrays, positions outside [0, 1] and numbers of rows that differ. New. */
TosstFeatures *tosst_features_read (GFile *folder, const char *id, GError **error);
/* Reads such a file; positions of an array (N, D) in X.npy are those of X.xy.npy. New. */
TosstFeatures *tosst_features_read_file (GFile *file, GError **error);

/* Writes an .npz file: x (N, D) float32, xy (N, 2) float64 and, of dense SIFT, scale (N) float32; of features at frames,
 * frames (N, 6) float32: x, y and the 2 x 2 matrix, row by row, in pixels of the image. */
gboolean tosst_features_write (const TosstFeatures *self, GFile *file, GError **error);
/* The bytes of such a file, and features from them; name is used in messages. New. */
GBytes *tosst_features_to_bytes (const TosstFeatures *self, const char *name, GError **error);
TosstFeatures *tosst_features_from_bytes (GBytes *bytes, const char *name, GError **error);

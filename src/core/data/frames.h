/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/recipe/recipe.h"
#include "tosst/local.h"

/* The grey image, reduced by the mean of areas if its longest side is larger than longest_side; 0: never. New; NULL
 * without memory. */
float *tosst_image_grey (const TosstImage *image, int longest_side, int *width, int *height);

/* The same as an image. New. */
TosstImage *tosst_image_reduced (const TosstImage *image, int longest_side);

/* Frames of a grey image as of tosst_frames(). name is used in messages: an image without frames is an error. New. */
TosstFrame *tosst_frames_of_plane (const TosstFrameOptions *options, const float *plane, int width, int height,
                                   gsize *n, const char *name, GError **error);

/* Converts frames of a plane of width x height pixels to those of the image that was reduced to it. */
void tosst_frames_to_image (TosstFrame *frames, gsize n, int width, int height, const TosstImage *image);

/* Frames at which the patches of an image are taken by [descriptor] of the recipe, in its pixels: *n >= 1. An image in
 * which none is found has one: upright, in the middle, as wide as its shorter side. *found, unless NULL, tells which is
 * the case. Any thread. New; NULL with error. */
TosstFrame *tosst_frames_of_image (const TosstRecipe *recipe, const TosstImage *image, gsize *n, gboolean *found,
                                   const char *name, GError **error);

/* Whether two recipes find the same frames in an image. */
gboolean tosst_frames_are_same (const TosstRecipe *a, const TosstRecipe *b);

/* The frame with the centre nearest to (x, y), the first of equal ones; n >= 1. */
gsize tosst_frames_nearest (const TosstFrame *frames, gsize n, double x, double y);

/* Largest number of frames of an image; of frames without a limit an estimate. */
gsize tosst_frames_at_most (const TosstRecipe *recipe, int width, int height);

/* Typical number of frames of an image, which estimates of memory and time take. */
gsize tosst_frames_expected (const TosstRecipe *recipe, int width, int height);

/* Memory of detecting the frames of an image, in bytes. */
gsize tosst_frames_bytes (const TosstRecipe *recipe, int width, int height);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gdk/gdk.h>

#include "core/data/dataset.h"
#include "tosst/local.h"

/* The pixels of an image of a data set, shared by its texture and the descriptions of its patches: an image is decoded
 * once, as long as one of them holds it. Any thread. */
typedef struct
{
  TosstImage *image;
  TosstDataset *dataset;
  guint number;
  guint references;
  TosstRecipe *recipe; /* of the frames that were found last; NULL: none */
  GArray *frames;
} StudioPixels;

StudioPixels *studio_pixels_get (TosstDataset *dataset, guint image, GError **error); /* a reference; NULL: an error */
void studio_pixels_unref (StudioPixels *self);
gboolean studio_pixels_are (const StudioPixels *self, TosstDataset *dataset, guint image); /* NULL: no */

/* The frames of patches of a recipe in the image, an array of TosstFrame that is not empty: a reference, found once; NULL: an
 * error. */
GArray *studio_pixels_frames (StudioPixels *self, const TosstRecipe *recipe, GError **error);

/* The part of the image that the descriptor of the square of size pixels at *place needs, with the margin of its
 * derivatives, new; *place receives the position of the square in it. Features there equal those of the whole image to
 * the bit; a square that exceeds the whole exceeds the part, too. NULL: out of memory. */
TosstImage *studio_image_cut (const TosstImage *image, int size, TosstPoint *place);

/* The pixels of a patch by the descriptor of a recipe, new: the part of the image, or the patch resampled at frame number
 * place->x % their number. *place receives its corner in them, *frame the frame, zero on a grid. NULL: an error. */
TosstImage *studio_patch_cut (StudioPixels *self, const TosstRecipe *recipe, TosstPoint *place, TosstFrame *frame,
                              GError **error);
/* The tensor of such a patch, cut from the pixels. */
TosstStatus studio_patch_describe (StudioPixels *self, const TosstRecipe *recipe, TosstContext *context,
                                   const TosstImage *cut, TosstPoint place, const TosstFrame *frame, float *tensor);
/* A patch to describe, a question to a StudioWorker; point: as place of studio_patch_cut(). */
typedef struct
{
  TosstDataset *dataset;
  guint image;
  TosstRecipe *recipe;
  TosstPoint point;
} StudioPatchQuestion;

StudioPatchQuestion *studio_patch_question_new (TosstDataset *dataset, guint image, const TosstRecipe *recipe,
                                                TosstPoint point); /* copies the recipe */
void studio_patch_question_free (gpointer question);

/* The square of `size` pixels at a corner as a picture, RGB. New. */
GdkTexture *studio_patch_texture (const TosstImage *image, TosstPoint place, int size);

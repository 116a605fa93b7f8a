/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gdk/gdk.h>
#include <gtk/gtk.h>

#include "core/data/dataset.h"
#include "tosst/local.h"

/* Part of an image, in its pixels; width 0: the whole. */
typedef struct
{
  int x, y, width, height;
  TosstFrame frame; /* of a patch of width x width pixels that is resampled; zero: none */
  gboolean photometric;
} StudioImagePart;

/* One image of a data set in a list. Property: texture (GdkTexture, NULL until loaded), also notified of a problem. */
#define STUDIO_TYPE_IMAGE_ITEM (studio_image_item_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageItem, studio_image_item, STUDIO, IMAGE_ITEM, GObject)

/* Other files only read the members. */
struct _StudioImageItem
{
  GObject parent_instance;
  TosstDataset *dataset;
  guint image;
  StudioImagePart part;
  struct StudioImageRequest *request; /* under way; NULL: none */
  GdkTexture *texture;
  struct StudioPixels *pixels; /* of a large texture, for descriptions of patches; NULL: none */
  char *problem;
};

StudioImageItem *studio_image_item_new (TosstDataset *dataset, guint image);
/* Only a part of the image; clipped to the image. */
StudioImageItem *studio_image_item_new_part (TosstDataset *dataset, guint image, int x, int y, int width, int height);
/* The patch at a frame, resampled to side x side pixels; photometric: as of TosstFramePatch. */
StudioImageItem *studio_image_item_new_patch (TosstDataset *dataset, guint image, const TosstFrame *frame, int side,
                                              gboolean photometric);

/* Reads images in the background, the latest request first, and caches the thumbnails of the last few hundred. Main
 * thread. */
#define STUDIO_TYPE_IMAGE_LOADER (studio_image_loader_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageLoader, studio_image_loader, STUDIO, IMAGE_LOADER, GObject)

StudioImageLoader *studio_image_loader_new (void);
/* Size of an image shown whole: the resolution of a screen, and small enough to be drawn fast. */
#define STUDIO_IMAGE_SIDE 1536
/* Fills in item's texture, at most size pixels wide and high (0: as it is); no effect if it has one. */
void studio_image_loader_request (StudioImageLoader *self, StudioImageItem *item, int size);
/* The item is no longer visible: drops a request that has not begun. */
void studio_image_loader_cancel (StudioImageLoader *self, StudioImageItem *item);

/* The pixels of an image of a data set, shared by its texture and the descriptions of its patches: an image is decoded
 * once, as long as one of them holds it. Any thread. */
typedef struct StudioPixels
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
/* An image, or a patch of it, to describe, a question to a StudioWorker, or an answer; point: as place of
 * studio_patch_cut(); more: what else belongs to it, or NULL, freed with it by free_more. */
typedef struct
{
  TosstDataset *dataset;
  guint image;
  TosstRecipe *recipe;
  TosstPoint point;
  gpointer more;
  GDestroyNotify free_more;
} StudioPatchQuestion;

StudioPatchQuestion *studio_patch_question_new (TosstDataset *dataset, guint image, const TosstRecipe *recipe,
                                                TosstPoint point); /* copies the recipe */
void studio_patch_question_free (gpointer question);

/* A part of an image as a picture, at most size pixels wide and high (0: as it is). New. Any thread. */
GdkTexture *studio_image_texture (const TosstImage *image, int x, int y, int width, int height, int size);

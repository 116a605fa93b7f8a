/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/data/dataset.h"
#include "tosst/local.h"

/* One image of a data set in a list. Properties: texture (GdkTexture, NULL until loaded), problem (string, NULL). */
#define STUDIO_TYPE_IMAGE_ITEM (studio_image_item_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageItem, studio_image_item, STUDIO, IMAGE_ITEM, GObject)

StudioImageItem *studio_image_item_new (TosstDataset *dataset, guint image);
/* Only a part of the image; clipped to the image. */
StudioImageItem *studio_image_item_new_part (TosstDataset *dataset, guint image, int x, int y, int width, int height);
/* The patch at a frame, resampled to side x side pixels; photometric: as of TosstFramePatch. */
StudioImageItem *studio_image_item_new_patch (TosstDataset *dataset, guint image, const TosstFrame *frame, int side,
                                              gboolean photometric);
guint studio_image_item_get_image (StudioImageItem *self);
GdkTexture *studio_image_item_get_texture (StudioImageItem *self);
const char *studio_image_item_get_problem (StudioImageItem *self);

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

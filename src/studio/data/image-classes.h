/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/dataset.h"

/* The list and the classes of an image that may have several, as buttons. Signal "class-chosen" (uint class). */
#define STUDIO_TYPE_IMAGE_CLASSES (studio_image_classes_get_type ())
G_DECLARE_FINAL_TYPE (StudioImageClasses, studio_image_classes, STUDIO, IMAGE_CLASSES, AdwBin)

/* Hidden for a data set with one class an image. */
void studio_image_classes_show (StudioImageClasses *self, TosstDataset *dataset, guint image);

/* Numbers of images of a class by list: "13 train · 9 val · 11 test". New. */
char *studio_class_lists (TosstDataset *dataset, guint class_index);

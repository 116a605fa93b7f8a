/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* An image that an operand names, or a file of features of one. */
typedef struct
{
  GFile *file;
  char *id; /* name of its features: below the folder of the operand, without suffix */
} CliImage;

GArray *cli_images_new (void); /* of CliImage */

/* Adds a file, or the images of a folder and its subfolders; features: the files of features of a folder without
 * images. Images of a data set with several labels are those of its folder JPEGImages, where it has one, and such a folder
 * may be named by its labels.csv. Returns FALSE with error if a folder cannot be listed; one without images adds none. */
gboolean cli_images_add (GArray *images, GFile *operand, gboolean features, GError **error);

/* A line on n > 0 images in which no frame was found, or NULL for none. New. */
char *cli_images_unfound (guint n);

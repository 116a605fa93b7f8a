/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* The folder with ImageSets/Main: folder itself, VOC2007 or VOCdevkit/VOC2007 in it. New, or NULL. */
GFile *tosst_voc_find (GFile *folder);

/* What of the official PASCAL VOC 2007 (2501 images train, 2510 val, 5011 trainval, 4952 test; 20 classes) is missing
 * or different in a folder: one sentence each, none for the whole data set. Images are looked for but not read. New
 * array of strings. */
GPtrArray *tosst_voc_missing (GFile *folder);

/* A list of images that train in addition to those of a data set, dataset.additions of a recipe: UTF-8 text, a line for
 * each image: the name of its class, a tab, and its path, relative to the folder of the list. The images stay where they
 * are. */

typedef struct
{
  char *class_name;
  GFile *image;
} TosstAddition;

/* The images of a list, in its order. New array of TosstAddition *. */
GPtrArray *tosst_additions_load (GFile *list, GError **error);
/* Lists an image with its class, in place of an earlier line about it; class_name NULL: removes it. Creates the list and
 * its folder. The list is unchanged after a failure. */
gboolean tosst_additions_put (GFile *list, GFile *image, const char *class_name, GError **error);

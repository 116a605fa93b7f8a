/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

/* The folder with ImageSets/Main: folder itself, VOC2007 or VOCdevkit/VOC2007 in it. New, or NULL. */
GFile *tosst_voc_find (GFile *folder);

/* What of the official PASCAL VOC 2007 (2501 images train, 2510 val, 5011 trainval, 4952 test; 20 classes) is missing
 * or different in a folder: one sentence each, none for the whole data set. Images are looked for but not read. New
 * array of strings. */
GPtrArray *tosst_voc_missing (GFile *folder);

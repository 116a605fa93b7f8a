/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "engine/descriptor/describe.h"

G_BEGIN_DECLS

/* The patches of a data set. Samples that overlap share patches where their grids align: each distinct patch of an
 * image is listed, and described and coded, once. Patches are numbered through the whole data set, image by image, row
 * by row. */
typedef struct
{
  guint images, samples;
  gsize count;        /* distinct patches */
  TosstPoint *points; /* count */
  gsize *first;       /* images + 1: patches of image i are first[i] .. first[i + 1] - 1 */
  gsize *offset;      /* samples + 1: patches of sample j are member[offset[j]] .. member[offset[j + 1] - 1] */
  gsize *member;      /* numbers of patches */
  guint *sample;      /* samples, sorted by image */
  gsize *by_image;    /* images + 1: sample[by_image[i]] .. lie in image i */
} TosstPatches;

/* Most bytes that the lists will take while they are made, from sizes alone; *patches: an upper bound of their
 * number. */
gsize tosst_patches_bytes (TosstDataset *dataset, int size, int step, gsize *patches);
TosstPatches *tosst_patches_new (TosstDataset *dataset, int size, int step);
void tosst_patches_free (TosstPatches *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPatches, tosst_patches_free)

/* The image that a patch lies in. */
guint tosst_patches_image (const TosstPatches *self, gsize patch);

/* Distinct patches of the given samples (of guint), ascending; an array of gsize, new. */
GArray *tosst_patches_of_samples (const TosstPatches *self, const GArray *samples);

G_END_DECLS

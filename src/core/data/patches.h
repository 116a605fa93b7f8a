/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "tosst/describe.h"
#include "tosst/ranks.h"

/* The patches of a data set. Overlapping samples share patches where their grids align: each distinct patch of an
 * image is listed, described and coded once. Patches are numbered through the whole data set, image by image, row by
 * row. */
typedef struct
{
  guint images, samples;
  gsize count;        /* distinct patches */
  TosstPoint *points; /* count; of frames x is the number in the image, and y 0 */
  TosstFrame *frames; /* count; or NULL: patches are on a grid */
  guint unfound;      /* images in which no frame was found: they have one in the middle */
  gsize *first;       /* images + 1: patches of image i are first[i] .. first[i + 1] - 1 */
  gsize *offset;      /* samples + 1: patches of sample j are member[offset[j]] .. member[offset[j + 1] - 1] */
  gsize *member;      /* numbers of patches */
  guint *sample;      /* samples, sorted by image */
  gsize *by_image;    /* images + 1: samples of image i are sample[by_image[i]] .. sample[by_image[i + 1] - 1] */
} TosstPatches;

/* The lists for the descriptor of a recipe, and an upper bound of the bytes that building them takes, from sizes only;
 * *patches: an upper bound of the number of patches. Of kinds lbp, image-covariance and invariant-covariance a sample has one patch, at its place. Of
 * local features an image has one patch, at (0, 0), which all of its samples share; with descriptor.regions the images of
 * training samples (guint; NULL: of none) have their regions as well: x is the number of a region. */
gsize tosst_patches_bytes_of_recipe (const TosstRecipe *recipe, TosstDataset *dataset, gsize *patches);
TosstPatches *tosst_patches_of_recipe (const TosstRecipe *recipe, TosstDataset *dataset, const GArray *train);

/* The same of patches at frames, which are found in all images, by each of several processes (or NULL) in a part of them;
 * NULL with error. tosst_patches_of_recipe() lists as many as there may be, without places. */
TosstPatches *tosst_patches_find (const TosstRecipe *recipe, TosstContext *context, TosstRanks *ranks,
                                  TosstDataset *dataset, const GArray *train, GError **error);
void tosst_patches_free (TosstPatches *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPatches, tosst_patches_free)

/* Index of the image of a patch. */
guint tosst_patches_image (const TosstPatches *self, gsize patch);

/* Distinct patches of the images of the given samples, those of samples and regions, and of the samples alone (guint),
 * ascending. New array of gsize. */
GArray *tosst_patches_of_images (const TosstPatches *self, TosstDataset *dataset, const GArray *samples);
GArray *tosst_patches_of_samples (const TosstPatches *self, const GArray *samples);

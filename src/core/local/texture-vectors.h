/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/patches.h"

/* Whether a data set whose longest image side is `longest` has images that are reduced, or copies that may be. */
gboolean tosst_texture_reduces (const TosstRecipe *recipe, int longest);

/* Vectors of n samples of one image by descriptor.kind lbp, image-covariance or invariant-covariance: blocks of dataset.block pixels at `points`,
 * or the whole image (points NULL, n = 1). name is used in messages. vectors: n x length. Any thread. */
gboolean tosst_describe_texture (const TosstRecipe *recipe, const TosstImage *image, const TosstPoint *points, gsize n,
                                 const char *name, float *vectors, GError **error);

/* Vectors of patches first .. first + n - 1 of a data set, image by image on all threads. keeps: on the disk, too, or from
 * there (core/data/kept.h). vectors: n x length. */
gboolean tosst_describe_textures (const TosstRecipe *recipe, TosstContext *context, TosstDataset *dataset,
                                  const TosstPatches *patches, gsize first, gsize n, gboolean keeps, float *vectors,
                                  GError **error);

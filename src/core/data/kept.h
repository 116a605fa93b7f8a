/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"

/* What is kept of an image in core/base/disk-cache.h, and its two parts. */
typedef enum
{
  TOSST_KEPT_FRAMES,   /* frames (TosstFrame); patches resampled at them, or nothing */
  TOSST_KEPT_FEATURES, /* positions (n x 2 float64) of local features; these (n x D), before principal components */
  TOSST_KEPT_ROWS,     /* tensors or vectors (n x m) of the places below; nothing */
} TosstKept;

/* The key of what is described of an image: SHA-256 of the bytes of its file, of a copy with its place and angle, the
 * parameters of the recipe that act on it, and places, or NULL. New; NULL where nothing is kept: of sample textures and files of features, too. Any thread. */
char *tosst_kept_key (const TosstRecipe *recipe, TosstDataset *dataset, guint image, TosstKept what,
                      gconstpointer places, gsize bytes);

/* Size of the patch that is resampled at a frame of an image with so many channels, bytes. */
gsize tosst_kept_patch_bytes (const TosstRecipe *recipe, int channels);

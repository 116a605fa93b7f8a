/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/describe.h"

/* Built-in sample textures: procedural, deterministic, generated on demand. */
guint tosst_textures_count (void);               /* number of classes */
const char *tosst_textures_name (guint texture); /* "bricks"; also the name of its folder */
guint tosst_textures_images (void);              /* images per class, numbered from 0 */
int tosst_textures_size (void);                  /* width and height in pixels */

/* The hard textures: the same classes with stronger rotation, scale, noise and illumination, each image blended with the
 * pattern of a similar class (tosst_textures_twin()), by whose share it errs. RGB. NULL if out of memory. */
TosstImage *tosst_textures_render_hard (guint texture, guint variant);
guint tosst_textures_twin (guint texture);

/* Renders image number variant of a class: RGB with 8-bit levels, or their luminance if grey. Returns NULL if out of
 * memory. */
TosstImage *tosst_textures_render (guint texture, guint variant, gboolean grey);

/* Writes all textures to folder/CLASS/CLASS-NN.png. */
gboolean tosst_textures_write (GFile *folder, gboolean grey, GError **error);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "engine/image/image.h"

G_BEGIN_DECLS

/* The built-in sample textures: procedural, deterministic, made when asked for. */
guint tosst_textures_count (void);               /* classes */
const char *tosst_textures_name (guint texture); /* "bricks": also the folder's name */
guint tosst_textures_images (void);              /* images a class, numbered from 0 */
int tosst_textures_size (void);                  /* pixels, width and height */

/* Image number variant of a class; RGB with 8-bit levels, or their luminance when grey. NULL if out of memory. */
TosstImage *tosst_textures_render (guint texture, guint variant, gboolean grey);

/* folder/CLASS/CLASS-NN.png for all. */
gboolean tosst_textures_write (GFile *folder, gboolean grey, GError **error);

G_END_DECLS

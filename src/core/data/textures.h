/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdint.h>

#include "tosst/describe.h"

/* Built-in sample textures: procedural, deterministic, generated on demand. */
#define TOSST_TEXTURES 16       /* classes */
#define TOSST_TEXTURE_IMAGES 30 /* per class, numbered from 0 */
#define TOSST_TEXTURE_SIZE 128  /* width and height in pixels */

const char *tosst_textures_name (guint texture);     /* "bricks"; also the name of its folder */
const char *tosst_textures_label (const char *name); /* the same, translated; another name as it is */

/* The hard textures: the same classes with stronger rotation, scale, noise and illumination, each image blended with the
 * pattern of a similar class (tosst_textures_twin()), by whose share it errs. RGB. NULL if out of memory. */
TosstImage *tosst_textures_render_hard (guint texture, guint variant);
guint tosst_textures_twin (guint texture);

/* Renders image number variant of a class: RGB with 8-bit levels, or their luminance if grey. Returns NULL if out of
 * memory. */
TosstImage *tosst_textures_render (guint texture, guint variant, gboolean grey);

/* Writes all textures to folder/CLASS/CLASS-NN.png. */
gboolean tosst_textures_write (GFile *folder, gboolean grey, GError **error);

/* Arithmetic of the sample textures. Their pixels are identical on all machines: only integer hashes and +, -, *, /
 * and sqrt in double precision (exact by IEEE 754), no libm, no contraction to fused multiply-add (see meson.build). */

typedef struct
{
  double r, g, b;
} TosstColour;

/* Colour of a pattern at (x, y), in pixels at scale 1; seed varies the images of a class. */
typedef TosstColour (*TosstPattern) (double x, double y, uint32_t seed);

typedef struct
{
  const char *name;
  TosstPattern pattern;
  double contrast; /* standard deviation of its luminance, before the factor of the image */
} TosstTextureClass;

extern const TosstTextureClass tosst_texture_table[TOSST_TEXTURES];

/* cos (2 pi t). */
double tosst_wave (double t);

static inline int
tosst_floor (double x)
{
  int i = (int)x;

  return i - (x < (double)i);
}

static inline TosstColour
tosst_colour_mix (TosstColour a, TosstColour b, double t)
{
  return (TosstColour){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t };
}

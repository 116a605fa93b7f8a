/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdint.h>

/* Arithmetic of the sample textures. Their pixels are identical on all machines: only integer hashes and +, -, *, /
 * and sqrt in double precision (exact by IEEE 754), no libm, no contraction to fused multiply-add (see meson.build). */

typedef struct
{
  double r, g, b;
} TosstColour;

/* Colour of a pattern at (x, y), in pixels at scale 1; seed varies the images of a class. */
typedef TosstColour (*TosstPattern) (double x, double y, uint32_t seed);

#define TOSST_TEXTURES 16

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

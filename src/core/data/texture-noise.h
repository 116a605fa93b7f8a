/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>
#include <stdint.h>

/* Arithmetic of the sample textures. Their pixels are identical on all machines: only integer hashes and +, -, *, /
 * and sqrt in double precision (exact by IEEE 754), no libm, no contraction to fused multiply-add (see meson.build). */

typedef struct
{
  double r, g, b;
} TosstColour;

/* Colour of a pattern at (x, y), in pixels at scale 1; seed varies the images of a class. */
typedef TosstColour (*TosstPattern) (double x, double y, uint32_t seed);

/* Cells around scattered points: distances to the nearest two, vector from the nearest one, and its hash. */
typedef struct
{
  double f1, f2, dx, dy;
  uint32_t id;
} TosstCell;

/* Smooth noise of wavelength about 1, in [-1, 1]. */
double tosst_noise (double x, double y, uint32_t seed);
/* Sum of octaves of noise, each with half the wavelength and amplitude of the last; in about [-1, 1]. */
double tosst_noise_octaves (double x, double y, int octaves, uint32_t seed);
/* Sum of absolute octaves, in [0, 1]: creases as in marble. */
double tosst_noise_turbulence (double x, double y, int octaves, uint32_t seed);
/* Cells of one point per unit square; jitter 0: at its centre, 1: anywhere. */
TosstCell tosst_noise_cell (double x, double y, double jitter, uint32_t seed);
/* cos (2 pi t). */
double tosst_wave (double t);

static inline int
tosst_floor (double x)
{
  int i = (int)x;

  return i - (x < (double)i);
}

static inline double
tosst_fraction (double x)
{
  return x - (double)tosst_floor (x);
}

static inline uint32_t
tosst_hash (int x, int y, uint32_t seed)
{
  uint32_t h = (uint32_t)x * UINT32_C (0x8da6b343) ^ (uint32_t)y * UINT32_C (0xd8163841) ^ seed * UINT32_C (0xcb1ab31f);

  h = (h ^ (h >> 16)) * UINT32_C (0x7feb352d);
  h = (h ^ (h >> 15)) * UINT32_C (0x846ca68b);
  return h ^ (h >> 16);
}

/* Byte number part of a hash, scaled to [0, 1]. */
static inline double
tosst_hash_part (uint32_t hash, int part)
{
  return (double)(hash >> (8 * part) & 255) / 255.0;
}

/* Smooth step: 0 below low, 1 above high. */
static inline double
tosst_smooth (double low, double high, double x)
{
  double t = (x - low) / (high - low);

  t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
  return t * t * (3.0 - 2.0 * t);
}

static inline TosstColour
tosst_colour_scale (TosstColour a, double s)
{
  return (TosstColour){ a.r * s, a.g * s, a.b * s };
}

static inline TosstColour
tosst_colour_mix (TosstColour a, TosstColour b, double t)
{
  return (TosstColour){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t };
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/texture-patterns.h"

static double
smaller (double a, double b)
{
  return a < b ? a : b;
}

/* Height profile of a round thread: 0 at its sides, 1 in the middle. */
static double
round_back (double t)
{
  return 4.0 * t * (1.0 - t);
}

/* Running bond with bricks of different colours, lit from above. */
TosstColour
tosst_pattern_bricks (double x, double y, uint32_t seed)
{
  const double width = 30.0, height = 13.0;
  const TosstColour red = { 0.64, 0.29, 0.20 }, brown = { 0.50, 0.26, 0.20 }, mortar = { 0.74, 0.71, 0.66 };
  int row = tosst_floor (y / height);
  double u = x / width + 0.5 * (double)(row & 1) + 0.06 * tosst_hash_part (tosst_hash (row, 7, seed), 0);
  int column = tosst_floor (u);
  uint32_t brick = tosst_hash (column, row, seed);
  double across = (u - (double)column) * width, down = y - (double)row * height;
  double edge = smaller (smaller (across, width - across), smaller (down, height - down))
                + 0.7 * tosst_noise (x * 0.35, y * 0.35, seed + 1);
  double grain = tosst_noise_octaves (x * 0.25, y * 0.25, 3, seed + 2);
  double light = 0.82 + 0.3 * tosst_hash_part (brick, 1) + 0.16 * grain + 0.10 * (1.0 - down / height);
  TosstColour face = tosst_colour_scale (tosst_colour_mix (red, brown, tosst_hash_part (brick, 0)), light);
  TosstColour joint = tosst_colour_scale (mortar, 0.95 + 0.18 * grain);

  return tosst_colour_mix (joint, face, tosst_smooth (0.9, 1.9, edge));
}

/* Ribs with a nap of uneven brightness. */
TosstColour
tosst_pattern_corduroy (double x, double y, uint32_t seed)
{
  const TosstColour valley = { 0.22, 0.08, 0.17 }, ridge = { 0.66, 0.40, 0.55 };
  double rib = 0.5 + 0.5 * tosst_wave (x / 9.0 + 0.05 * tosst_noise (x * 0.05, y * 0.05, seed));
  double nap
      = 0.16 * tosst_noise (x * 0.8, y * 0.3, seed + 1) + 0.12 * tosst_noise_octaves (x * 0.06, y * 0.03, 2, seed + 2);

  return tosst_colour_mix (valley, ridge, rib * (1.6 - 0.6 * rib) + nap * (0.4 + 0.6 * rib));
}

/* Twill: diagonal ridges of dyed warp, pale weft between, threads of uneven thickness. */
TosstColour
tosst_pattern_denim (double x, double y, uint32_t seed)
{
  const TosstColour indigo = { 0.13, 0.20, 0.38 }, pale = { 0.66, 0.72, 0.82 };
  int thread = tosst_floor (x / 2.6);
  double slub = tosst_noise (x * 0.4, y * 0.03, seed + 1) + 0.7 * tosst_noise (x * 0.04, y * 0.4, seed + 2);
  double ridge = 0.5 + 0.5 * tosst_wave ((x + 0.9 * y) / 6.5);
  double step = 0.5 + 0.5 * tosst_wave (y / 3.2 + 0.5 * (double)(thread & 1));
  double weft = (1.0 - ridge) * (0.45 + 0.45 * step);

  return tosst_colour_mix (indigo, pale, 0.12 + 0.75 * weft + 0.16 * slub);
}

/* Alternates between 0 and 1 with soft edges, period 2. */
static double
stripe (double t)
{
  return tosst_smooth (-0.22, 0.22, tosst_wave (0.5 * t));
}

/* Woven checks: dyed and white stripes mix where they cross. */
TosstColour
tosst_pattern_gingham (double x, double y, uint32_t seed)
{
  const TosstColour white = { 0.95, 0.93, 0.89 }, red = { 0.74, 0.13, 0.17 };
  double warp = stripe (x / 13.0 + 0.02 * tosst_noise (x * 0.1, y * 0.1, seed));
  double weft = stripe (y / 13.0 + 0.02 * tosst_noise (x * 0.1, y * 0.1, seed + 1));
  double over = 0.5 + 0.5 * tosst_wave ((x - y) / 3.4);
  double tone = warp * over + weft * (1.0 - over);
  double thread = tosst_wave (x / 2.3) * tosst_wave (y / 2.3);
  double fold = tosst_noise_octaves (x * 0.02, y * 0.02, 2, seed + 2);

  return tosst_colour_scale (tosst_colour_mix (white, red, 0.35 * tone + 0.65 * 0.5 * (warp + weft)),
                             0.94 + 0.07 * thread + 0.10 * fold);
}

/* Stocking stitch: columns of V-shaped stitches, each leg a twisted yarn. */
TosstColour
tosst_pattern_knit (double x, double y, uint32_t seed)
{
  const TosstColour shadow = { 0.08, 0.17, 0.24 }, yarn = { 0.45, 0.66, 0.74 };
  double u = x / 14.0 + 0.04 * tosst_noise (x * 0.05, y * 0.05, seed);
  double side = 2.0 * tosst_fraction (u) - 1.0;
  double out = side < 0.0 ? -side : side;
  double v = y / 11.0 + 0.85 * out + 0.04 * tosst_noise (x * 0.05, y * 0.05, seed + 1);
  double leg = round_back (tosst_fraction (v)), width = round_back (out);
  double twist = 0.5 + 0.5 * tosst_wave (3.0 * tosst_fraction (v) - 1.6 * out);
  double fuzz = tosst_noise (x * 0.7, y * 0.7, seed + 2);

  return tosst_colour_mix (shadow, yarn,
                           (0.30 + 0.70 * width) * (0.10 + 0.90 * leg) * (0.85 + 0.2 * twist) + 0.10 * fuzz);
}

/* Plain weave of flat straw: strips cross over and under each other alternately. */
TosstColour
tosst_pattern_weave (double x, double y, uint32_t seed)
{
  const double size = 14.0;
  const TosstColour dark = { 0.20, 0.12, 0.05 }, straw = { 0.92, 0.77, 0.50 };
  int column = tosst_floor (x / size), row = tosst_floor (y / size);
  double fx = x / size - (double)column, fy = y / size - (double)row;
  int horizontal = (column + row) & 1;
  double across = horizontal ? fy : fx, along = horizontal ? fx : fy;
  uint32_t strip = horizontal ? tosst_hash (row, 1, seed) : tosst_hash (column, 2, seed);
  double fibre = horizontal ? tosst_noise (x * 0.06, y * 0.75, seed + 1) : tosst_noise (x * 0.75, y * 0.06, seed + 2);
  double side = tosst_smooth (0.0, 0.40, round_back (across)), arch = tosst_smooth (-0.15, 0.95, round_back (along));
  double light = side * (0.22 + 0.72 * arch) * (horizontal ? 1.0 : 0.78) * (0.86 + 0.24 * tosst_hash_part (strip, 0));

  return tosst_colour_mix (dark, straw, light + 0.16 * fibre * side);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/texture-patterns.h"

static double
magnitude (double x)
{
  return x < 0.0 ? -x : x;
}

/* One layer of blades: a blade in each tall narrow box, bent and tapered. Returns its brightness, or -1 between
 * blades. */
static double
blade (double x, double y, uint32_t seed)
{
  int column = tosst_floor (x / 6.0);
  double best = -1.0;

  for (int i = column - 1; i <= column + 1; i++)
    {
      double shifted = y / 34.0 + tosst_hash_part (tosst_hash (i, 3, seed), 0);
      int row = tosst_floor (shifted);
      uint32_t h = tosst_hash (i, row, seed);
      double up = 1.0 - (shifted - (double)row), lean = 18.0 * (tosst_hash_part (h, 0) - 0.5);
      double middle = ((double)i + 0.2 + 0.6 * tosst_hash_part (h, 1)) * 6.0 + lean * up * up;
      double half = 2.3 * (1.0 - up * up) + 0.2;
      double off = (x - middle) / half;

      if (magnitude (off) < 1.0 && tosst_hash_part (h, 2) > best)
        best = 0.35 + 0.45 * tosst_hash_part (h, 2) * (0.4 + 0.6 * up) - 0.14 * off + 0.08 * (1.0 - magnitude (off));
    }
  return best;
}

TosstColour
tosst_pattern_grass (double x, double y, uint32_t seed)
{
  const TosstColour deep = { 0.04, 0.12, 0.03 }, green = { 0.32, 0.56, 0.16 }, tip = { 0.74, 0.82, 0.38 };
  double light = -1.0, patch = tosst_noise_octaves (x * 0.03, y * 0.03, 2, seed + 9);

  for (uint32_t layer = 0; layer < 3 && light < 0.0; layer++)
    {
      double turn = 0.28 * ((double)layer - 1.0);

      light = blade (x + turn * y, y - turn * x, seed + 31 * layer);
      light = light < 0.0 ? light : light * (1.0 - 0.24 * (double)layer);
    }
  if (light < 0.0)
    return tosst_colour_scale (deep, 1.0 + 0.3 * patch);
  light += 0.10 * patch;
  return light < 0.45 ? tosst_colour_mix (deep, green, light / 0.45)
                      : tosst_colour_mix (green, tip, (light - 0.45) / 0.45);
}

static double
modulo (double x, double period)
{
  return x - period * (double)tosst_floor (x / period);
}

/* Hexagons as the nearer of two interleaved rectangular grids; some cells are filled with honey. */
TosstColour
tosst_pattern_honeycomb (double x, double y, uint32_t seed)
{
  const double size = 17.0, tall = 1.7320508;
  const TosstColour wax = { 0.95, 0.76, 0.36 }, hollow = { 0.24, 0.11, 0.03 }, honey = { 0.80, 0.44, 0.07 };
  double px = x / size + 0.035 * tosst_noise (x * 0.08, y * 0.08, seed);
  double py = y / size + 0.035 * tosst_noise (x * 0.08, y * 0.08, seed + 1);
  double ax = modulo (px, 1.0) - 0.5, ay = modulo (py, tall) - 0.5 * tall;
  double bx = modulo (px - 0.5, 1.0) - 0.5, by = modulo (py - 0.5 * tall, tall) - 0.5 * tall;
  int first = ax * ax + ay * ay < bx * bx + by * by;
  double gx = first ? ax : bx, gy = first ? ay : by;
  double slant = 0.5 * magnitude (gx) + 0.8660254 * magnitude (gy);
  double edge = 0.5 - (slant > magnitude (gx) ? slant : magnitude (gx));
  uint32_t cell = tosst_hash (tosst_floor (2.0 * (px - gx) + 0.5), tosst_floor (2.0 * (py - gy) / tall + 0.5), seed);
  double full = tosst_smooth (0.50, 0.70, tosst_hash_part (cell, 0));
  double slope = 0.75 + 0.75 * (gx + gy) + 0.25 * tosst_hash_part (cell, 1);
  double glint = 0.5 * tosst_smooth (0.16, 0.04, magnitude (gx + 0.14) + magnitude (gy + 0.16)) * full;
  TosstColour inside = tosst_colour_scale (tosst_colour_mix (hollow, honey, full), slope);
  TosstColour wall = tosst_colour_scale (wax, 0.94 + 0.12 * tosst_noise (x * 0.4, y * 0.4, seed + 2));

  inside = tosst_colour_mix (inside, (TosstColour){ 1.0, 0.92, 0.70 }, glint);
  return tosst_colour_mix (wall, inside, tosst_smooth (0.045, 0.11, edge));
}

/* Rosettes: broken dark rings with a brown centre, on short fur. */
TosstColour
tosst_pattern_leopard (double x, double y, uint32_t seed)
{
  const TosstColour fur = { 0.90, 0.72, 0.44 }, heart = { 0.66, 0.42, 0.18 }, black = { 0.10, 0.07, 0.05 };
  double wx = x / 23.0 + 0.22 * tosst_noise (x * 0.07, y * 0.07, seed),
         wy = y / 23.0 + 0.22 * tosst_noise (x * 0.07, y * 0.07, seed + 1);
  TosstCell cell = tosst_noise_cell (wx, wy, 0.55, seed + 2);
  double size = 0.26 + 0.10 * tosst_hash_part (cell.id, 2);
  double gap = tosst_noise (wx * 3.1, wy * 3.1, seed + 3);
  double ring = tosst_smooth (0.13, 0.06, magnitude (cell.f1 - size)) * tosst_smooth (-0.42, -0.18, gap);
  double inside = tosst_smooth (size + 0.05, size - 0.05, cell.f1);
  double hair
      = 0.12 * tosst_noise (x * 0.8, y * 0.22, seed + 4) + 0.08 * tosst_noise_octaves (x * 0.03, y * 0.03, 2, seed + 5);
  TosstColour coat = tosst_colour_scale (tosst_colour_mix (fur, heart, inside), 1.0 + hair);

  return tosst_colour_mix (coat, tosst_colour_scale (black, 1.0 + 2.0 * hair), ring);
}

/* Veins at the zeros of a warped wave: strong ones with soft edges, and thin ones. */
TosstColour
tosst_pattern_marble (double x, double y, uint32_t seed)
{
  const TosstColour stone = { 0.95, 0.93, 0.89 }, vein = { 0.30, 0.33, 0.40 }, cloud = { 0.70, 0.72, 0.76 };
  double turbulence = tosst_noise_turbulence (x * 0.014, y * 0.014, 4, seed);
  double wave = magnitude (tosst_wave (0.010 * x + 0.006 * y + 1.3 * turbulence));
  double hair = magnitude (tosst_noise_octaves (x * 0.018, y * 0.030, 3, seed + 7));
  double bank = 0.45 * tosst_smooth (0.75, 0.0, wave), core = 0.75 * tosst_smooth (0.16, 0.0, wave);
  double thin = 0.5 * tosst_smooth (0.045, 0.0, hair);
  double fog = 0.5 + 0.7 * tosst_noise_octaves (x * 0.025, y * 0.025, 4, seed + 8);

  return tosst_colour_mix (tosst_colour_mix (stone, cloud, fog), vein,
                           1.0 - (1.0 - bank) * (1.0 - core) * (1.0 - thin));
}

/* Dried mud: cracks between cells, with raised, brighter rims. */
TosstColour
tosst_pattern_mud (double x, double y, uint32_t seed)
{
  const TosstColour earth = { 0.70, 0.56, 0.42 }, crack = { 0.13, 0.08, 0.05 };
  double wx = x / 27.0 + 0.10 * tosst_noise_octaves (x * 0.09, y * 0.09, 2, seed);
  double wy = y / 27.0 + 0.10 * tosst_noise_octaves (x * 0.09, y * 0.09, 2, seed + 1);
  TosstCell cell = tosst_noise_cell (wx, wy, 0.95, seed + 2);
  double edge = cell.f2 - cell.f1, grain = tosst_noise_octaves (x * 0.22, y * 0.22, 3, seed + 3);
  double rim = tosst_smooth (0.30, 0.06, edge);
  double light = 0.84 + 0.18 * tosst_hash_part (cell.id, 2) + 0.16 * grain - 0.22 * rim * (cell.dx + cell.dy);

  return tosst_colour_mix (crack, tosst_colour_scale (earth, light), tosst_smooth (0.02, 0.10, edge));
}

/* Rounded stones with different colours, lit from the upper left. */
TosstColour
tosst_pattern_pebbles (double x, double y, uint32_t seed)
{
  const TosstColour rock[4]
      = { { 0.68, 0.64, 0.60 }, { 0.74, 0.62, 0.47 }, { 0.44, 0.46, 0.50 }, { 0.80, 0.78, 0.74 } };
  const TosstColour ground = { 0.12, 0.10, 0.09 };
  TosstCell cell
      = tosst_noise_cell (x / 18.0 + 0.05 * tosst_noise (x * 0.08, y * 0.08, seed), y / 15.0, 0.80, seed + 1);
  double edge = cell.f2 - cell.f1, dome = tosst_smooth (0.02, 0.34, edge);
  double speckle = tosst_noise_octaves (x * 0.4, y * 0.4, 2, seed + 2 + (cell.id >> 28));
  double light = 0.55 + 0.45 * dome - 0.75 * (0.6 * cell.dx + 0.8 * cell.dy) * (1.0 - 0.4 * dome) + 0.12 * speckle;
  TosstColour stone = tosst_colour_scale (rock[cell.id >> 16 & 3], light * (0.85 + 0.3 * tosst_hash_part (cell.id, 3)));

  return tosst_colour_mix (ground, stone, tosst_smooth (0.03, 0.13, edge));
}

static double
water_height (double x, double y, uint32_t seed)
{
  double drift = tosst_noise (x * 0.020, y * 0.035, seed), second = tosst_noise (x * 0.035 + 9.0, y * 0.05, seed + 1);

  return tosst_wave (y * 0.055 + 0.010 * x + 0.55 * drift) + 0.55 * tosst_wave (0.085 * y - 0.035 * x + 0.6 * second);
}

/* Water in wind: the slope towards the viewer mixes sky and depth. */
TosstColour
tosst_pattern_ripples (double x, double y, uint32_t seed)
{
  const TosstColour deep = { 0.03, 0.20, 0.30 }, water = { 0.20, 0.52, 0.62 }, sky = { 0.86, 0.95, 0.97 };
  double slope = water_height (x, y + 1.2, seed) - water_height (x, y - 1.2, seed);
  double fine = 0.12 * tosst_noise (x * 0.12, y * 0.30, seed + 2);
  double light = 0.45 + 0.42 * slope + fine;

  if (light < 0.5)
    return tosst_colour_mix (deep, water, light < 0.0 ? 0.0 : 2.0 * light);
  return tosst_colour_mix (water, sky, tosst_smooth (0.5, 1.05, light));
}

/* Grains of random brightness on faint waves. */
TosstColour
tosst_pattern_sand (double x, double y, uint32_t seed)
{
  const TosstColour shade = { 0.52, 0.39, 0.24 }, light = { 0.97, 0.87, 0.68 };
  double grain = tosst_noise (x * 0.52, y * 0.52, seed) + 0.8 * tosst_noise (x * 0.95, y * 0.95, seed + 1);
  double dark = tosst_smooth (0.55, 0.80, tosst_noise (x * 0.42, y * 0.42, seed + 2));
  double drift = tosst_noise_octaves (x * 0.012, y * 0.03, 2, seed + 3);

  return tosst_colour_mix (shade, light, 0.55 + 0.26 * grain + 0.18 * drift - 0.55 * dark);
}

/* Discs in staggered rows, each row overlapped by the one above. */
TosstColour
tosst_pattern_scales (double x, double y, uint32_t seed)
{
  const double width = 20.0, height = 9.5, radius = 12.4;
  const TosstColour dark = { 0.03, 0.15, 0.14 }, green = { 0.22, 0.56, 0.48 }, shine = { 0.85, 0.92, 0.66 };
  int top = tosst_floor ((y - radius) / height);

  for (int row = top; row < top + 4; row++)
    {
      double stagger = 0.5 * width * (double)(row & 1);
      int column = tosst_floor ((x - stagger) / width + 0.5);
      double dx = x - stagger - (double)column * width, dy = y - (double)row * height;
      double distance = sqrt (dx * dx + dy * dy) / radius;
      uint32_t scale = tosst_hash (column, row, seed);
      double light;

      if (distance >= 1.0)
        continue;
      /* The visible part is the lower rim: a bright band inside a dark edge, darker towards the shadow of the scale
       * above. */
      light = 0.85 * tosst_smooth (0.25, 0.85, distance) * tosst_smooth (1.0, 0.90, distance)
              + 0.22 * (tosst_hash_part (scale, 0) - 0.5) + 0.10 * tosst_noise (x * 0.5, y * 0.2, seed + 1)
              - 0.015 * dx;
      return light < 0.5 ? tosst_colour_mix (dark, green, light < 0.0 ? 0.0 : 2.0 * light)
                         : tosst_colour_mix (green, shine, 2.0 * light - 1.0);
    }
  return dark;
}

/* Planks cut along the grain: slow rings, fast fibres, dark pores. */
TosstColour
tosst_pattern_wood (double x, double y, uint32_t seed)
{
  const TosstColour early = { 0.86, 0.64, 0.39 }, late = { 0.47, 0.26, 0.11 };
  double bend = tosst_noise_octaves (x * 0.016, y * 0.005, 2, seed);
  double ring = tosst_fraction (0.075 * x + 1.5 * bend);
  double season = ring * ring * tosst_smooth (1.0, 0.88, ring);
  double fibre = tosst_noise (x * 0.55, y * 0.022, seed + 1) + 0.6 * tosst_noise (x * 1.1, y * 0.05, seed + 2);
  double pore = tosst_smooth (0.50, 0.75, tosst_noise (x * 0.8, y * 0.07, seed + 3));

  return tosst_colour_mix (early, late, 0.10 + 0.80 * season + 0.16 * fibre + 0.45 * pore);
}

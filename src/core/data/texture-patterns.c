/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/textures.h"

#include <math.h>

/* Cells around scattered points: distances to the nearest two, vector from the nearest one, and its hash. */
typedef struct
{
  double f1, f2, dx, dy;
  uint32_t id;
} TosstCell;

static double
fraction (double x)
{
  return x - (double)tosst_floor (x);
}

static uint32_t
hash (int x, int y, uint32_t seed)
{
  uint32_t h = (uint32_t)x * UINT32_C (0x8da6b343) ^ (uint32_t)y * UINT32_C (0xd8163841) ^ seed * UINT32_C (0xcb1ab31f);

  h = (h ^ (h >> 16)) * UINT32_C (0x7feb352d);
  h = (h ^ (h >> 15)) * UINT32_C (0x846ca68b);
  return h ^ (h >> 16);
}

/* Byte number part of a hash, scaled to [0, 1]. */
static double
hash_part (uint32_t hash, int part)
{
  return (double)(hash >> (8 * part) & 255) / 255.0;
}

/* Smooth step: 0 below low, 1 above high. */
static double
smooth (double low, double high, double x)
{
  double t = (x - low) / (high - low);

  t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
  return t * t * (3.0 - 2.0 * t);
}

static TosstColour
scale (TosstColour a, double s)
{
  return (TosstColour){ a.r * s, a.g * s, a.b * s };
}

static double
gradient (int x, int y, double dx, double dy, uint32_t seed)
{
  static const double direction[8][2] = { { 1.0, 0.0 },  { 0.7071, 0.7071 },   { 0.0, 1.0 },  { -0.7071, 0.7071 },
                                          { -1.0, 0.0 }, { -0.7071, -0.7071 }, { 0.0, -1.0 }, { 0.7071, -0.7071 } };
  const double *d = direction[hash (x, y, seed) & 7];

  return d[0] * dx + d[1] * dy;
}

static double
fade (double t)
{
  return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

/* Smooth noise of wavelength about 1, in [-1, 1]. */
static double
noise (double x, double y, uint32_t seed)
{
  int ix = tosst_floor (x), iy = tosst_floor (y);
  double fx = x - (double)ix, fy = y - (double)iy;
  double u = fade (fx), v = fade (fy);
  double a = gradient (ix, iy, fx, fy, seed), b = gradient (ix + 1, iy, fx - 1.0, fy, seed);
  double c = gradient (ix, iy + 1, fx, fy - 1.0, seed), d = gradient (ix + 1, iy + 1, fx - 1.0, fy - 1.0, seed);
  double top = a + (b - a) * u, bottom = c + (d - c) * u;

  return 1.4 * (top + (bottom - top) * v);
}

/* scale times the mean of octaves of noise, each with half the wavelength and amplitude of the last. */
static double
mean_octaves (double x, double y, int octaves, uint32_t seed, int absolute, double scale)
{
  double sum = 0.0, strength = 1.0, total = 0.0;

  for (int i = 0; i < octaves; i++)
    {
      double n = noise (x, y, seed + (uint32_t)i * 101);

      sum += strength * (absolute && n < 0.0 ? -n : n);
      total += strength;
      strength *= 0.5;
      /* Not exactly 2, so that the zeros of the octaves do not coincide. */
      x = x * 2.03 + 17.3;
      y = y * 2.03 + 9.1;
    }
  return scale * sum / total;
}

/* In about [-1, 1]. */
static double
noise_octaves (double x, double y, int octaves, uint32_t seed)
{
  return mean_octaves (x, y, octaves, seed, 0, 1.3);
}

/* Cells of one point per unit square; jitter 0: at its centre, 1: anywhere. */
static TosstCell
noise_cell (double x, double y, double jitter, uint32_t seed)
{
  int ix = tosst_floor (x), iy = tosst_floor (y);
  double nearest = 64.0, second = 64.0;
  TosstCell cell = { 0 };

  for (int j = iy - 1; j <= iy + 1; j++)
    for (int i = ix - 1; i <= ix + 1; i++)
      {
        uint32_t h = hash (i, j, seed);
        double dx = x - (double)i - 0.5 - jitter * (hash_part (h, 0) - 0.5);
        double dy = y - (double)j - 0.5 - jitter * (hash_part (h, 1) - 0.5);
        double d = dx * dx + dy * dy;

        if (d < nearest)
          {
            second = nearest;
            nearest = d;
            cell.dx = dx;
            cell.dy = dy;
            cell.id = h;
          }
        else if (d < second)
          second = d;
      }
  cell.f1 = sqrt (nearest);
  cell.f2 = sqrt (second);
  return cell;
}

double
tosst_wave (double t)
{
  /* cos (2 pi t) = -cos (2 pi (t - 1/2)) reduces t to a quarter turn, where the series converges fast. */
  t = fraction (t);
  t = t > 0.5 ? 1.0 - t : t;
  double s = t > 0.25 ? -1.0 : 1.0;
  t = t > 0.25 ? 0.5 - t : t;
  double u = 39.47841760435743 * t * t;
  return s * (1.0 - u / 2.0 * (1.0 - u / 12.0 * (1.0 - u / 30.0 * (1.0 - u / 56.0 * (1.0 - u / 90.0)))));
}

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
static TosstColour
pattern_bricks (double x, double y, uint32_t seed)
{
  const double width = 30.0, height = 13.0;
  const TosstColour red = { 0.64, 0.29, 0.20 }, brown = { 0.50, 0.26, 0.20 }, mortar = { 0.74, 0.71, 0.66 };
  int row = tosst_floor (y / height);
  double u = x / width + 0.5 * (double)(row & 1) + 0.06 * hash_part (hash (row, 7, seed), 0);
  int column = tosst_floor (u);
  uint32_t brick = hash (column, row, seed);
  double across = (u - (double)column) * width, down = y - (double)row * height;
  double edge = smaller (smaller (across, width - across), smaller (down, height - down))
                + 0.7 * noise (x * 0.35, y * 0.35, seed + 1);
  double grain = noise_octaves (x * 0.25, y * 0.25, 3, seed + 2);
  double light = 0.82 + 0.3 * hash_part (brick, 1) + 0.16 * grain + 0.10 * (1.0 - down / height);
  TosstColour face = scale (tosst_colour_mix (red, brown, hash_part (brick, 0)), light);
  TosstColour joint = scale (mortar, 0.95 + 0.18 * grain);

  return tosst_colour_mix (joint, face, smooth (0.9, 1.9, edge));
}

/* Ribs with a nap of uneven brightness. */
static TosstColour
pattern_corduroy (double x, double y, uint32_t seed)
{
  const TosstColour valley = { 0.22, 0.08, 0.17 }, ridge = { 0.66, 0.40, 0.55 };
  double rib = 0.5 + 0.5 * tosst_wave (x / 9.0 + 0.05 * noise (x * 0.05, y * 0.05, seed));
  double nap = 0.16 * noise (x * 0.8, y * 0.3, seed + 1) + 0.12 * noise_octaves (x * 0.06, y * 0.03, 2, seed + 2);

  return tosst_colour_mix (valley, ridge, rib * (1.6 - 0.6 * rib) + nap * (0.4 + 0.6 * rib));
}

/* Twill: diagonal ridges of dyed warp, pale weft between, threads of uneven thickness. */
static TosstColour
pattern_denim (double x, double y, uint32_t seed)
{
  const TosstColour indigo = { 0.13, 0.20, 0.38 }, pale = { 0.66, 0.72, 0.82 };
  int thread = tosst_floor (x / 2.6);
  double slub = noise (x * 0.4, y * 0.03, seed + 1) + 0.7 * noise (x * 0.04, y * 0.4, seed + 2);
  double ridge = 0.5 + 0.5 * tosst_wave ((x + 0.9 * y) / 6.5);
  double step = 0.5 + 0.5 * tosst_wave (y / 3.2 + 0.5 * (double)(thread & 1));
  double weft = (1.0 - ridge) * (0.45 + 0.45 * step);

  return tosst_colour_mix (indigo, pale, 0.12 + 0.75 * weft + 0.16 * slub);
}

/* Alternates between 0 and 1 with soft edges, period 2. */
static double
stripe (double t)
{
  return smooth (-0.22, 0.22, tosst_wave (0.5 * t));
}

/* Woven checks: dyed and white stripes tosst_colour_mix where they cross. */
static TosstColour
pattern_gingham (double x, double y, uint32_t seed)
{
  const TosstColour white = { 0.95, 0.93, 0.89 }, red = { 0.74, 0.13, 0.17 };
  double warp = stripe (x / 13.0 + 0.02 * noise (x * 0.1, y * 0.1, seed));
  double weft = stripe (y / 13.0 + 0.02 * noise (x * 0.1, y * 0.1, seed + 1));
  double over = 0.5 + 0.5 * tosst_wave ((x - y) / 3.4);
  double tone = warp * over + weft * (1.0 - over);
  double thread = tosst_wave (x / 2.3) * tosst_wave (y / 2.3);
  double fold = noise_octaves (x * 0.02, y * 0.02, 2, seed + 2);

  return scale (tosst_colour_mix (white, red, 0.35 * tone + 0.65 * 0.5 * (warp + weft)),
                0.94 + 0.07 * thread + 0.10 * fold);
}

/* Stocking stitch: columns of V-shaped stitches, each leg a twisted yarn. */
static TosstColour
pattern_knit (double x, double y, uint32_t seed)
{
  const TosstColour shadow = { 0.08, 0.17, 0.24 }, yarn = { 0.45, 0.66, 0.74 };
  double u = x / 14.0 + 0.04 * noise (x * 0.05, y * 0.05, seed);
  double side = 2.0 * fraction (u) - 1.0;
  double out = side < 0.0 ? -side : side;
  double v = y / 11.0 + 0.85 * out + 0.04 * noise (x * 0.05, y * 0.05, seed + 1);
  double leg = round_back (fraction (v)), width = round_back (out);
  double twist = 0.5 + 0.5 * tosst_wave (3.0 * fraction (v) - 1.6 * out);
  double fuzz = noise (x * 0.7, y * 0.7, seed + 2);

  return tosst_colour_mix (shadow, yarn,
                           (0.30 + 0.70 * width) * (0.10 + 0.90 * leg) * (0.85 + 0.2 * twist) + 0.10 * fuzz);
}

/* Plain weave of flat straw: strips cross over and under each other alternately. */
static TosstColour
pattern_weave (double x, double y, uint32_t seed)
{
  const double size = 14.0;
  const TosstColour dark = { 0.20, 0.12, 0.05 }, straw = { 0.92, 0.77, 0.50 };
  int column = tosst_floor (x / size), row = tosst_floor (y / size);
  double fx = x / size - (double)column, fy = y / size - (double)row;
  int horizontal = (column + row) & 1;
  double across = horizontal ? fy : fx, along = horizontal ? fx : fy;
  uint32_t strip = horizontal ? hash (row, 1, seed) : hash (column, 2, seed);
  double fibre = horizontal ? noise (x * 0.06, y * 0.75, seed + 1) : noise (x * 0.75, y * 0.06, seed + 2);
  double side = smooth (0.0, 0.40, round_back (across)), arch = smooth (-0.15, 0.95, round_back (along));
  double light = side * (0.22 + 0.72 * arch) * (horizontal ? 1.0 : 0.78) * (0.86 + 0.24 * hash_part (strip, 0));

  return tosst_colour_mix (dark, straw, light + 0.16 * fibre * side);
}

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
      double shifted = y / 34.0 + hash_part (hash (i, 3, seed), 0);
      int row = tosst_floor (shifted);
      uint32_t h = hash (i, row, seed);
      double up = 1.0 - (shifted - (double)row), lean = 18.0 * (hash_part (h, 0) - 0.5);
      double middle = ((double)i + 0.2 + 0.6 * hash_part (h, 1)) * 6.0 + lean * up * up;
      double half = 2.3 * (1.0 - up * up) + 0.2;
      double off = (x - middle) / half;

      if (magnitude (off) < 1.0 && hash_part (h, 2) > best)
        best = 0.35 + 0.45 * hash_part (h, 2) * (0.4 + 0.6 * up) - 0.14 * off + 0.08 * (1.0 - magnitude (off));
    }
  return best;
}

static TosstColour
pattern_grass (double x, double y, uint32_t seed)
{
  const TosstColour deep = { 0.04, 0.12, 0.03 }, green = { 0.32, 0.56, 0.16 }, tip = { 0.74, 0.82, 0.38 };
  double light = -1.0, patch = noise_octaves (x * 0.03, y * 0.03, 2, seed + 9);

  for (uint32_t layer = 0; layer < 3 && light < 0.0; layer++)
    {
      double turn = 0.28 * ((double)layer - 1.0);

      light = blade (x + turn * y, y - turn * x, seed + 31 * layer);
      light = light < 0.0 ? light : light * (1.0 - 0.24 * (double)layer);
    }
  if (light < 0.0)
    return scale (deep, 1.0 + 0.3 * patch);
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
static TosstColour
pattern_honeycomb (double x, double y, uint32_t seed)
{
  const double size = 17.0, tall = 1.7320508;
  const TosstColour wax = { 0.95, 0.76, 0.36 }, hollow = { 0.24, 0.11, 0.03 }, honey = { 0.80, 0.44, 0.07 };
  double px = x / size + 0.035 * noise (x * 0.08, y * 0.08, seed);
  double py = y / size + 0.035 * noise (x * 0.08, y * 0.08, seed + 1);
  double ax = modulo (px, 1.0) - 0.5, ay = modulo (py, tall) - 0.5 * tall;
  double bx = modulo (px - 0.5, 1.0) - 0.5, by = modulo (py - 0.5 * tall, tall) - 0.5 * tall;
  int first = ax * ax + ay * ay < bx * bx + by * by;
  double gx = first ? ax : bx, gy = first ? ay : by;
  double slant = 0.5 * magnitude (gx) + 0.8660254 * magnitude (gy);
  double edge = 0.5 - (slant > magnitude (gx) ? slant : magnitude (gx));
  uint32_t cell = hash (tosst_floor (2.0 * (px - gx) + 0.5), tosst_floor (2.0 * (py - gy) / tall + 0.5), seed);
  double full = smooth (0.50, 0.70, hash_part (cell, 0));
  double slope = 0.75 + 0.75 * (gx + gy) + 0.25 * hash_part (cell, 1);
  double glint = 0.5 * smooth (0.16, 0.04, magnitude (gx + 0.14) + magnitude (gy + 0.16)) * full;
  TosstColour inside = scale (tosst_colour_mix (hollow, honey, full), slope);
  TosstColour wall = scale (wax, 0.94 + 0.12 * noise (x * 0.4, y * 0.4, seed + 2));

  inside = tosst_colour_mix (inside, (TosstColour){ 1.0, 0.92, 0.70 }, glint);
  return tosst_colour_mix (wall, inside, smooth (0.045, 0.11, edge));
}

/* Rosettes: broken dark rings with a brown centre, on short fur. */
static TosstColour
pattern_leopard (double x, double y, uint32_t seed)
{
  const TosstColour fur = { 0.90, 0.72, 0.44 }, heart = { 0.66, 0.42, 0.18 }, black = { 0.10, 0.07, 0.05 };
  double wx = x / 23.0 + 0.22 * noise (x * 0.07, y * 0.07, seed),
         wy = y / 23.0 + 0.22 * noise (x * 0.07, y * 0.07, seed + 1);
  TosstCell cell = noise_cell (wx, wy, 0.55, seed + 2);
  double size = 0.26 + 0.10 * hash_part (cell.id, 2);
  double gap = noise (wx * 3.1, wy * 3.1, seed + 3);
  double ring = smooth (0.13, 0.06, magnitude (cell.f1 - size)) * smooth (-0.42, -0.18, gap);
  double inside = smooth (size + 0.05, size - 0.05, cell.f1);
  double hair = 0.12 * noise (x * 0.8, y * 0.22, seed + 4) + 0.08 * noise_octaves (x * 0.03, y * 0.03, 2, seed + 5);
  TosstColour coat = scale (tosst_colour_mix (fur, heart, inside), 1.0 + hair);

  return tosst_colour_mix (coat, scale (black, 1.0 + 2.0 * hair), ring);
}

/* Veins at the zeros of a warped wave: strong ones with soft edges, and thin ones. */
static TosstColour
pattern_marble (double x, double y, uint32_t seed)
{
  const TosstColour stone = { 0.95, 0.93, 0.89 }, vein = { 0.30, 0.33, 0.40 }, cloud = { 0.70, 0.72, 0.76 };
  double turbulence = mean_octaves (x * 0.014, y * 0.014, 4, seed, 1, 1.0); /* creases */
  double wave = magnitude (tosst_wave (0.010 * x + 0.006 * y + 1.3 * turbulence));
  double hair = magnitude (noise_octaves (x * 0.018, y * 0.030, 3, seed + 7));
  double bank = 0.45 * smooth (0.75, 0.0, wave), core = 0.75 * smooth (0.16, 0.0, wave);
  double thin = 0.5 * smooth (0.045, 0.0, hair);
  double fog = 0.5 + 0.7 * noise_octaves (x * 0.025, y * 0.025, 4, seed + 8);

  return tosst_colour_mix (tosst_colour_mix (stone, cloud, fog), vein,
                           1.0 - (1.0 - bank) * (1.0 - core) * (1.0 - thin));
}

/* Dried mud: cracks between cells, with raised, brighter rims. */
static TosstColour
pattern_mud (double x, double y, uint32_t seed)
{
  const TosstColour earth = { 0.70, 0.56, 0.42 }, crack = { 0.13, 0.08, 0.05 };
  double wx = x / 27.0 + 0.10 * noise_octaves (x * 0.09, y * 0.09, 2, seed);
  double wy = y / 27.0 + 0.10 * noise_octaves (x * 0.09, y * 0.09, 2, seed + 1);
  TosstCell cell = noise_cell (wx, wy, 0.95, seed + 2);
  double edge = cell.f2 - cell.f1, grain = noise_octaves (x * 0.22, y * 0.22, 3, seed + 3);
  double rim = smooth (0.30, 0.06, edge);
  double light = 0.84 + 0.18 * hash_part (cell.id, 2) + 0.16 * grain - 0.22 * rim * (cell.dx + cell.dy);

  return tosst_colour_mix (crack, scale (earth, light), smooth (0.02, 0.10, edge));
}

/* Rounded stones with different colours, lit from the upper left. */
static TosstColour
pattern_pebbles (double x, double y, uint32_t seed)
{
  const TosstColour rock[4]
      = { { 0.68, 0.64, 0.60 }, { 0.74, 0.62, 0.47 }, { 0.44, 0.46, 0.50 }, { 0.80, 0.78, 0.74 } };
  const TosstColour ground = { 0.12, 0.10, 0.09 };
  TosstCell cell = noise_cell (x / 18.0 + 0.05 * noise (x * 0.08, y * 0.08, seed), y / 15.0, 0.80, seed + 1);
  double edge = cell.f2 - cell.f1, dome = smooth (0.02, 0.34, edge);
  double speckle = noise_octaves (x * 0.4, y * 0.4, 2, seed + 2 + (cell.id >> 28));
  double light = 0.55 + 0.45 * dome - 0.75 * (0.6 * cell.dx + 0.8 * cell.dy) * (1.0 - 0.4 * dome) + 0.12 * speckle;
  TosstColour stone = scale (rock[cell.id >> 16 & 3], light * (0.85 + 0.3 * hash_part (cell.id, 3)));

  return tosst_colour_mix (ground, stone, smooth (0.03, 0.13, edge));
}

static double
water_height (double x, double y, uint32_t seed)
{
  double drift = noise (x * 0.020, y * 0.035, seed), second = noise (x * 0.035 + 9.0, y * 0.05, seed + 1);

  return tosst_wave (y * 0.055 + 0.010 * x + 0.55 * drift) + 0.55 * tosst_wave (0.085 * y - 0.035 * x + 0.6 * second);
}

/* Water in wind: the slope towards the viewer mixes sky and depth. */
static TosstColour
pattern_ripples (double x, double y, uint32_t seed)
{
  const TosstColour deep = { 0.03, 0.20, 0.30 }, water = { 0.20, 0.52, 0.62 }, sky = { 0.86, 0.95, 0.97 };
  double slope = water_height (x, y + 1.2, seed) - water_height (x, y - 1.2, seed);
  double fine = 0.12 * noise (x * 0.12, y * 0.30, seed + 2);
  double light = 0.45 + 0.42 * slope + fine;

  if (light < 0.5)
    return tosst_colour_mix (deep, water, light < 0.0 ? 0.0 : 2.0 * light);
  return tosst_colour_mix (water, sky, smooth (0.5, 1.05, light));
}

/* Grains of random brightness on faint waves. */
static TosstColour
pattern_sand (double x, double y, uint32_t seed)
{
  const TosstColour shade = { 0.52, 0.39, 0.24 }, light = { 0.97, 0.87, 0.68 };
  double grain = noise (x * 0.52, y * 0.52, seed) + 0.8 * noise (x * 0.95, y * 0.95, seed + 1);
  double dark = smooth (0.55, 0.80, noise (x * 0.42, y * 0.42, seed + 2));
  double drift = noise_octaves (x * 0.012, y * 0.03, 2, seed + 3);

  return tosst_colour_mix (shade, light, 0.55 + 0.26 * grain + 0.18 * drift - 0.55 * dark);
}

/* Discs in staggered rows, each row overlapped by the one above. */
static TosstColour
pattern_scales (double x, double y, uint32_t seed)
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
      uint32_t scale = hash (column, row, seed);

      if (distance >= 1.0)
        continue;
      /* The visible part is the lower rim: a bright band inside a dark edge, darker towards the shadow of the scale
       * above. */
      double light = 0.85 * smooth (0.25, 0.85, distance) * smooth (1.0, 0.90, distance)
                     + 0.22 * (hash_part (scale, 0) - 0.5) + 0.10 * noise (x * 0.5, y * 0.2, seed + 1) - 0.015 * dx;
      return light < 0.5 ? tosst_colour_mix (dark, green, light < 0.0 ? 0.0 : 2.0 * light)
                         : tosst_colour_mix (green, shine, 2.0 * light - 1.0);
    }
  return dark;
}

/* Planks cut along the grain: slow rings, fast fibres, dark pores. */
static TosstColour
pattern_wood (double x, double y, uint32_t seed)
{
  const TosstColour early = { 0.86, 0.64, 0.39 }, late = { 0.47, 0.26, 0.11 };
  double bend = noise_octaves (x * 0.016, y * 0.005, 2, seed);
  double ring = fraction (0.075 * x + 1.5 * bend);
  double season = ring * ring * smooth (1.0, 0.88, ring);
  double fibre = noise (x * 0.55, y * 0.022, seed + 1) + 0.6 * noise (x * 1.1, y * 0.05, seed + 2);
  double pore = smooth (0.50, 0.75, noise (x * 0.8, y * 0.07, seed + 3));

  return tosst_colour_mix (early, late, 0.10 + 0.80 * season + 0.16 * fibre + 0.45 * pore);
}

const TosstTextureClass tosst_texture_table[TOSST_TEXTURES] = {
  { "bricks", pattern_bricks, 0.99 },   { "corduroy", pattern_corduroy, 0.99 },
  { "denim", pattern_denim, 0.92 },     { "gingham", pattern_gingham, 1.04 },
  { "grass", pattern_grass, 1.03 },     { "honeycomb", pattern_honeycomb, 1.11 },
  { "knit", pattern_knit, 1.01 },       { "leopard", pattern_leopard, 1.08 },
  { "marble", pattern_marble, 0.97 },   { "mud", pattern_mud, 0.96 },
  { "pebbles", pattern_pebbles, 1.08 }, { "ripples", pattern_ripples, 1.01 },
  { "sand", pattern_sand, 0.86 },       { "scales", pattern_scales, 1.06 },
  { "weave", pattern_weave, 1.01 },     { "wood", pattern_wood, 0.92 },
};

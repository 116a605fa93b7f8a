/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/data/texture-noise.h"

static double
gradient (int x, int y, double dx, double dy, uint32_t seed)
{
  static const double direction[8][2] = { { 1.0, 0.0 },  { 0.7071, 0.7071 },   { 0.0, 1.0 },  { -0.7071, 0.7071 },
                                          { -1.0, 0.0 }, { -0.7071, -0.7071 }, { 0.0, -1.0 }, { 0.7071, -0.7071 } };
  const double *d = direction[tosst_hash (x, y, seed) & 7];

  return d[0] * dx + d[1] * dy;
}

static double
fade (double t)
{
  return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

double
tosst_noise (double x, double y, uint32_t seed)
{
  int ix = tosst_floor (x), iy = tosst_floor (y);
  double fx = x - (double)ix, fy = y - (double)iy;
  double u = fade (fx), v = fade (fy);
  double a = gradient (ix, iy, fx, fy, seed), b = gradient (ix + 1, iy, fx - 1.0, fy, seed);
  double c = gradient (ix, iy + 1, fx, fy - 1.0, seed), d = gradient (ix + 1, iy + 1, fx - 1.0, fy - 1.0, seed);
  double top = a + (b - a) * u, bottom = c + (d - c) * u;

  return 1.4 * (top + (bottom - top) * v);
}

double
tosst_noise_octaves (double x, double y, int octaves, uint32_t seed)
{
  double sum = 0.0, strength = 1.0, total = 0.0;

  for (int i = 0; i < octaves; i++)
    {
      sum += strength * tosst_noise (x, y, seed + (uint32_t)i * 101);
      total += strength;
      strength *= 0.5;
      /* Not exactly 2, so that the zeros of the octaves do not coincide. */
      x = x * 2.03 + 17.3;
      y = y * 2.03 + 9.1;
    }
  return 1.3 * sum / total;
}

double
tosst_noise_turbulence (double x, double y, int octaves, uint32_t seed)
{
  double sum = 0.0, strength = 1.0, total = 0.0;

  for (int i = 0; i < octaves; i++)
    {
      double n = tosst_noise (x, y, seed + (uint32_t)i * 101);

      sum += strength * (n < 0.0 ? -n : n);
      total += strength;
      strength *= 0.5;
      x = x * 2.03 + 17.3;
      y = y * 2.03 + 9.1;
    }
  return sum / total;
}

TosstCell
tosst_noise_cell (double x, double y, double jitter, uint32_t seed)
{
  int ix = tosst_floor (x), iy = tosst_floor (y);
  double nearest = 64.0, second = 64.0;
  TosstCell cell = { 0 };

  for (int j = iy - 1; j <= iy + 1; j++)
    for (int i = ix - 1; i <= ix + 1; i++)
      {
        uint32_t h = tosst_hash (i, j, seed);
        double dx = x - (double)i - 0.5 - jitter * (tosst_hash_part (h, 0) - 0.5);
        double dy = y - (double)j - 0.5 - jitter * (tosst_hash_part (h, 1) - 0.5);
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
  double u, s;

  /* cos (2 pi t) = -cos (2 pi (t - 1/2)) reduces t to a quarter turn, where the series converges fast. */
  t = tosst_fraction (t);
  t = t > 0.5 ? 1.0 - t : t;
  s = t > 0.25 ? -1.0 : 1.0;
  t = t > 0.25 ? 0.5 - t : t;
  u = 39.47841760435743 * t * t;
  return s * (1.0 - u / 2.0 * (1.0 - u / 12.0 * (1.0 - u / 30.0 * (1.0 - u / 56.0 * (1.0 - u / 90.0)))));
}

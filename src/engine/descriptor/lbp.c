/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Local binary patterns: neighbour p of P on a circle of radius R sets bit p if it is at least as bright as the centre,
 * by bilinear interpolation. A pattern with at most two changes around the circle counts by its number of bits, any
 * other as P + 1.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/descriptor/texture-private.h"

#define SCALES 3
#define MOST_NEIGHBOURS 24

/* Rounding of interpolation in flat regions; levels of a file are 1/65535 apart or more. */
#define EQUAL 1e-9

/* Four pixels around a neighbour, relative to the centre, and their weights. */
typedef struct
{
  int x, y;
  double weight[4];
} Neighbour;

/* The first quarter of the circle is turned by right angles, so that turned images have the same patterns. */
static void
place_neighbours (int P, int R, Neighbour *neighbours)
{
  for (int p = 0; p < P; p++)
    {
      double angle = 2.0 * M_PI * (p % (P / 4)) / P, x = R * cos (angle), y = R * sin (angle);
      for (int turn = 0; turn < p / (P / 4); turn++)
        {
          double old = x;
          x = -y;
          y = old;
        }
      /* Neighbours that fall on a pixel. */
      x = fabs (x - rint (x)) < 1e-6 ? rint (x) : x;
      y = fabs (y - rint (y)) < 1e-6 ? rint (y) : y;
      int left = (int)floor (x), top = (int)floor (y);
      double u = x - left, v = y - top;
      neighbours[p] = (Neighbour){ left, top, { (1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v } };
    }
}

/* Sets bit[x] of `count` centres of a row, from `centre` on. */
static void
compare_row (const double *centre, int width, const Neighbour *neighbour, int count, int *bit)
{
  const double *a = centre + (ptrdiff_t)neighbour->y * width + neighbour->x;
  /* A pixel of weight zero may be outside of the image. */
  ptrdiff_t right = neighbour->weight[1] > 0.0 || neighbour->weight[3] > 0.0,
            below = neighbour->weight[2] > 0.0 || neighbour->weight[3] > 0.0 ? width : 0;
  double w0 = neighbour->weight[0], w1 = neighbour->weight[1], w2 = neighbour->weight[2], w3 = neighbour->weight[3];

  for (int x = 0; x < count; x++)
    {
      double value = (w0 * a[x] + w1 * a[x + right]) + (w2 * a[x + below] + w3 * a[x + below + right]);
      bit[x] = value >= centre[x] - EQUAL;
    }
}

static void
count_row (const double *centre, int width, const Neighbour *neighbours, int P, int count, int *work, size_t *bins)
{
  int *bit = work, *last = work + count, *first = work + 2 * count, *ones = work + 3 * count, *changes = ones + count;

  memset (ones, 0, 2 * (size_t)count * sizeof *ones);
  for (int p = 0; p < P; p++)
    {
      compare_row (centre, width, &neighbours[p], count, bit);
      for (int x = 0; x < count; x++)
        {
          ones[x] += bit[x];
          changes[x] += p > 0 && bit[x] != last[x];
          last[x] = bit[x];
        }
      if (p == 0)
        memcpy (first, bit, (size_t)count * sizeof *bit);
    }
  for (int x = 0; x < count; x++)
    bins[changes[x] + (first[x] != last[x]) <= 2 ? ones[x] : P + 1]++;
}

TosstStatus
tosst_lbp (const double *grey, int width, int height, float *histogram)
{
  int *work = malloc (5 * (size_t)width * sizeof *work);

  if (!work)
    return TOSST_ERROR_MEMORY;
  for (int R = 1; R <= SCALES; R++)
    {
      int P = 8 * R, count = width - 2 * R;
      size_t bins[MOST_NEIGHBOURS + 2] = { 0 };
      Neighbour neighbours[MOST_NEIGHBOURS];
      place_neighbours (P, R, neighbours);
      for (int y = R; y < height - R; y++)
        count_row (grey + (size_t)y * (size_t)width + R, width, neighbours, P, count, work, bins);
      for (int b = 0; b < P + 2; b++)
        histogram[b] = (float)((double)bins[b] / ((double)count * (height - 2 * R)));
      histogram += P + 2;
    }
  free (work);
  return TOSST_OK;
}

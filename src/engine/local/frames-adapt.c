/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shape and direction of a frame, from the gradients around its centre: both are computed in the coordinates of the
 * frame, from the image smoothed to its scale, and weighted by a Gaussian of three scales.
 */
#include "engine/local/frames-adapt.h"

#include <math.h>
#include <string.h>

enum
{
  SIDE = 33,      /* samples, of which the outermost have no gradient */
  BINS = 36,      /* directions */
  SMOOTHINGS = 6, /* of the histogram, by three bins */
  ROUNDS = 10,    /* of adapting the shape */
};
static const double STEP = 0.5;          /* distance of samples, in scales */
static const double WINDOW = 3;          /* deviation of the weights, in scales */
static const double ROUND_ENOUGH = 1.05; /* ratio of the second moments */
static const double FINER = 0.7;         /* smoothing for the shape, in smallest radii: it makes ellipses rounder */
static const double LONGEST = 5;         /* ratio of the axes of an ellipse */
static const double NEARLY = 0.8;        /* of the largest value of the histogram */

typedef struct
{
  float x[SIDE * SIDE], y[SIDE * SIDE], weight[SIDE * SIDE]; /* of inner samples */
} Gradients;

static TosstStatus
find_gradients (TosstPyramid *pyramid, const TosstFrame *frame, double deviation, Gradients *out)
{
  float patch[SIDE * SIDE], window[SIDE];
  const float *a = frame->a;
  double map[] = { STEP * a[0], STEP * a[1], STEP * a[2], STEP * a[3] };
  TosstStatus status = tosst_pyramid_sample (pyramid, frame->x, frame->y, map, deviation, SIDE, patch);

  for (int i = 0; i < SIDE; i++)
    {
      double away = STEP * (i - SIDE / 2) / WINDOW;
      window[i] = (float)exp (-0.5 * away * away);
    }
  for (int v = 1; v < SIDE - 1 && status == TOSST_OK; v++)
    for (int u = 1; u < SIDE - 1; u++)
      {
        int i = v * SIDE + u;

        out->x[i] = patch[i + 1] - patch[i - 1];
        out->y[i] = patch[i + SIDE] - patch[i - SIDE];
        out->weight[i] = window[u] * window[v];
      }
  return status;
}

/* a lower triangular with a a' = m: the vertical direction remains. */
static void
take_root (const double m[3], float a[4])
{
  double left = sqrt (m[0]), below = m[1] / left;

  a[0] = (float)left;
  a[1] = 0;
  a[2] = (float)below;
  a[3] = (float)sqrt (fmax (m[2] - below * below, 0));
}

/* Eigenvalues of a symmetric matrix xx, xy, yy, the larger one first. */
static void
eigenvalues (const double m[3], double value[2])
{
  double mean = 0.5 * (m[0] + m[2]), away = hypot (0.5 * (m[0] - m[2]), m[1]);

  value[0] = mean + away;
  value[1] = mean - away;
}

static void
second_moment (const Gradients *gradients, double m[3])
{
  memset (m, 0, 3 * sizeof *m);
  for (int v = 1; v < SIDE - 1; v++)
    for (int i = v * SIDE + 1; i < v * SIDE + SIDE - 1; i++)
      {
        double x = gradients->x[i], y = gradients->y[i], weight = gradients->weight[i];

        m[0] += weight * x * x;
        m[1] += weight * x * y;
        m[2] += weight * y * y;
      }
}

TosstStatus
tosst_frame_shape (TosstPyramid *pyramid, TosstFrame *frame)
{
  double radius = (double)frame->a[0] * frame->a[0];
  TosstFrame best = *frame;
  Gradients gradients;

  for (int i = 0; i < ROUNDS; i++)
    {
      double m[3], value[2], area;
      TosstStatus status = find_gradients (pyramid, &best, FINER * sqrt (radius), &gradients);
      const float *a = best.a;

      if (status != TOSST_OK)
        return status;
      second_moment (&gradients, m);
      eigenvalues (m, value);
      if (!(value[1] > 1e-6 * value[0]))
        return TOSST_OK;
      if (value[0] < ROUND_ENOUGH * value[1])
        break;
      /* a inv (m) a', times what leaves the smallest radius. */
      area = m[0] * m[2] - m[1] * m[1];
      double inverse[] = { m[2] / area, -m[1] / area, m[0] / area };
      double next[] = { a[0] * a[0] * inverse[0], a[0] * (a[2] * inverse[0] + a[3] * inverse[1]),
                        a[2] * a[2] * inverse[0] + 2 * a[2] * a[3] * inverse[1] + a[3] * a[3] * inverse[2] };
      eigenvalues (next, value);
      if (!(value[0] < LONGEST * LONGEST * value[1]))
        break;
      for (int k = 0; k < 3; k++)
        next[k] *= radius / value[1];
      take_root (next, best.a);
    }
  *frame = best;
  return TOSST_OK;
}

static void
fill_histogram (const Gradients *gradients, double histogram[BINS])
{
  memset (histogram, 0, BINS * sizeof *histogram);
  for (int v = 1; v < SIDE - 1; v++)
    for (int i = v * SIDE + 1; i < v * SIDE + SIDE - 1; i++)
      {
        float x = gradients->x[i], y = gradients->y[i];
        double turn = atan2f (y, x) * (BINS / (2 * M_PI)), strength = gradients->weight[i] * sqrtf (x * x + y * y);
        int bin = (int)floor (turn);
        double part = turn - bin;

        histogram[(bin + BINS) % BINS] += (1 - part) * strength;
        histogram[(bin + BINS + 1) % BINS] += part * strength;
      }
  for (int round = 0; round < SMOOTHINGS; round++)
    {
      double first = histogram[0], before = histogram[BINS - 1];

      for (int i = 0; i < BINS; i++)
        {
          double next = i + 1 < BINS ? histogram[i + 1] : first, here = histogram[i];

          histogram[i] = (before + here + next) / 3;
          before = here;
        }
    }
}

/* Peaks of the histogram, as angles, the highest first. */
static int
find_peaks (const double histogram[BINS], double angle[TOSST_FRAME_DIRECTIONS])
{
  double highest = 0, height[TOSST_FRAME_DIRECTIONS];
  int n = 0;

  for (int i = 0; i < BINS; i++)
    highest = fmax (highest, histogram[i]);
  for (int i = 0; i < BINS; i++)
    {
      double before = histogram[(i + BINS - 1) % BINS], here = histogram[i], after = histogram[(i + 1) % BINS];
      int place;

      if (!(here > NEARLY * highest && here > before && here > after))
        continue;
      for (place = n; place > 0 && height[place - 1] < here; place--)
        if (place < TOSST_FRAME_DIRECTIONS)
          {
            height[place] = height[place - 1];
            angle[place] = angle[place - 1];
          }
      if (place == TOSST_FRAME_DIRECTIONS)
        continue;
      height[place] = here;
      angle[place] = 2 * M_PI / BINS * (i + 0.5 * (after - before) / (2 * here - before - after));
      n += n < TOSST_FRAME_DIRECTIONS ? 1 : 0;
    }
  return n;
}

TosstStatus
tosst_frame_directions (TosstPyramid *pyramid, TosstFrame *frames, int *n)
{
  TosstFrame frame = frames[0];
  double scale = sqrt (fabs ((double)frame.a[0] * frame.a[3] - (double)frame.a[1] * frame.a[2]));
  Gradients gradients;
  double histogram[BINS], angle[TOSST_FRAME_DIRECTIONS];
  TosstStatus status = find_gradients (pyramid, &frame, scale, &gradients);
  int peaks = 0;

  if (status == TOSST_OK)
    {
      fill_histogram (&gradients, histogram);
      peaks = find_peaks (histogram, angle);
    }
  for (int i = 0; i < peaks; i++)
    {
      float c = (float)cos (angle[i]), s = (float)sin (angle[i]);
      const float *a = frame.a;

      frames[i] = frame;
      memcpy (frames[i].a,
              (float[]){ a[0] * c + a[1] * s, a[1] * c - a[0] * s, a[2] * c + a[3] * s, a[3] * c - a[2] * s },
              sizeof frame.a);
    }
  *n = peaks > 0 ? peaks : 1;
  return status;
}

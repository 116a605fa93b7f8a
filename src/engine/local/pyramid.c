/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images at all scales, to be resampled. Of an octave the first level has a deviation of one of its own pixels, those of
 * the image 0.5, so that bilinear samples are precise; the next octave is every second pixel of the level of two.
 */
#include "engine/local/pyramid.h"

#include "engine/base/base.h"
#include "engine/simd/kernels.h"

enum
{
  RESOLUTION = 3,         /* levels of an octave */
  FIRST = 2 * RESOLUTION, /* last level with all pixels: a deviation of 2 */
  REACH = 4,              /* of a filter, in deviations */
  RADIUS = 10,            /* of a filter, at most */
  LANE = 8,               /* floats of the kernels of SIFT */
};
static const double NOMINAL = 0.5;

/* Octave 0 has levels 0 .. FIRST, octave o > 0 the next three; a level is relative to the first one of its octave. */
static int
octave_of (int level)
{
  return level <= FIRST ? 0 : (level - FIRST - 1) / RESOLUTION + 1;
}

/* Deviation of a level, in its own pixels. */
static double
deviation_of (int level)
{
  return ldexp (NOMINAL * exp2 ((double)level / RESOLUTION), -octave_of (level));
}

void
tosst_pyramid_init (TosstPyramid *self, const float *plane, int width, int height)
{
  *self = (TosstPyramid){ .plane = plane, .width = width, .height = height };
}

void
tosst_pyramid_clear (TosstPyramid *self)
{
  for (int l = 0; l < TOSST_PYRAMID_LEVELS; l++)
    free (self->level[l].data);
}

bool
tosst_level_allocate (TosstLevel *self, int width, int height)
{
  self->width = width;
  self->height = height;
  self->stride = (width + LANE - 1) / LANE * LANE;
  self->data = tosst_alloc_aligned ((size_t)self->stride * (size_t)height, sizeof *self->data);
  return self->data != NULL;
}

/* Pixels outside are those of the border. */
static float *
row_of (const TosstLevel *self, int y)
{
  return tosst_level_row (self, y < 0 ? 0 : y >= self->height ? self->height - 1 : y);
}

static void
transpose (const TosstLevel *from, TosstLevel *to)
{
  enum
  {
    TILE = 16
  };
  for (int y = 0; y < from->height; y += TILE)
    for (int x = 0; x < from->width; x += TILE)
      for (int v = y; v < y + TILE && v < from->height; v++)
        for (int u = x; u < x + TILE && u < from->width; u++)
          row_of (to, u)[v] = from->data[(size_t)v * (size_t)from->stride + (size_t)u];
  /* The rest of a row is filtered, too. */
  for (int x = 0; x < to->height; x++)
    for (int v = to->width; v < to->stride; v++)
      row_of (to, x)[v] = 0;
}

/* Filters the columns by a Gaussian. */
static void
smooth_columns (const TosstLevel *from, double deviation, int radius, TosstLevel *to)
{
  const TosstKernels *kernels = tosst_kernels ();
  float tap[2 * RADIUS + 1];
  double weight[2 * RADIUS + 1], sum = 0;
  const float *line[2 * RADIUS + 1];

  for (int t = -radius; t <= radius; t++)
    sum += weight[t + radius] = exp (-0.5 * t * t / (deviation * deviation));
  for (int t = 0; t <= 2 * radius; t++)
    tap[t] = (float)(weight[t] / sum);
  for (int y = 0; y < from->height; y++)
    {
      for (int t = -radius; t <= radius; t++)
        line[t + radius] = row_of (from, y + t);
      kernels->sift_filter_rows (line, tap, 2 * radius + 1, (size_t)to->stride, row_of (to, y));
    }
}

TosstStatus
tosst_level_smooth (const TosstLevel *from, double deviation, int reach, TosstLevel *to)
{
  TosstLevel turned = { 0 }, half = { 0 };
  TosstStatus status = TOSST_ERROR_MEMORY;
  int radius = (int)fmin (ceil (reach * deviation), RADIUS);

  if (tosst_level_allocate (to, from->width, from->height) && tosst_level_allocate (&turned, from->height, from->width)
      && tosst_level_allocate (&half, from->height, from->width))
    {
      smooth_columns (from, deviation, radius, to);
      transpose (to, &turned);
      smooth_columns (&turned, deviation, radius, &half);
      transpose (&half, to);
      status = TOSST_OK;
    }
  free (turned.data);
  free (half.data);
  return status;
}

TosstStatus
tosst_level_take (const float *from, size_t stride, int step, int width, int height, TosstLevel *to)
{
  if (!tosst_level_allocate (to, width, height))
    return TOSST_ERROR_MEMORY;
  for (int y = 0; y < height; y++)
    {
      float *row = row_of (to, y);

      for (int x = 0; x < width; x++)
        row[x] = from[(size_t)(y * step) * stride + (size_t)(x * step)];
      memset (row + width, 0, (size_t)(to->stride - width) * sizeof *row);
    }
  return TOSST_OK;
}

static TosstStatus compute (TosstPyramid *self, int level);

/* The level of two pixels of the octave before, at half its size, from which an octave is smoothed. */
static TosstStatus
begin_octave (TosstPyramid *self, int octave, TosstLevel *base)
{
  int source = FIRST + RESOLUTION * (octave - 1);
  TosstStatus status = compute (self, source);
  const TosstLevel *from = &self->level[source];

  TOSST_THEN (status, tosst_level_take (from->data, (size_t)from->stride, 2, (from->width + 1) / 2,
                                        (from->height + 1) / 2, base));
  return status;
}

static TosstStatus
compute (TosstPyramid *self, int level)
{
  int octave = octave_of (level);
  double deviation = deviation_of (level), before = octave > 0 ? 1 : NOMINAL;
  TosstLevel base = { 0 };

  if (self->level[level].data)
    return TOSST_OK;
  if (level == 0)
    return tosst_level_take (self->plane, (size_t)self->width, 1, self->width, self->height, &self->level[0]);
  TosstStatus status = octave > 0 ? begin_octave (self, octave, &base) : compute (self, 0);
  TOSST_THEN (status, tosst_level_smooth (octave > 0 ? &base : &self->level[0],
                                          sqrt (deviation * deviation - before * before), REACH, &self->level[level]));
  free (base.data);
  return status;
}

/* Index of the left or upper one of two neighbours, and the weight of the other. */
static inline int
neighbour (double position, int side, float *weight)
{
  double inside = position > 0 ? position < side - 1 ? position : side - 1 : 0;
  int index = (int)inside;

  *weight = (float)(inside - index);
  return index;
}

static inline float
sample (const TosstLevel *level, double x, double y)
{
  float wx, wy;
  int px = neighbour (x, level->width, &wx), py = neighbour (y, level->height, &wy);
  int right = px + 1 < level->width ? 1 : 0, below = py + 1 < level->height ? level->stride : 0;
  const float *p = level->data + (size_t)py * (size_t)level->stride + px;
  float upper = p[0] + wx * (p[right] - p[0]), lower = p[below] + wx * (p[below + right] - p[below]);

  return upper + wy * (lower - upper);
}

TosstStatus
tosst_pyramid_sample (TosstPyramid *self, double x, double y, const double a[4], double deviation, int side, float *out)
{
  double wanted = deviation > NOMINAL ? round (RESOLUTION * log2 (deviation / NOMINAL)) : 0;
  int number = wanted < TOSST_PYRAMID_LEVELS ? (int)wanted : TOSST_PYRAMID_LEVELS - 1;
  TosstStatus status = compute (self, number);
  const TosstLevel *level = &self->level[number];
  double step = ldexp (1, -octave_of (number)), middle = 0.5 * (side - 1);
  double across = step * a[0], along = step * a[2];

  for (int v = 0; v < side && status == TOSST_OK; v++)
    {
      double left = step * (x + a[1] * (v - middle)), top = step * (y + a[3] * (v - middle));

      for (int u = 0; u < side; u++)
        *out++ = sample (level, left + across * (u - middle), top + along * (u - middle));
    }
  return status;
}

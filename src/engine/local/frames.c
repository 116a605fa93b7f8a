/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames of an image: a grid on all scales, or the extrema of a response over place and scale, with their shape and
 * their direction.
 */
#include "engine/base/base.h"
#include "engine/local/pyramid.h"

#include <lapacke.h>

/* Shape and direction of a frame, from the gradients around its centre: both are computed in the coordinates of the
 * frame, from the image smoothed to its scale, and weighted by a Gaussian of three scales. */

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

/* Replaces a disc by an ellipse in which the second moments of gradients are the same in all directions. The smallest
 * radius and the vertical direction remain. A frame without gradient remains as it is. */
static TosstStatus
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

/* Turns a frame into the dominant direction of its gradient; several directions of nearly the same strength give several
 * frames, the strongest first. frames: TOSST_FRAME_DIRECTIONS, the first one is the frame; *n: their number, >= 1. */
static TosstStatus
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

/* Smaller images have no octave. */
enum
{
  SMALLEST = 16,
  /* Images with fewer extrema above the threshold take those below it, too. */
  FEW = 16,
  GRID = 100, /* frames of the grid that an image with still fewer has in addition */
};

/* Where two frames are closer than this times the scale, and scales differ by less than 1 + this, the weaker is left
 * out. */
static const double NEAR = 0.5;

void
tosst_frame_options_default (TosstFrameOptions *options)
{
  *options = (TosstFrameOptions){ .detector = TOSST_DETECTOR_HESSIAN,
                                  .doubled = true,
                                  .threshold = 0.05,
                                  .finest = 1.6,
                                  .levels = 8,
                                  .spacing = 2,
                                  .most = 2000 };
}

const char *
tosst_frame_options_check (const TosstFrameOptions *options)
{
  if (options->detector < TOSST_DETECTOR_HESSIAN || options->detector > TOSST_DETECTOR_DOG)
    return "unknown detector";
  if (!(options->threshold >= 0) || !isfinite (options->threshold))
    return "the threshold must not be negative";
  if (!(options->finest > 0 && options->finest < 1e6))
    return "the finest scale must be above 0";
  if (!(options->spacing > 0.01 && options->spacing < 1e6))
    return "the spacing must be above 0.01";
  return options->levels < 1 ? "at least one level is needed" : NULL;
}

/* One level of the grid: frames whose features lie inside the image. */
typedef struct
{
  double scale, step;
  size_t columns, rows;
} GridLevel;

/* Frames of finer scales are as far apart as those of this scale, so that they are not most of all frames. */
static const double DENSEST = 1.6;

static GridLevel
grid_level (const TosstFrameOptions *options, int level, double spacing, int width, int height)
{
  GridLevel self = { .scale = options->finest * exp2 (0.5 * level) };
  double reach = 2 * TOSST_FRAME_EXTENT * self.scale;

  self.step = fmax (1, spacing * fmax (self.scale, DENSEST));
  if (reach <= width - 1 && reach <= height - 1)
    {
      self.columns = (size_t)floor ((width - 1 - reach) / self.step) + 1;
      self.rows = (size_t)floor ((height - 1 - reach) / self.step) + 1;
    }
  return self;
}

static size_t
count_grid (const TosstFrameOptions *options, double spacing, int width, int height)
{
  size_t n = 0;

  for (int l = 0; l < options->levels; l++)
    {
      GridLevel level = grid_level (options, l, spacing, width, height);

      if (level.columns == 0)
        break;
      n += level.columns * level.rows;
    }
  return n;
}

static TosstStatus
list_grid (const TosstFrameOptions *options, int width, int height, TosstFrame **frames, size_t *n)
{
  double spacing = options->spacing;
  TosstFrame *frame;

  while (options->most > 0 && (*n = count_grid (options, spacing, width, height)) > options->most && spacing < 1e6)
    spacing *= fmax (1.02, 0.99 * sqrt ((double)*n / (double)options->most));
  *n = count_grid (options, spacing, width, height);
  *n = options->most > 0 && options->most < *n ? options->most : *n;
  if (*n == 0)
    return TOSST_OK;
  *frames = frame = malloc (*n * sizeof *frame);
  for (int l = 0; frame && l < options->levels; l++)
    {
      GridLevel level = grid_level (options, l, spacing, width, height);
      double left = 0.5 * (width - 1 - level.step * ((double)level.columns - 1));
      double top = 0.5 * (height - 1 - level.step * ((double)level.rows - 1));
      float scale = (float)level.scale;

      for (size_t i = 0; i < level.columns * level.rows && frame < *frames + *n; i++)
        *frame++ = (TosstFrame){ .x = (float)(left + level.step * (double)(i % level.columns)),
                                 .y = (float)(top + level.step * (double)(i / level.columns)),
                                 .a = { scale, 0, 0, scale } };
    }
  return frame ? TOSST_OK : TOSST_ERROR_MEMORY;
}

/* An extremum of the response. */
typedef struct
{
  float x, y, scale, score;
} Found;

static int
compare_positions (const void *a, const void *b)
{
  const Found *p = a, *q = b;

  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  if (p->scale != q->scale)
    return p->scale < q->scale ? -1 : 1;
  return (p->score < q->score) - (p->score > q->score);
}

static int
compare_scores (const void *a, const void *b)
{
  const Found *p = a, *q = b;

  return p->score != q->score ? (p->score < q->score) - (p->score > q->score) : compare_positions (a, b);
}

static bool
is_near (const Found *strong, const Found *weak)
{
  return strong->score > weak->score && fabs (strong->x - weak->x) < NEAR * strong->scale
         && strong->scale < (1 + NEAR) * weak->scale && weak->scale < (1 + NEAR) * strong->scale;
}

/* Leaves weaker neighbours out; found is sorted by position. Returns the number left. */
static size_t
suppress (Found *found, size_t n)
{
  size_t kept = 0;
  bool *dropped = calloc (n + 1, sizeof *dropped);

  for (size_t i = 0; dropped && i < n; i++)
    {
      double reach = NEAR * found[i].scale;

      for (size_t j = i + 1; j < n && found[j].y - found[i].y < reach; j++)
        dropped[j] |= is_near (&found[i], &found[j]);
      for (size_t j = i; j-- > 0 && found[i].y - found[j].y < reach;)
        dropped[j] |= is_near (&found[i], &found[j]);
    }
  for (size_t i = 0; dropped && i < n; i++)
    if (!dropped[i])
      found[kept++] = found[i];
  free (dropped);
  return dropped ? kept : n;
}

/* Extrema over place and scale. An octave has three scales and two more, so that each of the three has neighbours. */
enum
{
  SCALES = 3,
  RESPONSES = SCALES + 2,
  MOVES = 5, /* of an extremum to a neighbour, while it is refined */
};
static const double FIRST_SCALE = 1.6; /* deviation of the first scale of an octave, in its pixels */
static const double NOMINAL = 0.5;     /* deviation of the image itself */
static const double FAINTEST = 0.8;    /* before refining, of the smallest response */
static const double MOVED = 0.6;       /* pixels from which an extremum is the neighbour's */
static const double EDGE = 12.1;       /* (r + 1)^2 / r of the curvatures' ratio r = 10: beyond it lies an edge */
/* Smallest responses for pixels in [0, 1]. */
static const double FAINTEST_HESSIAN = 0.003, FAINTEST_DOG = 0.01;

typedef struct
{
  int octave; /* pixels of 2^octave of the image */
  double faintest;
  TosstLevel response[RESPONSES];
  Found *found; /* owned by the caller */
  size_t n, capacity;
} Octave;

/* The determinant of the Hessian, times the fourth power of the scale in pixels. */
static void
fill_hessian (const TosstLevel *from, double scale, TosstLevel *to)
{
  int last = from->width - 1;
  float factor = (float)(scale * scale * scale * scale);

  for (int y = 1; y < from->height - 1; y++)
    {
      const float *above = tosst_level_row (from, y - 1), *here = tosst_level_row (from, y);
      const float *below = tosst_level_row (from, y + 1);
      float *out = tosst_level_row (to, y);

      for (int x = 1; x < last; x++)
        {
          float xx = here[x - 1] - 2 * here[x] + here[x + 1], yy = above[x] - 2 * here[x] + below[x];
          float xy = 0.25f * (above[x - 1] - above[x + 1] - below[x - 1] + below[x + 1]);

          out[x] = factor * (xx * yy - xy * xy);
        }
      out[0] = out[1];
      out[last] = out[last - 1];
    }
  memcpy (tosst_level_row (to, 0), tosst_level_row (to, 1), (size_t)from->width * sizeof (float));
  memcpy (tosst_level_row (to, from->height - 1), tosst_level_row (to, from->height - 2),
          (size_t)from->width * sizeof (float));
}

static void
fill_difference (const TosstLevel *finer, const TosstLevel *coarser, TosstLevel *to)
{
  for (size_t i = 0; i < (size_t)to->stride * (size_t)to->height; i++)
    to->data[i] = coarser->data[i] - finer->data[i];
}

/* Whether the value of pixel x of the fifth of nine rows is above, with sign 1, or below all 26 neighbours. */
static bool
is_extreme (const float *const row[9], int x, float sign)
{
  float value = sign * row[4][x];

  for (int r = 0; r < 9; r++)
    for (int u = x - 1; u <= x + 1; u++)
      if ((r != 4 || u != x) && !(value > sign * row[r][u]))
        return false;
  return true;
}

/* -1, 0 or 1: whether an extremum at this distance belongs to a neighbour inside. */
static int
move_to (double distance, int at, int side)
{
  return distance > MOVED && at < side - 2 ? 1 : distance < -MOVED && at > 1 ? -1 : 0;
}

/* The vertex of a parabola through the neighbours; false where it is no extremum, too weak, or an edge. */
static bool
refine (const Octave *self, int x, int y, int z, Found *out)
{
  double b[3], score = 0, trace = 0, area = 0;
  ptrdiff_t row = self->response->stride;

  for (int move = 0, dx = 0, dy = 0; move == 0 || (move < MOVES && (dx != 0 || dy != 0)); move++)
    {
      lapack_int pivots[3];

      x += dx;
      y += dy;
      const float *here = tosst_level_row (&self->response[z], y) + x;
      const float *finer = tosst_level_row (&self->response[z - 1], y) + x;
      const float *coarser = tosst_level_row (&self->response[z + 1], y) + x;
      double slope[] = { 0.5 * (here[1] - here[-1]), 0.5 * (here[row] - here[-row]), 0.5 * (*coarser - *finer) };
      double xx = here[1] + here[-1] - 2.0 * *here, yy = here[row] + here[-row] - 2.0 * *here;
      double zz = *coarser + *finer - 2.0 * *here;
      double xy = 0.25 * (here[row + 1] + here[-row - 1] - here[row - 1] - here[1 - row]);
      double xz = 0.25 * (coarser[1] + finer[-1] - coarser[-1] - finer[1]);
      double yz = 0.25 * (coarser[row] + finer[-row] - coarser[-row] - finer[row]);
      double curvature[] = { xx, xy, xz, xy, yy, yz, xz, yz, zz };

      for (int i = 0; i < 3; i++)
        b[i] = -slope[i];
      if (LAPACKE_dgesv_work (LAPACK_ROW_MAJOR, 3, 1, curvature, 3, pivots, b, 1) != 0)
        return false;
      score = *here + 0.5 * (slope[0] * b[0] + slope[1] * b[1] + slope[2] * b[2]);
      trace = xx + yy;
      area = xx * yy - xy * xy;
      dx = move_to (b[0], x, self->response->width);
      dy = move_to (b[1], y, self->response->height);
    }
  double pixel = ldexp (1, self->octave);
  *out = (Found){ (float)(pixel * (x + b[0])), (float)(pixel * (y + b[1])),
                  (float)(FIRST_SCALE * pixel * exp2 ((z + b[2]) / SCALES)), (float)fabs (score) };
  return fabs (b[0]) < 1.5 && fabs (b[1]) < 1.5 && fabs (b[2]) < 1.5 && z + b[2] >= 0 && z + b[2] <= RESPONSES - 1
         && fabs (score) > self->faintest && trace * trace < EDGE * area;
}

static TosstStatus
append (Octave *self, Found one)
{
  if (self->n == self->capacity)
    {
      size_t capacity = 2 * self->capacity + 256;
      Found *found = realloc (self->found, capacity * sizeof *found);

      if (!found)
        return TOSST_ERROR_MEMORY;
      self->found = found;
      self->capacity = capacity;
    }
  self->found[self->n++] = one;
  return TOSST_OK;
}

/* Appends the extrema of the octave that lie inside the image. */
static TosstStatus
find_extrema (Octave *self, int width, int height)
{
  float faintest = (float)(FAINTEST * self->faintest);
  TosstStatus status = TOSST_OK;
  Found one;

  for (int z = 1; z <= SCALES; z++)
    for (int y = 1; y < self->response->height - 1; y++)
      {
        const float *row[9];

        for (int r = 0; r < 9; r++)
          row[r] = tosst_level_row (&self->response[z - 1 + r / 3], y - 1 + r % 3);
        for (int x = 1; x < self->response->width - 1 && status == TOSST_OK; x++)
          if (fabsf (row[4][x]) >= faintest && is_extreme (row, x, row[4][x] < 0 ? -1 : 1)
              && refine (self, x, y, z, &one) && one.x >= 0 && one.y >= 0 && one.x <= (float)(width - 1)
              && one.y <= (float)(height - 1))
            status = append (self, one);
      }
  return status;
}

/* Responses of an octave from its first scale, and the first scale of the next octave. first: freed. */
static TosstStatus
respond (const TosstFrameOptions *options, Octave *self, TosstLevel *first, TosstLevel *next)
{
  bool dog = options->detector == TOSST_DETECTOR_DOG;
  TosstLevel level = *first, coarser = { 0 };
  TosstStatus status = TOSST_OK;

  *first = (TosstLevel){ 0 };
  for (int l = 0; l < RESPONSES && status == TOSST_OK; l++)
    {
      double scale = FIRST_SCALE * exp2 ((double)l / SCALES);
      TosstLevel *response = &self->response[l];

      if (dog || l + 1 < RESPONSES)
        status = tosst_level_smooth (&level, scale * sqrt (exp2 (2.0 / SCALES) - 1), 3, &coarser);
      if (status == TOSST_OK && !tosst_level_allocate (response, level.width, level.height))
        status = TOSST_ERROR_MEMORY;
      if (l == SCALES)
        TOSST_THEN (status,
                    tosst_level_take (level.data, (size_t)level.stride, 2, level.width / 2, level.height / 2, next));
      if (status == TOSST_OK && dog)
        fill_difference (&level, &coarser, response);
      else if (status == TOSST_OK)
        fill_hessian (&level, scale, response);
      free (level.data);
      level = coarser;
      coarser = (TosstLevel){ 0 };
    }
  free (level.data);
  return status;
}

/* The image at twice its size, bilinear. */
static TosstStatus
enlarge (const float *grey, int width, int height, TosstLevel *to)
{
  if (!tosst_level_allocate (to, 2 * width, 2 * height))
    return TOSST_ERROR_MEMORY;
  memset (to->data, 0, (size_t)to->stride * (size_t)to->height * sizeof *to->data);
  for (int y = 0; y < height; y++)
    {
      const float *here = grey + (size_t)y * (size_t)width, *below = y + 1 < height ? here + width : here;
      float *upper = tosst_level_row (to, 2 * y), *lower = tosst_level_row (to, 2 * y + 1);

      for (int x = 0; x < width; x++)
        {
          int right = x + 1 < width ? x + 1 : x;

          upper[2 * x] = here[x];
          upper[2 * x + 1] = 0.5f * (here[x] + here[right]);
          lower[2 * x] = 0.5f * (here[x] + below[x]);
          lower[2 * x + 1] = 0.25f * (here[x] + here[right] + below[x] + below[right]);
        }
    }
  return TOSST_OK;
}

/* Extrema of the response, as many as there are. *found: the caller frees it. */
static TosstStatus
detect (const TosstFrameOptions *options, double contrast, const float *grey, int width, int height, Found **found,
        size_t *n)
{
  bool dog = options->detector == TOSST_DETECTOR_DOG;
  int side = width < height ? width : height;
  TosstLevel image = { 0 }, first = { 0 }, next = { 0 };
  /* The determinant grows with the square of the contrast. */
  Octave octave = { .octave = options->doubled ? -1 : 0,
                    .faintest = dog ? contrast * FAINTEST_DOG : contrast * contrast * FAINTEST_HESSIAN };
  double deviation = ldexp (NOMINAL, -octave.octave);
  TosstStatus status = options->doubled ? enlarge (grey, width, height, &image)
                                        : tosst_level_take (grey, (size_t)width, 1, width, height, &image);

  TOSST_THEN (status, tosst_level_smooth (&image, sqrt (FIRST_SCALE * FIRST_SCALE - deviation * deviation), 3, &first));
  free (image.data);
  for (; status == TOSST_OK && ldexp (SMALLEST - 1, octave.octave) <= side - 1; octave.octave++)
    {
      status = respond (options, &octave, &first, &next);
      TOSST_THEN (status, find_extrema (&octave, width, height));
      for (int l = 0; l < RESPONSES; l++)
        {
          free (octave.response[l].data);
          octave.response[l] = (TosstLevel){ 0 };
        }
      first = next;
      next = (TosstLevel){ 0 };
    }
  free (first.data);
  *found = octave.found;
  *n = octave.n;
  return status;
}

static bool
is_flat (const float *grey, size_t pixels)
{
  for (size_t i = 1; i < pixels; i++)
    if (grey[i] != grey[0])
      return false;
  return true;
}

/* Appends some frames of the grid, with a response of zero. */
static TosstStatus
add_grid (const TosstFrameOptions *options, const float *grey, int width, int height, Found **found, size_t *count)
{
  TosstFrameOptions grid = *options;
  TosstFrame *frames = NULL;
  size_t n = 0;
  Found *more;

  grid.most = GRID;
  if (is_flat (grey, (size_t)width * (size_t)height))
    return TOSST_OK;
  TosstStatus status = list_grid (&grid, width, height, &frames, &n);
  more = realloc (*found, (*count + n + 1) * sizeof *more);
  *found = more ? more : *found;
  for (size_t i = 0; status == TOSST_OK && more && i < n; i++)
    more[(*count)++] = (Found){ frames[i].x, frames[i].y, frames[i].a[0], 0 };
  free (frames);
  return more ? status : TOSST_ERROR_MEMORY;
}

/* Frames of the strongest extrema, with shape and directions. */
static TosstStatus
adapt (const TosstFrameOptions *options, const float *grey, int width, int height, const Found *found, size_t count,
       TosstFrame *frames, size_t most, size_t *n)
{
  TosstPyramid pyramid;
  TosstStatus status = TOSST_OK;

  tosst_pyramid_init (&pyramid, grey, width, height);
  for (size_t i = 0; i < count && *n < most && status == TOSST_OK; i++)
    {
      TosstFrame turned[TOSST_FRAME_DIRECTIONS]
          = { { found[i].x, found[i].y, { found[i].scale, 0, 0, found[i].scale } } };
      int directions = 1;

      if (options->affine)
        status = tosst_frame_shape (&pyramid, turned);
      if (!options->upright && status == TOSST_OK)
        status = tosst_frame_directions (&pyramid, turned, &directions);
      for (int d = 0; d < directions && *n < most; d++)
        frames[(*n)++] = turned[d];
    }
  tosst_pyramid_clear (&pyramid);
  return status;
}

static TosstStatus
find_keypoints (const TosstFrameOptions *options, const float *grey, int width, int height, TosstFrame **frames,
                size_t *n)
{
  Found *found = NULL;
  size_t count = 0, most;

  if (width < SMALLEST || height < SMALLEST)
    return TOSST_OK;
  TosstStatus status = detect (options, options->threshold, grey, width, height, &found, &count);
  if (status == TOSST_OK && count < FEW && options->threshold > 0)
    {
      free (found);
      status = detect (options, 0, grey, width, height, &found, &count);
    }
  if (status == TOSST_OK && count < FEW)
    status = add_grid (options, grey, width, height, &found, &count);
  if (status == TOSST_OK && count > 0)
    {
      qsort (found, count, sizeof *found, compare_positions);
      count = suppress (found, count);
      qsort (found, count, sizeof *found, compare_scores);
      most = options->upright ? count : count * TOSST_FRAME_DIRECTIONS;
      most = options->most > 0 && options->most < most ? options->most : most;
      *frames = malloc ((most + 1) * sizeof **frames);
      status = *frames ? adapt (options, grey, width, height, found, count, *frames, most, n) : TOSST_ERROR_MEMORY;
    }
  free (found);
  return status;
}

TosstStatus
tosst_frames (const TosstFrameOptions *options, const float *grey, int width, int height, TosstFrame **frames,
              size_t *n)
{
  TOSST_REQUIRE (NULL, options && grey && frames && n);

  *frames = NULL;
  *n = 0;
  if (width < 1 || height < 1 || tosst_frame_options_check (options))
    return TOSST_ERROR_ARGUMENT;
  for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
    if (!isfinite (grey[i]))
      return TOSST_ERROR_NUMERIC;
  TosstStatus status = options->dense ? list_grid (options, width, height, frames, n)
                                      : find_keypoints (options, grey, width, height, frames, n);
  if (status != TOSST_OK || *n == 0)
    {
      free (*frames);
      *frames = NULL;
      *n = 0;
    }
  return status;
}

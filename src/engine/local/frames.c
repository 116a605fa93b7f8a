/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames of an image: a grid on all scales, or what a detector of VLFeat finds. VLFeat returns extrema of the response;
 * which of them are kept, their shape and their direction are computed here, with pixels outside the image defined and
 * without its comparison of all pairs.
 */
#include "engine/base/base.h"
#include "engine/local/pyramid.h"

#include <vl/covdet.h>

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

/* Whether VLFeat, which does not survive a failed allocation, has memory for its two pyramids. */
static bool
has_memory (const TosstFrameOptions *options, int width, int height)
{
  void *block = malloc ((size_t)width * (size_t)height * (options->doubled ? 320 : 80));

  free (block);
  return block != NULL;
}

/* Extrema of the response of VLFeat's detector. *found: the caller frees it. */
static TosstStatus
detect (const TosstFrameOptions *options, double contrast, const float *grey, int width, int height, Found **found,
        size_t *n)
{
  VlCovDetMethod method = options->detector == TOSST_DETECTOR_DOG ? VL_COVDET_METHOD_DOG : VL_COVDET_METHOD_HESSIAN;
  VlCovDet *detector = has_memory (options, width, height) ? vl_covdet_new (method) : NULL;
  /* The determinant grows with the square of the contrast. */
  double threshold = contrast * (method == VL_COVDET_METHOD_HESSIAN ? contrast : 1);

  *n = 0;
  if (!detector)
    return TOSST_ERROR_MEMORY;
  vl_covdet_set_first_octave (detector, options->doubled ? -1 : 0);
  vl_covdet_set_peak_threshold (detector, threshold * vl_covdet_get_peak_threshold (detector));
  vl_covdet_set_non_extrema_suppression_threshold (detector, 0);
  if (vl_covdet_put_image (detector, grey, (vl_size)width, (vl_size)height) != VL_ERR_OK)
    {
      vl_covdet_delete (detector);
      return TOSST_ERROR_MEMORY;
    }
  vl_covdet_detect (detector);
  const VlCovDetFeature *feature = vl_covdet_get_features (detector);
  *found = malloc ((vl_covdet_get_num_features (detector) + 1) * sizeof **found);
  for (size_t i = 0; *found && i < vl_covdet_get_num_features (detector); i++)
    {
      Found one = { feature[i].frame.x, feature[i].frame.y, feature[i].frame.a11, fabsf (feature[i].peakScore) };

      if (isfinite (one.x + one.y + one.scale + one.score) && one.scale > 0 && one.x >= 0 && one.y >= 0
          && one.x <= (float)(width - 1) && one.y <= (float)(height - 1))
        (*found)[(*n)++] = one;
    }
  vl_covdet_delete (detector);
  return *found ? TOSST_OK : TOSST_ERROR_MEMORY;
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
  if (status == TOSST_OK)
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

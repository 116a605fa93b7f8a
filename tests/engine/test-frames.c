/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames move with an image that is rotated or rescaled, and so do their features; patches at them are the pixels there.
 */
#include <math.h>
#include <string.h>

#include "objects.h"
#include "tosst/local.h"

#ifdef HAVE_VLFEAT
#include <vl/covdet.h>
#endif

enum
{
  SIDE = 160,
  BLOBS = 150,
};

typedef struct
{
  int width, height;
  float *grey;
  TosstFrame *frames;
  gsize n;
  float *features;
} Scene;

typedef struct
{
  double x, y, size, length, cosine, sine, height;
} Spot;

static Spot spots[BLOBS];

/* Spots of all sizes and shapes, at places and in directions drawn at random: seen by a map from pixels of an image to
 * the plane of the spots, each pixel a mean of 4 x 4 points. */
static void
place_spots (void)
{
  TosstRandom random;

  tosst_random_init (&random, 5, 1);
  for (int i = 0; i < BLOBS; i++)
    {
      double x = SIDE * (1.4 * tosst_random_uniform (&random) - 0.2);
      double y = SIDE * (1.4 * tosst_random_uniform (&random) - 0.2);
      double size = 2 * exp (1.5 * tosst_random_uniform (&random)), angle = M_PI * tosst_random_uniform (&random);
      double height = 0.4 * tosst_random_uniform (&random) - 0.2, length = 1 + tosst_random_uniform (&random);

      spots[i] = (Spot){ x, y, size, length, cos (angle), sin (angle), height };
    }
}

static double
value_at (double x, double y)
{
  double sum = 0.5;

  for (const Spot *spot = spots; spot < spots + BLOBS; spot++)
    {
      double u = x - spot->x, v = y - spot->y;
      double along = (spot->cosine * u + spot->sine * v) / (spot->length * spot->size);
      double across = (spot->cosine * v - spot->sine * u) / spot->size, away = along * along + across * across;

      if (away < 40)
        sum += spot->height * exp (-0.5 * away);
    }
  return sum;
}

static float *
draw (int width, int height, double angle, double scale)
{
  float *grey = g_new (float, width *height);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        double u = (x - 0.5 * (width - 1)) / scale, v = (y - 0.5 * (height - 1)) / scale;

        grey[y * width + x] = (float)value_at (0.5 * (SIDE - 1) + cos (angle) * u + sin (angle) * v,
                                               0.5 * (SIDE - 1) + cos (angle) * v - sin (angle) * u);
      }
  return grey;
}

static void
describe (Scene *self, const TosstFrameOptions *options)
{
  assert_ok (tosst_frames (options, self->grey, self->width, self->height, &self->frames, &self->n));
  self->features = g_new (float, self->n *TOSST_SIFT_LENGTH);
  assert_ok (
      tosst_frames_sift (self->grey, self->width, self->height, self->frames, self->n, FALSE, self->features, NULL));
}

static Scene
scene_new (const TosstFrameOptions *options, int width, int height, double angle, double scale)
{
  Scene self = { .width = width, .height = height, .grey = draw (width, height, angle, scale) };

  describe (&self, options);
  return self;
}

static void
scene_clear (Scene *self)
{
  g_free (self->grey);
  free (self->frames);
  g_free (self->features);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

static double
distance_of (const float *a, const float *b)
{
  double sum = 0;

  for (int i = 0; i < TOSST_SIFT_LENGTH; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt (sum);
}

/* Share of the frames of a that lie well inside b, seen by the inverse map, and have a frame in b at nearly the same
 * place, of nearly the same scale, whose feature is within `distance`. */
static double
share_found (const Scene *a, const Scene *b, double angle, double scale, double distance)
{
  guint inside = 0, found = 0;

  for (gsize i = 0; i < a->n; i++)
    {
      const TosstFrame *f = &a->frames[i];
      double u = scale * (f->x - 0.5 * (a->width - 1)), v = scale * (f->y - 0.5 * (a->height - 1));
      double x = 0.5 * (b->width - 1) + cos (angle) * u - sin (angle) * v;
      double y = 0.5 * (b->height - 1) + sin (angle) * u + cos (angle) * v;
      double size = scale * sqrt (fabs (f->a[0] * f->a[3] - f->a[1] * f->a[2])), border = 8 * size;
      double nearest = INFINITY;

      if (!(x > border && y > border && x < b->width - border && y < b->height - border && size > 2))
        continue;
      inside++;
      for (gsize j = 0; j < b->n; j++)
        {
          const TosstFrame *g = &b->frames[j];
          double theirs = sqrt (fabs (g->a[0] * g->a[3] - g->a[1] * g->a[2]));

          if (hypot (g->x - x, g->y - y) < 0.3 * size && theirs < 1.15 * size && size < 1.15 * theirs)
            nearest
                = MIN (nearest, distance_of (a->features + i * TOSST_SIFT_LENGTH, b->features + j * TOSST_SIFT_LENGTH));
        }
      found += nearest <= distance;
    }
  g_test_message ("%u of %u", found, inside);
  g_assert_cmpuint (inside, >=, 30);
  return (double)found / inside;
}

static TosstFrameOptions
options_of (TosstDetector detector, gboolean affine)
{
  TosstFrameOptions options;

  tosst_frame_options_default (&options);
  options.dense = FALSE;
  options.detector = detector;
  options.affine = affine;
  options.most = 0;
  return options;
}

/* An image turned by 90 degrees has the same pixels: every frame is found again, with the same feature. */
static void
test_quarter_turn (void)
{
  for (TosstDetector detector = TOSST_DETECTOR_HESSIAN; detector <= TOSST_DETECTOR_DOG; detector++)
    for (int affine = 0; affine < 2; affine++)
      {
        TosstFrameOptions options = options_of (detector, affine);
        g_auto (Scene) a = scene_new (&options, SIDE + 1, SIDE + 1, 0, 1);
        g_auto (Scene) b = { .width = a.height, .height = a.width };

        b.grey = g_new (float, b.width *b.height);
        for (int y = 0; y < a.height; y++)
          for (int x = 0; x < a.width; x++)
            b.grey[x * b.width + (a.height - 1 - y)] = a.grey[y * a.width + x];
        describe (&b, &options);
        g_assert_cmpfloat (fabs ((double)a.n - (double)b.n), <=, 0.05 * (double)a.n);
        g_assert_cmpfloat (share_found (&a, &b, G_PI / 2, 1, affine ? 0.2 : 0.02), >=, affine ? 0.9 : 0.97);
      }
}

static void
test_turn (void)
{
  for (int affine = 0; affine < 2; affine++)
    {
      TosstFrameOptions options = options_of (TOSST_DETECTOR_HESSIAN, affine);
      g_auto (Scene) a = scene_new (&options, SIDE, SIDE, 0, 1), b = scene_new (&options, SIDE, SIDE, G_PI / 6, 1);

      g_assert_cmpfloat (share_found (&a, &b, G_PI / 6, 1, 0.25), >=, 0.8);
      g_assert_cmpfloat (share_found (&a, &b, -G_PI / 6, 1, 0.25), <=, 0.1);
    }
}

static void
test_rescaled (void)
{
  for (int affine = 0; affine < 2; affine++)
    {
      TosstFrameOptions options = options_of (TOSST_DETECTOR_HESSIAN, affine);
      g_auto (Scene) a = scene_new (&options, SIDE, SIDE, 0, 1), b = scene_new (&options, 256, 256, 0, 1.6);

      g_assert_cmpfloat (share_found (&a, &b, 0, 1.6, 0.25), >=, 0.8);
    }
}

/* Upright frames are not turned, and a limit keeps the strongest ones. */
static void
test_options (void)
{
  TosstFrameOptions options = options_of (TOSST_DETECTOR_HESSIAN, FALSE);

  options.upright = TRUE;
  g_auto (Scene) all = scene_new (&options, SIDE, SIDE, 0, 1);
  options.most = 20;
  g_auto (Scene) few = scene_new (&options, SIDE, SIDE, 0, 1);
  g_assert_cmpuint (all.n, >, 50);
  g_assert_cmpuint (few.n, ==, 20);
  g_assert_cmpmem (few.frames, 20 * sizeof *few.frames, all.frames, 20 * sizeof *all.frames);
  for (gsize i = 0; i < all.n; i++)
    g_assert_true (all.frames[i].a[0] > 0 && all.frames[i].a[0] == all.frames[i].a[3] && all.frames[i].a[1] == 0);
  options.affine = TRUE;
  g_auto (Scene) ellipses = scene_new (&options, SIDE, SIDE, 0, 1);
  for (gsize i = 0; i < ellipses.n; i++)
    g_assert_true (ellipses.frames[i].a[1] == 0 && ellipses.frames[i].a[0] > 0 && ellipses.frames[i].a[3] > 0);
}

/* The second moments of gradients of a long spot are equal in the coordinates of its ellipse. */
static void
test_shape (void)
{
  TosstFrameOptions options = options_of (TOSST_DETECTOR_HESSIAN, TRUE);
  g_autofree float *grey = g_new (float, SIDE *SIDE);
  TosstFrame *frames;
  gsize n;

  options.upright = TRUE;
  for (int i = 0; i < SIDE * SIDE; i++)
    {
      double u = i % SIDE - 80, v = (double)(i / SIDE) - 80, along = (u + v) / (M_SQRT2 * 10),
             across = (u - v) / (M_SQRT2 * 5);
      grey[i] = (float)exp (-0.5 * (along * along + across * across));
    }
  assert_ok (tosst_frames (&options, grey, SIDE, SIDE, &frames, &n));
  g_assert_cmpuint (n, >=, 1);
  const float *a = frames[0].a;
  double xx = a[0] * a[0], xy = a[0] * a[2], yy = a[2] * a[2] + a[3] * a[3];
  /* Axes along the diagonals, one twice as long as the other. */
  double ratio = sqrt ((xx + yy + 2 * xy) / (xx + yy - 2 * xy));
  g_assert_cmpfloat (fabs (frames[0].x - 80) + fabs (frames[0].y - 80), <, 0.2);
  g_assert_cmpfloat (fabs (xx - yy), <, 0.05 * (xx + yy));
  g_assert_cmpfloat (ratio, >, 1.5);
  g_assert_cmpfloat (ratio, <, 2.4);
  free (frames);
}

/* The grid: inside the image, scales by the square root of 2, no more than allowed. */
static void
test_grid (void)
{
  TosstFrameOptions options;
  TosstFrame *frames;
  gsize n;

  tosst_frame_options_default (&options);
  options.dense = TRUE;
  for (gsize most = 0; most <= 300; most += 100)
    {
      gsize levels = 1;

      options.most = most;
      assert_ok (tosst_frames (&options, (float[200 * 120]){ 0 }, 200, 120, &frames, &n));
      g_assert_cmpuint (n, >, most == 0 ? 1000 : most / 2);
      g_assert_true (most == 0 || n <= most);
      for (gsize i = 0; i < n; i++)
        {
          double reach = TOSST_FRAME_EXTENT * frames[i].a[0] - 1e-3;

          g_assert_true (frames[i].x >= reach && frames[i].x <= 199 - reach && frames[i].y >= reach
                         && frames[i].y <= 119 - reach);
          if (i > 0 && frames[i].a[0] != frames[i - 1].a[0])
            {
              g_assert_cmpfloat (fabs (frames[i].a[0] / frames[i - 1].a[0] - G_SQRT2), <, 1e-5);
              levels++;
            }
        }
      g_assert_cmpuint (levels, ==, 6); /* the next one does not fit */
      free (frames);
    }
}

/* Levels finer than 1.6 have no more frames than that one. */
static void
test_fine_grid (void)
{
  g_autofree float *grey = g_new0 (float, 200 * 120);
  gsize count[2] = { 0, 0 };
  TosstFrameOptions options;
  TosstFrame *frames;
  gsize n;

  tosst_frame_options_default (&options);
  options.dense = TRUE;
  options.most = 0;
  options.finest = 0.8;
  assert_ok (tosst_frames (&options, grey, 200, 120, &frames, &n));
  g_assert_cmpfloat_with_epsilon (frames[0].a[0], 0.8, 1e-6);
  for (gsize i = 0; i < n; i++)
    if (frames[i].a[0] < 1.7)
      count[frames[i].a[0] > 1.5]++;
  free (frames);
  /* Two finer levels, whose frames reach a little nearer to the border. */
  g_assert_cmpuint (count[0], >, 2 * count[1]);
  g_assert_cmpuint (count[0], <, 3 * count[1]);
}

/* At the identity a patch is the pixels, in every channel, and at half of it the pixels of the border continue it. */
static void
test_pixels (void)
{
  TosstImage image = { .width = 40, .height = 30, .channels = 3 };
  g_autofree float *data = g_new (float, 40 * 30 * 3);
  TosstRandom random;

  tosst_random_init (&random, 1, 1);
  image.data = data;
  for (int i = 0; i < 40 * 30 * 3; i++)
    data[i] = (float)tosst_random_uniform (&random);
  for (int side = 7; side <= 8; side++)
    {
      TosstFramePatch options = { .side = side, .margin = 2, .extent = 0.5 * side };
      int whole = side + 4;
      TosstFrame frames[2] = { { 12 + 0.5f * (float)(side - 1), 9 + 0.5f * (float)(side - 1), { 1, 0, 0, 1 } },
                               { 0, 29, { 1, 0, 0, 1 } } };
      g_autofree float *patches = g_new (float, 2 * 3 * whole * whole);

      assert_ok (tosst_frames_patches (&options, &image, frames, 2, patches));
      for (int i = 0; i < 3 * whole * whole; i++)
        {
          int c = i / (whole * whole), v = i / whole % whole - 2, u = i % whole - 2;
          g_assert_cmpfloat (patches[i], ==, data[(c * 30 + 9 + v) * 40 + 12 + u]);
        }
      if (side == 7)
        g_assert_cmpfloat (patches[3 * whole * whole], ==, data[24 * 40]);
    }
}

/* Brightness and contrast of an image do not change normalised patches. */
static void
test_photometric (void)
{
  g_autofree float *bright = draw (SIDE, SIDE, 0, 1), *dark = g_new (float, SIDE *SIDE);
  TosstFramePatch options = { .side = 16, .margin = 1, .extent = TOSST_FRAME_EXTENT, .photometric = TRUE };
  TosstImage image = { .width = SIDE, .height = SIDE, .channels = 1 };
  TosstFrame frame = { 70, 90, { 2, 1, -1, 2 } };
  float a[18 * 18], b[18 * 18];
  double sum = 0, squares = 0;

  for (int i = 0; i < SIDE * SIDE; i++)
    dark[i] = 0.4f * bright[i] + 0.05f;
  image.data = bright;
  assert_ok (tosst_frames_patches (&options, &image, &frame, 1, a));
  image.data = dark;
  assert_ok (tosst_frames_patches (&options, &image, &frame, 1, b));
  for (int i = 0; i < 18 * 18; i++)
    {
      g_assert_cmpfloat (fabs (a[i] - b[i]), <, 1e-4);
      if (i % 18 > 0 && i % 18 < 17 && i / 18 > 0 && i / 18 < 17)
        {
          sum += a[i];
          squares += a[i] * a[i];
        }
    }
  g_assert_cmpfloat (fabs (sum / 256 - 0.5), <, 1e-5);
  g_assert_cmpfloat (fabs (sqrt (squares / 256 - 0.25) - 0.2), <, 1e-4);
}

enum
{
  PATCH = 20
};

/* A patch of PATCH x PATCH pixels of a grey image. */
static void
resample (float *grey, int width, int height, TosstFrame frame, float patch[PATCH * PATCH])
{
  const TosstFramePatch options = { .side = PATCH, .extent = TOSST_FRAME_EXTENT };
  const TosstImage image = { .width = width, .height = height, .channels = 1, .data = grey };

  assert_ok (tosst_frames_patches (&options, &image, &frame, 1, patch));
}

static double
largest_difference (const float *a, const float *b)
{
  double most = 0;

  for (int i = 0; i < PATCH * PATCH; i++)
    most = MAX (most, fabs (a[i] - b[i]));
  return most;
}

/* A wave of `period` pixels in a direction of the image. */
static float *
draw_wave (int side, double period, double direction)
{
  float *grey = g_new (float, side *side);

  for (int i = 0; i < side * side; i++)
    grey[i] = (float)(0.5
                      + 0.4
                            * sin (2 * G_PI / period
                                   * (cos (direction) * (i % side) + sin (direction) * (double)(i / side))));
  return grey;
}

/* A smooth image resampled at a frame has its values there: those of a wave, which the Gaussian of the scale of the samples
 * makes weaker by a known factor. */
static void
test_resampled (void)
{
  for (double scale = 0.5; scale < 20; scale *= 1.7)
    for (int turn = 0; turn < 4; turn++)
      {
        double step = 2 * TOSST_FRAME_EXTENT * scale / PATCH, period = MAX (12, 12 * step), angle = 0.7 * turn;
        /* The variance of the filter of the samples, less that of the pixels. */
        double variance = MAX (0.25 * step * step - 0.25, 0), frequency = 2 * G_PI / period;
        g_autofree float *grey = draw_wave (320, period, 1);
        double c = scale * cos (angle), s = scale * sin (angle);
        TosstFrame frame = { 150.3f, 163.8f, { (float)c, (float)-s, (float)s, (float)c } };
        float patch[PATCH * PATCH], expected[PATCH * PATCH];

        for (int i = 0; i < PATCH * PATCH; i++)
          {
            double u = step / scale * (i % PATCH - 0.5 * (PATCH - 1)),
                   v = step / scale * (i / PATCH - 0.5 * (PATCH - 1));
            double x = frame.x + c * u - s * v, y = frame.y + s * u + c * v;

            expected[i] = (float)(0.5
                                  + 0.4 * exp (-0.5 * frequency * frequency * variance)
                                        * sin (frequency * (cos (1) * x + sin (1) * y)));
          }
        resample (grey, 320, 320, frame, patch);
        g_assert_cmpfloat (largest_difference (patch, expected), <, 0.015);
      }
}

/* A wave that samples are too far apart for is grey, not another wave. */
static void
test_aliasing (void)
{
  g_autofree float *grey = draw_wave (320, 3, 0.4);

  for (double scale = 5; scale < 24; scale *= 1.3)
    {
      float patch[PATCH * PATCH], half[PATCH * PATCH];

      for (int i = 0; i < PATCH * PATCH; i++)
        half[i] = 0.5;
      resample (grey, 320, 320, (TosstFrame){ 160.2f, 158.7f, { (float)scale, 0, 0, (float)scale } }, patch);
      g_assert_cmpfloat (largest_difference (patch, half), <, 0.02);
    }
}

/* A turned frame has the same patch in the turned image, and a frame of half the scale in the image at half the size. */
static void
test_moved (void)
{
  const TosstFrame frame = { 70.4f, 88.1f, { 2.1f, 1.2f, -1.2f, 2.1f } };
  g_autofree float *grey = draw (SIDE, SIDE, 0, 1), *turned = draw (SIDE, SIDE, 0.6, 1);
  g_autofree float *small = g_new (float, SIDE *SIDE / 4);
  g_autofree double *wide = g_new (double, SIDE *SIDE);
  float a[PATCH * PATCH], b[PATCH * PATCH], unturned[PATCH * PATCH];
  double c = cos (0.6), s = sin (0.6), u = frame.x - 0.5 * (SIDE - 1), v = frame.y - 0.5 * (SIDE - 1);
  const float *m = frame.a;
  TosstFrame moved = { (float)(0.5 * (SIDE - 1) + c * u - s * v),
                       (float)(0.5 * (SIDE - 1) + s * u + c * v),
                       { (float)(c * m[0] - s * m[2]), (float)(c * m[1] - s * m[3]), (float)(s * m[0] + c * m[2]),
                         (float)(s * m[1] + c * m[3]) } };
  TosstFrame half
      = { (frame.x + 0.5f) / 2 - 0.5f, (frame.y + 0.5f) / 2 - 0.5f, { m[0] / 2, m[1] / 2, m[2] / 2, m[3] / 2 } };

  resample (grey, SIDE, SIDE, frame, a);
  resample (turned, SIDE, SIDE, moved, b);
  g_assert_cmpfloat (largest_difference (a, b), <, 0.01);
  moved.a[0] = m[0], moved.a[1] = m[1], moved.a[2] = m[2], moved.a[3] = m[3];
  resample (turned, SIDE, SIDE, moved, unturned);
  g_assert_cmpfloat (largest_difference (a, unturned), >, 0.1);
  for (int i = 0; i < SIDE * SIDE; i++)
    wide[i] = grey[i];
  tosst_image_reduce (wide, SIDE, SIDE, small, SIDE / 2, SIDE / 2);
  resample (small, SIDE / 2, SIDE / 2, half, b);
  g_assert_cmpfloat (largest_difference (a, b), <, 0.04);
}

/* Beyond the borders the image goes on with their pixels, on all levels of smoothing; a coarse one ends some pixels before
 * the border. */
static void
test_borders (void)
{
  static const float places[][2] = { { 0, 0 }, { 158, 3 }, { 80, 161 }, { -4, 80 } };
  enum
  {
    MORE = 256,
    WHOLE = SIDE + 2 * MORE
  };
  g_autofree float *grey = draw (SIDE, SIDE, 0, 1), *padded = g_new (float, WHOLE *WHOLE);

  for (int i = 0; i < WHOLE * WHOLE; i++)
    padded[i] = grey[CLAMP (i / WHOLE - MORE, 0, SIDE - 1) * SIDE + CLAMP (i % WHOLE - MORE, 0, SIDE - 1)];
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    for (float scale = 0.9f; scale < 16; scale *= 1.9f)
      {
        TosstFrame frame = { places[i][0], places[i][1], { scale, 0.5f * scale, -0.5f * scale, scale } };
        float a[PATCH * PATCH], b[PATCH * PATCH];

        resample (grey, SIDE, SIDE, frame, a);
        frame.x += MORE;
        frame.y += MORE;
        resample (padded, WHOLE, WHOLE, frame, b);
        g_assert_cmpfloat (largest_difference (a, b), <, 0.004 * scale);
      }
}

static TosstStatus
describe_again (size_t item, int worker, void *data)
{
  const Scene *self = data;
  TosstFrameOptions options = options_of (TOSST_DETECTOR_HESSIAN, TRUE);
  g_auto (Scene) mine = { .width = self->width, .height = self->height };
  /* Memory of another alignment. */
  g_autofree float *grey = g_new (float, SIDE *SIDE + 16);

  mine.grey = memcpy (grey + item % 16, self->grey, SIDE * SIDE * sizeof *grey);
  describe (&mine, &options);
  g_assert_cmpuint (mine.n, ==, self->n);
  g_assert_cmpmem (mine.frames, mine.n * sizeof *mine.frames, self->frames, self->n * sizeof *self->frames);
  g_assert_cmpmem (mine.features, mine.n * TOSST_SIFT_LENGTH * 4, self->features, self->n * TOSST_SIFT_LENGTH * 4);
  mine.grey = NULL;
  return TOSST_OK;
}

static void
test_threads (void)
{
  TosstFrameOptions options = options_of (TOSST_DETECTOR_HESSIAN, TRUE);
  g_auto (Scene) scene = scene_new (&options, SIDE, SIDE, 0, 1);
  g_autoptr (TosstContext) context = tosst_context_new (4);

  assert_ok (tosst_parallel (context, 12, describe_again, &scene, 0, 0));
}

/* Images of any size; flat ones and small ones have no frames. */
static void
test_sizes (void)
{
  static const int sizes[][2]
      = { { 1, 1 }, { 1, 300 }, { 2, 2 }, { 7, 9 }, { 15, 16 }, { 16, 16 }, { 17, 700 }, { 3000, 16 }, { 33, 17 } };
  TosstFramePatch patch = { .side = 5, .margin = 1, .extent = TOSST_FRAME_EXTENT };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (TosstDetector detector = TOSST_DETECTOR_HESSIAN; detector <= TOSST_DETECTOR_DOG; detector++)
      for (int flat = 0; flat < 2; flat++)
        {
          TosstFrameOptions options = options_of (detector, TRUE);
          int pixels = sizes[i][0] * sizes[i][1];
          g_auto (Scene) scene = { .width = sizes[i][0], .height = sizes[i][1], .grey = g_new (float, pixels) };
          TosstRandom random;

          tosst_random_init (&random, i, 1);
          options.doubled = i % 2 == 0;
          options.threshold = 0;
          for (int k = 0; k < pixels; k++)
            scene.grey[k] = flat ? 0.3f : (float)tosst_random_uniform (&random);
          describe (&scene, &options);
          if (flat || MIN (scene.width, scene.height) < 16)
            g_assert_true (scene.n == 0 && scene.frames == NULL);
          for (gsize k = 0; k < scene.n * TOSST_SIFT_LENGTH; k++)
            g_assert_true (isfinite (scene.features[k]));

          TosstImage image = { .width = scene.width, .height = scene.height, .channels = 1, .data = scene.grey };
          TosstFrame far = { 1e9f, -1e9f, { 1e6f, 0, 0, 1e6f } };
          float out[49];
          assert_ok (tosst_frames_patches (&patch, &image, &far, 1, out));
          g_assert_true (isfinite (out[24]));
        }
}

static void
test_refused (void)
{
  TosstFrameOptions options;
  TosstFrame *frames;
  gsize n;
  float grey[64] = { 0 };

  tosst_frame_options_default (&options);
  g_assert_null (tosst_frame_options_check (&options));
  grey[7] = NAN;
  g_assert_cmpint (tosst_frames (&options, grey, 8, 8, &frames, &n), ==, TOSST_ERROR_NUMERIC);
  g_assert_true (frames == NULL && n == 0);
  g_assert_cmpint (tosst_frames (&options, grey, 0, 8, &frames, &n), ==, TOSST_ERROR_ARGUMENT);
  options.threshold = NAN;
  g_assert_cmpint (tosst_frames (&options, grey, 8, 8, &frames, &n), ==, TOSST_ERROR_ARGUMENT);
  tosst_frame_options_default (&options);
  options.detector = 9;
  g_assert_nonnull (tosst_frame_options_check (&options));
  tosst_frame_options_default (&options);
  options.dense = TRUE;
  options.levels = 0;
  g_assert_nonnull (tosst_frame_options_check (&options));
}

#ifdef HAVE_VLFEAT
/* Number of frames of a that have no frame of b within so many scales and about the same scale. */
static gsize
count_alone (const TosstFrame *a, gsize n, const TosstFrame *b, gsize m, double within)
{
  gsize alone = 0;

  for (gsize i = 0; i < n; i++)
    {
      gboolean found = FALSE;

      for (gsize k = 0; k < m && !found; k++)
        found = hypot (a[i].x - b[k].x, a[i].y - b[k].y) < within * a[i].a[0]
                && fabs (log2 (a[i].a[0] / b[k].a[0])) < within;
      alone += !found;
    }
  return alone;
}

/* Keypoints are those of VLFeat, whose weaker neighbours are left out here; extrema whose curvature or response is that of
 * a threshold may fall on either side. */
static void
test_vlfeat (void)
{
  for (TosstDetector detector = TOSST_DETECTOR_HESSIAN; detector <= TOSST_DETECTOR_DOG; detector++)
    for (int doubled = 0; doubled < 2; doubled++)
      {
        gboolean dog = detector == TOSST_DETECTOR_DOG;
        TosstFrameOptions options = options_of (detector, FALSE);
        VlCovDet *other = vl_covdet_new (dog ? VL_COVDET_METHOD_DOG : VL_COVDET_METHOD_HESSIAN);

        options.doubled = doubled;
        options.upright = TRUE;
        options.threshold = 0.1;
        g_auto (Scene) scene = scene_new (&options, 301, 220, 0.3, 1.7);
        vl_covdet_set_first_octave (other, -doubled);
        vl_covdet_set_peak_threshold (other, (dog ? 0.1 : 0.01) * vl_covdet_get_peak_threshold (other));
        vl_covdet_set_non_extrema_suppression_threshold (other, 0);
        g_assert_cmpint (vl_covdet_put_image (other, scene.grey, scene.width, scene.height), ==, VL_ERR_OK);
        vl_covdet_detect (other);
        gsize n = vl_covdet_get_num_features (other);
        const VlCovDetFeature *feature = vl_covdet_get_features (other);
        g_autofree TosstFrame *wanted = g_new (TosstFrame, n);
        for (gsize i = 0; i < n; i++)
          wanted[i] = (TosstFrame){ feature[i].frame.x, feature[i].frame.y, { feature[i].frame.a11, 0, 0, 0 } };

        g_test_message ("%zu keypoints, %zu of VLFeat", scene.n, n);
        g_assert_cmpuint (scene.n, >, 50);
        g_assert_cmpuint (count_alone (scene.frames, scene.n, wanted, n, 0.01), <=, scene.n / 50);
        g_assert_cmpuint (count_alone (wanted, n, scene.frames, scene.n, 1), <=, n / 50);
        vl_covdet_delete (other);
      }
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  place_spots ();
  g_test_add_func ("/frames/quarter-turn", test_quarter_turn);
  g_test_add_func ("/frames/turn", test_turn);
  g_test_add_func ("/frames/rescaled", test_rescaled);
  g_test_add_func ("/frames/options", test_options);
  g_test_add_func ("/frames/shape", test_shape);
  g_test_add_func ("/frames/grid", test_grid);
  g_test_add_func ("/frames/fine-grid", test_fine_grid);
  g_test_add_func ("/frames/pixels", test_pixels);
  g_test_add_func ("/frames/photometric", test_photometric);
  g_test_add_func ("/frames/resampled", test_resampled);
  g_test_add_func ("/frames/aliasing", test_aliasing);
  g_test_add_func ("/frames/moved", test_moved);
  g_test_add_func ("/frames/borders", test_borders);
  g_test_add_func ("/frames/threads", test_threads);
  g_test_add_func ("/frames/sizes", test_sizes);
  g_test_add_func ("/frames/refused", test_refused);
#ifdef HAVE_VLFEAT
  g_test_add_func ("/frames/vlfeat", test_vlfeat);
#endif
  return g_test_run ();
}

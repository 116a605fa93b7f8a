/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images to whitened tensors, patches of 20 pixels every 10, against the arithmetic of equation (1): m multiplications
 * and additions a pixel at the rate of a large sgemm on as many threads. Times are processor time of all threads, so
 * that other programs disturb them less, and ratios are taken within a round. --curves: times against side, patches and
 * their size instead, on one thread.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "core/image/probe.h"
#include "tosst/context.h"
#include "tosst/describe.h"
#include "tosst/tensor.h"

enum
{
  PATCH = 20,
  STEP = 10,
  ROUNDS = 7,
  SIDE = 1024, /* of the product that measures the rate */
  STRIP = 128,
};

typedef struct
{
  double processor, clock; /* seconds */
} Time;

typedef struct
{
  TosstContext *context;
  const TosstImage *image;
  const TosstFeatureOptions *features;
  const TosstLayout *layout;
  const TosstPoint *points;
  gsize n;
  float *tensors, *factors, *product;
} Case;

typedef struct
{
  Time product, describe, whiten;
} Round;

static Time
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (Time){ (double)time.tv_sec + 1e-9 * (double)time.tv_nsec, bench_seconds () };
}

static Time
since (Time start)
{
  Time end = now ();
  return (Time){ end.processor - start.processor, end.clock - start.clock };
}

static TosstStatus
multiply_strip (size_t item, int worker, void *data)
{
  Case *self = data;
  float *to = self->product + item * STRIP * SIDE;

  cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, STRIP, SIDE, 1, self->factors, SIDE,
               self->factors + item * STRIP * SIDE, SIDE, 0, to, SIDE);
  return TOSST_OK;
}

static void
check (const Case *self, TosstStatus status)
{
  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (self->context));
}

static Round
run_round (Case *self)
{
  Round round;
  Time start = now ();

  check (self, tosst_parallel (self->context, SIDE / STRIP, multiply_strip, self, 0, 0));
  round.product = since (start);
  start = now ();
  check (self,
         tosst_describe (self->context, self->image, self->features, PATCH, self->points, self->n, self->tensors));
  round.describe = since (start);
  start = now ();
  check (self, tosst_whiten (self->context, self->layout, self->tensors, self->n, 0.5, 1));
  round.whiten = since (start);
  return round;
}

static double
ratio (const Round *rounds, double (*func) (const Round *round, const Case *self), const Case *self)
{
  double values[ROUNDS];

  for (int i = 0; i < ROUNDS; i++)
    values[i] = func (&rounds[i], self);
  return bench_median (values, ROUNDS);
}

static double
describe_time (const Round *round, const Case *self)
{
  return round->describe.processor / (double)self->n;
}

static double
whiten_time (const Round *round, const Case *self)
{
  return round->whiten.processor / (double)self->n;
}

static double
arithmetic_time (const Round *round, const Case *self)
{
  double rate = 2.0 * SIDE * SIDE * SIDE / round->product.processor;
  return 2.0 * (double)self->layout->m * PATCH * PATCH / rate;
}

static double
describe_ratio (const Round *round, const Case *self)
{
  return describe_time (round, self) / arithmetic_time (round, self);
}

static double
whiten_ratio (const Round *round, const Case *self)
{
  return round->whiten.processor / round->describe.processor;
}

static double
describe_clock (const Round *round, const Case *self)
{
  return round->describe.clock;
}

static double
whiten_clock (const Round *round, const Case *self)
{
  return round->whiten.clock;
}

/* Rounds on one thread and on two take turns. */
static void
measure (Case *self, const char *name)
{
  Round one[ROUNDS], two[ROUNDS];
  TosstContext *contexts[] = { tosst_context_new (1), tosst_context_new (2) };

  for (int i = -1; i < ROUNDS; i++)
    for (int threads = 1; threads <= 2; threads++)
      {
        self->context = contexts[threads - 1];
        (threads == 1 ? one : two)[MAX (i, 0)] = run_round (self);
      }
  g_print ("%s, d = %d, %zu patches\n", name, self->layout->d, self->n);
  g_print ("  arithmetic of the products at the rate of sgemm: %.1f us a tensor\n",
           1e6 * ratio (one, arithmetic_time, self));
  g_print ("  descriptors: %.1f us, %.2f times that (two threads: %.2f)\n", 1e6 * ratio (one, describe_time, self),
           ratio (one, describe_ratio, self), ratio (two, describe_ratio, self));
  g_print ("  whitening: %.1f us, %.2f times the descriptors (two threads: %.2f)\n",
           1e6 * ratio (one, whiten_time, self), ratio (one, whiten_ratio, self), ratio (two, whiten_ratio, self));
  double describe = ratio (one, describe_time, self) / ratio (two, describe_time, self),
         whiten = ratio (one, whiten_time, self) / ratio (two, whiten_time, self);
  g_print (
      "  two threads against one, by the clock: descriptors %.2f, whitening %.2f; by processor time, as on cores of "
      "their own: %.2f, %.2f\n",
      ratio (one, describe_clock, self) / ratio (two, describe_clock, self),
      ratio (one, whiten_clock, self) / ratio (two, whiten_clock, self), 2 * describe, 2 * whiten);
  tosst_context_free (contexts[0]);
  tosst_context_free (contexts[1]);
}

/* One point: a median of ROUNDS rounds without the product. */
static void
point_of_curve (TosstContext *context, const TosstImage *image, const TosstFeatureOptions *features, int patch,
                int step)
{
  TosstLayout *layout = tosst_layout_new (tosst_feature_dimension (features));
  gsize n = tosst_patch_grid (image->width, image->height, patch, step, NULL);
  g_autofree TosstPoint *points = g_new (TosstPoint, n);
  g_autofree float *tensors = g_new (float, n * layout->m);
  Case self = { .context = context, .layout = layout };
  double describe[ROUNDS], whiten[ROUNDS];

  tosst_patch_grid (image->width, image->height, patch, step, points);
  for (int i = -1; i < ROUNDS; i++)
    {
      Time start = now ();
      check (&self, tosst_describe (context, image, features, patch, points, n, tensors));
      describe[MAX (i, 0)] = since (start).processor;
      start = now ();
      check (&self, tosst_whiten (context, layout, tensors, n, 0.5, 1));
      whiten[MAX (i, 0)] = since (start).processor;
    }
  double described = bench_median (describe, ROUNDS), whitened = bench_median (whiten, ROUNDS);
  g_print (
      "%s%s%s, d = %d, %zu patches of %d pixels: descriptors %.1f ms, %.2f us a tensor; whitening %.1f ms, %.2f us\n",
      features->kind == TOSST_FEATURES_RBF ? "rbf" : "linear", features->opponent ? ", opponent colour" : "",
      features->absolute ? ", absolute" : "", layout->d, n, patch, 1e3 * described, 1e6 * described / (double)n,
      1e3 * whitened, 1e6 * whitened / (double)n);
  tosst_layout_free (layout);
}

static void
measure_curves (const TosstImage *image)
{
  TosstContext *context = tosst_context_new (1);
  TosstFeatureOptions features;

  for (int kind = 0; kind < 5; kind++)
    {
      tosst_feature_options_default (&features);
      features.kind = TOSST_FEATURES_LINEAR;
      features.absolute = kind == 2;
      features.opponent = kind > 2;
      features.luminance = kind != 0 && kind != 3;
      point_of_curve (context, image, &features, PATCH, STEP);
    }
  tosst_feature_options_default (&features);
  for (features.pivots = 2; features.pivots <= 8; features.pivots++)
    point_of_curve (context, image, &features, PATCH, STEP);
  tosst_feature_options_default (&features);
  for (int step = 20; step >= 7; step = step * 10 / 14)
    point_of_curve (context, image, &features, PATCH, step);
  for (int patch = 10; patch <= 80; patch *= 2)
    point_of_curve (context, image, &features, patch, STEP);
  tosst_context_free (context);
}

static void
fill_factors (Case *self)
{
  TosstRandom random;

  self->factors = g_new (float, SIDE *SIDE);
  self->product = g_new (float, SIDE *SIDE);
  tosst_random_init (&random, 1, 0);
  for (int i = 0; i < SIDE * SIDE; i++)
    self->factors[i] = (float)tosst_random_uniform (&random);
}

int
main (int argc, char *argv[])
{
  static const char *const names[] = { "rbf", "linear" };
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  Case self = { .features = &features };
  gboolean real, curves = FALSE;
  g_autoptr (TosstImage) image = bench_image (0, &real);

  g_print ("%s, rounds: %d\n", real ? "Brodatz D1" : "sample texture", ROUNDS);
  for (int i = 1; i < argc; i++)
    curves = curves || g_str_equal (argv[i], "--curves");
  if (curves)
    {
      measure_curves (image);
      tosst_context_free (context);
      return 0;
    }
  self.image = image;
  self.n = tosst_patch_grid (image->width, image->height, PATCH, STEP, NULL);
  g_autofree TosstPoint *points = g_new (TosstPoint, self.n);
  tosst_patch_grid (image->width, image->height, PATCH, STEP, points);
  self.points = points;
  fill_factors (&self);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      tosst_feature_options_default (&features);
      features.kind = i == 0 ? TOSST_FEATURES_RBF : TOSST_FEATURES_LINEAR;
      TosstLayout *layout = tosst_layout_new (tosst_feature_dimension (&features));
      self.layout = layout;
      self.tensors = g_new (float, self.n * layout->m);
      measure (&self, names[i]);
      g_free (self.tensors);
      tosst_layout_free (layout);
    }
  g_free (self.factors);
  g_free (self.product);
  tosst_context_free (context);
  return 0;
}

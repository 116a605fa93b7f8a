/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images described by local features: dense SIFT against libvlfeat's with a flat window, where that is installed, and the
 * sum of third-order products at d = 101 against its multiplications and additions, 2 m of them a vector, at the rate of a
 * large sgemm. Processor time of one thread; ratios are taken within a round. Last the Gram matrix of such tensors against
 * ssyrk on the same rows, and on two threads, and Fisher vectors against vl_fisher_encode and the product of their E-step.
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vl/dsift.h>
#include <vl/fisher.h>

#include "bench.h"
#include "tosst/classify.h"
#include "tosst/context.h"
#include "tosst/local.h"
#include "tosst/tensor.h"

enum
{
  WIDTH = 500,
  HEIGHT = 375,
  COMPONENTS = 90,
  WHITENED = 16, /* tensors at a time */
  ROUNDS = 7,
  SIDE = 1024, /* of the product that measures the rate */
  ROWS = 3840, /* of the Gram matrix, in tiles as large as those of more rows; with a part of the columns */
  PARTS = 8,
  GRAM_ROUNDS = 3,
  LEARNED = 60000, /* vectors of a mixture */
  CODED = 2000,    /* vectors of an image */
};

typedef struct
{
  TosstContext *context;
  TosstSiftOptions options;
  TosstLocalEncoding encoding;
  TosstLayout *layout;
  float *grey, *descriptors, *vectors, *tensors;
  double *xy;
  gsize n;
  float *factors, *product;
} Case;

typedef struct
{
  double product, sift, vlfeat, vectors, tensor, whiten;
} Round;

/* Smooth noise: an image with gradients everywhere. */
static float *
make_image (void)
{
  float *grey = g_new (float, WIDTH *HEIGHT);
  TosstRandom random;

  tosst_random_init (&random, 1, 1);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    {
      float fresh = (float)tosst_random_uniform (&random);
      grey[i] = i < WIDTH ? fresh : 0.4f * grey[i - 1] + 0.4f * grey[i - WIDTH] + 0.2f * fresh;
    }
  return grey;
}

static void
case_init (Case *self, TosstContext *context)
{
  TosstRandom random;
  double *basis = g_new (double, TOSST_SIFT_LENGTH *COMPONENTS);

  *self = (Case){ .context = context, .grey = make_image () };
  tosst_sift_options_default (&self->options);
  self->n = tosst_sift_count (&self->options, WIDTH, HEIGHT);
  self->descriptors = g_new (float, self->n *TOSST_SIFT_LENGTH);
  self->xy = g_new (double, 2 * self->n);
  tosst_random_init (&random, 2, 1);
  for (gsize i = 0; i < TOSST_SIFT_LENGTH * COMPONENTS; i++)
    basis[i] = tosst_random_normal (&random) / sqrt (TOSST_SIFT_LENGTH);
  self->encoding
      = (TosstLocalEncoding){ .D = TOSST_SIFT_LENGTH, .q = COMPONENTS, .basis = basis, .weight = 0.25, .order = 3 };
  self->layout = tosst_layout_new_shape (tosst_local_shape (&self->encoding));
  self->tensors = g_new (float, WHITENED * self->layout->m);
  self->vectors = g_new (float, self->n *(gsize)self->layout->d);
  self->factors = g_new0 (float, SIDE *SIDE);
  self->product = g_new0 (float, SIDE *SIDE);
}

static void
run_vlfeat (const Case *self)
{
  for (int s = 0; s < self->options.scales; s++)
    {
      int bin = self->options.radius[s] / 2, stride = self->options.stride[s];
      VlDsiftFilter *filter = vl_dsift_new_basic (WIDTH, HEIGHT, stride, bin);
      vl_dsift_set_flat_window (filter, VL_TRUE);
      vl_dsift_process (filter, self->grey);
      vl_dsift_delete (filter);
    }
}

static Round
run_round (Case *self)
{
  Round round;
  double start = bench_processor_seconds ();

  cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, self->factors, SIDE, self->factors, SIDE,
               0, self->product, SIDE);
  round.product = bench_processor_seconds () - start;
  start = bench_processor_seconds ();
  if (tosst_sift (&self->options, self->grey, WIDTH, HEIGHT, self->descriptors, self->xy, NULL, NULL) != TOSST_OK)
    g_error ("dense SIFT failed");
  round.sift = bench_processor_seconds () - start;
  for (gsize i = 0; i < self->n; i++)
    {
      self->xy[2 * i] = (self->xy[2 * i] + 0.5) / WIDTH;
      self->xy[2 * i + 1] = (self->xy[2 * i + 1] + 0.5) / HEIGHT;
    }
  start = bench_processor_seconds ();
  run_vlfeat (self);
  round.vlfeat = bench_processor_seconds () - start;
  start = bench_processor_seconds ();
  if (tosst_local_vectors (&self->encoding, self->descriptors, self->xy, self->n, self->vectors) != TOSST_OK)
    g_error ("the projection failed");
  round.vectors = bench_processor_seconds () - start;
  start = bench_processor_seconds ();
  if (tosst_local_tensor (&self->encoding, self->descriptors, self->xy, self->n, NULL, self->tensors, NULL) != TOSST_OK)
    g_error ("the tensor failed");
  round.tensor = bench_processor_seconds () - start;
  for (gsize i = 1; i < WHITENED; i++)
    memcpy (self->tensors + i * self->layout->m, self->tensors, self->layout->m * sizeof *self->tensors);
  start = bench_processor_seconds ();
  if (tosst_whiten (self->context, self->layout, self->tensors, WHITENED, 0.3, 1) != TOSST_OK)
    g_error ("whitening failed");
  round.whiten = bench_processor_seconds () - start;
  return round;
}

#define MEDIAN(expression)                                                                                             \
  ({                                                                                                                   \
    double values_[ROUNDS];                                                                                            \
    for (int i_ = 0; i_ < ROUNDS; i_++)                                                                                \
      {                                                                                                                \
        const Round *round = &rounds[i_];                                                                              \
        values_[i_] = (expression);                                                                                    \
      }                                                                                                                \
    bench_median (values_, ROUNDS);                                                                                    \
  })

static TosstStatus
multiply (TosstContext *context, const float *x, gsize p)
{
  double *gram;
  TosstStatus status = tosst_svm_gram (context, x, ROWS, (int)p, &gram);

  free (gram);
  return status;
}

/* Processor time, and threads by the clock; medians of GRAM_ROUNDS. */
static void
report_gram (const Case *self)
{
  gsize p = self->layout->m / PARTS;
  g_autofree float *x = g_new (float, ROWS *p), *product = g_new0 (float, ROWS *ROWS);
  TosstContext *both = tosst_context_new (2);
  TosstRandom random;
  double ssyrk[GRAM_ROUNDS], ratio[GRAM_ROUNDS], faster[GRAM_ROUNDS];

  tosst_random_init (&random, 4, 1);
  for (gsize i = 0; i < ROWS * p; i++)
    x[i] = (float)tosst_random_uniform (&random) - 0.3F;
  for (int i = 0; i < GRAM_ROUNDS; i++)
    {
      double start = bench_processor_seconds (), clock, one;
      cblas_ssyrk (CblasRowMajor, CblasLower, CblasNoTrans, ROWS, (int)p, 1, x, (int)p, 0, product, ROWS);
      ssyrk[i] = bench_processor_seconds () - start;
      start = bench_processor_seconds ();
      clock = bench_seconds ();
      if (multiply (self->context, x, p) != TOSST_OK)
        g_error ("the Gram matrix failed");
      ratio[i] = (bench_processor_seconds () - start) / ssyrk[i];
      one = bench_seconds () - clock;
      clock = bench_seconds ();
      if (multiply (both, x, p) != TOSST_OK)
        g_error ("the Gram matrix failed");
      faster[i] = one / (bench_seconds () - clock);
    }
  g_print ("Gram matrix        %6.2f times ssyrk's %.2f s for %d rows of %zu, two threads %.2f times as fast\n",
           bench_median (ratio, GRAM_ROUNDS), bench_median (ssyrk, GRAM_ROUNDS), ROWS, p,
           bench_median (faster, GRAM_ROUNDS));
  tosst_context_free (both);
}

/* Vectors of 500 clusters, of decreasing variance as principal components are. */
static float *
make_vectors (gsize n, int d)
{
  float *x = g_new (float, n *(gsize)d);
  TosstRandom random;

  tosst_random_init (&random, 5, 1);
  for (gsize i = 0; i < n; i++)
    {
      double cluster = (double)tosst_random_below (&random, 500);
      for (int j = 0; j < d; j++)
        x[i * (gsize)d + (gsize)j]
            = (float)((sin (3 * cluster + 1.7 * j * cluster) + 0.7 * tosst_random_normal (&random)) / sqrt (1 + j));
    }
  return x;
}

/* Median seconds of VLFeat for the same mixture. */
static double
time_vlfeat (const TosstMixture *mixture, const float *x)
{
  gsize n = (gsize)mixture->K * (gsize)mixture->D;
  g_autofree float *means = g_new (float, n), *variances = g_new (float, n), *weights = g_new (float, mixture->K);
  g_autofree float *out = g_new (float, 2 * n);
  double seconds[GRAM_ROUNDS];

  vl_set_num_threads (1);
  for (gsize i = 0; i < n; i++)
    {
      means[i] = (float)mixture->means[i];
      variances[i] = (float)mixture->variances[i];
      weights[i / (gsize)mixture->D] = (float)mixture->weights[i / (gsize)mixture->D];
    }
  for (int i = 0; i < GRAM_ROUNDS; i++)
    {
      double start = bench_processor_seconds ();
      vl_fisher_encode (out, VL_TYPE_FLOAT, means, (vl_size)mixture->D, (vl_size)mixture->K, variances, weights, x,
                        CODED, 0);
      seconds[i] = bench_processor_seconds () - start;
    }
  return bench_median (seconds, GRAM_ROUNDS);
}

/* rate: operations of sgemm in a second. */
static void
report_fisher (TosstContext *context, int d, int K, double rate)
{
  g_autofree float *x = make_vectors (LEARNED, d), *out = g_new (float, 2 * d * K);
  TosstMixtureOptions options;
  TosstMixtureReport report;
  TosstMixture *mixture;
  double start = bench_processor_seconds (), learning, seconds[ROUNDS], code;

  tosst_mixture_options_default (&options);
  options.gaussians = K;
  if (tosst_mixture_learn (context, x, LEARNED, d, &options, NULL, &report, &mixture) != TOSST_OK)
    g_error ("the mixture failed");
  learning = bench_processor_seconds () - start;
  TosstFisher *fisher = tosst_fisher_new (mixture);
  for (int i = 0; i < ROUNDS; i++)
    {
      start = bench_processor_seconds ();
      if (tosst_fisher_code (fisher, x, CODED, out, NULL) != TOSST_OK)
        g_error ("the Fisher vector failed");
      seconds[i] = bench_processor_seconds () - start;
    }
  code = bench_median (seconds, ROUNDS);
  g_print (
      "Fisher vector      %6.1f ms of %d vectors of %d and %d Gaussians, %.2f times its sgemm, %.3f times libvlfeat's; "
      "mixture of %d %.1f s, %d iterations\n",
      1e3 * code, CODED, d, K, code * rate / (4.0 * CODED * d * K), code / time_vlfeat (mixture, x), LEARNED, learning,
      report.iterations);
  tosst_fisher_free (fisher);
  tosst_mixture_free (mixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *one = g_strdup ("--threads"), *number = g_strdup ("1");
  char *arguments[] = { argv[0], one, number, NULL }, **list = arguments;
  int count = 3;
  Case self;
  Round rounds[ROUNDS];

  (void)argc;
  case_init (&self, bench_start (&count, &list));
  run_round (&self);
  for (int i = 0; i < ROUNDS; i++)
    rounds[i] = run_round (&self);
  double rate = 2.0 * SIDE * SIDE * SIDE, work = 2.0 * (double)self.layout->m * (double)self.n;
  double projection = 2.0 * TOSST_SIFT_LENGTH * COMPONENTS * (double)self.n;
  g_print ("%d x %d pixels, %zu descriptors, d = %d\n", WIDTH, HEIGHT, self.n, self.layout->d);
  g_print ("dense SIFT         %6.1f ms", 1e3 * MEDIAN (round->sift));
  g_print (", %.2f times libvlfeat's %.1f ms with a flat window", MEDIAN (round->sift / round->vlfeat),
           1e3 * MEDIAN (round->vlfeat));
  g_print ("\nprojection, codes  %6.1f ms, %.2f times its sgemm\n", 1e3 * MEDIAN (round->vectors),
           MEDIAN (round->vectors / (round->product * projection / rate)));
  g_print ("sum of products    %6.1f ms, %.2f times its arithmetic at the rate of sgemm, %.0f GFlop/s\n",
           1e3 * MEDIAN (round->tensor - round->vectors),
           MEDIAN ((round->tensor - round->vectors) / (round->product * work / rate)),
           1e-9 * MEDIAN (rate / round->product));
  g_print ("EPN                %6.1f ms, %d tensors at a time\n", 1e3 * MEDIAN (round->whiten / WHITENED), WHITENED);
  report_gram (&self);
  report_fisher (self.context, 64, 64, MEDIAN (rate / round->product));
  report_fisher (self.context, 80, 256, MEDIAN (rate / round->product));
  return 0;
}

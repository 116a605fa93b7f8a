/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Setting up a large random dictionary within a bound on memory and coding with it, beside the arithmetic that both
 * contain at the rates of dgemm and sgemm, and memory in use beside what the coder said. --full: K = 25,000, d = 101;
 * --memory MB: the bound (default: the least). --learn ITERATIONS: learns that many iterations from the tensors instead,
 * without Y in memory, beside the arithmetic of an iteration.
 */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "core/base/machine.h"
#include "engine/base/blas.h"
#include "engine/simd/kernels.h"
#include "tosst/context.h"

#define PIXELS 40    /* of a random tensor */
#define PRODUCT 2000 /* side of the products that are timed */

typedef struct
{
  int atoms, side, learn;
  gsize tensors, memory;
} Sizes;

/* 10^9 multiply-adds a second of processor time. */
typedef struct
{
  double wide, narrow;
} Rates;

static Sizes
read_sizes (int argc, char *argv[])
{
  Sizes sizes = { 4000, 45, 0, 1024, 0 };

  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], "--full"))
      sizes.atoms = 25000, sizes.side = 101, sizes.tensors = 2048;
    else if (g_str_equal (argv[i], "--atoms") && i + 1 < argc)
      sizes.atoms = atoi (argv[++i]);
    else if (g_str_equal (argv[i], "--learn") && i + 1 < argc)
      sizes.learn = atoi (argv[++i]);
    else if (g_str_equal (argv[i], "--side") && i + 1 < argc)
      sizes.side = atoi (argv[++i]);
    else if (g_str_equal (argv[i], "--memory") && i + 1 < argc)
      sizes.memory = (gsize)atol (argv[++i]) << 20;
    else if (g_str_equal (argv[i], "--tensors") && i + 1 < argc)
      sizes.tensors = atol (argv[++i]);
  return sizes;
}

/* Makes tensors of pixels whose features are as sparse as the atoms', scaled to norm 1. */
static float *
make_tensors (const TosstLayout *layout, gsize n)
{
  int d = layout->d;
  float *tensors = g_new (float, n * layout->m);
  void *work = aligned_alloc (64, tosst_third_order_work (d, sizeof (float)));
  g_autofree float *x = g_new0 (float, PIXELS *d + 16);
  TosstRandom random;

  tosst_random_init (&random, 2, 0);
  for (gsize i = 0; i < n; i++)
    {
      float *tensor = tensors + i * layout->m;
      for (int p = 0; p < PIXELS * d; p++)
        x[p] = powf ((float)tosst_random_uniform (&random), 4);
      tosst_kernels ()->third_order_float (x, PIXELS, d, d, work, tensor);
      cblas_sscal (layout->m, 1 / cblas_snrm2 (layout->m, tensor, 1), tensor, 1);
    }
  free (work);
  return tensors;
}

/* Bytes of this process in memory now. */
static double
resident (void)
{
  g_autofree char *text = NULL;
  gsize pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*u %zu", &pages);
  return (double)pages * sysconf (_SC_PAGESIZE);
}

/* Most 10^9 bytes in use so far beyond those. */
static double
peak_since (double own)
{
  return (tosst_memory_peak_mb () * (1 << 20) - own) / 1e9;
}

typedef struct
{
  const float *a, *b;
  float *c;
} Narrow;

static TosstStatus
narrow_task (size_t item, int worker, void *data)
{
  Narrow *self = data;
  gsize first = item * PRODUCT / 4 * PRODUCT;

  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, PRODUCT, PRODUCT / 4, PRODUCT, 1, self->a, PRODUCT,
               self->b + first, PRODUCT, 0, self->c + first, PRODUCT);
  return TOSST_OK;
}

static Rates
measure_rates (TosstContext *context)
{
  gsize side = PRODUCT;
  g_autofree double *a = g_new (double, 3 * side * side);
  g_autofree float *f = g_new (float, 3 * side * side);
  Narrow narrow = { f, f + side * side, f + 2 * side * side };
  double wide_seconds[5], narrow_seconds[5];

  for (gsize i = 0; i < 3 * side * side; i++)
    f[i] = (float)(a[i] = (double)(i % 17) / 17);
  for (int i = 0; i < 5; i++)
    {
      double start = bench_processor_seconds ();
      tosst_dgemm (context, CblasTrans, CblasNoTrans, PRODUCT, PRODUCT, PRODUCT, 1, a, PRODUCT, a + side * side,
                   PRODUCT, 0, a + 2 * side * side, PRODUCT);
      double middle = bench_processor_seconds ();
      tosst_parallel (context, 4, narrow_task, &narrow, 0, 0);
      wide_seconds[i] = middle - start;
      narrow_seconds[i] = bench_processor_seconds () - middle;
    }
  double operations = 1e-9 * PRODUCT * PRODUCT * PRODUCT;
  return (Rates){ operations / bench_median (wide_seconds, 5), operations / bench_median (narrow_seconds, 5) };
}

/* Seconds that set-up would take at the rate of dgemm: half of V V', the factor, two substitutions, half of V'WV and b'b. */
static double
setup_arithmetic (const TosstLayout *layout, double K, const Rates *rates)
{
  double D = layout->D, S = layout->S;

  return 1e-9 * (1.5 * D * D * K + D * D * D / 6 + K * K * (D + S) / 2) / rates->wide;
}

typedef struct
{
  double begun, arithmetic, own;
} Learning;

static void
report_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  static const char *const names[TOSST_LEARN_STAGES]
      = { "set-up", "Q", "Lassos", "Y", "P", "sums", "B", "W", "b", "rest" };
  Learning *self = data;
  double now = bench_processor_seconds (), all = 0;

  (void)dictionary;
  (void)usage;
  for (int i = 0; i < TOSST_LEARN_STAGES; i++)
    all += iteration->stage[i];
  g_print (
      "iteration %d: %.1f s of processor time, %.2f times its arithmetic, %.1f s by the clock; objective %.6g, %.0f "
      "non-zeros, %d unused, KKT %.1e; %.2f GB more in use at most; parts:",
      iteration->iteration, now - self->begun, (now - self->begun) / self->arithmetic, all, iteration->objective,
      iteration->mean_nonzeros, iteration->unused_atoms, iteration->worst_kkt, peak_since (self->own));
  for (int i = 0; i < TOSST_LEARN_STAGES; i++)
    g_print (" %s %.2f", names[i], iteration->stage[i] / all);
  g_print ("\n");
  self->begun = bench_processor_seconds ();
}

/* Q at the rate of sgemm; four rounds of 4.5 D^2 K + 3 K^2 D multiply-adds, three fifths of them at that rate. */
static int
learn (TosstContext *context, const TosstLayout *layout, const Sizes *sizes)
{
  float *tensors = make_tensors (layout, sizes->tensors);
  double K = sizes->atoms, D = layout->D, rounds = 4e-9 * (4.5 * D * D * K + 3 * K * K * D);
  Rates rates = measure_rates (context);
  TosstLearnOptions options;
  TosstDictionary *dictionary;

  tosst_learn_options_default (&options);
  options.atoms = sizes->atoms;
  options.iterations = sizes->learn;
  options.tolerance = 0;
  options.most_sums = 1;
  g_print ("K = %d, d = %d, m = %zu, D = %d, %zu tensors: at most %.2f GB\n", sizes->atoms, sizes->side, layout->m,
           layout->D, sizes->tensors,
           1e-9 * (double)tosst_learn_memory (layout, sizes->tensors, &options, 0, tosst_context_threads (context)));
  Learning learning = { bench_processor_seconds (),
                        1e-9 * (double)layout->m * K * (double)sizes->tensors / rates.narrow
                            + 0.6 * rounds / rates.narrow + 0.4 * rounds / rates.wide,
                        resident () };
  if (tosst_learn (context, layout, tensors, sizes->tensors, &options, NULL, report_iteration, &learning, &dictionary)
      != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  tosst_dictionary_free (dictionary);
  g_free (tensors);
  return 0;
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  Sizes sizes = read_sizes (argc, argv);
  TosstLayout *layout = tosst_layout_new (sizes.side);
  int threads = tosst_context_threads (context);
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder;

  if (sizes.learn > 0)
    return learn (context, layout, &sizes);
  tosst_coding_options_default (&options);
  gsize kept = tosst_coder_memory (layout, sizes.atoms, &options, threads);
  options.memory = 1;
  gsize least = tosst_coder_memory (layout, sizes.atoms, &options, threads);
  options.memory = MAX (sizes.memory, least);
  gsize bound = tosst_coder_memory (layout, sizes.atoms, &options, threads);
  g_print ("K = %d, d = %d, m = %zu, D = %d: %.2f GB with all atoms kept, %.2f GB at least, %.2f GB as bounded\n",
           sizes.atoms, sizes.side, layout->m, layout->D, kept / 1e9, least / 1e9, bound / 1e9);
  if (bound > tosst_memory_available ())
    g_error ("%.2f GB are available", tosst_memory_available () / 1e9);

  TosstDictionary *dictionary = bench_random_dictionary (sizes.side, sizes.atoms);
  float *tensors = make_tensors (layout, sizes.tensors);
  g_autofree float *codes = g_new0 (float, sizes.tensors *sizes.atoms);
  Rates before = measure_rates (context);
  double own = resident ();
  double start = bench_processor_seconds ();
  if (tosst_coder_new (context, dictionary, layout, &options, &coder) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  double spent = bench_processor_seconds () - start, expected = setup_arithmetic (layout, sizes.atoms, &before);
  g_print (
      "set-up %.2f s of processor time, %.2f times its arithmetic at %.0f GFlop/s, %.2f s by the clock; %.2f GB more "
      "in use at most\n",
      spent, spent / expected, 2 * before.wide, tosst_coder_setup_seconds (coder), peak_since (own));
  Rates now = measure_rates (context);
  start = bench_processor_seconds ();
  if (tosst_code (context, coder, tensors, sizes.tensors, false, codes, &report) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  spent = bench_processor_seconds () - start;
  double product = 1e-9 * sizes.atoms * layout->m * sizes.tensors / now.narrow;
  g_print (
      "%zu tensors %.2f s of processor time, %.2f times the product at %.0f GFlop/s, %.2f s by the clock, of which "
      "correlations %.2f; %.1f non-zeros, KKT %.1e; %.2f GB more in use at most\n",
      sizes.tensors, spent, spent / product, 2 * now.narrow, report.seconds, report.seconds_products,
      report.mean_nonzeros, report.worst_kkt, peak_since (own));
  tosst_coder_free (coder);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  g_free (tensors);
  tosst_context_free (context);
  return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding at d = 30, K = 2000, gamma = 1 against the one product of the same shapes that it contains: medians of the
 * ratios of processor time on one thread, each to a product right before it, as others may use the machine too. Besides,
 * how many times as fast two threads are, by the clock: that takes an idle machine.
 */
#include <cblas.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <string.h>

#include "bench.h"

#define ATOMS 2000
#define TENSORS 6000
#define RUNS 7

typedef struct
{
  const float *a, *b;
  float *c;
  size_t m;
} Product;

static TosstStatus
product_task (size_t item, int worker, void *data)
{
  Product *self = data;
  size_t first = item * 500;
  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, ATOMS, 500, self->m, 1, self->a, self->m,
               self->b + first * self->m, self->m, 0, self->c + first * ATOMS, ATOMS);
  return TOSST_OK;
}

static double
product_seconds (TosstContext *context, Product *product)
{
  double start = bench_processor_seconds ();

  tosst_parallel (context, TENSORS / 500, product_task, product, 0, 0);
  return bench_processor_seconds () - start;
}

/* A few iterations of learning: atoms as correlated as those that codes meet in use. */
static TosstDictionary *
make_dictionary (TosstContext *context, const TosstLayout *layout, const float *tensors)
{
  TosstLearnOptions options;
  TosstDictionary *dictionary;

  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.problem.lambda = 1e-3;
  options.iterations = 4;
  if (tosst_learn (context, layout, tensors, 3 * ATOMS, &options, NULL, NULL, NULL, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return dictionary;
}

typedef struct
{
  double processor, clock; /* seconds */
} Time;

static Time
now (void)
{
  return (Time){ bench_processor_seconds (), bench_seconds () };
}

static Time
since (Time start)
{
  return (Time){ bench_processor_seconds () - start.processor, bench_seconds () - start.clock };
}

/* One thread and two in turns, so that both meet the same moments of the machine. */
typedef struct
{
  TosstContext *context[2];
  double clock[2][RUNS];
} Threads;

static void
print_threads (Threads *threads)
{
  g_print ("; two threads %.2f times as fast as one, by the clock\n",
           bench_median (threads->clock[0], RUNS) / bench_median (threads->clock[1], RUNS));
}

/* Whether what is freed stays with the program for the next time, or goes back to the system, which then gives pages that it
 * must clear first, and for which a virtual machine may have to wait for its host. */
static void
keep_freed_memory (bool keep)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_MAX, keep ? 0 : 65536);
  mallopt (M_TRIM_THRESHOLD, keep ? INT_MAX : 64 << 20);
  malloc_trim (0);
#endif
}

/* A coder for 2000 atoms of the recipe's usual side; one thread and two find the same memory. */
static void
measure_setup (Threads *threads, bool kept)
{
  TosstDictionary *dictionary = bench_random_dictionary (35, ATOMS);
  TosstLayout *layout = tosst_layout_new (35);
  TosstCodingOptions options;
  TosstCoder *coder;
  double processor[RUNS];

  tosst_coding_options_default (&options);
  keep_freed_memory (kept);
  for (int i = -1; i < RUNS; i++)
    for (int t = 1; t >= 0; t--)
      {
        Time start = now ();
        if (tosst_coder_new (threads->context[t], dictionary, layout, &options, &coder) != TOSST_OK)
          g_error ("%s", tosst_context_message (threads->context[t]));
        Time time = since (start);
        threads->clock[t][MAX (i, 0)] = time.clock;
        if (t == 0)
          processor[MAX (i, 0)] = time.processor;
        tosst_coder_free (coder);
        if (!kept)
          keep_freed_memory (false);
      }
  g_print ("set-up at d = 35, K = %d, in %s: %.0f ms of processor time on one thread", ATOMS,
           kept ? "memory that is there" : "new memory", 1e3 * bench_median (processor, RUNS));
  print_threads (threads);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
}

static void
measure (Threads *threads, const TosstDictionary *dictionary, const TosstLayout *layout, const float *tensors,
         double lambda, float *codes)
{
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder;
  Product product = { tensors, tensors, codes, layout->m };
  double seconds[RUNS], ratio[RUNS];

  tosst_coding_options_default (&options);
  options.problem.lambda = lambda;
  if (tosst_coder_new (threads->context[1], dictionary, layout, &options, &coder) != TOSST_OK)
    g_error ("%s", tosst_context_message (threads->context[1]));
  for (int i = 0; i < RUNS; i++)
    for (int t = 1; t >= 0; t--)
      {
        TosstContext *context = threads->context[t];
        double beside = t == 0 ? product_seconds (context, &product) : 0;
        Time start = now ();
        if (tosst_code (context, coder, tensors, TENSORS, false, codes, &report) != TOSST_OK)
          g_error ("%s", tosst_context_message (context));
        Time time = since (start);
        threads->clock[t][i] = time.clock;
        if (t == 0)
          {
            seconds[i] = time.processor;
            ratio[i] = time.processor / beside;
          }
      }
  g_print ("lambda %-8g %6.1f non-zeros: %.4f ms a tensor on one thread, %.2f times the product; KKT %.1e", lambda,
           report.mean_nonzeros, 1e3 * bench_median (seconds, RUNS) / TENSORS, bench_median (ratio, RUNS),
           report.worst_kkt);
  print_threads (threads);
  tosst_coder_free (coder);
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  TosstLayout *layout;

  tosst_feature_options_default (&features);
  features.luminance = false;
  float *tensors = bench_tensors (context, &features, 20, TENSORS, &layout);
  float *codes = g_new (float, (size_t)TENSORS *ATOMS);
  Product dense = { tensors, tensors, codes, layout->m };
  product_seconds (context, &dense);
  double product = product_seconds (context, &dense);
  Threads threads = { { tosst_context_new (1), tosst_context_new (2) } };
  g_print ("product of %d x %zu by %d: %.4f ms a tensor, %.0f GFlop/s\n", ATOMS, layout->m, TENSORS,
           1e3 * product / TENSORS, 2e-9 * ATOMS * layout->m * TENSORS / product);
  measure_setup (&threads, true);
  measure_setup (&threads, false);
  TosstDictionary *dictionary = make_dictionary (context, layout, tensors);
  static const double lambdas[] = { 3.2e-3, 1.35e-3, 5.5e-4 };
  for (int i = 0; i < (int)G_N_ELEMENTS (lambdas); i++)
    measure (&threads, dictionary, layout, tensors, lambdas[i], codes);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  g_free (tensors);
  g_free (codes);
  tosst_context_free (threads.context[0]);
  tosst_context_free (threads.context[1]);
  tosst_context_free (context);
  return 0;
}

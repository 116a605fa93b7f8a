/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iterations of learning, stage by stage, beside the two products of an iteration, Q = A~'X and Y = X alpha', made
 * dense by sgemm in the same run. N = 6000, d = 35, K = 1000; --full: N = 20,000, K = 2000. --tensors N, --atoms K,
 * --iterations I, --lambda x and --threads T change one number each.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/blas.h"

/* Medians are over iterations but for these first ones, whose codes have everything to find. */
#define SKIPPED 2
#define MOST 200
/* Columns of a product in one task. */
#define COLUMNS 512

static const char *const stage_names[TOSST_LEARN_STAGES]
    = { "set-up", "Q", "Lassos", "Y", "P", "sums", "B and eig", "W", "b", "rest" };

typedef struct
{
  const float *left, *tensors;
  float *right;
  size_t m, n, K;
} Products;

typedef struct
{
  TosstContext *context;
  Products products;
  double before, processor_before;
  double sgemm[MOST];   /* seconds of both products, between iterations: other work on the machine slows both down */
  double seconds[MOST]; /* of an iteration */
  double ratio[MOST];
  double processor
      [MOST]; /* the ratio of processor seconds, all threads added up: waiting for the processor does not count */
  double stage[TOSST_LEARN_STAGES][MOST]; /* over sgemm */
  int n;
} Trace;

/* Columns of Q; right is n x K. */
static TosstStatus
correlate_task (size_t item, int worker, void *data)
{
  Products *self = data;
  size_t first = item * COLUMNS, count = MIN (self->n - first, COLUMNS);

  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, self->K, count, self->m, 1, self->left, self->m,
               self->tensors + first * self->m, self->m, 0, self->right + first * self->K, self->K);
  return TOSST_OK;
}

/* Rows of Y. */
static TosstStatus
weigh_task (size_t item, int worker, void *data)
{
  Products *self = data;
  size_t first = item * COLUMNS, count = MIN (self->m - first, COLUMNS);

  cblas_sgemm (CblasColMajor, CblasNoTrans, CblasTrans, count, self->K, self->n, 1, self->tensors + first, self->m,
               self->right, self->K, 0, (float *)self->left + first, self->m);
  return TOSST_OK;
}

static double
processor_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Seconds of both products, dense. */
static double
measure_products (TosstContext *context, Products *products)
{
  double start = bench_seconds ();

  if (tosst_parallel (context, (products->n + COLUMNS - 1) / COLUMNS, correlate_task, products, 0, 0) != TOSST_OK
      || tosst_parallel (context, (products->m + COLUMNS - 1) / COLUMNS, weigh_task, products, 0, 0) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return bench_seconds () - start;
}

static void
print_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Trace *trace = data;
  double seconds = iteration->seconds - trace->before, start = bench_seconds ();
  double processor_start = processor_seconds ();

  g_print ("%2d: %6.2f s, objective %.6f = %.6f + %.6f + %.6f, %.1f non-zeros, %d unused, KKT %.1e;",
           iteration->iteration, seconds, iteration->objective, iteration->fit, iteration->proximity,
           iteration->sparsity, iteration->mean_nonzeros, iteration->unused_atoms, iteration->worst_kkt);
  for (int s = 0; s < TOSST_LEARN_STAGES; s++)
    g_print (" %.2f", iteration->stage[s]);
  g_print ("\n");
  if (iteration->iteration > SKIPPED && trace->n < MOST)
    {
      double sgemm = measure_products (trace->context, &trace->products);
      for (int s = 0; s < TOSST_LEARN_STAGES; s++)
        trace->stage[s][trace->n] = iteration->stage[s] / sgemm;
      trace->sgemm[trace->n] = sgemm;
      trace->ratio[trace->n] = seconds / sgemm;
      trace->processor[trace->n]
          = (processor_start - trace->processor_before) / (processor_seconds () - processor_start);
      trace->seconds[trace->n++] = seconds;
    }
  trace->before = iteration->seconds + bench_seconds () - start;
  trace->processor_before = processor_seconds ();
}

static double
argument (int argc, char *argv[], const char *name, double otherwise)
{
  for (int i = 1; i + 1 < argc; i++)
    if (g_str_equal (argv[i], name))
      return g_ascii_strtod (argv[i + 1], NULL);
  return otherwise;
}

static double
peak_bytes (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return 1024. * usage.ru_maxrss;
}

static void
print_medians (Trace *trace)
{
  const Products *p = &trace->products;
  double sgemm = bench_median (trace->sgemm, trace->n);

  g_print ("both products by sgemm: %.2f s, %.0f GFlop/s\n", sgemm, 4e-9 * p->m * p->n * p->K / sgemm);
  g_print ("an iteration: %.2f s, %.2f times both products, %.2f times their processor time; of it (medians of %d):\n",
           bench_median (trace->seconds, trace->n), bench_median (trace->ratio, trace->n),
           bench_median (trace->processor, trace->n), trace->n);
  for (int s = 0; s < TOSST_LEARN_STAGES; s++)
    g_print ("  %-9s %5.3f\n", stage_names[s], bench_median (trace->stage[s], trace->n));
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  TosstLearnOptions options;
  TosstLayout *layout;
  TosstDictionary *dictionary;
  g_autofree Trace *trace = g_new0 (Trace, 1);
  gboolean full = FALSE;

  for (int i = 1; i < argc; i++)
    full = full || g_str_equal (argv[i], "--full");
  size_t n = argument (argc, argv, "--tensors", full ? 20000 : 6000);
  tosst_feature_options_default (&features);
  float *tensors = bench_tensors (context, &features, 20, n, &layout);
  tosst_learn_options_default (&options);
  options.atoms = argument (argc, argv, "--atoms", full ? 2000 : 1000);
  options.lambda = argument (argc, argv, "--lambda", 3e-4);
  options.iterations = argument (argc, argv, "--iterations", SKIPPED + 5);
  options.tolerance = 0;
  trace->context = context;
  trace->products = (Products){
    g_new (float, options.atoms * layout->m), tensors, g_new (float, n *options.atoms), layout->m, n, options.atoms
  };
  for (size_t i = 0; i < options.atoms * layout->m; i++)
    ((float *)trace->products.left)[i] = tensors[i % (n * layout->m)];
  memset (trace->products.right, 0, sizeof (float) * n * options.atoms);
  double before = peak_bytes ();
  if (tosst_learn (context, layout, tensors, n, &options, print_iteration, trace, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  double sample = 4. * n * layout->m;
  g_print (
      "peak memory: %.0f MB, of which the sample is %.0f MB and was there before learning %.0f MB; estimated %.0f MB\n",
      1e-6 * peak_bytes (), 1e-6 * sample, 1e-6 * before,
      1e-6 * tosst_learn_memory (layout, n, &options, tosst_context_threads (context)));
  if (trace->n > 0)
    print_medians (trace);
  g_free ((float *)trace->products.left);
  g_free (trace->products.right);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  g_free (tensors);
  tosst_context_free (context);
  return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iterations of learning, stage by stage, beside the two products of an iteration, Q = A~'X and Y = X alpha', made
 * dense by sgemm in the same run. N = 6000, d = 35, K = 1000; --full: N = 20,000, K = 2000. --tensors N, --atoms K,
 * --iterations I, --lambda x and --threads T change one number each. --compare learns on one thread first, and says how
 * many times as fast each stage is on all.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/base/blas.h"

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
  double stage[TOSST_LEARN_STAGES][MOST];    /* over sgemm */
  double absolute[TOSST_LEARN_STAGES][MOST]; /* seconds */
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
        {
          trace->stage[s][trace->n] = iteration->stage[s] / sgemm;
          trace->absolute[s][trace->n] = iteration->stage[s];
        }
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

/* one: of the same run on one thread, or NULL. */
static void
print_medians (Trace *trace, Trace *one)
{
  const Products *p = &trace->products;
  double sgemm = bench_median (trace->sgemm, trace->n), seconds = bench_median (trace->seconds, trace->n);

  g_print ("both products by sgemm: %.2f s, %.0f GFlop/s\n", sgemm, 4e-9 * p->m * p->n * p->K / sgemm);
  g_print ("an iteration: %.2f s, %.2f times both products, %.2f times their processor time; of it (medians of %d):\n",
           seconds, bench_median (trace->ratio, trace->n), bench_median (trace->processor, trace->n), trace->n);
  for (int s = 0; s < TOSST_LEARN_STAGES; s++)
    {
      g_print ("  %-9s %5.3f", stage_names[s], bench_median (trace->stage[s], trace->n));
      if (one != NULL)
        g_print ("   %.2f times as fast as on one thread",
                 bench_median (one->absolute[s], one->n) / bench_median (trace->absolute[s], trace->n));
      g_print ("\n");
    }
  if (one != NULL)
    g_print ("the whole is %.2f times as fast as on one thread, sgemm %.2f times\n",
             bench_median (one->seconds, one->n) / seconds, bench_median (one->sgemm, one->n) / sgemm);
}

static Trace *
learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
       const TosstLearnOptions *options, Products products)
{
  Trace *trace = g_new0 (Trace, 1);
  TosstDictionary *dictionary;

  trace->context = context;
  trace->products = products;
  trace->processor_before = processor_seconds ();
  if (tosst_learn (context, layout, tensors, n, options, NULL, print_iteration, trace, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  tosst_dictionary_free (dictionary);
  return trace;
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv), *single = tosst_context_new (1);
  TosstFeatureOptions features;
  TosstLearnOptions options;
  TosstLayout *layout;
  g_autofree Trace *one = NULL;
  gboolean full = FALSE, compare = FALSE;

  for (int i = 1; i < argc; i++)
    {
      full = full || g_str_equal (argv[i], "--full");
      compare = compare || g_str_equal (argv[i], "--compare");
    }
  size_t n = argument (argc, argv, "--tensors", full ? 20000 : 6000);
  tosst_feature_options_default (&features);
  g_autofree float *tensors = bench_tensors (context, &features, 20, n, &layout);
  tosst_learn_options_default (&options);
  options.atoms = argument (argc, argv, "--atoms", full ? 2000 : 1000);
  options.problem.lambda = argument (argc, argv, "--lambda", 3e-4);
  options.iterations = argument (argc, argv, "--iterations", SKIPPED + 5);
  options.tolerance = 0;
  g_autofree float *left = g_new (float, options.atoms * layout->m), *right = g_new0 (float, n *options.atoms);
  Products products = { left, tensors, right, layout->m, n, options.atoms };
  for (size_t i = 0; i < options.atoms * layout->m; i++)
    left[i] = tensors[i % (n * layout->m)];
  /* Pages of what the products write are there before memory is looked at. */
  memset (right, 0, sizeof *right * n * options.atoms);
  double before = peak_bytes (), sample = 4. * n * layout->m;
  if (compare)
    one = learn (single, layout, tensors, n, &options, products);
  g_autofree Trace *trace = learn (context, layout, tensors, n, &options, products);
  g_print (
      "peak memory: %.0f MB, of which the sample is %.0f MB and was there before learning %.0f MB; estimated %.0f MB\n",
      1e-6 * peak_bytes (), 1e-6 * sample, 1e-6 * before,
      1e-6 * tosst_learn_memory (layout, n, &options, 0, tosst_context_threads (context)));
  if (trace->n > 0)
    print_medians (trace, one);
  tosst_layout_free (layout);
  tosst_context_free (single);
  tosst_context_free (context);
  return 0;
}

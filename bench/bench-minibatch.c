/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from all tensors at once against learning from batches of them: the objective over all tensors and seconds
 * of both, from one run. --tensors 100000 --atoms 500 is the size at which batches are meant to pay.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "tosst/learn.h"

typedef struct
{
  const float *tensors;
  size_t m;
} Rows;

static TosstStatus
read_rows (size_t first, size_t count, float *out, void *user_data)
{
  const Rows *rows = user_data;

  memcpy (out, rows->tensors + first * rows->m, sizeof *out * count * rows->m);
  return TOSST_OK;
}

static void
print_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  g_print ("  %2d: %7.2f s, objective %.6g, %.1f non-zeros, %d unused, KKT %.1e\n", iteration->iteration,
           iteration->seconds, iteration->objective, iteration->mean_nonzeros, iteration->unused_atoms,
           iteration->worst_kkt);
}

/* The number after a word of the command line. */
static double
number (int argc, char **argv, const char *name, double otherwise)
{
  for (int i = 1; i + 1 < argc; i++)
    if (g_str_equal (argv[i], name))
      return g_ascii_strtod (argv[i + 1], NULL);
  return otherwise;
}

static void
check (TosstContext *context, TosstStatus status)
{
  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  TosstLearnOptions options;
  TosstMinibatchOptions minibatch;
  TosstLayout *layout;
  TosstDictionary *whole = NULL, *online;
  TosstIteration objective[2] = { 0 };
  double seconds[2] = { 0 }, start;
  size_t n = (size_t)number (argc, argv, "--tensors", 10000);

  tosst_feature_options_default (&features);
  features.luminance = FALSE;
  float *tensors = bench_tensors (context, &features, 20, n, &layout);
  Rows rows = { tensors, layout->m };
  TosstStream stream = { read_rows, &rows, n };
  tosst_learn_options_default (&options);
  tosst_minibatch_options_default (&minibatch);
  options.atoms = (int)number (argc, argv, "--atoms", 200);
  minibatch.batch
      = (size_t)number (argc, argv, "--batch", CLAMP ((double)n / 10, options.atoms, (double)minibatch.batch));
  minibatch.forgetting = number (argc, argv, "--forgetting", minibatch.forgetting);

  options.iterations = (int)number (argc, argv, "--epochs", options.iterations);
  g_print ("batches of %zu tensors, forgetting %g, %.0f MB in all\n", minibatch.batch, minibatch.forgetting,
           tosst_minibatch_memory (layout, &options, &minibatch, 0, tosst_context_threads (context)) / 1e6);
  start = bench_seconds ();
  check (context,
         tosst_learn_minibatch (context, layout, &stream, &options, &minibatch, NULL, print_iteration, NULL, &online));
  seconds[1] = bench_seconds () - start;
  check (context, tosst_learn_evaluate (context, layout, &stream, online, &options, &minibatch, NULL, &objective[1]));
  g_print ("over all tensors: %.6g\n", objective[1].objective);
  if (number (argc, argv, "--whole", 1) != 0)
    {
      g_print ("all tensors at once, %.0f MB beside them\n",
               tosst_learn_memory (layout, n, &options, 0, tosst_context_threads (context)) / 1e6);
      options.iterations = (int)number (argc, argv, "--iterations", 50);
      start = bench_seconds ();
      check (context, tosst_learn (context, layout, tensors, n, &options, NULL, print_iteration, NULL, &whole));
      seconds[0] = bench_seconds () - start;
      check (context,
             tosst_learn_evaluate (context, layout, &stream, whole, &options, &minibatch, NULL, &objective[0]));
      g_print ("over all tensors: %.6g\n", objective[0].objective);
    }
  if (whole != NULL)
    g_print ("over all tensors: %.6g in %.1f s at once, %.6g in %.1f s in batches: %+.2f %% in %.2f of the time\n",
             objective[0].objective, seconds[0], objective[1].objective, seconds[1],
             100 * (objective[1].objective / objective[0].objective - 1), seconds[1] / seconds[0]);

  tosst_dictionary_free (whole);
  tosst_dictionary_free (online);
  tosst_layout_free (layout);
  g_free (tensors);
  tosst_context_free (context);
  return 0;
}

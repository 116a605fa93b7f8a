/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iterations of learning at N = 6000, d = 35, K = 1000.
 */
#include "bench.h"

#define ATOMS 1000
#define TENSORS 6000

static void
print_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  double *before = data;

  g_print ("iteration %2d: %.2f s, objective %.6f = %.6f + %.6f + %.6f, %.1f non-zeros, %d unused, KKT %.1e\n",
           iteration->iteration, iteration->seconds - *before, iteration->objective, iteration->fit,
           iteration->proximity, iteration->sparsity, iteration->mean_nonzeros, iteration->unused_atoms,
           iteration->worst_kkt);
  *before = iteration->seconds;
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  TosstLearnOptions options;
  TosstLayout *layout;
  TosstDictionary *dictionary;
  double before = 0;

  tosst_feature_options_default (&features);
  float *tensors = bench_tensors (context, &features, 20, TENSORS, &layout);
  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.lambda = 3e-4;
  options.iterations = 6;
  options.tolerance = 0;
  if (tosst_learn (context, layout, tensors, TENSORS, &options, print_iteration, &before, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  g_free (tensors);
  tosst_context_free (context);
  return 0;
}

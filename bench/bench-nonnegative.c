/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coding with beta >= 0 at d = 30, gamma = 1 for several sizes of the dictionary, against coding with beta free in
 * float64 (the same arithmetic) and the bytes that it holds.
 */
#include <stdlib.h>

#include "bench.h"
#include "engine/coding/nonnegative.h"
#include "tosst/code.h"

#define TENSORS 3000
#define SOME 20
#define RUNS 5

static double
measure (TosstContext *context, const TosstDictionary *dictionary, const TosstLayout *layout, const double *tensors,
         double *codes, const TosstCodingOptions *options, TosstCodingReport *report)
{
  TosstCoder *coder;
  double seconds[RUNS];

  if (tosst_coder_new (context, dictionary, layout, options, &coder) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  for (int i = 0; i < RUNS; i++)
    {
      if (tosst_code_double (context, coder, tensors, SOME, false, codes, report) != TOSST_OK)
        g_error ("%s", tosst_context_message (context));
      seconds[i] = report->seconds;
    }
  tosst_coder_free (coder);
  return 1e3 * bench_median (seconds, RUNS) / SOME;
}

static void
measure_dictionary (TosstContext *context, const TosstLayout *layout, const float *tensors, int K)
{
  TosstLearnOptions learn;
  TosstDictionary *dictionary;
  g_autofree double *some = g_new (double, SOME * layout->m), *codes = g_new (double, (gsize)SOME *K);

  tosst_learn_options_default (&learn);
  learn.atoms = K;
  learn.problem.lambda = 1e-3;
  learn.iterations = 4;
  if (tosst_learn (context, layout, tensors, MIN (3 * K, TENSORS), &learn, NULL, NULL, NULL, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  for (gsize n = 0; n < SOME; n++)
    for (gsize i = 0; i < layout->m; i++)
      some[n * layout->m + i] = tensors[n * (TENSORS / SOME) * layout->m + i];
  for (int i = 0; i < 2; i++)
    {
      TosstCodingOptions options;
      TosstCodingReport report, free_report;
      tosst_coding_options_default (&options);
      options.problem.lambda = i ? 5e-4 : 3e-3;
      double free_ms = measure (context, dictionary, layout, some, codes, &options, &free_report);
      options.problem.nonnegative_beta = true;
      double ms = measure (context, dictionary, layout, some, codes, &options, &report);
      g_print ("K %4d, lambda %g: %7.2f ms a tensor, KKT %.1e, %.0f non-zeros; beta free: %.3f ms, %.0f non-zeros; "
               "%.0f MB a worker\n",
               K, options.problem.lambda, ms, report.worst_kkt, report.mean_nonzeros, free_ms,
               free_report.mean_nonzeros,
               1e-6
                   * (tosst_code_nonnegative_bytes (layout->D, layout->S, K, 2)
                      - tosst_code_nonnegative_bytes (layout->D, layout->S, K, 1)));
    }
  tosst_dictionary_free (dictionary);
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  static const int atoms[] = { 200, 500, 1000, 2000 };
  TosstFeatureOptions features;
  TosstLayout *layout;

  tosst_feature_options_default (&features);
  features.luminance = false;
  float *tensors = bench_tensors (context, &features, 20, TENSORS, &layout);
  int most = argc > 1 && argv[argc - 1][0] != '-' ? atoi (argv[argc - 1]) : (int)G_N_ELEMENTS (atoms);
  for (int i = 0; i < MIN (most, (int)G_N_ELEMENTS (atoms)); i++)
    measure_dictionary (context, layout, tensors, atoms[i]);
  tosst_layout_free (layout);
  g_free (tensors);
  tosst_context_free (context);
  return 0;
}

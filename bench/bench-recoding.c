/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding at d = 30, K = 2000, one tensor at a time as a slider moves: steps of lambda and of gamma, in
 * processor time.
 */
#include <math.h>

#include "bench.h"
#include "tosst/code.h"

#define ATOMS 2000
#define TENSORS 5 /* each recoded alone */
#define STEPS 13

/* Milliseconds of processor time. */
static double
recode (TosstContext *context, TosstRecoding *recoding, double lambda, double gamma, TosstCodingReport *report)
{
  double start = bench_processor_seconds ();
  if (tosst_recode (context, recoding, lambda, gamma, report) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  return 1e3 * (bench_processor_seconds () - start);
}

/* Over steps down and up again: median and worst milliseconds. */
static void
measure (TosstContext *context, TosstRecoding **recoding, const char *name, double lambda, double gamma,
         double lambda_step, double gamma_step)
{
  TosstCodingReport report;
  double ms[TENSORS * STEPS * 2], worst_kkt = 0, nonzeros = 0, setup = 0;
  int n = 0;

  for (int i = 0; i < TENSORS; i++)
    {
      double l = lambda, g = gamma;
      recode (context, recoding[i], l, g, &report);
      for (int step = 0; step < 2 * STEPS; step++)
        {
          gboolean down = step < STEPS;
          l *= down ? 1 / lambda_step : lambda_step;
          g *= down ? 1 / gamma_step : gamma_step;
          ms[n++] = recode (context, recoding[i], l, g, &report);
          worst_kkt = fmax (worst_kkt, report.worst_kkt);
          nonzeros = fmax (nonzeros, report.mean_nonzeros);
          setup += 1e3 * report.seconds_products / (TENSORS * STEPS * 2);
        }
    }
  double median = bench_median (ms, n);
  g_print ("%-28s median %6.2f ms, worst %6.2f ms (for gamma %.2f by the clock); up to %.0f non-zeros; KKT %.1e\n",
           name, median, ms[n - 1], setup, nonzeros, worst_kkt);
}

int
main (int argc, char *argv[])
{
  TosstContext *context = bench_start (&argc, &argv);
  TosstFeatureOptions features;
  TosstLearnOptions learn;
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstDictionary *dictionary;
  TosstLayout *layout;
  TosstRecoding *recoding[TENSORS];

  tosst_feature_options_default (&features);
  features.luminance = false;
  float *tensors = bench_tensors (context, &features, 20, 2 * ATOMS, &layout);
  tosst_learn_options_default (&learn);
  learn.atoms = ATOMS;
  learn.problem.lambda = 1e-3;
  learn.iterations = 3;
  if (tosst_learn (context, layout, tensors, 2 * ATOMS, &learn, NULL, NULL, NULL, &dictionary) != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
  tosst_coding_options_default (&options);
  for (int i = 0; i < TENSORS; i++)
    {
      double start = bench_seconds ();
      const float *tensor = tensors + (size_t)i * 700 * layout->m;
      if (tosst_recoding_new (context, dictionary, layout, &options, tensor, 1, &recoding[i]) != TOSST_OK)
        g_error ("%s", tosst_context_message (context));
      double made = bench_seconds () - start, first = recode (context, recoding[i], 2e-3, 1, &report);
      double nonzeros = report.mean_nonzeros, change = recode (context, recoding[i], 2e-3, 1.1, &report);
      g_print ("tensor %d: made in %.1f ms, first code in %.1f ms, %.0f non-zeros; first change of gamma in %.1f ms\n",
               i, 1e3 * made, first, nonzeros, change);
    }
  measure (context, recoding, "lambda in steps of 10 %", 2e-3, 1, 1.1, 1);
  measure (context, recoding, "lambda in steps of 50 %", 0.05, 1, 1.5, 1);
  measure (context, recoding, "gamma in steps of 10 %", 2e-3, 1, 1, 1.1);
  measure (context, recoding, "gamma in steps of 50 %", 1e-3, 20, 1, 1.5);
  for (int i = 0; i < TENSORS; i++)
    tosst_recoding_free (recoding[i]);
  tosst_dictionary_free (dictionary);
  tosst_layout_free (layout);
  g_free (tensors);
  tosst_context_free (context);
  return 0;
}

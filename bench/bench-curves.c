/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How cost grows with the number of tensors N, of atoms K and the side d, beside the order that is expected: describing
 * and whitening, an iteration of learning by its parts, coding, training an SVM. Processor time of one thread.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "core/image/probe.h"
#include "tosst/classify.h"
#include "tosst/context.h"
#include "tosst/describe.h"
#include "tosst/tensor.h"

#define COLUMNS 10
#define ROWS 5
#define ITERATIONS 4
#define SETTLED 3 /* the first iteration that counts */
#define RUNS 3
#define PATCH 20
#define POINTS 2000
#define CLASSES 10

/* A table of cost against one number. */
typedef struct
{
  const char *title, *of;
  const char *name[COLUMNS], *order[COLUMNS]; /* of a column, and how it should grow */
  double x[ROWS], y[ROWS][COLUMNS];
  int columns, rows;
} Curve;

/* Slope of log y against log x. */
static double
exponent (const Curve *curve, int column)
{
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;

  for (int i = 0; i < curve->rows; i++)
    {
      mean_x += log (curve->x[i]) / curve->rows;
      mean_y += log (curve->y[i][column]) / curve->rows;
    }
  for (int i = 0; i < curve->rows; i++)
    {
      double x = log (curve->x[i]) - mean_x;
      xx += x * x;
      xy += x * (log (curve->y[i][column]) - mean_y);
    }
  return xy / xx;
}

static void
print_curve (const Curve *curve)
{
  g_print ("\n%s\n%10s", curve->title, curve->of);
  for (int c = 0; c < curve->columns; c++)
    g_print ("%11s", curve->name[c]);
  for (int i = 0; i < curve->rows; i++)
    {
      g_print ("\n%10.0f", curve->x[i]);
      for (int c = 0; c < curve->columns; c++)
        g_print ("%11.*f", curve->y[i][c] < 10 ? 2 : curve->y[i][c] < 100 ? 1 : 0, curve->y[i][c]);
    }
  g_print ("\n%10s", "exponent");
  for (int c = 0; c < curve->columns; c++)
    g_print ("%11.2f", exponent (curve, c));
  g_print ("\n%10s", "expected");
  for (int c = 0; c < curve->columns; c++)
    g_print ("%11s", curve->order[c]);
  g_print ("\n");
}

static void
check (TosstContext *context, TosstStatus status)
{
  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
}

/* RBF features of seven values: d = 7 Z. */
static TosstFeatureOptions
features_of_side (int d)
{
  TosstFeatureOptions features;

  tosst_feature_options_default (&features);
  features.pivots = d / 7;
  return features;
}

/* Describing and whitening. */
static void
run_descriptors (TosstContext *context)
{
  Curve curve = { .title = "Describing and whitening against d, microseconds a tensor",
                  .of = "d",
                  .name = { "describing", "whitening" },
                  .order = { "3", "4" },
                  .columns = 2 };
  gboolean real;
  g_autoptr (TosstImage) image = bench_image (0, &real);
  TosstPoint points[POINTS];
  TosstRandom random;

  tosst_random_init (&random, 1, 0);
  for (int i = 0; i < POINTS; i++)
    points[i] = (TosstPoint){ tosst_random_below (&random, image->width - PATCH + 1),
                              tosst_random_below (&random, image->height - PATCH + 1) };
  for (int d = 14; d <= 42; d += 7)
    {
      TosstFeatureOptions features = features_of_side (d);
      TosstLayout *layout = tosst_layout_new (d);
      g_autofree float *tensors = g_new (float, POINTS * layout->m);
      double describing[RUNS], whitening[RUNS];
      for (int i = 0; i < RUNS; i++)
        {
          double start = bench_processor_seconds ();
          check (context, tosst_describe (context, image, &features, PATCH, points, POINTS, tensors));
          double between = bench_processor_seconds ();
          check (context, tosst_whiten (context, layout, tensors, POINTS, 0.5, 1));
          describing[i] = between - start;
          whitening[i] = bench_processor_seconds () - between;
        }
      curve.y[curve.rows][0] = 1e6 * bench_median (describing, RUNS) / POINTS;
      curve.y[curve.rows][1] = 1e6 * bench_median (whitening, RUNS) / POINTS;
      curve.x[curve.rows++] = d;
      tosst_layout_free (layout);
    }
  print_curve (&curve);
}

typedef struct
{
  double processor; /* seconds when the iteration began */
  double *row;      /* milliseconds of an iteration by its parts, and non-zeros */
} Watch;

/* Parts are told apart by the clock, and take their share of the processor time; other work on the machine makes them
 * longer, never shorter, so that the least of some iterations counts. */
static void
watch_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Watch *watch = data;
  const double *stage = iteration->stage;
  double processor = bench_processor_seconds (), share = 0;

  for (int s = 0; s < TOSST_LEARN_STAGES; s++)
    share += stage[s];
  share = 1e3 * (processor - watch->processor) / share;
  const double parts[] = { stage[TOSST_LEARN_SETUP],
                           stage[TOSST_LEARN_PRODUCTS],
                           stage[TOSST_LEARN_LASSOS],
                           stage[TOSST_LEARN_LASSOS] / iteration->mean_nonzeros,
                           stage[TOSST_LEARN_Y],
                           stage[TOSST_LEARN_P],
                           stage[TOSST_LEARN_SUMS] + stage[TOSST_LEARN_W],
                           stage[TOSST_LEARN_B],
                           stage[TOSST_LEARN_b] };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (iteration->iteration <= SETTLED || share * parts[i] < watch->row[i])
      watch->row[i] = share * parts[i];
  watch->row[G_N_ELEMENTS (parts)] = iteration->mean_nonzeros;
  watch->processor = processor;
}

static TosstDictionary *
learn (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n, int K, double *row)
{
  TosstLearnOptions options;
  TosstDictionary *dictionary;
  Watch watch = { .processor = bench_processor_seconds (), .row = row };

  tosst_learn_options_default (&options);
  options.atoms = K;
  options.iterations = ITERATIONS;
  options.tolerance = 0;
  check (context, tosst_learn (context, layout, tensors, n, &options, NULL, watch_iteration, &watch, &dictionary));
  return dictionary;
}

#define LEARNING                                                                                                       \
  .name = { "set-up", "Q", "Lassos", "/ non-zero", "Y", "P", "sums, W", "B", "b", "non-zeros" }, .columns = COLUMNS

static void
learn_row (TosstContext *context, Curve *curve, double x, size_t n, int K, int d)
{
  TosstFeatureOptions features = features_of_side (d);
  TosstLayout *layout;
  g_autofree float *tensors = bench_tensors (context, &features, PATCH, n, &layout);

  tosst_dictionary_free (learn (context, layout, tensors, n, K, curve->y[curve->rows]));
  curve->x[curve->rows++] = x;
  tosst_layout_free (layout);
}

/* Coding from nothing. */
static void
code_row (TosstContext *context, Curve *curve, const TosstDictionary *dictionary, const TosstLayout *layout,
          const float *tensors, size_t n)
{
  g_autofree float *codes = g_new (float, n * dictionary->K);
  double *row = curve->y[curve->rows];
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder;

  tosst_coding_options_default (&options);
  double start = bench_processor_seconds ();
  check (context, tosst_coder_new (context, dictionary, layout, &options, &coder));
  double between = bench_processor_seconds ();
  check (context, tosst_code (context, coder, tensors, n, false, codes, &report));
  double coding = 1e6 * (bench_processor_seconds () - between) / n;
  row[0] = 1e3 * (between - start);
  row[1] = coding * report.seconds_products / report.seconds;
  row[2] = coding - row[1];
  row[3] = row[2] / report.mean_nonzeros;
  row[4] = report.mean_nonzeros;
  curve->x[curve->rows++] = dictionary->K;
  tosst_coder_free (coder);
}

/* Learning against K, and coding with what was learned. */
static void
run_atoms (TosstContext *context)
{
  Curve learning = { .title = "An iteration of learning against K, N = 8000, d = 21, milliseconds",
                     .of = "K",
                     .order = { "1-2", "1", "1", "1", "0", "0-1", "1-2", "1-2", "1-2", "" },
                     LEARNING };
  Curve coding = { .title = "Coding against K, d = 21, microseconds a tensor; set-up in milliseconds",
                   .of = "K",
                   .name = { "set-up", "products", "Lassos", "/ non-zero", "non-zeros" },
                   .order = { "1-2", "1", "1", "1", "" },
                   .columns = 5 };
  TosstFeatureOptions features = features_of_side (21);
  TosstLayout *layout;
  size_t n = 8000;
  g_autofree float *tensors = bench_tensors (context, &features, PATCH, n, &layout);

  for (int K = 250; K <= 2000; K *= 2)
    {
      TosstDictionary *dictionary = learn (context, layout, tensors, n, K, learning.y[learning.rows]);
      learning.x[learning.rows++] = K;
      code_row (context, &coding, dictionary, layout, tensors, n);
      tosst_dictionary_free (dictionary);
    }
  print_curve (&learning);
  print_curve (&coding);
  tosst_layout_free (layout);
}

/* Learning against N and d. */
static void
run_learning (TosstContext *context)
{
  Curve tensors = { .title = "An iteration of learning against N, d = 21, K = 500, milliseconds",
                    .of = "N",
                    .order = { "0", "1", "1", "1", "1", "1", "0", "0", "0", "" },
                    LEARNING };
  Curve sides = { .title = "An iteration of learning against d, N = 4000, K = 500, milliseconds",
                  .of = "d",
                  .order = { "3", "3", "0", "0", "3", "0", "2-4", "2-3", "1-3", "" },
                  LEARNING };

  for (int n = 2000; n <= 16000; n *= 2)
    learn_row (context, &tensors, n, n, 500, 21);
  for (int d = 14; d <= 42; d += 7)
    learn_row (context, &sides, d, 4000, 500, d);
  print_curve (&tensors);
  print_curve (&sides);
}

/* n signatures of length p, those of a class about a centre of its own. */
static double
train_milliseconds (TosstContext *context, size_t n, int p)
{
  g_autofree float *x = g_new (float, n *p), *centre = g_new (float, CLASSES *p);
  g_autofree int *labels = g_new (int, n);
  TosstSvmOptions options;
  TosstRandom random;
  TosstSvm *svm;

  tosst_random_init (&random, 1, 0);
  for (int i = 0; i < CLASSES * p; i++)
    centre[i] = tosst_random_uniform (&random);
  for (size_t i = 0; i < n; i++)
    {
      labels[i] = i % CLASSES;
      for (int j = 0; j < p; j++)
        x[i * p + j] = (centre[labels[i] * p + j] + 3 * tosst_random_uniform (&random)) / sqrt (4. * p);
    }
  tosst_svm_options_default (&options);
  double start = bench_processor_seconds ();
  check (context, tosst_svm_train (context, x, n, p, labels, CLASSES, &options, NULL, &svm));
  double seconds = bench_processor_seconds () - start;
  tosst_svm_free (svm);
  return 1e3 * seconds;
}

static void
run_svm (TosstContext *context)
{
  Curve signatures = { .title = "Training an SVM against n, 500 numbers in a signature, 10 classes, milliseconds",
                       .of = "n",
                       .name = { "training" },
                       .order = { "1-2" },
                       .columns = 1 };
  Curve numbers = { .title = "Training an SVM against p, 500 signatures, 10 classes, milliseconds",
                    .of = "p",
                    .name = { "training" },
                    .order = { "1-2" },
                    .columns = 1 };

  for (int n = 250; n <= 4000; n *= 2)
    {
      signatures.x[signatures.rows] = n;
      signatures.y[signatures.rows++][0] = train_milliseconds (context, n, 500);
      numbers.x[numbers.rows] = n;
      numbers.y[numbers.rows++][0] = train_milliseconds (context, 500, n);
    }
  print_curve (&signatures);
  print_curve (&numbers);
}

int
main (int argc, char *argv[])
{
  tosst_context_free (bench_start (&argc, &argv));
  TosstContext *context = tosst_context_new (1);

  g_print ("curves are of one thread\n");
  run_descriptors (context);
  run_learning (context);
  run_atoms (context);
  run_svm (context);
  tosst_context_free (context);
  return 0;
}

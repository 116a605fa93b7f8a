/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The classifier against LIBLINEAR on signatures of Brodatz images as a recipe makes them: 24 blocks of each of 111
 * images, K = 2000 atoms, average pooling, power 0.5, unit length. Times are processor time and objectives are
 * evaluated here, in double, for both. --curves: times against samples, atoms and classes instead.
 */
#include <linear.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "core/image/probe.h"
#include "tosst/classify.h"
#include "tosst/describe.h"
#include "tosst/pool.h"

enum
{
  CLASSES = 111,
  ATOMS = 2000,
  PATCH = 20,
  STEP = 20,
  BLOCK = 160,
  BLOCK_STEP = 80,
  EACH = 24, /* blocks of a class to train on */
  SAMPLES = CLASSES * EACH,
  ROUNDS = 3,
};

typedef struct
{
  float *x; /* n x p */
  int *labels;
  gsize n;
  int p, classes;
} Set;

static void
check (TosstContext *context, TosstStatus status)
{
  if (status != TOSST_OK)
    g_error ("%s", tosst_context_message (context));
}

/* A few iterations: atoms as correlated as those of a recipe. */
static TosstDictionary *
make_dictionary (TosstContext *context, const TosstFeatureOptions *features)
{
  TosstLearnOptions options;
  TosstDictionary *dictionary;
  TosstLayout *layout;
  g_autofree float *tensors = bench_tensors (context, features, PATCH, 2 * ATOMS, &layout);

  tosst_learn_options_default (&options);
  options.atoms = ATOMS;
  options.problem.lambda = 1e-3;
  options.iterations = 2;
  check (context, tosst_learn (context, layout, tensors, 2 * ATOMS, &options, NULL, NULL, NULL, &dictionary));
  tosst_layout_free (layout);
  return dictionary;
}

/* Every other block of the image, as many as asked for. */
static void
pool_blocks (const TosstImage *image, const TosstPoint *points, gsize n, const float *codes, float *signatures)
{
  g_autofree gsize *index = g_new (gsize, n);
  int number = 0;

  for (int y = 0; y + BLOCK <= image->height; y += BLOCK_STEP)
    for (int x = 0; x + BLOCK <= image->width; x += BLOCK_STEP, number++)
      {
        gsize count = 0;
        if (number % 2 == 0 || number / 2 >= EACH)
          continue;
        for (gsize i = 0; i < n; i++)
          if (points[i].x >= x && points[i].x + PATCH <= x + BLOCK && points[i].y >= y
              && points[i].y + PATCH <= y + BLOCK)
            index[count++] = i;
        float *to = signatures + number / 2 * ATOMS;
        g_assert_true (tosst_pool (TOSST_POOL_AVERAGE, NAN, codes, ATOMS, index, count, to) == TOSST_OK);
        tosst_normalise_signature (to, ATOMS, 0.5, TRUE);
      }
  g_assert_cmpint (number / 2, >=, EACH);
}

static Set
make_set (TosstContext *context)
{
  Set set = { g_new (float, (gsize)SAMPLES *ATOMS), g_new (int, SAMPLES), SAMPLES, ATOMS, CLASSES };
  TosstFeatureOptions features;
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder;
  gboolean real = FALSE;

  tosst_feature_options_default (&features);
  features.luminance = FALSE;
  TosstDictionary *dictionary = make_dictionary (context, &features);
  TosstLayout *layout = tosst_layout_new (dictionary->d);
  tosst_coding_options_default (&options);
  options.problem.lambda = 1e-3;
  check (context, tosst_coder_new (context, dictionary, layout, &options, &coder));
  for (int c = 0; c < CLASSES; c++)
    {
      g_autoptr (TosstImage) image = bench_image ((gsize)c, &real);
      gsize n = tosst_patch_grid (image->width, image->height, PATCH, STEP, NULL);
      g_autofree TosstPoint *points = g_new (TosstPoint, n);
      g_autofree float *tensors = g_new (float, n * layout->m), *codes = g_new (float, n *ATOMS);

      tosst_patch_grid (image->width, image->height, PATCH, STEP, points);
      check (context, tosst_describe (context, image, &features, PATCH, points, n, tensors));
      check (context, tosst_code (context, coder, tensors, n, FALSE, codes, &report));
      pool_blocks (image, points, n, codes, set.x + (gsize)c * EACH * ATOMS);
      for (int i = 0; i < EACH; i++)
        set.labels[c * EACH + i] = c;
    }
  tosst_coder_free (coder);
  tosst_layout_free (layout);
  tosst_dictionary_free (dictionary);
  return set;
}

/* The sum of all classes' objectives for w: classes x (p + 1), w_0 at the end of each. */
static double
objective (const Set *set, double C, const TosstSvm *svm)
{
  g_autofree double *margins = g_new (double, set->n *(gsize)set->classes);
  double sum = 0, loss = 0;

  tosst_svm_margins (svm, set->x, set->n, margins);
  for (gsize i = 0; i < (gsize)set->classes * ((gsize)set->p + 1); i++)
    sum += 0.5 * svm->w[i] * svm->w[i];
  for (gsize i = 0; i < set->n; i++)
    for (int c = 0; c < set->classes; c++)
      {
        double margin = margins[i * (gsize)set->classes + (gsize)c];
        double hinge = fmax (0, 1 - (set->labels[i] == c ? margin : -margin));
        loss += hinge * hinge;
      }
  return sum + C * loss;
}

static TosstSvm *
train_ours (TosstContext *context, const Set *set, double C)
{
  TosstSvmOptions options;
  TosstSvm *svm;

  tosst_svm_options_default (&options);
  options.c = C;
  check (context, tosst_svm_train (context, set->x, set->n, set->p, set->labels, set->classes, &options, NULL, &svm));
  return svm;
}

static void
quiet (const char *text)
{
  (void)text;
}

/* What is not zero, as LIBLINEAR reads it. */
static struct problem
make_problem (const Set *set)
{
  struct problem problem = { .l = (int)set->n, .n = set->p + 1, .bias = 1 };
  gsize nodes = 0;

  for (gsize i = 0; i < set->n * (gsize)set->p; i++)
    nodes += set->x[i] != 0;
  struct feature_node *node = g_new (struct feature_node, nodes + 2 * set->n);
  problem.x = g_new (struct feature_node *, set->n);
  problem.y = g_new (double, set->n);
  for (gsize i = 0; i < set->n; i++)
    {
      problem.x[i] = node;
      problem.y[i] = set->labels[i];
      for (int j = 0; j < set->p; j++)
        if (set->x[i * (gsize)set->p + (gsize)j] != 0)
          *node++ = (struct feature_node){ j + 1, set->x[i * (gsize)set->p + (gsize)j] };
      *node++ = (struct feature_node){ set->p + 1, 1 };
      *node++ = (struct feature_node){ -1, 0 };
    }
  g_print ("%.0f %% of the numbers are not zero\n", 100.0 * (double)nodes / (double)(set->n * (gsize)set->p));
  return problem;
}

static void
clear_problem (struct problem *problem)
{
  g_free (problem->x[0]);
  g_free (problem->x);
  g_free (problem->y);
}

/* Processor time and the objective reached. */
static double
train_theirs (const Set *set, const struct problem *problem, int solver, double C, double eps, double *value)
{
  struct parameter parameter = { .solver_type = solver, .eps = eps, .C = C };
  double start = bench_processor_seconds ();
  struct model *model = train (problem, &parameter);
  double seconds = bench_processor_seconds () - start;
  TosstSvm *svm = tosst_svm_new (set->p, set->classes);

  for (int c = 0; c < set->classes; c++)
    for (int j = 0; j <= set->p; j++)
      svm->w[model->label[c] * (set->p + 1) + j] = model->w[j * set->classes + c];
  *value = objective (set, C, svm);
  tosst_svm_free (svm);
  free_and_destroy_model (&model);
  return seconds;
}

/* With its own eps, then smaller ones until it is as good as the answer to a millionth. */
static void
measure_theirs (const Set *set, const struct problem *problem, int solver, double C, double eps, double ours,
                double seconds)
{
  for (int step = 0; step < 6; step++, eps /= 10)
    {
      double value, theirs = train_theirs (set, problem, solver, C, eps, &value);
      g_print ("  LIBLINEAR -s %d -e %g: %.2f s, %.1f times ours; objective above ours by %.1e of it\n", solver, eps,
               theirs, theirs / seconds, value / ours - 1);
      if (value <= ours * (1 + 1e-6))
        break;
    }
}

static void
measure (const Set *set, const struct problem *problem, double C)
{
  TosstContext *contexts[] = { tosst_context_new (1), tosst_context_new (2) };
  double seconds[2][ROUNDS], clock[2][ROUNDS], value = 0;

  for (int i = 0; i < ROUNDS; i++)
    for (int t = 0; t < 2; t++)
      {
        double start = bench_processor_seconds (), begin = bench_seconds ();
        TosstSvm *svm = train_ours (contexts[t], set, C);
        seconds[t][i] = bench_processor_seconds () - start;
        clock[t][i] = bench_seconds () - begin;
        value = objective (set, C, svm);
        tosst_svm_free (svm);
      }
  double one = bench_median (seconds[0], ROUNDS), two = bench_median (seconds[1], ROUNDS);
  g_print ("C = %g: %.2f s; two threads against one by the clock: %.2f; by processor time, as on cores of their own: "
           "%.2f\n",
           C, one, bench_median (clock[0], ROUNDS) / bench_median (clock[1], ROUNDS), 2 * one / two);
  measure_theirs (set, problem, L2R_L2LOSS_SVC, C, 0.01, value, one);
  measure_theirs (set, problem, L2R_L2LOSS_SVC_DUAL, C, 0.1, value, one);
  tosst_context_free (contexts[0]);
  tosst_context_free (contexts[1]);
}

/* The first p numbers of `each` samples of the first classes. */
static Set
part_of (const Set *set, int classes, int each, int p)
{
  gsize n = (gsize)classes * (gsize)each, row = 0;
  Set part = { g_new (float, n *(gsize)p), g_new (int, n), n, p, classes };

  for (int c = 0; c < classes; c++)
    for (int i = 0; i < each; i++, row++)
      {
        memcpy (part.x + row * (gsize)p, set->x + (gsize)(c * EACH + i) * ATOMS, (gsize)p * sizeof *part.x);
        tosst_normalise_signature (part.x + row * (gsize)p, p, 1, TRUE);
        part.labels[row] = c;
      }
  return part;
}

static void
point_of_curve (const Set *set, const char *name, int classes, int each, int p)
{
  TosstContext *context = tosst_context_new (1);
  Set part = part_of (set, classes, each, p);
  double seconds[ROUNDS];

  for (int i = 0; i < ROUNDS; i++)
    {
      double start = bench_processor_seconds ();
      tosst_svm_free (train_ours (context, &part, 100));
      seconds[i] = bench_processor_seconds () - start;
    }
  g_print ("%s: %zu samples, K = %d, %d classes: %.3f s\n", name, part.n, p, classes, bench_median (seconds, ROUNDS));
  g_free (part.x);
  g_free (part.labels);
  tosst_context_free (context);
}

static void
measure_curves (const Set *set)
{
  for (int each = 3; each <= EACH; each *= 2)
    point_of_curve (set, "samples of a class", CLASSES, each, ATOMS);
  for (int p = ATOMS / 8; p <= ATOMS; p *= 2)
    point_of_curve (set, "atoms", CLASSES, EACH, p);
  for (int parts = 8; parts >= 1; parts /= 2)
    point_of_curve (set, "classes", CLASSES / parts, EACH, ATOMS);
}

int
main (int argc, char *argv[])
{
  gboolean curves = FALSE;
  TosstContext *context = bench_start (&argc, &argv);

  for (int i = 1; i < argc; i++)
    curves = curves || g_str_equal (argv[i], "--curves");
  Set set = make_set (context);
  g_print ("%zu signatures of %d numbers, %d classes\n", set.n, set.p, set.classes);
  set_print_string_function (quiet);
  if (curves)
    measure_curves (&set);
  else
    {
      struct problem problem = make_problem (&set);
      measure (&set, &problem, 10);
      measure (&set, &problem, 100);
      clear_problem (&problem);
    }
  g_free (set.x);
  g_free (set.labels);
  tosst_context_free (context);
  return 0;
}

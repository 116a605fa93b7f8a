/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The classifier against its optimality conditions and, where it is installed, against LIBLINEAR on the same problems.
 * Run with -m perf for the times of both. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "objects.h"
#include "processor-time.h"
#include "tosst/classify.h"

#ifdef HAVE_LIBLINEAR
#include <linear.h>
#endif

typedef struct
{
  gsize n;
  int p, classes;
  float *x;
  int *labels;
} Samples;

static void
samples_free (Samples *samples)
{
  g_free (samples->x);
  g_free (samples->labels);
  g_free (samples);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Samples, samples_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSvm, tosst_svm_free)

/* Unit vectors: class centres plus noise. separation 0 is pure noise; above 3 the classes separate. */
static Samples *
samples_new (gsize n, int p, int classes, double separation, guint64 seed)
{
  Samples *samples = g_new0 (Samples, 1);
  g_autofree double *centres = g_new (double, (gsize)classes *(gsize)p);
  TosstRandom random;

  *samples = (Samples){ n, p, classes, g_new (float, n *(gsize)p), g_new (int, n) };
  tosst_random_init (&random, seed, 1);
  for (gsize i = 0; i < (gsize)classes * (gsize)p; i++)
    centres[i] = tosst_random_normal (&random);
  for (gsize i = 0; i < n; i++)
    {
      float *row = samples->x + i * (gsize)p;
      double norm = 0.0;
      samples->labels[i] = (int)(i % (gsize)classes);
      for (int j = 0; j < p; j++)
        {
          row[j] = (float)(separation * centres[(gsize)samples->labels[i] * (gsize)p + (gsize)j]
                           + tosst_random_normal (&random));
          norm += (double)row[j] * row[j];
        }
      for (int j = 0; j < p; j++)
        row[j] = (float)(row[j] / sqrt (norm));
    }
  return samples;
}

static TosstSvm *
train_ours (const Samples *samples, double c, int threads, double *objective)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstSvmOptions options;
  TosstSvm *svm = NULL;
  TosstStatus status;

  tosst_svm_options_default (&options);
  options.c = c;
  status = tosst_svm_train (context, samples->x, samples->n, samples->p, samples->labels, samples->classes, &options,
                            objective, &svm);
  if (status != TOSST_OK)
    g_test_message ("%s", tosst_context_message (context));
  assert_ok (status);
  g_assert_cmpint (svm->p, ==, samples->p);
  g_assert_cmpint (svm->classes, ==, samples->classes);
  return svm;
}

/* The objective of one class and its gradient (p + 1), written out. */
static double
evaluate (const Samples *samples, const double *w, int positive, double c, double *gradient)
{
  int p = samples->p;
  double value = 0.0;

  for (int j = 0; j <= p; j++)
    {
      value += 0.5 * w[j] * w[j];
      gradient[j] = w[j];
    }
  for (gsize i = 0; i < samples->n; i++)
    {
      const float *row = samples->x + i * (gsize)p;
      double t = samples->labels[i] == positive ? 1.0 : -1.0, margin = w[p], hinge;
      for (int j = 0; j < p; j++)
        margin += w[j] * row[j];
      hinge = 1.0 - t * margin;
      if (hinge <= 0.0)
        continue;
      value += c * hinge * hinge;
      for (int j = 0; j < p; j++)
        gradient[j] -= 2.0 * c * t * hinge * row[j];
      gradient[p] -= 2.0 * c * t * hinge;
    }
  return value;
}

static double
norm (const double *v, int n)
{
  double sum = 0.0;

  for (int i = 0; i < n; i++)
    sum += v[i] * v[i];
  return sqrt (sum);
}

static void
assert_optimal (const Samples *samples, double c)
{
  int p = samples->p;
  g_autofree double *objective = g_new (double, samples->classes), *gradient = g_new (double, p + 1),
                    *zero = g_new0 (double, p + 1);
  g_autoptr (TosstSvm) svm = train_ours (samples, c, 2, objective);

  for (int k = 0; k < samples->classes; k++)
    {
      double scale, value;
      evaluate (samples, zero, k, c, gradient);
      scale = norm (gradient, p + 1);
      value = evaluate (samples, svm->w + (gsize)k * (gsize)(p + 1), k, c, gradient);
      g_assert_cmpfloat (norm (gradient, p + 1), <=, 1.5e-6 * scale);
      g_assert_cmpfloat (fabs (value - objective[k]), <=, 1e-9 * fabs (value));
    }
}

typedef struct
{
  const char *name;
  gsize n;
  int p, classes;
  double separation, c;
} Case;

static const Case cases[] = {
  { "noise-tall", 300, 20, 5, 0.0, 10.0 },       { "noise-wide", 120, 300, 6, 0.0, 100.0 },
  { "mixed-tall", 400, 30, 8, 0.7, 100.0 },      { "separable-tall", 300, 40, 10, 4.0, 100.0 },
  { "separable-wide", 150, 400, 12, 4.0, 10.0 }, { "small-c", 200, 50, 4, 0.7, 1e-3 },
  { "large-c", 200, 50, 4, 0.7, 1e4 },           { "two-classes", 90, 10, 2, 0.5, 1.0 },
  { "square", 101, 100, 7, 0.5, 100.0 },
};

static void
test_optimal (gconstpointer data)
{
  const Case *example = data;
  g_autoptr (Samples) samples = samples_new (example->n, example->p, example->classes, example->separation, example->n);

  assert_optimal (samples, example->c);
}

/* One class with a single sample, duplicates of a sample with both labels, and constant columns. */
static Samples *
awkward_samples (void)
{
  Samples *samples = samples_new (160, 25, 4, 0.8, 11);

  for (gsize i = 0; i < samples->n; i++)
    {
      if (samples->labels[i] == 3 && i != 3)
        samples->labels[i] = 0;
      samples->x[i * 25 + 7] = 0.25f;
      samples->x[i * 25 + 8] = 0.0f;
    }
  memcpy (samples->x + 25, samples->x, 25 * sizeof (float));
  return samples;
}

static void
test_awkward (void)
{
  g_autoptr (Samples) samples = awkward_samples ();

  assert_optimal (samples, 100.0);
}

static void
test_zero_signatures (void)
{
  g_autoptr (Samples) samples = samples_new (12, 3, 3, 1.0, 2);

  memset (samples->x, 0, 36 * sizeof (float));
  assert_optimal (samples, 10.0);
}

/* One feature, two samples at +-1, C: w minimises w^2 / 2 + 2 C (1 - w)^2, so w = 4 C / (1 + 4 C), w_0 = 0. */
static void
test_by_hand (void)
{
  float x[] = { 1.0f, -1.0f };
  int labels[] = { 0, 1 };
  Samples samples = { 2, 1, 2, x, labels };
  double objective[2];
  g_autoptr (TosstSvm) svm = train_ours (&samples, 2.0, 1, objective);

  g_assert_cmpfloat_with_epsilon (svm->w[0], 8.0 / 9.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (svm->w[1], 0.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (svm->w[2], -8.0 / 9.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (objective[0], 4.0 / 9.0, 1e-12);
}

/* Noise of any size: with a large C no hyperplane comes near, pieces of the objective are all but singular, and the gradient at
 * zero is enormous. */
static void
test_noise (void)
{
  static const int shapes[][2] = { { 500, 200 }, { 120, 300 }, { 300, 20 } };
  static const double sizes[] = { 0.01, 10, 100 }, cs[] = { 1, 1e3, 1e4, 1e6 };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (gsize c = 0; c < G_N_ELEMENTS (cs); c++)
        {
          int p = shapes[i][1];
          g_autoptr (Samples) samples = samples_new ((gsize)shapes[i][0], p, 3, 0.0, 77);
          g_autofree double *gradient = g_new (double, p + 1), *zero = g_new0 (double, p + 1);
          double objective[3];
          for (gsize j = 0; j < samples->n * (gsize)p; j++)
            samples->x[j] *= (float)(sizes[s] * sqrt (p));
          g_test_message ("%d x %d of size %g, C %g", shapes[i][0], p, sizes[s], cs[c]);
          g_autoptr (TosstSvm) svm = train_ours (samples, cs[c], 2, objective);
          g_assert_cmpfloat (svm->residual, <=, 1e-6);
          for (int k = 0; k < 3; k++)
            {
              evaluate (samples, zero, k, cs[c], gradient);
              double scale = norm (gradient, p + 1);
              double value = evaluate (samples, svm->w + k * (p + 1), k, cs[c], gradient);
              g_assert_cmpfloat (norm (gradient, p + 1), <=, (svm->residual * 1.01 + 1e-12) * scale);
              g_assert_cmpfloat (fabs (value - objective[k]), <=, 1e-9 * value);
            }
        }
}

/* Noise that is nowhere near zero: what the dual form finds, w says only roughly, and w needs many steps of its own. */
static void
test_long_noise (void)
{
  g_autoptr (Samples) samples = samples_new (1800, 700, 3, 0.0, 77);
  double objective[3];
  TosstRandom random;

  tosst_random_init (&random, 10, 0);
  for (gsize j = 0; j < samples->n * (gsize)samples->p; j++)
    samples->x[j] = (float)(100 * (1 + tosst_random_uniform (&random)));
  g_autoptr (TosstSvm) svm = train_ours (samples, 1e4, 2, objective);
  g_assert_cmpfloat (svm->residual, <=, 1e-6);
}

/* A tolerance that float64 cannot reach: what rounding leaves is accepted, and its size is reported. */
static void
test_rounding (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstSvmOptions options = { 1e4, 1e-19 };

  for (int wide = 0; wide <= 1; wide++)
    {
      g_autoptr (Samples) samples = samples_new (wide ? 100 : 400, wide ? 250 : 40, 4, 0.3, 5);
      g_autoptr (TosstSvm) svm = NULL;
      assert_ok (
          tosst_svm_train (context, samples->x, samples->n, samples->p, samples->labels, 4, &options, NULL, &svm));
      g_assert_cmpfloat (svm->residual, >, 1e-19);
      g_assert_cmpfloat (svm->residual, <, 1e-12);
    }
}

static void
test_margins (void)
{
  g_autoptr (Samples) samples = samples_new (130, 200, 5, 4.0, 5);
  g_autoptr (TosstSvm) svm = train_ours (samples, 100.0, 2, NULL);
  g_autofree double *margins = g_new (double, samples->n * 5);

  tosst_svm_margins (svm, samples->x, samples->n, margins);
  for (gsize i = 0; i < samples->n; i++)
    {
      g_assert_cmpint (tosst_svm_decide (svm, margins + i * 5), ==, samples->labels[i]);
      for (int c = 0; c < 5; c++)
        {
          const double *w = svm->w + c * 201;
          double sum = w[200];
          for (int j = 0; j < 200; j++)
            sum += w[j] * samples->x[i * 200 + (gsize)j];
          g_assert_cmpfloat_with_epsilon (margins[i * 5 + (gsize)c], sum, 1e-12);
        }
    }
}

static void
test_threads (void)
{
  static const int shapes[][2] = { { 210, 30 }, { 150, 260 } };

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (Samples) samples = samples_new ((gsize)shapes[s][0], shapes[s][1], 9, 0.8, 21);
      g_autoptr (TosstSvm) one = train_ours (samples, 100.0, 1, NULL);
      for (int threads = 2; threads <= 4; threads += 2)
        {
          g_autoptr (TosstSvm) several = train_ours (samples, 100.0, threads, NULL);
          for (int i = 0; i < 9 * (shapes[s][1] + 1); i++)
            g_assert_cmpfloat (fabs (one->w[i] - several->w[i]), <=, 1e-9);
        }
    }
}

typedef struct
{
  float value;
  gsize at;
  int label;
  double c;
  TosstStatus status;
  const char *words;
} Refusal;

static void
test_refusals (void)
{
  static const Refusal refusals[] = {
    { NAN, 33, 0, 1.0, TOSST_ERROR_NUMERIC, "signature 3" },
    { INFINITY, 199, 0, 1.0, TOSST_ERROR_NUMERIC, "signature 19" },
    { 0.0f, 0, 4, 1.0, TOSST_ERROR_ARGUMENT, "class 4" },
    { 0.0f, 0, -1, 1.0, TOSST_ERROR_ARGUMENT, "class -1" },
    { 0.0f, 0, 0, 0.0, TOSST_ERROR_ARGUMENT, "C must" },
    { 0.0f, 0, 0, NAN, TOSST_ERROR_ARGUMENT, "C must" },
    { 0.0f, 0, 0, -2.0, TOSST_ERROR_ARGUMENT, "C must" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (2);
      g_autoptr (Samples) samples = samples_new (20, 10, 4, 1.0, 3);
      TosstSvm *svm = NULL;
      TosstSvmOptions options = { refusals[i].c, 1e-6 };
      samples->x[refusals[i].at] = refusals[i].value;
      samples->labels[0] = refusals[i].label;
      g_assert_cmpint (tosst_svm_train (context, samples->x, 20, 10, samples->labels, 4, &options, NULL, &svm), ==,
                       refusals[i].status);
      g_assert_null (svm);
      g_assert_nonnull (strstr (tosst_context_message (context), refusals[i].words));
    }
}

static void
test_missing_class (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (Samples) samples = samples_new (20, 10, 4, 1.0, 3);
  TosstSvmOptions options = { 1.0, 1e-6 };
  TosstSvm *svm = NULL;

  g_assert_cmpint (tosst_svm_train (context, samples->x, 20, 10, samples->labels, 5, &options, NULL, &svm), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (tosst_context_message (context), "class 4"));
  g_assert_null (svm);
}

typedef struct
{
  TosstContext *context;
  gulong wait;         /* microseconds */
  double cancelled_at; /* seconds of processor time */
} Canceller;

static gpointer
cancel_soon (gpointer data)
{
  Canceller *canceller = data;

  g_usleep (canceller->wait);
  canceller->cancelled_at = processor_seconds ();
  tosst_context_cancel (canceller->context);
  return NULL;
}

/* In the middle of training. A processor that is done before the request gets it earlier. */
static void
test_cancel (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (Samples) samples = samples_new (2000, 1500, 60, 0.02, 9);
  TosstSvmOptions options = { 1e4, 1e-6 };
  Canceller canceller = { context, 60000 };
  TosstStatus status = TOSST_OK;

  for (; canceller.wait > 0 && status == TOSST_OK; canceller.wait /= 2)
    {
      g_autoptr (TosstSvm) svm = NULL;
      GThread *thread = g_thread_new ("cancel", cancel_soon, &canceller);
      double ended;

      status = tosst_svm_train (context, samples->x, samples->n, samples->p, samples->labels, samples->classes,
                                &options, NULL, &svm);
      ended = processor_seconds ();
      g_thread_join (thread);
      g_assert_true ((svm == NULL) == (status != TOSST_OK));
      g_test_message ("ended %.1f ms of processor time after the request", 1e3 * (ended - canceller.cancelled_at));
      if (status == TOSST_OK)
        tosst_context_reset (context);
    }
  g_assert_cmpint (status, ==, TOSST_CANCELLED);
}

#ifdef HAVE_LIBLINEAR
static void
say_nothing (const char *text)
{
}

/* w (p + 1) of LIBLINEAR for one class. */
static void
train_liblinear (const Samples *samples, int solver, double eps, double c, int positive, double *w)
{
  gsize n = samples->n;
  int p = samples->p;
  g_autofree struct feature_node *nodes = g_new (struct feature_node, n * (gsize)(p + 2));
  g_autofree struct feature_node **rows = g_new (struct feature_node *, n);
  g_autofree double *y = g_new (double, n);
  struct problem problem = { (int)n, p + 1, y, rows, 1.0 };
  struct parameter parameter = { .solver_type = solver, .eps = eps, .C = c };
  struct model *model;
  double sign;

  set_print_string_function (say_nothing);
  for (gsize i = 0; i < n; i++)
    {
      rows[i] = nodes + i * (gsize)(p + 2);
      y[i] = samples->labels[i] == positive ? 1.0 : -1.0;
      for (int j = 0; j < p; j++)
        rows[i][j] = (struct feature_node){ j + 1, samples->x[i * (gsize)p + (gsize)j] };
      rows[i][p] = (struct feature_node){ p + 1, 1.0 };
      rows[i][p + 1] = (struct feature_node){ -1, 0.0 };
    }
  model = train (&problem, &parameter);
  sign = model->label[0] > 0 ? 1.0 : -1.0;
  for (int j = 0; j <= p; j++)
    w[j] = sign * model->w[j];
  free_and_destroy_model (&model);
}

static void
assert_no_worse (const Samples *samples, double c)
{
  g_autofree double *objective = g_new (double, samples->classes), *w = g_new (double, samples->p + 1),
                    *gradient = g_new (double, samples->p + 1);
  g_autoptr (TosstSvm) svm = train_ours (samples, c, 2, objective);

  g_assert_nonnull (svm);
  for (int k = 0; k < samples->classes; k++)
    for (int solver = L2R_L2LOSS_SVC_DUAL; solver <= L2R_L2LOSS_SVC; solver++)
      {
        double theirs;
        train_liblinear (samples, solver, 1e-8, c, k, w);
        theirs = evaluate (samples, w, k, c, gradient);
        g_assert_cmpfloat (objective[k], <=, theirs * (1.0 + 1e-6));
      }
}
#endif

static void
test_liblinear (gconstpointer data)
{
#ifdef HAVE_LIBLINEAR
  const Case *example = data;
  g_autoptr (Samples) samples
      = samples_new (example->n, example->p, example->classes, example->separation, example->n + 1);

  assert_no_worse (samples, example->c);
#else
  g_test_skip ("LIBLINEAR is not installed");
#endif
}

static void
test_liblinear_awkward (void)
{
#ifdef HAVE_LIBLINEAR
  g_autoptr (Samples) samples = awkward_samples ();

  assert_no_worse (samples, 10.0);
#else
  g_test_skip ("LIBLINEAR is not installed");
#endif
}

/* The same sample again and again, as often in one class as in the other: the gradient at zero is what rounding leaves of nothing, and w = 0
 * is the answer. */
static void
test_nothing_to_tell (void)
{
  static const float values[] = { 1.0F, 0.3F, 1e-3F };

  for (gsize v = 0; v < G_N_ELEMENTS (values); v++)
    for (int n = 2; n <= 14; n += 4)
      {
        g_autofree float *x = g_new (float, n);
        g_autofree int *labels = g_new (int, n);
        Samples samples = { (gsize)n, 1, 2, x, labels };

        for (int i = 0; i < n; i++)
          {
            x[i] = values[v];
            labels[i] = i % 2;
          }
        for (double c = 0.1; c < 2e4; c *= 10)
          {
            g_autoptr (TosstSvm) svm = train_ours (&samples, c, 1, NULL);
            for (int j = 0; j < 4; j++)
              g_assert_cmpfloat_with_epsilon (svm->w[j], 0, 1e-9);
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *optimal = g_strconcat ("/svm/optimal/", cases[i].name, NULL);
      g_autofree char *liblinear = g_strconcat ("/svm/liblinear/", cases[i].name, NULL);
      g_test_add_data_func (optimal, &cases[i], test_optimal);
      g_test_add_data_func (liblinear, &cases[i], test_liblinear);
    }
  g_test_add_func ("/svm/optimal/awkward", test_awkward);
  g_test_add_func ("/svm/optimal/zero-signatures", test_zero_signatures);
  g_test_add_func ("/svm/liblinear/awkward", test_liblinear_awkward);
  g_test_add_func ("/svm/by-hand", test_by_hand);
  g_test_add_func ("/svm/noise", test_noise);
  g_test_add_func ("/svm/long-noise", test_long_noise);
  g_test_add_func ("/svm/rounding", test_rounding);
  g_test_add_func ("/svm/margins", test_margins);
  g_test_add_func ("/svm/threads", test_threads);
  g_test_add_func ("/svm/refusals", test_refusals);
  g_test_add_func ("/svm/missing-class", test_missing_class);
  g_test_add_func ("/svm/cancel", test_cancel);
  g_test_add_func ("/svm/nothing-to-tell", test_nothing_to_tell);
  return g_test_run ();
}

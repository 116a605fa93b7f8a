/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Gram matrices against their definitions, machines against their optimality conditions and the linear machine, and
 * leave-one-out against leaving samples out. Run with -m perf for the time of choosing weights. */

#include <math.h>
#include <string.h>

#include "engine/simd/kernels.h"
#include "objects.h"
#include "tosst/classify.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSvm, tosst_svm_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstKernelMachine, tosst_kernel_machine_free)

/* Histograms of length p: class centres plus noise, of sum 1. */
static float *
samples_new (gsize n, int p, int classes, double separation, guint64 seed, int *labels)
{
  g_autofree double *centres = g_new (double, (gsize)classes *(gsize)p);
  float *x = g_new (float, n *(gsize)p);
  TosstRandom random;

  tosst_random_init (&random, seed, 1);
  for (gsize i = 0; i < (gsize)classes * (gsize)p; i++)
    centres[i] = tosst_random_uniform (&random);
  for (gsize i = 0; i < n; i++)
    {
      double sum = 0.0;
      labels[i] = (int)(i % (gsize)classes);
      for (int j = 0; j < p; j++)
        {
          double value = separation * centres[labels[i] * p + j] + tosst_random_uniform (&random);
          x[i * (gsize)p + (gsize)j] = j == p / 2 ? 0.0f : (float)value;
          sum += value;
        }
      for (int j = 0; j < p; j++)
        x[i * (gsize)p + (gsize)j] /= (float)sum;
    }
  return x;
}

static double
value_of (TosstKernel kernel, const float *x, const float *y, int p)
{
  double sum = 0.0;

  for (int j = 0; j < p; j++)
    {
      double a = x[j], b = y[j];
      if (kernel == TOSST_KERNEL_LINEAR)
        sum += a * b;
      else if (kernel == TOSST_KERNEL_RBF)
        sum += (a - b) * (a - b);
      else if (a != 0.0 || b != 0.0)
        sum += (a - b) * (a - b) / (fabs (a) + fabs (b));
    }
  return sum;
}

static double *
compare (TosstContext *context, TosstKernel kernel, const float *x, gsize n, const float *y, gsize m, int p)
{
  double *values = g_new (double, n *(y != NULL ? m : n));

  assert_ok (tosst_kernel_compare (context, kernel, x, n, y, m, p, values));
  return values;
}

/* Gram matrix with the mean width. */
static double *
gram_of (TosstContext *context, TosstKernel kernel, const float *x, gsize n, int p)
{
  double *gram = compare (context, kernel, x, n, NULL, 0, p);

  tosst_kernel_apply (kernel, tosst_kernel_mean_width (kernel, gram, n), gram, n * n);
  return gram;
}

static void
test_compare (gconstpointer data)
{
  TosstKernel kernel = GPOINTER_TO_INT (data);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  const gsize n = 101, m = 53;
  const int p = 517;
  int labels[101];
  g_autofree float *x = samples_new (n, p, 4, 1.0, 3, labels), *y = samples_new (m, p, 4, 1.0, 4, labels);
  g_autofree double *across = NULL, *own = NULL;

  x[5] = -x[5];
  across = compare (context, kernel, x, n, y, m, p);
  own = compare (context, kernel, x, n, NULL, 0, p);
  for (gsize i = 0; i < n; i++)
    {
      for (gsize j = 0; j < m; j++)
        g_assert_cmpfloat_with_epsilon (across[i * m + j], value_of (kernel, x + i * p, y + j * p, p), 1e-14);
      for (gsize j = 0; j < n; j++)
        {
          g_assert_cmpfloat_with_epsilon (own[i * n + j], value_of (kernel, x + i * p, x + j * p, p), 1e-14);
          g_assert_cmpfloat (own[i * n + j], ==, own[j * n + i]);
        }
      if (kernel != TOSST_KERNEL_LINEAR)
        g_assert_cmpfloat (own[i * n + i], ==, 0.0);
    }
}

/* A value must not depend on the other rows, nor on memory. */
static void
test_alone (gconstpointer data)
{
  TosstKernel kernel = GPOINTER_TO_INT (data);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  const gsize n = 70, m = 90;
  const int p = 301;
  int labels[90];
  g_autofree float *x = samples_new (n, p, 4, 1.0, 5, labels), *y = samples_new (m, p, 4, 1.0, 6, labels);
  g_autofree double *all = compare (context, kernel, x, n, y, m, p);
  g_autofree float *moved = g_new (float, p + 3);

  for (gsize i = 0; i < n; i += 7)
    {
      g_autofree double *alone = NULL, *part = NULL;
      memcpy (moved + i % 4, x + i * p, p * sizeof (float));
      alone = compare (context, kernel, moved + i % 4, 1, y, m, p);
      g_assert_cmpmem (alone, m * sizeof *alone, all + i * m, m * sizeof *all);
      part = compare (context, kernel, moved + i % 4, 1, y + 31 * p, 3, p);
      g_assert_cmpmem (part, 3 * sizeof *part, all + i * m + 31, 3 * sizeof *all);
    }
}

static void
test_widths (void)
{
  const float x[] = { 0, 1, 3 };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autofree double *squares = compare (context, TOSST_KERNEL_RBF, x, 3, NULL, 0, 1),
                    *chi2 = compare (context, TOSST_KERNEL_CHI2, x, 3, NULL, 0, 1), *products = NULL;
  double diagonal[3];

  g_assert_cmpfloat_with_epsilon (tosst_kernel_mean_width (TOSST_KERNEL_RBF, squares, 3), sqrt (5.0 * 14 / 3), 1e-15);
  g_assert_cmpfloat_with_epsilon (tosst_kernel_mean_width (TOSST_KERNEL_CHI2, chi2, 3), (1 + 3 + 1) / 3.0, 1e-15);
  tosst_kernel_apply (TOSST_KERNEL_RBF, 2.0, squares, 9);
  tosst_kernel_apply (TOSST_KERNEL_CHI2, 2.0, chi2, 9);
  g_assert_cmpfloat_with_epsilon (squares[5], exp (-4.0 / 8.0), 1e-15);
  g_assert_cmpfloat_with_epsilon (chi2[2], exp (-3.0 / 2.0), 1e-15);
  g_assert_cmpfloat (chi2[4], ==, 1.0);
  products = compare (context, TOSST_KERNEL_LINEAR, x, 3, NULL, 0, 1);
  tosst_kernel_diagonal (TOSST_KERNEL_LINEAR, x, 3, 1, diagonal);
  tosst_kernel_normalise (products, 3, 3, diagonal, diagonal);
  g_assert_cmpfloat (products[0], ==, 0.0);
  g_assert_cmpfloat_with_epsilon (products[5], 1.0, 1e-15);
}

static TosstKernelMachine *
train (TosstContext *context, const double *gram, gsize n, const int *labels, const signed char *targets, int classes,
       double c, double *objective)
{
  TosstSvmOptions options;
  TosstKernelMachine *machine = NULL;
  TosstStatus status;

  tosst_svm_options_default (&options);
  options.c = c;
  status = tosst_kernel_train (context, gram, n, labels, targets, classes, &options, objective, &machine);
  if (status != TOSST_OK)
    g_test_message ("%s", tosst_context_message (context));
  assert_ok (status);
  return machine;
}

/* Targets in which some samples do not belong to some problems. */
static signed char *
targets_new (const int *labels, gsize n, int classes)
{
  signed char *targets = g_new (signed char, (gsize)classes *n);

  for (int c = 0; c < classes; c++)
    for (gsize i = 0; i < n; i++)
      targets[(gsize)c * n + i] = (i + (gsize)c) % 11 == 10                          ? 0
                                  : labels[i] == c || labels[i] == (c + 1) % classes ? 1
                                                                                     : -1;
  return targets;
}

/* Norm of sum_i r_i x_i in the feature space of k + 1. */
static double
norm_of (const double *gram, gsize n, const double *r)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      sum += r[i] * r[j] * (gram[i * n + j] + 1.0);
  return sqrt (fmax (sum, 0.0));
}

/* The gradient is sum_i r_i x_i with r_i = a_i - 2 C t_i max (0, 1 - t_i f (x_i)). */
static void
assert_optimal (const TosstKernelMachine *machine, const double *gram, gsize n, const signed char *targets, double c)
{
  g_autofree double *margins = g_new (double, n *(gsize)machine->classes), *r = g_new (double, n),
                    *zero = g_new (double, n);

  tosst_kernel_margins (machine, gram, n, margins);
  for (int k = 0; k < machine->classes; k++)
    {
      const double *a = machine->coefficients + (gsize)k * n;
      double bias = 0.0, size = 0.0;
      for (gsize i = 0; i < n; i++)
        {
          double t = targets[(gsize)k * n + i], hinge = 1.0 - t * margins[i * (gsize)machine->classes + (gsize)k];
          r[i] = a[i] - (t != 0.0 && hinge > 0.0 ? 2.0 * c * t * hinge : 0.0);
          zero[i] = 2.0 * c * t;
          bias += a[i];
          size += fabs (a[i]);
        }
      g_assert_cmpfloat (norm_of (gram, n, r), <=, 1.5e-6 * norm_of (gram, n, zero));
      g_assert_cmpfloat_with_epsilon (bias, machine->bias[k], 1e-14 * size);
    }
  g_assert_cmpfloat (machine->residual, <=, 1e-6);
}

typedef struct
{
  const char *name;
  TosstKernel kernel;
  gsize n;
  int p, classes;
  double separation, c;
} Case;

static const Case cases[] = {
  { "rbf", TOSST_KERNEL_RBF, 150, 12, 5, 0.5, 100.0 },       { "rbf-large-c", TOSST_KERNEL_RBF, 200, 6, 4, 0.3, 1e4 },
  { "rbf-small-c", TOSST_KERNEL_RBF, 100, 6, 4, 0.3, 1e-2 }, { "rbf-many", TOSST_KERNEL_RBF, 900, 4, 3, 0.1, 10.0 },
  { "chi2", TOSST_KERNEL_CHI2, 160, 30, 8, 0.5, 100.0 },     { "linear", TOSST_KERNEL_LINEAR, 150, 12, 5, 0.5, 1000.0 },
};

static void
test_optimal (gconstpointer data)
{
  const Case *example = data;
  gsize n = example->n;
  g_autofree int *labels = g_new (int, n);
  g_autofree float *x = samples_new (n, example->p, example->classes, example->separation, n, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = gram_of (context, example->kernel, x, n, example->p);
  g_autofree signed char *targets = targets_new (labels, n, example->classes);
  g_autoptr (TosstKernelMachine) several = train (context, gram, n, NULL, targets, example->classes, example->c, NULL);
  g_autoptr (TosstKernelMachine) machine = train (context, gram, n, labels, NULL, example->classes, example->c, NULL);

  assert_optimal (several, gram, n, targets, example->c);
  for (int c = 0; c < example->classes; c++)
    for (gsize i = 0; i < n; i++)
      targets[(gsize)c * n + i] = labels[i] == c ? 1 : -1;
  assert_optimal (machine, gram, n, targets, example->c);
}

/* The normal equations of least squares, of labels and of targets. */
static void
test_regress (void)
{
  const gsize n = 120;
  const int classes = 5;
  int labels[120];
  g_autofree float *x = samples_new (n, 12, classes, 0.5, 11, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = gram_of (context, TOSST_KERNEL_RBF, x, n, 12);
  g_autofree signed char *targets = targets_new (labels, n, classes);
  TosstSvmOptions options;

  tosst_svm_options_default (&options);
  for (int several = 0; several < 2; several++)
    {
      g_autoptr (TosstKernelMachine) machine = NULL;
      g_autofree double *margins = g_new (double, n *(gsize)classes);
      assert_ok (
          tosst_kernel_regress (context, gram, n, several ? NULL : labels, targets, classes, &options, &machine));
      g_assert_cmpfloat (machine->residual, <=, 1e-10);
      tosst_kernel_margins (machine, gram, n, margins);
      for (int c = 0; c < classes; c++)
        for (gsize i = 0; i < n; i++)
          {
            double t = several ? targets[(gsize)c * n + i] : labels[i] == c ? 1 : -1;
            double a = machine->coefficients[(gsize)c * n + i];
            if (t == 0.0)
              g_assert_cmpfloat (a, ==, 0.0);
            else
              g_assert_cmpfloat_with_epsilon (margins[i * (gsize)classes + (gsize)c] + a / (2.0 * options.c), t, 1e-9);
          }
    }
}

/* w = X' a and w_0 = b, of labels and of targets. */
static void
test_linear (void)
{
  const gsize n = 120;
  const int p = 40, classes = 5;
  int labels[120];
  g_autofree float *x = samples_new (n, p, classes, 0.5, 8, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = gram_of (context, TOSST_KERNEL_LINEAR, x, n, p);
  g_autofree signed char *targets = targets_new (labels, n, classes);
  TosstSvmOptions options;

  tosst_svm_options_default (&options);
  for (int several = 0; several < 2; several++)
    {
      double objective[5], ours[5];
      g_autoptr (TosstSvm) svm = NULL;
      g_autoptr (TosstKernelMachine) machine
          = train (context, gram, n, several ? NULL : labels, targets, classes, options.c, ours);
      TosstStatus status
          = several ? tosst_svm_train_targets (context, x, n, p, targets, classes, &options, NULL, objective, &svm)
                    : tosst_svm_train (context, x, n, p, labels, classes, &options, objective, &svm);
      assert_ok (status);
      for (int c = 0; c < classes; c++)
        {
          const double *w = svm->w + c * (p + 1);
          g_assert_cmpfloat_with_epsilon (ours[c], objective[c], 2e-9 * objective[c]);
          g_assert_cmpfloat_with_epsilon (w[p], machine->bias[c], 1e-4 * (1.0 + fabs (w[p])));
          for (int j = 0; j < p; j++)
            {
              double sum = 0.0;
              for (gsize i = 0; i < n; i++)
                sum += machine->coefficients[(gsize)c * n + i] * x[i * p + j];
              g_assert_cmpfloat_with_epsilon (sum, w[j], 1e-4 * (1.0 + fabs (w[j])));
            }
        }
    }
}

/* The same on any number of threads, and chosen as the linear machine chooses. */
static void
test_choose_c (void)
{
  const gsize n = 130;
  const int p = 20, classes = 5;
  int labels[130];
  g_autofree float *x = samples_new (n, p, classes, 0.25, 9, labels);
  TosstSvmOptions options;
  double ours[2][TOSST_SVM_GRID], linear[TOSST_SVM_GRID], c[3] = { 0 };

  tosst_svm_options_default (&options);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (i + 1);
      g_autofree double *gram = gram_of (context, TOSST_KERNEL_LINEAR, x, n, p);
      assert_ok (tosst_kernel_choose_c (context, gram, n, labels, classes, &options, 5, 1, NULL, ours[i], &c[i]));
      assert_ok (tosst_svm_choose_c (context, x, n, p, labels, classes, &options, 5, 1, NULL, linear, &c[2]));
      g_assert_cmpmem (linear, sizeof linear, ours[i], sizeof ours[i]);
    }
  g_assert_cmpfloat (c[0], ==, c[2]);
  g_assert_cmpfloat (c[1], ==, c[2]);
}

/* Solves the regression without sample `out` by elimination. Returns its prediction. */
static double
predict_without (const double *gram, gsize n, gsize out, double ridge, const double *t)
{
  gsize m = n - 1;
  g_autofree double *a = g_new (double, m *(m + 1));
  double sum = 0.0;

  for (gsize i = 0; i < m; i++)
    {
      gsize row = i + (i >= out);
      for (gsize j = 0; j < m; j++)
        a[i * (m + 1) + j] = gram[row * n + j + (j >= out)] + 1.0 + (i == j ? ridge : 0.0);
      a[i * (m + 1) + m] = t[row];
    }
  for (gsize k = 0; k < m; k++)
    for (gsize i = 0; i < m; i++)
      if (i != k)
        {
          double factor = a[i * (m + 1) + k] / a[k * (m + 1) + k];
          for (gsize j = k; j <= m; j++)
            a[i * (m + 1) + j] -= factor * a[k * (m + 1) + j];
        }
  for (gsize i = 0; i < m; i++)
    sum += a[i * (m + 1) + m] / a[i * (m + 1) + i] * (gram[out * n + i + (i >= out)] + 1.0);
  return sum;
}

static TosstLeaveOneOut
leave_out (const double *gram, gsize n, const int *labels, int classes, double ridge)
{
  TosstLeaveOneOut result = { 0 };

  for (gsize i = 0; i < n; i++)
    {
      double best = -INFINITY;
      int decided = 0;
      for (int c = 0; c < classes; c++)
        {
          g_autofree double *t = g_new (double, n);
          for (gsize j = 0; j < n; j++)
            t[j] = labels[j] == c ? 1.0 : -1.0;
          double prediction = predict_without (gram, n, i, ridge, t);
          result.error += (t[i] - prediction) * (t[i] - prediction) / (double)(n * (gsize)classes);
          if (prediction > best)
            {
              best = prediction;
              decided = c;
            }
        }
      result.accuracy += decided == labels[i] ? 1.0 / (double)n : 0.0;
    }
  return result;
}

static void
test_leave_one_out (void)
{
  const gsize n = 40;
  const int p = 8, classes = 4;
  const double ridge[] = { 1e-3, 0.05, 2.0 };
  int labels[40];
  g_autofree float *x = samples_new (n, p, classes, 0.4, 10, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = gram_of (context, TOSST_KERNEL_RBF, x, n, p);
  g_autofree signed char *targets = g_new (signed char, n *(gsize)classes);
  TosstLeaveOneOut result[3], several[3], wrong;

  assert_ok (tosst_kernel_leave_one_out (context, gram, n, labels, NULL, classes, ridge, 3, result));
  for (int i = 0; i < 3; i++)
    {
      TosstLeaveOneOut expected = leave_out (gram, n, labels, classes, ridge[i]);
      g_assert_cmpfloat_with_epsilon (result[i].accuracy, expected.accuracy, 1e-12);
      g_assert_cmpfloat_with_epsilon (result[i].error, expected.error, 1e-9);
    }
  for (gsize i = 0; i < n; i++)
    for (int c = 0; c < classes; c++)
      targets[(gsize)c * n + i] = labels[i] == c ? 1 : -1;
  assert_ok (tosst_kernel_leave_one_out (context, gram, n, NULL, targets, classes, ridge, 3, several));
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (several[i].error, result[i].error, 1e-15);
  g_assert_cmpint (tosst_kernel_leave_one_out (context, gram, n, labels, NULL, classes, &(double){ 0.0 }, 1, &wrong),
                   ==, TOSST_ERROR_ARGUMENT);
}

/* With all samples as landmarks the machine and its leave-one-out are those on the Gram matrix, of labels and of targets. */
static void
test_all_landmarks (void)
{
  const gsize n = 120;
  const int classes = 5;
  int labels[120];
  g_autofree float *x = samples_new (n, 12, classes, 0.5, 11, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = gram_of (context, TOSST_KERNEL_RBF, x, n, 12);
  g_autofree signed char *targets = targets_new (labels, n, classes);
  TosstSvmOptions options = { .c = 3.0 };
  const double ridge[] = { TOSST_KERNEL_RIDGE (options.c), 1e-3, 2.0 };

  for (gsize i = 0; i < n; i++)
    gram[i * n + i] += 0.05;
  options.tolerance = 1e-6;
  for (int several = 0; several < 2; several++)
    {
      const int *own = several ? NULL : labels;
      g_autoptr (TosstKernelMachine) exact = NULL, machine = NULL;
      TosstLeaveOneOut expected[3], result[3];

      assert_ok (tosst_kernel_regress (context, gram, n, own, targets, classes, &options, &exact));
      assert_ok (tosst_kernel_leave_one_out (context, gram, n, own, targets, classes, ridge, 3, expected));
      assert_ok (
          tosst_kernel_train_landmarks (context, gram, n, gram, n, own, targets, classes, ridge, 1, NULL, &machine));
      assert_ok (
          tosst_kernel_train_landmarks (context, gram, n, gram, n, own, targets, classes, ridge, 3, result, NULL));
      g_assert_cmpfloat (machine->residual, <=, 1e-9);
      for (gsize i = 0; i < n * (gsize)classes; i++)
        g_assert_cmpfloat_with_epsilon (machine->coefficients[i], exact->coefficients[i], 1e-8);
      for (int c = 0; c < classes; c++)
        g_assert_cmpfloat_with_epsilon (machine->bias[c], exact->bias[c], 1e-8);
      for (int i = 0; i < 3; i++)
        {
          g_assert_cmpfloat_with_epsilon (result[i].accuracy, expected[i].accuracy, 1e-12);
          g_assert_cmpfloat_with_epsilon (result[i].error, expected[i].error, 1e-9);
        }
    }
}

/* The prediction of a sample by the machine on landmarks that is trained without it. */
static double
predict_left_out (TosstContext *context, const double *landmarks, gsize m, const double *rows, gsize n, gsize out,
                  const signed char *targets, int c, double ridge)
{
  g_autofree double *others = g_new (double, n *m), *margins = g_new (double, 1);
  g_autofree signed char *own = g_new (signed char, n);
  g_autoptr (TosstKernelMachine) machine = NULL;
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    if (i != out)
      {
        memcpy (others + count * m, rows + i * m, m * sizeof *rows);
        own[count++] = targets[(gsize)c * n + i];
      }
  assert_ok (
      tosst_kernel_train_landmarks (context, landmarks, m, others, count, NULL, own, 1, &ridge, 1, NULL, &machine));
  tosst_kernel_margins (machine, rows + out * m, 1, margins);
  return *margins;
}

/* Few landmarks: optimal by the gradient of the objective in the coefficients; leave-one-out by leaving out; the machine is
 * that of the best ridge; any number of threads gives the same bits. */
static void
test_few_landmarks (void)
{
  const gsize n = 60, m = 13;
  const int classes = 3;
  int labels[60];
  g_autofree float *x = samples_new (n, 8, classes, 0.3, 12, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2), one = tosst_context_new (1);
  g_autofree double *gram = gram_of (context, TOSST_KERNEL_CHI2, x, n, 8);
  g_autofree double *rows = g_new (double, n *m), *margins = g_new (double, n *(gsize)classes);
  g_autofree signed char *targets = g_new (signed char, n *(gsize)classes);
  g_autoptr (TosstKernelMachine) machine = NULL, same = NULL;
  const double ridge[] = { 1e-3, 0.1, 3.0 };
  TosstLeaveOneOut result[3], again[3];
  int best = 0;

  for (gsize i = 0; i < n; i++)
    memcpy (rows + i * m, gram + i * n, m * sizeof *rows);
  assert_ok (
      tosst_kernel_train_landmarks (context, rows, m, rows, n, labels, NULL, classes, ridge, 3, result, &machine));
  assert_ok (tosst_kernel_train_landmarks (one, rows, m, rows, n, labels, NULL, classes, ridge, 3, again, &same));
  g_assert_cmpmem (machine->coefficients, m * (gsize)classes * 8, same->coefficients, m * (gsize)classes * 8);
  g_assert_cmpmem (result, sizeof result, again, sizeof again);
  for (int c = 0; c < classes; c++)
    for (gsize i = 0; i < n; i++)
      targets[(gsize)c * n + i] = labels[i] == c ? 1 : -1;
  for (int s = 0; s < 3; s++)
    {
      double error = 0.0, right = 0.0;

      best = tosst_leave_one_out_is_better (&result[s], &result[best]) ? s : best;
      for (gsize i = 0; i < n; i++)
        {
          double f[3];

          for (int c = 0; c < classes; c++)
            {
              f[c] = predict_left_out (context, rows, m, rows, n, i, targets, c, ridge[s]);
              error += pow (targets[(gsize)c * n + i] - f[c], 2) / (double)(n * (gsize)classes);
            }
          right += f[labels[i]] >= MAX (f[0], MAX (f[1], f[2]));
        }
      g_assert_cmpfloat_with_epsilon (result[s].error, error, 1e-8);
      g_assert_cmpfloat_with_epsilon (result[s].accuracy, right / (double)n, 1e-12);
    }
  tosst_kernel_margins (machine, rows, n, margins);
  for (int c = 0; c < classes; c++)
    for (gsize j = 0; j < m; j++)
      {
        double gradient = 0.0;

        for (gsize i = 0; i < n; i++)
          gradient += (rows[i * m + j] + 1.0) * (margins[i * (gsize)classes + (gsize)c] - targets[(gsize)c * n + i]);
        for (gsize k = 0; k < m; k++)
          gradient += ridge[best] * (rows[j * m + k] + 1.0) * machine->coefficients[(gsize)c * m + k];
        g_assert_cmpfloat_with_epsilon (gradient, 0.0, 1e-7);
      }
  tosst_context_cancel (context);
  g_clear_pointer (&same, tosst_kernel_machine_free);
  g_assert_cmpint (
      tosst_kernel_train_landmarks (context, rows, m, rows, n, labels, NULL, classes, ridge, 3, result, &same), ==,
      TOSST_CANCELLED);
  g_assert_null (same);
}

/* The first of three parts knows half of the classes, the second the other half, and the third none. */
static void
parts_new (TosstContext *context, gsize n, int *labels, double **grams)
{
  const int p = 10, classes = 8;
  g_autofree int *coarse = g_new (int, n);

  for (int s = 0; s < 3; s++)
    {
      g_autofree float *x = samples_new (n, p, classes, s < 2 ? 1.0 : 0.0, 20 + (guint64)s, labels);
      g_autofree float *flat = samples_new (n, p, 1, 1.0, 30 + (guint64)s, coarse);
      for (gsize i = 0; i < n; i++)
        if (s < 2 && labels[i] / 4 == s)
          memcpy (x + i * p, flat + i * p, p * sizeof *x);
      grams[s] = gram_of (context, TOSST_KERNEL_RBF, x, n, p);
    }
}

static void
test_weights (void)
{
  const gsize n = 400;
  g_autofree int *labels = g_new (int, n);
  double weights[2][3], c[2], single[3];
  TosstLeaveOneOut result[2], alone;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (i + 1);
      double *grams[3];
      parts_new (context, n, labels, grams);
      assert_ok (tosst_kernel_choose_weights (context, (const double *const *)grams, 3, n, labels, NULL, 8, weights[i],
                                              &c[i], &result[i]));
      for (int s = 0; s < 3; s++)
        {
          assert_ok (tosst_kernel_choose_weights (context, (const double *const *)grams + s, 1, n, labels, NULL, 8,
                                                  single, NULL, &alone));
          g_assert_cmpfloat (single[0], ==, 1.0);
          g_assert_cmpfloat (alone.accuracy, <, result[i].accuracy);
          g_free (grams[s]);
        }
    }
  g_assert_cmpmem (weights[0], sizeof weights[0], weights[1], sizeof weights[1]);
  g_assert_cmpfloat (c[0], ==, c[1]);
  g_assert_cmpfloat_with_epsilon (weights[0][0] + weights[0][1] + weights[0][2], 1.0, 1e-12);
  g_test_message ("weights %g %g %g, C %g: %g", weights[0][0], weights[0][1], weights[0][2], c[0], result[0].accuracy);
  g_assert_cmpfloat (weights[0][0], >, weights[0][2]);
  g_assert_cmpfloat (weights[0][1], >, weights[0][2]);
}

/* Some of many samples decide. */
static void
test_many (void)
{
  const gsize n = 1290;
  const int classes = 5;
  g_autofree int *labels = g_new (int, n);
  g_autofree float *x = samples_new (n, 12, classes, 0.5, 50, labels);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = gram_of (context, TOSST_KERNEL_RBF, x, n, 12);
  const double *grams[] = { gram };
  double weight, c, ridge;
  TosstLeaveOneOut some, all;

  assert_ok (tosst_kernel_choose_weights (context, grams, 1, n, labels, NULL, classes, &weight, &c, &some));
  ridge = TOSST_KERNEL_RIDGE (c);
  assert_ok (tosst_kernel_leave_one_out (context, gram, n, labels, NULL, classes, &ridge, 1, &all));
  g_assert_cmpfloat_with_epsilon (some.accuracy, all.accuracy, 0.03);
  g_assert_cmpfloat_with_epsilon (some.error, all.error, 0.03 * all.error);
}

static void
test_wrong (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  double gram[] = { 1, 0.5, 0.5, NAN }, weight;
  const double *grams[] = { gram };
  const int labels[] = { 0, 1 }, missing[] = { 0, 0 };
  TosstSvmOptions options;
  TosstKernelMachine *machine = NULL;

  tosst_svm_options_default (&options);
  g_assert_cmpint (tosst_kernel_train (context, gram, 2, labels, NULL, 2, &options, NULL, &machine), ==,
                   TOSST_ERROR_NUMERIC);
  g_assert_null (machine);
  gram[3] = 1;
  g_assert_cmpint (tosst_kernel_train (context, gram, 2, missing, NULL, 2, &options, NULL, &machine), ==,
                   TOSST_ERROR_ARGUMENT);
  tosst_context_cancel (context);
  g_assert_cmpint (tosst_kernel_choose_weights (context, grams, 1, 2, labels, NULL, 2, &weight, NULL, NULL), ==,
                   TOSST_CANCELLED);
  g_assert_cmpint (tosst_kernel_train (context, gram, 2, labels, NULL, 2, &options, NULL, &machine), ==,
                   TOSST_CANCELLED);
}

static void
test_time (void)
{
  const gsize n = 1000;
  const int parts = 6, classes = 47;
  g_autofree int *labels = g_new (int, n);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  double *grams[6], weights[6], c;
  TosstLeaveOneOut result;

  for (int s = 0; s < parts; s++)
    {
      g_autofree float *x = samples_new (n, 20, classes, 0.4, 40 + (guint64)s, labels);
      grams[s] = gram_of (context, TOSST_KERNEL_RBF, x, n, 20);
    }
  g_test_timer_start ();
  assert_ok (tosst_kernel_choose_weights (context, (const double *const *)grams, parts, n, labels, NULL, classes,
                                          weights, &c, &result));
  g_test_minimized_result (g_test_timer_elapsed (), "weights of 6 parts, 1000 samples, 47 classes: %.2f s, %.3f",
                           g_test_timer_last (), result.accuracy);
  for (int s = 0; s < parts; s++)
    g_free (grams[s]);
}

/* The loop of the instruction set in use, with terms of either sign and terms of two zeros. */
static void
test_chi2_loop (void)
{
  double a[24], b[24], expected = 0;

  for (int i = 0; i < 24; i++)
    {
      a[i] = i % 5 == 0 ? 0 : sin (i);
      b[i] = i % 3 == 0 ? 0 : cos (2 * i);
      if (a[i] != 0 || b[i] != 0)
        expected += (a[i] - b[i]) * (a[i] - b[i]) / (fabs (a[i]) + fabs (b[i]));
    }
  g_assert_cmpfloat_with_epsilon (tosst_kernels ()->chi2_distance (a, b, 24), expected, 1e-14);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "linear", "rbf", "chi2" };

  g_test_init (&argc, &argv, NULL);
  for (int kernel = 0; kernel < 3; kernel++)
    {
      g_autofree char *values = g_strdup_printf ("/kernel/compare/%s", names[kernel]);
      g_autofree char *alone = g_strdup_printf ("/kernel/alone/%s", names[kernel]);
      g_test_add_data_func (values, GINT_TO_POINTER (kernel), test_compare);
      g_test_add_data_func (alone, GINT_TO_POINTER (kernel), test_alone);
    }
  g_test_add_func ("/kernel/widths", test_widths);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/kernel/optimal/%s", cases[i].name);
      g_test_add_data_func (path, &cases[i], test_optimal);
    }
  g_test_add_func ("/kernel/regress", test_regress);
  g_test_add_func ("/kernel/linear", test_linear);
  g_test_add_func ("/kernel/choose-c", test_choose_c);
  g_test_add_func ("/kernel/leave-one-out", test_leave_one_out);
  g_test_add_func ("/kernel/landmarks/all", test_all_landmarks);
  g_test_add_func ("/kernel/landmarks/few", test_few_landmarks);
  g_test_add_func ("/kernel/weights/parts", test_weights);
  g_test_add_func ("/kernel/weights/many", test_many);
  g_test_add_func ("/kernel/wrong", test_wrong);
  if (g_test_perf ())
    g_test_add_func ("/kernel/time", test_time);
  g_test_add_func ("/kernel/chi2-loop", test_chi2_loop);
  return g_test_run ();
}

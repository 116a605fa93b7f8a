/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice of C against a leave-one-out written out, and what must hold for every choice.
 */
#include <math.h>
#include <string.h>

#include "objects.h"
#include "tosst/classify.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstSvm, tosst_svm_free)

enum
{
  N = 36,
  P = 5,
  CLASSES = 3
};

/* Unit vectors, centres and noise; p - P further columns are zero, which change no classifier. */
static void
fill (float *x, int *labels, int n, int p, double separation, guint64 seed)
{
  TosstRandom random;
  double centre[CLASSES][P];

  tosst_random_init (&random, seed, 5);
  for (int c = 0; c < CLASSES; c++)
    for (int j = 0; j < P; j++)
      centre[c][j] = separation * tosst_random_normal (&random);
  memset (x, 0, sizeof *x * n * p);
  for (int i = 0; i < n; i++)
    {
      labels[i] = i % CLASSES;
      double norm = 0, row[P];
      for (int j = 0; j < P; j++)
        {
          row[j] = centre[labels[i]][j] + tosst_random_normal (&random);
          norm += row[j] * row[j];
        }
      for (int j = 0; j < P; j++)
        x[i * p + j] = (float)(row[j] / sqrt (norm));
    }
}

static double
choose (int threads, const float *x, const int *labels, int n, int p, int folds, guint64 seed, double *accuracy)
{
  g_autoptr (TosstContext) context = tosst_context_new (threads);
  TosstSvmOptions options;
  double c = -1;

  tosst_svm_options_default (&options);
  assert_ok (tosst_svm_choose_c (context, x, n, p, labels, CLASSES, &options, folds, seed, NULL, accuracy, &c));
  return c;
}

/* Share of samples that are right when all others train. */
static double
leave_one_out (const float *x, const int *labels, double c)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstSvmOptions options;
  float rest[N * P];
  int rest_labels[N], right = 0;

  tosst_svm_options_default (&options);
  options.c = c;
  for (int out = 0; out < N; out++)
    {
      g_autoptr (TosstSvm) svm = NULL;
      double margins[CLASSES];
      int n = 0;

      for (int i = 0; i < N; i++)
        if (i != out)
          {
            memcpy (rest + n * P, x + i * P, sizeof *x * P);
            rest_labels[n++] = labels[i];
          }
      if (tosst_svm_train (context, rest, n, P, rest_labels, CLASSES, &options, NULL, &svm) != TOSST_OK)
        g_error ("C %g, without %d: %s", c, out, tosst_context_message (context));
      tosst_svm_margins (svm, x + out * P, 1, margins);
      right += tosst_svm_decide (svm, margins) == labels[out];
    }
  return (double)right / N;
}

/* As many parts as samples leave one out, whatever the seed: the one case with nothing to draw. */
static void
test_leave_one_out (void)
{
  static const double separations[] = { 0, 0.4, 1, 10 };
  float x[N * P];
  int labels[N];

  for (gsize s = 0; s < G_N_ELEMENTS (separations); s++)
    {
      double accuracy[TOSST_SVM_GRID], c, best = 0;

      fill (x, labels, N, P, separations[s], s);
      c = choose (1, x, labels, N, P, N, 3, accuracy);
      for (int i = TOSST_SVM_GRID - 1; i >= 0; i--)
        {
          g_assert_cmpfloat_with_epsilon (accuracy[i], leave_one_out (x, labels, tosst_svm_grid (i)), 1e-12);
          best = fmax (best, accuracy[i]);
        }
      /* The smallest of the best. */
      for (int i = 0; tosst_svm_grid (i) < c; i++)
        g_assert_cmpfloat (accuracy[i], <, best);
      for (int i = 0; i < TOSST_SVM_GRID; i++)
        if (tosst_svm_grid (i) == c)
          g_assert_cmpfloat (accuracy[i], ==, best);
    }
}

/* Far apart, every C is right and the widest margin wins. */
static void
test_separable (void)
{
  float x[N * P];
  int labels[N];
  double accuracy[TOSST_SVM_GRID];

  fill (x, labels, N, P, 30, 2);
  g_assert_cmpfloat (choose (2, x, labels, N, P, 5, 1, accuracy), ==, 0.1);
  for (int i = 0; i < TOSST_SVM_GRID; i++)
    g_assert_cmpfloat (accuracy[i], ==, 1);
}

/* The same bits from any number of threads; other parts from another seed. With 60 columns a Gram matrix is used, with
 * 5 none: the answer is the same. */
static void
test_same (void)
{
  enum
  {
    MANY = 90,
    WIDE = 60
  };
  g_autofree float *x = g_new (float, MANY *P), *wide = g_new (float, MANY *WIDE);
  int labels[MANY];
  double one[TOSST_SVM_GRID], three[TOSST_SVM_GRID], other[TOSST_SVM_GRID], gram[TOSST_SVM_GRID];

  fill (x, labels, MANY, P, 0.5, 8);
  fill (wide, labels, MANY, WIDE, 0.5, 8);
  g_assert_cmpfloat (choose (1, x, labels, MANY, P, 5, 4, one), ==, choose (3, x, labels, MANY, P, 5, 4, three));
  g_assert_cmpmem (one, sizeof one, three, sizeof three);
  choose (1, wide, labels, MANY, WIDE, 5, 4, gram);
  g_assert_cmpmem (one, sizeof one, gram, sizeof gram);
  choose (1, x, labels, MANY, P, 5, 5, other);
  g_assert_cmpint (memcmp (one, other, sizeof one), !=, 0);
}

/* Samples that cannot be held out, alone or beside others. */
static void
test_single_samples (void)
{
  static const float x[] = { 1, 0, 0, 1, -1, -1, -1.1f, -1 };
  static const int labels[] = { 0, 1, 2, 2 };
  double accuracy[TOSST_SVM_GRID];

  g_assert_cmpfloat (choose (1, x, labels, 3, 2, 5, 1, accuracy), ==, -1);
  g_assert_true (isnan (accuracy[0]));
  g_assert_cmpfloat (choose (1, x, labels, 4, 2, 5, 1, accuracy), >, 0);
  g_assert_cmpfloat (accuracy[3], ==, 1);
}

typedef struct
{
  TosstContext *context;
  int cancel_at, told;
} Interruption;

static void
interrupt (const TosstSvmChoice *choice, void *data)
{
  Interruption *self = data;

  g_assert_cmpint (choice->fits, ==, ++self->told);
  if (choice->fits == self->cancel_at)
    tosst_context_cancel (self->context);
}

/* Cancelled after any step, or before the first, and gone on with: the same, and nothing twice. A C that does not
 * converge is the one thing that is not a number. */
static void
test_interrupted (void)
{
  enum
  {
    FOLDS = 5,
    FITS = FOLDS * TOSST_SVM_GRID
  };
  float x[N * P];
  int labels[N];
  double expected[TOSST_SVM_GRID], accuracy[TOSST_SVM_GRID], whole;
  TosstSvmOptions options;

  tosst_svm_options_default (&options);
  fill (x, labels, N, P, 0.7, 4);
  whole = choose (1, x, labels, N, P, FOLDS, 6, expected);
  for (int at = 0; at <= FITS; at++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (2);
      Interruption interruption = { .context = context, .cancel_at = at };
      TosstSvmChoice choice = { .report = interrupt, .data = &interruption };
      double c = -1;

      if (at == 0)
        tosst_context_cancel (context);
      g_assert_cmpint (
          tosst_svm_choose_c (context, x, N, P, labels, CLASSES, &options, FOLDS, 6, &choice, accuracy, &c), ==,
          at < FITS ? TOSST_CANCELLED : TOSST_OK);
      g_assert_cmpint (choice.fits, ==, at);
      tosst_context_reset (context);
      assert_ok (tosst_svm_choose_c (context, x, N, P, labels, CLASSES, &options, FOLDS, 6, &choice, accuracy, &c));
      g_assert_cmpint (interruption.told, ==, FITS);
      g_assert_cmpfloat (c, ==, whole);
      g_assert_cmpmem (accuracy, sizeof accuracy, expected, sizeof expected);
    }
}

static void
test_refusals (void)
{
  TosstSvmChoice beyond = { .fits = 31 };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstSvmOptions options;
  float x[N * P];
  int labels[N];
  double c = 7;

  fill (x, labels, N, P, 1, 2);
  tosst_svm_options_default (&options);
  g_assert_cmpint (tosst_svm_choose_c (context, x, N, P, labels, CLASSES, &options, 1, 1, NULL, NULL, &c), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_svm_choose_c (context, x, N, P, labels, CLASSES + 1, &options, 5, 1, NULL, NULL, &c), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_svm_choose_c (context, x, N, P, labels, CLASSES, &options, 5, 1, &beyond, NULL, &c), ==,
                   TOSST_ERROR_ARGUMENT);
  x[17] = NAN;
  g_assert_cmpint (tosst_svm_choose_c (context, x, N, P, labels, CLASSES, &options, 5, 1, NULL, NULL, &c), ==,
                   TOSST_ERROR_NUMERIC);
  x[17] = 0;
  tosst_context_cancel (context);
  g_assert_cmpint (tosst_svm_choose_c (context, x, N, P, labels, CLASSES, &options, 5, 1, NULL, NULL, &c), ==,
                   TOSST_CANCELLED);
  g_assert_cmpfloat (c, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/svm-choose/leave-one-out", test_leave_one_out);
  g_test_add_func ("/svm-choose/separable", test_separable);
  g_test_add_func ("/svm-choose/same", test_same);
  g_test_add_func ("/svm-choose/single-samples", test_single_samples);
  g_test_add_func ("/svm-choose/interrupted", test_interrupted);
  g_test_add_func ("/svm-choose/refusals", test_refusals);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What equation (5) makes atoms for: super-symmetric tensors, whole ones (problem 2), symmetric matrices and general
 * tensors (Remark 1). Everything is judged by full arrays: tensors and atoms are written out entry by entry, and the
 * objective, its optimality conditions and the constraints are computed from those alone.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "learned.h"
#include "objects.h"
#include "tosst/learn.h"

#define TENSORS 70
#define ATOMS 9
#define ITERATIONS 8

/* The error of sums in float32 over all tensors, whose squared norms add up to TENSORS once they are scaled. */
#define ROUNDING (2e-7 * TENSORS)

typedef struct
{
  TosstLayout *layout;
  float *tensors; /* TENSORS x m */
} Data;

/* Sums of a few outer products; of signed vectors where the shape asks for no symmetry. */
static Data
make_data (TosstShape shape)
{
  Data data = { tosst_layout_new_shape (shape), NULL };
  TosstRandom random;
  gsize m = data.layout->m;

  data.tensors = g_new0 (float, TENSORS *m);
  tosst_random_init (&random, 11, shape.kind);
  for (int n = 0; n < TENSORS; n++)
    for (int term = 0; term < 7; term++)
      {
        double x[3][16];
        float *out = data.tensors + n * m;

        for (int mode = 0; mode < 3; mode++)
          for (int i = 0; i < 16; i++)
            x[mode][i]
                = tosst_random_normal (&random) + (shape.kind == TOSST_SHAPE_GENERAL ? 0.3 : 1) * (1 + (n + i) % 3);
        for (int i = 0; i < shape.d1; i++)
          switch (shape.kind)
            {
            case TOSST_SHAPE_SUPER_SYMMETRIC:
            case TOSST_SHAPE_WHOLE:
              for (int j = i; j < shape.d1; j++)
                for (int k = j; k < shape.d1; k++)
                  *out++ += (float)(x[0][i] * x[0][j] * x[0][k] / 7);
              break;
            case TOSST_SHAPE_SYMMETRIC:
              for (int j = i; j < shape.d1; j++)
                *out++ += (float)(x[0][i] * x[0][j] / 7);
              break;
            case TOSST_SHAPE_GENERAL:
            default:
              for (int j = 0; j < shape.d2; j++)
                for (int s = 0; s < shape.d3; s++)
                  *out++ += (float)(x[0][i] * x[1][j] * x[2][s]);
              break;
            }
      }
  return data;
}

static void
free_data (Data *data)
{
  tosst_layout_free (data->layout);
  g_free (data->tensors);
}

/* Slice s of a stored tensor as a full array, straight from what files hold. */
static void
write_out_slice (TosstShape shape, const float *tensor, int s, double *out)
{
  int d = shape.d1;

  for (int i = 0; i < d; i++)
    for (int j = 0; j < (shape.kind == TOSST_SHAPE_GENERAL ? shape.d2 : d); j++)
      switch (shape.kind)
        {
        case TOSST_SHAPE_SUPER_SYMMETRIC:
          *out++ = tensor[tosst_packed_index (d, i, j, s)];
          break;
        case TOSST_SHAPE_WHOLE:
          for (int k = 0; k < d; k++)
            *out++ = tensor[tosst_packed_index (d, i, j, k)];
          break;
        case TOSST_SHAPE_SYMMETRIC:
          {
            int low = MIN (i, j), high = MAX (i, j);
            *out++ = tensor[low * d - low * (low - 1) / 2 + high - low];
            break;
          }
        case TOSST_SHAPE_GENERAL:
        default:
          *out++ = tensor[(i * shape.d2 + j) * shape.d3 + s];
          break;
        }
}

/* Equation (5) at a code, beta from its normal equations; gradient (K, or NULL) receives its derivative without lambda.
 */
static double
written_out (const TosstDictionary *dictionary, const float *tensor, const double *alpha, double lambda, double gamma,
             double *gradient)
{
  int K = dictionary->K, S = dictionary->S;
  gsize cells = tosst_shape_atom_numbers (dictionary->shape);
  g_autofree double *B = g_new (double, K *cells), *b = g_new (double, K *S), *N = g_new (double, K *K);
  g_autofree double *X = g_new (double, cells), *beta = g_new (double, K);
  double sum = 0;
  gboolean tied = !isfinite (gamma) || dictionary->shape.kind == TOSST_SHAPE_WHOLE;

  tosst_dictionary_get (dictionary, B, b);
  if (gradient)
    memset (gradient, 0, sizeof *gradient * K);
  for (int s = 0; s < S; s++)
    {
      write_out_slice (dictionary->shape, tensor, s, X);
      cblas_dscal (cells, 1 / dictionary->scale, X, 1);
      for (int k = 0; k < K; k++)
        {
          beta[k] = b[k * S + s] * alpha[k];
          if (tied)
            continue;
          beta[k] = gamma * beta[k] + cblas_ddot (cells, B + k * cells, 1, X, 1);
          for (int j = 0; j < K; j++)
            N[k * K + j] = cblas_ddot (cells, B + k * cells, 1, B + j * cells, 1) + (j == k ? gamma : 0);
        }
      if (!tied)
        g_assert_cmpint (LAPACKE_dposv (LAPACK_COL_MAJOR, 'U', K, 1, N, K, beta, K), ==, 0);
      for (int k = 0; k < K; k++)
        cblas_daxpy (cells, -beta[k], B + k * cells, 1, X, 1);
      sum += cblas_ddot (cells, X, 1, X, 1);
      for (int k = 0; k < K; k++)
        {
          double apart = b[k * S + s] * alpha[k] - beta[k], weight = b[k * S + s];
          if (!tied)
            sum += gamma * apart * apart;
          if (gradient)
            gradient[k] += 2 * weight * (tied ? -cblas_ddot (cells, B + k * cells, 1, X, 1) : gamma * apart);
        }
    }
  return sum + lambda * cblas_dasum (K, alpha, 1);
}

/* Codes of all tensors in float64. */
static double *
code (TosstContext *context, const Data *data, const TosstDictionary *dictionary, double lambda, double gamma,
      gboolean is_signed)
{
  TosstCodingOptions options
      = { .problem.lambda = lambda, .problem.gamma = gamma, .problem.signed_alpha = is_signed, .tolerance = 1e-12 };
  g_autoptr (TosstCoder) coder = NULL;
  gsize m = data->layout->m;
  g_autofree double *wide = g_new (double, TENSORS *m);
  double *codes = g_new (double, TENSORS * dictionary->K);

  for (gsize i = 0; i < TENSORS * m; i++)
    wide[i] = data->tensors[i];
  assert_ok (tosst_coder_new (context, dictionary, data->layout, &options, &coder));
  assert_ok (tosst_code_double (context, coder, wide, TENSORS, FALSE, codes, NULL));

  g_autofree double *objective = g_new (double, TENSORS);
  assert_ok (tosst_code_objective (context, coder, wide, TENSORS, codes, objective, NULL));
  for (int n = 0; n < TENSORS; n++)
    {
      double expected = written_out (dictionary, data->tensors + n * m, codes + n * dictionary->K, lambda, gamma, NULL);
      g_assert_cmpfloat_with_epsilon (objective[n], expected, 1e-10 * (1 + expected));
    }
  return codes;
}

/* The derivative is -lambda where a code is positive, lambda where it is negative, and lets no zero leave. */
static void
assert_optimal (const TosstDictionary *dictionary, const float *tensor, const double *alpha, double lambda,
                double gamma, gboolean is_signed)
{
  g_autofree double *gradient = g_new (double, dictionary->K);

  written_out (dictionary, tensor, alpha, lambda, gamma, gradient);
  for (int k = 0; k < dictionary->K; k++)
    {
      if (alpha[k] != 0)
        g_assert_cmpfloat (fabs (gradient[k] + copysign (lambda, alpha[k])), <=, 1e-9);
      else
        {
          g_assert_cmpfloat (-gradient[k], <=, lambda + 1e-9);
          g_assert_cmpfloat (is_signed ? gradient[k] : 0, <=, lambda + 1e-9);
        }
      g_assert_true (is_signed || alpha[k] >= 0);
    }
}

static double
total (const Data *data, const TosstDictionary *dictionary, const double *codes, double lambda, double gamma)
{
  double sum = 0;

  for (int n = 0; n < TENSORS; n++)
    sum += written_out (dictionary, data->tensors + n * data->layout->m, codes + n * dictionary->K, lambda, gamma,
                        NULL);
  return sum;
}

static void
default_options (TosstLearnOptions *options, TosstShape shape)
{
  tosst_learn_options_default (options);
  options->atoms = ATOMS;
  options->rank = 2;
  options->iterations = ITERATIONS;
  options->tolerance = 0;
  options->problem.lambda = 0.01;
  if (shape.kind == TOSST_SHAPE_GENERAL)
    {
      options->scheme = TOSST_SCHEME_FREE;
      options->signed_b = true;
    }
  if (shape.kind == TOSST_SHAPE_WHOLE)
    options->scheme = TOSST_SCHEME_FULL;
}

/* Reported objectives are never below what the best codes reach for the dictionary they left, which the next iteration
 * starts from: reported_t >= best_t >= reported_(t + 1). */
static void
check_course (TosstContext *context, const Data *data, const TosstLearnOptions *options)
{
  Course course = { 0 };
  g_autoptr (TosstDictionary) dictionary = NULL;
  gsize m = data->layout->m;

  assert_ok (
      tosst_learn (context, data->layout, data->tensors, TENSORS, options, NULL, keep_course, &course, &dictionary));
  g_assert_cmpint (course.n, ==, ITERATIONS);
  for (int i = 0; i < course.n; i++)
    {
      const TosstIteration *now = &course.trace[i];
      g_autofree double *codes
          = code (context, data, course.dictionary[i], options->problem.lambda, options->problem.gamma, FALSE);
      double best = total (data, course.dictionary[i], codes, options->problem.lambda, options->problem.gamma);

      g_assert_cmpfloat (best, <=, now->objective * (1 + 1e-6) + ROUNDING);
      if (i + 1 < course.n)
        g_assert_cmpfloat (course.trace[i + 1].objective, <=, best * (1 + 1e-6) + ROUNDING);
      g_assert_cmpfloat (now->worst_kkt, <=, 1e-5);
      if (data->layout->shape.kind == TOSST_SHAPE_WHOLE || !isfinite (options->problem.gamma))
        g_assert_cmpfloat (now->proximity, ==, 0);
      assert_constraints (course.dictionary[i], options);
      for (int n = 0; n < TENSORS; n++)
        assert_optimal (course.dictionary[i], data->tensors + n * m, codes + n * ATOMS, options->problem.lambda,
                        options->problem.gamma, FALSE);
    }
  if (m > 1) /* one number has nothing to learn */
    g_assert_cmpfloat (course.trace[course.n - 1].objective, <, course.trace[0].objective);
  free_course (&course);
}

static const TosstShape shapes[] = {
  { TOSST_SHAPE_SUPER_SYMMETRIC, 4, 4, 4 }, { TOSST_SHAPE_SUPER_SYMMETRIC, 1, 1, 1 },
  { TOSST_SHAPE_WHOLE, 5, 5, 5 },           { TOSST_SHAPE_WHOLE, 1, 1, 1 },
  { TOSST_SHAPE_SYMMETRIC, 5, 5, 5 },       { TOSST_SHAPE_SYMMETRIC, 1, 1, 1 },
  { TOSST_SHAPE_GENERAL, 3, 5, 4 },         { TOSST_SHAPE_GENERAL, 1, 6, 3 },
  { TOSST_SHAPE_GENERAL, 4, 4, 1 },         { TOSST_SHAPE_GENERAL, 1, 1, 7 },
  { TOSST_SHAPE_GENERAL, 5, 6, 3 },         { TOSST_SHAPE_SYMMETRIC, 8, 8, 8 },
};

static void
test_learn (void)
{
  static const double gammas[] = { 0.5, INFINITY };
  g_autoptr (TosstContext) context = tosst_context_new (2);

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      Data data = make_data (shapes[i]);
      for (int scheme = TOSST_SCHEME_PSD; scheme <= TOSST_SCHEME_FULL; scheme++)
        for (int g = 0; g < 2; g++)
          {
            TosstLearnOptions options;
            default_options (&options, shapes[i]);
            options.scheme = scheme;
            options.problem.gamma = gammas[g];
            options.rank = MIN (2, shapes[i].d1);
            if (tosst_learn_options_check (&options, TENSORS, shapes[i]))
              continue;
            g_test_message ("shape %d of %d x %d x %d, scheme %d, gamma %g", shapes[i].kind, shapes[i].d1, shapes[i].d2,
                            shapes[i].d3, scheme, gammas[g]);
            check_course (context, &data, &options);
          }
      free_data (&data);
    }
}

/* Which schemes each kind of tensors has. */
static void
test_schemes (void)
{
  static const gboolean has[4][4] = { [TOSST_SHAPE_SUPER_SYMMETRIC] = { TRUE, TRUE, TRUE, FALSE },
                                      [TOSST_SHAPE_WHOLE] = { FALSE, FALSE, FALSE, TRUE },
                                      [TOSST_SHAPE_SYMMETRIC] = { TRUE, TRUE, TRUE, FALSE },
                                      [TOSST_SHAPE_GENERAL] = { FALSE, FALSE, TRUE, FALSE } };

  for (int kind = 0; kind < 4; kind++)
    for (int scheme = 0; scheme < 4; scheme++)
      {
        TosstAtomSet set = { { kind, 5, 5, 5 }, scheme, 2 };
        g_assert_cmpint (tosst_atom_set_check (&set) == NULL, ==, has[kind][scheme]);
      }
  g_assert_nonnull (
      tosst_atom_set_check (&(TosstAtomSet){ tosst_shape (TOSST_SHAPE_WHOLE, 11), TOSST_SCHEME_FULL, 0 }));
  g_assert_nonnull (
      tosst_atom_set_check (&(TosstAtomSet){ tosst_shape (TOSST_SHAPE_SYMMETRIC, 5), TOSST_SCHEME_LOW_RANK, 6 }));
}

static TosstDictionary *
learn (TosstContext *context, const Data *data, const TosstDictionary *initial, double *objective)
{
  TosstLearnOptions options;
  TosstDictionary *dictionary;
  Course course = { 0 };

  default_options (&options, data->layout->shape);
  options.iterations = 4;
  assert_ok (tosst_learn (context, data->layout, data->tensors, TENSORS, &options,
                          &(TosstLearnRun){ .initial = initial }, keep_course, &course, &dictionary));
  *objective = course.trace[course.n - 1].objective;
  free_course (&course);
  return dictionary;
}

/* The order of tensors changes nothing but rounding: codes move with their tensors, and from given atoms learning goes
 * the same way. Neither does their unit: the scale takes it up. */
static void
test_order_and_unit (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      Data data = make_data (shapes[i]), turned = make_data (shapes[i]), enlarged = make_data (shapes[i]);
      gsize m = data.layout->m;
      double start, straight, back, large;

      g_test_message ("shape %d of %d x %d x %d", shapes[i].kind, shapes[i].d1, shapes[i].d2, shapes[i].d3);
      for (int n = 0; n < TENSORS; n++)
        memcpy (turned.tensors + n * m, data.tensors + (TENSORS - 1 - n) * m, sizeof (float) * m);
      for (gsize j = 0; j < TENSORS * m; j++)
        enlarged.tensors[j] *= 4096;
      g_autoptr (TosstDictionary) first = learn (context, &data, NULL, &start),
                                  same = learn (context, &enlarged, NULL, &large);
      tosst_dictionary_free (learn (context, &data, first, &straight));
      tosst_dictionary_free (learn (context, &turned, first, &back));
      g_autofree double *codes = code (context, &data, first, 0.01, 1, FALSE);
      g_autofree double *moved = code (context, &turned, first, 0.01, 1, FALSE);

      g_assert_cmpfloat_with_epsilon (straight, back, 1e-5 * straight + 5 * ROUNDING);
      g_assert_cmpfloat_with_epsilon (start, large, 1e-6 * start + ROUNDING);
      g_assert_cmpfloat_with_epsilon (same->scale, 4096 * first->scale, 1e-9 * same->scale);
      for (int n = 0; n < TENSORS; n++)
        for (int k = 0; k < ATOMS; k++)
          g_assert_cmpfloat_with_epsilon (codes[n * ATOMS + k], moved[(TENSORS - 1 - n) * ATOMS + k], 1e-8);
      free_data (&data);
      free_data (&turned);
      free_data (&enlarged);
    }
}

/* Transposing all slices of general tensors, modes 1 and 2, transposes the atoms. */
static void
test_modes (void)
{
  TosstShape shape = { TOSST_SHAPE_GENERAL, 3, 5, 4 }, across = { TOSST_SHAPE_GENERAL, 5, 3, 4 };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  Data data = make_data (shape), other = make_data (across);
  double objective, transposed;

  for (int n = 0; n < TENSORS; n++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 5; j++)
        for (int s = 0; s < 4; s++)
          other.tensors[n * 60 + (j * 3 + i) * 4 + s] = data.tensors[n * 60 + (i * 5 + j) * 4 + s];
  g_autoptr (TosstDictionary) a = learn (context, &data, NULL, &objective),
                              b = learn (context, &other, NULL, &transposed);
  g_assert_cmpfloat_with_epsilon (objective, transposed, 1e-6 * objective);
  for (int k = 0; k < ATOMS; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 5; j++)
        g_assert_cmpfloat_with_epsilon (a->V[k * 15 + i * 5 + j], b->V[k * 15 + j * 3 + i], 1e-3);
  free_data (&data);
  free_data (&other);
}

/* Super-symmetric tensors given as general ones have the same codes for the same atoms, and symmetric matrices given as
 * general tensors of one slice. */
static void
test_packed_or_general (void)
{
  static const TosstShape packed[] = { { TOSST_SHAPE_SUPER_SYMMETRIC, 4, 4, 4 }, { TOSST_SHAPE_SYMMETRIC, 4, 4, 4 } };
  g_autoptr (TosstContext) context = tosst_context_new (1);

  for (int which = 0; which < 2; which++)
    {
      TosstShape shape = packed[which], full = { TOSST_SHAPE_GENERAL, 4, 4, which == 0 ? 4 : 1 };
      Data data = make_data (shape), wide = make_data (full);
      TosstLearnOptions options;
      TosstDictionary *a, *b = tosst_dictionary_new_shape (full, ATOMS);
      g_autofree double *B = g_new (double, ATOMS * 16), *weights = g_new (double, ATOMS * 4);

      for (int n = 0; n < TENSORS; n++)
        for (int s = 0; s < full.d3; s++)
          {
            double slice[16];
            write_out_slice (shape, data.tensors + n * data.layout->m, s, slice);
            for (int p = 0; p < 16; p++)
              wide.tensors[n * wide.layout->m + p * full.d3 + s] = (float)slice[p];
          }
      default_options (&options, shape);
      options.scheme = TOSST_SCHEME_FREE;
      assert_ok (tosst_learn (context, data.layout, data.tensors, TENSORS, &options, NULL, NULL, NULL, &a));
      tosst_dictionary_get (a, B, weights);
      tosst_dictionary_set (b, B, weights);
      b->scale = a->scale;
      for (int is_signed = 0; is_signed < 2; is_signed++)
        {
          g_autofree double *codes = code (context, &data, a, 0.02, 0.7, is_signed);
          g_autofree double *others = code (context, &wide, b, 0.02, 0.7, is_signed);
          double one = total (&data, a, codes, 0.02, 0.7), two = total (&wide, b, others, 0.02, 0.7);

          g_assert_cmpfloat_with_epsilon (one, two, 1e-9 * one);
          for (int n = 0; n < TENSORS; n++)
            assert_optimal (b, wide.tensors + n * wide.layout->m, others + n * ATOMS, 0.02, 0.7, is_signed);
        }
      tosst_dictionary_free (a);
      tosst_dictionary_free (b);
      free_data (&data);
      free_data (&wide);
    }
}

/* Matrices that were read are written with the same bits, also after a second round. */
static void
test_same_bits (void)
{
  enum
  {
    WIDTH = 7,
    COUNT = 400
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  double B[COUNT * WIDTH * WIDTH], b[COUNT * WIDTH], again[COUNT * WIDTH * WIDTH];
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new (WIDTH, COUNT);

  for (int i = 0; i < COUNT * dictionary->D; i++)
    dictionary->V[i] = g_rand_double_range (random, -1, 1);
  memset (dictionary->b, 0, sizeof *dictionary->b * WIDTH * COUNT);
  tosst_dictionary_get (dictionary, B, b);
  for (int round = 0; round < 2; round++)
    {
      tosst_dictionary_set (dictionary, B, b);
      tosst_dictionary_get (dictionary, again, b);
      g_assert_cmpmem (again, sizeof again, B, sizeof B);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shapes/schemes", test_schemes);
  g_test_add_func ("/shapes/learn", test_learn);
  g_test_add_func ("/shapes/order-and-unit", test_order_and_unit);
  g_test_add_func ("/shapes/modes", test_modes);
  g_test_add_func ("/shapes/same-bits", test_same_bits);
  g_test_add_func ("/shapes/packed-or-general", test_packed_or_general);
  return g_test_run ();
}

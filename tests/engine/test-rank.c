/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranks and definiteness of tensors made by hand, Theorem 2 on random codes, and few weights for many vectors, judged
 * by generalised eigenvalues from LAPACK.
 */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "objects.h"
#include "tosst/tensor.h"

#define SIDE 7
#define SHAPE (tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, SIDE))
#define SIZE 84 /* SIDE (SIDE + 1) (SIDE + 2) / 6 */

static void
add_cube (double *tensor, const double *x, double weight)
{
  for (int i = 0; i < SIDE; i++)
    for (int j = i; j < SIDE; j++)
      for (int k = j; k < SIDE; k++)
        *tensor++ += weight * x[i] * x[j] * x[k];
}

static void
draw (TosstRandom *random, double low, double *x, int n)
{
  for (int i = 0; i < n; i++)
    x[i] = low + (1 - low) * tosst_random_uniform (random);
}

static TosstTensorRank
rank_of (const double *tensor, double tolerance)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstTensorRank rank;

  assert_ok (tosst_tensor_rank (context, SHAPE, tensor, 1, tolerance, &rank, NULL));
  return rank;
}

/* p dense vectors make slices of rank p, whatever the unit, and in float32 too; vectors with few entries that are not
 * zero reach few slices. */
static void
test_trank (void)
{
  TosstRandom random;
  double x[SIDE], tensor[SIZE] = { 0 }, narrow[SIZE], tiny[SIZE];
  double fine = tosst_rank_tolerance (SHAPE, true), coarse = tosst_rank_tolerance (SHAPE, false);

  g_assert_cmpint (rank_of (tensor, fine).rank, ==, 0);
  tosst_random_init (&random, 3, 0);
  for (int p = 1; p <= SIDE + 2; p++)
    {
      draw (&random, -1, x, SIDE);
      add_cube (tensor, x, 1);
      for (int i = 0; i < SIZE; i++)
        {
          narrow[i] = (float)tensor[i];
          tiny[i] = 1e-200 * tensor[i];
        }
      int expected = MIN (p, SIDE);
      g_assert_cmpint (rank_of (tensor, fine).rank, ==, expected);
      g_assert_cmpint (rank_of (tiny, fine).rank, ==, expected);
      if (p <= 3) /* beyond, the smallest eigenvalue may come near rounding */
        {
          g_assert_cmpint (rank_of (narrow, coarse).rank, ==, expected);
          g_assert_cmpint (rank_of (narrow, fine).rank, >, expected);
        }
    }

  memset (tensor, 0, sizeof tensor);
  add_cube (tensor, (double[SIDE]){ 1 }, 1);
  add_cube (tensor, (double[SIDE]){ 0, 2 }, 1);
  TosstTensorRank rank = rank_of (tensor, fine);
  g_assert_cmpint (rank.rank, ==, 1);
  g_assert_cmpint (rank.slice, ==, 0);
  g_assert_cmpfloat_with_epsilon (rank.largest, 8, 1e-14);
  add_cube (tensor, (double[SIDE]){ 0, 1, 0, 1 }, 1e-3);
  rank = rank_of (tensor, fine);
  g_assert_cmpint (rank.rank, ==, 2);
  g_assert_cmpint (rank.slice, ==, 1);
}

static void
test_spectra (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (2);
  TosstRandom random;
  enum
  {
    COUNT = 9
  };
  double tensors[COUNT * SIZE], spectra[COUNT * SIDE * SIDE], full[SIDE * SIDE], values[SIDE];
  TosstTensorRank ranks[COUNT];

  tosst_random_init (&random, 4, 0);
  draw (&random, -1, tensors, COUNT * SIZE);
  assert_ok (tosst_tensor_rank (context, SHAPE, tensors, COUNT, 1e-12, ranks, spectra));
  for (int n = 0; n < COUNT; n++)
    {
      double smallest = INFINITY;
      int negative = 0;
      for (int s = 0; s < SIDE; s++)
        {
          for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
              full[i * SIDE + j] = tensors[n * SIZE + tosst_packed_index (SIDE, i, j, s)];
          g_assert_cmpint (LAPACKE_dsyev (LAPACK_ROW_MAJOR, 'N', 'U', SIDE, full, SIDE, values), ==, 0);
          for (int i = 0; i < SIDE; i++)
            g_assert_cmpfloat_with_epsilon (spectra[(n * SIDE + s) * SIDE + i], values[SIDE - 1 - i], 1e-13);
          smallest = fmin (smallest, values[0]);
          negative += values[0] < 0;
        }
      g_assert_cmpfloat_with_epsilon (ranks[n].smallest, smallest, 1e-13);
      g_assert_cmpint (ranks[n].negative, ==, negative);
      g_assert_cmpint (ranks[n].rank, ==, SIDE);
    }
  tensors[SIZE + 3] = NAN;
  g_assert_cmpint (tosst_tensor_rank (context, SHAPE, tensors, COUNT, 1e-12, ranks, NULL), ==, TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "tensor 1"));
  g_assert_cmpint (tosst_tensor_rank (context, SHAPE, tensors, COUNT, 0, ranks, NULL), ==, TOSST_ERROR_ARGUMENT);
}

/* Vectors >= 0 make slices that are positive semi-definite; one negative entry need not. The sampled form is never
 * below the smallest eigenvalue. */
static void
test_definite (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstRandom random;
  TosstFormSample sample;
  double x[SIDE], tensor[SIZE] = { 0 }, tolerance = tosst_rank_tolerance (SHAPE, true);

  tosst_random_init (&random, 6, 0);
  for (int n = 0; n < 30; n++)
    {
      draw (&random, 0, x, SIDE);
      add_cube (tensor, x, 1);
    }
  TosstTensorRank rank = rank_of (tensor, tolerance);
  g_assert_cmpint (rank.negative, ==, 0);
  g_assert_cmpfloat (rank.smallest, >, 0);
  assert_ok (tosst_sample_forms (context, SHAPE, tensor, 200, 1, tolerance, &sample));
  g_assert_cmpuint (sample.negative, ==, 0);
  g_assert_cmpfloat (sample.smallest, >=, rank.smallest);

  x[2] = -1;
  add_cube (tensor, x, 30);
  rank = rank_of (tensor, tolerance);
  g_assert_cmpint (rank.negative, ==, 1);
  assert_ok (tosst_sample_forms (context, SHAPE, tensor, 200, 1, tolerance, &sample));
  g_assert_cmpuint (sample.negative, >, 0);
  g_assert_cmpuint (sample.negative, <=, 200);
  g_assert_cmpfloat (sample.smallest, <, 0);
  g_assert_cmpfloat (sample.smallest, >=, rank.smallest);
}

/* Theorem 2 on atoms of rank 0, 1 and 2; with dense vectors b and generic atoms it holds with equality. */
static void
test_theorem_2 (void)
{
  enum
  {
    K = 12
  };
  static const double codes[][K]
      = { { 0 }, { 0, 1 }, { 0, 1, 0.3 }, { 0.5, 0, 2, 0, 1 }, { 0, 1, 0.3, 2, 0, 1 }, { 0, 1, 1, 1, 1, 1, 1 } };
  static const long sums[] = { 0, 1, 3, 4, 5, 9 };
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new (SIDE, K);
  TosstRandom random;
  g_autofree double *work = g_new (double, tosst_project_atom_work (SIDE)), *slices = g_new (double, SIDE *SIDE *SIDE);
  double *spectrum_work = g_aligned_alloc (1, tosst_plane_work (SHAPE), 64), values[SIDE];
  double B[K * SIDE * SIDE], b[K * SIDE];
  int ranks[K], support[K];

  tosst_random_init (&random, 8, 0);
  dictionary->scale = 0.4;
  for (int k = 1; k < K; k++)
    {
      double *v = dictionary->V + k * dictionary->D;
      draw (&random, -1, v, dictionary->D);
      draw (&random, -1, dictionary->b + k * SIDE, SIDE);
      assert_ok (tosst_project_atom (TOSST_SCHEME_LOW_RANK, k % 2 ? 1 : 2, SIDE, v, work));
    }
  assert_ok (tosst_atom_ranks (context, dictionary, 1e-12, ranks));
  for (int k = 0; k < K; k++)
    g_assert_cmpint (ranks[k], ==, k == 0 ? 0 : k % 2 ? 1 : 2);
  g_assert_cmpint (tosst_code_support (codes[3], K, support), ==, 3);
  g_assert_true (support[0] == 0 && support[1] == 2 && support[2] == 4);
  for (gsize c = 0; c < G_N_ELEMENTS (codes); c++)
    {
      long sum;
      int trank = 0, bound = tosst_code_rank_bound (codes[c], ranks, K, SIDE, &sum);
      g_assert_cmpint (sum, ==, sums[c]);
      g_assert_cmpint (bound, ==, MIN (sum, SIDE));
      tosst_code_planes (dictionary, codes[c], B, slices);
      for (int s = 0; s < SIDE; s++)
        {
          assert_ok (tosst_plane_spectrum (SHAPE, slices + s * SIDE * SIDE, spectrum_work, values));
          trank = MAX (trank, tosst_spectrum_rank (values, SIDE, 1e-12, 0));
        }
      g_assert_cmpint (trank, ==, bound);
    }
  /* The reconstruction, entry by entry. */
  tosst_dictionary_get (dictionary, B, b);
  for (int i = 0; i < SIDE * SIDE * SIDE; i++)
    {
      double expected = 0;
      for (int k = 0; k < K; k++)
        expected += 0.4 * codes[5][k] * b[k * SIDE + i / SIDE / SIDE] * B[k * SIDE * SIDE + i % (SIDE * SIDE)];
      g_assert_cmpfloat_with_epsilon (slices[i], expected, 1e-14);
    }
  g_aligned_free (spectrum_work);
}

/* Whole tensors are those of super-symmetric ones; a second-order one is a single plane; planes of a general one need
 * not be square. */
static void
test_shapes (void)
{
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstShape general = { TOSST_SHAPE_GENERAL, 4, 3, 2 };
  TosstRandom random;
  TosstTensorRank rank, whole;
  TosstFormSample sample;
  double tensor[SIZE] = { 0 }, x[SIDE], array[24] = { 0 }, spectra[6], matrix[] = { 2, 0, 0, -1, 0, 0 };

  tosst_random_init (&random, 31, 0);
  draw (&random, -1, x, SIDE);
  add_cube (tensor, x, 1);
  rank = rank_of (tensor, 1e-12);
  assert_ok (tosst_tensor_rank (context, tosst_shape (TOSST_SHAPE_WHOLE, SIDE), tensor, 1, 1e-12, &whole, NULL));
  g_assert_true (rank.rank == whole.rank && rank.slice == whole.slice && rank.negative == whole.negative);
  g_assert_true (rank.smallest == whole.smallest && rank.largest == whole.largest);

  /* diag (2, -1, 0) */
  assert_ok (tosst_tensor_rank (context, tosst_shape (TOSST_SHAPE_SYMMETRIC, 3), matrix, 1, 1e-12, &rank, spectra));
  g_assert_true (rank.rank == 2 && rank.negative == 1);
  g_assert_cmpfloat_with_epsilon (spectra[0], 2, 1e-14);
  g_assert_cmpfloat_with_epsilon (spectra[2], -1, 1e-14);

  /* X_ijs: plane 0 has 3 at (0, 1), plane 1 has 5 at (2, 0) and -4 at (3, 2). */
  array[(0 * 3 + 1) * 2] = 3;
  array[(2 * 3 + 0) * 2 + 1] = 5;
  array[(3 * 3 + 2) * 2 + 1] = -4;
  assert_ok (tosst_tensor_rank (context, general, array, 1, 1e-12, &rank, spectra));
  g_assert_true (rank.rank == 2 && rank.slice == 1 && rank.negative == 0);
  const double expected[] = { 3, 0, 0, 5, 4, 0 };
  for (int i = 0; i < 6; i++)
    g_assert_cmpfloat_with_epsilon (spectra[i], expected[i], 1e-14);
  g_assert_cmpint (tosst_sample_forms (context, general, array, 5, 1, 1e-12, &sample), ==, TOSST_ERROR_ARGUMENT);

  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new_shape (general, 2);
  double B[12], planes[24];
  int ranks[2];
  for (int p = 0; p < 12; p++)
    dictionary->V[p] = p % 4 == 0; /* three ones in different rows and columns */
  dictionary->V[12] = 1;
  for (int i = 0; i < 4; i++)
    dictionary->b[i] = 0.1 * (i + 1);
  assert_ok (tosst_atom_ranks (context, dictionary, 1e-12, ranks));
  g_assert_true (ranks[0] == 3 && ranks[1] == 1);
  tosst_code_planes (dictionary, (double[]){ 2, 10 }, B, planes);
  g_assert_cmpfloat_with_epsilon (planes[0], 2 * 0.1 + 10 * 0.3, 1e-14);
  g_assert_cmpfloat_with_epsilon (planes[12 + 8], 2 * 0.2, 1e-14);
}

#define FEATURES 5
#define VECTORS 240

/* Extremes of v' S v / v' C v for slice s, S with the given weights. */
static void
generalised (const float *vectors, const double *weights, int s, double *low, double *high)
{
  double C[FEATURES * FEATURES] = { 0 }, S[FEATURES * FEATURES] = { 0 }, values[FEATURES];

  for (int n = 0; n < VECTORS; n++)
    for (int i = 0; i < FEATURES; i++)
      for (int j = 0; j < FEATURES; j++)
        {
          const float *x = vectors + n * FEATURES;
          double entry = (double)x[s] * x[i] * x[j] / VECTORS;
          C[i * FEATURES + j] += entry;
          S[i * FEATURES + j] += weights[n] * entry;
        }
  g_assert_cmpint (LAPACKE_dsygv (LAPACK_ROW_MAJOR, 1, 'N', 'U', FEATURES, S, FEATURES, C, FEATURES, values), ==, 0);
  *low = values[0];
  *high = values[FEATURES - 1];
}

static void
check_weights (TosstContext *context, const float *vectors, gboolean separate, gsize atoms, double *last_bound)
{
  TosstSparsification result;
  double weights[FEATURES * VECTORS], slices[FEATURES], worst = 0;
  gsize most = 0;

  assert_ok (tosst_sparsify (context, vectors, VECTORS, FEATURES, separate, atoms, weights, slices, &result));
  g_assert_cmpint (result.dimension, ==, separate ? FEATURES : FEATURES * FEATURES);
  for (int s = 0; s < FEATURES; s++)
    {
      const double *own = separate ? weights + s * VECTORS : weights;
      double low, high;
      gsize nonzeros = 0;
      for (int n = 0; n < VECTORS; n++)
        {
          g_assert_cmpfloat (own[n], >=, 0);
          nonzeros += own[n] > 0;
        }
      most = MAX (most, nonzeros);
      generalised (vectors, own, s, &low, &high);
      g_assert_cmpfloat (low, >=, 1 - 1e-9);
      g_assert_cmpfloat_with_epsilon (high, 1 + slices[s], 1e-8 * high);
      worst = fmax (worst, slices[s]);
    }
  g_assert_cmpfloat (worst, ==, result.epsilon);
  g_assert_cmpfloat (result.epsilon, <=, result.bound);
  g_assert_cmpfloat (result.bound, <, *last_bound);
  g_assert_cmpuint (result.nonzeros, ==, most);
  g_assert_cmpuint (most, <=, atoms);
  *last_bound = result.bound;
}

static float *
make_vectors (void)
{
  TosstRandom random;
  float *vectors = g_new (float, VECTORS *FEATURES);

  tosst_random_init (&random, 12, 0);
  for (int i = 0; i < VECTORS * FEATURES; i++)
    vectors[i] = (float)pow (tosst_random_uniform (&random), 4);
  return vectors;
}

static void
test_lemma_1 (void)
{
  static const gsize few[] = { 6, 10, 20, 45, 150 }, many[] = { 26, 40, 70, 110, 200 };
  g_autofree float *vectors = make_vectors ();

  for (int separate = 0; separate <= 1; separate++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (2);
      double bound = INFINITY;
      for (int i = 0; i < 5; i++)
        check_weights (context, vectors, separate, separate ? few[i] : many[i], &bound);
    }
}

/* All vectors give all ones; threads do not show; a slice that no vector reaches has no dimension. */
static void
test_weights (void)
{
  g_autoptr (TosstContext) one = tosst_context_new (1), two = tosst_context_new (2);
  g_autofree float *vectors = make_vectors ();
  double a[VECTORS], b[VECTORS];
  TosstSparsification result;
  int dimension;

  assert_ok (tosst_sparsify (one, vectors, VECTORS, FEATURES, false, VECTORS, a, NULL, &result));
  for (int n = 0; n < VECTORS; n++)
    g_assert_cmpfloat (a[n], ==, 1);
  g_assert_true (result.epsilon == 0 && result.bound == 0 && result.nonzeros == VECTORS);
  assert_ok (tosst_sparsify (one, vectors, VECTORS, FEATURES, false, 60, a, NULL, &result));
  assert_ok (tosst_sparsify (two, vectors, VECTORS, FEATURES, false, 60, b, NULL, &result));
  g_assert_cmpmem (a, sizeof a, b, sizeof b);

  for (int n = 0; n < VECTORS; n++)
    vectors[n * FEATURES + 2] = 0;
  assert_ok (tosst_sparsify_dimension (one, vectors, VECTORS, FEATURES, false, &dimension));
  g_assert_cmpint (dimension, ==, 16);
  assert_ok (tosst_sparsify_dimension (one, vectors, VECTORS, FEATURES, true, &dimension));
  g_assert_cmpint (dimension, ==, 4);
  assert_ok (tosst_sparsify (one, vectors, VECTORS, FEATURES, false, 30, a, NULL, &result));
  g_assert_cmpfloat (result.epsilon, <=, result.bound);

  g_assert_cmpint (tosst_sparsify (one, vectors, VECTORS, FEATURES, false, 16, a, NULL, &result), ==,
                   TOSST_ERROR_ARGUMENT);
  tosst_context_cancel (two);
  g_assert_cmpint (tosst_sparsify (two, vectors, VECTORS, FEATURES, true, 30, NULL, NULL, &result), ==,
                   TOSST_CANCELLED);
  vectors[3 * FEATURES + 1] = -0.1f;
  g_assert_cmpint (tosst_sparsify_dimension (one, vectors, VECTORS, FEATURES, true, &dimension), ==,
                   TOSST_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (tosst_context_message (one), "vector 3"));
  vectors[0] = INFINITY;
  g_assert_cmpint (tosst_sparsify_dimension (one, vectors, VECTORS, FEATURES, true, &dimension), ==,
                   TOSST_ERROR_NUMERIC);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rank/trank", test_trank);
  g_test_add_func ("/rank/spectra", test_spectra);
  g_test_add_func ("/rank/definite", test_definite);
  g_test_add_func ("/rank/theorem-2", test_theorem_2);
  g_test_add_func ("/rank/shapes", test_shapes);
  g_test_add_func ("/rank/lemma-1", test_lemma_1);
  g_test_add_func ("/rank/weights", test_weights);
  return g_test_run ();
}

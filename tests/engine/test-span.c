/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Projections onto the span of the atoms, compared with the projection by the inverse of H written out: inner products
 * <P x, P y> = q_x' H^{-1} q_y in float64.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "coding-problem.h"

#define SIDE 7
#define TENSORS 37 /* not a multiple of the tensors of a substitution */
#define ATOMS 60

static Problem
make_problem (int K)
{
  Problem p = { tosst_layout_new (SIDE), tosst_dictionary_new (SIDE, K), NULL, NULL };
  gsize n = TENSORS * p.layout->m;
  TosstRandom random;

  tosst_random_init (&random, 5, 0);
  p.tensors = g_new (double, n);
  p.narrow = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    p.tensors[i] = p.narrow[i] = (float)(tosst_random_uniform (&random) - 0.3);
  for (int i = 0; i < K * p.dictionary->D; i++)
    p.dictionary->V[i] = tosst_random_uniform (&random) - 0.5;
  for (int i = 0; i < K * SIDE; i++)
    p.dictionary->b[i] = tosst_random_uniform (&random) - 0.4;
  p.dictionary->scale = 2.5;
  return p;
}

static TosstCoder *
new_coder (TosstContext *context, const Problem *p, gboolean wide, gsize memory)
{
  /* Neither the problem nor its conditions have an effect. */
  TosstCodingOptions options = { .problem = { .lambda = 0.3, .gamma = 0.2, .nonnegative_beta = true },
                                 .tolerance = 1e-6,
                                 .span = true,
                                 .wide = wide,
                                 .memory = memory };
  TosstCoder *coder;

  assert_ok (tosst_coder_new (context, p->dictionary, p->layout, &options, &coder));
  return coder;
}

/* Gram matrix of the projections of all tensors, from H and q written out. */
static void
written_out (const Problem *p, double *gram)
{
  int D = p->dictionary->D, K = p->dictionary->K;
  const double *V = p->dictionary->V, *b = p->dictionary->b;
  g_autofree double *H = g_new (double, K *K), *q = g_new0 (double, TENSORS *K), *solved = NULL;
  double X[SIDE * SIDE], x[SIDE * (SIDE + 1) / 2];

  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++)
      H[i * K + j] = cblas_ddot (D, V + i * D, 1, V + j * D, 1) * cblas_ddot (SIDE, b + i * SIDE, 1, b + j * SIDE, 1);
  for (int n = 0; n < TENSORS; n++)
    for (int s = 0; s < SIDE; s++)
      {
        for (int i = 0; i < SIDE; i++)
          for (int j = 0; j < SIDE; j++)
            X[i * SIDE + j] = p->tensors[n * p->layout->m + tosst_packed_index (SIDE, i, j, s)] / p->dictionary->scale;
        tosst_matrix_to_vec (SIDE, X, x);
        for (int k = 0; k < K; k++)
          q[n * K + k] += b[k * SIDE + s] * cblas_ddot (D, V + k * D, 1, x, 1);
      }
  solved = g_memdup2 (q, sizeof (double) * TENSORS * K);
  g_assert_cmpint (LAPACKE_dposv (LAPACK_COL_MAJOR, 'L', K, TENSORS, H, K, solved, K), ==, 0);
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, TENSORS, TENSORS, K, 1, q, K, solved, K, 0, gram, TENSORS);
}

static void
compare (const double *gram, const double *codes, int K, double tolerance)
{
  for (int i = 0; i < TENSORS; i++)
    for (int j = 0; j < TENSORS; j++)
      g_assert_cmpfloat_with_epsilon (cblas_ddot (K, codes + i * K, 1, codes + j * K, 1), gram[i * TENSORS + j],
                                      tolerance * gram[i * TENSORS + i]);
}

static void
widen (const float *from, gsize n, double *to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = from[i];
}

/* In either precision, and converted from the other one. */
static void
test_projections (void)
{
  g_auto (Problem) p = make_problem (ATOMS);
  g_autoptr (TosstContext) context = tosst_context_new (2);
  g_autofree double *gram = g_new (double, TENSORS *TENSORS), *codes = g_new (double, TENSORS *ATOMS);
  g_autofree float *narrow = g_new (float, TENSORS *ATOMS);
  TosstCodingReport report;

  written_out (&p, gram);
  for (int wide = 0; wide <= 1; wide++)
    {
      g_autoptr (TosstCoder) coder = new_coder (context, &p, wide, 0);

      assert_ok (tosst_code_double (context, coder, p.tensors, TENSORS, false, codes, &report));
      g_assert_true (isnan (report.worst_kkt) && isnan (report.mean_nonzeros));
      /* The ridge. */
      compare (gram, codes, ATOMS, 2e-3);
      assert_ok (tosst_code (context, coder, p.narrow, TENSORS, false, narrow, NULL));
      for (int i = 0; i < TENSORS * ATOMS; i++)
        g_assert_cmpfloat_with_epsilon (narrow[i], codes[i], 1e-4);
    }
}

/* More atoms than a tensor has numbers, with duplicates and a zero one: every tensor is its own projection. */
static void
test_dependent (void)
{
  enum
  {
    MANY = 300
  };
  g_auto (Problem) p = make_problem (MANY);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  TosstDictionary *dictionary = p.dictionary;
  g_autofree double *codes = g_new (double, TENSORS *MANY);
  g_autofree float *narrow = g_new (float, TENSORS *MANY);

  memset (dictionary->V, 0, sizeof (double) * dictionary->D);
  memcpy (dictionary->V + dictionary->D * 2, dictionary->V + dictionary->D, sizeof (double) * dictionary->D);
  memcpy (dictionary->b + SIDE * 2, dictionary->b + SIDE, sizeof (double) * SIDE);
  g_autoptr (TosstCoder) coder = new_coder (context, &p, FALSE, 0);
  assert_ok (tosst_code (context, coder, p.narrow, TENSORS, false, narrow, NULL));
  widen (narrow, (gsize)TENSORS * MANY, codes);
  for (int n = 0; n < TENSORS; n++)
    {
      double norm = 0;
      for (int s = 0; s < SIDE; s++)
        for (int i = 0; i < SIDE; i++)
          for (int j = 0; j < SIDE; j++)
            norm += pow (p.tensors[n * p.layout->m + tosst_packed_index (SIDE, i, j, s)] / dictionary->scale, 2);
      g_assert_cmpfloat_with_epsilon (cblas_ddot (MANY, codes + n * MANY, 1, codes + n * MANY, 1), norm, 5e-3 * norm);
    }
}

/* Nothing but the tensor determines the bits: neither its position nor its neighbours, threads or the memory. */
static void
test_same_bits (void)
{
  g_auto (Problem) p = make_problem (ATOMS);
  gsize m = p.layout->m;
  g_autofree float *all = g_new (float, TENSORS *ATOMS), *others = g_new (float, TENSORS *ATOMS),
                   *turned = g_new (float, TENSORS *m);

  for (int n = 0; n < TENSORS; n++)
    memcpy (turned + (TENSORS - 1 - n) * m, p.narrow + n * m, sizeof (float) * m);
  for (int threads = 1; threads <= 2; threads++)
    {
      g_autoptr (TosstContext) context = tosst_context_new (threads);
      TosstCodingOptions options = { .problem = TOSST_PROBLEM_DEFAULT, .tolerance = 1e-6, .span = true, .memory = 1 };
      /* At the least memory atoms are computed on demand. */
      gsize least = tosst_coder_memory (p.layout, ATOMS, &options, threads);
      g_autoptr (TosstCoder) coder = new_coder (context, &p, FALSE, threads == 2 ? least : 0);

      if (threads == 1)
        assert_ok (tosst_code (context, coder, p.narrow, TENSORS, false, all, NULL));
      assert_ok (tosst_code (context, coder, turned, TENSORS, false, others, NULL));
      for (int n = 0; n < TENSORS; n++)
        g_assert_cmpmem (all + n * ATOMS, sizeof (float) * ATOMS, others + (TENSORS - 1 - n) * ATOMS,
                         sizeof (float) * ATOMS);
      assert_ok (tosst_code (context, coder, p.narrow, 1, false, others, NULL));
      g_assert_cmpmem (all, sizeof (float) * ATOMS, others, sizeof (float) * ATOMS);
    }
}

static void
test_not_finite (void)
{
  g_auto (Problem) p = make_problem (ATOMS);
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstCoder) coder = new_coder (context, &p, FALSE, 0);
  g_autofree float *codes = g_new (float, TENSORS *ATOMS);

  p.narrow[20 * p.layout->m + 3] = INFINITY;
  g_assert_cmpint (tosst_code (context, coder, p.narrow, TENSORS, false, codes, NULL), ==, TOSST_ERROR_NUMERIC);
  g_assert_nonnull (strstr (tosst_context_message (context), "NaN or infinity"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/span/projections", test_projections);
  g_test_add_func ("/engine/span/dependent", test_dependent);
  g_test_add_func ("/engine/span/same-bits", test_same_bits);
  g_test_add_func ("/engine/span/not-finite", test_not_finite);
  return g_test_run ();
}

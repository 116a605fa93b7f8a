/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "tosst/pool.h"

/* Four regions, three atoms. */
static const float codes[] = {
  1.0f, 0.0f, -4.0f, /**/
  3.0f, 0.5f, -2.0f, /**/
  2.0f, 0.0f, 0.0f,  /**/
  9.0f, 9.0f, 9.0f,
};

static void
pool (TosstPoolKind kind, double parameter, const float *from, int K, const size_t *index, size_t n, float *out)
{
  assert_ok (tosst_pool (kind, parameter, from, K, index, n, out));
}

static void
test_average (void)
{
  static const size_t index[] = { 3, 0 };
  float out[3];

  pool (TOSST_POOL_AVERAGE, NAN, codes, 3, NULL, 3, out);
  g_assert_cmpfloat_with_epsilon (out[0], 2.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 0.5 / 3.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[2], -2.0, 1e-6);

  pool (TOSST_POOL_AVERAGE, NAN, codes, 3, index, 2, out);
  g_assert_cmpfloat_with_epsilon (out[0], 5.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 4.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[2], 2.5, 1e-6);
}

static void
test_max (void)
{
  static const size_t index[] = { 1, 0 };
  float out[3];

  pool (TOSST_POOL_MAX, NAN, codes, 3, NULL, 4, out);
  for (int k = 0; k < 3; k++)
    g_assert_cmpfloat (out[k], ==, 9.0f);
  pool (TOSST_POOL_MAX, NAN, codes, 3, index, 2, out);
  g_assert_cmpfloat (out[0], ==, 3.0f);
  g_assert_cmpfloat (out[1], ==, 0.5f);
  g_assert_cmpfloat (out[2], ==, -2.0f);
}

static void
test_single_region (void)
{
  float average[3], max[3];

  pool (TOSST_POOL_AVERAGE, NAN, codes, 3, NULL, 1, average);
  pool (TOSST_POOL_MAX, NAN, codes, 3, NULL, 1, max);
  for (int k = 0; k < 3; k++)
    {
      g_assert_cmpfloat (average[k], ==, codes[k]);
      g_assert_cmpfloat (max[k], ==, codes[k]);
    }
}

/* More atoms than the averaging works on at once, and enough regions for single precision to drift. */
static void
test_long_average (void)
{
  enum
  {
    K = 1300,
    N = 3000
  };
  g_autofree float *many = g_new (float, (gsize)K *N), *out = g_new (float, K);

  for (gsize n = 0; n < N; n++)
    for (gsize k = 0; k < K; k++)
      many[n * K + k] = 0.1f * (float)(k + 1);
  pool (TOSST_POOL_AVERAGE, NAN, many, K, NULL, N, out);
  for (gsize k = 0; k < K; k++)
    g_assert_cmpfloat (fabsf (out[k] - 0.1f * (float)(k + 1)), <=, 1e-7f * (float)(k + 1));
}

static void
test_nan_stays (void)
{
  const float broken[] = { 1.0f, NAN, 2.0f, 1.0f, NAN, 1.0f };
  float out[2];

  pool (TOSST_POOL_MAX, NAN, broken, 2, NULL, 2, out);
  g_assert_true (isnan (out[1]));
  g_assert_cmpfloat (out[0], ==, 2.0f);
  pool (TOSST_POOL_MAX, NAN, broken, 2, NULL, 3, out);
  g_assert_true (isnan (out[0]) && isnan (out[1]));
  pool (TOSST_POOL_AVERAGE, NAN, broken, 2, NULL, 3, out);
  g_assert_true (isnan (out[0]) && isnan (out[1]));
}

static void
test_signature (void)
{
  float root[] = { 4.0f, -9.0f, 0.0f }, unit[] = { 4.0f, -9.0f, 0.0f }, plain[] = { 3.0f, -4.0f },
        cubic[] = { -2.0f, 0.5f };

  tosst_normalise_signature (root, 3, 0.5, 0);
  g_assert_cmpfloat_with_epsilon (root[0], 2.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (root[1], -3.0, 1e-6);
  g_assert_cmpfloat (root[2], ==, 0.0f);

  tosst_normalise_signature (unit, 3, 0.5, 1);
  g_assert_cmpfloat_with_epsilon (unit[0], 2.0 / sqrt (13.0), 1e-6);
  g_assert_cmpfloat_with_epsilon (unit[1], -3.0 / sqrt (13.0), 1e-6);

  tosst_normalise_signature (plain, 2, 1.0, 1);
  g_assert_cmpfloat_with_epsilon (plain[0], 0.6, 1e-6);
  g_assert_cmpfloat_with_epsilon (plain[1], -0.8, 1e-6);

  tosst_normalise_signature (cubic, 2, 3.0, 0);
  g_assert_cmpfloat_with_epsilon (cubic[0], -8.0, 1e-5);
  g_assert_cmpfloat_with_epsilon (cubic[1], 0.125, 1e-6);
}

static void
test_zero_signature (void)
{
  float zero[] = { 0.0f, 0.0f, 0.0f }, tiny[] = { 1e-30f, 0.0f };

  tosst_normalise_signature (zero, 3, 0.5, 1);
  for (int k = 0; k < 3; k++)
    g_assert_cmpfloat (zero[k], ==, 0.0f);
  tosst_normalise_signature (tiny, 2, 1.0, 1);
  g_assert_cmpfloat_with_epsilon (tiny[0], 1.0, 1e-6);
}

/* By hand: the largest code is 4, so that u is 1/4, 1, 0 for the first atom, 1/2, 0, 1/2 for the second; the last one
 * never occurs. */
static void
test_chances (void)
{
  static const float some[] = { 1, -2, 0, 4, 0, 0, 0, 2, 0 };
  float out[3];

  pool (TOSST_POOL_EXAPRO, NAN, some, 3, NULL, 3, out);
  g_assert_cmpfloat (out[0], ==, 1);
  g_assert_cmpfloat_with_epsilon (out[1], 1 - 0.5 * 0.5, 1e-6);
  g_assert_cmpfloat (out[2], ==, 0);

  pool (TOSST_POOL_MAXEXP, 2, some, 3, NULL, 3, out);
  g_assert_cmpfloat_with_epsilon (out[0], 1 - 7.0 / 12 * 7.0 / 12, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 1 - 4.0 / 9, 1e-6);
  g_assert_cmpfloat (out[2], ==, 0);
  pool (TOSST_POOL_MAXEXP, NAN, some, 3, NULL, 3, out); /* three trials */
  g_assert_cmpfloat_with_epsilon (out[1], 1 - 8.0 / 27, 1e-6);

  pool (TOSST_POOL_AXMIN, 0.5, some, 3, NULL, 3, out);
  g_assert_cmpfloat_with_epsilon (out[0], 0.625, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 0.5, 1e-6);
  pool (TOSST_POOL_AXMIN, NAN, some, 3, NULL, 3, out);
  g_assert_cmpfloat (out[0], ==, 1);
  g_assert_cmpfloat (out[1], ==, 1);
  g_assert_cmpfloat (out[2], ==, 0);
}

static void
test_gamma (void)
{
  float out[3];

  pool (TOSST_POOL_GAMMA, 0.25, codes, 3, (size_t[]){ 0, 1, 3 }, 3, out);
  g_assert_cmpfloat_with_epsilon (out[0], pow (13.0 / 3, 0.25), 1e-6);
  pool (TOSST_POOL_GAMMA, NAN, codes, 3, NULL, 2, out);
  g_assert_cmpfloat_with_epsilon (out[0], sqrt (2), 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[2], -sqrt (3), 1e-6);
}

static void
test_at_n (void)
{
  float out[3], expected[3];

  pool (TOSST_POOL_AT_N, 2, codes, 3, NULL, 4, out);
  g_assert_cmpfloat_with_epsilon (out[0], 6, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 4.75, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[2], 4.5, 1e-6);
  pool (TOSST_POOL_AT_N, 1, codes, 3, NULL, 3, out);
  pool (TOSST_POOL_MAX, NAN, codes, 3, NULL, 3, expected);
  for (int k = 0; k < 3; k++)
    g_assert_cmpfloat (out[k], ==, expected[k]);
  pool (TOSST_POOL_AT_N, NAN, codes, 3, NULL, 4, out); /* 5, more than there are */
  pool (TOSST_POOL_AVERAGE, NAN, codes, 3, NULL, 4, expected);
  for (int k = 0; k < 3; k++)
    g_assert_cmpfloat_with_epsilon (out[k], expected[k], 1e-6);
}

static int
descending (const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;

  return (x < y) - (x > y);
}

/* Many codes with many ties, against a sorted column. */
static void
test_selection (void)
{
  enum
  {
    K = 37,
    N = 211
  };
  g_autofree float *many = g_new (float, K *N), *column = g_new (float, N);
  float out[K];
  unsigned state = 1;

  for (int i = 0; i < K * N; i++)
    many[i] = (float)((state = state * 1103515245 + 12345) >> 16 & 15) - 3;
  for (int wanted = 1; wanted <= N; wanted += 30)
    {
      pool (TOSST_POOL_AT_N, wanted, many, K, NULL, N, out);
      for (int k = 0; k < K; k++)
        {
          double sum = 0;
          for (int i = 0; i < N; i++)
            column[i] = many[i * K + k];
          qsort (column, N, sizeof *column, descending);
          for (int i = 0; i < wanted; i++)
            sum += column[i];
          g_assert_cmpfloat_with_epsilon (out[k], sum / wanted, 1e-5);
        }
    }
}

/* What theory orders: the chance of any lies above the largest single one and above maxexp, below axmin; none of them
 * depends on how codes are scaled. */
static void
test_order (void)
{
  enum
  {
    K = 700,
    N = 23
  };
  g_autofree float *many = g_new (float, K *N), *scaled = g_new (float, K *N);
  g_autofree float *any = g_new (float, K), *like_average = g_new (float, K), *line = g_new (float, K),
                   *most = g_new (float, K), *again = g_new (float, K);
  static const TosstPoolKind kinds[] = { TOSST_POOL_EXAPRO, TOSST_POOL_MAXEXP, TOSST_POOL_AXMIN };
  float largest = 0;
  unsigned state = 7;

  for (int i = 0; i < K * N; i++)
    {
      unsigned r = (state = state * 1103515245 + 12345) >> 16 & 1023;
      many[i] = r < 600 ? 0 : (float)(r - 600) / 50;
      scaled[i] = many[i] * 64;
      largest = MAX (largest, many[i]);
    }
  pool (TOSST_POOL_EXAPRO, NAN, many, K, NULL, N, any);
  pool (TOSST_POOL_MAXEXP, NAN, many, K, NULL, N, like_average);
  pool (TOSST_POOL_AXMIN, NAN, many, K, NULL, N, line);
  pool (TOSST_POOL_MAX, NAN, many, K, NULL, N, most);
  for (int k = 0; k < K; k++)
    {
      g_assert_cmpfloat (most[k] / largest, <=, any[k] + 1e-6);
      g_assert_cmpfloat (like_average[k], <=, any[k] + 1e-6); /* the geometric mean is at most the arithmetic one */
      g_assert_cmpfloat (any[k], <=, line[k] + 1e-6);
      g_assert_cmpfloat (line[k], <=, 1);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      pool (kinds[i], NAN, scaled, K, NULL, N, again);
      for (int k = 0; k < K; k++)
        g_assert_cmpfloat_with_epsilon (again[k], i == 0 ? any[k] : i == 1 ? like_average[k] : line[k], 1e-6);
    }
}

static void
test_nothing (void)
{
  static const float none[6] = { 0 };
  float out[2];

  for (int kind = TOSST_POOL_AVERAGE; kind <= TOSST_POOL_AT_N; kind++)
    {
      out[0] = out[1] = 9;
      pool (kind, NAN, none, 2, NULL, 3, out);
      g_assert_true (out[0] == 0 && out[1] == 0);
    }
}

static void
test_broken (void)
{
  static const float broken[] = { 1, NAN, 2, 1, 0.5f, 1 };
  float out[2];

  for (int kind = TOSST_POOL_AVERAGE; kind <= TOSST_POOL_AT_N; kind++)
    {
      pool (kind, NAN, broken, 2, NULL, 3, out);
      g_assert_true (isnan (out[1]));
      g_assert_true (isfinite (out[0]));
    }
}

static void
test_refusals (void)
{
  static const struct
  {
    TosstPoolKind kind;
    double wrong;
  } cases[] = { { TOSST_POOL_MAXEXP, 0.5 }, { TOSST_POOL_MAXEXP, INFINITY }, { TOSST_POOL_GAMMA, 0 },
                { TOSST_POOL_GAMMA, 1.5 },  { TOSST_POOL_AXMIN, 0 },         { TOSST_POOL_AXMIN, -1 },
                { TOSST_POOL_AT_N, 0 },     { TOSST_POOL_AT_N, 2.5 },        { TOSST_POOL_AT_N, -3 } };
  float out[3] = { 7, 7, 7 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_nonnull (tosst_pool_check (cases[i].kind, cases[i].wrong));
      g_assert_cmpint (tosst_pool (cases[i].kind, cases[i].wrong, codes, 3, NULL, 4, out), ==, TOSST_ERROR_ARGUMENT);
      g_assert_cmpfloat (out[0], ==, 7);
      g_assert_null (tosst_pool_check (TOSST_POOL_AVERAGE, cases[i].wrong));
    }
  g_assert_cmpint (tosst_pool (TOSST_POOL_AVERAGE, NAN, codes, 3, NULL, 0, out), ==, TOSST_ERROR_ARGUMENT);
  g_assert_nonnull (tosst_pool_check ((TosstPoolKind)9, NAN));
  g_assert_cmpint (tosst_pool ((TosstPoolKind)9, NAN, codes, 3, NULL, 4, out), ==, TOSST_ERROR_ARGUMENT);
}

/* Signed codes, four of five zero; the first atom is in no region at all. */
static float *
make_codes (gsize n, int K)
{
  float *made = g_new0 (float, n *K);

  for (gsize i = 0; i < n * K; i++)
    made[i] = i % K != 0 && (i * 2654435761u >> 7) % 5 == 0 ? (float)(2 * sin (1.7 * i)) : 0;
  return made;
}

/* Regions joined in any order pool as all at once do, and an absent atom stays exactly absent. */
static void
test_parts (void)
{
  enum
  {
    N = 23,
    K = 700
  };
  static const TosstPoolKind kinds[]
      = { TOSST_POOL_AVERAGE, TOSST_POOL_MAX, TOSST_POOL_MAXEXP, TOSST_POOL_GAMMA, TOSST_POOL_AXMIN };
  g_autofree float *many = make_codes (N, K), *out = g_new (float, K), *expected = g_new (float, K);
  g_autofree double *odd = g_new (double, K + 1), *even = g_new (double, K + 1), *one = g_new (double, K + 1);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      tosst_pool_part (kinds[i], many + K, K, odd);
      tosst_pool_part (kinds[i], many, K, even);
      for (gsize n = N - 1; n >= 2; n--)
        {
          double *to = n % 2 ? odd : even;
          tosst_pool_part (kinds[i], many + n * K, K, one);
          tosst_pool_join (kinds[i], one, to, K, to);
        }
      tosst_pool_join (kinds[i], odd, even, K, one);
      assert_ok (tosst_pool_finish_part (kinds[i], NAN, one, K, N, out));
      pool (kinds[i], NAN, many, K, NULL, N, expected);
      g_assert_cmpfloat (out[0], ==, expected[0]);
      for (int k = 0; k < K; k++)
        g_assert_cmpfloat (fabs (out[k] - expected[k]), <=, 3e-7 * fabs (expected[k]));
    }
  g_assert_false (tosst_pool_has_parts (TOSST_POOL_AT_N));
  g_assert_false (tosst_pool_has_parts (TOSST_POOL_EXAPRO));
  g_assert_cmpint (tosst_pool_finish_part (TOSST_POOL_AT_N, NAN, one, K, N, out), ==, TOSST_ERROR_ARGUMENT);
}

/* The largest codes of some regions and those of the others are enough for at-n pooling of all. */
static void
test_keep_largest (void)
{
  enum
  {
    N = 40,
    K = 37
  };

  for (int p = 1; p <= 45; p += 4)
    {
      g_autofree float *many = make_codes (N, K), *left = g_new (float, N *K), *out = g_new (float, K),
                       *expected = g_new (float, K);
      gsize kept = 0;

      pool (TOSST_POOL_AT_N, p, many, K, NULL, N, expected);
      for (gsize n = 0; n < N; n += 10)
        {
          memcpy (left + kept * K, many + n * K, 10 * K * sizeof (float));
          kept += 10;
          assert_ok (tosst_pool_keep_largest (p, left, K, &kept));
          g_assert_cmpuint (kept, ==, MIN ((gsize)p, n + 10));
        }
      pool (TOSST_POOL_AT_N, p, left, K, NULL, kept, out);
      for (int k = 0; k < K; k++)
        g_assert_cmpfloat_with_epsilon (out[k], expected[k], 1e-6);
    }
}

/* --- pairs of atoms --- */

enum
{
  PAIRED = 24
};

/* Sparse codes of n patches by PAIRED atoms; some atoms are not used at all. New. */
static float *
random_codes (gsize n)
{
  float *random = g_new0 (float, n *PAIRED);
  GRand *generator = g_rand_new_with_seed (7);

  for (gsize i = 0; i < n * PAIRED; i++)
    if (i % PAIRED % 7 != 3 && g_rand_double (generator) < 0.4)
      random[i] = (float)g_rand_double_range (generator, -0.2, 2);
  g_rand_free (generator);
  return random;
}

static void
pool_pairs (const float *from, const size_t *index, size_t n, double code_power, double power, int l2, float *out)
{
  assert_ok (tosst_pool_second_order (from, PAIRED, index, n, code_power, power, l2, out));
}

/* The matrix of a signature without normalisation. */
static void
unpack (const float *signature, double M[PAIRED][PAIRED])
{
  for (int i = 0; i < PAIRED; i++)
    for (int j = i; j < PAIRED; j++)
      M[i][j] = M[j][i] = *signature++ / (i == j ? 1 : sqrt (2.0));
}

static void
test_pairs_mean (void)
{
  g_autofree float *from = random_codes (40), *out = g_new (float, tosst_pool_pairs (PAIRED));
  double M[PAIRED][PAIRED];

  g_assert_cmpint (tosst_pool_pairs (PAIRED), ==, PAIRED * (PAIRED + 1) / 2);
  /* As many codes as atoms have the eigenvectors of one matrix, fewer those of the other. */
  for (gsize n = 5; n <= 40; n += 35)
    {
      pool_pairs (from, NULL, n, 1, 1, FALSE, out);
      unpack (out, M);
      for (int i = 0; i < PAIRED; i++)
        for (int j = 0; j < PAIRED; j++)
          {
            double sum = 0;

            for (gsize r = 0; r < n; r++)
              sum += (double)from[r * PAIRED + i] * from[r * PAIRED + j] / n;
            g_assert_cmpfloat_with_epsilon (M[i][j], sum, 1e-6);
          }
    }
}

/* The square of the square root is the matrix, for few codes and for many. */
static void
test_pairs_root (void)
{
  g_autofree float *from = random_codes (40), *root = g_new (float, tosst_pool_pairs (PAIRED)),
                   *whole = g_new (float, tosst_pool_pairs (PAIRED));
  double R[PAIRED][PAIRED], M[PAIRED][PAIRED];

  for (gsize n = 5; n <= 40; n += 35)
    {
      pool_pairs (from, NULL, n, 1, 0.5, FALSE, root);
      pool_pairs (from, NULL, n, 1, 1, FALSE, whole);
      unpack (root, R);
      unpack (whole, M);
      for (int i = 0; i < PAIRED; i++)
        for (int j = 0; j < PAIRED; j++)
          {
            double sum = 0;

            for (int k = 0; k < PAIRED; k++)
              sum += R[i][k] * R[k][j];
            g_assert_cmpfloat_with_epsilon (sum, M[i][j], 1e-5);
          }
    }
}

/* Codes that are repeated leave the mean as it is, though fewer codes than atoms have become more. */
static void
test_pairs_repeated (void)
{
  g_autofree float *from = random_codes (9), *few = g_new (float, tosst_pool_pairs (PAIRED)),
                   *many = g_new (float, tosst_pool_pairs (PAIRED));
  size_t index[45];
  double norm = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (index); i++)
    index[i] = i % 9;
  pool_pairs (from, NULL, 9, 0.5, 0.3, TRUE, few);
  pool_pairs (from, index, G_N_ELEMENTS (index), 0.5, 0.3, TRUE, many);
  for (gsize i = 0; i < tosst_pool_pairs (PAIRED); i++)
    {
      g_assert_cmpfloat_with_epsilon (few[i], many[i], 1e-5);
      norm += few[i] * few[i];
    }
  g_assert_cmpfloat_with_epsilon (norm, 1, 1e-6);
}

/* With one code a of length l, M = a a' and M^p = l^(2 p - 2) a a'. */
static void
test_pairs_single (void)
{
  g_autofree float *from = random_codes (1), *out = g_new (float, tosst_pool_pairs (PAIRED));
  double M[PAIRED][PAIRED], squares = 0;

  for (int k = 0; k < PAIRED; k++)
    squares += (double)from[k] * from[k];
  pool_pairs (from, NULL, 1, 1, 0.3, FALSE, out);
  unpack (out, M);
  for (int i = 0; i < PAIRED; i++)
    for (int j = 0; j < PAIRED; j++)
      g_assert_cmpfloat_with_epsilon (M[i][j], pow (squares, 0.3 - 1) * from[i] * from[j], 1e-5);
}

static void
test_pairs_refused (void)
{
  float zeros[PAIRED] = { 0 }, broken[PAIRED] = { 1, NAN }, out[PAIRED * (PAIRED + 1) / 2];

  pool_pairs (zeros, NULL, 1, 1, 0.5, TRUE, out);
  for (gsize i = 0; i < G_N_ELEMENTS (out); i++)
    g_assert_cmpfloat (out[i], ==, 0);
  g_assert_cmpint (tosst_pool_second_order (broken, PAIRED, NULL, 1, 1, 0.5, TRUE, out), ==, TOSST_ERROR_NUMERIC);
  g_assert_cmpint (tosst_pool_second_order (zeros, PAIRED, NULL, 0, 1, 0.5, TRUE, out), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_pool_second_order (zeros, PAIRED, NULL, 1, 0, 0.5, TRUE, out), ==, TOSST_ERROR_ARGUMENT);
  g_assert_cmpint (tosst_pool_second_order (zeros, PAIRED, NULL, 1, 1, NAN, TRUE, out), ==, TOSST_ERROR_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/average", test_average);
  g_test_add_func ("/pool/max", test_max);
  g_test_add_func ("/pool/single-region", test_single_region);
  g_test_add_func ("/pool/long-average", test_long_average);
  g_test_add_func ("/pool/nan-stays", test_nan_stays);
  g_test_add_func ("/pool/chances", test_chances);
  g_test_add_func ("/pool/gamma", test_gamma);
  g_test_add_func ("/pool/at-n", test_at_n);
  g_test_add_func ("/pool/selection", test_selection);
  g_test_add_func ("/pool/order", test_order);
  g_test_add_func ("/pool/nothing", test_nothing);
  g_test_add_func ("/pool/broken", test_broken);
  g_test_add_func ("/pool/refusals", test_refusals);
  g_test_add_func ("/pool/signature", test_signature);
  g_test_add_func ("/pool/zero-signature", test_zero_signature);
  g_test_add_func ("/pool/parts", test_parts);
  g_test_add_func ("/pool/keep-largest", test_keep_largest);
  g_test_add_func ("/pool/pairs-mean", test_pairs_mean);
  g_test_add_func ("/pool/pairs-root", test_pairs_root);
  g_test_add_func ("/pool/pairs-repeated", test_pairs_repeated);
  g_test_add_func ("/pool/pairs-single", test_pairs_single);
  g_test_add_func ("/pool/pairs-refused", test_pairs_refused);
  return g_test_run ();
}

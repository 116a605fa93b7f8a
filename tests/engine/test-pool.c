/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib.h>
#include <math.h>

#include "pooling/pool.h"

/* Four regions, three atoms. */
static const float codes[] = {
  1.0f, 0.0f, -4.0f, /**/
  3.0f, 0.5f, -2.0f, /**/
  2.0f, 0.0f, 0.0f,  /**/
  9.0f, 9.0f, 9.0f,
};

static void
test_average (void)
{
  static const size_t index[] = { 3, 0 };
  float out[3];

  tosst_pool (TOSST_POOL_AVERAGE, codes, 3, NULL, 3, out);
  g_assert_cmpfloat_with_epsilon (out[0], 2.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 0.5 / 3.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[2], -2.0, 1e-6);

  tosst_pool (TOSST_POOL_AVERAGE, codes, 3, index, 2, out);
  g_assert_cmpfloat_with_epsilon (out[0], 5.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[1], 4.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (out[2], 2.5, 1e-6);
}

static void
test_max (void)
{
  static const size_t index[] = { 1, 0 };
  float out[3];

  tosst_pool (TOSST_POOL_MAX, codes, 3, NULL, 4, out);
  for (int k = 0; k < 3; k++)
    g_assert_cmpfloat (out[k], ==, 9.0f);
  tosst_pool (TOSST_POOL_MAX, codes, 3, index, 2, out);
  g_assert_cmpfloat (out[0], ==, 3.0f);
  g_assert_cmpfloat (out[1], ==, 0.5f);
  g_assert_cmpfloat (out[2], ==, -2.0f);
}

static void
test_single_region (void)
{
  float average[3], max[3];

  tosst_pool (TOSST_POOL_AVERAGE, codes, 3, NULL, 1, average);
  tosst_pool (TOSST_POOL_MAX, codes, 3, NULL, 1, max);
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
  tosst_pool (TOSST_POOL_AVERAGE, many, K, NULL, N, out);
  for (gsize k = 0; k < K; k++)
    g_assert_cmpfloat (fabsf (out[k] - 0.1f * (float)(k + 1)), <=, 1e-7f * (float)(k + 1));
}

static void
test_nan_stays (void)
{
  const float broken[] = { 1.0f, NAN, 2.0f, 1.0f, NAN, 1.0f };
  float out[2];

  tosst_pool (TOSST_POOL_MAX, broken, 2, NULL, 2, out);
  g_assert_true (isnan (out[1]));
  g_assert_cmpfloat (out[0], ==, 2.0f);
  tosst_pool (TOSST_POOL_MAX, broken, 2, NULL, 3, out);
  g_assert_true (isnan (out[0]) && isnan (out[1]));
  tosst_pool (TOSST_POOL_AVERAGE, broken, 2, NULL, 3, out);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/average", test_average);
  g_test_add_func ("/pool/max", test_max);
  g_test_add_func ("/pool/single-region", test_single_region);
  g_test_add_func ("/pool/long-average", test_long_average);
  g_test_add_func ("/pool/nan-stays", test_nan_stays);
  g_test_add_func ("/pool/signature", test_signature);
  g_test_add_func ("/pool/zero-signature", test_zero_signature);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What programs with data of their own need: the version, full tensors and options.
 */
#include <glib.h>
#include <math.h>

#include "tosst/tosst.h"

static const TosstShape shapes[] = {
  { TOSST_SHAPE_SUPER_SYMMETRIC, 5, 5, 5 },
  { TOSST_SHAPE_WHOLE, 4, 4, 4 },
  { TOSST_SHAPE_SYMMETRIC, 6, 6, 6 },
  { TOSST_SHAPE_GENERAL, 3, 4, 5 },
};

enum
{
  N = 3
};

static void
test_version (void)
{
  g_autofree char *version
      = g_strdup_printf ("%d.%d.%d", TOSST_MAJOR_VERSION, TOSST_MINOR_VERSION, TOSST_MICRO_VERSION);

  g_assert_cmpstr (tosst_version (), ==, version);
  g_assert_cmpstr (version, ==, PROJECT_VERSION);
}

/* Entry (i, j, k) of tensor t of a shape, by the documented position of stored values. */
static double
stored_entry (TosstShape shape, const double *packed, int t, int i, int j, int k)
{
  const double *tensor = packed + t * tosst_shape_numbers (shape);

  switch (shape.kind)
    {
    case TOSST_SHAPE_SYMMETRIC:
      return tensor[MIN (i, j) * shape.d1 - MIN (i, j) * (MIN (i, j) - 1) / 2 + ABS (i - j)];
    case TOSST_SHAPE_GENERAL:
      return tensor[(i * shape.d2 + j) * shape.d3 + k];
    default:
      return tensor[tosst_packed_index (shape.d1, i, j, k)];
    }
}

/* Unpacking puts each stored value where the documentation says, and packing takes it back to the bit. */
static void
test_packing (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      TosstShape shape = shapes[s];
      gsize m = tosst_shape_numbers (shape), all = tosst_shape_full_numbers (shape);
      g_autofree double *packed = g_new (double, N *m), *full = g_new (double, N *all), *again = g_new (double, N *m);
      g_autofree float *packed_float = g_new (float, N *m), *full_float = g_new (float, N *all);
      const double *entry = full;

      for (gsize i = 0; i < N * m; i++)
        packed_float[i] = packed[i] = (float)sin (i + 1);
      tosst_unpack_double (shape, packed, N, full);
      for (int t = 0; t < N; t++)
        for (int i = 0; i < shape.d1; i++)
          for (int j = 0; j < shape.d2; j++)
            for (int k = 0; k < (shape.kind == TOSST_SHAPE_SYMMETRIC ? 1 : shape.d3); k++)
              g_assert_cmpfloat (*entry++, ==, stored_entry (shape, packed, t, i, j, k));
      g_assert_cmpfloat (tosst_pack_double (shape, full, N, again), ==, 0);
      g_assert_cmpmem (again, N * m * sizeof *again, packed, N * m * sizeof *packed);
      tosst_unpack (shape, packed_float, N, full_float);
      for (gsize i = 0; i < N * all; i++)
        g_assert_cmpfloat (full_float[i], ==, (float)full[i]);
      g_assert_cmpfloat (tosst_pack (shape, full_float, N, packed_float), ==, 0);
      for (gsize i = 0; i < N * m; i++)
        g_assert_cmpfloat (packed_float[i], ==, (float)packed[i]);
    }
}

/* Arrays that are not symmetric are averaged, and the deviation is told; large entries do not overflow. */
static void
test_asymmetry (void)
{
  TosstShape shape = tosst_shape (TOSST_SHAPE_SUPER_SYMMETRIC, 2);
  const float full[8] = { 1, 2, 5, 3, 8, 6, 9, 4 }, large[4] = { 3e38f, 3e38f, 3e38f, 3e38f };
  float packed[4];

  g_assert_cmpfloat (tosst_pack (shape, full, 1, packed), ==, 3);
  g_assert_cmpfloat (packed[0], ==, 1);
  g_assert_cmpfloat (packed[1], ==, 5); /* of 2, 5 and 8 */
  g_assert_cmpfloat (packed[2], ==, 6); /* of 3, 6 and 9 */
  g_assert_cmpfloat (packed[3], ==, 4);
  g_assert_cmpfloat (tosst_pack (tosst_shape (TOSST_SHAPE_SYMMETRIC, 2), large, 1, packed), ==, 0);
  g_assert_cmpfloat (packed[1], ==, 3e38f);
}

static void
test_options (void)
{
  TosstLearnOptions learned;
  TosstCodingOptions options, defaults;
  TosstProblem problem;

  tosst_problem_default (&problem);
  g_assert_null (tosst_problem_check (&problem));
  tosst_learn_options_default (&learned);
  g_assert_cmpfloat (learned.problem.lambda, ==, problem.lambda);
  learned.problem = (TosstProblem){ .lambda = .125, .gamma = INFINITY, .signed_alpha = true, .nonnegative_beta = true };
  tosst_learn_coding_options (&learned, &options);
  tosst_coding_options_default (&defaults);
  g_assert_null (tosst_coding_options_check (&options));
  g_assert_cmpfloat (options.problem.lambda, ==, .125);
  g_assert_true (isinf (options.problem.gamma) && options.problem.signed_alpha && options.problem.nonnegative_beta);
  g_assert_cmpfloat (options.tolerance, ==, defaults.tolerance);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/interface/version", test_version);
  g_test_add_func ("/interface/packing", test_packing);
  g_test_add_func ("/interface/asymmetry", test_asymmetry);
  g_test_add_func ("/interface/options", test_options);
  return g_test_run ();
}

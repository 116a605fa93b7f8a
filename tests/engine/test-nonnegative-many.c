/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Codes with beta >= 0 of many atoms at a time.
 */

#include "objects.h"

/* A tensor of all atoms together: its codes use nine tenths of 160, whose systems fill their work space. */
static void
test_all_in_use (void)
{
  enum
  {
    d = 12,
    K = 160
  };
  g_autoptr (TosstContext) context = tosst_context_new (1);
  g_autoptr (TosstLayout) layout = tosst_layout_new (d);
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_new (d, K);
  TosstCodingOptions options
      = { .problem.lambda = 1e-7, .problem.gamma = 1, .problem.nonnegative_beta = true, .tolerance = 1e-6 };
  TosstCodingReport report;
  g_autoptr (TosstCoder) coder = NULL;
  TosstRandom random;
  double codes[K];
  g_autofree double *tensor = g_new0 (double, layout->m), *work = g_new (double, tosst_project_atom_work (d));
  g_autofree double *B = g_new (double, K *d *d), *b = g_new (double, K *d);
  int used = 0;

  tosst_random_init (&random, 3, 0);
  for (int k = 0; k < K; k++)
    {
      double *v = dictionary->V + (gsize)k * dictionary->D;
      for (int i = 0; i < dictionary->D; i++)
        v[i] = tosst_random_normal (&random);
      for (int s = 0; s < d; s++)
        dictionary->b[k * d + s] = tosst_random_uniform (&random);
      assert_ok (tosst_project_atom (TOSST_SCHEME_PSD, 0, d, v, work));
      tosst_project_l1 (dictionary->b + k * d, d, true, work);
    }
  tosst_dictionary_get (dictionary, B, b);
  for (int k = 0; k < K; k++)
    {
      const double *M = B + k * d * d, *c = b + k * d;
      double *out = tensor;
      for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++)
          for (int l = j; l < d; l++)
            *out++ += (M[i * d + j] * c[l] + M[i * d + l] * c[j] + M[j * d + l] * c[i]) / 3;
    }
  assert_ok (tosst_coder_new (context, dictionary, layout, &options, &coder));
  assert_ok (tosst_code_double (context, coder, tensor, 1, false, codes, &report));
  g_assert_cmpfloat (report.worst_kkt, <=, options.tolerance);
  for (int k = 0; k < K; k++)
    used += codes[k] != 0;
  g_test_message ("%d atoms in use", used);
  g_assert_cmpint (used, >, 17 * K / 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nonnegative-many/all-in-use", test_all_in_use);
  return g_test_run ();
}

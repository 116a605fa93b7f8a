/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ranks of tensors and codes, and tensors of few pixels: what is printed satisfies the theorems. */

#include <math.h>

#include <json-glib/json-glib.h>

#include "harness.h"

#define SMALL "--threads 2 --set descriptor.kind=linear --set dictionary.atoms=12 --set dictionary.iterations=6 "

/* Tensors of vectors >= 0 have positive semi-definite slices, and reconstructions satisfy Theorem 2.
 */
static void
test_rank (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) said = NULL;
  JsonArray *trank, *bound, *reconstructed, *support, *smallest, *sampled;

  shell_write_texture (shell, "a.png", 0, 0);
  shell_expect_done (shell, "describe a.png -o T.npy --set descriptor.absolute=true " SMALL);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.scheme=low-rank --set dictionary.rank=1 " SMALL);
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy " SMALL);
  shell_expect_done (shell, "rank T.npy -d D.npz --codes A.npy --samples 20 -o R.csv --json");
  said = shell_said (shell);
  trank = json_object_get_array_member (said, "trank");
  bound = json_object_get_array_member (said, "bound");
  reconstructed = json_object_get_array_member (said, "trank_reconstructed");
  support = json_object_get_array_member (said, "support");
  smallest = json_object_get_array_member (said, "smallest_eigenvalue");
  sampled = json_object_get_array_member (said, "smallest_sampled");
  g_assert_cmpuint (json_array_get_length (trank), ==, json_object_get_int_member (said, "N"));
  for (guint i = 0; i < json_array_get_length (trank); i++)
    {
      gint64 atoms = json_array_get_int_element (support, i);
      g_assert_cmpint (json_array_get_int_element (trank, i), >=, 1);
      g_assert_cmpint (json_array_get_int_element (trank, i), <=, 7);
      g_assert_cmpint (json_array_get_int_element (bound, i), ==, MIN (atoms, 7)); /* atoms of rank 1 */
      g_assert_cmpint (json_array_get_int_element (reconstructed, i), <=, json_array_get_int_element (bound, i));
      g_assert_cmpfloat (json_array_get_double_element (smallest, i), >, -1e-6);
      g_assert_cmpfloat (json_array_get_double_element (smallest, i), <=, json_array_get_double_element (sampled, i));
    }
  g_assert_true (shell_exists (shell, "R.csv"));
  shell_expect_failure (shell, "rank T.npy --codes A.npy", 2, "together");
  shell_expect_failure (shell, "rank T.npy -d D.npz --codes T.npy", 1, "T.npy");
  shell_expect_failure (shell, "rank T.npy --tolerance 2", 2, "--tolerance");
  shell_expect_failure (shell, "rank A.npy", 1, "A.npy");
}

/* The measured values satisfy the proved bounds, and both decrease. */
static void
test_sparsify (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) said = NULL;
  JsonArray *curve;
  double last = INFINITY;

  shell_write_texture (shell, "a.png", 0, 0);
  shell_expect_done (shell, "sparsify a.png --at 3,4 -o curve.csv --json --set descriptor.absolute=true " SMALL);
  said = shell_said (shell);
  curve = json_object_get_array_member (said, "curve");
  g_assert_cmpint (json_object_get_int_member (said, "pixels"), ==, 400);
  g_assert_cmpuint (json_array_get_length (curve), >=, 5);
  for (guint i = 0; i < json_array_get_length (curve); i++)
    {
      JsonObject *point = json_array_get_object_element (curve, i);
      double bound = json_object_get_double_member (point, "bound");

      g_assert_cmpfloat (json_object_get_double_member (point, "epsilon"), <=, bound);
      g_assert_cmpfloat (bound, <, last);
      g_assert_cmpint (json_object_get_int_member (point, "nonzeros"), <=, json_object_get_int_member (point, "atoms"));
      last = bound;
    }
  g_assert_cmpfloat (last, ==, 0);
  g_assert_true (shell_exists (shell, "curve.csv"));
  shell_expect_done (shell, "sparsify a.png --separate --atoms 20,100 --set descriptor.absolute=true " SMALL);
  shell_expect_failure (shell, "sparsify a.png " SMALL, 2, "descriptor.absolute");
  shell_expect_failure (shell, "sparsify a.png --set descriptor.kind=rbf", 1, "--separate");
  shell_expect_failure (shell, "sparsify a.png --atoms 3x --separate", 2, "--atoms");
  shell_expect_failure (shell, "sparsify a.png --atoms 3 --separate", 1, "too few");
  shell_expect_failure (shell, "sparsify a.png --at 9999,0 --separate", 1, "a.png");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/ranks/rank", Shell, NULL, shell_set_up, test_rank, shell_tear_down);
  g_test_add ("/ranks/sparsify", Shell, NULL, shell_set_up, test_sparsify, shell_tear_down);
  return g_test_run ();
}

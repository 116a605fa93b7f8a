/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options of tosst code: from the dictionary, a recipe and the command line. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "harness.h"

#define SMALL "--threads 2 --set descriptor.kind=linear --set dictionary.atoms=12 --set dictionary.iterations=6 "

/* float64 in, float64 out; and the options of learning are the defaults. */
static void
test_code_options (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstNpy) codes = NULL;

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT64, 40, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.lambda=0.05 " SMALL);
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --threads 2");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy --threads 2 --set coding.lambda=0.05");
  shell_expect_done (shell, "code T.npy -d D.npz -o C.npy --threads 2 --set coding.lambda=10000");
  codes = shell_read_array (shell, "A.npy");
  g_assert_cmpint (codes->type, ==, TOSST_NPY_FLOAT64);
  shell_expect_same_files (shell, "A.npy", "B.npy");
  g_clear_pointer (&codes, tosst_npy_free);
  codes = shell_read_array (shell, "C.npy");
  for (gsize i = 0; i < codes->count; i++)
    g_assert_cmpfloat (((double *)codes->data)[i], ==, 0);
}

/* Projections onto the span of the atoms keep no more than the tensors have, and have neither objective nor certificate. */
static void
test_code_span (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstNpy) rows = NULL;
  g_autoptr (JsonObject) report = NULL;

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT64, 40, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.lambda=0.05 " SMALL);
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --set coding.method=span --report r.json");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy --set coding.method=span --set coding.lambda=3");
  shell_expect_same_files (shell, "A.npy", "B.npy");
  rows = shell_read_array (shell, "A.npy");
  g_assert_cmpuint (rows->shape[1], ==, 12);
  report = shell_read_json (shell, "r.json");
  g_assert_true (json_object_has_member (report, "ms_per_tensor"));
  g_assert_false (json_object_has_member (report, "worst_kkt") || json_object_has_member (report, "mean_nonzeros")
                  || json_object_has_member (report, "objective"));
  shell_expect_failure (shell, "code T.npy -d D.npz -o A.npy --set coding.method=raw", 1, "must be sparse or span");
}

/* A recipe sets the options of coding; λ and γ default to those of the dictionary. */
static void
test_code_recipe (Shell *shell, gconstpointer data)
{
  static const char open[] = "[dictionary]\nlambda=7\ngamma=9\n[coding]\nsigned-alpha=true\n";
  static const char named[] = "[coding]\nlambda=0.3\ngamma=inf\n";

  shell_write (shell, "open.ini", open, strlen (open));
  shell_write (shell, "named.ini", named, strlen (named));
  shell_write (shell, "wrong.ini", "[coding]\nlamda=1\n", strlen ("[coding]\nlamda=1\n"));
  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT64, 40, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.lambda=0.05 --set dictionary.gamma=0.5 " SMALL);
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --recipe open.ini");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy --set coding.lambda=0.05 --set coding.gamma=0.5 "
                            "--set coding.signed-alpha=true");
  shell_expect_same_files (shell, "A.npy", "B.npy");
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --recipe named.ini");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy --set coding.lambda=0.3 --set coding.gamma=inf");
  shell_expect_same_files (shell, "A.npy", "B.npy");
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --recipe named.ini --set coding.lambda=");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy --set coding.gamma=inf");
  shell_expect_same_files (shell, "A.npy", "B.npy");
  shell_expect_failure (shell, "code T.npy -d D.npz -o A.npy --recipe wrong.ini", 1, "wrong.ini, line 2");
  shell_expect_failure (shell, "code T.npy -d D.npz -o A.npy --recipe missing.ini", 1, "missing.ini");
  shell_expect_same_files (shell, "A.npy", "B.npy");
}

/* With the smallest memory bound that coding reports, codes have the same bytes; a smaller one is refused. */
static void
test_code_memory (Shell *shell, gconstpointer data)
{
  static const TosstNpyType types[] = { TOSST_NPY_FLOAT32, TOSST_NPY_FLOAT64 };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      shell_write_tensors (shell, "T.npy", types[i], 1200, 1540, 0.5);
      shell_expect_done (shell, "learn T.npy -o D.npz --set dictionary.atoms=1100 --set dictionary.iterations=1 -q "
                                "--set dictionary.lambda=0.1 --threads 2");
      shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --threads 2 --memory 4000");
      shell_expect_failure (shell, "code T.npy -d D.npz -o B.npy --threads 2 --memory 7", 1, "of memory");
      g_assert_false (shell_exists (shell, "B.npy"));
      const char *needed = strstr (shell->errors, "at least ");
      g_assert_nonnull (needed);
      double megabytes = 1e9 / (1 << 20) * g_ascii_strtod (needed + strlen ("at least "), NULL);
      g_autofree char *line
          = g_strdup_printf ("code T.npy -d D.npz -o B.npy --threads 2 --memory %d", (int)(megabytes * 1.01) + 1);
      shell_expect_done (shell, line);
      shell_expect_same_files (shell, "A.npy", "B.npy");
      g_autofree char *made = shell_path (shell, "B.npy");
      g_unlink (made);
    }
  shell_expect_failure (shell, "code T.npy -d D.npz -o B.npy --memory all", 2, "--memory");
}

/* beta >= 0 is an option of learning, coding and classifying, stored with the dictionary. */
static void
test_nonnegative_beta (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) kept = NULL, freed = NULL;

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT64, 40, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz --set coding.nonnegative-beta=true " SMALL);
  shell_expect_done (shell, "code T.npy -d D.npz -o A.npy --report kept.json");
  shell_expect_done (shell, "code T.npy -d D.npz -o B.npy --set coding.nonnegative-beta=true");
  shell_expect_done (shell, "code T.npy -d D.npz -o C.npy --set coding.nonnegative-beta=false --report free.json");
  shell_expect_same_files (shell, "A.npy", "B.npy");
  kept = shell_read_json (shell, "kept.json");
  freed = shell_read_json (shell, "free.json");
  g_assert_cmpfloat (json_object_get_double_member (kept, "worst_kkt"), <=, 1e-10);
  for (guint i = 0; i < 40; i++)
    g_assert_cmpfloat (json_array_get_double_element (json_object_get_array_member (kept, "objective"), i), >=,
                       json_array_get_double_element (json_object_get_array_member (freed, "objective"), i)
                           * (1 - 1e-12));
  shell_expect_done (shell,
                     "learn T.npy -o E.npz --set coding.nonnegative-beta=true --set dictionary.solver=pqn " SMALL);
  shell_expect_done (shell, "textures textures --grey -q");
  shell_expect_done (shell, "classify --set dataset.kind=folders --set dataset.path=textures --report r.json "
                            "--set coding.nonnegative-beta=true --set dataset.splits=1 --set dataset.train-per-class=2 "
                            "--set descriptor.patch=24 --set descriptor.step=24 " SMALL);
  g_assert_true (shell_exists (shell, "r.json"));
}

/* Numbers outside of the range of float32 are refused in every type; 1 x 1 matrices are matrices. */
static void
test_code_sizes (Shell *shell, gconstpointer data)
{
  static const char *const commands[]
      = { "learn T.npy -o E.npz " SMALL, "learn T.npy -o E.npz --set dictionary.minibatch=20 " SMALL,
          "code T.npy -d D.npz -o A.npy", "rank T.npy" };
  static const struct
  {
    double last;
    const char *fragment;
  } wrong[]
      = { { 1e37, "T.npy has entries up to 1e+37" }, { INFINITY, "infinity in row 39" }, { NAN, "NaN in row 39" } };
  g_autoptr (TosstNpy) matrices = tosst_npy_new (TOSST_NPY_FLOAT64, 3, (gsize[]){ 9, 1, 1 });
  g_autoptr (GFile) file = shell_file (shell, "M.npy");

  shell_write_tensors (shell, "T.npy", TOSST_NPY_FLOAT32, 40, 84, 0.5);
  shell_expect_done (shell, "learn T.npy -o D.npz -q " SMALL);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      shell_write_tensors (shell, "T.npy", i % 2 ? TOSST_NPY_FLOAT64 : TOSST_NPY_FLOAT32, 40, 84, wrong[i].last);
      for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
        shell_expect_failure (shell, commands[c], 1, wrong[i].fragment);
    }
  g_assert_false (shell_exists (shell, "E.npz"));
  g_assert_false (shell_exists (shell, "A.npy"));
  for (guint i = 0; i < 9; i++)
    ((double *)matrices->data)[i] = i + 1;
  g_assert_true (tosst_npy_write (matrices, file, NULL));
  shell_expect_done (shell, "learn M.npy -o M.npz --set dictionary.atoms=2 --set dictionary.lambda=0");
  shell_expect_done (shell, "code M.npy -d M.npz -o A.npy --set coding.gamma=inf");
  shell_expect_done (shell, "rank M.npy -d M.npz --codes A.npy");
  shell_expect_done (shell, "learn M.npy -o M.npz --resume M.npz --set dictionary.iterations=200");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/code/options", Shell, NULL, shell_set_up, test_code_options, shell_tear_down);
  g_test_add ("/code/span", Shell, NULL, shell_set_up, test_code_span, shell_tear_down);
  g_test_add ("/code/recipe", Shell, NULL, shell_set_up, test_code_recipe, shell_tear_down);
  g_test_add ("/code/sizes", Shell, NULL, shell_set_up, test_code_sizes, shell_tear_down);
  g_test_add ("/code/memory", Shell, NULL, shell_set_up, test_code_memory, shell_tear_down);
  g_test_add ("/code/nonnegative-beta", Shell, NULL, shell_set_up, test_nonnegative_beta, shell_tear_down);
  return g_test_run ();
}

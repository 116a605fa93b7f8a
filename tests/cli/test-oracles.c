/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparison of the command line with reference answers. */

#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "core/format/npz.h"
#include "harness.h"
#include "tosst/describe.h"

static char *
shared (const char *part)
{
  const char *folder = g_getenv ("TOSST_SHARED");

  return g_build_filename (folder ? folder : TOSST_SHARED_DEFAULT, part, NULL);
}

/* NULL, and the test skipped, if the oracles are missing. */
static TosstNpz *
open_oracle (const char *name)
{
  g_autofree char *part = g_build_filename ("oracles", name, NULL), *path = shared (part);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  TosstNpz *npz;

  if (!g_file_query_exists (file, NULL))
    {
      g_autofree char *why = g_strdup_printf ("%s is not there", path);

      g_test_skip (why);
      return NULL;
    }
  npz = tosst_npz_read (file, NULL, &error);
  g_assert_no_error (error);
  return npz;
}

static const double *values (TosstNpz *npz, const char *format, ...) G_GNUC_PRINTF (2, 3);

static const double *
values (TosstNpz *npz, const char *format, ...)
{
  g_autofree char *name = NULL;
  const TosstNpy *array;
  va_list args;

  va_start (args, format);
  name = g_strdup_vprintf (format, args);
  va_end (args);
  array = tosst_npz_array (npz, name);
  g_assert_nonnull (array);
  g_assert_cmpint (array->type, ==, TOSST_NPY_FLOAT64);
  return array->data;
}

static TosstNpy *
copy_array (const TosstNpy *array)
{
  TosstNpy *copy = tosst_npy_new (array->type, array->ndim, array->shape);

  memcpy (copy->data, array->data, array->count * sizeof (double));
  return copy;
}

/* Problem number p of coding.npz as the files D.npz and T.npy. */
static void
write_problem (Shell *shell, TosstNpz *oracle, int p)
{
  g_autofree char *B = g_strdup_printf ("p%d_B", p), *b = g_strdup_printf ("p%d_b", p);
  g_autofree char *tensors = g_strdup_printf ("p%d_tensors", p);
  g_autoptr (TosstNpz) dictionary = tosst_npz_new ();
  g_autoptr (GFile) D = shell_file (shell, "D.npz"), T = shell_file (shell, "T.npy");

  tosst_npz_steal_array (dictionary, "B", copy_array (tosst_npz_array (oracle, B)));
  tosst_npz_steal_array (dictionary, "b", copy_array (tosst_npz_array (oracle, b)));
  g_assert_true (tosst_npz_write (dictionary, D, NULL));
  g_assert_true (tosst_npy_write (tosst_npz_array (oracle, tensors), T, NULL));
}

static void
check_objective (Shell *shell, const double *expected)
{
  g_autofree char *path = shell_path (shell, "r.json");
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *objective;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  objective = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "objective");
  for (guint i = 0; i < json_array_get_length (objective); i++)
    g_assert_cmpfloat (fabs (json_array_get_double_element (objective, i) - expected[i]), <, 1e-9 * fabs (expected[i]));
}

static void
check_case (Shell *shell, TosstNpz *oracle, int p, const char *lambda, const char *gamma, const char *kind)
{
  g_autofree char *name = g_strdup_printf ("p%d_lam%s_gam%s_%s", p, lambda, gamma, kind);
  const double *alpha = values (oracle, "%s_alpha", name), *objective = values (oracle, "%s_objective", name);
  g_autofree char *line = g_strdup_printf ("code T.npy -d D.npz -o A.npy --report r.json --threads 1 -q "
                                           "--set coding.lambda=%s --set coding.gamma=%s --set coding.signed-alpha=%s "
                                           "--set coding.nonnegative-beta=%s",
                                           lambda, gamma, strcmp (kind, "free") == 0 ? "true" : "false",
                                           strcmp (kind, "posbeta") == 0 ? "true" : "false");
  g_autoptr (TosstNpy) codes = NULL;

  shell_expect_done (shell, line);
  codes = shell_read_array (shell, "A.npy");
  for (gsize i = 0; i < codes->count; i++)
    g_assert_cmpfloat_with_epsilon (((double *)codes->data)[i], alpha[i], 1e-8);
  check_objective (shell, objective);
}

static void
test_coding (Shell *shell, gconstpointer data)
{
  static const char *const lambdas[] = { "0.001", "0.1" }, *const gammas[] = { "0.1", "10", "inf" };
  static const char *const kinds[] = { "pos", "free", "posbeta" };
  g_autoptr (TosstNpz) oracle = open_oracle ("coding.npz");

  for (int p = 0; oracle && p < 4; p++)
    {
      write_problem (shell, oracle, p);
      for (guint i = 0; i < G_N_ELEMENTS (lambdas) * G_N_ELEMENTS (gammas) * G_N_ELEMENTS (kinds); i++)
        /* With gamma = inf, non-negative b and alpha make beta non-negative: there is no separate reference. */
        if (strcmp (kinds[i / 6], "posbeta") != 0 || strcmp (gammas[i / 2 % 3], "inf") != 0)
          check_case (shell, oracle, p, lambdas[i % 2], gammas[i / 2 % 3], kinds[i / 6]);
    }
}

static void
check_tensor (Shell *shell, const char *image, TosstPoint at, int patch, const char *options, const TosstNpy *expected)
{
  g_autofree char *quoted = g_shell_quote (image);
  g_autofree char *line = g_strdup_printf ("describe %s -o T.npy --at %d,%d -q --set descriptor.patch=%d %s", quoted,
                                           at.x, at.y, patch, options);
  g_autoptr (TosstNpy) tensor = NULL;
  const double *wanted = expected->data;

  shell_expect_done (shell, line);
  tensor = shell_read_array (shell, "T.npy");
  g_assert_cmpuint (tensor->count, ==, expected->count);
  for (gsize i = 0; i < tensor->count; i++)
    g_assert_cmpfloat_with_epsilon (((float *)tensor->data)[i], wanted[i], 1e-6);
}

static void
test_grey (Shell *shell, gconstpointer data)
{
  static const struct
  {
    const char *name, *options;
  } variants[] = {
    { "linear-nolum", "--set descriptor.kind=linear --set descriptor.luminance=false" },
    { "linear-lum", "--set descriptor.kind=linear" },
    { "rbf-nolum", "--set descriptor.luminance=false" },
    { "rbf-lum", "" },
  };
  g_autoptr (TosstNpz) oracle = open_oracle ("descriptors_grey.npz");

  for (guint i = 0; oracle && i < 3 * G_N_ELEMENTS (variants); i++)
    {
      const char *variant = variants[i / 3].name;
      const double *where = values (oracle, "%s_%u_where", variant, i % 3);
      g_autofree char *name = g_strdup_printf ("%s_%u", variant, i % 3);
      g_autofree char *part = g_strdup_printf ("datasets/brodatz/D%d.gif", (int)where[0]), *image = shared (part);

      check_tensor (shell, image, (TosstPoint){ (int)where[1], (int)where[2] }, (int)where[3], variants[i / 3].options,
                    tosst_npz_array (oracle, name));
    }
}

static void
test_colour (Shell *shell, gconstpointer data)
{
  g_autoptr (TosstNpz) oracle = open_oracle ("descriptors_colour.npz");

  for (int i = 0; oracle && i < 2; i++)
    {
      const double *where = values (oracle, "rbf-lum-opponent_%d_where", i);
      g_autofree char *name = g_strdup_printf ("rbf-lum-opponent_%d", i);
      g_autofree char *part = g_strdup_printf ("oracles/colour_%d.png", i), *image = shared (part);

      check_tensor (shell, image, (TosstPoint){ (int)where[0], (int)where[1] }, (int)where[2],
                    "--set descriptor.opponent=true", tosst_npz_array (oracle, name));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/cli-oracles/coding", Shell, NULL, shell_set_up, test_coding, shell_tear_down);
  g_test_add ("/cli-oracles/grey", Shell, NULL, shell_set_up, test_grey, shell_tear_down);
  g_test_add ("/cli-oracles/colour", Shell, NULL, shell_set_up, test_colour, shell_tear_down);
  return g_test_run ();
}

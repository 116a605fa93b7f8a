/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What doctor says of this machine, and of variables that decide for OpenBLAS.
 */
#include <cblas.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "harness.h"
#include "simd/kernels.h"

static const char *const variables[]
    = { "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS" };

/* With this for the variable of the kernel and that for those of threads, or NULL: not set. */
static JsonObject *
doctor (Shell *shell, const char *kernel, const char *threads)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      const char *value = i == 0 ? kernel : threads;

      if (value != NULL)
        g_setenv (variables[i], value, TRUE);
      else
        g_unsetenv (variables[i]);
    }
  shell_expect_done (shell, "doctor --json --threads 1");
  g_assert_true (json_parser_load_from_data (parser, shell->output, -1, NULL));
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

/* The warnings one below the other, "" if there are none. */
static char *
warnings (JsonObject *report)
{
  JsonArray *array = json_object_get_array_member (report, "warnings");
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (array); i++)
    g_string_append_printf (text, "%s\n", json_array_get_string_element (array, i));
  return g_string_free (text, FALSE);
}

static void
test_machine (Shell *shell, gconstpointer data)
{
  static const char *const rates[] = { "sgemm_gflops", "dgemm_gflops", "describe_us", "describe_ratio",
                                       "code_us",      "code_ratio",   "learn_ms",    "learn_ratio" };
  g_autoptr (JsonObject) report = doctor (shell, NULL, NULL);
  g_autofree char *text = warnings (report);

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    g_assert_cmpfloat (json_object_get_double_member (report, rates[i]), >, 0);
  g_assert_cmpstr (json_object_get_string_member (report, "kernels"), ==, tosst_kernels ()->name);
  g_assert_cmpint (json_object_get_int_member (report, "threads"), ==, 1);
  if (strstr (openblas_get_config (), "DYNAMIC_ARCH") != NULL)
    g_assert_cmpstr (text, ==, "");
  shell_expect_done (shell, "doctor");
  g_assert_nonnull (strstr (shell->output, tosst_kernels ()->name));
}

static void
test_thread_variables (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = doctor (shell, NULL, "3");
  g_autofree char *text = warnings (report);

  for (gsize i = 1; i < G_N_ELEMENTS (variables); i++)
    g_assert_nonnull (strstr (text, variables[i]));
  g_assert_nonnull (strstr (text, "changes nothing"));
  g_assert_cmpint (json_object_get_int_member (report, "threads"), ==, 1);
}

/* A kernel that every such processor can run, and one that does not exist. */
static void
test_kernel_variable (Shell *shell, gconstpointer data)
{
#if defined(__x86_64__)
  if (strstr (openblas_get_config (), "DYNAMIC_ARCH") != NULL)
    {
      g_autoptr (JsonObject) free_choice = doctor (shell, NULL, NULL), forced = doctor (shell, "Prescott", NULL),
                             ignored = doctor (shell, "Pigeon", NULL);
      g_autofree char *text = warnings (forced), *unheard = warnings (ignored);

      g_assert_cmpstr (json_object_get_string_member (forced, "blas_core"), ==, "Prescott");
      g_assert_cmpstr (json_object_get_string_member (forced, "openblas_coretype"), ==, "Prescott");
      g_assert_nonnull (strstr (text, "OPENBLAS_CORETYPE=Prescott"));
      g_assert_nonnull (strstr (text, json_object_get_string_member (free_choice, "blas_core")));
      if (strstr (tosst_kernels ()->name, "AVX") != NULL)
        g_assert_nonnull (strstr (text, "chose a slow kernel"));
      g_assert_cmpstr (json_object_get_string_member (ignored, "blas_core"), ==,
                       json_object_get_string_member (free_choice, "blas_core"));
      g_assert_nonnull (strstr (unheard, "did not follow"));
      return;
    }
#endif
  g_test_skip ("this OpenBLAS has one kernel, or kernels of another family");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/doctor/machine", Shell, NULL, shell_set_up, test_machine, shell_tear_down);
  g_test_add ("/doctor/thread-variables", Shell, NULL, shell_set_up, test_thread_variables, shell_tear_down);
  g_test_add ("/doctor/kernel-variable", Shell, NULL, shell_set_up, test_kernel_variable, shell_tear_down);
  return g_test_run ();
}

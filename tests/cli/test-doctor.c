/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What doctor says of this machine, and of variables that decide for OpenBLAS.
 */
#include <json-glib/json-glib.h>
#include <string.h>

#include "cli/doctor-kernels.h"
#include "harness.h"

static const char *const variables[]
    = { "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS" };

/* With these values of the variable of the kernel and of those of threads; NULL: not set. */
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

/* The warnings, one per line, "" if there are none. */
static char *
warnings (JsonObject *report)
{
  JsonArray *array = json_object_get_array_member (report, "warnings");
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (array); i++)
    g_string_append_printf (text, "%s\n", json_array_get_string_element (array, i));
  return g_string_free (text, FALSE);
}

static double
rate (JsonObject *report, const char *name)
{
  return json_object_get_double_member (report, name);
}

static void
test_machine (Shell *shell, gconstpointer data)
{
  static const char *const rates[]
      = { "sgemm_gflops", "dgemm_gflops", "fastest_gflops", "describe_us", "describe_ratio",
          "code_us",      "code_ratio",   "learn_ms",       "learn_ratio" };
  g_autoptr (JsonObject) report = doctor (shell, NULL, NULL);
  JsonArray *kernels = json_object_get_array_member (report, "kernel_rates");

  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    g_assert_cmpfloat (rate (report, rates[i]), >, 0);
  g_assert_cmpstr (json_object_get_string_member (report, "kernels"), ==, tosst_instruction_set ());
  g_assert_cmpint (json_object_get_int_member (report, "threads"), ==, 1);
  g_assert_cmpstr (json_object_get_string_member (report, "kernel"), !=, "");
  /* The kernel in use and the fastest one are among the measured ones. */
  for (guint i = 0; i < json_array_get_length (kernels); i++)
    {
      JsonObject *kernel = json_array_get_object_element (kernels, i);
      const char *name = json_object_get_string_member (kernel, "kernel");

      g_assert_cmpfloat (rate (kernel, "sgemm_gflops"), <=, rate (report, "fastest_gflops"));
      if (g_str_equal (name, json_object_get_string_member (report, "kernel")))
        g_assert_cmpfloat (rate (kernel, "sgemm_gflops"), ==, rate (report, "sgemm_gflops"));
      if (g_str_equal (name, json_object_get_string_member (report, "fastest_kernel")))
        g_assert_cmpfloat (rate (kernel, "sgemm_gflops"), ==, rate (report, "fastest_gflops"));
    }
  shell_expect_done (shell, "doctor");
  g_assert_nonnull (strstr (shell->output, tosst_instruction_set ()));
  g_assert_nonnull (strstr (shell->output, json_object_get_string_member (report, "kernel")));
}

static void
test_thread_variables (Shell *shell, gconstpointer data)
{
  g_autoptr (JsonObject) report = doctor (shell, NULL, "3");
  g_autofree char *text = warnings (report);

  for (gsize i = 1; i < G_N_ELEMENTS (variables); i++)
    g_assert_nonnull (strstr (text, variables[i]));
  g_assert_nonnull (strstr (text, "has no effect"));
  g_assert_cmpint (json_object_get_int_member (report, "threads"), ==, 1);
}

/* `tosst doctor --products` with this value of the variable. Its values are those of the JSON object. */
static JsonObject *
products (Shell *shell, const char *kernel)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (kernel != NULL)
    g_setenv (TOSST_BLAS_VARIABLE, kernel, TRUE);
  else
    g_unsetenv (TOSST_BLAS_VARIABLE);
  shell_expect_done (shell, "doctor --products --json --threads 1");
  g_assert_true (json_parser_load_from_data (parser, shell->output, -1, NULL));
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

/* The programs follow the variable, and without it use the kernel chosen by this test program. */
static void
test_kernel_variable (Shell *shell, gconstpointer data)
{
  TosstBlasLibrary library;
  const char *name;

  g_unsetenv (TOSST_BLAS_VARIABLE);
  tosst_blas_select_kernel (NULL);
  tosst_blas_describe (&library);
  if (!library.is_dynamic)
    {
      g_test_skip ("this BLAS library has one kernel");
      return;
    }
  g_autoptr (JsonObject) free_choice = products (shell, NULL), ignored = products (shell, "Pigeon");
  g_assert_cmpstr (json_object_get_string_member (free_choice, "kernel"), ==, library.kernel);
  g_assert_cmpstr (json_object_get_string_member (ignored, "kernel"), ==, library.kernel);
  for (gsize i = 0; (name = tosst_blas_kernel (i)) != NULL; i++)
    {
      g_autoptr (JsonObject) forced = products (shell, name);
      g_assert_cmpint (g_ascii_strcasecmp (json_object_get_string_member (forced, "kernel"), name), ==, 0);
    }
  g_unsetenv (TOSST_BLAS_VARIABLE);
}

/* The messages about rates, for given rates. */
static void
test_judgement (void)
{
  static const struct
  {
    const char *used, *wanted, *sentence; /* a part of it; NULL: none */
  } cases[] = {
    { "SkylakeX", NULL, NULL },
    { "SkylakeX", "skylakex", NULL },
    { "Cooperlake", NULL, NULL },
    { "Prescott", "Prescott",
      "OPENBLAS_CORETYPE=Prescott in the environment chose a slow kernel: SkylakeX is 4.6 times" },
    { "Prescott", NULL, "the kernel Prescott is slow on this processor: SkylakeX is 4.6 times as fast" },
    { "SkylakeX", "Pigeon", "OPENBLAS_CORETYPE=Pigeon is set in the environment, but" },
    { "Haswell", NULL, "the kernel Haswell is slow" },
  };
  static const DoctorKernel rates[]
      = { { "Prescott", 67, 30 }, { "Haswell", 158, 80 }, { "SkylakeX", 311, 150 }, { "Cooperlake", 281, 155 } };
  g_autoptr (GArray) kernels = g_array_new (FALSE, FALSE, sizeof (DoctorKernel));

  g_assert_null (doctor_fastest_kernel (kernels));
  g_assert_null (doctor_judge_kernel (kernels, "SkylakeX", NULL));
  g_array_append_vals (kernels, rates, G_N_ELEMENTS (rates));
  g_assert_cmpstr (doctor_fastest_kernel (kernels)->name, ==, "SkylakeX");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *said = doctor_judge_kernel (kernels, cases[i].used, cases[i].wanted);

      if (cases[i].sentence == NULL)
        g_assert_null (said);
      else
        g_assert_true (g_str_has_prefix (said, cases[i].sentence));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/doctor/judgement", test_judgement);
  g_test_add ("/doctor/machine", Shell, NULL, shell_set_up, test_machine, shell_tear_down);
  g_test_add ("/doctor/thread-variables", Shell, NULL, shell_set_up, test_thread_variables, shell_tear_down);
  g_test_add ("/doctor/kernel-variable", Shell, NULL, shell_set_up, test_kernel_variable, shell_tear_down);
  return g_test_run ();
}

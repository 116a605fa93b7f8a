/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice among OpenBLAS's kernels. A kernel forced by the variable stands in for the one that an OpenBLAS older than the
 * processor chooses by itself.
 */
#include <cblas.h>
#include <string.h>

#include "objects.h"

/* The kernel in use; NULL, and a test that is skipped, where there is none to choose. */
static const char *
kernel_in_use (void)
{
  TosstBlasLibrary library;

  tosst_blas_describe (&library);
  g_assert_cmpstr (library.name, !=, "");
  if (library.is_dynamic && tosst_blas_kernel (1) != NULL)
    return library.kernel;
  g_test_skip ("this BLAS library has one kernel for this processor");
  return NULL;
}

static gboolean
is_same (const char *a, const char *b)
{
  return g_ascii_strcasecmp (a, b) == 0;
}

/* C = A' B of small whole numbers, which every kernel multiplies without rounding. */
static void
check_product (void)
{
  enum
  {
    N = 70
  };
  static float a[N * N], b[N * N], c[N * N];

  for (int i = 0; i < N * N; i++)
    {
      a[i] = i % 5;
      b[i] = i % 7;
    }
  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      {
        float sum = 0;
        for (int k = 0; k < N; k++)
          sum += a[i * N + k] * b[j * N + k];
        g_assert_cmpfloat (c[j * N + i], ==, sum);
      }
}

/* In a process of its own: OpenBLAS has chosen the kernel that the environment names when this begins. */
static void
test_replaces (gconstpointer named)
{
  if (g_test_subprocess ())
    {
      TosstBlasLibrary library;

      assert_ok (tosst_blas_select_kernel (named));
      tosst_blas_describe (&library);
      g_assert_true (is_same (library.kernel, named));
      check_product ();
      /* Without a wish: what this program has without the variable. */
      assert_ok (tosst_blas_select_kernel (NULL));
      g_assert_null (g_getenv (TOSST_BLAS_VARIABLE));
      check_product ();
      tosst_blas_describe (&library);
      g_print ("%s", library.kernel);
      return;
    }
  if (kernel_in_use () == NULL)
    return;
  g_autofree char *without = g_strdup (kernel_in_use ());
  g_setenv (TOSST_BLAS_VARIABLE, named, TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_unsetenv (TOSST_BLAS_VARIABLE);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (without);
}

/* A name that no kernel has, in place of one that the processor cannot run. */
static void
test_refuses (void)
{
  if (g_test_subprocess ())
    {
      TosstBlasLibrary library;

      g_assert_cmpint (tosst_blas_select_kernel ("Pigeon"), ==, TOSST_ERROR_ARGUMENT);
      g_assert_cmpstr (g_getenv (TOSST_BLAS_VARIABLE), ==, "Pigeon");
      tosst_blas_describe (&library);
      check_product ();
      g_print ("%s", library.kernel);
      return;
    }
  if (kernel_in_use () == NULL)
    return;
  g_autofree char *without = g_strdup (kernel_in_use ());
  g_setenv (TOSST_BLAS_VARIABLE, "Pigeon", TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_unsetenv (TOSST_BLAS_VARIABLE);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (without);
}

/* Nothing that this processor has is left unused. */
static void
test_level (void)
{
  const char *used = kernel_in_use ();

  if (used == NULL)
    return;
#if defined(__x86_64__)
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512cd"))
    g_assert_true (is_same (used, "SkylakeX") || is_same (used, "Cooperlake") || is_same (used, "SapphireRapids"));
  else if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    g_assert_true (is_same (used, "Haswell") || is_same (used, "Zen") || is_same (used, "Excavator"));
  else
    g_assert_false (is_same (used, "SkylakeX") || is_same (used, "Haswell") || is_same (used, "Zen"));
#endif
}

int
main (int argc, char *argv[])
{
  const char *name;

  g_test_init (&argc, &argv, NULL);
  if (!g_test_subprocess ())
    {
      g_unsetenv (TOSST_BLAS_VARIABLE);
      tosst_blas_select_kernel (NULL);
    }
  g_test_add_func ("/blas-kernel/level", test_level);
  g_test_add_func ("/blas-kernel/refuses", test_refuses);
  for (gsize i = 0; (name = tosst_blas_kernel (i)) != NULL; i++)
    {
      g_autofree char *path = g_strdup_printf ("/blas-kernel/replaces/%s", name);
      g_test_add_data_func (path, name, test_replaces);
    }
  return g_test_run ();
}

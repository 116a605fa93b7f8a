/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/doctor-kernels.h"

#include "core/base/base.h"
#include "core/base/json-text.h"

/* A kernel below this fraction of the highest rate is slow. */
#define FAST_ENOUGH 0.9
/* Kernels below this fraction of the highest rate of the first round are not measured again. */
#define CLOSE 0.7
#define ROUNDS 2
/* Number of repeated measurements of a kernel in use that seems slow, alternating with the fastest. */
#define DOUBTS 3

/* Runs `tosst doctor --products` with this kernel and reads its rates. Returns FALSE if that fails. */
static gboolean
ask (DoctorKernel *kernel, int threads)
{
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), TOSST_BLAS_VARIABLE, kernel->name, TRUE);
  g_autofree char *number = g_strdup_printf ("%d", threads), *output = NULL;
  char *argv[] = { "/proc/self/exe", "doctor", "--products", "--json", "--threads", number, NULL };
  g_autoptr (JsonNode) root = NULL;
  int status = 0;

  if (!g_spawn_sync (NULL, argv, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, &status, NULL)
      || status != 0 || !(root = tosst_json_read (output, strlen (output))) || !JSON_NODE_HOLDS_OBJECT (root))
    return FALSE;
  JsonObject *answer = json_node_get_object (root);
  kernel->sgemm = MAX (kernel->sgemm, json_object_get_double_member (answer, "sgemm_gflops"));
  kernel->dgemm = MAX (kernel->dgemm, json_object_get_double_member (answer, "dgemm_gflops"));
  return g_ascii_strcasecmp (json_object_get_string_member (answer, "kernel"), kernel->name) == 0;
}

const DoctorKernel *
doctor_find_kernel (const GArray *kernels, const char *name)
{
  for (guint i = 0; name != NULL && i < kernels->len; i++)
    {
      const DoctorKernel *kernel = &g_array_index (kernels, DoctorKernel, i);
      if (g_ascii_strcasecmp (kernel->name, name) == 0)
        return kernel;
    }
  return NULL;
}

const DoctorKernel *
doctor_fastest_kernel (const GArray *kernels)
{
  const DoctorKernel *best = NULL;

  TOSST_FOR_EACH (const DoctorKernel, kernel, kernels)
    if (best == NULL || kernel->sgemm > best->sgemm)
      best = kernel;
  return best;
}

static gboolean
is_slow (const GArray *kernels, const char *used)
{
  const DoctorKernel *now = doctor_find_kernel (kernels, used);

  return now != NULL && now->sgemm < FAST_ENOUGH * doctor_fastest_kernel (kernels)->sgemm;
}

static GArray *
list_kernels (const char *used)
{
  GArray *kernels = g_array_new (FALSE, TRUE, sizeof (DoctorKernel));
  const char *name;

  for (gsize i = 0; (name = tosst_blas_kernel (i)) != NULL; i++)
    g_array_append_val (kernels, ((DoctorKernel){ .name = name }));
  if (doctor_find_kernel (kernels, used) == NULL)
    g_array_append_val (kernels, ((DoctorKernel){ .name = used }));
  return kernels;
}

GArray *
doctor_measure_kernels (const char *used, int threads)
{
  GArray *kernels = used != NULL ? list_kernels (used) : g_array_new (FALSE, TRUE, sizeof (DoctorKernel));

  for (int round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < kernels->len;)
      {
        DoctorKernel *kernel = &g_array_index (kernels, DoctorKernel, i);
        gboolean is_used = g_ascii_strcasecmp (kernel->name, used) == 0,
                 is_close = round == 0 || kernel->sgemm >= CLOSE * doctor_fastest_kernel (kernels)->sgemm;
        if ((is_used || is_close) && !ask (kernel, threads))
          g_array_remove_index (kernels, i);
        else
          i++;
      }
  for (int doubt = 0; doubt < DOUBTS && is_slow (kernels, used); doubt++)
    {
      ask ((DoctorKernel *)doctor_find_kernel (kernels, used), threads);
      ask ((DoctorKernel *)doctor_fastest_kernel (kernels), threads);
    }
  return kernels;
}

char *
doctor_judge_kernel (const GArray *kernels, const char *used, const char *wanted)
{
  const DoctorKernel *now = doctor_find_kernel (kernels, used), *best = doctor_fastest_kernel (kernels);
  gboolean is_wanted = wanted != NULL && *wanted != '\0';

  if (is_wanted && g_ascii_strcasecmp (wanted, used) != 0)
    return g_strdup_printf (_ ("%s=%s is set in the environment, but this OpenBLAS has no kernel of that name or this "
                               "processor cannot run it: %s is used"),
                            TOSST_BLAS_VARIABLE, wanted, used);
  if (!is_slow (kernels, used))
    return NULL;
  if (is_wanted)
    return g_strdup_printf (_ ("%s=%s in the environment chose a slow kernel: %s is %.1f times as fast; unset the "
                               "variable"),
                            TOSST_BLAS_VARIABLE, wanted, best->name, best->sgemm / now->sgemm);
  return g_strdup_printf (_ ("the kernel %s is slow on this processor: %s is %.1f times as fast; set %s=%s"), used,
                          best->name, best->sgemm / now->sgemm, TOSST_BLAS_VARIABLE, best->name);
}

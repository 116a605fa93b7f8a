/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <unistd.h>

#include <cblas.h>
#include <glib/gi18n.h>
#include <png.h>
#include <zip.h>

#include "commands.h"
#include "run-identity.h"

#define SIDE 2000
#define REPEATS 3

typedef struct
{
  char *processor;
  double memory_gb;
  const char *core_type; /* OPENBLAS_CORETYPE, or NULL */
  double sgemm, dgemm;   /* 10^9 operations a second */
} Findings;

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Median rate of C = A B in 10^9 operations a second; single precision or double. 0 when memory is short. */
static double
measure (gboolean is_double)
{
  gsize size = is_double ? sizeof (double) : sizeof (float), n = (gsize)SIDE * SIDE;
  g_autofree gpointer a = g_try_malloc_n (n, size), b = g_try_malloc_n (n, size), c = g_try_malloc0_n (n, size);
  double rates[REPEATS];

  if (!a || !b || !c)
    return 0;
  for (gsize i = 0; i < n; i++)
    if (is_double)
      ((double *)a)[i] = ((double *)b)[i] = (double)(i % 17) / 17;
    else
      ((float *)a)[i] = ((float *)b)[i] = (float)(i % 17) / 17;
  for (int r = -1; r < REPEATS; r++) /* the first one only warms up */
    {
      gint64 start = g_get_monotonic_time ();

      if (is_double)
        cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
      else
        cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
      if (r >= 0)
        rates[r] = 2.0 * n * SIDE / ((g_get_monotonic_time () - start) * 1e3);
    }
  qsort (rates, REPEATS, sizeof *rates, compare_doubles);
  return rates[REPEATS / 2];
}

static void
examine (CliCall *call, Findings *findings)
{
  int threads = openblas_get_num_threads ();

  findings->processor = tosst_machine_cpu ();
  findings->memory_gb = (double)sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE) / 1e9;
  findings->core_type = g_getenv ("OPENBLAS_CORETYPE");
  openblas_set_num_threads (cli_call_threads (call));
  findings->sgemm = measure (FALSE);
  findings->dgemm = measure (TRUE);
  openblas_set_num_threads (threads);
}

static JsonObject *
versions (void)
{
  JsonObject *object = json_object_new ();
  g_autofree char *glib = g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  g_autofree char *json = g_strdup_printf ("%d.%d.%d", JSON_MAJOR_VERSION, JSON_MINOR_VERSION, JSON_MICRO_VERSION);

  json_object_set_string_member (object, "tosst", PACKAGE_VERSION);
  json_object_set_string_member (object, "glib", glib);
  json_object_set_string_member (object, "libpng", png_get_libpng_ver (NULL));
  json_object_set_string_member (object, "libzip", zip_libzip_version ());
  json_object_set_string_member (object, "json-glib", json);
  return object;
}

static JsonObject *
to_json (CliCall *call, const Findings *findings)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "processor", findings->processor);
  json_object_set_int_member (object, "processors", g_get_num_processors ());
  json_object_set_int_member (object, "threads", cli_call_threads (call));
  json_object_set_double_member (object, "memory_gb", findings->memory_gb);
  json_object_set_string_member (object, "blas", openblas_get_config ());
  json_object_set_string_member (object, "blas_core", openblas_get_corename ());
  json_object_set_string_member (object, "openblas_coretype", findings->core_type ? findings->core_type : "");
  json_object_set_double_member (object, "sgemm_gflops", findings->sgemm);
  json_object_set_double_member (object, "dgemm_gflops", findings->dgemm);
  json_object_set_object_member (object, "versions", versions ());
  return object;
}

static void
append_versions (GString *text)
{
  g_autoptr (JsonObject) object = versions ();
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *l = names; l; l = l->next)
    g_string_append_printf (text, "%s%s %s", l == names ? "" : ", ", (char *)l->data,
                            json_object_get_string_member (object, l->data));
}

static void
append_warning (GString *text, const char *core_type)
{
  gboolean obeyed = g_ascii_strcasecmp (core_type, openblas_get_corename ()) == 0;

  g_string_append_printf (text,
                          obeyed
                              ? _ ("            Warning: OPENBLAS_CORETYPE=%s in the environment chose this kernel; "
                                   "unset it to let OpenBLAS choose\n")
                              : _ ("            Warning: OPENBLAS_CORETYPE=%s is set in the environment, but OpenBLAS "
                                   "did not follow it\n"),
                          core_type);
}

static char *
to_text (CliCall *call, const Findings *findings)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("Processor:  %s, %u processors\n"),
                          *findings->processor ? findings->processor : _ ("unknown"), g_get_num_processors ());
  g_string_append_printf (text, _ ("Memory:     %.1f GB\n"), findings->memory_gb);
  g_string_append_printf (text, _ ("BLAS:       %s\n"), openblas_get_config ());
  g_string_append_printf (text, _ ("Kernel:     %s\n"), openblas_get_corename ());
  if (findings->core_type)
    append_warning (text, findings->core_type);
  g_string_append_printf (text, _ ("Products:   %.1f GFLOP/s in float32, %.1f GFLOP/s in float64, %d threads\n"),
                          findings->sgemm, findings->dgemm, cli_call_threads (call));
  g_string_append (text, _ ("Versions:   "));
  append_versions (text);
  return g_string_free (text, FALSE);
}

static gboolean
run (CliCall *call, GError **error)
{
  Findings findings = { 0 };
  g_autofree char *text = NULL;

  examine (call, &findings);
  text = to_text (call, &findings);
  cli_call_result (call, to_json (call, &findings), text);
  g_free (findings.processor);
  return TRUE;
}

const CliCommand cli_doctor
    = { "doctor", "", N_ ("Show processor, linear algebra in use and its speed"), NULL, NULL, 0, 0, run };

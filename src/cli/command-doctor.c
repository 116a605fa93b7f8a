/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include <cblas.h>
#include <glib/gi18n.h>
#include <png.h>
#include <zip.h>

#include "commands.h"
#include "doctor-rates.h"
#include "run-identity.h"
#include "simd/kernels.h"

/* Variables that OpenBLAS reads as it is loaded. The first chooses its kernel; the others its threads, of which the engine
 * uses one in each of its own. */
#define KERNEL_VARIABLE "OPENBLAS_CORETYPE"
static const char *const thread_variables[] = { "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS" };

/* Rates closer than this are the same. */
#define SAME 1.1

typedef struct
{
  char *processor;
  double memory_gb;
  DoctorRates rates;
  GPtrArray *warnings; /* sentences */
} Findings;

/* What this program finds without the variable: OpenBLAS's own choice. NULL if it cannot be asked. */
static JsonObject *
ask_without_variable (CliCall *call)
{
  g_auto (GStrv) environment = g_environ_unsetenv (g_get_environ (), KERNEL_VARIABLE);
  g_autofree char *threads = g_strdup_printf ("%d", cli_call_threads (call)), *output = NULL;
  char *argv[] = { "/proc/self/exe", "doctor", "--json", "--threads", threads, NULL };
  g_autoptr (JsonParser) parser = json_parser_new ();
  int status = 0;

  if (!g_spawn_sync (NULL, argv, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, &status, NULL)
      || status != 0 || !json_parser_load_from_data (parser, output, -1, NULL)
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return NULL;
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

/* How many times as fast OpenBLAS's own choice is, in the precision that gains more: learning and coding need both. */
static double
gain_of (JsonObject *free_choice, const DoctorRates *forced)
{
  return MAX (json_object_get_double_member (free_choice, "sgemm_gflops") / forced->sgemm,
              json_object_get_double_member (free_choice, "dgemm_gflops") / forced->dgemm);
}

static char *
judge_kernel (CliCall *call, const Findings *findings, const char *forced)
{
  const char *core = openblas_get_corename ();
  g_autoptr (JsonObject) free_choice = NULL;

  if (g_ascii_strcasecmp (forced, core) != 0)
    return g_strdup_printf (_ ("%s=%s is set in the environment, but OpenBLAS did not follow it"), KERNEL_VARIABLE,
                            forced);
  free_choice = ask_without_variable (call);
  if (free_choice == NULL)
    return g_strdup_printf (_ ("%s=%s in the environment chose this kernel; unset it to let OpenBLAS choose"),
                            KERNEL_VARIABLE, forced);
  const char *best = json_object_get_string_member (free_choice, "blas_core");
  double gain = gain_of (free_choice, &findings->rates);
  if (gain < SAME)
    return g_strdup_printf (_ ("%s=%s in the environment chose this kernel; OpenBLAS itself would choose %s, which is "
                               "not faster"),
                            KERNEL_VARIABLE, forced, best);
  return g_strdup_printf (_ ("%s=%s in the environment chose a slow kernel: OpenBLAS itself would choose %s, which is "
                             "%.1f times as fast; unset the variable"),
                          KERNEL_VARIABLE, forced, best, gain);
}

static void
find_warnings (CliCall *call, Findings *findings)
{
  const char *forced = g_getenv (KERNEL_VARIABLE);

  if (forced != NULL)
    g_ptr_array_add (findings->warnings, judge_kernel (call, findings, forced));
  else if (strstr (openblas_get_config (), "DYNAMIC_ARCH") == NULL)
    g_ptr_array_add (findings->warnings,
                     g_strdup (_ ("this OpenBLAS was built for one kind of processor, perhaps not for this one")));
  for (gsize i = 0; i < G_N_ELEMENTS (thread_variables); i++)
    if (g_getenv (thread_variables[i]) != NULL)
      g_ptr_array_add (findings->warnings,
                       g_strdup_printf (_ ("%s=%s is set in the environment and changes nothing: work is split as "
                                           "--threads says"),
                                        thread_variables[i], g_getenv (thread_variables[i])));
}

static gboolean
examine (CliCall *call, Findings *findings, GError **error)
{
  findings->processor = tosst_machine_cpu ();
  findings->memory_gb = (double)sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE) / 1e9;
  findings->warnings = g_ptr_array_new_with_free_func (g_free);
  if (!doctor_measure (cli_call_context (call), &findings->rates, error))
    return FALSE;
  find_warnings (call, findings);
  return TRUE;
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
  JsonArray *warnings = json_array_new ();
  const DoctorRates *rates = &findings->rates;
  const char *forced = g_getenv (KERNEL_VARIABLE);

  json_object_set_string_member (object, "processor", findings->processor);
  json_object_set_int_member (object, "processors", g_get_num_processors ());
  json_object_set_int_member (object, "threads", cli_call_threads (call));
  json_object_set_double_member (object, "memory_gb", findings->memory_gb);
  json_object_set_string_member (object, "blas", openblas_get_config ());
  json_object_set_string_member (object, "blas_core", openblas_get_corename ());
  json_object_set_string_member (object, "openblas_coretype", forced != NULL ? forced : "");
  json_object_set_string_member (object, "kernels", tosst_kernels ()->name);
  json_object_set_double_member (object, "sgemm_gflops", rates->sgemm);
  json_object_set_double_member (object, "dgemm_gflops", rates->dgemm);
  json_object_set_double_member (object, "describe_us", rates->describe_us);
  json_object_set_double_member (object, "describe_ratio", rates->describe_ratio);
  json_object_set_double_member (object, "code_us", rates->code_us);
  json_object_set_double_member (object, "code_ratio", rates->code_ratio);
  json_object_set_double_member (object, "learn_ms", rates->learn_ms);
  json_object_set_double_member (object, "learn_ratio", rates->learn_ratio);
  for (guint i = 0; i < findings->warnings->len; i++)
    json_array_add_string_element (warnings, findings->warnings->pdata[i]);
  json_object_set_array_member (object, "warnings", warnings);
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

static char *
to_text (CliCall *call, const Findings *findings)
{
  GString *text = g_string_new (NULL);
  const DoctorRates *rates = &findings->rates;

  g_string_append_printf (text, _ ("Processor:  %s, %u processors\n"),
                          *findings->processor ? findings->processor : _ ("unknown"), g_get_num_processors ());
  g_string_append_printf (text, _ ("Memory:     %.1f GB\n"), findings->memory_gb);
  g_string_append_printf (text, _ ("BLAS:       %s\n"), openblas_get_config ());
  g_string_append_printf (text, _ ("Kernel:     %s\n"), openblas_get_corename ());
  g_string_append_printf (text, _ ("Loops:      %s\n"), tosst_kernels ()->name);
  g_string_append_printf (text, _ ("Products:   %.1f GFLOP/s in float32, %.1f GFLOP/s in float64, %d threads\n"),
                          rates->sgemm, rates->dgemm, cli_call_threads (call));
  g_string_append_printf (text, _ ("Describing: %.0f µs a tensor of side 35, %.1f times its arithmetic\n"),
                          rates->describe_us, rates->describe_ratio);
  g_string_append_printf (text, _ ("Coding:     %.0f µs a tensor with %d atoms, %.1f times the product in it\n"),
                          rates->code_us, DOCTOR_ATOMS, rates->code_ratio);
  g_string_append_printf (text, _ ("Learning:   %.0f ms an iteration over %d tensors, %.1f times the products in it\n"),
                          rates->learn_ms, DOCTOR_TENSORS, rates->learn_ratio);
  for (guint i = 0; i < findings->warnings->len; i++)
    g_string_append_printf (text, _ ("Warning:    %s\n"), (char *)findings->warnings->pdata[i]);
  g_string_append (text, _ ("Versions:   "));
  append_versions (text);
  return g_string_free (text, FALSE);
}

static gboolean
run (CliCall *call, GError **error)
{
  Findings findings = { 0 };
  gboolean done = examine (call, &findings, error);

  if (done)
    {
      g_autofree char *text = to_text (call, &findings);
      cli_call_result (call, to_json (call, &findings), text);
    }
  g_ptr_array_unref (findings.warnings);
  g_free (findings.processor);
  return done;
}

const CliCommand cli_doctor
    = { "doctor", "", N_ ("Show processor, linear algebra in use and its speed"), NULL, NULL, 0, 0, run };

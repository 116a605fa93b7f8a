/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <unistd.h>

#include <glib/gi18n.h>
#include <png.h>
#include <zip.h>

#include "cli/commands.h"
#include "cli/doctor-kernels.h"
#include "cli/doctor-rates.h"
#include "core/base/machine.h"
#include "engine/simd/kernels.h"

/* Environment variables for the number of OpenBLAS's threads; the engine uses one per thread of its own. */
static const char *const thread_variables[] = { "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS" };

static const CliOption options[] = {
  { "products", 0, NULL, N_ ("Measure matrix products alone, with the kernel in use"), FALSE },
  { NULL },
};

typedef struct
{
  char *processor;
  double memory_gb;
  TosstBlasLibrary blas;
  GArray *kernels; /* DoctorKernel */
  DoctorRates rates;
  GPtrArray *warnings; /* sentences */
} Findings;

/* The kernel of OpenBLAS, or the name of another library. */
static const char *
kernel_of (const TosstBlasLibrary *blas)
{
  return blas->kernel != NULL ? blas->kernel : blas->name;
}

static gboolean
examine (CliCall *call, Findings *findings, GError **error)
{
  findings->processor = tosst_machine_cpu ();
  findings->memory_gb = (double)sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE) / 1e9;
  if (!doctor_measure (cli_call_context (call), &findings->rates, error))
    return FALSE;
  findings->kernels
      = doctor_measure_kernels (findings->blas.is_dynamic ? findings->blas.kernel : NULL, cli_call_threads (call));

  const TosstBlasLibrary *blas = &findings->blas;
  const char *wanted = g_getenv (TOSST_BLAS_VARIABLE);
  char *sentence = blas->kernel != NULL ? doctor_judge_kernel (findings->kernels, blas->kernel, wanted) : NULL;

  if (sentence != NULL)
    g_ptr_array_add (findings->warnings, sentence);
  else if (blas->kernel == NULL)
    g_ptr_array_add (findings->warnings,
                     g_strdup_printf (_ ("matrix products come from %s (%s) and not from OpenBLAS, with which this "
                                         "program is tested"),
                                      blas->name, blas->file));
  else if (!blas->is_dynamic)
    g_ptr_array_add (findings->warnings,
                     g_strdup (_ ("this OpenBLAS was built for one kind of processor, perhaps not for this one")));
  for (gsize i = 0; i < G_N_ELEMENTS (thread_variables); i++)
    if (g_getenv (thread_variables[i]) != NULL)
      g_ptr_array_add (findings->warnings,
                       g_strdup_printf (_ ("%s=%s is set in the environment and changes nothing: work is split as "
                                           "--threads says"),
                                        thread_variables[i], g_getenv (thread_variables[i])));
  return TRUE;
}

/* Rates of the kernel in use, from the comparison of kernels or measured separately. */
static DoctorKernel
measured (const Findings *findings)
{
  const DoctorKernel *kernel = doctor_find_kernel (findings->kernels, findings->blas.kernel);

  return kernel != NULL ? *kernel
                        : (DoctorKernel){ kernel_of (&findings->blas), findings->rates.sgemm, findings->rates.dgemm };
}

static DoctorKernel
fastest (const Findings *findings)
{
  const DoctorKernel *kernel = doctor_fastest_kernel (findings->kernels);

  return kernel != NULL ? *kernel : measured (findings);
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

static JsonArray *
kernels_to_json (const GArray *kernels)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < kernels->len; i++)
    {
      const DoctorKernel *kernel = &g_array_index (kernels, DoctorKernel, i);
      JsonObject *object = json_object_new ();
      json_object_set_string_member (object, "kernel", kernel->name);
      json_object_set_double_member (object, "sgemm_gflops", kernel->sgemm);
      json_object_set_double_member (object, "dgemm_gflops", kernel->dgemm);
      json_array_add_object_element (array, object);
    }
  return array;
}

static void
add_products (JsonObject *object, const DoctorKernel *kernel)
{
  json_object_set_string_member (object, "kernel", kernel->name);
  json_object_set_double_member (object, "sgemm_gflops", kernel->sgemm);
  json_object_set_double_member (object, "dgemm_gflops", kernel->dgemm);
}

static void
add_library (JsonObject *object, const TosstBlasLibrary *blas)
{
  const char *wanted = g_getenv (TOSST_BLAS_VARIABLE);

  json_object_set_string_member (object, "blas_library", blas->name);
  json_object_set_string_member (object, "blas_file", blas->file);
  json_object_set_string_member (object, "libblas", blas->other);
  json_object_set_string_member (object, "blas", blas->version);
  json_object_set_string_member (object, "blas_core", blas->kernel != NULL ? blas->kernel : "");
  json_object_set_string_member (object, "openblas_coretype", wanted != NULL ? wanted : "");
}

static JsonObject *
to_json (CliCall *call, const Findings *findings)
{
  JsonObject *object = json_object_new ();
  JsonArray *warnings = json_array_new ();
  const DoctorRates *rates = &findings->rates;
  DoctorKernel used = measured (findings), best = fastest (findings);

  json_object_set_string_member (object, "processor", findings->processor);
  json_object_set_int_member (object, "processors", g_get_num_processors ());
  json_object_set_int_member (object, "threads", cli_call_threads (call));
  json_object_set_double_member (object, "memory_gb", findings->memory_gb);
  add_library (object, &findings->blas);
  json_object_set_string_member (object, "kernels", tosst_kernels ()->name);
  add_products (object, &used);
  json_object_set_string_member (object, "fastest_kernel", best.name);
  json_object_set_double_member (object, "fastest_gflops", best.sgemm);
  json_object_set_array_member (object, "kernel_rates", kernels_to_json (findings->kernels));
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
append_library (GString *text, const TosstBlasLibrary *blas)
{
  g_string_append_printf (text, _ ("BLAS:       %s\n"), *blas->version ? blas->version : blas->name);
  g_string_append_printf (text, _ ("Library:    %s\n"), blas->file);
  if (*blas->other && !g_str_equal (blas->other, blas->file))
    g_string_append_printf (text, _ ("            (libblas.so.3 is %s, which this program does not use)\n"),
                            blas->other);
}

static void
append_kernels (GString *text, const Findings *findings)
{
  DoctorKernel used = measured (findings), best = fastest (findings);
  const char *wanted = g_getenv (TOSST_BLAS_VARIABLE);

  g_string_append_printf (text, _ ("Kernel:     %s"), used.name);
  if (wanted != NULL && g_ascii_strcasecmp (wanted, used.name) == 0)
    g_string_append_printf (text, _ (", named by %s"), TOSST_BLAS_VARIABLE);
  if (findings->kernels->len < 2)
    g_string_append_c (text, '\n');
  else if (g_str_equal (used.name, best.name))
    g_string_append_printf (text, _ (", the fastest of %u measured\n"), findings->kernels->len);
  else
    g_string_append_printf (text, _ ("; the fastest of %u measured is %s, %.2f times its speed\n"),
                            findings->kernels->len, best.name, best.sgemm / used.sgemm);
  for (guint i = 0; i < findings->kernels->len; i++)
    {
      const DoctorKernel *kernel = &g_array_index (findings->kernels, DoctorKernel, i);
      g_string_append_printf (text, _ ("            %-12s %6.1f GFLOP/s in float32, %6.1f in float64\n"), kernel->name,
                              kernel->sgemm, kernel->dgemm);
    }
}

static char *
to_text (CliCall *call, const Findings *findings)
{
  GString *text = g_string_new (NULL);
  const DoctorRates *rates = &findings->rates;
  DoctorKernel used = measured (findings);

  g_string_append_printf (text, _ ("Processor:  %s, %u processors\n"),
                          *findings->processor ? findings->processor : _ ("unknown"), g_get_num_processors ());
  g_string_append_printf (text, _ ("Memory:     %.1f GB\n"), findings->memory_gb);
  append_library (text, &findings->blas);
  append_kernels (text, findings);
  g_string_append_printf (text, _ ("Loops:      %s\n"), tosst_kernels ()->name);
  g_string_append_printf (text, _ ("Products:   %.1f GFLOP/s in float32, %.1f GFLOP/s in float64, %d threads\n"),
                          used.sgemm, used.dgemm, cli_call_threads (call));
  g_string_append_printf (text, _ ("Describing: %.0f µs a tensor of side 35, %.1f times its arithmetic\n"),
                          rates->describe_us, rates->describe_ratio);
  g_string_append_printf (text, _ ("Coding:     %.0f µs a tensor with %d atoms, %.1f times the product in it\n"),
                          rates->code_us, DOCTOR_ATOMS, rates->code_ratio);
  g_string_append_printf (text, _ ("Learning:   %.0f ms an iteration over %d tensors, %.1f times the products in it\n"),
                          rates->learn_ms, DOCTOR_TENSORS, rates->learn_ratio);
  for (guint i = 0; i < findings->warnings->len; i++)
    g_string_append_printf (text, _ ("Warning:    %s\n"), (char *)findings->warnings->pdata[i]);
  g_string_append (text, _ ("Versions:   "));

  g_autoptr (JsonObject) object = versions ();
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *l = names; l; l = l->next)
    g_string_append_printf (text, "%s%s %s", l == names ? "" : ", ", (char *)l->data,
                            json_object_get_string_member (object, l->data));
  return g_string_free (text, FALSE);
}

static gboolean
run_all (CliCall *call, const TosstBlasLibrary *blas, GError **error)
{
  Findings findings = { .blas = *blas, .warnings = g_ptr_array_new_with_free_func (g_free) };
  gboolean done = examine (call, &findings, error);

  if (done)
    {
      g_autofree char *text = to_text (call, &findings);
      cli_call_result (call, to_json (call, &findings), text);
    }
  g_clear_pointer (&findings.kernels, g_array_unref);
  g_ptr_array_unref (findings.warnings);
  g_free (findings.processor);
  return done;
}

static gboolean
run_products (CliCall *call, const TosstBlasLibrary *blas)
{
  DoctorKernel kernel = { .name = kernel_of (blas) };
  JsonObject *object = json_object_new ();

  doctor_measure_products (cli_call_context (call), &kernel.sgemm, &kernel.dgemm);
  g_autofree char *text = g_strdup_printf (_ ("%s: %.1f GFLOP/s in float32, %.1f GFLOP/s in float64"), kernel.name,
                                           kernel.sgemm, kernel.dgemm);
  add_products (object, &kernel);
  cli_call_result (call, object, text);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  TosstBlasLibrary blas;

  tosst_blas_describe (&blas);
  return cli_call_flag (call, "products") ? run_products (call, &blas) : run_all (call, &blas, error);
}

const CliCommand cli_doctor
    = { "doctor", "", N_ ("Show processor, linear algebra in use and its speed"), options, NULL, 0, 0, run };

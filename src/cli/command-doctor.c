/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "config.h"

#include <png.h>
#include <sched.h>
#include <unistd.h>
#include <zip.h>

#include "cli/doctor-kernels.h"
#include "cli/ranks.h"
#include "core/base/base.h"
#include "core/data/textures.h"
#include "tosst/code.h"
#include "tosst/describe.h"
#include "tosst/learn.h"

/* Where a process is. */
typedef struct
{
  char host[64];
  int allowed, processors; /* processors that it may use, and all of its machine */
  int threads;
  cpu_set_t set; /* those that it may use */
} Place;

/* "0-3,8", new. */
static char *
list_of (const cpu_set_t *set)
{
  GString *text = g_string_new (NULL);

  for (int first = 0, last; first < CPU_SETSIZE; first = last + 1)
    {
      last = first;
      if (!CPU_ISSET (first, set))
        continue;
      while (last + 1 < CPU_SETSIZE && CPU_ISSET (last + 1, set))
        last++;
      g_string_append_printf (text, last > first ? "%s%d-%d" : "%s%d", text->len ? "," : "", first, last);
    }
  return g_string_free (text, FALSE);
}

/* What started this process, or NULL. */
static const char *
launcher_of (void)
{
  if (g_getenv ("OMPI_COMM_WORLD_SIZE") != NULL)
    return g_getenv ("SLURM_JOB_ID") ? "mpirun, Slurm" : "mpirun";
  if (g_getenv ("PMI_SIZE") != NULL)
    return g_getenv ("SLURM_JOB_ID") ? "mpiexec, Slurm" : "mpiexec";
  return g_getenv ("SLURM_STEP_NUM_TASKS") ? "srun" : NULL;
}

static void G_GNUC_PRINTF (2, 3) warn (GPtrArray *warnings, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (warnings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* Warns once for each machine whose processes have more threads than the processors that they may use together: they are
 * too many, or bound to the same ones. */
static void
warn_of_sharing (const Place *place, int n, int r, GPtrArray *warnings)
{
  int ranks = 0, threads = 0, allowed;
  cpu_set_t all;

  CPU_ZERO (&all);

  for (int i = 0; i < n; i++)
    if (strcmp (place[i].host, place[r].host) == 0)
      {
        if (i < r)
          return;
        ranks++;
        threads += place[i].threads;
        CPU_OR (&all, &all, &place[i].set);
      }
  allowed = CPU_COUNT (&all);
  if (threads <= allowed)
    return;
  if (allowed < place[r].processors)
    warn (warnings,
          _ ("%s has %d processors, and its %d ranks of %d threads may use %d of them: give mpirun --bind-to none, or "
             "fewer ranks"),
          place[r].host, place[r].processors, ranks, threads, allowed);
  else
    warn (warnings,
          _ ("%s has %d processors for %d threads of %d ranks: fewer ranks, or a smaller --threads, would be faster"),
          place[r].host, place[r].processors, threads, ranks);
}

static void
add_place (const Place *place, int r, GString *text, JsonArray *array, GPtrArray *warnings)
{
  g_autofree char *list = list_of (&place->set);

  json_array_add_object_element (array, TOSST_JSON (("host", place->host), ("bound_to", list),
                                                    ("processors", place->allowed), ("threads", place->threads)));
  g_string_append_printf (text, _ ("            rank %d on %s: %d of %d processors (%s), --threads %d\n"), r,
                          place->host, place->allowed, place->processors, list, place->threads);
  if (place->threads > place->allowed)
    warn (warnings,
          _ ("rank %d has %d threads and may use %d processors: give mpirun --map-by slot:PE=%d, or srun "
             "--cpus-per-task=%d"),
          r, place->threads, place->allowed, place->threads, place->threads);
}

/* Lines about the MPI library, the processes of the launcher and their places, and the same in the object; adds
 * warnings (char *). Collective. New; NULL with error if another process failed. */
static char *
describe_ranks (CliCall *call, JsonObject *object, GPtrArray *warnings, GError **error)
{
  TosstRanks *ranks = cli_ranks ();
  g_autofree char *library = ranks ? g_strdup (cli_processes ()->library) : tosst_processes_library ();
  GString *text = g_string_new (NULL);
  g_autofree Place *place = g_new0 (Place, ranks ? ranks->size : 1);

  TOSST_JSON_SET (object, ("mpi", library ? library : ""), ("ranks", ranks ? ranks->size : 1));
  if (launcher_of ())
    json_object_set_string_member (object, "launcher", launcher_of ());
  if (!ranks)
    {
      if (library)
        g_string_append_printf (text, _ ("MPI:        %s; mpirun -n N starts N ranks\n"), library);
      else
        g_string_append (text, _ ("MPI:        not installed; runs on one machine need none\n"));
      return g_string_free (text, FALSE);
    }
  Place *own = &place[ranks->rank];
  g_strlcpy (own->host, g_get_host_name (), sizeof own->host);
  if (sched_getaffinity (0, sizeof own->set, &own->set) != 0)
    CPU_ZERO (&own->set);
  own->allowed = CPU_COUNT (&own->set) > 0 ? CPU_COUNT (&own->set) : (int)g_get_num_processors ();
  own->processors = (int)sysconf (_SC_NPROCESSORS_ONLN);
  own->threads = call->threads;
  if (tosst_ranks_gather (ranks, TOSST_OK, place, sizeof *place, 1, (gsize)ranks->size) != TOSST_OK)
    {
      g_string_free (text, TRUE);
      tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
      return NULL;
    }
  g_string_append_printf (text, _ ("MPI:        %s, %d ranks of %s\n"), library, ranks->size, launcher_of ());
  JsonArray *array = json_array_new ();
  for (int r = 0; r < ranks->size; r++)
    {
      add_place (&place[r], r, text, array, warnings);
      warn_of_sharing (place, ranks->size, r, warnings);
    }
  json_object_set_array_member (object, "places", array);
  return g_string_free (text, FALSE);
}

/* The sample: number of tensors of textures, d = 35, and of atoms. */
#define DOCTOR_TENSORS 800
#define DOCTOR_ATOMS 256

/* Speed of this machine in the stages of a run; rates are totals over all threads of the context. */
typedef struct
{
  double sgemm, dgemm; /* 10^9 operations per second */
  /* The sample: microseconds per tensor, and the ratio to the time of its arithmetic at the rate of sgemm. */
  double describe_us, describe_ratio;
  double code_us, code_ratio;
  double learn_ms, learn_ratio; /* per iteration, and ratio to the time of its two large products */
} DoctorRates;

#define REPEATS 5
#define PATCH 20
#define TEXTURES 4
#define PATCHES (DOCTOR_TENSORS / TEXTURES)
#define ROW 20 /* patches per row */

/* After the start of a program threads of OpenBLAS spin for a while, which would disturb the measurement. */
#define QUIET (G_USEC_PER_SEC / 5)

typedef struct
{
  TosstContext *context;
  TosstLayout *layout;
  TosstDictionary *dictionary;
  float *tensors;   /* DOCTOR_TENSORS x m */
  double iteration; /* seconds of the last one */
} Sample;

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Measures median rates of large matrix products, as in DoctorRates. */
static TosstStatus
doctor_measure_products (TosstContext *context, double *sgemm, double *dgemm)
{
  g_usleep (QUIET);
  TosstStatus status = tosst_blas_measure (context, false, sgemm);
  return status == TOSST_OK ? tosst_blas_measure (context, true, dgemm) : status;
}

/* Describes tensors of sample textures; median of the textures' times. */
static TosstStatus
describe (Sample *self, DoctorRates *rates)
{
  TosstFeatureOptions options;
  TosstPoint points[PATCHES];
  double seconds[TEXTURES];
  TosstStatus status = TOSST_OK;
  int step = (TOSST_TEXTURE_SIZE - PATCH) / ROW;

  tosst_feature_options_default (&options);
  for (int i = 0; i < PATCHES; i++)
    points[i] = (TosstPoint){ i % ROW * step, i / ROW * step };
  self->layout = tosst_layout_new (tosst_feature_dimension (&options));
  self->tensors = g_new (float, DOCTOR_TENSORS * self->layout->m);
  for (int i = 0; i < TEXTURES && status == TOSST_OK; i++)
    {
      g_autoptr (TosstImage) image = tosst_textures_render (i, 0, TRUE);
      double start = tosst_context_seconds (self->context);

      status = tosst_describe (self->context, image, &options, PATCH, points, PATCHES,
                               self->tensors + (gsize)i * PATCHES * self->layout->m);
      seconds[i] = tosst_context_seconds (self->context) - start;
    }
  qsort (seconds, TEXTURES, sizeof *seconds, compare_doubles);
  rates->describe_us = 1e6 * seconds[TEXTURES / 2] / PATCHES;
  rates->describe_ratio = rates->describe_us / (2e-3 * PATCH * PATCH * self->layout->m / rates->sgemm);
  return status;
}

static void
note_iteration (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage, void *data)
{
  Sample *self = data;

  self->iteration = 0;
  for (int i = 0; i < TOSST_LEARN_STAGES; i++)
    self->iteration += iteration->stage[i];
}

static TosstStatus
learn (Sample *self, DoctorRates *rates)
{
  TosstLearnOptions options;

  tosst_learn_options_default (&options);
  options.atoms = DOCTOR_ATOMS;
  options.iterations = 2;
  TosstStatus status = tosst_learn (self->context, self->layout, self->tensors, DOCTOR_TENSORS, &options, NULL,
                                    note_iteration, self, &self->dictionary);
  rates->learn_ms = 1e3 * self->iteration;
  rates->learn_ratio = rates->learn_ms / (4e-6 * DOCTOR_ATOMS * self->layout->m * DOCTOR_TENSORS / rates->sgemm);
  return status;
}

static TosstStatus
code (Sample *self, DoctorRates *rates)
{
  g_autofree float *codes = g_new (float, DOCTOR_TENSORS *DOCTOR_ATOMS);
  TosstCodingOptions options;
  TosstCodingReport report;
  TosstCoder *coder = NULL;
  double seconds[REPEATS];

  tosst_coding_options_default (&options);
  TosstStatus status = tosst_coder_new (self->context, self->dictionary, self->layout, &options, &coder);
  for (int i = 0; i < REPEATS && status == TOSST_OK; i++)
    {
      status = tosst_code (self->context, coder, self->tensors, DOCTOR_TENSORS, false, codes, &report);
      seconds[i] = report.seconds;
    }
  tosst_coder_free (coder);
  if (status != TOSST_OK)
    return status;
  qsort (seconds, REPEATS, sizeof *seconds, compare_doubles);
  rates->code_us = 1e6 * seconds[REPEATS / 2] / DOCTOR_TENSORS;
  rates->code_ratio = rates->code_us / (2e-3 * DOCTOR_ATOMS * self->layout->m / rates->sgemm);
  return status;
}

/* Measures all rates. Takes about a second and 100 MB. */
static gboolean
doctor_measure (TosstContext *context, DoctorRates *rates, GError **error)
{
  Sample sample = { .context = context };
  TosstStatus status = doctor_measure_products (context, &rates->sgemm, &rates->dgemm);

  status = status == TOSST_OK ? describe (&sample, rates) : status;
  status = status == TOSST_OK ? learn (&sample, rates) : status;
  status = status == TOSST_OK ? code (&sample, rates) : status;
  tosst_dictionary_free (sample.dictionary);
  tosst_layout_free (sample.layout);
  g_free (sample.tensors);
  return tosst_error_from_status (status, context, _ ("measuring"), error);
}

/* Environment variables for the number of OpenBLAS's threads; the engine uses one per thread of its own. */
static const char *const thread_variables[] = { "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS" };

static const CliOption options[] = {
  { "products", 0, NULL, N_ ("Measure matrix products only, with the current kernel"), FALSE },
  { NULL },
};

typedef struct
{
  char *processor;
  double memory_gb;
  TosstBlasLibrary blas;
  GArray *kernels;         /* DoctorKernel */
  DoctorKernel used, best; /* of them, or as measured separately */
  DoctorRates rates;
  GPtrArray *warnings; /* sentences */
  char *ranks;         /* lines about MPI */
  JsonObject *ranks_object;
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
  const TosstBlasLibrary *blas = &findings->blas;

  findings->kernels = doctor_measure_kernels (blas->is_dynamic ? blas->kernel : NULL, call->threads);
  const DoctorKernel *used = doctor_find_kernel (findings->kernels, blas->kernel),
                     *best = doctor_fastest_kernel (findings->kernels);
  findings->used = used ? *used : (DoctorKernel){ kernel_of (blas), findings->rates.sgemm, findings->rates.dgemm };
  findings->best = best ? *best : findings->used;

  const char *wanted = g_getenv (TOSST_BLAS_VARIABLE);
  g_autofree char *sentence
      = blas->kernel != NULL ? doctor_judge_kernel (findings->kernels, blas->kernel, wanted) : NULL;

  if (blas->kernel == NULL)
    warn (findings->warnings, _ ("matrix products use %s (%s) instead of OpenBLAS, with which this program is tested"),
          blas->name, blas->file);
  else if (sentence != NULL)
    warn (findings->warnings, "%s", sentence);
  else if (!blas->is_dynamic)
    warn (findings->warnings, _ ("this OpenBLAS was built for a single type of processor, which may not be this one"));
  for (gsize i = 0; i < G_N_ELEMENTS (thread_variables); i++)
    if (g_getenv (thread_variables[i]) != NULL)
      warn (findings->warnings, _ ("%s=%s in the environment has no effect: --threads sets the number of threads"),
            thread_variables[i], g_getenv (thread_variables[i]));
  return TRUE;
}

static JsonObject *
versions (void)
{
  g_autofree char *glib = g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  g_autofree char *json = g_strdup_printf ("%d.%d.%d", JSON_MAJOR_VERSION, JSON_MINOR_VERSION, JSON_MICRO_VERSION);

  return TOSST_JSON (("tosst", PACKAGE_VERSION), ("glib", glib), ("libpng", png_get_libpng_ver (NULL)),
                     ("libzip", zip_libzip_version ()), ("json-glib", json));
}

/* A kernel of the object of doctor, or of its list of kernels. */
static JsonObject *
kernel_json (const DoctorKernel *kernel)
{
  return TOSST_JSON (("kernel", kernel->name), ("sgemm_gflops", kernel->sgemm), ("dgemm_gflops", kernel->dgemm));
}

static JsonObject *
to_json (CliCall *call, const Findings *findings)
{
  JsonArray *warnings = json_array_new (), *kernels = json_array_new ();
  const DoctorRates *rates = &findings->rates;
  const TosstBlasLibrary *blas = &findings->blas;
  const char *wanted = g_getenv (TOSST_BLAS_VARIABLE);
  const DoctorKernel *used = &findings->used, *best = &findings->best;

  TOSST_FOR_EACH (const DoctorKernel, kernel, findings->kernels)
    json_array_add_object_element (kernels, kernel_json (kernel));
  for (guint i = 0; i < findings->warnings->len; i++)
    json_array_add_string_element (warnings, findings->warnings->pdata[i]);
  return TOSST_JSON (
      ("processor", findings->processor), ("processors", g_get_num_processors ()), ("threads", call->threads),
      ("memory_gb", findings->memory_gb), ("blas_library", blas->name), ("blas_file", blas->file),
      ("libblas", blas->other), ("blas", blas->version), ("blas_core", blas->kernel != NULL ? blas->kernel : ""),
      ("openblas_coretype", wanted != NULL ? wanted : ""), ("kernels", tosst_instruction_set ()),
      ("kernel", used->name), ("sgemm_gflops", used->sgemm), ("dgemm_gflops", used->dgemm),
      ("fastest_kernel", best->name), ("fastest_gflops", best->sgemm), ("kernel_rates", kernels),
      ("describe_us", rates->describe_us), ("describe_ratio", rates->describe_ratio), ("code_us", rates->code_us),
      ("code_ratio", rates->code_ratio), ("learn_ms", rates->learn_ms), ("learn_ratio", rates->learn_ratio),
      ("warnings", warnings), ("processes", json_object_ref (findings->ranks_object)), ("versions", versions ()));
}

static void
append_kernels (GString *text, const Findings *findings)
{
  const DoctorKernel *used = &findings->used, *best = &findings->best;
  const char *wanted = g_getenv (TOSST_BLAS_VARIABLE);

  g_string_append_printf (text, _ ("Kernel:     %s"), used->name);
  if (wanted != NULL && g_ascii_strcasecmp (wanted, used->name) == 0)
    g_string_append_printf (text, _ (", set by %s"), TOSST_BLAS_VARIABLE);
  if (findings->kernels->len < 2)
    g_string_append_c (text, '\n');
  else if (g_str_equal (used->name, best->name))
    g_string_append_printf (text, _ (", the fastest of %u measured\n"), findings->kernels->len);
  else
    g_string_append_printf (text, _ ("; the fastest of %u measured is %s, %.2f times its speed\n"),
                            findings->kernels->len, best->name, best->sgemm / used->sgemm);
  TOSST_FOR_EACH (const DoctorKernel, kernel, findings->kernels)
    g_string_append_printf (text, _ ("            %-12s %6.1f GFLOP/s in float32, %6.1f in float64\n"), kernel->name,
                            kernel->sgemm, kernel->dgemm);
}

static char *
to_text (CliCall *call, const Findings *findings)
{
  GString *text = g_string_new (NULL);
  const TosstBlasLibrary *blas = &findings->blas;
  const DoctorRates *rates = &findings->rates;

  g_string_append_printf (text, _ ("Processor:  %s (logical processors: %u)\n"),
                          *findings->processor ? findings->processor : _ ("unknown"), g_get_num_processors ());
  g_string_append_printf (text, _ ("Memory:     %.1f GB\n"), findings->memory_gb);
  g_string_append (text, findings->ranks);
  g_string_append_printf (text, _ ("BLAS:       %s\n"), *blas->version ? blas->version : blas->name);
  g_string_append_printf (text, _ ("Library:    %s\n"), blas->file);
  if (*blas->other && !g_str_equal (blas->other, blas->file))
    g_string_append_printf (text, _ ("            (libblas.so.3 is %s, which this program does not use)\n"),
                            blas->other);
  append_kernels (text, findings);
  g_string_append_printf (text, _ ("Loops:      %s\n"), tosst_instruction_set ());
  g_string_append_printf (text, _ ("Products:   %.1f GFLOP/s in float32, %.1f GFLOP/s in float64, %d threads\n"),
                          findings->used.sgemm, findings->used.dgemm, call->threads);
  g_string_append_printf (text, _ ("Describing: %.0f µs per tensor of side 35, %.1f times its arithmetic\n"),
                          rates->describe_us, rates->describe_ratio);
  g_string_append_printf (text, _ ("Coding:     %.0f µs per tensor with %d atoms, %.1f times the product in it\n"),
                          rates->code_us, DOCTOR_ATOMS, rates->code_ratio);
  g_string_append_printf (text,
                          _ ("Learning:   %.0f ms per iteration over %d tensors, %.1f times the products in it\n"),
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
run_products (CliCall *call, const TosstBlasLibrary *blas, GError **error)
{
  DoctorKernel kernel = { .name = kernel_of (blas) };
  TosstContext *context = cli_call_context (call);
  TosstStatus status = doctor_measure_products (context, &kernel.sgemm, &kernel.dgemm);

  if (!tosst_error_from_status (status, context, _ ("measuring"), error))
    return FALSE;
  cli_call_result (call, kernel_json (&kernel), _ ("%s: %.1f GFLOP/s in float32, %.1f GFLOP/s in float64"), kernel.name,
                   kernel.sgemm, kernel.dgemm);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  TosstBlasLibrary blas;

  tosst_blas_describe (&blas);
  if (cli_call_flag (call, "products"))
    return run_products (call, &blas, error);

  Findings findings = { .blas = blas, .warnings = g_ptr_array_new_with_free_func (g_free) };
  findings.ranks_object = json_object_new ();
  findings.ranks = describe_ranks (call, findings.ranks_object, findings.warnings, error);
  /* Rank 0 measures; the others wait. */
  gboolean done = findings.ranks && (!cli_is_writer () || examine (call, &findings, error));

  if (done && cli_is_writer ())
    {
      g_autofree char *text = to_text (call, &findings);

      cli_call_result (call, to_json (call, &findings), "%s", text);
    }
  TOSST_CLEAR_MEMBERS (&findings, (kernels, g_array_unref), (warnings, g_ptr_array_unref), (processor, g_free),
                       (ranks, g_free), (ranks_object, json_object_unref));
  return done;
}

const CliCommand cli_doctor
    = { "doctor", "",  N_ ("Show the processor, the linear algebra library and its speed"), options, NULL, 0, 0,
        run,      TRUE };

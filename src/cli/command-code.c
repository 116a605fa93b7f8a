/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ranks.h"
#include "cli/tensors.h"
#include "core/base/base.h"
#include "core/dictionary/file.h"
#include "core/format/tensor-array.h"
#include "tosst/code.h"

/* Bytes of codes per block, and number of tensors per evaluation of the objective. */
#define CHUNK_BYTES (256u << 20)
#define OBJECTIVE_ROWS 1024
/* Default tolerance for float64 input. */
#define DOUBLE_TOLERANCE 1e-12

typedef struct
{
  TosstContext *context;
  TosstCoder *coder;
  const TosstNpy *tensors;
  gsize rows, K;
  gboolean span, wants_objective;
  double *objective;      /* rows; on several ranks the own ones, and of all */
  double *all_objectives; /* or NULL */
  double worst_kkt, nonzeros, seconds;
} Job;

/* Evaluates certificates and, if wanted, the objective in float64, for any type of the files. solved: the solver's
 * certificate, for beta >= 0. */
static gboolean
evaluate_rows (Job *job, gsize from, gsize n, gconstpointer codes, double solved, GError **error)
{
  gsize shape[2] = { n, job->K };
  const TosstNpy view
      = { .type = job->tensors->type, .ndim = 2, .shape = { shape[0], shape[1] }, .data = (gpointer)codes };

  for (gsize done = 0; done < n; done += OBJECTIVE_ROWS)
    {
      gsize rows = MIN (OBJECTIVE_ROWS, n - done);
      g_autofree double *own_tensors = NULL, *own_codes = NULL;
      const double *x = cli_rows_double (job->tensors, from + done, rows, &own_tensors);
      const double *alpha = cli_rows_double (&view, done, rows, &own_codes);
      g_autofree double *kkt = g_new (double, rows);
      TosstStatus status = tosst_code_certificate (job->context, job->coder, x, rows, alpha, kkt);

      for (gsize i = 0; i < rows && status == TOSST_OK; i++)
        job->worst_kkt = fmax (job->worst_kkt, isnan (kkt[i]) ? solved : kkt[i]);
      if (status == TOSST_OK && job->wants_objective)
        status = tosst_code_objective (job->context, job->coder, x, rows, alpha, job->objective + from + done, NULL);
      if (!cli_check_status (job->context, _ ("coding"), status, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
code_all (CliCall *call, Job *job, TosstNpyWriter *writer, GError **error)
{
  TosstNpyType type = job->tensors->type;
  gsize size = type == TOSST_NPY_FLOAT32 ? sizeof (float) : sizeof (double);
  gsize ranks = cli_ranks () ? (gsize)cli_ranks ()->size : 1, rank = cli_ranks () ? (gsize)cli_ranks ()->rank : 0;
  gsize bytes = ranks > 1 ? CLI_RANKS_BYTES : CHUNK_BYTES;
  gsize chunk = MAX (1, MIN ((job->rows + ranks - 1) / ranks, bytes / (job->K * size)));
  gpointer objectives = job->all_objectives;
  g_autofree gpointer codes = g_malloc (chunk * job->K * size);
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Coding"), job->rows, _ ("tensors"));

  /* Each rank has a chunk of a round. */
  for (gsize round = 0; round < job->rows; round += chunk * ranks)
    {
      gsize from = MIN (round + rank * chunk, job->rows), n = MIN (chunk, job->rows - from);

      cli_progress_span (progress, job->context, (double)round / job->rows,
                         (double)MIN (round + chunk * ranks, job->rows) / job->rows);
      TosstCodingReport report = { 0 };
      gsize offset = from * job->tensors->shape[1];
      TosstStatus status = TOSST_OK;

      if (n == 0)
        ;
      else if (job->tensors->type == TOSST_NPY_FLOAT32)
        status = tosst_code (job->context, job->coder, (const float *)job->tensors->data + offset, n, false, codes,
                             &report);
      else
        status = tosst_code_double (job->context, job->coder, (const double *)job->tensors->data + offset, n, false,
                                    codes, &report);
      job->nonzeros += report.mean_nonzeros * n;
      job->seconds += report.seconds;
      if (!cli_check_status (job->context, _ ("coding"), status, error))
        return FALSE;
      tosst_context_set_progress (job->context, NULL, NULL);
      if ((!job->span && !evaluate_rows (job, from, n, codes, report.worst_kkt, error))
          || !cli_ranks_write (writer, codes, n, job->K * size, error))
        return FALSE;
      if (job->wants_objective && ranks > 1
          && !cli_ranks_copy (&objectives, job->objective + from, n, sizeof *job->objective, error))
        return FALSE;
    }
  return cli_ranks_sum (&job->nonzeros, 1, error) && cli_ranks_max (&job->worst_kkt, error)
         && cli_ranks_max (&job->seconds, error);
}

static JsonObject *
make_report (CliCall *call, const Job *job)
{
  JsonObject *object = json_object_new ();
  JsonArray *objective = job->span ? NULL : json_array_new ();

  for (gsize i = 0; job->wants_objective && i < job->rows; i++)
    json_array_add_double_element (objective, (cli_ranks () ? job->all_objectives : job->objective)[i]);
  if (!job->span)
    TOSST_JSON_SET (object, ("objective", objective), ("worst_kkt", job->worst_kkt),
                    ("mean_nonzeros", job->nonzeros / job->rows));
  TOSST_JSON_SET (object, ("ms_per_tensor", 1000 * job->seconds / job->rows),
                  ("setup_ms", 1000 * tosst_coder_setup_seconds (job->coder)), ("threads", call->threads));
  return object;
}

/* Projections have no certificate. */
static char *
describe_result (CliCall *call, const Job *job)
{
  const char *output = cli_call_value (call, "output");
  double milliseconds = 1000 * job->seconds / job->rows;

  if (job->span)
    return g_strdup_printf (ngettext ("%zu projection onto the span of %zu atoms, %.3f ms per tensor, written to %s",
                                      "%zu projections onto the span of %zu atoms, %.3f ms per tensor, written to %s",
                                      job->rows),
                            job->rows, job->K, milliseconds, output);
  return g_strdup_printf (
      ngettext ("%zu code of %zu atoms, %.3f ms per tensor, %.1f non-zeros, worst KKT residual %.2g, written to %s",
                "%zu codes of %zu atoms, %.3f ms per tensor, %.1f non-zeros, worst KKT residual %.2g, written to %s",
                job->rows),
      job->rows, job->K, milliseconds, job->nonzeros / job->rows, job->worst_kkt, output);
}

static gboolean
finish (CliCall *call, const Job *job, TosstNpyWriter *writer, GError **error)
{
  g_autoptr (GFile) report = cli_call_file (call, "report");
  JsonObject *object = make_report (call, job);
  gboolean kept = cli_ranks_keep (writer, error);

  kept = (!report || !cli_is_writer () || cli_write_json (json_object_ref (object), report, error)) && kept;
  if (!kept)
    {
      json_object_unref (object);
      return FALSE;
    }
  if (!job->span)
    json_object_remove_member (object, "objective");
  TOSST_JSON_SET (object, ("N", job->rows), ("K", job->K));
  g_autofree char *text = describe_result (call, job);
  cli_call_result (call, object, "%s", text);
  return TRUE;
}

/* Determines the recipe of the dictionary; with --recipe its group [coding] is replaced by the file's, in which
 * lambda and gamma may still be derived from the dictionary. */
static gboolean
read_base (CliCall *call, const TosstDictionaryMeta *meta, TosstRecipe **base, GError **error)
{
  const char *path = cli_call_value (call, "recipe");
  g_autofree char *name = g_strdup_printf ("%s, meta.json", cli_call_value (call, "dictionary"));

  *base = NULL;
  if (meta->recipe && !(*base = tosst_recipe_parse (meta->recipe, name, error)))
    return FALSE;
  if (!path)
    return TRUE;
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autoptr (TosstRecipe) given = tosst_recipe_load (file, error);
  if (!given)
    return FALSE;
  if (*base)
    (*base)->coding = given->coding;
  else
    *base = g_steal_pointer (&given);
  return TRUE;
}

/* Options of the dictionary's recipe, with the changes of the command line. */
static gboolean
read_options (CliCall *call, const TosstDictionaryMeta *meta, TosstCodingOptions *options, GError **error)
{
  g_autoptr (TosstRecipe) base = NULL, recipe = NULL;

  if (!read_base (call, meta, &base, error))
    return FALSE;
  recipe = cli_call_recipe (call, NULL, base, error);
  if (!recipe)
    return FALSE;
  if (!tosst_recipe_has_dictionary (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("coding.method must be sparse or span to code with a dictionary"));
  tosst_recipe_coding_options (recipe, options);
  return TRUE;
}

static gboolean
check_fit (CliCall *call, const TosstDictionary *dictionary, TosstShape shape, GError **error)
{
  if (tosst_shape_fits (shape, dictionary->shape))
    return TRUE;
  if (shape.d1 == dictionary->d)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s holds tensors of another shape than the atoms in %s"),
                       call->operand[0], cli_call_value (call, "dictionary"));
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s holds tensors of side %d, but the atoms in %s have side %d"),
                     call->operand[0], shape.d1, cli_call_value (call, "dictionary"), dictionary->d);
}

/* Maximum memory of coding in bytes; --memory is in megabytes. */
static gboolean
find_bound (CliCall *call, gsize *bytes, GError **error)
{
  const char *text = cli_call_value (call, "memory");
  guint64 megabytes;

  *bytes = tosst_memory_for_coding ();
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXSIZE >> 20, &megabytes, NULL))
    return cli_usage_error (error, _ ("--memory must be a whole number of megabytes, at least 1, not “%s”"), text);
  *bytes = (gsize)megabytes << 20;
  return TRUE;
}

static gboolean
code (CliCall *call, const TosstDictionary *dictionary, const TosstNpy *tensors, const TosstCodingOptions *options,
      GError **error)
{
  g_autoptr (GFile) output = cli_call_file (call, "output");
  g_autoptr (TosstNpyWriter) writer = NULL;
  TosstLayout *layout = tosst_layout_new_shape (dictionary->shape);
  Job job = { .context = cli_call_context (call),
              .tensors = tensors,
              .rows = tensors->shape[0],
              .K = dictionary->K,
              .span = options->span,
              .wants_objective = cli_call_value (call, "report") && !options->span };
  gsize needed = tosst_coder_memory (layout, dictionary->K, options, call->threads);
  gboolean ok = FALSE;

  /* Checked before the first allocation; the error states the required memory. */
  if (needed > options->memory)
    tosst_fail (error, TOSST_FAILED_MEMORY,
                _ ("coding with the %d atoms of %s needs at least %.3g GB of memory and may use %.3g GB: use fewer "
                   "atoms or threads, or raise --memory"),
                dictionary->K, cli_call_value (call, "dictionary"), (double)needed / 1e9,
                (double)options->memory / 1e9);
  else
    ok = cli_check_status (job.context, _ ("coding"),
                           tosst_coder_new (job.context, dictionary, layout, options, &job.coder), error);
  job.objective = job.wants_objective ? g_new (double, job.rows) : NULL;
  job.all_objectives = job.wants_objective && cli_ranks () ? g_new0 (double, job.rows) : NULL;
  ok = ok && cli_ranks_open (output, tensors->type, 2, (gsize[]){ job.rows, job.K }, &writer, error)
       && code_all (call, &job, writer, error) && finish (call, &job, writer, error);
  tosst_coder_free (job.coder);
  tosst_layout_free (layout);
  g_free (job.objective);
  g_free (job.all_objectives);
  return ok;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "output", "report", NULL };
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (call->operand[0]);
  g_autoptr (GFile) dictionary_file = cli_call_file (call, "dictionary");
  TosstDictionaryMeta meta = { 0 };
  TosstCodingOptions coding;
  TosstShape shape;
  gsize memory;

  if (!find_bound (call, &memory, error) || !cli_call_check_outputs (call, outputs, error))
    return FALSE;
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_load (dictionary_file, &meta, error);
  gboolean ok = dictionary && read_options (call, &meta, &coding, error);
  tosst_dictionary_meta_clear (&meta);
  if (!ok)
    return FALSE;
  g_autoptr (TosstNpy) tensors = tosst_npy_read (file, error);
  if (!tensors || !tosst_tensor_array_prepare (tensors, call->operand[0], &shape, error)
      || !check_fit (call, dictionary, shape, error))
    return FALSE;
  coding.wide = tensors->type == TOSST_NPY_FLOAT64;
  if (coding.wide)
    coding.tolerance = DOUBLE_TOLERANCE;
  coding.memory = memory;
  return code (call, dictionary, tensors, &coding, error);
}

static const CliOption options_table[] = {
  { "dictionary", 'd', "D.npz", N_ ("Dictionary for coding"), TRUE },
  { "output", 'o', "A.npy", N_ ("Output file of codes: one row per tensor, of the tensors' type"), TRUE },
  { "recipe", 0, "FILE", N_ ("Recipe for coding (default: the dictionary's)") },
  { "report", 0, "FILE.json", N_ ("Output file of objective, certificate and time") },
  { "memory", 0, "MB", N_ ("Memory limit of coding (default: most of the available memory); does not change codes") },
  { NULL },
};
static const char *const groups[] = { "coding", NULL };

const CliCommand cli_code
    = { "code", "T.npy", N_ ("Write the sparse codes of tensors"), options_table, groups, 1, 1, run, TRUE };

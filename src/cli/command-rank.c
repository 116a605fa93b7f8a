/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/call.h"
#include "cli/tensors.h"
#include "core/base/base.h"
#include "core/dictionary/file.h"
#include "core/format/tensor-array.h"
#include "tosst/code.h"
#include "tosst/tensor.h"

/* Tensors in float64 per block. */
#define CHUNK_ROWS 512

typedef struct
{
  int support, bound, reconstructed;
  long sum;
} CodeRank;

typedef struct
{
  TosstContext *context;
  TosstShape shape;
  gsize m;
  int limit;                       /* of the rank */
  const TosstNpy *tensors, *codes; /* codes may be NULL */
  const TosstDictionary *dictionary;
  double tolerance;
  gsize rows, samples;
  guint64 seed;
  TosstTensorRank *ranks;
  TosstFormSample *forms; /* rows, or NULL */
  CodeRank *code_ranks;   /* rows, or NULL */
  int *atom_ranks;        /* K, or NULL */
} Job;

/* Rank of the tensor reconstructed from a code. */
static int
reconstructed_rank (const Job *job, const double *alpha, double *B, double *planes, gpointer work)
{
  gsize numbers = (gsize)job->shape.d1 * job->shape.d2;
  double values[job->limit];
  int rank = 0;

  tosst_code_planes (job->dictionary, alpha, B, planes);
  for (int s = 0; s < tosst_planes (job->shape); s++)
    if (tosst_plane_spectrum (job->shape, planes + s * numbers, work, values) == TOSST_OK)
      rank = MAX (rank, tosst_spectrum_rank (values, job->limit, job->tolerance, 0));
  return rank;
}

static void
rank_codes (Job *job, gsize from, gsize n)
{
  int K = job->dictionary->K;
  gsize numbers = (gsize)job->shape.d1 * job->shape.d2 * tosst_planes (job->shape);
  g_autofree double *own = NULL, *planes = g_new (double, numbers);
  g_autofree double *B = g_new (double, tosst_shape_atom_numbers (job->dictionary->shape));
  const double *alpha = cli_rows_double (job->codes, from, n, &own);
  gpointer work = g_aligned_alloc (1, tosst_plane_work (job->shape), 64);

  for (gsize i = 0; i < n; i++, alpha += K)
    {
      CodeRank *rank = &job->code_ranks[from + i];

      rank->support = tosst_code_support (alpha, K, NULL);
      rank->bound = tosst_code_rank_bound (alpha, job->atom_ranks, K, job->limit, &rank->sum);
      rank->reconstructed = reconstructed_rank (job, alpha, B, planes, work);
    }
  g_aligned_free (work);
}

static gboolean
rank_all (CliCall *call, Job *job, GError **error)
{
  g_autoptr (CliProgress) progress = cli_progress_new (call, _ ("Ranks"), job->rows, _ ("tensors"));

  for (gsize from = 0; from < job->rows; from += CHUNK_ROWS)
    {
      gsize n = MIN (CHUNK_ROWS, job->rows - from);

      cli_progress_span (progress, job->context, (double)from / job->rows, (double)(from + n) / job->rows);
      g_autofree double *own = NULL;
      const double *tensors = cli_rows_double (job->tensors, from, n, &own);
      gsize m = job->m;

      if (!cli_check_status (
              job->context, _ ("ranks"),
              tosst_tensor_rank (job->context, job->shape, tensors, n, job->tolerance, job->ranks + from, NULL), error))
        return FALSE;
      for (gsize i = 0; job->forms && i < n; i++)
        if (!cli_check_status (job->context, _ ("ranks"),
                               tosst_sample_forms (job->context, job->shape, tensors + i * m, job->samples,
                                                   job->seed + from + i, job->tolerance, &job->forms[from + i]),
                               error))
          return FALSE;
      if (job->codes)
        rank_codes (job, from, n);
    }
  return TRUE;
}

static char *
to_csv (const Job *job)
{
  GString *text = g_string_new ("tensor,trank,slice,smallest_eigenvalue,largest_eigenvalue,negative_slices");
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (job->forms)
    g_string_append (text, ",smallest_sampled");
  if (job->codes)
    g_string_append (text, ",support,rank_sum,bound,trank_reconstructed");
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < job->rows; i++)
    {
      const TosstTensorRank *rank = &job->ranks[i];

      g_string_append_printf (text, "%zu,%d,%d,", i, rank->rank, rank->slice);
      g_string_append_printf (text, "%s,", g_ascii_formatd (number, sizeof number, "%.9g", rank->smallest));
      g_string_append_printf (text, "%s,%d", g_ascii_formatd (number, sizeof number, "%.9g", rank->largest),
                              rank->negative);
      if (job->forms)
        g_string_append_printf (text, ",%s", g_ascii_formatd (number, sizeof number, "%.9g", job->forms[i].smallest));
      if (job->codes)
        g_string_append_printf (text, ",%d,%ld,%d,%d", job->code_ranks[i].support, job->code_ranks[i].sum,
                                job->code_ranks[i].bound, job->code_ranks[i].reconstructed);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static JsonObject *
to_json (const Job *job)
{
  JsonArray *trank = json_array_new (), *smallest = json_array_new (), *negative = json_array_new ();
  JsonArray *sampled = json_array_new (), *support = json_array_new (), *bound = json_array_new ();
  JsonArray *sum = json_array_new (), *reconstructed = json_array_new ();

  for (gsize i = 0; i < job->rows; i++)
    {
      json_array_add_int_element (trank, job->ranks[i].rank);
      json_array_add_double_element (smallest, job->ranks[i].smallest);
      json_array_add_int_element (negative, job->ranks[i].negative);
      if (job->forms)
        json_array_add_double_element (sampled, job->forms[i].smallest);
      if (!job->codes)
        continue;
      json_array_add_int_element (support, job->code_ranks[i].support);
      json_array_add_int_element (sum, job->code_ranks[i].sum);
      json_array_add_int_element (bound, job->code_ranks[i].bound);
      json_array_add_int_element (reconstructed, job->code_ranks[i].reconstructed);
    }
  return TOSST_JSON (("N", job->rows), ("d", job->shape.d1), ("tolerance", job->tolerance), ("trank", trank),
                     ("smallest_eigenvalue", smallest), ("negative_slices", negative), ("smallest_sampled", sampled),
                     ("support", support), ("rank_sum", sum), ("bound", bound), ("trank_reconstructed", reconstructed));
}

static char *
to_text (const Job *job)
{
  GString *text = g_string_new (NULL);
  int low = G_MAXINT, high = 0, low_bound = G_MAXINT, high_bound = 0, most = 0;
  gsize definite = 0;
  double smallest = INFINITY, sampled = INFINITY;

  for (gsize i = 0; i < job->rows; i++)
    {
      low = MIN (low, job->ranks[i].rank);
      high = MAX (high, job->ranks[i].rank);
      definite += job->ranks[i].negative == 0;
      smallest = fmin (smallest, job->ranks[i].smallest);
      if (job->forms)
        sampled = fmin (sampled, job->forms[i].smallest);
      if (!job->codes)
        continue;
      low_bound = MIN (low_bound, job->code_ranks[i].bound);
      high_bound = MAX (high_bound, job->code_ranks[i].bound);
      most = MAX (most, job->code_ranks[i].reconstructed);
    }
  g_string_append_printf (
      text,
      ngettext (
          "%zu tensor of side %d: TRank %d to %d; %zu with positive semi-definite slices, smallest eigenvalue %.3g",
          "%zu tensors of side %d: TRank %d to %d; %zu with positive semi-definite slices, smallest eigenvalue %.3g",
          job->rows),
      job->rows, job->shape.d1, low, high, definite, smallest);
  if (job->forms)
    g_string_append_printf (text, _ (", smallest of %zu sampled forms %.3g"), job->samples, sampled);
  if (job->codes)
    g_string_append_printf (text, _ ("; TRank of reconstructions: at most %d to %d by Theorem 2, largest %d"),
                            low_bound, high_bound, most);
  return g_string_free (text, FALSE);
}

/* Checks that codes, if given, match dictionary and tensors. */
static gboolean
check_codes (CliCall *call, const Job *job, GError **error)
{
  const TosstNpy *codes = job->codes;

  if (codes->ndim == 2 && codes->shape[0] == job->rows && codes->shape[1] == (gsize)job->dictionary->K)
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s does not hold one code of %d atoms for each of %zu tensors"),
                     cli_call_value (call, "codes"), job->dictionary->K, job->rows);
}

static gboolean
run_job (CliCall *call, Job *job, GError **error)
{
  g_autofree TosstTensorRank *ranks G_GNUC_UNUSED = job->ranks = g_new (TosstTensorRank, job->rows);
  g_autofree TosstFormSample *forms G_GNUC_UNUSED = job->forms
      = job->samples ? g_new (TosstFormSample, job->rows) : NULL;
  g_autofree CodeRank *code_ranks G_GNUC_UNUSED = job->code_ranks = g_new (CodeRank, job->codes ? job->rows : 1);
  g_autofree int *atom_ranks = job->atom_ranks = g_new (int, job->codes ? job->dictionary->K : 1);

  if (job->codes
      && (!check_codes (call, job, error)
          || !cli_check_status (
              job->context, _ ("ranks"),
              tosst_atom_ranks (job->context, job->dictionary, tosst_rank_tolerance (job->shape, TRUE), atom_ranks),
              error)))
    return FALSE;

  if (!rank_all (call, job, error))
    return FALSE;
  g_autofree char *csv = to_csv (job), *text = to_text (job);

  if (!cli_keep_text (call, "output", csv, error))
    return FALSE;
  cli_call_result (call, to_json (job), "%s", text);
  return TRUE;
}

static gboolean
read_options (CliCall *call, Job *job, GError **error)
{
  const char *tolerance = cli_call_value (call, "tolerance"), *samples = cli_call_value (call, "samples");
  char *end = NULL;

  job->tolerance = tosst_rank_tolerance (job->shape, job->tensors->type == TOSST_NPY_FLOAT64);
  if (tolerance)
    {
      job->tolerance = g_ascii_strtod (tolerance, &end);
      if (end == tolerance || *end || !(job->tolerance > 0 && job->tolerance < 1))
        return cli_usage_error (error, _ ("--tolerance must be a number between 0 and 1, not “%s”"), tolerance);
    }
  if (samples)
    {
      gint64 count = g_ascii_strtoll (samples, &end, 10);
      if (end == samples || *end || count < 1 || count > G_MAXINT)
        return cli_usage_error (error, _ ("--samples must be a whole number of at least 1, not “%s”"), samples);
      job->samples = (gsize)count;
    }
  return TRUE;
}

static gboolean
read_dictionary (CliCall *call, TosstShape shape, TosstDictionary **dictionary, TosstNpy **codes, GError **error)
{
  g_autoptr (GFile) dictionary_file = cli_call_file (call, "dictionary"), codes_file = cli_call_file (call, "codes");

  if (!dictionary_file != !codes_file)
    return cli_usage_error (error, _ ("--dictionary and --codes must be given together"));
  if (!dictionary_file)
    return TRUE;
  *dictionary = tosst_dictionary_load (dictionary_file, NULL, error);
  if (!*dictionary)
    return FALSE;
  if (!tosst_shape_fits (shape, (*dictionary)->shape))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s holds tensors of another shape than the atoms in %s"),
                       call->operand[0], cli_call_value (call, "dictionary"));
  *codes = tosst_npy_read (codes_file, error);
  return *codes != NULL;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "output", NULL };
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (call->operand[0]);
  g_autoptr (TosstRecipe) recipe = cli_call_recipe (call, NULL, NULL, error);
  g_autoptr (TosstDictionary) dictionary = NULL;
  g_autoptr (TosstNpy) tensors = NULL, codes = NULL;
  TosstShape shape;

  if (!recipe || !cli_call_check_outputs (call, outputs, error))
    return FALSE;
  tensors = tosst_npy_read (file, error);
  if (!tensors || !tosst_tensor_array_prepare (tensors, call->operand[0], &shape, error)
      || !read_dictionary (call, shape, &dictionary, &codes, error))
    return FALSE;
  Job job = { .context = cli_call_context (call),
              .shape = shape,
              .m = tosst_shape_numbers (shape),
              .limit = tosst_plane_rank_limit (shape),
              .tensors = tensors,
              .codes = codes,
              .dictionary = dictionary,
              .rows = tensors->shape[0],
              .seed = recipe->dictionary.seed };
  if (!read_options (call, &job, error))
    return FALSE;
  if (job.samples && !tosst_plane_is_symmetric (shape))
    return cli_usage_error (error, _ ("--samples needs tensors with symmetric slices"));
  return run_job (call, &job, error);
}

static const CliOption options_table[] = {
  { "dictionary", 'd', "D.npz", N_ ("With --codes: the dictionary of the codes, for Theorem 2") },
  { "codes", 0, "A.npy", N_ ("Codes of the tensors, one row per tensor") },
  { "output", 'o', "R.csv", N_ ("Output file with one line per tensor") },
  { "samples", 0, "N", N_ ("Sample each slice's quadratic form N times (Proposition 1)") },
  { "tolerance", 0, "T",
    N_ ("Eigenvalues below T times the largest of their slice count as zero (default: rounding error)") },
  { NULL },
};

const CliCommand cli_rank
    = { "rank", "T.npy", N_ ("Show the ranks of tensors and of their codes"), options_table, NULL, 1, 1, run };

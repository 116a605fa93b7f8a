/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/sweep-report.h"
#include "core/base/base.h"
#include "core/cluster/job.h"

static const CliCommand *const runs[] = { &cli_learn, &cli_classify, &cli_sweep };

/* What the command needs besides the job. */
typedef struct
{
  CliCall *call;
  TosstJob job;
  GPtrArray *settings; /* of --set and --seed, NULL-terminated */
  TosstSweep *sweep;   /* of the recipe */
  char *dictionary;    /* default name */
  double seconds;      /* of one process of this machine; NAN: unknown */
} Writing;

static gboolean
parse_number (CliCall *call, const char *option, int most, int *number, GError **error)
{
  const char *text = cli_call_value (call, option);
  gint64 value = *number;

  if (text && !g_ascii_string_to_signed (text, 10, 1, most, &value, NULL))
    return cli_usage_error (error, _ ("--%s must be a whole number from 1 to %d, not “%s”"), option, most, text);
  *number = (int)value;
  return TRUE;
}

static gboolean
keep_setting (gpointer settings, const char *name, const char *value, GError **error)
{
  g_ptr_array_add (settings, g_strdup_printf ("%s=%s", name, value));
  return TRUE;
}

static gboolean
read_recipe (Writing *self, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (self->job.recipe);
  const char *seed = cli_call_value (self->call, "seed");

  if (cli_is_folder (self->job.recipe))
    return cli_usage_error (error, _ ("%s is no recipe file; tosst recipe %s > FILE writes one"), self->job.recipe,
                            self->job.recipe);
  self->sweep = tosst_sweep_load (file, error);
  if (!self->sweep || !cli_call_apply_settings (self->call, keep_setting, self->settings, error))
    return FALSE;
  if (seed)
    {
      g_ptr_array_add (self->settings, g_strconcat ("dataset.seed=", seed, NULL));
      g_ptr_array_add (self->settings, g_strconcat ("dictionary.seed=", seed, NULL));
    }
  for (guint i = 0; i < self->settings->len; i++)
    {
      const char *setting = self->settings->pdata[i], *equals = strchr (setting, '=');
      g_autofree char *name = g_strndup (setting, equals - setting);
      GError *cause = NULL;

      if (!cli_set_in_sweep (self->sweep, name, equals + 1, &cause))
        return cli_usage_from (error, cause);
    }
  cli_call_imply_kind (self->call, self->sweep->base);
  g_ptr_array_add (self->settings, NULL);
  self->job.settings = (const char *const *)self->settings->pdata;
  return TRUE;
}

/* The kind of --run, or else what the recipe and the other options tell. */
static gboolean
choose_kind (Writing *self, GError **error)
{
  const char *name = cli_call_value (self->call, "run");
  gboolean varies = self->sweep->axes->len > 0, has_tensors = cli_call_value (self->call, "tensors") != NULL;

  self->job.kind = has_tensors ? TOSST_JOB_LEARN : varies ? TOSST_JOB_SWEEP : TOSST_JOB_CLASSIFY;
  for (guint i = 0; name && i < G_N_ELEMENTS (runs); i++)
    if (strcmp (name, runs[i]->name) == 0)
      {
        self->job.kind = (TosstJobKind)i;
        name = NULL;
      }
  if (name)
    return cli_usage_error (error, _ ("--run must be learn, classify or sweep, not “%s”"), name);
  if (has_tensors != (self->job.kind == TOSST_JOB_LEARN))
    return cli_usage_error (error, has_tensors ? _ ("--tensors is for learning only: remove it, or --run")
                                               : _ ("--run learn needs --tensors T.npy"));
  if (varies != (self->job.kind == TOSST_JOB_SWEEP))
    return cli_usage_error (error,
                            varies ? _ ("%s varies parameters in [sweep], which only --run sweep does")
                                   : _ ("%s has no [sweep] of parameters to vary"),
                            self->job.recipe);
  if (self->job.nodes * self->job.ranks > 1 && !runs[self->job.kind]->in_ranks)
    return cli_usage_error (error, _ ("tosst %s is not divided over processes: give --nodes 1 --ranks-per-node 1"),
                            runs[self->job.kind]->name);
  return TRUE;
}

/* The file in which the job keeps its results. */
static gboolean
choose_output (Writing *self, GError **error)
{
  const char *dictionary = cli_call_value (self->call, "dictionary"), *store = cli_call_value (self->call, "workspace");
  gboolean learns = self->job.kind == TOSST_JOB_LEARN;
  const char *stray = learns ? (store ? "workspace" : NULL) : dictionary ? "dictionary" : NULL;
  const char *dot = strrchr (self->job.recipe, '.');
  gsize length = dot && !strchr (dot, '/') ? (gsize)(dot - self->job.recipe) : strlen (self->job.recipe);

  if (stray)
    return cli_usage_error (error, _ ("--%s is not for tosst %s"), stray, runs[self->job.kind]->name);
  self->dictionary = g_strdup_printf ("%.*s.npz", (int)length, self->job.recipe);
  self->job.output = learns ? (dictionary ? dictionary : self->dictionary) : store ? store : CLI_DEFAULT_STORE;
  if (!learns || cli_call_flag (self->call, "resume") || !g_file_test (self->job.output, G_FILE_TEST_EXISTS))
    return TRUE;
  return tosst_fail (error, TOSST_FAILED_INPUT,
                     _ ("%s exists: give --resume if the job is to go on from it, or another name with --dictionary"),
                     self->job.output);
}

/* Memory of a process and, for runs, the time that one takes here. */
static gboolean
estimate (Writing *self, GError **error)
{
  const TosstSweepOptions options = { .jobs = 1 };
  TosstSweepEstimate found;
  int threads = self->job.threads > 0 ? self->job.threads : self->call->threads;

  self->seconds = NAN;
  if (self->job.kind == TOSST_JOB_LEARN)
    {
      g_autoptr (GFile) tensors = cli_call_file (self->call, "tensors");

      return tosst_job_learn_memory (self->sweep->base, tensors, self->job.nodes * self->job.ranks, threads,
                                     &self->job.memory, error);
    }

  g_autoptr (GFile) store = g_file_new_for_commandline_arg (self->job.output);

  g_autoptr (TosstSweepPlan) plan = cli_plan_sweep (self->sweep, store, error);
  if (!plan || !tosst_sweep_estimate (plan, &options, cli_call_context (self->call), &found, error))
    return FALSE;
  self->job.memory = found.bytes;
  self->seconds = found.seconds;
  return TRUE;
}

/* One line of the job, its memory and time. */
static void
report (Writing *self)
{
  const TosstJob *job = &self->job;
  const char *output = cli_call_value (self->call, "output");
  g_autofree char *memory = g_format_size (tosst_job_node_memory (job));
  g_autofree char *time = isfinite (self->seconds) ? cli_duration (self->seconds) : NULL;
  GString *text = g_string_new (NULL);

  JsonObject *object
      = TOSST_JSON (("output", output), ("command", runs[job->kind]->name), ("nodes", job->nodes),
                    ("ranks", job->nodes * job->ranks), ("threads", job->threads),
                    ("time_limit_seconds", (double)job->seconds), ("memory_rank_mb", (double)job->memory / 1e6),
                    ("memory_node_mb", (double)tosst_job_node_memory (job) / 1e6), ("seconds_here", self->seconds));
  g_string_append_printf (text, _ ("%s runs tosst %s on %d × %d processes: %s of memory on each node"), output,
                          runs[job->kind]->name, job->nodes, job->ranks, memory);
  if (time)
    g_string_append_printf (text, _ ("; one process of this machine would take about %s"), time);
  g_string_append_printf (text, _ ("\nsubmit it with: sbatch %s"), output);
  cli_call_result (self->call, object, "%s", text->str);
  g_string_free (text, TRUE);
}

static gboolean
write_job (Writing *self, GError **error)
{
  static const char *const outputs[] = { "output", NULL };
  g_autoptr (GFile) file = cli_call_file (self->call, "output"), result = NULL;
  GError *cause = NULL;

  if (!parse_number (self->call, "nodes", TOSST_JOB_MAX_NODES, &self->job.nodes, error)
      || !parse_number (self->call, "ranks-per-node", TOSST_JOB_MAX_RANKS, &self->job.ranks, error))
    return FALSE;
  if (!tosst_job_parse_time (cli_call_value (self->call, "time"), &self->job.seconds, &cause)
      || !tosst_job_check (&self->job, &cause))
    {
      cli_usage_error (error, "%s", cause->message);
      g_error_free (cause);
      return FALSE;
    }
  if (!read_recipe (self, error) || !choose_kind (self, error) || !choose_output (self, error)
      || !cli_call_check_outputs (self->call, outputs, error))
    return FALSE;
  result = g_file_new_for_commandline_arg (self->job.output);
  if (cli_is_same_file (file, result))
    return cli_usage_error (error, _ ("--output names %s, which the job writes; choose another name"),
                            self->job.output);
  if (!estimate (self, error))
    return FALSE;
  g_autofree char *script = tosst_job_script (&self->job);
  if (!tosst_atomic_keep_text (file, script, error))
    return FALSE;
  report (self);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  Writing self = { .call = call, .settings = g_ptr_array_new_with_free_func (g_free) };

  self.job = (TosstJob){ .program = cli_call_value (call, "program"),
                         .recipe = call->operand[0],
                         .tensors = cli_call_value (call, "tensors"),
                         .nodes = 1,
                         .ranks = 1,
                         .threads = cli_call_value (call, "threads") ? call->threads : 0,
                         .partition = cli_call_value (call, "partition"),
                         .account = cli_call_value (call, "account") };
  gboolean ok = write_job (&self, error);
  g_clear_pointer (&self.sweep, tosst_sweep_free);
  g_ptr_array_unref (self.settings);
  g_free (self.dictionary);
  return ok;
}

static const CliOption options[] = {
  { "output", 'o', "JOB.sh", N_ ("Output file of the script"), TRUE },
  { "nodes", 'N', "N", N_ ("Number of nodes (default: 1)") },
  { "time", 't', "LIMIT", N_ ("Time limit: minutes, hours:minutes:seconds or days-hours"), TRUE },
  { "ranks-per-node", 0, "N", N_ ("Processes on each node (default: 1)") },
  { "run", 0, "COMMAND", N_ ("learn, classify or sweep (default: as RECIPE and --tensors tell)") },
  { "tensors", 0, "T.npy", N_ ("Tensors to learn a dictionary from") },
  { "dictionary", 0, "D.npz", N_ ("Dictionary that is learned (default: named as RECIPE)") },
  { "resume", 0, NULL, N_ ("The dictionary exists, and the job goes on from it") },
  { "workspace", 'w', "W.sqlite", N_ ("Store of runs of classify and sweep (default: runs.sqlite)") },
  { "partition", 0, "NAME", N_ ("Partition of the cluster") },
  { "account", 0, "NAME", N_ ("Account that the job is charged to") },
  { "program", 0, "PATH", N_ ("tosst on the nodes (default: found on their PATH)") },
  { NULL },
};

const CliCommand cli_cluster
    = { "cluster", "RECIPE", N_ ("Write a job script for a Slurm cluster"), options, cli_all_groups, 1, 1, run };

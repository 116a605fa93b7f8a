/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ranks.h"
#include "cli/sweep-report.h"
#include "core/base/base.h"

/* A sweep over the processes of a launcher: process 0 reads the recipe and has the store, the others make the same plan. */

/* Whether all have the same runs of the same data. Collective. */
static gboolean
check_same (CliCall *call, const TosstSweepPlan *plan, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  if (!cli_ranks_check_same (call, error))
    return FALSE;
  for (guint i = 0; i < plan->runs->len; i++)
    if (tosst_sweep_plan_run (plan, i)->dataset
        && (i == 0 || tosst_sweep_plan_run (plan, i)->dataset != tosst_sweep_plan_run (plan, i - 1)->dataset)
        && !cli_ranks_check_images (tosst_sweep_plan_run (plan, i)->dataset, error))
      return FALSE;
  for (guint i = 0; i < plan->runs->len; i++)
    g_checksum_update (sum, (const guchar *)tosst_sweep_plan_run (plan, i)->hash, -1);
  g_autofree char *text = g_strdup_printf ("data and recipes %.16s", g_checksum_get_string (sum));
  return tosst_processes_check_same (cli_ranks (), text, error);
}

/* Makes groups of so many processes, each of which executes a run together: tosst_sweep_execute(). Collective. */
static gboolean
divide_processes (CliCall *call, const TosstSweepPlan *plan, TosstSweepOptions *options, GError **error)
{
  static int given_up;
  const TosstProcesses *processes = cli_processes ();

  if (options->together == 1)
    return TRUE;
  if (!processes || processes->ranks.size % options->together != 0)
    return cli_usage_error (error, _ ("--ranks-per-run %d does not divide the number of processes, %d"),
                            options->together, processes ? processes->ranks.size : 1);
  if (options->jobs > 1)
    return cli_usage_error (error, _ ("--ranks-per-run needs --jobs 1"));
  for (guint i = 0; i < plan->runs->len; i++)
    if (!tosst_sweep_plan_run (plan, i)->problem
        && !tosst_run_check_divided (tosst_sweep_plan_run (plan, i)->recipe, error))
      return FALSE;
  options->given_up = &given_up;
  options->ranks = processes->split (processes->ranks.rank / options->together, &given_up);
  return options->ranks || tosst_fail (error, TOSST_FAILED_INPUT, _ ("the MPI library has no groups of processes"));
}

/* A process was lost: the others leave without it. */
static void
give_up (void)
{
  cli_ranks ()->lost = cli_ranks ()->stopped = TRUE;
}

/* Computes runs for process 0 until it has ended. */
static gboolean
serve (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options, GError **error)
{
  gboolean away = FALSE, alone = FALSE, fine;
  g_autoptr (GError) cause = NULL;

  cli_interrupt_hold (TRUE);
  fine = tosst_sweep_serve (plan, options, cli_call_context (call), &away, &alone, &cause);
  cli_interrupt_hold (cli_interrupted ());
  if (away)
    give_up ();
  if (alone && cli_ranks ()->rank == 1)
    {
      cli_ranks_speak ();
      tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("%s; resume with the same command and --resume"), cause->message);
    }
  else if (!fine)
    g_propagate_error (error, g_steal_pointer (&cause));
  return fine;
}

/* Maximum number of failed runs in an error; the table has all. */
#define NAMED 3

typedef struct
{
  CliWatch watch;
  const TosstSweepPlan *plan;
} Job;

static TosstSweep *
last_sweep (GFile *workspace, GError **error)
{
  g_autoptr (TosstStore) store = tosst_store_open (workspace, TOSST_STORE_READ, error);
  g_autoptr (GPtrArray) sweeps = store ? tosst_store_sweeps (store, error) : NULL;
  g_autofree char *name = g_file_get_parse_name (workspace);
  const TosstStoreSweep *found = NULL;

  if (!sweeps)
    return NULL;
  /* The latest unfinished sweep, or else the latest one. */
  TOSST_FOR_EACH_POINTER (const TosstStoreSweep, sweep, sweeps)
    {
      gboolean open = sweep->count[TOSST_RUN_DONE] + sweep->count[TOSST_RUN_FAILED] < sweep->runs;

      if (open || !found || found->count[TOSST_RUN_DONE] + found->count[TOSST_RUN_FAILED] == found->runs)
        found = sweep;
    }
  if (!found)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s has no sweep to resume"), name), NULL;
  return tosst_sweep_parse (found->recipe, name, error);
}

static TosstSweep *
read_sweep (CliCall *call, GFile *workspace, GError **error)
{
  g_autoptr (TosstSweep) sweep = NULL;
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();

  if (call->operands)
    {
      g_autoptr (GFile) file = g_file_new_for_commandline_arg (call->operand[0]);

      sweep = tosst_sweep_load (file, error);
    }
  else if (cli_call_flag (call, "resume"))
    sweep = last_sweep (workspace, error);
  else
    sweep = tosst_sweep_new (defaults);
  if (!sweep)
    return NULL;
  const char *seed = cli_call_value (call, "seed");

  if (!(cli_call_apply_settings (call, cli_set_in_sweep, sweep, error)
        && (!seed
            || (tosst_sweep_set (sweep, "dataset.seed", seed, error)
                && tosst_sweep_set (sweep, "dictionary.seed", seed, error)))
        && (!cli_call_flag (call, "validate") || tosst_sweep_set (sweep, "dataset.within", "1", error))
        && (!cli_call_flag (call, "test") || tosst_sweep_set (sweep, "dataset.within", "0", error))))
    return NULL;
  cli_call_imply_kind (call, sweep->base);
  return g_steal_pointer (&sweep);
}

static void
on_stage (guint run, TosstStage stage, int split, double fraction, gpointer data)
{
  Job *job = data;
  const char *label = _ (tosst_stage_label (stage, tosst_sweep_plan_run (job->plan, run)->recipe));
  g_autofree char *doing = split < 0 ? g_strdup (label) : g_strdup_printf (_ ("split %d, %s"), split + 1, label);

  g_autofree char *what = g_strdup_printf (_ ("%u of %u runs; %s"), job->watch.ended, job->plan->runs->len, doing);

  cli_progress_set_what (job->watch.progress, what);
}

/* Names the failed runs. */
static gboolean
fail_some (const TosstSweepPlan *plan, const TosstSweepResult *result, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  gsize failed = result->count[TOSST_RUN_FAILED], named = 0;

  for (guint i = 0; i < result->runs && named < NAMED; i++)
    if (result->outcome[i].state == TOSST_RUN_FAILED)
      {
        const char *reason = result->outcome[i].reason;

        g_string_append_printf (names, "%s%" PRId64 " (%s): %s", named ? "; " : "", result->outcome[i].id,
                                tosst_sweep_plan_run (plan, i)->title, reason ? reason : "");
        named++;
      }
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%zu of %u runs failed: %s%s"), failed, result->runs, names->str,
                     failed > named ? "; …" : "");
}

static gboolean
report (CliCall *call, GFile *workspace, const TosstSweepPlan *plan, const TosstSweepResult *result, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "report");
  g_autofree char *text = cli_sweep_table (plan, result);
  g_autofree gint64 *runs = g_new (gint64, result->runs + 1);
  JsonObject *object = cli_sweep_json (plan, result);
  gboolean ok = TRUE;

  for (guint i = 0; i < result->runs; i++)
    runs[i] = result->outcome[i].id;
  if (cli_call_value (call, "against"))
    {
      g_autoptr (TosstStore) store = tosst_store_open (workspace, TOSST_STORE_READ, error);
      ok = store && cli_add_against (call, store, runs, result->runs, object, &text, error);
    }
  /* The runs are done in any case. */
  ok = (!file || cli_write_json (json_object_ref (object), file, ok ? error : NULL)) && ok;
  cli_call_result (call, object, "%s", text);
  return ok;
}

static gboolean
execute (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options, GError **error)
{
  Job job = { .watch.call = call, .plan = plan };
  const TosstSweepObserver observer = { cli_watch_run, on_stage, cli_watch_progress, cli_watch_notice, &job };
  g_autoptr (TosstSweepResult) result = NULL;
  g_autoptr (GError) cause = NULL;

  cli_watch_begin (&job.watch);
  gboolean fine = tosst_sweep_execute (plan, options, cli_call_context (call), &observer, &result, &cause);
  cli_watch_end (&job.watch);
  if (result && result->away)
    give_up ();
  if (result && !report (call, options->workspace, plan, result, fine ? error : NULL) && fine)
    return FALSE;
  if (!fine && result && g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("%s; resume with the same command and --resume"),
                       cause->message);
  if (!fine)
    return tosst_pass_error (error, &cause);
  return result->count[TOSST_RUN_FAILED] == 0 || fail_some (plan, result, error);
}

/* A damaged store is salvaged before its finished runs are read. */
static gboolean
check_workspace (CliCall *call, GFile *workspace, GError **error)
{
  gboolean exists = g_file_query_exists (workspace, NULL);
  g_autoptr (TosstStore) store = exists ? cli_open_store (call, workspace, TOSST_STORE_WRITE, error) : NULL;

  return store || !exists;
}

/* The estimated time and memory, unless --quiet. */
static gboolean
tell_estimate (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options, GError **error)
{
  TosstSweepEstimate estimate;
  gboolean plans = cli_call_flag (call, "plan");

  if (!plans && (cli_call_flag (call, "quiet") || cli_call_flag (call, "json")))
    return TRUE;
  if (!tosst_sweep_estimate (plan, options, cli_call_context (call), &estimate, error))
    return FALSE;
  g_autofree char *text = cli_sweep_estimate_text (&estimate);
  if (plans)
    {
      g_autofree char *runs = cli_sweep_plan_text (plan), *both = g_strconcat (runs, "\n", text, NULL);

      cli_call_result (call, cli_sweep_estimate_json (plan, &estimate), "%s", both);
    }
  else
    cli_print (stdout, "%s\n", text);
  return TRUE;
}

/* Values of the options. */
static gboolean
read_options (CliCall *call, TosstSweepOptions *options, GError **error)
{
  const char *jobs = cli_call_value (call, "jobs"), *seconds = cli_call_value (call, "checkpoint");
  const char *ranks = cli_call_value (call, "ranks-per-run");
  gint64 n = 1, together = 1, against;
  char *end;

  if (jobs && !g_ascii_string_to_signed (jobs, 10, 1, 1024, &n, NULL))
    return cli_usage_error (error, _ ("--jobs must be a whole number from 1 to %d, not “%s”"), 1024, jobs);
  options->jobs = (int)n;
  if (ranks && !g_ascii_string_to_signed (ranks, 10, 1, 65536, &together, NULL))
    return cli_usage_error (error, _ ("--ranks-per-run must be a whole number from 1 to %d, not “%s”"), 65536, ranks);
  options->together = (int)together;
  options->checkpoint = seconds ? g_ascii_strtod (seconds, &end) : TOSST_SWEEP_CHECKPOINT;
  if (seconds && (end == seconds || *end || !isfinite (options->checkpoint) || options->checkpoint < 0))
    return cli_usage_error (error, _ ("--checkpoint must be a number of seconds, not “%s”"), seconds);
  options->retry_failed = cli_call_flag (call, "retry-failed");
  return cli_read_against (call, &against, error);
}

/* The plan of process 0, which others do not make: --resume and an earlier sweep are in the store. Collective; NULL with
 * error. New. */
static TosstSweepPlan *
read_shared_plan (CliCall *call, GFile *workspace, GError **error)
{
  g_autoptr (TosstSweep) sweep = cli_is_writer () ? read_sweep (call, workspace, error) : NULL;
  g_autoptr (TosstSweepPlan) plan = sweep ? cli_plan_sweep (sweep, workspace, error) : NULL;
  g_autoptr (GBytes) bytes = plan ? g_bytes_new (plan->text, strlen (plan->text) + 1) : NULL, shared = NULL;

  if (cli_is_writer () && !plan)
    return NULL;
  if (cli_ranks ())
    {
      shared = cli_ranks_share_bytes (bytes, error);
      if (!shared)
        return NULL;
      if (!plan)
        {
          sweep = tosst_sweep_parse (g_bytes_get_data (shared, NULL), "process 0", error);
          plan = sweep ? tosst_sweep_plan_new (sweep, error) : NULL;
        }
    }
  return g_steal_pointer (&plan);
}

/* Process 0 and a process alone; others wait meanwhile. */
static gboolean
prepare (CliCall *call, const TosstSweepPlan *plan, const TosstSweepOptions *options, GError **error)
{
  if (plan->idle && !cli_call_flag (call, "quiet"))
    cli_print_problem ("sweep", plan->idle);
  return (cli_call_flag (call, "plan") || check_workspace (call, options->workspace, error))
         && tell_estimate (call, plan, options, error);
}

static gboolean
run_plan (CliCall *call, const TosstSweepPlan *plan, TosstSweepOptions *options, GError **error)
{
  g_autoptr (TosstMail) mail = cli_ranks () ? tosst_mail_new ((TosstProcesses *)cli_processes ()) : NULL;

  options->mail = mail;
  if (cli_ranks () && !check_same (call, plan, error))
    return FALSE;
  if (!divide_processes (call, plan, options, error))
    return FALSE;
  if (cli_is_writer () && !prepare (call, plan, options, error))
    return FALSE;
  if (cli_ranks () && tosst_ranks_agree (cli_ranks (), TOSST_OK) != TOSST_OK)
    return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("another process of the job has ended"));
  if (cli_call_flag (call, "plan"))
    return TRUE;
  return cli_is_writer () ? execute (call, plan, options, error) : serve (call, plan, options, error);
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "report", NULL };
  const char *path = cli_call_value (call, "workspace");
  g_autoptr (GFile) workspace = g_file_new_for_commandline_arg (path ? path : CLI_DEFAULT_STORE);
  g_autofree char *name = call->operands ? g_path_get_basename (call->operand[0]) : NULL;
  const char *title = cli_call_value (call, "title");
  TosstSweepOptions options = { .workspace = workspace, .title = title ? title : name };

  if (!call->operands && call->settings->len == 0 && !cli_call_flag (call, "resume"))
    return cli_usage_error (error, _ ("needs a recipe file, --set or --resume; see tosst sweep --help"));
  if (cli_call_flag (call, "validate") && cli_call_flag (call, "test"))
    return cli_usage_error (error, _ ("give --validate or --test, not both"));
  if (!read_options (call, &options, error) || (cli_is_writer () && !cli_call_check_outputs (call, outputs, error)))
    return FALSE;
  g_autoptr (TosstSweepPlan) plan = read_shared_plan (call, workspace, error);
  return plan && run_plan (call, plan, &options, error);
}

static const CliOption options[] = {
  { "workspace", 'w', "W.sqlite", N_ ("Store of runs (default: runs.sqlite in this folder)") },
  { "resume", 0, NULL, N_ ("Resume an interrupted sweep; without RECIPE, the last one of the store") },
  { "jobs", 'j', "N", N_ ("Number of parallel runs, which share the threads, of each process (default: 1)") },
  { "ranks-per-run", 0, "N", N_ ("Processes of mpirun or srun that compute a run together (default: 1)") },
  { "plan", 0, NULL, N_ ("List the runs with their estimated time and memory, without running them") },
  { "validate", 0, NULL,
    N_ ("Score by training images that are left out: dataset.within=1; the default where values are chosen") },
  { "test", 0, NULL, N_ ("Score by test images: dataset.within=0; not for choosing values") },
  { "retry-failed", 0, NULL, N_ ("Repeat failed runs") },
  { "against", 0, "ID", N_ ("Compare the runs with this one on the same splits: difference, interval, significance") },
  { "report", 0, "FILE.json", N_ ("Output file of the table of runs") },
  { "title", 0, "TEXT", N_ ("Title of the sweep (default: the name of the recipe)") },
  { "checkpoint", 0, "SECONDS", N_ ("Seconds between checkpoints of learning (default: 30; 0: none)") },
  { NULL },
};

const CliCommand cli_sweep
    = { "sweep", "[RECIPE]", N_ ("Run the missing runs of a sweep"), options, cli_all_groups, 0, 1, run, TRUE };

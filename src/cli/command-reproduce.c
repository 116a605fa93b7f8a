/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/sweep-report.h"
#include "core/base/base.h"
#include "core/data/lists.h"
#include "core/reproduce/reproduce.h"

typedef struct
{
  CliWatch watch;
  guint part, parts, runs; /* of the current part */
} Job;

static void
on_part (guint part, guint parts, const TosstSweepPlan *plan, gpointer data)
{
  Job *job = data;

  job->part = part;
  job->parts = parts;
  job->watch.ended = 0;
  job->runs = plan->runs->len;
}

static void
on_stage (guint run, TosstStage stage, int split, double fraction, gpointer data)
{
  Job *job = data;
  g_autofree char *where = job->parts > 1 ? g_strdup_printf (_ ("part %u of %u, "), job->part + 1, job->parts) : NULL;
  g_autofree char *what = g_strdup_printf (_ ("%s%u of %u runs; %s"), where ? where : "", job->watch.ended, job->runs,
                                           _ (tosst_stage_label (stage, NULL)));

  cli_progress_set_what (job->watch.progress, what);
}

static gboolean
set_in_reproduction (gpointer reproduction, const char *name, const char *value, GError **error)
{
  return tosst_reproduction_set (reproduction, name, value, error);
}

/* Sets numbers as JSON numbers, and empty texts as null. */
static void
set_member (JsonObject *object, const char *name, const char *text)
{
  char *end;
  double number = g_ascii_strtod (text, &end);

  if (!*text)
    json_object_set_null_member (object, name);
  else if (!*end && isfinite (number))
    json_object_set_double_member (object, name, number);
  else
    json_object_set_string_member (object, name, text);
}

static JsonObject *
table_json (const TosstTable *table)
{
  JsonObject *object = json_object_new ();
  JsonArray *rows = json_array_new ();

  for (guint row = 0; row < tosst_table_rows (table); row++)
    {
      JsonObject *one = json_object_new ();

      for (guint i = 0; i < table->columns->len; i++)
        set_member (one, tosst_table_title (table, i), tosst_table_cell (table, row, i));
      json_array_add_object_element (rows, one);
    }
  json_object_set_array_member (object, "rows", rows);
  return object;
}

/* Finished runs are in the store in all cases. */
static gboolean
fail (GError *cause, GError **error)
{
  if (!g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return tosst_pass_error (error, &cause);
  tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("%s; run the same command again to resume"), cause->message);
  g_error_free (cause);
  return FALSE;
}

/* The estimated time, memory and disk space of each part, unless --quiet. */
static gboolean
tell_estimates (CliCall *call, const TosstExperiment *experiment, TosstReproduction *reproduction,
                const TosstSweepOptions *options, GError **error)
{
  if (cli_call_flag (call, "quiet") || cli_call_flag (call, "json"))
    return TRUE;
  for (guint i = 0; i < experiment->n_parts; i++)
    {
      const char *label = experiment->parts[i].label;
      TosstSweepEstimate estimate;

      if (!tosst_sweep_estimate (tosst_reproduction_part (reproduction, i), options, cli_call_context (call), &estimate,
                                 error))
        {
          if (!cli_interrupted ())
            return FALSE;
          /* An interrupted estimate would only name the image that was being read. */
          g_clear_error (error);
          return tosst_fail (error, TOSST_FAILED_CANCELLED,
                             _ ("interrupted before the first run; run the same command again to resume"));
        }
      g_autofree char *text = cli_sweep_estimate_text (&estimate);
      cli_print (stdout, "%s%s%s\n", label, *label ? " " : "", text);
    }
  return TRUE;
}

static gboolean
execute (CliCall *call, const TosstExperiment *experiment, TosstReproduction *reproduction, GFile *folder,
         GError **error)
{
  const char *path = cli_call_value (call, "workspace");
  g_autoptr (GFile) workspace = g_file_new_for_commandline_arg (path ? path : CLI_DEFAULT_STORE);

  const TosstSweepOptions options
      = { .workspace = workspace, .jobs = 1, .retry_failed = TRUE, .checkpoint = TOSST_SWEEP_CHECKPOINT };
  Job job = { .watch.call = call };
  const TosstSweepObserver observer = { cli_watch_run, on_stage, cli_watch_progress, cli_watch_notice, &job };
  GError *cause = NULL;

  if (!tell_estimates (call, experiment, reproduction, &options, error))
    return FALSE;
  cli_watch_begin (&job.watch);
  gboolean fine
      = tosst_reproduction_execute (reproduction, &options, cli_call_context (call), &observer, on_part, &cause);
  cli_watch_end (&job.watch);
  if (!fine)
    return fail (cause, error);
  if (!tosst_reproduction_save (reproduction, folder, error))
    return FALSE;

  g_autoptr (TosstTable) table = tosst_reproduction_table (reproduction);
  g_autoptr (TosstTable) numbers = tosst_reproduction_numbers (reproduction);
  g_autofree char *results = tosst_table_to_text (table), *remarks = tosst_reproduction_remarks (reproduction);
  g_autofree char *name = g_file_get_parse_name (folder);
  g_autofree char *where = g_strdup_printf (_ ("tables and plots are in %s"), name);

  cli_call_result (call, table_json (numbers), "%s\n%s\n%s", results, remarks, where);
  return tosst_reproduction_is_whole (reproduction, error);
}

/* --check: a line for each part of PASCAL VOC 2007 that is missing or different. */
static gboolean
check_data (CliCall *call, const TosstExperiment *experiment, GError **error)
{
  const char *path = cli_call_value (call, "data");
  g_autoptr (GFile) folder = path ? g_file_new_for_commandline_arg (path) : NULL;
  g_autoptr (JsonObject) object = json_object_new ();
  JsonArray *lines = json_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);

  json_object_set_array_member (object, "missing", lines);
  if (experiment->data != TOSST_DATASET_VOC2007 || !folder)
    return cli_usage_error (error, _ ("--check is for table2 and fig2, with --data"));
  g_autoptr (GPtrArray) missing = tosst_voc_missing (folder);
  for (guint i = 0; i < missing->len; i++)
    {
      json_array_add_string_element (lines, g_ptr_array_index (missing, i));
      g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", (char *)g_ptr_array_index (missing, i));
    }
  cli_call_result (call, g_steal_pointer (&object), "%s",
                   missing->len > 0 ? text->str : _ ("the data set is PASCAL VOC 2007, whole"));
  return missing->len == 0
         || tosst_fail (error, TOSST_FAILED_INPUT,
                        _ ("%s is not the whole of PASCAL VOC 2007; the experiment runs on the images that are there"),
                        path);
}

static gboolean
run (CliCall *call, GError **error)
{
  const char *name = call->operand[0], *out = cli_call_value (call, "output");
  TosstReproduceFlags flags = (cli_call_flag (call, "quick") ? TOSST_REPRODUCE_QUICK : 0)
                              | (cli_call_flag (call, "choose") ? TOSST_REPRODUCE_CHOOSE : 0);
  const char *seed = cli_call_value (call, "seed");
  g_autoptr (GFile) folder = g_file_new_for_commandline_arg (out ? out : name);
  GError *cause = NULL;
  const TosstExperiment *experiment = tosst_experiment_find (name, &cause);

  /* An unknown name is a usage error; an experiment of the paper that is not available is not. */
  if (!experiment)
    return cli_usage_from (error, cause);
  if (cli_call_flag (call, "check"))
    return check_data (call, experiment, error);
  g_autoptr (TosstReproduction) reproduction
      = tosst_reproduction_new (experiment, flags, cli_call_value (call, "data"), error);
  if (!reproduction)
    return FALSE;
  if (!cli_call_apply_settings (call, set_in_reproduction, reproduction, error))
    return FALSE;
  return (!seed
          || (tosst_reproduction_set (reproduction, "dataset.seed", seed, error)
              && tosst_reproduction_set (reproduction, "dictionary.seed", seed, error)))
         && tosst_reproduction_plan (reproduction, error) && tosst_reproduction_check (reproduction, folder, error)
         && execute (call, experiment, reproduction, folder, error);
}

static const CliOption options[] = {
  { "data", 0, "FOLDER", N_ ("Folder of the images: the Brodatz album, PASCAL VOC 2007, KTH-TIPS or DTD") },
  { "output", 'o', "FOLDER", N_ ("Output folder of tables and plots (default: the experiment's name)") },
  { "quick", 0, NULL, N_ ("Run a smaller experiment of a few minutes") },
  { "check", 0, NULL, N_ ("List what of the official data set is missing (table2 and fig2)") },
  { "choose", 0, NULL, N_ ("Search values that the paper does not state, on training samples only") },
  { "workspace", 'w', "W.sqlite", N_ ("Store of runs (default: runs.sqlite)") },
  CLI_FIGURE_OPTIONS,
  { NULL },
};

const CliCommand cli_reproduce = { "reproduce",
                                   "table1|fig1a|fig1b|fig1c|fig1d|table2|fig2|kth-tips|dtd",
                                   N_ ("Repeat the paper's experiments and compare with its numbers"),
                                   options,
                                   cli_all_groups,
                                   1,
                                   1,
                                   run };

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/sweep-report.h"
#include "core/base/base.h"
#include "core/compare/comparison.h"
#include "core/local/image-tensors.h"
#include "core/method/parts.h"
#include "core/preset/preset.h"

typedef struct
{
  CliWatch watch;
  const TosstComparison *comparison;
  guint method;
} Job;

static void
on_begin (guint method, const TosstComparison *comparison, gpointer data)
{
  Job *job = data;

  job->method = method;
}

static void
on_stage (guint run, TosstStage stage, int split, double fraction, gpointer data)
{
  Job *job = data;
  const TosstComparedMethod *one = g_ptr_array_index (job->comparison->methods, job->method);
  g_autofree char *where = split < 0 ? g_strdup ("") : g_strdup_printf (_ ("split %d, "), split + 1);
  g_autofree char *what
      = g_strdup_printf (_ ("Method %u of %u, %s: %s%s"), job->method + 1, job->comparison->methods->len,
                         one->method->name, where, _ (tosst_stage_label (stage, one->recipe)));

  cli_progress_set_what (job->watch.progress, what);
}

/* The remaining time is that of the present method; those of the others are not known. */
static void
on_progress (double fraction, double seconds_left, gpointer data)
{
  Job *job = data;

  cli_progress_set_left (job->watch.progress, (job->method + fraction) / job->comparison->methods->len, -1);
}

/* Data set, patches by the sizes of its images, and --splits; --set is applied to every method, last. */
static TosstRecipe *
read_base (CliCall *call, GError **error)
{
  g_autoptr (GFile) folder = g_file_new_for_commandline_arg (call->operand[0]);
  g_autoptr (TosstRecipe) base = tosst_recipe_new (), wanted = NULL;
  const char *splits = cli_call_value (call, "splits");
  GError *cause = NULL;
  TosstFacts facts;

  if (!cli_is_folder (call->operand[0]))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s is no folder of images"), call->operand[0]), NULL;
  if (splits && !tosst_recipe_set (base, "dataset.splits", splits, &cause))
    return cli_usage_from (error, cause), NULL;
  if (!tosst_preset_set_folder (base, folder, error))
    return NULL;
  wanted = cli_call_recipe (call, NULL, base, error);
  /* Whether images are large enough for patches is a question of each method. */
  g_autoptr (TosstDataset) dataset = wanted && tosst_recipe_set (wanted, "descriptor.patch", "2", error)
                                         ? tosst_dataset_open (wanted, NULL, error)
                                         : NULL;
  if (!dataset)
    return NULL;
  tosst_facts_init (&facts, dataset);
  tosst_preset_set_patches (base, &facts);
  return g_steal_pointer (&base);
}

static gboolean
apply_settings (CliCall *call, TosstComparison *comparison, GError **error)
{
  TOSST_FOR_EACH_POINTER (TosstComparedMethod, one, comparison->methods)
    {
      TosstRecipe *recipe = cli_call_recipe (call, NULL, one->recipe, error);

      if (!recipe)
        return FALSE;
      tosst_recipe_free (one->recipe);
      one->recipe = recipe;
      comparison->score = tosst_recipe_score (recipe);
    }
  return TRUE;
}

static JsonObject *
comparison_json (const TosstComparison *comparison)
{
  JsonArray *methods = json_array_new ();

  TOSST_FOR_EACH_POINTER (const TosstComparedMethod, one, comparison->methods)
    {
      JsonArray *splits = json_array_new ();
      g_autofree char *recipe = tosst_recipe_to_text (one->recipe, TRUE);

      JsonObject *method
          = TOSST_JSON (("method", one->method->name), ("title", _ (one->method->title)),
                        ("accuracy_mean", one->accuracy), ("accuracy_std", one->deviation), ("seconds", one->seconds),
                        ("difference", one->difference.mean), ("p", one->difference.p), ("p_holm", one->holm),
                        ("run", one->run), ("problem", one->problem ? one->problem : ""));
      for (guint k = 0; k < one->splits->len; k++)
        json_array_add_double_element (splits, g_array_index (one->splits, double, k));
      TOSST_JSON_SET (method, ("splits", splits), ("recipe", recipe));
      json_array_add_object_element (methods, method);
    }
  return TOSST_JSON (("score", tosst_score_name (comparison->score)), ("trains", comparison->trains),
                     ("tests", comparison->tests), ("complete", (bool)!comparison->is_incomplete),
                     ("methods", methods));
}

static gboolean
report (CliCall *call, const TosstComparison *comparison, GError **error)
{
  g_autoptr (TosstTable) table = tosst_comparison_table (comparison, FALSE);
  g_autoptr (TosstTable) numbers = tosst_comparison_table (comparison, TRUE);
  g_autoptr (GFile) file = cli_call_file (call, "report");
  g_autofree char *text = g_strchomp (tosst_table_to_text (table)), *csv = tosst_table_to_csv (numbers);

  if ((file && !cli_write_json (comparison_json (comparison), file, error)) || !cli_keep_text (call, "csv", csv, error))
    return FALSE;
  cli_call_result (call, comparison_json (comparison), "%s", text);
  return TRUE;
}

static gboolean
execute (CliCall *call, TosstComparison *comparison, GError **error)
{
  const char *path = cli_call_value (call, "workspace");
  g_autoptr (GFile) workspace = g_file_new_for_commandline_arg (path ? path : CLI_DEFAULT_STORE);
  const TosstSweepOptions options
      = { .workspace = workspace, .jobs = 1, .retry_failed = TRUE, .checkpoint = TOSST_SWEEP_CHECKPOINT };
  Job job = { .watch.call = call, .comparison = comparison };
  const TosstSweepObserver observer = { NULL, on_stage, on_progress, cli_watch_notice, &job };
  g_autoptr (GError) cause = NULL;

  cli_watch_begin (&job.watch);
  gboolean fine = tosst_comparison_execute (comparison, &options, cli_call_context (call), &observer, on_begin, &cause);
  cli_watch_end (&job.watch);
  if (!fine && !g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return tosst_pass_error (error, &cause);
  if (!report (call, comparison, error))
    return FALSE;
  if (!fine)
    return tosst_fail (error, TOSST_FAILED_CANCELLED, _ ("interrupted; run the same command again to resume"));
  return comparison->best >= 0
         || tosst_fail (error, TOSST_FAILED_INPUT, _ ("no method has a result; the first: %s"),
                        ((TosstComparedMethod *)g_ptr_array_index (comparison->methods, 0))->problem);
}

/* Whether all parts of a combination are compared, too, so that it only adds up their similarities. */
static gboolean
is_sum_of_others (const TosstRecipe *recipe, const TosstComparison *comparison)
{
  g_autoptr (TosstParts) parts = tosst_recipe_has_parts (recipe) ? tosst_parts_new (recipe, NULL) : NULL;

  for (guint i = 0; parts && i < parts->n; i++)
    {
      gboolean found = parts->method[i] == NULL;

      for (guint k = 0; k < comparison->methods->len; k++)
        found |= ((TosstComparedMethod *)g_ptr_array_index (comparison->methods, k))->method == parts->method[i];
      if (!found)
        return FALSE;
    }
  return parts != NULL;
}

/* Says how long the comparison takes. A method that cannot be measured has its reason in the table. */
static gboolean
forecast (CliCall *call, const TosstComparison *comparison, GError **error)
{
  double all = 0, one;

  if (cli_call_flag (call, "quiet") || cli_call_flag (call, "json"))
    return TRUE;
  for (guint i = 0; i < comparison->methods->len; i++)
    {
      TosstRecipe *recipe = ((TosstComparedMethod *)g_ptr_array_index (comparison->methods, i))->recipe;
      g_autoptr (GError) cause = NULL;
      g_autoptr (TosstDataset) dataset
          = is_sum_of_others (recipe, comparison) ? NULL : tosst_local_open (recipe, NULL, &cause);

      if (!dataset)
        continue;
      if (cli_estimate_time (call, recipe, dataset, &one, &cause))
        all += isfinite (one) ? one : 0;
      else if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
        return cli_fail_interrupted (error);
    }
  g_autofree char *time = cli_duration (all);
  fprintf (stderr, _ ("tosst: %u methods take about %s; finished ones of the store are not repeated\n"),
           comparison->methods->len, time);
  return TRUE;
}

/* --list: names and sentences. */
static gboolean
list_methods (CliCall *call)
{
  JsonObject *object = json_object_new ();
  g_autoptr (TosstTable) table = tosst_table_new ("tt", _ ("method"), "");
  guint n;
  const TosstMethod *methods = tosst_methods (&n);

  for (guint i = 0; i < n; i++)
    {
      tosst_table_add (table, methods[i].name, _ (methods[i].help));
      json_object_set_string_member (object, methods[i].name, _ (methods[i].help));
    }
  g_autofree char *text = g_strchomp (tosst_table_to_text (table));
  cli_call_result (call, object, "%s", text);
  return TRUE;
}

static GPtrArray *
all_methods (void)
{
  GPtrArray *all = g_ptr_array_new ();
  guint n;
  const TosstMethod *methods = tosst_methods (&n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, (gpointer)&methods[i]);
  return all;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "report", "csv", NULL };
  const char *names = cli_call_value (call, "methods");
  GError *cause = NULL;

  if (cli_call_flag (call, "list"))
    return list_methods (call);
  if (call->operands == 0)
    return cli_usage_error (error, _ ("needs a folder of images; see tosst compare --help"));
  g_autoptr (GPtrArray) methods = names ? tosst_methods_parse (names, &cause) : all_methods ();
  if (!methods)
    return cli_usage_from (error, cause);
  if (!cli_call_check_outputs (call, outputs, error))
    return FALSE;
  g_autoptr (TosstRecipe) base = read_base (call, error);
  if (!base)
    return FALSE;
  g_autoptr (TosstComparison) comparison = tosst_comparison_new (base, methods);
  return apply_settings (call, comparison, error) && forecast (call, comparison, error)
         && execute (call, comparison, error);
}

static const CliOption options[] = {
  { "methods", 0, "A;B;...", N_ ("Methods to compare (default: all)") },
  { "list", 0, NULL, N_ ("List the methods") },
  { "splits", 0, "N", N_ ("Number of splits, the same for all methods (default: 10)") },
  { "report", 0, "FILE.json", N_ ("Output file of all values, split by split") },
  { "csv", 0, "FILE.csv", N_ ("Output file of the table") },
  { "workspace", 'w', "W.sqlite", N_ ("Store of runs (default: runs.sqlite)") },
  { NULL },
};

const CliCommand cli_compare = {
  "compare", "FOLDER", N_ ("Compare methods on the same splits of a folder of images"), options, cli_all_groups, 0,
  1,         run
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <unistd.h>

#include "cli/describer.h"
#include "cli/ranks.h"
#include "cli/sweep-report.h"
#include "core/base/base.h"
#include "core/base/json-text.h"
#include "core/dictionary/model.h"
#include "core/method/parts.h"
#include "core/plot/chart.h"
#include "core/report/report.h"
#include "core/run/hash.h"
#include "core/run/run.h"
#include "core/run/scores.h"
#include "core/run/transfer.h"
#include "core/store/record.h"
#include "core/tune/tune.h"

/* Size of plots. */
#define PLOT_WIDTH 720
#define PLOT_HEIGHT 440

/* Whether the call can be divided, and all have the same recipe and data. Collective; TRUE for a process alone. */
static gboolean
ranks_check (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  if (!cli_ranks ())
    return TRUE;
  if (cli_call_value (call, "tune"))
    return cli_usage_error (error, _ ("--tune is not divided over processes: start it without mpirun or srun"));
  if (!tosst_run_check_divided (recipe, error) || !cli_ranks_check_same (call, error)
      || !cli_ranks_check_images (dataset, error))
    return FALSE;
  g_autofree char *hash = tosst_run_hash (recipe, dataset->key, -1);
  g_autofree char *text = g_strdup_printf ("recipe and data %s", hash);
  return tosst_processes_check_same (cli_ranks (), text, error);
}

/* As tosst_run_execute_with(), on process 0, for TosstRecorded: earlier splits are sent to the others. */
static TosstRunResult *
ranks_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
               const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
               TosstRunResult **partial, GError **error)
{
  const TosstRunOptions earlier = { .done = options->done, .n_done = options->n_done };
  TosstRunOptions own = *options;
  g_autoptr (GBytes) start = tosst_run_pack_start (recipe, dataset, &earlier);
  g_autoptr (GBytes) shared = cli_ranks_share_bytes (start, error);

  own.ranks = cli_ranks ();
  return shared ? tosst_run_execute_with (recipe, dataset, context, observer, &own, partial, error) : NULL;
}

/* The same on the others, whose result is that of process 0. */
static gboolean
ranks_join (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  TosstContext *context = cli_call_context (call);
  TosstRunOptions own
      = { .ranks = cli_ranks (), .interval = cli_call_value (call, "workspace") ? TOSST_SWEEP_CHECKPOINT : 0 };

  cli_interrupt_hold (TRUE);
  g_autoptr (GBytes) shared = cli_ranks_share_bytes (NULL, error);
  if (!shared)
    return FALSE;
  g_autoptr (TosstRunStart) start = tosst_run_unpack_start (shared, (int)dataset->classes->len);
  if (!start)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("another process sent what this one cannot read"));
  own.done = (const TosstSplitResult *)(const void *)start->done->data;
  own.n_done = (int)start->done->len;
  g_autoptr (TosstRunResult) result = tosst_run_execute_with (recipe, dataset, context, NULL, &own, NULL, error);
  return result != NULL;
}

static gboolean
is_table (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file), *lower = g_ascii_strdown (name, -1);

  return g_str_has_suffix (lower, ".csv");
}

/* Fails if the recipe has no results for one of --confusion and --curves, or if the name after --curves has another
 * ending than .csv, .svg, .pdf and .png. */
static gboolean
scores_check (CliCall *call, const TosstRecipe *recipe, GError **error)
{
  gboolean several = tosst_recipe_has_several_labels (recipe);
  g_autoptr (GFile) curves = cli_call_file (call, "curves");

  if (several && cli_call_value (call, "confusion"))
    return cli_usage_error (error, _ ("--confusion needs a data set with one class an image; images with several "
                                      "labels have --scores and --curves"));
  if (!several && curves)
    return cli_usage_error (
        error, _ ("--curves needs a data set with several labels an image: dataset.kind voc2007 or labels"));
  if (!curves || is_table (curves) || tosst_draw_check (curves, NULL))
    return TRUE;

  g_autofree char *name = g_file_get_basename (curves);
  return cli_usage_error (error, _ ("--curves: “%s” must end in .csv, .svg, .pdf or .png"), name);
}

/* Saves the precision-recall curves of the first split as a plot. */
static gboolean
scores_save_plot (const TosstRunResult *result, GFile *file, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_precision_recall_chart (result->split[0].scores, result->class_names, error);

  return chart && tosst_chart_save (chart, PLOT_WIDTH, PLOT_HEIGHT, file, error);
}

static gboolean
keep_plot (GFile *file, gpointer data, GError **error)
{
  return scores_save_plot (data, file, error);
}

static gboolean
save_curves (CliCall *call, const TosstRunResult *result, GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, "curves");

  if (!file)
    return TRUE;
  if (!is_table (file))
    return tosst_atomic_keep (file, keep_plot, (gpointer)result, error);
  g_autofree char *csv = tosst_run_result_curves_csv (result, error);
  return csv && tosst_atomic_keep_text (file, csv, error);
}

/* A store keeps the margins of several labels only. */
static gboolean
save_scores (CliCall *call, const TosstRunResult *result, TosstDataset *dataset, GError **error)
{
  if (!cli_call_value (call, "scores"))
    return TRUE;
  for (int s = 0; s < result->splits; s++)
    if (!result->split[s].scores && !result->split[s].margins)
      return tosst_fail (error, TOSST_FAILED_INPUT,
                         _ ("--scores: split %d was finished before, and its margins were not stored; run without "
                            "--workspace for all of them"),
                         result->split[s].split + 1);
  g_autofree char *csv = tosst_run_result_scores_csv (result, dataset);
  return cli_keep_text (call, "scores", csv, error);
}

/* A table of the classes and a line with their mean; new. */
static char *
scores_text (const TosstRunResult *result)
{
  TosstClassScore mean;
  g_autofree TosstClassScore *classes = tosst_run_result_class_scores (result, &mean, NULL);

  if (!classes)
    return g_strdup ("");
  g_autoptr (TosstTable) table
      = tosst_score_table (classes, result->class_names, (guint)result->classes, &mean, result->score);
  g_autofree char *rows = tosst_table_to_text (table);
  /* Lists determine the only split. */
  return g_strdup_printf (_ ("%smean average precision (%s) %.2f %%\n"), rows,
                          result->score == TOSST_SCORE_AREA ? _ ("area") : _ ("11 points"), result->accuracy_mean);
}

#define MOST_MINUTES 100000

typedef struct
{
  CliWatch watch;
  JsonArray *trials;
  guint n;
} Tuning;

/* Minutes of --tune in seconds; 0: not given. FALSE with a usage error. */
static gboolean
tune_seconds (CliCall *call, double *seconds, GError **error)
{
  const char *text = cli_call_value (call, "tune");
  char *end = NULL;

  *seconds = text ? 60 * g_ascii_strtod (text, &end) : 0;
  if (!text)
    return TRUE;
  if (end == text || *end || !(*seconds > 0 && *seconds <= 60.0 * MOST_MINUTES))
    return cli_usage_error (error, _ ("--tune must be a number of minutes, not “%s”"), text);
  if (cli_call_value (call, "preset"))
    return cli_usage_error (error, _ ("--tune chooses what --preset sets: give one of them"));
  return TRUE;
}

static void
on_begins (const TosstTrial *trial, gpointer data)
{
  Tuning *self = data;
  g_autofree char *what = g_strdup_printf (_ ("Trial %u, %s"), trial->number, trial->name);

  cli_progress_set_what (self->watch.progress, what);
}

static void
add_json (Tuning *self, const TosstTrial *trial)
{
  g_autofree char *recipe = tosst_recipe_to_text (trial->recipe, TRUE);

  JsonObject *object
      = TOSST_JSON (("name", trial->name), ("recipe", recipe), ("splits", trial->splits), ("seconds", trial->seconds));
  if (trial->reason)
    json_object_set_string_member (object, "reason", trial->reason);
  else
    json_object_set_double_member (object, "score", trial->score);
  json_array_add_object_element (self->trials, object);
}

static void
on_ended (const TosstTrial *trial, gpointer data)
{
  Tuning *self = data;
  g_autofree char *time = trial->earlier ? g_strdup (_ ("earlier")) : cli_duration (trial->seconds);

  self->n = trial->number;
  add_json (self, trial);
  if (cli_call_flag (self->watch.call, "quiet") || cli_call_flag (self->watch.call, "json"))
    return;
  cli_progress_wipe (self->watch.progress);
  if (trial->number == 1)
    cli_print (stdout, "%5s  %8s  %6s  %8s  %s\n", _ ("trial"), _ ("score %"), _ ("splits"), _ ("time"), _ ("method"));
  if (trial->reason)
    cli_print (stdout, "%5u  %8s  %6d  %8s  %s: %s\n", trial->number, "–", trial->splits, time, trial->name,
               trial->reason);
  else
    cli_print (stdout, "%5u  %8.2f  %6d  %8s  %s%s\n", trial->number, trial->score, trial->splits, time, trial->name,
               trial->best ? _ ("  (best so far)") : "");
}

static gboolean
fail_interrupted (const Tuning *self, const TosstRecipe *best, TosstStore *store, GError **error)
{
  g_autofree char *command = best ? tosst_recipe_command (best) : NULL;

  if (!best)
    return cli_fail_interrupted (error);
  return tosst_fail (
      error, TOSST_FAILED_CANCELLED,
      store ? _ ("interrupted after %u trials; the best so far is run by %s; run the same command again to "
                 "go on")
            : _ ("interrupted after %u trials; the best so far is run by %s; run the same command again, "
                 "with --workspace to keep trials"),
      self->n, command);
}

/* Tries recipes on nested splits for so long, with a line on standard output for each trial as it ends. store: that
 * records trials, or NULL. Returns the best recipe (new), the expected time of its run and its trials (new), or NULL
 * with error. */
static TosstRecipe *
tune_recipe (CliCall *call, const TosstRecipe *base, TosstDataset *dataset, TosstStore *store, double seconds,
             double *expected, JsonArray **trials, GError **error)
{
  Tuning self = { .watch.call = call, .trials = json_array_new () };
  const TosstTuneObserver observer = { on_begins, cli_watch_progress, on_ended, &self };
  const TosstTuneOptions options = { seconds, store };
  g_autoptr (TosstRecipe) best = NULL;
  g_autoptr (GError) cause = NULL;

  *trials = self.trials;
  cli_watch_begin (&self.watch);
  gboolean ok = tosst_tune (base, dataset, cli_call_context (call), &options, &observer, &best, expected, &cause);
  cli_watch_end (&self.watch);
  if (ok)
    return g_steal_pointer (&best);
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    fail_interrupted (&self, best, store, error);
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return NULL;
}

/* Creates the folder of --plots, if given. */
static gboolean
make_plot_folder (const char *path, GError **error)
{
  g_autoptr (GFile) folder = path ? g_file_new_for_commandline_arg (path) : NULL;
  g_autoptr (GFile) file = folder ? g_file_get_child (folder, "objective.png") : NULL;

  return !folder || (tosst_make_folder (folder, path, error) && tosst_atomic_check (file, error));
}

static gboolean
save_objective (GFile *file, const GArray *trace, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (_ ("Objective of the first split"), _ ("Iteration"), _ ("Objective"));
  guint series = tosst_chart_add_series (chart, _ ("Objective"));

  tosst_chart_set_integer_x (chart, TRUE);
  TOSST_FOR_EACH (const TosstIteration, iteration, trace)
    tosst_chart_append (chart, series, iteration->iteration, iteration->objective);
  return trace->len == 0 || tosst_chart_save (chart, PLOT_WIDTH, PLOT_HEIGHT, file, error);
}

static gboolean
save_accuracy (GFile *file, const TosstRunResult *result, GError **error)
{
  g_autoptr (TosstChart) chart = tosst_chart_new (_ ("Accuracy of each split"), _ ("Split"), _ ("Accuracy, %"));
  guint series = tosst_chart_add_series (chart, _ ("Accuracy"));

  /* Splits are independent: points without a line between them. */
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; i < result->splits; i++)
    g_ptr_array_add (names, g_strdup_printf ("%d", result->split[i].split + 1));
  tosst_chart_set_categories (chart, (const char *const *)names->pdata, names->len);
  tosst_chart_set_y_bounds (chart, 0, 100);
  for (int i = 0; i < result->splits; i++)
    tosst_chart_append (chart, series, i, result->split[i].accuracy);
  return tosst_chart_save (chart, PLOT_WIDTH, PLOT_HEIGHT, file, error);
}

/* In the folder of --plots, if given, as SVG, PDF and PNG: objective of the first split, and accuracy of each split or, of several
 * labels, precision-recall. What an earlier run left there and this one has not is removed: a folder is of one run. */
static gboolean
save_plots (const char *path, const GArray *trace, const TosstRunResult *result, GError **error)
{
  static const char *const formats[] = { "svg", "pdf", "png" };
  gboolean is_accuracy = result->score == TOSST_SCORE_ACCURACY;
  g_autoptr (GFile) folder = path ? g_file_new_for_commandline_arg (path) : NULL;

  for (guint i = 0; folder && i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *first = g_strconcat ("objective.", formats[i], NULL),
                      *second = g_strconcat (is_accuracy ? "accuracy." : "precision-recall.", formats[i], NULL);
      g_autofree char *other = g_strconcat (is_accuracy ? "precision-recall." : "accuracy.", formats[i], NULL);
      g_autoptr (GFile) objective = g_file_get_child (folder, first), score = g_file_get_child (folder, second),
                        earlier = g_file_get_child (folder, other);

      if (trace->len == 0)
        g_file_delete (objective, NULL, NULL);
      g_file_delete (earlier, NULL, NULL);
      if (!save_objective (objective, trace, error)
          || !(is_accuracy ? save_accuracy (score, result, error) : scores_save_plot (result, score, error)))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  CliWatch watch;
  const TosstRecipe *recipe;
  guint splits;
  GArray *trace;     /* TosstIteration of the first split */
  char *fingerprint; /* of the data set */
  TosstStore *store; /* of --workspace, or NULL */
  gint64 run;        /* in the store */
  JsonArray *trials; /* of --tune, or NULL */
} Job;

static void
on_stage (TosstStage stage, int split, double fraction, gpointer data)
{
  Job *job = data;
  const char *label = _ (tosst_stage_label (stage, job->recipe));
  g_autofree char *what
      = split < 0 ? g_strdup (label) : g_strdup_printf (_ ("Split %d of %u, %s"), split + 1, job->splits, label);

  cli_progress_set_what (job->watch.progress, what);
}

static void
on_iteration (int split, const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
              gpointer data)
{
  Job *job = data;

  if (split == 0)
    g_array_append_val (job->trace, *iteration);
}

/* Numbers of images of the lists. */
static void
print_lists (TosstDataset *dataset)
{
  guint n[TOSST_SIDE_TEST + 1] = { 0 };

  for (guint i = 0; i < dataset->entries->len; i++)
    n[tosst_dataset_side (dataset, i)]++;
  cli_print (stdout, _ ("several labels an image; lists: %u train, %u val, %u test\n"), n[TOSST_SIDE_TRAIN],
             n[TOSST_SIDE_VALIDATE], n[TOSST_SIDE_TEST]);
}

/* Classes without scores, and those that are left out. */
static void
print_warnings (const TosstRecipe *recipe, TosstDataset *dataset)
{
  g_autoptr (GPtrArray) warnings = tosst_dataset_warnings (dataset, recipe);

  for (guint i = 0; i < warnings->len; i++)
    {
      g_autofree char *line = tosst_clean_line (warnings->pdata[i]);

      cli_print (stdout, "%s\n", line);
    }

  g_autofree char *duplicates = tosst_dataset_warn_of_duplicates (dataset, recipe, NULL);
  if (duplicates)
    cli_print (stdout, "%s\n", duplicates);
}

static void
print_summary (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset)
{
  const GPtrArray *skipped = dataset->skipped;
  g_autofree char *title = tosst_clean_line (dataset->title);
  TosstRunEstimate estimate;

  if (cli_call_flag (call, "quiet") || cli_call_flag (call, "json"))
    return;
  tosst_run_estimate (recipe, dataset, call->threads, &estimate);
  cli_print (stdout, _ ("%s: %u classes, %u images, %u samples\n"), title, dataset->classes->len, dataset->entries->len,
             dataset->samples->len);
  if (dataset->labels != NULL)
    print_lists (dataset);
  print_warnings (recipe, dataset);
  if (skipped && skipped->len)
    {
      const TosstSkippedFile *first = g_ptr_array_index (skipped, 0);
      g_autofree char *name = tosst_clean_line (first->name), *reason = tosst_clean_line (first->reason);

      cli_print (stdout, ngettext ("%u file was skipped; %s: %s\n", "%u files were skipped; %s: %s\n", skipped->len),
                 skipped->len, name, reason);
    }
  if (tosst_recipe_is_texture (recipe, NULL))
    cli_print (stdout, _ ("%zu vectors of %d numbers, at most %.0f MB of memory\n"), estimate.tensors, estimate.d,
               estimate.bytes / 1e6);
  else if (!tosst_recipe_has_tensors (recipe))
    cli_print (stdout, _ ("%u images described by local features, at most %.0f MB of memory\n"), dataset->entries->len,
               estimate.bytes / 1e6);
  else
    cli_print (stdout, _ ("%zu tensors of side %d, at most %.0f MB of memory\n"), estimate.tensors, estimate.d,
               estimate.bytes / 1e6);
}

typedef struct
{
  const Job *job;
  const TosstRecipe *recipe;
  const TosstRunResult *result;
} Outputs;

static gboolean
save_model (GFile *file, gpointer data, GError **error)
{
  return tosst_model_save (((const Outputs *)data)->result->model, file, error);
}

/* The dictionary of the first split; a resumed run has it in its model only. */
static const TosstDictionary *
dictionary_of (const TosstRunResult *result)
{
  return result->dictionary || !result->model ? result->dictionary : result->model->dictionary;
}

static gboolean
save_dictionary (GFile *file, gpointer data, GError **error)
{
  const Outputs *self = data;
  TosstDictionaryMeta meta = { .recipe = tosst_recipe_to_text (self->recipe, FALSE),
                               .objective = self->result->split[0].objective,
                               .iterations = (int)self->job->trace->len,
                               .fingerprint = g_strdup (self->job->fingerprint),
                               .version = g_strdup (PACKAGE_VERSION) };
  gboolean ok = tosst_dictionary_save (dictionary_of (self->result), &meta, file, error);

  tosst_dictionary_meta_clear (&meta);
  return ok;
}

static gboolean
save_outputs (CliCall *call, const Job *job, const TosstRecipe *recipe, TosstDataset *dataset,
              const TosstRunResult *result, GError **error)
{
  g_autoptr (GFile) model = cli_call_file (call, "model"), dictionary = cli_call_file (call, "dictionary");
  /* The result as JSON, with the trials of --tune. */
  g_autoptr (JsonNode) root = tosst_run_result_to_node (result, recipe);

  if (job->trials)
    json_object_set_array_member (json_node_get_object (root), "trials", json_array_ref (job->trials));
  g_autofree char *json = tosst_json_write (root, TRUE);
  g_autofree char *csv = tosst_run_result_confusion_csv (result);
  Outputs outputs = { job, recipe, result };
  gboolean kept = cli_keep_text (call, "report", json, error);

  kept = cli_keep_text (call, "confusion", csv, error) && kept;
  kept = save_scores (call, result, dataset, error) && kept;
  kept = save_curves (call, result, error) && kept;
  if (model && result->model)
    kept = tosst_atomic_keep (model, save_model, &outputs, error) && kept;
  if (dictionary && dictionary_of (result))
    kept = tosst_atomic_keep (dictionary, save_dictionary, &outputs, error) && kept;
  return kept && save_plots (cli_call_value (call, "plots"), job->trace, result, error);
}

static char *
accuracy_text (const TosstRunResult *result)
{
  return isnan (result->accuracy_std) ? g_strdup_printf (_ ("accuracy %.2f %% of one split\n"), result->accuracy_mean)
                                      : g_strdup_printf (_ ("accuracy %.2f ± %.2f %% over %d splits\n"),
                                                         result->accuracy_mean, result->accuracy_std, result->splits);
}

/* Means of the weights of combined parts over the splits that were computed now. */
static void
append_weights (GString *text, const TosstRunResult *result)
{
  const GArray *last = result->splits > 0 ? result->split[result->splits - 1].parts : NULL;

  for (guint i = 0; last && i < last->len; i++)
    {
      double sum = 0;
      int n = 0;

      for (int split = 0; split < result->splits; split++)
        if (result->split[split].parts)
          {
            sum += g_array_index (result->split[split].parts, TosstPartResult, i).weight;
            n++;
          }
      g_string_append_printf (text, i == 0 ? _ ("mean weights: %s %.2f") : _ (", %s %.2f"),
                              g_array_index (last, TosstPartResult, i).name, sum / n);
    }
  if (last)
    g_string_append_c (text, '\n');
}

/* Samples in which nothing was found, by all or one of the parts, or no frame. */
static void
append_empty (GString *text, const TosstRunResult *result)
{
  g_autofree char *name = result->empty_name ? tosst_clean_line (result->empty_name) : NULL;
  g_autofree char *unfound = cli_images_unfound (result->unfound);

  if (result->empty > 0)
    g_string_append_printf (text,
                            ngettext ("nothing to describe was found in %u image, %s; it counts for no class\n",
                                      "nothing to describe was found in %u images, the first is %s; they count for no "
                                      "class\n",
                                      result->empty),
                            result->empty, name);
  if (unfound)
    g_string_append (text, unfound);
}

static void
print_result (CliCall *call, const TosstRecipe *recipe, const TosstRunResult *result)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (JsonNode) root = tosst_run_result_to_node (result, recipe);
  g_autofree char *score = result->score == TOSST_SCORE_ACCURACY ? accuracy_text (result) : scores_text (result);

  g_string_append (text, score);
  if (recipe->classifier.choose_c)
    {
      g_string_append (text, _ ("C chosen in each split:"));
      for (int split = 0; split < result->splits; split++)
        g_string_append_printf (text, " %g", result->split[split].c);
      g_string_append_c (text, '\n');
    }
  append_weights (text, result);
  append_empty (text, result);
  g_string_append_printf (text, _ ("%.1f s in total"), result->seconds_total);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    if (stage != TOSST_STAGE_LEARN || result->seconds[stage] > 0 || tosst_recipe_has_dictionary (recipe))
      g_string_append_printf (text, "; %s %.1f s", _ (tosst_stage_label (stage, recipe)), result->seconds[stage]);
  cli_call_result (call, json_node_dup_object (root), "%s", text->str);
}

/* Splits finished before an interrupt are reported as a run with fewer splits. */
static gboolean
keep_partial (CliCall *call, const Job *job, const TosstRecipe *recipe, TosstDataset *dataset,
              const TosstRunResult *partial, GError **error)
{
  if (!partial || partial->splits == 0)
    return cli_fail_interrupted (error);
  if (!save_outputs (call, job, recipe, dataset, partial, error))
    return FALSE;
  print_result (call, recipe, partial);
  return tosst_fail (
      error, TOSST_FAILED_CANCELLED,
      job->store ? _ ("interrupted after %d of %u splits, which are kept; run the same command again for the rest")
                 : _ ("interrupted after %d of %u splits; run the same command again, with --workspace to keep "
                      "finished splits"),
      partial->splits, job->splits);
}

/* A run of a store resumes: finished splits are read, and an unfinished one goes on from its checkpoint. */
static TosstRunResult *
execute (CliCall *call, Job *job, const TosstRecipe *recipe, TosstDataset *dataset, TosstRunResult **partial,
         GError **trouble, GError **error)
{
  const TosstRunObserver observer = { on_stage, cli_watch_progress, on_iteration, NULL, job };
  const TosstRunOptions none = { 0 };
  const TosstRecorded recorded = { .store = job->store,
                                   .run = job->run,
                                   .dictionaries = TRUE,
                                   .checkpoint = TOSST_SWEEP_CHECKPOINT,
                                   .execute = cli_ranks () ? ranks_execute : NULL };

  if (cli_ranks () && !job->store)
    return ranks_execute (recipe, dataset, cli_call_context (call), &observer, &none, NULL, partial, error);
  return job->store ? tosst_run_execute_recorded (recipe, dataset, cli_call_context (call), &observer, &recorded,
                                                  partial, trouble, error)
                    : tosst_run_execute (recipe, dataset, cli_call_context (call), &observer, partial, error);
}

static gboolean
classify (CliCall *call, Job *job, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  g_autoptr (TosstRunResult) partial = NULL;
  g_autoptr (GError) cause = NULL, trouble = NULL;

  job->watch.progress = cli_progress_new (call, _ ("Starting"), 0, NULL);
  g_autoptr (TosstRunResult) result = execute (call, job, recipe, dataset, &partial, &trouble, &cause);
  g_clear_pointer (&job->watch.progress, cli_progress_free);
  /* A deleted or replaced store is accessible while it is open: a copy of it is saved. */
  if (job->store && tosst_store_has_moved (job->store))
    {
      g_clear_error (&trouble);
      tosst_store_keep (job->store, &trouble);
    }
  if (!result && !cause)
    return tosst_pass_error (error, &trouble);
  if (trouble && !result)
    cli_print_problem ("classify", trouble->message);
  if (!result && g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_CANCELLED))
    return keep_partial (call, job, recipe, dataset, partial, error);
  if (!result)
    return tosst_pass_error (error, &cause);
  if (!save_outputs (call, job, recipe, dataset, result, error))
    return FALSE;
  print_result (call, recipe, result);
  if (!trouble)
    return TRUE;
  return tosst_pass_error (error, &trouble);
}

/* The latest stopped run of this hash, which this process owns from now on; 0 if there is none. */
static gboolean
take_stopped (CliCall *call, Job *job, const char *hash, GError **error)
{
  g_autofree char *filter = g_strdup_printf ("hash=%s, state=stopped", hash);
  g_autoptr (GPtrArray) runs = tosst_store_list (job->store, "-id", filter, error);
  const TosstStoreRun *run = runs && runs->len > 0 ? g_ptr_array_index (runs, 0) : NULL;
  gboolean mine = FALSE;

  if (!run)
    return runs != NULL;
  if (!tosst_store_requeue_run (job->store, run->id, error)
      || !tosst_store_claim_run (job->store, run->id, call->threads, &mine, error))
    return FALSE;
  if (!mine)
    return TRUE;
  job->run = run->id;
  if (!cli_call_flag (call, "quiet") && !cli_call_flag (call, "json"))
    cli_print (stdout,
               ngettext ("run %" PRId64 " of the store is resumed; it has %d of %d split\n",
                         "run %" PRId64 " of the store is resumed; it has %d of %d splits\n", run->splits),
               run->id, run->splits_done, run->splits);
  return TRUE;
}

static gboolean
begin_record (CliCall *call, Job *job, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  TosstRunOrigin made;

  if (!job->store)
    return TRUE;
  tosst_run_origin_init (&made, recipe, dataset, call->threads);
  gboolean ok = take_stopped (call, job, made.hash, error);
  if (ok && job->run == 0)
    job->run = tosst_store_add (job->store, recipe, &made.origin, TOSST_RUN_RUNNING, error);
  tosst_run_origin_clear (&made);
  return ok && job->run > 0;
}

/* With --tune the recipe becomes the best one. */
static gboolean
tune (CliCall *call, Job *job, TosstRecipe **recipe, TosstDataset *dataset, double seconds, GError **error)
{
  double expected;

  if (seconds == 0)
    return TRUE;
  TosstRecipe *best = tune_recipe (call, *recipe, dataset, job->store, seconds, &expected, &job->trials, error);
  if (!best)
    return FALSE;
  tosst_recipe_free (*recipe);
  *recipe = best;
  if (!cli_call_flag (call, "quiet") && !cli_call_flag (call, "json"))
    {
      g_autofree char *command = tosst_recipe_command (best), *time = cli_duration (expected);

      cli_print (stdout, _ ("the best is trained on all training images, and tested once, in about %s: %s\n"), time,
                 command);
    }
  return TRUE;
}

static void
print_forecast (const TosstRunEstimate *needs, double seconds)
{
  g_autofree char *memory = g_format_size (needs->bytes), *time = NULL;
  g_autofree char *disk = needs->disk > 0 ? g_format_size (needs->disk) : g_strdup (_ ("nothing"));

  if (isfinite (seconds))
    {
      time = cli_duration (seconds);
      fprintf (stderr, _ ("tosst: takes about %s, at most %s of memory, and %s on the disk\n"), time, memory, disk);
    }
  else
    fprintf (stderr, _ ("tosst: the time cannot be estimated; takes at most %s of memory, and %s on the disk\n"),
             memory, disk);
}

/* Fails if the run does not fit on the disk. One on a folder, or one whose progress is shown, is measured before it starts.
 * Processes that divide it measure at once, as they share the processors in the run, too. Collective. */
static gboolean
forecast (CliCall *call, const char *path, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  g_autoptr (GFile) workspace = cli_call_file (call, "workspace");
  gboolean shown = (path && cli_is_folder (path)) || isatty (STDERR_FILENO);
  TosstRunEstimate needs;
  double measured = shown && cli_is_writer () && !cli_call_flag (call, "quiet") && !cli_call_flag (call, "json"),
         seconds;

  tosst_run_estimate (recipe, dataset, call->threads, &needs);
  if (cli_is_writer () && !tosst_run_fits_disk (&needs, workspace, error))
    return FALSE;
  tosst_ranks_start (cli_ranks ());
  if (!cli_ranks_max (&measured, error))
    return FALSE;
  if (measured == 0)
    return TRUE;
  if (!tosst_run_fits (&needs, error) || !cli_estimate_time (call, recipe, dataset, &seconds, error)
      || !cli_ranks_max (&seconds, error))
    return FALSE;
  if (cli_is_writer ())
    print_forecast (&needs, seconds);
  return TRUE;
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "report", "confusion", "scores", "curves", "model", "dictionary", NULL };
  const char *path = call->operands ? call->operand[0] : NULL;
  g_autoptr (GArray) trace = g_array_new (FALSE, FALSE, sizeof (TosstIteration));
  g_autoptr (GFile) workspace = cli_call_file (call, "workspace");
  Job job = { .watch.call = call, .trace = trace };
  double seconds;

  if (!path && call->settings->len == 0)
    return cli_usage_error (error, _ ("needs a folder of images, a recipe file or --set; see tosst classify --help"));
  if (!tune_seconds (call, &seconds, error))
    return FALSE;
  g_autoptr (TosstRecipe) recipe = cli_folder_recipe (call, path, error);
  if (!recipe)
    return FALSE;
  /* Checked before images are measured. */
  g_autoptr (TosstParts) parts = tosst_recipe_has_parts (recipe) ? tosst_parts_new (recipe, error) : NULL;
  if (!parts && tosst_recipe_has_parts (recipe))
    return FALSE;
  if (cli_call_value (call, "dictionary") && !tosst_recipe_has_dictionary (recipe))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("--dictionary needs coding.method sparse or span; other methods learn no dictionary"));
  if (cli_is_writer ()
      && (!cli_call_check_outputs (call, outputs, error) || !scores_check (call, recipe, error)
          || !make_plot_folder (cli_call_value (call, "plots"), error)))
    return FALSE;
  g_autoptr (TosstDataset) dataset = tosst_local_open (recipe, NULL, error);
  if (!dataset || !ranks_check (call, recipe, dataset, error))
    return FALSE;
  if (cli_is_writer ())
    print_summary (call, recipe, dataset);
  gboolean ok = seconds > 0 || forecast (call, path, recipe, dataset, error);
  if (ok && !cli_is_writer ())
    return ranks_join (call, recipe, dataset, error);
  job.fingerprint = g_strdup (dataset->fingerprint);
  if (ok && workspace)
    ok = (job.store = cli_open_store (call, workspace, TOSST_STORE_WRITE, error)) != NULL;
  ok = ok && tune (call, &job, &recipe, dataset, seconds, error) && begin_record (call, &job, recipe, dataset, error);
  job.recipe = recipe;
  job.splits = tosst_dataset_splits (dataset, recipe);
  cli_interrupt_hold (ok);
  ok = ok && classify (call, &job, recipe, dataset, error);
  /* Processes that are interrupted still take leave of each other. */
  cli_interrupt_hold (cli_ranks () && cli_interrupted ());
  tosst_store_free (job.store);
  g_clear_pointer (&job.trials, json_array_unref);
  g_free (job.fingerprint);
  return ok;
}

static const CliOption options[] = {
  CLI_PRESET_OPTION,
  { "tune", 0, "MINUTES",
    N_ ("Choose method and values by training images alone, in so many minutes, then train and test the best") },
  { "report", 0, "FILE.json", N_ ("Output file of accuracy or average precision, times and memory") },
  { "confusion", 0, "FILE.csv", N_ ("Output file of the confusion matrix") },
  { "scores", 0, "FILE.csv", N_ ("Output file of the margins and labels of test samples by class") },
  { "curves", 0, "FILE.csv", N_ ("Output file of the precision-recall curves (.csv, .svg, .pdf, .png)") },
  { "model", 0, "M.npz", N_ ("Output file of the model: dictionary and classifier of the first split") },
  { "dictionary", 0, "D.npz", N_ ("Output file of the dictionary of the first split") },
  { "workspace", 'w', "W.sqlite", N_ ("Store of runs in which this run is recorded") },
  { "plots", 0, "FOLDER", N_ ("Output folder of objective and accuracy or precision-recall as SVG, PDF and PNG") },
  CLI_FIGURE_OPTIONS,
  { NULL },
};

const CliCommand cli_classify
    = { "classify", "[FOLDER|RECIPE]", N_ ("Learn, code and classify a data set"), options, cli_all_groups, 0, 1, run,
        TRUE };

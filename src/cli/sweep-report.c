/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/sweep-report.h"
#include "cli/ranks.h"
#include "core/base/base.h"
#include "core/report/against.h"
#include "core/run/run.h"

TosstStore *
cli_open_store (CliCall *call, GFile *file, TosstStoreMode mode, GError **error)
{
  TosstStore *store = tosst_store_open (file, mode, error);

  if (store && tosst_store_notice (store))
    cli_print_problem (call->command->name, tosst_store_notice (store));
  return store;
}

void
cli_watch_begin (CliWatch *self)
{
  self->progress = cli_progress_new (self->call, _ ("Starting"), 0, NULL);
  cli_interrupt_hold (TRUE);
}

void
cli_watch_end (CliWatch *self)
{
  /* Processes that are interrupted still take leave of each other. */
  cli_interrupt_hold (cli_ranks () && cli_interrupted ());
  g_clear_pointer (&self->progress, cli_progress_free);
}

void
cli_watch_run (guint run, const TosstSweepOutcome *outcome, gpointer watch)
{
  ((CliWatch *)watch)->ended += outcome->state == TOSST_RUN_DONE || outcome->state == TOSST_RUN_FAILED;
}

void
cli_watch_progress (double fraction, double seconds_left, gpointer watch)
{
  cli_progress_set_left (((CliWatch *)watch)->progress, fraction, seconds_left);
}

void
cli_watch_notice (const char *sentence, gpointer watch)
{
  CliWatch *self = watch;

  if (self->progress)
    cli_progress_wipe (self->progress);
  cli_print_problem (self->call->command->name, sentence);
}

static gboolean
is_mixed (const CliScores *scores)
{
  return scores->has[TOSST_SCORE_ACCURACY] && (scores->has[TOSST_SCORE_AP11] || scores->has[TOSST_SCORE_AREA]);
}

const char *
cli_score_heading (const CliScores *scores)
{
  if (is_mixed (scores))
    return _ ("score %");
  return scores->has[TOSST_SCORE_AP11] || scores->has[TOSST_SCORE_AREA] ? _ ("MAP %") : _ ("accuracy %");
}

char *
cli_score_text (const CliScores *scores, TosstScore score, double value, double deviation)
{
  const char *unit = is_mixed (scores) && score != TOSST_SCORE_ACCURACY ? _ (" MAP") : "";

  if (isnan (value))
    return g_strdup ("");
  return isnan (deviation) ? g_strdup_printf ("%.2f%s", value, unit)
                           : g_strdup_printf ("%.2f ± %.2f%s", value, deviation, unit);
}

gboolean
cli_set_in_sweep (gpointer sweep, const char *name, const char *value, GError **error)
{
  return g_str_has_prefix (name, "sweep.") ? tosst_sweep_set_line (sweep, name + 6, value, error)
                                           : tosst_sweep_set (sweep, name, value, error);
}

/* Whether the store has the sweep as it is, scored by tests. Earlier versions scored all sweeps so. */
static gboolean
is_recorded (GFile *workspace, const TosstSweep *sweep)
{
  gboolean exists = g_file_query_exists (workspace, NULL);
  g_autoptr (TosstStore) store = exists ? tosst_store_open (workspace, TOSST_STORE_READ, NULL) : NULL;
  g_autoptr (GPtrArray) sweeps = store ? tosst_store_sweeps (store, NULL) : NULL;
  g_autofree char *text = tosst_sweep_to_text (sweep);
  gboolean found = FALSE;

  for (guint i = 0; sweeps && i < sweeps->len && !found; i++)
    {
      const char *recipe = ((TosstStoreSweep *)g_ptr_array_index (sweeps, i))->recipe;
      g_autoptr (TosstSweep) earlier = tosst_sweep_parse (recipe, "", NULL);
      g_autofree char *again = earlier ? tosst_sweep_to_text (earlier) : NULL;

      found = g_strcmp0 (text, again) == 0;
    }
  return found;
}

TosstSweepPlan *
cli_plan_sweep (const TosstSweep *sweep, GFile *workspace, GError **error)
{
  return is_recorded (workspace, sweep) ? tosst_sweep_plan_new (sweep, error)
                                        : tosst_sweep_plan_new_choosing (sweep, error);
}

static void
add_parameter_columns (TosstTable *table, const TosstSweepPlan *plan)
{
  for (guint i = 0; i < plan->varying->len; i++)
    tosst_table_add_columns (table, "t", ((const TosstParameter *)g_ptr_array_index (plan->varying, i))->name);
}

static void
add_values (TosstTable *table, const TosstSweepPlan *plan, guint run)
{
  const TosstRecipe *recipe = tosst_sweep_plan_run (plan, run)->recipe;

  TOSST_FOR_EACH_POINTER (const TosstParameter, p, plan->varying)
    {
      g_autofree char *value = tosst_recipe_get (recipe, p);

      /* An inactive parameter is a dash. */
      tosst_table_add (table, tosst_recipe_why_inactive (recipe, p) ? "–" : value);
    }
}

static void
add_run (TosstTable *table, const TosstSweepPlan *plan, const TosstSweepResult *result, const CliScores *scores,
         gboolean has_codes, guint run)
{
  const TosstSweepOutcome *outcome = &result->outcome[run];
  const char *state = tosst_run_state_label (outcome->state);
  g_autofree char *score = cli_score_text (scores, tosst_recipe_score (tosst_sweep_plan_run (plan, run)->recipe),
                                           outcome->accuracy, outcome->deviation),
                  *nonzeros = tosst_report_number (outcome->nonzeros, 3),
                  *residual = tosst_report_number (outcome->residual, 3);

  tosst_table_add_printf (table, "%" PRId64, outcome->id);
  tosst_table_add (table, score);
  /* Includes the seconds saved by shared results, which approximates the time of the run alone. */
  if (isnan (outcome->seconds))
    tosst_table_add (table, "");
  else
    tosst_table_add_printf (table, outcome->shared > 0 ? "≈ %.1f" : "%.1f", outcome->seconds + outcome->shared);
  add_values (table, plan, run);
  if (has_codes)
    tosst_table_add (table, nonzeros, residual);
  tosst_table_add_printf (table,
                          outcome->reason    ? "%s: %s"
                          : outcome->earlier ? _ ("%s earlier")
                                             : "%s",
                          state, outcome->reason);
}

/* Whether runs are scored by training images that are left out. */
static gboolean
validates (const TosstSweepPlan *plan)
{
  return plan->runs->len > 0 && tosst_sweep_plan_run (plan, 0)->recipe->dataset.within > 0;
}

/* By decreasing score, runs without one last; ties in the order of the plan. */
static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const TosstSweepResult *result = data;
  guint i = *(const guint *)a, j = *(const guint *)b;

  return tosst_compare_falling (result->outcome[i].accuracy, result->outcome[j].accuracy) ?: (i > j) - (i < j);
}

gboolean
cli_read_against (CliCall *call, gint64 *run, GError **error)
{
  const char *text = cli_call_value (call, "against");

  *run = 0;
  return !text || g_ascii_string_to_signed (text, 10, 1, G_MAXINT64, run, NULL)
         || cli_usage_error (error, _ ("--against needs the number of a run, not “%s”"), text);
}

gboolean
cli_add_against (CliCall *call, TosstStore *store, const gint64 *runs, guint n, JsonObject *object, char **text,
                 GError **error)
{
  gint64 reference;

  if (!cli_read_against (call, &reference, error))
    return FALSE;
  if (reference == 0)
    return TRUE;
  g_autoptr (TosstReportRun) other = tosst_report_run_load (store, reference, error);
  if (!other)
    return FALSE;
  g_autoptr (GArray) found = tosst_against_new ();
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TosstReportRun) run = tosst_report_run_load (store, runs[i], error);

      if (!run)
        return FALSE;
      tosst_against_add (found, run, other);
    }
  tosst_against_correct (found);
  JsonArray *array = json_array_new ();
  TOSST_FOR_EACH (const TosstAgainst, its, found)
    json_array_add_object_element (array,
                                   TOSST_JSON (("run", its->run), ("difference", its->paired.mean),
                                               ("low", its->paired.low), ("high", its->paired.high),
                                               ("p", its->paired.p), ("p_holm", its->holm), ("problem", its->why)));
  TOSST_JSON_SET (object, ("against", reference), ("differences", array));
  g_autoptr (TosstTable) table = tosst_against_table (found);
  g_autofree char *lines = g_strchomp (tosst_table_to_text (table));
  g_autofree char *heading = g_strdup_printf (_ ("Against run %d on the same splits:"), (int)reference);
  g_autofree char *before = *text;
  *text = g_strdup_printf ("%s\n\n%s\n%s", before, heading, lines);
  return TRUE;
}

char *
cli_sweep_table (const TosstSweepPlan *plan, const TosstSweepResult *result)
{
  g_autoptr (TosstTable) table = tosst_table_new ("");
  g_autofree guint *order = g_new (guint, result->runs);
  CliScores scores = { { FALSE } };
  gboolean has_codes = FALSE;

  for (guint i = 0; i < result->runs; i++)
    {
      order[i] = i;
      has_codes = has_codes || !isnan (result->outcome[i].nonzeros) || !isnan (result->outcome[i].residual);
      scores.has[tosst_recipe_score (tosst_sweep_plan_run (plan, i)->recipe)] = TRUE;
    }
  g_qsort_with_data (order, (int)result->runs, sizeof *order, compare, (gpointer)result);

  tosst_table_add_columns (table, "t", _ ("run"));
  /* Translators: accuracy in percent, on which images */
  tosst_table_add_columns (table, "tt",
                           is_mixed (&scores) || !scores.has[TOSST_SCORE_ACCURACY] ? cli_score_heading (&scores)
                           : validates (plan)                                      ? _ ("validation %")
                                                                                   : _ ("test %"),
                           _ ("seconds"));
  add_parameter_columns (table, plan);
  if (has_codes)
    tosst_table_add_columns (table, "tt", _ ("non-zeros"), _ ("residual"));
  tosst_table_add_columns (table, "t", _ ("state"));
  for (guint i = 0; i < result->runs; i++)
    add_run (table, plan, result, &scores, has_codes, order[i]);
  g_autofree char *text = g_strchomp (tosst_table_to_text (table));
  g_autofree char *both = g_strdup_printf (_ ("%s\n%zu of %u runs done, %zu failed; sweep %d, %.1f s"), text,
                                           result->count[TOSST_RUN_DONE], result->runs, result->count[TOSST_RUN_FAILED],
                                           (int)result->sweep, result->seconds);
  if (result->count[TOSST_RUN_DONE] < 2)
    return g_steal_pointer (&both);
  const char *score = is_mixed (&scores)
                          ? _ ("Score")
                          : tosst_score_label (tosst_recipe_score (tosst_sweep_plan_run (plan, order[0])->recipe));

  if (!validates (plan))
    return g_strdup_printf (
        /* Translators: the name of a score, such as Accuracy */
        _ ("%s\n%s on test images, of which the best is too good: --validate scores by training images"), both, score);

  /* The tests are for the chosen values alone. */
  g_autoptr (TosstRecipe) chosen = tosst_recipe_copy (tosst_sweep_plan_run (plan, order[0])->recipe);

  chosen->dataset.within = 0;
  g_autofree char *command = tosst_recipe_command (chosen);
  /* Translators: the name of a score, such as Accuracy */
  return g_strdup_printf (_ ("%s\n%s on training images that were left out. The first run on test images:\n    %s"),
                          both, score, command);
}

/* Sets the varying parameters. */
static void
set_parameters (JsonObject *object, const TosstSweepPlan *plan, const TosstSweepRun *run)
{
  JsonObject *parameters = json_object_new ();

  TOSST_FOR_EACH_POINTER (const TosstParameter, p, plan->varying)
    {
      g_autofree char *value = tosst_recipe_get (run->recipe, p);

      json_object_set_string_member (parameters, p->name, value);
    }
  json_object_set_object_member (object, "parameters", parameters);
}

/* How often results that several runs need were computed, over all processes, and sent from one to another. */
static JsonObject *
stages_json (const TosstSweepResult *result)
{
  static const char *const names[] = { "tensors", "dictionaries", "codes", "signatures" };
  JsonObject *object = json_object_new ();

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == TOSST_N_RUN_PARTS);
  for (int part = 0; part < TOSST_N_RUN_PARTS; part++)
    json_object_set_object_member (object, names[part],
                                   TOSST_JSON (("made", result->made[part]), ("received", result->received[part])));
  return object;
}

JsonObject *
cli_sweep_json (const TosstSweepPlan *plan, const TosstSweepResult *result)
{
  JsonArray *runs = json_array_new ();

  JsonObject *object = TOSST_JSON (("sweep", result->sweep), ("scored_on", validates (plan) ? "validation" : "tests"));
  for (int i = 0; i < TOSST_N_RUN_STATES; i++)
    json_object_set_int_member (object, tosst_run_state_name (i), (gint64)result->count[i]);
  TOSST_JSON_SET (object, ("seconds", result->seconds), ("shared_stages", stages_json (result)));
  for (guint i = 0; i < result->runs; i++)
    {
      const TosstSweepRun *planned = tosst_sweep_plan_run (plan, i);
      const TosstSweepOutcome *outcome = &result->outcome[i];

      JsonObject *run
          = TOSST_JSON (("id", outcome->id), ("hash", planned->hash), ("state", tosst_run_state_name (outcome->state)),
                        ("reason", outcome->reason ? outcome->reason : ""), ("earlier", (bool)outcome->earlier),
                        ("score", tosst_score_name (tosst_recipe_score (planned->recipe))),
                        ("accuracy_mean", outcome->accuracy), ("accuracy_std", outcome->deviation),
                        ("relative_residual", outcome->residual), ("mean_nonzeros", outcome->nonzeros),
                        ("seconds", outcome->seconds), ("shared", isnan (outcome->seconds) ? NAN : outcome->shared),
                        ("splits", outcome->splits), ("splits_done", outcome->splits_done));
      set_parameters (run, plan, planned);
      json_array_add_object_element (runs, run);
    }
  json_object_set_array_member (object, "runs", runs);
  return object;
}

static guint
to_do (const TosstSweepEstimate *estimate)
{
  return estimate->runs - estimate->done - estimate->failed - estimate->problems;
}

char *
cli_sweep_estimate_text (const TosstSweepEstimate *estimate)
{
  GString *text = g_string_new (NULL);
  g_autofree char *bytes = g_format_size (estimate->bytes), *available = g_format_size (estimate->available);
  g_autofree char *disk = g_format_size (estimate->disk), *free_disk = g_format_size (estimate->free_disk);

  g_string_append_printf (text,
                          ngettext ("%u run: %u done, %u failed, %u impossible, %u to do",
                                    "%u runs: %u done, %u failed, %u impossible, %u to do", estimate->runs),
                          estimate->runs, estimate->done, estimate->failed, estimate->problems, to_do (estimate));
  if (to_do (estimate) == 0)
    return g_string_free (text, FALSE);
  if (!isnan (estimate->seconds))
    {
      guint s = (guint)(estimate->seconds + 0.5);
      g_autofree char *duration = s >= 3600 ? g_strdup_printf (_ ("%u h %02u min"), s / 3600, s / 60 % 60)
                                  : s >= 60 ? g_strdup_printf (_ ("%u min %02u s"), s / 60, s % 60)
                                            : g_strdup_printf (_ ("%u s"), s);

      g_string_append_printf (text,
                              estimate->measured ? _ (", about %s, estimated from a sample of the work")
                                                 : _ (", about %s, estimated from earlier runs"),
                              duration);
    }
  g_string_append_printf (text, _ ("\n%d in parallel, each with at most %s of memory; %s are available"),
                          estimate->jobs, bytes, available);
  g_string_append_printf (text, _ ("\nat most %s of temporary files each; %s are free on the disk"), disk, free_disk);
  return g_string_free (text, FALSE);
}

JsonObject *
cli_sweep_estimate_json (const TosstSweepPlan *plan, const TosstSweepEstimate *estimate)
{
  JsonArray *runs = json_array_new ();

  JsonObject *object
      = TOSST_JSON (("combinations", plan->points), ("done", estimate->done), ("failed", estimate->failed),
                    ("problems", estimate->problems), ("to_do", to_do (estimate)), ("seconds", estimate->seconds),
                    ("measured", (bool)estimate->measured), ("jobs", estimate->jobs), ("bytes", estimate->bytes),
                    ("available", estimate->available), ("disk", estimate->disk), ("free_disk", estimate->free_disk));
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);

      JsonObject *one = TOSST_JSON (("hash", run->hash), ("problem", run->problem ? run->problem : ""));
      set_parameters (one, plan, run);
      json_array_add_object_element (runs, one);
    }
  json_object_set_array_member (object, "runs", runs);
  return object;
}

char *
cli_sweep_plan_text (const TosstSweepPlan *plan)
{
  g_autoptr (TosstTable) table = tosst_table_new ("t", _ ("run"));

  add_parameter_columns (table, plan);
  tosst_table_add_columns (table, "t", _ ("problem"));
  for (guint i = 0; i < plan->runs->len; i++)
    {
      tosst_table_add_printf (table, "%u", i + 1);
      add_values (table, plan, i);
      tosst_table_add (table, tosst_sweep_plan_run (plan, i)->problem);
    }
  return g_strchomp (tosst_table_to_text (table));
}

char *
cli_duration (double seconds)
{
  if (seconds < 9.5)
    return g_strdup_printf (_ ("%.1f s"), MAX (seconds, 0.1));
  if (seconds < 90)
    return g_strdup_printf (_ ("%.0f s"), seconds);
  if (seconds < 90 * 60)
    return g_strdup_printf (_ ("%.0f min"), seconds / 60);
  return g_strdup_printf (_ ("%.1f h"), seconds / 3600);
}

gboolean
cli_estimate_time (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, double *seconds, GError **error)
{
  g_autoptr (TosstSweepPlan) plan = tosst_sweep_plan_new_run (recipe, dataset);
  const TosstSweepOptions options = { .jobs = 1, .together = cli_ranks () ? cli_ranks ()->size : 1 };
  TosstSweepEstimate estimate;
  CliProgress *progress = cli_progress_new (call, _ ("Measuring a few images"), 0, NULL);

  cli_progress_set_left (progress, 0, -1);
  gboolean ok = tosst_sweep_estimate (plan, &options, cli_call_context (call), &estimate, error);
  cli_progress_free (progress);
  *seconds = ok ? estimate.seconds : NAN;
  return ok;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/sweep-report.h"
#include "core/base/base.h"
#include "core/report/report.h"

static TosstScriptKind
find_script (const char *name)
{
  TosstScriptKind kind = 0;

  while (kind < TOSST_N_SCRIPTS && !g_str_equal (tosst_script_name (kind), name))
    kind++;
  return kind;
}

/* The result of the call is a program that repeats the run. kind must be known. */
static gboolean
print_script (CliCall *call, TosstStore *store, gint64 run, const char *kind, GError **error)
{
  g_autoptr (TosstReportRun) loaded = tosst_report_run_load (store, run, error);
  g_autofree char *script = loaded ? tosst_script_new (loaded, find_script (kind), error) : NULL;

  if (!script)
    return FALSE;
  JsonObject *object = TOSST_JSON (("script", script));
  g_strchomp (script); /* the text of a result gets its last line end when it is printed */
  cli_call_result (call, object, "%s", script);
  return TRUE;
}

static gboolean
read_id (CliCall *call, const char *option, gint64 *id, GError **error)
{
  const char *text = cli_call_value (call, option);

  return g_ascii_string_to_signed (text, 10, 1, G_MAXINT64, id, NULL)
         || cli_usage_error (error, _ ("--%s needs the number of a run, not “%s”"), option, text);
}

static char *
time_text (double seconds)
{
  g_autoptr (GDateTime) time = !(fabs (seconds) < 1e12) ? NULL : g_date_time_new_from_unix_local ((gint64)seconds);

  return time ? g_date_time_format (time, "%Y-%m-%d %H:%M") : g_strdup ("");
}

/* Padded by characters, not by bytes. */
static void
append_cell (GString *text, const char *cell, int width)
{
  g_autofree char *line = tosst_clean_line (cell);

  g_string_append_printf (text, "%s%*s", line, MAX (width - (int)g_utf8_strlen (line, -1), 0) + 2, "");
}

static void
append_last (GString *text, const char *cell)
{
  g_autofree char *line = tosst_clean_line (cell);

  g_string_append (text, line);
}

static void
add_cell (TosstTable *table, const char *text)
{
  g_autofree char *line = tosst_clean_line (text);

  tosst_table_add (table, line);
}

static void
add_run (TosstTable *table, const TosstStoreRun *run, const CliScores *scores, gboolean has_key)
{
  g_autofree char *score = cli_score_text (scores, run->score, run->accuracy, run->deviation);
  g_autofree char *started = time_text (run->started);
  g_autoptr (GString) tags = g_string_new (run->tags);

  g_string_replace (tags, " ", " #", 0);
  tosst_table_add_printf (table, "%" PRId64, run->id);
  tosst_table_add (table, tosst_run_state_label (run->state), score);
  tosst_table_add_printf (table, "%d/%d", run->splits_done, run->splits);
  tosst_table_add (table, started);
  add_cell (table, run->dataset);
  if (has_key)
    add_cell (table, run->key);

  g_autofree char *last
      = g_strconcat (run->title, *run->title && tags->len ? "  " : "", tags->len ? "#" : "", tags->str, NULL);

  add_cell (table, last);
}

static JsonObject *
list_json (GPtrArray *runs)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  TOSST_FOR_EACH_POINTER (const TosstStoreRun, run, runs)
    {
      JsonObject *one
          = TOSST_JSON (("id", run->id), ("state", tosst_run_state_name (run->state)), ("reason", run->reason),
                        ("score", tosst_score_name (run->score)), ("accuracy_mean", run->accuracy),
                        ("accuracy_std", run->deviation), ("splits", run->splits), ("splits_done", run->splits_done),
                        ("started", run->started), ("finished", run->finished), ("dataset", run->dataset),
                        ("hash", run->hash), ("title", run->title), ("note", run->note), ("tags", run->tags));
      if (run->key)
        json_object_set_string_member (one, "key", run->key);
      json_array_add_object_element (array, one);
    }
  json_object_set_array_member (object, "runs", array);
  return object;
}

static gboolean
export_to (CliCall *call, TosstStore *store, GPtrArray *runs, const char *option,
           char *(*make) (TosstStore *, GPtrArray *, GError **), GError **error)
{
  g_autoptr (GFile) file = cli_call_file (call, option);

  if (!file)
    return TRUE;
  g_autofree char *text = make (store, runs, error);
  return text && tosst_atomic_write (file, text, strlen (text), error);
}

static gboolean
list (CliCall *call, TosstStore *store, GError **error)
{
  const char *sort = cli_call_value (call, "sort");
  g_autoptr (GPtrArray) runs = tosst_store_list (store, sort, cli_call_value (call, "filter"), error);

  if (!runs || !export_to (call, store, runs, "csv", tosst_store_export_csv, error)
      || !export_to (call, store, runs, "export", tosst_store_export_json, error))
    return FALSE;

  gboolean has_key = runs->len && ((TosstStoreRun *)g_ptr_array_index (runs, 0))->key;
  CliScores scores = { { FALSE } };

  for (guint i = 0; i < runs->len; i++)
    scores.has[((TosstStoreRun *)g_ptr_array_index (runs, i))->score] = TRUE;
  g_autoptr (TosstTable) table = tosst_table_new ("tttttt", _ ("run"), _ ("state"), cli_score_heading (&scores),
                                                  _ ("splits"), _ ("started"), _ ("data set"));
  if (has_key)
    tosst_table_add_columns (table, "t", sort + (*sort == '-'));
  tosst_table_add_columns (table, "t", _ ("title"));
  for (guint i = 0; i < runs->len; i++)
    add_run (table, g_ptr_array_index (runs, i), &scores, has_key);
  g_autofree gint64 *ids = g_new (gint64, runs->len + 1);
  g_autoptr (JsonObject) object = list_json (runs);

  g_autofree char *text = g_strchomp (tosst_table_to_text (table));
  for (guint i = 0; i < runs->len; i++)
    ids[i] = ((TosstStoreRun *)g_ptr_array_index (runs, i))->id;
  if (!cli_add_against (call, store, ids, runs->len, object, &text, error))
    return FALSE;
  cli_call_result (call, g_steal_pointer (&object), "%s", text);
  return TRUE;
}

static char *
sweeps_text (GPtrArray *sweeps)
{
  g_autoptr (TosstTable) table
      = tosst_table_new ("tttttt", _ ("sweep"), _ ("runs"), _ ("done"), _ ("failed"), _ ("created"), _ ("title"));

  TOSST_FOR_EACH_POINTER (const TosstStoreSweep, sweep, sweeps)
    {
      g_autofree char *created = time_text (sweep->created);

      tosst_table_add_printf (table, "%" PRId64, sweep->id);
      tosst_table_add_printf (table, "%zu", sweep->runs);
      tosst_table_add_printf (table, "%zu", sweep->count[TOSST_RUN_DONE]);
      tosst_table_add_printf (table, "%zu", sweep->count[TOSST_RUN_FAILED]);
      tosst_table_add (table, created);
      add_cell (table, sweep->title);
    }
  return g_strchomp (tosst_table_to_text (table));
}

static gboolean
list_sweeps (CliCall *call, TosstStore *store, GError **error)
{
  g_autoptr (GPtrArray) sweeps = tosst_store_sweeps (store, error);

  if (!sweeps)
    return FALSE;
  g_autofree char *text = sweeps_text (sweeps);

  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  TOSST_FOR_EACH_POINTER (const TosstStoreSweep, sweep, sweeps)
    {
      JsonObject *one
          = TOSST_JSON (("id", sweep->id), ("title", sweep->title), ("created", sweep->created), ("runs", sweep->runs));
      for (int state = 0; state < TOSST_N_RUN_STATES; state++)
        json_object_set_int_member (one, tosst_run_state_name (state), (gint64)sweep->count[state]);
      json_object_set_string_member (one, "recipe", sweep->recipe);
      json_array_add_object_element (array, one);
    }
  json_object_set_array_member (object, "sweeps", array);
  cli_call_result (call, object, "%s", text);
  return TRUE;
}

static double
number_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  if (!node || !JSON_NODE_HOLDS_VALUE (node))
    return NAN;
  return json_node_get_value_type (node) == G_TYPE_STRING
             ? g_ascii_strtod (json_node_get_string (node), NULL) /* "inf" */
             : json_node_get_double (node);
}

static void
append_line (GString *text, const char *label, const char *value)
{
  if (!*value)
    return;
  append_cell (text, label, 22);
  append_last (text, value);
  g_string_append_c (text, '\n');
}

/* Means over splits and their deviations; the store has one split's value of some, too. accuracy: the name of the score that has
 * this name in the store. */
static void
append_metrics (GString *text, JsonObject *metrics, const char *accuracy)
{
  g_autoptr (GList) names = json_object_get_members (metrics);

  for (GList *l = names; l; l = l->next)
    {
      JsonObject *kinds = json_object_get_object_member (metrics, l->data);
      gboolean varies = json_object_has_member (kinds, "std");
      g_autofree char *line
          = !varies ? g_strdup_printf ("%.6g", number_of (kinds, "mean"))
                    : g_strdup_printf ("%.6g ± %.3g", number_of (kinds, "mean"), number_of (kinds, "std"));

      if (json_object_has_member (kinds, "mean"))
        append_line (text, g_str_equal (l->data, "accuracy") ? accuracy : l->data, line);
    }
}

/* Appends a table of the classes, if the run has scores. */
static void
append_classes (GString *text, const TosstReportRun *run)
{
  g_autofree TosstClassScore *classes = g_new0 (TosstClassScore, run->classes + 1);
  TosstClassScore mean;

  if (run->scores->len == 0
      || !tosst_scores_summarise ((TosstScores *const *)(gpointer)run->scores->pdata, run->scores->len, classes, &mean,
                                  NULL))
    return;
  g_autoptr (TosstTable) table = tosst_score_table (classes, run->class_names, run->classes, &mean, run->score);
  g_autofree char *rows = tosst_table_to_text (table);

  g_string_append_printf (text, "\n%s", rows);
}

/* Appends texts by name, and sizes of artifacts. */
static void
append_members (GString *text, JsonObject *object, const char *title)
{
  g_autoptr (GList) names = json_object_get_members (object);

  if (names)
    g_string_append_printf (text, "\n%s\n", title);
  for (GList *l = names; l; l = l->next)
    {
      JsonNode *node = json_object_get_member (object, l->data);
      g_autofree char *value
          = JSON_NODE_HOLDS_OBJECT (node)
                ? g_format_size ((guint64)json_object_get_int_member (json_node_get_object (node), "bytes"))
            : json_node_get_value_type (node) == G_TYPE_STRING
                ? g_strdup (json_node_get_string (node))
                : g_strdup_printf (_ ("%.1f s"), number_of (object, l->data));

      g_string_append (text, "  ");
      append_cell (text, l->data, 28);
      append_last (text, value);
      g_string_append_c (text, '\n');
    }
}

static char *
run_text (const TosstReportRun *run)
{
  GString *text = g_string_new (NULL);
  g_autofree char *id = g_strdup_printf ("%" PRId64, run->id);
  g_autofree char *started = time_text (run->started), *finished = time_text (run->finished);
  /* A run of a program with other parameters has no command. */
  g_autofree char *command = run->recipe ? tosst_recipe_command (run->recipe) : NULL;

  append_line (text, _ ("run"), id);
  append_line (text, _ ("state"), tosst_report_run_text (run, "state"));
  append_line (text, _ ("reason"), tosst_report_run_text (run, "reason"));
  append_line (text, _ ("title"), tosst_report_run_text (run, "title"));
  append_line (text, _ ("tags"), tosst_report_run_text (run, "tags"));
  append_line (text, _ ("note"), tosst_report_run_text (run, "note"));
  append_line (text, _ ("started"), started);
  append_line (text, _ ("finished"), finished);
  append_line (text, _ ("data set"), tosst_report_run_text (run, "dataset"));
  append_line (text, _ ("fingerprint"), tosst_report_run_text (run, "data"));
  append_line (text, _ ("hash"), tosst_report_run_text (run, "hash"));
  append_line (text, _ ("program"), tosst_report_run_text (run, "version"));
  append_line (text, _ ("processor"), tosst_report_run_text (run, "cpu"));
  append_line (text, _ ("BLAS kernel"), tosst_report_run_text (run, "blas"));
  append_line (text, _ ("command"), command ? command : "");
  TosstScore score = run->recipe ? run->score : TOSST_SCORE_ACCURACY;
  append_metrics (text, json_object_get_object_member (run->json, "metrics"),
                  score == TOSST_SCORE_ACCURACY ? "accuracy" : tosst_score_label (score));
  append_classes (text, run);
  append_members (text, json_object_get_object_member (run->json, "seconds"), _ ("Time:"));
  append_members (text, json_object_get_object_member (run->json, "artifacts"), _ ("Artifacts:"));
  append_members (text, json_object_get_object_member (run->json, "parameters"), _ ("Parameters:"));
  g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

/* Artifact names in a store are untrusted: only plain file names are accepted, not hidden ones, paths, symbolic
 * links or names with control characters. */
static gboolean
check_target (const char *folder, const char *name, GError **error)
{
  g_autofree char *clean = tosst_clean_line (name), *path = g_build_filename (folder, name, NULL);

  if (*name == '\0' || *name == '.' || strchr (name, '/') || strlen (name) > 255 || !g_str_equal (clean, name))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("the name of the artifact “%s” is not a plain file name"), name);
  if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("%s is a symbolic link; artifacts are not written through links"),
                       path);
  return TRUE;
}

static gboolean
show (CliCall *call, TosstStore *store, gint64 id, GError **error)
{
  g_autoptr (TosstReportRun) run = tosst_report_run_load (store, id, error);

  if (!run)
    return FALSE;
  const char *folder = cli_call_value (call, "extract");
  JsonObject *artifacts = json_object_get_object_member (run->json, "artifacts");
  g_autoptr (GList) names = json_object_get_members (artifacts);

  if (folder)
    {
      for (GList *l = names; l; l = l->next)
        if (!check_target (folder, l->data, error))
          return FALSE;
      if (g_mkdir_with_parents (folder, 0777) != 0)
        return tosst_fail (error, TOSST_FAILED_OUTPUT, _ ("the folder %s could not be created"), folder);
      for (GList *l = names; l; l = l->next)
        {
          JsonObject *one = json_object_get_object_member (artifacts, l->data);
          g_autofree char *path = g_build_filename (folder, l->data, NULL);
          g_autoptr (GFile) file = g_file_new_for_path (path);
          g_autoptr (GBytes) bytes = tosst_store_artifact (store, id, (int)json_object_get_int_member (one, "split"),
                                                           json_object_get_string_member (one, "name"), error);

          if (!bytes || !tosst_atomic_write (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error))
            return FALSE;
        }
    }
  g_autofree char *text = run_text (run);
  cli_call_result (call, json_object_ref (run->json), "%s", text);
  return TRUE;
}

/* Applies the changes of a run in this order. */
static gboolean
change (CliCall *call, TosstStore *store, gint64 id, GError **error)
{
  const char *tag = cli_call_value (call, "tag"), *untag = cli_call_value (call, "untag");
  const char *note = cli_call_value (call, "note"), *title = cli_call_value (call, "title");

  return (!tag || tosst_store_tag (store, id, tag, TRUE, error))
         && (!untag || tosst_store_tag (store, id, untag, FALSE, error))
         && (!note || tosst_store_set_note (store, id, note, error))
         && (!title || tosst_store_set_title (store, id, title, error));
}

static gboolean
changes (CliCall *call)
{
  return cli_call_value (call, "tag") || cli_call_value (call, "untag") || cli_call_value (call, "note")
         || cli_call_value (call, "title");
}

/* Reads the whole file, to detect damage in rows not read before. */
static gboolean
check (CliCall *call, GFile *file, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TosstStore) store = cli_open_store (call, file, TOSST_STORE_READ, &cause);
  g_autofree char *notice = NULL, *name = g_file_get_parse_name (file), *text = NULL;

  if (!store || !tosst_store_check (store, &cause))
    {
      if (!g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_DAMAGED))
        return tosst_pass_error (error, &cause);
      g_clear_pointer (&store, tosst_store_free);
      if (!tosst_store_salvage (file, &notice, error))
        return FALSE;
    }
  text = notice ? g_strdup (notice) : g_strdup_printf (_ ("%s: no damage found"), name);
  cli_call_result (call, TOSST_JSON (("sound", (bool)(notice == NULL))), "%s", text);
  return TRUE;
}

static gboolean
act (CliCall *call, GFile *file, TosstStoreMode mode, gint64 id, GError **error)
{
  g_autoptr (TosstStore) store = cli_open_store (call, file, mode, error);

  if (!store)
    return FALSE;
  if (cli_call_value (call, "delete"))
    {
      if (!tosst_store_delete (store, id, error))
        return FALSE;
      cli_call_result (call, TOSST_JSON (("deleted", id)), _ ("run %" PRId64 " is deleted"), id);
      return TRUE;
    }

  if (cli_call_value (call, "script"))
    return change (call, store, id, error) && print_script (call, store, id, cli_call_value (call, "script"), error);
  if (cli_call_value (call, "show"))
    return change (call, store, id, error) && show (call, store, id, error);
  return cli_call_flag (call, "sweeps") ? list_sweeps (call, store, error) : list (call, store, error);
}

static gboolean
work (CliCall *call, GFile *file, GError **error)
{
  gboolean writes = changes (call) || cli_call_value (call, "delete");
  g_autoptr (GError) cause = NULL;
  g_autofree char *name = g_file_get_parse_name (file), *notice = NULL;
  gint64 id = 0;

  if (cli_call_value (call, "delete") && !read_id (call, "delete", &id, error))
    return FALSE;
  if (cli_call_value (call, "show") && !read_id (call, "show", &id, error))
    return FALSE;
  /* This command does not create a store. */
  if (!g_file_query_exists (file, NULL))
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("there is no store of runs at %s"), name);
  if (act (call, file, writes ? TOSST_STORE_WRITE : TOSST_STORE_READ, id, &cause))
    return TRUE;
  /* Damage can be detected at any page: the command is repeated on the salvaged store. */
  if (g_error_matches (cause, TOSST_ERROR, TOSST_FAILED_DAMAGED))
    {
      g_clear_error (&cause);
      if (!tosst_store_salvage (file, &notice, error))
        return FALSE;
      if (notice)
        cli_print_problem ("runs", notice);
      return act (call, file, writes ? TOSST_STORE_WRITE : TOSST_STORE_READ, id, error);
    }
  return tosst_pass_error (error, &cause);
}

static gboolean
run (CliCall *call, GError **error)
{
  static const char *const outputs[] = { "csv", "export", NULL };
  gboolean shows = cli_call_value (call, "show") != NULL, deletes = cli_call_value (call, "delete") != NULL;
  const char *script = cli_call_value (call, "script");
  const char *path = call->operands ? call->operand[0] : CLI_DEFAULT_STORE;
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);

  if (shows && deletes)
    return cli_usage_error (error, _ ("--show and --delete cannot be combined"));
  if ((changes (call) || cli_call_value (call, "extract") || script) && !shows)
    return cli_usage_error (error, _ ("--tag, --untag, --note, --title, --extract and --script need a run: --show ID"));
  if (script && cli_call_value (call, "extract"))
    return cli_usage_error (error, _ ("--script and --extract cannot be combined"));
  if (script && find_script (script) == TOSST_N_SCRIPTS)
    return cli_usage_error (error, _ ("--script is shell or python, not “%s”"), script);
  if (!cli_call_check_outputs (call, outputs, error))
    return FALSE;
  return cli_call_flag (call, "check") ? check (call, file, error) : work (call, file, error);
}

static const CliOption options[] = {
  { "sort", 's', "KEY",
    N_ ("Sort by a parameter (dictionary.atoms), metric (accuracy, map11) or time (seconds); -KEY: descending") },
  { "filter", 'f', "CONDITIONS",
    N_ ("Only runs that meet all conditions, such as “dictionary.atoms>=200, state=done, tag=best”") },
  { "against", 0, "ID",
    N_ ("Compare the listed runs with this one on the same splits: difference, interval, significance") },
  { "sweeps", 0, NULL, N_ ("List sweeps; --filter sweep=ID lists their runs") },
  { "csv", 0, "FILE.csv", N_ ("Output file of the listed runs, one per line, with all parameters and metrics") },
  { "export", 0, "FILE.json", N_ ("Output file of the listed runs with everything but artifacts") },
  { "show", 0, "ID", N_ ("Show one run") },
  { "tag", 0, "TAG", N_ ("With --show: add a tag to the run") },
  { "untag", 0, "TAG", N_ ("With --show: remove a tag from the run") },
  { "note", 0, "TEXT", N_ ("With --show: set the note of the run") },
  { "title", 0, "TEXT", N_ ("With --show: set the title of the run") },
  { "extract", 0, "FOLDER", N_ ("With --show: output folder of model, confusion matrices and scores") },
  { "script", 0, "KIND", N_ ("With --show: print a program that repeats the run: shell or python") },
  { "delete", 0, "ID", N_ ("Delete a run with all its data, without confirmation") },
  { "check", 0, NULL, N_ ("Check the whole file, and salvage it if it is damaged") },
  { NULL },
};

const CliCommand cli_runs
    = { "runs", "[W.sqlite]", N_ ("List, show and export the runs of a store"), options, NULL, 0, 1, run };

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of runs, sorted and filtered by SQLite: a key becomes an expression over a run r, with values looked up by
 * the primary keys of the other tables.
 */
#include "core/base/base.h"
#include "core/store/private.h"

TOSST_DEFINE_PUBLIC_FREE (TosstStoreRun, tosst_store_run_free, TosstStoreRun *, (reason, g_free), (title, g_free),
                          (note, g_free), (tags, g_free), (hash, g_free), (dataset, g_free), (data, g_free),
                          (key, g_free))

/* Columns of the table of runs that are keys. */
static const char *const columns[]
    = { "id",  "state", "title",   "note", "hash",    "started", "finished", "version", "numerics",
        "cpu", "blas",  "threads", "data", "dataset", "splits",  "reason",   "sweep",   NULL };

static gboolean
is_known (TosstStore *self, const char *sql, const char *name, const char *kind, gboolean *known, GError **error)
{
  gint64 there;

  if (!tosst_store_number (self, &there, 0, error, sql, kind ? "ss" : "s", name, kind))
    return FALSE;
  *known = there != 0;
  return TRUE;
}

static char *
quote (const char *text)
{
  char *quoted = sqlite3_mprintf ("%Q", text), *copy = g_strdup (quoted);

  sqlite3_free (quoted);
  return copy;
}

/* "accuracy" is the mean; other kinds have a suffix, as "accuracy.best". */
static gboolean
metric_expression (TosstStore *self, const char *key, char **number, GError **error)
{
  const char *dot = strrchr (key, '.');
  g_autofree char *name = dot ? g_strndup (key, dot - key) : g_strdup (key);
  const char *kind = dot ? dot + 1 : "mean";
  gboolean known;

  if (!is_known (self, "SELECT EXISTS (SELECT 1 FROM metrics WHERE name = ? AND kind = ?)", name, kind, &known, error))
    return FALSE;
  if (known)
    {
      g_autofree char *n = quote (name), *k = quote (kind);

      *number = g_strdup_printf ("(SELECT value FROM metrics WHERE run = r.id AND name = %s AND kind = %s)", n, k);
    }
  return TRUE;
}

/* The stage whose seconds a key is: "seconds", of the whole run, or "seconds.learn"; or NULL. */
static const char *
stage_of (const char *key)
{
  for (int i = 0; g_str_has_prefix (key, "seconds.") && i < TOSST_N_STAGES; i++)
    if (strcmp (key + 8, tosst_stage_name (i)) == 0)
      return tosst_stage_name (i);
  return g_str_equal (key, "seconds") ? "total" : NULL;
}

/* SQL expressions of a key, as number and as text, new; equal unless the key has both. */
static gboolean
expression (TosstStore *self, const char *key, char **number, char **text, GError **error)
{
  g_autofree char *name = quote (key);

  *number = *text = NULL;
  if (g_strv_contains (columns, key))
    *number = g_strconcat ("r.", key, NULL);
  else if (stage_of (key))
    *number = g_strdup_printf ("(SELECT seconds FROM timings WHERE run = r.id AND stage = '%s')", stage_of (key));
  if (!*number && !metric_expression (self, key, number, error))
    return FALSE;
  if (*number)
    {
      *text = g_strdup (*number);
      return TRUE;
    }
  gboolean known = tosst_parameter_find (key) != NULL;
  if (!known && !is_known (self, "SELECT EXISTS (SELECT 1 FROM parameters WHERE name = ?)", key, NULL, &known, error))
    return FALSE;
  if (!known && (g_str_equal (key, "accuracy") || g_str_equal (key, "objective")))
    *number = g_strdup ("NULL"); /* not available before the first result */
  else if (!known)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("no run in %s has a key “%s”"), self->name, key);
  if (!*number)
    *number = g_strdup_printf ("(SELECT number FROM parameters WHERE run = r.id AND name = %s)", name);
  *text = known ? g_strdup_printf ("(SELECT text FROM parameters WHERE run = r.id AND name = %s)", name)
                : g_strdup (*number);
  return TRUE;
}

/* Appends one condition as SQL. */
static gboolean
condition (TosstStore *self, const char *words, GString *sql, GError **error)
{
  static const char *const operators[] = { "<=", ">=", "!=", "=", "<", ">", "~" };
  const char *operator= NULL, *at = words + strcspn (words, "<>=!~");
  g_autofree char *key = g_strstrip (g_strndup (words, at - words)), *value = NULL, *quoted = NULL, *number = NULL,
                  *text = NULL;
  char *end, exact[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS (operators) && !operator; i++)
    if (g_str_has_prefix (at, operators[i]))
      operator= operators[i];
  if (!operator|| !* key)
    return tosst_fail (error, TOSST_FAILED_INPUT,
                       _ ("a condition must be KEY=VALUE, or have !=, <, <=, >, >= or ~ instead of =, not “%s”"),
                       words);
  value = g_strstrip (g_strdup (at + strlen (operator)));
  quoted = quote (value);
  if (g_str_equal (key, "tag") && (g_str_equal (operator, "=") || g_str_equal (operator, "!=")))
    {
      g_string_append_printf (sql, " AND %sEXISTS (SELECT 1 FROM tags WHERE run = r.id AND tag = %s)",
                              g_str_equal (operator, "=") ? "" : "NOT ", quoted);
      return TRUE;
    }
  /* A run may be a member of several sweeps. */
  if (g_str_equal (key, "sweep") && g_str_equal (operator, "="))
    {
      g_string_append_printf (sql, " AND EXISTS (SELECT 1 FROM members WHERE run = r.id AND sweep = %s + 0)", quoted);
      return TRUE;
    }
  if (!expression (self, key, &number, &text, error))
    return FALSE;
  double wanted = g_ascii_strtod (value, &end);
  if (g_str_equal (operator, "~"))
    g_string_append_printf (sql, " AND instr(lower(%s), lower(%s)) > 0", text, quoted);
  else if (end == value || *end || isnan (wanted))
    g_string_append_printf (sql, " AND %s %s %s", text, operator, quoted);
  else
    {
      /* SQL has no literal for infinity; too large a number is read as infinity. */
      g_ascii_dtostr (exact, sizeof exact, wanted);
      g_string_append_printf (sql, " AND %s %s %s", number, operator,
                              isinf (wanted) ? wanted > 0 ? "9e999" : "-9e999" : exact);
    }
  return TRUE;
}

TosstRunState
tosst_store_state (sqlite3_stmt *row, int state, int owner, int heartbeat, const char **reason)
{
  TosstRunState found = tosst_run_state_find (tosst_store_text (row, state), TOSST_RUN_FAILED);

  *reason = NULL;
  if (found != TOSST_RUN_RUNNING
      || !tosst_store_owner_is_gone (tosst_store_text (row, owner), tosst_store_real (row, heartbeat)))
    return found;
  *reason = _ ("the program ended during the run");
  return TOSST_RUN_STOPPED;
}

#define COLUMNS                                                                                                        \
  "SELECT r.id, r.state, r.owner, r.heard, r.reason, r.title, r.note, r.hash, r.dataset, r.started, r.finished, "      \
  "r.splits, (SELECT group_concat(tag, ' ') FROM tags WHERE run = r.id), "                                             \
  "(SELECT count(*) FROM results WHERE run = r.id AND name = 'accuracy'), "                                            \
  "coalesce((SELECT value FROM metrics WHERE run = r.id AND name = 'accuracy' AND kind = 'mean'), "                    \
  "(SELECT avg(value) FROM results WHERE run = r.id AND name = 'accuracy')), "                                         \
  "(SELECT value FROM metrics WHERE run = r.id AND name = 'accuracy' AND kind = 'std'), "                              \
  "(SELECT max(value) FROM results WHERE run = r.id AND name = 'accuracy'), "                                          \
  "(SELECT avg(value) FROM results WHERE run = r.id AND name = 'objective'), "                                         \
  "(SELECT avg(value) FROM results WHERE run = r.id AND name = 'mean_nonzeros'), "                                     \
  "(SELECT seconds FROM timings WHERE run = r.id AND stage = 'total'), r.queued, r.data, "                             \
  "coalesce((SELECT seconds FROM timings WHERE run = r.id AND stage = 'shared'), 0), "                                 \
  "(SELECT text FROM parameters WHERE run = r.id AND name = 'dataset.kind'), "                                         \
  "(SELECT text FROM parameters WHERE run = r.id AND name = 'classifier.score'), "                                     \
  "(SELECT avg(value) FROM results WHERE run = r.id AND name = 'relative_residual')"
#define N_COLUMNS 26

/* Index of a choice of a parameter; 0, the default, if it has none of that name. */
static int
choice_of (const char *parameter, const char *text)
{
  const char *const *choices = tosst_parameter_find (parameter)->choices;

  for (int i = 0; choices[i]; i++)
    if (strcmp (choices[i], text) == 0)
      return i;
  return 0;
}

static TosstStoreRun *
read_run (sqlite3_stmt *row, gboolean has_key)
{
  /* The two parameters that determine the score. */
  const TosstRecipe recipe
      = { .dataset.kind = (TosstDatasetKind)choice_of ("dataset.kind", tosst_store_text (row, 23)),
          .classifier.score = (TosstScore)choice_of ("classifier.score", tosst_store_text (row, 24)) };
  TosstStoreRun *run = g_new0 (TosstStoreRun, 1);
  const char *reason;

  run->id = sqlite3_column_int64 (row, 0);
  run->state = tosst_store_state (row, 1, 2, 3, &reason);
  run->stale = reason != NULL;
  run->reason = g_strdup (reason ? reason : tosst_store_text (row, 4));
  run->title = g_strdup (tosst_store_text (row, 5));
  run->note = g_strdup (tosst_store_text (row, 6));
  run->hash = g_strdup (tosst_store_text (row, 7));
  run->dataset = g_strdup (tosst_store_text (row, 8));
  run->started = tosst_store_real (row, 9);
  run->finished = tosst_store_real (row, 10);
  run->splits = sqlite3_column_int (row, 11);
  run->tags = g_strdup (tosst_store_text (row, 12));
  run->splits_done = sqlite3_column_int (row, 13);
  run->accuracy = tosst_store_real (row, 14);
  run->deviation = run->splits_done > 1 ? tosst_store_real (row, 15) : NAN; /* earlier versions wrote 0 */
  run->best = tosst_store_real (row, 16);
  run->objective = tosst_store_real (row, 17);
  run->nonzeros = tosst_store_real (row, 18);
  run->seconds = tosst_store_real (row, 19);
  run->queued = tosst_store_real (row, 20);
  run->data = g_strdup (tosst_store_text (row, 21));
  run->shared = tosst_store_real (row, 22);
  run->score = tosst_recipe_score (&recipe);
  run->residual = tosst_store_real (row, 25);
  run->key = has_key ? g_strdup (tosst_store_text (row, N_COLUMNS)) : NULL;
  return run;
}

/* Keys that are fields of each row. */
static gboolean
is_shown (const char *key)
{
  static const char *const shown[]
      = { "id",       "state",  "title",  "note",     "hash",          "dataset",      "started",
          "finished", "splits", "reason", "accuracy", "accuracy.mean", "accuracy.std", NULL };

  return g_strv_contains (shown, key);
}

/* A run read as running whose process has ended may have finished after it was read. */
static gboolean
has_ended_meanwhile (TosstStore *self, GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstStoreRun *run = g_ptr_array_index (runs, i);
      gint64 there;

      if (run->stale
          && tosst_store_number (self, &there, 0, NULL, "SELECT id FROM runs WHERE id = ? AND state != 'running'", "i",
                                 run->id)
          && there)
        return TRUE;
    }
  return FALSE;
}

static GPtrArray *
read_list (TosstStore *self, const char *sql, gboolean has_key, GError **error)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify)tosst_store_run_free);
  sqlite3_stmt *rows = tosst_store_query (self, error, sql, NULL);

  while (tosst_store_row (self, rows, error))
    g_ptr_array_add (runs, read_run (rows, has_key));
  return self->failed ? NULL : g_steal_pointer (&runs);
}

GPtrArray *
tosst_store_list (TosstStore *self, const char *sort, const char *filter, GError **error)
{
  g_autofree char *number = NULL, *text = NULL;
  g_autoptr (GString) sql = g_string_new (COLUMNS), where = g_string_new (NULL);
  g_auto (GStrv) conditions = g_strsplit (filter ? filter : "", ",", -1);
  const char *key = sort ? sort + (*sort == '-') : "id", *order = sort && *sort == '-' ? "DESC" : "ASC";

  if (!expression (self, key, &number, &text, error))
    return NULL;
  for (char **one = conditions; *one; one++)
    if (*g_strstrip (*one) && !condition (self, *one, where, error))
      return NULL;
  /* Order: numbers, other texts, missing values. */
  g_string_append_printf (sql,
                          ", %s AS t, %s AS v FROM runs r WHERE 1%s "
                          "ORDER BY v IS NULL AND (t IS NULL OR t = ''), v IS NULL, v %s, t %s, r.id %s",
                          text, number, where->str, order, order, order);
  GPtrArray *runs = read_list (self, sql->str, !is_shown (key), error);
  if (runs && has_ended_meanwhile (self, runs))
    {
      g_ptr_array_unref (runs);
      runs = read_list (self, sql->str, !is_shown (key), error);
    }
  return runs;
}

gboolean
tosst_store_version (TosstStore *self, gint64 *version, GError **error)
{
  return tosst_store_number (self, version, 0, error, "PRAGMA data_version", NULL);
}

gboolean
tosst_store_each_parameter (TosstStore *self, gint64 after, TosstStoreParameterFunc func, gpointer data, GError **error)
{
  sqlite3_stmt *rows = tosst_store_query (
      self, error, "SELECT run, name, text, number FROM parameters WHERE run > ? ORDER BY run, name", "i", after);

  while (tosst_store_row (self, rows, error))
    func (sqlite3_column_int64 (rows, 0), tosst_store_text (rows, 1), tosst_store_text (rows, 2),
          tosst_store_real (rows, 3), data);
  return !self->failed;
}

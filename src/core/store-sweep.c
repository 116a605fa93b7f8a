/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that wait: the queue that the processes of a sweep take their work from.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "error.h"
#include "store-private.h"

gint64
tosst_store_add_sweep (TosstStore *self, const char *title, const char *recipe, GError **error)
{
  if (!tosst_store_do (self, error, "INSERT INTO sweeps (title, recipe, created) VALUES (?, ?, ?)", "ssd",
                       title ? title : "", recipe, tosst_store_now ()))
    return -1;
  return sqlite3_last_insert_rowid (self->db);
}

/* Within a transaction, so that nobody else takes it meanwhile. */
static gboolean
claim (TosstStore *self, gint64 sweep, gint64 *run, int *split, GError **error)
{
  g_autofree char *owner = tosst_store_owner ();
  double now = tosst_store_now ();
  gint64 of;

  if (!tosst_store_number (self, run, 0, error,
                           sweep ? "SELECT min(id) FROM runs WHERE state = 'queued' AND sweep = ?"
                                 : "SELECT min(id) FROM runs WHERE state = 'queued'",
                           sweep ? "i" : NULL, sweep))
    return FALSE;
  if (*run == 0)
    return TRUE;
  if (!tosst_store_number (self, &of, -1, error, "SELECT split FROM runs WHERE id = ?", "i", *run))
    return FALSE;
  if (split)
    *split = (int)of;
  return tosst_store_do (self, error,
                         "UPDATE runs SET state = 'running', started = ?, heard = ?, owner = ? WHERE id = ?", "ddsi",
                         now, now, owner, *run);
}

gboolean
tosst_store_claim (TosstStore *self, gint64 sweep, gint64 *run, int *split, GError **error)
{
  *run = 0;
  return tosst_store_begin (self, error) && tosst_store_end (self, claim (self, sweep, run, split, error), error);
}

#define AGAIN "(SELECT id FROM runs WHERE sweep = ? AND state IN ('failed', 'stopped'))"

/* What they left would be mixed with what comes. */
static gboolean
requeue (TosstStore *self, gint64 sweep, gsize *n, GError **error)
{
  static const char *const leftovers[]
      = { "DELETE FROM series WHERE run IN " AGAIN, "DELETE FROM results WHERE run IN " AGAIN,
          "DELETE FROM metrics WHERE run IN " AGAIN, "DELETE FROM timings WHERE run IN " AGAIN,
          "DELETE FROM artifacts WHERE run IN " AGAIN };

  for (gsize i = 0; i < G_N_ELEMENTS (leftovers); i++)
    if (!tosst_store_do (self, error, leftovers[i], "i", sweep))
      return FALSE;
  if (!tosst_store_do (self, error,
                       "UPDATE runs SET state = 'queued', reason = NULL, started = NULL, finished = NULL, heard = NULL "
                       "WHERE sweep = ? AND state IN ('failed', 'stopped')",
                       "i", sweep))
    return FALSE;
  if (n)
    *n = (gsize)sqlite3_changes (self->db);
  return TRUE;
}

gboolean
tosst_store_requeue (TosstStore *self, gint64 sweep, gsize *n, GError **error)
{
  return tosst_store_begin (self, error) && tosst_store_end (self, requeue (self, sweep, n, error), error);
}

gboolean
tosst_store_count (TosstStore *self, gint64 sweep, gsize *n, GError **error)
{
  for (int state = 0; state < TOSST_N_RUN_STATES; state++)
    {
      gint64 found;

      if (!tosst_store_number (self, &found, 0, error,
                               "SELECT count(*) FROM runs WHERE state = ?1 AND (?2 = 0 OR sweep = ?2)", "si",
                               tosst_run_state_name (state), sweep))
        return FALSE;
      n[state] = (gsize)found;
    }
  return TRUE;
}

gboolean
tosst_store_find (TosstStore *self, const char *hash, gint64 *run, GError **error)
{
  return tosst_store_number (self, run, 0, error, "SELECT max(id) FROM runs WHERE hash = ? AND state = 'done'", "s",
                             hash);
}

TosstRecipe *
tosst_store_recipe (TosstStore *self, gint64 run, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GError) cause = NULL;
  sqlite3_stmt *rows = tosst_store_query (self, error, "SELECT name, text FROM parameters WHERE run = ?", "i", run);
  guint n = 0;

  if (!rows)
    return NULL;
  for (; !cause && tosst_store_row (self, rows, &cause); n++)
    tosst_recipe_set (recipe, tosst_store_text (rows, 0), tosst_store_text (rows, 1), &cause);
  sqlite3_reset (rows);
  if (!cause && n > 0)
    return g_steal_pointer (&recipe);
  if (cause)
    g_propagate_prefixed_error (error, g_steal_pointer (&cause), _ ("run %" PRId64 ": "), run);
  else
    tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s has no run %" PRId64), self->name, run);
  return NULL;
}

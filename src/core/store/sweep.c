/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sweeps, and finding runs by hash or by recipe.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "core/base/error.h"
#include "core/store/private.h"

gint64
tosst_store_add_sweep (TosstStore *self, const char *title, const char *recipe, GError **error)
{
  if (!tosst_store_do (self, error, "INSERT INTO sweeps (title, recipe, created) VALUES (?, ?, ?)", "ssd",
                       title ? title : "", recipe, tosst_store_now ()))
    return -1;
  return sqlite3_last_insert_rowid (self->db);
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

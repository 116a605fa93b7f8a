/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recipe, series and artifacts of a run.
 */
#include "config.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "core/base/error.h"
#include "core/store/private.h"

gboolean
tosst_store_fail_missing (TosstStore *self, gint64 run, GError **error)
{
  return tosst_fail (error, TOSST_FAILED_INPUT, _ ("%s has no run %" PRId64), self->name, run);
}

TosstRecipe *
tosst_store_recipe (TosstStore *self, gint64 run, GError **error)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GError) cause = NULL;
  sqlite3_stmt *rows = tosst_store_query (self, &cause,
                                          "SELECT name, text FROM parameters WHERE run = ?"
                                          " ORDER BY name NOT IN ('descriptor.kind', 'coding.method')",
                                          "i", run);
  guint n = 0;

  for (; !cause && tosst_store_row (self, rows, &cause); n++)
    tosst_recipe_set (recipe, tosst_store_text (rows, 0), tosst_store_text (rows, 1), &cause);
  sqlite3_reset (rows);
  if (!cause && n > 0)
    return g_steal_pointer (&recipe);
  if (cause)
    g_propagate_prefixed_error (error, g_steal_pointer (&cause), _ ("run %" PRId64 ": "), run);
  else
    tosst_store_fail_missing (self, run, error);
  return NULL;
}

double *
tosst_store_series (TosstStore *self, gint64 run, int split, const char *name, gsize *n, GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (n != NULL, NULL);

  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  sqlite3_stmt *rows = tosst_store_query (
      self, error, "SELECT value FROM series WHERE run = ? AND split = ? AND name = ? ORDER BY iteration", "ins", run,
      split, name);

  while (tosst_store_row (self, rows, error))
    {
      double value = tosst_store_real (rows, 0);

      g_array_append_val (values, value);
    }
  *n = self->failed ? 0 : values->len;
  return *n ? (double *)(void *)g_array_free (g_steal_pointer (&values), FALSE) : NULL;
}

GBytes *
tosst_store_artifact (TosstStore *self, gint64 run, int split, const char *name, GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);

  sqlite3_stmt *row = tosst_store_query (
      self, error, "SELECT sha256, content FROM artifacts WHERE run = ? AND name = ? AND split = ?", "isn", run, name,
      split);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *sum = NULL;

  if (!tosst_store_row (self, row, error))
    {
      if (!self->failed)
        tosst_fail (error, TOSST_FAILED_INPUT, _ ("run %" PRId64 " in %s has no %s"), run, self->name, name);
      return NULL;
    }
  bytes = g_bytes_new (sqlite3_column_blob (row, 1), (gsize)sqlite3_column_bytes (row, 1));
  sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  gboolean same = g_str_equal (sum, tosst_store_text (row, 0));
  sqlite3_reset (row);
  if (same)
    return g_steal_pointer (&bytes);
  tosst_fail (error, TOSST_FAILED_DAMAGED, _ ("%s is damaged: %s of run %" PRId64 " does not match its checksum"),
              self->name, name, run);
  return NULL;
}

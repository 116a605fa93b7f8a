/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Status of a sweep in a store before its execution, as shown for an interrupted sweep.
 */
#include "core/base/base.h"
#include "core/sweep/private.h"

static TosstSweepResult *
nothing_done (const TosstSweepPlan *plan)
{
  TosstSweepResult *self = g_new0 (TosstSweepResult, 1);

  self->runs = plan->runs->len;
  self->outcome = g_new0 (TosstSweepOutcome, self->runs);
  for (guint i = 0; i < self->runs; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);

      self->outcome[i] = (TosstSweepOutcome){ .state = run->problem ? TOSST_RUN_FAILED : TOSST_RUN_QUEUED,
                                              .reason = g_strdup (run->problem),
                                              .accuracy = NAN,
                                              .deviation = NAN,
                                              .objective = NAN,
                                              .residual = NAN,
                                              .nonzeros = NAN,
                                              .seconds = NAN,
                                              .splits = run->recipe->dataset.splits };
    }
  return self;
}

/* Fills in the outcomes, replacing earlier contents. A run of another sweep counts only if it is done. */
static gboolean
fill (TosstStore *store, const TosstSweepPlan *plan, TosstContext *context, TosstSweepResult *out, GError **error)
{
  g_autoptr (GHashTable) members = g_hash_table_new (g_str_hash, g_str_equal);

  tosst_store_set_cancel (store, NULL, context);
  if (!tosst_store_find_sweep (store, plan->text, &out->sweep, error))
    return FALSE;
  g_autofree char *filter = g_strdup_printf ("sweep=%" PRId64, out->sweep);
  g_autoptr (GPtrArray) runs = tosst_store_list (store, "id", filter, error);
  for (guint i = 0; runs && i < runs->len; i++)
    g_hash_table_insert (members, ((TosstStoreRun *)runs->pdata[i])->hash, runs->pdata[i]);
  for (guint i = 0; runs && i < out->runs; i++)
    {
      const char *hash = tosst_sweep_plan_run (plan, i)->hash;
      const TosstStoreRun *member = g_hash_table_lookup (members, hash);
      TosstSweepOutcome *outcome = &out->outcome[i];
      gint64 done = 0;

      if (!(member && member->state == TOSST_RUN_DONE) && !tosst_store_find (store, hash, &done, error))
        return FALSE;
      if (!member && !done)
        continue;
      g_clear_pointer (&outcome->reason, g_free);
      if (!done)
        tosst_sweep_outcome_from_list (member, outcome);
      else if (!tosst_sweep_outcome_read (store, done, outcome, error))
        return FALSE;
      outcome->earlier = outcome->state == TOSST_RUN_DONE;
    }
  return runs != NULL;
}

gboolean
tosst_sweep_read_status (const TosstSweepPlan *plan, GFile *workspace, TosstContext *context, TosstSweepResult **result,
                         GError **error)
{
  g_autoptr (TosstSweepResult) out = nothing_done (plan);
  g_autoptr (TosstStore) store = NULL;

  *result = NULL;
  if (g_file_query_exists (workspace, NULL)
      && (!(store = tosst_store_open (workspace, TOSST_STORE_READ, error)) || !fill (store, plan, context, out, error)))
    return FALSE;
  for (guint i = 0; i < out->runs; i++)
    out->count[out->outcome[i].state]++;
  *result = g_steal_pointer (&out);
  return TRUE;
}

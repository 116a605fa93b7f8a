/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimate of time, memory and disk space of a sweep before it starts.
 */
#include "config.h"

#include <glib/gi18n.h>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/sweep/private.h"

/* Share of the available memory that all runs together may use. */
#define MEMORY_SHARE 0.85

static gboolean
is_cancelled (TosstContext *context, GError **error)
{
  return tosst_context_checkpoint (context)
         && !tosst_error_from_status (TOSST_CANCELLED, NULL, _ ("estimate of time and memory"), error);
}

int
tosst_sweep_together (const TosstSweepOptions *options)
{
  return MAX (1, options->together);
}

int
tosst_sweep_ranks (const TosstSweepOptions *options)
{
  return options->mail ? tosst_mail_size (options->mail) / tosst_sweep_together (options) : 1;
}

/* Jobs of each process for so many in all. */
static int
tosst_sweep_jobs_here (const TosstSweepOptions *options, int jobs)
{
  int ranks = tosst_sweep_ranks (options);

  return MAX (1, (jobs + ranks - 1) / ranks);
}

gboolean
tosst_sweep_fit (const TosstSweepPlan *plan, const gboolean *pending, const TosstSweepOptions *options,
                 TosstContext *context, int wanted, TosstSweepEstimate *out, GError **error)
{
  int here = tosst_sweep_jobs_here (options, wanted),
      processes = options->mail ? tosst_mail_node_size (options->mail) : 1;
  int threads = MAX (1, tosst_context_threads (context) / here);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  out->bytes = 0;
  out->disk = 0;
  out->available = tosst_memory_available () / (gsize)processes;
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);
      TosstRunEstimate needs = { 0 };

      if (is_cancelled (context, error))
        return FALSE;
      /* Runs with the same dictionary and codes need the same memory. */
      if (!pending[i]
          || !g_hash_table_add (seen,
                                tosst_run_part_hash (run->recipe, tosst_dataset_key (run->dataset), TOSST_PART_CODES)))
        continue;
      tosst_run_estimate (run->recipe, run->dataset, threads, &needs);
      out->bytes = MAX (out->bytes, needs.bytes);
      out->disk = MAX (out->disk, needs.files);
    }
  double fit = out->bytes > 0 ? MEMORY_SHARE * (double)out->available / (double)out->bytes : here;
  out->jobs = CLAMP ((int)MIN (fit, (double)here), 1, here) * tosst_sweep_ranks (options);
  out->jobs = MIN (out->jobs, MAX (wanted, 1));
  return TRUE;
}

/* Counts runs in the store, if there is one; pending: for each run, whether it is to be executed. Failed runs are
 * executed only with retry_failed. */
static gboolean
count_runs (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstStore *store, TosstContext *context,
            gboolean *pending, TosstSweepEstimate *out, GError **error)
{
  gint64 sweep = 0;

  if (store && !tosst_store_find_sweep (store, plan->text, &sweep, error))
    return FALSE;
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, i);
      gint64 done = 0, failed = 0;

      if (is_cancelled (context, error))
        return FALSE;
      if (store && !tosst_store_find (store, run->hash, &done, error))
        return FALSE;
      pending[i] = done == 0 && run->problem == NULL;
      if (sweep && pending[i] && !tosst_store_find_failed (store, sweep, run->hash, &failed, error))
        return FALSE;
      out->done += done != 0;
      out->problems += done == 0 && run->problem != NULL;
      out->failed += failed != 0;
      pending[i] = pending[i] && (failed == 0 || options->retry_failed);
    }
  return TRUE;
}

/* The context of a job, and the one that was asked, which may be cancelled. */
typedef struct
{
  TosstContext *asked, *job;
  int done; /* atomic */
} Relay;

#define RELAY_MICROSECONDS 20000

static gpointer
relay_cancel (gpointer data)
{
  Relay *self = data;

  while (!g_atomic_int_get (&self->done))
    {
      if (tosst_context_is_cancelled (self->asked))
        tosst_context_cancel (self->job);
      g_usleep (RELAY_MICROSECONDS);
    }
  return NULL;
}

/* Rates of a job with its share of the threads: two jobs of one thread do more than one of two. Without memory for another
 * context all threads are measured. */
static gboolean
find_rates (const TosstSweepPlan *plan, const gboolean *pending, int threads, TosstStore *store, TosstContext *context,
            double rate[TOSST_N_STAGES], gboolean *measured, GError **error)
{
  Relay relay = { .asked = context };
  gboolean ok;

  if (threads >= tosst_context_threads (context) || (relay.job = tosst_context_new (threads)) == NULL)
    return tosst_sweep_rates (plan, pending, store, context, rate, measured, error);
  GThread *thread = g_thread_new ("relay", relay_cancel, &relay);
  ok = tosst_sweep_rates (plan, pending, store, relay.job, rate, measured, error);
  g_atomic_int_set (&relay.done, TRUE);
  g_thread_join (thread);
  tosst_context_free (relay.job);
  return ok;
}

gboolean
tosst_sweep_estimate (const TosstSweepPlan *plan, const TosstSweepOptions *options, TosstContext *context,
                      TosstSweepEstimate *out, GError **error)
{
  g_return_val_if_fail (plan != NULL, FALSE);
  g_return_val_if_fail (options != NULL, FALSE);
  g_return_val_if_fail (context != NULL, FALSE);
  g_return_val_if_fail (out != NULL, FALSE);

  guint n = plan->runs->len;
  g_autofree gboolean *pending = g_new0 (gboolean, n);
  g_autofree guint *order = g_new (guint, n);
  g_autofree int *group = g_new (int, n), *tensors = g_new (int, n);
  g_autofree double *cost = g_new (double, n);
  g_autoptr (TosstStore) store = NULL;
  double rate[TOSST_N_STAGES], longest = 0;
  int wanted;

  *out = (TosstSweepEstimate){ .runs = n };
  if (options->workspace && g_file_query_exists (options->workspace, NULL)
      && !(store = tosst_store_open (options->workspace, TOSST_STORE_READ, error)))
    return FALSE;
  if (store)
    tosst_store_set_cancel (store, NULL, context);
  if (!count_runs (plan, options, store, context, pending, out, error))
    return FALSE;
  tosst_sweep_order (plan, order, group, tensors);
  out->groups = tosst_sweep_count_groups (plan, pending, group);
  out->free_disk = options->workspace ? tosst_disk_free (options->workspace) : 0;
  wanted = MIN (MAX (options->jobs, 1) * tosst_sweep_ranks (options), (int)MAX (out->groups, 1));
  if (!tosst_sweep_fit (plan, pending, options, context, wanted, out, error)
      || !find_rates (plan, pending,
                      MAX (1, tosst_context_threads (context) / tosst_sweep_jobs_here (options, out->jobs)), store,
                      context, rate, &out->measured, error))
    return FALSE;
  tosst_sweep_costs (plan, order, pending, rate, cost);
  for (guint i = 0; i < n; i++)
    if (pending[i])
      {
        out->seconds += cost[i] / out->jobs;
        if (cost[i] > longest)
          longest = cost[i];
      }
  /* NAN remains. */
  if (longest > out->seconds)
    out->seconds = longest;
  return TRUE;
}

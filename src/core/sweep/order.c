/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order of runs: runs with the same tensors are consecutive, within them runs with the same dictionary, then codes and
 * signatures, so that shared results are needed for a short time only. Otherwise the order of the plan. The first run
 * that uses a shared result computes it.
 */
#include "core/base/base.h"
#include "core/run/private.h"
#include "core/sweep/private.h"

typedef struct
{
  guint run;
  guint rank[TOSST_N_RUN_PARTS]; /* of the hash of each part: order of its first occurrence */
} Place;

static guint
rank_of (GHashTable *ranks, const TosstSweepRun *run, TosstRunPart part)
{
  g_autofree char *hash = tosst_run_part_hash (run->recipe, run->dataset ? run->dataset->key : "", part);
  gpointer rank;

  if (!g_hash_table_lookup_extended (ranks, hash, NULL, &rank))
    {
      rank = GUINT_TO_POINTER (g_hash_table_size (ranks));
      g_hash_table_insert (ranks, g_steal_pointer (&hash), rank);
    }
  return GPOINTER_TO_UINT (rank);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;

  for (int part = 0; part < TOSST_N_RUN_PARTS; part++)
    if (p->rank[part] != q->rank[part])
      return p->rank[part] < q->rank[part] ? -1 : 1;
  return (p->run > q->run) - (p->run < q->run);
}

void
tosst_sweep_order (const TosstSweepPlan *plan, guint *order, int *group, int *tensors)
{
  guint n = plan->runs->len;
  g_autoptr (GHashTable) ranks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree Place *places = g_new (Place, n);

  for (guint i = 0; i < n; i++)
    {
      places[i].run = i;
      for (int part = 0; part < TOSST_N_RUN_PARTS; part++)
        places[i].rank[part] = rank_of (ranks, tosst_sweep_plan_run (plan, i), part);
      group[i] = (int)places[i].rank[TOSST_PART_DICTIONARY];
      tensors[i] = (int)places[i].rank[TOSST_PART_TENSORS];
    }
  qsort (places, n, sizeof *places, compare);
  for (guint i = 0; i < n; i++)
    order[i] = places[i].run;
}

guint
tosst_sweep_count_groups (const TosstSweepPlan *plan, const gboolean *pending, const int *group)
{
  g_autoptr (GHashTable) groups = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < plan->runs->len; i++)
    if (pending[i])
      g_hash_table_add (groups, GINT_TO_POINTER (group[i]));
  return g_hash_table_size (groups);
}

/* Whether this part has not been computed yet. */
static gboolean
is_new (GHashTable *made, const TosstSweepRun *run, TosstRunPart part)
{
  return g_hash_table_add (made, tosst_run_part_hash (run->recipe, run->dataset->key, part));
}

void
tosst_sweep_costs (const TosstSweepPlan *plan, const guint *order, const gboolean *pending,
                   const double rate[TOSST_N_STAGES], double *cost)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  memset (cost, 0, sizeof *cost * plan->runs->len);
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, order[i]);
      double work[TOSST_N_STAGES];

      if (!pending[order[i]])
        continue;
      tosst_run_work (run->recipe, run->dataset, work);
      work[TOSST_STAGE_DESCRIBE] *= is_new (made, run, TOSST_PART_TENSORS);
      work[TOSST_STAGE_LEARN] *= is_new (made, run, TOSST_PART_DICTIONARY);
      work[TOSST_STAGE_CODE] *= is_new (made, run, TOSST_PART_CODES);
      for (int stage = 0; stage < TOSST_N_STAGES; stage++)
        cost[order[i]] += work[stage] > 0 ? work[stage] * rate[stage] : 0;
    }
}

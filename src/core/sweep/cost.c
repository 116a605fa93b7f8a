/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cost of runs if shared results are computed by the first run that uses them.
 */
#include "config.h"

#include <string.h>

#include "core/run/private.h"
#include "core/sweep/private.h"

void
tosst_sweep_work (const TosstRecipe *recipe, TosstDataset *dataset, double work[TOSST_N_STAGES])
{
  TosstShape shape = tosst_recipe_shape (recipe);
  gsize patches;
  double splits = tosst_dataset_splits (dataset, recipe);

  tosst_patches_bytes (dataset, recipe->descriptor.patch, recipe->descriptor.step, &patches);
  const TosstRunSizes sizes = { recipe, (double)patches, (double)tosst_shape_numbers (shape), shape.d1, TRUE };
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    work[stage] = tosst_run_stage_work (&sizes, stage) * (stage == TOSST_STAGE_DESCRIBE ? 1 : splits);
}

/* Whether this part has not been computed yet. */
static gboolean
is_new (GHashTable *made, const TosstSweepRun *run, TosstRunPart part)
{
  return g_hash_table_add (made, tosst_run_part_hash (run->recipe, tosst_dataset_fingerprint (run->dataset), part));
}

void
tosst_sweep_costs (const TosstSweepPlan *plan, const guint *order, const gboolean *begins,
                   const double rate[TOSST_N_STAGES], double *cost)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  memset (cost, 0, sizeof *cost * plan->runs->len);
  for (guint i = 0; i < plan->runs->len; i++)
    {
      const TosstSweepRun *run = tosst_sweep_plan_run (plan, order[i]);
      double work[TOSST_N_STAGES];

      if (!begins[order[i]])
        continue;
      tosst_sweep_work (run->recipe, run->dataset, work);
      work[TOSST_STAGE_DESCRIBE] *= is_new (made, run, TOSST_PART_TENSORS);
      work[TOSST_STAGE_LEARN] *= is_new (made, run, TOSST_PART_DICTIONARY);
      work[TOSST_STAGE_CODE] *= is_new (made, run, TOSST_PART_CODES);
      for (int stage = 0; stage < TOSST_N_STAGES; stage++)
        cost[order[i]] += work[stage] > 0 ? work[stage] * rate[stage] : 0;
    }
}

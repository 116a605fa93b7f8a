/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the final run takes, by the time of a trial. The trial has the same stages with fewer images, so that each
 * stage takes its time in the trial times the ratio of the expected work of both.
 */
#include "config.h"

#include "core/tune/private.h"

#include "core/run/private.h"

/* Part of a run that is not expected to grow, relative to its time. */
static double
ratio_of (double final, double trial)
{
  return trial > 0 && final > trial ? final / trial : 1;
}

double
tosst_tune_work (const TosstRecipe *recipe, TosstDataset *dataset)
{
  double work[TOSST_N_STAGES], sum = 0;

  tosst_run_work (recipe, dataset, work);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    sum += work[stage];
  return sum;
}

double
tosst_tune_final_ratio (const TosstRecipe *final, const TosstRecipe *trial, TosstDataset *dataset)
{
  return ratio_of (tosst_tune_work (final, dataset), tosst_tune_work (trial, dataset));
}

double
tosst_tune_final_seconds (const TosstRecipe *final, const TosstRecipe *trial, TosstDataset *dataset,
                          const TosstRunResult *result)
{
  double more[TOSST_N_STAGES], less[TOSST_N_STAGES], seconds, staged = 0;

  tosst_run_work (final, dataset, more);
  tosst_run_work (trial, dataset, less);
  /* The final run shares nothing with the trials, since it has other images. */
  seconds = result->seconds_shared * ratio_of (more[TOSST_STAGE_DESCRIBE], less[TOSST_STAGE_DESCRIBE]);
  for (int stage = 0; stage < TOSST_N_STAGES; stage++)
    {
      seconds += result->seconds[stage] * ratio_of (more[stage], less[stage]);
      staged += result->seconds[stage];
    }
  /* Time outside of stages: of the weights of a combination, and of what is compared for them. */
  return seconds
         + MAX (result->seconds_total - staged, 0) * ratio_of (more[TOSST_STAGE_TRAIN], less[TOSST_STAGE_TRAIN]);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/classify-ranks.h"

#include <glib/gi18n.h>

#include "cli/interrupt.h"
#include "cli/ranks.h"
#include "core/base/error.h"
#include "core/run/hash.h"
#include "core/run/travel.h"
#include "core/sweep/sweep.h"

gboolean
cli_classify_ranks_check (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  g_autofree char *hash = NULL, *text = NULL;

  if (!cli_ranks ())
    return TRUE;
  if (cli_call_value (call, "tune"))
    return cli_usage_error (error, _ ("--tune is not divided over processes: start it without mpirun or srun"));
  if (!tosst_run_check_divided (recipe, error) || !cli_ranks_check_same (call, error))
    return FALSE;
  hash = tosst_run_hash (recipe, tosst_dataset_key (dataset), -1);
  text = g_strdup_printf ("recipe and data %s", hash);
  return tosst_processes_check_same (cli_ranks (), text, error);
}

TosstRunResult *
cli_classify_ranks_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                            const TosstRunObserver *observer, const TosstRunOptions *options, gpointer executor,
                            TosstRunResult **partial, GError **error)
{
  const TosstRunOptions earlier = { .done = options->done, .n_done = options->n_done };
  TosstRunOptions own = *options;
  g_autoptr (GBytes) start = tosst_run_pack_start (recipe, dataset, &earlier);
  g_autoptr (GBytes) shared = cli_ranks_share_bytes (start, error);

  own.keep = NULL;
  own.ranks = cli_ranks ();
  return shared ? tosst_run_execute_with (recipe, dataset, context, observer, &own, partial, error) : NULL;
}

gboolean
cli_classify_ranks_join (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GError **error)
{
  TosstContext *context = cli_call_context (call);
  TosstRunOptions own
      = { .ranks = cli_ranks (), .interval = cli_call_value (call, "workspace") ? TOSST_SWEEP_CHECKPOINT : 0 };
  g_autoptr (TosstRunResult) result = NULL;
  g_autoptr (TosstRunStart) start = NULL;
  g_autoptr (GBytes) shared = NULL;

  cli_interrupt_hold (TRUE);
  shared = cli_ranks_share_bytes (NULL, error);
  if (!shared)
    return FALSE;
  start = tosst_run_unpack_start (shared, (int)tosst_dataset_classes (dataset));
  if (!start)
    return tosst_fail (error, TOSST_FAILED_INPUT, _ ("another process sent what this one cannot read"));
  own.done = (const TosstSplitResult *)(const void *)start->done->data;
  own.n_done = (int)start->done->len;
  result = tosst_run_execute_with (recipe, dataset, context, NULL, &own, NULL, error);
  return result != NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "cli/learn-check.h"

#include <glib/gi18n.h>
#include <math.h>

#include "cli/ranks.h"
#include "core/base/error.h"
#include "core/base/memory.h"

/* Default of --checkpoint, seconds. */
#define CHECKPOINT_SECONDS 30

gboolean
cli_learn_check_options (const TosstLearnOptions *options, const TosstLearnRun *run, gsize n, TosstShape shape,
                         GError **error)
{
  const char *why = tosst_learn_options_check (options, n, shape);

  if (!why)
    why = tosst_learn_run_check (run, options, n, shape);
  if (!why)
    return TRUE;
  if ((gsize)options->atoms > n * (gsize)tosst_shape_slices (shape))
    return tosst_fail (error, TOSST_FAILED_RECIPE,
                       _ ("dictionary.atoms is %d, more than the slices of the tensors to learn from, %zu"),
                       options->atoms, n * (gsize)tosst_shape_slices (shape));
  return tosst_fail (error, TOSST_FAILED_RECIPE, "%s", why);
}

gboolean
cli_learn_check_memory (CliCall *call, const CliLearnInput *input, const TosstLearnOptions *options,
                        const TosstMinibatchOptions *minibatch, double *bytes, GError **error)
{
  TosstLayout *layout = tosst_layout_new_shape (input->shape);
  int threads = cli_call_threads (call), ranks = cli_ranks () ? cli_ranks ()->size : 0;
  gsize first, n = cli_ranks_share (input->n, &first);
  double needed, there = (double)tosst_memory_available ();

  *bytes = (double)(minibatch ? tosst_minibatch_memory (layout, options, minibatch, ranks, threads)
                              : tosst_learn_memory (layout, n, options, ranks, threads));
  if (input->describer)
    *bytes = MAX (*bytes, (double)cli_describer_memory (input->describer));
  if (input->describer || (cli_ranks () && !minibatch))
    *bytes += (double)n * (double)layout->m * sizeof (float);
  needed = *bytes * (cli_processes () ? cli_processes ()->node_size : 1);
  tosst_layout_free (layout);
  if (needed < there)
    return TRUE;
  return tosst_fail (
      error, TOSST_FAILED_MEMORY,
      _ ("learning needs %.1f GB of memory and %.1f GB are available; lower dictionary.atoms or dictionary.sample"),
      needed / 1e9, there / 1e9);
}

gboolean
cli_learn_parse_interval (CliCall *call, double *interval, GError **error)
{
  const char *text = cli_call_value (call, "checkpoint");
  char *end;

  *interval = CHECKPOINT_SECONDS;
  if (!text)
    return TRUE;
  *interval = g_ascii_strtod (text, &end);
  if (end != text && !*end && *interval >= 0 && isfinite (*interval))
    return TRUE;
  return cli_usage_error (error, _ ("--checkpoint must be a number of seconds, not “%s”"), text);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run over the processes of a launcher: all execute it together, and process 0 records it and writes the outputs.
 */
#pragma once

#include "cli/call.h"
#include "core/run/run.h"

G_BEGIN_DECLS

/* Whether the call can be divided, and all have the same recipe and data. Collective; TRUE for a process alone. */
gboolean cli_classify_ranks_check (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GError **error);

/* As tosst_run_execute_with(), on process 0, for TosstRecorded: earlier splits are sent to the others. */
TosstRunResult *cli_classify_ranks_execute (const TosstRecipe *recipe, TosstDataset *dataset, TosstContext *context,
                                            const TosstRunObserver *observer, const TosstRunOptions *options,
                                            gpointer executor, TosstRunResult **partial, GError **error);
/* The same on the others, whose result is that of process 0. */
gboolean cli_classify_ranks_join (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/data/dataset.h"

/* Fails if the run would write more tensors to the disk than fit. Says in one line on standard error, unless --quiet or
 * --json, how much time, memory and disk the run takes, by running it on a few images. workspace: the store of the run,
 * or NULL. */
gboolean cli_forecast (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace,
                       GError **error);

/* Fails in the same case, and says nothing. */
gboolean cli_check_disk (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, GFile *workspace,
                         GError **error);

/* Estimated seconds of a run, by running it on a few images; NAN if they are not known. */
gboolean cli_estimate_time (CliCall *call, const TosstRecipe *recipe, TosstDataset *dataset, double *seconds,
                            GError **error);

/* "40 s", "3 min" or "2.5 h". New. */
char *cli_duration (double seconds);

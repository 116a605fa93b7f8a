/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/data/dataset.h"
#include "core/store/store.h"

/* The row of --tune for the options of a command. */
#define CLI_TUNE_OPTION                                                                                                \
  {                                                                                                                    \
    "tune", 0, "MINUTES",                                                                                              \
        N_ ("Choose method and values by training images alone, in so many minutes, then train and test the best")     \
  }

/* Minutes of --tune in seconds; 0: not given. FALSE with a usage error. */
gboolean cli_tune_seconds (CliCall *call, double *seconds, GError **error);

/* Tries recipes on nested splits for so long, with a line on standard output for each trial as it ends. store: that records
 * trials, or NULL. Returns the best recipe (new), the expected time of its run and its trials (new), or NULL with error. */
TosstRecipe *cli_tune (CliCall *call, const TosstRecipe *base, TosstDataset *dataset, TosstStore *store, double seconds,
                       double *expected, JsonArray **trials, GError **error);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/runner.h"
#include "studio/runs/workspace.h"

/* Accuracy, splits, confusion matrix and classes of the last run; the blocks counted by a cell of the matrix, and the
 * atoms they share. Signals: "block-chosen" (uint image, int x, int y) and "atom-chosen" (int atom), of one of these,
 * in the run's data set and dictionary. */
#define STUDIO_TYPE_RESULTS_VIEW (studio_results_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioResultsView, studio_results_view, STUDIO, RESULTS_VIEW, AdwBin)

/* Once; the workspace has the names of runs. */
void studio_results_view_set_runner (StudioResultsView *self, StudioRunner *runner, StudioWorkspace *workspace);

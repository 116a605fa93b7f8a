/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/run/scores.h"

/* What tosst classify tells of images with several labels. */

/* Size of plots. */
#define CLI_PLOT_WIDTH 720
#define CLI_PLOT_HEIGHT 440

/* Fails if the recipe has no results for one of --confusion and --curves, or if the name after --curves has
 * another ending than .csv, .svg, .pdf and .png. */
gboolean cli_scores_check (CliCall *call, const TosstRecipe *recipe, GError **error);
/* Writes the files of --scores and --curves, if given. */
gboolean cli_scores_save (CliCall *call, const TosstRunResult *result, TosstDataset *dataset, GError **error);
/* Saves the precision-recall curves of the first split as a plot. */
gboolean cli_scores_save_plot (const TosstRunResult *result, GFile *file, GError **error);
/* A table of the classes and a line with their mean; new. */
char *cli_scores_text (const TosstRunResult *result);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"

/* Creates the folder. Both functions do nothing if folder is NULL. */
gboolean cli_classify_plots_prepare (const char *folder, GError **error);
/* objective.png (first split, from its TosstIteration array) and accuracy.png (over splits). */
gboolean cli_classify_plots (const char *folder, const GArray *trace, const TosstRunResult *result, GError **error);

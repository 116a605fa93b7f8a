/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/predict/predictor.h"

/* tosst predict --map and --map-npy. */

gboolean cli_predict_wants_map (CliCall *call);
/* What was said of maps makes sense, and can be written. */
gboolean cli_predict_check_map (CliCall *call, GError **error);
/* name: as messages and results have it. */
gboolean cli_predict_map (CliCall *call, const TosstPredictor *predictor, GFile *image, const char *name,
                          GError **error);

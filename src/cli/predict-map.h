/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "cli/call.h"
#include "core/predict/predictor.h"

/* tosst predict --map and --map-npy. */

gboolean cli_predict_wants_map (CliCall *call);
/* Checks that the options of maps are valid and the outputs can be written. */
gboolean cli_predict_check_map (CliCall *call, GError **error);
/* name: of the image in messages and results. */
gboolean cli_predict_map (CliCall *call, const TosstPredictor *predictor, GFile *image, const char *name,
                          GError **error);

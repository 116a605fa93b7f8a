/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"

/* Predictions of a split in the form of the store: a header line, then "sample,true,predicted,near_predicted,near_true" per
 * test sample, indices from 0, those of the nearest samples with spaces between them. New. */
GBytes *tosst_predictions_to_csv (const GArray *predictions);

/* Parses that form, and that of earlier versions without the nearest samples. Returns a new array of TosstPrediction; NULL if it is invalid or does not match the confusion
 * matrix (classes x classes) of its split. */
GArray *tosst_predictions_from_csv (GBytes *csv, const int *confusion, int classes);

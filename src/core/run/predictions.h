/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"

G_BEGIN_DECLS

/* The predictions of a split as a store keeps them: a heading, then "sample,true,predicted" per test sample, indices
 * from 0. New. */
GBytes *tosst_predictions_to_csv (const GArray *predictions);

/* Back again: of TosstPrediction, new. NULL for what cannot be read or does not add up to the confusion (classes x
 * classes) of its split. */
GArray *tosst_predictions_from_csv (GBytes *csv, const int *confusion, int classes);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/run/run.h"

/* One class of a run with several labels an image: its precision-recall curve, and the images that it ranks best and
 * worst, with their scores. Signal "image-chosen" (uint image) of a double click or Enter on one. */
#define STUDIO_TYPE_CLASS_SCORES (studio_class_scores_get_type ())
G_DECLARE_FINAL_TYPE (StudioClassScores, studio_class_scores, STUDIO, CLASS_SCORES, AdwBin)

/* Of the first split. */
void studio_class_scores_show (StudioClassScores *self, TosstDataset *dataset, const TosstRunResult *result,
                               int class_index);
void studio_class_scores_clear (StudioClassScores *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/widgets/picture-view.h"

/* A confusion matrix; a bubble describes the cell under the pointer: "D3 predicted as D7: 4". Arrow keys choose a cell,
 * which is framed. Signal "cell-activated" with row (the true class) and column, at a click, Return or space. */
#define STUDIO_TYPE_CONFUSION_VIEW (studio_confusion_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioConfusionView, studio_confusion_view, STUDIO, CONFUSION_VIEW, StudioPictureView)

/* classes x classes counts and names, copied; 0 classes: nothing. */
void studio_confusion_view_set_counts (StudioConfusionView *self, const int *counts, guint classes,
                                       const char *const *names);
/* Keeps its height when widgets below it appear, until its width or counts change. */
void studio_confusion_view_hold (StudioConfusionView *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/predict/class-map.h"

G_BEGIN_DECLS

/* Computes class_index and margins of a map whose sizes are set: each window is classified as an image of its own. */
gboolean tosst_class_map_fill_crops (TosstClassMap *self, const TosstPredictor *predictor, TosstContext *context,
                                     const TosstImage *image, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/predict/predict-detail.h"

/* Predicts images by the model of a run or of a file: classes, margins, and the map of classes over the chosen image.
 * Signals: "corrected" (GFile *, const char *class_name)  the user wants this image to train this class;
 * "exported" (const char *name, const char *problem)  a file was written, or why not; "changed"  for the session. */
#define STUDIO_TYPE_PREDICT_VIEW (studio_predict_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioPredictView, studio_predict_view, STUDIO, PREDICT_VIEW, AdwBin)

/* The model of the run of this number, used unless a file is open; NULL: none. */
void studio_predict_view_set_run (StudioPredictView *self, TosstModel *model, guint run);
void studio_predict_view_open_model (StudioPredictView *self, GFile *file);
void studio_predict_view_add (StudioPredictView *self, GPtrArray *images); /* GFile */
/* Adds images, and those of folders; opens model files. Returns whether it takes the file. */
gboolean studio_predict_view_take (StudioPredictView *self, GFile *file);
/* The class that an image trains from that run on; NULL: none. */
void studio_predict_view_correct (StudioPredictView *self, GFile *file, const char *class_name, guint from_run);
StudioPredictDetail *studio_predict_view_get_detail (StudioPredictView *self); /* of the chosen image */

/* kind: "map" or "predictions". */
gboolean studio_predict_view_can_export (StudioPredictView *self, const char *kind);
void studio_predict_view_export (StudioPredictView *self, const char *kind, GFile *file);
void studio_predict_view_export_dialog (StudioPredictView *self, const char *kind);

/* The state for the session. */
GFile *studio_predict_view_get_model_file (StudioPredictView *self); /* NULL: the run */
GListModel *studio_predict_view_get_items (StudioPredictView *self); /* StudioPredictItem */
gboolean studio_predict_view_is_busy (StudioPredictView *self);
StudioPredictMap *studio_predict_view_get_map (StudioPredictView *self); /* NULL: none */

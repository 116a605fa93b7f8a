/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/predict/predict-item.h"
#include "studio/predict/predict-pictures.h"
#include "studio/widgets/save-dialog.h"

/* Files of the Predict view. kind: "map", the picture, or "predictions", a table of the items. */
gboolean studio_predict_can_export (const StudioMapPicture *picture, GListModel *items, const char *kind);
/* Writes a copy in a thread; the view then emits "exported". */
void studio_predict_export (GObject *view, const StudioMapPicture *picture, GListModel *items, const TosstModel *model,
                            const char *kind, GFile *file);
void studio_predict_export_dialog (GtkWidget *view, const char *kind, StudioSaveChosen chosen);

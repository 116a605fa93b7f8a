/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/predict/predict-detail.h"

/* Predicts images by the model of a run or of a file: classes, margins, and the map of classes over the chosen image.
 * Signals: "corrected" (GFile *, const char *class_name)  the user wants this image to train this class;
 * "exported" (const char *name, const char *problem)  a file was written, or why not; "changed"  for the session. */
#define STUDIO_TYPE_PREDICT_VIEW (studio_predict_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioPredictView, studio_predict_view, STUDIO, PREDICT_VIEW, AdwBin)

/* Other files only read the members. */
struct _StudioPredictView
{
  AdwBin parent_instance;
  TosstModel *run_model, *file_model; /* NULL: none */
  TosstModel *retrained;              /* the model of the run with corrections; NULL: none */
  guint run;                          /* of run_model */
  gboolean retraining;
  GFile *model_file;    /* of file_model, or being opened; NULL: the model of the run */
  StudioWorker *worker; /* NULL before the first request */
  GListStore *items;    /* StudioPredictItem */
  double map_fraction;
  gboolean cancelled;

  GtkWidget *stack, *fold, *drop_page, *model_problem, *images_problem, *list_problem, *model_name, *counts,
      *model_button, *list, *progress_box, *progress, *detail;
  GtkSingleSelection *selection;
};

/* The model of the run of this number, used unless a file is open; NULL: none. */
void studio_predict_view_set_run (StudioPredictView *self, TosstModel *model, guint run);
void studio_predict_view_open_model (StudioPredictView *self, GFile *file);
void studio_predict_view_add (StudioPredictView *self, GPtrArray *images); /* GFile */
/* Adds images, and those of folders; opens model files. Returns whether it takes the file. */
gboolean studio_predict_view_take (StudioPredictView *self, GFile *file);
/* The class that an image trains from that run on; NULL: none. */
void studio_predict_view_correct (StudioPredictView *self, GFile *file, const char *class_name, guint from_run);

gboolean studio_predict_view_is_busy (StudioPredictView *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/dictionary/model.h"
#include "studio/predict/predict-work.h"

typedef enum
{
  STUDIO_PREDICT_WAITING,
  STUDIO_PREDICT_DONE,
  STUDIO_PREDICT_FAILED,
  STUDIO_PREDICT_CANCELLED,
} StudioPredictState;

/* One image of the Predict view. Signal "changed". Members are read by others, and set by the functions below. */
#define STUDIO_TYPE_PREDICT_ITEM (studio_predict_item_get_type ())
G_DECLARE_FINAL_TYPE (StudioPredictItem, studio_predict_item, STUDIO, PREDICT_ITEM, GObject)

struct _StudioPredictItem
{
  GObject parent_instance;
  guint id; /* unique in the program */
  GFile *file;
  char *name;
  StudioPredictState state;
  TosstModel *model; /* of the prediction; NULL: none */
  int class_index;
  double *margins;       /* classes of the model */
  double *probabilities; /* classes; NULL: the model has none */
  char *problem;         /* of FAILED: why, a sentence that begins with the file */
  GdkTexture *texture;
  char *truth;    /* class that the user set, or NULL */
  guint from_run; /* with it: the first run (studio_runner_get_id()) that trains with the image */
};

StudioPredictItem *studio_predict_item_new (GFile *file);
void studio_predict_item_wait (StudioPredictItem *self); /* for another prediction */
void studio_predict_item_fail (StudioPredictItem *self, const char *problem);
/* Takes margins. trained: the model was trained with the image, and its probabilities say nothing of it. */
void studio_predict_item_set (StudioPredictItem *self, TosstModel *model, int class_index, double *margins,
                              gboolean trained);
void studio_predict_item_set_texture (StudioPredictItem *self, GdkTexture *texture);

/* The probability of a class of an image that is predicted, "93 %", or its margin, "0.42". New. */
char *studio_predict_item_format (const StudioPredictItem *self, int class_index);
/* How much the first class is ahead of the second, by probability or margin, or with several labels an image how far all of them
 * are from one half; infinite without a prediction. */
double studio_predict_item_lead (const StudioPredictItem *self);
/* The predicted class, or with several labels an image all classes that it shows; the state if there is none. New. */
char *studio_predict_item_describe (StudioPredictItem *self);
/* Lists of items. */
guint studio_predict_items_count (GListModel *items, StudioPredictState state);
StudioPredictItem *studio_predict_items_find (GListModel *items, guint id); /* borrowed; NULL: none */
void studio_predict_items_wait (GListModel *items);                         /* all of them */
void studio_predict_items_cancel (GListModel *items);                       /* those that wait */
/* Corrects the items of this file. A later correction leaves from_run. */
void studio_predict_items_set_truth (GListModel *items, GFile *file, const char *class_name, guint from_run);
/* Asks to train with the corrections that no run up to this one has. Their number. */
guint studio_predict_items_add_corrections (GListModel *items, guint run, StudioPredictQuestion *question);
/* A line for each item of the list that is predicted: image, class, margin, class of the user, margins of all classes of
 * the model, probability. New. */
char *studio_predict_items_to_csv (GListModel *items, const TosstModel *model);

/* How many images each class of the model has, the largest number first: "linen 12 · corduroy 5". New; NULL if no image is
 * predicted, or with several labels an image. */
char *studio_predict_items_summarise (GListModel *items, const TosstModel *model);

/* Asks for the classes of all that wait; first, if not NULL, goes before the others. */
void studio_predict_items_add_waiting (GListModel *items, StudioPredictItem *first, StudioPredictQuestion *question);

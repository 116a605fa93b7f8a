/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/predict/class-map.h"
#include "studio/tasks/worker.h"

/* Predicting in a thread: first the map of one image, if one is wanted, then the classes of others. A new request
 * replaces the one before. */

typedef struct
{
  guint id;
  GFile *file;
} StudioPredictFile;

/* A request. Plain data; without files and map it only ends the one before. With corrections the model, which has
 * TosstModel.training, is trained again with these files, and nothing else is done. */
typedef struct
{
  TosstModel *model;
  GArray *corrections, *labels; /* StudioPredictFile, and int: their classes */
  GArray *files;                /* StudioPredictFile, of which classes are wanted */
  StudioPredictFile map;
  gboolean wants_map;
  int window; /* of the map; 0: by the model */
} StudioPredictQuestion;

StudioPredictQuestion *studio_predict_question_new (TosstModel *model);
void studio_predict_question_free (gpointer question);
void studio_predict_question_add (StudioPredictQuestion *self, guint id, GFile *file);

/* The map and what it is drawn with. In a reference-counted box, any thread. */
typedef struct
{
  TosstClassMap *map;
  TosstImage *image; /* grey */
  TosstModel *model;
  guint id;
} StudioPredictMap;

void studio_predict_map_unref (StudioPredictMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioPredictMap, studio_predict_map_unref)

/* An answer about image id, 0: about the request as a whole. Of the members below only those of the news are set. */
typedef struct
{
  TosstModel *model;
  guint id;
  double fraction; /* of the map; < 0: no news of it */
  int class_index;
  double *margins;     /* NULL: no news of classes */
  GdkTexture *texture; /* at most STUDIO_PREDICT_SIDE pixels */
  StudioPredictMap *map;
  TosstModel *retrained;
  char *problem;     /* why there are no classes, or no model with corrections */
  char *map_problem; /* why there is no map */
} StudioPredictAnswer;

#define STUDIO_PREDICT_SIDE 1024

void studio_predict_answer_free (StudioPredictAnswer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioPredictAnswer, studio_predict_answer_free)

StudioWorker *studio_predict_worker_new (StudioNotifyFunc notify, gpointer data);

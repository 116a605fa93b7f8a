/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/predict/draw-map.h"
#include "studio/predict/predict-item.h"
#include "studio/widgets/picture-view.h"

/* A class map over its image. */
typedef struct
{
  StudioPredictMap *map; /* NULL: none */
  double opacity;
  gboolean uncertain;
} StudioMapPicture;

/* A copy to be written by a thread: a StudioWriteFunc and its data. */
StudioMapPicture *studio_map_picture_copy (const StudioMapPicture *self);
void studio_map_picture_free (gpointer self);
gboolean studio_map_picture_write (gpointer self, GFile *file, GError **error);

/* One predicted image: its class, its margins, the map of classes over it, and its correction. Signals:
 * "corrected" (GFile *, const char *class_name)  by the user;
 * "window-changed"  a map of other windows is wanted; "drawing-changed"  opacity or fading changed. */
#define STUDIO_TYPE_PREDICT_DETAIL (studio_predict_detail_get_type ())
G_DECLARE_FINAL_TYPE (StudioPredictDetail, studio_predict_detail, STUDIO, PREDICT_DETAIL, AdwBin)

/* Other files only read the members. */
struct _StudioPredictDetail
{
  AdwBin parent_instance;
  TosstModel *model;       /* NULL: none */
  StudioPredictItem *item; /* NULL: none */
  StudioMapPicture map_picture;
  TosstMarginsDrawing margins_drawing;
  char *map_failed; /* why there is no map, or NULL */
  guint window_source;
  int window_size; /* chosen by the user; 0: the default */
  gboolean stale;  /* a map of other windows is wanted */
  gboolean updating;
  char *uncorrectable;

  GtkWidget *verdict, *facts, *correction, *classes, *correct_button, *retrain, *said, *picture_stack, *image, *map,
      *map_problem, *map_controls, *show_map, *opacity, *fade, *window, *margins;
};

/* Another image, or a change of it; the map and the window are forgotten with the former image or model. Both may be
 * NULL. */
void studio_predict_detail_show (StudioPredictDetail *self, TosstModel *model, StudioPredictItem *item);
/* Takes map; problem: why there is none, or NULL. */
void studio_predict_detail_take_map (StudioPredictDetail *self, StudioPredictMap *map, const char *problem);
gboolean studio_predict_detail_wants_map (StudioPredictDetail *self);
void studio_predict_detail_set_drawing (StudioPredictDetail *self, double opacity, gboolean uncertain);
/* Why images cannot join the training data; NULL: they can. */
void studio_predict_detail_set_uncorrectable (StudioPredictDetail *self, const char *reason);
void studio_predict_detail_say (StudioPredictDetail *self,
                                const char *sentence); /* about a correction; NULL: nothing */

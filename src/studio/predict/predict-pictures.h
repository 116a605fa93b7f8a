/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/predict/draw-map.h"
#include "studio/predict/predict-work.h"
#include "studio/widgets/picture-view.h"

/* The two pictures of the Predict view: the class map over its image, and the margins. With the pointer over them
 * a bubble tells its classes and margins. Plain members of the view, which calls
 * studio_picture_view_show_own() after changes. */

typedef struct
{
  StudioPredictMap *map; /* NULL: none */
  double opacity;
  gboolean uncertain;
} StudioMapPicture;

typedef struct
{
  TosstMarginsDrawing drawing;
} StudioMarginsPicture;

extern const StudioPictureFuncs studio_map_picture_funcs;     /* data is a StudioMapPicture */
extern const StudioPictureFuncs studio_margins_picture_funcs; /* data is a StudioMarginsPicture */

TosstMapDrawing studio_map_picture_drawing (const StudioMapPicture *self);

/* A copy to be written by a thread: a StudioWriteFunc and its data. */
StudioMapPicture *studio_map_picture_copy (const StudioMapPicture *self);
void studio_map_picture_free (gpointer self);
gboolean studio_map_picture_write (gpointer self, GFile *file, GError **error);

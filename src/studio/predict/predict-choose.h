/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/dictionary/model.h"

/* Images, folders and models for the Predict view. */

typedef enum
{
  STUDIO_CHOOSE_IMAGES,
  STUDIO_CHOOSE_FOLDER,
  STUDIO_CHOOSE_MODEL,
} StudioPredictChoice;

/* Opens a file dialog over the window of the widget; chosen is called for each file, not after its disposal. */
void studio_predict_choose (GtkWidget *widget, StudioPredictChoice choice,
                            void (*chosen) (GtkWidget *widget, GFile *file));

/* Lists the images of a folder in a thread; a file is listed as it is. problem: why there are none, or NULL. The object
 * is not kept alive. */
void studio_predict_list_images (gpointer object, GFile *file,
                                 void (*listed) (gpointer object, GPtrArray *files, const char *problem));

/* model: NULL with a problem. */
typedef void (*StudioModelLoaded) (gpointer object, GFile *file, TosstModel *model, const char *problem);
/* Loads a model file in a thread. The object is not kept alive. */
void studio_predict_load_model (gpointer object, GFile *file, StudioModelLoaded loaded);

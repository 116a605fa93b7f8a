/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/predict/predictor.h"

G_BEGIN_DECLS

/* The class of every position of a sliding window over an image. Plain data. */
typedef struct
{
  int image_width, image_height;
  int window, step;  /* pixels: side, and way to the next one; (i, j) has its top left corner at (j, i) step */
  int rows, columns; /* of windows */
  gsize patches;     /* in a window */
  int classes;
  char **class_names; /* NULL-terminated */
  int *class_index;   /* rows x columns: the class of the largest margin */
  float *margins;     /* rows x columns x classes */
} TosstClassMap;

/* What tosst_class_map_new() would take for a window of 0: what the classifier was trained on, or the image's shorter
 * side if that is less; 0 if the model does not say. */
int tosst_class_map_window (const TosstModel *model, const TosstImage *image);

/* window 0: as above; step 0: the patches' own, else a multiple of it, so that every patch is described and coded once.
 * A window's patches are those of an image of its size, their derivatives taken on the whole image. Memory: as many
 * rows of patches as a window has, and the margins. */
TosstClassMap *tosst_class_map_new (const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
                                    int window, int step, GError **error);
void tosst_class_map_free (TosstClassMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstClassMap, tosst_class_map_free)

/* Windows of each class. counts: classes. */
void tosst_class_map_count (const TosstClassMap *self, gsize *counts);

/* float32, shape (rows, columns, 1 + classes): the index of the class, then its margins. */
gboolean tosst_class_map_write_npy (const TosstClassMap *self, GFile *file, GError **error);

G_END_DECLS

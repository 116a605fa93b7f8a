/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "core/predict/predictor.h"
#include "tosst/context.h"
#include "tosst/pool.h"

/* Class of every position of a sliding window over an image. Plain data. */
typedef struct
{
  int image_width, image_height;
  int window, step;  /* side and step in pixels; the top left corner of window (i, j) is (j, i) step */
  int rows, columns; /* number of windows */
  gsize patches;     /* per window */
  int classes;
  char **class_names; /* NULL-terminated */
  int *class_index;   /* rows x columns: index of the class with the largest margin */
  float *margins;     /* rows x columns x classes */
} TosstClassMap;

/* Default step: that of the patches; without a grid of patches (tosst_model_has_grid()) a quarter of the window. */
int tosst_class_map_step (const TosstModel *model, int window);

/* Whether images can be mapped: not with a model of features from files, which cannot be computed of windows. */
gboolean tosst_class_map_is_possible (const TosstModel *model);

/* Computes a map. window 0: the default above; step 0: the default above. With a grid of patches the step must be a
 * multiple of theirs, so that every patch is described and coded once; the patches of a window are those of an image of
 * its size, with derivatives computed on the whole image. Memory: rows of patches of one window, and the margins. Other
 * models classify each window as an image of its own; windows in which they find nothing to describe, such as keypoints,
 * have means of the margins of the others, weighted by position. */
TosstClassMap *tosst_class_map_new (const TosstPredictor *predictor, TosstContext *context, const TosstImage *image,
                                    int window, int step, GError **error);
void tosst_class_map_free (TosstClassMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstClassMap, tosst_class_map_free)

/* Number of windows of each class. counts: classes. */
void tosst_class_map_count (const TosstClassMap *self, gsize *counts);

/* Certainty of a window from 0 to 1: its largest margin minus the next, at most 1, the margin of a support vector
 * machine. second: the class of the next margin, or NULL. */
double tosst_class_map_certainty (const TosstClassMap *self, int row, int column, int *second);

/* Writes float32 of shape (rows, columns, 1 + classes): index of the class, then the margins. */
gboolean tosst_class_map_write_npy (const TosstClassMap *self, GFile *file, GError **error);

/* Signatures of all square windows of patches sliding over an image, from rows of codes in order. */
typedef struct TosstWindowPool TosstWindowPool;

typedef struct
{
  TosstPoolKind kind;
  double parameter, power;
  gboolean l2;
  int K;
  gsize columns; /* patches per row of the image */
  gsize side;    /* patches per row, and per column, of a window; at most columns */
  gsize stride;  /* step between windows in patches, in both directions */
} TosstWindowPoolOptions;

/* Returns NULL if out of memory. threads: maximum of the contexts used with it. */
TosstWindowPool *tosst_window_pool_new (const TosstWindowPoolOptions *options, int threads);
void tosst_window_pool_free (TosstWindowPool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstWindowPool, tosst_window_pool_free)

gsize tosst_window_pool_windows (const TosstWindowPool *self); /* windows per row */

/* Adds the next row of codes, columns x K. *complete: the row completes a row of windows, and signatures contains
 * their signatures, windows x K. */
TosstStatus tosst_window_pool_push (TosstWindowPool *self, TosstContext *context, const float *codes, float *signatures,
                                    gboolean *complete);

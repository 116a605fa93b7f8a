/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/model.h"
#include "engine/image/image.h"

G_BEGIN_DECLS

/* A model made ready, once for any number of images. Immutable: may be used from several threads, each with its
 * context. */
typedef struct TosstPredictor TosstPredictor;

/* The model is borrowed and must outlive it. */
TosstPredictor *tosst_predictor_new (const TosstModel *model, TosstContext *context, GError **error);
void tosst_predictor_free (TosstPredictor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPredictor, tosst_predictor_free)
const TosstModel *tosst_predictor_model (const TosstPredictor *self);

/* margins: one per class, or NULL. Returns the class index, or -1 with error. Codes are pooled as they are made, so
 * that memory depends on the width of the image and not on its height; exapro pooling alone needs all of them. */
int tosst_predictor_classify (const TosstPredictor *self, TosstContext *context, const TosstImage *image,
                              double *margins, GError **error);

/* Patches of an image that fit beside each other, and below each other. FALSE with error if not even one does. */
gboolean tosst_predictor_grid (const TosstPredictor *self, const TosstImage *image, gsize *columns, gsize *rows,
                               GError **error);

/* Codes of rows of patches as they are made, from the top: row `first` and the next ones, rows x columns x K. The
 * context is the caller's, its progress runs over the whole image. */
typedef TosstStatus (*TosstCodeRowsFunc) (gsize first, gsize rows, const float *codes, gpointer data);
TosstStatus tosst_predictor_code_rows (const TosstPredictor *self, TosstContext *context, const TosstImage *image,
                                       TosstCodeRowsFunc func, gpointer data);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/model.h"
#include "core/local/features.h"
#include "tosst/describe.h"

/* A model prepared for classifying any number of images. Immutable and thread-safe; each thread uses its own
 * context. */
typedef struct TosstPredictor TosstPredictor;

/* The model is borrowed and must outlive the predictor. */
TosstPredictor *tosst_predictor_new (const TosstModel *model, TosstContext *context, GError **error);
void tosst_predictor_free (TosstPredictor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstPredictor, tosst_predictor_free)

/* margins: one per class, or NULL. Returns the class of the largest margin, or -1 with error. With several labels an
 * image (tosst_recipe_has_several_labels()) this is no prediction: tosst_model_shows().
 * Codes are pooled in blocks, so that memory depends on the width of the image and not on its height; only exapro
 * pooling needs all codes. A model of local features describes the whole image by one tensor; one of kind features
 * cannot do so from pixels. */
int tosst_predictor_classify (const TosstPredictor *self, TosstContext *context, const TosstImage *image,
                              double *margins, GError **error);

/* The same by local features of an image; the model must be of local features. */
int tosst_predictor_classify_features (const TosstPredictor *self, TosstContext *context, const TosstFeatures *features,
                                       double *margins, GError **error);

/* The signature of an image, of a model of parts those of all parts, one after the other (zeros of a part that finds nothing):
 * tosst_model_all_lengths() numbers. New; NULL with error. */
float *tosst_predictor_sign (const TosstPredictor *self, TosstContext *context, const TosstImage *image,
                             GError **error);

/* A copy of a model that has TosstModel.training, with further training samples: its classifier is trained again on all of
 * them; atoms, mixtures, C and the weights of parts stay. signatures: n of tosst_predictor_sign(). labels: n classes. New;
 * NULL with error. */
TosstModel *tosst_model_retrain (const TosstModel *model, TosstContext *context, const float *const *signatures,
                                 const int *labels, gsize n, GError **error);

/* Number of images classified so far in which no frame was found: each is described by one patch in its middle. */
guint tosst_predictor_unfound (const TosstPredictor *self);

/* Receives the codes of rows of patches, from the top: rows first to first + rows - 1, rows x columns x K. The
 * context is the caller's; its progress covers the whole image. */
typedef TosstStatus (*TosstCodeRowsFunc) (gsize first, gsize rows, const float *codes, gpointer data);

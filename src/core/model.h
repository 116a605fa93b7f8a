/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "classify/svm.h"
#include "dictionary-file.h"

G_BEGIN_DECLS

/* A trained road from image to class: recipe (descriptor, coding, pooling), dictionary, classifier, class names; one .npz that is also a
 * valid dictionary file (members B, b, scale, w (classes, K + 1), meta.json). */
typedef struct TosstModel
{
  TosstRecipe     *recipe;
  TosstDictionary *dictionary;
  TosstSvm        *svm;
  char           **class_names;
} TosstModel;

void        tosst_model_free (TosstModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstModel, tosst_model_free)
gboolean    tosst_model_save (const TosstModel *self, GFile *file, GError **error);
TosstModel *tosst_model_load (GFile *file, GError **error);

/* margins: one per class, new. Returns the class index, or -1 with error. */
int tosst_model_predict (const TosstModel *self, TosstContext *context, const TosstImage *image, double **margins,
                         GError **error);

G_END_DECLS

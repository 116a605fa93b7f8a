/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/data/dataset.h"
#include "tosst/svm.h"

G_BEGIN_DECLS

/* Scores of the test samples of a split whose samples may have several labels. Reference-counted, constant once
 * filled. */
typedef struct TosstScores
{
  guint samples;
  int classes;
  guint *sample;  /* samples: indices in the data set, ascending */
  double *margin; /* samples x classes */
  int *label;     /* classes x samples: 1, -1, or 0: left out of that class */
} TosstScores;

TosstScores *tosst_scores_new (guint samples, int classes); /* zeros */
TosstScores *tosst_scores_ref (TosstScores *self);
void tosst_scores_unref (TosstScores *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TosstScores, tosst_scores_unref)

/* Average precision of a class, as fractions. curve: samples points, or NULL; see tosst_average_precision(). */
gboolean tosst_scores_average_precision (const TosstScores *self, int class_index, TosstAveragePrecision *result,
                                         TosstRecallPoint *curve, GError **error);

/* Mean over the classes of a score, in percent; classes without positives among the tests are left out; NAN without any
 * class. per_class: classes values in percent, NAN for a class that is left out; or NULL. */
gboolean tosst_scores_mean (const TosstScores *self, TosstScore score, double *per_class, double *mean, GError **error);

G_END_DECLS

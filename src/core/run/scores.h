/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run.h"
#include "tosst/classify.h"

/* Predictions of a split in the form of the store: a header line, then "sample,true,predicted,near_predicted,near_true" per
 * test sample, indices from 0, those of the nearest samples with spaces between them. New. */
GBytes *tosst_predictions_to_csv (const GArray *predictions);

/* A confusion matrix as a store has it: "1,2\n3,4\n", and the sum of its numbers (NULL: not needed). New; NULL unless there are
 * classes x classes numbers. A number takes at least two bytes. */
int *tosst_confusion_from_csv (GBytes *csv, int classes, gint64 *sum);
/* Parses that form, and that of earlier versions without the nearest samples. Returns a new array of TosstPrediction; NULL if it is invalid or does not match the confusion
 * matrix (classes x classes) of its split. */
GArray *tosst_predictions_from_csv (GBytes *csv, const int *confusion, int classes);

/* Scores of the test samples of a split whose samples may have several labels. Reference-counted, constant once
 * filled. The margins of a sample are those of TosstSvm, one for each class. */
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

/* Average precision of a class or its mean over classes, in percent. */
typedef struct
{
  double ap11, area;          /* means over the splits where they are defined; NAN: of none */
  gsize positives, negatives; /* tests of all splits */
} TosstClassScore;

/* Averages over n splits of the same classes. per_class: classes entries, or NULL. mean: of the means over classes of
 * each split, its counts sums over classes; or NULL. */
gboolean tosst_scores_summarise (TosstScores *const *splits, guint n, TosstClassScore *per_class, TosstClassScore *mean,
                                 GError **error);

/* The precision-recall curve of a class, by rank, without the points between the first and the last one of a recall:
 * these are on the line between both. New; *n points, 0 without positives; NULL with error. */
TosstRecallPoint *tosst_scores_curve (const TosstScores *self, int class_index, gsize *n, GError **error);

/* The scores of each class over the splits of a result, `classes` entries, new; NAN without scores. mean: as above. */
TosstClassScore *tosst_run_result_class_scores (const TosstRunResult *result, TosstClassScore *mean, GError **error);

/* The form of the store (scores.c): a header line, then a line per test with its index in the data set, the margins
 * of all classes and the labels of all classes; margins with all their digits. New. */
GBytes *tosst_scores_to_csv (const TosstScores *self);
/* Parses that form; NULL if it is invalid or has another number of classes. */
TosstScores *tosst_scores_from_csv (GBytes *csv, int classes);

/* For users, new. A line per test with the name of its image, the corner of its block in data sets with blocks, its
 * margins and labels by class and its split, from 1. */
char *tosst_run_result_scores_csv (const TosstRunResult *result, TosstDataset *dataset);
/* A line per point of tosst_scores_curve() of each class and split: class, recall, precision, split. NULL with error. */
char *tosst_run_result_curves_csv (const TosstRunResult *result, GError **error);

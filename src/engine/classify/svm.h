/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"

/* One-vs-rest linear SVM with squared hinge loss. For each class c with labels t_i = +-1
 *     min_{w, w_0}  1/2 ||w||^2 + 1/2 w_0^2 + C sum_i max (0, 1 - t_i (w' x_i + w_0))^2
 * (LIBLINEAR's L2-regularised L2-loss problem with bias 1). All classes share one Gram or data matrix. */
typedef struct
{
  double c; /* C > 0 */
  /* Bound of ||gradient|| / ||gradient at zero||; the objective is within 1e-9 of its minimum as well, unless rounding
   * ends the descent earlier: TosstSvm.residual is the value reached. */
  double tolerance;
} TosstSvmOptions;

void tosst_svm_options_default (TosstSvmOptions *options); /* C = 100, 1e-6 */

/* Classifier; plain data, written to and read from model files. */
typedef struct
{
  int p; /* length of a signature */
  int classes;
  double *w;       /* classes x (p + 1), row-major, last column w_0. Owned. */
  double residual; /* of training: maximum over classes of ||gradient|| / ||gradient at zero||; 0 if not trained here */
} TosstSvm;

TosstSvm *tosst_svm_new (int p, int classes);
void tosst_svm_free (TosstSvm *svm);

/* Trains the classifier. x: n x p float32, row-major. labels: n values in [0, classes), each class at least once.
 * objective: classes values, or NULL; receives the minimum for each class. *svm is newly allocated; the caller owns
 * it. */
TosstStatus tosst_svm_train (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options, double *objective, TosstSvm **svm);

/* Computes w' x_i + w_0 for n samples and all classes. x: n x p. margins: n x classes. */
void tosst_svm_margins (const TosstSvm *svm, const float *x, size_t n, double *margins);
/* Returns the class of the largest margin. */
int tosst_svm_decide (const TosstSvm *svm, const double *margins);

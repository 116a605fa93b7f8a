/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One-vs-rest linear SVM: section 6.
 */
#pragma once

#include <stdint.h>

#include "tosst/context.h"

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

/* Candidate values of C: 0.1, 1, ... 10^4. */
#define TOSST_SVM_GRID 6
double tosst_svm_grid (int i);

/* State of a cross-validation, fold by fold and for each C within a fold. Zeroed: starts from the beginning, without
 * reports. */
typedef struct TosstSvmChoice
{
  int fits;                     /* number of classifiers trained and tested, of TOSST_SVM_GRID x folds */
  double right[TOSST_SVM_GRID]; /* correctly classified held-out samples for each C; NAN after a failure to converge */
  void (*report) (const struct TosstSvmChoice *choice, void *data); /* after each fit, on the calling thread; or NULL */
  void *data;
} TosstSvmChoice;

/* Chooses C by stratified cross-validation with `folds` (>= 2) folds of the given samples, the training part of a
 * split. Arguments as in tosst_svm_train(). The only sample of a class is always in the training part.
 *
 * *c receives the C of the grid with the most correct held-out samples, the smallest in case of a tie; it is not
 * changed if no sample can be held out, that is, if each class has one sample. seed determines the folds: the same
 * seed gives the same C for any number of threads. accuracy: TOSST_SVM_GRID values, or NULL; receives the share of
 * correct held-out samples for each C, NAN where training failed to converge. One Gram matrix serves all folds and
 * values.
 *
 * choice: state of an earlier call with the same arguments to resume from, or NULL; updated after each fit, also
 * before a cancellation. A resumed choice gives the same result. */
TosstStatus tosst_svm_choose_c (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                                const TosstSvmOptions *options, int folds, uint64_t seed, TosstSvmChoice *choice,
                                double *accuracy, double *c);

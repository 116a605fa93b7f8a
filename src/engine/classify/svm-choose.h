/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdint.h>

#include "engine/classify/svm.h"

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

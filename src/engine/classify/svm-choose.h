/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdint.h>

#include "engine/classify/svm.h"

/* The values of C that are tried: 0.1, 1, ... 10^4. */
#define TOSST_SVM_GRID 6
double tosst_svm_grid (int i);

/* Progress of a choice: fold by fold, each with every C. All zero: from the start, without reports. */
typedef struct TosstSvmChoice
{
  int fits; /* classifiers that were trained and tested, of TOSST_SVM_GRID x folds */
  double right
      [TOSST_SVM_GRID]; /* held-out samples classified correctly so far for each C; NAN after a failure to converge */
  void (*report) (const struct TosstSvmChoice *choice, void *data); /* after each fit, on the calling thread; or NULL */
  void *data;
} TosstSvmChoice;

/* Chooses C by stratified cross-validation with `folds` (>= 2) folds of the given samples, the training part of a split;
 * arguments as in tosst_svm_train(). The only sample of a class is always used for training. The
 * C of the grid with the most held-out samples right wins, the smallest of them if several do. *c is left alone where
 * nothing can be held out, that is, where each class has one sample. seed draws the folds: the same seed gives the same
 * C for any number of threads. accuracy (TOSST_SVM_GRID numbers, or NULL) receives the share of held-out samples
 * that each C gets right; NAN where training failed to converge. One Gram matrix serves all folds and values.
 * choice, or NULL: progress to resume from, of an earlier call with the same arguments; updated after each fit, also before
 * a cancellation. A resumed choice gives the same result. */
TosstStatus tosst_svm_choose_c (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                                const TosstSvmOptions *options, int folds, uint64_t seed, TosstSvmChoice *choice,
                                double *accuracy, double *c);

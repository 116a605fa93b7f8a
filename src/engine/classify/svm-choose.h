/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdint.h>

#include "engine/classify/svm.h"

/* The values of C that are tried: 0.1, 1, ... 10^4. */
#define TOSST_SVM_GRID 6
double tosst_svm_grid (int i);

/* How far a choice has come: part by part, each with every C. All zero: it begins, and tells nobody. */
typedef struct TosstSvmChoice
{
  int fits;                     /* classifiers that were trained and tested, of TOSST_SVM_GRID x folds */
  double right[TOSST_SVM_GRID]; /* held-out samples that each C got right so far; NAN once it did not converge */
  void (*report) (const struct TosstSvmChoice *choice,
                  void *data); /* of each of them, on the calling thread; or NULL */
  void *data;
} TosstSvmChoice;

/* Chooses C by cross-validation over `folds` (>= 2) parts of the given samples, the training part of a split; arguments
 * as in tosst_svm_train(). Every class is spread evenly over the parts; the single sample of a class always trains. The
 * C of the grid with the most held-out samples right wins, the smallest of them if several do. *c is left alone where
 * nothing can be held out, that is, where each class has one sample. seed draws the parts: the same seed gives the same
 * C, whatever the number of threads. accuracy (TOSST_SVM_GRID numbers, or NULL) receives the share of held-out samples
 * that each C gets right; NAN where training failed to converge. One Gram matrix serves all parts and values.
 * choice, or NULL: where an earlier call with the same arguments was, and where this one is, also when it is
 * cancelled; what goes on comes to the same. */
TosstStatus tosst_svm_choose_c (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                                const TosstSvmOptions *options, int folds, uint64_t seed, TosstSvmChoice *choice,
                                double *accuracy, double *c);

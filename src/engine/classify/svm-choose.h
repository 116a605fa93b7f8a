/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdint.h>

#include "classify/svm.h"

/* The values of C that are tried: 0.1, 1, ... 10^4. */
#define TOSST_SVM_GRID 6
double tosst_svm_grid (int i);

/* Chooses C by cross-validation over `folds` (>= 2) parts of the given samples, the training part of a split; arguments
 * as in tosst_svm_train(). Every class is spread evenly over the parts; the single sample of a class always trains. The
 * C of the grid with the most held-out samples right wins, the smallest of them if several do. *c is left alone where
 * nothing can be held out, that is, where each class has one sample. seed draws the parts: the same seed gives the same
 * C, whatever the number of threads. accuracy (TOSST_SVM_GRID numbers, or NULL) receives the share of held-out samples
 * that each C gets right; NAN where training failed to converge. One Gram matrix serves all parts and values. */
TosstStatus tosst_svm_choose_c (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                                const TosstSvmOptions *options, int folds, uint64_t seed, double *accuracy, double *c);

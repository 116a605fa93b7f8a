/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/classify/svm.h"

/* Steps of tosst_svm_train(), for repeated training on subsets of the same samples (cross-validation). */

TosstStatus tosst_svm_check (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options);

/* Allocates and computes the n x n Gram matrix x_i . x_j + 1; *gram is NULL where products with x are cheaper. The
 * caller frees it. */
TosstStatus tosst_svm_gram (TosstContext *context, const float *x, size_t n, int p, double **gram);

/* tosst_svm_train() without checks. gram: Gram matrix of these samples, or NULL. *svm is set only on success. */
TosstStatus tosst_svm_solve (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options, const double *gram, double *objective, TosstSvm **svm);

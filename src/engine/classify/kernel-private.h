/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/classify/svm-private.h"

TosstStatus tosst_kernel_check (TosstContext *context, const double *gram, size_t n, const int *labels,
                                const signed char *targets, int classes, const TosstSvmOptions *options);

/* A copy of the Gram matrix with the 1 of the bias added; NULL if out of memory. */
double *tosst_kernel_add_bias (const double *gram, size_t n);

/* tosst_kernel_train() without checks, on a Gram matrix with the 1 of the bias. */
TosstStatus tosst_kernel_solve (TosstContext *context, const double *biased, size_t n, const int *labels,
                                const signed char *targets, int classes, const TosstSvmOptions *options,
                                double *objective, TosstKernelMachine **machine);

/* Target of sample i: by its label or, without labels, by targets. */
static inline double
tosst_kernel_target (const int *labels, const signed char *targets, size_t n, int c, size_t i)
{
  if (!labels)
    return targets[(size_t)c * n + i];
  return labels[i] == c ? 1.0 : -1.0;
}

/* Refuses ridges that are not positive numbers. */
TosstStatus tosst_kernel_check_ridges (TosstContext *context, const double *ridge, int count);

/* Accuracy and error of leave-one-out residuals t - prediction. residuals: classes x n; those of target 0 are ignored. */
void tosst_kernel_sum_up (const double *residuals, size_t n, const int *labels, const signed char *targets, int classes,
                          TosstLeaveOneOut *result);

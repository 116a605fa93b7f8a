/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/classify/svm.h"

/* The parts of tosst_svm_train(), for those who train on parts of the same samples again and again. */

TosstStatus tosst_svm_check (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options);

/* n x n, x_i . x_j + 1, new; NULL where products are better formed from x. */
TosstStatus tosst_svm_gram (TosstContext *context, const float *x, size_t n, int p, double **gram);

/* Without checks. gram: of these samples, or NULL. *svm is set only on success. */
TosstStatus tosst_svm_solve (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options, const double *gram, double *objective, TosstSvm **svm);

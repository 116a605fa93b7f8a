/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kernel machines: Gram matrices, one-vs-rest training on a Gram matrix, and closed-form leave-one-out.
 */
#pragma once

#include "tosst/macros.h"
#include "tosst/svm.h"

TOSST_BEGIN_DECLS

/* Kernels k of two rows x and y. */
typedef enum
{
  TOSST_KERNEL_LINEAR, /* k (x, y) = x' y */
  TOSST_KERNEL_RBF,    /* exp (-||x - y||^2 / (2 width^2)) */
  TOSST_KERNEL_CHI2,   /* exp (-D (x, y) / width), D = sum_j (x_j - y_j)^2 / (|x_j| + |y_j|), terms 0 / 0 left out */
} TosstKernel;

/* Computes the n x m products (linear), squared distances (rbf) or D (chi2) of the rows of x and y in float64. x: n x p,
 * y: m x p. y = NULL: of the rows of x among themselves, m = n; the result is symmetric, with a zero diagonal but for
 * the linear kernel. A value depends on its two rows alone, to the bit. Without progress. */
TosstStatus tosst_kernel_compare (TosstContext *context, TosstKernel kernel, const float *x, size_t n, const float *y,
                                  size_t m, int p, double *values);

/* Returns the width at which the mean of the exponents over all pairs of training samples is -1/10 (rbf): the square root
 * of 5 times the mean squared distance; or -1 (chi2): the mean of D. values: n x n, by tosst_kernel_compare(). 1 for the linear
 * kernel and where all distances are zero. */
double tosst_kernel_mean_width (TosstKernel kernel, const double *values, size_t n);

/* Replaces distances by k, in place; values of the linear kernel stay. Any thread. */
void tosst_kernel_apply (TosstKernel kernel, double width, double *values, size_t count);

/* Writes k (x_i, x_i) for n rows: ||x_i||^2 (linear), or 1. Any thread. */
void tosst_kernel_diagonal (TosstKernel kernel, const float *x, size_t n, int p, double *diagonal);

/* Divides k_ij of n x m by sqrt (left_i right_j), the diagonals of both sets of rows: all rows have length 1 in the
 * feature space then. Entries with a zero diagonal become 0. Any thread. */
void tosst_kernel_normalise (double *gram, size_t n, size_t m, const double *left, const double *right);

/* One-vs-rest machine on a kernel: f_c (x) = sum_i a_ci k (x_i, x) + b_c. Plain data, written to and read from model
 * files. It minimises the objective of the linear machine in the feature space of k + 1, so that b_c = sum_i a_ci, and
 * with the linear kernel w = X' a. */
typedef struct
{
  size_t n; /* training samples */
  int classes;
  double *coefficients; /* classes x n. Owned. */
  double *bias;         /* classes. Owned. */
  double residual;      /* as TosstSvm.residual */
} TosstKernelMachine;

TosstKernelMachine *tosst_kernel_machine_new (size_t n, int classes); /* zeros; NULL if out of memory */
/* Frees a machine; NULL is ignored. */
void tosst_kernel_machine_free (TosstKernelMachine *machine);

/* Trains the machine. gram: n x n, symmetric positive semidefinite, without the 1 of the bias. Either labels (n, each
 * class at least once) or, with labels NULL, targets as in tosst_svm_train_targets(). objective: classes values, or
 * NULL. */
TosstStatus tosst_kernel_train (TosstContext *context, const double *gram, size_t n, const int *labels,
                                const signed char *targets, int classes, const TosstSvmOptions *options,
                                double *objective, TosstKernelMachine **machine);

/* Trains a machine by least squares of the targets +-1 instead of the hinge loss: a_c = (k + 1 + I / (2 C))^{-1} t_c over
 * the samples of target +-1. Better than the hinge loss where classes separate well and training samples are few. The
 * residual is max_c ||(k + 1 + I / (2 C)) a_c - t_c|| / ||t_c||. Arguments as in tosst_kernel_train(). */
TosstStatus tosst_kernel_regress (TosstContext *context, const double *gram, size_t n, const int *labels,
                                  const signed char *targets, int classes, const TosstSvmOptions *options,
                                  TosstKernelMachine **machine);

/* Computes f_c for m samples. gram: m x n, of samples and training samples. margins: m x classes. The row of a sample
 * does not depend on the others. Any thread. */
void tosst_kernel_margins (const TosstKernelMachine *machine, const double *gram, size_t m, double *margins);
int tosst_kernel_decide (const TosstKernelMachine *machine, const double *margins);

/* tosst_svm_choose_c() for a Gram matrix. */
TosstStatus tosst_kernel_choose_c (TosstContext *context, const double *gram, size_t n, const int *labels, int classes,
                                   const TosstSvmOptions *options, int folds, uint64_t seed, TosstSvmChoice *choice,
                                   double *accuracy, double *c);

/* Leave-one-out of the ridge regression of targets +-1 (0: unknown) on k + 1, one-vs-rest, in closed form: with G = k + 1
 * and H = G + ridge I the residual of a sample is (H^{-1} t)_i / (H^{-1})_ii. */
typedef struct
{
  double accuracy; /* share of samples whose class has the largest prediction; with targets: of right signs */
  double error;    /* mean squared residual */
} TosstLeaveOneOut;

/* Ridge that corresponds to C: both machines solve a system with gram + I / (2 C). */
#define TOSST_KERNEL_RIDGE(c) (0.5 / (c))

/* Computes it for `count` values of the ridge > 0 from one eigendecomposition. labels or targets as above; classes without
 * a sample are allowed. result: count. */
TosstStatus tosst_kernel_leave_one_out (TosstContext *context, const double *gram, size_t n, const int *labels,
                                        const signed char *targets, int classes, const double *ridge, int count,
                                        TosstLeaveOneOut *result);

/* Whether a is better: more accurate, or as accurate with a smaller error. */
bool tosst_leave_one_out_is_better (const TosstLeaveOneOut *a, const TosstLeaveOneOut *b);

/* Chooses nonnegative weights of sum 1 and C (one of tosst_svm_grid()) for a sum of Gram matrices by coordinate search on
 * the simplex: the best leave-one-out in the order of tosst_leave_one_out_is_better(). grams: `parts` of n x n each,
 * normalised to a diagonal of 1 so that weights mean the same for each. Of more than 1000 samples evenly spaced ones of
 * each class decide. weights: parts; c: or NULL; result: of the choice, or NULL. The same for any number of threads. */
TosstStatus tosst_kernel_choose_weights (TosstContext *context, const double *const *grams, int parts, size_t n,
                                         const int *labels, const signed char *targets, int classes, double *weights,
                                         double *c, TosstLeaveOneOut *result);

/* Writes sum_s weights[s] grams[s] of `count` values each. Any thread. */
void tosst_kernel_sum (const double *const *grams, const double *weights, int parts, size_t count, double *sum);

TOSST_END_DECLS

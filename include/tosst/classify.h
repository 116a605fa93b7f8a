/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One-vs-rest linear SVM: section 6. Kernel machines: Gram matrices, one-vs-rest training on a Gram matrix, and
 * closed-form leave-one-out.
 */
#pragma once

#include <stdint.h>

#include "tosst/context.h"

TOSST_BEGIN_DECLS

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

/* Allocates a classifier of zeros for p values and `classes` classes. Returns NULL if out of memory. */
TosstSvm *tosst_svm_new (int p, int classes);
/* Frees a classifier; NULL is ignored. */
void tosst_svm_free (TosstSvm *svm);

/* Trains the classifier. x: n x p float32, row-major. labels: n values in [0, classes), each class at least once.
 * objective: classes values, or NULL; receives the minimum for each class. *svm is newly allocated; the caller owns
 * it. */
TosstStatus tosst_svm_train (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options, double *objective, TosstSvm **svm);

/* Computes the n x n Gram matrix x_i . x_j + 1; *gram is NULL where products with x are cheaper. The caller frees it.
 * x may be mapped from a file. Rows of fewer than 8192 numbers are multiplied in float64. Dense longer ones are
 * multiplied in float32 by 3072 columns, and these sums are added up in float64, at the rate of sgemm: errors are some
 * 5e-8 ||x_i|| ||x_j||, at most 2e-7 of it. */
TosstStatus tosst_svm_gram (TosstContext *context, const float *x, size_t n, int p, double **gram);

/* Trains classes that do not exclude each other. targets: classes x n, t = 1 for a positive sample, -1 for a negative
 * one, 0 for a sample that does not belong to the problem of the class; each class has samples of both signs. gram: of
 * all n samples by tosst_svm_gram(), or NULL; problems on any part of the samples share it. The rest as in
 * tosst_svm_train(). */
TosstStatus tosst_svm_train_targets (TosstContext *context, const float *x, size_t n, int p, const signed char *targets,
                                     int classes, const TosstSvmOptions *options, const double *gram, double *objective,
                                     TosstSvm **svm);

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
  void *data;                                                       /* of report() */
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

/* Average precision of one class by three definitions. Samples are ranked by descending score; ties keep the order of
 * the list; labels are 1 (positive), -1 (negative) and 0 (left out). tp_r and P: positives among the first r samples,
 * and all of them. */
typedef struct
{
  double ap11; /* PASCAL VOC 2007: mean over t = 0, 1, ..., 10 of the largest precision where 10 tp >= t P, compared in
                  integers */
  double
      area; /* PASCAL VOC 2010: area under the precision-recall curve, precision replaced by its maximum to the right */
  double mean; /* mean precision at the positives */
  size_t positives, negatives;
} TosstAveragePrecision;

/* A point of the precision-recall curve, one for each ranked sample. */
typedef struct
{
  size_t sample; /* index into the list */
  double recall, precision;
} TosstRecallPoint;

/* Ranks n samples. scores: n, infinite values allowed. labels: n. curve: n points, or NULL; receives positives +
 * negatives points in ranked order. Without positives the averages are NAN. Returns TOSST_ERROR_ARGUMENT for a NaN
 * score, and TOSST_ERROR_MEMORY. Any thread. */
TosstStatus tosst_average_precision (const double *scores, const int *labels, size_t n, TosstAveragePrecision *result,
                                     TosstRecallPoint *curve);

/* Kernel machines. */

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

/* Trains a machine on m landmarks, some of the n samples, by least squares over all of them:
 *     min_a  sum_i (t_i - sum_j a_j (k (x_i, x_j) + 1))^2 + ridge a' (K + 1) a,   ridge = TOSST_KERNEL_RIDGE (C),
 * in time n m^2 and memory m^2; with all samples as landmarks it is tosst_kernel_regress(). landmarks: m x m, K, the Gram
 * matrix of the landmarks. rows: n x m, k of samples and landmarks. labels or targets of the samples as in
 * tosst_kernel_leave_one_out(). ridge: count values > 0.
 *
 * result: count, or NULL; the closed-form leave-one-out with these landmarks, (t - f)_i / (1 - h_ii), h being the matrix of
 * f = h t. *machine is that of m samples for the ridge with the best result, the first of equal ones, or without result for
 * the first ridge; newly allocated. machine = NULL: none. Its residual is the largest of
 * ||gradient|| / ||gradient at zero||. Samples of target 0 do not take part in the machine of the class. The same bits for any number of
 * threads. */
TosstStatus tosst_kernel_train_landmarks (TosstContext *context, const double *landmarks, size_t m, const double *rows,
                                          size_t n, const int *labels, const signed char *targets, int classes,
                                          const double *ridge, int count, TosstLeaveOneOut *result,
                                          TosstKernelMachine **machine);

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

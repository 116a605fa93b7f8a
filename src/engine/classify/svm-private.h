/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/memory.h"
#include "tosst/classify.h"

/* Steps of tosst_svm_train(), for repeated training on subsets of the same samples (cross-validation). */

TosstStatus tosst_svm_check (TosstContext *context, const float *x, size_t n, int p, const int *labels, int classes,
                             const TosstSvmOptions *options);

TosstStatus tosst_svm_check_options (TosstContext *context, const TosstSvmOptions *options);
TosstStatus tosst_svm_check_labels (TosstContext *context, const int *labels, size_t n, int classes);
TosstStatus tosst_svm_check_targets (TosstContext *context, const signed char *targets, size_t n, int classes);

/* tosst_svm_train() or, with labels NULL, tosst_svm_train_targets() without checks. gram: Gram matrix of these samples,
 * or NULL. *svm is set only on success. */
TosstStatus tosst_svm_solve (TosstContext *context, const float *x, size_t n, int p, const int *labels,
                             const signed char *targets, int classes, const TosstSvmOptions *options,
                             const double *gram, double *objective, TosstSvm **svm);

/* Data of the one-vs-rest problems of svm.c, shared by all classes and read-only; all pointers are borrowed. */
typedef struct
{
  const float *x; /* n x p; NULL: gram is of a kernel */
  size_t n;
  int p;                      /* INT_MAX without x */
  const int *labels;          /* n: class of each sample; NULL: see targets */
  const signed char *targets; /* classes x n: 1, -1, or 0 for a sample that the class leaves out; NULL: see labels */
  double c;
  double tolerance;
  const double *gram; /* n x n, x_i . x_j + 1; NULL: products are computed from x */
} TosstSvmProblem;

/* Buffers of one worker, 64-byte aligned. Zeroed before the first use, grown as needed. */
typedef struct
{
  double *alpha, *margin, *beta, *candidate, *target, *residual; /* n each */
  double *w;                                                     /* p + 1 */
  size_t *active;                                                /* n */
  double *system;                                                /* order x order */
  int stride; /* row stride of the factor in system if computed by simd/kernels.h, else 0 */
  size_t system_capacity;
  double *rows; /* gathered rows, p + 1 each */
  size_t rows_capacity;
  TosstMemory memory; /* of the arrays that do not grow */
} TosstSvmWorkspace;

/* Target t of a sample in the problem of a class. */
static inline double
tosst_svm_target (const TosstSvmProblem *problem, int positive, size_t i)
{
  if (problem->targets)
    return problem->targets[(size_t)positive * problem->n + i];
  return problem->labels[i] == positive ? 1.0 : -1.0;
}

/* Index of the first largest value. */
static inline int
tosst_svm_largest (const double *margins, int classes)
{
  int best = 0;

  for (int c = 1; c < classes; c++)
    if (margins[c] > margins[best])
      best = c;
  return best;
}

/* Returns ||sum_i t_i x_i|| for the targets of a class. Overwrites work->active, work->beta, work->target and
 * work->w. */
double tosst_svm_sum_norm (const TosstSvmProblem *problem, int positive, TosstSvmWorkspace *work);

bool tosst_svm_workspace_init (TosstSvmWorkspace *work, size_t n, int p);
void tosst_svm_workspace_clear (TosstSvmWorkspace *work);

/* Computes w (p + 1) = sum_a beta_a x_active[a] over count samples. */
void tosst_svm_combine_rows (const TosstSvmProblem *problem, const size_t *active, size_t count, const double *beta,
                             double *w);

typedef struct
{
  double reached;   /* ||gradient|| / ||gradient at zero|| */
  bool solved;      /* gradient below the tolerance and objective within 1e-9 of the minimum */
  bool at_rounding; /* not solved, but the gradient is at rounding level */
} TosstSvmDescent;

/* Minimises the objective of one class by Newton steps from zero, to rounding level. positive: the class. scale:
 * ||gradient at zero||. w: p + 1, written. */
TosstStatus tosst_svm_solve_class (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                                   TosstSvmWorkspace *work, double *w, TosstSvmDescent *descent);

/* The same on a Gram matrix without x, including the last Newton steps; alpha: n, with w = X' alpha in the feature space.
 * objective: or NULL. */
TosstStatus tosst_svm_solve_kernel (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                                    TosstSvmWorkspace *work, double *alpha, double *objective,
                                    TosstSvmDescent *descent);

/* Evaluates w from its margins, which are stride apart, and refines it if it misses the tolerance. objective:
 * receives the final value, or NULL. */
TosstStatus tosst_svm_refine (TosstContext *context, const TosstSvmProblem *problem, int positive, double scale,
                              const double *margins, size_t stride, TosstSvmWorkspace *work, double *w,
                              double *objective, TosstSvmDescent *descent);

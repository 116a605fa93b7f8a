/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/dictionary/model.h"

/* Similarities of the training samples of a part whose kernel is added to those of others:
 *     k' (x, y) = (k (x, y) - m (x) - m (y) + m) / v
 * for signatures of length 1 in the feature space, m (x) being the mean of k (x, .) over the training samples, m that of m (x),
 * and v the mean of the diagonal after centring. Without centring the term that all samples share takes most of the weight of
 * a part with narrow differences. An empty signature lies at the mean of the others, k' = 0: it is as similar to one class as
 * to another, and the other parts decide. */
typedef struct
{
  TosstKernel kernel;
  double width;               /* NAN: by tosst_kernel_width() */
  gsize n, length;            /* training samples, numbers of a signature */
  float *rows;                /* n x length */
  double *gram;               /* n x n: k, then k' */
  double *diagonal;           /* n: |x|^2 of the linear kernel; else NULL */
  gboolean *empty;            /* n: the signature is zero */
  double *means, mean, scale; /* n: m (x); m; v */
} TosstPartKernel;

void tosst_part_kernel_clear (TosstPartKernel *self);

/* The width of a kernel from the n x n distances of training samples. */
double tosst_kernel_width (const TosstRecipe *recipe, const double *distances, gsize n);
/* Computes k of rows, and with unit the lengths in the feature space become 1. */
TosstStatus tosst_part_kernel_compare (TosstPartKernel *self, TosstContext *context, const TosstRecipe *recipe,
                                       gboolean unit);
/* k' of the training samples in place of k. */
void tosst_part_kernel_centre (TosstPartKernel *self);
/* The same of a row of k of another sample. */
void tosst_part_kernel_centre_row (const TosstPartKernel *self, double *row, gboolean empty);
/* Gives the model of the part its classifier: its margins are the part's terms of the sum. Takes rows of a kernel that needs
 * them. */
void tosst_part_kernel_finish (TosstPartKernel *self, const TosstKernelMachine *whole, double weight, TosstModel *part);
/* w_c = sum_i a_ci x_i / |x_i|, or without unit sum_i a_ci x_i. New. */
TosstSvm *tosst_linear_of_machine (const TosstKernelMachine *machine, const float *rows, gsize length, gboolean unit);

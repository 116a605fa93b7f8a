/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tosst/context.h"
#include "tosst/tensor.h"

/* Maps the d eigenvalues of a matrix in place; their order is unspecified. Returns NULL, or an error message (static)
 * without a subject: "is not positive semi-definite". */
typedef const char *(*TosstSpectrumFunc) (double *values, int d, double parameter);

typedef struct
{
  TosstSpectrumFunc func;
  double parameter; /* argument of func */
  bool weighted;    /* multiply off-diagonals by sqrt 2, so that inner products of rows equal those of matrices */
  bool reports;     /* report progress */
} TosstSpectrumMap;

/* Computes f(X) = A diag (f (e)) A' for each of n symmetric matrices X = A diag (e) A'; the result does not depend on
 * the choice of A. layout: of shape symmetric. in, out: n x m float32; out may equal in. Computed in float64. Returns
 * TOSST_ERROR_NUMERIC if an entry is not finite or func fails. On failure or cancellation part of the matrices is
 * converted. */
TosstStatus tosst_map_spectra (TosstContext *context, const TosstLayout *layout, const TosstSpectrumMap *map,
                               const float *in, size_t n, float *out);

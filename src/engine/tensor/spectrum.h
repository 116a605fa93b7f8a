/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* Changes the d eigenvalues of a matrix in place; they come in no particular order. NULL, or a sentence (static) that
 * says why it cannot, with no subject: "is not positive semi-definite". */
typedef const char *(*TosstSpectrumFunc) (double *values, int d, double parameter);

typedef struct
{
  TosstSpectrumFunc func;
  double parameter; /* for func */
  bool weighted;    /* off-diagonals come out times sqrt 2, so that inner products of rows are those of matrices */
  bool reports;     /* progress */
} TosstSpectrumMap;

/* f(X) = A diag (f (e)) A' for each of n symmetric matrices X = A diag (e) A'; it does not depend on the choice of A.
 * layout is of the shape symmetric; in, out: n x m float32, the same place if wanted. Computed in float64.
 * TOSST_ERROR_NUMERIC: an entry that is not finite, or func refuses. When this fails or is cancelled some matrices are
 * done and others are not. */
TosstStatus tosst_map_spectra (TosstContext *context, const TosstLayout *layout, const TosstSpectrumMap *map,
                               const float *in, size_t n, float *out);

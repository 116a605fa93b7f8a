/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/blas.h"
#include "engine/base/memory.h"
#include "engine/base/tuning.h"

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* C = A' B with matrices of MEASURED_SIDE, in either precision. */
static TosstStatus
multiply (TosstContext *context, bool is_double, const void *A, const void *B, void *C)
{
  const int n = MEASURED_SIDE;
  return is_double ? tosst_dgemm (context, CblasTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n)
                   : tosst_sgemm (context, CblasTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}

static void
fill (bool is_double, void *matrix)
{
  for (size_t i = 0; i < (size_t)MEASURED_SIDE * MEASURED_SIDE; i++)
    if (is_double)
      ((double *)matrix)[i] = (double)(i % 17) / 17;
    else
      ((float *)matrix)[i] = (float)(i % 17) / 17;
}

/* The first product is a warm-up; slow kernels get fewer. */
static TosstStatus
measure (TosstContext *context, bool is_double, const void *A, const void *B, void *C, double *rate)
{
  double rates[MEASUREMENTS], spent = 0, side = MEASURED_SIDE;
  int done = 0;
  for (int r = -1; r < MEASUREMENTS && spent < MEASURED_SECONDS; r++)
    {
      double start = tosst_context_seconds (context);
      TosstStatus status = multiply (context, is_double, A, B, C);
      double seconds = tosst_context_seconds (context) - start;
      if (status != TOSST_OK)
        return status;
      if (r < 0)
        continue;
      spent += seconds;
      rates[done++] = 2e-9 * side * side * side / seconds;
    }
  qsort (rates, done, sizeof *rates, compare);
  *rate = rates[done / 2];
  return TOSST_OK;
}

TosstStatus
tosst_blas_measure (TosstContext *context, bool is_double, double *rate)
{
  size_t size = is_double ? sizeof (double) : sizeof (float), n = (size_t)MEASURED_SIDE * MEASURED_SIDE;
  void *A = tosst_alloc_aligned (n, size), *B = tosst_alloc_aligned (n, size), *C = tosst_alloc_aligned (n, size);
  TosstStatus status = A && B && C
                           ? TOSST_OK
                           : tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to measure products");
  if (status == TOSST_OK)
    {
      fill (is_double, A);
      fill (is_double, B);
      status = measure (context, is_double, A, B, C, rate);
    }
  free (A);
  free (B);
  free (C);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "tosst/context.h"

/* Rates of matrix products with one kernel of OpenBLAS, in 10^9 operations per second. */
typedef struct
{
  const char *name;
  double sgemm, dgemm;
} DoctorKernel;

/* Measures the kernel in use (used, NULL if the library is not OpenBLAS) and all others that this processor
 * supports, each in a separate process with this many threads; the maximum of several rounds, since other load only
 * lowers a rate. Much slower kernels get one round. Takes some seconds. Returns a new array of DoctorKernel, ordered
 * from the oldest to the newest instruction set; empty without a choice of kernels. */
GArray *doctor_measure_kernels (const char *used, int threads);

/* The kernel of this name, ignoring case; NULL if it was not measured. */
const DoctorKernel *doctor_find_kernel (const GArray *kernels, const char *name);

/* The kernel with the highest rate of float32 products; NULL if kernels is empty. */
const DoctorKernel *doctor_fastest_kernel (const GArray *kernels);

/* Returns a warning about the kernel in use, or NULL. wanted: the value of OPENBLAS_CORETYPE, or NULL. Warns if the
 * library did not use that kernel, and if another kernel is more than 10 % faster in float32. */
char *doctor_judge_kernel (const GArray *kernels, const char *used, const char *wanted);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "engine/base/blas-kernel.h"

/* Rates of matrix products with one of OpenBLAS's kernels, in 10^9 operations a second. */
typedef struct
{
  const char *name;
  double sgemm, dgemm;
} DoctorKernel;

/* Measures each kernel that this processor can run and the one in use (used, NULL where the library is not OpenBLAS), in
 * processes of their own with this many threads; the best of a few rounds, since other work on the machine only lowers
 * a rate. Kernels far behind get one round. Takes some seconds.
 *
 * Returns an array of DoctorKernel, from the oldest to the newest instructions; empty where there is nothing to choose. */
GArray *doctor_measure_kernels (const char *used, int threads);

/* The kernel of this name, without regard to case; NULL if it was not measured. */
const DoctorKernel *doctor_find_kernel (const GArray *kernels, const char *name);

/* The one with the largest rate of float32 products; NULL of none. */
const DoctorKernel *doctor_fastest_kernel (const GArray *kernels);

/* A sentence that warns of the kernel in use, or NULL.
 * wanted: the value of OPENBLAS_CORETYPE, or NULL. It warns where the library did not follow that, and where another kernel
 * is more than 10 % faster in float32. */
char *doctor_judge_kernel (const GArray *kernels, const char *used, const char *wanted);

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Detection of the BLAS library of the process, and selection of OpenBLAS's kernel.
 *
 * OpenBLAS selects a kernel when it is loaded, from a list of the processors known at its release. A processor
 * released later gets a kernel of 2004, at a quarter or a fifth of the speed. tosst_blas_select_kernel() repeats the
 * selection by the instructions that processor and operating system support. Programs that use the engine call it
 * once at startup:
 *
 *     tosst_blas_select_kernel (getenv (TOSST_BLAS_VARIABLE));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

/* Environment variable that names a kernel; OpenBLAS reads it when it is loaded. */
#define TOSST_BLAS_VARIABLE "OPENBLAS_CORETYPE"

typedef struct
{
  const char *name;    /* "OpenBLAS", "BLIS", "MKL", "ATLAS", "FlexiBLAS" or "reference BLAS" */
  const char *version; /* version and build options, "" if unknown; owned by the library */
  const char *kernel;  /* OpenBLAS's current kernel; NULL for other libraries */
  bool is_dynamic;     /* the library contains kernels for several processors */
  char file[4096];     /* shared library that defines cblas_sgemm(), links resolved; "" if not found */
  char other[4096];    /* file behind libblas.so.3 if that is a library other than OpenBLAS, else "" */
} TosstBlasLibrary;

/* Fills in *library. May be called on any thread. */
void tosst_blas_describe (TosstBlasLibrary *library);

/* Selects the fastest of OpenBLAS's kernels supported by this processor if OpenBLAS has selected one for older
 * instructions.
 *
 * wanted: the kernel requested by the user, from the environment at the time OpenBLAS was loaded; it is used if
 * OpenBLAS contains it and this processor supports it. NULL or "" for none. Libraries other than OpenBLAS are not
 * changed.
 *
 * The environment variable is set to wanted afterwards. Must be called before other threads use BLAS or the
 * environment.
 *
 * Returns TOSST_OK, or TOSST_ERROR_ARGUMENT with a usable kernel selected if this processor does not support the
 * wanted kernel or OpenBLAS does not contain it. */
TosstStatus tosst_blas_select_kernel (const char *wanted);

/* Lets OpenBLAS allocate the buffers for products on the given number of threads. With limited memory (ulimit -v)
 * OpenBLAS retries a failed allocation without end; to be called once, before any product. Returns
 * TOSST_ERROR_MEMORY if the buffers do not fit. */
TosstStatus tosst_blas_reserve (int threads);

/* Returns the i-th of OpenBLAS's kernels that this processor supports and that differ in speed, from the oldest to
 * the newest instructions; NULL after the last one. Static strings. */
const char *tosst_blas_kernel (size_t i);

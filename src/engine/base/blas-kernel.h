/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which BLAS library the process has, and which of OpenBLAS's kernels it uses.
 *
 * OpenBLAS chooses a kernel when it is loaded, by a list of the processors known at its release. A processor released later
 * gets a kernel of 2004, at a quarter or a fifth of the speed. tosst_blas_select_kernel() chooses again, by the instructions
 * that processor and operating system offer. Programs that use the engine call it once at the start:
 *
 *     tosst_blas_select_kernel (getenv (TOSST_BLAS_VARIABLE));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

/* The environment variable by which a user names a kernel; OpenBLAS reads it when it is loaded. */
#define TOSST_BLAS_VARIABLE "OPENBLAS_CORETYPE"

typedef struct
{
  const char *name;    /* "OpenBLAS", "BLIS", "MKL", "ATLAS", "FlexiBLAS" or "reference BLAS" */
  const char *version; /* version and build options, "" if the library does not tell; the library's */
  const char *kernel;  /* OpenBLAS's kernel in use; NULL for another library */
  bool is_dynamic;     /* the library has kernels for several processors */
  char file[4096];     /* the shared library that has cblas_sgemm(), links resolved; "" if it cannot be found */
  char other[4096];    /* the file behind libblas.so.3 where that is another library than OpenBLAS, else "" */
} TosstBlasLibrary;

/* Fills in *library. Safe on any thread. */
void tosst_blas_describe (TosstBlasLibrary *library);

/* Uses the fastest of OpenBLAS's kernels that this processor can run, where OpenBLAS has chosen one for older instructions.
 *
 * wanted: the kernel that the user asks for, as in the environment when OpenBLAS was loaded; it is kept if OpenBLAS has it
 * and this processor can run it. NULL or "" for none. Other libraries than OpenBLAS are left alone.
 *
 * The environment variable says what wanted says afterwards. Call it before other threads use BLAS or the environment.
 *
 * Returns TOSST_ERROR_ARGUMENT, with a usable kernel chosen, if this processor cannot run the wanted one or OpenBLAS has none of
 * that name; else TOSST_OK. */
TosstStatus tosst_blas_select_kernel (const char *wanted);

/* Where the process's memory is limited (ulimit -v), lets OpenBLAS get the buffers that products on so many threads need:
 * it would else try for ever once there is no room. TOSST_ERROR_MEMORY if there is none now. Call it once, before any product. */
TosstStatus tosst_blas_reserve (int threads);

/* The i-th of OpenBLAS's kernels that this processor can run and that differ in speed, from the oldest to the newest
 * instructions; NULL beyond the last one. Static strings. */
const char *tosst_blas_kernel (size_t i);

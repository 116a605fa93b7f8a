/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

#include "engine/simd/kernels.h"

/* The builds of the hot loops that this processor can run, NULL behind them; returns how many. */
static inline gsize
list_builds (const TosstKernels *builds[3])
{
  gsize n = 0;

  builds[0] = builds[1] = builds[2] = NULL;
  builds[n++] = &tosst_kernels_baseline;
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    builds[n++] = &tosst_kernels_avx2;
  if (tosst_kernels () == &tosst_kernels_avx512)
    builds[n++] = &tosst_kernels_avx512;
#endif
  return n;
}

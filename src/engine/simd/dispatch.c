/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/simd/kernels.h"
#include "tosst/context.h"

const TosstKernels *
tosst_kernels (void)
{
#if defined(__x86_64__) && !defined(TOSST_BASELINE_LOOPS) /* defined for valgrind: doc/reliability.md */
  /* Also checks that the operating system saves the wide registers. */
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl"))
    return &tosst_kernels_avx512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return &tosst_kernels_avx2;
#endif
  return &tosst_kernels_baseline;
}

const char *
tosst_instruction_set (void)
{
  return tosst_kernels ()->name;
}

/* Sufficient for every build: d rows of padded sums and one chunk of pair products. */
size_t
tosst_third_order_work (int d, size_t element)
{
  size_t stride = ((size_t)d * (d + 1) / 2 + 63) / 64 * 64;
  return (d + 128) * stride * element;
}

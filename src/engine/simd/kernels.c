/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simd/kernels.h"

#include <math.h>
#include <string.h>

#include "coding/lasso.h"

/* Width of a register in bytes, and how many of them a register tile of the third-order products may hold. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define TILE_VECTORS 4
#define KERNELS tosst_kernels_avx512
#define KERNELS_NAME "AVX-512"
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define TILE_VECTORS 2
#define KERNELS tosst_kernels_avx2
#define KERNELS_NAME "AVX2"
#else
#define VECTOR_BYTES 16
#define TILE_VECTORS 2
#define KERNELS tosst_kernels_baseline
#if defined(__aarch64__)
#define KERNELS_NAME "NEON"
#else
#define KERNELS_NAME "baseline"
#endif
#endif

/* Columns k of a register tile: TILE_VECTORS x TILE_COLUMNS accumulators stay in registers. */
#define TILE_COLUMNS 6

/* A register of either kind; it may lie over arrays of its element. */
typedef float Vector_float __attribute__ ((vector_size (VECTOR_BYTES), may_alias));
typedef double Vector_double __attribute__ ((vector_size (VECTOR_BYTES), may_alias));

/* Rounds of growth of an active set; a handful is usual. */
#define MOST_OUTER 100

#define REAL float
#define NAME(x) x##_float
#include "simd/cholesky-impl.h"
#include "simd/lasso-impl.h"
#include "simd/product-impl.h"
#include "simd/third-order-impl.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_double
#include "simd/cholesky-impl.h"
#include "simd/lasso-impl.h"
#include "simd/product-impl.h"
#include "simd/third-order-impl.h"

#include "simd/eigen-impl.h"
#include "simd/power-impl.h"

const TosstKernels KERNELS = {
  .name = KERNELS_NAME,
  .third_order_float = third_order_float,
  .third_order_double = third_order_double,
  .lasso_float = lasso_float,
  .lasso_double = lasso_double,
  .product_float = product_float,
  .product_double = product_double,
  .symmetric_eigen = symmetric_eigen,
  .signed_power = signed_power,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/simd/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "engine/simd/lasso.h"
#include "engine/simd/tuning.h"
#include "engine/simd/vector.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define KERNELS tosst_kernels_avx512
#define KERNELS_NAME "AVX-512"
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define KERNELS tosst_kernels_avx2
#define KERNELS_NAME "AVX2"
#else
#define VECTOR_BYTES 16
#define KERNELS tosst_kernels_baseline
#if defined(__aarch64__)
#define KERNELS_NAME "NEON"
#else
#define KERNELS_NAME "baseline"
#endif
#endif

/* Inline assembly constraint of a vector register; KEEP() forces a value into a register and hides its origin from
 * the optimiser. */
#if defined(__AVX512F__)
#define VECTOR_REGISTER "v"
#elif defined(__aarch64__)
#define VECTOR_REGISTER "w"
#else
#define VECTOR_REGISTER "x"
#endif
#define KEEP(value, kind) __asm__("" : "+" kind (value))

/* Vector types of one register; they may alias arrays of their element type. */
typedef float Vector_float __attribute__ ((vector_size (VECTOR_BYTES), may_alias));
typedef double Vector_double __attribute__ ((vector_size (VECTOR_BYTES), may_alias));

#define REAL float
#define INTEGER int32_t
#define NAME(x) x##_float
#include "engine/simd/atom-impl.h"
#include "engine/simd/cholesky-impl.h"
#include "engine/simd/lasso-impl.h"
#include "engine/simd/product-impl.h"
#include "engine/simd/third-order-impl.h"
#undef REAL
#undef INTEGER
#undef NAME

#define REAL double
#define INTEGER int64_t
#define NAME(x) x##_double
#include "engine/simd/atom-impl.h"
#include "engine/simd/cholesky-impl.h"
#include "engine/simd/lasso-impl.h"
#include "engine/simd/product-impl.h"
#include "engine/simd/third-order-impl.h"

#include "engine/simd/third-order-patch-impl.h"
#include "engine/simd/third-order-planes-impl.h"

#include "engine/simd/accumulate-impl.h"
#include "engine/simd/atom-panel-impl.h"
#include "engine/simd/chi2-impl.h"
#include "engine/simd/eigen-impl.h"
#include "engine/simd/gram-impl.h"
#include "engine/simd/posterior-impl.h"
#include "engine/simd/power-impl.h"
#include "engine/simd/product-packed-impl.h"
#include "engine/simd/sift-impl.h"
#include "engine/simd/slices-impl.h"

#include "engine/simd/eigen-lanes-impl.h"
#include "engine/simd/whiten-lanes-impl.h"

#include "engine/simd/whiten-axes-impl.h"
#include "engine/simd/whiten-update-impl.h"

#include "engine/simd/whiten-reflect-impl.h"

#include "engine/simd/whiten-impl.h"

#include "engine/simd/spread-impl.h"

const TosstKernels KERNELS = {
  .name = KERNELS_NAME,
  .third_order_float = third_order_float,
  .third_order_double = third_order_double,
  .third_order_bytes = third_order_bytes,
  .third_order_quarter = third_order_quarter,
  .third_order_half = third_order_half,
  .third_order_patch = third_order_patch,
  .third_order_planes = third_order_planes,
  .rbf_spread = rbf_spread,
  .lasso_float = lasso_float,
  .lasso_double = lasso_double,
  .lasso_residuals_float = lasso_residuals_float,
  .lasso_residuals_double = lasso_residuals_double,
  .lasso_round_float = lasso_round_float,
  .lasso_round_double = lasso_round_double,
  .cholesky_double = cholesky_double,
  .cholesky_solve_double = cholesky_solve_double,
  .symmetric_atom_float = symmetric_atom_float,
  .symmetric_atom_double = symmetric_atom_double,
  .product_float = product_float,
  .product_double = product_double,
#if defined(__AVX512F__)
  .symmetric_atoms_panel = symmetric_atoms_panel,
  .product_packed_work = product_packed_work,
  .product_packed = product_packed,
#endif
#if defined(__AVX2__)
  .gram = gram,
#endif
  .accumulate_rows = accumulate_rows,
  .set_abreast = set_abreast,
  .slices_times_b = slices_times_b,
  .slices_times_u = slices_times_u,
  .add_entries = add_entries,
  .symmetric_eigen = symmetric_eigen,
  .signed_power = signed_power,
  .chi2_distance = chi2_distance,
  .posteriors = posteriors,
  .posterior_sums = posterior_sums,
  .sift_gradient = sift_gradient,
  .sift_filter_rows = sift_filter_rows,
  .sift_filter_columns = sift_filter_columns,
  .sift_descriptor = sift_descriptor,
  .lanes = VECTOR_BYTES / sizeof (float),
  .tile = LANES_TILE,
  .whiten_work = whiten_work,
  .whiten = whiten,
};

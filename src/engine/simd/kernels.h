/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hot loops outside BLAS. simd/kernels.c is compiled once for each instruction set of the target architecture that
 * the compiler supports; tosst_kernels() selects the widest one that the processor supports.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Workspace of one Lasso solver; see coding/lasso.h. */
typedef struct TosstLassoWork TosstLassoWork;

/* Shape of a square patch; its position features are tabulated along one side. */
typedef struct
{
  int size;     /* pixels per side */
  int position; /* P position features of a column, and as many of a row */
  int features; /* n other features of a pixel */
  size_t row;   /* values from one row of pixels to the next */
} TosstPatchShape;

/* Sizes in bytes of the partial sums shared by patches of one shape, and of the workspace of one patch. */
typedef struct
{
  size_t quarter, half, work;
} TosstPatchBytes;

/* Planar features of a patch: the value at pixel (x, y) is first[y row + x column]. Memory up to one register past
 * the end of each row must be readable; these values are not used. */
#define TOSST_PLANES 9
typedef struct
{
  const double *first;
  size_t row, column;
} TosstPlane;

typedef struct
{
  int size; /* pixels per side */
  int d;    /* features, 5 to TOSST_PLANES */
  TosstPlane feature[TOSST_PLANES];
} TosstPlanes;

/* Equation (13): domain, distance between pivots, sigma squared and number of pivots. */
#define TOSST_MOST_PIVOTS 64
typedef struct
{
  double low, high, h, s2;
  int pivots;
} TosstSpread;

/* Index tables of super-symmetric tensors of side d for whiten(). */
typedef struct
{
  int d, side;          /* side: d rounded up to a multiple of tile */
  int pairs;            /* pairs i <= j, rounded up to a multiple of tile */
  size_t m;             /* stored values per tensor */
  const int32_t *index; /* pairs x d: index of X[ijk]; m for padding pairs */
  const int32_t *pair;  /* side x d: index of pair (i, j); arbitrary for i >= d */
  const int32_t *run;   /* d x d: index of X[abb], a <= b */
  const int32_t *order; /* pairs of the Gram matrix, those with i = j first */
} TosstWhitenTables;

typedef struct
{
  const char *name; /* "AVX-512", "AVX2", "baseline" */

  /* packed = sum_n x_i x_j x_k, i <= j <= k, over n pixels. x: n x ld, pixel by pixel; the first d <= ld values of a
   * pixel are used; 64 bytes past the last pixel must be readable. work: tosst_third_order_work() bytes, 64-byte
   * aligned. */
  void (*third_order_float) (const float *x, size_t n, int d, int ld, void *work, float *packed);
  void (*third_order_double) (const double *x, size_t n, int d, int ld, void *work, double *packed);

  /* Third-order sums of a patch, x = (p(column), p(row), g), from four quarters: the left quarters have (size + 1) /
   * 2 columns, the upper quarters as many rows. Quarters and halves depend only on their pixels and can be shared by
   * patches. pixels: rows of `width` x n values g, of a half `size` x n; 64 bytes past the last must be readable.
   * position: p (size x P); all p_i p_j, i <= j, in lexicographic order (size x P (P + 1) / 2); then the sums over
   * one side of p_i, p_i p_j and p_i p_j p_k, in that order. Quarters, halves and work: 64-byte aligned; sizes from
   * third_order_bytes(). */
  TosstPatchBytes (*third_order_bytes) (const TosstPatchShape *shape);
  void (*third_order_quarter) (const TosstPatchShape *shape, int width, int height, const float *pixels, void *work,
                               float *quarter);
  void (*third_order_half) (const TosstPatchShape *shape, int height, const float *pixels, const float *position,
                            const float *left, const float *right, float *half);
  void (*third_order_patch) (const TosstPatchShape *shape, const float *position, const float *upper,
                             const float *lower, void *work, float *packed);

  /* Third-order sums of planar features in double. packed: d (d + 1)(d + 2) / 6. */
  void (*third_order_planes) (const TosstPlanes *planes, double *packed);

  /* Equation (13) for n values u, clamped to the domain. out: the pivots of each value are contiguous; `stride`
   * floats from one value to the next. */
  void (*rbf_spread) (const TosstSpread *spread, const double *u, size_t n, float *out, size_t stride);

  /* Solves one Lasso; see coding/lasso.h for the problem. H: K x K symmetric. alpha: K, starting point on entry,
   * solution on return. Returns the KKT residual, the largest violation of half the gradient; tolerance is its
   * target. */
  double (*lasso_float) (const float *H, int K, const float *q, float t, bool is_signed, float tolerance, float *alpha,
                         TosstLassoWork *work);
  double (*lasso_double) (const double *H, int K, const double *q, double t, bool is_signed, double tolerance,
                          double *alpha, TosstLassoWork *work);

  /* Single rounds of the Lasso, for batches of codes. lasso_residuals_...(): r = q - H alpha for the rows of q, alpha
   * and r (K values each) that `row` lists, at most work->rows of them. lasso_round_...(): returns the KKT residual
   * of a code with residual r; if it exceeds the tolerance, alpha is updated and r is out of date. The result of a
   * code does not depend on the other codes of the batch. */
  void (*lasso_residuals_float) (const float *H, int K, const float *q, const float *alpha, const int *row, int rows,
                                 float *r, TosstLassoWork *work);
  void (*lasso_residuals_double) (const double *H, int K, const double *q, const double *alpha, const int *row,
                                  int rows, double *r, TosstLassoWork *work);
  double (*lasso_round_float) (const float *H, int K, const float *r, float t, bool is_signed, float tolerance,
                               float *alpha, TosstLassoWork *work);
  double (*lasso_round_double) (const double *H, int K, const double *r, double t, bool is_signed, double tolerance,
                                double *alpha, TosstLassoWork *work);

  /* cholesky_double: factorises A = U'U, n x n, with rows of length ld, a multiple of TOSST_GRAIN. The upper triangle
   * of U holds A on entry and the factor on return. Rows up to a multiple of 4 and columns up to ld are scratch; U is
   * 64-byte aligned. Returns false if A is not numerically positive definite. cholesky_solve_double: x = (U'U)^{-1}
   * x. */
  bool (*cholesky_double) (double *U, int ld, int n);
  void (*cholesky_solve_double) (const double *U, int ld, int n, double *x);

  /* Transformed atom of a super-symmetric tensor; see simd/atom-impl.h. C: d x d, b: d, out: d (d + 1)(d + 2) / 6. */
  void (*symmetric_atom_float) (const double *C, const double *b, int d, float *out);
  void (*symmetric_atom_double) (const double *C, const double *b, int d, double *out);

  /* out[r stride + c] = sum_k left[r row + k column] right[offset[k] + c] for r < rows, k < terms, c < columns; with
   * add, the sum is added to out. columns, stride and all offsets are multiples of TOSST_GRAIN; right and out are
   * 64-byte aligned. */
  void (*product_float) (const float *left, size_t row, size_t column, int rows, const float *right,
                         const int32_t *offset, int terms, int columns, float *out, size_t stride, bool add);
  void (*product_double) (const double *left, size_t row, size_t column, int rows, const double *right,
                          const int32_t *offset, int terms, int columns, double *out, size_t stride, bool add);

  /* out[r stride + c] = sum_t rows[r m + t] panels[(c / TOSST_PANEL m + t) TOSST_PANEL + c % TOSST_PANEL] for r <
   * count and c < columns: a product with a matrix whose columns are packed into panels of TOSST_PANEL once and used
   * for many products. panels and work are 64-byte aligned; work: product_packed_work (m) bytes. The bits of a value
   * do not depend on the other rows and columns. NULL where sgemm is as fast; so is symmetric_atoms_panel. */
  size_t (*product_packed_work) (size_t m);
  void (*product_packed) (const float *panels, int columns, size_t m, const float *rows, size_t count, float *out,
                          size_t stride, void *work);

  /* out[r stride + c] = 1 + row_r . column_c for r < rows and c < columns, at most TOSST_GRAM_SIDE each; rows and
   * columns are contiguous vectors of p values. Products of zeros shared by neighbouring vectors are skipped. If row
   * == column, only the lower triangle with its diagonal is defined. work: TOSST_GRAM_WORK values, 64-byte aligned.
   * The bits of a value do not depend on the other rows and columns. NULL where dgemm may use wider registers. */
  void (*gram) (const float *row, int rows, const float *column, int columns, size_t p, double *out, size_t stride,
                void *work);

  /* symmetric_atom_float() for TOSST_PANEL atoms, written to a panel. C: d (d + 1) / 2 pairs i <= j, and b: d, each
   * interleaved for the first TOSST_ABREAST atoms, followed by the remaining atoms; 64-byte aligned. */
  void (*symmetric_atoms_panel) (const double *C, const double *b, int d, float *panel);

  /* sums[k] = sum_j value[j] tile[row[j]] over j = start[k] .. start[k + 1] - 1, for k < count; with add, the result
   * is added to sums. sums[k] and the rows of tile are vectors of TOSST_TILE_COLUMNS values; both arrays are 64-byte
   * aligned. */
  void (*accumulate_rows) (const float *value, const uint16_t *row, const uint32_t *start, int count, const float *tile,
                           float *sums, bool add);

  /* Products for TOSST_ABREAST interleaved tensors: elements of the same index are contiguous, in factors and results
   * as well; all arrays are 64-byte aligned. index: S x D, positions of slice entries.
   *   set_abreast: interleaves n values of each of `count` rows, stride apart; missing rows are zero.
   *   slices_times_b: out_p = sum_s b_s data[index_sp].
   *   slices_times_u: out_s = sum_p u_p data[index_sp].
   *   add_entries: out[to_i] += factor[from_i] data[at_i] for i < count. */
  void (*set_abreast) (const double *rows, size_t stride, int count, size_t n, double *out);
  void (*slices_times_b) (const double *data, const int32_t *index, int D, int S, const double *b, double *out);
  void (*slices_times_u) (const double *data, const int32_t *index, int D, int S, const double *u, double *out);
  void (*add_entries) (const double *data, const double *factor, const int32_t *at, const int32_t *from,
                       const int32_t *to, size_t count, double *out);

  /* A (n rows, stride apart, zero beyond n) = V' diag (values) V; the rows of V are eigenvectors, in no particular
   * order. A is overwritten; work: TOSST_EIGEN_WORK (stride) values; stride is a multiple of TOSST_GRAIN, A, V and
   * work are 64-byte aligned. Returns false if the iteration does not converge, which happens only for non-finite
   * input. */
  bool (*symmetric_eigen) (double *A, int n, int stride, double *V, double *values, double *work);

  /* x <- sgn (x) |x|^p for n finite values, 0 < p <= 1; subnormal results (below 1.2e-38) become zero. */
  void (*signed_power) (float *x, size_t n, float p);

  /* sum (a_i - b_i)^2 / (|a_i| + |b_i|) over the terms with a or b other than 0; n: a multiple of 8. */
  double (*chi2_distance) (const double *a, const double *b, size_t n);

  /* Mixtures of Gaussians; stride and width are multiples of TOSST_GRAIN, all arrays but logs 64-byte aligned.
   *   posteriors: rows (count x stride) of logarithms l without their constants become exp (l) / sum exp (l); logs
   *     receives log sum exp (l) of each row.
   *   posterior_sums: sums (stride x width) += sum_i row_ik x_i and totals (stride) += sum_i row_ik over the values
   *     row_ik above the threshold, x: count x width. */
  void (*posteriors) (float *rows, size_t count, size_t stride, const float *constants, double *logs);
  void (*posterior_sums) (const float *rows, size_t count, size_t stride, float threshold, const float *x, size_t width,
                          float *sums, float *totals);

  /* Dense SIFT; 8 contiguous orientations per pixel and per spatial bin.
   *   sift_gradient: gradient of a row of width pixels from the rows above and below, whose difference is multiplied by
   *     dy, divided among the orientations.
   *   sift_filter_rows: out = sum_t weight[t] row[t], n values, a multiple of 8.
   *   sift_filter_columns: pixel p of out = sum_t weight[t] pixel p step + t of the row, for p < count.
   *   sift_descriptor: the 4 x 4 bins row[y] + x apart times weight, normalised, clamped and normalised. Returns the sum
   *     before normalisation. out: 128. */
  void (*sift_gradient) (const float *row, const float *above, const float *below, float dy, int width, float *out);
  void (*sift_filter_rows) (const float *const *row, const float *weight, int taps, size_t n, float *out);
  void (*sift_filter_columns) (const float *pixel, int step, const float *weight, int taps, int count, float *out);
  float (*sift_descriptor) (const float *const *row, int apart, const float *weight, float clamp, float *out);

  /* Equations (15)-(20) of `count` <= `lanes` tensors of m values, in place, one tensor per register lane. The result
   * of a tensor does not depend on the others. Returns false and changes nothing if an entry is not finite. work:
   * whiten_work (tables) bytes, zeroed before the first use, 64-byte aligned. */
  int lanes;
  int tile;
  size_t (*whiten_work) (const TosstWhitenTables *tables);
  bool (*whiten) (const TosstWhitenTables *tables, float *tensors, int count, float gamma_eigen,
                  float gamma_coefficient, void *work);
} TosstKernels;

/* Granularity of the columns of product_float() and product_double(). */
#define TOSST_GRAIN 16
/* The number of columns, rounded up to the granularity. */
static inline size_t
tosst_grain (size_t columns)
{
  return (columns + TOSST_GRAIN - 1) / TOSST_GRAIN * TOSST_GRAIN;
}
/* Columns in a panel of product_packed(). */
#define TOSST_PANEL 16
/* Maximum number of rows and columns of gram(), and its workspace in values: both operands in 256 terms. */
#define TOSST_GRAM_SIDE 480
#define TOSST_GRAM_WORK (2 * TOSST_GRAM_SIDE * 256)
/* Row length of accumulate_rows(). */
#define TOSST_TILE_COLUMNS 64
/* Workspace of symmetric_eigen() in values. */
#define TOSST_EIGEN_WORK(stride) (6 * ((size_t)(stride) + TOSST_GRAIN))
/* Number of interleaved tensors in slices_times_b() and slices_times_u(). */
#define TOSST_ABREAST 8

const TosstKernels *tosst_kernels (void);

size_t tosst_third_order_work (int d, size_t element);

/* Builds by instruction set; other processor families have a subset of them. */
extern const TosstKernels tosst_kernels_baseline;
extern const TosstKernels tosst_kernels_avx2;
extern const TosstKernels tosst_kernels_avx512;

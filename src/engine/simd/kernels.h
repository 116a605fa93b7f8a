/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot loops outside BLAS. simd/kernels.c is compiled once for each instruction set that the compiler knows for this
 * machine's family; tosst_kernels() picks the best one that the processor at hand can run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work space of one Lasso solver; see coding/lasso.h. */
typedef struct TosstLassoWork TosstLassoWork;

/* A square patch whose position features are tabulated for one side. */
typedef struct
{
  int size;     /* pixels on a side */
  int position; /* P position features of a column, and as many of a row */
  int features; /* n others of a pixel */
  size_t row;   /* numbers from one row of pixels to the next */
} TosstPatchShape;

/* Bytes of the sums that patches of one shape share, and of the work space of one. */
typedef struct
{
  size_t quarter, half, work;
} TosstPatchBytes;

/* Features of a patch, each in a plane of its own: that of pixel (x, y) is first[y row + x column]. Numbers that a register
 * reads behind the last pixel of a row must be there, and are not used. */
#define TOSST_PLANES 9
typedef struct
{
  const double *first;
  size_t row, column;
} TosstPlane;

typedef struct
{
  int size; /* pixels on a side */
  int d;    /* features, 5 to TOSST_PLANES */
  TosstPlane feature[TOSST_PLANES];
} TosstPlanes;

/* Equation (13): a domain, the distance of its pivots, sigma squared and the number of pivots. */
#define TOSST_MOST_PIVOTS 64
typedef struct
{
  double low, high, h, s2;
  int pivots;
} TosstSpread;

/* Index tables of super-symmetric tensors of side d for whiten(). */
typedef struct
{
  int d, side;          /* side: d up to a multiple of tile */
  int pairs;            /* pairs i <= j, up to a multiple of tile */
  size_t m;             /* numbers of a tensor */
  const int32_t *index; /* pairs x d: of X[ijk]; m for pairs that are not there */
  const int32_t *pair;  /* side x d: pair of i and j; any for i >= d */
  const int32_t *run;   /* d x d: of X[abb], a <= b */
  const int32_t *order; /* pairs of the Gram matrix: first i = j */
} TosstWhitenTables;

typedef struct
{
  const char *name; /* "AVX-512", "AVX2", "baseline" */

  /* Sums x (x) x (x) x over n pixels: x is n x ld, pixel by pixel, d <= ld numbers used, with 64 readable
   * bytes behind the last; packed receives
   * sum_n x_i x_j x_k, i <= j <= k. work: third_order_work (d) bytes, 64-byte aligned. */
  void (*third_order_float) (const float *x, size_t n, int d, int ld, void *work, float *packed);
  void (*third_order_double) (const double *x, size_t n, int d, int ld, void *work, double *packed);

  /* The same for a patch, x = (p(column), p(row), g), from four quarters: the left ones have (size + 1) / 2 columns, the
   * upper ones as many rows. Quarters and halves with the same pixels are the same for all patches. pixels: rows of
   * `width` x n numbers g, of a half `size` x n, with 64 readable bytes behind the last. position: p (size x P); all
   * p_i p_j, i <= j, in lexicographic order (size x P (P + 1) / 2); and the sums over one side of p_i, of p_i p_j and of
   * p_i p_j p_k in that order. Quarters, halves and work: 64-byte aligned. */
  TosstPatchBytes (*third_order_bytes) (const TosstPatchShape *shape);
  void (*third_order_quarter) (const TosstPatchShape *shape, int width, int height, const float *pixels, void *work,
                               float *quarter);
  void (*third_order_half) (const TosstPatchShape *shape, int height, const float *pixels, const float *position,
                            const float *left, const float *right, float *half);
  void (*third_order_patch) (const TosstPatchShape *shape, const float *position, const float *upper,
                             const float *lower, void *work, float *packed);

  /* The same for few features, and in double. */
  void (*third_order_planes) (const TosstPlanes *planes, double *packed);

  /* Equation (13) for n numbers, clamped to the domain: the pivots of each one after the other, `stride` floats from one to
   * the next. */
  void (*rbf_spread) (const TosstSpread *spread, const double *u, size_t n, float *out, size_t stride);

  /* One Lasso; see coding/lasso.h for the problem. H: K x K symmetric. alpha: K, read as the starting point and
   * written. Returns the KKT residual max_k |.| of half the gradient; tolerance is what it should be at most. */
  double (*lasso_float) (const float *H, int K, const float *q, float t, bool is_signed, float tolerance, float *alpha,
                         TosstLassoWork *work);
  double (*lasso_double) (const double *H, int K, const double *q, double t, bool is_signed, double tolerance,
                          double *alpha, TosstLassoWork *work);

  /* The rounds that a Lasso consists of, for many codes at a time. lasso_residuals_...(): r = q - H alpha for the named
   * ones among the rows of q, alpha and r, each with K numbers; there are no more than work->rows. lasso_round_...():
   * returns the KKT residual of a code with residual r; beyond the tolerance the code is improved, and needs a new
   * residual. The result of one code does not depend on the others. */
  void (*lasso_residuals_float) (const float *H, int K, const float *q, const float *alpha, const int *row, int rows,
                                 float *r, TosstLassoWork *work);
  void (*lasso_residuals_double) (const double *H, int K, const double *q, const double *alpha, const int *row,
                                  int rows, double *r, TosstLassoWork *work);
  double (*lasso_round_float) (const float *H, int K, const float *r, float t, bool is_signed, float tolerance,
                               float *alpha, TosstLassoWork *work);
  double (*lasso_round_double) (const double *H, int K, const double *r, double t, bool is_signed, double tolerance,
                                double *alpha, TosstLassoWork *work);

  /* A = U'U, n x n, with rows of length ld, a multiple of TOSST_GRAIN: A in the upper triangle of U on entry, U on
   * return. Rows up to a multiple of 4 and columns up to ld are scratch; U is 64-byte aligned. False if A is not
   * numerically positive definite. cholesky_solve_double: x = (U'U)^{-1} x. */
  bool (*cholesky_double) (double *U, int ld, int n);
  void (*cholesky_solve_double) (const double *U, int ld, int n, double *x);

  /* A transformed atom of a super-symmetric tensor; see simd/atom-impl.h. C: d x d, b: d, out: d (d + 1)(d + 2) / 6. */
  void (*symmetric_atom_float) (const double *C, const double *b, int d, float *out);
  void (*symmetric_atom_double) (const double *C, const double *b, int d, double *out);

  /* out[r stride + c] = sum_k left[r row + k column] right[offset[k] + c] for r < rows, k < terms, c < columns; with add
   * that is added to what out holds. columns, stride and all offsets are multiples of TOSST_GRAIN; right and out are
   * 64-byte aligned. */
  void (*product_float) (const float *left, size_t row, size_t column, int rows, const float *right,
                         const int32_t *offset, int terms, int columns, float *out, size_t stride, bool add);
  void (*product_double) (const double *left, size_t row, size_t column, int rows, const double *right,
                          const int32_t *offset, int terms, int columns, double *out, size_t stride, bool add);

  /* out[r stride + c] = sum_t rows[r m + t] panels[(c / TOSST_PANEL m + t) TOSST_PANEL + c % TOSST_PANEL] for r < count
   * and c < columns: a product with columns that are packed into panels of TOSST_PANEL once, for many products. panels
   * and work are 64-byte aligned; work: product_packed_work (m) bytes. The bits of a number do not depend on the other
   * rows and columns. NULL where sgemm is as fast, as is symmetric_atoms_panel. */
  size_t (*product_packed_work) (size_t m);
  void (*product_packed) (const float *panels, int columns, size_t m, const float *rows, size_t count, float *out,
                          size_t stride, void *work);

  /* out[r stride + c] = 1 + row_r . column_c for r < rows and c < columns, at most TOSST_GRAM_SIDE of both, which are p
   * numbers each, one after the other. Products are left out where neighbours have zeros. Where row == column only what
   * lies on and below the diagonal is certain. work: TOSST_GRAM_WORK numbers, 64-byte aligned. The bits of a number do
   * not depend on the other rows and columns. NULL where dgemm may have wider registers. */
  void (*gram) (const float *row, int rows, const float *column, int columns, size_t p, double *out, size_t stride,
                void *work);

  /* symmetric_atom_float() for TOSST_PANEL atoms, into a panel. C: d (d + 1) / 2 pairs i <= j, and b: d, each for
   * TOSST_ABREAST atoms side by side and then for as many others; 64-byte aligned. */
  void (*symmetric_atoms_panel) (const double *C, const double *b, int d, float *panel);

  /* sums[k] (TOSST_TILE_COLUMNS numbers each) = sum_j value[j] tile[row[j]] over j = start[k] .. start[k + 1] - 1, for k <
   * count; with add that is added to what sums holds. Rows of the tile are as long; both are 64-byte aligned. */
  void (*accumulate_rows) (const float *value, const uint16_t *row, const uint32_t *start, int count, const float *tile,
                           float *sums, bool add);

  /* For TOSST_ABREAST tensors side by side, whose numbers with the same place lie next to each other, as do those of
   * the factors and results; all 64-byte aligned. index: S x D, positions of slice entries.
   * set_abreast: brings n numbers of each of `count` rows, stride apart, into that order; others are zero.
   * slices_times_b: out_p = sum_s b_s data[index_sp].   slices_times_u: out_s = sum_p u_p data[index_sp]. */
  void (*set_abreast) (const double *rows, size_t stride, int count, size_t n, double *out);
  void (*slices_times_b) (const double *data, const int32_t *index, int D, int S, const double *b, double *out);
  void (*slices_times_u) (const double *data, const int32_t *index, int D, int S, const double *u, double *out);

  /* A (n rows, stride apart, zero beyond n) = V' diag (values) V; the rows of V are eigenvectors, in no particular order.
   * A is overwritten; work: TOSST_EIGEN_WORK numbers; stride is a multiple of TOSST_GRAIN, A, V and work are 64-byte
   * aligned. False if it does not converge, which happens only with numbers that are not finite. */
  bool (*symmetric_eigen) (double *A, int n, int stride, double *V, double *values, double *work);

  /* x <- sgn (x) |x|^p for n finite numbers, 0 < p <= 1; what has no normal exponent (below 1.2e-38) becomes zero. */
  void (*signed_power) (float *x, size_t n, float p);

  /* Equations (15)-(20) of `count` tensors of m numbers, at most `lanes`, in place and side by side in the lanes of
   * registers; the result of one does not depend on the others. False, with nothing changed, if one has an entry
   * that is not finite. work: whiten_work (tables) bytes, zero at first, 64-byte aligned. */
  int lanes;
  int tile;
  size_t (*whiten_work) (const TosstWhitenTables *tables);
  bool (*whiten) (const TosstWhitenTables *tables, float *tensors, int count, float gamma_eigen,
                  float gamma_coefficient, void *work);
} TosstKernels;

/* Rounds of a Lasso at most; a handful is usual. */
#define TOSST_LASSO_ROUNDS 100

/* Columns of product_float() and product_double() come in bundles of so many. */
#define TOSST_GRAIN 16
/* Columns in a panel of product_packed(). */
#define TOSST_PANEL 16
/* Rows and columns of gram(), and the numbers that it works in: both, in 256 terms. */
#define TOSST_GRAM_SIDE 480
#define TOSST_GRAM_WORK (2 * TOSST_GRAM_SIDE * 256)
/* Numbers in a row of accumulate_rows(). */
#define TOSST_TILE_COLUMNS 64
/* Numbers that symmetric_eigen() works in. */
#define TOSST_EIGEN_WORK(stride) (6 * ((size_t)(stride) + TOSST_GRAIN))
/* Tensors side by side in slices_times_b() and slices_times_u(). */
#define TOSST_ABREAST 8

const TosstKernels *tosst_kernels (void);

size_t tosst_third_order_work (int d, size_t element);

/* The builds; on other processor families only some exist. */
extern const TosstKernels tosst_kernels_baseline;
extern const TosstKernels tosst_kernels_avx2;
extern const TosstKernels tosst_kernels_avx512;

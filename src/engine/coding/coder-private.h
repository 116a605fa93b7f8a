/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/coding/nonnegative.h"
#include "engine/coding/reduction.h"

struct TosstCoder
{
  TosstCodingOptions options;
  int D, S, K;
  size_t m;
  double scale;                /* tensors are divided by this */
  bool borrows;                /* dictionary, reduction and H belong to the caller */
  TosstDictionary *dictionary; /* copy */
  int32_t *index;              /* of the layout, copy */
  double *weight;
  TosstReduction reduction;
  void *
      H; /* K x K; its factor, in the lower triangle by columns, for options.span; float, or double (options.wide, nonnegative) */
  void *atoms; /* transformed atoms including the scale, in the precision of options.wide; NULL: computed on demand */
  size_t gathered;               /* tensors per block if atoms are computed on demand */
  TosstNonnegative *nonnegative; /* for beta >= 0 and finite gamma, else NULL; there are no transformed atoms then */
  signed char *sign;  /* K, for beta >= 0 and gamma = infinity, else NULL: feasible sign of alpha_k; 0: none */
  TosstMemory memory; /* of index, weight, H and atoms */
  double seconds;     /* wall time of tosst_coder_new() */
};

/* tosst_coder_new() with a copy of a computed reduction of the dictionary, or NULL. With H (K x K, float), nothing is
 * copied: dictionary, reduction and H, which the caller has computed, are borrowed, and codes are valid for the
 * dictionary at the last tosst_coder_update(), which has to be given the same ones with its H. */
TosstStatus tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary,
                                     const TosstLayout *layout, const TosstCodingOptions *options,
                                     const TosstReduction *reduction, float *H, TosstCoder **coder);
/* Updates the coder for another dictionary of equal size in place, because page faults of new memory take longer
 * than filling it. The coder is unusable after an error. */
TosstStatus tosst_coder_update (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                                const TosstReduction *reduction);

/* Fails unless the dictionary has atoms for tensors of the layout's shape, finite ones, and a scale in its range. */
TosstStatus tosst_coding_check_dictionary (TosstContext *context, const TosstDictionary *dictionary,
                                           const TosstLayout *layout);

/* plain.c. L with L L' = H and a small ridge, K x K by columns, of the coder's reduction; double if wide. */
TosstStatus tosst_span_factor (const TosstCoder *coder, TosstContext *context, bool wide, void *L);
size_t tosst_span_bytes (size_t K, bool wide); /* workspace of tosst_span_factor() */

/* codes (count x K) = L^{-1} q for tensors first .. first + count - 1, whose correlations are q. All arrays are float,
 * or double if wide. work: TOSST_CODING_ROWS x K. */
TosstStatus tosst_span_solve (TosstContext *context, size_t K, bool wide, const void *L, size_t first, size_t count,
                              const char *q, void *work, char *codes);

/* A format with the number of a tensor. */
#define TOSST_CODING_NOT_FINITE "tensor %zu holds NaN or infinity, or is too large"

/* coder.c. Correlations Q = A~' X of many tensors with transformed atoms, stored or computed on demand, one tile
 * of atoms and one block of tensors at a time. Computing an atom costs m operations, its use m per tensor. Float
 * products use TosstKernels.product_packed() where that is faster than sgemm. Stored and recomputed atoms give the
 * same bits of Q. */

/* Workspace per thread in bytes, > 0. */
size_t tosst_correlate_bytes (size_t m, bool wide);

/* Correlates count tensors on the calling thread. atoms: from tosst_transform_atoms(). Q: count x K. All arrays are
 * float, or double if wide. work: tosst_correlate_bytes(), 64-byte aligned. */
void tosst_correlate (const TosstCoder *coder, bool wide, const void *atoms, const void *tensors, size_t count, void *Q,
                      void *work);

/* tosst_correlate() with atoms computed on demand, on all threads; block: tensors per product. */
TosstStatus tosst_correlate_streamed (const TosstCoder *coder, TosstContext *context, bool wide, const void *tensors,
                                      size_t count, size_t block, void *Q);

/* coder.c. Transformed atoms: a~_k = sym ((W v_k) (x) b_k) / scale as m packed values, so that q_k = <a~_k, X> for
 * a stored tensor X ("Exact coding" of the method). */

size_t tosst_atoms_numbers (size_t K, size_t m, bool wide);

/* Computes atoms first .. first + count - 1 from the coder's reduction and signs. atoms: float, or double if wide,
 * 64-byte aligned. */
TosstStatus tosst_transform_atoms (const TosstCoder *coder, TosstContext *context, int first, int count, bool wide,
                                   void *atoms);
/* code.c. Atoms ordered by usage. At K = 2000 a fifth of the atoms accounts for two thirds of all non-zeros. With
 * these atoms adjacent, the part of H on a Lasso's active atoms occupies half as many cache lines. Usage is counted in
 * the codes before a warm start. */

/* Orders the atoms by decreasing usage in the n codes (n x K, float, or double if wide), ties by index. order: K,
 * receives the atoms. Samples about 2000 codes. Returns false if out of memory. */
bool tosst_order_by_use (const void *codes, bool wide, size_t n, size_t K, int *order);

/* out_ij = H_{order i, order j}; both K x K. */
TosstStatus tosst_order_gram (TosstContext *context, const void *H, bool wide, size_t K, const int *order, void *out);

/* Permutes `count` rows of K values into the order, or back. work: K doubles. */
void tosst_order_rows (void *rows, bool wide, size_t count, size_t K, const int *order, bool back, void *work);

/* refine.c. Refinement of a Lasso (coding/lasso.h) that float32 cannot solve to its tolerance: residuals in float32
 * have errors of about 1e-7 sum_j |H_kj alpha_j|, which by far exceeds max |q| if large parts of a code cancel. */

/* Refines alpha (K; in and out: the best code found) until the KKT residual of half the gradient is at most the
 * tolerance, with everything but alpha itself in float64. H: K x K symmetric, q: K, t = lambda / 2. *kkt receives
 * the residual of the returned alpha. The bits do not depend on other codes or on threads. Ends early if every entry
 * is the float nearest to its coordinate-wise minimum: the violation is then at most H_kk ulp (alpha_k) / 2. Returns
 * false if out of memory. */
bool tosst_lasso_refine (const float *H, int K, const float *q, double t, bool is_signed, double tolerance,
                         float *alpha, double *kkt);

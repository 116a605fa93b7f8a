/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of coding, and its limits of precision. Residuals and thresholds are relative to max |q|, the largest
 * gradient at alpha = 0.
 */
#pragma once

/* Lowest KKT residuals reliably reached with H in float and in double; smaller tolerances are raised to these. */
#define TOSST_FLOOR_FLOAT 1e-6
#define TOSST_FLOOR_DOUBLE 1e-13

/* Thresholds lambda / 2 below this do not regularise H. In float it need not be positive semi-definite, so that
 * TOSST_RIDGE times the root of the number of active atoms, relative to its largest entry, is added to its diagonal:
 * rounding an entry to float has a relative error of at most 6e-8, and such errors grow like the root of their
 * number. */
#define TOSST_ILL_CONDITIONED_BELOW 1e-4
#define TOSST_RIDGE 1e-7

/* code.c: batches */
/* Lassos per batch: with 256 copies of H into tiles are shared by half as many, 0.83 of the time from zero. */
#define TOSST_CODING_ROWS 512
/* Tensors per product at most: packing is amortised, and every thread gets some. */
#define TOSST_CODING_BLOCK 512
#define ROUNDS_FLOAT 40 /* rounds at most; few codes take more than a dozen unless limited by rounding */
/* Atoms from which their order matters: a smaller H is in the cache. Lassos took 0.85 of the time at K = 2000. */
#define ORDERED_FROM 256
#define USE_SAMPLE 2048 /* codes, about, in which the use of atoms is counted */
#define ORDERED_ROWS 32 /* rows of H per task */

/* plain.c */
/* Added to the diagonal of H, relative to its mean. Atoms that depend on others, such as duplicates, and rounding errors
 * of float correlations in directions with small eigenvalues are damped. */
#define SPAN_RIDGE 1e-4
#define SPAN_ROWS 16 /* tensors per substitution */

/* coder.c: atoms computed on demand */
/* Values in a tile of atoms, about: enough to make packing the tensors negligible. */
#define TILE_NUMBERS ((size_t)1 << 27)
#define TILE_MOST_ATOMS 1024         /* bounds the memory of a tile */
#define TILE_FEWEST_ATOMS 64         /* a multiple of TOSST_PANEL */
#define TASK_BYTES ((size_t)2 << 20) /* one huge page, so that two threads rarely fault the same page */

/* reduction.c: tasks of W V and H */
#define SUBSTITUTED 128     /* atoms per task of both substitutions, which stay in the cache */
#define GRAM_COLUMNS 128    /* columns of H per task */
#define GRAM_PASS_ROWS 1024 /* rows per pass, which stay in the cache until they are stored */
#define GRAM_SQUARE 16      /* side of the transposed squares, which fit the cache with their mirror images */

/* refine.c: Lassos that float cannot solve */
#define REFINE_ROUNDS 8           /* active sets at most; a bound, few are needed */
#define REFINE_PASSES 200         /* passes over an active set at most that compensate for rounding; a bound */
#define REFINE_EXACT_LEAVES 0.1   /* part of the tolerance: target in float64 */
#define REFINE_SETTLED_LEAVES 0.5 /* part of the tolerance: target of the rounded code on its active set */

/* nonnegative.c, -step.c, -work.c: beta >= 0 */
#define NEWTON_STEPS 2000  /* steps at most; from the Lasso six suffice */
#define MONOTONE_STEPS 500 /* before one bound is released at a time; at most the number of entries */
/* Residual of positive entries, relative to the largest r of a zero, below which one is released. */
#define RELEASE_BELOW 0.01
#define NEWTON_SHORTEST 0.2 /* steps longer than this are halved while they do not lower the objective */
/* Full steps in a row that may raise the objective; those after them mostly reach a new minimum. */
#define NONMONOTONE_STEPS 10
#define DESCENT_PASSES 3  /* of coordinate descent where no step lowers the objective */
#define NEWTON_PATIENCE 8 /* steps in a row that may fail to lower a residual at rounding level */
/* The same while zeros are released one at a time, each of which may raise the residual. */
#define RELEASE_PATIENCE 64
#define NEWTON_INEXACT 0.1  /* accuracy of the linear system of a step, relative to the residual */
#define NEWTON_EXACT 1e-6   /* the same after nonmonotone steps have failed */
#define BEYOND_BOUND 1e-9   /* part of its length by which a step to a bound passes it */
#define STEP_ITERATIONS 100 /* conjugate gradients per step at most; a few suffice */
/* The head of the root ends where eigenvalues fall below this times gamma: with a shorter one conjugate gradients take
 * more products, with a longer one eliminating beta costs more than it saves. */
#define HEAD_PART 4
#define MOST_HEAD 32                        /* rows of the head at most; bounds memory */
#define BETA_MOST_BLOCK 256                 /* tensors per block at most, which occupy all threads */
#define BETA_LEAST_BLOCK 32                 /* tensors per block at least */
#define BETA_BLOCK_BYTES ((size_t)64 << 20) /* slices and beta of a block */

/* recode.c: live codes */
#define BUNDLE 64             /* atoms of a code gathered at once, in the cache */
#define CORRELATED_ATOMS 96   /* per task, a multiple of the register tile */
#define RECODE_LEAST_TAKEN 48 /* violators activated per round if there are as many */
#define RECODE_ROUNDS 200     /* rounds at most; a bound */
/* Atoms above this part of the threshold are activated with violators, because they often follow. */
#define RECODE_NEAR 0.95
#define RECODE_FEW 32            /* violators and near atoms at most */
#define RECODE_MANY_FROM 32      /* inverse part of a code above which atoms to be activated are many */
#define RECODE_MANY_LEAVE 0.02   /* part of the violation to which a round then solves */
#define RECODE_LONG 128          /* atoms of a long code, the violation of whose first round is unknown */
#define RECODE_FIRST_LEAVES 0.02 /* part of the threshold to which that round solves */
/* For negligible lambda a round that leaves more than this part of the violation is the last one. */
#define ILL_CONDITIONED_GAIN 0.98
#define ACTIVE_STRIP 160 /* new atoms per product */

/* coder.c: memory */
#define MOST_SUPPORT 4096  /* non-zeros of a code in bounds of memory */
#define MOST_GATHERED 4096 /* tensors: above this, atoms take 1 % of the time of their products */

/* plain.c */
/* Eigenvalues down to minus this part of the largest are rounding of float32 entries. */
#define ROUNDED_NEGATIVE 1e-5

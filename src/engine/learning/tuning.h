/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of learning.
 */
#pragma once

/* learn.c, minibatch.c: iterations */
#define ROUNDS 4 /* dictionary updates per coding; they cost far less than a new coding */
/* The same for whole atoms, whose projection costs more than coding: new codes lower the objective more. */
#define ROUNDS_WHOLE 1
/* KKT residual of codes, relative to max |2q|; they start from the previous ones. */
#define LEARN_TOLERANCE 1e-5
/* Unused atoms are replaced once per 20 tensors an atom, or once per epoch if that is shorter. */
#define BATCH_PATIENCE 20

/* accumulate.c, sums.c: sums over tensors */
#define PIECE 2048  /* tensors summed in float32; doubled while an atom is used in fewer than ADDENDS of them */
#define ADDENDS 256 /* uses of an atom in a piece, on average */
/* Rows per chunk, 32 kB in the first-level cache; doubled up to a piece until an atom has CHUNK_USES in it. */
#define CHUNK 128
#define CHUNK_USES 12     /* uses of an atom in a chunk, on average */
#define FETCHED_ATOMS 64  /* atoms between prefetches of the next rows */
#define GLANCE_CODES 512  /* codes whose non-zeros are listed together, on the stack */
#define DENSE_WIDTH 512   /* columns of a matrix product for Y */
#define DENSE_COLUMNS 256 /* columns of a matrix product for P */
/* Part of non-zero codes from which sgemm is faster: it makes 221 GFlop/s of all products, the other 100 of those
 * needed. */
#define DENSE_FROM (2.0 / 5)
/* Multiply-adds, codes dense, up to which sums are in float64, whose cost is negligible then. */
#define SMALL_WORK (1u << 22)
#define SUMMED_BATCH 16 /* tensors per update of Sxx */
/* RMS norm of tensors relative to the dictionary's scale: sums of products of larger ones approach the largest float. */
#define MOST_GROWN 1e15

/* Bytes of Y and of four matrices K x K from which they are not stored; see state.h. */
#define LEAN_FROM ((size_t)4 << 30)
#define LEAN_TILE_BYTES ((size_t)512 << 20) /* of a tile of Y: reads of 10 to 20 kB of each tensor, K being 25,000 */
/* As DENSE_FROM, where the sums of all atoms exceed the second-level cache and the lists are kept. */
#define LEAN_DENSE_FROM (1.0 / 4)
#define LEAN_GATHERED 4096          /* tensors per product with atoms that are computed on demand */
#define LEAN_COLUMNS MOMENT_COLUMNS /* columns of Scc at a time */
#define MIRRORED 64                 /* side of the squares in which a triangle of P is copied */

/* divided*.c: several ranks */
#define RANK_COLUMNS 64                   /* atoms of a rank next to each other; a multiple of TASK_COLUMNS */
#define RANK_PIECE ((size_t)1 << 20)      /* numbers of a triangle summed at a time */
#define RANK_TILE_BYTES ((size_t)8 << 20) /* of a tile of Y */
#define RANK_TILE_COLUMNS ((size_t)512)   /* at least, and a multiple */
#define FETCHED REDIRECT_TENSORS          /* tensors that all ranks have at a time */

/* residuals.c, update.c, sweep*.c: block updates */

/* Over-relaxation of block steps. Below 2 a projected step on a convex set does not raise a quadratic whose Hessian
 * is a multiple of the identity, and passes over coupled blocks converge faster. */
#define RELAXATION 1.7
#define MAX_LOSS 0.02 /* loss by products of floats as a part of the last gain */
/* Rounding error of the quadratic form of A, scaled by its diagonal: a small part of the gain of a sweep. */
#define MOMENT_ERROR 0.02
#define SWEEP_ROWS 160     /* rows of the residuals per task beside the projections */
#define SWEEP_PARTS 4      /* tasks of products for the next b_k, each with two ranges of the others */
#define SWEEP_PASSES 3     /* over all b_k; their cost is negligible */
#define MOMENT_COLUMNS 128 /* columns of A per task */
#define TASK_COLUMNS 32    /* columns, or atoms, per task */
/* Atoms per block: updated in sequence, while other threads compute products for the next block. */
#define SWEEP_BLOCK 32

/* replace.c, residuals.c: unused atoms */
#define REPLACE_CHOICE 2 /* tensors examined per atom to be replaced */
#define REPLACE_DRAWN 8  /* tensors per pass */
/* Tensors in total: if many atoms are unused, as in the first iterations of a large dictionary, tensors are not
 * selected by residual. */
#define REPLACE_MOST 256
#define TURNED 64          /* tensors to which atoms that keep their B_k may be redirected */
#define REDIRECT_TENSORS 8 /* tensors whose residuals are stored at a time */
#define REDIRECT_ATOMS 256 /* atoms compared with them at a time */

/* pqn.c: generic optimisers */
#define MEMORY 10        /* pairs of steps and changes of gradient; not measured, bounds memory */
#define SUFFICIENT 1e-4  /* Armijo's part of the decrease predicted by the gradient */
#define SEARCH_POINTS 40 /* points of one search at most; a bound */
#define BOUNDED_CURVED                                                                                                 \
  1e-10 /* smallest cosine of a pair in tosst_bounded_minimise(), where the active set restricts pairs */
#define PQN_CURVED 1e-8     /* smallest cosine of a pair in pqn.c */
#define MODEL_ACCURACY 1e-8 /* relative decrease that ends SPG on the model */

/* solver-pqn.c, solver-gradient.c, stored.c: the paper's solvers. Steps are not measured: blocks alternate anyway. */
#define STORED_BATCH 8        /* tensors whose slices are combined in one product */
#define CODE_STEPS 30         /* steps on the codes at most */
#define CODE_TOLERANCE 1e-5   /* KKT residual that ends them */
#define ATOM_STEPS 10         /* steps of PQN at most */
#define MODEL_STEPS 10        /* steps of SPG on one quadratic model at most */
#define ATOM_TOLERANCE 1e-6   /* relative decrease of the objective that ends them */
#define VECTOR_STEPS 20       /* steps of SPG at most */
#define VECTOR_TOLERANCE 1e-8 /* relative decrease that ends them */
#define START_TOLERANCE 1e-6  /* KKT residual of the first Lassos, relative to max |T| */
#define POWER_STEPS 60        /* of the power method; twice the estimated eta would still not diverge */
#define DIVERGED 1e6          /* objective, relative to that of zero codes, that is divergence */

/* stream.c: reading */
#define RUN_BYTES ((size_t)1 << 20)   /* a hard disk reads this much in the time of a seek */
#define RUNS_PER_BATCH 32             /* at least, so that every batch has rows from many places */
#define SCALE_BYTES ((size_t)4 << 20) /* read at once while the scale is computed */

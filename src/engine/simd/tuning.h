/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of the hot loops, for machines with 32 kB and 1 to 2 MB of caches per core. Tiles of registers depend on
 * the instruction set; REAL is the type for which a loop is compiled.
 */
#pragma once

/* lasso-impl.h: atoms that a round takes in */
#define FEWEST_TAKEN 128 /* violators that a round may always add */
/* Bisections of an interval of residuals at most, to find as many violators as may be added: 2 us instead of 10 by
 * quickselect. */
#define TAKEN_HALVINGS 20
#define TAKEN_FEWER 16 /* accepted shortfall, 1 / 16 of them */
/* Atoms above this part of the threshold come in with the violators, because they often follow; with 0.7 a round less
 * is needed, and copies and passes are longer: slower. */
#define NEAR ((REAL)0.85)
#define CHANGES ((REAL)0.25) /* and as near as this part of the violation: 0.86 to 0.97 of the time */

/* lasso-impl.h: how exactly a round solves. Further violators are expected if they exceed 1 / MANY_FROM of the
 * support. */
#define MANY_FROM 8      /* in other rounds */
#define MANY_FROM_FAR 32 /* with a violation that is not small, as after a change of atoms */
/* Where the code is solved for its own atoms: these violators are mostly the last. */
#define MANY_FROM_SETTLED 4
#define FAR ((REAL)0.4)         /* violation relative to the threshold that is not small */
#define SETTLED ((REAL)0.25)    /* violation of the own atoms relative to the whole */
#define MANY_LEAVE ((REAL)0.02) /* with further violators a round solves to this part of the violation */
/* Passes of coordinate descent before a step on the support; four take the same time within 2 %. */
#define MANY_PASSES 6
#define CROWDED_LEAVE ((REAL)0.2) /* MANY_LEAVE where not all violators are added */
#define CROWDED_PASSES 20         /* MANY_PASSES where not all violators are added */
/* Part of the tolerance in the last rounds: a recomputed residual differs slightly. */
#define LAST_LEAVES ((REAL)0.5)
#define LAST_PASSES 3 /* passes in the last rounds; two take the same time within 2 % */

/* lasso-face-impl.h: steps on the support */
/* Conjugate gradients at most; about ten are taken, of 1.2 us each, where a factor takes 36. */
#define FACE_STEPS 40
/* Part of the violation to which they solve; 0.04 or 0.2: the same within 2 %. */
#define GRADIENTS_LEAVE ((REAL)0.1)
#define LATER_PASSES 2             /* passes of coordinate descent between two steps at most */
#define STAYS ((REAL)0.9)          /* zeros with a residual above this part of the threshold remain active */
#define FACE_SHORTEST ((REAL)0.01) /* length to which a cut step is halved */
#define NEWTON_FROM ((REAL)1e7)    /* violation relative to its target above which a Newton step is cheaper */

/* lasso-residual-impl.h, lasso-gram-impl.h: tiles and copies of H */
/* Registers of columns summed together: 84 GFlop/s, 57 without tiles in the first-level cache. */
#define SIDE_BY_SIDE 8
#define TILE_USES 8 /* tiles grow until codes have this many non-zeros in their rows */
/* Bytes of a tile from which the processor fetches its lines; others are prefetched: 1.07 of the time without, for 128
 * bytes. */
#define FORESEEN 256
#define DENSE_FROM 4           /* non-zeros of all codes per row of H from which tiles pay */
#define GLANCE 32              /* entries of a code tested for zero together */
#define ROWS_AHEAD 2           /* prefetch distance in rows of H */
#define SMALLEST ((REAL)1e-30) /* diagonal entries H_kk below this count as zero */
#define COPIED_ABREAST 8       /* rows of H copied together: 0.89 to 0.92 of the time one by one */

/* product-packed-impl.h (AVX-512): 24 registers of sums; 0.88 to 0.90 of the time of sgemm */
#define PACKED_ROWS 8          /* rows of a register tile */
#define PACKED_GROUP 3         /* panels of columns of a register tile, a register each */
#define PACKED_SLICE 160       /* terms of a slice, in which these panels take 31 kB */
#define PACKED_BLOCK_ROWS 256  /* rows of a block */
#define PACKED_BLOCK_PANELS 15 /* panels of a block, whose sums take 245 kB in the second-level cache */
#define PACKED_PART_SLICES 20  /* slices of a part at most, whose packed rows take 3.3 MB */
#define PACKED_STEPS 4         /* terms between two prefetches */

/* gram-impl.h, cholesky-impl.h, eigen-impl.h, slices-impl.h */
#define GRAM_VECTORS 3     /* registers of columns of a tile */
#define GRAM_TERMS 256     /* per slice: a group of columns takes up to 49 kB, all columns of a call 983 kB */
#define CHOLESKY_PANEL 4   /* rows; each block of columns of a panel stays in registers */
#define CHOLESKY_VECTORS 3 /* registers of such a block */
#define EIGEN_REGISTERS 5  /* registers of columns per pass of reflections and rotations at most */

/* third-order-*.h, whiten-lanes-impl.h */
/* Pixels whose pair products stay in the second-level cache; partial sums limit rounding. */
#define THIRD_CHUNK 64
/* Bytes of sums that stay in the second-level cache for all chunks: 68 ms for 19,622 vectors at d = 101, 74 without
 * blocks. */
#define THIRD_BLOCK_BYTES ((size_t)256 << 10)
#define PATCH_CHUNK 10   /* pixels whose u stay in the first-level cache */
#define WIDENED_PAIRS 24 /* widened at a time: slightly more than the first-level cache at d = 35 */
#define LOAD_AHEAD 256   /* prefetch distance in floats */

/* Register tiles, which fill the 32 registers of AVX-512 and the 16 of other instruction sets */
#if defined(__AVX512F__)
#define TILE_VECTORS 4  /* registers of columns of the small products */
#define LANES_TILE 5    /* side of a tile of whitening, whose factors are both in registers */
#define THIRD_ROWS 4    /* rows of third-order products */
#define THIRD_VECTORS 6 /* registers of columns of third-order products */
#else
#define TILE_VECTORS 2
#define LANES_TILE 3
#define THIRD_ROWS 6
#define THIRD_VECTORS 2
#endif
#define TILE_COLUMNS 6 /* rows of the small products */

/* lasso.h: tiles of H shared by all codes of a batch */
#define TOSST_LASSO_TILE_ROWS 1024 /* rows at most, where codes are few */
#define TOSST_LASSO_TILE_WIDTH 512 /* bytes at most: 64 rows are 32 kB, the first-level cache */
#define TOSST_LASSO_TILE_LEAST 64  /* rows at least */
#define TOSST_LASSO_ROUNDS 100     /* rounds of a Lasso at most; a bound, a typical solve needs a few */

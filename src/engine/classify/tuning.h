/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tuned values of the linear SVM and of kernel machines.
 */
#pragma once

/* svm.c: margins */
#define MARGIN_ROWS 96          /* samples per task */
#define MARGIN_TILE_ROWS 48     /* rows of a tile of x in double on the stack, 49 kB */
#define MARGIN_TILE_COLUMNS 128 /* columns of such a tile */

/* svm-newton.c: the Gram matrix */
#define GRAM_TILE TOSST_GRAM_SIDE /* rows of a tile */
/* Columns of x per pass, so that both panels fit the cache. */
#define GRAM_PANEL (TOSST_GRAM_WORK / 2 / GRAM_TILE)
#define GRAM_MOST_ROWS 8192 /* samples with a Gram matrix at most: 512 MiB */
/* Long rows: from this many columns on, float32 within a panel of columns, a multiple of what OpenBLAS packs at once.
 * Adding up panels takes 2 % of the time. */
#define GRAM_LONG 8192
#define GRAM_LONG_PANEL 3072
/* Rows of a tile. sgemm copies twice as much of x for tiles of GRAM_TILE, which takes a tenth of its time; few tiles
 * leave threads without work. */
#define GRAM_LONG_TILE 960
#define GRAM_LONG_FROM (4 * GRAM_LONG_TILE) /* samples from which tiles are that large */
#define GRAM_LONG_MOST_ROWS 16384           /* 2 GiB; margins of long rows take long */
#define GRAM_LONG_GROUPS 32                 /* groups of neighbours that are looked at for common zeros */
#define GRAM_MIRROR 32                      /* side of the tiles in which a triangle is copied, which fit the cache */
#define GRAM_NEIGHBOURS 8 /* samples whose common zeros are counted, to estimate the share of products */
/* The part of the products from which dgemm is as fast as leaving zeros out; never with AVX-512. */
#define GRAM_SHARE 0.75

/* svm-newton.c: one quadratic piece */
#define ROW_RUN 256 /* rows gathered per pass of the primal form */
/* Columns factorised between checks of the cancel flag: bounds the delay of a cancellation. */
#define FACTOR_PANEL 256
#define LARGE 640        /* samples above which a few conjugate-gradient steps are cheaper than a factorisation */
#define APPROACHES 12    /* such steps at most */
#define NEAR_ENOUGH 1e-2 /* part of the squared gradient that ends them */
#define SMALL 384        /* order up to which call and copy overhead dominates in LAPACK */

/* svm-newton.c: steps; the numbers are bounds */
#define FIRST_STEPS 60   /* at most from the estimated active set */
#define MAX_STEPS 300    /* at most from the solution for a smaller C */
#define ROUGH_STEPS 8    /* first steps, where the active sets are too large to be final */
#define IDLE_STEPS 4     /* in a row that do not lower the objective */
#define LEAST_GAIN 1e-13 /* relative decrease of the objective below which a step counts as idle: rounding */
#define EASIER 16        /* smaller values of C before the requested one, where that fails */
#define CONTINUATION 3.1622776601683795 /* ratio of successive values of C */
#define MOST_POLISH 60                  /* Newton steps on w itself at most */
#define OBJECTIVE_GAP 1e-9              /* of the objective relative to the minimum; documented in svm.h */
#define FIRST_NEGATIVES 96              /* samples similar to the class in the first active set at least */
#define FIRST_ANYWHERE 128              /* evenly spaced samples in the first active set */

/* kernel-gram.c: tiles of products */
#define KERNEL_TILE 48   /* rows; a multiple of the rows and columns of every dgemm kernel */
#define KERNEL_PANEL 256 /* columns at a time, 98 kB */

/* Squared width / mean squared distance. Least squares on covariances of images: KTH-TIPS 99.5, DTD 58; with 0.5 98.6, 52. */
#define RBF_WIDTH 5.0

/* kernel-ridge.c: leave-one-out */
#define RIDGE_MOST_SAMPLES 1000 /* that decide on weights: 0.05 s for an inverse */
#define RIDGE_ROUNDS 3          /* rounds of all coordinates at most */

/* kernel-landmarks.c */
#define LANDMARK_ROWS ((size_t)2048)  /* rows of samples at a time: eight tasks of a product */
#define LANDMARK_OTHERS ((size_t)256) /* samples without a target at a time */
#define LANDMARK_RANK 1e-10           /* of the largest eigenvalue, below which eigenvalues are dropped */
#define LANDMARK_LEAST 1e-12          /* that divides */

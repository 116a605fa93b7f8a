/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Elements of one register of a row of H that are copied to one register of the compact matrix. */
typedef struct
{
  int from; /* first column of the register */
  int mask; /* destination lanes */
} TosstLassoPiece;

struct TosstLassoWork
{
  int K, rows;
  int *active;            /* K: active set; the vectors and matrices below are indexed by position in it */
  int *list;              /* K: the support */
  char *state;            /* K: flags */
  TosstLassoPiece *piece; /* K: pieces copied from a row of H */
  int *first;             /* K: first piece of each destination register, first row of each tile, or positions in G */
  void *r;                /* K: q - H alpha of a code solved alone */
  void *x;                /* alpha on the active set */
  void *rho;              /* residual on the active set */
  void *inverse;          /* 1 / H_kk */
  void *diagonal;         /* H_kk */
  void *delta;            /* change of x on the support */
  void *step;             /* H times delta or direction */
  void *direction;        /* search direction of conjugate gradients */
  void *moved;            /* H times delta, accumulated */
  void *rest;             /* residual of conjugate gradients */
  void *G;                /* compact H on the active set, lower triangle; at most K x K / 2 */
  void *L;                /* Cholesky factor of H on the support, at most K x K; also indices of pieces */
  size_t *start;          /* rows + 1: start of each row in index and value */
  int *index;             /* rows x K: atoms of the non-zero coefficients */
  void *value;            /* rows x K: non-zero coefficients */
  uint32_t *place;        /* start of the non-zeros of each row for each tile of H, tile by tile */
  void *tile;             /* tile of H, TOSST_LASSO_TILE_ROWS x TOSST_LASSO_TILE_WIDTH bytes */
  void *sums; /* residuals in the columns of the tile, `rows` rows; place, tile and sums are NULL if rows is 1 */
};

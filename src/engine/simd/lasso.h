/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What lies in one register of a row of H and goes to one of its copy. */
typedef struct
{
  int from; /* where the register begins */
  int mask; /* lanes of the copy */
} TosstLassoPiece;

/* Rows of H in a tile that all codes pass by, at most; its columns in bytes, at most; and rows in a tile at least. */
#define TOSST_LASSO_TILE_ROWS 1024
#define TOSST_LASSO_TILE_WIDTH 512
#define TOSST_LASSO_TILE_LEAST 64

struct TosstLassoWork
{
  int K, rows;
  int *active;            /* K: atoms in the active set; numbers of the vectors and matrices below go by them */
  int *list;              /* K: the support */
  char *state;            /* K: flags */
  TosstLassoPiece *piece; /* K: what is copied from a row, */
  int *first;             /* and where those begin that go to one register; or where tiles begin; or places in G */
  void *r;                /* K: q - H alpha, of a code that is solved alone */
  void *x;                /* alpha */
  void *rho;              /* r */
  void *inverse;          /* 1 / H_kk */
  void *diagonal;         /* H_kk */
  void *delta;            /* a change of x on the support, */
  void *step;             /* H times it or times a direction, */
  void *direction;        /* of conjugate gradients, */
  void *moved;            /* H times delta, added up on the way, */
  void *rest;             /* and what they leave */
  void *G;                /* H, compact, below the diagonal; K x K / 2 at most */
  void *L;                /* Cholesky factor of H on the support, K x K at most; or indices of pieces */
  size_t *start;          /* rows + 1: non-zeros of codes, where a row's begin */
  int *index;             /* rows x K: their atoms */
  void *value;            /* rows x K */
  uint32_t *place;        /* where in these lists the non-zeros for a tile of H begin: rows to a tile */
  void *tile;             /* a tile of H, TOSST_LASSO_TILE_ROWS of TOSST_LASSO_TILE_WIDTH bytes, */
  void *sums;             /* and residuals in its columns, rows of them; place, tile and sums are NULL if rows is 1 */
};

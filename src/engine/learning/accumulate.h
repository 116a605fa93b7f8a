/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums over tensors with the current codes, of all columns or of some: see accumulate.c.
 */
#pragma once

#include "engine/learning/state.h"

typedef struct TosstAccumulation
{
  TosstLearning *learning;
  bool is_dense;        /* by matrix products: there are no lists */
  size_t nonzeros;      /* of all codes */
  size_t piece;         /* tensors per piece */
  size_t chunk, chunks; /* rows per chunk, number of chunks */
  uint32_t *start;      /* chunks x (K + 1): start of the non-zero codes of each atom within the chunk */
  size_t *base;         /* chunks + 1: start of the non-zero codes of each chunk */
  uint16_t *row;        /* of each non-zero code: its tensor in the chunk */
  float *value;
  double *l1;    /* chunks */
  double sum_l1; /* of all codes, older ones included */
  float **tile;  /* per worker: chunk x TOSST_TILE_COLUMNS, 64-byte aligned */
  float **sum;   /* per worker: K x TOSST_TILE_COLUMNS, aligned; or of a matrix product */
  double *total; /* workers x K x TOSST_TILE_COLUMNS: sums of previous pieces */
  /* Rows to accumulate, and the sums: */
  const float *rows; /* n x length */
  size_t length;
  size_t from, end; /* columns */
  double *out;      /* K x stride, column `from` first; or NULL, and then */
  float *out_float;
  size_t stride;
  TosstMemory memory;
  bool is_symmetric; /* only entries (k, t >= k) of out are needed */
} TosstAccumulation;

/* Lists the codes. To be cleared in any case. */
TosstStatus tosst_accumulation_init (TosstAccumulation *self, TosstLearning *learning);
void tosst_accumulation_clear (TosstAccumulation *self);

/* Columns from .. end - 1 of Y: out, K x (end - from), becomes keep times out plus the sums. */
TosstStatus tosst_accumulation_add_Y (TosstAccumulation *self, size_t from, size_t end, double *out);
/* The same for P or P_float, one triangle. */
TosstStatus tosst_accumulation_add_P (TosstAccumulation *self);

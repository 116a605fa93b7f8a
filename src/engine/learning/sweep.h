/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pass over all B_k: what sweep.c and, for several ranks, divided-sweep.c have in common.
 */
#pragma once

#include "engine/learning/divided.h"

/* The pass, or a part of it. */
typedef struct
{
  TosstLearning *learning;
  double relaxation;
  double floor;   /* lower limit of A_kk: atoms below are unused */
  float *change;  /* D x K: old atom minus new one */
  float *product; /* D x SWEEP_BLOCK, on several ranks D x RANK_COLUMNS */
  double *step;   /* D: change of the current atom */
  double *work;
  double gained;                 /* gain of the atoms so far */
  size_t first, count;           /* current block */
  size_t next_first, next_count; /* next block */
} TosstSweep;

/* The caller frees self->work. */
TosstStatus tosst_sweep_init (TosstSweep *self, TosstLearning *learning);
/* The pass of one process. */
TosstStatus tosst_sweep_whole (TosstSweep *self);
/* Updates atoms first .. end - 1 in sequence, whose residuals include the changes of all before them. */
TosstStatus tosst_sweep_step (TosstSweep *self, size_t first, size_t end);
/* Adds some rows of the contribution of `count` atoms from first on to the residuals of the next block. */
void tosst_sweep_add (TosstSweep *self, size_t row, size_t rows, size_t first, size_t count);

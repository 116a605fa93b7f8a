/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

#include "engine/coding/recode-private.h"

/* The rounds of recoding: recode-rounds.c measures codes and chooses the atoms that they are to meet, recode-solve.c
 * solves the Lasso on the atoms that have been met. */

/* Goals from this part of max |q| on are reached in float. */
#define TOSST_CRUDE_FROM 5e-6

/* A threshold less than this part of max |q| hardly counts. */
#define TOSST_STIFF_BELOW 1e-4

/* Work space of a worker, for so many atoms as there is room for in H. */
typedef struct TosstRoundSpace
{
  float *p;  /* q and x */
  double *q; /* the same */
  double *r;
  double *H; /* room x room, of which pages are touched only as atoms are met */
  TosstLassoWork *crude, *exact;
} TosstRoundSpace;

typedef struct
{
  TosstRecoding *self;
  double *r;    /* n x K: q - H alpha of the last codes that were looked at */
  double *goal; /* n: the violation that the next solution may leave on the atoms met */
  int round;
  bool *exact; /* n: whether that is double */
  bool solved; /* codes are those of a solution of this call */
} TosstRounds;

/* Where lambda hardly counts nothing keeps H from being singular on the atoms of a code, and with its errors it need
 * not be positive semi-definite: steps would go on for ever. */
static inline bool
tosst_recoding_is_stiff (const TosstRecoding *self, size_t i)
{
  return self->options.lambda / 2 < TOSST_STIFF_BELOW * self->largest[i];
}

/* Room for the atoms that have been met, on so many workers; false if out of memory. The recoding holds it until
 * tosst_recoding_free_space(). */
bool tosst_rounds_make_space (TosstRecoding *self, int workers);

/* A task of tosst_parallel(), data being the rounds: the code of tensor i on the atoms that have been met, of which the
 * kernel finds those to use, as exact as goal[i] asks. */
TosstStatus tosst_rounds_solve (size_t i, int worker, void *data);

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stepper and its way back.
 */
#pragma once

#include "engine/learning/state.h"
#include "engine/learning/stepper.h"

/* Non-zero codes: of row n those from start[n] to start[n + 1] - 1. */
typedef struct
{
  size_t *start;
  uint32_t *atom;
  float *value;
} TosstHistoryCodes;

/* What a step back returns to. */
typedef struct
{
  TosstStep step;
  int phase, atom;         /* as in the stepper */
  double *atoms;           /* D x K, then S x K */
  double *pass;            /* D x K: as in the stepper; NULL where atom is 0 */
  double gained;           /* as in the learning */
  bool is_coding, cold;    /* cold: no codes were there, so that what follows is none */
  TosstHistoryCodes codes; /* before a coding; */
  TosstDictionary *coded;  /* the atoms that they were for; */
  double *sums;            /* with beta >= 0 what coding added up; else NULL */
  size_t bytes;
} TosstHistoryEntry;

struct TosstStepper
{
  TosstLearning learning;
  TosstLearnOptions options;
  int iteration;              /* that the next block belongs to */
  int phase;                  /* of it: 0 codes, then rounds of B and b, then unused atoms */
  bool single;                /* B_k move one at a time */
  int atom;                   /* B_k of the pass at hand that moved alone; K: what is left of the phase is beta, or b */
  double *pass;               /* D x K: V before that pass, while atom is not 0; NULL: never needed yet */
  double gained;              /* by the pass, as far as it has come since it was begun last */
  bool ready;                 /* R, A_float and DK are those of the pass as far as it has come */
  TosstIteration now;         /* the objective as it stands */
  bool cold;                  /* there are no codes yet */
  bool stale, stale_sums;     /* what follows from the atoms, and from the codes, is of another state */
  TosstDictionary *coded;     /* the atoms that codes are for; NULL while cold */
  TosstHistoryEntry *history; /* oldest first */
  int depth, allocated;
  size_t bytes, limit;
  bool is_truncated;
};

/* stepper-pass.c. Sets the sums over codes to zero. */
void tosst_stepper_reset_sums (TosstLearning *learning);
/* Recomputes the sums, the reduction and the residuals where they are stale. */
TosstStatus tosst_stepper_refresh (TosstStepper *self);
/* The next B_k of the pass alone. */
TosstStatus tosst_stepper_update_one (TosstStepper *self);
/* What is left of the pass: B_k that have not moved, then beta goes to its minimum; with beta >= 0 all b_k move instead. */
TosstStatus tosst_stepper_update_rest (TosstStepper *self);

/* stepper-history.c. Keeps the state as it is; false if out of memory, then *history is to be cleared. */
bool tosst_history_init (TosstStepper *self, TosstHistoryEntry *history);
void tosst_history_clear (TosstHistoryEntry *history);
/* The state of the history is that of the stepper again, what follows from it stale; of the history nothing is left. */
void tosst_history_restore (TosstStepper *self, TosstHistoryEntry *history);

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * State and undo history of a stepper.
 */
#pragma once

#include "engine/learning/state.h"
#include "tosst/learn.h"

/* Sparse codes (CSR): row n has the entries start[n] .. start[n + 1] - 1. */
typedef struct
{
  size_t *start;
  uint32_t *atom;
  float *value;
} TosstHistoryCodes;

/* State before a block. */
typedef struct
{
  TosstStep step;
  int phase, atom;         /* as in the stepper */
  double *atoms;           /* D x K, then S x K */
  double *pass;            /* D x K: as in the stepper; NULL where atom is 0 */
  double gained;           /* as in the learning */
  bool is_coding, cold;    /* cold: before the first coding there are no codes */
  TosstHistoryCodes codes; /* codes before a coding */
  TosstDictionary *coded;  /* atoms of these codes */
  double *sums;            /* statistics of the coding for beta >= 0; else NULL */
  size_t bytes;
} TosstHistoryEntry;

struct TosstStepper
{
  TosstLearning learning;
  TosstLearnOptions options;
  int iteration;              /* of the next block */
  int phase;                  /* within the iteration: 0 codes, then rounds of B and b, then unused atoms */
  bool single;                /* each B_k is a block */
  int atom;                   /* number of B_k updated singly in this pass; K: only beta, or b, remains */
  double *pass;               /* D x K: V at the start of the pass while atom > 0; allocated on first use */
  double gained;              /* decrease of the fit in the pass so far */
  bool ready;                 /* R, A_float and DK are current for this point of the pass */
  TosstIteration now;         /* current objective */
  bool cold;                  /* there are no codes yet */
  bool stale, stale_sums;     /* quantities derived from the atoms, and from the codes, are out of date */
  TosstDictionary *coded;     /* atoms of the current codes; NULL while cold */
  TosstHistoryEntry *history; /* oldest first */
  int depth, allocated;
  size_t bytes, limit;
  bool is_truncated;
};

/* stepper-pass.c. Sets the sums over codes to zero. */
void tosst_stepper_reset_sums (TosstLearning *learning);
/* Recomputes the sums, the reduction and the residuals where they are stale. */
TosstStatus tosst_stepper_refresh (TosstStepper *self);
/* Updates the next B_k of the pass. */
TosstStatus tosst_stepper_update_one (TosstStepper *self);
/* Completes the pass: the remaining B_k, then the minimum over beta (with beta >= 0: all b_k). */
TosstStatus tosst_stepper_update_rest (TosstStepper *self);

/* stepper-history.c. Saves the current state; false if out of memory, the caller then clears *history. */
bool tosst_history_init (TosstStepper *self, TosstHistoryEntry *history);
void tosst_history_clear (TosstHistoryEntry *history);
/* Restores the saved state, marks derived quantities as stale and clears the entry. */
void tosst_history_restore (TosstStepper *self, TosstHistoryEntry *history);

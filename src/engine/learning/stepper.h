/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning by single blocks, with undo: the blocks of an iteration of the exact solver of tosst_learn(), in the same
 * order and with the same bits, and the objective after every block.
 */
#pragma once

#include "engine/learning/learn.h"

typedef enum
{
  TOSST_STEP_CODES,  /* all codes, minimised over beta, for the current atoms */
  TOSST_STEP_B,      /* all B_k in sequence with beta fixed; then beta is minimised */
  TOSST_STEP_b,      /* all b_k, minimised over beta */
  TOSST_STEP_BOTH,   /* all B_k and b_k: with beta >= 0 */
  TOSST_STEP_UNUSED, /* unused atoms are replaced by slices of badly reconstructed tensors */
  TOSST_STEP_ONE_B,  /* one B_k with beta fixed; all of them and TOSST_STEP_BETA equal TOSST_STEP_B bit by bit */
  TOSST_STEP_BETA,   /* minimises beta; absent for gamma = infinity, replaced by TOSST_STEP_b for beta >= 0 */
} TosstStepKind;

typedef struct
{
  TosstStepKind kind;
  int iteration;     /* from 1 */
  int round, rounds; /* of B and b since the last coding, from 1; 0 for other kinds */
  int atom;          /* from 1: the updated B_k, or the first of the remaining ones after single updates; else 0 */
  bool ends;         /* last block of its iteration */
  TosstIteration before, after; /* objective, its parts and statistics of the codes; after a whole iteration `after`
                                 * equals the report of tosst_learn() except for seconds */
} TosstStep;

/* Dictionary learning that runs block by block and can be undone. */
typedef struct TosstStepper TosstStepper;

/* Creates a stepper before the first block of learning from n tensors (n x m, borrowed), with options->resume after
 * its iterations. history: upper bound in bytes of the undo history. Returns TOSST_ERROR_ARGUMENT for solvers other
 * than the exact one. */
TosstStatus tosst_stepper_new (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                               const TosstLearnOptions *options, size_t history, TosstStepper **stepper);
void tosst_stepper_free (TosstStepper *self);

/* Describes the next block: kind, iteration, round and rounds; before is the current objective. */
void tosst_stepper_peek (const TosstStepper *self, TosstStep *next);
/* Runs the next block. On an error or cancellation the state is unchanged. */
TosstStatus tosst_stepper_step (TosstStepper *self, TosstContext *context, TosstStep *done);
/* Sets whether each B_k is a block of its own (default: all are one block). If switched off during a pass over them the
 * remaining ones are one block. */
void tosst_stepper_set_single (TosstStepper *self, bool single);
/* Undoes the last block. Returns false if the history is empty. Repeating the block gives the same bits. */
bool tosst_stepper_back (TosstStepper *self, TosstStep *undone);

int tosst_stepper_undo_depth (const TosstStepper *self); /* number of blocks that can be undone */
bool
tosst_stepper_is_truncated (const TosstStepper *self); /* old blocks were dropped from the history for lack of space */

/* Current atoms, owned by the stepper and valid until the next call that changes it. usage: K, sum_n (alpha_k^n)^2. */
const TosstDictionary *tosst_stepper_dictionary (const TosstStepper *self);
void tosst_stepper_usage (const TosstStepper *self, double *usage);

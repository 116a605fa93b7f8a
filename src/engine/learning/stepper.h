/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning one block at a time, forwards and back: what tosst_learn() does in an iteration of the exact solver, in the
 * same order and to the same bits, with the objective after every block.
 */
#pragma once

#include "engine/learning/learn.h"

typedef enum
{
  TOSST_STEP_CODES,  /* all codes, beta minimised out, for the atoms as they are */
  TOSST_STEP_B,      /* all B_k, one after the other, with beta fixed, which then goes to its minimum */
  TOSST_STEP_b,      /* all b_k, with beta minimised out */
  TOSST_STEP_BOTH,   /* all B_k and b_k: with beta >= 0 */
  TOSST_STEP_UNUSED, /* atoms that no code uses take slices of badly reconstructed tensors */
  TOSST_STEP_ONE_B,  /* one B_k with beta fixed: all of them, then TOSST_STEP_BETA, are TOSST_STEP_B to the same bits */
  TOSST_STEP_BETA, /* beta goes to its minimum; not for gamma = infinity, nor for beta >= 0, which has TOSST_STEP_b here */
} TosstStepKind;

typedef struct
{
  TosstStepKind kind;
  int iteration;                /* from 1 */
  int round, rounds;            /* of B and b since the last coding, from 1; 0 for other kinds */
  int atom;                     /* from 1: the one B_k; or the first one, where those before moved alone; else 0 */
  bool ends;                    /* the iteration is whole after it */
  TosstIteration before, after; /* objective, its parts and what is known of the codes; `after` is what tosst_learn()
                                 * reports for an iteration that is whole, but for its seconds */
} TosstStep;

/* A learning that stands between two blocks. */
typedef struct TosstStepper TosstStepper;

/* Before the first block of learning n tensors (n x m, borrowed); with options->resume after its iterations. Options are
 * those of the exact solver. history: bytes at most that are kept for going back. TOSST_ERROR_ARGUMENT for any other
 * solver. */
TosstStatus tosst_stepper_new (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n,
                               const TosstLearnOptions *options, size_t history, TosstStepper **stepper);
void tosst_stepper_free (TosstStepper *self);
/* Bytes that it allocates at most, history included. */
size_t tosst_stepper_memory (const TosstLayout *layout, size_t n, const TosstLearnOptions *options, size_t history,
                             int threads);

/* kind, iteration, round and rounds of the next block; before is where the objective stands. */
void tosst_stepper_peek (const TosstStepper *self, TosstStep *next);
/* Does the next block. What fails, or is cancelled, has changed nothing. */
TosstStatus tosst_stepper_step (TosstStepper *self, TosstContext *context, TosstStep *done);
/* Whether B_k move one at a time from now on; at first they do not. Can be changed in the middle of a pass over them: the
 * rest of it is then one block. */
void tosst_stepper_set_single (TosstStepper *self, bool single);
/* Undoes the last block; false if that is no longer kept, or there is none. The same block again comes to the same bits. */
bool tosst_stepper_back (TosstStepper *self, TosstStep *undone);

int tosst_stepper_undo_depth (const TosstStepper *self);    /* blocks that can be undone */
bool tosst_stepper_is_truncated (const TosstStepper *self); /* some that were done cannot: history was not enough */

/* As they are now; the stepper's, valid until it moves. usage: K, sum_n alpha_k^n squared. */
const TosstDictionary *tosst_stepper_dictionary (const TosstStepper *self);
void tosst_stepper_usage (const TosstStepper *self, double *usage);

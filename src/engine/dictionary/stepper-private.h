/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stepper and its way back.
 */
#pragma once

#include "dictionary/state.h"
#include "dictionary/stepper.h"

/* Non-zero codes: of row n those from start[n] to start[n + 1] - 1. */
typedef struct
{
  size_t *start;
  uint32_t *atom;
  float *value;
} TosstPastCodes;

/* What a step back returns to. */
typedef struct
{
  TosstStep step;
  double *atoms;          /* D x K, then S x K */
  bool is_coding, cold;   /* cold: no codes were there, so that what follows is none */
  TosstPastCodes codes;   /* before a coding; */
  TosstDictionary *coded; /* the atoms that they were for; */
  double *sums;           /* with beta >= 0 what coding added up; else NULL */
  size_t bytes;
} TosstPast;

struct TosstStepper
{
  TosstLearning learning;
  TosstLearnOptions options;
  int iteration;          /* that the next block belongs to */
  int phase;              /* of it: 0 codes, then rounds of B and b, then unused atoms */
  TosstIteration now;     /* the objective as it stands */
  bool cold;              /* there are no codes yet */
  bool stale, stale_sums; /* what follows from the atoms, and from the codes, is of another state */
  TosstDictionary *coded; /* the atoms that codes are for; NULL while cold */
  TosstPast *past;        /* oldest first */
  int kept, allocated;
  size_t bytes, limit;
  bool forgot;
};

/* stepper-past.c. Keeps the state as it is; false if out of memory, then *past is to be cleared. */
bool tosst_past_init (TosstStepper *self, TosstPast *past);
void tosst_past_clear (TosstPast *past);
/* The state of the past is that of the stepper again, what follows from it stale; of the past nothing is left. */
void tosst_past_return (TosstStepper *self, TosstPast *past);

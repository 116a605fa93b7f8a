/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What learning leaves behind: its iterations, and atoms that must keep their constraints.
 */
#pragma once

#include "tosst/learn.h"

#define COURSE_LENGTH 16

typedef struct
{
  TosstIteration trace[COURSE_LENGTH];
  TosstDictionary *dictionary[COURSE_LENGTH];
  int n;
} Course;

/* The callback of tosst_learn(): adds an iteration to the Course. */
void keep_course (const TosstIteration *iteration, const TosstDictionary *dictionary, const double *usage,
                  void *course);
void free_course (Course *course);

/* The same bits. */
void assert_same_atoms (const TosstDictionary *a, const TosstDictionary *b);
/* Every atom of any shape: PSD slices, trace and rank, or the Frobenius norm; b in the simplex or the l1 ball. */
void assert_constraints (const TosstDictionary *dictionary, const TosstLearnOptions *options);

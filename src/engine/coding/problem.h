/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters of equation (5) shared by learning and coding: with equal parameters codes solve the problem for which
 * the dictionary was learned.
 */
#pragma once

#include <stdbool.h>

typedef struct
{
  double lambda;         /* sparsity, >= 0, once per tensor */
  double gamma;          /* proximity, > 0; INFINITY: problem (3), beta = b . alpha; always for whole atoms */
  bool signed_alpha;     /* codes may be negative; else alpha >= 0 */
  bool nonnegative_beta; /* beta >= 0; else free */
} TosstProblem;

/* lambda 2e-3, gamma 1, alpha >= 0, beta free. */
#define TOSST_PROBLEM_DEFAULT ((TosstProblem){ .lambda = 2e-3, .gamma = 1 })

/* Returns NULL if lambda and gamma are in range, else an error message (static). */
const char *tosst_problem_check (const TosstProblem *problem);

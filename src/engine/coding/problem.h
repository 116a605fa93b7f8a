/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parameters of equation (5) that learning and coding share: codes are for the dictionary's own problem where both have the same.
 */
#pragma once

#include <stdbool.h>

typedef struct
{
  double lambda;         /* sparsity, >= 0, once per tensor */
  double gamma;          /* proximity, > 0; INFINITY: problem (3), beta = b . alpha, which whole atoms always have */
  bool signed_alpha;     /* codes may be negative; else alpha >= 0 */
  bool nonnegative_beta; /* beta >= 0; else free */
} TosstProblem;

/* lambda 2e-3, gamma 1, alpha >= 0, beta free. */
#define TOSST_PROBLEM_DEFAULT ((TosstProblem){ .lambda = 2e-3, .gamma = 1 })

/* NULL if lambda and gamma are in range, else a static sentence. */
const char *tosst_problem_check (const TosstProblem *problem);

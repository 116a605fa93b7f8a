/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/problem.h"

#include <math.h>
#include <stddef.h>

const char *
tosst_problem_check (const TosstProblem *problem)
{
  if (!isfinite (problem->lambda) || problem->lambda < 0)
    return "lambda must be a number >= 0";
  if (!(problem->gamma > 0))
    return "gamma must be > 0";
  return NULL;
}

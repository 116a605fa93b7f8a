/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding: the Lasso of coding/lasso.h with an active set. The kernel solves it on the active atoms, to which the
 * worst violators among the other atoms are added; r = q - H alpha over all atoms, from the residual of the tensor,
 * identifies the next violators or certifies the code. Each round processes all tensors, so that H between entering
 * atoms is one product and the result does not depend on threads.
 *
 * While there are many violators all computations are in float. H remains in float: q is corrected for the effect of
 * its errors on the current code, so that the last rounds, in double, converge to the solution for the exact H. Only
 * an r in double certifies a code.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/blas.h"
#include "engine/coding/recode-private.h"
#include "engine/coding/tuning.h"

/* Extends U and H to all atoms that a code uses or that are to be activated. */
static TosstStatus
activate_entering (TosstRecoding *self, TosstContext *context)
{
  int K = self->K, *list = malloc (sizeof *list * K);
  char *wanted = calloc (K, 1);
  size_t count = 0;
  TosstStatus status = list && wanted ? TOSST_OK : tosst_coding_no_memory (context);
  for (size_t i = 0; status == TOSST_OK && i < self->n; i++)
    {
      for (int k = 0; k < K; k++)
        wanted[k] |= self->codes[i * K + k] != 0;
      for (int j = 0; j < self->entered[i]; j++)
        wanted[self->entering[i * K + j]] = 1;
    }
  for (int k = 0; status == TOSST_OK && k < K; k++)
    if (wanted[k])
      list[count++] = k;
  if (status == TOSST_OK)
    status = tosst_recoding_activate_atoms (self, context, list, count);
  free (list);
  free (wanted);
  return status;
}

/* Excess over the threshold of an atom outside the code. */
static double
excess (const TosstRecoding *self, int k, double r)
{
  double size = self->sign ? self->sign[k] * r : self->options.problem.signed_alpha ? fabs (r) : r;
  return size - self->options.problem.lambda / 2;
}

/* Violation of optimality by r = q - H alpha at a coordinate with value a. */
static double
violation (const TosstRecoding *self, int k, double a, double r)
{
  double sign = self->sign ? self->sign[k] : 1;
  if (a != 0)
    return fabs (sign * r - copysign (self->options.problem.lambda / 2, sign * a));
  return fmax (excess (self, k, r), 0);
}

typedef struct
{
  double size;
  int k;
} Violator;

static int
by_size (const void *a, const void *b)
{
  const Violator *x = a, *y = b;
  return x->size < y->size ? 1 : x->size > y->size ? -1 : x->k - y->k;
}

/* Selects the atoms to activate for a code, worst first; used: number of its atoms; violators: number of inactive
 * violators. */
static TosstStatus
choose_entering (TosstRounds *rounds, size_t i, double limit, int used, int *violators)
{
  TosstRecoding *self = rounds->self;
  int K = self->K, count = 0, inactive = 0, wanted, most = rounds->round > 0 ? used : used / 4;
  const double t = self->options.problem.lambda / 2, *alpha = self->codes + i * K, *r = rounds->r + i * K;
  most = most > RECODE_LEAST_TAKEN ? most : RECODE_LEAST_TAKEN;
  Violator *list = malloc (sizeof *list * K);
  if (!list)
    return TOSST_ERROR_MEMORY;
  for (int k = 0; k < K; k++)
    if (self->active_index[k] < 0)
      {
        double size = violation (self, k, alpha[k], r[k]);
        inactive += size > limit;
        if (excess (self, k, r[k]) > (RECODE_NEAR - 1) * t)
          list[count++] = (Violator){ excess (self, k, r[k]), k };
      }
  qsort (list, count, sizeof *list, by_size);
  wanted = inactive == 0 ? 0 : inactive < RECODE_FEW ? RECODE_FEW : inactive < most ? inactive : most;
  self->entered[i] = wanted < count ? wanted : count;
  *violators = inactive;
  for (int j = 0; j < self->entered[i]; j++)
    self->entering[i * K + j] = list[j].k;
  free (list);
  return TOSST_OK;
}

/* Final tolerance on the active atoms: below that over all atoms, whose r has different rounding errors. */
static double
last_goal (const TosstRecoding *self, size_t i)
{
  return 0.3 * fmax (self->options.tolerance, TOSST_FLOOR_DOUBLE) * self->largest[i];
}

/* r = q - H alpha over all atoms; exact: in double. */
static TosstStatus
find_residual (TosstRounds *rounds, TosstContext *context, size_t i, int used, bool exact)
{
  TosstRecoding *self = rounds->self;
  double *r = rounds->r + i * self->K;
  rounds->exact[i] = exact || used == 0;
  if (used == 0)
    {
      memcpy (r, self->q + i * self->K, sizeof *r * self->K);
      return TOSST_OK;
    }
  if (!exact)
    return tosst_recoding_correlate_f32 (self, context, i, r);
  return tosst_recoding_tied_residual (self, context, i, self->left) ?: tosst_recoding_correlate (self, context, r);
}

static double
worst_violation (const TosstRounds *rounds, size_t i)
{
  const TosstRecoding *self = rounds->self;
  const double *alpha = self->codes + i * self->K, *r = rounds->r + i * self->K;
  double worst = 0;
  for (int k = 0; k < self->K; k++)
    {
      double size = violation (self, k, alpha[k], r[k]);
      /* A non-finite value certifies nothing. */
      worst = size <= worst ? worst : isfinite (alpha[k]) && isfinite (size) ? size : INFINITY;
    }
  return worst;
}

/* Evaluates a code, and unless it is done selects the atoms to activate and the accuracy of the next solution. Codes
 * solved in float are evaluated in float; the certificate of a code is computed in double. */
static TosstStatus
examine (TosstRounds *rounds, TosstContext *context, size_t i)
{
  TosstRecoding *self = rounds->self;
  int K = self->K, used = 0, violators = 0;
  const double *alpha = self->codes + i * K;
  double limit = fmax (self->options.tolerance, TOSST_FLOOR_DOUBLE) * self->largest[i], last = last_goal (self, i);
  bool exact = !rounds->solved || rounds->goal[i] < TOSST_FLOAT_TOLERANCE * self->largest[i]
               || tosst_recoding_is_ill_conditioned (self, i);
  self->entered[i] = 0;
  if (self->done[i])
    return TOSST_OK;
  for (int k = 0; k < K; k++)
    used += alpha[k] != 0;
  TosstStatus status = find_residual (rounds, context, i, used, exact);
  double worst = status == TOSST_OK ? worst_violation (rounds, i) : 0;
  if (status == TOSST_OK && !rounds->exact[i] && worst <= fmax (limit, TOSST_FLOAT_TOLERANCE * self->largest[i]))
    {
      status = find_residual (rounds, context, i, used, true);
      worst = worst_violation (rounds, i);
    }
  if (status == TOSST_OK)
    status = choose_entering (rounds, i, limit, used, &violators);
  if (status != TOSST_OK)
    return status;
  double before = self->kkt[i], kkt = self->largest[i] > 0 ? worst / self->largest[i] : 0;
  bool settled = rounds->round > 0 && rounds->goal[i] <= last && self->entered[i] == 0;
  self->kkt[i] = kkt;
  /* Without violators and without progress the residual is at rounding level. */
  self->done[i]
      = worst <= limit
        || (settled && kkt > before * (tosst_recoding_is_ill_conditioned (self, i) ? ILL_CONDITIONED_GAIN : 0.5));
  rounds->goal[i] = violators * RECODE_MANY_FROM > used ? fmax (worst * RECODE_MANY_LEAVE, last) : last;
  return TOSST_OK;
}

static TosstStatus
examine_all (TosstRounds *rounds, TosstContext *context)
{
  TosstStatus status = TOSST_OK;
  for (size_t i = 0; status == TOSST_OK && i < rounds->self->n; i++)
    status = examine (rounds, context, i);
  return status;
}

static bool
all_done (const TosstRecoding *self)
{
  for (size_t i = 0; i < self->n; i++)
    if (!self->done[i])
      return false;
  return true;
}

static TosstStatus
improve (TosstRounds *rounds, TosstContext *context)
{
  TosstRecoding *self = rounds->self;
  memset (self->done, 0, sizeof *self->done * self->n);
  memset (self->entered, 0, sizeof *self->entered * self->n);
  TosstStatus status = TOSST_OK;
  if (self->given)
    status = examine_all (rounds, context);
  for (rounds->round = 0; status == TOSST_OK && !all_done (self); rounds->round++)
    {
      status = activate_entering (self, context);
      if (status == TOSST_OK && !tosst_rounds_make_space (self, tosst_context_threads (context)))
        status = TOSST_ERROR_MEMORY;
      if (status == TOSST_OK)
        status = tosst_parallel (context, self->n, tosst_rounds_solve, rounds, 0, 0);
      rounds->solved = true;
      if (status == TOSST_OK)
        status = examine_all (rounds, context);
      if (rounds->round == RECODE_ROUNDS)
        break;
    }
  self->given = self->given && status != TOSST_OK;
  return status == TOSST_ERROR_MEMORY ? tosst_coding_no_memory (context) : status;
}

/* Short codes are solved exactly in the first round, which may be their last. */
static void
set_goals (TosstRounds *rounds)
{
  const TosstRecoding *self = rounds->self;
  for (size_t i = 0; i < self->n; i++)
    {
      int used = 0;
      for (int k = 0; k < self->K; k++)
        used += self->codes[i * self->K + k] != 0;
      double last = last_goal (self, i), first = RECODE_FIRST_LEAVES * self->options.problem.lambda / 2;
      rounds->goal[i] = used >= RECODE_LONG ? fmax (first, last) : last;
    }
}

TosstStatus
tosst_recoding_run (TosstRecoding *self, TosstContext *context)
{
  TosstRounds rounds = { .self = self };
  rounds.r = malloc (sizeof *rounds.r * self->n * self->K);
  rounds.goal = malloc (sizeof *rounds.goal * self->n);
  rounds.exact = calloc (self->n, sizeof *rounds.exact);
  bool ready = rounds.r && rounds.goal && rounds.exact;
  if (ready)
    set_goals (&rounds);
  TosstStatus status = ready ? improve (&rounds, context) : tosst_coding_no_memory (context);
  free (rounds.r);
  free (rounds.goal);
  free (rounds.exact);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding: the Lasso on the active atoms. H of these is float. Goals below the accuracy of float are solved in
 * double, with q corrected for the effect of the errors of H on the current code, so that the rounds converge to the
 * solution for the exact H.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/coding/recode-private.h"

/* For beta >= 0 the Lasso is that of |alpha|. */
static double
sign_of (const TosstRecoding *self, int k)
{
  return self->sign ? self->sign[k] : 1;
}

/* Solves in float, for goals within its accuracy. x and q: room values. */
static void
solve_f32 (const TosstRounds *rounds, const double *q, double *x, double goal, int worker)
{
  const TosstRecoding *self = rounds->self;
  size_t room = self->room;
  float *p = self->space[worker].p, *y = p + room;
  for (size_t a = 0; a < room; a++)
    {
      p[a] = (float)q[a];
      y[a] = (float)x[a];
    }
  tosst_kernels ()->lasso_float (self->H, room, p, self->options.problem.lambda / 2,
                                 self->options.problem.signed_alpha && !self->sign, goal, y,
                                 self->space[worker].f32_work);
  for (size_t a = 0; a < room; a++)
    x[a] = y[a];
}

/* Shifts q so that the float H gives the exact r at x, the last evaluated code: the errors of H then cancel. */
static void
correct_q (const TosstRounds *rounds, size_t i, double *q, const double *x, int worker)
{
  static const int first = 0;
  TosstRecoding *self = rounds->self;
  const TosstRoundSpace *space = self->space + worker;
  double *shift = self->shift + i * self->K, *looked = rounds->r + i * self->K;
  tosst_kernels ()->lasso_residuals_double (space->H, self->room, q, x, &first, 1, space->r, space->exact);
  for (size_t a = 0; a < self->count; a++)
    {
      int k = self->active[a];
      double off = looked[k] * sign_of (self, k) - space->r[a];
      q[a] += off;
      shift[k] += off * sign_of (self, k);
    }
}

/* Solves in double, starting from the float solution. */
static void
solve_f64 (const TosstRounds *rounds, size_t i, double *q, double *x, int worker)
{
  const TosstRecoding *self = rounds->self;
  size_t room = self->room;
  const TosstRoundSpace *space = self->space + worker;
  for (size_t a = 0; a < room * self->count; a++)
    space->H[a] = self->H[a];
  if (tosst_recoding_is_ill_conditioned (self, i))
    {
      /* A ridge larger than the errors makes each solution a proximal step; correct_q() ensures that these converge to
       * the solution without the ridge. */
      double most = 0;
      for (size_t a = 0; a < self->count; a++)
        most = fmax (most, space->H[a * self->room + a]);
      for (size_t a = 0; a < self->count; a++)
        space->H[a * self->room + a] += TOSST_RIDGE * sqrt ((double)self->count) * most;
    }
  if (rounds->exact[i])
    correct_q (rounds, i, q, x, worker);
  if (rounds->solved && self->kkt[i] > TOSST_FLOAT_TOLERANCE && !tosst_recoding_is_ill_conditioned (self, i))
    solve_f32 (rounds, q, x, TOSST_FLOAT_TOLERANCE * self->largest[i], worker);
  tosst_kernels ()->lasso_double (space->H, room, q, self->options.problem.lambda / 2,
                                  self->options.problem.signed_alpha && !self->sign, rounds->goal[i], x, space->exact);
}

TosstStatus
tosst_rounds_solve (size_t i, int worker, void *data)
{
  TosstRounds *rounds = data;
  TosstRecoding *self = rounds->self;
  size_t count = self->count;
  double *alpha = self->codes + i * self->K, *q = self->space[worker].q, *x = q + self->room;
  if (self->done[i] || count == 0)
    return TOSST_OK;
  memset (q, 0, sizeof *q * 2 * self->room);
  for (size_t a = 0; a < count; a++)
    {
      size_t at = i * self->K + self->active[a];
      q[a] = (self->q[at] + self->shift[at]) * sign_of (self, self->active[a]);
      x[a] = alpha[self->active[a]] * sign_of (self, self->active[a]);
    }
  if (rounds->goal[i] >= TOSST_FLOAT_TOLERANCE * self->largest[i] && !tosst_recoding_is_ill_conditioned (self, i))
    solve_f32 (rounds, q, x, rounds->goal[i], worker);
  else
    solve_f64 (rounds, i, q, x, worker);
  for (size_t a = 0; a < count; a++)
    alpha[self->active[a]] = x[a] * sign_of (self, self->active[a]);
  return TOSST_OK;
}

void
tosst_recoding_free_space (TosstRecoding *self)
{
  for (TosstRoundSpace *space = self->space; space && space < self->space + self->workers; space++)
    {
      free (space->p);
      free (space->q);
      free (space->r);
      free (space->H);
      tosst_lasso_work_free (space->f32_work);
      tosst_lasso_work_free (space->exact);
    }
  free (self->space);
  self->space = NULL;
  self->workers = 0;
  self->space_room = 0;
}

bool
tosst_rounds_make_space (TosstRecoding *self, int workers)
{
  size_t room = self->room;
  bool whole = true;
  if (room <= self->space_room && workers <= self->workers)
    return true;
  tosst_recoding_free_space (self);
  self->space = calloc (workers, sizeof *self->space);
  self->workers = self->space ? workers : 0;
  for (TosstRoundSpace *space = self->space; space < self->space + self->workers; space++)
    {
      space->p = malloc (sizeof *space->p * 2 * room);
      space->q = malloc (sizeof *space->q * 2 * room);
      space->r = malloc (sizeof *space->r * room);
      /* Ordinary pages, touched as atoms become active: the page fault of a huge page may exceed the time of a step. */
      space->H = aligned_alloc (64, (sizeof *space->H * room * room + 63) / 64 * 64);
      space->f32_work = tosst_lasso_work_new ((int)room, 1, sizeof (float));
      space->exact = tosst_lasso_work_new ((int)room, 1, sizeof (double));
      whole = whole && space->p && space->q && space->r && space->H && space->f32_work && space->exact;
    }
  self->space_room = self->space && whole ? room : 0;
  return self->space && whole;
}

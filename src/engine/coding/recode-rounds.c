/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding: the Lasso of coding/lasso.h by restriction. The kernel solves it on the atoms in use and the worst
 * violators among the rest; r = q - H alpha over all atoms, from what the code leaves of the tensor, finds the next
 * violators or certifies the code. Rounds run over all tensors at a time, so that H between atoms that enter is one
 * product and the result does not depend on threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blas.h"
#include "coding/recode-private.h"

/* Violators taken in at least, rounds at most, and what float64 can reach relative to max |q|. */
#define LEAST_TAKEN 48
#define MOST_ROUNDS 200
#define FLOOR 1e-13

/* U and H of all atoms that a code uses or that enter. */
static TosstStatus
meet_atoms (TosstRecoding *self, TosstContext *context)
{
  int K = self->K, *list = malloc (sizeof *list * K);
  char *wanted = calloc (K, 1);
  size_t count = 0;
  TosstStatus status = list && wanted ? TOSST_OK : tosst_recoding_no_memory (context);
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
    status = tosst_recoding_meet (self, context, list, count);
  free (list);
  free (wanted);
  return status;
}

/* How far r = q - H alpha is from what optimality asks at a coordinate with value a; t = lambda / 2. */
static double
violation (const TosstRecoding *self, int k, double a, double r)
{
  double t = self->options.lambda / 2;
  if (self->sign)
    {
      a *= self->sign[k];
      r *= self->sign[k];
    }
  if (a != 0)
    return fabs (r - copysign (t, a));
  return fmax ((self->options.signed_alpha && !self->sign ? fabs (r) : r) - t, 0);
}

typedef struct
{
  TosstRecoding *self;
  double *r; /* K: q - H alpha */
  int round;
} Rounds;

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

/* Chooses the atoms that enter a code, worst first; used: how many it has. */
static TosstStatus
choose_entering (TosstRecoding *self, size_t i, const double *r, double limit, int used)
{
  int K = self->K, count = 0, most = used > LEAST_TAKEN ? used : LEAST_TAKEN;
  const double *alpha = self->codes + i * K;
  Violator *list = malloc (sizeof *list * K);
  if (!list)
    return TOSST_ERROR_MEMORY;
  for (int k = 0; k < K; k++)
    {
      double size = alpha[k] == 0 ? violation (self, k, 0, r[k]) : 0;
      if (size > limit)
        list[count++] = (Violator){ size, k };
    }
  qsort (list, count, sizeof *list, by_size);
  self->entered[i] = count < most ? count : most;
  for (int j = 0; j < self->entered[i]; j++)
    self->entering[i * K + j] = list[j].k;
  free (list);
  return TOSST_OK;
}

/* Measures a code, and unless it is done chooses the atoms that enter it. */
static TosstStatus
examine (Rounds *rounds, TosstContext *context, size_t i)
{
  TosstRecoding *self = rounds->self;
  int K = self->K, used = 0;
  const double *alpha = self->codes + i * K;
  double *r = rounds->r, worst = 0, limit = fmax (self->options.tolerance, FLOOR) * self->largest[i];
  self->entered[i] = 0;
  if (self->done[i])
    return TOSST_OK;
  for (int k = 0; k < K; k++)
    used += alpha[k] != 0;
  TosstStatus status = TOSST_OK;
  if (used == 0)
    memcpy (r, self->q + i * K, sizeof *r * K);
  else
    {
      status = tosst_recoding_subtract (self, context, i, self->left);
      if (status == TOSST_OK)
        status = tosst_recoding_correlate (self, context, r);
    }
  for (int k = 0; k < K; k++)
    worst = fmax (worst, violation (self, k, alpha[k], r[k]));
  double before = self->kkt[i], kkt = self->largest[i] > 0 ? worst / self->largest[i] : 0;
  if (status == TOSST_OK)
    status = choose_entering (self, i, r, limit, used);
  if (status != TOSST_OK)
    return status;
  self->kkt[i] = kkt;
  /* With nobody left to take in and no gain, what remains is rounding. */
  self->done[i] = worst <= limit || (self->entered[i] == 0 && rounds->round > 0 && kkt > before / 2);
  return TOSST_OK;
}

static TosstStatus
examine_all (Rounds *rounds, TosstContext *context)
{
  TosstStatus status = TOSST_OK;
  for (size_t i = 0; status == TOSST_OK && i < rounds->self->n; i++)
    status = examine (rounds, context, i);
  return status;
}

/* With beta >= 0 the Lasso is that of |alpha|. */
static double
sign_of (const TosstRecoding *self, int k)
{
  return self->sign ? self->sign[k] : 1;
}

/* The problem on n atoms that have been met. space: n^2 + 2 n. */
static void
solve_restricted (TosstRecoding *self, size_t i, const int *atom, size_t n, double *space, TosstLassoWork *work)
{
  double *alpha = self->codes + i * self->K, *q = space, *x = q + n, *H = x + n;
  for (size_t a = 0; a < n; a++)
    {
      q[a] = self->q[i * self->K + atom[a]] * sign_of (self, atom[a]);
      x[a] = alpha[atom[a]] * sign_of (self, atom[a]);
      const double *row = self->H + self->place[atom[a]] * self->room;
      for (size_t c = 0; c < n; c++)
        H[a * n + c] = row[self->place[atom[c]]] * sign_of (self, atom[a]) * sign_of (self, atom[c]);
    }
  /* Below the tolerance of the whole, for r over all atoms is rounded differently. */
  double tolerance = 0.3 * fmax (self->options.tolerance, FLOOR) * self->largest[i];
  tosst_kernels ()->lasso_double (H, n, q, self->options.lambda / 2, self->options.signed_alpha && !self->sign,
                                  tolerance, x, work);
  for (size_t a = 0; a < n; a++)
    alpha[atom[a]] = x[a] * sign_of (self, atom[a]);
}

/* Solves on the atoms in use and those that enter. Work space is for so many: for all K it would be 16 K^2 bytes. */
static TosstStatus
solve (size_t i, int worker, void *data)
{
  Rounds *rounds = data;
  TosstRecoding *self = rounds->self;
  size_t K = self->K, n = 0, used = 0;
  const double *alpha = self->codes + i * K;
  if (self->done[i])
    return TOSST_OK;
  for (size_t k = 0; k < K; k++)
    used += alpha[k] != 0;
  n = used + self->entered[i];
  if (n == 0)
    return TOSST_OK;
  int *atom = malloc (sizeof *atom * n);
  double *space = malloc (sizeof *space * (n * n + 2 * n));
  TosstLassoWork *work = tosst_lasso_work_new (n, 1, sizeof (double));
  bool ready = atom && space && work;
  if (ready)
    {
      for (size_t k = 0, j = 0; k < K; k++)
        if (alpha[k] != 0)
          atom[j++] = k;
      memcpy (atom + used, self->entering + i * K, sizeof *atom * self->entered[i]);
      solve_restricted (self, i, atom, n, space, work);
    }
  free (atom);
  free (space);
  tosst_lasso_work_free (work);
  return ready ? TOSST_OK : TOSST_ERROR_MEMORY;
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
improve (Rounds *rounds, TosstContext *context)
{
  TosstRecoding *self = rounds->self;
  memset (self->done, 0, sizeof *self->done * self->n);
  memset (self->entered, 0, sizeof *self->entered * self->n);
  TosstStatus status = TOSST_OK;
  for (rounds->round = 0; status == TOSST_OK; rounds->round++)
    {
      status = meet_atoms (self, context);
      if (status == TOSST_OK)
        status = tosst_parallel (context, self->n, solve, rounds, 0, 0);
      if (status == TOSST_OK)
        status = examine_all (rounds, context);
      if (status != TOSST_OK || all_done (self) || rounds->round == MOST_ROUNDS)
        break;
    }
  return status == TOSST_ERROR_MEMORY ? tosst_recoding_no_memory (context) : status;
}

TosstStatus
tosst_recoding_run (TosstRecoding *self, TosstContext *context)
{
  Rounds rounds = { self, malloc (sizeof *rounds.r * self->K), 0 };
  TosstStatus status = rounds.r ? improve (&rounds, context) : tosst_recoding_no_memory (context);
  free (rounds.r);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recoding: the Lasso of coding/lasso.h by restriction. The kernel solves it on the atoms in use and the worst
 * violators among the rest; r = q - H alpha over all atoms, from the columns of H that these need, finds the next
 * violators or certifies the code. Rounds run over all tensors at a time, so that missing columns are one product and
 * the result does not depend on threads.
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

/* Columns of H for the listed atoms, none of which has one. */
static TosstStatus
compute_columns (TosstRecoding *self, TosstContext *context, const int *list, int count)
{
  size_t D = self->D, S = self->S, K = self->K;
  double *u = malloc (sizeof *u * count * D), *b = malloc (sizeof *b * count * S);
  double *products = malloc (sizeof *products * 2 * count * K), *across = products ? products + count * K : NULL;
  TosstStatus status = u && b && products ? TOSST_OK : tosst_recoding_no_memory (context);
  for (int j = 0; status == TOSST_OK && j < count; j++)
    {
      memcpy (u + j * D, self->U + list[j] * D, sizeof *u * D);
      memcpy (b + j * S, tosst_recoding_b (self, list[j]), sizeof *b * S);
    }
  /* As rows: tosst_dgemm() shares columns of its result among threads, and there are K of them. */
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, count, K, D, 1, u, D, self->U, D, 0, products, count);
  if (status == TOSST_OK)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, count, K, S, 1, b, S, self->dictionary->b, S, 0, across,
                          count);
  for (int j = 0; status == TOSST_OK && j < count; j++)
    {
      double *column = self->column[list[j]] = malloc (sizeof *column * K);
      if (!column)
        status = tosst_recoding_no_memory (context);
      for (size_t k = 0; column && k < K; k++)
        column[k] = products[k * count + j] * across[k * count + j];
    }
  free (u);
  free (b);
  free (products);
  return status;
}

/* Columns of all atoms that a code uses or that enter. */
static TosstStatus
complete_columns (TosstRecoding *self, TosstContext *context)
{
  int K = self->K, count = 0, *list = malloc (sizeof *list * K);
  char *wanted = calloc (K, 1);
  if (!list || !wanted)
    {
      free (list);
      free (wanted);
      return tosst_recoding_no_memory (context);
    }
  for (size_t i = 0; i < self->n; i++)
    {
      for (int k = 0; k < K; k++)
        wanted[k] |= self->codes[i * K + k] != 0;
      for (int j = 0; j < self->entered[i]; j++)
        wanted[self->entering[i * K + j]] = 1;
    }
  for (int k = 0; k < K; k++)
    if (wanted[k] && !self->column[k])
      list[count++] = k;
  TosstStatus status = count > 0 ? compute_columns (self, context, list, count) : TOSST_OK;
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
  double **scratch; /* per worker: K */
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

/* Measures a code and chooses the atoms that enter it. */
static TosstStatus
examine (size_t i, int worker, void *data)
{
  Rounds *rounds = data;
  TosstRecoding *self = rounds->self;
  int K = self->K, used = 0, count = 0;
  const double *alpha = self->codes + i * K;
  double *r = rounds->scratch[worker], worst = 0, limit = fmax (self->options.tolerance, FLOOR) * self->largest[i];
  self->entered[i] = 0;
  if (self->done[i])
    return TOSST_OK;
  Violator *list = malloc (sizeof *list * K);
  if (!list)
    return TOSST_ERROR_MEMORY;
  memcpy (r, self->q + i * K, sizeof *r * K);
  for (int k = 0; k < K; k++)
    if (alpha[k] != 0)
      {
        cblas_daxpy (K, -alpha[k], self->column[k], 1, r, 1);
        used++;
      }
  for (int k = 0; k < K; k++)
    {
      double size = violation (self, k, alpha[k], r[k]);
      worst = fmax (worst, size);
      if (alpha[k] == 0 && size > limit)
        list[count++] = (Violator){ size, k };
    }
  double before = self->kkt[i], kkt = self->largest[i] > 0 ? worst / self->largest[i] : 0;
  self->kkt[i] = kkt;
  /* With nobody left to take in and no gain, what remains is rounding. */
  self->done[i] = worst <= limit || (count == 0 && rounds->round > 0 && kkt > before / 2);
  qsort (list, count, sizeof *list, by_size);
  int most = used > LEAST_TAKEN ? used : LEAST_TAKEN;
  for (int j = 0; !self->done[i] && j < count && j < most; j++)
    self->entering[i * K + self->entered[i]++] = list[j].k;
  free (list);
  return TOSST_OK;
}

/* With beta >= 0 the Lasso is that of |alpha|. */
static double
sign_of (const TosstRecoding *self, int k)
{
  return self->sign ? self->sign[k] : 1;
}

/* The problem on n atoms: their columns are there. space: n^2 + 2 n. */
static void
solve_restricted (TosstRecoding *self, size_t i, const int *atom, size_t n, double *space, TosstLassoWork *work)
{
  double *alpha = self->codes + i * self->K, *q = space, *x = q + n, *H = x + n;
  for (size_t a = 0; a < n; a++)
    {
      q[a] = self->q[i * self->K + atom[a]] * sign_of (self, atom[a]);
      x[a] = alpha[atom[a]] * sign_of (self, atom[a]);
      for (size_t c = 0; c <= a; c++)
        H[a * n + c] = H[c * n + a] = (self->column[atom[a]][atom[c]] + self->column[atom[c]][atom[a]]) / 2
                                      * sign_of (self, atom[a]) * sign_of (self, atom[c]);
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
  TosstStatus status = complete_columns (self, context);
  for (rounds->round = 0; status == TOSST_OK; rounds->round++)
    {
      status = tosst_parallel (context, self->n, examine, rounds, 0, 0);
      if (status != TOSST_OK || all_done (self) || rounds->round == MOST_ROUNDS)
        break;
      status = complete_columns (self, context);
      if (status == TOSST_OK)
        status = tosst_parallel (context, self->n, solve, rounds, 0, 0);
    }
  return status == TOSST_ERROR_MEMORY ? tosst_recoding_no_memory (context) : status;
}

TosstStatus
tosst_recoding_run (TosstRecoding *self, TosstContext *context)
{
  int threads = tosst_context_threads (context);
  double *space = malloc (sizeof *space * self->K * threads), *scratch[threads];
  if (!space)
    return tosst_recoding_no_memory (context);
  for (int i = 0; i < threads; i++)
    scratch[i] = space + (size_t)self->K * i;
  Rounds rounds = { self, scratch, 0 };
  TosstStatus status = improve (&rounds, context);
  free (space);
  return status;
}

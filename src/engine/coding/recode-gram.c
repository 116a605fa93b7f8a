/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of recoding: H between the atoms that codes have used since gamma changed, and the products of what a code
 * leaves with all atoms.
 */
#include <stdlib.h>
#include <string.h>

#include "coding/recode-private.h"

void
tosst_recoding_forget (TosstRecoding *self)
{
  self->count = 0;
  for (int k = 0; k < self->K; k++)
    self->place[k] = -1;
}

/* A half more than is needed, and rows that do not begin in the same lines of the cache. Those of H move apart. */
static bool
make_room (TosstRecoding *self, size_t needed)
{
  size_t room = (needed + needed / 2) / 16 * 16 + 24;
  if (needed <= self->room)
    return true;
  double *U = realloc (self->U, sizeof *U * room * self->D);
  self->U = U ? U : self->U;
  double *b = realloc (self->b, sizeof *b * room * self->S);
  self->b = b ? b : self->b;
  double *H = U && b ? malloc (sizeof *H * room * room) : NULL;
  if (!H)
    return false;
  for (size_t i = 0; i < self->count; i++)
    memcpy (H + i * room, self->H + i * self->room, sizeof *H * self->count);
  free (self->H);
  self->H = H;
  self->room = room;
  return true;
}

/* Products of the atoms in X, n numbers each, from `first` on with all: column j of C is theirs with atom first + j,
 * complete above the square of the new ones and lower triangular there. */
static TosstStatus
products (const TosstRecoding *self, TosstContext *context, const double *X, int n, size_t first, double *C, int ldc)
{
  int count = self->count - first;
  const double *next = X + first * n;
  TosstStatus status = TOSST_OK;
  if (first > 0)
    status = tosst_dgemm (context, CblasTrans, CblasNoTrans, first, count, n, 1, X, n, next, n, 0, C, ldc);
  if (status == TOSST_OK)
    status = tosst_dgemm_lower (context, CblasTrans, CblasNoTrans, count, n, 1, next, n, next, n, 0, C + first, ldc);
  return status;
}

/* Rows of H from `first` on, and their mirror images. */
static TosstStatus
add_rows (TosstRecoding *self, TosstContext *context, size_t first)
{
  size_t D = self->D, S = self->S, room = self->room, all = self->count;
  double *U = self->U + first * D, *H = self->H + first * room, *across = malloc (sizeof *across * (all - first) * all);
  TosstStatus status = across ? TOSST_OK : tosst_recoding_no_memory (context);
  if (status == TOSST_OK && isfinite (self->options.gamma))
    status = tosst_dtrsm (context, CblasNoTrans, D, all - first, self->L, D, U, D);
  if (status == TOSST_OK)
    status = products (self, context, self->U, D, first, H, room);
  if (status == TOSST_OK)
    status = products (self, context, self->b, S, first, across, all);
  for (size_t j = 0; status == TOSST_OK && j < all - first; j++)
    for (size_t i = 0; i < all; i++)
      if (i < first || i >= first + j)
        {
          H[j * room + i] *= across[j * all + i];
          self->H[i * room + first + j] = H[j * room + i];
        }
  free (across);
  return status;
}

TosstStatus
tosst_recoding_meet (TosstRecoding *self, TosstContext *context, const int *list, size_t count)
{
  size_t D = self->D, S = self->S, first = self->count, strangers = 0;
  for (size_t j = 0; j < count; j++)
    strangers += self->place[list[j]] < 0;
  if (strangers == 0)
    return TOSST_OK;
  if (!make_room (self, first + strangers))
    return tosst_recoding_no_memory (context);
  for (size_t j = 0; j < count; j++)
    if (self->place[list[j]] < 0)
      {
        memcpy (self->U + self->count * D, self->dictionary->V + list[j] * D, sizeof *self->U * D);
        memcpy (self->b + self->count * S, tosst_recoding_b (self, list[j]), sizeof *self->b * S);
        self->place[list[j]] = (int)self->count;
        self->met[self->count++] = list[j];
      }
  TosstStatus status = add_rows (self, context, first);
  /* A row that is half made is none. */
  while (status != TOSST_OK && self->count > first)
    self->place[self->met[--self->count]] = -1;
  return status;
}

TosstStatus
tosst_recoding_subtract (const TosstRecoding *self, TosstContext *context, size_t i, double *residual)
{
  size_t D = self->D, S = self->S;
  int K = self->K, n = 0;
  const double *alpha = self->codes + i * K;
  for (int k = 0; k < K; k++)
    n += alpha[k] != 0;
  memcpy (residual, self->x + i * S * D, sizeof *residual * S * D);
  if (n == 0)
    return TOSST_OK;
  double *support = malloc (sizeof *support * n * (D + S)), *c = support ? support + n * D : NULL;
  if (!support)
    return tosst_recoding_no_memory (context);
  n = 0;
  for (int k = 0; k < K; k++)
    if (alpha[k] != 0)
      {
        memcpy (support + n * D, self->dictionary->V + k * D, sizeof *support * D);
        for (size_t s = 0; s < S; s++)
          c[n * S + s] = alpha[k] * tosst_recoding_b (self, k)[s];
        n++;
      }
  cblas_dgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, S, n, -1, support, D, c, S, 1, residual, D);
  free (support);
  return TOSST_OK;
}

void
tosst_recoding_halve (const TosstRecoding *self, CBLAS_TRANSPOSE transpose, double *residual)
{
  if (isfinite (self->options.gamma))
    cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, self->D, self->S, 1, self->L, self->D,
                 residual, self->D);
}

/* Atoms of one task, a multiple of what a register tile takes. */
#define ATOMS 96

typedef struct
{
  const TosstRecoding *self;
  double *r;
} Correlation;

/* Slices are few and atoms many: BLAS would pack all of V for them, which takes as long as the products. */
static TosstStatus
correlate_atoms (size_t item, int worker, void *data)
{
  const Correlation *job = data;
  const TosstRecoding *self = job->self;
  int first = (int)item * ATOMS, S = self->S, count = self->K - first < ATOMS ? self->K - first : ATOMS;
  double *out = aligned_alloc (64, sizeof *out * ATOMS * self->padded);
  if (!out)
    return TOSST_ERROR_MEMORY;
  tosst_kernels ()->product_double (self->dictionary->V + (size_t)first * self->D, self->D, 1, count, self->turned,
                                    self->row, self->D, self->padded, out, self->padded, false);
  for (int k = 0; k < count; k++)
    {
      const double *b = tosst_recoding_b (self, first + k), *product = out + (size_t)k * self->padded;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int s = 0; s < S; s++)
        sum += product[s] * b[s];
      job->r[first + k] = sum;
    }
  free (out);
  return TOSST_OK;
}

TosstStatus
tosst_recoding_correlate (TosstRecoding *self, TosstContext *context, double *r)
{
  size_t D = self->D, S = self->S;
  Correlation job = { self, r };
  tosst_recoding_halve (self, CblasNoTrans, self->left);
  tosst_recoding_halve (self, CblasTrans, self->left);
  for (size_t p = 0; p < D; p++)
    for (size_t s = 0; s < S; s++)
      self->turned[p * self->padded + s] = self->left[s * D + p];
  return tosst_parallel (context, (self->K + ATOMS - 1) / ATOMS, correlate_atoms, &job, 0, 0);
}

bool
tosst_recoding_new_products (TosstRecoding *self)
{
  size_t D = self->D;
  self->padded = (self->S + TOSST_GRAIN - 1) / TOSST_GRAIN * TOSST_GRAIN;
  self->left = malloc (sizeof *self->left * self->S * D);
  self->turned = aligned_alloc (64, sizeof *self->turned * D * self->padded);
  self->row = malloc (sizeof *self->row * D);
  if (!self->left || !self->turned || !self->row)
    return false;
  memset (self->turned, 0, sizeof *self->turned * D * self->padded);
  for (size_t p = 0; p < D; p++)
    self->row[p] = (int32_t)(p * self->padded);
  return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of recoding: H between the atoms used by codes since gamma changed, and the products of the residual of a
 * code with all atoms.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/coding/recode-private.h"
#include "engine/coding/tuning.h"

void
tosst_recoding_reset_active (TosstRecoding *self)
{
  self->count = 0;
  for (int k = 0; k < self->K; k++)
    self->active_index[k] = -1;
  memset (self->shift, 0, sizeof *self->shift * self->n * self->K);
}

/* Reserves a quarter more than needed, with a row length that avoids cache set conflicts. The rows of H are moved. */
static bool
make_room (TosstRecoding *self, size_t needed)
{
  size_t room = (needed + needed / 4) / 16 * 16 + 24;
  if (needed <= self->room)
    return true;
  float *U = realloc (self->U, sizeof *U * room * self->D);
  self->U = U ? U : self->U;
  float *b = realloc (self->b, sizeof *b * room * self->S);
  self->b = b ? b : self->b;
  float *H = U && b ? malloc (sizeof *H * room * room) : NULL;
  if (!H)
    return false;
  for (size_t i = 0; i < self->count; i++)
    {
      memcpy (H + i * room, self->H + i * self->room, sizeof *H * self->count);
      memset (H + i * room + self->count, 0, sizeof *H * (room - self->count));
    }
  free (self->H);
  self->H = H;
  self->room = room;
  return true;
}

typedef struct
{
  TosstRecoding *self;
  size_t first; /* first new atom */
} NewRows;

/* Returns the first new atom of a strip and their number. */
static size_t
strip_of (const NewRows *job, size_t item, size_t *from)
{
  size_t left = job->self->count - job->first - item * ACTIVE_STRIP;
  *from = job->first + item * ACTIVE_STRIP;
  return left < ACTIVE_STRIP ? left : ACTIVE_STRIP;
}

static TosstStatus
apply_factor_strip (size_t item, int worker, void *data)
{
  const NewRows *job = data;
  TosstRecoding *self = job->self;
  size_t D = self->D, S = self->S, from, count = strip_of (job, item, &from);
  for (size_t a = from; a < from + count; a++)
    {
      const double *v = self->dictionary->V + self->active[a] * D, *b = tosst_recoding_b (self, self->active[a]);
      float sign = self->sign ? self->sign[self->active[a]] : 1;
      if (self->E)
        memcpy (self->U + a * D, self->basis_V + self->active[a] * D, sizeof *self->U * D);
      else
        for (size_t p = 0; p < D; p++)
          self->U[a * D + p] = (float)v[p];
      for (size_t s = 0; s < S; s++)
        self->b[a * S + s] = sign * (float)b[s];
    }
  tosst_recoding_apply_inv_factor_f32 (self, CblasNoTrans, self->U + from * D, count);
  return TOSST_OK;
}

/* Computes rows of H up to the last atom of the strip; columns after the last atom are zero. */
static TosstStatus
fill_strip (size_t item, int worker, void *data)
{
  const NewRows *job = data;
  TosstRecoding *self = job->self;
  size_t D = self->D, S = self->S, from, count = strip_of (job, item, &from), all = from + count;
  float *H = self->H + from * self->room, *across = malloc (sizeof *across * count * all);
  if (!across)
    return TOSST_ERROR_MEMORY;
  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, all, count, D, 1, self->U, D, self->U + from * D, D, 0, H,
               self->room);
  cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, all, count, S, 1, self->b, S, self->b + from * S, S, 0, across,
               all);
  for (size_t j = 0; j < count; j++)
    {
      float *row = H + j * self->room;
      for (size_t i = 0; i < all; i++)
        row[i] *= across[j * all + i];
      memset (row + self->count, 0, sizeof *row * (self->room - self->count));
    }
  free (across);
  return TOSST_OK;
}

/* Copies a strip of columns of H from the rows of its atoms. */
static TosstStatus
mirror_strip (size_t item, int worker, void *data)
{
  const NewRows *job = data;
  TosstRecoding *self = job->self;
  size_t from, count = strip_of (job, item, &from), room = self->room;
  for (size_t i0 = 0; i0 < from + count; i0 += ACTIVE_STRIP)
    for (size_t j = from; j < from + count; j++)
      for (size_t i = i0; i < i0 + ACTIVE_STRIP && i < j; i++)
        self->H[i * room + j] = self->H[j * room + i];
  return TOSST_OK;
}

TosstStatus
tosst_recoding_activate_atoms (TosstRecoding *self, TosstContext *context, const int *list, size_t count)
{
  size_t first = self->count, missing = 0;
  for (size_t j = 0; j < count; j++)
    missing += self->active_index[list[j]] < 0;
  if (missing == 0)
    return TOSST_OK;
  if (!make_room (self, first + missing))
    return tosst_coding_no_memory (context);
  for (size_t j = 0; j < count; j++)
    if (self->active_index[list[j]] < 0)
      {
        self->active_index[list[j]] = (int)self->count;
        self->active[self->count++] = list[j];
      }
  /* Computes rows and columns of H from `first` on. */
  NewRows job = { self, first };
  size_t strips = (self->count - first + ACTIVE_STRIP - 1) / ACTIVE_STRIP;
  TosstStatus status = tosst_parallel (context, strips, apply_factor_strip, &job, 0, 0);
  if (status == TOSST_OK)
    status = tosst_parallel (context, strips, fill_strip, &job, 0, 0);
  if (status == TOSST_OK)
    status = tosst_parallel (context, strips, mirror_strip, &job, 0, 0);
  if (status == TOSST_ERROR_MEMORY)
    tosst_coding_no_memory (context);
  /* Incomplete rows are discarded. */
  while (status != TOSST_OK && self->count > first)
    self->active_index[self->active[--self->count]] = -1;
  return status;
}

/* There are few slices, as in correlate_atoms(), and the gathered data stays in the cache. */
TosstStatus
tosst_recoding_tied_residual (const TosstRecoding *self, TosstContext *context, size_t i, double *residual)
{
  size_t D = self->D, S = self->S, wide = tosst_grain (D);
  const double *alpha = self->codes + i * self->K;
  double *made = tosst_alloc_aligned ((BUNDLE + S) * wide + BUNDLE * S, sizeof *made);
  int *support = malloc (sizeof *support * self->K), n = 0;
  int32_t row[BUNDLE];
  TosstStatus status = made && support ? TOSST_OK : tosst_coding_no_memory (context);
  for (int k = 0; status == TOSST_OK && k < self->K; k++)
    if (alpha[k] != 0)
      support[n++] = k;
  for (int a = 0; a < BUNDLE; a++)
    row[a] = (int32_t)(a * wide);
  memcpy (residual, self->x + i * S * D, sizeof *residual * S * D);
  for (int first = 0; first < n; first += BUNDLE)
    {
      int count = n - first < BUNDLE ? n - first : BUNDLE;
      double *atoms = made + S * wide, *c = atoms + BUNDLE * wide;
      /* Gathers up to BUNDLE of the n atoms in support, in rows of length `wide`, and their c. */
      for (int a = 0; a < count; a++)
        {
          const double *b = tosst_recoding_b (self, (support + first)[a]);
          memcpy (atoms + a * wide, self->dictionary->V + (support + first)[a] * D, sizeof *atoms * D);
          memset (atoms + a * wide + D, 0, sizeof *atoms * (wide - D));
          for (size_t s = 0; s < S; s++)
            c[a * S + s] = alpha[(support + first)[a]] * b[s];
        }
      tosst_kernels ()->product_double (c, 1, S, S, atoms, row, count, wide, made, wide, first > 0);
    }
  for (size_t s = 0; s < S && n > 0; s++)
    for (size_t p = 0; p < D; p++)
      residual[s * D + p] -= made[s * wide + p];
  free (made);
  free (support);
  return status;
}

typedef struct
{
  const TosstRecoding *self;
  double *r;
} Correlation;

/* With few slices and many atoms BLAS would pack all of V, which takes as long as the products. */
static TosstStatus
correlate_atoms (size_t item, int worker, void *data)
{
  const Correlation *job = data;
  const TosstRecoding *self = job->self;
  int first = (int)item * CORRELATED_ATOMS, S = self->S,
      count = self->K - first < CORRELATED_ATOMS ? self->K - first : CORRELATED_ATOMS;
  double *out = aligned_alloc (64, sizeof *out * CORRELATED_ATOMS * self->padded);
  if (!out)
    return TOSST_ERROR_MEMORY;
  tosst_kernels ()->product_double (self->dictionary->V + (size_t)first * self->D, self->D, 1, count, self->transposed,
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
  tosst_recoding_apply_inv_factor (self, CblasNoTrans, self->left);
  return tosst_recoding_correlate_factored (self, context, r);
}

TosstStatus
tosst_recoding_correlate_factored (TosstRecoding *self, TosstContext *context, double *r)
{
  size_t D = self->D, S = self->S;
  Correlation job = { self, r };
  tosst_recoding_apply_inv_factor (self, CblasTrans, self->left);
  for (size_t p = 0; p < D; p++)
    for (size_t s = 0; s < S; s++)
      self->transposed[p * self->padded + s] = self->left[s * D + p];
  return tosst_parallel (context, (self->K + CORRELATED_ATOMS - 1) / CORRELATED_ATOMS, correlate_atoms, &job, 0, 0);
}

/* correlate_atoms() in float. Without E atoms are converted to float here, because a copy of all would take half
 * their memory. */
static TosstStatus
correlate_atoms_f32 (size_t item, int worker, void *data)
{
  const Correlation *job = data;
  const TosstRecoding *self = job->self;
  size_t D = self->D, padded = self->padded, first = item * CORRELATED_ATOMS;
  int S = self->S, count = self->K - first < CORRELATED_ATOMS ? self->K - first : CORRELATED_ATOMS;
  float *out = aligned_alloc (64, sizeof *out * CORRELATED_ATOMS * (padded + TOSST_GRAIN * (D / TOSST_GRAIN + 1)));
  float *single = out + CORRELATED_ATOMS * padded;
  const float *atoms = self->E ? self->basis_V + first * D : single;
  if (!out)
    return TOSST_ERROR_MEMORY;
  for (size_t p = 0; !self->E && p < count * D; p++)
    single[p] = (float)self->dictionary->V[first * D + p];
  tosst_kernels ()->product_float (atoms, D, 1, count, self->transposed_f32, self->row, D, padded, out, padded, false);
  for (int k = 0; k < count; k++)
    {
      const double *b = tosst_recoding_b (self, first + k);
      const float *product = out + k * padded;
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
tosst_recoding_correlate_f32 (TosstRecoding *self, TosstContext *context, size_t i, double *r)
{
  size_t D = self->D, S = self->S, count = self->count;
  const double *alpha = self->codes + i * self->K;
  float *left = self->residual_f32, *c = calloc (S * (count + 1), sizeof *c);
  Correlation job = { self, r };
  if (!c)
    return TOSST_ERROR_MEMORY;
  for (size_t a = 0; a < count; a++)
    for (size_t s = 0; s < S; s++)
      c[a * S + s] = (float)(alpha[self->active[a]] * tosst_recoding_b (self, self->active[a])[s]);
  memcpy (left, self->x_f32 + i * S * D, sizeof *left * S * D);
  cblas_sgemm (CblasColMajor, CblasNoTrans, CblasTrans, D, S, count, -1, self->U, D, c, S, 1, left, D);
  free (c);
  tosst_recoding_apply_inv_factor_f32 (self, CblasTrans, left, S);
  for (size_t p = 0; p < D; p++)
    for (size_t s = 0; s < S; s++)
      self->transposed_f32[p * self->padded + s] = left[s * D + p];
  return tosst_parallel (context, (self->K + CORRELATED_ATOMS - 1) / CORRELATED_ATOMS, correlate_atoms_f32, &job, 0, 0);
}

void
tosst_recoding_alloc_products (TosstRecoding *self)
{
  TosstMemory *memory = &self->memory;
  size_t D = self->D, S = self->S;
  self->padded = tosst_grain (self->S);
  self->left = tosst_keep (memory, malloc (sizeof *self->left * self->S * D));
  self->transposed = tosst_keep (memory, aligned_alloc (64, sizeof *self->transposed * D * self->padded));
  self->row = tosst_keep (memory, malloc (sizeof *self->row * D));
  self->x_f32 = tosst_keep (memory, malloc (sizeof *self->x_f32 * self->n * S * D));
  self->residual_f32 = tosst_keep (memory, malloc (sizeof *self->residual_f32 * S * D));
  self->transposed_f32 = tosst_keep (memory, aligned_alloc (64, sizeof *self->transposed_f32 * D * self->padded));
  if (memory->failed)
    return;
  memset (self->transposed, 0, sizeof *self->transposed * D * self->padded);
  memset (self->transposed_f32, 0, sizeof *self->transposed_f32 * D * self->padded);
  for (size_t p = 0; p < D; p++)
    self->row[p] = (int32_t)(p * self->padded);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms and bounds of Lemma 1 and Theorem 1; the construction is in sparsify-barrier.c. With C^s = Q diag (mu) Q' and
 *
 *     w_n = sqrt (x_n^s / N) mu^{-1/2} Q' x_n
 *
 * the terms of slice s become w_n w_n', and their sum is the identity.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simd/kernels.h"
#include "engine/tensor/sparsify-private.h"
#include "engine/tensor/tuning.h"

static TosstStatus
out_of_memory (TosstContext *context)
{
  return tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to choose atoms");
}

static void
sparsifier_clear (TosstSparsifier *self)
{
  free (self->memory);
  free (self->block);
}

/* Allocates all buffers at once; rows of matrices are 64-byte aligned. */
static TosstStatus
sparsifier_init (TosstSparsifier *self, TosstContext *context, size_t n, int d)
{
  size_t stride = tosst_grain (d), padded = (n + 7) / 8 * 8;
  size_t each = (3 * d + 1) * stride + TOSST_EIGEN_WORK (stride) + 2 * padded * d + 4 * padded;
  *self = (TosstSparsifier){ .context = context, .n = n, .d = d, .stride = stride };
  self->block = calloc (d, sizeof *self->block);
  self->memory = aligned_alloc (64, sizeof (double) * each * d);
  if (!self->block || !self->memory)
    {
      sparsifier_clear (self);
      return out_of_memory (context);
    }
  memset (self->memory, 0, sizeof (double) * each * d);
  for (int s = 0; s < d; s++)
    {
      TosstSparsifierBlock *block = self->block + s;
      double *at = (double *)self->memory + each * s;
      block->A = at;
      block->copy = block->A + d * stride;
      block->vectors = block->copy + d * stride;
      block->values = block->vectors + d * stride;
      block->work = block->values + stride;
      block->w = block->work + TOSST_EIGEN_WORK (stride);
      block->y = block->w + padded * d;
      block->upper1 = block->y + padded * d;
      block->upper2 = block->upper1 + padded;
      block->lower1 = block->upper2 + padded;
      block->lower2 = block->lower1 + padded;
    }
  return TOSST_OK;
}

typedef struct
{
  TosstSparsifier *self;
  const float *vectors;
} Making;

/* Computes the slice, its range, and the terms in the basis that makes the slice the identity. */
static TosstStatus
make_block (size_t s, int worker, void *data)
{
  Making *making = data;
  TosstSparsifier *self = making->self;
  TosstSparsifierBlock *block = self->block + s;
  int d = self->d, r = 0;
  double largest = 0;
  for (size_t n = 0; n < self->n; n++)
    {
      const float *x = making->vectors + n * d;
      double weight = (double)x[s] / (double)self->n;
      for (int i = 0; weight > 0 && i < d; i++)
        for (int j = 0; j < d; j++)
          block->A[i * self->stride + j] += weight * x[i] * x[j];
    }
  if (!tosst_sparsifier_eigen (self, block, d))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "slice %zu has no spectrum", s);
  for (int i = 0; i < d; i++)
    largest = fmax (largest, block->values[i]);
  for (int i = 0; i < d; i++)
    {
      if (!(block->values[i] > SPARSIFY_RANK_TOLERANCE * largest))
        continue;
      block->values[r] = block->values[i];
      memmove (block->vectors + r++ * self->stride, block->vectors + i * self->stride, sizeof (double) * d);
    }
  block->r = r;
  for (size_t n = 0; n < self->n; n++)
    {
      const float *x = making->vectors + n * d;
      double weight = sqrt ((double)x[s] / (double)self->n);
      for (int i = 0; i < r; i++)
        {
          double sum = 0;
          for (int j = 0; j < d; j++)
            sum += block->vectors[i * self->stride + j] * x[j];
          block->w[n * r + i] = weight * sum / sqrt (block->values[i]);
        }
    }
  return TOSST_OK;
}

static TosstStatus
make_blocks (TosstSparsifier *self, TosstContext *context, const float *vectors, size_t n, int d)
{
  if (n == 0 || d < 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "there are no vectors to choose from");
  for (size_t i = 0; i < n * d; i++)
    if (!isfinite (vectors[i]))
      return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "vector %zu holds NaN or infinity", i / d);
    else if (vectors[i] < 0)
      return tosst_context_fail (context, TOSST_ERROR_ARGUMENT,
                                 "vector %zu has a negative entry, so that slices need not be positive semi-definite",
                                 i / d);
  TosstStatus status = sparsifier_init (self, context, n, d);
  if (status != TOSST_OK)
    return status;
  Making making = { self, vectors };
  status = tosst_parallel (context, d, make_block, &making, 0, 0);
  if (status != TOSST_OK)
    sparsifier_clear (self);
  return status;
}

static int
largest_rank (const TosstSparsifier *self)
{
  int most = 0;
  for (int s = 0; s < self->d; s++)
    most = self->block[s].r > most ? self->block[s].r : most;
  return most;
}

/* Computes one set of weights per group of blocks: all blocks, or each block alone. */
static TosstStatus
run_groups (TosstSparsifier *self, bool separate, size_t steps, double *weights, double *slice_epsilon,
            TosstSparsification *result)
{
  int groups = separate ? self->d : 1, count = separate ? 1 : self->d;
  TosstRange whole = tosst_context_narrow (self->context, 0, 1);
  TosstStatus status = TOSST_OK;
  for (int g = 0; g < groups && status == TOSST_OK; g++)
    {
      double *own = weights + g * self->n, epsilon = 0;
      slice_epsilon[g * count] = 0;
      if (tosst_sparsifier_dimension (self, g * count, count) == 0)
        continue;
      tosst_context_set_range (self->context, whole);
      tosst_context_narrow (self->context, (double)g / groups, (double)(g + 1) / groups);
      status = tosst_sparsifier_run (self, g * count, count, steps, own);
      if (status == TOSST_OK)
        status = tosst_sparsifier_conclude (self, own, slice_epsilon, &epsilon);
      size_t nonzeros = 0;
      for (size_t i = 0; i < self->n; i++)
        nonzeros += own[i] != 0;
      result->nonzeros = nonzeros > result->nonzeros ? nonzeros : result->nonzeros;
      result->epsilon = fmax (result->epsilon, epsilon);
    }
  tosst_context_set_range (self->context, whole);
  return status;
}

TosstStatus
tosst_sparsify_dimension (TosstContext *context, const float *vectors, size_t n, int d, bool separate, int *dimension)
{
  TosstSparsifier self;
  TosstStatus status = make_blocks (&self, context, vectors, n, d);
  if (status != TOSST_OK)
    return status;
  *dimension = separate ? largest_rank (&self) : tosst_sparsifier_dimension (&self, 0, d);
  sparsifier_clear (&self);
  return TOSST_OK;
}

TosstStatus
tosst_sparsify (TosstContext *context, const float *vectors, size_t n, int d, bool separate, size_t atoms,
                double *weights, double *slice_epsilon, TosstSparsification *result)
{
  TosstSparsifier self;
  TosstStatus status = make_blocks (&self, context, vectors, n, d);
  if (status != TOSST_OK)
    return status;
  size_t length = separate ? n * d : n;
  int M = separate ? largest_rank (&self) : tosst_sparsifier_dimension (&self, 0, d);
  double *own = calloc (length + d, sizeof *own), *epsilon = own ? own + length : NULL;
  *result = (TosstSparsification){ .atoms = atoms < n ? atoms : n, .dimension = M };
  if (!own)
    status = out_of_memory (context);
  else if (atoms >= n || M == 0)
    {
      for (size_t i = 0; i < length; i++)
        own[i] = 1;
      result->nonzeros = n;
    }
  else if (atoms <= (size_t)M)
    status = tosst_context_fail (
        context, TOSST_ERROR_ARGUMENT,
        "%zu atoms are too few: the slices have %d dimensions, and more atoms than that are needed", atoms, M);
  else
    {
      status = run_groups (&self, separate, atoms, own, epsilon, result);
      double root = sqrt ((double)atoms / M);
      result->bound = (root + 1) * (root + 1) / ((root - 1) * (root - 1)) - 1;
    }
  if (status == TOSST_OK && weights)
    memcpy (weights, own, sizeof *weights * length);
  if (status == TOSST_OK && slice_epsilon)
    memcpy (slice_epsilon, epsilon, sizeof *slice_epsilon * d);
  free (own);
  sparsifier_clear (&self);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms and bounds of Lemma 1 and Theorem 1. With C^s = Q diag (mu) Q' and
 *
 *     w_n = sqrt (x_n^s / N) mu^{-1/2} Q' x_n
 *
 * the terms of slice s become w_n w_n', and their sum is the identity.
 */
#include "engine/base/base.h"
#include "engine/simd/kernels.h"
#include "engine/tensor/tuning.h"
#include "tosst/tensor.h"

typedef struct
{
  int r;                                       /* rank of the slice */
  double *w;                                   /* n x r: terms */
  double *A;                                   /* r rows, stride apart */
  double *copy, *vectors, *values, *work;      /* for symmetric_eigen() */
  double *y;                                   /* n x r */
  double upper, upper_next, lower, lower_next; /* traces of this block */
  double *upper1, *upper2, *lower1, *lower2;   /* n: tr (.^-1 A_n), tr (.^-2 A_n) */
} TosstSparsifierBlock;

typedef struct
{
  TosstContext *context;
  size_t n;
  int d, stride;
  TosstSparsifierBlock *block; /* d */
  void *memory;
  int first, count; /* blocks of the current run, which share weights */
  double u, l, u_next, l_next;
} TosstSparsifier;

/* The barrier method of Batson, Spielman & Srivastava on block-diagonal terms. The terms of block s are w_n w_n' as
 * in sparsify.c, and their sum is the identity. A starts at 0 between the barriers l < 0 < u. A step moves them to l'
 * = l + 1 and u' = u + delta and adds t A_n to A, where
 *
 *     U_n = tr ((u' - A)^-2 A_n) / (Phi^u - Phi^u')  + tr ((u' - A)^-1 A_n)  <=  1/t
 *     L_n = tr ((A - l')^-2 A_n) / (Phi_l' - Phi_l)  - tr ((A - l')^-1 A_n)  >=  1/t
 *
 * prevent both potentials Phi^u = tr (u - A)^-1 and Phi_l = tr (A - l)^-1 from growing. Traces run over all blocks;
 * with the eigenvalues of a block and Y = its eigenvectors times all w, those of A_n are sums of y^2 over the barrier
 * distances. */

/* Eigendecomposition of the leading submatrix of A of the given order. */
static bool
tosst_sparsifier_eigen (const TosstSparsifier *self, TosstSparsifierBlock *block, int order)
{
  memcpy (block->copy, block->A, sizeof (double) * order * self->stride);
  return tosst_kernels ()->symmetric_eigen (block->copy, order, self->stride, block->vectors, block->values,
                                            block->work);
}

/* M of blocks first .. first + count - 1. */
static int
tosst_sparsifier_dimension (const TosstSparsifier *self, int first, int count)
{
  int sum = 0;
  for (int s = first; s < first + count; s++)
    sum += self->block[s].r;
  return sum;
}

/* Contribution of one block to the traces of the current step. */
static TosstStatus
measure_block (size_t item, int worker, void *data)
{
  TosstSparsifier *self = data;
  TosstSparsifierBlock *block = self->block + self->first + item;
  int r = block->r;
  if (r == 0)
    return TOSST_OK;
  if (!tosst_sparsifier_eigen (self, block, r))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "a weighted sum of terms is not finite");
  block->upper = block->upper_next = block->lower = block->lower_next = 0;
  double above[r], below[r];
  for (int i = 0; i < r; i++)
    {
      double a = block->values[i];
      above[i] = 1 / (self->u_next - a);
      below[i] = 1 / (a - self->l_next);
      block->upper += 1 / (self->u - a);
      block->lower += 1 / (a - self->l);
      block->upper_next += above[i];
      block->lower_next += below[i];
    }
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, r, self->n, r, 1, block->vectors, self->stride, block->w, r, 0,
               block->y, r);
  for (size_t n = 0; n < self->n; n++)
    {
      double u1 = 0, u2 = 0, l1 = 0, l2 = 0;
      for (int i = 0; i < r; i++)
        {
          double y = block->y[n * r + i], size = y * y;
          u1 += size * above[i];
          u2 += size * above[i] * above[i];
          l1 += size * below[i];
          l2 += size * below[i] * below[i];
        }
      block->upper1[n] = u1;
      block->upper2[n] = u2;
      block->lower1[n] = l1;
      block->lower2[n] = l2;
    }
  return TOSST_OK;
}

/* Selects the term with the widest interval [U_n, L_n]; *inverse is its midpoint, 1/t. */
static TosstStatus
choose (const TosstSparsifier *self, size_t *chosen, double *inverse)
{
  double upper = 0, lower = 0, widest = -INFINITY;
  for (int s = self->first; s < self->first + self->count; s++)
    {
      const TosstSparsifierBlock *block = self->block + s;
      if (block->r == 0)
        continue;
      upper += block->upper - block->upper_next;
      lower += block->lower_next - block->lower;
    }
  for (size_t n = 0; n < self->n; n++)
    {
      double U = 0, L = 0;
      for (int s = self->first; s < self->first + self->count; s++)
        {
          const TosstSparsifierBlock *block = self->block + s;
          if (block->r == 0)
            continue;
          U += block->upper2[n] / upper + block->upper1[n];
          L += block->lower2[n] / lower - block->lower1[n];
        }
      if (L - U > widest)
        {
          widest = L - U;
          *chosen = n;
          *inverse = (L + U) / 2;
        }
    }
  if (!(widest >= -1e-9 * *inverse) || !(*inverse > 0))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "no term fits between the barriers: rounding");
  return TOSST_OK;
}

/* Scales the weights of the last run so that C is the lower bound, and measures epsilon of its blocks. slice_epsilon
 * is indexed by block. */
static TosstStatus
tosst_sparsifier_conclude (TosstSparsifier *self, double *weights, double *slice_epsilon, double *epsilon)
{
  double low = INFINITY, high = 0, highest[self->count];
  for (int i = 0; i < self->count; i++)
    {
      TosstSparsifierBlock *block = self->block + self->first + i;
      highest[i] = 0;
      if (block->r > 0 && !tosst_sparsifier_eigen (self, block, block->r))
        return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC, "a weighted sum of terms is not finite");
      for (int j = 0; j < block->r; j++)
        {
          low = fmin (low, block->values[j]);
          highest[i] = fmax (highest[i], block->values[j]);
        }
      high = fmax (high, highest[i]);
    }
  if (!(low > 0))
    return tosst_context_fail (self->context, TOSST_ERROR_NUMERIC,
                               "a weighted sum of terms misses a direction: rounding");
  for (size_t n = 0; n < self->n; n++)
    weights[n] /= low;
  for (int i = 0; i < self->count; i++)
    slice_epsilon[self->first + i] = highest[i] > 0 ? fmax (highest[i] / low - 1, 0) : 0;
  *epsilon = fmax (high / low - 1, 0);
  return TOSST_OK;
}

/* Runs `steps` steps, more than M, over these blocks, whose terms share weights (n, zeroed by the caller). */
static TosstStatus
tosst_sparsifier_run (TosstSparsifier *self, int first, int count, size_t steps, double *weights)
{
  int M = tosst_sparsifier_dimension (self, first, count);
  double root = sqrt ((double)steps / M), speed = (root + 1) / (root - 1);
  self->first = first;
  self->count = count;
  self->l = -M * root;
  self->u = M * (root * root + root) / (root - 1);
  for (int s = first; s < first + count; s++)
    memset (self->block[s].A, 0, sizeof (double) * self->d * self->stride);
  for (size_t step = 0; step < steps; step++)
    {
      size_t n = 0;
      double inverse = 0;
      self->u_next = self->u + speed;
      self->l_next = self->l + 1;
      TOSST_TRY (tosst_parallel (self->context, count, measure_block, self, 0, 0) ?: choose (self, &n, &inverse));
      for (int s = self->first; s < self->first + self->count; s++)
        {
          TosstSparsifierBlock *block = self->block + s;
          const double *w = block->w + n * block->r;
          for (int i = 0; i < block->r; i++)
            for (int j = 0; j < block->r; j++)
              block->A[i * self->stride + j] += (1 / inverse) * w[i] * w[j];
        }
      weights[n] += 1 / inverse;
      self->u = self->u_next;
      self->l = self->l_next;
      tosst_context_progress (self->context, (double)(step + 1) / steps);
    }
  return TOSST_OK;
}

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
  TOSST_TRY (sparsifier_init (self, context, n, d));
  Making making = { self, vectors };
  TosstStatus status = tosst_parallel (context, d, make_block, &making, 0, 0);
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
      TOSST_THEN (status, tosst_sparsifier_conclude (self, own, slice_epsilon, &epsilon));
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
  TOSST_REQUIRE (context, context && vectors && dimension);
  TosstSparsifier self;
  TOSST_TRY (make_blocks (&self, context, vectors, n, d));
  *dimension = separate ? largest_rank (&self) : tosst_sparsifier_dimension (&self, 0, d);
  sparsifier_clear (&self);
  return TOSST_OK;
}

TosstStatus
tosst_sparsify (TosstContext *context, const float *vectors, size_t n, int d, bool separate, size_t atoms,
                double *weights, double *slice_epsilon, TosstSparsification *result)
{
  TOSST_REQUIRE (context, context && vectors && result);
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The barrier method of Batson, Spielman & Srivastava on block-diagonal terms. The terms of block s are w_n w_n' as
 * in sparsify.c, and their sum is the identity. A starts at 0 between the barriers l < 0 < u. A step moves them to l'
 * = l + 1 and u' = u + delta and adds t A_n to A, where
 *
 *     U_n = tr ((u' - A)^-2 A_n) / (Phi^u - Phi^u')  + tr ((u' - A)^-1 A_n)  <=  1/t
 *     L_n = tr ((A - l')^-2 A_n) / (Phi_l' - Phi_l)  - tr ((A - l')^-1 A_n)  >=  1/t
 *
 * prevent both potentials Phi^u = tr (u - A)^-1 and Phi_l = tr (A - l)^-1 from growing. Traces run over all blocks;
 * with the eigenvalues of a block and Y = its eigenvectors times all w, those of A_n are sums of y^2 over the barrier
 * distances.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "engine/simd/kernels.h"
#include "engine/tensor/sparsify-private.h"

bool
tosst_sparsifier_eigen (const TosstSparsifier *self, TosstSparsifierBlock *block, int order)
{
  memcpy (block->copy, block->A, sizeof (double) * order * self->stride);
  return tosst_kernels ()->symmetric_eigen (block->copy, order, self->stride, block->vectors, block->values,
                                            block->work);
}

int
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

TosstStatus
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

TosstStatus
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
      TosstStatus status = tosst_parallel (self->context, count, measure_block, self, 0, 0);
      if (status == TOSST_OK)
        status = choose (self, &n, &inverse);
      if (status != TOSST_OK)
        return status;
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

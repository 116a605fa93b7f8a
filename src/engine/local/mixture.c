/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/local/mixture-private.h"
#include "engine/simd/kernels.h"

#define LEAST_POSTERIOR 1e-6f
#define EXCLUDED (-1e30f) /* constant of the columns that pad a row of posteriors */

TosstMixture *
tosst_mixture_new (int D, int K)
{
  TosstMixture *self = D >= 1 && K >= 1 ? calloc (1, sizeof *self) : NULL;

  if (!self)
    return NULL;
  *self = (TosstMixture){ .D = D, .K = K };
  self->weights = calloc ((size_t)K, sizeof *self->weights);
  self->means = calloc ((size_t)K * (size_t)D, sizeof *self->means);
  self->variances = calloc ((size_t)K * (size_t)D, sizeof *self->variances);
  if (self->weights && self->means && self->variances)
    return self;
  tosst_mixture_free (self);
  return NULL;
}

void
tosst_mixture_assign (TosstMixture *self, const TosstMixture *from)
{
  size_t K = (size_t)self->K, n = K * (size_t)self->D;

  memcpy (self->weights, from->weights, K * sizeof *self->weights);
  memcpy (self->means, from->means, n * sizeof *self->means);
  memcpy (self->variances, from->variances, n * sizeof *self->variances);
}

TosstMixture *
tosst_mixture_copy (const TosstMixture *mixture)
{
  TosstMixture *self = tosst_mixture_new (mixture->D, mixture->K);

  if (self)
    tosst_mixture_assign (self, mixture);
  return self;
}

void
tosst_mixture_free (TosstMixture *self)
{
  if (!self)
    return;
  free (self->weights);
  free (self->means);
  free (self->variances);
  free (self);
}

bool
tosst_mixture_is_valid (const TosstMixture *self)
{
  size_t n = (size_t)self->K * (size_t)self->D;
  bool ok = true;

  for (int k = 0; k < self->K; k++)
    ok = ok && isfinite (self->weights[k]) && self->weights[k] > 0;
  for (size_t i = 0; i < n; i++)
    ok = ok && isfinite (self->means[i]) && isfinite (self->variances[i]) && self->variances[i] > 0;
  return ok;
}

bool
tosst_densities_init (TosstDensities *self, int D, int K)
{
  *self = (TosstDensities){ .D = D, .K = K, .width = tosst_grain (2 * (size_t)D), .stride = tosst_grain ((size_t)K) };
  self->shift = calloc ((size_t)D, sizeof *self->shift);
  self->scale = calloc ((size_t)D, sizeof *self->scale);
  self->units = calloc (2 * (size_t)D, sizeof *self->units);
  self->factors = tosst_alloc_aligned (self->width * self->stride, sizeof *self->factors);
  self->constants = tosst_alloc_aligned (self->stride, sizeof *self->constants);
  return self->shift && self->scale && self->units && self->factors && self->constants;
}

void
tosst_densities_clear (TosstDensities *self)
{
  free (self->shift);
  free (self->scale);
  free (self->units);
  free (self->factors);
  free (self->constants);
}

void
tosst_densities_set_unit (TosstDensities *self, size_t j, double mean, double variance)
{
  self->units[j] = (float)mean;
  self->units[(size_t)self->D + j] = (float)(1 / sqrt (variance));
  self->shift[j] = self->units[j];
  self->scale[j] = self->units[(size_t)self->D + j];
}

void
tosst_densities_set_units (TosstDensities *self, const TosstMixture *mixture)
{
  size_t D = (size_t)self->D;

  for (size_t j = 0; j < D; j++)
    {
      double mean = 0, variance = 0;
      for (size_t k = 0; k < (size_t)self->K; k++)
        mean += mixture->weights[k] * mixture->means[k * D + j];
      for (size_t k = 0; k < (size_t)self->K; k++)
        variance += mixture->weights[k] * (mixture->variances[k * D + j] + pow (mixture->means[k * D + j] - mean, 2));
      tosst_densities_set_unit (self, j, mean, variance);
    }
}

void
tosst_densities_set (TosstDensities *self, const TosstMixture *mixture)
{
  size_t D = (size_t)self->D, K = (size_t)self->K;

  memset (self->factors, 0, self->width * self->stride * sizeof *self->factors);
  self->offset = 0;
  for (size_t j = 0; j < D; j++)
    self->offset += log (self->scale[j]);
  for (size_t k = 0; k < self->stride; k++)
    self->constants[k] = EXCLUDED;
  for (size_t k = 0; k < K; k++)
    {
      double constant = log (mixture->weights[k]);
      for (size_t j = 0; j < D; j++)
        {
          double mean = (mixture->means[k * D + j] - self->shift[j]) * self->scale[j];
          double variance = mixture->variances[k * D + j] * self->scale[j] * self->scale[j];
          self->factors[j * self->stride + k] = (float)(mean / variance);
          self->factors[(D + j) * self->stride + k] = (float)(-0.5 / variance);
          constant -= 0.5 * (log (2 * M_PI * variance) + mean * mean / variance);
        }
      self->constants[k] = (float)fmax (constant, EXCLUDED);
    }
}

bool
tosst_density_work_init (TosstDensityWork *self, const TosstDensities *densities)
{
  size_t width = densities->width, stride = densities->stride;

  self->vectors = tosst_alloc_aligned (MIXTURE_BLOCK * width, sizeof *self->vectors);
  self->posteriors = tosst_alloc_aligned (MIXTURE_BLOCK * stride, sizeof *self->posteriors);
  self->sums = tosst_alloc_aligned (stride * width, sizeof *self->sums);
  self->totals = tosst_alloc_aligned (stride, sizeof *self->totals);
  self->logs = malloc (MIXTURE_BLOCK * sizeof *self->logs);
  return self->vectors && self->posteriors && self->sums && self->totals && self->logs;
}

void
tosst_density_work_clear (TosstDensityWork *self)
{
  free (self->vectors);
  free (self->posteriors);
  free (self->sums);
  free (self->totals);
  free (self->logs);
}

bool
tosst_mixture_sums_init (TosstMixtureSums *self, int D, int K)
{
  *self = (TosstMixtureSums){ 0 };
  self->totals = calloc ((size_t)K, sizeof *self->totals);
  self->moments = calloc ((size_t)K * 2 * (size_t)D, sizeof *self->moments);
  return self->totals && self->moments;
}

void
tosst_mixture_sums_clear (TosstMixtureSums *self)
{
  free (self->totals);
  free (self->moments);
}

/* Writes (y, y^2) of n vectors. */
static void
load_vectors (const TosstDensities *self, const float *restrict x, size_t n, float *restrict to)
{
  size_t D = (size_t)self->D;
  const float *restrict shift = self->units, *restrict scale = shift + D;

  for (size_t i = 0; i < n; i++, x += D, to += self->width)
    {
      for (size_t j = 0; j < D; j++)
        {
          float y = (x[j] - shift[j]) * scale[j];
          to[j] = y;
          to[D + j] = y * y;
        }
      for (size_t j = 2 * D; j < self->width; j++)
        to[j] = 0;
    }
}

/* Replaces posteriors by 1 for the largest one, the first of these, and 0 for the others. */
static void
harden (float *posteriors, size_t n, size_t K, size_t stride)
{
  for (size_t i = 0; i < n; i++)
    {
      float *row = posteriors + i * stride;
      size_t best = 0;
      for (size_t k = 1; k < K; k++)
        if (row[k] > row[best])
          best = k;
      memset (row, 0, stride * sizeof *row);
      row[best] = 1;
    }
}

/* Adds the sums of a block. */
static void
add_block (TosstMixtureSums *self, const TosstDensities *densities, size_t n, const TosstDensityWork *work)
{
  size_t D = (size_t)densities->D, K = (size_t)densities->K, width = densities->width, stride = densities->stride;

  memset (work->sums, 0, stride * width * sizeof *work->sums);
  memset (work->totals, 0, stride * sizeof *work->totals);
  tosst_kernels ()->posterior_sums (work->posteriors, n, stride, LEAST_POSTERIOR, work->vectors, width, work->sums,
                                    work->totals);
  for (size_t k = 0; k < K; k++)
    {
      self->totals[k] += work->totals[k];
      for (size_t j = 0; j < 2 * D; j++)
        self->moments[k * 2 * D + j] += work->sums[k * width + j];
    }
}

TosstStatus
tosst_mixture_sums_add (TosstMixtureSums *self, const TosstDensities *densities, const float *x, size_t n, bool is_hard,
                        TosstDensityWork *work)
{
  size_t D = (size_t)densities->D, K = (size_t)densities->K, stride = densities->stride;

  for (size_t first = 0, count; first < n; first += count)
    {
      double sum = 0;
      count = n - first < MIXTURE_BLOCK ? n - first : MIXTURE_BLOCK;
      load_vectors (densities, x + first * D, count, work->vectors);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)stride, (int)(2 * D), 1, work->vectors,
                   (int)densities->width, densities->factors, (int)stride, 0, work->posteriors, (int)stride);
      tosst_kernels ()->posteriors (work->posteriors, count, stride, densities->constants, work->logs);
      for (size_t i = 0; i < count; i++)
        sum += work->logs[i];
      if (!isfinite (sum))
        return TOSST_ERROR_NUMERIC;
      if (is_hard)
        harden (work->posteriors, count, K, stride);
      add_block (self, densities, count, work);
      self->likelihood += sum + (double)count * densities->offset;
    }
  return TOSST_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fisher vectors from the sums s0 = sum gamma, s1 = sum gamma y and s2 = sum gamma y^2 of each component:
 *     sum gamma (y - mu) / sigma = (s1 - mu s0) / sigma,   sum gamma (y - mu)^2 / sigma^2 = (s2 - 2 mu s1 + mu^2 s0) / sigma^2.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/local/mixture-private.h"

struct TosstFisher
{
  TosstMixture *mixture; /* in the units of the densities */
  TosstDensities densities;
};

/* Converts means and variances to the units of the densities. */
static void
standardise (TosstMixture *mixture, const TosstDensities *units)
{
  size_t D = (size_t)mixture->D;

  for (size_t i = 0; i < (size_t)mixture->K * D; i++)
    {
      double scale = units->scale[i % D];
      mixture->means[i] = (mixture->means[i] - units->shift[i % D]) * scale;
      mixture->variances[i] *= scale * scale;
    }
}

TosstFisher *
tosst_fisher_new (const TosstMixture *mixture)
{
  TosstFisher *self = calloc (1, sizeof *self);

  if (!self)
    return NULL;
  self->mixture = tosst_mixture_copy (mixture);
  if (!tosst_densities_init (&self->densities, mixture->D, mixture->K) || !self->mixture)
    {
      tosst_fisher_free (self);
      return NULL;
    }
  tosst_densities_set_units (&self->densities, mixture);
  tosst_densities_set (&self->densities, mixture);
  standardise (self->mixture, &self->densities);
  return self;
}

void
tosst_fisher_free (TosstFisher *self)
{
  if (!self)
    return;
  tosst_mixture_free (self->mixture);
  tosst_densities_clear (&self->densities);
  free (self);
}

size_t
tosst_fisher_length (const TosstMixture *mixture)
{
  return 2 * (size_t)mixture->K * (size_t)mixture->D;
}

static void
write_gradients (const TosstMixture *mixture, const TosstMixtureSums *sums, size_t n, float *out)
{
  size_t D = (size_t)mixture->D, K = (size_t)mixture->K;

  for (size_t k = 0; k < K; k++)
    {
      const double *first = sums->moments + 2 * k * D, *second = first + D;
      double s0 = sums->totals[k], factor = 1 / ((double)n * sqrt (mixture->weights[k]));
      for (size_t j = 0; j < D; j++)
        {
          double mean = mixture->means[k * D + j], variance = mixture->variances[k * D + j];
          double s1 = first[j] - mean * s0, s2 = second[j] - 2 * mean * first[j] + mean * mean * s0;
          out[k * D + j] = (float)(factor * s1 / sqrt (variance));
          out[(K + k) * D + j] = (float)(factor * M_SQRT1_2 * (s2 / variance - s0));
        }
    }
}

TosstStatus
tosst_fisher_code (const TosstFisher *self, const float *x, size_t n, float *out, double *likelihood)
{
  TosstDensityWork work;
  TosstMixtureSums sums;
  TosstStatus status = TOSST_ERROR_MEMORY;
  bool has_work = tosst_density_work_init (&work, &self->densities);
  bool has_sums = tosst_mixture_sums_init (&sums, self->mixture->D, self->mixture->K);

  if (n == 0)
    status = TOSST_ERROR_ARGUMENT;
  else if (has_work && has_sums)
    status = tosst_mixture_sums_add (&sums, &self->densities, x, n, false, &work);
  if (status == TOSST_OK)
    {
      write_gradients (self->mixture, &sums, n, out);
      if (likelihood)
        *likelihood = sums.likelihood / (double)n;
    }
  tosst_density_work_clear (&work);
  tosst_mixture_sums_clear (&sums);
  return status;
}

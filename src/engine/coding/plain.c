/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Baselines without a dictionary: the descriptor itself, and the logarithm of a covariance matrix, which maps the
 * curved space of positive definite matrices to a flat space, in which ||log A - log B||_F is the log-Euclidean
 * distance.
 */
#include "tosst/code.h"

#include <math.h>

#include "engine/coding/tuning.h"
#include "engine/tensor/spectrum.h"

typedef struct
{
  const TosstLayout *layout;
  const float *tensors;
  float *out;
} Weighing;

static TosstStatus
weigh (size_t item, int worker, void *data)
{
  Weighing *self = data;
  size_t m = self->layout->m;

  (void)worker;
  for (size_t i = 0; i < m; i++)
    self->out[item * m + i] = self->layout->weight[i] * self->tensors[item * m + i];
  return TOSST_OK;
}

TosstStatus
tosst_plain_raw (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n, float *out)
{
  Weighing self = { layout, tensors, out };

  if (layout->S != 1)
    return tosst_context_fail (context, TOSST_ERROR_ARGUMENT, "plain vectors need whole tensors, not slices");
  return tosst_parallel (context, n, weigh, &self, 0, 1);
}

static const char *
take_logarithm (double *values, int d, double parameter)
{
  double largest = 0, trace = 0;

  for (int i = 0; i < d; i++)
    {
      largest = fmax (largest, fabs (values[i]));
      trace += values[i];
    }
  for (int i = 0; i < d; i++)
    if (values[i] < -ROUNDED_NEGATIVE * largest)
      return "is not positive semi-definite and has no logarithm";
  if (largest == 0)
    return "is zero and has no logarithm";
  for (int i = 0; i < d; i++)
    values[i] = log (fmax (values[i], 0) + parameter * trace / d);
  return NULL;
}

TosstStatus
tosst_plain_log_euclidean (TosstContext *context, const TosstLayout *layout, const float *tensors, size_t n, float *out)
{
  const TosstSpectrumMap logarithm
      = { .func = take_logarithm, .parameter = TOSST_LOG_FLOOR, .weighted = true, .reports = true };

  return tosst_map_spectra (context, layout, &logarithm, tensors, n, out);
}

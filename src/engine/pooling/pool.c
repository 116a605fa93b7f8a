/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pooling/pool.h"

#include <math.h>
#include <string.h>

static const float *
region_code (const float *codes, int K, const size_t *index, size_t region)
{
  return codes + (index ? index[region] : region) * (size_t)K;
}

static void
pool_average (const float *codes, int K, const size_t *index, size_t n, float *out)
{
  /* Columns in runs that fit a small double buffer: sums of thousands of small numbers in single precision drift. */
  enum
  {
    RUN = 512
  };
  double sum[RUN];

  for (int first = 0; first < K; first += RUN)
    {
      int length = K - first < RUN ? K - first : RUN;

      memset (sum, 0, sizeof sum);
      for (size_t region = 0; region < n; region++)
        {
          const float *code = region_code (codes, K, index, region) + first;
          for (int k = 0; k < length; k++)
            sum[k] += code[k];
        }
      for (int k = 0; k < length; k++)
        out[first + k] = (float)(sum[k] / (double)n);
    }
}

static void
pool_max (const float *codes, int K, const size_t *index, size_t n, float *out)
{
  memcpy (out, region_code (codes, K, index, 0), (size_t)K * sizeof *out);
  for (size_t region = 1; region < n; region++)
    {
      const float *code = region_code (codes, K, index, region);
      /* A NaN must not vanish in the comparison: it would hide a broken code. */
      for (int k = 0; k < K; k++)
        out[k] = code[k] > out[k] || isnan (code[k]) ? code[k] : out[k];
    }
}

void
tosst_pool (TosstPoolKind kind, const float *codes, int K, const size_t *index, size_t n, float *out)
{
  switch (kind)
    {
    case TOSST_POOL_MAX:
      pool_max (codes, K, index, n, out);
      break;
    case TOSST_POOL_AVERAGE:
    default:
      pool_average (codes, K, index, n, out);
      break;
    }
}

static double
signed_power (double value, double power)
{
  if (value == 0.0 || power == 1.0)
    return value;
  return copysign (power == 0.5 ? sqrt (fabs (value)) : pow (fabs (value), power), value);
}

void
tosst_normalise_signature (float *h, int K, double power, int l2)
{
  double norm = 0.0;

  for (int k = 0; k < K; k++)
    {
      double value = signed_power (h[k], power);
      h[k] = (float)value;
      norm += value * value;
    }
  if (!l2 || norm == 0.0)
    return;
  norm = sqrt (norm);
  for (int k = 0; k < K; k++)
    h[k] = (float)(h[k] / norm);
}

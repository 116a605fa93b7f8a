/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/vector.h"

#include <float.h>
#include <math.h>

/* Number of partial sums, enough to keep the adders of a processor busy. */
#define LANES 8

static double
add_lanes (const double *lane)
{
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double
tosst_dot (size_t n, const double *x, const double *y)
{
  double lane[LANES] = { 0 };
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += x[i + l] * y[i + l];
  for (int l = 0; i < n; i++, l++)
    lane[l] += x[i] * y[i];
  return add_lanes (lane);
}

double
tosst_dot_strided (size_t n, const double *x, const double *y, size_t stride)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i] * y[i * stride];
  return sum;
}

double
tosst_sum_abs (size_t n, const double *x)
{
  double lane[LANES] = { 0 };
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += fabs (x[i + l]);
  for (int l = 0; i < n; i++, l++)
    lane[l] += fabs (x[i]);
  return add_lanes (lane);
}

double
tosst_norm (size_t n, const double *x)
{
  double square = tosst_dot (n, x, x), largest = 0, sum = 0;
  if (square >= DBL_MIN && square <= DBL_MAX)
    return sqrt (square);
  for (size_t i = 0; i < n; i++)
    largest = fmax (largest, fabs (x[i]));
  if (!(largest > 0 && largest <= DBL_MAX))
    return isnan (square) ? square : largest;
  for (size_t i = 0; i < n; i++)
    sum += x[i] / largest * (x[i] / largest);
  return largest * sqrt (sum);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tosst/pool.h"

#include <stdbool.h>

#include "engine/base/base.h"
#include "engine/pooling/private.h"

static bool
is_scaled (TosstPoolKind kind)
{
  return kind == TOSST_POOL_MAXEXP || kind == TOSST_POOL_AXMIN || kind == TOSST_POOL_EXAPRO;
}

static const float *
region_code (const float *codes, int K, const size_t *index, size_t region)
{
  return codes + (index ? index[region] : region) * (size_t)K;
}

static double
largest_size (const float *codes, int K, const size_t *index, size_t n)
{
  float largest = 0;

  for (size_t region = 0; region < n; region++)
    {
      const float *code = region_code (codes, K, index, region);
      for (int k = 0; k < K; k++)
        largest = fmaxf (largest, fabsf (code[k]));
    }
  return largest;
}

/* Sums over regions: of the codes, or with scale > 0 of u = |a| / scale. */
static void
sum_run (const float *codes, int K, const size_t *index, size_t n, double scale, int first, int length, double *sum)
{
  memset (sum, 0, POOL_RUN * sizeof *sum);
  for (size_t region = 0; region < n; region++)
    {
      const float *code = region_code (codes, K, index, region) + first;
      if (scale > 0.0)
        for (int k = 0; k < length; k++)
          sum[k] += fabs (code[k]) / scale;
      else
        for (int k = 0; k < length; k++)
          sum[k] += code[k];
    }
}

/* Probabilities that no region contains the atom: products of 1 - u. */
static void
product_run (const float *codes, int K, const size_t *index, size_t n, double scale, int first, int length,
             double *product)
{
  for (int k = 0; k < length; k++)
    product[k] = 1.0;
  for (size_t region = 0; region < n; region++)
    {
      const float *code = region_code (codes, K, index, region) + first;
      for (int k = 0; k < length; k++)
        product[k] *= 1.0 - fabs (code[k]) / scale;
    }
}

static double
pooled_value (TosstPoolKind kind, double p, double value, size_t n)
{
  switch (kind)
    {
    case TOSST_POOL_MAXEXP:
      /* A mean may exceed 1 by rounding. expm1 and log1p avoid cancellation for a small mean and a large p. */
      return -expm1 (p * log1p (-(value > (double)n ? 1.0 : value / (double)n)));
    case TOSST_POOL_GAMMA:
      return signed_power (value / (double)n, p);
    case TOSST_POOL_AXMIN:
      return p * value > 1.0 ? 1.0 : p * value;
    case TOSST_POOL_EXAPRO:
      return 1.0 - value;
    case TOSST_POOL_AVERAGE:
    case TOSST_POOL_MAX:
    case TOSST_POOL_AT_N:
    default:
      return value / (double)n;
    }
}

static void
pool_by_run (TosstPoolKind kind, double p, const float *codes, int K, const size_t *index, size_t n, float *out)
{
  bool scaled = is_scaled (kind);
  double scale = scaled ? largest_size (codes, K, index, n) : 0.0, value[POOL_RUN];

  /* If all codes are zero, any scale gives zero. */
  if (scaled && scale == 0.0)
    scale = 1.0;
  for (int first = 0; first < K; first += POOL_RUN)
    {
      int length = K - first < POOL_RUN ? K - first : POOL_RUN;
      if (kind == TOSST_POOL_EXAPRO)
        product_run (codes, K, index, n, scale, first, length, value);
      else
        sum_run (codes, K, index, n, scale, first, length, value);
      for (int k = 0; k < length; k++)
        out[first + k] = (float)pooled_value (kind, p, value[k], n);
    }
}

static void
pool_max (const float *codes, int K, const size_t *index, size_t n, float *out)
{
  memcpy (out, region_code (codes, K, index, 0), (size_t)K * sizeof *out);
  for (size_t region = 1; region < n; region++)
    {
      const float *code = region_code (codes, K, index, region);
      /* The comparison propagates NaN, which indicates a corrupt code. */
      for (int k = 0; k < K; k++)
        out[k] = code[k] > out[k] || isnan (code[k]) ? code[k] : out[k];
    }
}

/* Moves the `wanted` largest of n finite values to the front (quickselect). */
static void
select_largest (float *value, size_t n, size_t wanted)
{
  ptrdiff_t low = 0, high = (ptrdiff_t)n - 1, last = (ptrdiff_t)wanted - 1;

  while (low < high)
    {
      float pivot = value[low + (high - low) / 2];
      ptrdiff_t i = low, j = high;
      while (i <= j)
        {
          while (value[i] > pivot)
            i++;
          while (value[j] < pivot)
            j--;
          if (i <= j)
            {
              float swap = value[i];
              value[i++] = value[j];
              value[j--] = swap;
            }
        }
      if (last <= j)
        high = j;
      else if (last >= i)
        low = i;
      else
        return;
    }
}

static bool
has_nan (const float *value, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (isnan (value[i]))
      return true;
  return false;
}

static float
mean_of_largest (float *value, size_t n, size_t wanted)
{
  double sum = 0.0;

  if (has_nan (value, n))
    return NAN;
  select_largest (value, n, wanted);
  for (size_t i = 0; i < wanted; i++)
    sum += value[i];
  return (float)(sum / (double)wanted);
}

/* Transposes the codes of atoms first .. first + length - 1, so that the codes of an atom are contiguous. */
static void
lay_out_columns (const float *codes, int K, const size_t *index, size_t n, int first, int length, float *columns)
{
  for (size_t region = 0; region < n; region++)
    {
      const float *code = region_code (codes, K, index, region) + first;
      for (int k = 0; k < length; k++)
        columns[(size_t)k * n + region] = code[k];
    }
}

static size_t
wanted_codes (double p, size_t n)
{
  return p < (double)n ? (size_t)p : n;
}

static TosstStatus
pool_at_n (double p, const float *codes, int K, const size_t *index, size_t n, float *out)
{
  float *columns = malloc (SELECT_RUN * n * sizeof *columns);

  if (!columns)
    return TOSST_ERROR_MEMORY;
  for (int first = 0; first < K; first += SELECT_RUN)
    {
      int length = K - first < SELECT_RUN ? K - first : SELECT_RUN;
      lay_out_columns (codes, K, index, n, first, length, columns);
      for (int k = 0; k < length; k++)
        out[first + k] = mean_of_largest (columns + (size_t)k * n, n, wanted_codes (p, n));
    }
  free (columns);
  return TOSST_OK;
}

TosstStatus
tosst_pool_keep_largest (double parameter, float *codes, int K, size_t *n)
{
  TOSST_REQUIRE (NULL, codes && n);
  size_t wanted = wanted_codes (tosst_pool_resolve (TOSST_POOL_AT_N, parameter, *n), *n);
  float *columns;

  if (wanted == *n)
    return TOSST_OK;
  columns = malloc (SELECT_RUN * *n * sizeof *columns);
  if (!columns)
    return TOSST_ERROR_MEMORY;
  for (int first = 0; first < K; first += SELECT_RUN)
    {
      int length = K - first < SELECT_RUN ? K - first : SELECT_RUN;
      lay_out_columns (codes, K, NULL, *n, first, length, columns);
      for (int k = 0; k < length; k++)
        {
          float *column = columns + (size_t)k * *n;
          bool broken = has_nan (column, *n);
          if (!broken)
            select_largest (column, *n, wanted);
          for (size_t i = 0; i < wanted; i++)
            codes[i * (size_t)K + (size_t)(first + k)] = broken ? NAN : column[i];
        }
    }
  free (columns);
  *n = wanted;
  return TOSST_OK;
}

const char *
tosst_pool_check (TosstPoolKind kind, double p)
{
  if ((unsigned)kind > TOSST_POOL_AT_N)
    return "the kind of pooling is unknown";
  if (isnan (p))
    return NULL;
  if (kind == TOSST_POOL_MAXEXP && !(p >= 1.0 && isfinite (p)))
    return "maxexp pooling needs a number of trials of at least 1";
  if (kind == TOSST_POOL_GAMMA && !(p > 0.0 && p <= 1.0))
    return "gamma pooling needs an exponent above 0 and at most 1";
  if (kind == TOSST_POOL_AXMIN && !(p > 0.0 && isfinite (p)))
    return "axmin pooling needs a slope above 0";
  if (kind == TOSST_POOL_AT_N && !(p >= 1.0 && p == floor (p) && isfinite (p)))
    return "at-n pooling needs a whole number of codes, at least 1";
  return NULL;
}

double
tosst_pool_resolve (TosstPoolKind kind, double p, size_t n)
{
  if (!isnan (p))
    return p;
  switch (kind)
    {
    case TOSST_POOL_MAXEXP:
      return (double)n;
    case TOSST_POOL_GAMMA:
      return 0.5;
    case TOSST_POOL_AT_N:
      return 5.0;
    case TOSST_POOL_AXMIN:
    case TOSST_POOL_EXAPRO:
    case TOSST_POOL_AVERAGE:
    case TOSST_POOL_MAX:
    default:
      return 1.0;
    }
}

TosstStatus
tosst_pool (TosstPoolKind kind, double parameter, const float *codes, int K, const size_t *index, size_t n, float *out)
{
  double p = tosst_pool_resolve (kind, parameter, n);

  if (!codes || !out || n == 0 || tosst_pool_check (kind, parameter))
    return TOSST_ERROR_ARGUMENT;
  if (kind == TOSST_POOL_AT_N)
    return pool_at_n (p, codes, K, index, n, out);
  if (kind == TOSST_POOL_MAX)
    pool_max (codes, K, index, n, out);
  else
    pool_by_run (kind, p, codes, K, index, n, out);
  return TOSST_OK;
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

/* Parts: for each atom a sum or a maximum over regions, and the largest code as the scale. */

bool
tosst_pool_has_parts (TosstPoolKind kind)
{
  return kind != TOSST_POOL_EXAPRO && kind != TOSST_POOL_AT_N;
}

void
tosst_pool_part (TosstPoolKind kind, const float *code, int K, double *part)
{
  float largest = 0;

  if (is_scaled (kind))
    for (int k = 0; k < K; k++)
      part[k] = fabsf (code[k]);
  else
    for (int k = 0; k < K; k++)
      part[k] = code[k];
  for (int k = 0; k < K; k++)
    largest = fabsf (code[k]) > largest ? fabsf (code[k]) : largest;
  part[K] = largest;
}

void
tosst_pool_join (TosstPoolKind kind, const double *a, const double *b, int K, double *out)
{
  /* As in pool_max(), the comparison propagates NaN. */
  if (kind == TOSST_POOL_MAX)
    for (int k = 0; k < K; k++)
      out[k] = b[k] > a[k] || isnan (b[k]) ? b[k] : a[k];
  else
    for (int k = 0; k < K; k++)
      out[k] = a[k] + b[k];
  out[K] = b[K] > a[K] ? b[K] : a[K];
}

TosstStatus
tosst_pool_finish_part (TosstPoolKind kind, double parameter, const double *part, int K, size_t n, float *out)
{
  TOSST_REQUIRE (NULL, part && out);
  double p = tosst_pool_resolve (kind, parameter, n);
  double scale = is_scaled (kind) && part[K] > 0 ? part[K] : 1.0;

  if (n == 0 || !tosst_pool_has_parts (kind) || tosst_pool_check (kind, parameter))
    return TOSST_ERROR_ARGUMENT;
  for (int k = 0; k < K; k++)
    out[k] = (float)(kind == TOSST_POOL_MAX ? part[k] : pooled_value (kind, p, part[k] / scale, n));
  return TOSST_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Incremental pooling: for each atom a sum or a maximum over regions, and the largest code as the scale.
 */
#include "engine/pooling/pool-parts.h"

#include <math.h>

#include "engine/pooling/pool-private.h"

static bool
is_scaled (TosstPoolKind kind)
{
  return kind == TOSST_POOL_MAXEXP || kind == TOSST_POOL_AXMIN;
}

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
  double p = tosst_pool_resolve (kind, parameter, n);
  double scale = is_scaled (kind) && part[K] > 0 ? part[K] : 1.0;

  if (n == 0 || !tosst_pool_has_parts (kind) || tosst_pool_check (kind, parameter))
    return TOSST_ERROR_ARGUMENT;
  for (int k = 0; k < K; k++)
    out[k] = (float)(kind == TOSST_POOL_MAX ? part[k] : tosst_pool_value (kind, p, part[k] / scale, n));
  return TOSST_OK;
}

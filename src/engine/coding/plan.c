/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/coding/plan.h"

#include <math.h>

#include "engine/coding/correlate.h"
#include "engine/coding/lasso.h"
#include "engine/coding/nonnegative.h"
#include "engine/coding/reduction.h"
#include "engine/coding/transform.h"
#include "engine/coding/tuning.h"

bool
tosst_coding_is_joint (const TosstCodingOptions *options, TosstShape shape)
{
  return options->problem.nonnegative_beta && isfinite (options->problem.gamma) && shape.kind != TOSST_SHAPE_WHOLE;
}

/* Bytes that are always needed: copy of the dictionary, layout, W V, factor, H. */
static size_t
kept_bytes (const TosstLayout *layout, size_t K, size_t element)
{
  size_t D = layout->D, S = layout->S;
  return ((2 * D + S) * K + (tosst_reduction_small (D, K) ? K * K : D * D) + D) * sizeof (double) + K * K * element
         + S * D * sizeof (int32_t);
}

static size_t
larger (size_t a, size_t b)
{
  return a > b ? a : b;
}

TosstCodingPlan
tosst_coding_plan (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  bool joint = tosst_coding_is_joint (options, layout->shape);
  size_t k = K, m = layout->m, element = options->wide || joint ? sizeof (double) : sizeof (float);
  size_t kept = kept_bytes (layout, k, element), making = tosst_reduction_gram_bytes (K, threads);
  if (joint)
    return (TosstCodingPlan){ 0,
                              kept + larger (making, tosst_code_nonnegative_bytes (layout->D, layout->S, K, threads)) };
  size_t support
      = k < MOST_SUPPORT ? k : MOST_SUPPORT,
      solvers
      = threads * (tosst_lasso_work_bytes (K, TOSST_CODING_ROWS, support, element) + TOSST_CODING_ROWS * k * element);
  size_t transform = tosst_transform_bytes (layout, threads), row = k * element, wide = options->wide,
         product = threads * tosst_correlate_bytes (m, wide), work = product + solvers + transform;
  size_t resident
      = kept + tosst_atoms_numbers (k, m, wide) * element + larger (making, threads * TOSST_CODING_BLOCK * row + work);
  size_t base = kept + larger (making, tosst_atoms_numbers (tosst_correlate_tile (m, k), m, wide) * element + work);
  if (options->memory == 0 || resident <= options->memory || resident <= base + TOSST_CODING_BLOCK * row)
    return (TosstCodingPlan){ 0, resident };
  size_t room = options->memory > base ? (options->memory - base) / row : 0;
  size_t gathered = room < TOSST_CODING_BLOCK ? TOSST_CODING_BLOCK : room < MOST_GATHERED ? room : MOST_GATHERED;
  return (TosstCodingPlan){ gathered, base + gathered * row };
}

size_t
tosst_coder_memory (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads)
{
  return tosst_coding_plan (layout, K, options, threads).bytes;
}

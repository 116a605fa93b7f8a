/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory plan of a coder: transformed atoms are stored if they fit, else recomputed for each block of tensors. H is
 * stored in either case.
 */
#pragma once

#include "engine/coding/coder.h"

typedef struct
{
  size_t gathered; /* tensors per block if atoms are recomputed; else 0 */
  size_t bytes;    /* upper bound of the memory used; exceeds options->memory if that is too low */
} TosstCodingPlan;

TosstCodingPlan tosst_coding_plan (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads);

/* Whether codes are computed by coding/nonnegative.h. */
bool tosst_coding_is_joint (const TosstCodingOptions *options, TosstShape shape);

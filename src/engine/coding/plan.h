/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a coder does its work within the bound on memory: transformed atoms are kept where they fit, else made anew for
 * all tensors that are gathered at a time. H is kept in either case.
 */
#pragma once

#include "engine/coding/coder.h"

#define TOSST_CODING_ROWS 512  /* Lassos side by side */
#define TOSST_CODING_BLOCK 512 /* tensors in one product, at most */

typedef struct
{
  size_t gathered; /* tensors whose correlations are held at a time, where atoms are not kept; else 0 */
  size_t bytes;    /* taken at most; more than the bound if that is too low for any way */
} TosstCodingPlan;

TosstCodingPlan tosst_coding_plan (const TosstLayout *layout, int K, const TosstCodingOptions *options, int threads);

/* Whether codes are those of coding/nonnegative.h. */
bool tosst_coding_is_joint (const TosstCodingOptions *options, TosstShape shape);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "engine/base/memory.h"
#include "engine/coding/coder.h"
#include "engine/coding/nonnegative.h"
#include "engine/coding/reduction.h"

struct TosstCoder
{
  TosstCodingOptions options;
  int D, S, K;
  size_t m;
  double scale;                /* tensors are divided by this */
  TosstDictionary *dictionary; /* copy */
  int32_t *index;              /* of the layout, copy */
  double *weight;
  TosstReduction reduction;
  void *H;     /* K x K; float, or double (options.wide, nonnegative) */
  void *atoms; /* transformed atoms including the scale, in the precision of options.wide; NULL: computed on demand */
  size_t gathered;               /* tensors per block if atoms are computed on demand */
  TosstNonnegative *nonnegative; /* for beta >= 0 and finite gamma, else NULL; there are no transformed atoms then */
  signed char *sign;  /* K, for beta >= 0 and gamma = infinity, else NULL: feasible sign of alpha_k; 0: none */
  TosstMemory memory; /* of index, weight, H and atoms */
  double seconds;     /* wall time of tosst_coder_new() */
};

/* tosst_coder_new() with a copy of a computed reduction of the dictionary, or NULL. */
TosstStatus tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary,
                                     const TosstLayout *layout, const TosstCodingOptions *options,
                                     const TosstReduction *reduction, TosstCoder **coder);
/* Updates the coder for another dictionary of equal size in place, because page faults of new memory take longer
 * than filling it. The coder is unusable after an error. */
TosstStatus tosst_coder_update (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                                const TosstReduction *reduction);

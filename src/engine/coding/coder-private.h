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
  double scale;                /* tensors are divided by it */
  TosstDictionary *dictionary; /* a copy */
  int32_t *index;              /* of the layout, a copy */
  double *weight;
  TosstReduction reduction;
  void *H;         /* K x K; floats or (options.wide, nonnegative) doubles */
  void *atoms;     /* transformed atoms, the scale included, of options.wide; or NULL: made where needed */
  size_t gathered; /* tensors at a time where atoms are made */
  TosstNonnegative *nonnegative; /* beta >= 0 and finite gamma, else NULL: then there are no atoms */
  signed char *sign; /* K, for beta >= 0 and gamma = infinity, else NULL: the sign that alpha_k may have; 0: none */
  double seconds;    /* spent in tosst_coder_new() */
};

/* tosst_coder_new() with a copy of the dictionary's reduction; NULL: computes it. */
TosstStatus tosst_coder_new_reduced (TosstContext *context, const TosstDictionary *dictionary,
                                     const TosstLayout *layout, const TosstCodingOptions *options,
                                     const TosstReduction *reduction, TosstCoder **coder);
/* Updates the coder for another dictionary of equal size in its own memory, as page faults of new memory take longer than
 * filling it. After an error the coder must not be used. */
TosstStatus tosst_coder_update (TosstCoder *self, TosstContext *context, const TosstDictionary *dictionary,
                                const TosstReduction *reduction);

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from more tensors than fit into memory: online dictionary learning (Mairal, Bach, Ponce & Sapiro 2010) on
 * equation (5). Batch t = 1, 2, ... is coded with the current dictionary; the sums Y, P, Sxx and ||alpha||_1 of
 * earlier batches are multiplied by keep_t = (1 - 1/t)^rho and the sums of the batch are added, so that batch s has
 * weight (s/t)^rho at time t; the exact block updates then use these sums. rho = 0 weights all batches equally, rho
 * = INFINITY uses the current batch only.
 */
#pragma once

#include "engine/learning/learn.h"
#include "engine/learning/stream.h"

/* Called after each batch, on the calling thread; batches: number of batches so far, resumed ones included.
 * dictionary is valid during the call only. */
typedef void (*TosstBatchFunc) (size_t batches, const TosstDictionary *dictionary, void *user_data);

typedef struct
{
  size_t batch;               /* maximum number of tensors per batch, >= K */
  double forgetting;          /* rho >= 0; INFINITY allowed */
  size_t batches_done;        /* batches before this run; 0: derived from options->done epochs */
  TosstBatchFunc after_batch; /* or NULL */
} TosstMinibatchOptions;

void tosst_minibatch_options_default (TosstMinibatchOptions *options); /* 4096 tensors, rho 10, none done, NULL */

/* Returns NULL if both are valid together, else an error message (static). */
const char *tosst_minibatch_check (const TosstMinibatchOptions *options, const TosstLearnOptions *learn);

/* tosst_learn() by batches. An iteration is an epoch: every tensor once, in a random order determined by the seed.
 * func receives equation (5) of each tensor for the dictionary before the update with its batch, summed over the
 * epoch. Since the dictionary improves during the epoch, this estimates the objective of tosst_learn() from above;
 * the tolerance applies to it. tosst_learn_evaluate() computes the objective itself.
 *
 * The scale is computed first, by an additional pass over the stream, unless there is an initial dictionary. A
 * resumed run (options->initial with options->done or batches_done) first recomputes the sums, which are not stored
 * in files, by coding those of its last batches (at most an epoch) that have a significant weight, with the
 * dictionary fixed.
 *
 * After TOSST_CANCELLED *dictionary is that of the last complete batch, or NULL. Memory does not depend on the
 * stream's length: tosst_minibatch_memory(). */
TosstStatus tosst_learn_minibatch (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                   const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch,
                                   TosstIterationFunc func, void *user_data, TosstDictionary **dictionary);

/* Upper bound of the bytes allocated by tosst_learn_minibatch() and tosst_learn_evaluate(), batches of tensors
 * included. */
size_t tosst_minibatch_memory (const TosstLayout *layout, const TosstLearnOptions *options,
                               const TosstMinibatchOptions *minibatch, int threads);

/* Sum of equation (5) over all tensors of a stream for a fixed dictionary, coded in blocks of minibatch->batch tensors.
 * result receives objective, fit, proximity, sparsity, mean_nonzeros, worst_kkt and seconds. */
TosstStatus tosst_learn_evaluate (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                  const TosstDictionary *dictionary, const TosstLearnOptions *options,
                                  const TosstMinibatchOptions *minibatch, TosstIteration *result);

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning from more tensors than memory holds: online dictionary learning (Mairal, Bach, Ponce & Sapiro 2010) on
 * equation (5). Batch t = 1, 2, ... is coded with the dictionary as it is; the sums Y, P, Sxx and ||alpha||_1 of what
 * came before are multiplied by keep_t = (1 - 1/t)^rho and those of the batch are added, so that batch s weighs
 * (s/t)^rho at time t; then the exact block updates run on the sums. rho = 0 forgets nothing, rho = INFINITY all but
 * the batch at hand.
 */
#pragma once

#include "engine/learning/learn.h"
#include "engine/learning/stream.h"

/* After each batch, on the calling thread; batches counts them from the first of all. dictionary is valid during the
 * call only. */
typedef void (*TosstBatchFunc) (size_t batches, const TosstDictionary *dictionary, void *user_data);

typedef struct
{
  size_t batch;               /* tensors in a batch at most, >= K */
  double forgetting;          /* rho >= 0; INFINITY allowed */
  size_t batches_done;        /* before this run; 0: as many as options->done epochs have */
  TosstBatchFunc after_batch; /* or NULL */
} TosstMinibatchOptions;

void tosst_minibatch_options_default (TosstMinibatchOptions *options); /* 4096 tensors, rho 10, none done, NULL */

/* NULL if both make sense together, else one sentence (static). */
const char *tosst_minibatch_check (const TosstMinibatchOptions *options, const TosstLearnOptions *learn);

/* As tosst_learn(), a batch at a time. An iteration is an epoch: every tensor once, in an order that the seed draws.
 * What func is told about it is equation (5) of each tensor with the dictionary that its batch met, before the
 * dictionary learned from it, summed over the epoch: the objective of tosst_learn() but for a dictionary that got
 * better meanwhile, so an upper estimate; the tolerance applies to it. tosst_learn_evaluate() tells the objective
 * itself.
 *
 * The scale is measured first, by one more pass over the stream, unless there is an initial dictionary. A run that goes
 * on (options->initial with options->done or batches_done) first codes its last batches again, as many as weigh in its
 * sums (at most an epoch), with the dictionary at rest, since the sums are not kept in files.
 *
 * When cancelled *dictionary is that of the last whole batch, or NULL if there was none. Memory does not depend on the
 * stream's length: tosst_minibatch_memory(). */
TosstStatus tosst_learn_minibatch (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                   const TosstLearnOptions *options, const TosstMinibatchOptions *minibatch,
                                   TosstIterationFunc func, void *user_data, TosstDictionary **dictionary);

/* Bytes that tosst_learn_minibatch() and tosst_learn_evaluate() allocate at most, batches of tensors included. */
size_t tosst_minibatch_memory (const TosstLayout *layout, const TosstLearnOptions *options,
                               const TosstMinibatchOptions *minibatch, int threads);

/* Equation (5) of all tensors of a stream, summed, for a dictionary at rest: codes them in pieces of minibatch->batch
 * tensors. result receives objective, fit, proximity, sparsity, mean_nonzeros, worst_kkt and seconds. */
TosstStatus tosst_learn_evaluate (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                  const TosstDictionary *dictionary, const TosstLearnOptions *options,
                                  const TosstMinibatchOptions *minibatch, TosstIteration *result);

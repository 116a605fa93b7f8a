/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning on several ranks (tosst/ranks.h). Each rank has some of the tensors with their codes, and RANK_COLUMNS atoms
 * after RANK_COLUMNS atoms in turn are its own: it has their Y_k, of all tensors, and computes their columns of all
 * matrices of D or K rows. P, E and what the passes over the atoms need are on all ranks, which then update all
 * atoms alike. Every function is collective, and the same for a process alone.
 */
#pragma once

#include "engine/learning/state.h"
#include "engine/learning/tuning.h"
#include "tosst/ranks.h"

/* A tensor and its codes. */
typedef struct
{
  const float *tensor, *codes;
} TosstFetched;

/* Whether column k is computed by this rank. */
static inline bool
tosst_learning_owns (const TosstLearning *self, size_t k)
{
  const TosstRanks *ranks = self->run.ranks;
  return !ranks || k / RANK_COLUMNS % ranks->size == (size_t)ranks->rank;
}

/* Whether a rank has failed, or was cancelled. */
static inline bool
tosst_learning_is_stopped (const TosstLearning *self)
{
  return self->run.ranks && self->run.ranks->stopped;
}

/* Row of Y of an own atom. */
static inline size_t
tosst_learning_row (const TosstLearning *self, size_t k)
{
  const TosstRanks *ranks = self->run.ranks;
  return ranks ? k / RANK_COLUMNS / ranks->size * RANK_COLUMNS + k % RANK_COLUMNS : k;
}

/* Columns of Scc per task where it is computed by columns: if lean, and on several ranks. */
static inline size_t
tosst_learning_columns (const TosstLearning *self)
{
  return self->run.ranks ? RANK_COLUMNS : LEAN_COLUMNS;
}

static inline bool
tosst_learning_by_columns (const TosstLearning *self)
{
  return self->is_lean || self->run.ranks;
}

/* Numbers of own columns next to each other from first on, or after it; sets first. 0: there are no more. */
static inline size_t
tosst_learning_next (const TosstLearning *self, size_t *first)
{
  size_t K = self->K;
  if (!self->run.ranks)
    return K - *first;
  while (*first < K && !tosst_learning_owns (self, *first))
    *first += RANK_COLUMNS;
  return *first >= K ? 0 : K - *first < RANK_COLUMNS ? K - *first : RANK_COLUMNS;
}

/* divided.c. Starts a computation of all ranks, if there are several; *total: own tensors, then those of all ranks. */
TosstStatus tosst_learning_start_ranks (TosstContext *context, TosstRanks *ranks, size_t *total);
/* Ends it: the status of all ranks, with a message where another one failed. */
TosstStatus tosst_learning_end_ranks (TosstContext *context, TosstRanks *ranks, TosstStatus status);
/* Sets the numbers of tensors of all ranks from self->n. */
TosstStatus tosst_learning_count (TosstLearning *self, TosstStatus status);
/* Up to FETCHED tensors by their numbers among those of all ranks, valid until the next call. with_codes: else codes are
 * undefined. */
TosstStatus tosst_learning_fetch (TosstLearning *self, const size_t *number, size_t count, bool with_codes,
                                  TosstFetched *out);
/* The columns of all ranks; data: K columns of `bytes` each. */
TosstStatus tosst_learning_gather (TosstLearning *self, TosstStatus status, void *data, size_t bytes);
/* A_float down to the diagonal. */
TosstStatus tosst_learning_gather_upper (TosstLearning *self, TosstStatus status);
/* The sum over ranks of the lower triangle of X, or X_float (N x N). */
TosstStatus tosst_learning_sum_triangle (TosstLearning *self, TosstStatus status, double *X, float *X_float, size_t N);
/* A number of each rank: their sum in the order of ranks. */
TosstStatus tosst_learning_sum (TosstLearning *self, TosstStatus status, double *value);
/* tosst_reduction_update() of the current dictionary. */
TosstStatus tosst_learning_reduce (TosstLearning *self);
/* The report of coding all tensors from those of each rank's. */
TosstStatus tosst_learning_join_report (TosstLearning *self, TosstStatus status, TosstIteration *iteration);

/* divided-sums.c. tosst_learning_accumulate_stats() on several ranks. */
TosstStatus tosst_learning_accumulate_divided (TosstLearning *self);
/* Bytes of a tile of Y and of the tiles received. */
size_t tosst_learning_divided_bytes (const TosstLayout *layout, size_t K);

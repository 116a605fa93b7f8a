/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learning on several ranks (tosst/ranks.h). Each rank has some of the tensors with their codes, and RANK_COLUMNS atoms
 * after RANK_COLUMNS atoms in turn are its own: it has their Y_k, of all tensors, and computes their columns of all
 * matrices of D or K rows, and updates their B_k. P and E are on all ranks, as are the atoms, and all b_k are updated
 * alike. Every function is collective, and the same for a process alone.
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

/* Whether this rank has a tensor, and that tensor with its codes. */
static inline bool
tosst_learning_has (const TosstLearning *self, size_t number)
{
  const size_t *start = self->start ? self->start + self->run.ranks->rank : NULL;
  return !start || (number >= start[0] && number < start[1]);
}

static inline TosstFetched
tosst_learning_own_row (const TosstLearning *self, size_t number)
{
  size_t row = self->start ? number - self->start[self->run.ranks->rank] : number;
  return (TosstFetched){ self->tensors + row * self->layout->m, self->codes + row * self->K };
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

/* Number of own atoms. */
static inline size_t
tosst_learning_own (const TosstLearning *self)
{
  return tosst_ranks_own (self->run.ranks, RANK_COLUMNS, self->K);
}

/* The own part of work that is divided by atoms. */
static inline double
tosst_learning_share (const TosstLearning *self, double work)
{
  return work * tosst_learning_own (self) / self->K;
}

/* Whether the reduction is divided: that of few atoms is not. */
static inline bool
tosst_learning_divides (const TosstLearning *self)
{
  return self->run.ranks && self->reduction.L;
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
/* The own columns of X (D x K) next to each other, and back. */
TosstStatus tosst_learning_pack (const TosstLearning *self, const double *X, double *packed);
TosstStatus tosst_learning_unpack (const TosstLearning *self, const double *packed, double *X);
/* divided.c. The sum over ranks of the lower triangle of X, or X_float (N x N). rounded: what is sent to be
 * added is rounded to float. */
TosstStatus tosst_learning_sum_triangle (TosstLearning *self, TosstStatus status, double *X, float *X_float, size_t N,
                                         bool rounded);
/* A number of each rank: their sum in the order of ranks. */
TosstStatus tosst_learning_sum (TosstLearning *self, TosstStatus status, double *value);
/* The report of coding all tensors from those of each rank's. */
TosstStatus tosst_learning_join_report (TosstLearning *self, TosstStatus status, TosstIteration *iteration);

/* divided-gram.c. tosst_reduction_update() of the current dictionary, and its two steps, the first one for any
 * reduction. */
TosstStatus tosst_learning_reduce (TosstLearning *self);
TosstStatus tosst_learning_factor (TosstLearning *self, TosstReduction *to);
TosstStatus tosst_learning_complete (TosstLearning *self);
/* If lean: A_float becomes V' W V with entries times those of across, or of b' b if it is NULL. */
TosstStatus tosst_learning_gram (TosstLearning *self, TosstStatus status, const float *across);

/* divided.c. Rows of all ranks on their way to the rank that adds them: `count` rows of `width` numbers, in
 * blocks of `per` rows; block b goes to rank b % size, rounded to float. */
typedef struct
{
  TosstLearning *learning;
  const double *rows;
  size_t width, per, count;
  float *sent;     /* count x width; in use until the end */
  float *received; /* (size - 1) x own rows x width: from other ranks in their order */
  TosstMessage *message;
  bool on_the_way;
} TosstExchange;

/* Begins to send; rows are free afterwards. To be ended in any case. */
TosstStatus tosst_exchange_begin (TosstExchange *self, TosstStatus status);
/* Waits for what was begun. */
TosstStatus tosst_exchange_end (TosstExchange *self, TosstStatus status);
/* Adds n received numbers, from number `first` of the own ones on, to sums. */
void tosst_exchange_add (const TosstExchange *self, size_t first, size_t n, double *sums);

/* divided-sums.c. tosst_learning_accumulate_stats() on several ranks. */
TosstStatus tosst_learning_accumulate_divided (TosstLearning *self);
/* Bytes of a tile of Y, and of those that are sent and received. */
size_t tosst_learning_divided_bytes (const TosstLayout *layout, size_t K, int size, int threads);

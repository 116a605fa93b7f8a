/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pass over all B_k on several ranks. Each updates its own blocks of atoms, one rank after the other, and sends them
 * to all others; meanwhile these add the changes of the blocks before to the residuals of their next block. So a rank that
 * is next has the changes of one block left to add.
 */
#include "engine/base/base.h"
#include "engine/learning/sweep.h"

typedef struct
{
  TosstSweep *sweep;
  size_t own;            /* the next own block, */
  size_t added, end;     /* and atoms whose changes are to be added to its residuals */
  size_t first, count;   /* block of another rank, */
  double *arrived;       /* D x RANK_COLUMNS, and its new atoms */
  TosstMessage *message; /* to each other rank */
  bool on_the_way;       /* the last own block */
} Divided;

static TosstStatus
add_task (size_t item, int worker, void *data)
{
  Divided *self = data;
  size_t D = self->sweep->learning->D, row = item * SWEEP_ROWS;
  tosst_sweep_add (self->sweep, row, D - row < SWEEP_ROWS ? D - row : SWEEP_ROWS, self->added, self->end - self->added);
  return TOSST_OK;
}

/* Adds the changes of atoms before `end` to the residuals of the next own block. */
static TosstStatus
add_ahead (Divided *self, size_t end)
{
  TosstSweep *sweep = self->sweep;
  TosstLearning *l = sweep->learning;
  size_t D = l->D, K = l->K;
  if (self->own >= K || end == self->added)
    return TOSST_OK;
  self->end = end;
  sweep->next_first = self->own;
  sweep->next_count = K - self->own < RANK_COLUMNS ? K - self->own : RANK_COLUMNS;
  TosstStatus status = tosst_parallel_work (l->context, (D + SWEEP_ROWS - 1) / SWEEP_ROWS,
                                            (double)D * (end - self->added) * sweep->next_count / 2, add_task, self);
  self->added = end;
  return status;
}

/* Begins to send an own block to all others. */
static TosstStatus
send_block (Divided *self, size_t first, size_t count)
{
  TosstLearning *l = self->sweep->learning;
  TosstRanks *ranks = l->run.ranks;
  for (int i = 1; i < ranks->size; i++)
    self->message[i - 1] = (TosstMessage){ (ranks->rank + i) % ranks->size, l->dictionary->V + first * l->D,
                                           sizeof (double) * l->D * count };
  self->own += RANK_COLUMNS * ranks->size;
  self->added = 0;
  self->on_the_way = true;
  return tosst_ranks_begin (ranks, self->message, ranks->size - 1, NULL, 0);
}

static TosstStatus
end_block (Divided *self)
{
  bool on_the_way = self->on_the_way;
  self->on_the_way = false;
  return on_the_way ? tosst_ranks_end (self->sweep->learning->run.ranks) : TOSST_OK;
}

static TosstStatus
replace_task (size_t k, int worker, void *data)
{
  Divided *self = data;
  TosstLearning *l = self->sweep->learning;
  size_t D = l->D;
  const double *arrived = self->arrived + k * D;
  double *v = l->dictionary->V + (self->first + k) * D;
  float *change = self->sweep->change + (self->first + k) * D;
  for (size_t p = 0; p < D; p++)
    change[p] = v[p] - arrived[p];
  memcpy (v, arrived, sizeof *v * D);
  return TOSST_OK;
}

static TosstStatus
receive_block (Divided *self, size_t first, size_t count)
{
  TosstLearning *l = self->sweep->learning;
  TosstRanks *ranks = l->run.ranks;
  TosstMessage in = { first / RANK_COLUMNS % ranks->size, self->arrived, sizeof (double) * l->D * count };
  self->first = first;
  TosstStatus status = tosst_ranks_transfer (ranks, NULL, 0, &in, 1);
  return status ?: tosst_parallel_work (l->context, count, (double)l->D * count, replace_task, self);
}

static TosstStatus
sweep_blocks (Divided *self)
{
  TosstLearning *l = self->sweep->learning;
  size_t K = l->K, count;
  TosstStatus status = TOSST_OK, sent = TOSST_OK;
  self->own = l->run.ranks->rank * RANK_COLUMNS;
  for (size_t first = 0; first < K && sent == TOSST_OK; first += count)
    {
      count = K - first < RANK_COLUMNS ? K - first : RANK_COLUMNS;
      status = status ?: add_ahead (self, first);
      sent = end_block (self);
      if (sent == TOSST_OK && !tosst_learning_owns (l, first))
        sent = receive_block (self, first, count);
      else if (sent == TOSST_OK)
        {
          /* The others wait for it in any case. */
          status = status ?: tosst_sweep_step (self->sweep, first, first + count);
          sent = send_block (self, first, count);
        }
    }
  return tosst_learning_sum (l, sent ?: end_block (self) ?: status, &self->sweep->gained);
}

static TosstStatus
sweep_divided (TosstSweep *sweep)
{
  TosstLearning *l = sweep->learning;
  Divided self = { .sweep = sweep,
                   .arrived = malloc (sizeof *self.arrived * l->D * RANK_COLUMNS),
                   .message = malloc (sizeof *self.message * l->run.ranks->size) };
  TosstStatus status = tosst_ranks_agree (l->run.ranks, self.arrived && self.message ? TOSST_OK : TOSST_ERROR_MEMORY);
  TOSST_THEN (status, sweep_blocks (&self));
  free (self.arrived);
  free (self.message);
  return status;
}

TosstStatus
tosst_learning_sweep_B (TosstLearning *self)
{
  TosstSweep sweep;
  TOSST_TRY (tosst_sweep_init (&sweep, self));
  TosstStatus status = self->run.ranks ? sweep_divided (&sweep) : tosst_sweep_whole (&sweep);
  self->gained = sweep.gained;
  free (sweep.work);
  return status;
}

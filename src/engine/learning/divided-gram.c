/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W V and V' W V on several ranks: each computes the columns of its own atoms. Of symmetric K x K matrices one triangle is
 * exchanged: of A_float, floats above the diagonal; of G, below it, doubles without their last 16 bits. The steps of b_k
 * subtract sums of many entries of G, for which floats would be too rough, and 2^-37 of an entry is not.
 */
#include <stdint.h>

#include "engine/base/base.h"
#include "engine/learning/divided.h"

#define CUT_BYTES 6 /* of a double without its last bits */

/* A block of columns of each rank on its way: down to the diagonal of its last one, or from that of its first one on. */
typedef struct
{
  TosstLearning *learning;
  double *G;    /* or NULL: A_float */
  size_t first; /* the first column of rank 0 */
  unsigned char *packed;
  bool out; /* the own block, else those of other ranks */
} Blocks;

static size_t
columns_of (const Blocks *self, size_t at)
{
  size_t K = self->learning->K;
  return K - at < RANK_COLUMNS ? K - at : RANK_COLUMNS;
}

/* Bytes of a column of the block that begins at column `at`. */
static size_t
column_bytes (const Blocks *self, size_t at)
{
  return self->G ? (self->learning->K - at) * CUT_BYTES : (at + columns_of (self, at)) * sizeof (float);
}

/* Rounds numbers to 48 bits, and copies these. */
static void
cut (double *column, size_t n, unsigned char *packed)
{
  for (size_t i = 0; i < n; i++)
    {
      uint64_t bits;
      memcpy (&bits, column + i, sizeof bits);
      bits = (bits + 0x8000) & ~(uint64_t)0xffff;
      memcpy (column + i, &bits, sizeof bits);
      memcpy (packed + i * CUT_BYTES, &(uint32_t){ bits >> 32 }, 4);
      memcpy (packed + i * CUT_BYTES + 4, &(uint16_t){ bits >> 16 }, 2);
    }
}

static void
restore (double *column, size_t n, const unsigned char *packed)
{
  for (size_t i = 0; i < n; i++)
    {
      uint32_t high;
      uint16_t low;
      memcpy (&high, packed + i * CUT_BYTES, sizeof high);
      memcpy (&low, packed + i * CUT_BYTES + 4, sizeof low);
      memcpy (column + i, &(uint64_t){ (uint64_t)high << 32 | (uint64_t)low << 16 }, sizeof *column);
    }
}

static TosstStatus
copy_column_task (size_t item, int worker, void *data)
{
  Blocks *self = data;
  TosstLearning *l = self->learning;
  size_t K = l->K, rank = item / RANK_COLUMNS, k = item % RANK_COLUMNS, at = self->first + rank * RANK_COLUMNS;
  if ((rank == (size_t)l->run.ranks->rank) != self->out || at >= K || k >= columns_of (self, at))
    return TOSST_OK;
  size_t bytes = column_bytes (self, at);
  unsigned char *packed = self->packed + rank * K * RANK_COLUMNS * CUT_BYTES + k * bytes;
  float *column = l->A_float + (at + k) * K;
  if (self->G && self->out)
    cut (self->G + (at + k) * K + at, K - at, packed);
  else if (self->G)
    restore (self->G + (at + k) * K + at, K - at, packed);
  else
    memcpy (self->out ? packed : (void *)column, self->out ? (void *)column : packed, bytes);
  return TOSST_OK;
}

static TosstStatus
copy_columns (Blocks *self, size_t ranks, bool out)
{
  TosstLearning *l = self->learning;
  self->out = out;
  return tosst_parallel_work (l->context, ranks * RANK_COLUMNS, (double)ranks * RANK_COLUMNS * l->K / 2,
                              copy_column_task, self);
}

/* The columns of G, or of A_float if it is NULL, of all ranks: a block of each rank at a time. */
static TosstStatus
gather_triangle (TosstLearning *self, TosstStatus status, double *G)
{
  TosstRanks *ranks = self->run.ranks;
  size_t K = self->K, block = K * RANK_COLUMNS * CUT_BYTES, size = ranks->size, rank = ranks->rank;
  unsigned char *packed = malloc (block * size);
  TosstMessage *out = malloc (sizeof *out * 2 * size), *in = out + size;
  Blocks blocks = { .learning = self, .G = G, .packed = packed };
  TosstStatus copied = TOSST_OK;
  status = tosst_ranks_agree (ranks, status ?: packed && out ? TOSST_OK : TOSST_ERROR_MEMORY);
  for (size_t first = 0; first < K && status == TOSST_OK; first += RANK_COLUMNS * size)
    {
      size_t rest = (K - first + RANK_COLUMNS - 1) / RANK_COLUMNS, senders = rest < size ? rest : size;
      int outs = 0, ins = 0;
      blocks.first = first;
      /* The others wait for this rank's blocks in any case. */
      copied = copied ?: copy_columns (&blocks, senders, true);
      for (size_t r = 0; r < senders; r++)
        {
          size_t at = first + r * RANK_COLUMNS;
          TosstMessage message = { r, packed + r * block, column_bytes (&blocks, at) * columns_of (&blocks, at) };
          if (r != rank)
            in[ins++] = message;
          for (size_t i = 1; i < size && r == rank; i++)
            {
              message.rank = (r + i) % size;
              out[outs++] = message;
            }
        }
      status = tosst_ranks_transfer (ranks, out, outs, in, ins);
      if (status == TOSST_OK)
        copied = copied ?: copy_columns (&blocks, senders, false);
    }
  free (packed);
  free (out);
  return status ?: copied;
}

/* Products of the own columns of V' W V with those before them. */
typedef struct
{
  TosstLearning *learning;
  const float *across; /* K x K, symmetric: factors of the entries; or NULL: b' b */
  double *work;        /* tosst_learning_lean_work() */
} Gram;

/* Columns of an own block to A_float, down to the diagonal of its last one. */
static TosstStatus
gram_task (size_t item, int worker, void *data)
{
  Gram *self = data;
  const TosstLearning *l = self->learning;
  size_t D = l->D, S = l->S, K = l->K, first = item * RANK_COLUMNS,
         count = K - first < RANK_COLUMNS ? K - first : RANK_COLUMNS, height = first + count;
  double *G = self->work + worker * K * LEAN_COLUMNS, *bb = G + K * RANK_COLUMNS;
  if (!tosst_learning_owns (l, first))
    return TOSST_OK;
  if (tosst_context_checkpoint (l->context))
    return TOSST_CANCELLED;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, height, count, D, 1, l->dictionary->V, D,
               l->reduction.WV + first * D, D, 0, G, K);
  if (!self->across)
    cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, height, count, S, 1, l->dictionary->b, S,
                 l->dictionary->b + first * S, S, 0, bb, K);
  for (size_t k = 0; k < count; k++)
    {
      float *column = l->A_float + (first + k) * K;
      const float *across = self->across ? self->across + (first + k) * K : NULL;
      for (size_t j = 0; j < height; j++)
        column[j] = G[k * K + j] * (across ? across[j] : bb[k * K + j]);
    }
  return TOSST_OK;
}

/* Copies what is above the diagonal of A_float to some columns below it. */
static TosstStatus
spread_task (size_t item, int worker, void *data)
{
  TosstLearning *l = data;
  size_t K = l->K, first = item * TASK_COLUMNS, end = K - first < TASK_COLUMNS ? K : first + TASK_COLUMNS;
  /* A square at a time, for what is read lies K floats apart. */
  for (size_t from = first; from < K; from += TASK_COLUMNS)
    for (size_t k = first; k < end; k++)
      for (size_t i = from > k ? from : k + 1; i < from + TASK_COLUMNS && i < K; i++)
        l->A_float[k * K + i] = l->A_float[i * K + k];
  return TOSST_OK;
}

TosstStatus
tosst_learning_gram (TosstLearning *self, TosstStatus status, const float *across)
{
  size_t K = self->K;
  if (!self->run.ranks)
    return status
               ?: tosst_reduction_gram (&self->reduction, self->context, self->dictionary, across, NULL, false,
                                        self->A_float);
  Gram gram = { self, across, tosst_learning_lean_work (self) };
  status = status
               ?: gram.work
                  ? TOSST_OK
                  : tosst_context_fail (self->context, TOSST_ERROR_MEMORY, "not enough memory to update the atoms");
  TOSST_THEN (status, tosst_parallel_work (self->context, (K + RANK_COLUMNS - 1) / RANK_COLUMNS,
                                           tosst_learning_share (self, (double)K * K * self->D / 2), gram_task, &gram));
  free (gram.work);
  status = gather_triangle (self, status, NULL);
  return status
             ?: tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS, (double)K * K, spread_task,
                                     self);
}

/* Computes some columns of W V. */
static TosstStatus
substitute_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t D = self->D, K = self->K, first = item * TASK_COLUMNS,
         count = K - first < TASK_COLUMNS ? K - first : TASK_COLUMNS;
  double *WV = self->reduction.WV + first * D;
  if (!tosst_learning_owns (self, first))
    return TOSST_OK;
  memcpy (WV, self->dictionary->V + first * D, sizeof *WV * D * count);
  for (int transposed = 0; transposed < 2; transposed++)
    cblas_dtrsm (CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, D, count,
                 1, self->reduction.L, D, WV, D);
  return TOSST_OK;
}

/* F = I + V V' / gamma = L L', from the own columns of V. Of fewer than D atoms all of it is computed sooner than it is
 * exchanged. */
TosstStatus
tosst_learning_factor (TosstLearning *self, TosstReduction *to)
{
  size_t D = self->D, own = tosst_learning_own (self);
  double gamma = self->options->problem.gamma, *V = self->packed;
  if (!tosst_learning_divides (self) || (size_t)self->K < D)
    return tosst_reduction_factor (to, self->context, self->dictionary, gamma);
  to->gamma = gamma;
  if (!isfinite (gamma))
    return TOSST_OK;
  TosstStatus status = tosst_learning_pack (self, self->dictionary->V, V);
  if (own == 0)
    memset (to->L, 0, sizeof *to->L * D * D);
  else if (status == TOSST_OK)
    status = tosst_dgemm_lower (self->context, CblasNoTrans, CblasTrans, D, own, 1 / gamma, V, D, V, D, 0, to->L, D);
  status = tosst_learning_sum_triangle (self, status, to->L, NULL, D, false);
  for (size_t i = 0; i < D && status == TOSST_OK; i++)
    to->L[i * D + i] += 1;
  return status ?: tosst_cholesky (self->context, D, to->L);
}

/* Computes the columns of an own block of G from the diagonal of its first one on. */
static TosstStatus
product_task (size_t item, int worker, void *data)
{
  TosstLearning *self = data;
  size_t D = self->D, K = self->K, first = item * RANK_COLUMNS,
         count = K - first < RANK_COLUMNS ? K - first : RANK_COLUMNS;
  if (!tosst_learning_owns (self, first))
    return TOSST_OK;
  cblas_dgemm (CblasColMajor, CblasTrans, CblasNoTrans, K - first, count, D, 1, self->dictionary->V + first * D, D,
               self->reduction.WV + first * D, D, 0, self->reduction.G + first * K + first, K);
  return TOSST_OK;
}

TosstStatus
tosst_learning_complete (TosstLearning *self)
{
  TosstReduction *to = &self->reduction;
  size_t D = self->D, K = self->K;
  TosstStatus status = TOSST_OK;
  if (!tosst_learning_divides (self))
    return tosst_reduction_complete (to, self->context, self->dictionary);
  if (!isfinite (to->gamma))
    status = tosst_copy (self->context, D * K, self->dictionary->V, to->WV);
  else
    {
      status = tosst_parallel_work (self->context, (K + TASK_COLUMNS - 1) / TASK_COLUMNS,
                                    tosst_learning_share (self, (double)D * D * K), substitute_task, self);
      status = tosst_learning_gather (self, status, to->WV, sizeof *to->WV * D);
    }
  if (status != TOSST_OK || !to->G)
    return status;
  status = tosst_parallel_work (self->context, (K + RANK_COLUMNS - 1) / RANK_COLUMNS,
                                tosst_learning_share (self, (double)K * K * D / 2), product_task, self);
  return gather_triangle (self, status, to->G);
}

TosstStatus
tosst_learning_reduce (TosstLearning *self)
{
  return tosst_learning_factor (self, &self->reduction) ?: tosst_learning_complete (self);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sum Y_k = sum_n alpha_k^n X_n over tensors, and sum_n ||alpha^n||_1. Most codes are zero: of N K products only
 * those of non-zero codes are made. Atom by atom, a tile of Y_k stays in registers while the tensors that use the atom
 * pass by; tiles are as wide as a piece of the tensors fits the second cache. Where codes are dense a matrix product is
 * faster, and is taken.
 *
 * Sums run in float32 over a piece of tensors, pieces add up in float64. Neither depends on the number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "dictionary/state.h"
#include "simd/kernels.h"

#define PIECE 2048           /* tensors that are summed in float32 */
#define WIDTH 128            /* packed entries in a tile; a multiple of TOSST_GRAIN */
#define DENSE_WIDTH 512      /* of a matrix product */
#define DENSE_FROM (1.0 / 4) /* part of non-zero codes from which matrix products are faster */

typedef struct
{
  TosstLearning *learning;
  size_t pieces;
  size_t *start;   /* pieces x (K + 1): where the non-zero codes of an atom begin among all */
  int32_t *offset; /* of each non-zero code: place of its tensor in a tile */
  float *value;
  double *l1;     /* pieces */
  float **tile;   /* per worker: PIECE x WIDTH, 64-byte aligned */
  float **sum;    /* per worker: WIDTH, aligned; or K x DENSE_WIDTH */
} Weigh;

static size_t
piece_length (const Weigh *self, size_t piece)
{
  size_t left = self->learning->n - piece * PIECE;
  return left < PIECE ? left : PIECE;
}

/* How often each atom of a piece is used: start[k + 1] for now. */
static TosstStatus
count_task (size_t piece, int worker, void *data)
{
  Weigh *self = data;
  size_t K = self->learning->K, count = piece_length (self, piece);
  const float *code = self->learning->codes + piece * PIECE * K;
  size_t *used = self->start + piece * (K + 1);
  double l1 = 0;
  memset (used, 0, sizeof *used * (K + 1));
  for (size_t i = 0; i < count; i++, code += K)
    for (size_t k = 0; k < K; k++)
      {
        used[k + 1] += code[k] != 0;
        l1 += fabsf (code[k]);
      }
  self->l1[piece] = l1;
  return TOSST_OK;
}

/* From counts to places; how many there are in all. */
static size_t
place (Weigh *self)
{
  size_t K = self->learning->K, total = 0;
  for (size_t piece = 0; piece < self->pieces; piece++)
    {
      size_t *start = self->start + piece * (K + 1);
      start[0] = total;
      for (size_t k = 0; k < K; k++)
        start[k + 1] += start[k];
      total = start[K];
    }
  return total;
}

/* The non-zero codes of a piece, atom by atom. */
static TosstStatus
list_task (size_t piece, int worker, void *data)
{
  Weigh *self = data;
  size_t K = self->learning->K, count = piece_length (self, piece);
  const float *code = self->learning->codes + piece * PIECE * K;
  size_t *next = self->start + piece * (K + 1), first = next[0];
  for (size_t i = 0; i < count; i++, code += K)
    for (size_t k = 0; k < K; k++)
      if (code[k] != 0)
        {
          self->offset[next[k]] = (int32_t)(i * WIDTH);
          self->value[next[k]++] = code[k];
        }
  /* Each start has moved on to where the next atom's begin. */
  memmove (next + 1, next, sizeof *next * K);
  next[0] = first;
  return TOSST_OK;
}

/* What stays of an older sum, plus news. */
static void
add_up (const TosstLearning *learning, bool is_first, const float *news, size_t width, double *out)
{
  double keep = is_first ? learning->keep : 1;
  if (keep > 0)
    for (size_t t = 0; t < width; t++)
      out[t] = keep * out[t] + news[t];
  else
    for (size_t t = 0; t < width; t++)
      out[t] = news[t];
}

/* A tile's columns of all Y_k. */
static TosstStatus
sparse_task (size_t item, int worker, void *data)
{
  Weigh *self = data;
  const TosstLearning *l = self->learning;
  size_t m = l->layout->m, K = l->K, t0 = item * WIDTH, width = m - t0 < WIDTH ? m - t0 : WIDTH;
  float *tile = self->tile[worker], *sum = self->sum[worker];
  for (size_t piece = 0; piece < self->pieces; piece++)
    {
      const float *tensors = l->tensors + piece * PIECE * m + t0;
      const size_t *start = self->start + piece * (K + 1);
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      for (size_t i = 0; i < piece_length (self, piece); i++)
        memcpy (tile + i * WIDTH, tensors + i * m, sizeof *tile * width);
      for (size_t k = 0; k < K; k++)
        {
          tosst_kernels ()->product_float (self->value + start[k], 0, 1, 1, tile, self->offset + start[k],
                                           (int)(start[k + 1] - start[k]), WIDTH, sum, WIDTH, false);
          add_up (l, piece == 0, sum, width, l->Y + k * m + t0);
        }
    }
  return TOSST_OK;
}

static TosstStatus
dense_task (size_t item, int worker, void *data)
{
  Weigh *self = data;
  const TosstLearning *l = self->learning;
  size_t m = l->layout->m, K = l->K, t0 = item * DENSE_WIDTH, width = m - t0 < DENSE_WIDTH ? m - t0 : DENSE_WIDTH;
  float *sum = self->sum[worker];
  for (size_t piece = 0; piece < self->pieces; piece++)
    {
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      cblas_sgemm (CblasColMajor, CblasNoTrans, CblasTrans, width, K, piece_length (self, piece), 1,
                   l->tensors + piece * PIECE * m + t0, m, l->codes + piece * PIECE * K, K, 0, sum, width);
      for (size_t k = 0; k < K; k++)
        add_up (l, piece == 0, sum + k * width, width, l->Y + k * m + t0);
    }
  return TOSST_OK;
}

/* A buffer of so many floats for each worker, each 64-byte aligned. */
static float *
per_worker (int threads, size_t length, float **worker)
{
  size_t stride = (length + TOSST_GRAIN - 1) / TOSST_GRAIN * TOSST_GRAIN;
  float *block = aligned_alloc (64, sizeof *block * stride * threads);
  for (int i = 0; block && i < threads; i++)
    worker[i] = block + stride * i;
  return block;
}

static TosstStatus
out_of_memory (const TosstLearning *learning)
{
  return tosst_context_fail (learning->context, TOSST_ERROR_MEMORY, "not enough memory to learn %d atoms", learning->K);
}

static TosstStatus
weigh_dense (Weigh *self)
{
  TosstLearning *l = self->learning;
  int threads = tosst_context_threads (l->context);
  float *sum[threads], *block = per_worker (threads, (size_t)l->K * DENSE_WIDTH, sum);
  if (!block)
    return out_of_memory (l);
  self->sum = sum;
  TosstStatus status
      = tosst_parallel (l->context, (l->layout->m + DENSE_WIDTH - 1) / DENSE_WIDTH, dense_task, self, 0, 1);
  free (block);
  return status;
}

static TosstStatus
weigh_sparse (Weigh *self, size_t nonzeros)
{
  TosstLearning *l = self->learning;
  int threads = tosst_context_threads (l->context);
  float *tile[threads], *sum[threads];
  float *tiles = per_worker (threads, (size_t)PIECE * WIDTH, tile), *sums = per_worker (threads, WIDTH, sum);
  self->offset = malloc (sizeof *self->offset * (nonzeros + 1));
  self->value = malloc (sizeof *self->value * (nonzeros + 1));
  self->tile = tile;
  self->sum = sum;
  TosstStatus status = tiles && sums && self->offset && self->value ? TOSST_OK : out_of_memory (l);
  if (status == TOSST_OK)
    {
      /* The last tile is not filled to its end. */
      memset (tiles, 0, sizeof *tiles * PIECE * WIDTH * threads);
      status = tosst_parallel (l->context, self->pieces, list_task, self, 0, 0);
    }
  if (status == TOSST_OK)
    status = tosst_parallel (l->context, (l->layout->m + WIDTH - 1) / WIDTH, sparse_task, self, 0, 1);
  free (tiles);
  free (sums);
  free (self->offset);
  free (self->value);
  return status;
}

TosstStatus
tosst_learning_weigh (TosstLearning *learning)
{
  size_t n = learning->n, K = learning->K;
  Weigh self = { .learning = learning, .pieces = (n + PIECE - 1) / PIECE };
  self.start = malloc (sizeof *self.start * self.pieces * (K + 1));
  self.l1 = malloc (sizeof *self.l1 * self.pieces);
  TosstStatus status = self.start && self.l1 ? TOSST_OK : out_of_memory (learning);
  if (status == TOSST_OK)
    status = tosst_parallel (learning->context, self.pieces, count_task, &self, 0, 0);
  if (status == TOSST_OK)
    {
      double l1 = learning->keep > 0 ? learning->keep * learning->l1 : 0;
      for (size_t piece = 0; piece < self.pieces; piece++)
        l1 += self.l1[piece];
      size_t nonzeros = place (&self);
      status = (double)nonzeros < DENSE_FROM * n * K ? weigh_sparse (&self, nonzeros) : weigh_dense (&self);
      if (status == TOSST_OK)
        learning->l1 = l1;
    }
  free (self.start);
  free (self.l1);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sums Y_k = sum_n alpha_k^n X_n and P_k = sum_n alpha_k^n alpha^n over tensors, and sum_n ||alpha^n||_1. Codes
 * are sparse: of n K products with a row only those of non-zero codes are computed. For each tile of the rows'
 * entries, chunks of rows that fit the first-level cache are added to the sums of all atoms, which fit the
 * second-level cache. For dense codes a matrix product is faster and is used instead.
 *
 * Sums are accumulated in float32 over a piece of tensors and in float64 over pieces, next to the tile: Y exceeds
 * the caches and is written once. The next rows are prefetched meanwhile. The result does not depend on the number
 * of threads.
 */
#include "engine/learning/accumulate.h"
#include "engine/base/base.h"
#include "engine/learning/tuning.h"
#include "engine/simd/kernels.h"

static size_t
at_most (size_t first, size_t end, size_t length)
{
  return end - first < length ? end - first : length;
}

/* Counts the uses of each atom in a chunk: counts in start[k + 1], which become offsets. */
static TosstStatus
count_task (size_t chunk, int worker, void *data)
{
  TosstAccumulation *self = data;
  size_t K = self->learning->K, first = chunk * CHUNK, count = at_most (first, self->learning->n, CHUNK);
  const float *code = self->learning->codes + first * K;
  uint32_t *used = self->start + chunk * (K + 1);
  double l1 = 0;
  memset (used, 0, sizeof *used * (K + 1));
  for (size_t i = 0; i < count; i++, code += K)
    {
      float sum = 0;
      for (size_t k = 0; k < K; k++)
        used[k + 1] += code[k] != 0;
#pragma omp simd reduction(+ : sum)
      for (size_t k = 0; k < K; k++)
        sum += fabsf (code[k]);
      l1 += sum;
    }
  self->l1[chunk] = l1;
  return TOSST_OK;
}

/* Chooses the lengths of pieces and chunks by density, and converts counts to offsets. */
static void
place (TosstAccumulation *self, size_t nonzeros)
{
  size_t K = self->learning->K, n = self->learning->n, merged = 1;
  self->piece = PIECE;
  while (self->piece < n && (double)nonzeros * self->piece < (double)ADDENDS * n * K)
    self->piece *= 2;
  while (merged * CHUNK < PIECE && (double)nonzeros * merged * CHUNK < (double)CHUNK_USES * n * K)
    merged *= 2;
  self->chunk = merged * CHUNK;
  self->chunks = (n + self->chunk - 1) / self->chunk;
  size_t fine = (n + CHUNK - 1) / CHUNK;
  self->base[0] = 0;
  for (size_t c = 0; c < self->chunks; c++)
    {
      uint32_t *start = self->start + c * (K + 1);
      memmove (start, self->start + c * merged * (K + 1), sizeof *start * (K + 1));
      for (size_t other = c * merged + 1; other < (c + 1) * merged && other < fine; other++)
        for (size_t k = 1; k <= K; k++)
          start[k] += self->start[other * (K + 1) + k];
      for (size_t k = 0; k < K; k++)
        start[k + 1] += start[k];
      self->base[c + 1] = self->base[c] + start[K];
    }
}

/* Lists the non-zeros of some codes and returns their number. Branch-free, because branches would be mispredicted
 * for every other code. */
static int
list_used (const float *code, size_t count, uint16_t *used)
{
  int n = 0;
  for (size_t k = 0; k < count; k++)
    {
      used[n] = k;
      n += code[k] != 0;
    }
  return n;
}

/* Lists the non-zero codes of a chunk, atom by atom. */
static TosstStatus
list_task (size_t chunk, int worker, void *data)
{
  TosstAccumulation *self = data;
  size_t K = self->learning->K, first = chunk * self->chunk, count = at_most (first, self->learning->n, self->chunk);
  const float *codes = self->learning->codes + first * K;
  uint32_t *next = self->start + chunk * (K + 1);
  uint16_t *row = self->row + self->base[chunk];
  float *value = self->value + self->base[chunk];
  for (size_t i = 0; i < count; i++)
    for (size_t from = 0; from < K; from += GLANCE_CODES)
      {
        uint16_t used[GLANCE_CODES];
        const float *code = codes + i * K + from;
        int n = list_used (code, at_most (from, K, GLANCE_CODES), used);
        for (int j = 0; j < n; j++)
          {
            uint32_t at = next[from + used[j]]++;
            row[at] = i;
            value[at] = code[used[j]];
          }
      }
  /* Each start has advanced to that of the next atom. */
  memmove (next + 1, next, sizeof *next * K);
  next[0] = 0;
  return TOSST_OK;
}

/* out = new sum plus keep times the older sum. */
static void
add_up (double keep, const double *older, const float *news, size_t width, double *out)
{
  if (keep > 0)
    for (size_t t = 0; t < width; t++)
      out[t] = keep * older[t] + news[t];
  else
    for (size_t t = 0; t < width; t++)
      out[t] = news[t];
}

/* Adds a piece of a tile's columns to those of previous pieces; the last piece writes the totals to column `at`. */
static void
close_piece (const TosstAccumulation *self, size_t atoms, size_t width, bool is_first, bool is_last, const float *sum,
             size_t at, double *total)
{
  for (size_t k = 0; k < atoms; k++)
    {
      double *beside = total + k * TOSST_TILE_COLUMNS, *there = self->out ? self->out + k * self->stride + at : NULL;
      add_up (is_first ? self->learning->keep : 1, is_first ? there : beside, sum + k * TOSST_TILE_COLUMNS, width,
              is_last && there ? there : beside);
      for (size_t t = 0; is_last && !there && t < width; t++)
        self->out_float[k * self->stride + at + t] = beside[t];
    }
}

static size_t
tiles_of (const TosstAccumulation *self)
{
  return (self->end - self->from + TOSST_TILE_COLUMNS - 1) / TOSST_TILE_COLUMNS;
}

/* Copies a tile's columns of part i of n of some rows. */
static void
fetch (const float *rows, size_t length, size_t width, size_t count, size_t i, size_t n)
{
  for (size_t r = count * i / n; r < count * (i + 1) / n; r++)
    for (size_t t = 0; t < width + TOSST_GRAIN; t += 64 / sizeof *rows)
      __builtin_prefetch (rows + r * length + (t < width ? t : width - 1), 0, 2);
}

/* Adds the rows of a chunk, in the tile, to the sums; prefetches the next rows. */
static void
accumulate_chunk (const TosstAccumulation *self, size_t first, size_t t0, size_t width, size_t atoms, const float *tile,
                  float *sum)
{
  size_t chunk = first / self->chunk, K = self->learning->K, next = first + self->chunk, n = self->learning->n;
  size_t base = self->base[chunk], count = next < n ? at_most (next, n, self->chunk) : 0;
  const uint32_t *start = self->start + chunk * (K + 1);
  for (size_t k = 0; k < atoms; k += FETCHED_ATOMS)
    {
      fetch (self->rows + next * self->length + t0, self->length, width, count, k / FETCHED_ATOMS,
             (atoms + FETCHED_ATOMS - 1) / FETCHED_ATOMS);
      tosst_kernels ()->accumulate_rows (self->value + base, self->row + base, start + k,
                                         at_most (k, atoms, FETCHED_ATOMS), tile, sum + k * TOSST_TILE_COLUMNS,
                                         first % self->piece != 0);
    }
}

/* Computes a tile's columns of all sums; for symmetric ones the last tile, which needs most atoms, comes first. */
static TosstStatus
sparse_task (size_t item, int worker, void *data)
{
  TosstAccumulation *self = data;
  const TosstLearning *l = self->learning;
  const size_t side = TOSST_TILE_COLUMNS;
  size_t length = self->length, t0 = self->from + (self->is_symmetric ? tiles_of (self) - 1 - item : item) * side;
  size_t width = at_most (t0, self->end, side), atoms = self->is_symmetric ? t0 + width : (size_t)l->K;
  float *tile = self->tile[worker], *sum = self->sum[worker];
  double *total = self->total + worker * l->K * side;
  for (size_t first = 0; first < l->n; first += self->chunk)
    {
      size_t end = first + self->chunk;
      const float *rows = self->rows + first * length + t0;
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      for (size_t i = 0; i < at_most (first, l->n, self->chunk); i++)
        memcpy (tile + i * side, rows + i * length, sizeof *tile * width);
      accumulate_chunk (self, first, t0, width, atoms, tile, sum);
      if (end % self->piece == 0 || end >= l->n)
        close_piece (self, atoms, width, first < self->piece, end >= l->n, sum, t0 - self->from, total);
    }
  return TOSST_OK;
}

/* Computes columns of Y. */
static TosstStatus
dense_task (size_t item, int worker, void *data)
{
  TosstAccumulation *self = data;
  const TosstLearning *l = self->learning;
  size_t m = self->length, K = l->K, t0 = self->from + item * DENSE_WIDTH, width = at_most (t0, self->end, DENSE_WIDTH);
  float *sum = self->sum[worker];
  for (size_t n = 0; n < l->n; n += PIECE)
    {
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      cblas_sgemm (CblasColMajor, CblasNoTrans, CblasTrans, width, K, at_most (n, l->n, PIECE), 1,
                   self->rows + n * m + t0, m, l->codes + n * K, K, 0, sum, width);
      for (size_t k = 0; k < K; k++)
        {
          double *out = self->out + k * self->stride + t0 - self->from;
          add_up (n == 0 ? l->keep : 1, out, sum + k * width, width, out);
        }
    }
  return TOSST_OK;
}

/* Computes columns k0 .. of P, lower part. */
static TosstStatus
dense_square_task (size_t item, int worker, void *data)
{
  TosstAccumulation *self = data;
  const TosstLearning *l = self->learning;
  size_t K = l->K, k0 = item * DENSE_COLUMNS, width = at_most (k0, K, DENSE_COLUMNS), height = K - k0;
  float *sum = self->sum[worker];
  for (size_t n = 0; n < l->n; n += PIECE)
    {
      const float *codes = l->codes + n * K + k0;
      if (tosst_context_checkpoint (l->context))
        return TOSST_CANCELLED;
      cblas_sgemm (CblasColMajor, CblasNoTrans, CblasTrans, height, width, at_most (n, l->n, PIECE), 1, codes, K, codes,
                   K, 0, sum, height);
      for (size_t k = 0; k < width; k++)
        if (self->out)
          {
            double *out = self->out + (k0 + k) * K + k0;
            add_up (n == 0 ? l->keep : 1, out, sum + k * height, height, out);
          }
        else
          for (size_t t = 0; t < height; t++)
            {
              float *out = self->out_float + (k0 + k) * K + k0 + t;
              *out = n == 0 ? sum[k * height + t] : *out + sum[k * height + t];
            }
    }
  return TOSST_OK;
}

/* Allocates a buffer of floats for each worker, 64-byte aligned and zeroed. */
static float *
per_worker (int threads, size_t length, float **worker)
{
  size_t stride = tosst_grain (length);
  float *block = aligned_alloc (64, sizeof *block * stride * threads);
  for (int i = 0; block && i < threads; i++)
    worker[i] = memset (block + stride * i, 0, sizeof *block * stride);
  return block;
}

static TosstStatus
out_of_memory (const TosstLearning *learning)
{
  return tosst_context_fail (learning->context, TOSST_ERROR_MEMORY, "not enough memory to learn %d atoms", learning->K);
}

/* Allocates what the products of dense codes need, or the lists of non-zero codes and what their sums need. */
static TosstStatus
prepare_dense (TosstAccumulation *self)
{
  TosstLearning *l = self->learning;
  size_t width = DENSE_WIDTH > DENSE_COLUMNS ? DENSE_WIDTH : DENSE_COLUMNS;
  int threads = tosst_context_threads (l->context);
  self->sum = tosst_keep (&self->memory, malloc (sizeof *self->sum * threads));
  bool fine = self->sum && tosst_keep (&self->memory, per_worker (threads, l->K * width, self->sum));
  return fine ? TOSST_OK : out_of_memory (l);
}

static TosstStatus
prepare_sparse (TosstAccumulation *self)
{
  TosstLearning *l = self->learning;
  TosstMemory *memory = &self->memory;
  int threads = tosst_context_threads (l->context);
  place (self, self->nonzeros);
  self->row = tosst_keep (memory, malloc (sizeof *self->row * (self->nonzeros + 1)));
  self->value = tosst_keep (memory, malloc (sizeof *self->value * (self->nonzeros + 1)));
  self->total = tosst_keep (memory, malloc (sizeof *self->total * threads * l->K * TOSST_TILE_COLUMNS));
  self->tile = tosst_keep (memory, malloc (sizeof *self->tile * threads));
  self->sum = tosst_keep (memory, malloc (sizeof *self->sum * threads));
  bool fine = !memory->failed && tosst_keep (memory, per_worker (threads, self->chunk * TOSST_TILE_COLUMNS, self->tile))
              && tosst_keep (memory, per_worker (threads, (size_t)l->K * TOSST_TILE_COLUMNS, self->sum));
  return fine ? tosst_parallel_work (l->context, self->chunks, (double)l->n * l->K, list_task, self)
              : out_of_memory (l);
}

TosstStatus
tosst_accumulation_init (TosstAccumulation *self, TosstLearning *learning)
{
  size_t n = learning->n, K = learning->K;
  *self = (TosstAccumulation){ .learning = learning, .chunk = CHUNK, .chunks = (n + CHUNK - 1) / CHUNK };
  self->start = tosst_keep (&self->memory, malloc (sizeof *self->start * self->chunks * (K + 1)));
  self->base = tosst_keep (&self->memory, malloc (sizeof *self->base * (self->chunks + 1)));
  self->l1 = tosst_keep (&self->memory, malloc (sizeof *self->l1 * self->chunks));
  TOSST_TRY (self->memory.failed
                 ? out_of_memory (learning)
                 : tosst_parallel_work (learning->context, self->chunks, (double)n * K, count_task, self));
  self->sum_l1 = learning->keep > 0 ? learning->keep * learning->l1 : 0;
  for (size_t chunk = 0; chunk < self->chunks; chunk++)
    {
      self->sum_l1 += self->l1[chunk];
      for (size_t k = 1; k <= K; k++)
        self->nonzeros += self->start[chunk * (K + 1) + k];
    }
  self->is_dense = (double)self->nonzeros >= (learning->is_lean ? LEAN_DENSE_FROM : DENSE_FROM) * n * K;
  return self->is_dense ? prepare_dense (self) : prepare_sparse (self);
}

void
tosst_accumulation_clear (TosstAccumulation *self)
{
  tosst_release (&self->memory);
}

TosstStatus
tosst_accumulation_add_Y (TosstAccumulation *self, size_t from, size_t end, double *out)
{
  TosstLearning *l = self->learning;
  self->rows = l->tensors;
  self->length = l->layout->m;
  self->from = from;
  self->end = end;
  self->out = out;
  self->stride = end - from;
  self->is_symmetric = false;
  return self->is_dense
             ? tosst_parallel (l->context, (end - from + DENSE_WIDTH - 1) / DENSE_WIDTH, dense_task, self, 0, 1)
             : tosst_parallel (l->context, tiles_of (self), sparse_task, self, 0, 1);
}

TosstStatus
tosst_accumulation_add_P (TosstAccumulation *self)
{
  TosstLearning *l = self->learning;
  self->rows = l->codes;
  self->length = self->stride = self->end = l->K;
  self->from = 0;
  self->out = l->P;
  self->out_float = l->P_float;
  self->is_symmetric = true;
  return self->is_dense
             ? tosst_parallel (l->context, (self->length + DENSE_COLUMNS - 1) / DENSE_COLUMNS, dense_square_task, self,
                               0, 0)
             : tosst_parallel_work (l->context, tiles_of (self), (double)self->nonzeros * l->K / 2, sparse_task, self);
}

TosstStatus
tosst_learning_accumulate_whole (TosstLearning *learning)
{
  if (tosst_learning_is_small (learning))
    {
      tosst_learning_accumulate_stats_f64 (learning);
      return TOSST_OK;
    }
  TosstAccumulation self;
  TosstStatus status = tosst_accumulation_init (&self, learning);
  TOSST_THEN (status, tosst_accumulation_add_Y (&self, 0, learning->layout->m, learning->Y));
  tosst_learning_lap (learning, TOSST_LEARN_Y);
  TOSST_THEN (status, tosst_accumulation_add_P (&self));
  if (status == TOSST_OK)
    learning->l1 = self.sum_l1;
  TOSST_THEN (status, tosst_mirror (learning->context, learning->K, learning->P, learning->K));
  tosst_learning_lap (learning, TOSST_LEARN_P);
  tosst_accumulation_clear (&self);
  return status;
}

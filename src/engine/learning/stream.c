/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Batches of a stream of tensors, and its scale.
 */
#include "engine/base/base.h"
#include "engine/learning/tuning.h"
#include "tosst/context.h"
#include "tosst/dictionary.h"
#include "tosst/learn.h"

/* First random stream of the seed for the order of epochs. */
#define STREAM_ORDER 0x65706f6300000000

void
tosst_batches_init (TosstBatches *self, size_t n, size_t m, size_t batch, uint64_t seed)
{
  size_t longest = batch / RUNS_PER_BATCH, run = RUN_BYTES / (sizeof (float) * m);
  run = run > longest ? longest : run;
  if (batch >= n)
    run = n;
  *self = (TosstBatches){ .n = n, .run = run < 1 ? 1 : run, .seed = seed };
  self->runs = (n + self->run - 1) / self->run;
  size_t per_batch = batch / self->run;
  self->batches = (self->runs + per_batch - 1) / per_batch;
  self->most = (self->runs + self->batches - 1) / self->batches * self->run;
}

/* Image of i in the permutation of 0 .. n - 1 given by key, without a table: four rounds of a Feistel network on the
 * smallest sufficient even number of bits, repeated until the result is below n. */
static size_t
permute (const uint64_t key[4], size_t n, size_t i)
{
  int half = 1;
  while (half < 31 && (uint64_t)1 << 2 * half < n)
    half++;
  uint64_t mask = ((uint64_t)1 << half) - 1, x = i;
  do
    for (int round = 0; round < 4; round++)
      {
        uint64_t left = x >> half, right = x & mask, z = (right + 1) * 0x9e3779b97f4a7c15 + key[round];
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        x = right << half | ((left ^ z ^ z >> 31) & mask);
      }
  while (x >= n);
  return x;
}

static int
compare (const void *a, const void *b)
{
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* Rows first .. end - 1 of a batch of `rows` rows. */
typedef struct
{
  size_t first, end;
} Part;

/* Reads those of n rows of the stream that are in the part; at: of the batch so far. */
static TosstStatus
read_part (const TosstStream *stream, size_t m, size_t row, size_t n, size_t at, Part part, float *out, size_t *count)
{
  size_t first = at < part.first ? part.first : at, end = at + n < part.end ? at + n : part.end;
  if (first >= end)
    return TOSST_OK;
  size_t offset = *count * m;
  *count += end - first;
  return stream->read (row + first - at, end - first, out + offset, stream->user_data);
}

TosstStatus
tosst_batches_read (const TosstBatches *self, const TosstStream *stream, size_t m, size_t step, size_t *order,
                    float *out, size_t *count)
{
  return tosst_batches_read_part (self, stream, m, step, 0, 1, order, out, count);
}

TosstStatus
tosst_batches_read_part (const TosstBatches *self, const TosstStream *stream, size_t m, size_t step, int index,
                         int parts, size_t *order, float *out, size_t *count)
{
  TOSST_REQUIRE (NULL, self && stream && order && out && count);
  size_t epoch = step / self->batches, batch = step % self->batches;
  size_t first = self->runs * batch / self->batches, runs = self->runs * (batch + 1) / self->batches - first;
  TosstRandom random;
  uint64_t key[4];
  tosst_random_init (&random, self->seed, STREAM_ORDER + epoch);
  for (int i = 0; i < 4; i++)
    key[i] = tosst_random_next (&random);
  for (size_t i = 0; i < runs; i++)
    order[i] = permute (key, self->runs, first + i);
  qsort (order, runs, sizeof *order, compare);

  size_t all = 0, at = 0;
  for (size_t i = 0; i < runs; i++)
    all += order[i] + 1 < self->runs ? self->run : self->n - order[i] * self->run;
  Part part = { all * index / parts, all * (index + 1) / parts };
  *count = 0;
  for (size_t i = 0, next; i < runs; i = next)
    {
      for (next = i + 1; next < runs && order[next] == order[next - 1] + 1;)
        next++;
      size_t row = order[i] * self->run, end = (order[next - 1] + 1) * self->run,
             rows = (end < self->n ? end : self->n) - row;
      TOSST_TRY (read_part (stream, m, row, rows, at, part, out, count));
      at += rows;
    }
  return TOSST_OK;
}

TosstStatus
tosst_tensor_scale (TosstContext *context, double squares, size_t n, double *scale)
{
  TOSST_REQUIRE (context, context && scale);
  *scale = sqrt (squares / n);
  if (!(squares > 0))
    return tosst_context_fail (context, TOSST_ERROR_NUMERIC, "all tensors are zero or too small to be scaled");
  if (*scale > TOSST_LARGEST || *scale < 1 / TOSST_LARGEST)
    return tosst_context_fail (
        context, TOSST_ERROR_NUMERIC,
        "the tensors have a mean size of %.3g, which is not between %.0e and %.0e: scale all of them", *scale,
        1 / TOSST_LARGEST, TOSST_LARGEST);
  return TOSST_OK;
}

TosstStatus
tosst_stream_squares (TosstContext *context, const TosstLayout *layout, const TosstStream *stream, size_t start,
                      size_t end, double *squares)
{
  TOSST_REQUIRE (context, context && layout && stream && squares);
  size_t m = layout->m, piece = SCALE_BYTES / (sizeof (float) * m) + 1;
  double *multiplicity = calloc (m, sizeof *multiplicity), sum = 0;
  float *tensors = malloc (sizeof *tensors * piece * m);
  TosstStatus status = TOSST_OK;
  if (!multiplicity || !tensors)
    status = tosst_context_fail (context, TOSST_ERROR_MEMORY, "not enough memory to read tensors");
  else
    for (size_t s = 0; s < (size_t)layout->S; s++)
      for (size_t p = 0; p < (size_t)layout->D; p++)
        multiplicity[layout->index[s * layout->D + p]] += layout->weight[p] * layout->weight[p];
  for (size_t first = start; first < end && status == TOSST_OK; first += piece)
    {
      size_t count = end - first < piece ? end - first : piece;
      status = tosst_context_checkpoint (context) ? TOSST_CANCELLED
                                                  : stream->read (first, count, tensors, stream->user_data);
      if (status == TOSST_OK)
        {
          double some = 0;
          for (size_t i = 0; i < count; i++)
            for (size_t t = 0; t < m; t++)
              some += multiplicity[t] * tensors[i * m + t] * tensors[i * m + t];
          sum += some;
        }
      if (status == TOSST_OK && !isfinite (sum))
        status = tosst_context_fail (context, TOSST_ERROR_NUMERIC, "the tensors hold NaN or infinity");
    }
  *squares = sum;
  free (multiplicity);
  free (tensors);
  return status;
}

TosstStatus
tosst_stream_scale (TosstContext *context, const TosstLayout *layout, const TosstStream *stream, double *scale)
{
  TOSST_REQUIRE (context, context && layout && stream && scale);
  double squares;
  TosstStatus status = tosst_stream_squares (context, layout, stream, 0, stream->n, &squares);
  return status ?: tosst_tensor_scale (context, squares, stream->n, scale);
}

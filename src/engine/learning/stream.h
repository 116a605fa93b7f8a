/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors read in blocks instead of stored in memory: rows of a file, or computed on demand.
 */
#pragma once

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* Writes tensors first .. first + count - 1 to out (count x m float32, unscaled packed entries). Repeated reads of a
 * row give the same values. Called on the thread that made the engine call, never concurrently, and outside parallel
 * loops of the engine, so it may use the same context. A status other than TOSST_OK ends the engine call and is
 * returned. */
typedef TosstStatus (*TosstTensorSource) (size_t first, size_t count, float *out, void *user_data);

typedef struct
{
  TosstTensorSource read;
  void *user_data;
  size_t n; /* number of tensors */
} TosstStream;

/* Computes the RMS norm of a tensor, sqrt (sum_n ||X_n||_F^2 / n), by which tensors are divided before coding;
 * squares is the sum. Returns TOSST_ERROR_NUMERIC if all tensors are zero, or the norm is outside the range of a
 * dictionary's scale. */
TosstStatus tosst_tensor_scale (TosstContext *context, double squares, size_t n, double *scale);
/* tosst_tensor_scale() for a stream, read once in order. Also fails for NaN and infinity. */
TosstStatus tosst_stream_scale (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                double *scale);

/* Partition of a stream into batches, in a new random order for each epoch. Runs of neighbouring rows are shuffled:
 * long enough for sequential read speed, short enough that every batch has rows from many places. No list of rows is
 * stored. */
typedef struct
{
  size_t n;   /* number of tensors */
  size_t run; /* tensors per run; the last one may be shorter */
  size_t runs;
  size_t batches; /* batches per epoch */
  size_t most;    /* maximum number of tensors per batch */
  uint64_t seed;
} TosstBatches;

void tosst_batches_init (TosstBatches *self, size_t n, size_t m, size_t batch, uint64_t seed);
/* Reads batch number step (0, 1, ...; an epoch has `batches` batches and contains every tensor once) to out, rows
 * ascending; *count receives the number of tensors. order: most / run elements, scratch. */
TosstStatus tosst_batches_read (const TosstBatches *self, const TosstStream *stream, size_t m, size_t step,
                                size_t *order, float *out, size_t *count);

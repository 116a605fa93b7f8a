/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tensors read in blocks instead of held in memory: rows of a file, or computed on demand.
 */
#pragma once

#include "engine/base/context.h"
#include "engine/tensor/layout.h"

/* Writes tensors first .. first + count - 1 to out (count x m float32, unscaled packed entries). The same row gives the
 * same numbers every time. Called on the thread that made the engine call, never concurrently, between the engine's own
 * parallel work, so it may use the same context. Anything but TOSST_OK ends the engine call with that status. */
typedef TosstStatus (*TosstTensorSource) (size_t first, size_t count, float *out, void *user_data);

typedef struct
{
  TosstTensorSource read;
  void *user_data;
  size_t n; /* tensors in all */
} TosstStream;

/* The RMS norm of a tensor, sqrt (sum_n ||X_n||_F^2 / n), by which tensors are divided before coding; squares is
 * the sum. TOSST_ERROR_NUMERIC where all tensors are zero, or the norm is outside the range of a dictionary's scale. */
TosstStatus tosst_tensor_scale (TosstContext *context, double squares, size_t n, double *scale);
/* The same for a stream, read once in order. Fails on NaN and infinity, too. */
TosstStatus tosst_stream_scale (TosstContext *context, const TosstLayout *layout, const TosstStream *stream,
                                double *scale);

/* A stream cut into batches, in an order drawn anew for each epoch. What is shuffled are runs of neighbouring rows:
 * long enough that a disk reads them as fast as all at once, short enough that every batch has rows from many places.
 * No list of rows is held. */
typedef struct
{
  size_t n;   /* tensors */
  size_t run; /* tensors in a run; the last one may be shorter */
  size_t runs;
  size_t batches; /* in an epoch */
  size_t most;    /* tensors in a batch at most */
  uint64_t seed;
} TosstBatches;

void tosst_batches_init (TosstBatches *self, size_t n, size_t m, size_t batch, uint64_t seed);
/* Reads batch number step (0, 1, ...; an epoch has `batches` of them and holds every tensor once) to out, rows
 * ascending; *count receives their number. order: most / run numbers, scratch. */
TosstStatus tosst_batches_read (const TosstBatches *self, const TosstStream *stream, size_t m, size_t step,
                                size_t *order, float *out, size_t *count);

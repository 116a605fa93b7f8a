/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pools every window of side x side patches; neighbouring windows share nearly all of their patches. Running sums,
 * adding the patch that enters and subtracting the one that leaves, are possible for averages only, and leave rounding
 * errors where an atom is absent, which a small power (power normalisation) amplifies; they do not work for maxima.
 * Therefore nothing is subtracted: patches are divided into blocks of `side`; a window is the end of one block joined
 * with the beginning of the next, for which cumulative totals from the back and from the front are kept (van Herk; Gil
 * & Werman). This takes three joins per patch, for any side of a window, first down the columns and then along the
 * row. Exapro and at-n pooling, whose totals cannot be joined, read all codes of each window.
 */
#include "config.h"

#include "core/predict/sliding-window.h"

#include <string.h>

#include "tosst/pool.h"

struct TosstWindowPool
{
  TosstWindowPoolOptions options;
  gsize windows, pushed, length; /* length of a part */
  gboolean parts;
  double *tail; /* side x columns x length: row k of the current block, or of the last one joined with all rows below */
  double *head; /* columns x length: rows of the current block so far */
  double *total;      /* columns x length: the last `side` rows */
  double *scratch;    /* per thread (side + 2) x length */
  float *ring;        /* without parts: side x columns x K, the last rows of codes */
  gsize *index;       /* per thread side^2: rows of the ring */
  const float *codes; /* of the row being added */
  float *signatures;
};

static gsize
scratch_length (const TosstWindowPoolOptions *options)
{
  return (options->side + 2) * ((gsize)options->K + 1);
}

gsize
tosst_window_pool_bytes (const TosstWindowPoolOptions *options, int threads)
{
  gsize length = (gsize)options->K + 1;

  if (tosst_pool_has_parts (options->kind))
    return sizeof (double) * ((options->side + 2) * options->columns * length + threads * scratch_length (options));
  return options->side * (options->columns * options->K * sizeof (float) + threads * options->side * sizeof (gsize));
}

static gboolean
allocate (TosstWindowPool *self, int threads)
{
  const TosstWindowPoolOptions *o = &self->options;

  if (!self->parts)
    {
      self->ring = g_try_malloc_n (o->side * o->columns, (gsize)o->K * sizeof (float));
      self->index = g_try_malloc_n ((gsize)threads * o->side, o->side * sizeof (gsize));
      return self->ring != NULL && self->index != NULL;
    }
  self->tail = g_try_malloc_n (o->side * o->columns, self->length * sizeof (double));
  self->head = g_try_malloc_n (o->columns, self->length * sizeof (double));
  self->total = g_try_malloc_n (o->columns, self->length * sizeof (double));
  self->scratch = g_try_malloc_n ((gsize)threads, scratch_length (o) * sizeof (double));
  return self->tail != NULL && self->head != NULL && self->total != NULL && self->scratch != NULL;
}

TosstWindowPool *
tosst_window_pool_new (const TosstWindowPoolOptions *options, int threads)
{
  g_autoptr (TosstWindowPool) self = g_new0 (TosstWindowPool, 1);

  self->options = *options;
  self->windows = (options->columns - options->side) / options->stride + 1;
  self->length = (gsize)options->K + 1;
  self->parts = tosst_pool_has_parts (options->kind);
  return allocate (self, threads) ? g_steal_pointer (&self) : NULL;
}

void
tosst_window_pool_free (TosstWindowPool *self)
{
  if (self == NULL)
    return;
  g_free (self->tail);
  g_free (self->head);
  g_free (self->total);
  g_free (self->scratch);
  g_free (self->ring);
  g_free (self->index);
  g_free (self);
}

gsize
tosst_window_pool_windows (const TosstWindowPool *self)
{
  return self->windows;
}

static double *
tail_at (TosstWindowPool *self, gsize row, gsize column)
{
  return self->tail + (row * self->options.columns + column) * self->length;
}

static void
join (const TosstWindowPool *self, const double *a, const double *b, double *out)
{
  tosst_pool_join (self->options.kind, a, b, self->options.K, out);
}

/* Updates one column: the part of the new patch, and the window that ends with it. */
static TosstStatus
push_column (size_t column, int worker, void *data)
{
  TosstWindowPool *self = data;
  gsize side = self->options.side, k = self->pushed % side, bytes = self->length * sizeof (double);
  double *head = self->head + column * self->length, *total = self->total + column * self->length;
  double *own = tail_at (self, k, column);

  tosst_pool_part (self->options.kind, self->codes + column * self->options.K, self->options.K, own);
  if (k == 0)
    memcpy (head, own, bytes);
  else
    join (self, head, own, head);
  if (k + 1 < side)
    {
      /* Parts of the rows below k were joined at the end of the last block; the first block has none, and no window. */
      if (self->pushed >= side)
        join (self, tail_at (self, k + 1, column), head, total);
      return TOSST_OK;
    }
  memcpy (total, head, bytes);
  for (gsize row = side - 1; row > 0; row--)
    join (self, tail_at (self, row - 1, column), tail_at (self, row, column), tail_at (self, row - 1, column));
  return TOSST_OK;
}

static void
finish_signature (const TosstWindowPool *self, float *signature)
{
  tosst_normalise_signature (signature, self->options.K, self->options.power, self->options.l2);
}

/* Along the row: windows that begin in block number `run` of columns. */
static TosstStatus
pool_run (size_t run, int worker, void *data)
{
  TosstWindowPool *self = data;
  const TosstWindowPoolOptions *o = &self->options;
  gsize L = self->length, begin = run * o->side, last = MIN (begin + o->side, o->columns - o->side + 1);
  double *tail = self->scratch + (gsize)worker * scratch_length (o), *head = tail + o->side * L, *both = head + L;

  memcpy (tail, self->total + begin * L, o->side * L * sizeof (double));
  for (gsize i = o->side - 1; i > 0; i--)
    join (self, tail + (i - 1) * L, tail + i * L, tail + (i - 1) * L);
  for (gsize start = begin; start < last; start++)
    {
      gsize i = start - begin;
      const double *next = self->total + (start + o->side - 1) * L, *window = tail;

      if (i == 1)
        memcpy (head, next, L * sizeof (double));
      else if (i > 1)
        join (self, head, next, head);
      if (start % o->stride != 0)
        continue;
      if (i > 0)
        {
          join (self, tail + i * L, head, both);
          window = both;
        }
      float *signature = self->signatures + start / o->stride * (gsize)o->K;
      TosstStatus status = tosst_pool_finish_part (o->kind, o->parameter, window, o->K, o->side * o->side, signature);
      if (status != TOSST_OK)
        return status;
      finish_signature (self, signature);
    }
  return TOSST_OK;
}

static TosstStatus
pool_window (size_t window, int worker, void *data)
{
  TosstWindowPool *self = data;
  const TosstWindowPoolOptions *o = &self->options;
  gsize *index = self->index + (gsize)worker * o->side * o->side, n = 0;
  float *signature = self->signatures + window * (gsize)o->K;

  for (gsize row = 0; row < o->side; row++)
    for (gsize i = 0; i < o->side; i++)
      index[n++] = row * o->columns + window * o->stride + i;
  TosstStatus status = tosst_pool (o->kind, o->parameter, self->ring, o->K, index, n, signature);
  if (status == TOSST_OK)
    finish_signature (self, signature);
  return status;
}

TosstStatus
tosst_window_pool_push (TosstWindowPool *self, TosstContext *context, const float *codes, float *signatures,
                        gboolean *complete)
{
  const TosstWindowPoolOptions *o = &self->options;
  gsize row = o->columns * (gsize)o->K, runs = (o->columns - o->side) / o->side + 1;
  TosstStatus status = TOSST_OK;

  self->codes = codes;
  self->signatures = signatures;
  if (self->parts)
    status = tosst_parallel (context, o->columns, push_column, self, 0, 0);
  else
    memcpy (self->ring + self->pushed % o->side * row, codes, row * sizeof (float));
  self->pushed++;
  *complete = self->pushed >= o->side && (self->pushed - o->side) % o->stride == 0;
  if (status != TOSST_OK || !*complete)
    return status;
  return self->parts ? tosst_parallel (context, runs, pool_run, self, 0, 0)
                     : tosst_parallel (context, self->windows, pool_window, self, 0, 0);
}

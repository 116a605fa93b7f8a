/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "threads-as-ranks.h"

#include <glib.h>
#include <string.h>

typedef struct
{
  GAsyncQueue *box[MOST_RANKS][MOST_RANKS]; /* GBytes, from and to */
} Boxes;

typedef struct
{
  Boxes *boxes;
  TosstRanks ranks;
  void (*func) (TosstRanks *ranks, void *data);
  void *data;
} Rank;

static TosstStatus
transfer (const TosstMessage *out, int outs, const TosstMessage *in, int ins, void *data)
{
  Rank *self = data;

  for (int i = 0; i < outs; i++)
    g_async_queue_push (self->boxes->box[self->ranks.rank][out[i].rank], g_bytes_new (out[i].data, out[i].bytes));
  for (int i = 0; i < ins; i++)
    {
      g_autoptr (GBytes) bytes = g_async_queue_pop (self->boxes->box[in[i].rank][self->ranks.rank]);

      g_assert_cmpuint (g_bytes_get_size (bytes), ==, in[i].bytes);
      if (in[i].bytes > 0)
        memcpy (in[i].data, g_bytes_get_data (bytes, NULL), in[i].bytes);
    }
  return TOSST_OK;
}

static gpointer
run (gpointer data)
{
  Rank *self = data;

  self->func (&self->ranks, self->data);
  return NULL;
}

void
run_ranks (int size, void (*func) (TosstRanks *ranks, void *data), void *data)
{
  Boxes boxes;
  Rank rank[MOST_RANKS];
  GThread *thread[MOST_RANKS];

  for (int i = 0; i < size * size; i++)
    boxes.box[i / size][i % size] = g_async_queue_new_full ((GDestroyNotify)g_bytes_unref);
  for (int r = 0; r < size; r++)
    {
      rank[r] = (Rank){ &boxes, { r, size, transfer, &rank[r] }, func, data };
      thread[r] = g_thread_new ("rank", run, &rank[r]);
    }
  for (int r = 0; r < size; r++)
    g_thread_join (thread[r]);
  for (int i = 0; i < size * size; i++)
    {
      g_assert_cmpint (g_async_queue_length (boxes.box[i / size][i % size]), ==, 0);
      g_async_queue_unref (boxes.box[i / size][i % size]);
    }
}

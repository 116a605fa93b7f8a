/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/data/list-feed.h"

#define STORES 2
#define ROWS_AT_ONCE 8 /* a list makes 200 rows for a long model: spread over frames, none is late */
#define ROWS_MADE 256  /* where there are so many, a list makes no more */

struct StudioListFeed
{
  GListStore *store[STORES];
  GPtrArray *waiting[STORES]; /* items on their way into these */
  guint source;
};

StudioListFeed *
studio_list_feed_new (GListStore *first, GListStore *second)
{
  StudioListFeed *self = g_new0 (StudioListFeed, 1);

  self->store[0] = g_object_ref (first);
  self->store[1] = g_object_ref (second);
  for (int i = 0; i < STORES; i++)
    self->waiting[i] = g_ptr_array_new_with_free_func (g_object_unref);
  return self;
}

void
studio_list_feed_free (StudioListFeed *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  for (int i = 0; i < STORES; i++)
    {
      g_object_unref (self->store[i]);
      g_ptr_array_unref (self->waiting[i]);
    }
  g_free (self);
}

gboolean
studio_list_feed_some (StudioListFeed *self, int store)
{
  GPtrArray *waiting = self->waiting[store];
  guint there = g_list_model_get_n_items (G_LIST_MODEL (self->store[store]));
  guint n = there < ROWS_MADE ? MIN (waiting->len, ROWS_AT_ONCE) : waiting->len;

  if (n == 0)
    return FALSE;
  g_list_store_splice (self->store[store], there, 0, waiting->pdata, n);
  g_ptr_array_remove_range (waiting, 0, n);
  return TRUE;
}

static gboolean
on_idle (gpointer data)
{
  StudioListFeed *self = data;

  if (studio_list_feed_some (self, 0) || studio_list_feed_some (self, 1))
    return G_SOURCE_CONTINUE;
  self->source = 0;
  return G_SOURCE_REMOVE;
}

void
studio_list_feed_set (StudioListFeed *self, int store, GPtrArray *items)
{
  g_list_store_remove_all (self->store[store]);
  g_ptr_array_unref (self->waiting[store]);
  self->waiting[store] = items;
  if (self->source == 0)
    self->source = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_idle, self, NULL);
}

void
studio_list_feed_stop (StudioListFeed *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  for (int i = 0; i < STORES; i++)
    g_ptr_array_set_size (self->waiting[i], 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GtkListView has widgets for about 200 items, whatever is in sight. Making, measuring and dropping all of them at once
 * takes 100 ms, and more where a screen reader is told of each; so a search that hides or shows most of a long list
 * would stop the window for that long.
 */
#include "studio/compare/paced-list.h"

/* One step for each picture on the screen: rows of several steps would be measured together. */
#define STEP_MS 16

/* Owned by the list. */
typedef struct
{
  GListStore *shown;
  GListModel *model;
  GPtrArray *target;  /* items of the model */
  GHashTable *wanted; /* the same, as a set; NULL: what is unwanted was removed */
  guint left;         /* shown items that may be unwanted; those after them are not */
  guint rows;         /* items changed in this step, of those with rows */
  guint step_source;
} Pace;

/* The most items that change at once, by position. */
static guint
step_at (guint i)
{
  return i < STUDIO_PACED_ROWS ? STUDIO_PACED_STEP : G_MAXUINT;
}

static guint
count (const Pace *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->shown));
}

/* A shown item, held by the list. */
static gpointer
peek (const Pace *self, guint i)
{
  g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->shown), i);

  return item;
}

static gboolean
is_unwanted (const Pace *self, guint i)
{
  return !g_hash_table_contains (self->wanted, peek (self, i));
}

/* From the end, or items that are to go would get rows when those before them have gone. FALSE: there were none. */
static gboolean
remove_some (Pace *self)
{
  guint end = self->left, begin;

  if (self->wanted == NULL)
    return FALSE;
  while (end > 0 && !is_unwanted (self, end - 1))
    end--;
  begin = end;
  while (begin > 0 && end - begin < step_at (begin - 1) && is_unwanted (self, begin - 1))
    begin--;
  self->left = begin;
  if (begin == end)
    {
      g_clear_pointer (&self->wanted, g_hash_table_unref);
      return FALSE;
    }
  self->rows += begin < STUDIO_PACED_ROWS ? end - begin : 0;
  g_list_store_splice (self->shown, begin, end - begin, NULL, 0);
  return TRUE;
}

/* FALSE: none is missing. */
static gboolean
insert_some (Pace *self)
{
  guint n = count (self), at = 0, end;

  while (at < n && peek (self, at) == self->target->pdata[at])
    at++;
  if (at == self->target->len)
    return FALSE;
  for (end = at; end < self->target->len; end++)
    if (at < n && self->target->pdata[end] == peek (self, at))
      break;
  guint added = MIN (end - at, step_at (at));
  self->rows += at < STUDIO_PACED_ROWS ? added : 0;
  g_list_store_splice (self->shown, at, 0, self->target->pdata + at, added);
  return TRUE;
}

static gboolean
on_time (Pace *self)
{
  self->rows = 0;
  while (self->rows < STUDIO_PACED_STEP)
    if (!remove_some (self) && !insert_some (self))
      {
        self->step_source = 0;
        return G_SOURCE_REMOVE;
      }
  return G_SOURCE_CONTINUE;
}

static void
follow (Pace *self)
{
  guint n = g_list_model_get_n_items (self->model), kept = 0, next = 0;

  g_ptr_array_set_size (self->target, 0);
  g_clear_pointer (&self->wanted, g_hash_table_unref);
  self->wanted = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (self->target, g_list_model_get_item (self->model, i));
      g_hash_table_add (self->wanted, self->target->pdata[i]);
    }
  self->left = count (self);
  for (guint i = 0; i < self->left; i++)
    if (!is_unwanted (self, i))
      {
        kept++;
        while (next < n && self->target->pdata[next] != peek (self, i))
          next++;
      }
  if (next == n && kept > 0) /* those that stay have another order */
    {
      g_clear_pointer (&self->wanted, g_hash_table_unref);
      g_list_store_splice (self->shown, 0, self->left, self->target->pdata, n);
    }
  else if (self->left + n - 2 * kept <= STUDIO_PACED_STEP)
    while (remove_some (self) || insert_some (self))
      continue;
  else if (self->step_source == 0)
    self->step_source = g_timeout_add (STEP_MS, G_SOURCE_FUNC (on_time), self);
}

static void
pace_free (Pace *self)
{
  g_clear_handle_id (&self->step_source, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->model, self);
  g_object_unref (self->model);
  g_clear_pointer (&self->wanted, g_hash_table_unref);
  g_ptr_array_unref (self->target);
  g_free (self);
}

GListModel *
studio_paced_list_new (GListModel *model)
{
  Pace *self = g_new0 (Pace, 1);

  self->shown = g_list_store_new (G_TYPE_OBJECT);
  self->model = model;
  self->target = g_ptr_array_new_with_free_func (g_object_unref);
  g_object_set_data_full (G_OBJECT (self->shown), "studio-pace", self, (GDestroyNotify)pace_free);
  g_signal_connect_swapped (model, "items-changed", G_CALLBACK (follow), self);
  follow (self);
  return G_LIST_MODEL (self->shown);
}

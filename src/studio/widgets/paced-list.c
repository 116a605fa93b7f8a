/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GtkListView has widgets for about 200 items, whatever is in sight. Making, measuring and dropping all of them at once
 * takes 100 ms, and more where a screen reader is told of each; so a search that hides or shows most of a long list
 * would stop the window for that long.
 */
#include "config.h"

#include "studio/widgets/paced-list.h"

#include <string.h>

struct _StudioPacedList
{
  GObject parent_instance;
  GListModel *model;
  GPtrArray *shown;   /* items */
  GPtrArray *target;  /* those of the model */
  GHashTable *wanted; /* the same, as a set; NULL: what is unwanted was removed */
  guint left;         /* shown items that may be unwanted; those after them are not */
  guint step_source;
};

static void list_model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (StudioPacedList, studio_paced_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GType
get_item_type (GListModel *model)
{
  return G_TYPE_OBJECT;
}

static guint
get_n_items (GListModel *model)
{
  return STUDIO_PACED_LIST (model)->shown->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  GPtrArray *shown = STUDIO_PACED_LIST (model)->shown;

  return position < shown->len ? g_object_ref (shown->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static gboolean
is_unwanted (StudioPacedList *self, guint i)
{
  return !g_hash_table_contains (self->wanted, self->shown->pdata[i]);
}

/* From the end, or items that are to go would get rows when those before them have gone. FALSE: there were none. */
static gboolean
remove_some (StudioPacedList *self)
{
  guint end = self->left, begin;

  if (self->wanted == NULL)
    return FALSE;
  while (end > 0 && !is_unwanted (self, end - 1))
    end--;
  begin = end;
  while (begin > 0 && end - begin < STUDIO_PACED_STEP && is_unwanted (self, begin - 1))
    begin--;
  self->left = begin;
  if (begin == end)
    {
      g_clear_pointer (&self->wanted, g_hash_table_unref);
      return FALSE;
    }
  g_ptr_array_remove_range (self->shown, begin, end - begin);
  g_list_model_items_changed (G_LIST_MODEL (self), begin, end - begin, 0);
  return TRUE;
}

/* Replaces the items from a position on by those of the target before end. */
static void
replace_rest (StudioPacedList *self, guint at, guint end)
{
  guint removed = self->shown->len - at;

  g_ptr_array_set_size (self->shown, (int)at);
  for (guint i = at; i < end; i++)
    g_ptr_array_add (self->shown, g_object_ref (self->target->pdata[i]));
  g_list_model_items_changed (G_LIST_MODEL (self), at, removed, end - at);
}

static void
insert (StudioPacedList *self, guint at, guint n)
{
  guint tail = self->shown->len - at;

  g_ptr_array_set_size (self->shown, (int)(self->shown->len + n));
  memmove (self->shown->pdata + at + n, self->shown->pdata + at, tail * sizeof (gpointer));
  for (guint i = at; i < at + n; i++)
    self->shown->pdata[i] = g_object_ref (self->target->pdata[i]);
  g_list_model_items_changed (G_LIST_MODEL (self), at, 0, n);
}

/* FALSE: none is missing. */
static gboolean
insert_some (StudioPacedList *self)
{
  guint at = 0, end;

  while (at < self->shown->len && self->shown->pdata[at] == self->target->pdata[at])
    at++;
  if (at == self->target->len)
    return FALSE;
  for (end = at; end < self->target->len; end++)
    if (at < self->shown->len && self->target->pdata[end] == self->shown->pdata[at])
      break;
  if (at < self->shown->len && end == self->target->len)
    replace_rest (self, at, end); /* in another order */
  else
    insert (self, at, MIN (end - at, STUDIO_PACED_STEP));
  return TRUE;
}

static gboolean
on_idle (gpointer data)
{
  StudioPacedList *self = data;

  if (remove_some (self) || insert_some (self))
    return G_SOURCE_CONTINUE;
  self->step_source = 0;
  return G_SOURCE_REMOVE;
}

static void
on_items_changed (StudioPacedList *self, guint position, guint removed, guint added)
{
  guint n = g_list_model_get_n_items (self->model), kept = 0;

  g_ptr_array_set_size (self->target, 0);
  g_clear_pointer (&self->wanted, g_hash_table_unref);
  self->wanted = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (self->target, g_list_model_get_item (self->model, i));
      g_hash_table_add (self->wanted, self->target->pdata[i]);
    }
  for (guint i = 0; i < self->shown->len; i++)
    kept += !is_unwanted (self, i);
  self->left = self->shown->len;
  if (self->shown->len + n - 2 * kept <= STUDIO_PACED_STEP)
    while (remove_some (self) || insert_some (self))
      continue;
  else if (self->step_source == 0)
    self->step_source = g_idle_add (on_idle, self);
}

static void
studio_paced_list_dispose (GObject *object)
{
  StudioPacedList *self = STUDIO_PACED_LIST (object);

  g_clear_handle_id (&self->step_source, g_source_remove);
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (studio_paced_list_parent_class)->dispose (object);
}

static void
studio_paced_list_finalize (GObject *object)
{
  StudioPacedList *self = STUDIO_PACED_LIST (object);

  g_clear_pointer (&self->wanted, g_hash_table_unref);
  g_ptr_array_unref (self->target);
  g_ptr_array_unref (self->shown);
  G_OBJECT_CLASS (studio_paced_list_parent_class)->finalize (object);
}

static void
studio_paced_list_class_init (StudioPacedListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_paced_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_paced_list_finalize;
}

static void
studio_paced_list_init (StudioPacedList *self)
{
  self->shown = g_ptr_array_new_with_free_func (g_object_unref);
  self->target = g_ptr_array_new_with_free_func (g_object_unref);
}

StudioPacedList *
studio_paced_list_new (GListModel *model)
{
  StudioPacedList *self = g_object_new (STUDIO_TYPE_PACED_LIST, NULL);

  self->model = model;
  g_signal_connect_swapped (model, "items-changed", G_CALLBACK (on_items_changed), self);
  on_items_changed (self, 0, 0, g_list_model_get_n_items (model));
  return self;
}

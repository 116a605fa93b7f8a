/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/recipe/history.h"

#include "studio/widgets/build.h"

#define MAX_ENTRIES 200
#define MERGE_US (G_USEC_PER_SEC)

typedef struct
{
  char *name, *key;
  StudioHistoryFunc apply;
  gpointer target, before, after;
  GDestroyNotify free_state;
} Entry;

struct _StudioHistory
{
  GObject parent_instance;
  GPtrArray *undo, *redo; /* of Entry, newest last */
  gint64 last_time;       /* of the last entry, while others may still merge with it; else 0 */
  gboolean moving;
};

G_DEFINE_FINAL_TYPE (StudioHistory, studio_history, G_TYPE_OBJECT)

TOSST_DEFINE_FREE (Entry, entry_free, (name, g_free), (key, g_free), (before, self->free_state),
                   (after, self->free_state))

STUDIO_DEFINE_FINALIZE (StudioHistory, studio_history, (undo, g_ptr_array_unref), (redo, g_ptr_array_unref))

static void
studio_history_class_init (StudioHistoryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_history_finalize;
  studio_add_signal (klass, "changed", 0);
}

static void
studio_history_init (StudioHistory *self)
{
  self->undo = g_ptr_array_new_with_free_func (entry_free);
  self->redo = g_ptr_array_new_with_free_func (entry_free);
}

StudioHistory *
studio_history_new (void)
{
  return g_object_new (STUDIO_TYPE_HISTORY, NULL);
}

static Entry *
last_of (GPtrArray *entries)
{
  return entries->len > 0 ? entries->pdata[entries->len - 1] : NULL;
}

/* The last entry now ends where this change does. */
static gboolean
merge (StudioHistory *self, const char *key, gpointer before, gpointer after, gint64 now)
{
  Entry *last = last_of (self->undo);

  if (last == NULL || key == NULL || g_strcmp0 (last->key, key) != 0 || self->last_time == 0
      || now - self->last_time >= MERGE_US)
    return FALSE;
  last->free_state (last->after);
  last->after = after;
  last->free_state (before);
  return TRUE;
}

void
studio_history_add (StudioHistory *self, const char *name, const char *key, StudioHistoryFunc apply, gpointer target,
                    gpointer before, gpointer after, GDestroyNotify free_state)
{
  gint64 now = g_get_monotonic_time ();

  if (self->moving)
    {
      free_state (before);
      free_state (after);
      return;
    }
  g_ptr_array_set_size (self->redo, 0);
  if (!merge (self, key, before, after, now))
    {
      Entry *entry = g_new (Entry, 1);

      *entry = (Entry){ g_strdup (name), g_strdup (key), apply, target, before, after, free_state };
      g_ptr_array_add (self->undo, entry);
    }
  if (self->undo->len > MAX_ENTRIES)
    g_ptr_array_remove_index (self->undo, 0);
  self->last_time = now;
  g_signal_emit_by_name (self, "changed");
}

void
studio_history_do (StudioHistory *self, const char *name, StudioHistoryFunc apply, gpointer target, gpointer before,
                   gpointer after, GDestroyNotify free_state)
{
  gboolean moving = self->moving;

  self->moving = TRUE;
  apply (target, after);
  self->moving = moving;
  studio_history_add (self, name, NULL, apply, target, before, after, free_state);
}

void
studio_history_clear (StudioHistory *self)
{
  g_ptr_array_set_size (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  g_signal_emit_by_name (self, "changed");
}

static void
move (StudioHistory *self, GPtrArray *from, GPtrArray *to, gboolean back)
{
  if (from->len == 0 || self->moving)
    return;
  Entry *entry = g_ptr_array_steal_index (from, from->len - 1);
  self->moving = TRUE;
  entry->apply (entry->target, back ? entry->before : entry->after);
  self->moving = FALSE;
  self->last_time = 0;
  g_ptr_array_add (to, entry);
  g_signal_emit_by_name (self, "changed");
}

void
studio_history_undo (StudioHistory *self)
{
  move (self, self->undo, self->redo, TRUE);
}

void
studio_history_redo (StudioHistory *self)
{
  move (self, self->redo, self->undo, FALSE);
}

const char *
studio_history_get_undo_name (StudioHistory *self)
{
  Entry *last = last_of (self->undo);

  return last != NULL ? last->name : NULL;
}

const char *
studio_history_get_redo_name (StudioHistory *self)
{
  Entry *last = last_of (self->redo);

  return last != NULL ? last->name : NULL;
}

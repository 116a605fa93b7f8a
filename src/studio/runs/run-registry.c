/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/run-registry.h"

#define FOR_GOOD G_MAXUINT /* a removal that can no longer be undone */

struct _StudioRunRegistry
{
  GObject parent_instance;
  GFile *file;
  StudioWorker *watcher; /* store-watcher.h */
  guint poll_source;
  guint64 edits;        /* number of the last one */
  GHashTable *by_id;    /* gint64 to StudioRunRow *, all runs */
  GHashTable *removals; /* StudioRunRow * to its removal */
  GPtrArray *rows;      /* visible runs, by id */
  guint last_removal;
  gboolean loaded;
  char *problem;
};

G_DEFINE_FINAL_TYPE (StudioRunRegistry, studio_run_registry, G_TYPE_OBJECT)

enum
{
  CHANGED,
  FAILED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];
static GHashTable *registries; /* path to StudioRunRegistry *, registries in use */

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  gint64 x = studio_run_row_get_id (*(StudioRunRow *const *)a), y = studio_run_row_get_id (*(StudioRunRow *const *)b);

  return x < y ? -1 : x > y;
}

static void
collect_rows (StudioRunRegistry *self)
{
  GHashTableIter iter;
  gpointer row;

  g_ptr_array_set_size (self->rows, 0);
  g_hash_table_iter_init (&iter, self->by_id);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    if (!g_hash_table_contains (self->removals, row))
      g_ptr_array_add (self->rows, g_object_ref (row));
  g_ptr_array_sort (self->rows, compare_rows);
}

static void
say_changed (StudioRunRegistry *self, gboolean members)
{
  if (members)
    collect_rows (self);
  g_signal_emit (self, signals[CHANGED], 0, members);
}

/* For a row that was edited after this was read, newer news are pending. */
static gboolean
take_record (StudioRunRegistry *self, StudioRunRecord *record, guint64 edits)
{
  StudioRunRow *row = g_hash_table_lookup (self->by_id, &record->run->id);

  if (row == NULL)
    {
      g_hash_table_insert (self->by_id, g_memdup2 (&record->run->id, sizeof (gint64)), studio_run_row_new (record));
      return TRUE;
    }
  if (studio_run_row_get_edit_number (row) <= edits)
    {
      studio_run_row_set_record (row, record);
      /* Its deletion failed. */
      if (studio_run_row_get_edit_number (row) > 0
          && GPOINTER_TO_UINT (g_hash_table_lookup (self->removals, row)) == FOR_GOOD)
        return g_hash_table_remove (self->removals, row);
    }
  return FALSE;
}

static gboolean
take_news (StudioRunRegistry *self, const StudioRunNews *news)
{
  gboolean members = !self->loaded;

  self->loaded = TRUE;
  g_free (self->problem);
  self->problem = g_strdup (news->problem);
  for (guint i = 0; news->removed != NULL && i < news->removed->len; i++)
    {
      const gint64 *id = &g_array_index (news->removed, gint64, i);
      gpointer row = g_hash_table_lookup (self->by_id, id);

      if (row == NULL)
        continue;
      g_hash_table_remove (self->removals, row);
      g_hash_table_remove (self->by_id, id);
      members = TRUE;
    }
  for (guint i = 0; news->changed != NULL && i < news->changed->len; i++)
    members |= take_record (self, news->changed->pdata[i], news->edits);
  return members;
}

static void
on_news (gpointer data)
{
  g_autoptr (StudioRunRegistry) self = g_object_ref (data);
  StudioRunNews *next;

  while (self->watcher != NULL && (next = studio_worker_take (self->watcher)) != NULL)
    {
      g_autoptr (StudioRunNews) news = next;

      say_changed (self, take_news (self, news));
      if (news->failure != NULL)
        g_signal_emit (self, signals[FAILED], 0, news->failure);
    }
}

/* Takes ownership of the edits; returns their common number. */
static guint64
write_edits (StudioRunRegistry *self, GPtrArray *edits)
{
  studio_store_watcher_ask (self->watcher, self->file, edits, ++self->edits);
  return self->edits;
}

/* Only other programs write without a call of studio_run_registry_refresh(). */
static gboolean
on_poll (gpointer data)
{
  StudioRunRegistry *self = data;

  if (!studio_worker_is_busy (self->watcher))
    studio_store_watcher_ask (self->watcher, self->file, NULL, self->edits);
  return G_SOURCE_CONTINUE;
}

static void
studio_run_registry_dispose (GObject *object)
{
  StudioRunRegistry *self = STUDIO_RUN_REGISTRY (object);

  if (self->watcher != NULL)
    {
      studio_run_registry_remove_for_good (self, 0);
      g_hash_table_remove (registries, g_file_peek_path (self->file));
    }
  g_clear_handle_id (&self->poll_source, g_source_remove);
  g_clear_pointer (&self->watcher, studio_worker_free);
  G_OBJECT_CLASS (studio_run_registry_parent_class)->dispose (object);
}

static void
studio_run_registry_finalize (GObject *object)
{
  StudioRunRegistry *self = STUDIO_RUN_REGISTRY (object);

  g_ptr_array_unref (self->rows);
  g_hash_table_unref (self->removals);
  g_hash_table_unref (self->by_id);
  g_clear_object (&self->file);
  g_free (self->problem);
  G_OBJECT_CLASS (studio_run_registry_parent_class)->finalize (object);
}

static void
studio_run_registry_class_init (StudioRunRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_run_registry_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_run_registry_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
studio_run_registry_init (StudioRunRegistry *self)
{
  self->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_object_unref);
  self->removals = g_hash_table_new (NULL, NULL);
  self->rows = g_ptr_array_new_with_free_func (g_object_unref);
}

StudioRunRegistry *
studio_run_registry_get (GFile *file)
{
  const char *path = g_file_peek_path (file);
  StudioRunRegistry *self = registries != NULL ? g_hash_table_lookup (registries, path) : NULL;

  if (self != NULL)
    return g_object_ref (self);
  if (registries == NULL)
    registries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self = g_object_new (STUDIO_TYPE_RUN_REGISTRY, NULL);
  self->file = g_object_ref (file);
  self->watcher = studio_store_watcher_new (on_news, self);
  self->poll_source = g_timeout_add_seconds (1, on_poll, self);
  on_poll (self);
  g_hash_table_insert (registries, g_strdup (path), self);
  return self;
}

GFile *
studio_run_registry_get_file (StudioRunRegistry *self)
{
  return self->file;
}

gboolean
studio_run_registry_is_loaded (StudioRunRegistry *self)
{
  return self->loaded;
}

const char *
studio_run_registry_get_problem (StudioRunRegistry *self)
{
  return self->problem;
}

const GPtrArray *
studio_run_registry_get_rows (StudioRunRegistry *self)
{
  return self->rows;
}

StudioRunRow *
studio_run_registry_find (StudioRunRegistry *self, gint64 id)
{
  gpointer row = g_hash_table_lookup (self->by_id, &id);

  return row != NULL && !g_hash_table_contains (self->removals, row) ? row : NULL;
}

void
studio_run_registry_refresh (GFile *file)
{
  StudioRunRegistry *self = registries != NULL ? g_hash_table_lookup (registries, g_file_peek_path (file)) : NULL;

  if (self != NULL)
    studio_store_watcher_ask (self->watcher, self->file, NULL, self->edits);
}

void
studio_run_registry_edit (StudioRunRegistry *self, StudioRunRow *row, StudioRunEditKind kind, const char *text,
                          gboolean on)
{
  GPtrArray *edits = g_ptr_array_new_with_free_func ((GDestroyNotify)studio_run_edit_free);

  g_ptr_array_add (edits, studio_run_edit_new (kind, studio_run_row_get_id (row), text, on));
  studio_run_row_set_edit_number (row, write_edits (self, edits));
  studio_run_row_edit (row, kind, text, on);
  say_changed (self, FALSE);
}

guint
studio_run_registry_remove (StudioRunRegistry *self, const GPtrArray *rows)
{
  guint removal = ++self->last_removal;

  for (guint i = 0; i < rows->len; i++)
    g_hash_table_insert (self->removals, rows->pdata[i], GUINT_TO_POINTER (removal));
  say_changed (self, TRUE);
  return removal;
}

void
studio_run_registry_put_back (StudioRunRegistry *self, guint removal)
{
  GHashTableIter iter;
  gpointer number;

  g_hash_table_iter_init (&iter, self->removals);
  while (g_hash_table_iter_next (&iter, NULL, &number))
    if (GPOINTER_TO_UINT (number) == removal)
      g_hash_table_iter_remove (&iter);
  say_changed (self, TRUE);
}

/* All, if the number is 0. Rows stay hidden until the store confirms or refuses their deletion. */
void
studio_run_registry_remove_for_good (StudioRunRegistry *self, guint removal)
{
  GPtrArray *edits = g_ptr_array_new_with_free_func ((GDestroyNotify)studio_run_edit_free);
  GHashTableIter iter;
  gpointer row, number;

  g_hash_table_iter_init (&iter, self->removals);
  while (g_hash_table_iter_next (&iter, &row, &number))
    if (GPOINTER_TO_UINT (number) != FOR_GOOD && (removal == 0 || GPOINTER_TO_UINT (number) == removal))
      {
        g_hash_table_iter_replace (&iter, GUINT_TO_POINTER (FOR_GOOD));
        studio_run_row_set_edit_number (row, self->edits + 1);
        g_ptr_array_add (edits, studio_run_edit_new (STUDIO_RUN_EDIT_DELETE, studio_run_row_get_id (row), NULL, FALSE));
      }
  if (edits->len > 0)
    write_edits (self, edits);
  else
    g_ptr_array_unref (edits);
}

guint
studio_run_registry_get_last_removal (StudioRunRegistry *self)
{
  GHashTableIter iter;
  gpointer number;
  guint last = 0;

  g_hash_table_iter_init (&iter, self->removals);
  while (g_hash_table_iter_next (&iter, NULL, &number))
    if (GPOINTER_TO_UINT (number) != FOR_GOOD)
      last = MAX (last, GPOINTER_TO_UINT (number));
  return last;
}

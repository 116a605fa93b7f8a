/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/store-watcher.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define POLL_US G_USEC_PER_SEC         /* interval of polling the store */
#define OWNERS_US (5 * G_USEC_PER_SEC) /* interval of checking for crashed programs */

typedef struct
{
  StudioRunEditKind kind;
  gint64 run;
  char *text;
  gboolean on;
  guint64 number;
} Edit;

struct StudioRunFeed
{
  GFile *file;
  GThread *thread;
  GCancellable *cancellable; /* of the reader */
  StudioWaker *waker;

  guint64 last_edit; /* main thread only */

  /* Worker only. */
  TosstStore *reader, *writer;
  guint64 device, inode; /* of the file that the reader has open */
  gint64 version, read_at;
  gboolean any_running;
  gint64 last_run;    /* largest id with known parameters */
  GHashTable *known;  /* gint64 to StudioRunRecord *, as last reported */
  GHashTable *edited; /* gint64: to be reported again */
  guint64 edits_done;

  GMutex lock; /* guards the members below */
  GCond changed;
  GQueue edits; /* Edit * */
  gboolean poked, quit;
  StudioRunNews news;
};

/* Records. */

StudioRunRecord *
studio_run_record_ref (StudioRunRecord *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
studio_run_record_unref (StudioRunRecord *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  tosst_store_run_free (self->run);
  g_clear_pointer (&self->values, g_array_unref);
  g_clear_pointer (&self->members, g_array_unref);
  g_free (self);
}

/* Takes ownership of run. */
static StudioRunRecord *
record_new (TosstStoreRun *run, GArray *values, GArray *members)
{
  StudioRunRecord *self = g_new0 (StudioRunRecord, 1);

  g_atomic_ref_count_init (&self->references);
  self->run = run;
  self->values = values != NULL ? g_array_ref (values) : NULL;
  self->members = members != NULL ? g_array_ref (members) : NULL;
  return self;
}

static int
compare_value (gconstpointer a, gconstpointer b)
{
  return strcmp (((const StudioRunValue *)a)->name, ((const StudioRunValue *)b)->name);
}

const StudioRunValue *
studio_run_record_find (const StudioRunRecord *self, const char *name)
{
  const StudioRunValue wanted = { .name = name };
  guint at;

  if (self->values == NULL || !g_array_binary_search (self->values, &wanted, compare_value, &at))
    return NULL;
  return &g_array_index (self->values, StudioRunValue, at);
}

static gboolean
same_number (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

static gboolean
same_run (const TosstStoreRun *a, const TosstStoreRun *b)
{
  return a->state == b->state && a->splits == b->splits && a->splits_done == b->splits_done && a->orphan == b->orphan
         && same_number (a->queued, b->queued) && same_number (a->started, b->started)
         && same_number (a->finished, b->finished) && same_number (a->seconds, b->seconds)
         && same_number (a->shared, b->shared) && same_number (a->accuracy, b->accuracy)
         && same_number (a->deviation, b->deviation) && same_number (a->best, b->best)
         && same_number (a->objective, b->objective) && same_number (a->nonzeros, b->nonzeros)
         && strcmp (a->reason, b->reason) == 0 && strcmp (a->title, b->title) == 0 && strcmp (a->note, b->note) == 0
         && strcmp (a->tags, b->tags) == 0;
}

static gboolean
same_members (const GArray *a, const GArray *b)
{
  guint n = a != NULL ? a->len : 0;

  if (n != (b != NULL ? b->len : 0))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const StudioRunMember *x = &g_array_index (a, StudioRunMember, i), *y = &g_array_index (b, StudioRunMember, i);

      if (x->sweep != y->sweep || x->number != y->number)
        return FALSE;
    }
  return TRUE;
}

/* News. */

void
studio_run_news_clear (StudioRunNews *news)
{
  g_clear_pointer (&news->changed, g_ptr_array_unref);
  g_clear_pointer (&news->removed, g_array_unref);
  g_clear_pointer (&news->problem, g_free);
  g_clear_pointer (&news->failure, g_free);
}

static void
edit_free (Edit *edit)
{
  g_free (edit->text);
  g_free (edit);
}

/* News not yet taken are replaced by newer ones of the same run. */
static void
drop_told (GPtrArray *told, const GPtrArray *newer, const GArray *removed)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < newer->len; i++)
    g_hash_table_add (ids, &((StudioRunRecord *)newer->pdata[i])->run->id);
  for (guint i = 0; i < removed->len; i++)
    g_hash_table_add (ids, &g_array_index (removed, gint64, i));
  for (guint i = told->len; i-- > 0;)
    if (g_hash_table_contains (ids, &((StudioRunRecord *)told->pdata[i])->run->id))
      g_ptr_array_remove_index (told, i);
}

/* Takes ownership of both. */
static void
tell (StudioRunFeed *self, GPtrArray *changed, GArray *removed)
{
  StudioRunNews *news = &self->news;

  g_mutex_lock (&self->lock);
  if (news->changed != NULL)
    {
      drop_told (news->changed, changed, removed);
      g_ptr_array_extend_and_steal (news->changed, changed);
    }
  else
    news->changed = changed;
  if (news->removed != NULL)
    {
      g_array_append_vals (news->removed, removed->data, removed->len);
      g_array_unref (removed);
    }
  else
    news->removed = removed;
  news->edits = self->edits_done;
  news->loaded = TRUE;
  g_clear_pointer (&news->problem, g_free);
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, 0);
}

static void
tell_problem (StudioRunFeed *self, const char *problem)
{
  g_mutex_lock (&self->lock);
  g_free (self->news.problem);
  self->news.problem = g_strdup (problem);
  self->news.loaded = TRUE;
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, 0);
}

static void
tell_failure (StudioRunFeed *self, const char *failure)
{
  g_mutex_lock (&self->lock);
  g_free (self->news.failure);
  self->news.failure = g_strdup (failure);
  g_mutex_unlock (&self->lock);
  studio_waker_ring (self->waker, 0);
}

/* Reading. Worker. */

static void
clear_value (gpointer value)
{
  g_ref_string_release (((StudioRunValue *)value)->text);
}

/* Values of consecutive runs: most have the keys of the previous run, in the same order, and most of its texts. */
typedef struct
{
  GHashTable *runs; /* gint64 to GArray * of StudioRunValue */
  gint64 run;
  GArray *values, *before;
} Values;

static void
add_value (gint64 run, const char *name, const char *text, double number, gpointer data)
{
  Values *self = data;
  const StudioRunValue *like = NULL;
  StudioRunValue value = { .number = number };

  if (run != self->run || self->values == NULL)
    {
      self->before = self->values;
      self->values = g_array_new (FALSE, FALSE, sizeof (StudioRunValue));
      self->run = run;
      g_array_set_clear_func (self->values, clear_value);
      g_hash_table_insert (self->runs, g_memdup2 (&run, sizeof run), self->values);
    }
  if (self->before != NULL && self->values->len < self->before->len)
    like = &g_array_index (self->before, StudioRunValue, self->values->len);
  value.name = like != NULL && strcmp (like->name, name) == 0 ? like->name : g_intern_string (name);
  value.text
      = like != NULL && strcmp (like->text, text) == 0 ? g_ref_string_acquire (like->text) : g_ref_string_new (text);
  g_array_append_val (self->values, value);
}

static void
add_member (gint64 run, gint64 sweep, int number, gpointer data)
{
  GHashTable *members = data;
  GArray *of_run = g_hash_table_lookup (members, &run);
  const StudioRunMember member = { sweep, number };

  if (of_run == NULL)
    {
      of_run = g_array_new (FALSE, FALSE, sizeof (StudioRunMember));
      g_hash_table_insert (members, g_memdup2 (&run, sizeof run), of_run);
    }
  g_array_append_val (of_run, member);
}

static GHashTable *
table_of_arrays (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
}

/* A record if the run is new or differs from the last report, else NULL. */
static StudioRunRecord *
update_run (StudioRunFeed *self, GPtrArray *runs, guint i, GHashTable *values, GHashTable *members)
{
  TosstStoreRun *run = runs->pdata[i];
  const StudioRunRecord *known = g_hash_table_lookup (self->known, &run->id);
  GArray *new_values = g_hash_table_lookup (values, &run->id), *of_sweeps = g_hash_table_lookup (members, &run->id);
  StudioRunRecord *record;

  if (known != NULL && !g_hash_table_contains (self->edited, &run->id) && same_run (known->run, run)
      && same_members (known->members, of_sweeps))
    return NULL;
  if (new_values == NULL && known != NULL)
    new_values = known->values;
  record = record_new (run, new_values, of_sweeps);
  runs->pdata[i] = NULL; /* owned by the record now */
  g_hash_table_insert (self->known, g_memdup2 (&record->run->id, sizeof (gint64)), studio_run_record_ref (record));
  return record;
}

static GArray *
forget_removed (StudioRunFeed *self, const GArray *there)
{
  GArray *removed = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GHashTable) ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  GHashTableIter iter;
  gint64 *id;

  for (guint i = 0; i < there->len; i++)
    g_hash_table_add (ids, &g_array_index (there, gint64, i));
  g_hash_table_iter_init (&iter, self->known);
  while (g_hash_table_iter_next (&iter, (gpointer *)&id, NULL))
    if (!g_hash_table_contains (ids, id))
      {
        g_array_append_val (removed, *id);
        g_hash_table_iter_remove (&iter);
      }
  return removed;
}

static void
tell_differences (StudioRunFeed *self, GPtrArray *runs, GHashTable *values, GHashTable *members, gboolean always)
{
  GPtrArray *changed = g_ptr_array_new_with_free_func ((GDestroyNotify)studio_run_record_unref);
  g_autoptr (GArray) there = g_array_sized_new (FALSE, FALSE, sizeof (gint64), runs->len);
  GArray *removed;

  self->any_running = FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstStoreRun *run = runs->pdata[i];
      StudioRunRecord *record;

      g_array_append_val (there, run->id);
      self->any_running |= run->state == TOSST_RUN_RUNNING;
      self->last_run = MAX (self->last_run, run->id);
      if ((record = update_run (self, runs, i, values, members)) != NULL)
        g_ptr_array_add (changed, record);
    }
  removed = forget_removed (self, there);
  g_hash_table_remove_all (self->edited);
  if (changed->len > 0 || removed->len > 0 || always)
    tell (self, changed, removed);
  else
    {
      g_ptr_array_unref (changed);
      g_array_unref (removed);
    }
}

static gboolean
read_all (StudioRunFeed *self, gboolean always, GError **error)
{
  g_autoptr (GPtrArray) runs = tosst_store_list (self->reader, NULL, NULL, error);
  g_autoptr (GHashTable) values = table_of_arrays (), members = table_of_arrays ();
  Values collected = { .runs = values };

  if (runs == NULL || !tosst_store_each_parameter (self->reader, self->last_run, add_value, &collected, error)
      || !tosst_store_each_member (self->reader, add_member, members, error))
    return FALSE;
  self->read_at = g_get_monotonic_time ();
  tell_differences (self, runs, values, members, always);
  return TRUE;
}

static void
close_stores (StudioRunFeed *self)
{
  g_clear_pointer (&self->reader, tosst_store_free);
  g_clear_pointer (&self->writer, tosst_store_free);
}

/* The file may be another one: all reports are repeated. */
static void
forget_version (StudioRunFeed *self)
{
  GHashTableIter iter;
  gint64 *id;

  self->version = -1;
  self->last_run = 0;
  g_hash_table_iter_init (&iter, self->known);
  while (g_hash_table_iter_next (&iter, (gpointer *)&id, NULL))
    g_hash_table_add (self->edited, g_memdup2 (id, sizeof *id));
}

/* FALSE without a store. A replaced file is reopened. */
static gboolean
ensure_reader (StudioRunFeed *self, GError **error)
{
  GStatBuf there;

  if (g_stat (g_file_peek_path (self->file), &there) != 0)
    {
      close_stores (self);
      return FALSE;
    }
  if (self->reader != NULL && self->device == (guint64)there.st_dev && self->inode == (guint64)there.st_ino)
    return TRUE;
  close_stores (self);
  self->reader = tosst_store_open (self->file, TOSST_STORE_READ, error);
  if (self->reader != NULL)
    tosst_store_set_cancel (self->reader, self->cancellable, NULL);
  self->device = (guint64)there.st_dev;
  self->inode = (guint64)there.st_ino;
  forget_version (self);
  return self->reader != NULL;
}

static void
tell_empty (StudioRunFeed *self, gboolean always)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autoptr (GHashTable) nothing = table_of_arrays ();

  tell_differences (self, none, nothing, nothing, always);
}

/* `always`: also without a change. */
static void
look (StudioRunFeed *self, gboolean always)
{
  g_autoptr (GError) error = NULL;
  gint64 version = 0;

  if (!ensure_reader (self, &error))
    {
      if (error != NULL)
        tell_problem (self, error->message);
      else
        tell_empty (self, always);
      return;
    }
  if (!tosst_store_version (self->reader, &version, &error))
    tell_problem (self, error->message);
  else if (always || version != self->version
           || (self->any_running && g_get_monotonic_time () - self->read_at > OWNERS_US))
    {
      if (read_all (self, always || self->version < 0, &error))
        self->version = version;
      else
        tell_problem (self, error->message);
    }
}

/* Writing. Worker. */

static gboolean
write_edit (StudioRunFeed *self, const Edit *edit, GError **error)
{
  if (self->writer == NULL)
    self->writer = tosst_store_open (self->file, TOSST_STORE_WRITE, error);
  if (self->writer == NULL)
    return FALSE;
  switch (edit->kind)
    {
    case STUDIO_RUN_EDIT_TAG:
      return tosst_store_tag (self->writer, edit->run, edit->text, edit->on, error);
    case STUDIO_RUN_EDIT_NOTE:
      return tosst_store_set_note (self->writer, edit->run, edit->text, error);
    case STUDIO_RUN_EDIT_TITLE:
      return tosst_store_set_title (self->writer, edit->run, edit->text, error);
    case STUDIO_RUN_EDIT_DELETE:
      return tosst_store_delete (self->writer, edit->run, error);
    default:
      g_assert_not_reached ();
    }
}

/* Edited runs are reported again, even if the edit had no effect: the window may show another value. */
static void
apply (StudioRunFeed *self, Edit *edit)
{
  g_autoptr (GError) error = NULL;

  if (!write_edit (self, edit, &error))
    tell_failure (self, error->message);
  g_hash_table_add (self->edited, g_memdup2 (&edit->run, sizeof edit->run));
  self->edits_done = edit->number;
  edit_free (edit);
}

static gpointer
work (gpointer data)
{
  StudioRunFeed *self = data;
  gboolean edited, first = TRUE;

  self->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)studio_run_record_unref);
  self->edited = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_mutex_lock (&self->lock);
  for (;; first = FALSE)
    {
      edited = !g_queue_is_empty (&self->edits);
      while (!g_queue_is_empty (&self->edits))
        {
          Edit *edit = g_queue_pop_head (&self->edits);

          g_mutex_unlock (&self->lock);
          apply (self, edit);
          g_mutex_lock (&self->lock);
        }
      if (self->quit)
        break;
      self->poked = FALSE;
      g_mutex_unlock (&self->lock);
      look (self, first || edited);
      g_mutex_lock (&self->lock);
      gint64 until = g_get_monotonic_time () + POLL_US;
      while (!self->quit && !self->poked && g_queue_is_empty (&self->edits)
             && g_cond_wait_until (&self->changed, &self->lock, until))
        ;
    }
  g_mutex_unlock (&self->lock);
  close_stores (self);
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->edited);
  return NULL;
}

/* Main thread. */

StudioRunFeed *
studio_run_feed_start (GFile *file, StudioWakeFunc wake, gpointer data)
{
  StudioRunFeed *self = g_new0 (StudioRunFeed, 1);

  self->file = g_object_ref (file);
  self->cancellable = g_cancellable_new ();
  self->waker = studio_waker_new (wake, data);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_queue_init (&self->edits);
  self->thread = g_thread_new ("runs", work, self);
  return self;
}

void
studio_run_feed_take (StudioRunFeed *self, StudioRunNews *news)
{
  g_mutex_lock (&self->lock);
  *news = self->news;
  memset (&self->news, 0, sizeof self->news);
  g_mutex_unlock (&self->lock);
}

void
studio_run_feed_poke (StudioRunFeed *self)
{
  g_mutex_lock (&self->lock);
  self->poked = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
}

guint64
studio_run_feed_edit (StudioRunFeed *self, StudioRunEditKind kind, gint64 run, const char *text, gboolean on)
{
  Edit *edit = g_new0 (Edit, 1);

  *edit = (Edit){ kind, run, g_strdup (text), on, ++self->last_edit };
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->edits, edit);
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  return self->last_edit;
}

void
studio_run_feed_release (StudioRunFeed *self)
{
  studio_waker_silence (self->waker);
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_cancellable_cancel (self->cancellable);
  g_thread_join (self->thread);
  g_object_unref (self->cancellable);
  studio_waker_unref (self->waker);
  studio_run_news_clear (&self->news);
  g_queue_clear_full (&self->edits, (GDestroyNotify)edit_free);
  g_object_unref (self->file);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/store-watcher.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define OWNERS_US (5 * G_USEC_PER_SEC) /* interval of checking for crashed programs */

typedef struct
{
  GFile *file;
  GPtrArray *edits; /* or NULL */
  guint64 number;
} Question;

/* The state of the worker between requests. */
typedef struct
{
  TosstStore *reader, *writer;
  guint64 device, inode; /* of the file that the reader has open */
  gint64 version;        /* -1: another file, all of whose runs are reported */
  gint64 read_at;
  gboolean any_running;
  gint64 last_run;    /* largest id with known parameters */
  GHashTable *known;  /* gint64 to StudioRunRecord *, as last reported */
  GHashTable *edited; /* gint64: to be reported again */
} Watcher;

/* Records. */

StudioRunRecord *
studio_run_record_ref (StudioRunRecord *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_record (gpointer data)
{
  StudioRunRecord *self = data;

  tosst_store_run_free (self->run);
  g_clear_pointer (&self->values, g_array_unref);
}

void
studio_run_record_unref (StudioRunRecord *self)
{
  g_atomic_rc_box_release_full (self, clear_record);
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
  return a->state == b->state && a->splits == b->splits && a->splits_done == b->splits_done && a->stale == b->stale
         && same_number (a->queued, b->queued) && same_number (a->started, b->started)
         && same_number (a->finished, b->finished) && same_number (a->seconds, b->seconds)
         && same_number (a->shared, b->shared) && same_number (a->accuracy, b->accuracy)
         && same_number (a->deviation, b->deviation) && same_number (a->best, b->best)
         && same_number (a->objective, b->objective) && same_number (a->nonzeros, b->nonzeros)
         && strcmp (a->reason, b->reason) == 0 && strcmp (a->title, b->title) == 0 && strcmp (a->note, b->note) == 0
         && strcmp (a->tags, b->tags) == 0;
}

/* Requests and answers. */

void
studio_run_news_free (StudioRunNews *self)
{
  g_clear_pointer (&self->changed, g_ptr_array_unref);
  g_clear_pointer (&self->removed, g_array_unref);
  g_free (self->problem);
  g_free (self->failure);
  g_free (self);
}

void
studio_run_edit_free (StudioRunEdit *self)
{
  g_free (self->text);
  g_free (self);
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

/* A record if the run is new or differs from the last report, else NULL. */
static StudioRunRecord *
update_run (Watcher *self, GPtrArray *runs, guint i, GHashTable *values)
{
  TosstStoreRun *run = runs->pdata[i];
  const StudioRunRecord *known = g_hash_table_lookup (self->known, &run->id);
  GArray *new_values = g_hash_table_lookup (values, &run->id);
  StudioRunRecord *record;

  if (known != NULL && self->version >= 0 && !g_hash_table_contains (self->edited, &run->id)
      && same_run (known->run, run))
    return NULL;
  if (new_values == NULL && known != NULL)
    new_values = known->values;
  record = g_atomic_rc_box_new0 (StudioRunRecord);
  record->run = g_steal_pointer (&runs->pdata[i]);
  record->values = new_values != NULL ? g_array_ref (new_values) : NULL;
  g_hash_table_insert (self->known, g_memdup2 (&run->id, sizeof run->id), studio_run_record_ref (record));
  return record;
}

/* Fills in the news, if there are any. */
static void
compare (Watcher *self, GPtrArray *runs, GHashTable *values, gboolean always, StudioRunNews *news)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func ((GDestroyNotify)studio_run_record_unref);
  g_autoptr (GArray) removed = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  GHashTableIter iter;
  gint64 *id;

  self->any_running = FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstStoreRun *run = runs->pdata[i];
      StudioRunRecord *record;

      g_hash_table_add (ids, g_memdup2 (&run->id, sizeof run->id));
      self->any_running |= run->state == TOSST_RUN_RUNNING;
      self->last_run = MAX (self->last_run, run->id);
      if ((record = update_run (self, runs, i, values)) != NULL)
        g_ptr_array_add (changed, record);
    }
  g_hash_table_iter_init (&iter, self->known);
  while (g_hash_table_iter_next (&iter, (gpointer *)&id, NULL))
    if (!g_hash_table_contains (ids, id))
      {
        g_array_append_val (removed, *id);
        g_hash_table_iter_remove (&iter);
      }
  g_hash_table_remove_all (self->edited);
  if (changed->len == 0 && removed->len == 0 && !always)
    return;
  news->changed = g_steal_pointer (&changed);
  news->removed = g_steal_pointer (&removed);
}

static gboolean
read_all (Watcher *self, gboolean always, StudioRunNews *news, GError **error)
{
  g_autoptr (GPtrArray) runs = tosst_store_list (self->reader, NULL, NULL, error);
  g_autoptr (GHashTable) values
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  Values collected = { .runs = values };

  if (runs == NULL || !tosst_store_each_parameter (self->reader, self->last_run, add_value, &collected, error))
    return FALSE;
  self->read_at = g_get_monotonic_time ();
  compare (self, runs, values, always || self->version < 0, news);
  return TRUE;
}

static void
close_stores (Watcher *self)
{
  g_clear_pointer (&self->reader, tosst_store_free);
  g_clear_pointer (&self->writer, tosst_store_free);
}

/* FALSE without a store. A replaced file is reopened. */
static gboolean
ensure_reader (Watcher *self, TosstContext *context, GFile *file, GError **error)
{
  GStatBuf there;

  if (g_stat (g_file_peek_path (file), &there) != 0)
    {
      close_stores (self);
      return FALSE;
    }
  if (self->reader != NULL && self->device == (guint64)there.st_dev && self->inode == (guint64)there.st_ino)
    return TRUE;
  close_stores (self);
  self->reader = tosst_store_open (file, TOSST_STORE_READ, error);
  if (self->reader != NULL)
    tosst_store_set_cancel (self->reader, NULL, context);
  self->device = (guint64)there.st_dev;
  self->inode = (guint64)there.st_ino;
  self->version = -1;
  self->last_run = 0;
  return self->reader != NULL;
}

/* `always`: also without a change. error must not be NULL. */
static gboolean
look (Watcher *self, TosstContext *context, GFile *file, gboolean always, StudioRunNews *news, GError **error)
{
  gint64 version = 0;

  if (!ensure_reader (self, context, file, error))
    {
      g_autoptr (GPtrArray) none = g_ptr_array_new ();

      if (*error == NULL)
        compare (self, none, NULL, always, news);
      return *error == NULL;
    }
  if (!tosst_store_version (self->reader, &version, error))
    return FALSE;
  if (!always && version == self->version
      && !(self->any_running && g_get_monotonic_time () - self->read_at > OWNERS_US))
    return TRUE;
  if (!read_all (self, always, news, error))
    return FALSE;
  self->version = version;
  return TRUE;
}

/* Writing. Worker. */

static gboolean
write_edit (Watcher *self, GFile *file, const StudioRunEdit *edit, GError **error)
{
  if (self->writer == NULL)
    self->writer = tosst_store_open (file, TOSST_STORE_WRITE, error);
  if (self->writer == NULL)
    return FALSE;
  switch (edit->kind)
    {
    case STUDIO_EDIT_TITLE:
      return tosst_store_set_title (self->writer, edit->run, edit->text, error);
    case STUDIO_EDIT_NOTE:
      return tosst_store_set_note (self->writer, edit->run, edit->text, error);
    case STUDIO_EDIT_TAG:
    case STUDIO_EDIT_UNTAG:
      return tosst_store_tag (self->writer, edit->run, edit->text, edit->kind == STUDIO_EDIT_TAG, error);
    case STUDIO_EDIT_DELETE:
    default:
      return tosst_store_delete (self->writer, edit->run, error);
    }
}

/* Edited runs are reported again, even if the edit had no effect: the window may show another value. */
static void
apply (Watcher *self, GFile *file, const StudioRunEdit *edit, StudioRunNews *news)
{
  g_autoptr (GError) error = NULL;

  g_hash_table_add (self->edited, g_memdup2 (&edit->run, sizeof edit->run));
  if (write_edit (self, file, edit, &error))
    return;
  g_free (news->failure);
  news->failure = g_strdup (error->message);
}

static void
free_watcher (gpointer data)
{
  Watcher *self = data;

  close_stores (self);
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->edited);
  g_free (self);
}

static void
work (StudioWorker *worker, TosstContext *context, gpointer data, gpointer *session)
{
  const Question *question = data;
  gboolean first = *session == NULL;
  Watcher *self = *session = first ? g_new0 (Watcher, 1) : *session;
  g_autoptr (StudioRunNews) news = g_new0 (StudioRunNews, 1);
  g_autoptr (GError) error = NULL;

  if (first)
    {
      self->version = -1;
      self->known
          = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)studio_run_record_unref);
      self->edited = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    }
  for (guint i = 0; question->edits != NULL && i < question->edits->len; i++)
    apply (self, question->file, question->edits->pdata[i], news);
  news->edits = question->number;
  if (!look (self, context, question->file, first || question->edits != NULL, news, &error))
    news->problem = g_strdup (error->message);
  if (news->changed != NULL || news->problem != NULL)
    studio_worker_put (worker, g_steal_pointer (&news));
}

static void
free_question (gpointer data)
{
  Question *question = data;

  g_object_unref (question->file);
  g_clear_pointer (&question->edits, g_ptr_array_unref);
  g_free (question);
}

/* Main thread. */

StudioWorker *
studio_store_watcher_new (StudioNotifyFunc notify, gpointer data)
{
  static const StudioWork watching = { .work = work,
                                       .free_question = free_question,
                                       .free_answer = (GDestroyNotify)studio_run_news_free,
                                       .free_session = free_watcher,
                                       .queued = TRUE };

  return studio_worker_new (&watching, notify, data);
}

void
studio_store_watcher_ask (StudioWorker *self, GFile *file, GPtrArray *edits, guint64 number)
{
  Question *question = g_new (Question, 1);

  *question = (Question){ g_object_ref (file), edits, number };
  studio_worker_ask (self, question);
}

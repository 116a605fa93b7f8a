/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/run-list.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/recipe/recipe.h"
#include "studio/tasks/shared.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

#define HEADING_CHARS 32 /* of a name in a heading, which is a column or the legend of a chart */

/* What a worker reads from the store, and writes into it. */

#define OWNERS_US (5 * G_USEC_PER_SEC) /* interval of checking for crashed programs */

/* The value of a parameter. */
typedef struct
{
  const char *name; /* interned */
  char *text;       /* GRefString */
  double number;    /* value of a numeric text, else NAN */
} RunValue;

/* The record of a run in the store: reference-counted, immutable, any thread. */
typedef struct StudioRunRecord
{
  TosstStoreRun *run;
  GArray *values; /* RunValue, by name; NULL: none */
} RunRecord;

/* Changes since the last answer. */
typedef struct
{
  GPtrArray *changed; /* RunRecord *, new and changed runs, by id; NULL: none */
  GArray *removed;    /* gint64; NULL: none */
  guint64 edits;      /* number of the last edit written before this was read */
  char *problem;      /* why the store cannot be read, or NULL */
  char *failure;      /* why an edit could not be written, or NULL */
} RunNews;

typedef enum
{
  EDIT_DELETE,
  EDIT_TAG,
  EDIT_UNTAG,
  EDIT_TITLE,
  EDIT_NOTE,
} RunEditKind;

typedef struct
{
  gint64 run;
  RunEditKind kind;
  char *text; /* the tag, title or note; NULL to delete */
} RunEdit;

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
  GHashTable *known;  /* gint64 to RunRecord *, as last reported */
  GHashTable *edited; /* gint64: to be reported again */
} Watcher;

/* Records. */

static void run_record_unref (RunRecord *self);
STUDIO_DEFINE_UNREF (RunRecord, run_record_unref, (run, tosst_store_run_free), (values, g_array_unref))

static int
compare_value (gconstpointer a, gconstpointer b)
{
  return strcmp (((const RunValue *)a)->name, ((const RunValue *)b)->name);
}

static const RunValue *
run_record_find (const RunRecord *self, const char *name)
{
  const RunValue wanted = { .name = name };
  guint at;

  if (self->values == NULL || !g_array_binary_search (self->values, &wanted, compare_value, &at))
    return NULL;
  return &g_array_index (self->values, RunValue, at);
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
         && same_number (a->objective, b->objective) && same_number (a->residual, b->residual)
         && same_number (a->nonzeros, b->nonzeros) && strcmp (a->reason, b->reason) == 0
         && strcmp (a->title, b->title) == 0 && strcmp (a->note, b->note) == 0 && strcmp (a->tags, b->tags) == 0;
}

TOSST_DEFINE_FREE (RunNews, run_news_free, (changed, g_ptr_array_unref), (removed, g_array_unref), (problem, g_free),
                   (failure, g_free))

TOSST_DEFINE_FREE (RunEdit, run_edit_free, (text, g_free))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunNews, run_news_free)

/* Reading. Worker. */

static void
clear_value (gpointer value)
{
  g_ref_string_release (((RunValue *)value)->text);
}

/* Values of consecutive runs: most have the keys of the previous run, in the same order, and most of its texts. */
typedef struct
{
  GHashTable *runs; /* gint64 to GArray * of RunValue */
  gint64 run;
  GArray *values, *before;
} Values;

static void
add_value (gint64 run, const char *name, const char *text, double number, gpointer data)
{
  Values *self = data;
  const RunValue *like = NULL;
  RunValue value = { .number = number };

  if (run != self->run || self->values == NULL)
    {
      self->before = self->values;
      self->values = g_array_new (FALSE, FALSE, sizeof (RunValue));
      self->run = run;
      g_array_set_clear_func (self->values, clear_value);
      g_hash_table_insert (self->runs, g_memdup2 (&run, sizeof run), self->values);
    }
  if (self->before != NULL && self->values->len < self->before->len)
    like = &g_array_index (self->before, RunValue, self->values->len);
  value.name = like != NULL && strcmp (like->name, name) == 0 ? like->name : g_intern_string (name);
  value.text
      = like != NULL && strcmp (like->text, text) == 0 ? g_ref_string_acquire (like->text) : g_ref_string_new (text);
  g_array_append_val (self->values, value);
}

/* A record if the run is new or differs from the last report, else NULL. */
static RunRecord *
update_run (Watcher *self, GPtrArray *runs, guint i, GHashTable *values)
{
  TosstStoreRun *run = runs->pdata[i];
  const RunRecord *known = g_hash_table_lookup (self->known, &run->id);
  GArray *new_values = g_hash_table_lookup (values, &run->id);

  if (known != NULL && self->version >= 0 && !g_hash_table_contains (self->edited, &run->id)
      && same_run (known->run, run))
    return NULL;
  if (new_values == NULL && known != NULL)
    new_values = known->values;
  RunRecord *record = g_atomic_rc_box_new0 (RunRecord);
  record->run = g_steal_pointer (&runs->pdata[i]);
  record->values = new_values != NULL ? g_array_ref (new_values) : NULL;
  g_hash_table_insert (self->known, g_memdup2 (&run->id, sizeof run->id), g_atomic_rc_box_acquire (record));
  return record;
}

/* Fills in the news, if there are any. */
static void
compare (Watcher *self, GPtrArray *runs, GHashTable *values, gboolean always, RunNews *news)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func ((GDestroyNotify)run_record_unref);
  g_autoptr (GArray) removed = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  GHashTableIter iter;
  gint64 *id;

  self->any_running = FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      const TosstStoreRun *run = runs->pdata[i];
      RunRecord *record;

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
read_all (Watcher *self, gboolean always, RunNews *news, GError **error)
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
look (Watcher *self, TosstContext *context, GFile *file, gboolean always, RunNews *news, GError **error)
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
write_edit (Watcher *self, GFile *file, const RunEdit *edit, GError **error)
{
  if (self->writer == NULL)
    self->writer = tosst_store_open (file, TOSST_STORE_WRITE, error);
  if (self->writer == NULL)
    return FALSE;
  switch (edit->kind)
    {
    case EDIT_TITLE:
      return tosst_store_set_title (self->writer, edit->run, edit->text, error);
    case EDIT_NOTE:
      return tosst_store_set_note (self->writer, edit->run, edit->text, error);
    case EDIT_TAG:
    case EDIT_UNTAG:
      return tosst_store_tag (self->writer, edit->run, edit->text, edit->kind == EDIT_TAG, error);
    case EDIT_DELETE:
    default:
      return tosst_store_delete (self->writer, edit->run, error);
    }
}

/* Edited runs are reported again, even if the edit had no effect: the window may show another value. */
static void
apply (Watcher *self, GFile *file, const RunEdit *edit, RunNews *news)
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
work (StudioWorker *worker, TosstContext *context, const Question *question, gpointer *session)
{
  gboolean first = *session == NULL;
  Watcher *self = *session = first ? g_new0 (Watcher, 1) : *session;
  g_autoptr (RunNews) news = g_new0 (RunNews, 1);
  g_autoptr (GError) error = NULL;

  if (first)
    {
      self->version = -1;
      self->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)run_record_unref);
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

TOSST_DEFINE_FREE (Question, free_question, (file, g_object_unref), (edits, g_ptr_array_unref))

/* Main thread. */

/* edits: of RunEdit, owned by the worker from now on, or NULL; number: of the last edit of this or an earlier
 * request. */
static void
watcher_ask (StudioWorker *self, GFile *file, GPtrArray *edits, guint64 number)
{
  Question *question = g_new (Question, 1);

  *question = (Question){ g_object_ref (file), edits, number };
  studio_worker_ask (self, question);
}

/* Rows. */

G_DEFINE_FINAL_TYPE (StudioRunRow, studio_run_row, G_TYPE_OBJECT)

STUDIO_DEFINE_FINALIZE (StudioRunRow, studio_run_row, (record, run_record_unref), (tags, g_strfreev),
                        (other_tags, g_free), (title, g_free), (note, g_free))

static void
studio_run_row_class_init (StudioRunRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_run_row_finalize;
  studio_add_signal (klass, "changed", 0);
}

STUDIO_DEFINE_INIT (StudioRunRow, studio_run_row)

/* Edits. */

/* Takes ownership. */
static void
set_tags (StudioRunRow *self, char **tags)
{
  g_autoptr (GStrvBuilder) others = g_strv_builder_new ();

  for (char **tag = tags; *tag != NULL; tag++)
    if (strcmp (*tag, STUDIO_TAG_STAR) != 0 && strcmp (*tag, STUDIO_TAG_HIDDEN) != 0)
      g_strv_builder_add (others, *tag);
  g_auto (GStrv) strings = g_strv_builder_end (others);
  g_free (self->other_tags);
  self->other_tags = g_strjoinv (" ", strings);
  g_strfreev (self->tags);
  self->tags = tags;
  g_signal_emit_by_name (self, "changed");
}

static void
studio_run_row_set_tag (StudioRunRow *self, const char *name, gboolean on, guint64 edit)
{
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();

  self->edit = edit;
  for (char **tag = self->tags; *tag != NULL; tag++)
    {
      int order = strcmp (*tag, name);

      if (on && order > 0)
        g_strv_builder_add (tags, name);
      on = on && order <= 0;
      if (order != 0)
        g_strv_builder_add (tags, *tag);
    }
  if (on)
    g_strv_builder_add (tags, name);
  set_tags (self, g_strv_builder_end (tags));
}

static gboolean
lists_parameters (const char *title)
{
  g_auto (GStrv) words = g_strsplit (title, " ", -1);

  for (char **word = words; *word != NULL; word++)
    {
      char *value = strchr (*word, '=');

      if (value != NULL)
        *value = 0;
      if (value == NULL || tosst_parameter_find (*word) == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
take_title (StudioRunRow *self, const char *title)
{
  g_free (self->title);
  self->title = g_strdup (title);
  self->named = *title != 0 && !lists_parameters (title);
}

static void
studio_run_row_set_record (StudioRunRow *self, RunRecord *record)
{
  g_clear_pointer (&self->record, run_record_unref);
  self->record = g_atomic_rc_box_acquire (record);
  self->run = record->run;
  take_title (self, record->run->title);
  g_free (self->note);
  self->note = g_strdup (record->run->note);
  set_tags (self, g_strsplit (record->run->tags, " ", -1));
}

/* Only for runs/run-list.c. Edits are numbered. */
static StudioRunRow *
studio_run_row_new (RunRecord *record)
{
  StudioRunRow *self = g_object_new (STUDIO_TYPE_RUN_ROW, NULL);

  studio_run_row_set_record (self, record);
  return self;
}

/* Values. */

gboolean
studio_run_row_has_tag (StudioRunRow *self, const char *name)
{
  return g_strv_contains ((const char *const *)self->tags, name);
}

const char *
studio_run_row_get_name (StudioRunRow *self)
{
  return self->named ? self->title : "";
}

char *
studio_run_row_get_tag_words (StudioRunRow *self)
{
  g_auto (GStrv) tags = g_strsplit (self->other_tags, " ", -1);
  g_autofree char *text = g_strjoinv (" #", tags);

  return *text != 0 ? g_strconcat ("#", text, NULL) : g_strdup ("");
}

char *
studio_run_row_get_words (StudioRunRow *self)
{
  const char *name = studio_run_row_get_name (self);
  g_autofree char *tags = studio_run_row_get_tag_words (self);

  return g_strdup_printf ("%s%s%s", name, *name != 0 && *tags != 0 ? " " : "", tags);
}

char *
studio_run_row_get_heading (StudioRunRow *self)
{
  gint64 id = self->run->id;
  gboolean fits = g_utf8_strlen (self->title, -1) <= HEADING_CHARS;
  g_autofree char *start = g_utf8_substring (self->title, 0, fits ? -1 : HEADING_CHARS - 1);

  return self->named ? g_strdup_printf (fits ? _ ("Run %" PRId64 ": %s") : _ ("Run %" PRId64 ": %s…"), id, start)
                     : g_strdup_printf (_ ("Run %" PRId64), id);
}

const char *
studio_run_row_get_parameter (StudioRunRow *self, const char *name)
{
  const RunValue *value = run_record_find (self->record, name);

  return value != NULL ? value->text : "";
}

/* Figures of a run, and their display. */
static char *
percent_text (double value)
{
  return studio_format_percent (value, 1);
}

static char *
real_text (double value)
{
  return studio_format_real (value, 4);
}

static char *
time_text (double value)
{
  g_autoptr (GDateTime) time = isnan (value) ? NULL : g_date_time_new_from_unix_local ((gint64)value);

  return time != NULL ? g_date_time_format (time, "%x %R") : g_strdup ("–");
}

static const struct
{
  const char *key;
  gsize offset;
  char *(*text) (double value);
} numbers[] = {
  { "accuracy", G_STRUCT_OFFSET (TosstStoreRun, accuracy), percent_text },
  { "deviation", G_STRUCT_OFFSET (TosstStoreRun, deviation), percent_text },
  { "best", G_STRUCT_OFFSET (TosstStoreRun, best), percent_text },
  { "objective", G_STRUCT_OFFSET (TosstStoreRun, objective), real_text },
  { "nonzeros", G_STRUCT_OFFSET (TosstStoreRun, nonzeros), real_text },
  { "residual", G_STRUCT_OFFSET (TosstStoreRun, residual), real_text },
  { "queued", G_STRUCT_OFFSET (TosstStoreRun, queued), time_text },
  { "started", G_STRUCT_OFFSET (TosstStoreRun, started), time_text },
  { "finished", G_STRUCT_OFFSET (TosstStoreRun, finished), time_text },
};

static int
find_number (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (numbers[i].key, key) == 0)
      return (int)i;
  return -1;
}

double
studio_run_row_get_number (StudioRunRow *self, const char *key)
{
  const RunValue *value = run_record_find (self->record, key);
  const TosstStoreRun *run = self->run;
  int at = find_number (key);

  if (at >= 0)
    return G_STRUCT_MEMBER (double, run, numbers[at].offset);
  if (strcmp (key, "id") == 0)
    return (double)run->id;
  if (strcmp (key, "seconds") == 0)
    return run->seconds + run->shared;
  if (strcmp (key, "splits") == 0)
    return run->splits;
  return value != NULL ? value->number : NAN;
}

const char *
studio_run_row_get_score_label (StudioRunRow *self)
{
  g_autofree char *kind = studio_run_row_get_text (self, "dataset.kind");
  gboolean several = strcmp (kind, "voc2007") == 0 || strcmp (kind, "labels") == 0;

  return tosst_score_label (several ? TOSST_SCORE_AP11 : TOSST_SCORE_ACCURACY);
}

char *
studio_run_row_get_text (StudioRunRow *self, const char *key)
{
  const TosstStoreRun *run = self->run;
  const struct
  {
    const char *key, *text;
  } texts[] = { { "state", tosst_run_state_label (run->state) },
                { "reason", run->reason },
                { "title", self->title },
                { "note", self->note },
                { "tags", self->other_tags },
                { "dataset", run->dataset } };
  int at = find_number (key);

  if (at >= 0)
    return numbers[at].text (G_STRUCT_MEMBER (double, run, numbers[at].offset));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strcmp (texts[i].key, key) == 0)
      return g_strdup (texts[i].text);
  if (strcmp (key, "id") == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT, run->id);
  if (strcmp (key, "seconds") == 0)
    return studio_format_run_time (run->seconds, run->shared);
  if (strcmp (key, "splits") == 0)
    return g_strdup_printf ("%d", run->splits);
  const RunValue *value = run_record_find (self->record, key);
  if (value == NULL)
    return g_strdup ("");
  return isnan (value->number) ? g_strdup (value->text) : studio_number_from_c (value->text);
}

#define UNDO_SECONDS 8
#define FOR_GOOD G_MAXUINT /* a removal that can no longer be undone */

static void list_model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (StudioRunList, studio_run_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GHashTable *lists; /* path to StudioRunList *, those in use */

/* The model. */

static GType
get_item_type (GListModel *model)
{
  return STUDIO_TYPE_RUN_ROW;
}

static guint
get_n_items (GListModel *model)
{
  return STUDIO_RUN_LIST (model)->rows->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  StudioRunList *self = STUDIO_RUN_LIST (model);

  return position < self->rows->len ? g_object_ref (self->rows->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(StudioRunRow *const *)a)->run->id, y = (*(StudioRunRow *const *)b)->run->id;

  return x < y ? -1 : x > y;
}

static void
say_changed (StudioRunList *self, gboolean members)
{
  if (members)
    {
      g_autoptr (GPtrArray) old = g_steal_pointer (&self->rows);
      GHashTableIter iter;
      gpointer row;
      guint head = 0, tail = 0, shorter;

      /* The common head and tail are not reported as changed: an added run is one item. */
      self->rows = g_ptr_array_new_with_free_func (g_object_unref);
      g_hash_table_iter_init (&iter, self->by_id);
      while (g_hash_table_iter_next (&iter, NULL, &row))
        if (!g_hash_table_contains (self->removals, row))
          g_ptr_array_add (self->rows, g_object_ref (row));
      g_ptr_array_sort (self->rows, compare_rows);
      shorter = MIN (old->len, self->rows->len);
      while (head < shorter && old->pdata[head] == self->rows->pdata[head])
        head++;
      while (tail < shorter - head && old->pdata[old->len - 1 - tail] == self->rows->pdata[self->rows->len - 1 - tail])
        tail++;
      if (old->len != self->rows->len || head < shorter)
        g_list_model_items_changed (G_LIST_MODEL (self), head, old->len - head - tail, self->rows->len - head - tail);
    }
  g_signal_emit_by_name (self, "changed");
}

/* For a row that was edited after this was read, newer news are pending. */
static gboolean
take_record (StudioRunList *self, RunRecord *record, guint64 edits)
{
  StudioRunRow *row = g_hash_table_lookup (self->by_id, &record->run->id);

  if (row == NULL)
    {
      g_hash_table_insert (self->by_id, g_memdup2 (&record->run->id, sizeof (gint64)), studio_run_row_new (record));
      return TRUE;
    }
  if (row->edit <= edits)
    {
      studio_run_row_set_record (row, record);
      /* Its deletion failed. */
      if (row->edit > 0 && GPOINTER_TO_UINT (g_hash_table_lookup (self->removals, row)) == FOR_GOOD)
        return g_hash_table_remove (self->removals, row);
    }
  return FALSE;
}

static gboolean
take_news (StudioRunList *self, const RunNews *news)
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
on_news (StudioRunList *owner, RunNews *news)
{
  g_autoptr (StudioRunList) self = g_object_ref (owner);

  say_changed (self, take_news (self, news));
  if (news->failure != NULL)
    g_signal_emit_by_name (self, "failed", news->failure);
}

/* For one store: each request writes edits of the user and reads the runs that have changed since the previous one, by any
 * program. Without changes there is no answer, except to the first request and to those with edits. studio_worker_free()
 * waits until all edits are written. */
static const StudioWork watching = { .work = G_CALLBACK (work),
                                     .free_question = free_question,
                                     .free_answer = run_news_free,
                                     .free_session = free_watcher,
                                     .take = G_CALLBACK (on_news),
                                     .queued = TRUE };

/* Takes ownership of the edits; returns their common number. */
static guint64
write_edits (StudioRunList *self, GPtrArray *edits)
{
  watcher_ask (self->watcher, self->file, edits, ++self->edits);
  return self->edits;
}

/* Only other programs write without a call of studio_run_list_refresh(). */
static gboolean
on_poll (StudioRunList *self)
{
  if (!studio_worker_is_busy (self->watcher))
    watcher_ask (self->watcher, self->file, NULL, self->edits);
  return G_SOURCE_CONTINUE;
}

static GPtrArray *
edits_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)run_edit_free);
}

static RunEdit *
edit_new (StudioRunRow *row, RunEditKind kind, const char *text)
{
  RunEdit *edit = g_new (RunEdit, 1);

  *edit = (RunEdit){ row->run->id, kind, g_strdup (text) };
  return edit;
}

/* All, if the number is 0. Rows stay hidden until the store confirms or refuses their deletion. */
static void
remove_for_good (StudioRunList *self, guint removal)
{
  GPtrArray *edits = edits_new ();
  GHashTableIter iter;
  gpointer row, number;

  g_hash_table_iter_init (&iter, self->removals);
  while (g_hash_table_iter_next (&iter, &row, &number))
    if (GPOINTER_TO_UINT (number) != FOR_GOOD && (removal == 0 || GPOINTER_TO_UINT (number) == removal))
      {
        g_hash_table_iter_replace (&iter, GUINT_TO_POINTER (FOR_GOOD));
        ((StudioRunRow *)row)->edit = self->edits + 1;
        g_ptr_array_add (edits, edit_new (row, EDIT_DELETE, NULL));
      }
  if (edits->len > 0)
    write_edits (self, edits);
  else
    g_ptr_array_unref (edits);
}

static void
studio_run_list_dispose (GObject *object)
{
  StudioRunList *self = STUDIO_RUN_LIST (object);

  if (self->watcher != NULL)
    {
      remove_for_good (self, 0);
      g_hash_table_remove (lists, g_file_peek_path (self->file));
    }
  g_clear_handle_id (&self->poll_source, g_source_remove);
  g_clear_pointer (&self->watcher, studio_worker_free);
  G_OBJECT_CLASS (studio_run_list_parent_class)->dispose (object);
}

STUDIO_DEFINE_FINALIZE (StudioRunList, studio_run_list, (rows, g_ptr_array_unref), (removals, g_hash_table_unref),
                        (by_id, g_hash_table_unref), (file, g_object_unref), (problem, g_free))

static void
studio_run_list_class_init (StudioRunListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_run_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_run_list_finalize;
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "failed", 1, G_TYPE_STRING);
}

static void
studio_run_list_init (StudioRunList *self)
{
  self->by_id = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_object_unref);
  self->removals = g_hash_table_new (NULL, NULL);
  self->rows = g_ptr_array_new_with_free_func (g_object_unref);
}

StudioRunList *
studio_run_list_get (GFile *file)
{
  const char *path = g_file_peek_path (file);
  StudioRunList *self = lists != NULL ? g_hash_table_lookup (lists, path) : NULL;

  if (self != NULL)
    return g_object_ref (self);
  if (lists == NULL)
    lists = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self = g_object_new (STUDIO_TYPE_RUN_LIST, NULL);
  self->file = g_object_ref (file);
  self->watcher = studio_worker_new (&watching, NULL, self);
  self->poll_source = g_timeout_add_seconds (1, G_SOURCE_FUNC (on_poll), self);
  on_poll (self);
  g_hash_table_insert (lists, g_strdup (path), self);
  return self;
}

StudioRunRow *
studio_run_list_find (StudioRunList *self, gint64 id)
{
  gpointer row = g_hash_table_lookup (self->by_id, &id);

  return row != NULL && !g_hash_table_contains (self->removals, row) ? row : NULL;
}

void
studio_run_list_refresh (GFile *file)
{
  StudioRunList *self = lists != NULL ? g_hash_table_lookup (lists, g_file_peek_path (file)) : NULL;

  if (self != NULL)
    watcher_ask (self->watcher, self->file, NULL, self->edits);
}

void
studio_run_list_set_tag (StudioRunList *self, StudioRunRow *row, const char *tag, gboolean on)
{
  if (studio_run_row_has_tag (row, tag) == on)
    return;
  GPtrArray *edits = edits_new ();
  g_ptr_array_add (edits, edit_new (row, on ? EDIT_TAG : EDIT_UNTAG, tag));
  studio_run_row_set_tag (row, tag, on, write_edits (self, edits));
  say_changed (self, FALSE);
}

/* Words, each once, without the marks of the views. "#best" is the tag "best". */
static char **
read_tags (const char *text)
{
  g_auto (GStrv) words = g_strsplit_set (text, " ,\t\n", -1);
  g_autoptr (GPtrArray) tags = g_ptr_array_new_with_free_func (g_free);

  for (char **word = words; *word != NULL; word++)
    {
      const char *tag = *word + strspn (*word, "#");

      if (*tag != 0 && strcmp (tag, STUDIO_TAG_STAR) != 0 && strcmp (tag, STUDIO_TAG_HIDDEN) != 0
          && !g_ptr_array_find_with_equal_func (tags, tag, g_str_equal, NULL))
        g_ptr_array_add (tags, g_strdup (tag));
    }
  g_ptr_array_add (tags, NULL);
  return (char **)g_ptr_array_steal (tags, NULL);
}

static void
show_edit (StudioRunRow *row, const RunEdit *edit, guint64 number)
{
  if (edit->kind == EDIT_TITLE)
    {
      row->edit = number;
      take_title (row, edit->text);
      g_signal_emit_by_name (row, "changed");
    }
  else if (edit->kind == EDIT_NOTE)
    {
      row->edit = number;
      g_free (row->note);
      row->note = g_strdup (edit->text);
      g_signal_emit_by_name (row, "changed");
    }
  else
    studio_run_row_set_tag (row, edit->text, edit->kind == EDIT_TAG, number);
}

void
studio_run_list_describe (StudioRunList *self, StudioRunRow *row, const char *title, const char *note, const char *tags)
{
  GPtrArray *edits = edits_new ();

  if (strcmp (title, row->title) != 0)
    g_ptr_array_add (edits, edit_new (row, EDIT_TITLE, title));
  if (strcmp (note, row->note) != 0)
    g_ptr_array_add (edits, edit_new (row, EDIT_NOTE, note));
  g_auto (GStrv) before = g_strsplit (row->other_tags, " ", -1);
  g_auto (GStrv) after = read_tags (tags);
  for (char **tag = before; *tag != NULL; tag++)
    if (**tag != 0 && !g_strv_contains ((const char *const *)after, *tag))
      g_ptr_array_add (edits, edit_new (row, EDIT_UNTAG, *tag));
  for (char **tag = after; *tag != NULL; tag++)
    if (!g_strv_contains ((const char *const *)before, *tag))
      g_ptr_array_add (edits, edit_new (row, EDIT_TAG, *tag));
  /* The worker owns them once they are written. */
  for (guint i = 0; i < edits->len; i++)
    show_edit (row, edits->pdata[i], self->edits + 1);
  if (edits->len == 0)
    {
      g_ptr_array_unref (edits);
      return;
    }
  write_edits (self, edits);
  say_changed (self, FALSE);
}

/* Deleting. */

/* Removes runs from the list at once, and from the store later; until then they can be restored. Returns a number for
 * both. */
static guint
remove_rows (StudioRunList *self, const GPtrArray *rows)
{
  guint removal = ++self->last_removal;

  for (guint i = 0; i < rows->len; i++)
    g_hash_table_insert (self->removals, rows->pdata[i], GUINT_TO_POINTER (removal));
  say_changed (self, TRUE);
  return removal;
}

static void
put_back (StudioRunList *self, guint removal)
{
  GHashTableIter iter;
  gpointer number;

  g_hash_table_iter_init (&iter, self->removals);
  while (g_hash_table_iter_next (&iter, NULL, &number))
    if (GPOINTER_TO_UINT (number) == removal)
      g_hash_table_iter_remove (&iter);
  say_changed (self, TRUE);
}

typedef struct
{
  StudioRunList *list;
  guint removal;
} Deletion;

static void
deletion_free (Deletion *deletion, GClosure *closure)
{
  g_object_unref (deletion->list);
  g_free (deletion);
}

static void
on_undo (AdwToast *toast, Deletion *deletion)
{
  put_back (deletion->list, deletion->removal);
}

/* Also after “Undo”, when there is nothing to delete. */
static void
on_dismissed (AdwToast *toast, Deletion *deletion)
{
  remove_for_good (deletion->list, deletion->removal);
}

static char *
describe_deletion (const GPtrArray *rows, guint running)
{
  if (rows->len == 0)
    return g_strdup (ngettext ("A run that is running cannot be deleted; stop it first",
                               "Runs that are running cannot be deleted; stop them first", running));
  if (running > 0)
    return g_strdup_printf (
        ngettext ("%u run deleted; running ones are kept", "%u runs deleted; running ones are kept", rows->len),
        rows->len);
  if (rows->len == 1)
    return g_strdup_printf (_ ("Run %" PRId64 " deleted"), ((StudioRunRow *)rows->pdata[0])->run->id);
  return g_strdup_printf (ngettext ("%u run deleted", "%u runs deleted", rows->len), rows->len);
}

void
studio_run_list_delete (StudioRunList *self, const GPtrArray *rows, AdwToastOverlay *toasts)
{
  g_autoptr (GPtrArray) idle = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < rows->len; i++)
    if (((StudioRunRow *)rows->pdata[i])->run->state != TOSST_RUN_RUNNING)
      g_ptr_array_add (idle, g_object_ref (rows->pdata[i]));
  g_autofree char *text = describe_deletion (idle, rows->len - idle->len);
  AdwToast *toast = studio_toast_new (text);
  if (idle->len > 0)
    {
      Deletion *deletion = g_new0 (Deletion, 1);

      deletion->list = g_object_ref (self);
      deletion->removal = remove_rows (self, idle);
      adw_toast_set_button_label (toast, _ ("_Undo"));
      adw_toast_set_timeout (toast, UNDO_SECONDS);
      g_signal_connect (toast, "button-clicked", G_CALLBACK (on_undo), deletion);
      g_signal_connect_data (toast, "dismissed", G_CALLBACK (on_dismissed), deletion, (GClosureNotify)deletion_free, 0);
    }
  adw_toast_overlay_add_toast (toasts, toast);
}

/* A run is stored under a number, and found again by what its user wrote about it: a name, tags and a note. */

#define NOTE_LINES 90 /* height of the note in pixels: four lines; it scrolls */

typedef struct
{
  StudioRunList *list;
  StudioRunRow *row;
  GtkWidget *dialog, *name, *tags;
  GtkTextBuffer *note;
} Editor;

static void
editor_free (Editor *self, GClosure *closure)
{
  g_object_unref (self->list);
  g_object_unref (self->row);
  g_free (self);
}

static char *
text_of (GtkTextBuffer *buffer)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* The title of a run of a sweep, which lists parameters, stays as long as no name is given. */
static char *
title_of (Editor *self)
{
  const char *before = studio_run_row_get_name (self->row);
  g_autofree char *name = tosst_clean_line (gtk_editable_get_text (GTK_EDITABLE (self->name)));

  g_strstrip (name);
  return *name == 0 && *before == 0 ? g_strdup (self->row->title) : g_steal_pointer (&name);
}

static void
on_response (AdwMessageDialog *dialog, const char *response, Editor *self)
{
  gint64 id = self->row->run->id;

  /* The run may have been deleted by another program meanwhile. */
  if (strcmp (response, "save") != 0 || studio_run_list_find (self->list, id) != self->row)
    return;
  g_autofree char *title = title_of (self);
  g_autofree char *note = g_strchomp (text_of (self->note));
  studio_run_list_describe (self->list, self->row, title, note, gtk_editable_get_text (GTK_EDITABLE (self->tags)));
}

/* Return in a line saves, as in other dialogs. */
static void
on_activate (Editor *self)
{
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (self->dialog), "save");
  gtk_window_destroy (GTK_WINDOW (self->dialog));
}

static GtkWidget *
add_entry (Editor *self, GtkWidget *group, const char *title, const char *text)
{
  GtkWidget *entry = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (entry), title);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_connect_swapped (entry, "entry-activated", G_CALLBACK (on_activate), self);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), entry);
  return entry;
}

/* Tab leaves it: a note has no columns. */
static GtkWidget *
note_new (Editor *self)
{
  GtkWidget *view = gtk_text_view_new (), *scroller = gtk_scrolled_window_new ();
  GtkWidget *title = studio_label (_ ("Note"), "heading", NULL);

  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (view), 9);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (view), 9);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (view), 9);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (view), 9);
  studio_set_name (view, _ ("Note"));
  self->note = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  gtk_text_buffer_set_text (self->note, self->row->note, -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), view);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroller), NOTE_LINES);
  gtk_widget_set_overflow (scroller, GTK_OVERFLOW_HIDDEN);
  studio_add_classes (scroller, "card", NULL);
  return studio_column (6, title, scroller, NULL);
}

GtkWidget *
studio_run_editor_present (GtkWidget *parent, StudioRunList *list, StudioRunRow *row)
{
  Editor *self = g_new0 (Editor, 1);
  GtkWidget *group = adw_preferences_group_new ();
  g_autofree char *heading = g_strdup_printf (_ ("Run %" PRId64), row->run->id);

  self->list = g_object_ref (list);
  self->row = g_object_ref (row);
  self->dialog = adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (parent)), heading,
                                         _ ("The name and the tags are shown in lists, comparisons and reports."));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (self->dialog);
  self->name = add_entry (self, group, _ ("Name"), studio_run_row_get_name (row));
  self->tags = add_entry (self, group, _ ("Tags, separated by spaces"), row->other_tags);
  adw_message_dialog_set_extra_child (dialog, studio_column (12, group, note_new (self), NULL));
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "save", _ ("_Save"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "save");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), self, (GClosureNotify)editor_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (self->name);
  return self->dialog;
}

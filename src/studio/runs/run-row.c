/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/run-row.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/recipe/recipe.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"

#define HEADING_CHARS 32 /* of a name in a heading, which is a column or the legend of a chart */

struct _StudioRunRow
{
  GObject parent_instance;
  StudioRunRecord *record;
  guint64 edit; /* number of the last edit; 0: none */

  /* With pending edits. */
  char **tags; /* sorted */
  char *other_tags;
  char *title, *note;
  gboolean named; /* the title is a name */
};

G_DEFINE_FINAL_TYPE (StudioRunRow, studio_run_row, G_TYPE_OBJECT)

static void
studio_run_row_finalize (GObject *object)
{
  StudioRunRow *self = STUDIO_RUN_ROW (object);

  g_clear_pointer (&self->record, studio_run_record_unref);
  g_strfreev (self->tags);
  g_free (self->other_tags);
  g_free (self->title);
  g_free (self->note);
  G_OBJECT_CLASS (studio_run_row_parent_class)->finalize (object);
}

static void
studio_run_row_class_init (StudioRunRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_run_row_finalize;
  studio_add_signal (klass, "changed", 0);
}

static void
studio_run_row_init (StudioRunRow *self)
{
}

/* Edits. */

/* Takes ownership. */
static void
set_tags (StudioRunRow *self, char **tags)
{
  g_autoptr (GStrvBuilder) others = g_strv_builder_new ();
  g_auto (GStrv) strings = NULL;

  for (char **tag = tags; *tag != NULL; tag++)
    if (strcmp (*tag, STUDIO_TAG_STAR) != 0 && strcmp (*tag, STUDIO_TAG_HIDDEN) != 0)
      g_strv_builder_add (others, *tag);
  strings = g_strv_builder_end (others);
  g_free (self->other_tags);
  self->other_tags = g_strjoinv (" ", strings);
  g_strfreev (self->tags);
  self->tags = tags;
  g_signal_emit_by_name (self, "changed");
}

void
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

void
studio_run_row_set_title (StudioRunRow *self, const char *title, guint64 edit)
{
  self->edit = edit;
  take_title (self, title);
  g_signal_emit_by_name (self, "changed");
}

void
studio_run_row_set_note (StudioRunRow *self, const char *note, guint64 edit)
{
  self->edit = edit;
  g_free (self->note);
  self->note = g_strdup (note);
  g_signal_emit_by_name (self, "changed");
}

void
studio_run_row_set_edit_number (StudioRunRow *self, guint64 number)
{
  self->edit = number;
}

guint64
studio_run_row_get_edit_number (StudioRunRow *self)
{
  return self->edit;
}

void
studio_run_row_set_record (StudioRunRow *self, StudioRunRecord *record)
{
  g_clear_pointer (&self->record, studio_run_record_unref);
  self->record = studio_run_record_ref (record);
  take_title (self, record->run->title);
  g_free (self->note);
  self->note = g_strdup (record->run->note);
  set_tags (self, g_strsplit (record->run->tags, " ", -1));
}

StudioRunRow *
studio_run_row_new (StudioRunRecord *record)
{
  StudioRunRow *self = g_object_new (STUDIO_TYPE_RUN_ROW, NULL);

  studio_run_row_set_record (self, record);
  return self;
}

/* Values. */

gint64
studio_run_row_get_id (StudioRunRow *self)
{
  return self->record->run->id;
}

const TosstStoreRun *
studio_run_row_get_run (StudioRunRow *self)
{
  return self->record->run;
}

gboolean
studio_run_row_has_tag (StudioRunRow *self, const char *name)
{
  return g_strv_contains ((const char *const *)self->tags, name);
}

const char *
studio_run_row_get_tags (StudioRunRow *self)
{
  return self->other_tags;
}

const char *
studio_run_row_get_title (StudioRunRow *self)
{
  return self->title;
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

const char *
studio_run_row_get_note (StudioRunRow *self)
{
  return self->note;
}

char *
studio_run_row_get_heading (StudioRunRow *self)
{
  gint64 id = studio_run_row_get_id (self);
  gboolean fits = g_utf8_strlen (self->title, -1) <= HEADING_CHARS;
  g_autofree char *start = g_utf8_substring (self->title, 0, fits ? -1 : HEADING_CHARS - 1);

  return self->named ? g_strdup_printf (fits ? _ ("Run %" PRId64 ": %s") : _ ("Run %" PRId64 ": %s…"), id, start)
                     : g_strdup_printf (_ ("Run %" PRId64), id);
}

const char *
studio_run_row_get_parameter (StudioRunRow *self, const char *name)
{
  const StudioRunValue *value = studio_run_record_find (self->record, name);

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
  const StudioRunValue *value = studio_run_record_find (self->record, key);
  const TosstStoreRun *run = self->record->run;
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
  const TosstStoreRun *run = self->record->run;
  const struct
  {
    const char *key, *text;
  } texts[] = { { "state", tosst_run_state_label (run->state) },
                { "reason", run->reason },
                { "title", self->title },
                { "note", self->note },
                { "tags", self->other_tags },
                { "dataset", run->dataset } };
  const StudioRunValue *value;
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
  value = studio_run_record_find (self->record, key);
  if (value == NULL)
    return g_strdup ("");
  return isnan (value->number) ? g_strdup (value->text) : studio_number_from_c (value->text);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/run-row.h"

#include <math.h>
#include <string.h>

#include "studio/widgets/format.h"

struct _StudioRunRow
{
  GObject parent_instance;
  StudioRunRecord *record;
  guint serial;
  guint64 edit; /* number of the last edit; 0: none */

  /* Values with pending edits. */
  char *title, *note;
  GPtrArray *tags; /* char *, sorted, without the two tags below */
  char *tags_text;
  gboolean star, hidden;
};

G_DEFINE_FINAL_TYPE (StudioRunRow, studio_run_row, G_TYPE_OBJECT)

enum
{
  PROP_SERIAL = 1,
  PROP_STAR,
  PROP_HIDDEN,
  PROP_TITLE,
  PROP_NOTE,
  PROP_TAGS,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];

static void
studio_run_row_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioRunRow *self = STUDIO_RUN_ROW (object);

  switch (id)
    {
    case PROP_SERIAL:
      g_value_set_uint (value, self->serial);
      break;
    case PROP_STAR:
      g_value_set_boolean (value, self->star);
      break;
    case PROP_HIDDEN:
      g_value_set_boolean (value, self->hidden);
      break;
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    case PROP_NOTE:
      g_value_set_string (value, self->note);
      break;
    case PROP_TAGS:
      g_value_set_string (value, self->tags_text);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
studio_run_row_finalize (GObject *object)
{
  StudioRunRow *self = STUDIO_RUN_ROW (object);

  g_clear_pointer (&self->record, studio_run_record_unref);
  g_ptr_array_unref (self->tags);
  g_free (self->tags_text);
  g_free (self->title);
  g_free (self->note);
  G_OBJECT_CLASS (studio_run_row_parent_class)->finalize (object);
}

static void
studio_run_row_class_init (StudioRunRowClass *klass)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  G_OBJECT_CLASS (klass)->get_property = studio_run_row_get_property;
  G_OBJECT_CLASS (klass)->finalize = studio_run_row_finalize;
  props[PROP_SERIAL] = g_param_spec_uint ("serial", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_STAR] = g_param_spec_boolean ("star", NULL, NULL, FALSE, flags);
  props[PROP_HIDDEN] = g_param_spec_boolean ("hidden", NULL, NULL, FALSE, flags);
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, "", flags);
  props[PROP_NOTE] = g_param_spec_string ("note", NULL, NULL, "", flags);
  props[PROP_TAGS] = g_param_spec_string ("tags", NULL, NULL, "", flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
}

static void
studio_run_row_init (StudioRunRow *self)
{
  self->title = g_strdup ("");
  self->note = g_strdup ("");
  self->tags = g_ptr_array_new_with_free_func (g_free);
  self->tags_text = g_strdup ("");
}

/* Edits. */

static void
set_string (StudioRunRow *self, char **field, const char *text, guint property)
{
  if (strcmp (*field, text) == 0)
    return;
  g_free (*field);
  *field = g_strdup (text);
  g_object_notify_by_pspec (G_OBJECT (self), props[property]);
}

static void
set_flag (StudioRunRow *self, gboolean *field, gboolean on, guint property)
{
  if (*field == on)
    return;
  *field = on;
  g_object_notify_by_pspec (G_OBJECT (self), props[property]);
}

static void
show_tags (StudioRunRow *self)
{
  g_autofree char *text = NULL;

  g_ptr_array_add (self->tags, NULL);
  text = g_strjoinv (" ", (char **)self->tags->pdata);
  g_ptr_array_set_size (self->tags, (int)self->tags->len - 1);
  set_string (self, &self->tags_text, text, PROP_TAGS);
}

static int
compare_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
set_tag (StudioRunRow *self, const char *tag, gboolean on)
{
  guint at;
  gboolean there = g_ptr_array_find_with_equal_func (self->tags, tag, g_str_equal, &at);

  if (on && !there)
    {
      g_ptr_array_add (self->tags, g_strdup (tag));
      g_ptr_array_sort (self->tags, compare_text);
    }
  else if (!on && there)
    g_ptr_array_remove_index (self->tags, at);
  show_tags (self);
}

static void
set_tags (StudioRunRow *self, const char *all)
{
  g_auto (GStrv) tags = g_strsplit (all, " ", -1);
  gboolean star = FALSE, hidden = FALSE;

  g_ptr_array_set_size (self->tags, 0);
  for (char **tag = tags; *tag != NULL; tag++)
    if (strcmp (*tag, STUDIO_TAG_STAR) == 0)
      star = TRUE;
    else if (strcmp (*tag, STUDIO_TAG_HIDDEN) == 0)
      hidden = TRUE;
    else if (**tag != 0)
      g_ptr_array_add (self->tags, g_strdup (*tag));
  show_tags (self);
  set_flag (self, &self->star, star, PROP_STAR);
  set_flag (self, &self->hidden, hidden, PROP_HIDDEN);
}

static void
say_changed (StudioRunRow *self)
{
  self->serial++;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SERIAL]);
}

void
studio_run_row_edit (StudioRunRow *self, StudioRunEditKind kind, const char *text, gboolean on)
{
  if (kind == STUDIO_RUN_EDIT_NOTE)
    set_string (self, &self->note, text, PROP_NOTE);
  else if (kind == STUDIO_RUN_EDIT_TITLE)
    set_string (self, &self->title, text, PROP_TITLE);
  else if (kind == STUDIO_RUN_EDIT_TAG && strcmp (text, STUDIO_TAG_STAR) == 0)
    set_flag (self, &self->star, on, PROP_STAR);
  else if (kind == STUDIO_RUN_EDIT_TAG && strcmp (text, STUDIO_TAG_HIDDEN) == 0)
    set_flag (self, &self->hidden, on, PROP_HIDDEN);
  else if (kind == STUDIO_RUN_EDIT_TAG)
    set_tag (self, text, on);
  say_changed (self);
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
  studio_run_record_ref (record);
  g_clear_pointer (&self->record, studio_run_record_unref);
  self->record = record;
  set_string (self, &self->title, record->run->title, PROP_TITLE);
  set_string (self, &self->note, record->run->note, PROP_NOTE);
  set_tags (self, record->run->tags);
  say_changed (self);
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
studio_run_row_get_star (StudioRunRow *self)
{
  return self->star;
}

gboolean
studio_run_row_get_hidden (StudioRunRow *self)
{
  return self->hidden;
}

const char *
studio_run_row_get_title (StudioRunRow *self)
{
  return self->title;
}

const char *
studio_run_row_get_note (StudioRunRow *self)
{
  return self->note;
}

const char *
studio_run_row_get_tags (StudioRunRow *self)
{
  return self->tags_text;
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
                { "tags", self->tags_text },
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

gboolean
studio_run_row_is_in_sweep (StudioRunRow *self, gint64 sweep, int *number)
{
  const GArray *members = self->record->members;

  for (guint i = 0; members != NULL && i < members->len; i++)
    {
      const StudioRunMember *member = &g_array_index (members, StudioRunMember, i);

      if (member->sweep != sweep)
        continue;
      if (number != NULL)
        *number = member->number;
      return TRUE;
    }
  return FALSE;
}

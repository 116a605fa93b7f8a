/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/runs/run-list.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "studio/runs/run-registry.h"

#define UNDO_SECONDS 8

struct _StudioRunList
{
  GObject parent_instance;
  StudioRunRegistry *registry;
  gint64 sweep;
  GPtrArray *rows; /* StudioRunRow * */
  gboolean loaded;
  char *problem;
};

static void list_model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (StudioRunList, studio_run_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

enum
{
  PROP_SWEEP = 1,
  PROP_LOADED,
  PROP_PROBLEM,
  N_PROPS,
};

enum
{
  CHANGED,
  FAILED,
  N_SIGNALS,
};

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

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
compare_place (gconstpointer a, gconstpointer b, gpointer data)
{
  StudioRunList *self = data;
  int x = 0, y = 0;

  studio_run_row_is_in_sweep (*(StudioRunRow *const *)a, self->sweep, &x);
  studio_run_row_is_in_sweep (*(StudioRunRow *const *)b, self->sweep, &y);
  return x < y ? -1 : x > y;
}

/* StudioRunRow *, new. */
static GPtrArray *
collect (StudioRunList *self)
{
  const GPtrArray *all = studio_run_registry_get_rows (self->registry);
  GPtrArray *rows = g_ptr_array_new_full (all->len, g_object_unref);

  for (guint i = 0; i < all->len; i++)
    if (self->sweep == 0 || studio_run_row_is_in_sweep (all->pdata[i], self->sweep, NULL))
      g_ptr_array_add (rows, g_object_ref (all->pdata[i]));
  if (self->sweep != 0)
    g_ptr_array_sort_with_data (rows, compare_place, self);
  return rows;
}

/* The common head and tail are not reported as changed: an added run is one item. */
static void
update_rows (StudioRunList *self)
{
  g_autoptr (GPtrArray) old = g_steal_pointer (&self->rows);
  guint head = 0, tail = 0, shorter;

  self->rows = collect (self);
  shorter = MIN (old->len, self->rows->len);
  while (head < shorter && old->pdata[head] == self->rows->pdata[head])
    head++;
  while (tail < shorter - head && old->pdata[old->len - 1 - tail] == self->rows->pdata[self->rows->len - 1 - tail])
    tail++;
  if (old->len != self->rows->len || head < shorter)
    g_list_model_items_changed (G_LIST_MODEL (self), head, old->len - head - tail, self->rows->len - head - tail);
}

static void
on_registry_changed (StudioRunList *self)
{
  gboolean loaded = studio_run_registry_is_loaded (self->registry);
  const char *problem = studio_run_registry_get_problem (self->registry);

  /* Sweeps may include earlier runs. */
  update_rows (self);
  if (loaded != self->loaded)
    {
      self->loaded = loaded;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_LOADED]);
    }
  if (g_strcmp0 (self->problem, problem) != 0)
    {
      g_free (self->problem);
      self->problem = g_strdup (problem);
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROBLEM]);
    }
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
on_registry_failed (StudioRunList *self, const char *sentence)
{
  g_signal_emit (self, signals[FAILED], 0, sentence);
}

/* The object. */

static void
studio_run_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  StudioRunList *self = STUDIO_RUN_LIST (object);

  if (id == PROP_SWEEP)
    g_value_set_int64 (value, self->sweep);
  else if (id == PROP_LOADED)
    g_value_set_boolean (value, self->loaded);
  else if (id == PROP_PROBLEM)
    g_value_set_string (value, self->problem);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
studio_run_list_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SWEEP)
    studio_run_list_set_sweep (STUDIO_RUN_LIST (object), g_value_get_int64 (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
studio_run_list_finalize (GObject *object)
{
  StudioRunList *self = STUDIO_RUN_LIST (object);

  g_ptr_array_unref (self->rows);
  g_free (self->problem);
  if (self->registry != NULL)
    g_signal_handlers_disconnect_by_data (self->registry, self);
  g_clear_object (&self->registry);
  G_OBJECT_CLASS (studio_run_list_parent_class)->finalize (object);
}

static void
studio_run_list_class_init (StudioRunListClass *klass)
{
  const GParamFlags flags = G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  G_OBJECT_CLASS (klass)->get_property = studio_run_list_get_property;
  G_OBJECT_CLASS (klass)->set_property = studio_run_list_set_property;
  G_OBJECT_CLASS (klass)->finalize = studio_run_list_finalize;
  props[PROP_SWEEP] = g_param_spec_int64 ("sweep", NULL, NULL, 0, G_MAXINT64, 0, G_PARAM_READWRITE | flags);
  props[PROP_LOADED] = g_param_spec_boolean ("loaded", NULL, NULL, FALSE, G_PARAM_READABLE | flags);
  props[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL, G_PARAM_READABLE | flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  signals[CHANGED]
      = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
studio_run_list_init (StudioRunList *self)
{
  self->rows = g_ptr_array_new_with_free_func (g_object_unref);
}

StudioRunList *
studio_run_list_new (GFile *file, gint64 sweep)
{
  StudioRunList *self = g_object_new (STUDIO_TYPE_RUN_LIST, NULL);

  self->registry = studio_run_registry_get (file);
  self->sweep = sweep;
  g_signal_connect_swapped (self->registry, "changed", G_CALLBACK (on_registry_changed), self);
  g_signal_connect_swapped (self->registry, "failed", G_CALLBACK (on_registry_failed), self);
  self->loaded = studio_run_registry_is_loaded (self->registry);
  self->problem = g_strdup (studio_run_registry_get_problem (self->registry));
  update_rows (self);
  return self;
}

GFile *
studio_run_list_get_file (StudioRunList *self)
{
  return studio_run_registry_get_file (self->registry);
}

void
studio_run_list_set_sweep (StudioRunList *self, gint64 sweep)
{
  if (self->sweep == sweep)
    return;
  self->sweep = sweep;
  update_rows (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SWEEP]);
}

gint64
studio_run_list_get_sweep (StudioRunList *self)
{
  return self->sweep;
}

gboolean
studio_run_list_is_loaded (StudioRunList *self)
{
  return self->loaded;
}

const char *
studio_run_list_get_problem (StudioRunList *self)
{
  return self->problem;
}

StudioRunRow *
studio_run_list_find (StudioRunList *self, gint64 id)
{
  return studio_run_registry_find (self->registry, id);
}

void
studio_run_list_refresh (StudioRunList *self)
{
  studio_run_registry_refresh (studio_run_list_get_file (self));
}

/* Edits. */

void
studio_run_list_set_star (StudioRunList *self, StudioRunRow *row, gboolean star)
{
  if (studio_run_row_get_star (row) != star)
    studio_run_registry_edit (self->registry, row, STUDIO_RUN_EDIT_TAG, STUDIO_TAG_STAR, star);
}

void
studio_run_list_set_hidden (StudioRunList *self, StudioRunRow *row, gboolean hidden)
{
  if (studio_run_row_get_hidden (row) != hidden)
    studio_run_registry_edit (self->registry, row, STUDIO_RUN_EDIT_TAG, STUDIO_TAG_HIDDEN, hidden);
}

void
studio_run_list_set_tag (StudioRunList *self, StudioRunRow *row, const char *tag, gboolean on)
{
  studio_run_registry_edit (self->registry, row, STUDIO_RUN_EDIT_TAG, tag, on);
}

void
studio_run_list_set_note (StudioRunList *self, StudioRunRow *row, const char *note)
{
  studio_run_registry_edit (self->registry, row, STUDIO_RUN_EDIT_NOTE, note, FALSE);
}

void
studio_run_list_set_title (StudioRunList *self, StudioRunRow *row, const char *title)
{
  studio_run_registry_edit (self->registry, row, STUDIO_RUN_EDIT_TITLE, title, FALSE);
}

/* Deleting. */

typedef struct
{
  StudioRunRegistry *registry;
  guint removal;
} Deletion;

static void
deletion_free (gpointer data, GClosure *closure)
{
  Deletion *deletion = data;

  g_object_unref (deletion->registry);
  g_free (deletion);
}

static void
on_undo (AdwToast *toast, Deletion *deletion)
{
  studio_run_registry_put_back (deletion->registry, deletion->removal);
}

/* Also after “Undo”, when there is nothing to delete. */
static void
on_dismissed (AdwToast *toast, Deletion *deletion)
{
  studio_run_registry_remove_for_good (deletion->registry, deletion->removal);
}

static char *
describe_deletion (const GPtrArray *rows, guint running)
{
  if (rows->len == 0)
    return g_strdup (ngettext ("A run that is running cannot be deleted; stop it first",
                               "Runs that are running cannot be deleted; stop them first", running));
  if (running > 0)
    return g_strdup_printf (ngettext ("%u run deleted; those that are running stay",
                                      "%u runs deleted; those that are running stay", rows->len),
                            rows->len);
  if (rows->len == 1)
    return g_strdup_printf (_ ("Run %" PRId64 " deleted"), studio_run_row_get_id (rows->pdata[0]));
  return g_strdup_printf (ngettext ("%u run deleted", "%u runs deleted", rows->len), rows->len);
}

static void
offer_undo (StudioRunList *self, AdwToast *toast, const GPtrArray *rows)
{
  Deletion *deletion = g_new0 (Deletion, 1);

  deletion->registry = g_object_ref (self->registry);
  deletion->removal = studio_run_registry_remove (self->registry, rows);
  adw_toast_set_button_label (toast, _ ("_Undo"));
  adw_toast_set_timeout (toast, UNDO_SECONDS);
  g_signal_connect (toast, "button-clicked", G_CALLBACK (on_undo), deletion);
  g_signal_connect_data (toast, "dismissed", G_CALLBACK (on_dismissed), deletion, deletion_free, 0);
}

void
studio_run_list_delete (StudioRunList *self, const GPtrArray *rows, AdwToastOverlay *toasts)
{
  g_autoptr (GPtrArray) idle = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree char *text = NULL;
  AdwToast *toast;

  for (guint i = 0; i < rows->len; i++)
    if (studio_run_row_get_run (rows->pdata[i])->state != TOSST_RUN_RUNNING)
      g_ptr_array_add (idle, g_object_ref (rows->pdata[i]));
  text = describe_deletion (idle, rows->len - idle->len);
  toast = adw_toast_new (text);
  if (idle->len > 0)
    offer_undo (self, toast, idle);
  adw_toast_overlay_add_toast (toasts, toast);
}

gboolean
studio_run_list_undo_delete (StudioRunList *self)
{
  guint removal = studio_run_registry_get_last_removal (self->registry);

  if (removal != 0)
    studio_run_registry_put_back (self->registry, removal);
  return removal != 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gi18n.h>

#include "studio/sweep/sweep-view-private.h"
#include "studio/widgets/build.h"

/* Sweeps that the workspace has: to be looked at again, and to go on with after an interrupt. */

#define LATER_MS 300 /* a sweep under way changes the workspace often */

static void
sweeps_free (gpointer sweeps)
{
  g_clear_pointer ((GPtrArray **)sweeps, g_ptr_array_unref);
  g_free (sweeps);
}

/* Worker. */
static gboolean
read_sweeps (TosstStore *store, gpointer sweeps, GError **error)
{
  return (*(GPtrArray **)sweeps = tosst_store_sweeps (store, error)) != NULL;
}

static gboolean
is_open (const TosstStoreSweep *sweep)
{
  return sweep->count[TOSST_RUN_DONE] + sweep->count[TOSST_RUN_FAILED] < sweep->runs
         && sweep->count[TOSST_RUN_RUNNING] == 0;
}

const TosstStoreSweep *
studio_sweep_view_get_interrupted (StudioSweepView *self)
{
  for (guint i = self->earlier != NULL ? self->earlier->len : 0; i > 0; i--)
    if (is_open (g_ptr_array_index (self->earlier, i - 1)))
      return g_ptr_array_index (self->earlier, i - 1);
  return NULL;
}

static char *
describe (const TosstStoreSweep *sweep)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64)sweep->created);
  g_autofree char *when = time != NULL ? g_date_time_format (time, "%x %H:%M") : g_strdup ("");
  g_autofree char *failed = sweep->count[TOSST_RUN_FAILED] > 0
                                ? g_strdup_printf (_ (", %u failed"), (guint)sweep->count[TOSST_RUN_FAILED])
                                : g_strdup ("");

  /* Translators: "4 of 9 runs done, 1 failed · 22.11.2026 14:05" */
  return g_strdup_printf (_ ("%u of %u runs done%s · %s"), (guint)sweep->count[TOSST_RUN_DONE], (guint)sweep->runs,
                          failed, when);
}

static GtkWidget *
row_new (const TosstStoreSweep *sweep)
{
  const char *name = *sweep->title != 0 ? sweep->title : _ ("Sweep");
  g_autofree char *text = describe (sweep), *both = g_strconcat (name, ": ", text, NULL);
  GtkWidget *title = studio_label (name, NULL);
  GtkWidget *box = studio_column (2, title, studio_label (text, "dim-label", "caption", NULL), NULL);
  GtkWidget *row = gtk_list_box_row_new ();

  g_object_set (title, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", 44, NULL);
  g_object_set (box, "margin-top", 4, "margin-bottom", 4, NULL);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  studio_set_name (row, both);
  g_object_set_data (G_OBJECT (row), "sweep", (gpointer)sweep);
  return row;
}

/* The latest first. */
static void
show (StudioSweepView *self)
{
  const TosstStoreSweep *interrupted = studio_sweep_view_get_interrupted (self);
  GtkWidget *row;

  while ((row = gtk_widget_get_first_child (self->earlier_list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->earlier_list), row);
  for (guint i = self->earlier->len; i > 0; i--)
    gtk_list_box_append (GTK_LIST_BOX (self->earlier_list), row_new (g_ptr_array_index (self->earlier, i - 1)));
  gtk_widget_set_sensitive (self->earlier_button, self->earlier->len > 0);
  gtk_widget_set_visible (self->interrupted, interrupted != NULL);
  if (interrupted != NULL)
    studio_label_take (self->interrupted_label,
                       g_strdup_printf (_ ("A sweep over %s was interrupted with %u of %u runs done"),
                                        interrupted->title, (guint)interrupted->count[TOSST_RUN_DONE],
                                        (guint)interrupted->runs));
}

static void
on_read (gpointer object, gpointer data, const GError *error)
{
  StudioSweepView *self = object;
  GPtrArray **sweeps = data;

  if (self->planner == NULL)
    return;
  g_clear_pointer (&self->earlier, g_ptr_array_unref);
  /* A missing store has no sweeps. */
  self->earlier = error == NULL ? g_steal_pointer (sweeps) : g_ptr_array_new ();
  show (self);
}

static gboolean
on_later (gpointer data)
{
  StudioSweepView *self = data;

  self->earlier_source = 0;
  studio_workspace_run (self->workspace, TOSST_STORE_READ, read_sweeps, g_new0 (GPtrArray *, 1), sweeps_free, self,
                        on_read);
  return G_SOURCE_REMOVE;
}

void
studio_sweep_view_read_earlier (StudioSweepView *self)
{
  if (self->earlier_source == 0)
    self->earlier_source = g_timeout_add (LATER_MS, on_later, self);
}

void
studio_sweep_view_open_earlier (StudioSweepView *self, const TosstStoreSweep *earlier, gboolean go_on)
{
  g_autofree char *name = studio_workspace_dup_name (self->workspace);
  g_autoptr (GError) error = NULL;
  g_autoptr (TosstSweep) sweep = tosst_sweep_parse (earlier->recipe, name, &error);

  if (sweep != NULL)
    studio_sweep_view_take (self, sweep, go_on);
  else
    studio_sweep_view_say (self, error->message);
}

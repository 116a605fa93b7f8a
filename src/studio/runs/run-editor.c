/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run is stored under a number, and found again by what its user wrote about it: a name, tags and a note.
 */
#include "config.h"

#include "studio/runs/run-editor.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/text.h"
#include "studio/widgets/build.h"

#define NOTE_LINES 90 /* height of the note in pixels: four lines; it scrolls */

typedef struct
{
  StudioRunList *list;
  StudioRunRow *row;
  GtkWidget *dialog, *name, *tags;
  GtkTextBuffer *note;
} Editor;

static void
editor_free (gpointer data, GClosure *closure)
{
  Editor *self = data;

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
  return *name == 0 && *before == 0 ? g_strdup (studio_run_row_get_title (self->row)) : g_steal_pointer (&name);
}

static void
on_response (AdwMessageDialog *dialog, const char *response, Editor *self)
{
  g_autofree char *title = NULL, *note = NULL;
  gint64 id = studio_run_row_get_id (self->row);

  /* The run may have been deleted by another program meanwhile. */
  if (strcmp (response, "save") != 0 || studio_run_list_find (self->list, id) != self->row)
    return;
  title = title_of (self);
  note = g_strchomp (text_of (self->note));
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
  gtk_text_buffer_set_text (self->note, studio_run_row_get_note (self->row), -1);
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
  g_autofree char *heading = g_strdup_printf (_ ("Run %" PRId64), studio_run_row_get_id (row));
  AdwMessageDialog *dialog;

  self->list = g_object_ref (list);
  self->row = g_object_ref (row);
  self->dialog = adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (parent)), heading,
                                         _ ("The name and the tags are shown in lists, comparisons and reports."));
  dialog = ADW_MESSAGE_DIALOG (self->dialog);
  self->name = add_entry (self, group, _ ("Name"), studio_run_row_get_name (row));
  self->tags = add_entry (self, group, _ ("Tags, separated by spaces"), studio_run_row_get_tags (row));
  adw_message_dialog_set_extra_child (dialog, studio_column (12, group, note_new (self), NULL));
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "save", _ ("_Save"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "save");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), self, editor_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (self->name);
  return self->dialog;
}

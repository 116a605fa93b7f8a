/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/runs/run-title.h"

#include <glib/gi18n.h>

#include "studio/runs/run-list.h"
#include "studio/widgets/build.h"

#define NOTE_LINES 3

struct _StudioRunTitle
{
  AdwBin parent_instance;
  StudioRunList *list; /* NULL: no run */
  gint64 run;
  GtkWidget *heading, *tags, *note;
};

G_DEFINE_FINAL_TYPE (StudioRunTitle, studio_run_title, ADW_TYPE_BIN)

static StudioRunRow *
row_of (StudioRunTitle *self)
{
  return self->list != NULL ? studio_run_list_find (self->list, self->run) : NULL;
}

static void
show_row (StudioRunTitle *self)
{
  StudioRunRow *row = row_of (self);

  gtk_widget_set_visible (GTK_WIDGET (self), row != NULL);
  if (row == NULL)
    return;
  g_autofree char *tags = studio_run_row_get_tag_words (row);
  const char *note = row->note;

  studio_label_take (self->heading, studio_run_row_get_heading (row));
  studio_label_show_problem (self->tags, *tags != 0 ? tags : NULL);
  studio_label_show_problem (self->note, *note != 0 ? note : NULL);
  gtk_widget_set_tooltip_text (self->heading, studio_run_row_get_name (row)); /* it may be cut short */
  gtk_widget_set_tooltip_text (self->note, note);
}

static void
on_edit (StudioRunTitle *self)
{
  StudioRunRow *row = row_of (self);

  if (row != NULL)
    studio_run_editor_present (GTK_WIDGET (self), self->list, row);
}

static void
forget_list (StudioRunTitle *self)
{
  if (self->list != NULL)
    g_signal_handlers_disconnect_by_data (self->list, self);
  g_clear_object (&self->list);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioRunTitle, studio_run_title, forget_list (self))

static void
studio_run_title_class_init (StudioRunTitleClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = studio_run_title_dispose;
}

static void
studio_run_title_init (StudioRunTitle *self)
{
  GtkWidget *edit = studio_icon_button ("document-edit-symbolic", _ ("Edit name, tags and note of the run"));

  self->heading = studio_label (NULL, "heading", "numeric", NULL);
  self->tags = studio_label (NULL, "dim-label", NULL);
  self->note = studio_label (NULL, "dim-label", NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->heading), PANGO_ELLIPSIZE_END);
  gtk_label_set_ellipsize (GTK_LABEL (self->tags), PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap (GTK_LABEL (self->note), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->note), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (self->note), NOTE_LINES);
  gtk_label_set_ellipsize (GTK_LABEL (self->note), PANGO_ELLIPSIZE_END);
  studio_add_classes (edit, "flat", NULL);
  g_signal_connect_swapped (edit, "clicked", G_CALLBACK (on_edit), self);
  adw_bin_set_child (ADW_BIN (self),
                     studio_column (0, studio_row (6, self->heading, edit, self->tags, NULL), self->note, NULL));
  show_row (self);
}

void
studio_run_title_set_run (StudioRunTitle *self, GFile *store, gint64 run)
{
  self->run = run;
  if (run == 0)
    forget_list (self);
  else if (self->list == NULL || !g_file_equal (store, self->list->file))
    {
      forget_list (self);
      self->list = studio_run_list_get (store);
      g_signal_connect_swapped (self->list, "changed", G_CALLBACK (show_row), self);
    }
  show_row (self);
}

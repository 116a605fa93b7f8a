/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/table-columns.h"

void
studio_table_free_column (gpointer data, GClosure *closure)
{
  g_free (data);
}

void
studio_table_align_title_right (GtkColumnView *table)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (table));
  GtkWidget *title = header != NULL ? gtk_widget_get_last_child (header) : NULL;
  GtkWidget *box = title != NULL ? gtk_widget_get_first_child (title) : NULL;

  if (!GTK_IS_BOX (box))
    return;
  gtk_widget_set_halign (box, GTK_ALIGN_END);
  gtk_box_reorder_child_after (GTK_BOX (box), gtk_widget_get_first_child (box), gtk_widget_get_last_child (box));
}

static gboolean
go_to_last (gpointer adjustment)
{
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  return G_SOURCE_REMOVE;
}

/* Emitted during allocation, when the position cannot be changed. */
static void
on_width (GtkAdjustment *adjustment)
{
  if (gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL)
    g_idle_add_full (G_PRIORITY_DEFAULT, go_to_last, g_object_ref (adjustment), g_object_unref);
}

void
studio_table_begin_with_first (GtkColumnView *table)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (table));

  g_signal_connect (adjustment, "changed", G_CALLBACK (on_width), NULL);
}

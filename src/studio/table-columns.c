/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "table-columns.h"

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

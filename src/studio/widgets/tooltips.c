/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/tooltips.h"

void
studio_tooltips_leave_menus (GtkWidget *root)
{
  GtkPopover *popover = GTK_IS_MENU_BUTTON (root) ? gtk_menu_button_get_popover (GTK_MENU_BUTTON (root)) : NULL;

  if (popover != NULL && gtk_widget_get_tooltip_text (root) != NULL)
    g_object_bind_property (popover, "visible", root, "has-tooltip", G_BINDING_INVERT_BOOLEAN);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    studio_tooltips_leave_menus (child);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The first page of a window needs neither recipe nor views. They are made after its first frame, one in each iteration of
 * the main loop and before all events that the window could receive, or at once by what needs them earlier. */

#include "studio/app/window-private.h"

static GHashTable *actions; /* of all windows: name to GtkWidgetActionActivateFunc */

void
studio_window_complete (StudioWindow *self)
{
  g_clear_handle_id (&self->making, g_source_remove);
  while (self->make_next != NULL)
    self->make_next (self);
}

static void
activate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GtkWidgetActionActivateFunc function = (GtkWidgetActionActivateFunc)g_hash_table_lookup (actions, name);

  studio_window_complete ((StudioWindow *)widget);
  function (widget, name, parameter);
}

void
studio_window_install_action (GtkWidgetClass *widget_class, const char *name, const char *type,
                              GtkWidgetActionActivateFunc function)
{
  if (actions == NULL)
    actions = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (actions, (gpointer)g_intern_string (name), (gpointer)function);
  gtk_widget_class_install_action (widget_class, name, type, activate);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/context-menu.h"

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"

typedef struct
{
  GtkWidget *widget; /* owns this */
  GtkWidget *popover;
  const char *id;
  StudioContextMenuFunc func;
  gpointer data;
  guint close_source;
} ContextMenu;

static void
drop_popover (ContextMenu *menu)
{
  g_clear_handle_id (&menu->close_source, g_source_remove);
  g_clear_pointer (&menu->popover, gtk_widget_unparent);
}

/* An item is activated after the menu has closed. */
static void
on_closed (ContextMenu *menu)
{
  studio_later_at (&menu->close_source, G_PRIORITY_DEFAULT_IDLE, 0, G_CALLBACK (drop_popover), menu);
}

static gboolean
show (ContextMenu *menu, double x, double y)
{
  if (menu->func != NULL && !menu->func (menu->widget, x, y, menu->data))
    return FALSE;
  drop_popover (menu);
  g_autoptr (GMenuModel) model = studio_menu (menu->widget, menu->id);
  menu->popover = gtk_popover_menu_new_from_model (model);
  gtk_widget_set_parent (menu->popover, menu->widget);
  gtk_popover_set_has_arrow (GTK_POPOVER (menu->popover), FALSE);
  gtk_widget_set_halign (menu->popover, GTK_ALIGN_START);
  gtk_popover_set_pointing_to (GTK_POPOVER (menu->popover), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
  g_signal_connect_swapped (menu->popover, "closed", G_CALLBACK (on_closed), menu);
  gtk_popover_popup (GTK_POPOVER (menu->popover));
  return TRUE;
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, ContextMenu *menu)
{
  if (show (menu, x, y))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_long_press (GtkGestureLongPress *gesture, double x, double y, ContextMenu *menu)
{
  if (show (menu, x, y))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static gboolean
on_keys (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return show (data, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
}

static ContextMenu *
menu_new (GtkWidget *widget)
{
  ContextMenu *menu = g_new0 (ContextMenu, 1);
  GtkEventController *keys = gtk_shortcut_controller_new ();
  GtkGesture *click = gtk_gesture_click_new (), *press = gtk_gesture_long_press_new ();

  menu->widget = widget;
  g_object_set_data_full (G_OBJECT (widget), "studio-context-menu", menu, g_free);
  g_signal_connect_swapped (widget, "destroy", G_CALLBACK (drop_popover), menu);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), menu);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (press), TRUE);
  g_signal_connect (press, "pressed", G_CALLBACK (on_long_press), menu);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (press));
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("Menu|<Shift>F10"),
                                                          gtk_callback_action_new (on_keys, menu, NULL)));
  gtk_widget_add_controller (widget, keys);
  return menu;
}

void
studio_add_context_menu (gpointer widget, const char *id, StudioContextMenuFunc func, gpointer data)
{
  ContextMenu *menu = g_object_get_data (widget, "studio-context-menu");

  if (menu == NULL)
    menu = menu_new (widget);
  menu->id = id;
  menu->func = func;
  menu->data = data;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/build.h"

#include <adwaita.h>

#define NARROW_WINDOW 520 /* pixels, in which three buttons leave a title too little */

gpointer
studio_item_at (gconstpointer model, guint position)
{
  g_autoptr (GObject) item = g_list_model_get_item ((GListModel *)model, position);

  return item; /* of the model */
}

void
studio_add_signal (gpointer klass, const char *name, guint n, ...)
{
  va_list types;

  va_start (types, n);
  g_signal_new_valist (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n,
                       types);
  va_end (types);
}

GtkWidget *
studio_box (GtkOrientation orientation, int spacing, ...)
{
  GtkWidget *box = gtk_box_new (orientation, spacing);
  va_list children;

  va_start (children, spacing);
  for (GtkWidget *child = va_arg (children, GtkWidget *); child != NULL; child = va_arg (children, GtkWidget *))
    gtk_box_append (GTK_BOX (box), child);
  va_end (children);
  return box;
}

void
studio_choose_atom (gpointer self, int atom)
{
  g_signal_emit_by_name (self, "atom-chosen", atom);
}

static void
add_classes (GtkWidget *widget, va_list names)
{
  for (const char *name = va_arg (names, const char *); name != NULL; name = va_arg (names, const char *))
    gtk_widget_add_css_class (widget, name);
}

void
studio_add_classes (GtkWidget *widget, ...)
{
  va_list names;

  va_start (names, widget);
  add_classes (widget, names);
  va_end (names);
}

void
studio_set_class (GtkWidget *widget, const char *name, gboolean on)
{
  (on ? gtk_widget_add_css_class : gtk_widget_remove_css_class) (widget, name);
}

GtkWidget *
studio_label (const char *text, ...)
{
  GtkWidget *label = gtk_label_new (text);
  va_list names;

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  va_start (names, text);
  add_classes (label, names);
  va_end (names);
  return label;
}

GtkWidget *
studio_thumbnail (int size)
{
  GtkWidget *picture = gtk_picture_new ();

  gtk_picture_set_content_fit (GTK_PICTURE (picture), GTK_CONTENT_FIT_COVER);
  gtk_widget_set_size_request (picture, size, size);
  gtk_widget_set_overflow (picture, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (picture, "thumbnail");
  return picture;
}

GtkWidget *
studio_icon_button (const char *icon, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, name);
  studio_set_name (button, name);
  return button;
}

/* Longer than a toast takes to appear, ms. libadwaita 1.2 frees one twice that is dismissed before: until then its buttons
 * do nothing. */
#define TOAST_APPEARS_MS 500

static gboolean
on_toast_appeared (gpointer toast)
{
  gtk_widget_set_sensitive (toast, TRUE);
  return G_SOURCE_REMOVE;
}

static void
on_toast_map (GtkWidget *label)
{
  GtkWidget *toast = label;

  while (gtk_widget_get_parent (toast) != NULL && !ADW_IS_TOAST_OVERLAY (gtk_widget_get_parent (toast)))
    toast = gtk_widget_get_parent (toast);
  gtk_widget_set_sensitive (toast, FALSE);
  g_timeout_add_full (G_PRIORITY_DEFAULT, TOAST_APPEARS_MS, on_toast_appeared, g_object_ref (toast), g_object_unref);
}

GtkWidget *
studio_toast_label (const char *text)
{
  GtkWidget *label = studio_label (text, "heading", NULL);

  g_signal_connect (label, "map", G_CALLBACK (on_toast_map), NULL);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  return label;
}

AdwToast *
studio_toast_new (const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1); /* titles are markup */
  AdwToast *toast = adw_toast_new (escaped);

  adw_toast_set_custom_title (toast, studio_toast_label (text));
  return toast;
}

void
studio_label_take (GtkWidget *label, char *text)
{
  gtk_label_set_label (GTK_LABEL (label), text);
  g_free (text);
}

void
studio_label_show_problem (GtkWidget *label, const char *problem)
{
  gtk_label_set_label (GTK_LABEL (label), problem != NULL ? problem : "");
  gtk_widget_set_visible (label, problem != NULL);
}

void
studio_set_name (gpointer widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void
studio_set_description (gpointer widget, const char *text)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static gboolean
on_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer data)
{
  gtk_tooltip_set_text (tooltip, g_object_get_data (G_OBJECT (widget), "studio-tooltip"));
  return TRUE;
}

void
studio_set_tooltip (gpointer widget, const char *text)
{
  if (g_object_get_data (widget, "studio-tooltip") == NULL)
    g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query_tooltip), NULL);
  g_object_set_data_full (widget, "studio-tooltip", g_strdup (text), g_free);
  gtk_widget_set_has_tooltip (widget, TRUE);
  studio_set_description (widget, text);
}

void
studio_name_list_item (GtkListItem *item, const char *name)
{
  studio_set_name (gtk_widget_get_parent (gtk_list_item_get_child (item)), name);
}

GtkSizeRequestMode
studio_height_for_width (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

void
studio_remove_children (GtkWidget *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (box)) != NULL)
    gtk_box_remove (GTK_BOX (box), child);
}

void
studio_follow (gpointer self, gpointer member, gpointer object, const char *signal, GCallback func)
{
  GObject **place = member;

  if (*place != NULL)
    g_signal_handlers_disconnect_by_data (*place, self);
  g_set_object (place, object);
  if (object != NULL)
    g_signal_connect_swapped (object, signal, func, self);
}

void
studio_add_controller (gpointer widget, gpointer controller, ...)
{
  va_list pairs;

  va_start (pairs, controller);
  for (const char *name = va_arg (pairs, const char *); name != NULL; name = va_arg (pairs, const char *))
    g_signal_connect (controller, name, va_arg (pairs, GCallback), widget);
  va_end (pairs);
  gtk_widget_add_controller (widget, controller);
}

GMenuModel *
studio_menu (gpointer owner, const char *id)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());

  return G_MENU_MODEL (g_object_ref (gtk_application_get_menu_by_id (application, id)));
}

static void
fit_buttons (GdkSurface *surface, GParamSpec *pspec, AdwHeaderBar *bar)
{
  const char *layout = gdk_surface_get_width (surface) < NARROW_WINDOW ? ":close" : NULL;

  if (gdk_surface_get_width (surface) > 0 && g_strcmp0 (layout, adw_header_bar_get_decoration_layout (bar)) != 0)
    adw_header_bar_set_decoration_layout (bar, layout);
}

static void
follow_width (GtkWindow *window, AdwHeaderBar *bar)
{
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (window)), "notify::width", G_CALLBACK (fit_buttons), bar,
                           0);
}

void
studio_fit_window_buttons (GtkWindow *window, GtkWidget *header_bar)
{
  g_signal_connect_object (window, "realize", G_CALLBACK (follow_width), header_bar, 0);
}

void
studio_tooltips_leave_menus (GtkWidget *root)
{
  GtkPopover *popover = GTK_IS_MENU_BUTTON (root) ? gtk_menu_button_get_popover (GTK_MENU_BUTTON (root)) : NULL;

  if (popover != NULL && gtk_widget_get_tooltip_text (root) != NULL)
    g_object_bind_property (popover, "visible", root, "has-tooltip", G_BINDING_INVERT_BOOLEAN);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    studio_tooltips_leave_menus (child);
}

/* A popover asks how high its text is when that is as wide as itself, shadows included, and then gives it less width: the
 * last lines would be cut. The size of letters may have changed since it was last open. */
void
studio_hold_size (GtkWidget *content)
{
  GtkRequisition natural;

  gtk_widget_set_size_request (content, -1, -1);
  gtk_widget_get_preferred_size (content, NULL, &natural);
  gtk_widget_set_size_request (
      content, natural.width - gtk_widget_get_margin_start (content) - gtk_widget_get_margin_end (content),
      natural.height - gtk_widget_get_margin_top (content) - gtk_widget_get_margin_bottom (content));
}

void
studio_full_screen_toggle (GtkWindow *window)
{
  if (gtk_window_is_fullscreen (window))
    gtk_window_unfullscreen (window);
  else
    gtk_window_fullscreen (window);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, GtkWindow *window)
{
  if (key != GDK_KEY_Escape || !gtk_window_is_fullscreen (window))
    return FALSE;
  gtk_window_unfullscreen (window);
  return TRUE;
}

void
studio_full_screen_leave_on_escape (GtkWindow *window)
{
  studio_add_controller (window, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/base/each.h"

/* Short forms for classes and for widgets that are built in code. */

/* In class_init, for up to 64 names each: the template NAME.ui with the members of Type that are its widgets; functions
 * that the template calls; types that it names. */
#define STUDIO_SET_TEMPLATE(klass, Type, name, ...)                                                                    \
  gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass), "/io/github/tosst/Studio/" name ".ui");       \
  TOSST_EACH (gtk_widget_class_bind_template_child, GTK_WIDGET_CLASS (klass), Type, __VA_ARGS__)
#define STUDIO_BIND_CALLBACKS(klass, ...) TOSST_EACH (STUDIO_BIND_CALLBACK, GTK_WIDGET_CLASS (klass), , __VA_ARGS__)
#define STUDIO_BIND_CALLBACK(klass, none, name) gtk_widget_class_bind_template_callback (klass, name)
#define STUDIO_ENSURE_TYPES(...) TOSST_EACH (STUDIO_ENSURE_TYPE, , , __VA_ARGS__)
#define STUDIO_ENSURE_TYPE(none, neither, type) g_type_ensure (type)

/* In class_init: actions, each given as (name, type of its parameter or NULL, function). The function gets the widget, the
 * name and the parameter, or only the first of these. */
#define STUDIO_INSTALL_ACTIONS(klass, ...)                                                                             \
  TOSST_EACH (STUDIO_INSTALL_ACTION, gtk_widget_class_install_action, GTK_WIDGET_CLASS (klass), __VA_ARGS__)
#define STUDIO_INSTALL_ACTION(install, klass, action) STUDIO_INSTALL_WITH (install, klass, TOSST_UNWRAP action)
#define STUDIO_INSTALL_WITH(...) STUDIO_INSTALL_ONE (__VA_ARGS__)
#define STUDIO_INSTALL_ONE(install, klass, name, type, func)                                                           \
  install (klass, name, type, (GtkWidgetActionActivateFunc)G_CALLBACK (func))

/* Outside of functions: defines prefix_dispose() or prefix_finalize(), to be set in class_init, which frees members, each
 * given as (member, function that frees it), after the statement `first`. */
#define STUDIO_DEFINE_DISPOSE(Type, prefix, ...) STUDIO_DEFINE_DISPOSE_WITH (Type, prefix, , __VA_ARGS__)
#define STUDIO_DEFINE_DISPOSE_WITH(Type, prefix, first, ...)                                                           \
  STUDIO_DEFINE_END (Type, prefix, dispose, first, __VA_ARGS__)
#define STUDIO_DEFINE_FINALIZE(Type, prefix, ...) STUDIO_DEFINE_FINALIZE_WITH (Type, prefix, , __VA_ARGS__)
#define STUDIO_DEFINE_FINALIZE_WITH(Type, prefix, first, ...)                                                          \
  STUDIO_DEFINE_END (Type, prefix, finalize, first, __VA_ARGS__)
#define STUDIO_DEFINE_END(Type, prefix, end, first, ...)                                                               \
  static void prefix##_##end (GObject *object)                                                                         \
  {                                                                                                                    \
    Type *self = (Type *)object;                                                                                       \
                                                                                                                       \
    first;                                                                                                             \
    __VA_OPT__ (TOSST_CLEAR_MEMBERS (self, __VA_ARGS__);)                                                              \
    G_OBJECT_CLASS (prefix##_parent_class)->end (object);                                                              \
  }

/* Outside of functions: defines prefix_init() with one statement, or none. */
#define STUDIO_DEFINE_INIT(Type, prefix, ...)                                                                          \
  static void prefix##_init (Type *self) { __VA_ARGS__; }

/* Each item of a list model that keeps its items, and does not change meanwhile; item: borrowed. */
#define STUDIO_EACH(Type, item, model)                                                                                 \
  for (guint item##_at = 0; item##_at != G_MAXUINT; item##_at = G_MAXUINT)                                             \
    for (Type * item; (item = studio_item_at (model, item##_at)) != NULL; item##_at++)
gpointer studio_item_at (gconstpointer model, guint position); /* borrowed; NULL: beyond the end */

#define studio_enable(widget, action, enabled) gtk_widget_action_set_enabled (GTK_WIDGET (widget), action, enabled)
#define studio_is_on(button) gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button))

/* Declares a signal without a return value and with n parameters, of the types that follow. */
void studio_add_signal (gpointer klass, const char *name, guint n, ...);

/* For templates: emits "atom-chosen" of the widget. */
void studio_choose_atom (gpointer self, int atom);

/* Calls func (self, ...) at each signal of the object, as long as both exist. */
#define studio_connect(object, signal, func, self)                                                                     \
  g_signal_connect_object (object, signal, G_CALLBACK (func), self, G_CONNECT_SWAPPED)

/* A horizontal or vertical box with these children, up to NULL. */
GtkWidget *studio_box (GtkOrientation orientation, int spacing, ...) G_GNUC_NULL_TERMINATED;
#define studio_row(...) studio_box (GTK_ORIENTATION_HORIZONTAL, __VA_ARGS__)
#define studio_column(...) studio_box (GTK_ORIENTATION_VERTICAL, __VA_ARGS__)
/* A label that begins at the left, with CSS classes, up to NULL. */
GtkWidget *studio_label (const char *text, ...) G_GNUC_NULL_TERMINATED;
void studio_add_classes (GtkWidget *widget, ...) G_GNUC_NULL_TERMINATED; /* CSS classes, up to NULL */
void studio_set_class (GtkWidget *widget, const char *name, gboolean on);
/* A picture of size pixels that is filled by its paintable, with rounded corners. */
GtkWidget *studio_thumbnail (int size);
/* A button with an icon, and its tooltip and accessible name. */
GtkWidget *studio_icon_button (const char *icon, const char *name);
/* A message whose text takes another line where the window is narrow: libadwaita would cut it off. */
AdwToast *studio_toast_new (const char *text);
GtkWidget *studio_toast_label (const char *text); /* the text alone */
/* Shows text and frees it. */
void studio_label_take (GtkWidget *label, char *text);
/* Shows a sentence, or hides the label for NULL. */
void studio_label_show_problem (GtkWidget *label, const char *problem);

/* The accessible name and description of a widget. */
void studio_set_name (gpointer widget, const char *name);
void studio_set_description (gpointer widget, const char *text);
/* As gtk_widget_set_tooltip_text(), for widgets of which a list makes hundreds: that function asks the X server three
 * times where the pointer is, which takes longer than the rest of a row. text: not NULL. */
void studio_set_tooltip (gpointer widget, const char *text);
/* The name of a bound item of a list, whose widget has the focus: that around its child. */
void studio_name_list_item (GtkListItem *item, const char *name);

GtkSizeRequestMode studio_height_for_width (GtkWidget *widget); /* a get_request_mode() */

void studio_remove_children (GtkWidget *box); /* of a GtkBox */

/* Makes *member (an object or NULL) refer to object (or NULL), whose signal then calls func (self) instead of that of
 * the former one. */
void studio_follow (gpointer self, gpointer member, gpointer object, const char *signal, GCallback func);

/* Adds a controller with pairs of a signal and a GCallback, up to NULL; each is called with the widget as data. */
void studio_add_controller (gpointer widget, gpointer controller, ...) G_GNUC_NULL_TERMINATED;

/* A menu of ui/menus.ui, of the running application: new reference. For templates; owner is the widget of the
 * template. */
GMenuModel *studio_menu (gpointer owner, const char *id);

/* A narrow window, wide enough for little else, has only the button to close it beside its title. */
void studio_fit_window_buttons (GtkWindow *window, GtkWidget *header_bar);

/* Disables the tooltips of the menu buttons within root while their menus are open; GTK shows them over the menu when
 * the pointer moves. */
void studio_tooltips_leave_menus (GtkWidget *root);

/* Gives the content of a popover, which is about to open, the size that its text needs. */
void studio_hold_size (GtkWidget *content);

void studio_full_screen_toggle (GtkWindow *window);
/* Escape ends the full screen, unless a widget in the window used it. */
void studio_full_screen_leave_on_escape (GtkWindow *window);

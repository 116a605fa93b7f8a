/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Called before the menu is shown at (x, y), for example to select the row there. FALSE: no menu. */
typedef gboolean (*StudioContextMenuFunc) (GtkWidget *widget, double x, double y, gpointer data);

/* Shows a menu of ui/menus.ui on a right click or a long press, and with the Menu key or Shift+F10 in the middle of the
 * widget. id: static; func: NULL, or called first; data is borrowed. Replaces an earlier one. */
void studio_add_context_menu (gpointer widget, const char *id, StudioContextMenuFunc func, gpointer data);

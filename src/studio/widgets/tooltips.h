/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The tooltip of a menu button comes up over the menu that it has opened, when the pointer moves: from now on those
 * within root have none while they are open. */
void studio_tooltips_leave_menus (GtkWidget *root);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Disables the tooltips of the menu buttons within root while their menus are open; GTK shows them over the menu when
 * the pointer moves. */
void studio_tooltips_leave_menus (GtkWidget *root);

G_END_DECLS

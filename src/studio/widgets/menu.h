/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A menu of ui/menus.ui, of the running application: new reference. For templates; owner is the widget of the
 * template. */
GMenuModel *studio_menu (gpointer owner, const char *id);

G_END_DECLS

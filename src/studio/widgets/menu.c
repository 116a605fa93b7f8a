/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/menu.h"

GMenuModel *
studio_menu (gpointer owner, const char *id)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());

  return G_MENU_MODEL (g_object_ref (gtk_application_get_menu_by_id (application, id)));
}

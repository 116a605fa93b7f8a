/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include "studio/settings/state.h"

/* "Open Recent": the same files in the open menu and on the page of an empty window. */

#define ON_PAGE 3 /* limit of the welcome page */

static GList *windows; /* shared by all windows */

static char *
display_name (GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  return path != NULL ? g_filename_display_basename (path) : g_file_get_uri (file);
}

/* Its folder, with the home folder as a tilde. */
static char *
display_place (GFile *file)
{
  g_autoptr (GFile) parent = g_file_get_parent (file);
  g_autofree char *place = parent != NULL ? g_file_get_parse_name (parent) : g_strdup ("");
  const char *home = g_get_home_dir ();

  if (g_str_has_prefix (place, home) && (place[strlen (home)] == '/' || place[strlen (home)] == 0))
    return g_strconcat ("~", place + strlen (home), NULL);
  return g_steal_pointer (&place);
}

static void
add_to_menu (StudioWindow *self, GFile *file)
{
  g_autofree char *name = display_name (file), *uri = g_file_get_uri (file);
  g_auto (GStrv) parts = g_strsplit (name, "_", -1);
  g_autofree char *label = g_strjoinv ("__", parts); /* no mnemonic */
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.open", "s", uri);
  g_menu_append_item (self->recent_menu, item);
}

static void
add_to_page (StudioWindow *self, GFile *file)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *name = display_name (file), *place = display_place (file), *uri = g_file_get_uri (file);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), place);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 1);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.open");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", uri);
  gtk_list_box_append (GTK_LIST_BOX (self->recent_list), row);
}

static void
show_recent (StudioWindow *self)
{
  g_autoptr (GPtrArray) files = studio_state_get_recent ();
  GtkWidget *row;

  g_menu_remove_all (self->recent_menu);
  while ((row = gtk_widget_get_first_child (self->recent_list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->recent_list), row);
  for (guint i = 0; i < files->len; i++)
    add_to_menu (self, files->pdata[i]);
  for (guint i = 0; i < MIN (files->len, ON_PAGE); i++)
    add_to_page (self, files->pdata[i]);
  gtk_widget_set_visible (self->recent_page, files->len > 0);
}

static void
show_recent_everywhere (void)
{
  for (GList *l = windows; l != NULL; l = l->next)
    show_recent (l->data);
}

static void
on_opened (StudioWindow *self, GFile *file)
{
  studio_state_add_recent (file);
  show_recent_everywhere ();
}

void
studio_window_forget (GFile *file)
{
  studio_state_remove_recent (file);
  show_recent_everywhere ();
}

void
studio_window_recent_init (StudioWindow *self)
{
  windows = g_list_prepend (windows, self);
  g_signal_connect_swapped (self->project, "opened", G_CALLBACK (on_opened), self);
  show_recent (self);
}

void
studio_window_recent_dispose (StudioWindow *self)
{
  windows = g_list_remove (windows, self);
}

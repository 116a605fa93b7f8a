/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/preferences.h"

#include <glib/gi18n.h>

#include "studio/settings/state.h"
#include "studio/widgets/build.h"

#define CHECKPOINT_LEAST 5.0 /* s */
#define CHECKPOINT_MOST 3600.0

/* In the order of the enumeration of the schema. */
static const AdwColorScheme schemes[]
    = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT, ADW_COLOR_SCHEME_FORCE_DARK };

static guint
get_scheme (void)
{
  GSettings *settings = studio_settings_get ();

  return settings != NULL ? (guint)CLAMP (g_settings_get_enum (settings, "color-scheme"), 0, 2) : 0;
}

void
studio_preferences_apply (void)
{
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[get_scheme ()]);
}

static void
on_scheme (AdwComboRow *row)
{
  GSettings *settings = studio_settings_get ();

  if (settings != NULL)
    g_settings_set_enum (settings, "color-scheme", (int)adw_combo_row_get_selected (row));
  studio_preferences_apply ();
}

static GtkWidget *
scheme_row (void)
{
  const char *const names[] = { _ ("As the Desktop"), _ ("Light"), _ ("Dark"), NULL };
  g_autoptr (GtkStringList) list = gtk_string_list_new (names);
  GtkWidget *row = g_object_new (ADW_TYPE_COMBO_ROW, "title", _ ("Colours"), "model", list, "selected", get_scheme (),
                                 "sensitive", studio_settings_get () != NULL, NULL);

  g_signal_connect (row, "notify::selected", G_CALLBACK (on_scheme), NULL);
  return row;
}

/* A switch for a stateful action of the application. */
static GtkWidget *
switch_row (const char *title, const char *subtitle, const char *action)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, NULL);
  GtkWidget *button = g_object_new (GTK_TYPE_SWITCH, "valign", GTK_ALIGN_CENTER, "action-name", action, NULL);

  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), button);
  studio_set_name (button, title);
  return row;
}

static void
on_interval (GtkAdjustment *adjustment)
{
  studio_state_set_checkpoint_interval (gtk_adjustment_get_value (adjustment));
}

static GtkWidget *
interval_row (void)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", _ ("Seconds Between Checkpoints"), "subtitle",
                                 _ ("The largest loss of a run when the program or the machine stops"), NULL);
  double value = CLAMP (studio_state_get_checkpoint_interval (), CHECKPOINT_LEAST, CHECKPOINT_MOST);
  GtkAdjustment *adjustment = gtk_adjustment_new (value, CHECKPOINT_LEAST, CHECKPOINT_MOST, 5, 30, 0);
  GtkWidget *spin = gtk_spin_button_new (adjustment, 0, 0);

  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), spin);
  studio_set_name (spin, _ ("Seconds Between Checkpoints"));
  g_signal_connect (adjustment, "value-changed", G_CALLBACK (on_interval), NULL);
  return row;
}

static void
add_group (AdwPreferencesPage *page, const char *title, GtkWidget *first, GtkWidget *second)
{
  GtkWidget *group = g_object_new (ADW_TYPE_PREFERENCES_GROUP, "title", title, NULL);

  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), first);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), second);
  adw_preferences_page_add (page, ADW_PREFERENCES_GROUP (group));
}

void
studio_preferences_show (GtkApplication *application)
{
  GtkWindow *active = gtk_application_get_active_window (application);
  AdwPreferencesPage *page;
  GtkWidget *window;

  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (ADW_IS_PREFERENCES_WINDOW (l->data))
      {
        gtk_window_present (l->data);
        return;
      }
  page = g_object_new (ADW_TYPE_PREFERENCES_PAGE, NULL);
  add_group (page, _ ("Appearance"), scheme_row (),
             switch_row (_ ("Presenter Mode"), _ ("Large text, formulas and lines, for a projector"), "app.presenter"));
  add_group (page, _ ("Runs"),
             switch_row (_ ("Restore Session on Startup"), _ ("Data, recipe and view of the last window"),
                         "app.restore-session"),
             interval_row ());
  window = g_object_new (ADW_TYPE_PREFERENCES_WINDOW, "application", application, "transient-for", active,
                         "destroy-with-parent", TRUE, "search-enabled", FALSE, "default-width", 560, "default-height",
                         480, NULL);
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  gtk_window_present (GTK_WINDOW (window));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/preferences.h"

#include <glib/gi18n.h>

#include "core/base/disk-cache.h"
#include "studio/settings/state.h"
#include "studio/tasks/task.h"
#include "studio/widgets/build.h"

#define CHECKPOINT_LEAST 5.0 /* s */
#define CHECKPOINT_MOST 3600.0

/* In the order of the enumeration of the schema. */
static const AdwColorScheme schemes[]
    = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT, ADW_COLOR_SCHEME_FORCE_DARK };

/* GB of descriptors on the disk; -1: the default. */
static const int limits[] = { -1, 0, 1, 2, 4, 8, 16, 32, 64 };

static guint
get_scheme (void)
{
  GSettings *settings = studio_settings_get ();

  return settings != NULL ? (guint)CLAMP (g_settings_get_enum (settings, "color-scheme"), 0, 2) : 0;
}

void
studio_preferences_apply (void)
{
  GSettings *settings = studio_settings_get ();
  int limit = settings != NULL ? g_settings_get_int (settings, "kept-descriptors") : -1;

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[get_scheme ()]);
  tosst_disk_cache_set_limit (limit < 0 ? G_MAXUINT64 : (guint64)limit << 30);
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
on_limit (AdwComboRow *row)
{
  GSettings *settings = studio_settings_get ();
  guint chosen = adw_combo_row_get_selected (row);

  if (settings != NULL && chosen < G_N_ELEMENTS (limits))
    g_settings_set_int (settings, "kept-descriptors", limits[chosen]);
  studio_preferences_apply ();
}

/* Clears the descriptors if *data, a number, is not 0; sets it to their size. */
static gboolean
find_size (gpointer data, GError **error)
{
  guint64 *bytes = data;

  if (*bytes > 0)
    tosst_disk_cache_clear ();
  *bytes = tosst_disk_cache_bytes ();
  return TRUE;
}

static void
show_size (gpointer row, gpointer data, const GError *error)
{
  guint64 bytes = *(const guint64 *)data;
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = bytes > 0
                              ? g_strdup_printf (_ ("%s now; a later run does not describe these images again"), size)
                              : g_strdup (_ ("None yet; a later run does not describe the same images again"));

  adw_action_row_set_subtitle (row, text);
}

static void
ask_size (GtkWidget *row, guint64 clears)
{
  studio_task_run (row, find_size, g_memdup2 (&clears, sizeof clears), g_free, show_size);
}

static void
on_clear (GtkWidget *row)
{
  ask_size (row, 1);
}

static GtkWidget *
kept_row (void)
{
  GSettings *settings = studio_settings_get ();
  int limit = settings != NULL ? g_settings_get_int (settings, "kept-descriptors") : -1;
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  GtkWidget *button = gtk_button_new_with_label (_ ("Clear")), *row;
  guint selected = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autofree char *size = g_format_size_full ((guint64)MAX (limits[i], 0) << 30, G_FORMAT_SIZE_IEC_UNITS);

      gtk_string_list_append (list, limits[i] < 0 ? _ ("By Free Space") : limits[i] == 0 ? _ ("None") : size);
      selected = limits[i] == limit ? i : selected;
    }
  row = g_object_new (ADW_TYPE_COMBO_ROW, "title", _ ("Descriptors Kept on the Disk"), "model", list, "selected",
                      selected, NULL);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_clear), row);
  g_signal_connect (row, "notify::selected", G_CALLBACK (on_limit), NULL);
  ask_size (row, 0);
  return row;
}

static void
add_group (AdwPreferencesPage *page, const char *title, GtkWidget *first, GtkWidget *second, GtkWidget *third)
{
  GtkWidget *group = g_object_new (ADW_TYPE_PREFERENCES_GROUP, "title", title, NULL);

  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), first);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), second);
  if (third != NULL)
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), third);
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
             switch_row (_ ("Presenter Mode"), _ ("Large text, formulas and lines, for a projector"), "app.presenter"),
             NULL);
  add_group (page, _ ("Runs"),
             switch_row (_ ("Restore Session on Startup"), _ ("Data, recipe and view of the last window"),
                         "app.restore-session"),
             interval_row (), kept_row ());
  window = g_object_new (ADW_TYPE_PREFERENCES_WINDOW, "application", application, "transient-for", active,
                         "destroy-with-parent", TRUE, "search-enabled", FALSE, "default-width", 560, "default-height",
                         560, NULL);
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  gtk_window_present (GTK_WINDOW (window));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/preferences.h"

#include <glib/gi18n.h>

#include "core/base/disk-cache.h"
#include "core/plot/chart.h"
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

/* Sizes of saved pictures; 0: as each picture has it. */
static const double widths[] = { 0, TOSST_FIGURE_COLUMN, TOSST_FIGURE_PAGE };
static const double letters[] = { 0, 6, 7, 8, 9, 10, 12, 14 };

/* font is kept for ever. */
static TosstFigure
get_figure (void)
{
  GSettings *settings = studio_settings_get ();
  g_autofree char *font = NULL;
  TosstFigure figure = { 0 };
  gboolean titled = TRUE;

  if (settings != NULL)
    g_settings_get (settings, "figure", "(ddsb)", &figure.width, &figure.font_size, &font, &titled);
  figure.font = font != NULL && *font != '\0' ? g_intern_string (font) : NULL;
  figure.untitled = !titled;
  return figure;
}

static void
set_figure (const TosstFigure *figure)
{
  GSettings *settings = studio_settings_get ();

  if (settings != NULL)
    g_settings_set (settings, "figure", "(ddsb)", figure->width, figure->font_size,
                    figure->font != NULL ? figure->font : "", !figure->untitled);
  tosst_figure_set (figure);
}

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
  TosstFigure figure = get_figure ();

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[get_scheme ()]);
  tosst_figure_set (&figure);
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

/* A row with a widget at its end, which the row activates. */
static GtkWidget *
row_of (GtkWidget *widget, const char *title, const char *subtitle)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, NULL);

  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), widget);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), widget);
  studio_set_name (widget, title);
  return row;
}

/* A switch for a stateful action of the application. */
static GtkWidget *
switch_row (const char *title, const char *subtitle, const char *action)
{
  return row_of (g_object_new (GTK_TYPE_SWITCH, "action-name", action, NULL), title, subtitle);
}

static void
on_width (AdwComboRow *row)
{
  TosstFigure figure = get_figure ();

  figure.width = widths[MIN (adw_combo_row_get_selected (row), G_N_ELEMENTS (widths) - 1)];
  set_figure (&figure);
}

static void
on_letters (AdwComboRow *row)
{
  TosstFigure figure = get_figure ();

  figure.font_size = letters[MIN (adw_combo_row_get_selected (row), G_N_ELEMENTS (letters) - 1)];
  set_figure (&figure);
}

static void
on_font (GtkFontChooser *chooser)
{
  g_autoptr (PangoFontDescription) font = gtk_font_chooser_get_font_desc (chooser);
  TosstFigure figure = get_figure ();

  figure.font = g_intern_string (pango_font_description_get_family (font));
  set_figure (&figure);
}

static void
on_titles (GtkSwitch *button)
{
  TosstFigure figure = get_figure ();

  figure.untitled = !gtk_switch_get_active (button);
  set_figure (&figure);
}

/* Values that another program has set, which are not in the list, have no selected row. */
static GtkWidget *
length_row (const char *title, const double *values, guint n, double value, char *(*name) (double value),
            void (*changed) (AdwComboRow *row))
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  guint selected = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < n; i++)
    {
      gtk_string_list_take (list, values[i] > 0 ? name (values[i]) : g_strdup (_ ("Of Each Picture")));
      selected = values[i] == value ? i : selected;
    }
  GtkWidget *row = g_object_new (ADW_TYPE_COMBO_ROW, "title", title, "model", list, "selected", selected, NULL);
  g_signal_connect (row, "notify::selected", G_CALLBACK (changed), NULL);
  return row;
}

static char *
name_width (double mm)
{
  return g_strdup_printf (mm == TOSST_FIGURE_PAGE ? _ ("Page, %.0f mm") : _ ("Column, %.0f mm"), mm);
}

static char *
name_letters (double points)
{
  return g_strdup_printf (_ ("%.0f pt"), points);
}

static GtkWidget *
font_row (const TosstFigure *figure)
{
  GtkWidget *button = g_object_new (GTK_TYPE_FONT_BUTTON, "level", GTK_FONT_CHOOSER_LEVEL_FAMILY, "font",
                                    figure->font != NULL ? figure->font : "Sans", "use-font", TRUE, NULL);

  g_signal_connect (button, "font-set", G_CALLBACK (on_font), NULL);
  return row_of (button, _ ("Font"), NULL);
}

static GtkWidget *
title_row (const TosstFigure *figure)
{
  GtkWidget *button = g_object_new (GTK_TYPE_SWITCH, "active", !figure->untitled, NULL);

  g_signal_connect (button, "notify::active", G_CALLBACK (on_titles), NULL);
  return row_of (button, _ ("Titles"), _ ("Papers have them in the caption"));
}

static void
on_interval (GtkAdjustment *adjustment)
{
  studio_state_set_checkpoint_interval (gtk_adjustment_get_value (adjustment));
}

static GtkWidget *
interval_row (void)
{
  double value = CLAMP (studio_state_get_checkpoint_interval (), CHECKPOINT_LEAST, CHECKPOINT_MOST);
  GtkAdjustment *adjustment = gtk_adjustment_new (value, CHECKPOINT_LEAST, CHECKPOINT_MOST, 5, 30, 0);

  g_signal_connect (adjustment, "value-changed", G_CALLBACK (on_interval), NULL);
  return row_of (gtk_spin_button_new (adjustment, 0, 0), _ ("Seconds Between Checkpoints"),
                 _ ("The largest loss of a run when the program or the machine stops"));
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
find_size (guint64 *bytes, GError **error)
{
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

/* rows: up to four. */
static void
add_group (AdwPreferencesPage *page, const char *title, GtkWidget *const rows[4])
{
  GtkWidget *group = g_object_new (ADW_TYPE_PREFERENCES_GROUP, "title", title, NULL);

  for (int i = 0; i < 4 && rows[i] != NULL; i++)
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), rows[i]);
  adw_preferences_page_add (page, ADW_PREFERENCES_GROUP (group));
}

void
studio_preferences_show (GtkApplication *application)
{
  GtkWindow *active = gtk_application_get_active_window (application);

  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (ADW_IS_PREFERENCES_WINDOW (l->data))
      {
        gtk_window_present (l->data);
        return;
      }
  AdwPreferencesPage *page = g_object_new (ADW_TYPE_PREFERENCES_PAGE, NULL);
  TosstFigure figure = get_figure ();
  add_group (page, _ ("Appearance"),
             (GtkWidget *const[4]){ scheme_row (), switch_row (_ ("Presenter Mode"),
                                                               _ ("Large text, formulas and lines, for a projector"),
                                                               "app.presenter") });
  add_group (page, _ ("Runs"),
             (GtkWidget *const[4]){ switch_row (_ ("Restore Session on Startup"),
                                                _ ("Data, recipe and view of the last window"), "app.restore-session"),
                                    interval_row (), kept_row () });
  add_group (page, _ ("Saved Pictures"),
             (GtkWidget *const[4]){
                 length_row (_ ("Width"), widths, G_N_ELEMENTS (widths), figure.width, name_width, on_width),
                 length_row (_ ("Size of Letters"), letters, G_N_ELEMENTS (letters), figure.font_size, name_letters,
                             on_letters),
                 font_row (&figure), title_row (&figure) });
  GtkWidget *window = g_object_new (ADW_TYPE_PREFERENCES_WINDOW, "application", application, "transient-for", active,
                                    "destroy-with-parent", TRUE, "search-enabled", FALSE, "default-width", 560,
                                    "default-height", 760, NULL);
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  gtk_window_present (GTK_WINDOW (window));
}

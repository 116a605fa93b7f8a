/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a desktop expects: narrow and wide windows, preferences, a place to report issues.
 */
#include "config.h"

#include <adwaita.h>

#include <glib/gstdio.h>

#include "core/base/disk-cache.h"
#include "core/plot/chart.h"
#include "studio-test.h"
#include "studio/data/data-view.h"
#include "studio/sweep/sweep-view.h"
#include "studio/widgets/drawing.h"
#include "studio/widgets/fold.h"
#include "studio/widgets/table-columns.h"
#include "studio/widgets/wrap.h"

#define NARROW 360

static const char *const views[] = { "data", "learn", "atoms", "inspect", "results", "sweep", "compare" };

static GtkWindow *
find_window (GType type)
{
  GListModel *all = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (all, i);

      if (g_type_is_a (G_OBJECT_TYPE (window), type))
        return window;
    }
  return NULL;
}

static void
activate (const char *action)
{
  g_action_group_activate_action (G_ACTION_GROUP (g_application_get_default ()), action, NULL);
  studio_test_spin (0.1);
}

static GtkWidget *
find_below (GtkWidget *widget, GType type)
{
  GtkWidget *found = G_OBJECT_TYPE (widget) == type ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_below (child, type);
  return found;
}

/* The choice is applied at once, and the window is not opened twice. */
static void
test_preferences (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWindow *preferences;
  GtkWidget *colors;

  activate ("preferences");
  preferences = find_window (ADW_TYPE_PREFERENCES_WINDOW);
  g_assert_nonnull (preferences);
  activate ("preferences");
  g_assert_true (find_window (ADW_TYPE_PREFERENCES_WINDOW) == preferences);
  colors = find_below (GTK_WIDGET (preferences), ADW_TYPE_COMBO_ROW);
  adw_combo_row_set_selected (ADW_COMBO_ROW (colors), 2);
  g_assert_true (adw_style_manager_get_dark (adw_style_manager_get_default ()));
  adw_combo_row_set_selected (ADW_COMBO_ROW (colors), 0);
  g_assert_cmpint (adw_style_manager_get_color_scheme (adw_style_manager_get_default ()), ==, ADW_COLOR_SCHEME_DEFAULT);
  gtk_window_close (preferences);
  studio_test_spin (0.1);
  g_assert_null (find_window (ADW_TYPE_PREFERENCES_WINDOW));
  studio_test_close (window);
}

/* A row of preferences by its title. */
static GtkWidget *
find_row (GtkWidget *widget, const char *title)
{
  GtkWidget *found
      = ADW_IS_ACTION_ROW (widget) && strcmp (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title) == 0
            ? widget
            : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_row (child, title);
  return found;
}

/* Pictures are saved as Preferences have them. */
static void
test_pictures (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *folder = g_dir_make_tmp ("tosst-pictures-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "c.svg", NULL), *wide = NULL, *again = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  TosstChart *chart = tosst_chart_new ("The Title", "x", "y");
  GtkWindow *preferences;
  GtkWidget *width, *titles;

  tosst_chart_append (chart, tosst_chart_add_series (chart, "a"), 1, 1);
  activate ("preferences");
  preferences = find_window (ADW_TYPE_PREFERENCES_WINDOW);
  width = find_row (GTK_WIDGET (preferences), "Width");
  titles = find_below (find_row (GTK_WIDGET (preferences), "Titles"), GTK_TYPE_SWITCH);
  adw_combo_row_set_selected (ADW_COMBO_ROW (width), 2);
  g_assert_true (tosst_chart_save (chart, 300, 200, file, NULL));
  g_assert_true (g_file_get_contents (path, &wide, NULL, NULL));
  g_assert_nonnull (strstr (wide, "width=\"493.2")); /* 174 mm in points */
  g_assert_nonnull (strstr (wide, "The Title"));
  adw_combo_row_set_selected (ADW_COMBO_ROW (width), 0);
  gtk_switch_set_active (GTK_SWITCH (titles), FALSE);
  g_assert_true (tosst_chart_save (chart, 300, 200, file, NULL));
  g_assert_true (g_file_get_contents (path, &again, NULL, NULL));
  g_assert_nonnull (strstr (again, "width=\"238.1")); /* 84 mm */
  g_assert_null (strstr (again, "The Title"));
  gtk_switch_set_active (GTK_SWITCH (titles), TRUE);
  gtk_window_close (preferences);
  studio_test_spin (0.1);
  tosst_chart_free (chart);
  g_unlink (path);
  g_rmdir (folder);
  studio_test_close (window);
}

static gboolean
has_size (gpointer row)
{
  return adw_action_row_get_subtitle (row) != NULL && g_ascii_isdigit (*adw_action_row_get_subtitle (row));
}

static gboolean
is_empty (gpointer row)
{
  return g_str_has_prefix (adw_action_row_get_subtitle (row), "None yet");
}

/* The limit of what is kept on the disk is applied at once, and removed with a button. */
static void
test_kept (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *key = tosst_disk_cache_key ("value");
  GtkWindow *preferences;
  GtkWidget *row;

  tosst_disk_cache_write (key, 1, "value", 5, NULL, 0);
  g_assert_cmpuint (tosst_disk_cache_bytes (), >, 0);
  activate ("preferences");
  preferences = find_window (ADW_TYPE_PREFERENCES_WINDOW);
  row = find_row (GTK_WIDGET (preferences), "Descriptors Kept on the Disk");
  studio_test_wait (has_size, row, 10);
  g_assert_false (is_empty (row));
  g_signal_emit_by_name (find_below (row, GTK_TYPE_BUTTON), "clicked");
  studio_test_wait (is_empty, row, 10);
  g_assert_cmpuint (tosst_disk_cache_bytes (), ==, 0);
  g_assert_cmpuint (tosst_disk_cache_limit (), >, 0);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 2);
  g_assert_cmpuint (tosst_disk_cache_limit (), ==, 1 << 30);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 1);
  g_assert_cmpuint (tosst_disk_cache_limit (), ==, 0);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 0);
  g_assert_cmpuint (tosst_disk_cache_limit (), <=, TOSST_DISK_CACHE_BYTES);
  g_assert_cmpuint (tosst_disk_cache_limit (), >, 0);
  gtk_window_close (preferences);
  studio_test_spin (0.1);
  studio_test_close (window);
}

static void
test_about (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWindow *about;

  activate ("about");
  about = find_window (ADW_TYPE_ABOUT_WINDOW);
  g_assert_nonnull (about);
  g_assert_true (g_str_has_suffix (adw_about_window_get_issue_url (ADW_ABOUT_WINDOW (about)), "/issues"));
  gtk_window_destroy (about);
  studio_test_close (window);
}

static GtkWidget *
find_message_button (gpointer root, const char *label)
{
  GtkWidget *found
      = GTK_IS_BUTTON (root) && g_strcmp0 (gtk_button_get_label (root), label) == 0 ? GTK_WIDGET (root) : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_message_button (child, label);
  return found;
}

/* The innermost widgets that need more. */
static void
report_wide (GtkWidget *widget, int depth)
{
  int minimum;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  if (minimum <= NARROW || !gtk_widget_get_visible (widget))
    return;
  g_test_message ("%*s%s %s: %d", depth, "", G_OBJECT_TYPE_NAME (widget),
                  gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget)), minimum);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    report_wide (child, depth + 1);
}

static void
check_narrow (StudioWindow *window, const char *state)
{
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      int minimum;

      studio_test_show (window, views[i]);
      studio_test_spin (0.05);
      gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      if (minimum > NARROW)
        {
          report_wide (GTK_WIDGET (window), 0);
          g_test_message ("%s, %s: %d pixels wide", state, views[i], minimum);
          g_test_fail ();
          return;
        }
    }
}

/* 360 pixels suffice, empty and with results; then the parts of a view are above each other. */
static void
test_narrow (void)
{
  StudioWindow *window = studio_test_window ();
  int minimum;

  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  if (minimum > NARROW)
    report_wide (GTK_WIDGET (window), 0);
  g_assert_cmpint (minimum, <=, NARROW);
  studio_test_tiny (window);
  check_narrow (window, "open");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_learning, window, 60);
  check_narrow (window, "learning");
  studio_test_wait (studio_test_is_idle, window, 60);
  check_narrow (window, "finished");
  studio_sweep_view_restore (STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view")),
                             "[sweep]\ndictionary.lambda=log:0.0001:0.1:4\ndictionary.scheme=psd;free\n");
  check_narrow (window, "with a sweep");
  studio_test_close (window);
}

static gboolean
is_compact (gpointer window)
{
  return gtk_widget_has_css_class (window, "compact");
}

static gboolean
offers_results (gpointer window)
{
  GtkWidget *button = find_message_button (window, "Show _Results");

  return button != NULL && gtk_widget_is_sensitive (button);
}

static gboolean
offers_comparison (gpointer window)
{
  GtkWidget *button = find_message_button (window, "_Compare with Previous");

  return button != NULL && gtk_widget_is_sensitive (button);
}

static gboolean
shows_progress (gpointer window)
{
  return *gtk_label_get_label (GTK_LABEL (studio_test_child (window, STUDIO_TYPE_WINDOW, "progress_time"))) != 0;
}

/* What the header bar says of a run has the space of so many letters. */
static void
check_progress (StudioWindow *window)
{
  GtkLabel *stage = GTK_LABEL (studio_test_child (window, STUDIO_TYPE_WINDOW, "progress_stage")),
           *time = GTK_LABEL (studio_test_child (window, STUDIO_TYPE_WINDOW, "progress_time"));
  int most = gtk_label_get_max_width_chars (stage);

  studio_test_wait (shows_progress, window, 60);
  g_test_message ("%s, %s", gtk_label_get_label (stage), gtk_label_get_label (time));
  g_assert_cmpint (g_utf8_strlen (gtk_label_get_label (stage), -1), <=, most);
  g_assert_cmpint (g_utf8_strlen (gtk_label_get_label (time), -1), <, 2 * most);
}

/* A message with all its buttons fits into 360 pixels, too, and leaves the views at the bottom in reach. */
static void
test_messages (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *bottom = studio_test_child (window, STUDIO_TYPE_WINDOW, "bottom_switcher"), *button;
  graphene_rect_t message, views_below;
  int minimum;

  gtk_window_set_default_size (GTK_WINDOW (window), NARROW, 700);
  studio_test_tiny (window);
  studio_test_wait (is_compact, window, 10);
  for (int i = 0; i < 2; i++) /* from the second run on it offers a comparison */
    {
      studio_test_set (window, "dictionary.lambda", i == 0 ? "0.02" : "0.05");
      gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
      check_progress (window);
      studio_test_wait (studio_test_is_idle, window, 60);
      studio_test_wait (i == 0 ? offers_results : offers_comparison, window, 20);
      if (i == 0) /* the next message waits for the end of this one */
        g_signal_emit_by_name (find_message_button (window, "Show _Results"), "clicked");
    }
  studio_test_spin (0.5);
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  g_assert_cmpint (minimum, <=, NARROW);
  button = find_message_button (window, "Show _Results");
  g_assert_true (gtk_widget_compute_bounds (button, GTK_WIDGET (window), &message));
  g_assert_true (gtk_widget_compute_bounds (bottom, GTK_WIDGET (window), &views_below));
  g_assert_cmpfloat (message.origin.y + message.size.height, <=, views_below.origin.y);
  studio_test_close (window);
}

/* A window closes before its message is shown, while it appears, and after it; the next message waits. */
static void
test_closed_messages (void)
{
  for (int i = 0; i < 8; i++)
    {
      StudioWindow *window = studio_test_window ();
      StudioProject *project = studio_window_get_project (window);

      studio_test_spin (0.02);
      g_signal_emit_by_name (project, "toast", "The first message", "_Undo", "win.undo");
      studio_test_spin (0.04 * i);
      g_signal_emit_by_name (project, "toast", "The next message", NULL, NULL);
      if (i % 2 == 1)
        studio_test_spin (0.02);
      studio_test_close (window);
      studio_test_spin (0.02);
    }
}

static gboolean
is_narrow (gpointer table)
{
  return gtk_widget_has_css_class (table, "narrow");
}

static gboolean
is_wide (gpointer table)
{
  return !is_narrow (table);
}

static void
set_up_cell (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *cell = gtk_label_new (NULL);

  gtk_widget_set_size_request (cell, 250, 20);
  gtk_list_item_set_child (item, cell);
}

/* A table leaves out what it can where its columns would not be in sight, and has it again with enough space. */
static void
test_table (void)
{
  GtkWidget *window = gtk_window_new (), *scroller = gtk_scrolled_window_new (), *table;
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  const char *const rows[] = { "row", NULL };
  g_autoptr (GtkColumnViewColumn) column = NULL;

  g_signal_connect (factory, "setup", G_CALLBACK (set_up_cell), NULL);
  column = gtk_column_view_column_new ("Column", factory);
  table = gtk_column_view_new (GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (rows)))));
  gtk_column_view_append_column (GTK_COLUMN_VIEW (table), column);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), table);
  gtk_window_set_child (GTK_WINDOW (window), scroller);
  studio_table_fit (GTK_COLUMN_VIEW (table));
  gtk_window_set_default_size (GTK_WINDOW (window), 200, 200);
  gtk_window_present (GTK_WINDOW (window));
  studio_test_wait (is_narrow, table, 5);
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 200);
  studio_test_wait (is_wide, table, 5);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_as_wide (gpointer data)
{
  GtkWidget *const *window = data;

  return abs (gtk_widget_get_width (window[0]) - GPOINTER_TO_INT (window[1])) < 60; /* a frame may be part of it */
}

/* From a width on the views are in the header bar, in all wider windows too: beside or below their icons. */
static void
test_switcher (void)
{
  StudioWindow *window = studio_test_window ();
  AdwViewSwitcherBar *bottom;
  gboolean above = FALSE;

  studio_test_tiny (window);
  bottom = ADW_VIEW_SWITCHER_BAR (studio_test_child (window, STUDIO_TYPE_WINDOW, "bottom_switcher"));
  for (int width = 1080; width <= 1600; width += 40)
    {
      gpointer data[] = { window, GINT_TO_POINTER (width) };

      gtk_window_set_default_size (GTK_WINDOW (window), width, 700);
      studio_test_wait (is_as_wide, data, 10);
      studio_test_spin (0.2);
      g_test_message ("%d pixels: %s", width, adw_view_switcher_bar_get_reveal (bottom) ? "below" : "above");
      g_assert_false (above && adw_view_switcher_bar_get_reveal (bottom));
      above = !adw_view_switcher_bar_get_reveal (bottom);
    }
  g_assert_true (above);
  studio_test_close (window);
}

/* Parts that have no room beside each other are pages, with a way back. */
static void
test_fold (void)
{
  GtkWidget *window = gtk_window_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *first = gtk_button_new_with_label ("first"), *last = gtk_button_new_with_label ("last"), *fold, *bar;

  gtk_widget_set_size_request (first, 200, 100);
  gtk_widget_set_size_request (last, 200, 100);
  gtk_box_append (GTK_BOX (box), first);
  gtk_box_append (GTK_BOX (box), last);
  fold = g_object_new (STUDIO_TYPE_FOLD, "child", box, NULL);
  gtk_window_set_child (GTK_WINDOW (window), fold);
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 200);
  gtk_window_present (GTK_WINDOW (window));
  studio_test_spin (0.1);
  g_assert_false (studio_test_is_folded (fold));
  g_assert_true (gtk_widget_get_visible (first) && gtk_widget_get_visible (last));
  gtk_window_set_default_size (GTK_WINDOW (window), 250, 200);
  studio_test_wait (studio_test_is_folded, fold, 5);
  g_assert_true (gtk_widget_get_visible (first) && !gtk_widget_get_visible (last));
  studio_fold_show_last (STUDIO_FOLD (fold), TRUE);
  g_assert_true (!gtk_widget_get_visible (first) && gtk_widget_get_visible (last));
  bar = gtk_widget_get_parent (find_below (gtk_widget_get_first_child (fold), GTK_TYPE_BUTTON));
  g_assert_true (gtk_widget_get_visible (bar));
  g_signal_emit_by_name (gtk_widget_get_first_child (bar), "clicked");
  g_assert_true (gtk_widget_get_visible (first) && !gtk_widget_get_visible (last));
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 200);
  studio_test_spin (0.3);
  g_assert_true (gtk_widget_get_visible (first) && gtk_widget_get_visible (last));
  gtk_window_destroy (GTK_WINDOW (window));
}

static int
natural_width (GtkWidget *widget)
{
  int natural;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

/* The name of an image goes before the buttons beside it: they are below where there is room for one only. */
static void
test_image_name (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *data = studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view");
  GtkWidget *name = studio_test_child (data, STUDIO_TYPE_DATA_VIEW, "image_title");
  GtkWidget *size = studio_test_child (data, STUDIO_TYPE_DATA_VIEW, "image_size");
  GtkWidget *fold = studio_test_child (data, STUDIO_TYPE_DATA_VIEW, "fold");

  studio_test_tiny (window);
  studio_test_show (window, "data");
  gtk_window_set_default_size (GTK_WINDOW (window), NARROW, 700);
  studio_test_wait (studio_test_is_folded, fold, 10);
  studio_fold_show_last (STUDIO_FOLD (fold), TRUE);
  studio_test_spin (0.3);
  g_assert_cmpint (gtk_widget_get_width (name), >=,
                   MIN (natural_width (name), gtk_widget_get_width (fold) - natural_width (size) - 2 * 18 - 12));
  studio_test_close (window);
}

static gboolean
has_width (gpointer widget)
{
  return gtk_widget_get_width (widget) == GPOINTER_TO_INT (g_object_get_data (widget, "width"));
}

static void
wait_for_width (GtkWidget *widget, int width)
{
  g_object_set_data (G_OBJECT (widget), "width", GINT_TO_POINTER (width));
  studio_test_wait (has_width, widget, 5);
}

/* The first part keeps its share of the width, even after a width in which it had no room, until the user moves the
 * handle. */
static void
test_share (void)
{
  GtkWidget *window = gtk_window_new (), *paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  GtkWidget *first = gtk_label_new ("first"), *last = gtk_label_new ("last"), *fold;

  gtk_widget_set_size_request (first, 100, 100);
  gtk_widget_set_size_request (last, 300, 100);
  gtk_paned_set_start_child (GTK_PANED (paned), first);
  gtk_paned_set_end_child (GTK_PANED (paned), last);
  g_object_set (paned, "shrink-start-child", FALSE, "shrink-end-child", FALSE, NULL);
  fold = g_object_new (STUDIO_TYPE_FOLD, "share", 0.5, "child", paned, NULL);
  gtk_window_set_child (GTK_WINDOW (window), fold);
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 200);
  gtk_window_present (GTK_WINDOW (window));
  wait_for_width (first, 400);
  gtk_window_set_default_size (GTK_WINDOW (window), 350, 200);
  studio_test_wait (studio_test_is_folded, fold, 5);
  gtk_window_set_default_size (GTK_WINDOW (window), 1000, 200);
  wait_for_width (first, 500);
  gtk_paned_set_position (GTK_PANED (paned), 250); /* as a drag does */
  wait_for_width (first, 250);
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 200);
  wait_for_width (first, 200);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean refreshed_dark;

static void
refresh (GtkWidget *widget)
{
  refreshed_dark = adw_style_manager_get_dark (adw_style_manager_get_for_display (gtk_widget_get_display (widget)));
}

/* What is drawn again when the colours change has the new ones: the Preferences change the default manager. */
static void
test_colors (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  AdwColorScheme before = adw_style_manager_get_color_scheme (manager);
  GtkWidget *widget = g_object_ref_sink (gtk_label_new (NULL));

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  studio_watch_style (widget, refresh);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  g_assert_true (refreshed_dark);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  g_assert_false (refreshed_dark);
  adw_style_manager_set_color_scheme (manager, before);
  g_object_unref (widget);
}

/* As high as it is narrow. */
static void
test_wrap (void)
{
  GtkWidget *wrap = g_object_ref_sink (g_object_new (STUDIO_TYPE_WRAP, "spacing", 6, NULL));
  int minimum, natural, height[3];

  for (int i = 0; i < 3; i++)
    {
      GtkWidget *child = gtk_label_new (NULL);

      gtk_widget_set_size_request (child, 100, 20);
      gtk_widget_set_parent (child, wrap);
    }
  gtk_widget_measure (wrap, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_true (minimum == 100 && natural == 312);
  for (int i = 0; i < 3; i++)
    gtk_widget_measure (wrap, GTK_ORIENTATION_VERTICAL, 312 - 106 * i, NULL, &height[i], NULL, NULL);
  g_assert_true (height[0] == 20 && height[1] == 46 && height[2] == 72);
  g_object_unref (wrap);
}

/* Six children of which four fit into a line are three and three, as wide as each other; of a single line each has its
 * width. */
static void
test_wrap_in_columns (void)
{
  GtkWidget *wrap = g_object_ref_sink (g_object_new (STUDIO_TYPE_WRAP, "in-columns", TRUE, NULL)), *child;
  int height, n = 0;

  for (int i = 0; i < 6; i++)
    {
      child = gtk_label_new (NULL);
      gtk_widget_set_size_request (child, i == 0 ? 40 : 100, 20);
      gtk_widget_set_parent (child, wrap);
    }
  gtk_widget_measure (wrap, GTK_ORIENTATION_VERTICAL, 450, NULL, &height, NULL, NULL);
  g_assert_cmpint (height, ==, 40);
  gtk_widget_size_allocate (wrap, &(GtkAllocation){ 0, 0, 450, 40 }, -1);
  for (child = gtk_widget_get_first_child (wrap); child != NULL; child = gtk_widget_get_next_sibling (child), n++)
    {
      graphene_rect_t bounds;

      g_assert_true (gtk_widget_compute_bounds (child, wrap, &bounds));
      g_assert_true (bounds.origin.x == n % 3 * 150 && bounds.origin.y == n / 3 * 20 && bounds.size.width == 150);
    }
  gtk_widget_measure (wrap, GTK_ORIENTATION_VERTICAL, 540, NULL, &height, NULL, NULL);
  g_assert_cmpint (height, ==, 20);
  g_object_unref (wrap);
}

int
main (int argc, char **argv)
{
  g_unsetenv ("TOSST_CACHE_MB"); /* the limit is a setting of the window */
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/platform/preferences", test_preferences);
  g_test_add_func ("/platform/kept", test_kept);
  g_test_add_func ("/platform/pictures", test_pictures);
  g_test_add_func ("/platform/about", test_about);
  g_test_add_func ("/platform/narrow", test_narrow);
  g_test_add_func ("/platform/messages", test_messages);
  g_test_add_func ("/platform/closed-messages", test_closed_messages);
  g_test_add_func ("/platform/table", test_table);
  g_test_add_func ("/platform/switcher", test_switcher);
  g_test_add_func ("/platform/colors", test_colors);
  g_test_add_func ("/platform/fold", test_fold);
  g_test_add_func ("/platform/image-name", test_image_name);
  g_test_add_func ("/platform/share", test_share);
  g_test_add_func ("/platform/wrap", test_wrap);
  g_test_add_func ("/platform/wrap/in-columns", test_wrap_in_columns);
  return g_test_run ();
}

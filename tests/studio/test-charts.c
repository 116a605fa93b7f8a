/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The chart of all views: a range of both axes selected by a drag and shown whole again, logarithmic axes, copies, the
 * values of all curves under the pointer.
 */
#include "config.h"

#include <adwaita.h>
#include <math.h>
#include <string.h>

#include "studio-test.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/context-menu.h"

typedef struct
{
  GtkWidget *window;
  StudioChartView *view;
  TosstChart *chart;
} Shown;

static gboolean
is_drawn (gpointer chart)
{
  return !isnan (tosst_chart_x_at (chart, 50));
}

static TosstChart *
two_curves (void)
{
  TosstChart *chart = tosst_chart_new ("", "Iteration", "y");

  tosst_chart_add_series (chart, "up");
  tosst_chart_add_series (chart, "down");
  for (int x = 1; x <= 10; x++)
    {
      tosst_chart_append (chart, 0, x, x);
      tosst_chart_append (chart, 1, x, 100 - x);
    }
  return chart;
}

static Shown
show (void)
{
  Shown shown = { gtk_window_new (), g_object_new (STUDIO_TYPE_CHART_VIEW, NULL), two_curves () };

  gtk_window_set_default_size (GTK_WINDOW (shown.window), 600, 400);
  gtk_window_set_child (GTK_WINDOW (shown.window), GTK_WIDGET (shown.view));
  studio_chart_view_set_chart (shown.view, shown.chart);
  gtk_window_present (GTK_WINDOW (shown.window));
  studio_test_wait (is_drawn, shown.chart, 5);
  return shown;
}

static void
hide (Shown *shown)
{
  studio_chart_view_set_chart (shown->view, NULL);
  tosst_chart_free (shown->chart);
  gtk_window_destroy (GTK_WINDOW (shown->window));
}

static GtkEventController *
controller_of (Shown *shown, GType type)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (GTK_WIDGET (shown->view));

  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (GtkEventController) one = g_list_model_get_item (all, i);

      if (G_OBJECT_TYPE (one) == type)
        return one; /* owned by the view */
    }
  g_assert_not_reached ();
}

/* From one corner to the other, as parts of the plot. */
static void
drag (Shown *shown, double from_x, double from_y, double to_x, double to_y)
{
  GtkEventController *gesture = controller_of (shown, GTK_TYPE_GESTURE_DRAG);
  double x, y, width, height;

  studio_test_wait (is_drawn, shown->chart, 5);
  tosst_chart_plot_area (shown->chart, &x, &y, &width, &height);
  g_signal_emit_by_name (gesture, "drag-begin", x + from_x * width, y + from_y * height);
  g_signal_emit_by_name (gesture, "drag-update", (to_x - from_x) * width, (to_y - from_y) * height);
  studio_test_spin (0.05);
  g_signal_emit_by_name (gesture, "drag-end", (to_x - from_x) * width, (to_y - from_y) * height);
  studio_test_spin (0.05);
}

static gboolean
offers_reset (Shown *shown)
{
  GtkWidget *button = gtk_widget_get_first_child (GTK_WIDGET (shown->view));

  g_assert_true (GTK_IS_BUTTON (button));
  return gtk_widget_get_visible (button);
}

static void
test_box_zoom (void)
{
  Shown shown = show ();
  double low, high, bottom, top, left = tosst_chart_x_at (shown.chart, 0);

  g_assert_false (offers_reset (&shown));
  drag (&shown, 0.25, 0.25, 0.5, 0.75);
  tosst_chart_get_x_range (shown.chart, &low, &high);
  tosst_chart_get_y_range (shown.chart, &bottom, &top);
  g_assert_true (low > left && low < high && high < 10);
  g_assert_true (bottom > 10 && bottom < top && top < 90);
  g_assert_true (offers_reset (&shown));
  /* Upright or flat boxes select one axis; a click selects nothing. */
  gtk_widget_activate_action (GTK_WIDGET (shown.view), "chart.reset-zoom", NULL);
  studio_test_spin (0.05);
  g_assert_false (offers_reset (&shown));
  drag (&shown, 0.25, 0.5, 0.75, 0.505);
  tosst_chart_get_x_range (shown.chart, &low, &high);
  tosst_chart_get_y_range (shown.chart, &bottom, &top);
  g_assert_true (!isnan (low) && isnan (bottom));
  gtk_widget_activate_action (GTK_WIDGET (shown.view), "chart.reset-zoom", NULL);
  drag (&shown, 0.5, 0.25, 0.505, 0.75);
  tosst_chart_get_x_range (shown.chart, &low, &high);
  tosst_chart_get_y_range (shown.chart, &bottom, &top);
  g_assert_true (isnan (low) && !isnan (bottom));
  gtk_widget_activate_action (GTK_WIDGET (shown.view), "chart.reset-zoom", NULL);
  drag (&shown, 0.5, 0.25, 0.501, 0.25);
  g_assert_false (offers_reset (&shown));
  hide (&shown);
}

/* What the user chose stays for the next chart, until the view forgets it. */
static void
test_logarithmic (void)
{
  Shown shown = show ();
  TosstChart *next = two_curves ();
  gboolean x, y;

  gtk_widget_activate_action (GTK_WIDGET (shown.view), "chart.log-x", NULL);
  tosst_chart_get_logarithmic (shown.chart, &x, &y);
  g_assert_true (x && !y);
  tosst_chart_set_logarithmic (next, FALSE, TRUE);
  studio_chart_view_set_chart (shown.view, next);
  tosst_chart_get_logarithmic (next, &x, &y);
  g_assert_true (x && y);
  studio_chart_view_forget_axes (shown.view);
  studio_chart_view_set_chart (shown.view, shown.chart);
  tosst_chart_set_logarithmic (shown.chart, FALSE, FALSE);
  studio_chart_view_refresh (shown.view);
  g_object_get (shown.view, "log-x", &x, "log-y", &y, NULL);
  g_assert_true (!x && !y);
  tosst_chart_free (next);
  hide (&shown);
}

static void
test_copies (void)
{
  Shown shown = show ();
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (shown.view));
  g_autofree char *csv = tosst_chart_to_csv (shown.chart);
  g_auto (GValue) text = G_VALUE_INIT;

  gtk_widget_activate_action (GTK_WIDGET (shown.view), "chart.copy-numbers", NULL);
  g_value_init (&text, G_TYPE_STRING);
  g_assert_true (gdk_content_provider_get_value (gdk_clipboard_get_content (clipboard), &text, NULL));
  g_assert_cmpstr (g_value_get_string (&text), ==, csv);
  gtk_widget_activate_action (GTK_WIDGET (shown.view), "chart.copy-picture", NULL);
  g_assert_true (gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (clipboard), GDK_TYPE_TEXTURE));
  hide (&shown);
}

static void
test_crosshair (void)
{
  Shown shown = show ();
  double x, y, width, height;
  g_autoptr (GPtrArray) readings = NULL;

  tosst_chart_plot_area (shown.chart, &x, &y, &width, &height);
  readings = studio_chart_readings_new (shown.chart, x + width / 2);
  g_assert_cmpuint (readings->len, ==, 2);
  g_autofree char *markup = studio_chart_readings_markup (shown.chart, GTK_WIDGET (shown.view), readings, -1, "a < b"),
                  *plain = NULL;
  g_assert_true (pango_parse_markup (markup, -1, 0, NULL, &plain, NULL, NULL));
  g_assert_true (g_str_has_prefix (plain, "a < b\n● up: "));
  g_assert_nonnull (strstr (plain, "\n● down: 9"));
  /* Drawn without complaints. */
  g_signal_emit_by_name (controller_of (&shown, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", x + width / 2,
                         y + height / 2);
  studio_test_spin (0.1);
  hide (&shown);
}

/* The menu opens by keys, closes, and goes with its chart. */
static void
test_menu (void)
{
  Shown shown = show ();
  GtkWidget *last;

  g_signal_emit_by_name (controller_of (&shown, GTK_TYPE_GESTURE_LONG_PRESS), "pressed", 100.0, 100.0);
  studio_test_spin (0.1);
  last = gtk_widget_get_last_child (GTK_WIDGET (shown.view));
  g_assert_true (GTK_IS_POPOVER_MENU (last) && gtk_widget_get_visible (last));
  gtk_popover_popdown (GTK_POPOVER (last));
  studio_test_spin (0.1);
  g_assert_false (GTK_IS_POPOVER_MENU (gtk_widget_get_last_child (GTK_WIDGET (shown.view))));
  g_signal_emit_by_name (controller_of (&shown, GTK_TYPE_GESTURE_LONG_PRESS), "pressed", 100.0, 100.0);
  studio_test_spin (0.1);
  hide (&shown);
}

/* A second menu of a widget takes the place of the first. */
static void
test_menu_replaced (void)
{
  Shown shown = show ();
  GtkWidget *last;

  studio_add_context_menu (shown.view, "map_menu", NULL, NULL);
  g_signal_emit_by_name (controller_of (&shown, GTK_TYPE_GESTURE_LONG_PRESS), "pressed", 100.0, 100.0);
  studio_test_spin (0.1);
  last = gtk_widget_get_last_child (GTK_WIDGET (shown.view));
  g_assert_true (GTK_IS_POPOVER_MENU (last));
  g_assert_cmpint (g_menu_model_get_n_items (gtk_popover_menu_get_menu_model (GTK_POPOVER_MENU (last))), ==, 1);
  hide (&shown);
}

/* Charts that share an axis. */
static void
test_shared_axis (void)
{
  g_autoptr (StudioChartSession) session = studio_chart_session_new ();
  GtkWidget *window = gtk_window_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  TosstChart *charts[2];
  GtkWidget *views[2];
  double low, high;

  for (int i = 0; i < 2; i++)
    {
      charts[i] = tosst_chart_new ("", "x", "y");
      views[i] = g_object_new (STUDIO_TYPE_CHART_VIEW, NULL);
      tosst_chart_add_series (charts[i], "one");
      for (int x = 1; x <= 100; x++)
        tosst_chart_append (charts[i], 0, x, x == 7 ? NAN : x * i);
      studio_chart_view_set_chart (STUDIO_CHART_VIEW (views[i]), charts[i]);
      studio_chart_view_set_session (STUDIO_CHART_VIEW (views[i]), session);
      gtk_box_append (GTK_BOX (box), views[i]);
    }
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
  studio_test_spin (0.1);
  studio_chart_session_set_range (session, 20, 40);
  for (int i = 0; i < 2; i++)
    {
      tosst_chart_get_x_range (charts[i], &low, &high);
      g_assert_cmpfloat (low, ==, 20);
      g_assert_cmpfloat (high, ==, 40);
    }
  /* New data keep the zoom. */
  tosst_chart_append (charts[0], 0, 101, 5);
  studio_chart_view_refresh (STUDIO_CHART_VIEW (views[0]));
  studio_test_spin (0.1);
  tosst_chart_get_x_range (charts[0], &low, &high);
  g_assert_cmpfloat (high, ==, 40);
  /* Zooming out ends at the whole range. */
  studio_test_wait (is_drawn, charts[1], 5);
  for (int i = 0; i < 20; i++)
    studio_test_press_key (views[1], GDK_KEY_minus);
  tosst_chart_get_x_range (charts[0], &low, &high);
  g_assert_true (isnan (low));
  for (int i = 0; i < 500; i++)
    studio_test_press_key (views[1], GDK_KEY_plus);
  tosst_chart_get_x_range (charts[1], &low, &high);
  g_assert_cmpfloat (high - low, >, 1e-9);
  studio_chart_session_set_range (session, NAN, NAN);
  tosst_chart_get_x_range (charts[1], &low, &high);
  g_assert_true (isnan (low));
  for (int i = 0; i < 2; i++)
    {
      studio_chart_view_set_chart (STUDIO_CHART_VIEW (views[i]), NULL);
      tosst_chart_free (charts[i]);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/charts/box-zoom", test_box_zoom);
  g_test_add_func ("/charts/logarithmic", test_logarithmic);
  g_test_add_func ("/charts/copies", test_copies);
  g_test_add_func ("/charts/crosshair", test_crosshair);
  g_test_add_func ("/charts/shared-axis", test_shared_axis);
  g_test_add_func ("/charts/menu", test_menu);
  g_test_add_func ("/charts/menu-replaced", test_menu_replaced);
  return g_test_run ();
}

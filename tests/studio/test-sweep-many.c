/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio-test.h"
#include "studio/sweep/sweep-parallel.h"
#include "studio/sweep/sweep-table.h"
#include "studio/sweep/sweep-view.h"
#include "studio/widgets/drawing.h"

/* The Sweep view with many runs: no step of the main loop looks at all of them without need. */

static StudioSweepView *
view_of (gpointer window)
{
  return STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));
}

static StudioSweepPlanner *
sweep_of (gpointer window)
{
  return studio_window_get_project (window)->sweep;
}

static StudioSweepTable *
table_of (gpointer window)
{
  return STUDIO_SWEEP_TABLE (view_of (window)->table);
}

static gboolean
is_planned (gpointer window)
{
  return sweep_of (window)->planned;
}

static StudioSweepRow *
row_at (StudioWindow *window, guint i)
{
  g_autoptr (StudioSweepRow) row = g_list_model_get_item (sweep_of (window)->rows, i);

  return row; /* it is also in the list */
}

/* Runs that pass a filter. */
static guint
count_matches (StudioWindow *window, const char *text)
{
  StudioSweepPlan *plan = sweep_of (window)->plan;
  g_autoptr (GError) error = NULL;
  g_autoptr (StudioSweepFilter) filter = studio_sweep_filter_new (text, plan->plan, &error);
  guint n = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < g_list_model_get_n_items (sweep_of (window)->rows); i++)
    n += studio_sweep_filter_match (filter, row_at (window, i));
  return n;
}

static StudioWindow *
tiny_window (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "sweep");
  return window;
}

static GtkWidget *
chart_part (StudioWindow *window, const char *name)
{
  GtkWidget *charts = GTK_WIDGET (view_of (window)->charts);

  return GTK_WIDGET (gtk_widget_get_template_child (charts, STUDIO_TYPE_SWEEP_CHARTS, name));
}

static GListModel *
cells_of (StudioWindow *window)
{
  GtkWidget *table = studio_test_child (table_of (window), STUDIO_TYPE_SWEEP_TABLE, "table");

  return G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (table)));
}

static gboolean
has_all_cells (gpointer window)
{
  return g_list_model_get_n_items (cells_of (window)) == 2000;
}

/* The step in which a plan arrives passes its rows on without looking at each, and makes no cells. */
static void
check_arrival (StudioWindow *window)
{
  GListModel *shown = G_LIST_MODEL (table_of (window)->filtered);
  GtkFilter *filter = gtk_filter_list_model_get_filter (GTK_FILTER_LIST_MODEL (shown));

  g_assert_cmpint (gtk_filter_get_strictness (filter), ==, GTK_FILTER_MATCH_ALL);
  g_assert_cmpuint (g_list_model_get_n_items (cells_of (window)), ==, 0);
  studio_test_wait (has_all_cells, window, 30);
  g_assert_cmpint (gtk_filter_get_strictness (filter), ==, GTK_FILTER_MATCH_ALL);
}

static gboolean
has_picture (gpointer parallel)
{
  return STUDIO_SWEEP_PARALLEL (parallel)->picture.texture != NULL;
}

static void
draw_parallel (cairo_t *cr, double width, double height, const TosstChartStyle *style, gpointer data)
{
  tosst_draw_parallel (cr, width, height, style, data);
}

static GBytes *
pixels_of (GdkTexture *texture)
{
  gsize stride = 4 * (gsize)gdk_texture_get_width (texture), size = stride * (gsize)gdk_texture_get_height (texture);
  guchar *pixels = g_malloc (size);

  gdk_texture_download (texture, pixels, stride);
  return g_bytes_new_take (pixels, size);
}

static gboolean
is_drawn (gpointer parallel)
{
  GdkTexture *picture = STUDIO_SWEEP_PARALLEL (parallel)->picture.texture;
  g_autoptr (GdkTexture) direct
      = studio_draw_texture (parallel, gtk_widget_get_width (parallel), gtk_widget_get_height (parallel), draw_parallel,
                             STUDIO_SWEEP_PARALLEL (parallel)->parallel);
  g_autoptr (GBytes) pixels = pixels_of (picture), expected = pixels_of (direct);

  return g_bytes_equal (pixels, expected);
}

/* A frame does not draw many lines but requests their picture, which is the same in the end. */
static void
check_lines (StudioWindow *window)
{
  GtkWidget *parallel = chart_part (window, "parallel");
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  GdkTexture *last;

  gtk_drop_down_set_selected (GTK_DROP_DOWN (chart_part (window, "kind")), 2);
  studio_test_wait (has_picture, parallel, 30);
  studio_test_wait (is_drawn, parallel, 30);
  last = STUDIO_SWEEP_PARALLEL (parallel)->picture.texture;
  studio_sweep_parallel_choose (STUDIO_SWEEP_PARALLEL (parallel), 7);
  g_assert_false (is_drawn (parallel));
  GTK_WIDGET_GET_CLASS (parallel)->snapshot (parallel, snapshot);
  g_assert_true (STUDIO_SWEEP_PARALLEL (parallel)->picture.texture == last);
  studio_test_wait (is_drawn, parallel, 30);
}

/* 2,000 runs are planned, shown and filtered. The default choice has neither 500 curves nor a chart without points. */
static void
test_many (void)
{
  StudioWindow *window = tiny_window ();
  StudioSweepEditor *editor = STUDIO_SWEEP_EDITOR (view_of (window)->editor);

  studio_sweep_editor_add (editor, "dictionary.seed", "lin:1:500:500");
  studio_sweep_editor_add (editor, "classifier.c", "1;10;100;1000");
  studio_test_wait (is_planned, window, 60);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table_of (window)->filtered)), ==, 2000);
  check_arrival (window);
  studio_sweep_table_select (table_of (window), row_at (window, 1999));
  g_assert_true (studio_sweep_table_get_selected (table_of (window)) == row_at (window, 1999));
  studio_test_spin (0.2);
  g_assert_cmpuint (count_matches (window, "seed=7"), ==, 4);
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (chart_part (window, "by"))), ==, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (chart_part (window, "stack"))), ==, "waiting");
  g_assert_false (studio_export_can (view_of (window), "picture"));
  check_lines (window);
  studio_test_close (window);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/sweep/many", test_many);
  return g_test_run ();
}

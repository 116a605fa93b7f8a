/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "studio-test.h"
#include "studio/compare/compare-view.h"
#include "studio/recipe/value-text.h"
#include "studio/sweep/sweep-pictures.h"
#include "studio/sweep/sweep-table.h"
#include "studio/sweep/sweep-view.h"

/* The Sweep view: its axes, running, stopping and resuming, and its results. */

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

static StudioSweepEditor *
editor_of (gpointer window)
{
  return STUDIO_SWEEP_EDITOR (view_of (window)->editor);
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

static gboolean
is_estimated (gpointer window)
{
  return studio_sweep_planner_get_estimate (sweep_of (window)) != NULL;
}

static gboolean
is_idle (gpointer window)
{
  return !studio_project_is_sweeping (studio_window_get_project (window));
}

static gboolean
has_done_two (gpointer window)
{
  return sweep_of (window)->count[TOSST_RUN_DONE] >= 2;
}

static gboolean
has_problem (gpointer window)
{
  return sweep_of (window)->problem != NULL;
}

static void
act (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view_of (window)), action, NULL));
}

static const char *
label_of (GtkWidget *label)
{
  return gtk_label_get_label (GTK_LABEL (label));
}

static StudioSweepRow *
row_at (StudioWindow *window, guint i)
{
  g_autoptr (StudioSweepRow) row = g_list_model_get_item (sweep_of (window)->rows, i);

  return row; /* it is also in the list */
}

static StudioWindow *
tiny_window (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "sweep");
  return window;
}

static void
plan_nine (StudioWindow *window)
{
  studio_sweep_editor_add (editor_of (window), "dictionary.atoms", "6;8;12");
  studio_sweep_editor_add (editor_of (window), "dictionary.lambda", "log:1e-3:1e-1:3");
  studio_test_wait (is_planned, window, 30);
  g_assert_cmpuint (g_list_model_get_n_items (sweep_of (window)->rows), ==, 9);
}

static TosstSweepAxis *
first_axis (const TosstSweep *sweep)
{
  g_assert_nonnull (sweep);
  g_assert_cmpuint (sweep->axes->len, ==, 1);
  return g_ptr_array_index (sweep->axes, 0);
}

/* An edit parses the values of an axis once: parsing the maximum number is slow. */
static void
test_many_values (void)
{
  StudioWindow *window = tiny_window ();
  StudioSweepEditor *editor = editor_of (window);
  g_autoptr (TosstSweep) one = NULL, other = NULL, copy = NULL;

  studio_sweep_editor_add (editor, "dictionary.seed", "lin:1:200000:100000");
  studio_sweep_editor_set_jobs (editor, 2);
  one = studio_sweep_editor_dup_edited (editor);
  other = studio_sweep_editor_dup_sweep (editor);
  copy = tosst_sweep_copy (other);
  g_assert_cmpuint (g_strv_length (first_axis (one)->values), ==, 100000);
  g_assert_true (first_axis (one) == first_axis (other));
  g_assert_true (first_axis (one) == first_axis (copy));
  studio_test_close (window);
}

static gboolean
file_exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static char *
export_to (StudioWindow *window, const char *kind, const char *name)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, name, NULL);
  char *content = NULL;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "sweep.export", "(ss)", kind, path));
  studio_test_wait (file_exists, path, 20);
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_remove (path);
  g_rmdir (folder);
  return content;
}

static gboolean
compares_two (gpointer window)
{
  StudioCompareSet *set = STUDIO_COMPARE_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "compare_view"))->set;

  return set != NULL && set->runs->len == 2;
}

/* Two rows are starred together and compared. */
static void
check_compare (StudioWindow *window)
{
  GtkColumnView *table = GTK_COLUMN_VIEW (
      gtk_widget_get_template_child (GTK_WIDGET (table_of (window)), STUDIO_TYPE_SWEEP_TABLE, "table"));
  GtkSelectionModel *selection = gtk_column_view_get_model (table);
  g_autoptr (GPtrArray) rows = NULL;

  gtk_selection_model_select_item (selection, 0, TRUE);
  gtk_selection_model_select_item (selection, 2, FALSE);
  rows = studio_sweep_table_get_selection (table_of (window));
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_null (studio_sweep_table_get_selected (table_of (window))); /* not one */
  act (window, "sweep.star");
  g_assert_true (((StudioSweepRow *)rows->pdata[0])->outcome.starred);
  g_assert_true (((StudioSweepRow *)rows->pdata[1])->outcome.starred);
  act (window, "sweep.star");
  g_assert_false (((StudioSweepRow *)rows->pdata[1])->outcome.starred);
  act (window, "sweep.compare");
  g_assert_cmpstr (studio_window_get_topic (window), ==, "compare");
  studio_test_wait (compares_two, window, 20);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "sweep");
  gtk_selection_model_unselect_all (selection);
}

static void
check_shared (StudioWindow *window)
{
  GListModel *rows = sweep_of (window)->rows;
  g_autoptr (StudioSweepRow) first = g_list_model_get_item (rows, 0), second = g_list_model_get_item (rows, 1);
  g_autofree char *csv = export_to (window, "table", "t.csv");
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);
  g_auto (GStrv) head = g_strsplit (lines[0], ",", -1), fields = g_strsplit (lines[2], ",", -1);
  double own = second->outcome.seconds, shared = second->outcome.shared;

  g_assert_cmpfloat (first->outcome.shared, ==, 0);
  g_assert_cmpfloat (shared, >, own);
  g_assert_cmpfloat (shared, <=, first->outcome.seconds);
  g_assert_cmpfloat (studio_sweep_row_metric (second, STUDIO_SWEEP_SECONDS), ==, own + shared);
  g_assert_cmpstr (head[6], ==, "seconds");
  g_assert_cmpstr (head[7], ==, "shared");
  g_assert_cmpfloat (g_ascii_strtod (fields[6], NULL), ==, own);
  g_assert_cmpfloat (g_ascii_strtod (fields[7], NULL), ==, shared);
}

static void
check_exports (StudioWindow *window)
{
  g_autofree char *csv = export_to (window, "table", "t.csv"), *svg = export_to (window, "picture", "p.svg");
  g_autofree char *recipe = export_to (window, "recipe", "s.ini"), *command = NULL;
  g_auto (GStrv) lines = g_strsplit (g_strchomp (csv), "\n", -1);
  g_autoptr (TosstSweep) again = tosst_sweep_parse (recipe, "s.ini", NULL);

  g_assert_cmpuint (g_strv_length (lines), ==, 10);
  g_assert_true (g_str_has_prefix (lines[0], "run,id,dictionary.atoms,dictionary.lambda,accuracy,deviation,objective"));
  g_assert_nonnull (strstr (lines[9], ",done,"));
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_nonnull (again);
  g_assert_cmpuint (again->axes->len, ==, 2);
  command = tosst_sweep_command (again);
  g_assert_true (g_str_has_prefix (command, "tosst sweep "));
  g_assert_nonnull (strstr (command, "'sweep.dictionary.atoms=6;8;12'"));
}

/* Every condition separately, on numbers, words and missing values. */
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

static void
check_filter (StudioWindow *window)
{
  StudioSweepPlan *plan = sweep_of (window)->plan;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (count_matches (window, ""), ==, 9);
  g_assert_cmpuint (count_matches (window, "atoms=8"), ==, 3);
  g_assert_cmpuint (count_matches (window, "dictionary.atoms>=8, λ<0.05"), ==, 4);
  g_assert_cmpuint (count_matches (window, "atoms != 8"), ==, 6);
  g_assert_cmpuint (count_matches (window, "accuracy>=0"), ==, 9);
  g_assert_cmpuint (count_matches (window, "accuracy>100"), ==, 0);
  g_assert_cmpuint (count_matches (window, "state=done"), ==, 9);
  g_assert_cmpuint (count_matches (window, "failed"), ==, 0);
  g_assert_null (studio_sweep_filter_new ("height=3", plan->plan, &error));
  g_assert_nonnull (strstr (error->message, "height"));
}

static GtkWidget *
chart_part (StudioWindow *window, const char *name)
{
  return GTK_WIDGET (
      gtk_widget_get_template_child (GTK_WIDGET (view_of (window)->charts), STUDIO_TYPE_SWEEP_CHARTS, name));
}

/* Runs are points, and a point maps back to its run. */
static void
check_pictures (StudioWindow *window)
{
  GListModel *rows = sweep_of (window)->rows;
  const TosstSweep *sweep = sweep_of (window)->sweep;
  const TosstParameter *atoms = tosst_parameter_find ("dictionary.atoms"),
                       *lambda = tosst_parameter_find ("dictionary.lambda");
  StudioSweepCurves *curves = studio_sweep_curves_new (rows, sweep, STUDIO_SWEEP_ACCURACY, lambda, atoms);
  StudioSweepCurves *one = studio_sweep_curves_new (rows, sweep, STUDIO_SWEEP_OBJECTIVE, atoms, NULL);
  StudioSweepPlan *plan = sweep_of (window)->plan;
  g_autoptr (TosstSweep) few = tosst_sweep_parse ("[sweep]\ndictionary.atoms=8;16\n", "few", NULL);
  g_autoptr (TosstSweepPlan) by_atoms = tosst_sweep_plan_new (few, NULL);
  g_autoptr (TosstParallel) lines = studio_sweep_lines_new (rows, sweep, plan->plan->varying, STUDIO_SWEEP_ACCURACY);

  g_assert_true (studio_sweep_is_logarithmic (rows, sweep, lambda));
  g_assert_false (studio_sweep_is_logarithmic (rows, sweep, atoms));
  for (guint series = 0; series < 3; series++)
    g_assert_cmpuint (tosst_chart_points (curves->chart, series), ==, 3);
  g_assert_cmpuint (curves->left_out, ==, 0);
  for (guint i = 0; i < 9; i++)
    g_assert_true (studio_sweep_curves_row (curves, i / 3, studio_sweep_row_number (row_at (window, i), lambda))
                   == row_at (window, i));
  g_assert_cmpuint (tosst_chart_points (one->chart, 0), ==, 3);
  g_assert_cmpuint (one->left_out, ==, 6);
  /* Objectives of other lambda are of other problems, and are not offered. */
  g_assert_cmpuint (studio_sweep_count_metrics (plan->plan), ==, STUDIO_SWEEP_OBJECTIVE);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (chart_part (window, "metric")))),
                    ==, STUDIO_SWEEP_OBJECTIVE);
  g_assert_cmpuint (studio_sweep_count_metrics (by_atoms), ==, STUDIO_SWEEP_N_METRICS);
  g_assert_cmpuint (lines->axes->len, ==, 3);
  g_assert_cmpuint (tosst_parallel_lines (lines), ==, 9);
  studio_sweep_curves_free (curves);
  studio_sweep_curves_free (one);
}

static const char *
shown_page (StudioWindow *window)
{
  return gtk_stack_get_visible_child_name (GTK_STACK (chart_part (window, "stack")));
}

/* A cell for each pair of values, and the shares of two parameters and of both together add up. */
static void
check_map (StudioWindow *window)
{
  GListModel *rows = sweep_of (window)->rows;
  const TosstSweep *sweep = sweep_of (window)->sweep;
  StudioSweepPlan *plan = sweep_of (window)->plan;
  StudioSweepMap *map
      = studio_sweep_map_new (rows, sweep, STUDIO_SWEEP_OBJECTIVE, tosst_parameter_find ("dictionary.lambda"),
                              tosst_parameter_find ("dictionary.atoms"));
  g_autoptr (TosstImportance) importance = studio_sweep_importance (rows, plan->plan->varying, STUDIO_SWEEP_OBJECTIVE);
  TosstMarginsDrawing *shares;
  g_autofree char *svg = NULL, *names = NULL, *lambda = NULL;
  double sum = 0;

  g_assert_cmpuint (map->grid->columns, ==, 3);
  g_assert_cmpuint (map->grid->rows, ==, 3);
  for (guint i = 0; i < 9; i++)
    {
      g_assert_true (studio_sweep_map_row (map, i % 3, i / 3) == row_at (window, i));
      g_assert_cmpfloat (tosst_grid_get (map->grid, i % 3, i / 3), ==,
                         studio_sweep_row_metric (row_at (window, i), STUDIO_SWEEP_OBJECTIVE));
    }
  studio_sweep_map_free (map);
  g_assert_nonnull (importance);
  g_assert_true (importance->complete && importance->effects->len == 3);
  for (guint i = 0; i < importance->effects->len; i++)
    sum += g_array_index (importance->effects, TosstEffect, i).share;
  g_assert_cmpfloat_with_epsilon (sum, 1, 1e-9);
  for (guint kind = 1; kind <= 3; kind++)
    {
      static const char *const pages[] = { "", "map", "parallel", "importance" };

      gtk_drop_down_set_selected (GTK_DROP_DOWN (chart_part (window, "kind")), kind);
      g_assert_cmpstr (shown_page (window), ==, pages[kind]);
      g_assert_true (studio_export_can (view_of (window), "picture"));
      studio_test_spin (0.1);
    }
  g_assert_nonnull (gtk_widget_get_first_child (chart_part (window, "importance")));
  svg = export_to (window, "picture", "importance.svg");
  shares = studio_sweep_shares (rows, plan->plan->varying, STUDIO_SWEEP_OBJECTIVE, sweep);
  lambda = studio_parameter_text (tosst_parameter_find ("dictionary.lambda"));
  names = g_strjoinv ("; ", shares->class_names);
  g_assert_nonnull (strstr (names, lambda));
  g_assert_cmpfloat_with_epsilon (shares->margins[0], g_array_index (importance->effects, TosstEffect, 0).share, 1e-9);
  studio_sweep_shares_free (shares);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (chart_part (window, "kind")), 0);
}

/* A sweep is stopped, resumed, and found by another window. */
static void
test_nine (void)
{
  StudioWindow *window = tiny_window (), *second;
  g_autoptr (TosstSweep) sweep = NULL;

  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (view_of (window)->stack)), ==, "empty");
  plan_nine (window);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (view_of (window)->stack)), ==, "work");
  studio_test_wait (is_estimated, window, 60);
  g_assert_cmpuint (studio_sweep_planner_get_estimate (sweep_of (window))->runs, ==, 9);
  g_assert_cmpfloat (studio_sweep_planner_get_estimate (sweep_of (window))->seconds, >, 0);

  act (window, "sweep.start");
  g_assert_false (is_idle (window));
  /* One at a time. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_true (studio_test_is_idle (window));
  studio_test_wait (has_done_two, window, 120);
  act (window, "sweep.stop");
  studio_test_wait (is_idle, window, 30);
  g_assert_cmpuint (sweep_of (window)->count[TOSST_RUN_DONE], <, 9);
  g_assert_cmpuint (sweep_of (window)->count[TOSST_RUN_RUNNING], ==, 0);

  act (window, "sweep.start");
  studio_test_wait (is_idle, window, 200);
  g_assert_false (has_problem (window));
  g_assert_cmpuint (sweep_of (window)->count[TOSST_RUN_DONE], ==, 9);
  for (guint i = 0; i < 9; i++)
    g_assert_true (isfinite (row_at (window, i)->outcome.accuracy) && isfinite (row_at (window, i)->outcome.objective));
  studio_test_spin (0.4);
  check_exports (window);
  check_compare (window);
  check_filter (window);
  check_pictures (window);
  check_map (window);

  sweep = tosst_sweep_copy (sweep_of (window)->sweep);
  second = studio_test_another_window ();
  studio_test_tiny (second);
  studio_sweep_view_take (view_of (second), sweep, FALSE);
  studio_test_wait (is_planned, second, 30);
  g_assert_cmpuint (sweep_of (second)->count[TOSST_RUN_DONE], ==, 9);
  g_assert_true (row_at (second, 4)->outcome.earlier);
  studio_test_close (second);
  studio_test_close (window);
}

static gboolean
is_interrupted (gpointer window)
{
  return gtk_widget_get_visible (view_of (window)->interrupted);
}

static gboolean
is_sweeping (gpointer window)
{
  return !is_idle (window);
}

/* Closing during a sweep loses no results: the next window offers to resume, and a run opens with its results. */
static void
test_go_on (void)
{
  StudioWindow *window = tiny_window (), *second;
  g_autofree char *title G_GNUC_UNUSED = NULL;

  plan_nine (window);
  act (window, "sweep.start");
  studio_test_wait (has_done_two, window, 120);
  studio_test_close (window);

  second = studio_test_another_window ();
  studio_window_open_samples (second);
  studio_test_wait (studio_test_has_dataset, second, 20);
  gtk_widget_activate_action (GTK_WIDGET (second), "win.view", "s", "sweep");
  studio_test_wait (is_interrupted, second, 20);
  g_assert_nonnull (strstr (label_of (view_of (second)->interrupted_label), "K × λ"));
  studio_sweep_view_open_earlier (view_of (second), studio_sweep_view_get_interrupted (view_of (second)), TRUE);
  studio_test_wait (is_sweeping, second, 30);
  g_assert_true (sweep_of (second)->count[TOSST_RUN_DONE] >= 2);
  studio_test_wait (is_idle, second, 200);
  g_assert_cmpuint (sweep_of (second)->count[TOSST_RUN_DONE], ==, 9);

  studio_sweep_table_select (table_of (second), row_at (second, 3));
  act (second, "sweep.open");
  studio_test_wait (studio_test_is_idle, second, 60);
  g_assert_nonnull (studio_window_get_project (second)->runner->result);
  g_assert_cmpfloat (studio_window_get_project (second)->runner->result->accuracy_mean, ==,
                     row_at (second, 3)->outcome.accuracy);
  studio_test_close (second);
}

/* A failed run is shown with its reason and does not stop the others. */
static void
test_failed (void)
{
  StudioWindow *window = tiny_window ();
  g_autofree char *state = NULL;

  studio_sweep_editor_add (editor_of (window), "dictionary.atoms", "6;40000");
  studio_test_wait (is_planned, window, 30);
  act (window, "sweep.start");
  studio_test_wait (is_idle, window, 100);
  g_assert_cmpint (row_at (window, 0)->outcome.state, ==, TOSST_RUN_DONE);
  g_assert_cmpint (row_at (window, 1)->outcome.state, ==, TOSST_RUN_FAILED);
  state = studio_sweep_row_state (row_at (window, 1));
  g_assert_nonnull (strstr (state, "“Tensors to learn from” is 300"));
  g_assert_true (gtk_widget_get_visible (view_of (window)->retry_button));
  g_assert_nonnull (strstr (label_of (view_of (window)->summary), "1 failed"));
  studio_test_close (window);
}

static const char *
waiting_of (StudioWindow *window)
{
  return gtk_label_get_label (GTK_LABEL (
      gtk_widget_get_template_child (GTK_WIDGET (view_of (window)->charts), STUDIO_TYPE_SWEEP_CHARTS, "waiting")));
}

static gboolean
waits_for_points (gpointer window)
{
  return strcmp (waiting_of (window), "Points appear when runs are finished") == 0;
}

static gboolean
waits_for_nothing (gpointer window)
{
  return *waiting_of (window) == 0;
}

/* An invalid axis is reported in its row and keeps the plan; a change of the recipe makes a new plan. */
static void
test_editing (void)
{
  StudioWindow *window = tiny_window ();
  g_autoptr (TosstSweep) sweep = NULL;

  studio_sweep_editor_add (editor_of (window), "dictionary.lambda", "log:0:1:3");
  sweep = studio_sweep_editor_dup_sweep (editor_of (window));
  g_assert_null (sweep);
  studio_sweep_editor_add (editor_of (window), "dictionary.lambda", "0.001;0.01");
  g_assert_cmpuint (studio_sweep_editor_n_axes (editor_of (window)), ==, 1);
  studio_test_wait (is_planned, window, 30);
  g_assert_cmpint (row_at (window, 0)->outcome.splits, ==, 2);
  studio_test_wait (waits_for_points, window, 10);
  studio_test_set (window, "dataset.splits", "3");
  g_assert_false (is_planned (window));
  studio_test_wait (is_planned, window, 30);
  g_assert_cmpint (row_at (window, 0)->outcome.splits, ==, 3);
  act (window, "sweep.clear");
  studio_test_wait (waits_for_nothing, window, 10); /* without runs there is no filter */
  studio_sweep_editor_add (editor_of (window), "dictionary.lambda", "0.001;0.01");
  /* 100,001 runs are too many, which is reported. */
  studio_sweep_editor_add (editor_of (window), "dictionary.seed", "lin:1:1000:1000");
  studio_sweep_editor_add (editor_of (window), "dataset.seed", "lin:1:1000:1000");
  studio_test_wait (has_problem, window, 30);
  g_assert_false (is_planned (window));
  g_assert_true (gtk_widget_has_css_class (view_of (window)->detail, "error"));
  act (window, "sweep.clear");
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (view_of (window)->stack)), ==, "empty");
  studio_test_close (window);
}

static void
count_signal (gpointer count)
{
  ++*(int *)count;
}

/* Selection, star and recipe of a row; the window closes during a sweep. */
static void
test_rows (void)
{
  StudioWindow *window = tiny_window ();
  int filtered = 0;

  plan_nine (window);
  g_signal_connect_swapped (table_of (window), "filtered", G_CALLBACK (count_signal), &filtered);
  studio_sweep_table_select (table_of (window), row_at (window, 4));
  g_assert_true (studio_sweep_table_get_selected (table_of (window)) == row_at (window, 4));
  act (window, "sweep.hide");
  g_assert_true (row_at (window, 4)->hidden);
  g_assert_cmpint (filtered, ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table_of (window)->filtered)), ==, 8);
  studio_sweep_table_select (table_of (window), row_at (window, 8));
  act (window, "sweep.use");
  g_assert_cmpint (studio_window_get_project (window)->model->recipe->dictionary.atoms, ==, 12);
  studio_test_wait (is_planned, window, 30);
  act (window, "sweep.start");
  studio_test_wait (has_done_two, window, 120);
  studio_test_close (window);
}

static StudioRecipeModel *swept; /* the model of the window with the list */

static gboolean
offers_parameters (gpointer list)
{
  guint n, shown = 0, active = 0;
  const TosstParameter *p = tosst_parameters (&n);

  for (int i = 0; i < (int)n; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, i);

      active += tosst_recipe_why_inactive (swept->recipe, &p[i]) == NULL;
      shown += row != NULL && gtk_widget_get_child_visible (GTK_WIDGET (row));
    }
  return active > 20 && shown == active - 1;
}

/* All parameters with an influence except the varied ones can be added; Return adds the one found by the search, which
 * finds the others, too. */
static void
test_adding (void)
{
  StudioWindow *window = tiny_window ();
  GtkWidget *editor = GTK_WIDGET (view_of (window)->editor);
  GObject *button = gtk_widget_get_template_child (editor, STUDIO_TYPE_SWEEP_EDITOR, "add_button");
  GObject *search = gtk_widget_get_template_child (editor, STUDIO_TYPE_SWEEP_EDITOR, "search");
  GObject *list = gtk_widget_get_template_child (editor, STUDIO_TYPE_SWEEP_EDITOR, "parameters");

  swept = studio_window_get_project (window)->model;
  studio_sweep_editor_add (editor_of (window), "dictionary.atoms", "6;8;12");
  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  studio_test_wait (offers_parameters, list, 10);
  gtk_editable_set_text (GTK_EDITABLE (search), "classifier.c");
  studio_test_spin (0.3); /* a search entry waits for the next letter */
  g_signal_emit_by_name (search, "activate");
  g_assert_cmpuint (studio_sweep_editor_n_axes (editor_of (window)), ==, 2);
  studio_test_close (window);
}

/* Runs that differ in their classifier share all other results: each shows its time by itself, and the file has both
 * times. */
static void
test_shared_time (void)
{
  StudioWindow *window = tiny_window ();

  studio_sweep_editor_add (editor_of (window), "classifier.c", "1;100");
  studio_test_wait (is_planned, window, 30);
  act (window, "sweep.start");
  studio_test_wait (is_idle, window, 120);
  check_shared (window);
  studio_test_close (window);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/sweep/many-values", test_many_values);
  g_test_add_func ("/sweep/nine", test_nine);
  g_test_add_func ("/sweep/shared-time", test_shared_time);
  g_test_add_func ("/sweep/go-on", test_go_on);
  g_test_add_func ("/sweep/failed", test_failed);
  g_test_add_func ("/sweep/editing", test_editing);
  g_test_add_func ("/sweep/rows", test_rows);
  g_test_add_func ("/sweep/adding", test_adding);
  return g_test_run ();
}

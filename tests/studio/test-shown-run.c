/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run whose results are shown: its name and notes, the program that repeats it, and its place in the comparison.
 */
#include "config.h"

#include <string.h>

#include "studio-test.h"
#include "studio/compare/compare-view.h"
#include "studio/results/results-view.h"
#include "studio/widgets/format.h"

static gboolean
compares_its_run (gpointer window)
{
  StudioCompareView *view = STUDIO_COMPARE_VIEW (studio_test_find (GTK_WIDGET (window), STUDIO_TYPE_COMPARE_VIEW));
  gint64 id = studio_window_get_project (window)->runner->run;
  StudioRunRow *row = studio_run_list_find (view->list, id);

  return row != NULL && studio_compare_set_find (view->set, row) != NULL && row->run->splits_done == 2;
}

static gboolean
is_opened (gpointer window)
{
  return studio_window_get_project (window)->runner->opened && studio_test_is_idle (window);
}

static gboolean
has_run (gpointer window)
{
  StudioProject *project = studio_window_get_project (window);
  g_autoptr (StudioRunList) list = studio_run_list_get (project->workspace->file);

  return studio_run_list_find (list, project->runner->run) != NULL;
}

/* The name of the run is the title of its results. */
static void
check_results_title (StudioWindow *window)
{
  StudioProject *project = studio_window_get_project (window);
  g_autoptr (StudioRunList) list = studio_run_list_get (project->workspace->file);
  GtkWidget *results = studio_test_child (window, STUDIO_TYPE_WINDOW, "results_view");
  StudioRunRow *row;
  g_autofree char *before = NULL, *after = NULL;

  studio_test_wait (has_run, window, 10);
  row = studio_run_list_find (list, project->runner->run);
  before = studio_run_row_get_heading (row);
  g_assert_true (studio_test_has_label (results, before));
  studio_run_list_describe (list, row, "Linen", "A note", "best");
  after = studio_run_row_get_heading (row);
  g_assert_true (g_str_has_suffix (after, ": Linen"));
  g_assert_true (studio_test_has_label (results, after));
  g_assert_true (studio_test_has_label (results, "#best"));
  g_assert_true (studio_test_has_label (results, "A note"));
}

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
on_text (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **)data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
is_python (gpointer window)
{
  char *text = NULL;

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (window), NULL, on_text, &text);
  studio_test_spin (0.05);
  g_autofree char *owned = text;
  return text != NULL && strstr (text, "import tosst") != NULL && strstr (text, "\"dictionary.atoms\"") != NULL;
}

/* The program that repeats the run, copied and saved. */
static void
check_script (StudioWindow *window)
{
  g_autofree char *path = g_build_filename (studio_test_state_folder (), "run.sh", NULL), *text = NULL;
  gint64 run = studio_window_get_project (window)->runner->run;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.copy-shown-script", "s", "python");
  studio_test_wait (is_python, window, 10);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.save-script", "(xs)", run, path);
  studio_test_wait (is_file, path, 10);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "#!/bin/sh\n"));
}

/* A run that is stopped at once leaves the results that were shown. */
static void
check_stopped (StudioWindow *window)
{
  StudioRunner *runner = studio_window_get_project (window)->runner;
  GtkWidget *results = studio_test_child (window, STUDIO_TYPE_WINDOW, "results_view");
  GtkWidget *stack = studio_test_child (results, STUDIO_TYPE_RESULTS_VIEW, "stack");
  gint64 run = runner->run;

  studio_test_set (window, "dictionary.iterations", "9999");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_learning, window, 30);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stop", NULL);
  studio_test_wait (is_opened, window, 30);
  g_assert_cmpint (runner->run, ==, run);
  g_assert_cmpint (runner->result->splits, ==, 2);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (stack)), ==, "results");
}

/* The recipe of the run that is shown is not that of the window any more: it says so, and can be taken back. */
static void
check_other_recipe (StudioWindow *window)
{
  StudioProject *project = studio_window_get_project (window);
  GtkWidget *note = studio_test_child (window, STUDIO_TYPE_WINDOW, "other_recipe");
  GtkWidget *label = studio_test_child (window, STUDIO_TYPE_WINDOW, "differences");

  g_assert_false (gtk_widget_get_visible (note));
  studio_test_set (window, "dictionary.atoms", "13");
  studio_test_set (window, "dictionary.eta", "0.5"); /* without influence */
  g_assert_true (gtk_widget_get_visible (note));
  g_assert_true (g_str_has_suffix (gtk_label_get_label (GTK_LABEL (label)), ": K 12"));
  studio_test_show (window, "data"); /* which is of no run */
  g_assert_false (gtk_widget_get_visible (note));
  studio_test_show (window, "atoms");
  g_assert_true (gtk_widget_get_visible (note));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.use-run-recipe", NULL);
  g_assert_false (gtk_widget_get_visible (note));
  g_assert_cmpint (project->model->recipe->dictionary.atoms, ==, 12);
}

/* From the results of a run to the comparison. */
static void
test_shown_run (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *score = NULL;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (studio_window_get_project (window)->runner->run, >, 0);
  check_results_title (window);
  score = studio_format_percent (studio_window_get_project (window)->runner->result->accuracy_mean, 1);
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (studio_test_child (window, STUDIO_TYPE_WINDOW, "no_progress"))), ==,
                   score);
  check_script (window);
  check_other_recipe (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare-shown", NULL);
  studio_test_wait (compares_its_run, window, 10);
  /* And back. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open-run", "x",
                              studio_window_get_project (window)->runner->run);
  studio_test_wait (is_opened, window, 10);
  g_assert_cmpint (studio_window_get_project (window)->runner->result->splits, ==, 2);
  check_stopped (window);
  studio_test_close (window);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/shown-run", test_shown_run);
  return g_test_run ();
}

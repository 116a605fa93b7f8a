/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every run of a window is in its store; one that is done is not repeated, and one that was stopped is resumed.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "studio-test.h"
#include "studio/learn/learn-view.h"
#include "studio/runs/job.h"
#include "studio/runs/run-list.h"

static TosstStore *
open_store (StudioWindow *window)
{
  g_autoptr (GError) error = NULL;
  TosstStore *store = tosst_store_open (studio_window_get_project (window)->workspace->file, TOSST_STORE_READ, &error);

  g_assert_no_error (error);
  return store;
}

static GPtrArray *
list_runs (StudioWindow *window)
{
  g_autoptr (TosstStore) store = open_store (window);
  GPtrArray *runs = tosst_store_list (store, "id", NULL, NULL);

  g_assert_nonnull (runs);
  return runs;
}

static void
activate (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, NULL));
}

static void
run_to_end (StudioWindow *window, const char *action)
{
  activate (window, action);
  studio_test_wait (studio_test_is_idle, window, 60);
}

static GtkWindow *
dialog_of (StudioWindow *window)
{
  g_autoptr (GList) toplevels = gtk_window_list_toplevels ();

  for (GList *l = toplevels; l != NULL; l = l->next)
    if (ADW_IS_MESSAGE_DIALOG (l->data) && gtk_window_get_transient_for (l->data) == GTK_WINDOW (window))
      return l->data;
  return NULL;
}

/* Objectives of all iterations of a split. */
static GArray *
objectives (StudioWindow *window, int split)
{
  const GArray *iterations = studio_runner_get_iterations (studio_window_get_project (window)->runner, split);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; iterations != NULL && i < iterations->len; i++)
    g_array_append_val (values, g_array_index (iterations, TosstIteration, i).objective);
  return values;
}

static void
assert_same (GArray *a, GArray *b)
{
  g_assert_cmpuint (a->len, >, 0);
  g_assert_cmpmem (a->data, a->len * sizeof (double), b->data, b->len * sizeof (double));
}

static void
ignore (gpointer data)
{
}

/* At any rate of polling, an earlier run is known by the end, which has its results. */
static void
assert_found_at_the_end (StudioWindow *window)
{
  StudioRunner *runner = studio_window_get_project (window)->runner;
  const StudioOrder order = { .recipe = runner->recipe,
                              .dataset = runner->dataset,
                              .store = studio_window_get_project (window)->workspace->file };
  StudioJob *job = studio_job_start (&order, 1, ignore, NULL);

  for (gboolean finished = FALSE; !finished;)
    {
      g_auto (StudioJobUpdate) update = { 0 };

      studio_job_take (job, &update);
      finished = update.status.finished;
      g_assert_true (!finished || (update.status.found && update.result != NULL));
    }
  studio_job_release (job);
}

static GtkWidget *
learn_view_of (GtkWidget *widget)
{
  GtkWidget *found = STUDIO_IS_LEARN_VIEW (widget) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = learn_view_of (child);
  return found;
}

static GtkWidget *
atoms_while_learning (StudioWindow *window)
{
  GtkWidget *view = learn_view_of (GTK_WIDGET (window));

  return GTK_WIDGET (gtk_widget_get_template_child (view, STUDIO_TYPE_LEARN_VIEW, "atoms_part"));
}

static gboolean
is_opened (gpointer window)
{
  return studio_window_get_project (window)->runner->opened && studio_test_is_idle (window);
}

/* The second window does not repeat the run and shows the results of the first. */
static void
test_done (void)
{
  StudioWindow *window = studio_test_window (), *other;
  StudioRunner *runner = studio_window_get_project (window)->runner;
  g_autoptr (GPtrArray) runs = NULL, after = NULL;
  g_autoptr (GArray) first = NULL, opened = NULL;
  const TosstStoreRun *run;
  double accuracy;

  studio_test_tiny (window);
  run_to_end (window, "win.start");
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  accuracy = runner->result->accuracy_mean;
  first = objectives (window, 1);
  runs = list_runs (window);
  g_assert_cmpuint (runs->len, ==, 1);
  run = runs->pdata[0];
  g_assert_cmpint (run->state, ==, TOSST_RUN_DONE);
  g_assert_cmpint (run->id, ==, runner->run);
  g_assert_cmpfloat (run->accuracy, ==, accuracy);

  /* No question is asked about the visible run. */
  activate (window, "win.start");
  g_assert_true (studio_test_is_idle (window));
  g_assert_null (dialog_of (window));
  assert_found_at_the_end (window);
  studio_test_close (window);

  other = studio_test_another_window ();
  runner = studio_window_get_project (other)->runner;
  studio_test_tiny (other);
  studio_test_set (other, "dictionary.eta", "0.5"); /* without influence on this run */
  run_to_end (other, "win.start");
  studio_test_wait (is_opened, other, 20);
  g_assert_null (dialog_of (other));
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_assert_cmpfloat (runner->result->accuracy_mean, ==, accuracy);
  g_assert_nonnull (runner->learned);
  opened = objectives (other, 1);
  assert_same (first, opened);
  /* It has no atoms of its iterations: their heading is hidden. */
  g_assert_false (gtk_widget_get_visible (atoms_while_learning (other)));

  run_to_end (other, "win.start-over");
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  after = list_runs (other);
  g_assert_cmpuint (after->len, ==, 2);
  studio_test_close (other);
}

static gboolean
has_two_iterations (gpointer window)
{
  const GArray *iterations = studio_runner_get_iterations (studio_window_get_project (window)->runner, 0);

  return iterations != NULL && iterations->len >= 2;
}

/* Stopped in the middle and resumed, it has the results of an uninterrupted run. */
static void
test_stopped (void)
{
  StudioWindow *window = studio_test_window (), *whole;
  StudioRunner *runner = studio_window_get_project (window)->runner;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GArray) expected = NULL, found = NULL;
  gint64 id;

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.iterations", "12");
  studio_test_set (window, "dictionary.atoms", "30");
  activate (window, "win.start");
  studio_test_wait (has_two_iterations, window, 60);
  run_to_end (window, "win.stop");
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_STOPPED);
  id = runner->run;
  run_to_end (window, "win.start");
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_assert_true (runner->continued);
  g_assert_cmpint (runner->run, ==, id);
  found = objectives (window, 0);
  runs = list_runs (window);
  g_assert_cmpuint (runs->len, ==, 1);
  studio_test_close (window);

  whole = studio_test_window ();
  studio_test_tiny (whole);
  studio_test_set (whole, "dictionary.iterations", "12");
  studio_test_set (whole, "dictionary.atoms", "30");
  run_to_end (whole, "win.start");
  expected = objectives (whole, 0);
  g_assert_cmpuint (expected->len, ==, 12);
  assert_same (expected, found);
  studio_test_close (whole);
}

/* The message in the bar of the window. */
static gboolean
says (GtkWidget *widget, const char *words)
{
  if (GTK_IS_INFO_BAR (widget) && !gtk_info_bar_get_revealed (GTK_INFO_BAR (widget)))
    return FALSE;
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), words) != NULL)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (says (child, words))
      return TRUE;
  return FALSE;
}

/* If another program locks the store, the run continues and the window reports that it is not recorded. */
static void
test_locked (void)
{
  StudioWindow *window = studio_test_window ();
  GFile *file = studio_window_get_project (window)->workspace->file;
  sqlite3 *db;

  studio_test_tiny (window);
  g_assert_cmpint (sqlite3_open (g_file_peek_path (file), &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  run_to_end (window, "win.start");
  g_assert_cmpint (studio_window_get_project (window)->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_assert_true (says (GTK_WIDGET (window), "not recorded"));
  g_assert_cmpstr (studio_test_problem (window), ==, NULL);
  sqlite3_close (db);
  studio_test_close (window);
}

/* If the store is deleted while a run is recorded, the window reports where the run is. */
static void
test_lost (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_file_get_path (studio_window_get_project (window)->workspace->file);
  g_autofree char *kept = g_strconcat (path, ".rescued-1.sqlite", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (kept);
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GPtrArray) runs = NULL;

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.iterations", "10000");
  studio_test_set (window, "dictionary.tolerance", "0");
  activate (window, "win.start");
  studio_test_wait (has_two_iterations, window, 60);
  g_assert_cmpint (g_remove (path), ==, 0);
  run_to_end (window, "win.stop");
  g_assert_true (says (GTK_WIDGET (window), kept));
  g_assert_cmpstr (studio_test_problem (window), ==, NULL);
  store = tosst_store_open (file, TOSST_STORE_READ, NULL);
  g_assert_nonnull (store);
  runs = tosst_store_list (store, "id", "state=stopped", NULL);
  g_assert_cmpuint (runs->len, ==, 1);
  studio_test_close (window);
}

static gboolean
says_not_a_store (gpointer window)
{
  return says (window, "nonsense.sqlite");
}

static gboolean
has_one_run (gpointer window)
{
  g_autoptr (StudioRunList) list = studio_run_list_get (studio_window_get_project (window)->workspace->file);

  return g_list_model_get_n_items (G_LIST_MODEL (list)) == 1;
}

static gboolean
shows_run (gpointer window)
{
  StudioProject *project = studio_window_get_project (window);

  return project->runner->run != 0 && !studio_project_is_busy (project);
}

/* A store that is opened as a file shows its runs, and the newest with its recipe; a data set is not needed. */
static void
test_opened (void)
{
  StudioWindow *window = studio_test_window (), *other;
  g_autoptr (TosstRecipe) recipe = NULL;
  g_autoptr (GFile) store = NULL;

  studio_test_tiny (window);
  run_to_end (window, "win.start");
  store = g_object_ref (studio_window_get_project (window)->workspace->file);
  recipe = tosst_recipe_copy (studio_window_get_project (window)->model->recipe);
  studio_test_close (window);
  other = studio_test_window ();
  g_assert_false (tosst_recipe_equal (studio_window_get_project (other)->model->recipe, recipe));
  g_assert_false (g_file_equal (store, studio_window_get_project (other)->workspace->file));
  studio_window_open (other, store);
  g_assert_cmpstr (studio_window_get_topic (other), ==, "compare");
  studio_test_wait (has_one_run, other, 20);
  g_assert_true (g_file_equal (store, studio_window_get_project (other)->workspace->file));
  studio_test_wait (shows_run, other, 20);
  g_assert_cmpstr (studio_window_get_topic (other), ==, "compare");
  g_assert_null (studio_window_get_project (other)->dataset);
  g_assert_true (tosst_recipe_equal (studio_window_get_project (other)->model->recipe, recipe));
  g_assert_null (studio_test_problem (other));
  studio_test_close (other);
}

/* A file that is not a store is unchanged, and the workspace is kept. */
static void
test_not_a_store (void)
{
  StudioWindow *window = studio_test_window ();
  StudioWorkspace *workspace = studio_window_get_project (window)->workspace;
  g_autoptr (GFile) before = g_object_ref (workspace->file);
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL),
                  *path = g_build_filename (folder, "nonsense.sqlite", NULL), *contents = NULL;

  g_assert_true (g_file_set_contents (path, "this is no database, but text that is long enough", -1, NULL));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.open-workspace", "s", path));
  studio_test_wait (says_not_a_store, window, 10);
  g_assert_true (g_file_equal (before, workspace->file));
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_true (g_str_has_prefix (contents, "this is no database"));
  g_remove (path);
  g_rmdir (folder);
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/workspace/done", test_done);
  g_test_add_func ("/studio/workspace/stopped", test_stopped);
  g_test_add_func ("/studio/workspace/locked", test_locked);
  g_test_add_func ("/studio/workspace/lost", test_lost);
  g_test_add_func ("/studio/workspace/opened", test_opened);
  g_test_add_func ("/studio/workspace/not-a-store", test_not_a_store);
  return g_test_run ();
}

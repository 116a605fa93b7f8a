/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "core/dictionary/file.h"
#include "studio-test.h"
#include "studio/compare/compare-view.h"
#include "studio/inspect/inspect-view.h"

static void
activate (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, NULL));
}

static void
check_dictionary (StudioWindow *window, const char *folder)
{
  g_autofree char *bytes G_GNUC_UNUSED = studio_test_export (window, "dictionary", folder, "d.npz"),
                         *path = g_build_filename (folder, "d.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  TosstDictionaryMeta meta = { 0 };
  g_autoptr (TosstDictionary) dictionary = tosst_dictionary_load (file, &meta, &error);

  g_assert_no_error (error);
  g_assert_cmpint (dictionary->K, ==, 12);
  g_assert_cmpint (meta.iterations, ==, 4);
  g_assert_true (isfinite (meta.objective));
  tosst_dictionary_meta_clear (&meta);
}

static void
check_exports (StudioWindow *window)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree char *curve = studio_test_export (window, "curve", folder, "c.csv");
  g_autofree char *svg = studio_test_export (window, "chart", folder, "c.svg"),
                  *pdf = studio_test_export (window, "chart", folder, "c.pdf");
  g_autofree char *png = studio_test_export (window, "chart", folder, "c.png");
  g_autofree char *matrix = studio_test_export (window, "confusion", folder, "m.svg");
  g_autofree char *counts = studio_test_export (window, "confusion", folder, "m.csv");
  g_autofree char *report = studio_test_export (window, "report", folder, "r.json"),
                  *page = studio_test_export (window, "report", folder, "r.html"),
                  *print = studio_test_export (window, "report", folder, "r.pdf");
  g_autofree char *recipe = studio_test_export (window, "recipe", folder, "r.ini");
  g_autoptr (TosstRecipe) again = tosst_recipe_parse (recipe, "r.ini", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_auto (GStrv) lines = g_strsplit (g_strchomp (curve), "\n", -1);
  g_autoptr (GDir) dir = NULL;
  const char *name;

  check_dictionary (window, folder);
  g_assert_true (g_str_has_prefix (curve, "iteration,seconds,objective"));
  g_assert_cmpuint (g_strv_length (lines), ==, 5); /* a heading and four iterations */
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_nonnull (strstr (matrix, "<svg"));
  g_assert_true (g_str_has_prefix (pdf, "%PDF"));
  g_assert_cmpmem (png, 4, "\211PNG", 4);
  g_assert_nonnull (strstr (counts, ","));
  g_assert_true (json_parser_load_from_data (parser, report, -1, NULL));
  g_assert_true (g_str_has_prefix (page, "<!DOCTYPE html>"));
  g_assert_true (g_str_has_prefix (print, "%PDF"));
  g_assert_true (tosst_recipe_equal (again, studio_window_get_project (window)->model->recipe));

  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_remove (path);
    }
  g_rmdir (folder);
}

static gboolean
names_missing_folder (gpointer window)
{
  const char *problem = studio_test_problem (window);

  return problem != NULL && strstr (problem, "no-such-folder") != NULL;
}

/* The window is unchanged and names the file that could not be written. */
static void
check_export_failure (StudioWindow *window, const char *kind, const char *name)
{
  g_autofree char *action = g_strconcat ("win.export-", kind, NULL);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "no-such-folder", name, NULL);

  g_assert_null (studio_test_problem (window));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, "s", path));
  studio_test_wait (names_missing_folder, window, 10);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.dismiss-problem", NULL);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_run_to_accuracy (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  const TosstRunResult *result;
  const GArray *iterations;

  studio_test_tiny (window);
  activate (window, "win.start");
  g_assert_cmpint (runner->state, ==, STUDIO_RUNNER_RUNNING);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpstr (runner->problem, ==, NULL);
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);

  result = runner->result;
  g_assert_nonnull (result);
  g_assert_cmpint (result->splits, ==, 2);
  g_assert_cmpfloat (result->accuracy_mean, >, 100.0 / result->classes); /* better than chance */
  g_assert_cmpfloat (result->accuracy_mean, <=, 100);
  g_assert_cmpint ((int)runner->iterations->len, ==, 2);
  g_assert_cmpuint (runner->splits->len, ==, 2);
  iterations = studio_runner_get_iterations (runner, 1);
  g_assert_cmpuint (iterations->len, ==, 4); /* each message arrived, once */
  for (guint i = 0; i < iterations->len; i++)
    g_assert_cmpint (g_array_index (iterations, TosstIteration, i).iteration, ==, (int)i + 1);
  g_assert_nonnull (runner->atoms);
  check_exports (window);
  check_export_failure (window, "chart", "c.svg");
  check_export_failure (window, "confusion", "m.png");
  check_export_failure (window, "report", "r.json");
  studio_test_close (window);
}

/* Whether a stack below widget shows the page of that name. */
static gboolean
shows_page (GtkWidget *widget, const char *page)
{
  if (GTK_IS_STACK (widget) && g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (widget)), page) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (shows_page (child, page))
      return TRUE;
  return FALSE;
}

static gboolean
has_view (StudioWindow *window, const char *name)
{
  AdwViewStack *views = ADW_VIEW_STACK (studio_test_child (window, STUDIO_TYPE_WINDOW, "views"));

  return adw_view_stack_page_get_visible (
      adw_view_stack_get_page (views, adw_view_stack_get_child_by_name (views, name)));
}

/* A run without a dictionary has no views of one. */
static void
test_nothing_to_learn (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  const TosstRunResult *result;
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *report = NULL,
                  *path = g_build_filename (folder, "r.json", NULL);

  studio_test_tiny (window);
  g_assert_true (has_view (window, "learn") && has_view (window, "atoms") && has_view (window, "inspect"));
  studio_test_set (window, "coding.method", "raw");
  studio_test_set (window, "descriptor.kind", "covariance");
  g_assert_false (has_view (window, "learn") || has_view (window, "atoms") || has_view (window, "inspect"));
  g_assert_true (has_view (window, "results") && has_view (window, "predict"));
  activate (window, "win.start");
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  result = runner->result;
  g_assert_cmpint (result->splits, ==, 2);
  g_assert_null (result->dictionary);
  g_assert_true (shows_page (GTK_WIDGET (window), "results"));
  g_assert_false (has_view (window, "learn"));
  studio_test_set (window, "coding.method", "sparse");
  g_assert_true (has_view (window, "learn"));
  report = studio_test_export (window, "report", folder, "r.json");
  g_unlink (path);
  g_rmdir (folder);
  studio_test_close (window);
}

/* The result of a run with this value; the recipe and data are otherwise those of the run before. */
static const TosstRunResult *
run_with (StudioWindow *window, const char *name, const char *value)
{
  StudioRunner *runner = studio_window_get_project (window)->runner;

  studio_test_set (window, name, value);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  return runner->result;
}

static GtkWidget *
find_labelled (GtkWidget *root, const char *label)
{
  GtkWidget *found
      = GTK_IS_BUTTON (root) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (root)), label) == 0 ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_labelled (child, label);
  return found;
}

static gboolean
offers_results (gpointer window)
{
  GtkWidget *button = find_labelled (window, "Show _Results");

  return button != NULL && gtk_widget_is_sensitive (button);
}

static gboolean
offers_comparison (gpointer window)
{
  GtkWidget *button = find_labelled (window, "_Compare with Previous");

  return button != NULL && gtk_widget_is_sensitive (button);
}

/* A finished run offers its results, and from the second one on the comparison with the one before. */
static void
test_offers (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *views = studio_test_child (window, STUDIO_TYPE_WINDOW, "views"),
            *compare = studio_test_child (window, STUDIO_TYPE_WINDOW, "compare_view");
  StudioCompareSet *set;

  studio_test_tiny (window);
  run_with (window, "dictionary.lambda", "0.02");
  studio_test_wait (offers_results, window, 20);
  g_assert_false (offers_comparison (window));
  g_signal_emit_by_name (find_labelled (GTK_WIDGET (window), "Show _Results"), "clicked");
  g_assert_cmpstr (adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (views)), ==, "results");
  run_with (window, "dictionary.lambda", "0.05");
  studio_test_wait (offers_comparison, window, 20);
  activate (window, "win.compare-previous");
  g_assert_cmpstr (adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (views)), ==, "compare");
  set = STUDIO_COMPARE_VIEW (compare)->set;
  g_assert_cmpuint (set->runs->len, ==, 2);
  studio_test_close (window);
}

/* The values of the sliders of Inspect that were moved become those of the recipe, in one step of undo. */
static void
test_use_in_recipe (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_project (window)->model;
  GtkWidget *inspect = studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view"), *use;
  double gamma;

  studio_test_tiny (window);
  run_with (window, "coding.gamma", "2");
  gamma = model->recipe->dictionary.gamma;
  studio_test_show (window, "inspect");
  studio_test_wait (studio_test_has_code, window, 20);
  use = studio_test_child (inspect, STUDIO_TYPE_INSPECT_VIEW, "use");
  g_assert_false (gtk_widget_get_sensitive (use));
  gtk_range_set_value (GTK_RANGE (studio_test_child (inspect, STUDIO_TYPE_INSPECT_VIEW, "lambda_scale")), -1);
  gtk_range_set_value (GTK_RANGE (studio_test_child (inspect, STUDIO_TYPE_INSPECT_VIEW, "atoms_scale")), 7);
  g_assert_true (gtk_widget_get_sensitive (use));
  g_signal_emit_by_name (use, "clicked");
  g_assert_cmpfloat (model->recipe->dictionary.lambda, ==, 0.1);
  g_assert_cmpint (model->recipe->dictionary.atoms, ==, 7);
  g_assert_cmpfloat (model->recipe->dictionary.gamma, ==, gamma);
  g_assert_cmpfloat (model->recipe->coding.gamma, ==, 2);
  activate (window, "win.undo");
  g_assert_cmpint (model->recipe->dictionary.atoms, ==, 12);
  studio_test_close (window);
}

/* Patches are described again only where a parameter of the descriptor changed. */
static void
test_kept_tensors (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  const TosstRunResult *result;
  double objective, accuracy;

  studio_test_tiny (window);
  g_assert_cmpfloat (run_with (window, "dictionary.lambda", "0.02")->seconds[TOSST_STAGE_DESCRIBE], >, 0);
  g_assert_cmpuint (studio_runner_get_kept_bytes (runner), >, 0);
  g_assert_cmpfloat (run_with (window, "dictionary.lambda", "0.05")->seconds[TOSST_STAGE_DESCRIBE], ==, 0);
  result = run_with (window, "dictionary.atoms", "13");
  g_assert_cmpfloat (result->seconds[TOSST_STAGE_DESCRIBE], ==, 0);
  g_assert_cmpfloat (result->seconds_shared, >, 0);
  objective = result->split[1].objective;
  accuracy = result->accuracy_mean;

  /* Stopped and resumed. */
  studio_test_set (window, "dictionary.iterations", "1000");
  activate (window, "win.start");
  studio_test_wait (studio_test_is_learning, window, 60);
  activate (window, "win.stop");
  studio_test_wait (studio_test_is_idle, window, 60);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_learning, window, 60);
  g_assert_true (runner->continued);
  activate (window, "win.stop");
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpfloat (runner->result->seconds[TOSST_STAGE_DESCRIBE], ==, 0);

  studio_test_set (window, "dictionary.iterations", "4");
  g_assert_cmpfloat (run_with (window, "descriptor.pivots", "4")->seconds[TOSST_STAGE_DESCRIBE], >, 0);
  studio_test_close (window);

  /* The same bits without earlier results. */
  window = studio_test_window ();
  studio_test_tiny (window);
  studio_test_set (window, "dictionary.lambda", "0.05");
  result = run_with (window, "dictionary.atoms", "13");
  g_assert_cmpfloat (result->split[1].objective, ==, objective);
  g_assert_cmpfloat (result->accuracy_mean, ==, accuracy);
  studio_test_close (window);
}

static void
make_endless (StudioWindow *window)
{
  studio_test_tiny (window);
  studio_test_set (window, "dictionary.iterations", "1000");
  studio_test_set (window, "dictionary.atoms", "40");
}

static void
test_stop (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  guint first;

  make_endless (window);
  activate (window, "win.start");
  first = runner->id;
  studio_test_wait (studio_test_is_learning, window, 60);

  activate (window, "win.stop");
  g_assert_cmpint (runner->state, ==, STUDIO_RUNNER_STOPPING); /* reported before its end */
  studio_test_wait (studio_test_is_idle, window, 10);
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_STOPPED);
  g_assert_null (studio_test_problem (window)); /* requested, so not an error */

  /* A new run starts without earlier results. */
  activate (window, "win.start");
  g_assert_cmpuint (runner->id, ==, first + 1);
  g_assert_cmpint (runner->last_split, ==, -1);
  g_assert_null (runner->atoms);
  studio_test_close (window);
}

static void
test_pause (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  guint before = G_MAXUINT;

  make_endless (window);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_learning, window, 60);
  activate (window, "win.pause");
  g_assert_cmpint (runner->state, ==, STUDIO_RUNNER_PAUSED);
  /* The iteration under way may still end, and takes long on a busy machine. */
  for (int i = 0; i < 50 && before != studio_runner_get_iterations (runner, 0)->len; i++)
    {
      before = studio_runner_get_iterations (runner, 0)->len;
      studio_test_spin (0.4);
    }
  g_assert_cmpuint (studio_runner_get_iterations (runner, 0)->len, ==, before);
  activate (window, "win.pause");
  g_assert_cmpint (runner->state, ==, STUDIO_RUNNER_RUNNING);
  studio_test_close (window);
}

static gboolean
dialog_is_there (gpointer window)
{
  g_autoptr (GList) toplevels = gtk_window_list_toplevels ();

  for (GList *l = toplevels; l != NULL; l = l->next)
    if (ADW_IS_MESSAGE_DIALOG (l->data) && gtk_window_get_transient_for (l->data) == window)
      return TRUE;
  return FALSE;
}

static void
test_closing_asks (void)
{
  StudioWindow *window = studio_test_window ();

  make_endless (window);
  activate (window, "win.start");
  gtk_window_close (GTK_WINDOW (window));
  studio_test_wait (dialog_is_there, window, 5);
  g_assert_false (studio_test_is_idle (window)); /* still running */
  studio_test_close (window);
}

static GtkWindow *
dialog_of (StudioWindow *window)
{
  g_autoptr (GList) toplevels = gtk_window_list_toplevels ();

  for (GList *l = toplevels; l != NULL; l = l->next)
    if (ADW_IS_MESSAGE_DIALOG (l->data) && gtk_window_get_transient_for (l->data) == GTK_WINDOW (window))
      return l->data;
  g_assert_not_reached ();
}

static gboolean
is_gone (gpointer window)
{
  return *(gpointer *)window == NULL;
}

/* Cancel keeps the run; stop and close ends run and window. */
static void
test_closing_answers (void)
{
  StudioWindow *window = studio_test_window ();
  gpointer weak = window;

  make_endless (window);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_learning, window, 60);
  gtk_window_close (GTK_WINDOW (window));
  studio_test_wait (dialog_is_there, window, 5);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog_of (window)), "cancel");
  gtk_window_close (dialog_of (window));
  studio_test_spin (0.3);
  g_assert_cmpint (studio_window_get_project (window)->runner->state, ==, STUDIO_RUNNER_RUNNING);

  g_object_add_weak_pointer (G_OBJECT (window), &weak);
  gtk_window_close (GTK_WINDOW (window));
  studio_test_wait (dialog_is_there, window, 5);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog_of (window)), "stop");
  studio_test_wait (is_gone, &weak, 20);
}

static gboolean
dialog_is_gone (gpointer window)
{
  return !dialog_is_there (window);
}

/* A run that ends while the question is open: the question disappears, and the window stays with the results. */
static void
test_closing_a_finished_run (void)
{
  StudioWindow *window = studio_test_window ();
  gpointer weak = window;

  studio_test_tiny (window);
  activate (window, "win.start");
  gtk_window_close (GTK_WINDOW (window));
  gtk_window_close (GTK_WINDOW (window)); /* asks once */
  studio_test_wait (dialog_is_there, window, 5);
  studio_test_wait (studio_test_is_idle, window, 60);
  studio_test_wait (dialog_is_gone, window, 1);
  g_assert_cmpint (studio_window_get_project (window)->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window)));

  g_object_add_weak_pointer (G_OBJECT (window), &weak);
  gtk_window_close (GTK_WINDOW (window));
  studio_test_wait (is_gone, &weak, 20);
}

/* Dropping a busy runner ends its thread, and no message arrives afterwards. */
static void
test_drop_runner (void)
{
  StudioRunner *runner = g_object_new (STUDIO_TYPE_RUNNER, NULL);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  gpointer weak = runner;

  g_object_add_weak_pointer (G_OBJECT (runner), &weak);
  studio_runner_begin (runner, &(StudioOrder){ .recipe = recipe });
  g_object_unref (runner);
  g_assert_null (weak);
  studio_test_spin (0.1);
}

static void
test_failure_is_said (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  studio_test_set (window, "dataset.train-per-class", "100000");
  activate (window, "win.start");
  studio_test_wait (studio_test_has_problem, window, 20);
  studio_test_wait (studio_test_is_idle, window, 20);
  g_assert_null (studio_window_get_project (window)->runner->result);
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/run/to-accuracy", test_run_to_accuracy);
  g_test_add_func ("/studio/run/nothing-to-learn", test_nothing_to_learn);
  g_test_add_func ("/studio/run/kept-tensors", test_kept_tensors);
  g_test_add_func ("/studio/run/offers", test_offers);
  g_test_add_func ("/studio/run/use-in-recipe", test_use_in_recipe);
  g_test_add_func ("/studio/run/stop", test_stop);
  g_test_add_func ("/studio/run/pause", test_pause);
  g_test_add_func ("/studio/run/closing-asks", test_closing_asks);
  g_test_add_func ("/studio/run/closing-answers", test_closing_answers);
  g_test_add_func ("/studio/run/closing-a-finished-run", test_closing_a_finished_run);
  g_test_add_func ("/studio/run/drop-runner", test_drop_runner);
  g_test_add_func ("/studio/run/failure-is-said", test_failure_is_said);
  return g_test_run ();
}

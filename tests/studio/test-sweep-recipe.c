/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A recipe with [sweep] in the window: it is opened whole or not at all, goes out again as the sweep that it was, is
 * undone, and is there again after a restart.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "studio-test.h"
#include "studio/learn/learn-view.h"
#include "studio/sweep/sweep-view.h"

#define BASE                                                                                                           \
  "[dataset]\nkind=samples\nsplits=2\ntrain-per-class=4\nwithin=0\n[descriptor]\npatch=32\nstep=32\npivots=3\n"        \
  "[dictionary]\nsample=300\natoms=12\niterations=4\n[sweep]\n"

static StudioSweepView *
view_of (gpointer window)
{
  return STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));
}

static StudioSweepEditor *
editor_of (gpointer window)
{
  return STUDIO_SWEEP_EDITOR (view_of (window)->editor);
}

static gboolean
is_planned (gpointer window)
{
  return studio_window_get_project (window)->sweep->planned;
}

static gboolean
has_plan_problem (gpointer window)
{
  return studio_window_get_project (window)->sweep->problem != NULL;
}

static gboolean
has_run (gpointer window)
{
  return studio_window_get_project (window)->runner->result != NULL;
}

static gboolean
is_sweeping (gpointer window)
{
  return studio_project_is_sweeping (studio_window_get_project (window));
}

/* In a separate folder, whose path is owned by the caller. */
static char *
write_file (const char *name, const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
remove_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_remove (path);
  g_rmdir (folder);
}

static void
open_text (StudioWindow *window, const char *text)
{
  g_autofree char *path = write_file ("many.recipe", text);

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.open", "s", path));
  remove_file (path); /* it was read */
}

static char *
export_recipe (StudioWindow *window)
{
  g_autofree char *path = write_file ("out.ini", "");
  char *text = NULL;
  gsize length = 0;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.export-recipe", "s", path));
  for (int i = 0; i < 10000 && length == 0; i++)
    {
      g_clear_pointer (&text, g_free);
      studio_test_spin (0.02);
      g_assert_true (g_file_get_contents (path, &text, &length, NULL));
    }
  remove_file (path);
  return text;
}

/* In the form read by the command line. */
static TosstSweep *
read_command (const char *command)
{
  g_autoptr (TosstRecipe) defaults = tosst_recipe_new ();
  TosstSweep *sweep = tosst_sweep_new (defaults);
  g_auto (GStrv) words = NULL;
  GError *error = NULL;

  g_assert_true (g_shell_parse_argv (command, NULL, &words, &error));
  g_assert_cmpstr (words[1], ==, "sweep");
  for (char **word = words + 2; *word != NULL; word += 2)
    {
      g_auto (GStrv) pair = g_strsplit (word[1], "=", 2);

      g_assert_cmpstr (*word, ==, "--set");
      if (g_str_has_prefix (pair[0], "sweep."))
        g_assert_true (tosst_sweep_set_line (sweep, pair[0] + strlen ("sweep."), pair[1], &error));
      else
        g_assert_true (tosst_sweep_set (sweep, pair[0], pair[1], &error));
      g_assert_no_error (error);
    }
  return sweep;
}

static void
check_round_trip (StudioWindow *window, const char *lines)
{
  g_autofree char *text = g_strconcat (BASE, lines, NULL), *exported = NULL, *command = NULL;
  g_autofree char *wanted = NULL, *found = NULL, *done = NULL;
  g_autoptr (TosstSweep) before = tosst_sweep_parse (text, "many.recipe", NULL), after = NULL, told = NULL;

  g_test_message ("%s", lines);
  open_text (window, text);
  studio_test_wait (studio_test_has_dataset, window, 30);
  studio_test_wait (is_planned, window, 60);
  g_assert_cmpstr (studio_window_get_topic (window), ==, "sweep");
  g_assert_cmpuint (studio_sweep_editor_n_axes (editor_of (window)), ==, before->axes->len);
  exported = export_recipe (window);
  after = tosst_sweep_parse (exported, "out.ini", NULL);
  command = tosst_sweep_command (studio_window_get_project (window)->sweep->sweep);
  told = read_command (command);
  wanted = tosst_sweep_to_text (before);
  found = tosst_sweep_to_text (after);
  done = tosst_sweep_to_text (told);
  g_assert_cmpstr (found, ==, wanted);
  g_assert_cmpstr (done, ==, wanted);
}

/* Every kind of axis is kept in order and exactly as written, with both methods. */
static void
test_round_trip (void)
{
  static const char *const lines[] = {
    "dictionary.atoms=6;8;12\n",
    "dictionary.atoms= 12 ; 6;\ndictionary.lambda=log:1e-3:1e-1:3\n",
    "pooling.power=lin:0.4:1:4\ndictionary.scheme=free;psd\ncoding.signed-alpha=true;false\n",
    "dictionary.gamma=1;inf\ncoding.lambda=;0.1\ndataset.seed=18446744073709551615;1\n",
    "dataset.exclude=bricks;a\\;b,waves\nclassifier.c=log:100:1:3\n",
    "method=random\nruns=7\nseed=12345678901\ndictionary.lambda=log:1e-4:1e-1\ndictionary.atoms=lin:6:12:4\n",
    "method=random\nruns=3\ndictionary.atoms=lin:6:12\nclassifier.c=1;10\n",
    "dictionary.seed=lin:1:1200:1200\n",
  };
  StudioWindow *window = studio_test_window ();

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    check_round_trip (window, lines[i]);
  studio_test_close (window);
}

static const TosstRecipe *
recipe_of (StudioWindow *window)
{
  return studio_window_get_project (window)->model->recipe;
}

static void
check_state (StudioWindow *window, int atoms, guint axes)
{
  g_assert_cmpint (recipe_of (window)->dictionary.atoms, ==, atoms);
  g_assert_cmpuint (studio_sweep_editor_n_axes (editor_of (window)), ==, axes);
}

/* Opening is one undo step, and each edit of an axis another. */
static void
test_undo (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (TosstSweep) sweep = NULL, again = NULL;
  g_autofree char *text = NULL, *back = NULL;
  int atoms = recipe_of (window)->dictionary.atoms;

  open_text (window, BASE "dictionary.atoms=6;8\nclassifier.c=1;10\n");
  studio_test_wait (studio_test_has_dataset, window, 30);
  check_state (window, 12, 2);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  check_state (window, atoms, 0);
  g_assert_null (studio_sweep_editor_dup_sweep (editor_of (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.redo", NULL);
  check_state (window, 12, 2);

  sweep = studio_sweep_editor_dup_sweep (editor_of (window));
  gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "sweep.clear", NULL);
  check_state (window, 12, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  check_state (window, 12, 2);
  again = studio_sweep_editor_dup_sweep (editor_of (window));
  text = tosst_sweep_to_text (sweep);
  back = tosst_sweep_to_text (again);
  g_assert_cmpstr (back, ==, text);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  check_state (window, atoms, 0);
  studio_test_close (window);
}

static const char *
problem_of (StudioWindow *window)
{
  return gtk_label_get_label (
      GTK_LABEL (gtk_widget_get_template_child (GTK_WIDGET (window), STUDIO_TYPE_WINDOW, "problem_label")));
}

/* An error is one sentence and changes nothing. A recipe without axes is a single run and keeps the axes. */
static void
test_refused (void)
{
  static const struct
  {
    const char *lines, *word;
  } refused[] = {
    { "dictionary.atoms=lin:5:30\n", "lin:5:30:N" },
    { "dictionary.atoms=few\n", "many.recipe, line 4" },
    { "speed=3\n", "speed" },
    { "dictionary.seed=lin:1:1000:1000\ndataset.seed=lin:1:1000:1000\n", "100000" },
    { "method=random\nseed=9007199254740993\ndictionary.atoms=6;8\n", "sweep.seed" },
  };
  StudioWindow *window = studio_test_window ();

  open_text (window, BASE "classifier.c=1;10\n");
  studio_test_wait (studio_test_has_dataset, window, 30);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *text = g_strconcat ("[dictionary]\natoms=77\n[sweep]\n", refused[i].lines, NULL);

      open_text (window, text);
      g_test_message ("%s", problem_of (window));
      g_assert_nonnull (strstr (problem_of (window), refused[i].word));
      check_state (window, 12, 1);
    }
  open_text (window, "[dictionary]\natoms=9\n[dataset]\nkind=samples\n[sweep]\nmethod=grid\n");
  check_state (window, 9, 1);
  studio_test_close (window);
}

/* A sweep whose data set is only given for its runs is shown without a data set in the window. */
static void
test_own_data (void)
{
  StudioWindow *window = studio_test_window ();

  open_text (window, "[dataset]\nkind=folders\npath=/nowhere\nblock=0\n[dictionary]\natoms=12\n"
                     "[sweep]\ndataset.kind=samples;folders\n");
  studio_test_wait (is_planned, window, 60);
  studio_test_wait (studio_test_has_problem, window, 30);
  g_assert_false (studio_test_has_dataset (window));
  g_assert_cmpstr (studio_window_get_topic (window), ==, "sweep");
  check_state (window, 12, 1);
  studio_test_close (window);
}

/* Whether Learn tells that the progress in the header bar is not that of its run. */
static gboolean
learn_tells (StudioWindow *window)
{
  GtkWidget *learn = studio_test_child (window, STUDIO_TYPE_WINDOW, "learn_view");

  return gtk_info_bar_get_revealed (GTK_INFO_BAR (studio_test_child (learn, STUDIO_TYPE_LEARN_VIEW, "sweep_bar")));
}

static gboolean
is_not_sweeping (gpointer window)
{
  return !is_sweeping (window);
}

/* A second sweep is refused during the first. */
static void
test_busy (void)
{
  StudioWindow *window = studio_test_window ();

  open_text (window, BASE "dictionary.seed=lin:1:50:50\n");
  studio_test_wait (studio_test_has_dataset, window, 30);
  studio_test_wait (is_planned, window, 60);
  gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "sweep.start", NULL);
  g_assert_true (is_sweeping (window));
  g_assert_true (learn_tells (window));
  open_text (window, BASE "dictionary.atoms=6;8\nclassifier.c=1;10\n");
  g_assert_nonnull (strstr (problem_of (window), "sweep"));
  check_state (window, 12, 1);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stop", NULL);
  studio_test_wait (is_not_sweeping, window, 60);
  g_assert_false (learn_tells (window));
  studio_test_close (window);
}

static gboolean
has_swept (gpointer window)
{
  return studio_window_get_project (window)->sweep->count[TOSST_RUN_DONE] == 2;
}

/* With --start: the sweep of the recipe, with other opened files replacing its own; without [sweep] a run. */
static void
test_start_opened (void)
{
  StudioWindow *window = studio_test_window ();

  open_text (window, BASE "dictionary.atoms=6;8\n");
  studio_window_open_samples (window); /* again, while the sweep is planned */
  studio_window_start_opened (window);
  studio_test_wait (has_swept, window, 60);
  g_assert_true (studio_test_is_idle (window));
  g_assert_null (studio_window_get_project (window)->runner->result);
  studio_test_close (window);

  window = studio_test_window ();
  open_text (window, BASE);
  studio_window_start_opened (window);
  studio_test_wait (has_run, window, 60);
  g_assert_false (is_sweeping (window));
  studio_test_close (window);
}

/* A sweep that cannot be planned does not start when it is corrected. */
static void
test_start_impossible (void)
{
  StudioWindow *window = studio_test_window ();

  open_text (window, BASE "dictionary.atoms=6;8\n");
  studio_test_set (window, "dataset.kind", "folders");
  studio_test_set (window, "dataset.path", "/nonexistent");
  studio_window_start_opened (window);
  studio_test_wait (has_plan_problem, window, 30);
  studio_test_set (window, "dataset.kind", "samples");
  studio_test_wait (is_planned, window, 30);
  studio_test_spin (0.2);
  g_assert_false (is_sweeping (window));
  studio_test_close (window);
}

static gboolean
has_title (GtkWidget *widget, const char *title)
{
  gboolean found = GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), title) != NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && !found;
       child = gtk_widget_get_next_sibling (child))
    found = has_title (child, title);
  return found;
}

/* Parameters that are tied stay so, and all of them are named. */
static void
test_tied (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view");
  const char *both = "dictionary.lambda+coding.lambda=0.001;0.01\n";
  g_autoptr (TosstSweep) sweep = NULL;
  g_autofree char *text = NULL;

  open_text (window, BASE "dictionary.lambda+coding.lambda=0.001;0.01\n");
  studio_test_wait (is_planned, window, 30);
  studio_test_spin (0.2);
  sweep = studio_sweep_editor_dup_sweep (editor_of (window));
  text = tosst_sweep_to_text (sweep);
  g_assert_nonnull (strstr (text, both));
  g_assert_true (has_title (GTK_WIDGET (editor_of (window)), "(Dictionary + Coding)"));
  g_assert_true (has_title (studio_test_child (view, STUDIO_TYPE_SWEEP_VIEW, "table"), "(Dictionary + Coding)"));
  g_assert_true (has_title (studio_test_child (view, STUDIO_TYPE_SWEEP_VIEW, "charts"), "(Dictionary + Coding)"));
  studio_test_close (window);
}

static gboolean
is_restored (gpointer window)
{
  return !studio_window_is_restoring (window);
}

/* The axes are restored, with their recipe and without an undo step. */
static void
test_restored (void)
{
  StudioWindow *window = studio_test_window (), *next;
  g_autoptr (TosstSweep) before = NULL, after = NULL;
  g_autofree char *wanted = NULL, *found = NULL;

  open_text (window, BASE "method=random\nruns=5\ndictionary.atoms=6;8;10\ndictionary.lambda=log:1e-3:1e-1\n");
  studio_test_wait (studio_test_has_dataset, window, 30);
  before = studio_sweep_editor_dup_sweep (editor_of (window));
  studio_sweep_editor_set_jobs (editor_of (window), 2);
  studio_test_close (window);

  next = studio_test_another_window ();
  studio_window_restore (next);
  studio_test_wait (is_restored, next, 30);
  g_assert_cmpstr (studio_window_get_topic (next), ==, "sweep");
  after = studio_sweep_editor_dup_sweep (editor_of (next));
  wanted = tosst_sweep_to_text (before);
  found = tosst_sweep_to_text (after);
  g_assert_cmpstr (found, ==, wanted);
  g_assert_cmpint (studio_sweep_editor_get_jobs (editor_of (next)), ==, 2);
  g_assert_null (studio_history_get_undo_name (studio_window_get_project (next)->model->history));
  studio_test_close (next);
}

/* A session of an earlier version, without the number of parallel runs. */
static void
test_restored_older (void)
{
  g_autofree char *path = g_build_filename (studio_test_state_folder (), "tosst-studio", "session.ini", NULL);
  StudioWindow *window = studio_test_window (), *next;
  g_autoptr (GKeyFile) session = g_key_file_new ();

  open_text (window, BASE "dictionary.atoms=6;8;10\n");
  studio_test_wait (studio_test_has_dataset, window, 30);
  studio_test_close (window);
  g_assert_true (g_key_file_load_from_file (session, path, G_KEY_FILE_NONE, NULL));
  g_assert_true (g_key_file_remove_key (session, "session", "jobs", NULL));
  g_assert_true (g_key_file_save_to_file (session, path, NULL));

  next = studio_test_another_window ();
  studio_window_restore (next);
  studio_test_wait (is_restored, next, 30);
  g_assert_cmpuint (studio_sweep_editor_n_axes (editor_of (next)), ==, 1);
  g_assert_cmpint (studio_sweep_editor_get_jobs (editor_of (next)), ==, 1);
  studio_test_close (next);
}

/* Values are chosen inside the training images, unless the recipe or the user says otherwise; what is chosen on tests is
 * called so. */
static void
test_validates (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *button = studio_test_child (GTK_WIDGET (editor_of (window)), STUDIO_TYPE_SWEEP_EDITOR, "validates");
  g_autoptr (TosstSweep) tests = NULL, validates = NULL;

  tests = studio_sweep_editor_dup_edited (editor_of (window));
  g_assert_cmpint (tests->base->dataset.within, ==, 0);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (button), TRUE);
  validates = studio_sweep_editor_dup_edited (editor_of (window));
  g_assert_cmpint (validates->base->dataset.within, ==, 1);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (button), FALSE);
  studio_sweep_editor_take (editor_of (window), validates);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (button)));
  g_assert_cmpint (studio_window_get_project (window)->model->recipe->dataset.within, ==, 0);
  studio_sweep_editor_take (editor_of (window), tests);
  g_assert_false (gtk_check_button_get_active (GTK_CHECK_BUTTON (button)));
  tests->divided = FALSE; /* of a file that does not say */
  studio_sweep_editor_take (editor_of (window), tests);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (button)));
  studio_test_close (window);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/sweep-recipe/validates", test_validates);
  g_test_add_func ("/sweep-recipe/round-trip", test_round_trip);
  g_test_add_func ("/sweep-recipe/undo", test_undo);
  g_test_add_func ("/sweep-recipe/refused", test_refused);
  g_test_add_func ("/sweep-recipe/own-data", test_own_data);
  g_test_add_func ("/sweep-recipe/busy", test_busy);
  g_test_add_func ("/sweep-recipe/start-opened", test_start_opened);
  g_test_add_func ("/sweep-recipe/start-impossible", test_start_impossible);
  g_test_add_func ("/sweep-recipe/tied", test_tied);
  g_test_add_func ("/sweep-recipe/restored", test_restored);
  g_test_add_func ("/sweep-recipe/restored-older", test_restored_older);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nothing is lost: a window begins where the last one was, a run outlives its window, and the program may be killed in
 * the middle of a run, which then resumes to the same numbers.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "studio-test.h"
#include "studio/atoms/atoms-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/learn/learn-view.h"
#include "studio/settings/state.h"

static void
activate (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, NULL));
}

static GtkWidget *
find_type (GtkWidget *widget, GType type)
{
  GtkWidget *found = g_type_is_a (G_OBJECT_TYPE (widget), type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_type (child, type);
  return found;
}

static const char *
view_of (StudioWindow *window)
{
  GtkWidget *views = find_type (GTK_WIDGET (window), ADW_TYPE_VIEW_STACK);

  return adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (views));
}

/* Finds a view, visible or not. */
static gpointer
view (StudioWindow *window, GType type)
{
  GtkWidget *found = find_type (GTK_WIDGET (window), type);

  g_assert_nonnull (found);
  return found;
}

static gboolean
is_restored (gpointer window)
{
  return !studio_window_is_restoring (window);
}

/* Patches are tiles again as soon as those of the stored run are found. */
static gboolean
shows_patches (gpointer window)
{
  GtkToggleButton *button = GTK_TOGGLE_BUTTON (
      gtk_widget_get_template_child (view (window, STUDIO_TYPE_ATOMS_VIEW), STUDIO_TYPE_ATOMS_VIEW, "patches_button"));

  return gtk_widget_get_sensitive (GTK_WIDGET (button)) && gtk_toggle_button_get_active (button);
}

static void
test_restored (void)
{
  StudioWindow *window = studio_test_window (), *next;
  g_autoptr (TosstRecipe) recipe = NULL;
  guint image;
  int x, y, size;
  double accuracy, contrast;
  gboolean logarithmic_x, logarithmic, seconds, patches;

  studio_test_tiny (window);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_idle, window, 60);
  accuracy = studio_window_get_project (window)->runner->result->accuracy_mean;
  studio_test_set (window, "coding.lambda", "0.0123"); /* for another run */
  recipe = tosst_recipe_copy (studio_window_get_project (window)->model->recipe);
  studio_learn_view_set_axes (view (window, STUDIO_TYPE_LEARN_VIEW), TRUE, TRUE, TRUE);
  studio_atoms_view_set_tiles (view (window, STUDIO_TYPE_ATOMS_VIEW), TRUE, 80, 2.5);
  studio_inspect_view_set_image (view (window, STUDIO_TYPE_INSPECT_VIEW), 2);
  studio_inspect_view_choose_patch (view (window, STUDIO_TYPE_INSPECT_VIEW), 32, 64);
  studio_atoms_view_open (view (window, STUDIO_TYPE_ATOMS_VIEW), 7);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "atoms"));
  studio_test_close (window);

  next = studio_test_another_window ();
  g_assert_false (tosst_recipe_equal (studio_window_get_project (next)->model->recipe, recipe));
  studio_window_restore (next);
  studio_test_wait (is_restored, next, 30);
  g_assert_true (tosst_recipe_equal (studio_window_get_project (next)->model->recipe, recipe));
  g_assert_nonnull (studio_window_get_project (next)->dataset);
  g_assert_cmpstr (view_of (next), ==, "atoms");
  g_assert_cmpfloat (studio_window_get_project (next)->runner->result->accuracy_mean, ==, accuracy);
  g_assert_cmpint (STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (view (next, STUDIO_TYPE_ATOMS_VIEW))->panel)->atom->number, ==,
                   7);
  g_assert_true (studio_inspect_view_get_patch (view (next, STUDIO_TYPE_INSPECT_VIEW), &image, &x, &y));
  g_assert_cmpuint (image, ==, 2);
  g_assert_cmpint (x, ==, 32);
  g_assert_cmpint (y, ==, 64);
  g_assert_null (studio_history_get_undo_name (studio_window_get_project (next)->model->history));
  studio_learn_view_get_axes (view (next, STUDIO_TYPE_LEARN_VIEW), &logarithmic_x, &logarithmic, &seconds);
  g_assert_true (logarithmic_x && logarithmic && seconds);
  studio_atoms_view_get_tiles (view (next, STUDIO_TYPE_ATOMS_VIEW), &patches, &size, &contrast);
  g_assert_true (patches);
  g_assert_cmpint (size, ==, 80);
  g_assert_cmpfloat (contrast, ==, 2.5);
  studio_test_wait (shows_patches, next, 60);
  studio_test_close (next);
}

static char *
session_path (void)
{
  return g_build_filename (studio_test_state_folder (), "tosst-studio", "session.ini", NULL);
}

/* An unreadable session counts as missing. */
static void
test_damaged (void)
{
  static const char *const texts[] = { "", "nonsense", "[session]\n", "[session]\nrecipe=[dictionary]\\natoms=many\n" };
  g_autofree char *path = session_path ();

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      StudioWindow *window;

      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
      window = studio_test_window ();
      studio_window_restore (window);
      g_assert_false (studio_window_is_restoring (window));
      g_assert_true (studio_project_is_empty (studio_window_get_project (window)));
      studio_test_close (window);
    }
}

/* A missing folder is reported, and the recipe is kept. */
static void
test_vanished (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (GKeyFile) session = g_key_file_new ();
  g_autofree char *text = NULL;

  g_assert_true (tosst_recipe_set (recipe, "dataset.kind", "folders", NULL));
  g_assert_true (tosst_recipe_set (recipe, "dataset.path", "/nowhere/at/all", NULL));
  g_assert_true (tosst_recipe_set (recipe, "dictionary.atoms", "77", NULL));
  text = tosst_recipe_to_text (recipe, TRUE);
  g_key_file_set_string (session, "session", "recipe", text);
  g_key_file_set_boolean (session, "session", "open", TRUE);
  g_key_file_set_int64 (session, "session", "run", 12345);
  g_key_file_set_string (session, "session", "view", "no-such-view");
  studio_state_save_session (session, TRUE);
  studio_window_restore (window);
  studio_test_wait (is_restored, window, 10);
  g_assert_nonnull (strstr (studio_test_problem (window), "/nowhere/at/all"));
  g_assert_cmpint (studio_window_get_project (window)->model->recipe->dictionary.atoms, ==, 77);
  studio_test_close (window);
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

static gboolean
has_dialog (gpointer window)
{
  return dialog_of (window) != NULL;
}

static void
test_background (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  activate (window, "win.start");
  gtk_window_close (GTK_WINDOW (window));
  studio_test_wait (has_dialog, window, 5);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog_of (window)), "background");
  gtk_window_close (dialog_of (window));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window)));
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (studio_window_get_project (window)->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_application_activate (G_APPLICATION (gtk_window_get_application (GTK_WINDOW (window))));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window)));
  studio_test_close (window);
}

/* The program in a separate process. */

static const char killed_recipe[]
    = "[dataset]\nkind=samples\nsplits=1\ntrain-per-class=4\n[descriptor]\npivots=3\npatch=32\nstep=32\n"
      "[dictionary]\natoms=40\niterations=25\nsample=400\ntolerance=0\n";

static gboolean
settings_say (gpointer text)
{
  g_autofree char *path = g_build_filename (studio_test_state_folder (), "tosst-studio", "settings.ini", NULL);
  g_autofree char *contents = NULL;

  return g_file_get_contents (path, &contents, NULL, NULL) && strstr (contents, text) != NULL;
}

/* Waits for a checkpoint of the only run after a few iterations, and for a session that marks it as under way. */
static gboolean
has_checkpoint (gpointer file)
{
  g_autoptr (TosstStore) store = tosst_store_open (file, TOSST_STORE_READ, NULL);
  g_autoptr (GBytes) bytes = store != NULL ? tosst_store_artifact (store, 1, 0, TOSST_STORE_CHECKPOINT, NULL) : NULL;
  g_autoptr (GKeyFile) session = studio_state_load_session ();

  return bytes != NULL && session != NULL && g_key_file_get_boolean (session, "session", "interrupted", NULL);
}

static gboolean
reveals_recovery (gpointer window)
{
  GtkWidget *bar = GTK_WIDGET (gtk_widget_get_template_child (window, STUDIO_TYPE_WINDOW, "recovery_bar"));

  return gtk_info_bar_get_revealed (GTK_INFO_BAR (bar));
}

static GArray *
run_whole (const char *recipe)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GFile) file = g_file_new_for_path (recipe);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  const GArray *iterations;

  studio_window_open (window, file);
  studio_test_wait (studio_test_has_dataset, window, 20);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_idle, window, 100);
  iterations = studio_runner_get_iterations (studio_window_get_project (window)->runner, 0);
  for (guint i = 0; i < iterations->len; i++)
    g_array_append_val (values, g_array_index (iterations, TosstIteration, i).objective);
  studio_test_close (window);
  return values;
}

static void
test_killed (void)
{
  const char *program = g_getenv ("TOSST_STUDIO_PROGRAM");
  g_autofree char *recipe = g_build_filename (studio_test_state_folder (), "killed.ini", NULL);
  const char *arguments[] = { program, "--start", recipe, NULL };
  g_autoptr (GArray) whole = NULL;
  g_autoptr (GError) error = NULL;
  StudioWindow *window;
  StudioRunner *runner;
  const GArray *iterations;
  g_autoptr (GFile) store = NULL;
  GPid child;
  int status;

  if (program == NULL)
    {
      g_test_skip ("TOSST_STUDIO_PROGRAM does not name the program");
      return;
    }
  g_assert_true (g_file_set_contents (recipe, killed_recipe, -1, NULL));
  whole = run_whole (recipe);
  g_assert_cmpuint (whole->len, ==, 25);

  studio_state_set_checkpoint_interval (0.05);
  window = studio_test_window (); /* chooses a new workspace, also used by the program */
  store = g_object_ref (studio_window_get_project (window)->workspace->file);
  studio_test_close (window);
  studio_test_wait (settings_say, (gpointer) "checkpoint-interval=0.05", 10);
  g_assert_true (g_spawn_async (NULL, (char **)arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child, &error));
  g_assert_no_error (error);
  studio_test_wait (has_checkpoint, store, 60);
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));

  window = studio_test_another_window ();
  runner = studio_window_get_project (window)->runner;
  studio_window_restore (window);
  studio_test_wait (reveals_recovery, window, 20);
  studio_test_wait (is_restored, window, 20);
  activate (window, "win.continue-run");
  studio_test_wait (studio_test_is_learning, window, 60);
  g_assert_true (runner->continued);
  studio_test_wait (studio_test_is_idle, window, 100);
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_assert_false (reveals_recovery (window));
  iterations = studio_runner_get_iterations (runner, 0);
  g_assert_cmpuint (iterations->len, ==, whole->len);
  for (guint i = 0; i < whole->len; i++)
    g_assert_cmpfloat (g_array_index (iterations, TosstIteration, i).objective, ==, g_array_index (whole, double, i));
  studio_test_close (window);
}

/* An instance that is ending: it owns the name of the program and answers no call. */

static int unanswered; /* atomic */

static GDBusMessage *
count_calls (GDBusConnection *bus, GDBusMessage *message, gboolean incoming, gpointer data)
{
  if (incoming && g_dbus_message_get_message_type (message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL
      && g_strcmp0 (g_dbus_message_get_path (message), "/io/github/tosst/Studio") == 0)
    g_atomic_int_inc (&unanswered);
  return message;
}

static gboolean
is_called (gpointer data)
{
  return g_atomic_int_get (&unanswered) > 0;
}

static GVariant *
ask_bus (GDBusConnection *bus, const char *method, GVariant *arguments)
{
  g_autoptr (GError) error = NULL;
  GVariant *answer
      = g_dbus_connection_call_sync (bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);

  g_assert_no_error (error);
  return answer;
}

static gboolean
owns_name (gpointer bus)
{
  g_autoptr (GVariant) answer = ask_bus (bus, "NameHasOwner", g_variant_new ("(s)", APP_ID));
  gboolean owned;

  g_variant_get (answer, "(b)", &owned);
  return owned;
}

static gboolean
has_ended (gpointer child)
{
  return waitpid (*(GPid *)child, NULL, WNOHANG) == *(GPid *)child;
}

/* A start during the end of another instance waits for it. */
static void
test_started_at_the_end (void)
{
  const char *program = g_getenv ("TOSST_STUDIO_PROGRAM");
  const char *arguments[] = { program, NULL };
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GError) error = NULL;
  guint filter;
  GPid child;

  if (program == NULL || bus == NULL || owns_name (bus))
    {
      g_test_skip ("no program or no bus of the test");
      return;
    }
  filter = g_dbus_connection_add_filter (bus, count_calls, NULL, NULL);
  g_variant_unref (ask_bus (bus, "RequestName", g_variant_new ("(su)", APP_ID, 4)));
  g_assert_true (g_spawn_async (NULL, (char **)arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child, &error));
  g_assert_no_error (error);
  studio_test_wait (is_called, NULL, 20);
  g_variant_unref (ask_bus (bus, "ReleaseName", g_variant_new ("(s)", APP_ID)));
  g_dbus_connection_remove_filter (bus, filter);
  studio_test_wait (owns_name, bus, 4); /* it fails without another attempt */
  g_assert_false (has_ended (&child));
  g_assert_cmpint (kill (child, SIGTERM), ==, 0);
  studio_test_wait (has_ended, &child, 20);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/session/restored", test_restored);
  g_test_add_func ("/studio/session/damaged", test_damaged);
  g_test_add_func ("/studio/session/vanished", test_vanished);
  g_test_add_func ("/studio/session/background", test_background);
  g_test_add_func ("/studio/session/killed", test_killed);
  g_test_add_func ("/studio/session/started-at-the-end", test_started_at_the_end);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio-test.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "../few-textures.h"
#include "core/base/machine.h"
#include "studio/app/window-private.h"
#include "studio/inspect/inspect-view.h"
#include "studio/settings/state.h"
#include "studio/sweep/sweep-view.h"

/* Factor of the seconds given by a test: a hang is ended by the time limit of the whole program. */
#define PATIENCE 10
#define FRAMES 2

static StudioApplication *application;

static char *state_folder;

static void
remove_state (void)
{
  tosst_remove_tree (state_folder);
}

/* Keeps the state of the user's windows and the user's runs separate from the test. */
static void
use_own_state (void)
{
  state_folder = g_dir_make_tmp ("tosst-state-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", state_folder, TRUE);
  g_setenv ("XDG_DATA_HOME", state_folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", state_folder, TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE); /* the program then keeps settings in that folder */
  atexit (remove_state);
}

const char *
studio_test_state_folder (void)
{
  return state_folder;
}

/* Gives a window no runs of earlier windows. */
static void
use_new_workspace (void)
{
  static int number;
  g_autofree char *name = g_strdup_printf ("runs-%d.sqlite", ++number);
  g_autoptr (GFile) file = g_file_new_build_filename (state_folder, name, NULL);
  g_autoptr (GError) error = NULL;

  tosst_store_free (tosst_store_open (file, TOSST_STORE_WRITE, &error));
  g_assert_no_error (error);
  studio_state_set_workspace (file);
}

/* The bus of the test has no service for notifications of long runs or of runs that end without a window. */
static gboolean
is_of_notifications (const char *message)
{
  return strstr (message, "org.freedesktop.Notifications") != NULL;
}

static gboolean
is_fatal (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  return !is_of_notifications (message);
}

/* GLib's own handler would call such a message fatal in the output of the test, which fails it, even where it is
 * not. */
static void
log_of_gio (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (!is_of_notifications (message))
    g_log_default_handler (domain, level, message, data);
}

/* Ends without exit handlers, as the program does: threads of a closed window may still compute, and OpenBLAS frees their
 * memory in its handler. */
static void
leave (int status, G_GNUC_UNUSED gpointer data)
{
  tosst_leave (status);
}

gboolean
studio_test_init (int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;

  on_exit (leave, NULL);
  use_own_state ();
  g_test_init (argc, argv, NULL);
  g_log_set_handler ("GLib-GIO", G_LOG_LEVEL_WARNING | G_LOG_FLAG_FATAL, log_of_gio, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return FALSE;
    }
  adw_init ();
  application = studio_application_new (G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, &error);
  g_assert_no_error (error);
  return TRUE;
}

StudioRecipePanel *
studio_test_panel (StudioWindow *window)
{
  studio_window_complete (window);
  return STUDIO_RECIPE_PANEL (window->panel);
}

const char *
studio_test_problem (StudioWindow *window)
{
  return window->problem;
}

StudioWindow *
studio_test_window (void)
{
  use_new_workspace ();
  return studio_test_another_window ();
}

StudioWindow *
studio_test_another_window (void)
{
  StudioWindow *window = studio_window_new (GTK_APPLICATION (application));
  StudioSweepView *sweep;

  gtk_window_present (GTK_WINDOW (window));
  studio_test_spin (0.05);
  /* So that a sweep has the run of the recipe itself. */
  sweep = STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));
  gtk_check_button_set_active (
      GTK_CHECK_BUTTON (studio_test_child (sweep->editor, STUDIO_TYPE_SWEEP_EDITOR, "validates")), FALSE);
  return window;
}

/* Sanitizers and other load slow the program down: all deadlines are multiplied by this factor. */
static double
patience (void)
{
  const char *given = g_getenv ("TOSST_TEST_PATIENCE");

  return given != NULL ? MAX (1, g_ascii_strtod (given, NULL)) : PATIENCE;
}

gboolean
studio_test_try (StudioTestCondition condition, gpointer data, double seconds)
{
  gint64 deadline = g_get_monotonic_time () + (gint64)(seconds * patience () * G_USEC_PER_SEC);

  /* Only for this test: GLib resets it with the next, in which a notification of the one before may still fail. */
  g_test_log_set_fatal_handler (is_fatal, NULL);
  while (!condition (data))
    {
      if (g_get_monotonic_time () >= deadline)
        return FALSE;
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (500);
    }
  return TRUE;
}

void
studio_test_wait_for (const char *place, const char *what, StudioTestCondition condition, gpointer data, double seconds)
{
  if (!studio_test_try (condition, data, seconds))
    g_error ("%s: %s does not hold after %.0f s; TOSST_TEST_PATIENCE=%.0f would wait longer", place, what,
             seconds * patience (), 4 * patience ());
}

static gboolean
is_past (gpointer time)
{
  return g_get_monotonic_time () > *(gint64 *)time;
}

/* Windows with frames to draw. A window disposed meanwhile is no longer counted, as its callback is removed. */
typedef struct
{
  int *waiting; /* counted by references */
  int left;
} Frames;

static gboolean
on_frame (GtkWidget *window, GdkFrameClock *clock, gpointer data)
{
  Frames *frames = data;

  return --frames->left > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
frames_free (gpointer data)
{
  Frames *frames = data;

  --*frames->waiting;
  g_rc_box_release (frames->waiting);
  g_free (frames);
}

static gboolean
is_zero (gpointer number)
{
  return *(int *)number == 0;
}

static void
wait_for_frames (void)
{
  int *waiting = g_rc_box_new0 (int);
  g_autoptr (GList) toplevels = gtk_window_list_toplevels ();

  for (GList *l = toplevels; l != NULL; l = l->next)
    if (gtk_widget_get_mapped (l->data))
      {
        Frames *frames = g_new (Frames, 1);

        *frames = (Frames){ g_rc_box_acquire (waiting), FRAMES };
        ++*waiting;
        gtk_widget_add_tick_callback (l->data, on_frame, frames, frames_free);
      }
  studio_test_try (is_zero, waiting, 1); /* a window hidden meanwhile draws none */
  g_rc_box_release (waiting);
}

void
studio_test_spin (double seconds)
{
  gint64 time = g_get_monotonic_time () + (gint64)(seconds * G_USEC_PER_SEC);

  studio_test_wait (is_past, &time, seconds + 10);
  if (seconds >= 0.05)
    wait_for_frames ();
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *)pointer == NULL;
}

void
studio_test_close (StudioWindow *window)
{
  gpointer weak = window;

  g_object_add_weak_pointer (G_OBJECT (window), &weak);
  studio_window_close_now (window);
  studio_test_wait (is_gone, &weak, 20);
}

void
studio_test_set (StudioWindow *window, const char *name, const char *value)
{
  g_autoptr (GError) error = NULL;

  studio_recipe_model_set (studio_window_get_project (window)->model, name, value, &error);
  g_assert_no_error (error);
}

void
studio_test_tiny (StudioWindow *window)
{
  static const char *const values[][2] = {
    { "dataset.splits", "2" },        { "dataset.train-per-class", "4" },
    { "descriptor.pivots", "3" },     { "descriptor.patch", "32" },
    { "descriptor.step", "32" },      { "dictionary.atoms", "12" },
    { "dictionary.iterations", "4" }, { "dictionary.sample", "300" },
    { "dictionary.tolerance", "0" },  { "dataset.exclude", ALL_BUT_FIVE_TEXTURES },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    studio_test_set (window, values[i][0], values[i][1]);
  studio_window_open_samples (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
}

/* Views are no part of the template: the window makes them later, each in its page. */
static GtkWidget *
view_of (gpointer window, const char *name)
{
  g_autofree char *page = g_strndup (name, strlen (name) - strlen ("_view"));
  gboolean is_data = g_str_equal (page, "data");
  GtkWidget *stack = studio_test_child (window, STUDIO_TYPE_WINDOW, is_data ? "data_stack" : "views");

  return adw_bin_get_child (ADW_BIN (is_data ? gtk_stack_get_child_by_name (GTK_STACK (stack), page)
                                             : adw_view_stack_get_child_by_name (ADW_VIEW_STACK (stack), page)));
}

GtkWidget *
studio_test_child (gpointer widget, GType type, const char *name)
{
  if (type == STUDIO_TYPE_WINDOW && g_str_has_suffix (name, "_view"))
    return view_of (widget, name);
  return GTK_WIDGET (gtk_widget_get_template_child (widget, type, name));
}

GtkEditable *
studio_test_entry (GtkWidget *widget, const char *title)
{
  if (ADW_IS_ENTRY_ROW (widget) && strcmp (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title) == 0)
    return GTK_EDITABLE (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkEditable *found = studio_test_entry (child, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

GtkWidget *
studio_test_dialog (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (ADW_IS_MESSAGE_DIALOG (window))
        return window;
    }
  return NULL;
}

void
studio_test_show (StudioWindow *window, const char *view)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", view));
}

void
studio_test_open (StudioWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  studio_window_open (window, file);
}

const StudioCode *
studio_test_code (gpointer window)
{
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view");

  return STUDIO_INSPECT_VIEW (view)->panel->code;
}

static gboolean
file_exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

char *
studio_test_export (StudioWindow *window, const char *kind, const char *folder, const char *name)
{
  g_autofree char *action = g_strconcat ("win.export-", kind, NULL), *path = g_build_filename (folder, name, NULL);
  char *contents = NULL;
  gsize length;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, "s", path));
  studio_test_wait (file_exists, path, 20);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpuint (length, >, 10);
  return contents;
}

gboolean
studio_test_press_key (GtkWidget *widget, guint key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  gboolean handled = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers) && !handled; i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-pressed", key, 0, 0, &handled);
    }
  return handled;
}

gboolean
studio_test_has_atoms (gpointer window)
{
  return studio_window_get_project (window)->atoms != NULL;
}

gboolean
studio_test_has_code (gpointer window)
{
  return studio_test_code (window) != NULL;
}

gboolean
studio_test_has_dataset (gpointer window)
{
  return studio_window_get_project (window)->dataset != NULL;
}

gboolean
studio_test_has_problem (gpointer window)
{
  return studio_test_problem (window) != NULL;
}

gboolean
studio_test_is_idle (gpointer window)
{
  return !studio_runner_is_busy (studio_window_get_project (window)->runner);
}

gboolean
studio_test_is_learning (gpointer window)
{
  return studio_window_get_project (window)->runner->last_split >= 0;
}

gboolean
studio_test_has_label (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && strcmp (gtk_label_get_label (GTK_LABEL (widget)), text) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (studio_test_has_label (child, text))
      return TRUE;
  return FALSE;
}

GtkWidget *
studio_test_find (GtkWidget *widget, GType type)
{
  if (g_type_is_a (G_OBJECT_TYPE (widget), type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = studio_test_find (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

gboolean
studio_test_is_folded (gpointer fold)
{
  GtkWidget *parts = gtk_widget_get_last_child (fold);

  return !gtk_widget_get_visible (gtk_widget_get_first_child (parts))
         || !gtk_widget_get_visible (gtk_widget_get_last_child (parts));
}

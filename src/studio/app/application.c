/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/app/application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>

#include "core/base/machine.h"
#include "studio/app/preferences.h"
#include "studio/app/window.h"
#include "studio/help/guide-window.h"
#include "studio/help/lesson-window.h"
#include "studio/settings/presenter.h"
#include "studio/settings/state.h"
#include "studio/widgets/build.h"
#include "tosst/context.h"

/* An earlier instance that is ending owns the name for a moment but no longer answers. */
#define REGISTER_RETRY_US (50 * 1000)
#define REGISTER_PATIENCE_US (5 * G_USEC_PER_SEC)

struct _StudioApplication
{
  AdwApplication parent_instance;
  guint signals[2]; /* SIGTERM, SIGINT */
  gboolean remote;
};

G_DEFINE_FINAL_TYPE (StudioApplication, studio_application, ADW_TYPE_APPLICATION)

/* A window that is filled at once needs all of its parts: they cost less before it is presented. */
static StudioWindow *
new_window (GtkApplication *application, gboolean filled)
{
  StudioWindow *window = filled ? studio_window_new (application) : studio_window_present_new (application);

  if (studio_presenter_get ())
    studio_window_show_recipe (window, FALSE);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

/* Files open in the active window if it is empty; a window with work is unchanged. */
static StudioWindow *
window_to_fill (GtkApplication *application)
{
  GtkWindow *active = gtk_application_get_active_window (application);

  if (STUDIO_IS_WINDOW (active) && studio_project_is_empty (studio_window_get_project (STUDIO_WINDOW (active))))
    {
      gtk_window_present (active);
      return STUDIO_WINDOW (active);
    }
  return new_window (application, TRUE);
}

static void
studio_application_activate (GApplication *application)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (application));

  /* A window in the background is presented first. */
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (application)); l != NULL; l = l->next)
    if (STUDIO_IS_WINDOW (l->data) && !gtk_widget_get_visible (l->data))
      window = l->data;
  /* A window that is closing disappears when its run has stopped. */
  if (window != NULL && !(STUDIO_IS_WINDOW (window) && studio_window_get_project (STUDIO_WINDOW (window))->closing))
    gtk_window_present (window);
  else
    {
      g_autoptr (GKeyFile) session
          = studio_state_get_flag (STUDIO_RESTORES, TRUE) ? studio_state_load_session () : NULL;
      StudioWindow *first = new_window (GTK_APPLICATION (application), session != NULL);

      if (session != NULL)
        studio_window_restore (first);
    }
}

static int
studio_application_command_line (GApplication *application, GApplicationCommandLine *line)
{
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  gboolean samples = g_variant_dict_contains (options, "samples"), start = g_variant_dict_contains (options, "start");
  int n;
  g_auto (GStrv) arguments = g_application_command_line_get_arguments (line, &n);

  if (n < 2 && !samples && !start)
    {
      g_application_activate (application);
      return 0;
    }
  StudioWindow *window = window_to_fill (GTK_APPLICATION (application));
  /* The data set is opened first, then the dictionary that codes it. */
  if (samples || n < 2)
    studio_window_open_samples (window);
  for (int i = 1; i < n; i++)
    {
      g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (line, arguments[i]);
      studio_window_open (window, file);
    }
  if (start)
    studio_window_start_opened (window);
  return 0;
}

static void
on_new_window (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  new_window (application, FALSE);
}

static void
on_activate (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  g_application_activate (application);
}

static void
on_restores (GSimpleAction *action, GVariant *value, gpointer application)
{
  studio_state_set_flag (STUDIO_RESTORES, g_variant_get_boolean (value));
  g_simple_action_set_state (action, value);
}

static void
on_help (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GtkWindow *active = gtk_application_get_active_window (application), *guide = NULL;
  const char *topic = STUDIO_IS_LESSON_WINDOW (active) ? "lessons"
                      : STUDIO_IS_WINDOW (active)      ? studio_window_get_topic (STUDIO_WINDOW (active))
                                                       : "start";
  int chapter = studio_guide_find (topic);

  if (STUDIO_IS_GUIDE_WINDOW (active))
    return;
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (STUDIO_IS_GUIDE_WINDOW (l->data))
      guide = l->data;
  if (guide == NULL)
    guide = GTK_WINDOW (studio_guide_window_new (application));
  studio_guide_window_show (STUDIO_GUIDE_WINDOW (guide), (guint)MAX (chapter, 0), NULL);
  gtk_window_present (guide);
}

static void
on_full_screen (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GtkWindow *window = gtk_application_get_active_window (application);

  if (window != NULL)
    studio_full_screen_toggle (window);
}

#define SPACE_MS 20 /* between two looks whether the recipe is hidden */

/* The content needs the space of the recipe. Text grows when the recipe has moved out: less of it to lay out in one frame.
 * A recipe that the user shows again is not waited for. */
static gboolean
follow_presenter (gpointer application)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (application, "presenter");
  GList *windows = gtk_application_get_windows (application);

  for (GList *l = windows; l != NULL; l = l->next)
    if (g_variant_get_boolean (state) && STUDIO_IS_WINDOW (l->data) && studio_window_is_recipe_leaving (l->data))
      return G_SOURCE_CONTINUE;
  for (GList *l = windows; l != NULL; l = l->next)
    if (STUDIO_IS_WINDOW (l->data))
      studio_window_will_restyle (l->data);
  studio_presenter_set (g_variant_get_boolean (state));
  return G_SOURCE_REMOVE;
}

static void
on_presenter (GSimpleAction *action, GVariant *state, gpointer application)
{
  g_simple_action_set_state (action, state);
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (STUDIO_IS_WINDOW (l->data))
      studio_window_show_recipe (l->data, !g_variant_get_boolean (state));
  if (follow_presenter (application))
    g_timeout_add (SPACE_MS, follow_presenter, application);
}

/* A single window of lessons. */
static void
on_lessons (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (STUDIO_IS_LESSON_WINDOW (l->data))
      {
        gtk_window_present (l->data);
        return;
      }
  gtk_window_present (GTK_WINDOW (studio_lesson_window_new (application)));
}

static void
on_quit (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (application));

  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (l->data);
}

/* Version information for support requests. */
static char *
describe_system (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  g_autofree char *kernel = tosst_machine_blas ();
  TosstBlasLibrary blas;
  g_autofree char *cpu = tosst_machine_cpu ();

  tosst_blas_describe (&blas);
  return g_strdup_printf ("TOSST Studio %s\nGTK %u.%u.%u, libadwaita %u.%u.%u, GLib %u.%u.%u\n%s\n"
                          "BLAS kernel: %s%s\nProcessor: %s (%u)\nDisplay: %s, %s\n",
                          PACKAGE_VERSION, gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
                          adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version (),
                          glib_major_version, glib_minor_version, glib_micro_version,
                          *blas.version ? blas.version : blas.file, kernel,
                          g_getenv (TOSST_BLAS_VARIABLE) != NULL ? " (OPENBLAS_CORETYPE is set)" : "", cpu,
                          g_get_num_processors (), G_OBJECT_TYPE_NAME (display), gdk_display_get_name (display));
}

static void
on_about (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  g_autofree char *system = describe_system ();
  GtkWindow *about = g_object_new (
      ADW_TYPE_ABOUT_WINDOW, "debug-info", system, "debug-info-filename", "tosst-studio.txt", "website",
      "https://github.com/tosst/studio", "issue-url", "https://github.com/tosst/studio/issues", "transient-for",
      gtk_application_get_active_window (application), "application-name", _ ("TOSST Studio"), "application-icon",
      APP_ID, "version", PACKAGE_VERSION, "developer-name", _ ("The TOSST Studio contributors"), "license-type",
      GTK_LICENSE_GPL_3_0, "comments",
      _ ("Dictionary learning and sparse coding of third-order tensors of textures.\n\nAfter Koniusz and Cherian, "
         "“Dictionary Learning and Sparse Coding for Third-order Super-symmetric Tensors”."),
      NULL);

  gtk_window_present (about);
}

/* GTK would build the list of shortcuts with each window; it is made when it is first shown. */
static void
on_shortcuts (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GtkWindow *window = gtk_application_get_active_window (application);

  while (window != NULL && !GTK_IS_APPLICATION_WINDOW (window))
    window = gtk_window_get_transient_for (window);
  if (window == NULL)
    return;
  GtkApplicationWindow *owner = GTK_APPLICATION_WINDOW (window);
  if (gtk_application_window_get_help_overlay (owner) == NULL)
    {
      g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/io/github/tosst/Studio/help-overlay.ui");

      gtk_application_window_set_help_overlay (owner,
                                               GTK_SHORTCUTS_WINDOW (gtk_builder_get_object (builder, "help_overlay")));
    }
  gtk_window_present (GTK_WINDOW (gtk_application_window_get_help_overlay (owner)));
}

static void
on_preferences (GSimpleAction *action, GVariant *parameter, gpointer application)
{
  studio_preferences_show (application);
}

/* A termination signal: runs stop, then all windows close, also lessons and the guide; measurements and files are
 * complete. */
static gboolean
on_unix_signal (gpointer application)
{
  GList *windows = g_list_copy (gtk_application_get_windows (application));
  GDBusConnection *bus = g_application_get_dbus_connection (application);

  /* From now on another start becomes an instance of its own, also while the runs of this one stop. */
  if (bus != NULL)
    g_dbus_connection_call (bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReleaseName",
                            g_variant_new ("(s)", APP_ID), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
  for (GList *l = windows; l != NULL; l = l->next)
    g_object_ref (l->data); /* closing a window may close others */
  for (GList *l = windows; l != NULL; l = l->next)
    if (STUDIO_IS_WINDOW (l->data))
      studio_window_close_now (l->data);
    else
      gtk_window_destroy (l->data);
  g_list_free_full (windows, g_object_unref);
  return G_SOURCE_CONTINUE;
}

static void
studio_application_startup (GApplication *application)
{
  const GActionEntry entries[] = {
    { .name = "new-window", .activate = on_new_window },
    { .name = "activate", .activate = on_activate },
    { .name = "quit", .activate = on_quit },
    { .name = "about", .activate = on_about },
    { .name = "preferences", .activate = on_preferences },
    { .name = "shortcuts", .activate = on_shortcuts },
    { .name = "restore-session",
      .state = studio_state_get_flag (STUDIO_RESTORES, TRUE) ? "true" : "false",
      .change_state = on_restores },
    { .name = "help", .activate = on_help },
    { .name = "full-screen", .activate = on_full_screen },
    { .name = "lessons", .activate = on_lessons },
    { .name = "presenter", .state = "false", .change_state = on_presenter },
  };
  static const struct
  {
    const char *action, *keys[3];
  } shortcuts[] = {
    { "app.quit", { "<Control>q" } },
    { "app.new-window", { "<Control>n" } },
    { "app.help", { "F1" } },
    { "app.lessons", { "F2" } },
    { "app.preferences", { "<Control>comma" } },
    { "app.shortcuts", { "<Control>question" } },
    { "app.full-screen", { "F11" } },
    { "app.presenter", { "<Shift>F11" } },
    { "window.close", { "<Control>w" } },
    { "win.open-folder", { "<Control>o" } },
    { "win.open-recipe", { "<Control><Shift>o" } },
    { "win.open-dictionary", { "<Control>d" } },
    { "win.export-recipe-as", { "<Control>s" } },
    { "win.export-dictionary-as", { "<Control>e" } },
    { "win.export-picture-as", { "<Control><Shift>e" } },
    { "win.start", { "<Control>r", "F5" } },
    { "win.pause", { "<Control>p" } },
    { "win.stop", { "<Control>period" } },
    { "win.step", { "F8" } },
    { "win.step-back", { "<Shift>F8" } },
    { "win.undo", { "<Control>z" } },
    { "win.redo", { "<Control><Shift>z", "<Control>y" } },
    { "win.copy-command", { "<Control><Shift>c" } },
    { "win.toggle-recipe", { "F9" } },
    { "win.view::data", { "<Alt>1" } },
    { "win.view::learn", { "<Alt>2" } },
    { "win.view::atoms", { "<Alt>3" } },
    { "win.view::inspect", { "<Alt>4" } },
    { "win.view::results", { "<Alt>5" } },
    { "win.view::sweep", { "<Alt>6" } },
    { "win.view::compare", { "<Alt>7" } },
    { "win.view::predict", { "<Alt>8" } },
  };
  StudioApplication *self = STUDIO_APPLICATION (application);

  G_APPLICATION_CLASS (studio_application_parent_class)->startup (application);
  g_action_map_add_action_entries (G_ACTION_MAP (application), entries, G_N_ELEMENTS (entries), application);
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), shortcuts[i].action, shortcuts[i].keys);
  self->signals[0] = g_unix_signal_add (SIGTERM, on_unix_signal, application);
  self->signals[1] = g_unix_signal_add (SIGINT, on_unix_signal, application);
  /* Exceeding the file size limit (ulimit -f) is a write error, like a full disk. */
  signal (SIGXFSZ, SIG_IGN);
  gtk_window_set_default_icon_name (APP_ID);
  studio_presenter_set (studio_state_get_flag (STUDIO_PRESENTER, FALSE));
  studio_preferences_apply ();
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (application), "presenter")),
                             g_variant_new_boolean (studio_presenter_get ()));
}

STUDIO_DEFINE_FINALIZE (StudioApplication, studio_application, (signals[0], g_source_remove),
                        (signals[1], g_source_remove))

static void
studio_application_class_init (StudioApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = studio_application_finalize;
  application_class->activate = studio_application_activate;
  application_class->command_line = studio_application_command_line;
  application_class->startup = studio_application_startup;
}

gboolean
studio_application_was_remote (StudioApplication *self)
{
  return self->remote;
}

/* The program whose windows open these arguments is another file, or one that was replaced since it began. */
static void
name_other_build (GApplication *application)
{
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      g_application_get_dbus_connection (application), "org.freedesktop.DBus", "/org/freedesktop/DBus",
      "org.freedesktop.DBus", "GetConnectionUnixProcessID", g_variant_new ("(s)", APP_ID), G_VARIANT_TYPE ("(u)"),
      G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  guint process = 0;

  if (reply != NULL)
    g_variant_get (reply, "(u)", &process);
  g_autofree char *link = g_strdup_printf ("/proc/%u/exe", process);
  g_autofree char *theirs = g_file_read_link (link, NULL), *own = g_file_read_link ("/proc/self/exe", NULL);
  if (theirs != NULL && own != NULL && !g_str_equal (theirs, own))
    g_printerr (_ ("A window of another build is open: %s, process %u. Close it first to start this one.\n"), theirs,
                process);
}

static int
on_local_options (GApplication *application, GVariantDict *options, gpointer data)
{
  if (!g_variant_dict_contains (options, "version"))
    {
      gint64 deadline = g_get_monotonic_time () + REGISTER_PATIENCE_US;

      /* If it fails for good, GApplication tries once more and reports the error. */
      while (!g_application_register (application, NULL, NULL) && g_get_monotonic_time () < deadline)
        g_usleep (REGISTER_RETRY_US);
      STUDIO_APPLICATION (application)->remote
          = g_application_get_is_registered (application) && g_application_get_is_remote (application);
      if (STUDIO_APPLICATION (application)->remote)
        name_other_build (application);
      return -1;
    }
  g_print ("tosst-studio %s\n", PACKAGE_VERSION);
  return 0;
}

static void
studio_application_init (StudioApplication *self)
{
  static const GOptionEntry options[] = {
    { "samples", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Open the sample textures"), NULL },
    { "start", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Start a run, or the sweep of a recipe, at once"), NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Show the version and exit"), NULL },
    { NULL },
  };
  GApplication *application = G_APPLICATION (self);

  g_application_add_main_option_entries (application, options);
  g_application_set_option_context_parameter_string (application, _ ("[FOLDER|RECIPE|DICTIONARY]…"));
  g_application_set_option_context_summary (application,
                                            _ ("Learn dictionaries of third-order tensors from textures."));
  g_signal_connect (self, "handle-local-options", G_CALLBACK (on_local_options), NULL);
}

StudioApplication *
studio_application_new (GApplicationFlags flags)
{
  return g_object_new (STUDIO_TYPE_APPLICATION, "application-id", APP_ID, "resource-base-path",
                       "/io/github/tosst/Studio", "flags", flags | G_APPLICATION_HANDLES_COMMAND_LINE, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/data/textures.h"
#include "studio-test.h"
#include "studio/app/progress-ring.h"
#include "studio/atoms/atom-grid.h"
#include "studio/atoms/atoms-view.h"
#include "studio/data/data-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/learn/learn-view.h"
#include "studio/results/results-view.h"
#include "studio/settings/presenter.h"
#include "studio/settings/state.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/confusion-view.h"
#include "studio/widgets/image-view.h"
#include "studio/widgets/picture-view.h"

static void
test_templates (void)
{
  const GType types[]
      = { STUDIO_TYPE_RECIPE_PANEL,   STUDIO_TYPE_DATA_VIEW,    STUDIO_TYPE_LEARN_VIEW,   STUDIO_TYPE_RESULTS_VIEW,
          STUDIO_TYPE_CHART_VIEW,     STUDIO_TYPE_ATOM_GRID,    STUDIO_TYPE_ATOMS_VIEW,   STUDIO_TYPE_ATOM_PANEL,
          STUDIO_TYPE_INSPECT_VIEW,   STUDIO_TYPE_CODE_PANEL,   STUDIO_TYPE_PICTURE_VIEW, STUDIO_TYPE_IMAGE_VIEW,
          STUDIO_TYPE_CONFUSION_VIEW, STUDIO_TYPE_PROGRESS_RING };
  g_autoptr (GtkBuilder) help = gtk_builder_new_from_resource ("/io/github/tosst/Studio/help-overlay.ui");

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GtkWidget *widget = g_object_ref_sink (g_object_new (types[i], NULL));
      gpointer weak = widget;

      g_object_add_weak_pointer (G_OBJECT (widget), &weak);
      g_assert_true (GTK_IS_WIDGET (widget));
      g_object_unref (widget);
      g_assert_null (weak);
    }
  g_assert_true (GTK_IS_SHORTCUTS_WINDOW (gtk_builder_get_object (help, "help_overlay")));
}

static guint
count_below (GtkWidget *widget)
{
  guint n = 1;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_below (child);
  return n;
}

static gboolean
has_predict (gpointer window)
{
  return studio_test_child (window, STUDIO_TYPE_WINDOW, "predict_view") != NULL;
}

/* The first page waits for none of the views; they follow by themselves, or with the first action. */
static void
test_parts (void)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());
  StudioWindow *complete = studio_test_window (), *window = studio_window_present_new (application);
  guint all = count_below (GTK_WIDGET (complete));

  g_assert_null (studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view"));
  g_assert_cmpuint (count_below (GTK_WIDGET (window)), <, all / 2);
  studio_test_wait (has_predict, window, 20);
  g_assert_true (has_predict (window));
  studio_test_close (window);

  window = studio_window_present_new (application);
  g_assert_null (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "compare");
  g_assert_cmpstr (studio_window_get_topic (window), ==, "compare");
  g_assert_true (has_predict (window));
  studio_test_close (window);

  window = studio_window_present_new (application);
  studio_window_open_samples (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
  studio_test_close (window);

  studio_test_close (studio_window_present_new (application)); /* before its first frame */
  studio_test_close (complete);
}

/* It is made when it is first shown, and stays with its window. */
static void
test_shortcuts (void)
{
  StudioWindow *window = studio_test_window ();
  GApplication *application = g_application_get_default ();
  GtkShortcutsWindow *shown;

  g_assert_null (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window)));
  g_action_group_activate_action (G_ACTION_GROUP (application), "shortcuts", NULL);
  shown = gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (shown)));
  gtk_window_close (GTK_WINDOW (shown));
  g_action_group_activate_action (G_ACTION_GROUP (application), "shortcuts", NULL);
  g_assert_true (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window)) == shown);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (shown)));
  studio_test_close (window);
}

static gboolean
has_recipe_left (gpointer window)
{
  return !studio_window_is_recipe_leaving (window);
}

/* The recipe, too. */
static gboolean
are_views_visible (gpointer window)
{
  static const char *const views[] = { "data_view",    "learn_view", "atoms_view",   "inspect_view",
                                       "results_view", "sweep_view", "compare_view", "predict_view" };
  gboolean visible = gtk_widget_get_visible (GTK_WIDGET (studio_test_panel (window)));

  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    visible &= gtk_widget_get_visible (studio_test_child (window, STUDIO_TYPE_WINDOW, views[i]));
  return visible;
}

static int
least_width (StudioWindow *window, const char *part)
{
  int width;

  gtk_widget_measure (studio_test_child (window, STUDIO_TYPE_WINDOW, part), GTK_ORIENTATION_HORIZONTAL, -1, &width,
                      NULL, NULL, NULL);
  return width;
}

/* It slides from its place; before that has a size it cannot. */
static gboolean
has_width (gpointer widget)
{
  return gtk_widget_get_width (widget) > 0;
}

/* A change of the style of all waits for nothing of the views that are not shown, and of the recipe; these come back, also
 * one that is shown meanwhile, and the window asks for the same width. */
static void
test_restyle (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *predict = studio_test_child (window, STUDIO_TYPE_WINDOW, "predict_view"),
            *compare = studio_test_child (window, STUDIO_TYPE_WINDOW, "compare_view");
  int width, recipe;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "predict");
  studio_test_wait (has_width, studio_test_child (window, STUDIO_TYPE_WINDOW, "recipe_place"), 10);
  studio_window_show_recipe (window, FALSE);
  studio_test_wait (has_recipe_left, window, 10);
  studio_test_wait (are_views_visible, window, 10);
  studio_test_spin (0.05);
  width = least_width (window, "views");
  recipe = least_width (window, "recipe_place");
  g_assert_cmpint (recipe, >, 0);
  studio_window_will_restyle (window);
  g_assert_true (gtk_widget_get_visible (predict));
  g_assert_false (gtk_widget_get_visible (compare));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (studio_test_panel (window))));
  g_assert_cmpint (least_width (window, "views"), ==, width);
  g_assert_cmpint (least_width (window, "recipe_place"), ==, recipe);
  g_assert_true (
      gtk_widget_compute_expand (studio_test_child (window, STUDIO_TYPE_WINDOW, "views"),
                                 GTK_ORIENTATION_HORIZONTAL)); /* or the recipe would take half of the width */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "compare");
  studio_test_wait (are_views_visible, window, 10);
  g_assert_true (gtk_widget_get_mapped (compare));
  studio_test_close (window);
}

static gboolean
is_presenting (gpointer data)
{
  return studio_presenter_get ();
}

/* Large text waits for the recipe to move out, but not where the user shows it again. */
static void
test_presenter (void)
{
  GAction *presenter = g_action_map_lookup_action (G_ACTION_MAP (g_application_get_default ()), "presenter");
  StudioWindow *window = studio_test_window ();

  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "predict");
  studio_test_wait (are_views_visible, window, 10);
  studio_test_spin (0.05);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (studio_test_panel (window))));
  g_action_change_state (presenter, g_variant_new_boolean (TRUE));
  g_assert_false (studio_presenter_get ());
  studio_window_show_recipe (window, TRUE);
  studio_test_wait (is_presenting, NULL, 10);
  g_action_change_state (presenter, g_variant_new_boolean (FALSE));
  g_assert_false (studio_presenter_get ());
  studio_test_close (window);
}

static void
test_samples (void)
{
  StudioWindow *window = studio_test_window ();

  g_assert_true (studio_project_is_empty (studio_window_get_project (window)));
  studio_window_open_samples (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
  g_assert_cmpuint ((studio_window_get_project (window)->dataset)->classes->len, ==, TOSST_TEXTURES);
  g_assert_null (studio_test_problem (window));
  studio_test_spin (0.5); /* thumbnails are being loaded while it closes */
  studio_test_close (window);
}

/* A folder dropped anywhere is opened: an entry at that position would accept its name as text. */
static void
test_dropping (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));
  g_autofree char *empty = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  GFile *folder = g_file_new_for_path (empty);
  g_autoptr (GSList) files = g_slist_append (NULL, folder);
  g_auto (GValue) value = G_VALUE_INIT;
  GtkDropTarget *target = NULL;
  gboolean taken = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers) && target == NULL; i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        target = GTK_DROP_TARGET (controller);
    }
  g_assert_nonnull (target);
  g_assert_cmpint (gtk_event_controller_get_propagation_phase (GTK_EVENT_CONTROLLER (target)), ==, GTK_PHASE_CAPTURE);
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed (&value, files);
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &taken);
  g_assert_true (taken);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_nonnull (strstr (studio_test_problem (window), empty));
  studio_test_close (window);
  g_object_unref (folder);
  g_rmdir (empty);
}

static void
test_recipe_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "small.ini", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  StudioWindow *window = studio_test_window ();

  g_assert_true (g_file_set_contents (path, "[dataset]\nkind=samples\n[dictionary]\natoms=17\n", -1, NULL));
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_dataset, window, 20);
  g_assert_cmpint (studio_window_get_project (window)->model->recipe->dictionary.atoms, ==, 17);
  studio_test_close (window);
  g_remove (path);
  g_rmdir (folder);
}

static guint
count_items (StudioWindow *window)
{
  GtkWidget *list = GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (window), STUDIO_TYPE_WINDOW, "recent_list"));
  guint n = 0;

  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL; row = gtk_widget_get_next_sibling (row))
    n++;
  return n;
}

/* The default size follows that of the surface, which the server may report later. */
static gboolean
has_new_size (gpointer window)
{
  return abs (gtk_widget_get_width (window) - 1011) < 60; /* a frame may be part of it */
}

static void
test_state (void)
{
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "tosst-studio", "state.ini", NULL);
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *ini = g_build_filename (folder, "few.ini", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (ini);
  g_autofree char *uri = g_file_get_uri (file);
  g_autoptr (GKeyFile) state = g_key_file_new ();
  g_auto (GStrv) uris = NULL;
  StudioWindow *window = studio_test_window ();
  guint before;
  int width, height;

  g_assert_true (g_file_set_contents (ini, "[dataset]\nkind=samples\n", -1, NULL));
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_dataset, window, 20);
  gtk_window_set_default_size (GTK_WINDOW (window), 1011, 733);
  studio_test_wait (has_new_size, window, 10);
  studio_test_close (window);

  g_assert_true (g_key_file_load_from_file (state, path, 0, NULL));
  g_assert_cmpint (g_settings_get_int (studio_settings_get (), "window-width"), ==, 1011);
  uris = g_key_file_get_string_list (state, "recent", "uris", NULL, NULL);
  g_assert_cmpstr (uris[0], ==, uri);

  /* The next window has that size and offers that file, unless it was deleted. */
  window = studio_test_window ();
  gtk_window_get_default_size (GTK_WINDOW (window), &width, &height);
  g_assert_cmpint (width, ==, 1011);
  g_assert_cmpint (height, ==, 733);
  g_assert_cmpuint (count_items (window), >, 0);
  g_remove (ini);
  g_rmdir (folder);
  before = count_items (window);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.open", "s", uri));
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_cmpuint (count_items (window), <, before);
  studio_test_close (window);
}

/* Every setting has a default and rejects invalid values, and is saved without a settings service. */
static void
test_settings (void)
{
  GSettings *settings = studio_settings_get ();
  g_autofree char *file = g_build_filename (g_get_user_state_dir (), "tosst-studio", "settings.ini", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GSettingsSchema) schema = NULL;
  g_auto (GStrv) keys = NULL;

  g_assert_nonnull (settings);
  g_object_get (settings, "settings-schema", &schema, NULL);
  g_assert_cmpstr (g_settings_schema_get_id (schema), ==, APP_ID);
  keys = g_settings_schema_list_keys (schema);
  g_assert_cmpuint (g_strv_length (keys), ==, 11);
  for (char **key = keys; *key != NULL; key++)
    {
      g_autoptr (GSettingsSchemaKey) one = g_settings_schema_get_key (schema, *key);
      g_autoptr (GVariant) value = g_settings_get_default_value (settings, *key);

      g_assert_true (g_settings_schema_key_range_check (one, value));
      g_settings_reset (settings, *key);
    }
  g_assert_true (studio_state_get_flag (STUDIO_RESTORES, TRUE));
  g_assert_false (studio_state_get_flag (STUDIO_PRESENTER, FALSE));
  g_assert_cmpfloat (studio_state_get_checkpoint_interval (), ==, 30);
  studio_state_set_flag (STUDIO_RESTORES, FALSE);
  g_assert_false (studio_state_get_flag (STUDIO_RESTORES, TRUE));
  g_assert_true (g_file_get_contents (file, &contents, NULL, NULL));
  g_assert_nonnull (strstr (contents, "restore-session=false"));
  studio_state_set_flag (STUDIO_RESTORES, TRUE);
  g_assert_cmpuint (g_settings_get_int (settings, "window-width"), ==, 1280);
}

static gboolean
is_focus_in (StudioWindow *window, GtkWidget *widget)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  return focus != NULL && gtk_widget_is_ancestor (focus, widget);
}

static gboolean
has_rows (gpointer list)
{
  GtkWidget *row = gtk_widget_get_first_child (list);

  return row != NULL && gtk_widget_get_mapped (row) && gtk_widget_get_height (row) > 0;
}

/* Each list is one stop of the Tab key, which returns to the row focused last. */
static void
test_tab_stops (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *data, *classes, *images, *row;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "data");
  data = studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view");
  classes = GTK_WIDGET (gtk_widget_get_template_child (data, STUDIO_TYPE_DATA_VIEW, "class_list"));
  images = GTK_WIDGET (gtk_widget_get_template_child (data, STUDIO_TYPE_DATA_VIEW, "image_list"));
  studio_test_wait (has_rows, classes, 20);
  studio_test_wait (has_rows, images, 20);
  g_assert_true (gtk_widget_child_focus (classes, GTK_DIR_TAB_FORWARD));
  g_assert_true (gtk_widget_child_focus (classes, GTK_DIR_DOWN));
  g_assert_true (is_focus_in (window, classes));
  row = gtk_window_get_focus (GTK_WINDOW (window));
  gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD);
  g_assert_false (is_focus_in (window, classes));
  gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_BACKWARD);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == row);

  g_assert_true (gtk_widget_child_focus (images, GTK_DIR_TAB_FORWARD));
  gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD);
  g_assert_false (is_focus_in (window, images));
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/templates", test_templates);
  g_test_add_func ("/studio/parts", test_parts);
  g_test_add_func ("/studio/restyle", test_restyle);
  g_test_add_func ("/studio/presenter", test_presenter);
  g_test_add_func ("/studio/shortcuts", test_shortcuts);
  g_test_add_func ("/studio/samples", test_samples);
  g_test_add_func ("/studio/dropping", test_dropping);
  g_test_add_func ("/studio/recipe-file", test_recipe_file);
  g_test_add_func ("/studio/tab-stops", test_tab_stops);
  g_test_add_func ("/studio/state", test_state);
  g_test_add_func ("/studio/settings", test_settings);
  return g_test_run ();
}

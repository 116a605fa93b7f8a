/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Presets in the window: a folder of images sets the recipe up, changes of the user are kept, and the list of presets
 * states their times.
 */
#include "config.h"

#include <string.h>

#include "dataset-folder.h"
#include "studio-test.h"
#include "studio/recipe/parameter-row.h"

static Fixture fixture;

static TosstRecipe *
recipe_of_preset (StudioWindow *window, TosstPreset preset)
{
  StudioProject *project = studio_window_get_project (window);
  TosstFacts facts;

  tosst_facts_init (&facts, project->dataset);
  return tosst_preset_recipe (preset, project->model->recipe, &facts);
}

static void
assert_recipe (StudioWindow *window, const TosstRecipe *expected)
{
  g_autofree char *text = tosst_recipe_to_text (studio_window_get_project (window)->model->recipe, TRUE),
                  *wanted = tosst_recipe_to_text (expected, TRUE);

  g_assert_cmpstr (text, ==, wanted);
}

static void
assert_preset (StudioWindow *window, TosstPreset preset, gboolean changed)
{
  gboolean is_changed;

  g_assert_cmpint (studio_project_get_preset (studio_window_get_project (window), &is_changed), ==, preset);
  g_assert_cmpint (is_changed, ==, changed);
}

static guint
count_changed_rows (StudioWindow *window)
{
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_test_panel (window));
  guint changed = 0;

  for (guint i = 0; i < rows->len; i++)
    changed += gtk_widget_has_css_class (rows->pdata[i], "changed");
  return changed;
}

static char *toast;

static void
on_toast (StudioProject *project, const char *sentence)
{
  g_free (toast);
  toast = g_strdup (sentence);
}

static gboolean
is_open (gpointer window)
{
  StudioProject *project = studio_window_get_project (window);

  return project->dataset != NULL && project->opening == NULL && project->reopen_source == 0;
}

static StudioWindow *
open_window (void)
{
  StudioWindow *window = studio_test_window ();

  g_clear_pointer (&toast, g_free);
  g_signal_connect (studio_window_get_project (window), "toast", G_CALLBACK (on_toast), NULL);
  return window;
}

static void
open_folder (StudioWindow *window)
{
  studio_test_open (window, fixture.folder);
  studio_test_wait (is_open, window, 20);
}

static void
activate (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, NULL));
}

static void
test_folder (void)
{
  StudioWindow *window = open_window ();
  const TosstRecipe *recipe;
  g_autoptr (TosstRecipe) wanted = NULL, first = tosst_recipe_new ();

  open_folder (window);
  wanted = recipe_of_preset (window, TOSST_PRESET_BALANCED);
  assert_recipe (window, wanted);
  assert_preset (window, TOSST_PRESET_BALANCED, FALSE);
  g_assert_cmpuint (count_changed_rows (window), ==, 0); /* none of these values is the user's */
  g_assert_nonnull (strstr (toast, "Balanced"));
  g_assert_nonnull (strstr (toast, "8 images of about 64 × 48 pixels"));

  /* The values of the preset are one step, the data set is another. */
  activate (window, "win.undo");
  studio_test_wait (is_open, window, 20);
  recipe = studio_window_get_project (window)->model->recipe;
  g_assert_cmpstr (recipe->dataset.path, ==, fixture.folder);
  g_assert_cmpint (recipe->descriptor.kind, ==, first->descriptor.kind);
  activate (window, "win.undo");
  assert_recipe (window, first);
  activate (window, "win.redo");
  activate (window, "win.redo");
  assert_recipe (window, wanted);
  g_assert_cmpuint (count_changed_rows (window), ==, 0);
  studio_test_close (window);
}

static void
test_changes_are_kept (void)
{
  StudioWindow *window = open_window ();
  g_autoptr (TosstRecipe) wanted = NULL;

  studio_test_set (window, "dataset.splits", "7");
  studio_test_set (window, "classifier.c", "3");
  open_folder (window);
  wanted = recipe_of_preset (window, TOSST_PRESET_BALANCED);
  wanted->dataset.splits = 7;
  wanted->classifier.c = 3;
  assert_recipe (window, wanted);
  assert_preset (window, TOSST_PRESET_BALANCED, TRUE);
  /* The preset chooses C, so that another one is no change. */
  g_assert_cmpuint (count_changed_rows (window), ==, 1);
  g_assert_true (g_str_has_suffix (toast, "your changes are kept: Splits"));

  /* The value of the preset, not that of the table, is the default here. */
  studio_recipe_model_reset (studio_window_get_project (window)->model, tosst_parameter_find ("dataset.splits"));
  g_assert_cmpint (studio_window_get_project (window)->model->recipe->dataset.splits, ==, 5);
  studio_test_close (window);
}

/* A preset would add values of another method than the user's. */
static void
test_method_is_kept (void)
{
  StudioWindow *window = open_window ();
  g_autoptr (TosstRecipe) wanted = NULL;

  studio_test_set (window, "coding.method", "raw");
  open_folder (window);
  wanted = recipe_of_preset (window, TOSST_N_PRESETS);
  tosst_recipe_set (wanted, "coding.method", "raw", NULL);
  assert_recipe (window, wanted);
  g_assert_nonnull (strstr (toast, "Patches were chosen"));
  studio_test_close (window);
}

/* The values of the samples are no changes of the user. */
static void
test_samples (void)
{
  StudioWindow *window = open_window ();
  g_autoptr (TosstRecipe) samples = tosst_recipe_new_samples (), wanted = NULL;

  studio_window_open_samples (window);
  studio_test_wait (is_open, window, 20);
  assert_recipe (window, samples);
  g_assert_cmpuint (count_changed_rows (window), ==, 0);
  assert_preset (window, TOSST_N_PRESETS, FALSE);
  open_folder (window);
  wanted = recipe_of_preset (window, TOSST_PRESET_BALANCED);
  assert_recipe (window, wanted);
  studio_test_close (window);
}

static gboolean
has_times (gpointer chooser)
{
  for (int i = 0; i < TOSST_N_EFFORTS; i++)
    if (!g_str_has_prefix (studio_preset_chooser_get_time (chooser, i), "about "))
      return FALSE;
  return TRUE;
}

static gboolean
is_laid_out (gpointer list)
{
  return gtk_widget_get_mapped (list) && gtk_widget_get_height (list) > 0;
}

/* The list shows all of its text, and the time of the present recipe when it opens. */
static void
test_list (void)
{
  StudioWindow *window = open_window ();
  StudioPresetChooser *chooser = STUDIO_PRESET_CHOOSER (studio_test_panel (window)->presets);
  GtkWidget *method = studio_test_find (GTK_WIDGET (chooser), GTK_TYPE_MENU_BUTTON),
            *button = gtk_widget_get_next_sibling (method),
            *popover = GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (button))),
            *list = studio_test_find (popover, GTK_TYPE_LIST_BOX);
  int needed;

  open_folder (window);
  g_signal_emit_by_name (chooser, "opened");
  studio_test_wait (has_times, chooser, 60);
  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  studio_test_wait (is_laid_out, list, 10);
  g_assert_true (g_str_has_prefix (studio_preset_chooser_get_time (chooser, 1), "about ")); /* balanced */
  gtk_widget_measure (list, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width (list), NULL, &needed, NULL, NULL);
  g_assert_cmpint (gtk_widget_get_height (list), >=, needed);
  gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
  studio_test_close (window);
}

/* choice: 0: the methods, 1: the efforts. */
static void
activate_row (StudioPresetChooser *chooser, int choice, const char *title)
{
  GtkWidget *button = studio_test_find (GTK_WIDGET (chooser), GTK_TYPE_MENU_BUTTON), *list;
  GtkListBoxRow *row = NULL;

  if (choice == 1)
    button = gtk_widget_get_next_sibling (button);
  list = studio_test_find (GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (button))), GTK_TYPE_LIST_BOX);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), i)) != NULL; i++)
    if (g_str_equal (gtk_label_get_label (GTK_LABEL (studio_test_find (GTK_WIDGET (row), GTK_TYPE_LABEL))), title))
      break;
  g_assert_nonnull (row);
  g_signal_emit_by_name (list, "row-activated", row);
}

static void
test_chooser (void)
{
  StudioWindow *window = open_window ();
  StudioPresetChooser *chooser = STUDIO_PRESET_CHOOSER (studio_test_panel (window)->presets);
  g_autoptr (TosstRecipe) wanted = NULL;

  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (chooser)));
  open_folder (window);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (chooser)));
  g_signal_emit_by_name (chooser, "opened");
  studio_test_wait (has_times, chooser, 60);

  studio_test_set (window, "dataset.splits", "7"); /* the preset has another */
  studio_test_set (window, "dataset.seed", "9");   /* no preset has one */
  g_signal_emit_by_name (chooser, "chosen", (guint)TOSST_PRESET_QUICK);
  wanted = recipe_of_preset (window, TOSST_PRESET_QUICK);
  wanted->dataset.seed = 9;
  assert_recipe (window, wanted);
  assert_preset (window, TOSST_PRESET_QUICK, TRUE);
  g_assert_nonnull (strstr (toast, "instead of your changes: Splits"));
  activate (window, "win.undo");
  assert_preset (window, TOSST_PRESET_BALANCED, TRUE);

  /* The method of the user gives way to one that he chooses. */
  studio_test_set (window, "descriptor.kind", "sift");
  g_signal_emit_by_name (chooser, "chosen", (guint)TOSST_PRESET_TENSORS);
  assert_preset (window, TOSST_PRESET_TENSORS, TRUE);
  tosst_recipe_free (g_steal_pointer (&wanted));
  wanted = recipe_of_preset (window, TOSST_PRESET_TENSORS);
  wanted->dataset.seed = 9;
  assert_recipe (window, wanted);

  /* The effort stays as it is when another method is chosen. */
  activate_row (chooser, 0, "Local binary patterns");
  assert_preset (window, TOSST_N_PRESETS - 2, TRUE);
  activate_row (chooser, 1, "Quick");
  assert_preset (window, TOSST_N_PRESETS - 3, TRUE);
  activate_row (chooser, 0, "Tensor dictionary");
  assert_preset (window, TOSST_PRESET_QUICK, TRUE);
  studio_test_close (window);
}

static gboolean
is_restored (gpointer window)
{
  return !studio_window_is_restoring (window) && is_open (window);
}

static void
test_session (void)
{
  StudioWindow *window = open_window (), *next;

  open_folder (window);
  studio_test_set (window, "dataset.seed", "9");
  studio_test_close (window);
  next = studio_test_another_window ();
  studio_window_restore (next);
  studio_test_wait (is_restored, next, 30);
  assert_preset (next, TOSST_PRESET_BALANCED, TRUE);
  g_assert_cmpuint (count_changed_rows (next), ==, 1);
  studio_test_close (next);
}

int
main (int argc, char *argv[])
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  set_up (&fixture, NULL);
  for (int i = 0; i < 8; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%d.png", i < 4 ? "a" : "b", i);

      put_image (&fixture, name, 64, 48);
    }
  g_test_add_func ("/presets/folder", test_folder);
  g_test_add_func ("/presets/changes-are-kept", test_changes_are_kept);
  g_test_add_func ("/presets/method-is-kept", test_method_is_kept);
  g_test_add_func ("/presets/samples", test_samples);
  g_test_add_func ("/presets/list", test_list);
  g_test_add_func ("/presets/chooser", test_chooser);
  g_test_add_func ("/presets/session", test_session);
  status = g_test_run ();
  g_free (toast);
  tear_down (&fixture, NULL);
  return status;
}

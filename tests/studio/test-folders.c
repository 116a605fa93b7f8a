/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders and files that are opened in the window: broken ones, and those that do not fit the recipe, lose nothing.
 */
#include "config.h"

#include <adwaita.h>
#include <glib/gstdio.h>
#include <string.h>

#include "studio-test.h"
#include "studio/data/data-view.h"
#include "studio/settings/state.h"

/* Opens name in a temporary folder and returns the error shown; its page offers to open another of that kind. */
static char *
problem_with (const char *name, const char *contents, const char *action)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  StudioWindow *window = studio_test_window ();
  char *problem;

  if (contents != NULL)
    g_assert_true (g_file_set_contents (path, contents, -1, NULL));
  else if (strcmp (name, "missing") != 0)
    g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_problem, window, 20);
  problem = g_strdup (studio_test_problem (window));
  g_assert_null (studio_window_get_project (window)->dataset);
  g_assert_cmpstr (
      gtk_actionable_get_action_name (GTK_ACTIONABLE (studio_test_child (window, STUDIO_TYPE_WINDOW, "failed_button"))),
      ==, action);
  studio_test_close (window);
  g_remove (path);
  g_rmdir (folder);
  return problem;
}

static void
test_unhappy_folders (void)
{
  g_autofree char *empty = problem_with ("nothing-inside", NULL, "win.open-folder");
  g_autofree char *missing = problem_with ("missing", NULL, "win.open-folder");
  g_autofree char *recipe = problem_with ("wrong.ini", "[dictionary]\natomes=3\n", "win.open-recipe");
  g_autofree char *dictionary = problem_with ("torn.npz", "PK", "win.open-dictionary");
  g_autofree char *other = problem_with ("letter.doc", "Dear all", "win.open-folder");

  g_assert_nonnull (strstr (empty, "nothing-inside"));
  g_assert_nonnull (strstr (missing, "missing"));
  g_assert_nonnull (strstr (recipe, "atomes"));
  g_assert_nonnull (strstr (dictionary, "torn.npz"));
  g_assert_nonnull (strstr (other, "letter.doc"));
}

/* Two classes of two images: fewer than the recipe trains with. */
static char *
small_folder (void)
{
  char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree guchar *pixels = g_malloc (64 * 64 * 3);

  for (int i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("%c", 'a' + i / 2), *file = g_strdup_printf ("%d.png", i);
      g_autofree char *inside = g_build_filename (folder, name, NULL);
      g_autofree char *path = g_build_filename (inside, file, NULL);
      for (gsize k = 0; k < 64 * 64 * 3; k++)
        pixels[k] = (guchar)g_random_int_range (0, 256);
      g_autoptr (GBytes) bytes = g_bytes_new (pixels, 64 * 64 * 3);
      g_autoptr (GdkTexture) texture = gdk_memory_texture_new (64, 64, GDK_MEMORY_R8G8B8, bytes, 64 * 3);

      g_assert_cmpint (g_mkdir_with_parents (inside, 0700), ==, 0);
      g_assert_true (gdk_texture_save_to_png (texture, path));
    }
  return folder;
}

static void
remove_small_folder (const char *folder)
{
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  studio_state_remove_recent (file);
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%c/%d.png", folder, 'a' + i / 2, i);
      g_autofree char *inside = g_path_get_dirname (path);

      g_remove (path);
      g_rmdir (inside); /* empty folder */
    }
  g_rmdir (folder);
}

/* A parameter that does not fit the images can be edited beside the error, and then the folder opens. */
static void
test_unfit_parameter (void)
{
  g_autofree char *folder = small_folder ();
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  StudioWindow *window = studio_test_window ();
  AdwFlap *flap = ADW_FLAP (gtk_widget_get_template_child (GTK_WIDGET (window), STUDIO_TYPE_WINDOW, "flap"));

  adw_flap_set_reveal_flap (flap, FALSE);
  studio_test_set (window, "dataset.train-per-class", "5");
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_nonnull (strstr (studio_test_problem (window), "dataset.train-per-class"));
  g_assert_null (studio_window_get_project (window)->dataset);
  g_assert_true (adw_flap_get_reveal_flap (flap));
  studio_test_spin (0.3);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (flap)));
  studio_test_set (window, "dataset.train-per-class", "1");
  studio_test_wait (studio_test_has_dataset, window, 20);
  g_assert_null (studio_test_problem (window));
  g_assert_cmpuint ((studio_window_get_project (window)->dataset)->classes->len, ==, 2);
  studio_test_close (window);
  remove_small_folder (folder);
}

static gboolean
has_two_classes (gpointer window)
{
  return (studio_window_get_project (window)->dataset)->classes->len == 2;
}

/* The same beside an open data set, which stays until the folder opens; a dismissed error leaves it. */
static void
test_unfit_beside_open (void)
{
  g_autofree char *folder = small_folder ();
  StudioWindow *window = studio_test_window ();
  StudioProject *project = studio_window_get_project (window);
  guint classes;

  studio_test_tiny (window);
  classes = project->dataset->classes->len;
  studio_test_open (window, folder);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_nonnull (strstr (studio_test_problem (window), "dataset.train-per-class"));
  g_assert_cmpuint (project->dataset->classes->len, ==, classes);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.dismiss-problem", NULL);
  g_assert_null (project->refused);

  studio_test_open (window, folder);
  studio_test_wait (studio_test_has_problem, window, 20);
  studio_test_set (window, "dataset.train-per-class", "1");
  studio_test_wait (has_two_classes, window, 20);
  g_assert_null (studio_test_problem (window));
  g_assert_cmpstr (project->model->recipe->dataset.path, ==, folder);
  studio_test_close (window);
  remove_small_folder (folder);
}

/* A failure to open a folder keeps the open one. */
static void
test_bad_folder_keeps_dataset (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GFile) file = g_file_new_for_path ("/nowhere/at/all");
  TosstDataset *dataset;

  studio_test_tiny (window);
  dataset = studio_window_get_project (window)->dataset;
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_true (studio_window_get_project (window)->dataset == dataset);
  studio_test_close (window);
}

typedef struct
{
  StudioProject *project;
  gconstpointer old; /* data set */
} Reopening;

static gboolean
is_reopened (gpointer data)
{
  const Reopening *self = data;

  return self->project->dataset != self->old && self->project->opening == NULL;
}

static const char *
shown_view (StudioWindow *window)
{
  return adw_view_stack_get_visible_child_name (
      ADW_VIEW_STACK (studio_test_child (window, STUDIO_TYPE_WINDOW, "views")));
}

/* A chosen data set is shown, unless the view shows something of it; one that an edited parameter reopens is not. */
static void
test_chosen_data_is_shown (void)
{
  g_autofree char *folder = small_folder ();
  StudioWindow *window = studio_test_window ();
  StudioProject *project = studio_window_get_project (window);
  static const char *const views[][2]
      = { { "learn", "data" }, { "results", "data" }, { "inspect", "inspect" }, { "sweep", "sweep" } };
  gconstpointer old;

  studio_test_tiny (window);
  studio_test_show (window, "learn");
  studio_test_set (window, "dataset.train-per-class", "1");
  studio_test_wait (is_reopened, &(Reopening){ project, project->dataset }, 20);
  g_assert_cmpstr (shown_view (window), ==, "learn");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      studio_test_show (window, views[i][0]);
      old = project->dataset;
      if (i % 2 == 0)
        studio_test_open (window, folder);
      else
        studio_window_open_samples (window);
      studio_test_wait (is_reopened, &(Reopening){ project, old }, 20);
      g_assert_cmpstr (shown_view (window), ==, views[i][1]);
    }
  studio_test_close (window);
  remove_small_folder (folder);
}

static void
write_picture (const char *folder, const char *class_name, const char *name, gsize keep)
{
  g_autofree char *place = g_build_filename (folder, class_name, NULL), *path = g_build_filename (place, name, NULL);
  g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 80, 80);
  g_autofree char *bytes = NULL;
  gsize length;

  g_mkdir_with_parents (place, 0700);
  gdk_pixbuf_fill (picture, g_str_hash (path) << 8);
  g_assert_true (gdk_pixbuf_save_to_buffer (picture, &bytes, &length, "png", NULL, NULL));
  g_assert_true (g_file_set_contents (path, bytes, keep > 0 ? MIN (keep, length) : length, NULL));
}

static gboolean
has_label (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), text) != NULL)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_label (child, text))
      return TRUE;
  return FALSE;
}

/* Broken images are listed by name, and the others are opened. */
static void
test_skipped_files (void)
{
  static const char gif[] = { 'G', 'I', 'F', '8', '9', 'a', 80, 0, 80 }; /* ends within its size */
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree char *broken = g_build_filename (folder, "moss", "torn.gif", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  StudioWindow *window = studio_test_window ();
  TosstDataset *dataset;
  GtkExpander *skipped;
  GtkWidget *view;

  for (int i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d.png", i);
      write_picture (folder, "moss", name, 0);
      write_picture (folder, "rust", name, 0);
    }
  write_picture (folder, "rust", "torn.png", 20);
  g_assert_true (g_file_set_contents (broken, gif, sizeof gif, NULL));
  studio_test_set (window, "dataset.train-per-class", "2");
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_dataset, window, 20);

  dataset = studio_window_get_project (window)->dataset;
  g_assert_cmpuint (dataset->classes->len, ==, 2);
  g_assert_cmpuint (dataset->entries->len, ==, 8);
  g_assert_cmpuint (dataset->skipped->len, ==, 2);
  view = studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view");
  skipped = GTK_EXPANDER (gtk_widget_get_template_child (view, STUDIO_TYPE_DATA_VIEW, "skipped"));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (skipped)));
  g_assert_true (has_label (gtk_expander_get_child (skipped), "torn.gif"));
  g_assert_true (has_label (gtk_expander_get_child (skipped), "torn.png"));
  studio_test_close (window);
  tosst_remove_tree (folder);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/folders/unhappy-folders", test_unhappy_folders);
  g_test_add_func ("/folders/unfit-parameter", test_unfit_parameter);
  g_test_add_func ("/folders/unfit-beside-open", test_unfit_beside_open);
  g_test_add_func ("/folders/bad-folder-keeps-dataset", test_bad_folder_keeps_dataset);
  g_test_add_func ("/folders/chosen-data-is-shown", test_chosen_data_is_shown);
  g_test_add_func ("/folders/skipped-files", test_skipped_files);
  return g_test_run ();
}

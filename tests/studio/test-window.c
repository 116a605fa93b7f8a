/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "atom-grid.h"
#include "atoms-view.h"
#include "chart-view.h"
#include "confusion-view.h"
#include "data-view.h"
#include "format.h"
#include "image-view.h"
#include "inspect-view.h"
#include "learn-view.h"
#include "parameter-editor.h"
#include "parameter-row.h"
#include "picture-view.h"
#include "progress-ring.h"
#include "results-view.h"
#include "settings.h"
#include "state.h"
#include "studio-test.h"
#include "textures.h"

static void
test_templates (void)
{
  const GType types[]
      = { STUDIO_TYPE_RECIPE_PANEL, STUDIO_TYPE_DATA_VIEW,      STUDIO_TYPE_LEARN_VIEW,   STUDIO_TYPE_RESULTS_VIEW,
          STUDIO_TYPE_CHART_VIEW,   STUDIO_TYPE_ATOM_GRID,      STUDIO_TYPE_ATOMS_VIEW,   STUDIO_TYPE_ATOM_BROWSER,
          STUDIO_TYPE_ATOM_PANEL,   STUDIO_TYPE_INSPECT_VIEW,   STUDIO_TYPE_CODE_PANEL,   STUDIO_TYPE_PICTURE_VIEW,
          STUDIO_TYPE_IMAGE_VIEW,   STUDIO_TYPE_CONFUSION_VIEW, STUDIO_TYPE_PROGRESS_RING };
  g_autoptr (GtkBuilder) help = gtk_builder_new_from_resource ("/io/github/tosst/Studio/gtk/help-overlay.ui");

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

static void
test_rows_equal_table (void)
{
  StudioWindow *window = studio_test_window ();
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_window_get_panel (window));
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  g_assert_cmpuint (rows->len, ==, n);
  g_assert_cmpuint (n, >, 20);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *editor = studio_parameter_row_get_editor (rows->pdata[i]);

      g_assert_true (studio_parameter_row_get_parameter (rows->pdata[i]) == &parameters[i]);
      g_assert_true (gtk_widget_get_root (editor) == GTK_ROOT (window));
      gtk_test_accessible_assert_property (editor, GTK_ACCESSIBLE_PROPERTY_LABEL, parameters[i].label);
    }
  studio_test_close (window);
}

/* The words of recipe files are for files: the window has a label for each. */
static void
test_choices_have_labels (void)
{
  guint n;
  const TosstParameter *parameters = tosst_parameters (&n);

  for (guint i = 0; i < n; i++)
    for (guint c = 0; parameters[i].choices != NULL && parameters[i].choices[c] != NULL; c++)
      g_assert_cmpstr (studio_choice_label (parameters[i].choices[c]), !=, parameters[i].choices[c]);
}

static StudioParameterRow *
find_row (StudioWindow *window, const char *key)
{
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_window_get_panel (window));

  for (guint i = 0; i < rows->len; i++)
    {
      const TosstParameter *p = studio_parameter_row_get_parameter (rows->pdata[i]);
      g_autofree char *name = g_strconcat (p->group, ".", p->key, NULL);

      if (strcmp (name, key) == 0)
        return rows->pdata[i];
    }
  g_assert_not_reached ();
}

static void
type_into (StudioWindow *window, const char *key, const char *text)
{
  GtkWidget *editor = studio_parameter_row_get_editor (find_row (window, key));

  gtk_editable_set_text (GTK_EDITABLE (editor), text);
  g_signal_emit_by_name (editor, "activate");
}

static void
test_edit_and_undo (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_model (window);
  GtkWidget *lambda = GTK_WIDGET (find_row (window, "dictionary.lambda"));
  double before = studio_recipe_model_peek (model)->dictionary.lambda;

  type_into (window, "dictionary.lambda", "0.02");
  g_assert_cmpfloat (studio_recipe_model_peek (model)->dictionary.lambda, ==, 0.02);
  g_assert_true (gtk_widget_has_css_class (lambda, "changed"));

  type_into (window, "dictionary.lambda", "much");
  g_assert_cmpfloat (studio_recipe_model_peek (model)->dictionary.lambda, ==, 0.02);
  g_assert_true (gtk_widget_has_css_class (studio_parameter_row_get_editor (STUDIO_PARAMETER_ROW (lambda)), "error"));

  type_into (window, "dictionary.gamma", "∞");
  g_assert_true (studio_recipe_model_peek (model)->dictionary.gamma > G_MAXDOUBLE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  g_assert_cmpfloat (studio_recipe_model_peek (model)->dictionary.lambda, ==, before);
  g_assert_false (gtk_widget_has_css_class (lambda, "changed"));
  g_assert_cmpstr (
      gtk_editable_get_text (GTK_EDITABLE (studio_parameter_row_get_editor (STUDIO_PARAMETER_ROW (lambda)))), !=,
      "much");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.redo", NULL);
  g_assert_cmpfloat (studio_recipe_model_peek (model)->dictionary.lambda, ==, 0.02);
  studio_test_close (window);
}

static gboolean
shows_note (GtkWidget *row)
{
  return gtk_widget_get_visible (GTK_WIDGET (gtk_widget_get_template_child (row, STUDIO_TYPE_PARAMETER_ROW, "note")));
}

static void
test_inactive_rows_say_why (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *editor = studio_parameter_row_get_editor (find_row (window, "dictionary.rank"));

  g_assert_false (gtk_widget_is_sensitive (editor));
  g_assert_true (shows_note (GTK_WIDGET (find_row (window, "dictionary.rank"))));
  studio_test_set (window, "dictionary.scheme", "low-rank");
  g_assert_true (gtk_widget_is_sensitive (editor));
  g_assert_false (shows_note (GTK_WIDGET (find_row (window, "dictionary.rank"))));
  studio_test_close (window);
}

/* The same reason is not given again by every row that follows. */
static void
test_reasons_stand_once (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *atoms = GTK_WIDGET (find_row (window, "dictionary.atoms")),
            *scheme = GTK_WIDGET (find_row (window, "dictionary.scheme"));

  g_assert_false (shows_note (atoms));
  studio_test_set (window, "coding.method", "raw");
  g_assert_true (shows_note (atoms));
  g_assert_false (shows_note (scheme));
  g_assert_false (gtk_widget_is_sensitive (studio_parameter_row_get_editor (STUDIO_PARAMETER_ROW (scheme))));
  studio_test_set (window, "coding.method", "sparse");
  g_assert_false (shows_note (atoms));
  studio_test_close (window);
}

/* A number too long for its entry is rounded there, and stays what it is when the entry is left. */
static void
test_long_number_keeps_its_digits (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_model (window);
  GtkWidget *editor = studio_parameter_row_get_editor (find_row (window, "descriptor.range-opponent"));
  double before = studio_recipe_model_peek (model)->descriptor.range_opponent;

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (editor)), ==, "0.707107");
  g_signal_emit_by_name (editor, "activate");
  g_assert_cmpfloat (studio_recipe_model_peek (model)->descriptor.range_opponent, ==, before);
  studio_test_close (window);
}

static void
assert_no_wheel (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        g_assert_cmpint (gtk_event_controller_get_propagation_phase (controller), ==, GTK_PHASE_NONE);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!GTK_IS_POPOVER (child))
      assert_no_wheel (child);
}

/* Scrolling the panel changes no value under the pointer. */
static void
test_wheel_changes_nothing (void)
{
  StudioWindow *window = studio_test_window ();
  GPtrArray *rows = studio_recipe_panel_get_rows (studio_window_get_panel (window));

  for (guint i = 0; i < rows->len; i++)
    assert_no_wheel (rows->pdata[i]);
  studio_test_close (window);
}

static GtkWidget *
find_button (GtkWidget *widget, const char *icon)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), icon) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, icon);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A value that is not its default is marked, and the row's own button takes both away. */
static void
test_marks_and_reset (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_model (window);
  GtkWidget *row = GTK_WIDGET (find_row (window, "dictionary.atoms")), *reset = find_button (row, "edit-undo-symbolic");
  int before = studio_recipe_model_peek (model)->dictionary.atoms;

  g_assert_nonnull (reset);
  g_assert_false (gtk_widget_has_css_class (row, "changed"));
  g_assert_false (gtk_widget_is_sensitive (reset));
  studio_test_set (window, "dictionary.atoms", "31");
  g_assert_true (gtk_widget_has_css_class (row, "changed"));
  g_assert_true (gtk_widget_is_sensitive (reset));
  g_signal_emit_by_name (reset, "clicked");
  g_assert_cmpint (studio_recipe_model_peek (model)->dictionary.atoms, ==, before);
  g_assert_false (gtk_widget_has_css_class (row, "changed"));
  g_assert_false (gtk_widget_is_sensitive (reset));
  studio_test_close (window);
}

static void
spin_to (StudioWindow *window, const char *key, const char *text)
{
  GtkWidget *spin = studio_parameter_row_get_editor (find_row (window, key));

  gtk_editable_set_text (GTK_EDITABLE (spin), text);
  gtk_spin_button_update (GTK_SPIN_BUTTON (spin));
}

static void
assert_text (StudioWindow *window, const char *key, const char *text)
{
  GtkWidget *editor = studio_parameter_row_get_editor (find_row (window, key));

  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (editor)), ==, text);
}

/* What is taken from elsewhere reads as a word, not as a number that nobody chose. */
static void
test_taken_from_elsewhere (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRecipeModel *model = studio_window_get_model (window);

  assert_text (window, "dataset.block", "auto");
  assert_text (window, "dictionary.rank", "auto");
  spin_to (window, "dataset.block", "80");
  g_assert_cmpint (studio_recipe_model_peek (model)->dataset.block, ==, 80);
  spin_to (window, "dataset.block", "0");
  g_assert_cmpint (studio_recipe_model_peek (model)->dataset.block, ==, 0);
  spin_to (window, "dataset.block", "");
  assert_text (window, "dataset.block", "auto");
  g_assert_true (tosst_recipe_is_default (studio_recipe_model_peek (model), tosst_parameter_find ("dataset.block")));

  studio_test_set (window, "dataset.block", "96");
  assert_text (window, "dataset.block", "96");
  studio_recipe_model_reset (model, tosst_parameter_find ("dataset.block"));
  assert_text (window, "dataset.block", "auto");
  studio_test_close (window);
}

static void
test_samples (void)
{
  StudioWindow *window = studio_test_window ();

  g_assert_true (studio_window_is_empty (window));
  studio_window_open_samples (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
  g_assert_cmpuint (tosst_dataset_classes (studio_window_get_dataset (window)), ==, tosst_textures_count ());
  g_assert_null (studio_window_get_problem (window));
  studio_test_spin (0.5); /* thumbnails are on their way while it closes */
  studio_test_close (window);
}

/* Opens what name is in a temporary folder and returns the sentence that it earns. */
static char *
problem_with (const char *name, const char *contents)
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
  problem = g_strdup (studio_window_get_problem (window));
  g_assert_null (studio_window_get_dataset (window));
  studio_test_close (window);
  g_remove (path);
  g_rmdir (folder);
  return problem;
}

static void
test_unhappy_folders (void)
{
  g_autofree char *empty = problem_with ("nothing-inside", NULL);
  g_autofree char *missing = problem_with ("missing", NULL);
  g_autofree char *recipe = problem_with ("wrong.ini", "[dictionary]\natomes=3\n");
  g_autofree char *other = problem_with ("letter.doc", "Dear all");

  g_assert_nonnull (strstr (empty, "nothing-inside"));
  g_assert_nonnull (strstr (missing, "missing"));
  g_assert_nonnull (strstr (recipe, "atomes"));
  g_assert_nonnull (strstr (other, "letter.doc"));
}

/* Two classes of two images: fewer than the recipe trains with. */
static char *
small_folder (void)
{
  char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autofree guchar *pixels = g_malloc (64 * 64 * 3);

  for (gsize i = 0; i < 64 * 64 * 3; i++)
    pixels[i] = (guchar)g_random_int_range (0, 256);
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("%c", 'a' + i / 2), *file = g_strdup_printf ("%d.png", i);
      g_autofree char *inside = g_build_filename (folder, name, NULL);
      g_autofree char *path = g_build_filename (inside, file, NULL);
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
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%c/%d.png", folder, 'a' + i / 2, i);
      g_autofree char *inside = g_path_get_dirname (path);

      g_remove (path);
      g_rmdir (inside); /* when it is empty */
    }
  g_rmdir (folder);
}

/* A parameter that does not fit the images can be changed beside the sentence, and the folder opens then. */
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
  g_assert_nonnull (strstr (studio_window_get_problem (window), "dataset.train-per-class"));
  g_assert_null (studio_window_get_dataset (window));
  g_assert_true (adw_flap_get_reveal_flap (flap));
  studio_test_spin (0.3);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (flap)));
  studio_test_set (window, "dataset.train-per-class", "1");
  studio_test_wait (studio_test_has_dataset, window, 20);
  g_assert_null (studio_window_get_problem (window));
  g_assert_cmpuint (tosst_dataset_classes (studio_window_get_dataset (window)), ==, 2);
  studio_test_close (window);
  remove_small_folder (folder);
}

/* A bad folder does not take the good one away. */
static void
test_bad_folder_keeps_dataset (void)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GFile) file = g_file_new_for_path ("/nowhere/at/all");
  TosstDataset *dataset;

  studio_test_tiny (window);
  dataset = studio_window_get_dataset (window);
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_true (studio_window_get_dataset (window) == dataset);
  studio_test_close (window);
}

static void
write_picture (const char *folder, const char *class_name, const char *name, gsize keep)
{
  g_autofree char *place = g_build_filename (folder, class_name, NULL), *path = g_build_filename (place, name, NULL);
  g_autoptr (GdkPixbuf) picture = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 80, 80);
  g_autofree char *bytes = NULL;
  gsize length;

  g_mkdir_with_parents (place, 0700);
  gdk_pixbuf_fill (picture, 0x30609000u + ((guint32)strlen (path) << 16));
  g_assert_true (gdk_pixbuf_save_to_buffer (picture, &bytes, &length, "png", NULL, NULL));
  g_assert_true (g_file_set_contents (path, bytes, keep > 0 ? MIN (keep, length) : length, NULL));
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      remove_tree (child);
    }
  g_remove (path);
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

/* Broken pictures among good ones: listed by name, and the others are there. */
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

  dataset = studio_window_get_dataset (window);
  g_assert_cmpuint (tosst_dataset_classes (dataset), ==, 2);
  g_assert_cmpuint (tosst_dataset_images (dataset), ==, 8);
  g_assert_cmpuint (tosst_dataset_skipped (dataset)->len, ==, 2);
  view = GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (window), STUDIO_TYPE_WINDOW, "data_view"));
  skipped = GTK_EXPANDER (gtk_widget_get_template_child (view, STUDIO_TYPE_DATA_VIEW, "skipped"));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (skipped)));
  g_assert_true (has_label (gtk_expander_get_child (skipped), "torn.gif"));
  g_assert_true (has_label (gtk_expander_get_child (skipped), "torn.png"));
  studio_test_close (window);
  remove_tree (folder);
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
  g_assert_cmpint (studio_recipe_model_peek (studio_window_get_model (window))->dictionary.atoms, ==, 17);
  studio_test_close (window);
  g_remove (path);
  g_rmdir (folder);
}

static void
assert_real (double value, int digits, const char *expected)
{
  g_autofree char *text = studio_format_real (value, digits);

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_rough (double seconds, const char *expected)
{
  g_autofree char *text = studio_format_rough_duration (seconds);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_numbers (void)
{
  assert_rough (0.2, "1 s");
  assert_rough (8.04, "8 s");
  assert_rough (47, "45 s");
  assert_rough (59, "1 min");
  assert_rough (131, "2 min 10 s");
  assert_rough (733, "12 min");
  assert_rough (7290, "2 h 2 min");
  assert_real (0, 3, "0");
  assert_real (22.468, 3, "22.5");
  assert_real (163.65, 5, "163.65");
  assert_real (3.24e-7, 2, "3.2×10⁻⁷");
  assert_real (1.5e12, 2, "1.5×10¹²");
  assert_real (-0.0123, 2, "-0.012");
  assert_real (1.0 / 0.0, 2, "∞");
  assert_real (0.0 / 0.0, 2, "–");
}

static void
test_symbols (void)
{
  g_autofree char *power = studio_symbol_markup ("|X|^γ_c < 1"), *derivative = studio_symbol_markup ("I_yy, Iₓ");

  g_assert_cmpstr (power, ==, "|X|<sup>γ<sub>c</sub></sup> &lt; 1");
  g_assert_cmpstr (derivative, ==, "I<sub>yy</sub>, Iₓ");
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

/* The default size follows that of the surface, which the server may still be about to tell. */
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

  /* The next window has that size and offers that file; once it is gone, no more. */
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

/* Every setting has a default, none takes what makes no sense, and they are written where nothing else keeps them. */
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
  g_assert_cmpuint (g_strv_length (keys), ==, 6);
  for (char **key = keys; *key != NULL; key++)
    {
      g_autoptr (GSettingsSchemaKey) one = g_settings_schema_get_key (schema, *key);
      g_autoptr (GVariant) value = g_settings_get_default_value (settings, *key);

      g_assert_true (g_settings_schema_key_range_check (one, value));
      g_settings_reset (settings, *key);
    }
  g_assert_true (studio_state_get_restores ());
  g_assert_false (studio_state_get_presenter ());
  g_assert_cmpfloat (studio_state_get_checkpoint_interval (), ==, 30);
  studio_state_set_restores (FALSE);
  g_assert_false (studio_state_get_restores ());
  g_assert_true (g_file_get_contents (file, &contents, NULL, NULL));
  g_assert_nonnull (strstr (contents, "restore-session=false"));
  studio_state_set_restores (TRUE);
  g_assert_cmpuint (g_settings_get_int (settings, "window-width"), ==, 1280);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/numbers", test_numbers);
  g_test_add_func ("/studio/symbols", test_symbols);
  g_test_add_func ("/studio/templates", test_templates);
  g_test_add_func ("/studio/rows-equal-table", test_rows_equal_table);
  g_test_add_func ("/studio/choices-have-labels", test_choices_have_labels);
  g_test_add_func ("/studio/edit-and-undo", test_edit_and_undo);
  g_test_add_func ("/studio/inactive-rows", test_inactive_rows_say_why);
  g_test_add_func ("/studio/reasons-stand-once", test_reasons_stand_once);
  g_test_add_func ("/studio/wheel", test_wheel_changes_nothing);
  g_test_add_func ("/studio/long-number", test_long_number_keeps_its_digits);
  g_test_add_func ("/studio/marks-and-reset", test_marks_and_reset);
  g_test_add_func ("/studio/taken-from-elsewhere", test_taken_from_elsewhere);
  g_test_add_func ("/studio/samples", test_samples);
  g_test_add_func ("/studio/unhappy-folders", test_unhappy_folders);
  g_test_add_func ("/studio/unfit-parameter", test_unfit_parameter);
  g_test_add_func ("/studio/bad-folder-keeps-dataset", test_bad_folder_keeps_dataset);
  g_test_add_func ("/studio/recipe-file", test_recipe_file);
  g_test_add_func ("/studio/skipped-files", test_skipped_files);
  g_test_add_func ("/studio/state", test_state);
  g_test_add_func ("/studio/settings", test_settings);
  return g_test_run ();
}

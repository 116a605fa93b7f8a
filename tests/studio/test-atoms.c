/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/dictionary/file.h"
#include "studio-test.h"
#include "studio/atoms/atom-grid.h"
#include "studio/atoms/atoms-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/learn/learn-view.h"
#include "studio/widgets/fold.h"

/* The view of atoms: of a run of the sample textures, of a file, and of a very large dictionary. */

static char *folder, *dictionary_path;

static GtkWidget *
atoms_view (gpointer window)
{
  return studio_test_child (window, STUDIO_TYPE_WINDOW, "atoms_view");
}

static StudioAtomGrid *
browser_of (gpointer window)
{
  return STUDIO_ATOM_GRID (studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "browser"));
}

static StudioAtom *
atom_of (gpointer window)
{
  return STUDIO_ATOM_PANEL (STUDIO_ATOMS_VIEW (atoms_view (window))->panel)->atom;
}

static StudioCodePanel *
inspect_panel (StudioWindow *window)
{
  return STUDIO_INSPECT_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view"))->panel;
}

static void
press_order (StudioWindow *window, const char *button)
{
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, button)), TRUE);
}

static gboolean
may_sort (StudioWindow *window, const char *button)
{
  return gtk_widget_is_sensitive (studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, button));
}

static void
check_stem_keys (StudioWindow *window)
{
  GtkWidget *stems = studio_test_child (inspect_panel (window), STUDIO_TYPE_CODE_PANEL, "stems");
  const StudioCode *code = studio_test_code (window);
  int last = code->atoms->dictionary->K - 1;

  while (last > 0 && code->code[last] == 0)
    last--;
  g_assert_true (studio_test_press_key (stems, GDK_KEY_Home));
  g_assert_true (studio_test_press_key (stems, GDK_KEY_Right));
  g_assert_true (studio_test_press_key (stems, GDK_KEY_End));
  g_assert_true (studio_test_press_key (stems, GDK_KEY_Return));
  g_assert_cmpint (atom_of (window)->number, ==, last);
}

/* Figures need the same width whatever they are, so that recoding does not move what is below them. */
static void
check_figures (StudioWindow *window)
{
  GtkWidget *error = studio_test_child (inspect_panel (window), STUDIO_TYPE_CODE_PANEL, "error");
  g_autofree char *before = g_strdup (gtk_label_get_label (GTK_LABEL (error)));
  static const char *const texts[] = { "9.9 %", "13.6 %" };
  int width[G_N_ELEMENTS (texts)];

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      gtk_label_set_label (GTK_LABEL (error), texts[i]);
      gtk_widget_measure (error, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width[i], NULL, NULL);
    }
  g_assert_cmpint (width[0], ==, width[1]);
  gtk_label_set_label (GTK_LABEL (error), before);
}

static gboolean
is_narrow (gpointer view)
{
  return studio_test_is_folded (studio_test_child (view, STUDIO_TYPE_INSPECT_VIEW, "fold"));
}

/* In a narrow window the code is a page of its own, which Return on the image and a click on the chosen patch open. */
static void
check_narrow_inspect (StudioWindow *window)
{
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view");
  GtkWidget *image = studio_test_child (view, STUDIO_TYPE_INSPECT_VIEW, "image_view");
  GtkWidget *panel = GTK_WIDGET (inspect_panel (window));
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (window), &width, &height);
  studio_test_show (window, "inspect");
  gtk_window_set_default_size (GTK_WINDOW (window), 360, 700);
  studio_test_wait (is_narrow, view, 10);
  g_assert_false (gtk_widget_get_visible (panel));
  g_assert_true (studio_test_press_key (image, GDK_KEY_Return));
  g_assert_true (gtk_widget_get_visible (panel));
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
}

/* Larger tiles, with patches or matrices, and back. */
static void
check_tiles (StudioWindow *window)
{
  GtkWidget *view = atoms_view (window), *browser = GTK_WIDGET (browser_of (window));
  GtkAdjustment *size = GTK_ADJUSTMENT (gtk_widget_get_template_child (view, STUDIO_TYPE_ATOMS_VIEW, "tile_size"));
  GtkAdjustment *contrast
      = GTK_ADJUSTMENT (gtk_widget_get_template_child (view, STUDIO_TYPE_ATOMS_VIEW, "tile_contrast"));
  GtkToggleButton *patches = GTK_TOGGLE_BUTTON (studio_test_child (view, STUDIO_TYPE_ATOMS_VIEW, "patches_button"));
  GtkToggleButton *matrices = GTK_TOGGLE_BUTTON (studio_test_child (view, STUDIO_TYPE_ATOMS_VIEW, "matrices_button"));
  int minimum, larger;
  guint drawn;

  g_assert_true (gtk_toggle_button_get_active (patches)); /* first what is most easily understood */
  gtk_toggle_button_set_active (matrices, TRUE);
  gtk_widget_measure (browser, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_adjustment_set_value (size, 128);
  gtk_widget_measure (browser, GTK_ORIENTATION_HORIZONTAL, -1, &larger, NULL, NULL, NULL);
  g_assert_cmpint (larger, >, minimum + 40);
  gtk_adjustment_set_value (contrast, 3);
  studio_test_spin (0.2);
  drawn = g_hash_table_size (STUDIO_ATOM_GRID (browser)->textures);
  g_assert_cmpuint (drawn, >, 0);
  g_assert_true (gtk_widget_get_sensitive (GTK_WIDGET (patches)));
  gtk_toggle_button_set_active (patches, TRUE);
  studio_test_spin (0.5);
  g_assert_cmpuint (g_hash_table_size (STUDIO_ATOM_GRID (browser)->textures), <, drawn); /* only those unused */
  gtk_toggle_button_set_active (matrices, TRUE);
  gtk_adjustment_set_value (size, 56);
  gtk_adjustment_set_value (contrast, 1);
}

static gboolean
is_later_slice (gpointer label)
{
  return strstr (gtk_label_get_text (label), ", 3 of") != NULL;
}

/* Slices have names, can be chosen by keys, and play unless animations are turned off. */
static void
check_slices (StudioWindow *window)
{
  GtkWidget *panel = studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "panel");
  GtkWidget *strip = studio_test_child (panel, STUDIO_TYPE_ATOM_PANEL, "strip");
  GtkWidget *play = studio_test_child (panel, STUDIO_TYPE_ATOM_PANEL, "play_button");
  GtkLabel *label = GTK_LABEL (studio_test_child (panel, STUDIO_TYPE_ATOM_PANEL, "slice_label"));
  g_autofree char *hint = studio_atom_hint (atom_of (window));
  gboolean animations;

  g_assert_nonnull (strstr (hint, "Rank "));
  g_assert_true (
      g_regex_match_simple ("^Its strongest feature is \\S+ \\d \\([a-z ]+\\): ", hint, 0, 0)); /* in words, too */
  studio_test_spin (0.1);
  g_assert_true (studio_test_press_key (strip, GDK_KEY_Right));
  g_assert_nonnull (strstr (gtk_label_get_text (label), ", 1 of"));
  g_object_get (gtk_settings_get_default (), "gtk-enable-animations", &animations, NULL);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", TRUE, NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (play), TRUE);
  studio_test_wait (is_later_slice, label, 10);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  g_assert_false (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (play)) || gtk_widget_get_sensitive (play));
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", animations, NULL);
}

/* The atoms of a run are sorted by use; one is shown in detail with the patches that use it, which open in Inspect. */
static void
test_atoms_of_run (void)
{
  StudioWindow *window = studio_test_window ();
  StudioAtomSet *atoms;
  StudioAtomGrid *browser = browser_of (window);
  const TosstAtomPatch *patch;
  GtkWidget *patches;
  g_autofree char *csv = NULL, *svg = NULL, *png = NULL, *dictionary = NULL;
  g_auto (GStrv) lines = NULL;
  int first, K;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_has_atoms, window, 60);
  studio_test_show (window, "atoms");
  studio_test_wait (studio_test_is_idle, window, 60);
  dictionary = studio_test_export (window, "dictionary", folder, "d.npz");
  atoms = studio_window_get_project (window)->atoms;
  K = atoms->dictionary->K;
  g_assert_nonnull (atoms->usage);
  first = browser->sorted[0];
  g_assert_cmpint (atom_of (window)->number, ==, first); /* one is shown in detail initially */
  for (int i = 1; i < K; i++)
    g_assert_cmpfloat (atoms->usage->use[browser->sorted[i - 1]], >=, atoms->usage->use[browser->sorted[i]]);
  g_assert_true (may_sort (window, "class_button"));
  press_order (window, "rank_button");
  for (int i = 1; i < K; i++)
    g_assert_cmpint (atoms->ranks[browser->sorted[i - 1]], >=, atoms->ranks[browser->sorted[i]]);
  g_assert_cmpint (browser->chosen, ==, first); /* stays */
  press_order (window, "number_button");
  g_assert_cmpint (browser->sorted[3], ==, 3);
  press_order (window, "class_button");

  g_signal_emit_by_name (browser, "chosen", 5);
  g_assert_cmpint (atom_of (window)->number, ==, 5);
  g_assert_cmpint (atom_of (window)->planes, ==, atoms->dictionary->d);
  csv = studio_test_export (window, "atoms", folder, "atoms.csv");
  lines = g_strsplit (g_strchomp (csv), "\n", -1);
  g_assert_cmpint (g_strv_length (lines), ==, K + 1);
  svg = studio_test_export (window, "atom", folder, "atom.svg");
  png = studio_test_export (window, "atom", folder, "atom.png");
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_cmpmem (png, 4, "\211PNG", 4);

  check_tiles (window);
  check_slices (window);

  /* A click on the first of its patches shows that patch, whose code uses the atom. */
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (atoms_view (window)), first);
  patch = atoms->usage->patches + (gsize)first * TOSST_ATOM_PATCHES;
  patches = studio_test_child (studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "panel"),
                               STUDIO_TYPE_ATOM_PANEL, "patches");
  g_signal_emit_by_name (gtk_widget_get_first_child (patches), "clicked");
  studio_test_wait (studio_test_has_code, window, 20);
  while (studio_test_code (window)->image != patch->image || studio_test_code (window)->point.x != patch->point.x
         || studio_test_code (window)->point.y != patch->point.y)
    studio_test_spin (0.01);
  g_assert_cmpfloat_with_epsilon (studio_test_code (window)->code[first], patch->code, 1e-3 * fabs (patch->code));

  /* Arrow keys move along the stems, and Return opens the atom. */
  studio_test_spin (0.1);
  check_stem_keys (window);
  check_figures (window);
  check_narrow_inspect (window);

  /* A stem opens its atom. */
  g_signal_emit_by_name (inspect_panel (window), "atom-chosen", first);
  g_assert_cmpint (atom_of (window)->number, ==, first);
  studio_test_close (window);
}

/* A file has no usage counts: orders by use are insensitive, with the reason. */
static void
test_atoms_of_file (void)
{
  StudioWindow *window = studio_test_window ();
  const char *tip;

  studio_test_open (window, dictionary_path);
  studio_test_wait (studio_test_has_atoms, window, 20);
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (studio_test_child (window, STUDIO_TYPE_WINDOW, "views"))),
      ==, "atoms");
  g_assert_false (may_sort (window, "use_button"));
  g_assert_false (may_sort (window, "class_button"));
  g_assert_true (may_sort (window, "energy_button"));
  tip = gtk_widget_get_tooltip_text (studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "use_button"));
  g_assert_nonnull (tip);
  g_assert_cmpstr (studio_window_get_project (window)->atoms->file, ==, "d.npz");
  g_assert_nonnull (atom_of (window)->groups); /* its recipe names the features */
  studio_test_close (window);
}

/* Only the visible atoms of a very large dictionary are drawn, at the top and at the end. */
static void
test_many_atoms (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (folder, "many.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstDictionary) many = tosst_dictionary_new (6, 25000);
  StudioAtomGrid *browser = browser_of (window);
  GtkAdjustment *down;

  for (gsize i = 0; i < (gsize)many->D * many->K; i++)
    many->V[i] = (i * 7919 % 1000) / 1000.0;
  for (gsize i = 0; i < (gsize)many->S * many->K; i++)
    many->b[i] = 1.0 / many->S;
  g_assert_true (tosst_dictionary_save (many, NULL, file, NULL));
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_atoms, window, 60);
  studio_test_spin (0.5);
  g_assert_cmpuint (g_hash_table_size (browser->textures), >, 0);
  g_assert_cmpuint (g_hash_table_size (browser->textures), <, 500);
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (atoms_view (window)), browser->sorted[24999]);
  studio_test_spin (0.3);
  down = browser->scroll;
  g_assert_cmpfloat (gtk_adjustment_get_value (down), >,
                     0.99 * (gtk_adjustment_get_upper (down) - gtk_adjustment_get_page_size (down)));
  g_assert_cmpuint (g_hash_table_size (browser->textures), <, 1000);
  studio_test_close (window);
}

/* A press of the pointer, which also moves the focus. */
static void
press_at (GtkWidget *widget, double x, double y)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_CLICK (controller))
        g_signal_emit_by_name (controller, "pressed", 1, x, y);
    }
}

/* A click in Learn chooses the atom there without scrolling, and the atom stays chosen as the order changes; keys
 * scroll to the atom that they choose. */
static void
test_atoms_in_learn (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *learn = studio_test_child (window, STUDIO_TYPE_WINDOW, "learn_view");
  GtkWidget *grid = studio_test_child (learn, STUDIO_TYPE_LEARN_VIEW, "atom_grid");
  GtkLabel *detail = GTK_LABEL (studio_test_child (learn, STUDIO_TYPE_LEARN_VIEW, "atoms_detail"));
  GtkAdjustment *scroll;
  StudioAtoms *atoms;
  g_autofree char *name = NULL;

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.atoms", "200");
  studio_test_set (window, "dataset.splits", "1");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  studio_test_show (window, "learn");
  studio_test_spin (0.5);
  scroll = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (gtk_widget_get_parent (grid)));
  g_assert_cmpfloat (gtk_adjustment_get_upper (scroll), >, gtk_adjustment_get_page_size (scroll) + 100);
  press_at (grid, 10, 10);
  studio_test_spin (0.2);
  g_assert_true (gtk_widget_has_focus (grid));
  g_assert_cmpfloat (gtk_adjustment_get_value (scroll), ==, 0);
  atoms = studio_window_get_project (window)->runner->atoms;
  name = g_strdup_printf ("Atom %d of 200", atoms->index[0] + 1);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (detail), name));

  studio_atom_grid_set_atoms (STUDIO_ATOM_GRID (grid), atoms);
  g_clear_pointer (&name, g_free);
  name = studio_atom_grid_describe_chosen (STUDIO_ATOM_GRID (grid));
  g_assert_cmpstr (name, ==, gtk_label_get_label (detail));
  for (int i = 0; i < 20; i++)
    g_assert_true (studio_test_press_key (grid, GDK_KEY_Down));
  studio_test_spin (0.2);
  g_assert_cmpfloat (gtk_adjustment_get_value (scroll), >, 100);
  /* Return, as a double click, opens it in Atoms. */
  g_assert_true (studio_test_press_key (grid, GDK_KEY_Return));
  g_free (name);
  name = g_strdup_printf ("Atom %d of 200", atom_of (window)->number + 1);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (detail), name));
  g_assert_true (gtk_widget_get_mapped (atoms_view (window)));
  studio_test_close (window);
}

static gboolean
shows_second_split (gpointer window)
{
  StudioAtomSet *atoms = studio_window_get_project (window)->atoms;

  return atoms != NULL && atoms->split == 1;
}

static gboolean
shows_first_split (gpointer window)
{
  StudioAtomSet *atoms = studio_window_get_project (window)->atoms;

  return atoms != NULL && atoms->split == 0;
}

static void
check_splits (StudioWindow *window)
{
  StudioProject *project = studio_window_get_project (window);
  GtkWidget *splits = studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "split");
  GtkWidget *source = studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "source");
  const TosstDictionary *second;

  g_assert_cmpint (studio_runner_get_n_dictionaries (project->runner), ==, 2);
  second = studio_runner_get_dictionary (project->runner, 1);
  g_assert_cmpfloat (second->V[0], !=, project->runner->learned->dictionary->V[0]);
  g_assert_true (gtk_widget_get_visible (splits));
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (splits)), ==, 0);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (splits), 1);
  studio_test_wait (shows_second_split, window, 20);
  g_assert_cmpmem (project->atoms->dictionary->V, sizeof *second->V * (gsize)(second->K * second->D), second->V,
                   sizeof *second->V * (gsize)(second->K * second->D));
  g_assert_true (g_str_has_prefix (gtk_widget_get_tooltip_text (source), "learned by split 2"));
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (splits)), ==, 1);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (splits), 0);
  studio_test_wait (shows_first_split, window, 20);
  g_assert_true (project->atoms == project->runner->learned);
}

/* The atoms of each split can be chosen: of a run that has just ended, from Learn, and of a stored run. */
static void
test_splits (void)
{
  StudioWindow *window = studio_test_window (), *other;
  StudioProject *project = studio_window_get_project (window);
  GtkWidget *learn = studio_test_child (window, STUDIO_TYPE_WINDOW, "learn_view");
  GtkWidget *grid = studio_test_child (learn, STUDIO_TYPE_LEARN_VIEW, "atom_grid");
  gint64 run;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  check_splits (window);

  /* Learn shows the last split: Return, as a double click, opens its atom. */
  studio_test_show (window, "learn");
  studio_test_spin (0.5);
  g_assert_cmpint (project->runner->atoms->split, ==, 1);
  press_at (grid, 10, 10);
  g_assert_true (studio_test_press_key (grid, GDK_KEY_Return));
  studio_test_wait (shows_second_split, window, 20);
  g_assert_cmpint (atom_of (window)->number, ==, project->runner->atoms->index[0]);
  g_assert_true (gtk_widget_get_mapped (atoms_view (window)));
  run = project->runner->run;
  g_assert_cmpint (run, >, 0);

  other = studio_test_another_window ();
  studio_project_open_run (studio_window_get_project (other), run, STUDIO_RUN_OPEN);
  studio_test_wait (studio_test_has_atoms, other, 60);
  studio_test_wait (studio_test_is_idle, other, 60);
  check_splits (other);
  studio_test_close (other);

  /* A dictionary file has no splits. */
  studio_test_open (window, dictionary_path);
  studio_test_wait (shows_first_split, window, 20);
  g_assert_false (gtk_widget_get_visible (studio_test_child (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "split")));
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  dictionary_path = g_build_filename (folder, "d.npz", NULL);
  g_test_add_func ("/studio/atoms/of-run", test_atoms_of_run); /* the next one needs its file */
  g_test_add_func ("/studio/atoms/of-file", test_atoms_of_file);
  g_test_add_func ("/studio/atoms/many", test_many_atoms);
  g_test_add_func ("/studio/atoms/in-learn", test_atoms_in_learn);
  g_test_add_func ("/studio/atoms/splits", test_splits);
  status = g_test_run ();
  tosst_remove_tree (folder);
  return status;
}

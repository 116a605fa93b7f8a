/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "atoms-view.h"
#include "data-view.h"
#include "dictionary-file.h"
#include "image-view.h"
#include "inspect-view.h"
#include "patch-features.h"
#include "studio-test.h"

/* The views of a dictionary: a small one of the sample textures, learned once by a run and kept as a file. */

static char *folder, *dictionary_path;

static GtkWidget *
child_of (gpointer widget, GType type, const char *name)
{
  return GTK_WIDGET (gtk_widget_get_template_child (widget, type, name));
}

static StudioInspectView *
inspect_view (StudioWindow *window)
{
  return STUDIO_INSPECT_VIEW (child_of (window, STUDIO_TYPE_WINDOW, "inspect_view"));
}

static GtkWidget *
atoms_view (gpointer window)
{
  return child_of (window, STUDIO_TYPE_WINDOW, "atoms_view");
}

static StudioAtomBrowser *
browser_of (gpointer window)
{
  return STUDIO_ATOM_BROWSER (child_of (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "browser"));
}

static StudioAtom *
atom_of (gpointer window)
{
  return studio_atoms_view_get_atom (STUDIO_ATOMS_VIEW (atoms_view (window)));
}

static StudioCode *
code_of (gpointer window)
{
  return studio_code_panel_get_code (studio_inspect_view_get_panel (inspect_view (window)));
}

static gboolean
has_code (gpointer window)
{
  return code_of (window) != NULL;
}

static gboolean
has_atoms (gpointer window)
{
  return studio_window_get_atoms (window) != NULL;
}

static const char *
page_of (StudioWindow *window)
{
  return gtk_stack_get_visible_child_name (
      GTK_STACK (child_of (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "stack")));
}

static void
show (StudioWindow *window, const char *view)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", view));
}

static void
open_path (StudioWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  studio_window_open (window, file);
}

static gboolean
file_exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static char *
export_to (StudioWindow *window, const char *kind, const char *name)
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

/* Before a run there is nothing, during it a word about that, and its dictionary as soon as the first split is done. */
static void
test_run_brings_dictionary (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *bytes = NULL;

  studio_test_tiny (window);
  show (window, "inspect");
  g_assert_cmpstr (page_of (window), ==, "empty");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_cmpstr (page_of (window), ==, "waiting");
  studio_test_wait (has_atoms, window, 60);
  show (window, "inspect");
  g_assert_cmpstr (page_of (window), ==, "work");
  studio_test_wait (has_code, window, 20);
  g_assert_true (code_of (window)->atoms == studio_runner_get_learned (studio_window_get_runner (window)));
  studio_test_wait (studio_test_is_idle, window, 60);
  bytes = export_to (window, "dictionary", "d.npz");

  /* A new run begins with what the last one learned, until it has learned its own. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_nonnull (studio_window_get_atoms (window));
  studio_test_close (window);
}

static StudioWindow *
window_with_patch (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  open_path (window, dictionary_path);
  studio_test_wait (has_atoms, window, 20);
  show (window, "inspect");
  studio_test_wait (has_code, window, 20);
  return window;
}

typedef struct
{
  StudioWindow *window;
  double lambda, gamma;
  int n_atoms, x, y;
} Wanted;

static gboolean
is_answered (gpointer data)
{
  const Wanted *wanted = data;
  const StudioCode *code = code_of (wanted->window);

  return code != NULL && fabs (code->lambda - wanted->lambda) < 1e-9
         && (code->gamma == wanted->gamma || fabs (code->gamma - wanted->gamma) < 1e-9)
         && code->n_atoms == wanted->n_atoms && code->point.x == wanted->x && code->point.y == wanted->y;
}

static void
drag (StudioWindow *window, const char *scale, double value)
{
  gtk_range_set_value (GTK_RANGE (child_of (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, scale)), value);
}

static char *
shown (StudioWindow *window, const char *name)
{
  GtkWidget *label = child_of (studio_inspect_view_get_panel (inspect_view (window)), STUDIO_TYPE_CODE_PANEL, name);

  return g_strdup (gtk_label_get_label (GTK_LABEL (label)));
}

/* Sliders change code and numbers; reset brings them back. */
static void
test_sliders (void)
{
  StudioWindow *window = window_with_patch ();
  const StudioCode *first = code_of (window);
  Wanted wanted = { window, first->lambda, first->gamma, first->n_atoms, first->point.x, first->point.y };
  Wanted back = wanted;
  g_autofree char *error = shown (window, "error"), *nonzeros = shown (window, "nonzeros"), *later = NULL,
                  *fewer = NULL;
  double before = first->error;
  gsize count = first->state.nonzeros;

  g_assert_cmpuint (count, >, 0);
  g_assert_cmpint (first->rank_reconstructed, <=, first->bound);
  drag (window, "lambda_scale", log10 (first->lambda) + 0.9);
  wanted.lambda = 10 * pow (10, -0.1) * wanted.lambda;
  studio_test_wait (is_answered, &wanted, 20);
  later = shown (window, "error");
  fewer = shown (window, "nonzeros");
  g_assert_cmpstr (error, !=, later);
  g_assert_cmpuint (code_of (window)->state.nonzeros, <=, count);

  drag (window, "gamma_scale", 3.1);
  wanted.gamma = INFINITY;
  studio_test_wait (is_answered, &wanted, 20);
  drag (window, "atoms_scale", 5);
  wanted.n_atoms = 5;
  studio_test_wait (is_answered, &wanted, 20);
  g_assert_cmpuint (code_of (window)->state.nonzeros, <=, 5);

  g_signal_emit_by_name (child_of (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "reset"), "clicked");
  studio_test_wait (is_answered, &back, 20);
  g_assert_cmpfloat_with_epsilon (code_of (window)->error, before, 1e-5);
  studio_test_close (window);
}

/* The reconstruction by slices is at least as close as that by the one code. */
static void
test_two_reconstructions (void)
{
  StudioWindow *window = window_with_patch ();
  double split = code_of (window)->error;

  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (child_of (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "alpha_button")), TRUE);
  while (!code_of (window)->tied)
    studio_test_spin (0.01);
  g_assert_cmpfloat (code_of (window)->error, >=, split - 1e-9);
  studio_test_close (window);
}

static void
test_patches_and_images (void)
{
  StudioWindow *window = window_with_patch ();
  StudioInspectView *view = inspect_view (window);
  GtkWidget *image = child_of (view, STUDIO_TYPE_INSPECT_VIEW, "image_view");
  const StudioCode *first = code_of (window);
  Wanted wanted = { window, first->lambda, first->gamma, first->n_atoms, 32, 64 };
  double error = first->error;

  g_signal_emit_by_name (image, "patch-chosen", 32, 64);
  studio_test_wait (is_answered, &wanted, 20);
  g_assert_cmpfloat (code_of (window)->error, !=, error);
  studio_inspect_view_set_image (view, 3);
  while (code_of (window) == NULL || code_of (window)->image != 3)
    studio_test_spin (0.01);
  g_assert_cmpint (code_of (window)->point.x, ==, 32); /* the same place */
  gtk_test_accessible_assert_property (image, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       tosst_dataset_image (studio_window_get_dataset (window), 3)->name);

  /* A double click in the data view comes here. */
  show (window, "data");
  g_signal_emit_by_name (child_of (window, STUDIO_TYPE_WINDOW, "data_view"), "patch-activated", 0, 0);
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (child_of (window, STUDIO_TYPE_WINDOW, "views"))), ==,
      "inspect");
  wanted.x = wanted.y = 0;
  studio_test_wait (is_answered, &wanted, 20);
  studio_test_close (window);
}

static gboolean
press_key (GtkWidget *widget, guint key)
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

static gboolean
has_features (gpointer card)
{
  int d;

  return studio_patch_features_peek (card, &d) != NULL;
}

static double
mean_luminance (StudioWindow *window, guint index, int left, int top, int size)
{
  TosstImage *image = tosst_dataset_read (studio_window_get_dataset (window), index, NULL);
  g_autofree double *luminance = g_new (double, (gsize)image->width * image->height);
  double sum = 0;

  tosst_image_luminance (image, luminance);
  for (int y = top; y < top + size; y++)
    for (int x = left; x < left + size; x++)
      sum += luminance[y * image->width + x];
  tosst_image_free (image);
  return sum / (size * size);
}

/* The card beside a patch that is hovered, here with keys, has the means of what the recipe takes of its pixels. */
static void
test_hovering (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *view = child_of (window, STUDIO_TYPE_WINDOW, "data_view");
  GtkWidget *image = child_of (view, STUDIO_TYPE_DATA_VIEW, "image_view");
  GtkWidget *card = child_of (view, STUDIO_TYPE_DATA_VIEW, "features");
  const double *means;
  int d;

  studio_test_tiny (window);
  studio_test_set (window, "descriptor.kind", "linear");
  studio_test_set (window, "descriptor.patch", "20");
  studio_test_set (window, "descriptor.step", "10");
  show (window, "data");
  while (!studio_data_view_has_image (STUDIO_DATA_VIEW (view)))
    studio_test_spin (0.01);
  g_assert_false (gtk_widget_get_visible (card));
  g_assert_true (press_key (image, GDK_KEY_Right));
  g_assert_true (gtk_widget_get_visible (card));
  g_assert_true (press_key (image, GDK_KEY_Right));
  g_assert_true (press_key (image, GDK_KEY_Down));
  studio_test_wait (has_features, card, 20);
  means = studio_patch_features_peek (STUDIO_PATCH_FEATURES (card), &d);
  g_assert_cmpint (d, ==, tosst_recipe_dimension (studio_recipe_model_peek (studio_window_get_model (window))));
  g_assert_cmpfloat_with_epsilon (means[2], mean_luminance (window, 0, 10, 10, 20), 1e-6); /* after x and y */
  g_assert_true (press_key (image, GDK_KEY_Return));
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (child_of (window, STUDIO_TYPE_WINDOW, "views"))), ==,
      "inspect");
  show (window, "data");
  g_assert_true (press_key (image, GDK_KEY_Escape));
  g_assert_false (gtk_widget_get_visible (card));
  studio_test_close (window);
}

static void
test_export_patch (void)
{
  StudioWindow *window = window_with_patch ();
  g_autofree char *svg = export_to (window, "patch", "p.svg"), *pdf = export_to (window, "patch", "p.pdf");
  g_autofree char *png = export_to (window, "patch", "p.png"), *csv = export_to (window, "patch", "p.csv");
  g_auto (GStrv) lines = g_strsplit (g_strchomp (csv), "\n", -1);

  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_true (g_str_has_prefix (pdf, "%PDF"));
  g_assert_cmpmem (png, 4, "\211PNG", 4);
  g_assert_cmpstr (lines[0], ==, "atom,alpha,rank");
  g_assert_cmpuint (g_strv_length (lines), ==, code_of (window)->state.nonzeros + 1);
  studio_test_close (window);
}

/* A dictionary of other features is looked at no patch through, and the page says why. */
static void
test_mismatch (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (folder, "other.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstDictionary) other = tosst_dictionary_new (4, 3);

  g_assert_true (tosst_dictionary_save (other, NULL, file, NULL));
  studio_window_open (window, file);
  studio_test_wait (has_atoms, window, 20);
  show (window, "inspect");
  g_assert_cmpstr (page_of (window), ==, "no-data"); /* a window with a dictionary and nothing else */
  studio_test_tiny (window);
  g_assert_cmpstr (page_of (window), ==, "mismatch");
  g_assert_null (code_of (window));
  open_path (window, dictionary_path);
  studio_test_wait (has_code, window, 20);
  g_assert_cmpstr (page_of (window), ==, "work");
  studio_test_close (window);
}

/* What is no dictionary is a sentence with its name, and what was open stays. */
static void
test_unhappy_files (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (folder, "letter.npz", NULL);

  g_assert_true (g_file_set_contents (path, "Dear all", -1, NULL));
  open_path (window, path);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_nonnull (strstr (studio_window_get_problem (window), "letter.npz"));
  g_assert_true (studio_window_is_empty (window));
  studio_test_close (window);

  window = window_with_patch ();
  open_path (window, path);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_true (has_atoms (window) && has_code (window));
  studio_test_close (window);
}

/* Closed at every moment of opening and coding. */
static void
test_open_and_close (void)
{
  for (int i = 0; i < 12; i++)
    {
      StudioWindow *window = studio_test_window ();

      studio_test_tiny (window);
      open_path (window, dictionary_path);
      if (i > 1)
        studio_test_wait (has_atoms, window, 20);
      if (i > 3)
        {
          show (window, i % 2 == 0 ? "inspect" : "atoms");
          drag (window, "lambda_scale", -4 + 0.2 * i);
        }
      if (i > 7 && i % 2 == 0)
        studio_test_wait (has_code, window, 20);
      studio_test_close (window);
    }
}

static void
press_order (StudioWindow *window, const char *button)
{
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (child_of (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, button)),
                                TRUE);
}

static gboolean
may_sort (StudioWindow *window, const char *button)
{
  return gtk_widget_is_sensitive (child_of (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, button));
}

static void
check_stem_keys (StudioWindow *window)
{
  GtkWidget *stems = child_of (studio_inspect_view_get_panel (inspect_view (window)), STUDIO_TYPE_CODE_PANEL, "stems");
  const StudioCode *code = code_of (window);
  int last = code->atoms->dictionary->K - 1;

  while (last > 0 && code->code[last] == 0)
    last--;
  g_assert_true (press_key (stems, GDK_KEY_Home));
  g_assert_true (press_key (stems, GDK_KEY_Right));
  g_assert_true (press_key (stems, GDK_KEY_End));
  g_assert_true (press_key (stems, GDK_KEY_Return));
  g_assert_cmpint (atom_of (window)->number, ==, last);
}

/* Of a run: sorted by use, one open, the patches that use it, and from there to Inspect. */
static void
test_atoms_of_run (void)
{
  StudioWindow *window = studio_test_window ();
  StudioAtomSet *atoms;
  StudioAtomBrowser *browser = browser_of (window);
  const TosstAtomPatch *patch;
  GtkWidget *patches;
  g_autofree char *csv = NULL, *svg = NULL, *png = NULL;
  g_auto (GStrv) lines = NULL;
  int first, K;

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (has_atoms, window, 60);
  show (window, "atoms");
  studio_test_wait (studio_test_is_idle, window, 60);
  atoms = studio_window_get_atoms (window);
  K = atoms->dictionary->K;
  g_assert_nonnull (atoms->usage);
  first = studio_atom_browser_get_atom (browser, 0);
  g_assert_cmpint (atom_of (window)->number, ==, first); /* one is open at once */
  for (int i = 1; i < K; i++)
    g_assert_cmpfloat (atoms->usage->use[studio_atom_browser_get_atom (browser, i - 1)], >=,
                       atoms->usage->use[studio_atom_browser_get_atom (browser, i)]);
  g_assert_true (may_sort (window, "class_button"));
  press_order (window, "rank_button");
  for (int i = 1; i < K; i++)
    g_assert_cmpint (atoms->ranks[studio_atom_browser_get_atom (browser, i - 1)], >=,
                     atoms->ranks[studio_atom_browser_get_atom (browser, i)]);
  g_assert_cmpint (studio_atom_browser_get_chosen (browser), ==, first); /* stays */
  press_order (window, "number_button");
  g_assert_cmpint (studio_atom_browser_get_atom (browser, 3), ==, 3);
  press_order (window, "class_button");

  g_signal_emit_by_name (browser, "chosen", 5);
  g_assert_cmpint (atom_of (window)->number, ==, 5);
  g_assert_cmpint (atom_of (window)->planes, ==, atoms->dictionary->d);
  csv = export_to (window, "atoms", "atoms.csv");
  lines = g_strsplit (g_strchomp (csv), "\n", -1);
  g_assert_cmpint (g_strv_length (lines), ==, K + 1);
  svg = export_to (window, "atom", "atom.svg");
  png = export_to (window, "atom", "atom.png");
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_cmpmem (png, 4, "\211PNG", 4);

  /* A click on the first of its patches shows that patch, whose code uses the atom. */
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (atoms_view (window)), first);
  patch = atoms->usage->patches + (gsize)first * TOSST_ATOM_PATCHES;
  patches
      = child_of (child_of (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "panel"), STUDIO_TYPE_ATOM_PANEL, "patches");
  g_signal_emit_by_name (gtk_flow_box_child_get_child (gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (patches), 0)),
                         "clicked");
  studio_test_wait (has_code, window, 20);
  while (code_of (window)->image != patch->image || code_of (window)->point.x != patch->point.x
         || code_of (window)->point.y != patch->point.y)
    studio_test_spin (0.01);
  g_assert_cmpfloat_with_epsilon (code_of (window)->code[first], patch->code, 1e-3 * fabs (patch->code));

  /* The keys walk along the stems, and Return opens the atom. */
  studio_test_spin (0.1);
  check_stem_keys (window);

  /* And a stem leads back to its atom. */
  g_signal_emit_by_name (studio_inspect_view_get_panel (inspect_view (window)), "atom-chosen", first);
  g_assert_cmpint (atom_of (window)->number, ==, first);
  studio_test_close (window);
}

/* A file says nothing of use: these orders are offered to nobody, and say why. */
static void
test_atoms_of_file (void)
{
  StudioWindow *window = studio_test_window ();
  const char *tip;

  open_path (window, dictionary_path);
  studio_test_wait (has_atoms, window, 20);
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (child_of (window, STUDIO_TYPE_WINDOW, "views"))), ==,
      "atoms");
  g_assert_false (may_sort (window, "use_button"));
  g_assert_false (may_sort (window, "class_button"));
  g_assert_true (may_sort (window, "energy_button"));
  tip = gtk_widget_get_tooltip_text (child_of (atoms_view (window), STUDIO_TYPE_ATOMS_VIEW, "use_button"));
  g_assert_nonnull (tip);
  g_assert_cmpstr (studio_window_get_atoms (window)->file, ==, "d.npz");
  g_assert_nonnull (atom_of (window)->groups); /* its recipe names the features */
  studio_test_close (window);
}

/* Of very many atoms only those in sight are drawn, at the top and at the end. */
static void
test_many_atoms (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (folder, "many.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstDictionary) many = tosst_dictionary_new (6, 25000);
  StudioAtomBrowser *browser = browser_of (window);
  GtkAdjustment *down;

  for (gsize i = 0; i < (gsize)many->D * many->K; i++)
    many->V[i] = (i * 7919 % 1000) / 1000.0;
  for (gsize i = 0; i < (gsize)many->S * many->K; i++)
    many->b[i] = 1.0 / many->S;
  g_assert_true (tosst_dictionary_save (many, NULL, file, NULL));
  studio_window_open (window, file);
  studio_test_wait (has_atoms, window, 60);
  studio_test_spin (0.5);
  g_assert_cmpuint (studio_atom_browser_get_drawn (browser), >, 0);
  g_assert_cmpuint (studio_atom_browser_get_drawn (browser), <, 500);
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (atoms_view (window)), studio_atom_browser_get_atom (browser, 24999));
  studio_test_spin (0.3);
  g_object_get (browser, "vadjustment", &down, NULL);
  g_assert_cmpfloat (gtk_adjustment_get_value (down), >,
                     0.99 * (gtk_adjustment_get_upper (down) - gtk_adjustment_get_page_size (down)));
  g_assert_cmpuint (studio_atom_browser_get_drawn (browser), <, 1000);
  g_object_unref (down);
  studio_test_close (window);
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_remove (path);
    }
  g_rmdir (folder);
}

int
main (int argc, char *argv[])
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  dictionary_path = g_build_filename (folder, "d.npz", NULL);
  g_test_add_func ("/studio/views/run-brings-dictionary", test_run_brings_dictionary); /* the others need its file */
  g_test_add_func ("/studio/views/hovering", test_hovering);
  g_test_add_func ("/studio/views/sliders", test_sliders);
  g_test_add_func ("/studio/views/two-reconstructions", test_two_reconstructions);
  g_test_add_func ("/studio/views/patches-and-images", test_patches_and_images);
  g_test_add_func ("/studio/views/export-patch", test_export_patch);
  g_test_add_func ("/studio/views/mismatch", test_mismatch);
  g_test_add_func ("/studio/views/unhappy-files", test_unhappy_files);
  g_test_add_func ("/studio/views/atoms-of-run", test_atoms_of_run);
  g_test_add_func ("/studio/views/atoms-of-file", test_atoms_of_file);
  g_test_add_func ("/studio/views/many-atoms", test_many_atoms);
  g_test_add_func ("/studio/views/open-and-close", test_open_and_close);
  status = g_test_run ();
  remove_folder ();
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/dictionary/file.h"
#include "core/dictionary/patch-coder.h"
#include "studio-test.h"
#include "studio/atoms/atom-panel.h"
#include "studio/atoms/atoms-view.h"
#include "studio/data/data-view.h"
#include "studio/data/features.h"
#include "studio/inspect/inspect-view.h"
#include "studio/widgets/image-view.h"

/* The views of a dictionary: a small one of the sample textures, learned once by a run and saved to a file. */

static char *folder, *dictionary_path;

static StudioInspectView *
inspect_view (StudioWindow *window)
{
  return STUDIO_INSPECT_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view"));
}

static const char *
page_of (StudioWindow *window)
{
  return gtk_stack_get_visible_child_name (
      GTK_STACK (studio_test_child (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "stack")));
}

/* The views are empty before a run, show a message during it, and the dictionary after the first split. */
static void
test_run_brings_dictionary (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *bytes = NULL;

  studio_test_tiny (window);
  studio_test_show (window, "inspect");
  g_assert_cmpstr (page_of (window), ==, "empty");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_cmpstr (page_of (window), ==, "waiting");
  studio_test_wait (studio_test_has_atoms, window, 60);
  studio_test_show (window, "inspect");
  g_assert_cmpstr (page_of (window), ==, "work");
  studio_test_wait (studio_test_has_code, window, 20);
  g_assert_true (studio_test_code (window)->atoms == studio_window_get_project (window)->runner->learned);
  studio_test_wait (studio_test_is_idle, window, 60);
  bytes = studio_test_export (window, "dictionary", folder, "d.npz");

  /* A new run shows the dictionary of the last one until its own is learned. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_nonnull (studio_window_get_project (window)->atoms);
  studio_test_close (window);
}

static StudioWindow *
window_with_patch (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  studio_test_open (window, dictionary_path);
  studio_test_wait (studio_test_has_atoms, window, 20);
  studio_test_show (window, "inspect");
  studio_test_wait (studio_test_has_code, window, 20);
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
  const StudioCode *code = studio_test_code (wanted->window);

  return code != NULL && fabs (code->lambda - wanted->lambda) < 1e-9
         && (code->gamma == wanted->gamma || fabs (code->gamma - wanted->gamma) < 1e-9)
         && code->n_atoms == wanted->n_atoms && code->point.x == wanted->x && code->point.y == wanted->y;
}

static void
drag (StudioWindow *window, const char *scale, double value)
{
  gtk_range_set_value (GTK_RANGE (studio_test_child (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, scale)), value);
}

static char *
shown (StudioWindow *window, const char *name)
{
  GtkWidget *label = studio_test_child (inspect_view (window)->panel, STUDIO_TYPE_CODE_PANEL, name);

  return g_strdup (gtk_label_get_label (GTK_LABEL (label)));
}

/* Sliders change code and figures; reset restores them. */
static void
test_sliders (void)
{
  StudioWindow *window = window_with_patch ();
  const StudioCode *first = studio_test_code (window);
  Wanted wanted = { window, first->lambda, first->gamma, first->n_atoms, first->point.x, first->point.y };
  Wanted back = wanted;
  g_autofree char *error = shown (window, "error"), *nonzeros G_GNUC_UNUSED = shown (window, "nonzeros"), *later = NULL,
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
  g_assert_cmpuint (studio_test_code (window)->state.nonzeros, <=, count);

  drag (window, "gamma_scale", 3.1);
  wanted.gamma = INFINITY;
  studio_test_wait (is_answered, &wanted, 20);
  drag (window, "atoms_scale", 5);
  wanted.n_atoms = 5;
  studio_test_wait (is_answered, &wanted, 20);
  g_assert_cmpuint (studio_test_code (window)->state.nonzeros, <=, 5);

  g_signal_emit_by_name (studio_test_child (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "reset"), "clicked");
  studio_test_wait (is_answered, &back, 20);
  g_assert_cmpfloat_with_epsilon (studio_test_code (window)->error, before, 1e-5);
  studio_test_close (window);
}

/* The reconstruction by slices is at least as close as that by the single code. */
static void
test_two_reconstructions (void)
{
  StudioWindow *window = window_with_patch ();
  double split = studio_test_code (window)->error;

  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (studio_test_child (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "alpha_button")), TRUE);
  while (!studio_test_code (window)->tied)
    studio_test_spin (0.01);
  g_assert_cmpfloat (studio_test_code (window)->error, >=, split - 1e-9);
  studio_test_close (window);
}

static void
test_patches_and_images (void)
{
  StudioWindow *window = window_with_patch ();
  StudioInspectView *view = inspect_view (window);
  GtkWidget *image = studio_test_child (view, STUDIO_TYPE_INSPECT_VIEW, "image_view");
  const StudioCode *first = studio_test_code (window);
  Wanted wanted = { window, first->lambda, first->gamma, first->n_atoms, 32, 64 };
  double error = first->error;

  g_signal_emit_by_name (image, "patch-chosen", 32, 64);
  studio_test_wait (is_answered, &wanted, 20);
  g_assert_cmpfloat (studio_test_code (window)->error, !=, error);
  studio_inspect_view_set_image (view, 3);
  while (studio_test_code (window) == NULL || studio_test_code (window)->image != 3)
    studio_test_spin (0.01);
  g_assert_cmpint (studio_test_code (window)->point.x, ==, 32); /* the same position */
  gtk_test_accessible_assert_property (image, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       tosst_dataset_image (studio_window_get_project (window)->dataset, 3)->name);

  /* A double click in the data view opens Inspect. */
  studio_test_show (window, "data");
  g_signal_emit_by_name (studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view"), "patch-activated", 0, 0);
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (studio_test_child (window, STUDIO_TYPE_WINDOW, "views"))),
      ==, "inspect");
  wanted.x = wanted.y = 0;
  studio_test_wait (is_answered, &wanted, 20);
  studio_test_close (window);
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
  TosstImage *image = tosst_dataset_read_for ((studio_window_get_project (window)->dataset), index, 0, NULL);
  const double weight[] = { image->channels == 1 ? 1 : 0.299, 0.587, 0.114 };
  gsize plane = (gsize)image->width * image->height;
  double sum = 0;

  for (int c = 0; c < image->channels; c++)
    for (int y = top; y < top + size; y++)
      for (int x = left; x < left + size; x++)
        sum += weight[c] * image->data[c * plane + y * image->width + x];
  tosst_image_free (image);
  return sum / (size * size);
}

/* The card beside a hovered patch, here with keys, shows the means of the features of its pixels. */
static void
test_hovering (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view");
  GtkWidget *image = studio_test_child (view, STUDIO_TYPE_DATA_VIEW, "image_view");
  GtkWidget *card = studio_test_child (view, STUDIO_TYPE_DATA_VIEW, "features");
  const double *means;
  int d;

  studio_test_tiny (window);
  studio_test_set (window, "descriptor.kind", "linear");
  studio_test_set (window, "descriptor.patch", "20");
  studio_test_set (window, "descriptor.step", "10");
  studio_test_show (window, "data");
  while (!studio_data_view_has_image (STUDIO_DATA_VIEW (view)))
    studio_test_spin (0.01);
  g_assert_false (gtk_widget_get_visible (card));
  g_assert_true (studio_test_press_key (image, GDK_KEY_Right));
  g_assert_true (gtk_widget_get_visible (card));
  g_assert_true (studio_test_press_key (image, GDK_KEY_Right));
  g_assert_true (studio_test_press_key (image, GDK_KEY_Down));
  studio_test_wait (has_features, card, 20);
  means = studio_patch_features_peek (STUDIO_PATCH_FEATURES (card), &d);
  g_assert_cmpint (d, ==, tosst_recipe_dimension (studio_window_get_project (window)->model->recipe));
  g_assert_cmpfloat_with_epsilon (means[2], mean_luminance (window, 0, 10, 10, 20), 1e-6); /* after x and y */
  g_assert_true (studio_test_press_key (image, GDK_KEY_Return));
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (studio_test_child (window, STUDIO_TYPE_WINDOW, "views"))),
      ==, "inspect");
  studio_test_show (window, "data");
  g_assert_true (studio_test_press_key (image, GDK_KEY_Escape));
  g_assert_false (gtk_widget_get_visible (card));
  studio_test_close (window);
}

static gboolean
has_frames (gpointer view)
{
  return studio_image_view_get_frame (view, 0) != NULL;
}

static gboolean
has_paintable (gpointer picture)
{
  return gtk_picture_get_paintable (picture) != NULL;
}

/* The picture has the pixels of the patch that is described at a frame of an image. */
static void
check_resampled (GtkWidget *picture, StudioWindow *window, guint index, const TosstFrame *frame)
{
  StudioProject *project = studio_window_get_project (window);
  const TosstRecipe *recipe = project->model->recipe;
  int side = recipe->descriptor.patch;
  g_autofree guint32 *shown = g_new (guint32, side * side);
  TosstPoint place;
  TosstImage *image, *patch;
  double mean = 0;

  studio_test_wait (has_paintable, picture, 20);
  GdkTexture *texture = GDK_TEXTURE (gtk_picture_get_paintable (GTK_PICTURE (picture)));
  g_assert_cmpint (gdk_texture_get_width (texture), ==, side);
  g_assert_cmpint (gdk_texture_get_height (texture), ==, side);
  gdk_texture_download (texture, (guchar *)shown, (gsize)side * sizeof *shown);
  image = tosst_dataset_read_for (project->dataset, index, 0, NULL);
  patch = tosst_frame_patch (recipe, image, frame, &place);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        float value = patch->data[(place.y + y) * patch->width + place.x + x];

        g_assert_cmpfloat (fabs ((shown[y * side + x] >> 16 & 255) - 255 * CLAMP (value, 0, 1)), <=, 0.51);
        mean += value / (side * side);
      }
  g_assert_cmpfloat_with_epsilon (mean, 0.5, 0.2); /* normalised, in one of the channels */
  tosst_image_free (image);
  tosst_image_free (patch);
}

/* In Data: frames instead of a grid, and the resampled patch of the one under the pointer. */
static void
check_frames_in_data (StudioWindow *window)
{
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view");
  GtkWidget *image = studio_test_child (view, STUDIO_TYPE_DATA_VIEW, "image_view");
  GtkWidget *card = studio_test_child (view, STUDIO_TYPE_DATA_VIEW, "features");

  studio_test_show (window, "data");
  studio_test_wait (has_frames, image, 20);
  while (!studio_data_view_has_image (STUDIO_DATA_VIEW (view)))
    studio_test_spin (0.01);
  g_assert_true (studio_test_press_key (image, GDK_KEY_Right));
  g_assert_true (studio_test_press_key (image, GDK_KEY_Right));
  g_assert_true (g_str_has_prefix (
      gtk_label_get_label (GTK_LABEL (studio_test_child (card, STUDIO_TYPE_PATCH_FEATURES, "title"))), "Frame 2 at "));
  studio_test_wait (has_features, card, 20);
  check_resampled (studio_test_find (card, GTK_TYPE_PICTURE), window, 0,
                   studio_image_view_get_frame (STUDIO_IMAGE_VIEW (image), 1));
  g_assert_true (studio_test_press_key (image, GDK_KEY_Escape));
}

/* The patch that uses an atom most is shown as it is resampled, and opens in Inspect, where its code uses the atom. */
static void
check_frames_of_atom (StudioWindow *window)
{
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "atoms_view"), *button;
  const StudioAtomSet *atoms = studio_window_get_project (window)->atoms;
  const TosstAtomPatch *patch;
  int atom = 0;

  g_assert_true (atoms->usage->framed);
  while (atoms->usage->n_patches[atom] < 2)
    atom++;
  patch = atoms->usage->patches + (gsize)atom * TOSST_ATOM_PATCHES;
  studio_test_show (window, "atoms");
  studio_atoms_view_open (STUDIO_ATOMS_VIEW (view), atom);
  button = gtk_widget_get_first_child (
      studio_test_child (studio_test_child (view, STUDIO_TYPE_ATOMS_VIEW, "panel"), STUDIO_TYPE_ATOM_PANEL, "patches"));
  check_resampled (studio_test_find (button, GTK_TYPE_PICTURE), window, patch->image, &patch->frame);
  g_signal_emit_by_name (button, "clicked");
  while (!studio_test_has_code (window) || studio_test_code (window)->image != patch->image
         || studio_test_code (window)->point.x != patch->point.x)
    studio_test_spin (0.01);
  g_assert_cmpfloat_with_epsilon (studio_test_code (window)->code[atom], patch->code, 1e-3 * fabs (patch->code));
}

/* In Inspect a frame is chosen by its number; in another image it is the first one. */
static void
check_frames_in_inspect (StudioWindow *window)
{
  GtkWidget *image = studio_test_child (inspect_view (window), STUDIO_TYPE_INSPECT_VIEW, "image_view");
  Wanted wanted = { window, studio_test_code (window)->lambda, studio_test_code (window)->gamma, 12, 3, 0 };
  g_autofree char *place = NULL;

  studio_test_wait (has_frames, image, 20);
  g_signal_emit_by_name (image, "patch-chosen", 3, 0);
  studio_test_wait (is_answered, &wanted, 20);
  place = studio_code_place (studio_test_code (window));
  g_assert_cmpstr (place, ==, "frame 4");
  studio_inspect_view_set_image (inspect_view (window), studio_test_code (window)->image == 5 ? 6 : 5);
  wanted.x = 0;
  studio_test_wait (is_answered, &wanted, 20);
}

static gboolean
has_all_textures (gpointer window)
{
  TosstDataset *dataset = studio_window_get_project (window)->dataset;

  return dataset != NULL && tosst_dataset_own_images (dataset) == 480;
}

/* With all textures: in some others a normalised patch is far brighter within its square than within its frame. */
static void
test_frames (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_set (window, "dataset.block", "0");
  studio_test_set (window, "descriptor.kind", "linear");
  studio_test_set (window, "descriptor.frames", "keypoints");
  studio_test_set (window, "descriptor.most", "30");
  studio_test_set (window, "descriptor.photometric", "true");
  studio_test_tiny (window);
  studio_test_set (window, "dataset.exclude", "");
  studio_test_wait (has_all_textures, window, 20);
  check_frames_in_data (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_has_atoms, window, 60);
  studio_test_wait (studio_test_is_idle, window, 60);
  check_frames_of_atom (window);
  check_frames_in_inspect (window);
  studio_test_close (window);
}

/* Shift+F10: the context menu of a widget, in its middle. */
static void
ask_for_menu (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_SHORTCUT_CONTROLLER (controller))
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), 0);

          g_assert_true (gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget, NULL));
        }
    }
}

/* The context menu of an image inspects the patch under it, and copies the image. */
static void
test_image_menu (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *view = studio_test_child (window, STUDIO_TYPE_WINDOW, "data_view");
  GtkWidget *image = studio_test_child (view, STUDIO_TYPE_DATA_VIEW, "image_view");

  studio_test_tiny (window);
  studio_test_set (window, "descriptor.patch", "32");
  studio_test_set (window, "descriptor.step", "32");
  studio_test_show (window, "data");
  while (!studio_data_view_has_image (STUDIO_DATA_VIEW (view)) || gtk_widget_get_width (image) == 0)
    studio_test_spin (0.01);
  ask_for_menu (image);
  gtk_widget_activate_action (image, "picture.copy", NULL);
  g_assert_true (gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (gtk_widget_get_clipboard (image)),
                                                    GDK_TYPE_TEXTURE));
  gtk_widget_activate_action (image, "picture.inspect", NULL);
  g_assert_cmpstr (
      adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (studio_test_child (window, STUDIO_TYPE_WINDOW, "views"))),
      ==, "inspect");
  studio_test_close (window);
}

static void
test_export_patch (void)
{
  StudioWindow *window = window_with_patch ();
  g_autofree char *svg = studio_test_export (window, "patch", folder, "p.svg"),
                  *pdf = studio_test_export (window, "patch", folder, "p.pdf");
  g_autofree char *png = studio_test_export (window, "patch", folder, "p.png"),
                  *csv = studio_test_export (window, "patch", folder, "p.csv");
  g_auto (GStrv) lines = g_strsplit (g_strchomp (csv), "\n", -1);

  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_true (g_str_has_prefix (pdf, "%PDF"));
  g_assert_cmpmem (png, 4, "\211PNG", 4);
  g_assert_cmpstr (lines[0], ==, "atom,alpha,rank");
  g_assert_cmpuint (g_strv_length (lines), ==, studio_test_code (window)->state.nonzeros + 1);
  studio_test_close (window);
}

/* A dictionary of other features codes no patch, and the page shows the reason. */
static void
test_mismatch (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (folder, "other.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstDictionary) other = tosst_dictionary_new (4, 3);

  g_assert_true (tosst_dictionary_save (other, NULL, file, NULL));
  studio_window_open (window, file);
  studio_test_wait (studio_test_has_atoms, window, 20);
  studio_test_show (window, "inspect");
  g_assert_cmpstr (page_of (window), ==, "no-data"); /* a window with only a dictionary */
  studio_test_tiny (window);
  g_assert_cmpstr (page_of (window), ==, "mismatch");
  g_assert_null (studio_test_code (window));
  studio_test_open (window, dictionary_path);
  studio_test_wait (studio_test_has_code, window, 20);
  g_assert_cmpstr (page_of (window), ==, "work");
  studio_test_close (window);
}

static gboolean
names_no_image (gpointer window)
{
  const char *problem = studio_test_problem (window);

  return problem != NULL && strstr (problem, "no image found") != NULL;
}

/* A file that is not a dictionary is reported by name, and the open one is kept. */
static void
test_unhappy_files (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (folder, "letter.npz", NULL);
  g_autofree char *flat = g_build_filename (folder, "flat", NULL);

  g_assert_true (g_file_set_contents (path, "Dear all", -1, NULL));
  studio_test_open (window, path);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_nonnull (strstr (studio_test_problem (window), "letter.npz"));
  g_assert_true (studio_project_is_empty (studio_window_get_project (window)));
  g_assert_false (gtk_widget_get_visible (studio_test_child (window, STUDIO_TYPE_WINDOW, "folder_button")));
  g_assert_cmpint (g_mkdir (flat, 0700), ==, 0);
  studio_test_open (window, flat); /* without a folder of a class: it can be shown, to make some */
  studio_test_wait (names_no_image, window, 20);
  g_assert_true (gtk_widget_get_mapped (studio_test_child (window, STUDIO_TYPE_WINDOW, "folder_button")));
  studio_test_close (window);

  window = window_with_patch ();
  studio_test_open (window, path);
  studio_test_wait (studio_test_has_problem, window, 20);
  g_assert_true (studio_test_has_atoms (window) && studio_test_has_code (window));
  studio_test_close (window);
}

/* A window may be closed at any moment of opening and coding. */
static void
test_open_and_close (void)
{
  for (int i = 0; i < 12; i++)
    {
      StudioWindow *window = studio_test_window ();

      studio_test_tiny (window);
      studio_test_open (window, dictionary_path);
      if (i > 1)
        studio_test_wait (studio_test_has_atoms, window, 20);
      if (i > 3)
        {
          studio_test_show (window, i % 2 == 0 ? "inspect" : "atoms");
          drag (window, "lambda_scale", -4 + 0.2 * i);
        }
      if (i > 7 && i % 2 == 0)
        studio_test_wait (studio_test_has_code, window, 20);
      studio_test_close (window);
    }
}

/* Whether a pixel of a grid on a white image of 100 × 100 pixels, twice as large, is painted. */
static gboolean
is_painted (cairo_surface_t *surface, int x, int y)
{
  const guchar *row = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface);

  return row[4 * x] != 255 || row[4 * x + 1] != 255 || row[4 * x + 2] != 255;
}

static cairo_surface_t *
draw_grid (int size, int step)
{
  GtkWidget *view = g_object_ref_sink (g_object_new (STUDIO_TYPE_IMAGE_VIEW, NULL));
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 200, 200);
  cairo_t *cr = cairo_create (surface);
  g_autofree guchar *white = g_malloc (100 * 100 * 3);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  StudioImageSheet *sheet;

  memset (white, 255, 100 * 100 * 3);
  bytes = g_bytes_new (white, 100 * 100 * 3);
  texture = gdk_memory_texture_new (100, 100, GDK_MEMORY_R8G8B8, bytes, 300);
  studio_image_view_set_texture (STUDIO_IMAGE_VIEW (view), texture, 100, 100);
  studio_image_view_set_patches (STUDIO_IMAGE_VIEW (view), size, step, TRUE);
  sheet = studio_image_view_copy (STUDIO_IMAGE_VIEW (view));
  studio_image_sheet_draw (cr, 200, 200, NULL, sheet);
  studio_image_sheet_free (sheet);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  g_object_unref (view);
  return surface;
}

/* Patches are drawn in their size, whatever the step. */
static void
test_grid (void)
{
  cairo_surface_t *apart = draw_grid (20, 40), *adjacent = draw_grid (40, 40), *overlapping = draw_grid (50, 20);

  g_assert_true (is_painted (apart, 39, 20));  /* right edge of the first patch */
  g_assert_true (is_painted (apart, 80, 20));  /* left edge of the second */
  g_assert_false (is_painted (apart, 60, 80)); /* between them, at the height of an upper edge */
  g_assert_true (is_painted (adjacent, 60, 80));
  g_assert_false (is_painted (adjacent, 39, 20));
  g_assert_true (is_painted (overlapping, 40, 10)); /* left edge of the second patch */
  g_assert_true (is_painted (overlapping, 99, 10)); /* right edge of the first */
  cairo_surface_destroy (apart);
  cairo_surface_destroy (adjacent);
  cairo_surface_destroy (overlapping);
}

/* Spinners inside widget, also on pages that are not shown. */
static guint
count_spinners (GtkWidget *widget)
{
  guint n = GTK_IS_SPINNER (widget);

  if (n > 0 && gtk_spinner_get_spinning (GTK_SPINNER (widget)))
    g_assert_true (gtk_widget_get_mapped (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_spinners (child);
  return n;
}

/* A spinner asks for frames as long as it spins, shown or not: a window at rest took 3 % of a processor. */
static void
test_spinners (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "compare");
  studio_test_spin (0.01);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", "data");
  studio_test_spin (0.01);
  g_assert_cmpuint (count_spinners (GTK_WIDGET (window)), >=, 3);
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
  g_test_add_func ("/studio/views/run-brings-dictionary", test_run_brings_dictionary); /* the others need its file */
  g_test_add_func ("/studio/views/grid", test_grid);
  g_test_add_func ("/studio/views/hovering", test_hovering);
  g_test_add_func ("/studio/views/frames", test_frames);
  g_test_add_func ("/studio/views/image-menu", test_image_menu);
  g_test_add_func ("/studio/views/sliders", test_sliders);
  g_test_add_func ("/studio/views/two-reconstructions", test_two_reconstructions);
  g_test_add_func ("/studio/views/patches-and-images", test_patches_and_images);
  g_test_add_func ("/studio/views/export-patch", test_export_patch);
  g_test_add_func ("/studio/views/mismatch", test_mismatch);
  g_test_add_func ("/studio/views/unhappy-files", test_unhappy_files);
  g_test_add_func ("/studio/views/spinners", test_spinners);
  g_test_add_func ("/studio/views/open-and-close", test_open_and_close);
  status = g_test_run ();
  tosst_remove_tree (folder);
  return status;
}

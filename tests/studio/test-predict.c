/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/data/lists.h"
#include "dataset-folder.h"
#include "studio-test.h"
#include "studio/predict/predict-detail.h"
#include "studio/predict/predict-view.h"
#include "studio/settings/state.h"
#include "studio/widgets/save-dialog.h"

/* The Predict view: images by the model of a run and of a file, their maps, exports and corrections. */

static Fixture fixture; /* of folders with two classes that are easy to tell apart, and of new images */
static char *new_path;

static void
put_stripes (const char *name, gboolean across, int side)
{
  g_autofree char *path = g_build_filename (fixture.folder, name, NULL), *parent = g_path_get_dirname (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstImage) image = tosst_image_new (side, side, 1);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      image->data[y * side + x] = (float)((across ? x : y) % 8 < 4) * 0.8f + (float)((x * 7 + y * 13) % 11) / 60.f;
  image->data[0] = (float)(g_str_hash (name) % 256) / 255; /* no two are the same */
  tosst_image_write_png (image, file, &error);
  g_assert_no_error (error);
}

static void
put_images (void)
{
  for (int i = 0; i < 6; i++)
    {
      g_autofree char *across = g_strdup_printf ("set/across/%d.png", i),
                      *along = g_strdup_printf ("set/along/%d.png", i);

      put_stripes (across, TRUE, 64 + i);
      put_stripes (along, FALSE, 64 + i);
    }
  put_stripes ("new/a.png", TRUE, 96);
  put_stripes ("new/b.png", FALSE, 70);
  put_text (&fixture, "new/c.png", "no image");
  new_path = g_build_filename (fixture.folder, "new", NULL);
}

static StudioPredictView *
view_of (gpointer window)
{
  return STUDIO_PREDICT_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "predict_view"));
}

static GtkWidget *
part (gpointer window, const char *name)
{
  return studio_test_child (view_of (window), STUDIO_TYPE_PREDICT_VIEW, name);
}

static GtkWidget *
detail_part (gpointer window, const char *name)
{
  return studio_test_child (part (window, "detail"), STUDIO_TYPE_PREDICT_DETAIL, name);
}

static const char *
page_of (gpointer window)
{
  return gtk_stack_get_visible_child_name (GTK_STACK (part (window, "stack")));
}

static StudioPredictItem *
item_at (gpointer window, guint position)
{
  g_autoptr (StudioPredictItem) item = g_list_model_get_item (G_LIST_MODEL (view_of (window)->items), position);

  return item; /* held by the list */
}

static StudioWindow *
run_folders (void)
{
  static const char *const values[][2] = {
    { "descriptor.kind", "linear" }, { "dataset.train-per-class", "4" }, { "dataset.splits", "1" },
    { "descriptor.pivots", "2" },    { "descriptor.patch", "16" },       { "descriptor.step", "16" },
    { "dictionary.atoms", "8" },     { "dictionary.iterations", "3" },   { "dictionary.tolerance", "0" },
  };
  g_autofree char *path = g_build_filename (fixture.folder, "set", NULL);
  StudioWindow *window = studio_test_window ();

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    studio_test_set (window, values[i][0], values[i][1]);
  studio_test_open (window, path);
  studio_test_wait (studio_test_has_dataset, window, 20);
  return window;
}

static gboolean
has_model (gpointer window)
{
  return strcmp (page_of (window), "no-model") != 0;
}

static void
add_new (StudioWindow *window)
{
  g_autoptr (GFile) folder = g_file_new_for_path (new_path);

  g_assert_true (studio_predict_view_take (view_of (window), folder));
}

static gboolean
is_predicted (gpointer window)
{
  return g_list_model_get_n_items (G_LIST_MODEL (view_of (window)->items)) == 3
         && item_at (window, 0)->state == STUDIO_PREDICT_DONE && item_at (window, 1)->state == STUDIO_PREDICT_DONE
         && item_at (window, 2)->state == STUDIO_PREDICT_FAILED;
}

static gboolean
has_map (gpointer window)
{
  return STUDIO_PREDICT_DETAIL (view_of (window)->detail)->map_picture.map != NULL
         && !studio_predict_view_is_busy (view_of (window));
}

static const char *
class_of (gpointer window, guint position)
{
  StudioPredictItem *item = item_at (window, position);

  return item->model->class_names[item->class_index];
}

/* A window with predictions by a run. */
static StudioWindow *
predicted (void)
{
  StudioWindow *window = run_folders ();

  studio_test_show (window, "predict");
  g_assert_cmpstr (page_of (window), ==, "no-model");
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL));
  studio_test_wait (has_model, window, 30);
  studio_test_show (window, "predict"); /* a run shows its learning */
  g_assert_cmpstr (page_of (window), ==, "no-images");
  add_new (window);
  studio_test_wait (is_predicted, window, 30);
  /* The picture comes without colours first. */
  g_assert_null (STUDIO_PREDICT_DETAIL (view_of (window)->detail)->map_picture.map);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (detail_part (window, "show_map")), TRUE);
  studio_test_wait (has_map, window, 30);
  return window;
}

static gboolean
is_written (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static gboolean
has_new_window (gpointer window)
{
  return STUDIO_PREDICT_DETAIL (view_of (window)->detail)->map_picture.map->map->window == 32;
}

/* They say how sure each prediction is, order the images, and are in a saved model. */
static void
check_probabilities (StudioWindow *window)
{
  StudioPredictItem *item = item_at (window, 0);
  g_autofree char *path = g_build_filename (fixture.folder, "saved.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (TosstModel) saved = NULL;
  double p[2];

  g_assert_cmpfloat_with_epsilon (item->probabilities[0] + item->probabilities[1], 1, 1e-12);
  g_assert_cmpfloat (item->probabilities[item->class_index], >, 0.5);
  g_assert_true (g_str_has_prefix (gtk_label_get_label (GTK_LABEL (detail_part (window, "facts"))), "probability "));
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (part (window, "counts"))), ==, "across 1 · along 1");
  studio_export_write (view_of (window), "model", file);
  studio_test_wait (is_written, path, 10);
  saved = tosst_model_load (file, NULL);
  g_assert_true (tosst_model_probabilities (saved, item->margins, p));
  g_assert_cmpfloat (p[0], ==, item->probabilities[0]);
  gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "predict.sort-by-doubt", NULL);
  g_assert_cmpfloat (studio_predict_item_lead (item_at (window, 0)), <=,
                     studio_predict_item_lead (item_at (window, 1)));
  g_assert_cmpint (item_at (window, 2)->state, ==, STUDIO_PREDICT_FAILED);
}

static void
test_run (void)
{
  StudioWindow *window = predicted ();
  g_autofree char *csv = NULL, *png = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_cmpstr (page_of (window), ==, "work");
  g_assert_cmpstr (class_of (window, 0), ==, "across");
  g_assert_cmpstr (class_of (window, 1), ==, "along");
  g_assert_nonnull (strstr (item_at (window, 2)->problem, "c.png"));
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (detail_part (window, "verdict"))), ==, "across");
  /* Windows of the size of the training images, of which 96 pixels have several. */
  g_assert_cmpint (STUDIO_PREDICT_DETAIL (view_of (window)->detail)->map_picture.map->map->window, ==, 67);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (detail_part (window, "window")), 32);
  studio_test_wait (has_new_window, window, 20);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (detail_part (window, "fade")), TRUE);
  csv = studio_test_export (window, "numbers", fixture.folder, "predictions.csv");
  lines = g_strsplit (csv, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "image,class,margin,corrected,across,along,probability");
  g_assert_nonnull (strstr (lines[1], "/new/a.png,across,"));
  g_assert_nonnull (strstr (lines[2], "/new/b.png,along,"));
  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  check_probabilities (window);
  png = studio_test_export (window, "picture", fixture.folder, "map.png");
  g_assert_cmpmem (png, 4, "\x89PNG", 4);
  studio_test_close (window);
}

/* Cancelled images wait until one is chosen; another model predicts all again. */
static void
test_cancel (void)
{
  StudioWindow *window = predicted ();
  GtkSingleSelection *list = GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (part (window, "list"))));
  StudioPredictItem *item = item_at (window, 1);

  studio_predict_item_wait (item);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "predict.cancel", NULL)
                 || !studio_predict_view_is_busy (view_of (window)));
  gtk_single_selection_set_selected (list, 1);
  studio_test_wait (is_predicted, window, 20);
  studio_test_wait (has_map, window, 20);
  gtk_single_selection_set_selected (list, 2);
  g_assert_null (STUDIO_PREDICT_DETAIL (view_of (window)->detail)->map_picture.map);
  g_assert_false (gtk_widget_get_visible (detail_part (window, "correction")));
  gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "predict.clear", NULL);
  g_assert_cmpstr (page_of (window), ==, "no-images");
  studio_test_close (window);
}

static gboolean
has_added_image (gpointer window)
{
  StudioProject *project = studio_window_get_project (window);

  return project->opening == NULL && project->dataset != NULL && project->dataset->entries->len == 13;
}

static gboolean
has_no_added_image (gpointer window)
{
  StudioProject *project = studio_window_get_project (window);

  return project->opening == NULL && project->dataset != NULL && project->dataset->entries->len == 12;
}

static gboolean
is_predicted_anew (gpointer window)
{
  TosstModel *model = studio_window_get_project (window)->runner->model;

  return item_at (window, 0)->state == STUDIO_PREDICT_DONE && item_at (window, 0)->model != model;
}

static gboolean
is_predicted_by_run (gpointer window)
{
  TosstModel *model = studio_window_get_project (window)->runner->model;

  return item_at (window, 0)->state == STUDIO_PREDICT_DONE && item_at (window, 0)->model == model;
}

/* The image stays, the recipe names the list, and the data set has the image as training data. */
static void
test_correct (void)
{
  StudioWindow *window = predicted ();
  StudioProject *project = studio_window_get_project (window);
  g_autofree char *path = g_build_filename (new_path, "a.png", NULL);
  g_autoptr (GFile) image = g_file_new_for_path (path), list = NULL;
  g_autoptr (GPtrArray) additions = NULL;
  const char *where;
  double before;

  g_assert_true (gtk_widget_get_sensitive (detail_part (window, "correct_button")));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (detail_part (window, "classes")), 1);
  g_signal_emit_by_name (detail_part (window, "correct_button"), "clicked");
  studio_test_wait (has_added_image, window, 20);
  where = project->model->recipe->dataset.additions;
  g_assert_true (g_str_has_prefix (where, studio_test_state_folder ()));
  list = g_file_new_for_path (where);
  additions = tosst_additions_load (list, NULL);
  g_assert_cmpuint (additions->len, ==, 1);
  g_assert_cmpstr (((TosstAddition *)additions->pdata[0])->class_name, ==, "along");
  g_assert_true (g_file_query_exists (image, NULL));
  g_assert_cmpstr (item_at (window, 0)->truth, ==, "along");
  g_assert_true (gtk_widget_get_visible (detail_part (window, "retrain")));
  g_assert_false (gtk_widget_get_sensitive (detail_part (window, "correct_button")));
  g_assert_nonnull (strstr (gtk_label_get_label (GTK_LABEL (detail_part (window, "said"))), where));

  /* Undo takes it out of the list, and back what the page says. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  studio_test_wait (has_no_added_image, window, 20);
  g_assert_null (item_at (window, 0)->truth);
  g_assert_false (gtk_widget_get_visible (detail_part (window, "said")));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.redo", NULL);
  studio_test_wait (has_added_image, window, 20);
  g_assert_cmpstr (item_at (window, 0)->truth, ==, "along");

  /* The model learns it without a run, and forgets it with the correction. */
  g_assert_true (is_predicted_by_run (window));
  before = item_at (window, 0)->margins[1];
  gtk_widget_activate_action (GTK_WIDGET (view_of (window)), "predict.retrain", NULL);
  studio_test_wait (is_predicted_anew, window, 20);
  g_assert_cmpfloat (item_at (window, 0)->margins[1], >, before + 0.1);
  g_assert_false (studio_runner_is_busy (project->runner));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  studio_test_wait (is_predicted_by_run, window, 20);
  studio_test_close (window);
}

static gboolean
has_predictions (gpointer window)
{
  StudioPredictView *view = view_of (window);

  return g_list_model_get_n_items (G_LIST_MODEL (view->items)) == 1
         && item_at (window, 0)->state == STUDIO_PREDICT_DONE;
}

/* A model file needs no data set; the next window has the same model and images. */
static void
test_file (void)
{
  g_autofree char *path = g_build_filename (fixture.folder, "M.npz", NULL),
                  *image_path = g_build_filename (new_path, "b.png", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path), image = g_file_new_for_path (image_path);
  g_autoptr (GError) error = NULL;
  StudioWindow *window = predicted ();

  tosst_model_save (studio_window_get_project (window)->runner->model, file, &error); /* there before the run ends */
  g_assert_no_error (error);
  studio_test_close (window);

  window = studio_test_window ();
  studio_test_show (window, "predict");
  g_assert_cmpstr (page_of (window), ==, "no-model");
  g_assert_true (studio_predict_view_take (view_of (window), file));
  studio_test_wait (has_model, window, 20);
  g_assert_true (studio_predict_view_take (view_of (window), image));
  studio_test_wait (has_predictions, window, 20);
  g_assert_cmpstr (class_of (window, 0), ==, "along");
  g_assert_false (gtk_widget_get_sensitive (detail_part (window, "correct_button")));
  studio_predict_detail_set_drawing (STUDIO_PREDICT_DETAIL (view_of (window)->detail), 0.25, TRUE);
  studio_test_close (window);

  window = studio_test_window ();
  studio_window_restore (window);
  studio_test_wait (has_predictions, window, 20);
  g_assert_cmpstr (class_of (window, 0), ==, "along");
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (detail_part (window, "opacity"))), ==, 0.25);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (detail_part (window, "fade"))));
  studio_test_close (window);
}

/* A file that is no model leaves the page, with a sentence. */
static gboolean
has_refused (gpointer window)
{
  return gtk_widget_get_visible (part (window, "model_problem"));
}

static void
test_refused (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (fixture.folder, "odd.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  put_text (&fixture, "odd.npz", "nothing");
  studio_test_show (window, "predict");
  studio_predict_view_take (view_of (window), file);
  studio_test_wait (has_refused, window, 20);
  g_assert_nonnull (strstr (gtk_label_get_label (GTK_LABEL (part (window, "model_problem"))), "odd.npz"));
  g_assert_cmpstr (page_of (window), ==, "no-model");
  studio_test_close (window);
}

int
main (int argc, char **argv)
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  set_up (&fixture, NULL);
  put_images ();
  g_test_add_func ("/predict/run", test_run);
  g_test_add_func ("/predict/cancel", test_cancel);
  g_test_add_func ("/predict/correct", test_correct);
  g_test_add_func ("/predict/file", test_file);
  g_test_add_func ("/predict/refused", test_refused);
  status = g_test_run ();
  g_free (new_path);
  tear_down (&fixture, NULL);
  return status;
}

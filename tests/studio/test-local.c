/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>

#include "core/local/image-tensors.h"
#include "dataset-folder.h"
#include "studio-test.h"
#include "studio/compare/compare-view.h"
#include "studio/data/data-view.h"
#include "studio/data/features.h"
#include "studio/inspect/inspect-view.h"
#include "studio/recipe/value-text.h"
#include "studio/results/result-images.h"
#include "studio/results/results-view.h"
#include "studio/sweep/sweep-charts.h"
#include "studio/sweep/sweep-view.h"
#include "studio/widgets/image-view.h"

/* The window with several labels an image, and with local features: a small folder in the layout of VOC. Of twelve
 * images 1 to 4 train, 5 and 6 validate and the others test; the odd ones show a cat, every third one a dog, and image 8
 * shows a cat that is difficult to see. No image shows a cow. */

#define IMAGES 12

static Fixture fixture;

static void
put_list (const char *class_name, const char *list, int first, int last, int (*label) (int image))
{
  g_autofree char *name = class_name != NULL ? g_strdup_printf ("ImageSets/Main/%s_%s.txt", class_name, list)
                                             : g_strdup_printf ("ImageSets/Main/%s.txt", list);
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = first; i <= last; i++)
    if (label != NULL)
      g_string_append_printf (text, "%02d %d\n", i, label (i));
    else
      g_string_append_printf (text, "%02d\n", i);
  put_text (&fixture, name, text->str);
}

static int
label_of_cat (int image)
{
  return image == 8 ? 0 : image % 2 == 1 ? 1 : -1;
}

static int
label_of_dog (int image)
{
  return image % 3 == 0 ? 1 : -1;
}

static int
label_of_cow (int image)
{
  return -1;
}

static void
put_lists (const char *class_name, int (*label) (int image))
{
  put_list (class_name, "train", 1, 4, label);
  put_list (class_name, "val", 5, 6, label);
  put_list (class_name, "trainval", 1, 6, label);
  put_list (class_name, "test", 7, IMAGES, label);
}

static void
put_voc (void)
{
  put_lists (NULL, NULL);
  put_lists ("cat", label_of_cat);
  put_lists ("dog", label_of_dog);
  put_lists ("cow", label_of_cow);
  for (int i = 1; i <= IMAGES; i++)
    {
      g_autofree char *name = g_strdup_printf ("JPEGImages/%02d.png", i);

      put_image (&fixture, name, 60 + i, 48);
    }
}

/* Parts of the window. */

static GtkWidget *
part (StudioWindow *window, const char *view, GType type, const char *name)
{
  return studio_test_child (studio_test_child (window, STUDIO_TYPE_WINDOW, view), type, name);
}

static GtkWidget *
data_part (StudioWindow *window, const char *name)
{
  return part (window, "data_view", STUDIO_TYPE_DATA_VIEW, name);
}

static GtkWidget *
results_part (StudioWindow *window, const char *name)
{
  return part (window, "results_view", STUDIO_TYPE_RESULTS_VIEW, name);
}

/* The texts of all labels within a widget, one a line. New. */
static void
add_texts (GtkWidget *widget, GString *texts)
{
  if (GTK_IS_LABEL (widget))
    g_string_append_printf (texts, "%s\n", gtk_label_get_label (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child))
      add_texts (child, texts);
}

static void
assert_says (GtkWidget *widget, const char *text)
{
  g_autoptr (GString) texts = g_string_new (NULL);

  add_texts (widget, texts);
  if (strstr (texts->str, text) == NULL)
    g_error ("\"%s\" is not among:\n%s", text, texts->str);
}

static guint
count_items (GtkWidget *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list))));
}

static const TosstRecipe *
recipe_of (StudioWindow *window)
{
  return studio_window_get_project (window)->model->recipe;
}

static gboolean
has_several_labels (gpointer window)
{
  TosstDataset *dataset = studio_window_get_project (window)->dataset;

  return dataset != NULL && dataset->labels != NULL && studio_window_get_project (window)->opening == NULL;
}

static StudioWindow *
open_voc (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_open (window, fixture.folder);
  studio_test_wait (has_several_labels, window, 20);
  return window;
}

/* Data. */

static gboolean
has_cats (gpointer window)
{
  return count_items (data_part (window, "image_list")) == 7; /* six and a difficult one */
}

static gboolean
has_two_classes (gpointer window)
{
  return count_items (data_part (window, "class_list")) == 2;
}

static void
test_data (void)
{
  StudioWindow *window = open_voc ();
  GtkWidget *chips = data_part (window, "classes_of_image");
  GtkSelectionModel *images = gtk_list_view_get_model (GTK_LIST_VIEW (data_part (window, "image_list")));
  GtkSelectionModel *classes = gtk_list_view_get_model (GTK_LIST_VIEW (data_part (window, "class_list")));

  g_assert_cmpint (recipe_of (window)->dataset.kind, ==, TOSST_DATASET_VOC2007);
  studio_test_wait (has_two_classes, window, 20); /* a class without images cannot be shown */
  studio_test_wait (has_cats, window, 20);
  studio_test_spin (0.1);
  assert_says (data_part (window, "class_list"), "2 train · 1 val · 3 test");
  assert_says (chips, "train\ncat");
  gtk_selection_model_select_item (images, 5, TRUE); /* image 11 */
  assert_says (chips, "test\ncat");
  gtk_selection_model_select_item (images, 6, TRUE); /* the difficult one is last */
  assert_says (chips, "test\ncat (difficult)");
  g_assert_true (gtk_widget_get_visible (data_part (window, "skipped")));
  assert_says (data_part (window, "skipped_list"), "cow");

  gtk_selection_model_select_item (classes, 1, TRUE); /* the image stays until those of this class come */
  g_signal_emit_by_name (studio_test_find (chips, GTK_TYPE_BUTTON), "clicked");
  g_assert_true (gtk_selection_model_is_selected (classes, 0));
  studio_test_close (window);
}

static void
test_table (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *path = g_build_filename (fixture.folder, "labels.csv", NULL);

  put_text (&fixture, "labels.csv",
            "image,split,cat,dog\nJPEGImages/01.png,train,1,-1\nJPEGImages/02.png,train,-1,1\n"
            "JPEGImages/03.png,test,1,1\nJPEGImages/04.png,test,-1,0\n");
  studio_test_open (window, path);
  studio_test_wait (has_several_labels, window, 20);
  g_assert_cmpint (recipe_of (window)->dataset.kind, ==, TOSST_DATASET_LABELS);
  g_assert_cmpint ((studio_window_get_project (window)->dataset)->entries->len, ==, 4);
  studio_test_close (window);
  g_unlink (path);
}

/* Local features. */

static const char *
text_about_features (gpointer window)
{
  return gtk_label_get_label (GTK_LABEL (adw_bin_get_child (ADW_BIN (data_part (window, "local_features")))));
}

static gboolean
has_features (gpointer window)
{
  return strstr (text_about_features (window), "features of") != NULL;
}

static void
describe_by_sift (StudioWindow *window)
{
  static const char *const values[][2]
      = { { "descriptor.kind", "sift" },    { "descriptor.radii", "8" },       { "descriptor.strides", "6" },
          { "descriptor.pca", "4" },        { "descriptor.pca-sample", "50" }, { "dictionary.atoms", "6" },
          { "dictionary.iterations", "3" }, { "descriptor.frames", "grid" },   { "classifier.beside", "" } };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    studio_test_set (window, values[i][0], values[i][1]);
  studio_test_wait (has_several_labels, window, 20);
}

static StudioImageMarks *marked;

static void
on_marked (StudioImageFeatures *features, guint image, StudioImageMarks *marks)
{
  g_clear_pointer (&marked, studio_image_marks_unref);
  marked = marks != NULL ? g_atomic_rc_box_acquire (marks) : NULL;
}

static void
test_features (void)
{
  StudioWindow *window = open_voc ();
  GtkWidget *features = data_part (window, "local_features");
  gboolean coloured = FALSE;

  g_assert_false (gtk_widget_get_visible (features));
  g_signal_connect (features, "marked", G_CALLBACK (on_marked), NULL);
  describe_by_sift (window);
  studio_test_wait (has_features, window, 20);
  g_assert_true (gtk_widget_get_visible (features));
  g_assert_true (strstr (text_about_features (window), "of this image") != NULL);
  g_assert_nonnull (marked);
  g_assert_cmpint (marked->n, >, 10);
  for (gsize i = 0; i < marked->n; i++)
    {
      g_assert_true (marked->mark[i].x > 0 && marked->mark[i].x < 1 && marked->mark[i].y > 0 && marked->mark[i].y < 1);
      coloured |= fabsf (marked->mark[i].rgb[0] - 0.5f) > 0.1f;
    }
  g_assert_true (coloured);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (data_part (window, "patches_button")), FALSE);
  g_assert_null (marked);
  g_assert_false (gtk_widget_get_visible (features));
  studio_test_close (window);
}

/* A run. */

static gboolean
has_place (gpointer window)
{
  return studio_test_code (window) != NULL && studio_test_code (window)->point.x == 5;
}

static gboolean
has_rows (gpointer table)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (table))) == 3;
}

static gboolean
has_colours_of_run (gpointer window)
{
  return strstr (text_about_features (window), "of the run") != NULL;
}

static void
check_results (StudioWindow *window)
{
  StudioProject *project = studio_window_get_project (window);
  GtkWidget *scores = results_part (window, "class_scores"), *table = results_part (window, "class_table");
  GListModel *rows;
  g_autofree char *curves = NULL, *csv = NULL;

  g_assert_cmpint (project->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  studio_test_show (window, "results");
  studio_test_wait (has_rows, table, 10);
  rows = G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (table)));
  assert_says (results_part (window, "stack"), "Mean average precision");
  assert_says (table, "AP (11 points)");
  g_assert_false (gtk_widget_get_visible (results_part (window, "matrix")));
  g_assert_true (gtk_widget_get_visible (scores));
  assert_says (scores, "cat");
  assert_says (scores, "Worst: images of the class with the lowest scores");
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (rows), 1, TRUE);
  assert_says (scores, "cow\nNo test image shows this class");
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (rows), 2, TRUE);
  assert_says (scores, "dog");

  curves = studio_test_export (window, "picture", fixture.folder, "curves.csv");
  g_assert_true (g_str_has_prefix (curves, "class,recall,precision,split\n"));
  csv = studio_test_export (window, "numbers", fixture.folder, "scores.csv");
  g_assert_true (g_str_has_prefix (csv, "image,cat"));
}

static gboolean
has_whole (gpointer window)
{
  return studio_test_code (window) != NULL && studio_test_code (window)->point.x == 0;
}

static void
check_inspect (StudioWindow *window)
{
  StudioInspectView *view = STUDIO_INSPECT_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "inspect_view"));
  GtkWidget *region = studio_test_child (view, STUDIO_TYPE_INSPECT_VIEW, "region");
  g_autofree char *title = NULL, *part_title = NULL;
  double error;
  int width;

  studio_test_show (window, "inspect");
  studio_test_wait (studio_test_has_code, window, 30);
  /* A window of half a screen does not scroll sideways. */
  gtk_widget_measure (gtk_widget_get_parent (studio_test_child (view, STUDIO_TYPE_INSPECT_VIEW, "panel")),
                      GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, 732);
  g_assert_null (studio_test_code (window)->problem);
  g_assert_cmpint (studio_test_code (window)->planes, ==, 4 + TOSST_SPATIAL_LENGTH);
  title = studio_inspect_view_title (view);
  g_assert_true (strstr (title, "whole image, slice PC 1") != NULL);
  error = studio_test_code (window)->error;
  g_assert_true (gtk_widget_get_visible (region));
  g_assert_false (has_place (window));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (region), 5);
  studio_test_wait (has_place, window, 30);
  g_assert_cmpfloat (studio_test_code (window)->error, !=, error);
  part_title = studio_inspect_view_title (view);
  g_assert_true (strstr (part_title, "centre") != NULL);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (region), 0);
  studio_test_wait (has_whole, window, 30);
}

static gboolean
has_opened_run (gpointer window)
{
  StudioRunner *runner = studio_window_get_project (window)->runner;

  return runner->opened && runner->result != NULL && studio_test_is_idle (window);
}

static gboolean
has_compared (gpointer view)
{
  return STUDIO_COMPARE_VIEW (view)->set->runs->len == 1;
}

static gboolean
names_precision (gpointer metric)
{
  GListModel *metrics = gtk_drop_down_get_model (metric);
  GtkStringObject *first = g_list_model_get_item (metrics, 0);
  gboolean fine = g_str_equal (gtk_string_object_get_string (first), "Mean average precision");

  g_object_unref (first);
  return fine;
}

/* What is compared and plotted is not called accuracy. */
static void
check_names (StudioWindow *window)
{
  StudioCompareView *compare = STUDIO_COMPARE_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "compare_view"));
  StudioRunner *runner = studio_window_get_project (window)->runner;

  studio_test_show (window, "compare");
  studio_compare_view_add (compare, runner->run);
  studio_test_wait (has_compared, compare, 20);
  g_assert_cmpstr (studio_compare_set_score_label (compare->set), ==, "Mean average precision");
  studio_test_show (window, "sweep");
  studio_sweep_view_restore (STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view")),
                             "[sweep]\ndictionary.atoms=4;6\n");
  studio_test_wait (names_precision,
                    studio_test_child (part (window, "sweep_view", STUDIO_TYPE_SWEEP_VIEW, "charts"),
                                       STUDIO_TYPE_SWEEP_CHARTS, "metric"),
                    20);
}

static void
test_run (void)
{
  StudioWindow *window = open_voc ();
  StudioProject *project = studio_window_get_project (window);

  describe_by_sift (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  check_results (window);
  check_inspect (window);
  studio_test_show (window, "data");
  studio_test_wait (has_colours_of_run, window, 20);
  studio_test_show (window, "atoms");
  assert_says (studio_test_child (window, STUDIO_TYPE_WINDOW, "atoms_view"), "Images That Use It Most");
  check_names (window);

  /* The store has all of it. */
  studio_project_open_run (project, project->runner->run, STUDIO_RUN_OPEN);
  studio_test_wait (has_opened_run, window, 60);
  check_results (window);
  check_inspect (window);
  studio_test_close (window);
}

/* A folder of features. */

static void
put_feature_file (const char *path, int i)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  float x[] = { 1, 2, 3, (float)i, 5, 6, 7, 8 };
  double xy[] = { 0.25, 0.25, 0.75, 0.75 };
  TosstFeatures features = { .n = 2, .D = 4, .x = x, .xy = xy };
  g_autoptr (GError) error = NULL;

  tosst_features_write (&features, file, &error);
  g_assert_no_error (error);
}

static void
put_features (const char *folder, TosstDataset *dataset)
{
  for (guint i = 0; i < dataset->entries->len; i++)
    {
      g_autofree char *id = tosst_dataset_image_id (dataset, i), *name = g_strconcat (id, ".npz", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      put_feature_file (path, (int)i);
    }
}

static gboolean
reads_features (gpointer window)
{
  return recipe_of (window)->descriptor.kind == TOSST_DESCRIPTOR_FEATURES && has_several_labels (window);
}

/* A folder with the features of the images becomes their description, in one step to undo. */
static void
test_feature_folder (void)
{
  StudioWindow *window = open_voc ();
  g_autofree char *folder = g_build_filename (fixture.folder, "features", NULL);
  g_autoptr (TosstRecipe) before = tosst_recipe_copy (recipe_of (window));

  g_assert_cmpint (g_mkdir (folder, 0755), ==, 0);
  put_features (folder, studio_window_get_project (window)->dataset);
  studio_test_open (window, folder);
  studio_test_wait (reads_features, window, 20);
  g_assert_cmpstr (recipe_of (window)->descriptor.folder, ==, folder);
  g_assert_cmpint (recipe_of (window)->descriptor.length, ==, 4);
  g_assert_cmpint (recipe_of (window)->dataset.kind, ==, TOSST_DATASET_VOC2007);
  studio_test_wait (has_features, window, 20);
  g_assert_true (g_str_has_prefix (text_about_features (window), "2 features of 4"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  g_assert_true (tosst_recipe_equal (recipe_of (window), before));
  studio_test_close (window);
}

static gboolean
has_eight_images (gpointer window)
{
  TosstDataset *dataset = studio_window_get_project (window)->dataset;

  return dataset != NULL && dataset->entries->len == 8;
}

/* Files of features in folders of classes, without any image. */
static char *
put_classes (void)
{
  char *folder = g_build_filename (fixture.folder, "classes", NULL);

  for (int i = 0; i < 8; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%d.npz", i < 4 ? "a" : "b", i);
      g_autofree char *path = g_build_filename (folder, name, NULL), *parent = g_path_get_dirname (path);

      g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
      put_feature_file (path, i);
    }
  return folder;
}

static void
test_without_images (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *folder = put_classes ();

  studio_test_set (window, "descriptor.kind", "features");
  studio_test_set (window, "descriptor.pca", "0");
  studio_test_set (window, "dataset.train-per-class", "2");
  studio_test_set (window, "dictionary.atoms", "3");
  studio_test_set (window, "dictionary.iterations", "2");
  studio_test_open (window, folder);
  studio_test_wait (has_eight_images, window, 20);
  studio_test_wait (has_features, window, 20);
  /* Not dropped as a folder of features: the length is that of the first file. */
  g_assert_cmpint (recipe_of (window)->descriptor.length, ==, 4);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (studio_window_get_project (window)->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  studio_test_show (window, "inspect");
  studio_test_wait (studio_test_has_code, window, 30);
  studio_test_show (window, "results");
  studio_test_spin (0.1);
  studio_test_show (window, "atoms");
  studio_test_spin (0.1);
  studio_test_close (window);
}

static gboolean
has_stepped (gpointer window)
{
  StudioStepper *stepper = studio_window_get_project (window)->stepper;

  return stepper->work != NULL && !stepper->busy;
}

/* A run and a step at once after an edit, when the length of the features is not known. */
static void
test_without_length (void)
{
  StudioWindow *window = studio_test_window ();
  StudioProject *project = studio_window_get_project (window);
  g_autofree char *folder = put_classes ();

  studio_test_set (window, "descriptor.kind", "features");
  studio_test_set (window, "descriptor.pca", "0");
  studio_test_set (window, "dataset.train-per-class", "2");
  studio_test_set (window, "dictionary.atoms", "3");
  studio_test_set (window, "dictionary.iterations", "2");
  studio_test_open (window, folder);
  studio_test_wait (has_eight_images, window, 20);
  studio_test_set (window, "descriptor.length", "");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.step", NULL);
  studio_test_wait (has_stepped, window, 60);
  g_assert_null (studio_test_problem (window));
  studio_test_set (window, "descriptor.length", "");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_null (studio_test_problem (window));
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (project->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  studio_test_close (window);
}

/* Each choice of the new parameters has a label for readers. */
static void
test_labels (void)
{
  static const char *const names[]
      = { "descriptor.kind", "descriptor.normalise", "descriptor.spatial", "classifier.score" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const TosstParameter *p = tosst_parameter_find (names[i]);

      for (guint j = 0; p->choices[j] != NULL; j++)
        g_assert_cmpstr (tosst_choice_label (p->choices[j]), !=, p->choices[j]);
    }
}

int
main (int argc, char *argv[])
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  set_up (&fixture, NULL);
  put_voc ();
  g_test_add_func ("/studio/local/labels", test_labels);
  g_test_add_func ("/studio/local/data", test_data);
  g_test_add_func ("/studio/local/table", test_table);
  g_test_add_func ("/studio/local/features", test_features);
  g_test_add_func ("/studio/local/run", test_run);
  g_test_add_func ("/studio/local/feature-folder", test_feature_folder);
  g_test_add_func ("/studio/local/without-images", test_without_images);
  g_test_add_func ("/studio/local/without-length", test_without_length);
  status = g_test_run ();
  g_clear_pointer (&marked, studio_image_marks_unref);
  tear_down (&fixture, NULL);
  return status;
}

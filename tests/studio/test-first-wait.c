/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learn while tensors are computed: patches of the data set with their features and the slices of their tensors.
 */
#include "config.h"

#include "core/data/frames.h"
#include "core/dictionary/patch-coder.h"
#include "studio-test.h"
#include "studio/learn/learn-view.h"
#include "studio/learn/patch-tensor.h"
#include "studio/results/results-view.h"

#define PATCH 32

static TosstRecipe *
recipe_new (void)
{
  TosstRecipe *recipe = tosst_recipe_new_samples ();

  g_assert_true (tosst_recipe_set (recipe, "descriptor.pivots", "3", NULL));
  g_assert_true (tosst_recipe_set (recipe, "descriptor.patch", G_STRINGIFY (PATCH), NULL));
  return recipe;
}

static gboolean
has_two (gpointer patches)
{
  return STUDIO_PATCH_TENSOR (patches)->shown >= 2;
}

/* The numbers are those of the whole image, and the tensor is super-symmetric: no order of its three indices matters. */
static void
check_shown (StudioPatchTensor *patches, TosstDataset *dataset, const TosstRecipe *recipe)
{
  TosstContext *context = tosst_context_new (1);
  const StudioPatchSlices *answer = patches->answer;

  g_assert_nonnull (answer);
  const double *means = answer->means, *slices = answer->slices;
  guint image = answer->image;
  TosstPoint place = answer->place;
  int d = answer->d;

  g_assert_cmpuint (image, <, dataset->entries->len);

  TosstImage *whole = tosst_dataset_read_for (dataset, image, 0, NULL);
  g_autofree double *expected = g_new (double, d);
  double largest = 0;

  g_assert_nonnull (whole);
  if (tosst_recipe_has_frames (recipe))
    {
      gsize n;
      g_autofree TosstFrame *frames = tosst_frames_of_image (recipe, whole, &n, NULL, "image", NULL);
      TosstImage *patch = tosst_frame_patch (recipe, whole, &frames[(gsize)place.x % n], &place);

      tosst_image_free (whole);
      whole = patch;
    }
  g_assert_cmpint (tosst_mean_features (recipe, context, whole, PATCH, place, expected), ==, TOSST_OK);
  g_assert_cmpmem (means, sizeof *means * (gsize)d, expected, sizeof *expected * (gsize)d);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int k = 0; k < d; k++)
        {
          double one = slices[(i * d + j) * d + k];

          largest = MAX (largest, ABS (one));
          g_assert_cmpfloat_with_epsilon (one, slices[(j * d + i) * d + k], 1e-6);
          g_assert_cmpfloat_with_epsilon (one, slices[(k * d + j) * d + i], 1e-6);
        }
  g_assert_cmpfloat (largest, >, 0);
  tosst_image_free (whole);
  tosst_context_free (context);
}

static void
test_patches (void)
{
  GtkWidget *window = gtk_window_new ();
  StudioPatchTensor *patches = g_object_new (STUDIO_TYPE_PATCH_TENSOR, NULL);
  g_autoptr (TosstRecipe) recipe = recipe_new (), other = recipe_new ();
  g_autoptr (TosstDataset) dataset = tosst_dataset_open (recipe, NULL, NULL);

  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (patches));
  gtk_window_present (GTK_WINDOW (window));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (patches)));
  studio_patch_tensor_begin (patches, dataset, recipe);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (patches)));
  studio_test_wait (has_two, patches, 20);
  check_shown (patches, dataset, recipe);

  studio_patch_tensor_end (patches);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (patches)));
  g_assert_true (tosst_recipe_set (other, "descriptor.frames", "keypoints", NULL));
  studio_patch_tensor_begin (patches, dataset, other);
  studio_test_wait (has_two, patches, 20);
  check_shown (patches, dataset, other);
  /* A matrix is no tensor of third order, and nothing is shown without a data set. */
  g_assert_true (tosst_recipe_set (other, "descriptor.kind", "covariance", NULL));
  studio_patch_tensor_begin (patches, dataset, other);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (patches)));
  studio_patch_tensor_begin (patches, NULL, recipe);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (patches)));
  studio_patch_tensor_begin (patches, dataset, recipe); /* ends with its widget */
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean was_visible;

static void
on_started (GtkWidget *patches)
{
  was_visible = gtk_widget_get_visible (patches);
}

/* From the start of a run to its first iteration. */
static void
test_in_learn (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *learn = studio_test_child (window, STUDIO_TYPE_WINDOW, "learn_view");
  GtkWidget *patches = studio_test_child (learn, STUDIO_TYPE_LEARN_VIEW, "patches");
  StudioRunner *runner = studio_window_get_project (window)->runner;

  studio_test_tiny (window);
  g_signal_connect_object (runner, "started", G_CALLBACK (on_started), patches, G_CONNECT_SWAPPED);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_learning, window, 60);
  g_assert_true (was_visible);
  g_assert_false (gtk_widget_get_visible (patches));
  studio_test_wait (studio_test_is_idle, window, 60);

  was_visible = FALSE;
  studio_test_set (window, "coding.method", "raw"); /* learns nothing */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_false (was_visible);
  studio_test_close (window);
}

static gboolean
says_how_far (gpointer page)
{
  const char *said = adw_status_page_get_description (page);

  return said != NULL && strstr (said, "% of the run is done") != NULL;
}

/* Results say what is done before there are any. */
static void
test_in_results (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *results = studio_test_child (window, STUDIO_TYPE_WINDOW, "results_view");
  GtkWidget *page = studio_test_child (results, STUDIO_TYPE_RESULTS_VIEW, "running");

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (says_how_far, page, 60);
  studio_test_wait (studio_test_is_idle, window, 60);
  studio_test_close (window);
}

static void
run_with_look (StudioWindow *window, guint look, TosstIteration *last)
{
  StudioProject *project = studio_window_get_project (window);
  const StudioOrder order = { .recipe = project->model->recipe, .dataset = project->dataset, .look = look };
  const GArray *iterations;

  studio_runner_begin (project->runner, &order);
  studio_test_wait (studio_test_is_idle, window, 60);
  iterations = studio_runner_get_iterations (project->runner, 0);
  g_assert_nonnull (iterations);
  *last = g_array_index (iterations, TosstIteration, iterations->len - 1);
}

/* A first look has its own curve and accuracy, and leaves the bits of the run as they are. */
static void
test_first_look (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  GtkWidget *label = studio_test_child (studio_test_child (window, STUDIO_TYPE_WINDOW, "learn_view"),
                                        STUDIO_TYPE_LEARN_VIEW, "look");
  TosstIteration without, with;

  studio_test_tiny (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
  run_with_look (window, 0, &without);
  g_assert_cmpuint (studio_runner_get_iterations (runner, STUDIO_FIRST_LOOK)->len, ==, 0);
  g_assert_null (runner->look);

  run_with_look (window, 8, &with);
  g_assert_cmpuint (studio_runner_get_iterations (runner, STUDIO_FIRST_LOOK)->len, >, 0);
  g_assert_nonnull (strstr (runner->look, "First look, at 8 of "));
  g_assert_true (with.objective == without.objective && with.mean_nonzeros == without.mean_nonzeros);
  g_assert_cmpfloat (
      g_array_index (studio_runner_get_iterations (runner, STUDIO_FIRST_LOOK), TosstIteration, 0).objective, !=,
      with.objective);
  g_assert_false (gtk_widget_get_visible (label)); /* the chart is that of the run, and so are the atoms */
  g_assert_null (runner->learned->file);
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/first-wait/patches", test_patches);
  g_test_add_func ("/studio/first-wait/in-learn", test_in_learn);
  g_test_add_func ("/studio/first-wait/in-results", test_in_results);
  g_test_add_func ("/studio/first-wait/first-look", test_first_look);
  return g_test_run ();
}

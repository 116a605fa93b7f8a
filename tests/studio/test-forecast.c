/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <string.h>

#include "studio-test.h"
#include "studio/widgets/format.h"

/* The forecast of a run in the window. */

static const char *
said (gpointer window)
{
  return gtk_label_get_label (GTK_LABEL (studio_test_panel (window)->said));
}

static gboolean
tells (gpointer window)
{
  return strstr (said (window), "of memory") != NULL && strstr (said (window), "lower") == NULL;
}

static gboolean
doubts (gpointer window)
{
  return strstr (said (window), "of memory\nSparsity: So large a value") != NULL;
}

static gboolean
refuses (gpointer window)
{
  return strstr (said (window), "of memory") != NULL && strstr (said (window), "lower “Atoms”") != NULL;
}

static gboolean
knows_results (gpointer window)
{
  return strstr (said (window), "Already run") != NULL;
}

static gboolean
is_at_work (StudioWindow *window)
{
  return studio_window_get_project (window)->runner->state != STUDIO_RUNNER_IDLE;
}

static void
test_told (void)
{
  StudioWindow *window = studio_test_window ();

  g_assert_cmpstr (said (window), ==, ""); /* without a data set */
  studio_test_tiny (window);
  studio_test_wait (tells, window, 30);
  g_assert_true (g_str_has_prefix (said (window), "About "));

  /* A forecast of an old recipe is removed. */
  studio_test_set (window, "dictionary.atoms", "11");
  g_assert_false (tells (window));
  g_assert_cmpstr (said (window), !=, "");
  studio_test_wait (tells, window, 30);
  studio_test_set (window, "dictionary.lambda", "5000");
  studio_test_wait (doubts, window, 30);
  studio_test_set (window, "dataset.train-per-class", "5"); /* opens the data again */
  studio_test_close (window);                               /* while it is computed */
}

static void
test_refused (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *problem = NULL;

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.atoms", "100000");
  g_assert_nonnull (strstr (said (window), "“Tensors to learn from”")); /* fewer than atoms: invalid at any size */
  studio_test_set (window, "dictionary.sample", "100000");
  studio_test_wait (refuses, window, 30);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_false (is_at_work (window));
  g_assert_cmpuint (studio_window_get_project (window)->runner->id, ==, 0); /* no run was started */
  problem = studio_format_problem (studio_test_problem (window));
  g_assert_cmpstr (problem, ==, said (window));

  /* The value is corrected as the sentence suggests. */
  studio_test_set (window, "dictionary.atoms", "12");
  studio_test_wait (tells, window, 30);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  g_assert_true (is_at_work (window));
  g_assert_null (studio_test_problem (window));
  g_assert_cmpstr (said (window), ==, ""); /* the header bar shows the remaining time */
  studio_test_wait (studio_test_is_idle, window, 60);
  studio_test_wait (knows_results, window, 30);
  studio_test_set (window, "dictionary.atoms", "13");
  studio_test_wait (tells, window, 30);
  studio_test_close (window);
}

static gboolean
refuses_disk (gpointer window)
{
  return strstr (said (window), "of tensors to ") != NULL && strstr (said (window), "raise “Patch step”") != NULL;
}

/* Pivots with which the tensors of all patches fit into memory piece by piece, but not on the disk; 0: there are none. */
static int
pivots_too_many_for_disk (StudioWindow *window)
{
  StudioProject *project = studio_window_get_project (window);
  g_autoptr (TosstRecipe) recipe = tosst_recipe_copy (project->model->recipe);

  for (int pivots = 3; pivots <= 9; pivots++)
    {
      TosstRunEstimate needs;

      recipe->descriptor.pivots = pivots;
      tosst_run_estimate (recipe, project->dataset, (int)g_get_num_processors (), &needs);
      if (tosst_run_fits (&needs, NULL) && !tosst_run_fits_disk (&needs, project->workspace->file, NULL))
        return pivots;
    }
  return 0;
}

/* A run whose tensors exceed the disk is refused with the parameters to change, and starts when one of them is changed. */
static void
test_disk_refused (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *number = NULL, *problem = NULL;
  int pivots;

  studio_test_tiny (window);
  studio_test_set (window, "descriptor.step", "1");
  pivots = pivots_too_many_for_disk (window);
  if (pivots == 0)
    g_test_skip ("more room on the disk than the tensors of the sample textures need");
  else
    {
      number = g_strdup_printf ("%d", pivots);
      studio_test_set (window, "descriptor.pivots", number);
      studio_test_wait (refuses_disk, window, 30);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
      g_assert_false (is_at_work (window));
      g_assert_cmpuint (studio_window_get_project (window)->runner->id, ==, 0);
      problem = studio_format_problem (studio_test_problem (window));
      g_assert_cmpstr (problem, ==, said (window));

      studio_test_set (window, "descriptor.step", "32");
      studio_test_set (window, "descriptor.pivots", "3");
      studio_test_wait (tells, window, 30);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
      g_assert_true (is_at_work (window));
      g_assert_null (studio_test_problem (window));
      studio_test_wait (studio_test_is_idle, window, 60);
    }
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/forecast/told", test_told);
  g_test_add_func ("/forecast/refused", test_refused);
  g_test_add_func ("/forecast/disk-refused", test_disk_refused);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <adwaita.h>
#include <string.h>

#include "studio-test.h"
#include "studio/sweep/sweep-view.h"

/* Job scripts for a cluster: the questions, the script and the recipe beside it. */

static char *folder;

static char *
place (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static char *
read_file (const char *name)
{
  g_autofree char *path = place (name);
  char *text = NULL;

  studio_test_wait (is_file, path, 20);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
write_job (StudioWindow *window, const char *name)
{
  g_autofree char *path = place (name);

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.save-job", "s", path));
}

static gboolean
is_estimated (gpointer window)
{
  return studio_sweep_planner_get_estimate (studio_window_get_project (window)->forecast) != NULL;
}

static gboolean
is_planned (gpointer window)
{
  return studio_window_get_project (window)->sweep->planned;
}

/* What makes no job cannot be saved. */
static void
test_questions (void)
{
  static const char time[] = "Time Limit (minutes, 12:00:00, or 2-0 for days)";
  static const char partition[] = "Partition (optional)";
  static const char account[] = "Account (optional)";
  static const struct
  {
    const char *entry, *text;
    gboolean valid;
  } answers[] = {
    { time, "soon", FALSE },     { time, "12:00:00", TRUE },   { partition, "long; rm -rf ~", FALSE },
    { partition, "long", TRUE }, { account, "--mail", FALSE }, { account, "ours", TRUE },
    { time, "0", FALSE },        { time, "2-0", TRUE },
  };
  StudioWindow *window = studio_test_window ();
  GtkWidget *dialog;

  studio_test_tiny (window);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.save-job-as", NULL));
  dialog = studio_test_dialog ();
  g_assert_nonnull (dialog);
  g_assert_true (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "save"));
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      gtk_editable_set_text (studio_test_entry (dialog, answers[i].entry), answers[i].text);
      g_assert_cmpint (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "save"), ==,
                       answers[i].valid);
    }
  gtk_window_close (GTK_WINDOW (dialog));
  studio_test_spin (0.1);
  g_assert_null (studio_test_dialog ());
  studio_test_close (window);
}

static void
test_run (void)
{
  StudioWindow *window = studio_test_window ();
  g_autofree char *script = NULL, *recipe = NULL, *path = place ("run.tosst");

  studio_test_tiny (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
  studio_test_wait (is_estimated, window, 60);
  write_job (window, "run.sh");
  script = read_file ("run.sh");
  g_assert_nonnull (strstr (script, "#SBATCH --job-name=run\n"));
  g_assert_nonnull (strstr (script, "#SBATCH --time=0-01:00:00\n"));
  g_assert_nonnull (strstr (script, "#SBATCH --mem="));
  g_assert_nonnull (strstr (script, "recipe='run.tosst'\n"));
  g_assert_nonnull (strstr (script, "task=(classify "));
  recipe = read_file ("run.tosst");
  g_assert_null (strstr (recipe, "[sweep]"));
  g_assert_nonnull (strstr (recipe, "atoms=12\n"));

  /* Another recipe of that name stays. */
  studio_test_set (window, "dictionary.atoms", "13");
  write_job (window, "run.sh");
  studio_test_wait (studio_test_has_problem, window, 20);
  g_clear_pointer (&recipe, g_free);
  g_assert_true (g_file_get_contents (path, &recipe, NULL, NULL));
  g_assert_nonnull (strstr (recipe, "atoms=12\n"));
  studio_test_close (window);
}

/* While the Sweep view is visible, its runs. */
static void
test_sweep (void)
{
  StudioWindow *window = studio_test_window ();
  StudioSweepView *view;
  g_autofree char *script = NULL, *recipe = NULL;

  studio_test_tiny (window);
  studio_test_wait (studio_test_has_dataset, window, 20);
  studio_test_show (window, "sweep");
  view = STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));
  studio_sweep_editor_add (STUDIO_SWEEP_EDITOR (view->editor), "dictionary.atoms", "10;12");
  studio_test_wait (is_planned, window, 30);
  write_job (window, "sweep.sh");
  script = read_file ("sweep.sh");
  g_assert_nonnull (strstr (script, "task=(sweep "));
  recipe = read_file ("sweep.tosst");
  g_assert_nonnull (strstr (recipe, "[sweep]"));
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  int status;

  if (!studio_test_init (&argc, &argv))
    return 0;
  folder = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_test_add_func ("/job/questions", test_questions);
  g_test_add_func ("/job/run", test_run);
  g_test_add_func ("/job/sweep", test_sweep);
  status = g_test_run ();
  tosst_remove_tree (folder);
  return status;
}

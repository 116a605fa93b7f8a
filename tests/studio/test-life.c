/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <malloc.h>
#include <string.h>

#include "core/data/textures.h"
#include "measure.h"
#include "studio-test.h"
#include "studio/sweep/sweep-view.h"

/* Windows and views are created and disposed without leaks, on whichever thread the last reference is dropped. */

/* Bytes by which the heap may grow for each. 31 kB are due to GTK: with menus loaded once for all windows, GTK 4.8
 * never frees the 19 sections shown in each; the rest are cached icons. */
#define KEPT_A_WINDOW (48 * 1024)
#define APART 4 /* windows between two measurements that are compared */

/* The full number with "-m slow"; else a fifth, which still reveals a leaked window in the heap. */
static int
rounds (int all)
{
  return g_test_slow () ? all : all / 5;
}

/* The address sanitizer has its own allocator and detects leaks itself. */
#ifdef __SANITIZE_ADDRESS__
#define HEAP_TELLS FALSE
#else
#define HEAP_TELLS TRUE
#endif

/* Weak pointers to every widget below one, and to some other objects. */
typedef struct
{
  GPtrArray *objects; /* of gpointer *, each NULL when its object is finalized */
} Watch;

static void
watch_object (Watch *self, gpointer object)
{
  gpointer *weak = g_new (gpointer, 1);

  *weak = object;
  g_object_add_weak_pointer (object, weak);
  g_ptr_array_add (self->objects, weak);
}

static void
watch_widgets (Watch *self, GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = NULL;

  if (g_strcmp0 (G_OBJECT_TYPE_NAME (widget), "GtkTooltipWindow") == 0)
    return; /* GTK keeps one for the display and shares it with windows */
  controllers = gtk_widget_observe_controllers (widget);
  watch_object (self, widget);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);
      watch_object (self, controller);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    watch_widgets (self, child);
}

static Watch
watch_window (StudioWindow *window)
{
  Watch self = { g_ptr_array_new () };

  watch_widgets (&self, GTK_WIDGET (window));
  watch_object (&self, studio_window_get_project (window)->model);
  watch_object (&self, studio_window_get_project (window)->runner);
  return self;
}

static gboolean
all_gone (gpointer data)
{
  const Watch *self = data;

  for (guint i = 0; i < self->objects->len; i++)
    if (*(gpointer *)self->objects->pdata[i] != NULL)
      return FALSE;
  return TRUE;
}

/* References of threads are dropped within a moment; remaining objects are reported by name. */
static void
assert_all_gone (Watch *self)
{
  studio_test_try (all_gone, self, 20);
  for (guint i = 0; i < self->objects->len; i++)
    {
      gpointer object = *(gpointer *)self->objects->pdata[i];

      if (object != NULL)
        g_error ("a %s is still there, with %u references", G_OBJECT_TYPE_NAME (object),
                 ((GObject *)object)->ref_count);
      g_free (self->objects->pdata[i]);
    }
  g_ptr_array_unref (self->objects);
}

static void
show_each_view (StudioWindow *window)
{
  static const char *const views[] = { "data", "learn", "atoms", "inspect", "results", "sweep", "compare" };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.view", "s", views[i]);
      studio_test_spin (0.01);
    }
}

static gboolean
has_forecast (gpointer window)
{
  const char *said = gtk_label_get_label (GTK_LABEL (studio_test_panel (window)->said));

  return *said != 0 && strstr (said, "Estimating") == NULL;
}

/* A window that lives long enough for all that is made once: the rates of the forecast, and what its texts need. */
static void
fill_caches (void)
{
  StudioWindow *window = studio_test_window ();

  studio_window_open_samples (window);
  studio_test_wait (has_forecast, window, 60);
  show_each_view (window);
  studio_test_close (window);
}

static void
open_and_close (void)
{
  StudioWindow *window = studio_test_window ();
  Watch watch;

  studio_window_open_samples (window);
  studio_test_wait (studio_test_has_dataset, window, 60);
  show_each_view (window);
  watch = watch_window (window);
  studio_test_close (window);
  assert_all_gone (&watch);
}

/* Whether the threads of closed windows have ended: the forecast of the last one ends by itself, later on a busy machine. */
static gboolean
has_no_worker (gpointer unused)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;

  while ((task = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", task, "comm", NULL), *name = NULL;

      if (g_file_get_contents (path, &name, NULL, NULL)
          && (g_str_has_prefix (name, "answers") || g_str_has_prefix (name, "job")))
        return FALSE;
    }
  return TRUE;
}

static double
heap_at_rest (void)
{
  studio_test_wait (has_no_worker, NULL, 30);
  studio_test_spin (0.3);
  return (double)mallinfo2 ().uordblks;
}

static int
compare_numbers (const void *a, const void *b)
{
  double d = *(const double *)a - *(const double *)b;

  return (d > 0) - (d < 0);
}

/* The median growth over a few windows: a leak grows with each one, while a cache that is filled or emptied is one step, of
 * megabytes. */
static void
test_windows (void)
{
  const int n = rounds (100), full = n / 4; /* by then most caches are full */
  g_autofree double *heap = g_new (double, n), *growth = g_new (double, n);
  int differences = 0;

  fill_caches ();
  for (int i = 0; i < n; i++)
    {
      open_and_close ();
      heap[i] = heap_at_rest ();
      if (i >= full + APART)
        growth[differences++] = (heap[i] - heap[i - APART]) / APART;
    }
  qsort (growth, (size_t)differences, sizeof *growth, compare_numbers);
  g_test_message ("%.1f kB a window", growth[differences / 2] / 1024);
  if (HEAP_TELLS)
    g_assert_cmpfloat (growth[differences / 2], <, KEPT_A_WINDOW);
}

/* All views are in use: a run is finished, an atom and a patch are open. */
static void
test_window_at_work (void)
{
  for (int i = 0; i < rounds (5); i++)
    {
      StudioWindow *window = studio_test_window ();
      Watch watch;

      studio_test_tiny (window);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
      studio_test_wait (studio_test_is_idle, window, 60);
      show_each_view (window);
      studio_test_spin (0.1);
      watch = watch_window (window);
      studio_test_close (window);
      assert_all_gone (&watch);
    }
}

/* A window closed while tensors are computed, or while the dictionary is learned: its worker ends without a
 * notification. */
static void
test_window_in_a_run (void)
{
  for (int i = 0; i < rounds (10); i++)
    {
      StudioWindow *window = studio_test_window ();
      Watch watch;

      studio_test_tiny (window);
      studio_test_set (window, "dictionary.iterations", "5000");
      gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
      if (i % 2 == 1)
        studio_test_wait (studio_test_is_learning, window, 60);
      watch = watch_window (window);
      studio_test_close (window);
      assert_all_gone (&watch);
      studio_test_spin (0.05);
    }
}

/* A window closed while its data set is being opened. */
static void
test_window_that_opens (void)
{
  for (int i = 0; i < rounds (20); i++)
    {
      StudioWindow *window = studio_test_window ();
      Watch watch;

      studio_window_open_samples (window);
      watch = watch_window (window);
      studio_test_close (window);
      assert_all_gone (&watch);
    }
}

/* A new data set during a run. */

typedef struct
{
  guint id; /* of the run with expected news */
  guint news;
} Expectation;

static void
on_news (StudioRunner *runner, Expectation *expected)
{
  g_assert_cmpuint (runner->id, ==, expected->id);
  expected->news++;
}

static gboolean
has_folder (gpointer window)
{
  return studio_window_get_project (window)->model->recipe->dataset.kind == TOSST_DATASET_FOLDERS;
}

static void
test_other_data_in_a_run (void)
{
  g_autofree char *path = g_dir_make_tmp ("tosst-XXXXXX", NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (path);
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  g_autoptr (TosstDataset) first = NULL;
  g_autoptr (GError) error = NULL;
  Expectation expected = { 1, 0 };

  tosst_textures_write (folder, TRUE, &error);
  g_assert_no_error (error);
  studio_test_tiny (window);
  first = tosst_dataset_ref (studio_window_get_project (window)->dataset);
  studio_test_set (window, "dictionary.iterations", "5000");
  g_signal_connect (runner, "progress", G_CALLBACK (on_news), &expected);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_learning, window, 60);

  /* The new one is used at once; the run keeps its own until it is stopped. */
  studio_window_open (window, folder);
  studio_test_wait (has_folder, window, 60);
  g_assert_true (studio_window_get_project (window)->dataset != first);
  g_assert_cmpint (runner->state, ==, STUDIO_RUNNER_RUNNING);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stop", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_true (runner->dataset == first);

  /* No news of it reach the next. */
  expected = (Expectation){ 2, 0 };
  studio_test_set (window, "descriptor.kind", "rbf"); /* the preset of the folder has another, without a dictionary */
  studio_test_set (window, "dictionary.iterations", "3");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (runner->outcome, ==, STUDIO_OUTCOME_DONE);
  g_assert_cmpuint (expected.news, >, 0);
  g_assert_true (runner->dataset != first);
  for (int split = 0; split < (int)runner->iterations->len; split++)
    g_assert_cmpuint (studio_runner_get_iterations (runner, split)->len, ==, 3);
  g_assert_true (studio_window_get_project (window)->atoms->dataset == runner->dataset);
  g_signal_handlers_disconnect_by_data (runner, &expected);
  studio_test_close (window);
  tosst_remove_tree (path);
}

/* The moment of closing a window differs from round to round. */
static void
spin_more (int round)
{
  studio_test_spin (0.01 * round);
}

static void
open_path (StudioWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  studio_window_open (window, file);
}

/* The atoms of a run, in a file. */
static void
write_dictionary (const char *path)
{
  StudioWindow *window = studio_test_window ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);

  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_true (tosst_dictionary_save (studio_window_get_project (window)->atoms->dictionary, NULL, file, &error));
  studio_test_close (window);
}

static gboolean
has_atoms (gpointer window)
{
  return studio_window_get_project (window)->atoms != NULL;
}

static gboolean
has_usage (gpointer window)
{
  return studio_window_get_project (window)->atoms->usage != NULL;
}

/* A window closed during or after the search for the patches that use the atoms of a file. */
static void
test_window_that_finds (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "d.npz", NULL);

  write_dictionary (path);
  for (int i = 0; i < rounds (20); i++)
    {
      StudioWindow *window = studio_test_window ();
      gboolean answered = i % 2 == 0;
      Watch watch;

      studio_test_tiny (window);
      if (!answered)
        studio_test_set (window, "descriptor.step", "1"); /* takes some time */
      open_path (window, path);
      studio_test_wait (has_atoms, window, 20);
      g_assert_false (has_usage (window));
      g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.find-patches", NULL));
      if (answered)
        studio_test_wait (has_usage, window, 60);
      else
        spin_more (i);
      g_assert_true (has_usage (window) == answered);
      watch = watch_window (window);
      studio_test_close (window);
      assert_all_gone (&watch);
    }
  tosst_remove_tree (folder);
}

static StudioSweepView *
sweep_view_of (gpointer window)
{
  return STUDIO_SWEEP_VIEW (studio_test_child (window, STUDIO_TYPE_WINDOW, "sweep_view"));
}

static gboolean
is_planned (gpointer window)
{
  return studio_window_get_project (window)->sweep->planned;
}

static gboolean
is_swept (gpointer window)
{
  return !studio_sweep_view_is_busy (sweep_view_of (window));
}

/* A window with a recipe of many runs, closed while it is opened or planned, during its runs, and after them. */
static void
test_window_that_sweeps (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tosst-XXXXXX", NULL), *path = g_build_filename (folder, "s.ini", NULL);
  const char *text = "[dataset]\nkind=samples\nsplits=2\ntrain-per-class=4\n[descriptor]\npatch=32\nstep=32\npivots=3\n"
                     "[dictionary]\nsample=300\niterations=4\n[sweep]\ndictionary.atoms=6;8;12\n"
                     "dictionary.scheme=psd;free\n";

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  for (int i = 0; i < rounds (20); i++)
    {
      StudioWindow *window = studio_test_window ();
      Watch watch;

      open_path (window, path);
      if (i % 4 == 0)
        spin_more (i);
      else
        {
          studio_test_wait (is_planned, window, 60);
          g_assert_true (gtk_widget_activate_action (GTK_WIDGET (sweep_view_of (window)), "sweep.start", NULL));
          spin_more (i);
        }
      if (i % 4 == 2)
        studio_test_wait (is_swept, window, 60);
      watch = watch_window (window);
      studio_test_close (window);
      assert_all_gone (&watch);
    }
  tosst_remove_tree (folder);
}

/* Every view with the results of a run, mirrored: warnings of GTK fail the test, and the window fits its size. */
static void
test_right_to_left (void)
{
  StudioWindow *window;
  int minimum;

  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  window = studio_test_window ();
  studio_test_tiny (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.start", NULL);
  studio_test_wait (studio_test_is_idle, window, 60);
  show_each_view (window);
  studio_test_spin (0.2);
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  g_assert_cmpint (minimum, <=, 1280);
  studio_test_close (window);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  measure_widgets ();
  g_test_add_func ("/life/windows", test_windows);
  g_test_add_func ("/life/window-at-work", test_window_at_work);
  g_test_add_func ("/life/window-in-a-run", test_window_in_a_run);
  g_test_add_func ("/life/window-that-opens", test_window_that_opens);
  g_test_add_func ("/life/other-data-in-a-run", test_other_data_in_a_run);
  g_test_add_func ("/life/window-that-finds", test_window_that_finds);
  g_test_add_func ("/life/window-that-sweeps", test_window_that_sweeps);
  g_test_add_func ("/life/right-to-left", test_right_to_left);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stepping in the window: blocks in their order, downhill, back and forth to the same numbers, from the beginning or
 * from where a run was stopped; a run takes the view back.
 */
#include "config.h"

#include <string.h>

#include "studio-test.h"

static void
activate (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, NULL));
}

static gboolean
is_at_rest (gpointer window)
{
  return !studio_window_get_project (window)->stepper->busy;
}

static void
do_and_wait (StudioWindow *window, const char *action)
{
  activate (window, action);
  studio_test_wait (is_at_rest, window, 60);
}

static const TosstStep *
last_step (StudioWindow *window)
{
  const GArray *steps = studio_window_get_project (window)->stepper->steps;

  return &g_array_index (steps, TosstStep, steps->len - 1);
}

/* Compares all atoms bit by bit: a StudioAtoms holds them all. */
static void
assert_same_atoms (const StudioAtoms *a, const StudioAtoms *b)
{
  gsize entries = (gsize)a->K * a->d;

  g_assert_cmpint (a->n, ==, a->K);
  g_assert_cmpint (b->n, ==, b->K);
  g_assert_cmpmem (a->index, (gsize)a->K * sizeof (int), b->index, (gsize)b->K * sizeof (int));
  g_assert_cmpmem (a->share, (gsize)a->K * sizeof (double), b->share, (gsize)b->K * sizeof (double));
  g_assert_cmpmem (a->b, entries * sizeof (double), b->b, entries * sizeof (double));
  g_assert_cmpmem (a->matrices, entries * a->d * sizeof (double), b->matrices, entries * b->d * sizeof (double));
}

#define STEPS 12

static void
test_steps (void)
{
  StudioWindow *window = studio_test_window ();
  StudioStepper *stepper = studio_window_get_project (window)->stepper;
  StudioAtoms *atoms[STEPS];
  g_autofree char *next = NULL;
  double first[STEPS];

  studio_test_tiny (window);
  g_assert_null (stepper->work);
  for (int i = 0; i < STEPS; i++)
    {
      do_and_wait (window, "win.step");
      g_assert_cmpint ((int)stepper->steps->len, ==, i + 1);
      g_assert_cmpfloat (last_step (window)->after.objective, <=, last_step (window)->before.objective);
      first[i] = last_step (window)->after.objective;
      atoms[i] = studio_atoms_ref (stepper->atoms);
    }
  g_assert_cmpint (g_array_index (stepper->steps, TosstStep, 0).kind, ==, TOSST_STEP_CODES);
  g_assert_cmpint (g_array_index (stepper->steps, TosstStep, 1).kind, ==, TOSST_STEP_B);
  g_assert_cmpint (g_array_index (stepper->steps, TosstStep, 2).kind, ==, TOSST_STEP_b);
  for (int i = STEPS - 1; i > 2; i--)
    {
      do_and_wait (window, "win.step-back");
      assert_same_atoms (stepper->atoms, atoms[i - 1]);
    }
  g_assert_cmpuint (stepper->steps->len, ==, 3);
  for (int i = 3; i < STEPS; i++)
    {
      do_and_wait (window, "win.step");
      g_assert_cmpfloat (last_step (window)->after.objective, ==, first[i]);
      assert_same_atoms (stepper->atoms, atoms[i]);
    }
  for (int i = 0; i < STEPS; i++)
    studio_atoms_unref (atoms[i]);
  next = studio_stepper_describe_next (stepper);
  g_assert_nonnull (next);

  /* A run replaces it and reaches the same objective. */
  activate (window, "win.start");
  g_assert_null (stepper->work);
  studio_test_wait (studio_test_is_idle, window, 60);
  g_assert_cmpint (studio_window_get_project (window)->runner->outcome, ==, STUDIO_OUTCOME_DONE);
  studio_test_close (window);
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, label);
  return found;
}

/* One block at a time, named by the button; the button keeps the focus, and its description is the last block. */
static void
test_named (void)
{
  StudioWindow *window = studio_test_window ();
  GtkWidget *root = GTK_WIDGET (window), *button;

  studio_test_tiny (window);
  do_and_wait (window, "win.step");
  button = find_button (root, "_Step: all B");
  g_assert_nonnull (button);
  g_assert_true (studio_test_has_label (root, "Iteration 1: codes"));
  g_assert_true (gtk_widget_grab_focus (button));
  for (int i = 0; i < 2; i++)
    {
      g_signal_emit_by_name (button, "clicked");
      studio_test_wait (is_at_rest, window, 60);
      g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == button);
    }
  g_assert_cmpuint (studio_window_get_project (window)->stepper->steps->len, ==, 3);
  /* Atoms and Inspect have the same atoms. */
  g_assert_nonnull (studio_window_get_project (window)->atoms);
  g_assert_true (studio_window_get_project (window)->atoms == studio_window_get_project (window)->stepper->set);
  g_assert_true (gtk_widget_grab_focus (find_button (root, "Step _Back")));
  for (int i = 0; i < 3; i++)
    do_and_wait (window, "win.step-back");
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "_Step: codes");
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == button);
  studio_stepper_end (studio_window_get_project (window)->stepper);
  g_assert_null (studio_window_get_project (window)->atoms); /* there was no run */
  studio_test_close (window);
}

/* One B at a time: named by its atom, which is marked; undone to the bit; and the rest of a pass in one step gives the
 * same result as the whole pass. */
static void
test_single (void)
{
  StudioWindow *window = studio_test_window ();
  StudioStepper *stepper = studio_window_get_project (window)->stepper;
  StudioAtoms *before, *after;
  g_autofree char *label = NULL;
  double whole;

  studio_test_tiny (window);
  do_and_wait (window, "win.step");
  do_and_wait (window, "win.step");
  whole = last_step (window)->after.objective;
  do_and_wait (window, "win.step-back");
  studio_stepper_set_single (stepper, TRUE);
  studio_test_wait (is_at_rest, window, 60);
  g_assert_nonnull (find_button (GTK_WIDGET (window), "_Step: B of atom 1"));
  for (int k = 1; k <= 5; k++)
    {
      do_and_wait (window, "win.step");
      g_assert_cmpint (last_step (window)->kind, ==, TOSST_STEP_ONE_B);
      g_assert_cmpint (last_step (window)->atom, ==, k);
    }
  label = g_strdup_printf ("Iteration 1: B of atom 5, round 1 of %d", last_step (window)->rounds);
  g_assert_true (studio_test_has_label (GTK_WIDGET (window), label));
  after = studio_atoms_ref (stepper->atoms);
  do_and_wait (window, "win.step-back");
  before = studio_atoms_ref (stepper->atoms);
  for (int k = 4; k > 0; k--)
    do_and_wait (window, "win.step-back");
  for (int k = 1; k <= 4; k++)
    do_and_wait (window, "win.step");
  assert_same_atoms (stepper->atoms, before);
  do_and_wait (window, "win.step");
  assert_same_atoms (stepper->atoms, after);
  studio_stepper_set_single (stepper, FALSE);
  studio_test_wait (is_at_rest, window, 60);
  g_assert_nonnull (find_button (GTK_WIDGET (window), "_Step: the other B"));
  do_and_wait (window, "win.step");
  g_assert_cmpint (last_step (window)->kind, ==, TOSST_STEP_B);
  g_assert_cmpfloat (last_step (window)->after.objective, ==, whole);
  studio_atoms_unref (before);
  studio_atoms_unref (after);
  studio_test_close (window);
}

/* Steps from a stopped run follow the path of the run. */
static void
test_from_stopped (void)
{
  StudioWindow *window = studio_test_window ();
  StudioRunner *runner = studio_window_get_project (window)->runner;
  int done;
  double objective;

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.iterations", "200");
  studio_test_set (window, "dictionary.atoms", "30");
  activate (window, "win.start");
  studio_test_wait (studio_test_is_learning, window, 60);
  activate (window, "win.stop");
  studio_test_wait (studio_test_is_idle, window, 20);
  done = (int)studio_runner_get_iterations (runner, 0)->len;
  objective = g_array_index (studio_runner_get_iterations (runner, 0), TosstIteration, done - 1).objective;
  do_and_wait (window, "win.step");
  g_assert_cmpint (last_step (window)->kind, ==, TOSST_STEP_CODES);
  g_assert_cmpint (last_step (window)->iteration, ==, done + 1);
  g_assert_cmpfloat_with_epsilon (last_step (window)->before.objective, objective, 1e-6 * objective);
  do_and_wait (window, "win.step");
  activate (window, "win.step-end");
  g_assert_null (studio_window_get_project (window)->stepper->work);
  studio_test_close (window);
}

/* A recipe without steps is reported, and closing during a step is safe. */
static void
test_refused_and_dropped (void)
{
  StudioWindow *window = studio_test_window ();

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.solver", "pqn");
  do_and_wait (window, "win.step");
  g_assert_nonnull (strstr (studio_test_problem (window), "exact solver"));
  g_assert_null (studio_window_get_project (window)->stepper->work);
  studio_test_set (window, "dictionary.solver", "exact");
  activate (window, "win.step");
  g_assert_false (is_at_rest (window));
  studio_test_close (window);
}

#define N_PLACES 4

/* Horizontal places of the buttons of a run and of the views. */
static void
get_places (StudioWindow *window, double places[N_PLACES])
{
  static const char *const names[N_PLACES] = { "run_button", "stop_button", "step_button", "view_title" };

  studio_test_spin (0.3);
  for (int i = 0; i < N_PLACES; i++)
    {
      GtkWidget *widget = studio_test_child (window, STUDIO_TYPE_WINDOW, names[i]);
      double y;

      g_assert_true (gtk_widget_get_mapped (widget));
      g_assert_true (gtk_widget_translate_coordinates (widget, GTK_WIDGET (window), 0, 0, &places[i], &y));
    }
}

/* A second click of the mouse meets the same button, and the views stay where they are. */
static void
test_places (void)
{
  StudioWindow *window = studio_test_window ();
  static const char *const actions[] = { "win.start", "win.pause", "win.pause", "win.stop" };
  double before[N_PLACES], places[N_PLACES];

  studio_test_tiny (window);
  studio_test_set (window, "dictionary.iterations", "5000");
  get_places (window, before);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      activate (window, actions[i]);
      get_places (window, places);
      g_assert_cmpmem (before, sizeof before, places, sizeof places);
    }
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/stepper/steps", test_steps);
  g_test_add_func ("/studio/stepper/named", test_named);
  g_test_add_func ("/studio/stepper/single", test_single);
  g_test_add_func ("/studio/stepper/from-stopped", test_from_stopped);
  g_test_add_func ("/studio/stepper/places", test_places);
  g_test_add_func ("/studio/stepper/refused-and-dropped", test_refused_and_dropped);
  return g_test_run ();
}

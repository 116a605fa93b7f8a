/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Undo and redo: parameters, patches and atoms in the order in which they were changed, by name, what is dragged as
 * one.
 */
#include "config.h"

#include <string.h>

#include "studio-test.h"
#include "studio/atoms/atoms-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/recipe/history.h"

static void
set_number (gpointer target, gconstpointer state)
{
  *(int *)target = *(const int *)state;
}

static void
change (StudioHistory *history, int *number, int to, const char *name, const char *key)
{
  studio_history_add (history, name, key, set_number, number, g_memdup2 (number, sizeof *number),
                      g_memdup2 (&to, sizeof to), g_free);
  *number = to;
}

static void
test_history (void)
{
  g_autoptr (StudioHistory) history = studio_history_new ();
  int number = 0;

  g_assert_null (studio_history_get_undo_name (history));
  studio_history_undo (history);
  change (history, &number, 1, "one", "a");
  change (history, &number, 2, "two", "a"); /* at once: the same entry */
  change (history, &number, 3, "three", NULL);
  change (history, &number, 4, "four", NULL);
  g_assert_cmpstr (studio_history_get_undo_name (history), ==, "four");
  studio_history_undo (history);
  g_assert_cmpint (number, ==, 3);
  g_assert_cmpstr (studio_history_get_redo_name (history), ==, "four");
  studio_history_undo (history);
  studio_history_undo (history);
  g_assert_cmpint (number, ==, 0);
  g_assert_null (studio_history_get_undo_name (history));
  studio_history_redo (history);
  g_assert_cmpint (number, ==, 2);
  change (history, &number, 9, "nine", "a"); /* a change after undo is a new entry and clears the entries to redo */
  g_assert_null (studio_history_get_redo_name (history));
  studio_history_undo (history);
  g_assert_cmpint (number, ==, 2);
  for (int i = 0; i < 1000; i++)
    change (history, &number, i, "many", NULL);
  for (int i = 0; i < 1000; i++)
    studio_history_undo (history);
  g_assert_cmpint (number, >, 2); /* the oldest are dropped */
}

static gpointer
find_view (GtkWidget *widget, GType type)
{
  gpointer found = G_OBJECT_TYPE (widget) == type ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_view (child, type);
  return found;
}

static void
activate (StudioWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), action, NULL));
}

static void
assert_patch (StudioWindow *window, guint image, int x, int y)
{
  guint i;
  int px, py;

  g_assert_true (
      studio_inspect_view_get_patch (find_view (GTK_WIDGET (window), STUDIO_TYPE_INSPECT_VIEW), &i, &px, &py));
  g_assert_cmpuint (i, ==, image);
  g_assert_cmpint (px, ==, x);
  g_assert_cmpint (py, ==, y);
}

static double
lambda (StudioWindow *window)
{
  return studio_window_get_project (window)->model->recipe->dictionary.lambda;
}

static void
test_window (void)
{
  StudioWindow *window = studio_test_window ();
  StudioInspectView *inspect = find_view (GTK_WIDGET (window), STUDIO_TYPE_INSPECT_VIEW);
  StudioAtomsView *atoms = find_view (GTK_WIDGET (window), STUDIO_TYPE_ATOMS_VIEW);
  StudioHistory *history = studio_window_get_project (window)->model->history;
  g_autofree char *name = NULL;
  double before;

  studio_test_tiny (window);
  activate (window, "win.start");
  studio_test_wait (studio_test_is_idle, window, 60);
  studio_inspect_view_choose_patch (inspect, 0, 0);
  studio_atoms_view_open (atoms, 2);
  studio_test_spin (1.1); /* later changes do not merge with this */

  before = lambda (window);
  for (int i = 1; i <= 5; i++) /* dragged */
    {
      g_autofree char *text = g_strdup_printf ("0.0%d", i);
      studio_test_set (window, "dictionary.lambda", text);
    }
  studio_inspect_view_choose_patch (inspect, 32, 64);
  studio_atoms_view_open (atoms, 5);
  studio_atoms_view_open (atoms, 6);
  studio_test_set (window, "dictionary.gamma", "3");

  name = g_strdup (studio_history_get_undo_name (history));
  g_assert_cmpstr (name, !=, "Choice of Atom");
  activate (window, "win.undo");
  g_assert_cmpstr (studio_history_get_redo_name (history), ==, name);
  g_assert_cmpstr (studio_history_get_undo_name (history), ==, "Choice of Atom");
  activate (window, "win.undo");
  g_assert_cmpint (STUDIO_ATOM_PANEL (atoms->panel)->atom->number, ==, 2);
  activate (window, "win.undo");
  assert_patch (window, 0, 0, 0);
  g_assert_cmpfloat (lambda (window), ==, 0.05);
  activate (window, "win.undo");
  g_assert_cmpfloat (lambda (window), ==, before);
  for (int i = 0; i < 4; i++)
    activate (window, "win.redo");
  g_assert_cmpfloat (lambda (window), ==, 0.05);
  assert_patch (window, 0, 32, 64);
  g_assert_cmpint (STUDIO_ATOM_PANEL (atoms->panel)->atom->number, ==, 6);
  g_assert_null (studio_history_get_redo_name (history));
  studio_test_close (window);
}

int
main (int argc, char *argv[])
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/studio/history/alone", test_history);
  g_test_add_func ("/studio/history/window", test_window);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs beside each other: what a store has of them is shown, in stable colours, and exported.
 */
#include "config.h"

#include <string.h>

#include <adwaita.h>
#include <glib/gstdio.h>
#include <sqlite3.h>

#include "store-place.h"
#include "studio-test.h"
#include "studio/compare/compare-parts.h"
#include "studio/compare/compare-view.h"
#include "studio/compare/paced-list.h"

#define MANY 100 /* runs */

typedef struct
{
  GtkWidget *window;
  StudioCompareView *view;
} Shown;

static Shown
show (Place *place)
{
  Shown shown = { gtk_window_new (), g_object_new (STUDIO_TYPE_COMPARE_VIEW, NULL) };

  gtk_window_set_child (GTK_WINDOW (shown.window), GTK_WIDGET (shown.view));
  gtk_window_set_default_size (GTK_WINDOW (shown.window), 1200, 800);
  studio_compare_view_set_store (shown.view, place->file);
  gtk_window_present (GTK_WINDOW (shown.window));
  return shown;
}

static void
close_shown (Shown *shown)
{
  gtk_window_destroy (GTK_WINDOW (shown->window));
  studio_test_spin (0.05);
}

typedef struct
{
  StudioCompareView *view;
  guint n;
} Chosen;

static gboolean
are_read (gpointer data)
{
  const Chosen *chosen = data;
  StudioCompareSet *set = chosen->view->set;

  if (set->runs->len != chosen->n)
    return FALSE;
  for (guint i = 0; i < chosen->n; i++)
    if (studio_compare_set_at (set, i)->report == NULL)
      return FALSE;
  return TRUE;
}

static void
wait_until_read (StudioCompareView *view, guint n)
{
  studio_test_wait (are_read, &(Chosen){ view, n }, 10);
}

static gboolean
first_is (gpointer data)
{
  const Chosen *run = data;
  StudioCompareSet *set = run->view->set;

  return set->runs->len > 0 && studio_compare_set_at (set, 0)->row->run->id == (gint64)run->n;
}

static gboolean
knows_run (gpointer data)
{
  const Chosen *run = data;

  return studio_run_list_find (run->view->list, run->n) != NULL;
}

static TosstDictionary *
random_dictionary (int K, guint seed)
{
  TosstDictionary *dictionary = tosst_dictionary_new (5, K);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < (gsize)dictionary->D * (gsize)K; i++)
    dictionary->V[i] = g_rand_double_range (random, -1, 1);
  for (gsize i = 0; i < (gsize)dictionary->S * (gsize)K; i++)
    dictionary->b[i] = g_rand_double_range (random, 0, 1);
  return dictionary;
}

/* A dictionary of K of twelve common atoms; backwards: from the last one. */
static void
add_dictionary (Place *place, TosstStore *store, gint64 run, int K, gboolean backwards)
{
  TosstDictionary *all = random_dictionary (12, 1), *dictionary = random_dictionary (K, 2);
  g_autofree char *path = g_build_filename (place->folder, "d.npz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  for (int k = 0; k < K; k++)
    memcpy (dictionary->V + (gsize)k * (gsize)all->D, all->V + (gsize)(backwards ? 11 - k : k) * (gsize)all->D,
            sizeof (double) * (gsize)all->D);
  g_assert_true (tosst_dictionary_save (dictionary, NULL, file, &error));
  bytes = g_file_load_bytes (file, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tosst_store_add_artifact (store, run, 0, "model.npz", bytes, &error));
  tosst_dictionary_free (all);
  tosst_dictionary_free (dictionary);
}

/* Three finished runs, the first and the second with dictionaries, and a queued one. */
static void
fill (Place *place)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

      g_assert_true (tosst_recipe_set (recipe, "dictionary.atoms", i == 1 ? "9" : "12", NULL));
      gint64 run = add_whole_run (store, recipe);
      if (i < 2)
        add_dictionary (place, store, run, i == 1 ? 9 : 12, i == 1);
    }
  add_run (store, NULL, TOSST_RUN_QUEUED);
}

static gboolean
is_chosen (StudioCompareView *view, gint64 id, guint *slot)
{
  StudioRunRow *row = studio_run_list_find (view->list, id);
  const StudioComparedRun *run = row != NULL ? studio_compare_set_find (view->set, row) : NULL;

  if (run != NULL && slot != NULL)
    *slot = run->slot;
  return run != NULL;
}

static void
test_choosing (Place *place, gconstpointer data)
{
  Shown shown;
  StudioCompareSet *set;
  guint slot_of_2 = 0, slot = 0;

  fill (place);
  shown = show (place);
  set = shown.view->set;
  wait_until_read (shown.view, 2); /* the newest finished ones */
  g_assert_true (is_chosen (shown.view, 3, NULL));
  g_assert_true (is_chosen (shown.view, 2, &slot_of_2));
  studio_compare_view_add (shown.view, 1);
  wait_until_read (shown.view, 3);
  /* Series are constant, and a free one is assigned to the next run. */
  studio_compare_set_remove (set, studio_run_list_find (shown.view->list, 3));
  g_assert_true (is_chosen (shown.view, 2, &slot));
  g_assert_cmpuint (slot, ==, slot_of_2);
  studio_compare_view_add (shown.view, 4);
  g_assert_true (is_chosen (shown.view, 4, &slot));
  g_assert_cmpuint (slot, ==, 0);
  wait_until_read (shown.view, 3);
  /* The colour is that of the run, whichever others are chosen, and in which order. */
  for (guint i = 0; i < set->runs->len; i++)
    g_assert_cmpint (studio_compare_set_at (set, i)->color, ==, studio_compare_set_at (set, i)->row->run->id - 1);
  studio_compare_set_make_first (set, studio_run_list_find (shown.view->list, 4));
  g_assert_cmpint (studio_compare_set_at (set, 0)->row->run->id, ==, 4);
  studio_compare_view_compare (shown.view, (const gint64[]){ 1, 3 }, 2);
  wait_until_read (shown.view, 2);
  g_assert_false (is_chosen (shown.view, 2, NULL));
  close_shown (&shown);
}

static const char *
difference_of (StudioCompareView *view)
{
  GtkWidget *label
      = GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (view), STUDIO_TYPE_COMPARE_VIEW, "difference"));

  return gtk_widget_get_visible (label) ? gtk_label_get_label (GTK_LABEL (label)) : NULL;
}

/* Two runs are compared split by split; runs of other test images, or of other images, say so. */
static void
test_difference (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstStore) store = NULL;
  Shown shown;

  fill (place);
  store = open_store (place, TOSST_STORE_WRITE);
  g_assert_true (tosst_recipe_set (recipe, "dataset.seed", "7", NULL));
  gint64 run = add_whole_run (store, recipe);
  g_clear_pointer (&store, tosst_store_free);
  shown = show (place);
  studio_compare_view_compare (shown.view, (const gint64[]){ 1, 2 }, 2);
  wait_until_read (shown.view, 2);
  g_assert_true (g_str_has_prefix (difference_of (shown.view), "Run 2"));
  g_assert_nonnull (strstr (difference_of (shown.view), "on the same splits"));
  gtk_stack_set_visible_child_name (GTK_STACK (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "parts")),
                                    "numbers");
  studio_test_spin (0.2);
  g_assert_true (
      studio_test_has_label (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "table"), "Interval (95 %)"));
  studio_compare_view_compare (shown.view, (const gint64[]){ 1, run }, 2);
  wait_until_read (shown.view, 2);
  g_assert_nonnull (strstr (difference_of (shown.view), "test different images"));
  close_shown (&shown);
}

/* Unseen, the view follows the newest runs, until the user chooses some. */
static void
test_newest (Place *place, gconstpointer data)
{
  StudioCompareView *view = g_object_ref_sink (g_object_new (STUDIO_TYPE_COMPARE_VIEW, NULL));
  StudioCompareSet *set;

  for (int i = 1; i <= 4; i++)
    {
      g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);

      add_whole_run (store, NULL);
      g_clear_pointer (&store, tosst_store_free);
      studio_compare_view_set_store (view, place->file);
      studio_run_list_refresh (place->file);
      set = view->set;
      if (i < 4)
        {
          wait_until_read (view, MIN (i, 2));
          studio_test_wait (first_is, &(Chosen){ view, (guint)i }, 10);
        }
      if (i == 3)
        {
          g_assert_true (is_chosen (view, 2, NULL));
          studio_compare_view_compare (view, (const gint64[]){ 1 }, 1);
        }
    }
  studio_test_wait (knows_run, &(Chosen){ view, 4 }, 10);
  g_assert_cmpuint (set->runs->len, ==, 1);
  g_assert_true (is_chosen (view, 1, NULL));
  g_object_unref (view);
}

/* The check button of the run in the list. */
static GtkWidget *
check_of (GtkWidget *widget, const char *name)
{
  g_autofree char *label = NULL;

  if (GTK_IS_CHECK_BUTTON (widget)
      && (label = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name))
             == NULL)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = check_of (child, name);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The menu names its run, that of the row checked last. */
static void
test_menu (Place *place, gconstpointer data)
{
  Shown shown;
  GtkMenuButton *menu;
  g_autofree char *name = NULL;
  StudioRunRow *row;
  g_autofree char *number = NULL;

  fill (place);
  shown = show (place);
  wait_until_read (shown.view, 2);
  studio_test_spin (0.2);
  menu = GTK_MENU_BUTTON (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "run_button"));
  g_assert_cmpstr (gtk_menu_button_get_label (menu), ==, "Run 4");
  row = studio_run_list_find (shown.view->list, 1);
  number = studio_run_row_get_text (row, "accuracy");
  name = g_strdup_printf ("Compare Run 1: a title, %s", number);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check_of (GTK_WIDGET (shown.view), name)), TRUE);
  g_assert_true (is_chosen (shown.view, 1, NULL));
  g_assert_cmpstr (gtk_menu_button_get_label (menu), ==, "Run 1");
  close_shown (&shown);
}

/* One that has no space in charts is above them, whole, and in their exports. */
static void
check_long_name (Shown *shown)
{
  StudioCompareCurves *curves
      = STUDIO_COMPARE_CURVES (studio_test_find (GTK_WIDGET (shown->view), STUDIO_TYPE_COMPARE_CURVES));
  GtkWidget *key = studio_test_child (curves, STUDIO_TYPE_COMPARE_CURVES, "key"), *dialog;
  g_autofree char *csv = NULL;

  g_assert_false (gtk_widget_get_visible (key));
  gtk_widget_activate_action (GTK_WIDGET (shown->view), "compare.rename", NULL);
  dialog = studio_test_dialog ();
  g_assert_nonnull (dialog);
  gtk_editable_set_text (studio_test_entry (dialog, "Name"), "Covariances of linen and of other cloths");
  g_signal_emit_by_name (studio_test_entry (dialog, "Name"), "entry-activated");
  studio_test_spin (0.2);
  g_assert_true (gtk_widget_get_visible (key));
  g_assert_true (studio_test_has_label (key, "Run 3: Covariances of linen and of other cloths"));
  /* The list has it whole, too. */
  g_assert_true (studio_test_has_label (studio_test_child (shown->view, STUDIO_TYPE_COMPARE_VIEW, "run_list"),
                                        "Covariances of\nlinen and of\nother cloths"));
  csv = tosst_chart_to_csv (studio_compare_curves_get_chart (curves, STUDIO_COMPARE_MEANS));
  g_assert_nonnull (strstr (csv, "Covariances of linen and of other cloths"));
}

/* A run gets a name by its menu; the list, the columns of the numbers and the search know it. */
static void
test_names (Place *place, gconstpointer data)
{
  Shown shown;
  GtkWidget *dialog, *table, *search;
  GtkSelectionModel *rows;
  StudioRunRow *row;

  fill (place);
  shown = show (place);
  wait_until_read (shown.view, 2);
  row = studio_run_list_find (shown.view->list, 3);
  studio_test_spin (0.2);
  rows = gtk_list_view_get_model (GTK_LIST_VIEW (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "run_list")));
  gtk_selection_model_select_item (rows, 1, TRUE); /* after the queued one */
  gtk_widget_activate_action (GTK_WIDGET (shown.view), "compare.rename", NULL);
  dialog = studio_test_dialog ();
  g_assert_nonnull (dialog);
  gtk_editable_set_text (studio_test_entry (dialog, "Name"), "Linen");
  gtk_editable_set_text (studio_test_entry (dialog, "Tags, separated by spaces"), "best");
  g_signal_emit_by_name (studio_test_entry (dialog, "Name"), "entry-activated"); /* Return */
  g_assert_cmpstr (studio_run_row_get_name (row), ==, "Linen");
  studio_test_spin (0.2);
  g_assert_null (studio_test_dialog ());
  g_assert_true (studio_test_has_label (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "run_list"), "Linen"));
  table = studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "table");
  g_assert_true (studio_test_has_label (table, "Run 3: Linen"));
  search = studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "search");
  gtk_editable_set_text (GTK_EDITABLE (search), "linen best");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, 1);
  check_long_name (&shown);
  close_shown (&shown);
}

static void
note_change (GListModel *rows, guint position, guint removed, guint added, guint *most)
{
  *most = MAX (*most, removed + added);
}

static gboolean
are_all_shown (gpointer rows)
{
  return g_list_model_get_n_items (rows) == MANY;
}

static gboolean
is_one_shown (gpointer rows)
{
  return g_list_model_get_n_items (rows) == 1;
}

/* A search that hides or shows many runs makes and drops a few rows at a time. */
static void
test_search_many (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  guint most = 0;
  GtkEditable *search;
  GtkSelectionModel *rows;
  Shown shown;

  for (int i = 0; i < MANY; i++)
    add_run (store, NULL, TOSST_RUN_QUEUED);
  shown = show (place);
  search = GTK_EDITABLE (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "search"));
  rows = gtk_list_view_get_model (GTK_LIST_VIEW (studio_test_child (shown.view, STUDIO_TYPE_COMPARE_VIEW, "run_list")));
  g_signal_connect (rows, "items-changed", G_CALLBACK (note_change), &most);
  studio_test_wait (are_all_shown, rows, 10);
  gtk_editable_set_text (search, "97");
  g_signal_emit_by_name (search, "search-changed");
  studio_test_wait (is_one_shown, rows, 10);
  gtk_editable_set_text (search, "");
  g_signal_emit_by_name (search, "search-changed");
  studio_test_wait (are_all_shown, rows, 10);
  g_assert_cmpuint (most, <=, STUDIO_PACED_STEP);
  close_shown (&shown);
}

/* The charts show the data of the store, in the series of the run's colour. */
static void
test_curves (Place *place, gconstpointer data)
{
  Shown shown;
  TosstChart *chart;
  StudioCompareCurves *curves;
  guint slot = 0;

  fill (place);
  shown = show (place);
  wait_until_read (shown.view, 2);
  studio_test_spin (0.1);
  curves = STUDIO_COMPARE_CURVES (studio_test_find (GTK_WIDGET (shown.view), STUDIO_TYPE_COMPARE_CURVES));
  chart = studio_compare_curves_get_chart (curves, STUDIO_COMPARE_OBJECTIVE);
  g_assert_true (is_chosen (shown.view, 2, &slot));
  g_assert_cmpuint (tosst_chart_points (chart, slot), ==, 5);
  g_assert_cmpuint (tosst_chart_series_color (chart, slot), ==, 1);
  g_autofree char *csv = tosst_chart_to_csv (chart);
  g_autofree char *value = g_strdup_printf ("%g", objective_of (2, 0, 5));
  g_assert_nonnull (strstr (csv, "Run 2"));
  g_assert_nonnull (strstr (csv, value));
  chart = studio_compare_curves_get_chart (curves, STUDIO_COMPARE_ACCURACY);
  g_assert_cmpuint (tosst_chart_points (chart, slot), ==, 3);
  /* A point for each run, with an error bar, under its title or number. */
  chart = studio_compare_curves_get_chart (curves, STUDIO_COMPARE_MEANS);
  g_assert_cmpuint (tosst_chart_points (chart, slot), ==, 1);
  g_free (csv);
  csv = tosst_chart_to_csv (chart);
  g_assert_nonnull (strstr (csv, "Run 2: a title deviation"));
  g_assert_true (gtk_widget_get_visible (studio_test_child (curves, STUDIO_TYPE_COMPARE_CURVES, "objective")));
  close_shown (&shown);
}

static gboolean
is_matched (gpointer atoms)
{
  return !studio_compare_atoms_is_matching (atoms);
}

static void
test_atoms (Place *place, gconstpointer data)
{
  Shown shown;
  g_autoptr (StudioMatch) match = NULL;
  g_autofree int *order = NULL;

  fill (place);
  shown = show (place);
  studio_compare_view_compare (shown.view, (const gint64[]){ 1, 2, 3 }, 3);
  wait_until_read (shown.view, 3);
  match = studio_match_new (shown.view->set);
  g_assert_cmpuint (match->n, ==, 2); /* the third has none */
  studio_match_run (match);
  for (int k = 0; k < 12; k++)
    {
      g_assert_cmpint (match->atom[1][k], ==, k < 3 ? -1 : 11 - k);
      if (k >= 3)
        g_assert_cmpfloat_with_epsilon (match->similarity[1][k], 1, 1e-9);
    }
  g_assert_cmpfloat_with_epsilon (match->agreement[1], 1, 1e-9);
  order = studio_match_sorted (match, STUDIO_MATCH_MOST_ALIKE);
  for (int k = 9; k < 12; k++)
    g_assert_cmpint (order[k], <, 3); /* without a partner: last */
  studio_test_wait (is_matched, studio_test_find (GTK_WIDGET (shown.view), STUDIO_TYPE_COMPARE_ATOMS), 10);
  close_shown (&shown);
}

static char *message;

static void
on_message (StudioCompareView *view, const char *text)
{
  g_free (message);
  message = g_strdup (text);
}

static gboolean
has_message (gpointer data)
{
  return message != NULL;
}

static char *
export_to (StudioCompareView *view, Place *place, const char *kind, const char *name)
{
  g_autofree char *path = g_build_filename (place->folder, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  char *contents = NULL;

  g_clear_pointer (&message, g_free);
  studio_export_write (view, kind, file);
  studio_test_wait (has_message, NULL, 10);
  if (!g_file_get_contents (path, &contents, NULL, NULL))
    return NULL;
  g_assert_nonnull (strstr (message, name));
  return contents;
}

static void
test_exports (Place *place, gconstpointer data)
{
  Shown shown;

  fill (place);
  shown = show (place);
  g_signal_connect (shown.view, "message", G_CALLBACK (on_message), NULL);
  wait_until_read (shown.view, 2);
  g_autofree char *svg = export_to (shown.view, place, "objective", "o.svg");
  g_autofree char *csv = export_to (shown.view, place, "accuracy", "a.csv");
  g_autofree char *numbers = export_to (shown.view, place, "numbers", "n.csv");
  g_autofree char *report = export_to (shown.view, place, "report", "r.html");
  g_auto (GStrv) lines = g_strsplit (g_strchomp (numbers), "\n", -1);
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_nonnull (strstr (csv, "50.25")); /* of run 2 */
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_true (g_str_has_prefix (lines[1], "2,done"));
  g_assert_nonnull (strstr (report, "Run 3"));
  g_autofree char *nothing = export_to (shown.view, place, "report", "no-such-folder/r.html");
  g_assert_null (nothing);
  g_assert_nonnull (strstr (message, "no-such-folder"));
  studio_compare_set_clear (shown.view->set);
  nothing = export_to (shown.view, place, "report", "again.html");
  g_assert_null (nothing);
  g_clear_pointer (&message, g_free);
  close_shown (&shown);
}

/* Deleted runs leave the comparison and return with “Undo”. */
static void
test_deletion (Place *place, gconstpointer data)
{
  Shown shown;
  GtkWidget *toasts = adw_toast_overlay_new ();
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  StudioRunList *list;

  g_object_ref_sink (toasts);
  fill (place);
  shown = show (place);
  wait_until_read (shown.view, 2);
  list = shown.view->list;
  g_ptr_array_add (rows, studio_run_list_find (list, 3));
  studio_run_list_delete (list, rows, ADW_TOAST_OVERLAY (toasts));
  studio_test_spin (0.05);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 3);
  g_assert_false (is_chosen (shown.view, 3, NULL));
  g_signal_emit_by_name (studio_test_find (toasts, GTK_TYPE_BUTTON), "clicked"); /* undoes it */
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 4);
  g_object_unref (toasts);
  close_shown (&shown);
}

static void
test_no_store (Place *place, gconstpointer data)
{
  Shown shown = show (place);
  GtkWidget *stack;

  studio_test_spin (0.3);
  stack = studio_test_find (GTK_WIDGET (shown.view), GTK_TYPE_STACK);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (stack)), ==, "empty");
  fill (place);
  studio_run_list_refresh (shown.view->list->file);
  wait_until_read (shown.view, 2);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (stack)), ==, "runs");
  close_shown (&shown);
}

/* With its present data. */
static gboolean
has_problem (gpointer page)
{
  const char *said = adw_status_page_get_description (page);

  return said != NULL && strstr (said, "is not a store of runs") != NULL;
}

/* A name from a foreign file is never parsed as markup. */
static void
test_foreign (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  sqlite3 *db = NULL;
  Shown shown;

  g_clear_pointer (&store, tosst_store_free);
  g_assert_cmpint (sqlite3_open (place->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "CREATE VIEW \"<b>&\" AS SELECT 1", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  shown = show (place);
  studio_test_wait (has_problem,
                    gtk_widget_get_template_child (GTK_WIDGET (shown.view), STUDIO_TYPE_COMPARE_VIEW, "problem_page"),
                    10);
  close_shown (&shown);
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add ("/compare/choosing", Place, NULL, set_up, test_choosing, tear_down);
  g_test_add ("/compare/difference", Place, NULL, set_up, test_difference, tear_down);
  g_test_add ("/compare/newest", Place, NULL, set_up, test_newest, tear_down);
  g_test_add ("/compare/menu", Place, NULL, set_up, test_menu, tear_down);
  g_test_add ("/compare/names", Place, NULL, set_up, test_names, tear_down);
  g_test_add ("/compare/search-many", Place, NULL, set_up, test_search_many, tear_down);
  g_test_add ("/compare/curves", Place, NULL, set_up, test_curves, tear_down);
  g_test_add ("/compare/atoms", Place, NULL, set_up, test_atoms, tear_down);
  g_test_add ("/compare/exports", Place, NULL, set_up, test_exports, tear_down);
  g_test_add ("/compare/deletion", Place, NULL, set_up, test_deletion, tear_down);
  g_test_add ("/compare/no-store", Place, NULL, set_up, test_no_store, tear_down);
  g_test_add ("/compare/foreign", Place, NULL, set_up, test_foreign, tear_down);
  return g_test_run ();
}

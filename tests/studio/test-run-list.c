/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of stored runs: it follows the store, also where another program writes, and edits reach the store.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "store-place.h"
#include "studio-test.h"
#include "studio/runs/run-list.h"

static guint
length (StudioRunList *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (list));
}

static StudioRunRow *
row_at (StudioRunList *list, guint i)
{
  g_autoptr (StudioRunRow) row = g_list_model_get_item (G_LIST_MODEL (list), i);

  return row;
}

static gboolean
is_loaded (gpointer list)
{
  return STUDIO_RUN_LIST (list)->loaded;
}

static StudioRunList *
open_list (Place *place)
{
  StudioRunList *list = studio_run_list_get (place->file);

  studio_test_wait (is_loaded, list, 10);
  return list;
}

typedef struct
{
  StudioRunList *list;
  guint n;
} Length;

static gboolean
has_length (gpointer data)
{
  return length (((Length *)data)->list) == ((Length *)data)->n;
}

static void
wait_for_length (StudioRunList *list, guint n)
{
  studio_test_wait (has_length, &(Length){ list, n }, 10);
}

/* Waits until another connection reads this value from the store. */
typedef struct
{
  Place *place;
  const char *filter;
  guint n;
} Stored;

static gboolean
is_stored (gpointer data)
{
  const Stored *stored = data;
  g_autoptr (TosstStore) store = open_store (stored->place, TOSST_STORE_READ);
  g_autoptr (GPtrArray) runs = list_runs (store, NULL, stored->filter);

  return runs->len == stored->n;
}

static void
wait_for_stored (Place *place, const char *filter, guint n)
{
  studio_test_wait (is_stored, &(Stored){ place, filter, n }, 10);
}

/* Ranges of items-changed, as text to be compared. */
static void
on_items (GListModel *model, guint at, guint removed, guint added, GString *log)
{
  g_string_append_printf (log, "%u-%u+%u ", at, removed, added);
}

static void
test_values (Place *place, gconstpointer data)
{
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GError) error = NULL;
  g_autoptr (StudioRunList) list = NULL;
  g_autofree char *accuracy = NULL, *state = NULL;

  g_assert_true (tosst_recipe_set (recipe, "dictionary.gamma", "inf", NULL));
  g_assert_true (tosst_recipe_set (recipe, "dictionary.atoms", "77", NULL));
  gint64 id = add_whole_run (store, recipe), other = add_run (store, NULL, TOSST_RUN_QUEUED);
  g_assert_true (tosst_store_tag (store, id, "zebra", TRUE, &error));
  g_assert_true (tosst_store_tag (store, id, "star", TRUE, &error));
  g_assert_true (tosst_store_set_note (store, id, "good", &error));

  list = open_list (place);
  g_assert_cmpuint (length (list), ==, 2);
  StudioRunRow *row = row_at (list, 0);
  const TosstStoreRun *run = row->run;
  g_assert_cmpint (row->run->id, ==, id);
  g_assert_cmpint (run->state, ==, TOSST_RUN_DONE);
  g_assert_cmpstr (studio_run_row_get_parameter (row, "dictionary.atoms"), ==, "77");
  g_assert_cmpfloat (studio_run_row_get_number (row, "dictionary.atoms"), ==, 77);
  g_assert_true (isinf (studio_run_row_get_number (row, "dictionary.gamma")));
  g_assert_cmpstr (studio_run_row_get_parameter (row, "no.such"), ==, "");
  g_assert_true (isnan (studio_run_row_get_number (row, "no.such")));
  /* Accuracies a, a + 1, a + 4 of the fixture. */
  g_assert_cmpfloat_with_epsilon (studio_run_row_get_number (row, "accuracy"), 50.125 + 5.0 / 3, 1e-9);
  g_assert_cmpfloat_with_epsilon (studio_run_row_get_number (row, "best"), 54.125, 1e-9);
  g_assert_cmpfloat (studio_run_row_get_number (row, "nonzeros"), ==, 3.5);
  g_assert_cmpfloat (studio_run_row_get_number (row, "seconds"), ==, 15);
  g_assert_true (isinf (studio_run_row_get_number (row, "objective")));
  accuracy = studio_run_row_get_text (row, "accuracy");
  g_assert_cmpstr (accuracy, ==, "51.8 %");
  g_assert_true (studio_run_row_has_tag (row, STUDIO_TAG_STAR));
  g_assert_false (studio_run_row_has_tag (row, STUDIO_TAG_HIDDEN));
  g_assert_cmpstr (row->other_tags, ==, "zebra");
  g_assert_cmpstr (run->note, ==, "good");
  row = row_at (list, 1);
  g_assert_cmpint (row->run->id, ==, other);
  state = studio_run_row_get_text (row, "state");
  g_assert_cmpstr (state, ==, "queued");
  g_assert_true (isnan (studio_run_row_get_number (row, "accuracy")));
}

/* When another program writes, new runs are added and changed runs keep their objects. */
static void
test_follows (Place *place, gconstpointer data)
{
  g_autoptr (StudioRunList) list = open_list (place); /* before the store exists */
  g_autoptr (TosstStore) store = NULL;
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (length (list), ==, 0);
  g_assert_null (list->problem);
  g_signal_connect (list, "items-changed", G_CALLBACK (on_items), log);
  store = open_store (place, TOSST_STORE_WRITE);
  gint64 id = add_run (store, NULL, TOSST_RUN_RUNNING);
  wait_for_length (list, 1); /* by itself, within a second or two */
  StudioRunRow *row = row_at (list, 0);
  g_assert_true (isnan (studio_run_row_get_number (row, "accuracy")));
  add_split (store, id, 0, 75);
  finish_run (store, id, TOSST_RUN_DONE, NULL);
  add_run (store, NULL, TOSST_RUN_QUEUED);
  studio_run_list_refresh (place->file);
  wait_for_length (list, 2);
  g_assert_true (row == row_at (list, 0));
  g_assert_cmpfloat (studio_run_row_get_number (row, "accuracy"), ==, 75);
  g_assert_cmpint (row->run->state, ==, TOSST_RUN_DONE);
  g_assert_cmpstr (studio_run_row_get_parameter (row, "coding.method"), !=, "");
  g_assert_true (tosst_store_delete (store, id, &error));
  studio_run_list_refresh (place->file);
  wait_for_length (list, 1);
  g_assert_cmpstr (log->str, ==, "0-0+1 1-0+1 0-1+0 ");
}

/* A store has one list, of whose rows an edit in one view is an edit in all. */
static void
test_shared (Place *place, gconstpointer data)
{
  g_autoptr (StudioRunList) one = open_list (place), two = open_list (place);

  g_assert_true (one == two);
}

static gboolean
set_flag (gpointer flag)
{
  return *(gboolean *)flag;
}

static void
on_failed (StudioRunList *list, const char *sentence, gboolean *failed)
{
  g_assert_nonnull (strstr (sentence, "tag"));
  *failed = TRUE;
}

static void
test_edits (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gboolean failed = FALSE;

  add_whole_run (store, NULL);
  g_autoptr (StudioRunList) list = open_list (place);
  StudioRunRow *row = row_at (list, 0);
  g_signal_connect (list, "failed", G_CALLBACK (on_failed), &failed);
  studio_run_list_set_tag (list, row, STUDIO_TAG_STAR, TRUE);
  studio_run_list_set_tag (list, row, STUDIO_TAG_HIDDEN, TRUE);
  studio_run_list_set_tag (list, row, "thesis", TRUE);
  g_assert_true (studio_run_row_has_tag (row, STUDIO_TAG_STAR)); /* at once */
  g_assert_cmpstr (row->other_tags, ==, "thesis");
  wait_for_stored (place, "tag = star, tag = hidden, tag = thesis", 1);
  studio_test_spin (0.1);
  g_assert_true (studio_run_row_has_tag (row, STUDIO_TAG_HIDDEN)); /* also with the data read after it */
  studio_run_list_set_tag (list, row, STUDIO_TAG_STAR, FALSE);
  wait_for_stored (place, "tag = star", 0);
  /* An edit that cannot be written is reverted. */
  studio_run_list_set_tag (list, row, "two words", TRUE);
  studio_test_wait (set_flag, &failed, 10);
  g_assert_cmpstr (row->other_tags, ==, "thesis");
}

static gboolean
has_note (gpointer data)
{
  g_autoptr (TosstStore) store = open_store (((Stored *)data)->place, TOSST_STORE_READ);
  g_autoptr (GPtrArray) runs = list_runs (store, NULL, NULL);

  return strcmp (((TosstStoreRun *)runs->pdata[0])->note, ((Stored *)data)->filter) == 0;
}

/* Name, tags and note. */
static void
test_descriptions (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  gint64 id = add_whole_run (store, NULL);

  g_assert_true (tosst_store_set_title (store, id, "dictionary.atoms=60 dictionary.lambda=0.1", NULL));
  g_autoptr (StudioRunList) list = open_list (place);
  StudioRunRow *row = row_at (list, 0);
  g_autofree char *number = studio_run_row_get_heading (row);
  g_assert_cmpstr (number, ==, "Run 1"); /* its title lists parameters */
  g_assert_cmpstr (studio_run_row_get_name (row), ==, "");

  studio_run_list_set_tag (list, row, STUDIO_TAG_STAR, TRUE);
  studio_run_list_describe (list, row, "Linen, first try", "Two\nlines", "best, #thesis best star");
  g_autofree char *heading = studio_run_row_get_heading (row), *words = studio_run_row_get_words (row);
  g_assert_cmpstr (heading, ==, "Run 1: Linen, first try"); /* at once */
  g_assert_cmpstr (words, ==, "Linen, first try #best #thesis");
  g_assert_cmpstr (row->note, ==, "Two\nlines");
  wait_for_stored (place, "title ~ first try, tag = best, tag = thesis, tag = star", 1);
  studio_test_wait (has_note, &(Stored){ .place = place, .filter = "Two\nlines" }, 10);

  studio_run_list_describe (list, row, "A name that is much longer than the heading of a column may be", "", "thesis");
  wait_for_stored (place, "tag = best", 0);
  wait_for_stored (place, "tag = thesis, tag = star", 1);
  studio_test_spin (0.1);
  g_autofree char *cut = studio_run_row_get_heading (row);
  g_assert_true (g_str_has_suffix (cut, "…"));
  g_assert_cmpint (g_utf8_strlen (cut, -1), <, 45);
  g_assert_cmpstr (row->note, ==, "");
  g_assert_true (studio_run_row_has_tag (row, STUDIO_TAG_STAR));
}

static GPtrArray *
all_rows (StudioRunList *list)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < length (list); i++)
    g_ptr_array_add (rows, g_list_model_get_item (G_LIST_MODEL (list), i));
  return rows;
}

/* Of the toast that is shown. */
static void
undo (GtkWidget *toasts)
{
  g_signal_emit_by_name (studio_test_find (toasts, GTK_TYPE_BUTTON), "clicked");
}

static void
test_deletion (Place *place, gconstpointer data)
{
  g_autoptr (TosstStore) store = open_store (place, TOSST_STORE_WRITE);
  g_autoptr (GtkWidget) toasts = g_object_ref_sink (adw_toast_overlay_new ());
  StudioRunList *list;
  GPtrArray *rows;

  add_whole_run (store, NULL);
  add_whole_run (store, NULL);
  add_run (store, NULL, TOSST_RUN_RUNNING);
  list = open_list (place);
  rows = all_rows (list);
  studio_run_list_delete (list, rows, ADW_TOAST_OVERLAY (toasts));
  g_assert_cmpuint (length (list), ==, 1); /* the run under way */
  g_assert_cmpint (row_at (list, 0)->run->id, ==, 3);
  undo (toasts);
  g_assert_cmpuint (length (list), ==, 3);
  wait_for_stored (place, NULL, 3);
  /* Closing the list while the toast is shown confirms the deletion. */
  g_ptr_array_remove_index (rows, 0);
  studio_run_list_delete (list, rows, ADW_TOAST_OVERLAY (toasts));
  g_assert_cmpuint (length (list), ==, 2);
  g_assert_cmpint (count_rows (place, "SELECT count(*) FROM runs"), ==, 3);
  g_ptr_array_unref (rows);
  g_object_unref (list);
  g_clear_object (&toasts);
  wait_for_stored (place, NULL, 2);
}

static gboolean
has_problem (gpointer list)
{
  return STUDIO_RUN_LIST (list)->problem != NULL;
}

static void
test_no_store (Place *place, gconstpointer data)
{
  g_assert_true (g_file_set_contents (place->path, "this is no database, but a text that is long enough", -1, NULL));
  g_autoptr (StudioRunList) list = open_list (place);
  studio_test_wait (has_problem, list, 10);
  g_assert_cmpuint (length (list), ==, 0);
  g_assert_nonnull (strstr (list->problem, "runs.sqlite"));
}

int
main (int argc, char **argv)
{
  if (!studio_test_init (&argc, &argv))
    return 0;
  g_test_add ("/run-list/values", Place, NULL, set_up, test_values, tear_down);
  g_test_add ("/run-list/follows", Place, NULL, set_up, test_follows, tear_down);
  g_test_add ("/run-list/shared", Place, NULL, set_up, test_shared, tear_down);
  g_test_add ("/run-list/edits", Place, NULL, set_up, test_edits, tear_down);
  g_test_add ("/run-list/descriptions", Place, NULL, set_up, test_descriptions, tear_down);
  g_test_add ("/run-list/deletion", Place, NULL, set_up, test_deletion, tear_down);
  g_test_add ("/run-list/no-store", Place, NULL, set_up, test_no_store, tear_down);
  return g_test_run ();
}

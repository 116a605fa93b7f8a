/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Long lists change in steps: how many items change at once, which ones, and that a selection of one that stays holds.
 */
#include "config.h"

#include <gtk/gtk.h>

#include "studio/compare/paced-list.h"

#define ITEMS 1000
#define SELECTED 500

typedef struct
{
  GListStore *store;
  guint divisor; /* items with a number that it divides are shown */
  GtkFilter *filter;
  GListModel *filtered, *list;
  GtkSingleSelection *selection;
  guint changes;    /* signals */
  guint rows, most; /* items among the first rows that changed: all, and at once */
} Fixture;

static gint64
number_of (gpointer item)
{
  return g_ascii_strtoll (gtk_string_object_get_string (item), NULL, 10);
}

static gboolean
is_shown (gpointer item, gpointer data)
{
  return number_of (item) % ((Fixture *)data)->divisor == 0;
}

static void
on_change (GListModel *list, guint position, guint removed, guint added, Fixture *self)
{
  self->changes++;
  if (position >= STUDIO_PACED_ROWS)
    return;
  self->rows += removed + added;
  self->most = MAX (self->most, removed + added);
}

static void
add (Fixture *self, guint position, guint number)
{
  g_autofree char *text = g_strdup_printf ("%u", number);
  g_autoptr (GtkStringObject) item = gtk_string_object_new (text);

  g_list_store_insert (self->store, position, item);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->store = g_list_store_new (GTK_TYPE_STRING_OBJECT);
  self->divisor = 1;
  self->filter = GTK_FILTER (gtk_custom_filter_new (is_shown, self, NULL));
  for (guint i = 0; i < ITEMS; i++)
    add (self, i, i);
  self->filtered = G_LIST_MODEL (
      gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->store)), g_object_ref (self->filter)));
  self->list = studio_paced_list_new (self->filtered);
  g_signal_connect (self->list, "items-changed", G_CALLBACK (on_change), self);
  self->selection = gtk_single_selection_new (g_object_ref (self->list));
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_object_unref (self->selection);
  g_object_unref (self->list);
  g_object_unref (self->filter);
  g_object_unref (self->store);
}

static gboolean
is_settled (Fixture *self)
{
  guint n = g_list_model_get_n_items (self->filtered);
  gboolean is_same = g_list_model_get_n_items (self->list) == n;

  for (guint i = 0; is_same && i < n; i++)
    {
      g_autoptr (GObject) shown = g_list_model_get_item (self->list, i),
                          item = g_list_model_get_item (self->filtered, i);

      is_same = shown == item;
    }
  return is_same;
}

/* Events until the list has the items of its model; a hang is ended by the time limit of the program. */
static guint
settle (Fixture *self)
{
  guint n = 0;

  for (; !is_settled (self); n++)
    g_main_context_iteration (NULL, TRUE);
  return n;
}

static void
show_multiples (Fixture *self, guint divisor)
{
  self->divisor = divisor;
  self->changes = self->rows = self->most = 0;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
check_items (Fixture *self)
{
  guint n = (ITEMS + self->divisor - 1) / self->divisor;

  g_assert_cmpuint (g_list_model_get_n_items (self->list), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (self->list, i);

      g_assert_cmpint (number_of (item), ==, i * self->divisor);
    }
}

static void
test_steps (Fixture *self, gconstpointer data)
{
  static const guint divisors[] = { 50, 1, 4, 10, 999, 1 };

  g_assert_cmpuint (g_list_model_get_n_items (self->list), ==, 0);
  settle (self);
  check_items (self);
  for (guint i = 0; i < G_N_ELEMENTS (divisors); i++)
    {
      show_multiples (self, divisors[i]);
      g_assert_cmpuint (self->changes, ==, 0);
      g_assert_cmpuint (settle (self) * 2 * STUDIO_PACED_STEP, >=, self->rows);
      check_items (self);
      g_assert_cmpuint (self->most, <=, STUDIO_PACED_STEP);
    }
}

/* It is never removed, or the selection would be that of another item. */
static void
test_selection (Fixture *self, gconstpointer data)
{
  settle (self);
  gtk_single_selection_set_selected (self->selection, SELECTED);
  show_multiples (self, 50);
  settle (self);
  show_multiples (self, 1);
  settle (self);
  check_items (self);
  g_assert_cmpint (number_of (gtk_single_selection_get_selected_item (self->selection)), ==, SELECTED);
  g_assert_cmpuint (gtk_single_selection_get_selected (self->selection), ==, SELECTED);
}

static void
test_change_meanwhile (Fixture *self, gconstpointer data)
{
  settle (self);
  show_multiples (self, 20);
  for (int i = 0; i < 5; i++)
    g_main_context_iteration (NULL, TRUE);
  show_multiples (self, 3);
  for (int i = 0; i < 5; i++)
    g_main_context_iteration (NULL, TRUE);
  show_multiples (self, 50);
  settle (self);
  check_items (self);
}

/* A few items need not wait. */
static void
test_few (Fixture *self, gconstpointer data)
{
  settle (self);
  self->changes = 0;
  add (self, ITEMS, ITEMS);
  g_assert_cmpuint (self->changes, ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (self->list), ==, ITEMS + 1);
  g_list_store_remove (self->store, ITEMS);
  check_items (self);
}

static int
compare_backwards (gconstpointer a, gconstpointer b, gpointer data)
{
  return number_of ((gpointer)a) > number_of ((gpointer)b) ? -1 : 1;
}

static void
test_order (Fixture *self, gconstpointer data)
{
  settle (self);
  g_list_store_sort (self->store, compare_backwards, NULL);
  settle (self);
  for (guint i = 0; i < ITEMS; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (self->list, i);

      g_assert_cmpint (number_of (item), ==, ITEMS - 1 - i);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add ("/paced-list/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("steps", test_steps);
  ADD ("selection", test_selection);
  ADD ("change-meanwhile", test_change_meanwhile);
  ADD ("few", test_few);
  ADD ("order", test_order);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/compare/compare-cell.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "studio/compare/run-swatch.h"
#include "studio/recipe/value-text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/context-menu.h"

#define LEAST_CHARS 16  /* of "Low rank · K 200", at any font size */
#define DETAIL_CHARS 26 /* of a line of the description */
#define TITLE_CHARS 15  /* and of the name, beside the number */

typedef struct
{
  GtkListItem *item;
  GtkWidget *check, *swatch, *title, *detail, *number, *star;
  gulong toggled, row_changed, set_changed;
  StudioRunRow *row;     /* while it is bound */
  StudioCompareSet *set; /* while it is bound; owned */
} Cell;

/* "K 60 · λ 0.002" of "dictionary.atoms=60 dictionary.lambda=0.002", the titles of runs of sweeps; NULL for other
 * titles. New. */
static char *
shorten_title (const char *title)
{
  g_auto (GStrv) words = g_strsplit (title, " ", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (char **word = words; *word != NULL; word++)
    {
      char *value = strchr (*word, '=');
      const TosstParameter *p;
      g_autofree char *shown = NULL;

      if (value == NULL)
        return NULL;
      *value++ = 0;
      p = tosst_parameter_find (*word);
      if (p == NULL)
        return NULL;
      shown = studio_value_text (p, value);
      g_string_append_printf (text, "%s%s\u00a0%s", text->len > 0 ? " · " : "",
                              p->symbol != NULL ? p->symbol : _ (p->label), shown);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Other methods have values for it in their recipes, without an effect. */
static gboolean
has_dictionary (StudioRunRow *row)
{
  static const char *const names[] = { "descriptor.kind", "coding.method" };
  g_autoptr (TosstRecipe) recipe = tosst_recipe_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    tosst_recipe_set (recipe, names[i], studio_run_row_get_parameter (row, names[i]), NULL);
  return tosst_recipe_has_dictionary (recipe);
}

/* The parameters of a run of a sweep, else those that differ most often, and the data set: new. */
static char *
describe_parameters (StudioRunRow *row)
{
  const char *title = studio_run_row_get_title (row);
  const char *dataset = studio_run_row_get_run (row)->dataset;
  g_autofree char *atoms = studio_run_row_get_text (row, "dictionary.atoms");
  g_autofree char *lambda = studio_run_row_get_text (row, "dictionary.lambda");

  if (*title != 0 && *studio_run_row_get_name (row) == 0)
    return shorten_title (title);
  return *atoms != 0 && *lambda != 0 && has_dictionary (row)
             ? g_strdup_printf ("K\u00a0%s · λ\u00a0%s · %s", atoms, lambda, dataset)
             : g_strdup (dataset);
}

/* Below the name or number: the number of a run with a name, its parameters, its tags. New. */
static char *
describe_row (StudioRunRow *row)
{
  g_autofree char *parameters = describe_parameters (row), *tags = studio_run_row_get_tag_words (row);
  g_autoptr (GString) text = g_string_new (NULL);

  if (*studio_run_row_get_name (row) != 0)
    g_string_append_printf (text, _ ("Run %" PRId64), studio_run_row_get_id (row));
  if (*parameters != 0)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", parameters);
  if (*tags != 0)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", tags);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* All that is known about it by words; new. */
static char *
tooltip_of (StudioRunRow *row, const char *detail)
{
  const char *name = studio_run_row_get_name (row), *note = studio_run_row_get_note (row);

  return g_strdup_printf ("%s%s%s%s%s", name, *name != 0 ? "\n" : "", detail, *note != 0 ? "\n" : "", note);
}

/* Lines of so many letters, broken at a separator or a hyphen, so that nothing is cut off; a label that wraps by itself takes so
 * long to measure that a list of many runs would be slow. New. */
static char *
break_lines (const char *text, const char *separator, glong most)
{
  g_auto (GStrv) parts = g_strsplit (text, separator, -1);
  g_autoptr (GString) lines = g_string_new (NULL);
  glong used = 0;

  for (char **part = parts; *part != NULL; part++)
    {
      glong length = g_utf8_strlen (*part, -1), with = used + g_utf8_strlen (separator, -1) + length;
      gboolean first = part == parts, fits = with <= most;
      const char *hyphen = length > most ? strchr (*part, '-') : NULL;

      g_string_append_printf (lines, "%s%s", first ? "" : fits ? separator : "\n", *part);
      used = !first && fits ? with : length;
      if (hyphen == NULL) /* as nearly always */
        continue;
      g_string_insert (lines, (gssize)(lines->len - strlen (hyphen) + 1), "\n");
      used = g_utf8_strlen (hyphen + 1, -1);
    }
  return g_string_free (g_steal_pointer (&lines), FALSE);
}

static void
show_cell (Cell *cell)
{
  const StudioComparedRun *run = studio_compare_set_find (cell->set, cell->row);
  const TosstStoreRun *stored = studio_run_row_get_run (cell->row);
  g_autofree char *detail = describe_row (cell->row);
  g_autofree char *heading = studio_run_row_get_heading (cell->row), *tooltip = tooltip_of (cell->row, detail);
  const char *title = *studio_run_row_get_name (cell->row) != 0 ? studio_run_row_get_name (cell->row) : heading;
  g_autofree char *number = stored->splits_done > 0 ? studio_run_row_get_text (cell->row, "accuracy")
                                                    : g_strdup (tosst_run_state_label (stored->state));
  g_autofree char *accessible = g_strdup_printf (_ ("Compare %s, %s"), heading, number),
                  *both = g_strconcat (heading, ", ", number, NULL);

  g_signal_handler_block (cell->check, cell->toggled);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (cell->check), run != NULL);
  g_signal_handler_unblock (cell->check, cell->toggled);
  studio_run_swatch_set_color (cell->swatch, run != NULL ? (int)run->color : -1);
  studio_label_take (cell->title, break_lines (title, " ", TITLE_CHARS));
  studio_label_take (cell->detail, break_lines (detail, " · ", DETAIL_CHARS));
  studio_set_tooltip (cell->title, tooltip);
  studio_set_tooltip (cell->detail, tooltip);
  gtk_label_set_label (GTK_LABEL (cell->number), number);
  gtk_widget_set_visible (cell->star, studio_run_row_has_tag (cell->row, STUDIO_TAG_STAR));
  studio_set_name (cell->check, accessible);
  studio_name_list_item (cell->item, both);
}

/* Selects its row, too, to which the menu applies. */
static void
on_toggled (GtkCheckButton *check, Cell *cell)
{
  if (cell->row == NULL)
    return;
  studio_compare_set_choose (cell->set, cell->row, gtk_check_button_get_active (check));
  gtk_widget_activate_action (GTK_WIDGET (check), "list.select-item", "(ubb)", gtk_list_item_get_position (cell->item),
                              FALSE, FALSE);
}

/* The menu applies to the row under the pointer. */
static gboolean
select_row (GtkWidget *widget, double x, double y, gpointer data)
{
  const Cell *cell = data;

  if (cell->row == NULL)
    return FALSE;
  gtk_widget_activate_action (widget, "list.select-item", "(ubb)", gtk_list_item_get_position (cell->item), FALSE,
                              FALSE);
  return TRUE;
}

void
studio_compare_cell_set_up (GtkListItemFactory *factory, GtkListItem *item)
{
  Cell *cell = g_new0 (Cell, 1);
  GtkWidget *texts, *line;

  cell->item = item;
  cell->check = gtk_check_button_new ();
  cell->swatch = studio_run_swatch_new (-1);
  cell->title = studio_label (NULL, "numeric", NULL);
  cell->detail = studio_label (NULL, "numeric", "caption", "dim-label", NULL);
  cell->number = studio_label (NULL, "numeric", NULL);
  cell->star = gtk_image_new_from_icon_name ("starred-symbolic");
  gtk_label_set_ellipsize (GTK_LABEL (cell->title), PANGO_ELLIPSIZE_END);
  gtk_label_set_ellipsize (GTK_LABEL (cell->detail), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (cell->detail), LEAST_CHARS);
  gtk_widget_set_valign (cell->number, GTK_ALIGN_START);
  gtk_widget_set_valign (cell->star, GTK_ALIGN_START);
  gtk_widget_set_hexpand (cell->title, TRUE);
  /* The description has the width below the number, too. */
  texts = studio_column (0, studio_row (8, cell->title, cell->star, cell->number, NULL), cell->detail, NULL);
  gtk_widget_set_hexpand (texts, TRUE);
  cell->toggled = g_signal_connect (cell->check, "toggled", G_CALLBACK (on_toggled), cell);
  g_object_set_data_full (G_OBJECT (item), "cell", cell, g_free);
  line = studio_row (8, cell->check, texts, cell->swatch, NULL);
  studio_add_context_menu (line, "compared_run_menu", select_row, cell);
  gtk_list_item_set_child (item, line);
}

void
studio_compare_cell_bind (GtkListItemFactory *factory, GtkListItem *item, StudioCompareSet **set)
{
  Cell *cell = g_object_get_data (G_OBJECT (item), "cell");

  cell->row = gtk_list_item_get_item (item);
  cell->set = g_object_ref (*set);
  cell->row_changed = g_signal_connect_swapped (cell->row, "changed", G_CALLBACK (show_cell), cell);
  cell->set_changed = g_signal_connect_swapped (cell->set, "changed", G_CALLBACK (show_cell), cell);
  show_cell (cell);
}

void
studio_compare_cell_unbind (GtkListItemFactory *factory, GtkListItem *item)
{
  Cell *cell = g_object_get_data (G_OBJECT (item), "cell");

  g_clear_signal_handler (&cell->row_changed, cell->row);
  g_clear_signal_handler (&cell->set_changed, cell->set);
  g_clear_object (&cell->set);
  cell->row = NULL;
}

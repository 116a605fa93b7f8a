/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/compare/compare-view.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/atomic-file.h"
#include "core/report/against.h"
#include "core/report/report.h"
#include "studio/compare/compare-parts.h"
#include "studio/compare/paced-list.h"
#include "studio/recipe/value-text.h"
#include "studio/runs/run-list.h"
#include "studio/widgets/build.h"
#include "studio/widgets/chart-view.h"
#include "studio/widgets/context-menu.h"
#include "studio/widgets/format.h"
#include "studio/widgets/save-dialog.h"
#include "studio/widgets/wrap.h"

#define LEAST_CHARS 16  /* of "Low rank · K 200", at any font size */
#define DETAIL_CHARS 26 /* of a line of the description */
#define TITLE_CHARS 15  /* and of the name, beside the number */
#define AT_FIRST 2      /* runs compared by default */

G_DEFINE_FINAL_TYPE (StudioCompareView, studio_compare_view, ADW_TYPE_BIN)

typedef struct
{
  GtkListItem *item;
  GtkWidget *check, *swatch, *title, *detail, *number, *star;
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

      if (value == NULL)
        return NULL;
      *value++ = 0;
      const TosstParameter *p = tosst_parameter_find (*word);
      if (p == NULL)
        return NULL;
      g_autofree char *shown = studio_value_text (p, value);
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
  const char *title = row->title;
  const char *dataset = row->run->dataset;
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
    g_string_append_printf (text, _ ("Run %" PRId64), row->run->id);
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
  const char *name = studio_run_row_get_name (row), *note = row->note;

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

/* The menu applies to the row under the pointer. */
static gboolean
select_row (GtkWidget *widget, double x, double y, const Cell *cell)
{
  return cell->row != NULL
         && gtk_widget_activate_action (widget, "list.select-item", "(ubb)", gtk_list_item_get_position (cell->item),
                                        FALSE, FALSE);
}

/* Selects its row, too, to which the menu applies. */
static void
on_toggled (GtkCheckButton *check, Cell *cell)
{
  if (cell->row == NULL)
    return;
  studio_compare_set_choose (cell->set, cell->row, gtk_check_button_get_active (check));
  select_row (GTK_WIDGET (check), 0, 0, cell);
}

static void
show_cell (Cell *cell)
{
  const StudioComparedRun *run = studio_compare_set_find (cell->set, cell->row);
  const TosstStoreRun *stored = cell->row->run;
  g_autofree char *detail = describe_row (cell->row);
  g_autofree char *heading = studio_run_row_get_heading (cell->row), *tooltip = tooltip_of (cell->row, detail);
  const char *title = *studio_run_row_get_name (cell->row) != 0 ? studio_run_row_get_name (cell->row) : heading;
  g_autofree char *number = stored->splits_done > 0 ? studio_run_row_get_text (cell->row, "accuracy")
                                                    : g_strdup (tosst_run_state_label (stored->state));
  g_autofree char *accessible = g_strdup_printf (_ ("Compare %s, %s"), heading, number),
                  *both = g_strconcat (heading, ", ", number, NULL);

  g_signal_handlers_block_by_func (cell->check, on_toggled, cell);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (cell->check), run != NULL);
  g_signal_handlers_unblock_by_func (cell->check, on_toggled, cell);
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

/* A row of the list of runs to compare: a check button that chooses the run, its description, its accuracy, and its
 * colour while it is chosen. */
static void
on_cell_setup (GtkListItemFactory *factory, GtkListItem *item)
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
  g_signal_connect (cell->check, "toggled", G_CALLBACK (on_toggled), cell);
  g_object_set_data_full (G_OBJECT (item), "cell", cell, g_free);
  line = studio_row (8, cell->check, texts, cell->swatch, NULL);
  studio_add_context_menu (line, "compared_run_menu", (StudioContextMenuFunc)select_row, cell);
  gtk_list_item_set_child (item, line);
}

static void
on_cell_bind (GtkListItemFactory *factory, GtkListItem *item, StudioCompareView *self)
{
  Cell *cell = g_object_get_data (G_OBJECT (item), "cell");

  cell->row = gtk_list_item_get_item (item);
  cell->set = g_object_ref (self->set);
  g_signal_connect_swapped (cell->row, "changed", G_CALLBACK (show_cell), cell);
  g_signal_connect_swapped (cell->set, "changed", G_CALLBACK (show_cell), cell);
  show_cell (cell);
}

/* before the item is freed */
static void
on_cell_unbind (GtkListItemFactory *factory, GtkListItem *item)
{
  Cell *cell = g_object_get_data (G_OBJECT (item), "cell");

  g_signal_handlers_disconnect_by_data (cell->row, cell);
  g_signal_handlers_disconnect_by_data (cell->set, cell);
  g_clear_object (&cell->set);
  cell->row = NULL;
}

static void
say (StudioCompareView *self, const char *text)
{
  g_signal_emit_by_name (self, "message", text);
}

/* Visible page. */

/* Two runs against each other, or why the numbers of the runs cannot be compared as they are. New, or NULL. */
static char *
describe_difference (StudioCompareSet *set)
{
  StudioAlike alike = studio_compare_set_alike (set);
  guint n = set->runs->len;
  const StudioComparedRun *first = studio_compare_set_at (set, 0), *second = studio_compare_set_at (set, 1);
  const TosstReportRun *a = second->report != NULL ? second->report->run : NULL,
                       *b = first->report != NULL ? first->report->run : NULL;
  g_autofree char *text = NULL, *said = NULL;
  g_autofree char *name = studio_run_row_get_heading (second->row), *other = studio_run_row_get_heading (first->row);

  if (alike == STUDIO_ALIKE_NOTHING)
    return g_strdup (_ ("These runs are of different images: their scores cannot be compared."));
  if (alike == STUDIO_ALIKE_IMAGES)
    return g_strdup (_ ("These runs test different images: a difference may be that of the splits."));
  if (n == 2 && a != NULL && b != NULL)
    text = tosst_against_sentence (a, b, other);
  if (text != NULL)
    said = g_strdup_printf ("%s: %s", name, text);
  if (alike == STUDIO_ALIKE_OBJECTIVE || a == NULL || b == NULL || a->recipe == NULL || b->recipe == NULL
      || !tosst_recipe_has_dictionary (a->recipe) || !tosst_recipe_has_dictionary (b->recipe))
    return g_steal_pointer (&said);
  return g_strconcat (said != NULL ? said : "", said != NULL ? "\n" : "",
                      _ ("Their objectives are of different problems, and are not drawn."), NULL);
}

static void
show_state (StudioCompareView *self)
{
  guint n = self->set != NULL ? self->set->runs->len : 0;
  const char *problem = self->list != NULL ? self->list->problem : NULL;
  gboolean any = self->list != NULL && g_list_model_get_n_items (G_LIST_MODEL (self->list)) > 0;
  gboolean loaded = self->list == NULL || self->list->loaded;
  /* It may quote a file, and the description is markup. */
  g_autofree char *escaped = problem != NULL ? g_markup_escape_text (problem, -1) : NULL, *difference = NULL;

  if (problem != NULL)
    adw_status_page_set_description (ADW_STATUS_PAGE (self->problem_page), escaped);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), any               ? "runs"
                                                             : problem != NULL ? "problem"
                                                             : loaded          ? "empty"
                                                                               : "loading");
  gtk_stack_set_visible_child_name (GTK_STACK (self->content), n > 0 ? "parts" : "none");
  studio_label_take (self->chosen_label, n == 0 ? g_strdup (_ ("Choose runs to compare"))
                                                : g_strdup_printf (ngettext ("%u run chosen", "%u runs chosen", n), n));
  gtk_widget_set_tooltip_text (self->chosen_label,
                               gtk_label_get_text (GTK_LABEL (self->chosen_label))); /* if cut short */
  difference = n > 1 ? describe_difference (self->set) : NULL;
  studio_label_show_problem (self->difference, difference);
  studio_enable (self, "compare.export", n > 0);
  studio_enable (self, "compare.clear", n > 0);
  g_signal_emit_by_name (self, "changed");
}

static void
on_chosen (StudioCompareView *self)
{
  self->chosen |= !self->choosing;
}

/* The list. */

/* Any word of the description of a run, or one of its parameters as KEY=VALUE. */
static gboolean
matches_word (StudioRunRow *row, const char *word)
{
  static const char *const keys[] = { "id", "title", "note", "tags", "dataset", "state" };
  const char *equals = strchr (word, '=');

  if (equals != NULL)
    {
      g_autofree char *name = g_strndup (word, (gsize)(equals - word));

      return strcmp (studio_run_row_get_parameter (row, name), equals + 1) == 0;
    }
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *text = studio_run_row_get_text (row, keys[i]);

      if (studio_text_contains (text, word))
        return TRUE;
    }
  return FALSE;
}

static gboolean
matches (StudioRunRow *row, StudioCompareView *self)
{
  g_autofree char *folded = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  g_auto (GStrv) words = g_strsplit_set (folded, " \t", -1);

  if (studio_run_row_has_tag (row, STUDIO_TAG_HIDDEN)
      && (self->set == NULL || studio_compare_set_find (self->set, row) == NULL))
    return FALSE;
  for (char **word = words; *word != NULL; word++)
    if (**word != 0 && !matches_word (row, *word))
      return FALSE;
  return TRUE;
}

static int
compare_newest (gconstpointer a, gconstpointer b, gpointer data)
{
  gint64 x = ((const StudioRunRow *)a)->run->id, y = ((const StudioRunRow *)b)->run->id;

  return x > y ? -1 : x < y;
}

static void
on_search (StudioCompareView *self)
{
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
on_activate (StudioCompareView *self, guint position)
{
  GListModel *rows = G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (self->run_list)));
  g_autoptr (StudioRunRow) row = g_list_model_get_item (rows, position);

  if (row != NULL)
    studio_compare_set_choose (self->set, row, studio_compare_set_find (self->set, row) == NULL);
}

static const char *const row_actions[]
    = { "compare.open",        "compare.first", "compare.rename", "compare.copy-script",
        "compare.save-script", "compare.star",  "compare.hide",   "compare.delete" };

/* The row that keys and menus apply to. */
static StudioRunRow *
current_row (StudioCompareView *self)
{
  GtkSelectionModel *model = gtk_list_view_get_model (GTK_LIST_VIEW (self->run_list));

  return model != NULL ? gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (model)) : NULL;
}

static void
on_selected (StudioCompareView *self)
{
  StudioRunRow *row = current_row (self);
  g_autofree char *name = row != NULL ? g_strdup_printf (_ ("Run %" PRId64), row->run->id) : g_strdup ("");

  for (guint i = 0; i < G_N_ELEMENTS (row_actions); i++)
    studio_enable (self, row_actions[i], row != NULL);
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->run_button), name);
  gtk_widget_set_visible (self->run_button, row != NULL);
}

static void
connect_model (StudioCompareView *self)
{
  GtkFilterListModel *filtered
      = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->list)), g_object_ref (GTK_FILTER (self->filter)));
  GtkSortListModel *sorted = gtk_sort_list_model_new (G_LIST_MODEL (filtered),
                                                      GTK_SORTER (gtk_custom_sorter_new (compare_newest, NULL, NULL)));
  g_autoptr (GtkSingleSelection) selection = gtk_single_selection_new (studio_paced_list_new (G_LIST_MODEL (sorted)));

  studio_connect (selection, "notify::selected-item", on_selected, self);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->run_list), GTK_SELECTION_MODEL (selection));
  on_selected (self);
}

/* The newest runs that have a result, at most AT_FIRST. */
static GPtrArray *
newest_runs (StudioCompareView *self)
{
  GPtrArray *newest = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->list)); i-- > 0 && newest->len < AT_FIRST;)
    {
      g_autoptr (StudioRunRow) row = g_list_model_get_item (G_LIST_MODEL (self->list), i);

      if (row->run->state == TOSST_RUN_DONE && !studio_run_row_has_tag (row, STUDIO_TAG_HIDDEN))
        g_ptr_array_add (newest, g_steal_pointer (&row));
    }
  return newest;
}

/* Until the user chooses, the newest runs are compared; in sight runs are only added. */
static void
choose_newest (StudioCompareView *self)
{
  gboolean seen = gtk_widget_get_mapped (GTK_WIDGET (self));

  if (self->chosen || self->to_find->len > 0 || (seen && self->set->runs->len >= AT_FIRST))
    return;
  g_autoptr (GPtrArray) newest = newest_runs (self);
  self->choosing = TRUE;
  for (guint i = self->set->runs->len; !seen && i-- > 0;)
    if (!g_ptr_array_find (newest, studio_compare_set_at (self->set, i)->row, NULL))
      studio_compare_set_remove (self->set, studio_compare_set_at (self->set, i)->row);
  for (guint i = 0; i < newest->len && self->set->runs->len < AT_FIRST; i++)
    studio_compare_set_add (self->set, newest->pdata[i]);
  if (!seen && newest->len > 0)
    studio_compare_set_make_first (self->set, newest->pdata[0]);
  self->choosing = FALSE;
}

static void
find_wanted (StudioCompareView *self)
{
  for (guint i = 0; i < self->to_find->len;)
    {
      StudioRunRow *row = studio_run_list_find (self->list, *(gint64 *)self->to_find->pdata[i]);

      if (row == NULL)
        {
          i++;
          continue;
        }
      studio_compare_set_add (self->set, row);
      g_ptr_array_remove_index (self->to_find, i);
    }
}

static void
on_list_changed (StudioCompareView *self)
{
  find_wanted (self);
  choose_newest (self);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
  show_state (self);
}

/* Actions. */

static void
clear (StudioCompareView *self)
{
  studio_compare_set_clear (self->set);
}

static void
act (StudioCompareView *self, const char *name, GVariant *parameter)
{
  GtkWidget *widget = GTK_WIDGET (self);
  StudioRunRow *row = current_row (self);
  gint64 id = row != NULL ? row->run->id : 0;

  if (row == NULL)
    return;
  if (strcmp (name, "compare.open") == 0)
    g_signal_emit_by_name (widget, "open-run", id);
  else if (strcmp (name, "compare.first") == 0)
    {
      studio_compare_set_add (self->set, row);
      studio_compare_set_make_first (self->set, row);
    }
  else if (strcmp (name, "compare.rename") == 0)
    studio_run_editor_present (widget, self->list, row);
  else if (strcmp (name, "compare.copy-script") == 0)
    gtk_widget_activate_action (widget, "win.copy-script", "(xs)", id, g_variant_get_string (parameter, NULL));
  else if (strcmp (name, "compare.save-script") == 0)
    gtk_widget_activate_action (widget, "win.save-script-as", "x", id);
  else if (strcmp (name, "compare.star") == 0)
    studio_run_list_set_tag (self->list, row, STUDIO_TAG_STAR, !studio_run_row_has_tag (row, STUDIO_TAG_STAR));
  else if (strcmp (name, "compare.hide") == 0)
    {
      studio_compare_set_remove (self->set, row);
      studio_run_list_set_tag (self->list, row, STUDIO_TAG_HIDDEN, TRUE);
    }
  else if (self->toasts != NULL)
    {
      g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);

      g_ptr_array_add (rows, g_object_ref (row));
      studio_compare_set_remove (self->set, row);
      studio_run_list_delete (self->list, rows, self->toasts);
    }
}

/* Exports. */

/* Runs of a store. */
typedef struct
{
  GFile *store;
  GArray *runs; /* gint64 */
} ExportJob;

TOSST_DEFINE_FREE (ExportJob, job_free, (store, g_object_unref), (runs, g_array_unref))

static gboolean
is_wanted (const ExportJob *job, gint64 run)
{
  for (guint i = 0; i < job->runs->len; i++)
    if (g_array_index (job->runs, gint64, i) == run)
      return TRUE;
  return FALSE;
}

static gboolean
write_numbers (gpointer data, GFile *file, GError **error)
{
  const ExportJob *job = data;
  g_autoptr (TosstStore) store = tosst_store_open (job->store, TOSST_STORE_READ, error);
  g_autoptr (GPtrArray) runs = store != NULL ? tosst_store_list (store, NULL, NULL, error) : NULL;

  if (runs == NULL)
    return FALSE;
  for (guint i = runs->len; i-- > 0;)
    if (!is_wanted (job, ((TosstStoreRun *)runs->pdata[i])->id))
      g_ptr_array_remove_index (runs, i);
  g_autofree char *csv = tosst_store_export_csv (store, runs, error);
  return csv != NULL && tosst_atomic_write (file, csv, strlen (csv), error);
}

static gboolean
write_report (gpointer data, GFile *file, GError **error)
{
  const ExportJob *job = data;
  g_autoptr (TosstStore) store = tosst_store_open (job->store, TOSST_STORE_READ, error);

  return store != NULL
         && tosst_report_save (store, (const gint64 *)(gconstpointer)job->runs->data, job->runs->len, file, error);
}

static StudioContent
runs_content (StudioWriteFunc write, GFile *store, GArray *runs)
{
  const ExportJob job = { g_object_ref (store), runs };

  return (StudioContent){ g_memdup2 (&job, sizeof job), job_free, write };
}

StudioContent
studio_report_content (GFile *store, gint64 run)
{
  return runs_content (write_report, store, g_array_append_val (g_array_new (FALSE, FALSE, sizeof run), run));
}

static gboolean
can_export (gpointer self, const char *kind)
{
  return ((StudioCompareView *)self)->set != NULL && ((StudioCompareView *)self)->set->runs->len > 0;
}

static StudioContent
take_runs (gpointer view, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  StudioCompareView *self = view;
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < self->set->runs->len; i++)
    g_array_append_val (runs, studio_compare_set_at (self->set, i)->row->run->id);
  return runs_content (strcmp (kind->kind, "numbers") == 0 ? write_numbers : write_report, self->list->file, runs);
}

static StudioContent take_curve (gpointer view, const StudioSaveKind *kind, const char *suffix, GError **error);

/* The curves first, in their order. */
static const StudioSaveKind kinds[] = {
  { "objective", N_ ("Export Objective (SVG, PDF, PNG or CSV)"), "objective.svg", "svg pdf png csv", take_curve },
  { "nonzeros", N_ ("Export Non-Zeros (SVG, PDF, PNG or CSV)"), "nonzeros.svg", "svg pdf png csv", take_curve },
  { "accuracy", N_ ("Export Accuracy (SVG, PDF, PNG or CSV)"), "accuracy.svg", "svg pdf png csv", take_curve },
  { "means", N_ ("Export Mean Accuracy (SVG, PDF, PNG or CSV)"), "means.svg", "svg pdf png csv", take_curve },
  { "numbers", N_ ("Export All Numbers as CSV"), "runs.csv", "csv", take_runs },
  { "report", N_ ("Export Report (HTML or PDF)"), "report.html", "html pdf", take_runs },
};

static StudioContent
take_curve (gpointer view, const StudioSaveKind *kind, const char *suffix, GError **error)
{
  static const char *const titles[] = { N_ ("Objective"), N_ ("Non-zeros per code") };
  StudioCompareView *self = view;
  int curve = (int)(kind - kinds);
  g_autofree char *score
      = g_strdup_printf (curve == STUDIO_COMPARE_MEANS ? _ ("%s: mean over splits") : _ ("%s by split"),
                         studio_compare_set_score_label (self->set));
  TosstChart *chart = tosst_chart_copy (studio_compare_curves_get_chart (self->curves, curve));

  tosst_chart_set_title (chart, curve >= STUDIO_COMPARE_ACCURACY ? score : _ (titles[curve]));
  return (StudioContent){ chart, (GDestroyNotify)tosst_chart_free, studio_chart_write };
}

static const StudioExports exports = { kinds, G_N_ELEMENTS (kinds), can_export, G_CALLBACK (say) };

static void
export_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  studio_export_ask (widget, g_variant_get_string (parameter, NULL));
}

/* The widget. */

static void
set_parts (StudioCompareView *self, StudioCompareSet *set)
{
  studio_compare_curves_set_set (self->curves, set);
  studio_compare_table_set_set (self->table, set);
  studio_compare_confusion_set_set (self->confusion, set);
  studio_compare_atoms_set_set (self->atoms, set);
}

static void
forget_store (StudioCompareView *self)
{
  if (self->list == NULL)
    return;
  gtk_list_view_set_model (GTK_LIST_VIEW (self->run_list), NULL);
  set_parts (self, NULL);
  g_signal_handlers_disconnect_by_data (self->list, self);
  g_signal_handlers_disconnect_by_data (self->set, self);
  g_clear_object (&self->set);
  g_clear_object (&self->list);
}

STUDIO_DEFINE_DISPOSE_WITH (StudioCompareView, studio_compare_view, forget_store (self), (to_find, g_ptr_array_unref))

static void
studio_compare_view_class_init (StudioCompareViewClass *klass)
{
  STUDIO_ENSURE_TYPES (STUDIO_TYPE_COMPARE_CURVES, STUDIO_TYPE_COMPARE_TABLE, STUDIO_TYPE_COMPARE_CONFUSION,
                       STUDIO_TYPE_COMPARE_ATOMS, STUDIO_TYPE_TAB_STOP, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_compare_view_dispose;
  studio_add_signal (klass, "open-run", 1, G_TYPE_INT64);
  studio_add_signal (klass, "changed", 0);
  studio_add_signal (klass, "message", 1, G_TYPE_STRING);
  STUDIO_SET_TEMPLATE (klass, StudioCompareView, "compare-view", stack, problem_page, flap, search, run_list,
                       run_button, chosen_label, difference, content, parts, curves, table, confusion, atoms, filter);
  STUDIO_BIND_CALLBACKS (klass, studio_menu, on_search, on_activate, on_cell_setup, on_cell_bind, on_cell_unbind);
  for (guint i = 0; i < G_N_ELEMENTS (row_actions); i++)
    STUDIO_INSTALL_ACTIONS (klass,
                            (row_actions[i], strcmp (row_actions[i], "compare.copy-script") == 0 ? "s" : NULL, act));
  STUDIO_INSTALL_ACTIONS (klass, ("compare.clear", NULL, clear), ("compare.export", "s", export_as));
}

static void
studio_compare_view_init (StudioCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_custom_filter_set_filter_func (self->filter, (GtkCustomFilterFunc)matches, self, NULL);
  studio_exports_set (self, &exports);
  self->to_find = g_ptr_array_new_with_free_func (g_free);
  show_state (self);
}

void
studio_compare_view_set_store (StudioCompareView *self, GFile *file)
{
  if (file != NULL && self->list != NULL && g_file_equal (file, self->list->file))
    return;
  forget_store (self);
  if (file != NULL)
    {
      self->list = studio_run_list_get (file);
      self->set = studio_compare_set_new (self->list);
      g_signal_connect_swapped (self->list, "changed", G_CALLBACK (on_list_changed), self);
      g_signal_connect_swapped (self->list, "failed", G_CALLBACK (say), self);
      g_signal_connect_swapped (self->set, "chosen", G_CALLBACK (on_chosen), self);
      g_signal_connect_swapped (self->set, "changed", G_CALLBACK (show_state), self);
      set_parts (self, self->set);
      connect_model (self);
      self->chosen = FALSE;
      choose_newest (self);
    }
  show_state (self);
}

void
studio_compare_view_set_toasts (StudioCompareView *self, AdwToastOverlay *toasts)
{
  self->toasts = toasts;
}

static void
want (StudioCompareView *self, const gint64 *runs, guint n)
{
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->to_find, g_memdup2 (&runs[i], sizeof runs[i]));
  find_wanted (self);
  if (self->to_find->len > 0)
    studio_run_list_refresh (self->list->file);
}

void
studio_compare_view_add (StudioCompareView *self, gint64 run)
{
  if (self->list != NULL)
    want (self, &run, 1);
}

void
studio_compare_view_compare (StudioCompareView *self, const gint64 *runs, guint n)
{
  if (self->list == NULL)
    return;
  g_ptr_array_set_size (self->to_find, 0);
  studio_compare_set_clear (self->set);
  want (self, runs, n);
}

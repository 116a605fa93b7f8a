/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/sweep/sweep-columns.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#include "core/base/text.h"
#include "studio/widgets/build.h"
#include "studio/widgets/format.h"
#include "studio/widgets/table-columns.h"

/* What a column shows. */
typedef struct Column
{
  char *(*text) (StudioSweepRow *row, const struct Column *column);    /* new */
  double (*number) (StudioSweepRow *row, const struct Column *column); /* to sort by; NULL: by the words of the user */
  char *(*tip) (StudioSweepRow *row);                                  /* new; may be NULL */
  const TosstParameter *parameter;
  StudioSweepMetric metric;
  gboolean right, wide, star;
} Column;

static char *
parameter_text (StudioSweepRow *row, const Column *column)
{
  return studio_sweep_row_text (row, column->parameter);
}

/* Choices in the order of the table of parameters. */
static double
parameter_number (StudioSweepRow *row, const Column *column)
{
  g_autofree char *value = NULL;

  if (column->parameter->type != TOSST_PARAMETER_CHOICE)
    return studio_sweep_row_number (row, column->parameter);
  value = studio_sweep_row_value (row, column->parameter);
  for (int i = 0; value != NULL && column->parameter->choices[i] != NULL; i++)
    if (g_str_equal (column->parameter->choices[i], value))
      return i;
  return NAN;
}

static char *
accuracy_text (StudioSweepRow *row, const Column *column)
{
  g_autofree char *accuracy = studio_format_percent (row->outcome.accuracy, 1);

  if (isnan (row->outcome.accuracy))
    return g_strdup ("");
  if (isnan (row->outcome.deviation) || row->outcome.splits_done < 2)
    return g_steal_pointer (&accuracy);
  return g_strdup_printf ("%s ± %.1f", accuracy, row->outcome.deviation);
}

static char *
objective_text (StudioSweepRow *row, const Column *column)
{
  return isnan (row->outcome.objective) ? g_strdup ("") : studio_format_real (row->outcome.objective, 4);
}

static char *
seconds_text (StudioSweepRow *row, const Column *column)
{
  const TosstSweepOutcome *outcome = &row->outcome;

  return isnan (outcome->seconds) ? g_strdup ("") : studio_format_run_time (outcome->seconds, outcome->shared);
}

/* NULL: it shares nothing. */
static char *
seconds_tip (StudioSweepRow *row)
{
  const TosstSweepOutcome *outcome = &row->outcome;
  g_autofree char *own = NULL, *shared = NULL;

  if (isnan (outcome->seconds) || !(outcome->shared > 0))
    return NULL;
  own = studio_format_duration (outcome->seconds);
  shared = studio_format_duration (outcome->shared);
  /* Translators: two durations */
  return g_strdup_printf (_ ("It took %s; stages shared with other runs took %s before"), own, shared);
}

static double
metric_number (StudioSweepRow *row, const Column *column)
{
  return studio_sweep_row_metric (row, column->metric);
}

static char *
number_text (StudioSweepRow *row, const Column *column)
{
  return studio_format_count (row->index + 1);
}

static double
number_number (StudioSweepRow *row, const Column *column)
{
  return row->index;
}

static char *
state_text (StudioSweepRow *row, const Column *column)
{
  return studio_sweep_row_state (row);
}

static double
state_number (StudioSweepRow *row, const Column *column)
{
  return row->outcome.state;
}

static char *
words_text (StudioSweepRow *row, const Column *column)
{
  return g_strdup (row->words != NULL ? row->words : "");
}

/* In the order of the alphabet; runs without words come last. */
static int
compare_words (gconstpointer a, gconstpointer b, gpointer data)
{
  const char *x = ((const StudioSweepRow *)a)->words, *y = ((const StudioSweepRow *)b)->words;

  if (x == NULL || y == NULL)
    return (x == NULL) - (y == NULL);
  return g_utf8_collate (x, y);
}

static double
star_number (StudioSweepRow *row, const Column *column)
{
  return !row->outcome.starred;
}

/* What does not exist is larger than anything. */
static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const Column *column = data;
  StudioSweepRow *p = (StudioSweepRow *)a, *q = (StudioSweepRow *)b;
  double x = column->number (p, column), y = column->number (q, column);

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return x < y ? -1 : x > y;
}

/* Cells. */

static void
show_cell (GtkListItem *item, const Column *column)
{
  StudioSweepRow *row = gtk_list_item_get_item (item);
  GtkWidget *cell = gtk_list_item_get_child (item);
  g_autofree char *text = NULL;

  if (column->star)
    {
      gtk_image_set_from_icon_name (GTK_IMAGE (cell), row->outcome.starred ? "starred-symbolic" : NULL);
      studio_set_name (cell, row->outcome.starred ? _ ("starred") : _ ("not starred"));
      return;
    }
  text = column->text (row, column);
  gtk_label_set_label (GTK_LABEL (cell), text);
  studio_set_class (cell, "error", column->number == state_number && row->outcome.state == TOSST_RUN_FAILED);
  studio_set_class (cell, "dim-label",
                    row->hidden || (column->number == state_number && row->outcome.state == TOSST_RUN_QUEUED));
}

static void
on_row_changed (StudioSweepRow *row, GtkListItem *item)
{
  show_cell (item, g_object_get_data (G_OBJECT (item), "column"));
}

/* Made when it is shown: for each text that is set beforehand, GTK asks the display where the pointer is. */
static gboolean
on_tooltip (GtkWidget *cell, int x, int y, gboolean keyboard, GtkTooltip *tooltip, GtkListItem *item)
{
  const Column *column = g_object_get_data (G_OBJECT (item), "column");
  StudioSweepRow *row = gtk_list_item_get_item (item);
  g_autofree char *text = row == NULL ? NULL : column->wide ? column->text (row, column) : column->tip (row);

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL && *text != 0;
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const Column *column = data;
  GtkWidget *cell = column->star ? gtk_image_new () : gtk_label_new (NULL);

  g_object_set_data (G_OBJECT (item), "column", data);
  g_object_set_data (G_OBJECT (cell), "studio-item", item);
  if (!column->star)
    {
      gtk_label_set_xalign (GTK_LABEL (cell), column->right ? 1 : 0);
      gtk_label_set_ellipsize (GTK_LABEL (cell), column->wide ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
      gtk_label_set_width_chars (GTK_LABEL (cell), column->wide ? 14 : 4);
      gtk_widget_add_css_class (cell, "numeric");
    }
  if (column->wide || column->tip != NULL)
    {
      gtk_widget_set_has_tooltip (cell, TRUE);
      g_signal_connect (cell, "query-tooltip", G_CALLBACK (on_tooltip), item);
    }
  gtk_list_item_set_child (item, cell);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  g_signal_connect (gtk_list_item_get_item (item), "changed", G_CALLBACK (on_row_changed), item);
  show_cell (item, data);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), on_row_changed, item);
}

static void
add_column (GtkColumnView *table, const char *title, const Column *values)
{
  Column *column = g_memdup2 (values, sizeof *values);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) view = NULL;
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (values->number != NULL ? compare : compare_words,
                                                                    g_memdup2 (values, sizeof *values), g_free));

  g_signal_connect_data (factory, "setup", G_CALLBACK (on_setup), column, studio_table_free_column, 0);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), column);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), column);
  view = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_sorter (view, sorter);
  gtk_column_view_column_set_expand (view, values->wide);
  gtk_column_view_column_set_resizable (view, !values->star);
  g_object_set_data (G_OBJECT (view), "parameter", (gpointer)values->parameter);
  gtk_column_view_column_set_visible (view, values->text != words_text); /* until a run has words */
  gtk_column_view_append_column (table, view);
  if (values->right)
    studio_table_align_title_right (table);
}

static void
remove_columns (GtkColumnView *table)
{
  GListModel *columns = gtk_column_view_get_columns (table);

  gtk_column_view_sort_by_column (table, NULL, GTK_SORT_ASCENDING);
  for (guint n = g_list_model_get_n_items (columns); n > 0; n--)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, n - 1);
      gtk_column_view_remove_column (table, column);
    }
}

void
studio_sweep_columns_set (GtkColumnView *table, const TosstSweepPlan *plan)
{
  const GPtrArray *varying = plan != NULL ? plan->varying : NULL;
  gboolean several
      = plan != NULL && plan->runs->len > 0 && tosst_recipe_has_several_labels (tosst_sweep_plan_run (plan, 0)->recipe);

  remove_columns (table);
  add_column (table, "★", &(Column){ .number = star_number, .star = TRUE });
  add_column (table, _ ("Run"), &(Column){ .text = number_text, .number = number_number, .right = TRUE });
  for (guint i = 0; varying != NULL && i < varying->len; i++)
    {
      const TosstParameter *p = g_ptr_array_index (varying, i);
      gboolean number = p->type != TOSST_PARAMETER_CHOICE && p->type != TOSST_PARAMETER_TEXT;
      g_autofree char *title = studio_sweep_label (plan->axes, p, FALSE);

      add_column (table, title,
                  &(Column){ .text = parameter_text, .number = parameter_number, .parameter = p, .right = number });
    }
  add_column (
      table, tosst_score_label (several ? TOSST_SCORE_AP11 : TOSST_SCORE_ACCURACY),
      &(Column){ .text = accuracy_text, .number = metric_number, .metric = STUDIO_SWEEP_ACCURACY, .right = TRUE });
  add_column (
      table, _ ("Objective"),
      &(Column){ .text = objective_text, .number = metric_number, .metric = STUDIO_SWEEP_OBJECTIVE, .right = TRUE });
  add_column (table, _ ("Time"),
              &(Column){ .text = seconds_text,
                         .number = metric_number,
                         .tip = seconds_tip,
                         .metric = STUDIO_SWEEP_SECONDS,
                         .right = TRUE });
  add_column (table, _ ("Name"), &(Column){ .text = words_text, .wide = TRUE });
  add_column (table, _ ("State"), &(Column){ .text = state_text, .number = state_number, .wide = TRUE });
}

void
studio_sweep_columns_show_words (GtkColumnView *table, gboolean any)
{
  GListModel *columns = gtk_column_view_get_columns (table);
  guint n = g_list_model_get_n_items (columns);
  g_autoptr (GtkColumnViewColumn) column = n > 1 ? g_list_model_get_item (columns, n - 2) : NULL;

  if (column != NULL && gtk_column_view_column_get_visible (column) != any)
    gtk_column_view_column_set_visible (column, any);
}

static gboolean
differs (GListModel *rows, const TosstParameter *parameter)
{
  g_autoptr (StudioSweepRow) first = g_list_model_get_item (rows, 0);
  g_autofree char *value = first != NULL ? studio_sweep_row_value (first, parameter) : NULL;

  for (guint i = 1; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);
      g_autofree char *other = studio_sweep_row_value (row, parameter);

      if (g_strcmp0 (value, other) != 0)
        return TRUE;
    }
  return FALSE;
}

void
studio_sweep_columns_show (GtkColumnView *table, GListModel *rows, gboolean differences)
{
  GListModel *columns = gtk_column_view_get_columns (table);

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      const TosstParameter *parameter = g_object_get_data (G_OBJECT (column), "parameter");

      if (parameter != NULL)
        gtk_column_view_column_set_visible (column, !differences || differs (rows, parameter));
    }
}

/* As a file. */

static void
append_number (GString *csv, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (csv, ',');
  if (!isnan (value))
    g_string_append (csv, g_ascii_dtostr (text, sizeof text, value));
}

static void
append_row (GString *csv, StudioSweepRow *row, const GPtrArray *axes)
{
  const TosstSweepOutcome *outcome = &row->outcome;

  g_string_append_printf (csv, "%u,%" PRId64, row->index + 1, outcome->id);
  for (guint i = 0; axes != NULL && i < axes->len; i++)
    {
      const TosstSweepAxis *axis = axes->pdata[i];
      g_autofree char *value = studio_sweep_row_value (row, axis->parameter);

      g_string_append_c (csv, ',');
      tosst_csv_append_field (csv, value != NULL ? value : "");
    }
  append_number (csv, outcome->accuracy);
  append_number (csv, outcome->splits_done > 1 ? outcome->deviation : NAN);
  append_number (csv, outcome->objective);
  append_number (csv, outcome->seconds);
  append_number (csv, isnan (outcome->seconds) ? NAN : outcome->shared);
  g_string_append_printf (csv, ",%d,%s,", outcome->splits_done, tosst_run_state_name (outcome->state));
  tosst_csv_append_field (csv, outcome->reason != NULL ? outcome->reason : "");
  g_string_append_printf (csv, ",%d\n", outcome->starred);
}

char *
studio_sweep_rows_to_csv (GListModel *rows, const GPtrArray *axes)
{
  GString *csv = g_string_new ("run,id");

  for (guint i = 0; axes != NULL && i < axes->len; i++)
    {
      g_autofree char *name = tosst_sweep_axis_name (axes->pdata[i]);

      g_string_append_printf (csv, ",%s", name);
    }
  g_string_append (csv, ",accuracy,deviation,objective,seconds,shared,splits,state,reason,star\n");
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (StudioSweepRow) row = g_list_model_get_item (rows, i);
      append_row (csv, row, axes);
    }
  return g_string_free (csv, FALSE);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/results/result-rows.h"

#include <glib/gi18n.h>
#include <math.h>

#include "studio/widgets/format.h"
#include "studio/widgets/table-columns.h"

struct _StudioResultRow
{
  GObject parent_instance;
  char *text[STUDIO_RESULT_COLUMNS];
  double value[STUDIO_RESULT_COLUMNS]; /* to sort by; NAN: by the text */
  int class_index;
};

G_DEFINE_FINAL_TYPE (StudioResultRow, studio_result_row, G_TYPE_OBJECT)

static void
studio_result_row_finalize (GObject *object)
{
  for (guint i = 0; i < STUDIO_RESULT_COLUMNS; i++)
    g_free (STUDIO_RESULT_ROW (object)->text[i]);
  G_OBJECT_CLASS (studio_result_row_parent_class)->finalize (object);
}

static void
studio_result_row_class_init (StudioResultRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_result_row_finalize;
}

static void
studio_result_row_init (StudioResultRow *self)
{
}

/* Takes text. */
static void
set_cell (StudioResultRow *self, guint cell, double value, char *text)
{
  self->value[cell] = value;
  self->text[cell] = text;
}

StudioResultRow *
studio_class_row_new (const TosstRunResult *result, int class_index)
{
  StudioResultRow *self = g_object_new (STUDIO_TYPE_RESULT_ROW, NULL);
  const int *row = result->confusion + class_index * result->classes;
  int worst = -1, tests = 0;

  for (int j = 0; j < result->classes; j++)
    {
      tests += row[j];
      if (j != class_index && row[j] > 0 && (worst < 0 || row[j] > row[worst]))
        worst = j;
    }
  set_cell (self, 0, NAN, g_strdup (result->class_names[class_index]));
  set_cell (self, 1, result->per_class[class_index], studio_format_percent (result->per_class[class_index], 1));
  set_cell (self, 2, tests, studio_format_count (tests));
  set_cell (self, 3, worst >= 0 ? row[worst] : 0,
            worst >= 0 ? g_strdup_printf ("%s (%d)", result->class_names[worst], row[worst]) : g_strdup (""));
  return self;
}

static void
set_percent (StudioResultRow *self, guint cell, double percent)
{
  set_cell (self, cell, isnan (percent) ? -1 : percent,
            isnan (percent) ? g_strdup ("–") : studio_format_percent (percent, 1));
}

StudioResultRow *
studio_score_row_new (const TosstRunResult *result, int class_index, const TosstClassScore *score)
{
  StudioResultRow *self = g_object_new (STUDIO_TYPE_RESULT_ROW, NULL);

  self->class_index = class_index;
  set_cell (self, 0, NAN, g_strdup (result->class_names[class_index]));
  set_percent (self, 1, score->ap11);
  set_percent (self, 2, score->area);
  set_cell (self, 3, score->positives, studio_format_count (score->positives));
  return self;
}

int
studio_result_row_get_class (StudioResultRow *self)
{
  return self->class_index;
}

StudioResultRow *
studio_split_row_new (const StudioSplit *split)
{
  StudioResultRow *self = g_object_new (STUDIO_TYPE_RESULT_ROW, NULL);

  set_cell (self, 0, split->split, g_strdup_printf ("%d", split->split + 1));
  set_cell (self, 1, split->accuracy, studio_format_percent (split->accuracy, 1));
  set_cell (self, 2, split->objective, studio_format_real (split->objective, 4));
  set_cell (self, 3, split->mean_nonzeros, studio_format_real (split->mean_nonzeros, 3));
  return self;
}

/* Columns. */

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const StudioResultColumn *column = data;
  const StudioResultRow *x = a, *y = b;
  double p = x->value[column->cell], q = y->value[column->cell];
  g_autofree char *first = NULL, *second = NULL;

  if (!isnan (p) || !isnan (q))
    return p < q ? -1 : p > q;
  first = g_utf8_collate_key_for_filename (x->text[column->cell], -1); /* D2 before D10 */
  second = g_utf8_collate_key_for_filename (y->text[column->cell], -1);
  return strcmp (first, second);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const StudioResultColumn *column = data;
  GtkWidget *label = gtk_label_new (NULL), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_label_set_xalign (GTK_LABEL (label), column->number ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), column->number ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, !column->bar);
  if (!column->number && !column->bar)
    {
      gtk_label_set_width_chars (GTK_LABEL (label), 10);
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_lines (GTK_LABEL (label), 2);
    }
  if (column->number)
    gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  if (column->bar) /* after its number, which so is below the title with or without it */
    {
      GtkWidget *bar = gtk_progress_bar_new ();

      gtk_widget_set_hexpand (bar, TRUE);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      gtk_accessible_update_state (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
      gtk_label_set_width_chars (GTK_LABEL (label), 7);
      gtk_box_append (GTK_BOX (box), bar);
    }
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const StudioResultColumn *column = data;
  const StudioResultRow *row = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (box)), row->text[column->cell]);
  if (!column->number)
    gtk_widget_set_tooltip_text (box, row->text[column->cell]);
  if (column->bar)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (gtk_widget_get_last_child (box)),
                                   CLAMP (row->value[column->cell] / 100, 0, 1));
}

void
studio_add_result_columns (GtkColumnView *table, const StudioResultColumn *columns)
{
  for (guint i = 0; i < STUDIO_RESULT_COLUMNS; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autoptr (GtkColumnViewColumn) view = gtk_column_view_column_new (_ (columns[i].title), factory);
      g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare, (gpointer)&columns[i], NULL));

      g_signal_connect (factory, "setup", G_CALLBACK (on_setup), (gpointer)&columns[i]);
      g_signal_connect (factory, "bind", G_CALLBACK (on_bind), (gpointer)&columns[i]);
      gtk_column_view_column_set_sorter (view, sorter);
      gtk_column_view_column_set_expand (view, columns[i].bar || !columns[i].number);
      gtk_column_view_append_column (table, view);
      if (columns[i].number && !columns[i].bar)
        studio_table_align_title_right (table);
    }
}

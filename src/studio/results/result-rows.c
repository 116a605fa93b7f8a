/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/results/result-rows.h"

#include "studio/widgets/table-columns.h"

G_DEFINE_FINAL_TYPE (StudioClassRow, studio_class_row, G_TYPE_OBJECT)
G_DEFINE_FINAL_TYPE (StudioSplitRow, studio_split_row, G_TYPE_OBJECT)

static void
studio_class_row_finalize (GObject *object)
{
  StudioClassRow *self = STUDIO_CLASS_ROW (object);

  g_free (self->name);
  g_free (self->confused);
  G_OBJECT_CLASS (studio_class_row_parent_class)->finalize (object);
}

static void
studio_class_row_class_init (StudioClassRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = studio_class_row_finalize;
}

static void
studio_class_row_init (StudioClassRow *self)
{
}

static void
studio_split_row_class_init (StudioSplitRowClass *klass)
{
}

static void
studio_split_row_init (StudioSplitRow *self)
{
}

StudioClassRow *
studio_class_row_new (const TosstRunResult *result, int class_index)
{
  StudioClassRow *self = g_object_new (STUDIO_TYPE_CLASS_ROW, NULL);
  const int *row = result->confusion + class_index * result->classes;
  int worst = -1;

  for (int j = 0; j < result->classes; j++)
    {
      self->tests += row[j];
      if (j != class_index && row[j] > 0 && (worst < 0 || row[j] > row[worst]))
        worst = j;
    }
  self->name = g_strdup (result->class_names[class_index]);
  self->accuracy = result->per_class[class_index];
  self->confusions = worst >= 0 ? row[worst] : 0;
  self->confused = worst >= 0 ? g_strdup_printf ("%s (%d)", result->class_names[worst], row[worst]) : g_strdup ("");
  return self;
}

StudioSplitRow *
studio_split_row_new (const StudioSplit *split)
{
  StudioSplitRow *self = g_object_new (STUDIO_TYPE_SPLIT_ROW, NULL);

  self->split = *split;
  return self;
}

/* Columns. */

typedef struct
{
  StudioCellText text;
  StudioCellFraction fraction; /* NULL: no bar */
  gboolean number;
} Column;

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const Column *column = data;
  GtkWidget *label = gtk_label_new (NULL), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  gtk_label_set_xalign (GTK_LABEL (label), column->number ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), column->number ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, column->fraction == NULL);
  if (!column->number && column->fraction == NULL)
    gtk_label_set_width_chars (GTK_LABEL (label), 10);
  if (column->number)
    gtk_widget_add_css_class (label, "numeric");
  if (column->fraction != NULL)
    {
      GtkWidget *bar = gtk_progress_bar_new ();

      gtk_widget_set_hexpand (bar, TRUE);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      gtk_widget_set_size_request (bar, 24, -1);
      gtk_accessible_update_state (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
      gtk_label_set_width_chars (GTK_LABEL (label), 7);
      gtk_box_append (GTK_BOX (box), bar);
    }
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const Column *column = data;
  gpointer row = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);
  g_autofree char *text = column->text (row);

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)), text);
  if (!column->number)
    gtk_widget_set_tooltip_text (box, text);
  if (column->fraction != NULL)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (gtk_widget_get_first_child (box)),
                                   CLAMP (column->fraction (row), 0, 1));
}

static void
add_column (GtkColumnView *table, const char *title, const Column *values, GCompareDataFunc compare)
{
  Column *column = g_memdup2 (values, sizeof *values);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) view = NULL;
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare, NULL, NULL));

  g_signal_connect_data (factory, "setup", G_CALLBACK (on_setup), column, studio_table_free_column, 0);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), column);
  view = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_sorter (view, sorter);
  gtk_column_view_column_set_expand (view, values->fraction != NULL || !values->number);
  gtk_column_view_append_column (table, view);
  if (values->number && values->fraction == NULL)
    studio_table_align_title_right (table);
}

void
studio_add_column (GtkColumnView *table, const char *title, StudioCellText text, GCompareDataFunc compare,
                   gboolean number)
{
  add_column (table, title, &(Column){ text, NULL, number }, compare);
}

void
studio_add_bar_column (GtkColumnView *table, const char *title, StudioCellText text, StudioCellFraction fraction,
                       GCompareDataFunc compare)
{
  add_column (table, title, &(Column){ text, fraction, TRUE }, compare);
}

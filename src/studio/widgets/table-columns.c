/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/widgets/table-columns.h"

#include "studio/tasks/task.h"
#include "studio/widgets/build.h"

static void
on_changed (gpointer row, GtkListItem *item)
{
  GObject *factory = g_object_get_data (G_OBJECT (item), "studio-factory");
  const StudioCells *cells = g_object_get_data (factory, "studio-cells");

  cells->show (g_object_get_data (factory, "studio-data"), item);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item)
{
  gpointer row = gtk_list_item_get_item (item);

  g_object_set_data (G_OBJECT (item), "studio-factory", factory);
  if (g_signal_lookup ("changed", G_OBJECT_TYPE (row)) != 0)
    g_signal_connect (row, "changed", G_CALLBACK (on_changed), item);
  on_changed (row, item);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), on_changed, item);
}

GtkListItemFactory *
studio_list_factory_new (const StudioCells *cells, gpointer data, GDestroyNotify free_data)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_object_set_data (G_OBJECT (factory), "studio-cells", (gpointer)cells);
  g_object_set_data_full (G_OBJECT (factory), "studio-data", data, free_data);
  g_signal_connect_swapped (factory, "setup", G_CALLBACK (cells->setup), data);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  return factory;
}

/* The title of the newest column is aligned after its arrow, so that sorting does not move it: GTK aligns titles to the left without an
 * option. */
static void
align_title_right (GtkColumnView *table)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (table));
  GtkWidget *title = header != NULL ? gtk_widget_get_last_child (header) : NULL;
  GtkWidget *box = title != NULL ? gtk_widget_get_first_child (title) : NULL;

  if (!GTK_IS_BOX (box))
    return;
  gtk_widget_set_halign (box, GTK_ALIGN_END);
  gtk_box_reorder_child_after (GTK_BOX (box), gtk_widget_get_first_child (box), gtk_widget_get_last_child (box));
}

GtkColumnViewColumn *
studio_table_add_column (GtkColumnView *table, const char *title, const StudioCells *cells, gpointer data,
                         GDestroyNotify free_data)
{
  GtkListItemFactory *factory = studio_list_factory_new (cells, data, free_data);
  g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (title, factory);

  if (cells->compare != NULL)
    {
      g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (cells->compare, data, NULL));

      g_object_set_data_full (G_OBJECT (sorter), "studio-factory", g_object_ref (factory), g_object_unref);
      gtk_column_view_column_set_sorter (column, sorter);
    }
  gtk_column_view_column_set_expand (column, cells->expand);
  gtk_column_view_column_set_resizable (column, cells->resizable);
  gtk_column_view_append_column (table, column);
  if (cells->right)
    align_title_right (table);
  return column; /* of the table */
}

GtkColumnViewColumn *
studio_table_get_column (GtkWidget *table, guint number)
{
  g_autoptr (GtkColumnViewColumn) column
      = g_list_model_get_item (gtk_column_view_get_columns (GTK_COLUMN_VIEW (table)), number);

  return column;
}

void
studio_table_remove_columns (GtkColumnView *table, guint first)
{
  GtkColumnViewColumn *column;

  while ((column = studio_table_get_column (GTK_WIDGET (table), first)) != NULL)
    gtk_column_view_remove_column (table, column);
}

void
studio_rows_append (GListStore *list, gpointer row, GDestroyNotify free_row)
{
  g_autoptr (GObject) item = g_object_new (G_TYPE_OBJECT, NULL);

  g_object_set_data_full (item, "studio-row", row, free_row);
  g_list_store_append (list, item);
}

gpointer
studio_row_of (gconstpointer item)
{
  return g_object_get_data ((GObject *)item, "studio-row");
}

static gboolean
go_to_last (gpointer adjustment)
{
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  return G_SOURCE_REMOVE;
}

/* Emitted during allocation, when the position cannot be changed. */
static void
on_width (GtkAdjustment *adjustment)
{
  if (gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL)
    g_idle_add_full (G_PRIORITY_DEFAULT, go_to_last, g_object_ref (adjustment), g_object_unref);
}

void
studio_table_begin_with_first (GtkColumnView *table)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (table));

  g_signal_connect (adjustment, "changed", G_CALLBACK (on_width), NULL);
}

static GtkWidget *
find_label (GtkWidget *title)
{
  GtkWidget *part = gtk_widget_get_first_child (gtk_widget_get_first_child (title));

  while (part != NULL && !GTK_IS_LABEL (part))
    part = gtk_widget_get_next_sibling (part);
  return part;
}

void
studio_table_wrap_titles (GtkColumnView *table)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (table));

  gtk_widget_add_css_class (GTK_WIDGET (table), "wrapped");
  for (GtkWidget *title = gtk_widget_get_first_child (header); title != NULL;
       title = gtk_widget_get_next_sibling (title))
    if (find_label (title) != NULL)
      gtk_label_set_wrap (GTK_LABEL (find_label (title)), TRUE);
}

typedef struct
{
  GtkColumnView *table;
  double needed; /* pixels: the width with bars; 0: there is space for them */
  guint source;
} Narrowing;

static int
measure_label (GtkWidget *label, GtkOrientation orientation, int size)
{
  int natural;

  gtk_widget_measure (label, orientation, size, NULL, &natural, NULL, NULL);
  return natural;
}

/* How many lines the titles need that may take several, in the columns as they are. */
static int
count_lines (GtkColumnView *table)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (table));
  int lines = 1;

  if (!gtk_widget_has_css_class (GTK_WIDGET (table), "wrapped"))
    return 1;
  for (GtkWidget *title = gtk_widget_get_first_child (header); title != NULL;
       title = gtk_widget_get_next_sibling (title))
    {
      GtkWidget *label = find_label (title);
      int natural = measure_label (label, GTK_ORIENTATION_HORIZONTAL, -1),
          other = measure_label (title, GTK_ORIENTATION_HORIZONTAL, -1) - natural, minimum;

      gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      lines = MAX (lines,
                   measure_label (label, GTK_ORIENTATION_VERTICAL, MAX (minimum, gtk_widget_get_width (title) - other))
                       / MAX (1, measure_label (label, GTK_ORIENTATION_VERTICAL, natural)));
    }
  return lines;
}

/* After the allocation that told of too little space, or of enough. */
static void
set_narrow (Narrowing *self)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (self->table));
  double needed = gtk_adjustment_get_upper (adjustment), room = gtk_adjustment_get_page_size (adjustment);

  if (self->needed > 0 ? room >= self->needed : needed > room)
    self->needed = self->needed > 0 ? 0 : needed;
  studio_set_class (GTK_WIDGET (self->table), "narrow", self->needed > 0);
  int lines = count_lines (self->table);
  studio_set_class (GTK_WIDGET (self->table), "tall", lines == 2);
  studio_set_class (GTK_WIDGET (self->table), "taller", lines > 2);
}

static void
on_room (GtkColumnView *table)
{
  Narrowing *self = g_object_get_data (G_OBJECT (table), "narrowing");

  if (gtk_adjustment_get_page_size (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (table))) > 0)
    studio_later (&self->source, 0, set_narrow, self);
}

TOSST_DEFINE_FREE (Narrowing, free_narrowing, (source, g_source_remove))

void
studio_table_fit (GtkColumnView *table)
{
  GtkScrollable *scrollable = GTK_SCROLLABLE (table);
  Narrowing *self = g_new0 (Narrowing, 1);

  self->table = table;
  g_object_set_data_full (G_OBJECT (table), "narrowing", self, free_narrowing);
  studio_connect (gtk_scrollable_get_hadjustment (scrollable), "changed", on_room, table);
  /* With its rows the table may want more than it had. */
  studio_connect (gtk_scrollable_get_vadjustment (scrollable), "changed", on_room, table);
}

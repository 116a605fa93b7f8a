/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/runs/run-job.h"

G_BEGIN_DECLS

/* A row of the class table. */
#define STUDIO_TYPE_CLASS_ROW (studio_class_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioClassRow, studio_class_row, STUDIO, CLASS_ROW, GObject)

struct _StudioClassRow
{
  GObject parent_instance;
  char *name, *confused; /* confused: "D7 (4)", "": never */
  double accuracy;       /* percent */
  int tests, confusions; /* over all splits */
};

/* Row class_index of result. */
StudioClassRow *studio_class_row_new (const TosstRunResult *result, int class_index);

/* A row of the split table. */
#define STUDIO_TYPE_SPLIT_ROW (studio_split_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioSplitRow, studio_split_row, STUDIO, SPLIT_ROW, GObject)

struct _StudioSplitRow
{
  GObject parent_instance;
  StudioSplit split;
};

StudioSplitRow *studio_split_row_new (const StudioSplit *split);

/* A column whose cells show text (row), sorted by compare. */
typedef char *(*StudioCellText) (gpointer row);
void studio_add_column (GtkColumnView *table, const char *title, StudioCellText text, GCompareDataFunc compare,
                        gboolean number);
/* The same with a bar of fraction (row), 0..1, before the text. */
typedef double (*StudioCellFraction) (gpointer row);
void studio_add_bar_column (GtkColumnView *table, const char *title, StudioCellText text, StudioCellFraction fraction,
                            GCompareDataFunc compare);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/run/scores.h"
#include "studio/runs/job.h"

#define STUDIO_RESULT_COLUMNS 4

/* A row of the class table or of the split table. */
#define STUDIO_TYPE_RESULT_ROW (studio_result_row_get_type ())
G_DECLARE_FINAL_TYPE (StudioResultRow, studio_result_row, STUDIO, RESULT_ROW, GObject)

/* Class, accuracy, tests, and the class it was most often confused with: row class_index of result. */
StudioResultRow *studio_class_row_new (const TosstRunResult *result, int class_index);
/* Of a run with several labels: class, both kinds of average precision, and positive tests. */
StudioResultRow *studio_score_row_new (const TosstRunResult *result, int class_index, const TosstClassScore *score);
int studio_result_row_get_class (StudioResultRow *self); /* of such rows */
/* Split, accuracy, objective and non-zeros. */
StudioResultRow *studio_split_row_new (const StudioSplit *split);

/* The columns of a table, in the order of the cells of its rows. */
typedef struct
{
  const char *title; /* N_() */
  guint cell;
  gboolean number, bar; /* bar: of a percentage, before its text */
} StudioResultColumn;

void studio_add_result_columns (GtkColumnView *table, const StudioResultColumn *columns); /* static */

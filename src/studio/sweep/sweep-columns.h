/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "studio/runs/sweep-row.h"

/* The columns of the table of runs. A cell carries its GtkListItem as data "studio-item". */
/* plan: NULL: no runs. */
void studio_sweep_columns_set (GtkColumnView *table, const TosstSweepPlan *plan);
/* Hides the columns of parameters in which the rows (StudioSweepRow) do not differ, if only differences are wanted. */
void studio_sweep_columns_show (GtkColumnView *table, GListModel *rows, gboolean differences);
/* Shows the column of the users' names and tags, if any row has some. */
void studio_sweep_columns_show_words (GtkColumnView *table, gboolean any);
/* The rows with the values of these axes (TosstSweepAxis *), and everything else that is known of them; C locale, new. */
char *studio_sweep_rows_to_csv (GListModel *rows, const GPtrArray *axes);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/runs/run-list.h"
#include "studio/runs/sweep-planner.h"
#include "studio/runs/sweep-row.h"

/* The runs of a sweep as a table: a column for each parameter that varies, what came out, and why a run failed; to be
 * sorted, filtered, starred and hidden. Signals: "selected" when another row is; "filtered" when others are shown. */
#define STUDIO_TYPE_SWEEP_TABLE (studio_sweep_table_get_type ())
G_DECLARE_FINAL_TYPE (StudioSweepTable, studio_sweep_table, STUDIO, SWEEP_TABLE, AdwBin)

/* Other files only read the members. */
struct _StudioSweepTable
{
  AdwBin parent_instance;
  StudioSweepPlanner *planner;
  StudioRunList *list;
  GtkFilterListModel *filtered; /* StudioSweepRow that pass the filter, as planned */
  GtkFilterListModel *brushed;
  GtkSortListModel *sorted;
  GtkSliceListModel *slice; /* all of them, except shortly after a plan has arrived */
  GtkMultiSelection *selection;
  GtkCustomFilter *filter, *brush_filter;
  GHashTable *brush;     /* rows; NULL: all */
  gboolean any_hidden;   /* among the rows */
  GPtrArray *conditions; /* a StudioSweepFilter; NULL: all */
  guint later_source, more_source;

  GtkWidget *search, *search_error, *starred_button, *hidden_button, *differences_button, *count, *table, *menu;
};

/* list: where stars and hidden runs are kept. Once. */
void studio_sweep_table_set_planner (StudioSweepTable *self, StudioSweepPlanner *planner);
void studio_sweep_table_set_list (StudioSweepTable *self,
                                  StudioRunList *list); /* of the workspace, again when it changes */

void studio_sweep_table_set_brush (StudioSweepTable *self, GHashTable *rows); /* of them, only these; NULL: all */
StudioSweepRow *studio_sweep_table_get_selected (StudioSweepTable *self);     /* borrowed; NULL: none, or several */
GPtrArray *studio_sweep_table_get_selection (StudioSweepTable *self);         /* StudioSweepRow, as they stand; new */
void studio_sweep_table_select (StudioSweepTable *self, StudioSweepRow *row); /* and scrolls to it; NULL: none */
void studio_sweep_table_rename (StudioSweepTable *self);      /* edits name, tags and note of the selected run */
void studio_sweep_table_toggle_star (StudioSweepTable *self); /* of the selected rows */
void studio_sweep_table_toggle_hidden (StudioSweepTable *self);
/* What is shown, as CSV: numbers in the C locale. */
char *studio_sweep_table_to_csv (StudioSweepTable *self);

/* Which runs of a sweep are wanted: conditions that must all hold, with commas between. A condition is KEY OP VALUE with
 * = != < <= > >= or ~ (contains), as in tosst runs --filter; KEY is a parameter (dictionary.atoms, atoms or its symbol),
 * accuracy, seconds, nonzeros, residual, objective, state or reason. Words without an operator are looked for in all columns. */
typedef GPtrArray StudioSweepFilter;

/* text is what the user typed; numbers in their locale or C. NULL with a sentence. plan may be NULL. */
StudioSweepFilter *studio_sweep_filter_new (const char *text, const TosstSweepPlan *plan, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StudioSweepFilter, g_ptr_array_unref)
gboolean studio_sweep_filter_match (const StudioSweepFilter *self, StudioSweepRow *row);

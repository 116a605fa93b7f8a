/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/compare/compare-parts.h"
#include "studio/compare/compare-set.h"
#include "studio/widgets/save-dialog.h"

/* Runs of the workspace, chosen from a list and shown side by side. Signals: "open-run" (gint64 id) to show a run in
 * the Results view, "message" (const char *) for a toast, "changed" when the compared runs changed. */
#define STUDIO_TYPE_COMPARE_VIEW (studio_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioCompareView, studio_compare_view, STUDIO, COMPARE_VIEW, AdwBin)

/* Other files only read the members. */
struct _StudioCompareView
{
  AdwBin parent_instance;
  StudioRunList *list;     /* NULL: no store */
  StudioCompareSet *set;   /* the same */
  AdwToastOverlay *toasts; /* borrowed; NULL: none */
  GtkCustomFilter *filter;
  gboolean choosing;  /* the view itself changes the set */
  gboolean chosen;    /* runs were chosen by the user */
  GPtrArray *to_find; /* gint64 *: runs to compare that are not yet in the list */

  GtkWidget *stack, *problem_page, *flap, *search, *run_list, *run_button, *chosen_label, *difference, *content, *parts;
  StudioCompareCurves *curves;
  StudioCompareTable *table;
  StudioCompareConfusion *confusion;
  StudioCompareAtoms *atoms;
};

void studio_compare_view_set_store (StudioCompareView *self, GFile *file);              /* of runs; NULL: none */
void studio_compare_view_set_toasts (StudioCompareView *self, AdwToastOverlay *toasts); /* for “Undo” */
/* Replaces the chosen runs; ids (gint64) of the store. */
void studio_compare_view_compare (StudioCompareView *self, const gint64 *runs, guint n);
void studio_compare_view_add (StudioCompareView *self, gint64 run); /* adds to the chosen runs */

/* Exports: "objective", "nonzeros", "accuracy" (.svg, .pdf, .png, .csv), "numbers" (.csv), "report" (.html, .pdf). The
 * outcome is reported with "message". The report of one run of a store: */
StudioContent studio_report_content (GFile *store, gint64 run);

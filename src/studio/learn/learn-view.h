/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/plot/chart.h"
#include "studio/runs/project.h"

/* Live view of learning: the objective and its parts, numbers, atoms. */
#define STUDIO_TYPE_LEARN_VIEW (studio_learn_view_get_type ())
G_DECLARE_FINAL_TYPE (StudioLearnView, studio_learn_view, STUDIO, LEARN_VIEW, AdwBin)

/* Other files only read the members. */
struct _StudioLearnView
{
  AdwBin parent_instance;
  StudioProject *project; /* not owned: its window's */
  StudioRunner *runner;
  StudioStepper *stepper;
  gboolean stepping; /* the chart shows its blocks, not the iterations of a run */
  TosstChart *chart;
  int split;   /* shown, -1: none */
  guint drawn; /* its iterations in the chart */
  gboolean has_atoms;
  guint atoms_source; /* shows the first atoms; 0: none pending */

  GtkWidget *sweep_bar, *stack, *waiting, *patches, *look, *chart_view, *iterations_button, *seconds_button, *splits;
  GtkWidget *iteration, *objective, *nonzeros, *unused, *atoms_part, *atoms_detail, *atom_grid, *steps, *axes;
  GtkStringList *split_names;
};

/* Once. The blocks of the stepper are shown instead of a run while it has any. */
void studio_learn_view_set_project (StudioLearnView *self, StudioProject *project);
/* The state of the chart's axes; signal "axes-changed". */
void studio_learn_view_get_axes (StudioLearnView *self, gboolean *logarithmic_x, gboolean *logarithmic,
                                 gboolean *over_seconds);
void studio_learn_view_set_axes (StudioLearnView *self, gboolean logarithmic_x, gboolean logarithmic,
                                 gboolean over_seconds);

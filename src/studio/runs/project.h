/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/recipe/recipe-model.h"
#include "studio/runs/runner.h"
#include "studio/runs/stepper.h"
#include "studio/runs/sweep-runner.h"
#include "studio/runs/workspace.h"

G_BEGIN_DECLS

/* The model under a window: a recipe, and the work on it, one run or sweep at a time. Main thread. Property work-state
 * (StudioRunnerState): of the run or the sweep. */
#define STUDIO_TYPE_PROJECT (studio_project_get_type ())
G_DECLARE_FINAL_TYPE (StudioProject, studio_project, STUDIO, PROJECT, GObject)

/* Other files only read the members. */
struct _StudioProject
{
  GObject parent_instance;

  /* The same for the life of the project. */
  StudioRecipeModel *model;
  StudioWorkspace *workspace;
  StudioRunner *runner;
  StudioSweepRunner *sweep;
  StudioStepper *stepper;

  gboolean disposed;
};

StudioProject *studio_project_new (void); /* g_object_run_dispose() ends its threads */

gboolean studio_project_is_busy (StudioProject *self);     /* a run is under way */
gboolean studio_project_is_sweeping (StudioProject *self); /* a sweep is under way */
gboolean studio_project_is_working (StudioProject *self);  /* one of the two */
StudioRunnerState studio_project_get_work_state (StudioProject *self);

void studio_project_toggle_pause (StudioProject *self);
void studio_project_stop_work (StudioProject *self);

G_END_DECLS

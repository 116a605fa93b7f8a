/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/recipe/recipe-model.h"
#include "studio/runs/forecast.h"
#include "studio/runs/runner.h"
#include "studio/runs/stepper.h"
#include "studio/runs/sweep-runner.h"
#include "studio/runs/workspace.h"
#include "studio/tasks/worker.h"

G_BEGIN_DECLS

/* The model under a window: a data set, a dictionary, a recipe, and the work on them, one run or sweep at a time. Main
 * thread. Properties "dataset" and "atoms" (read the members), and "work-state" (StudioRunnerState): of the run or the
 * sweep. Signals:
 *   "changed"       a data set or dictionary is or is being opened, or the state of work is another one
 *   "loading"       the first data set or dictionary is being opened
 *   "opened" (GFile *)  a file or folder is open
 *   "failed" (const char *sentence, gboolean parameter)  no data set could be opened; parameter: one of the recipe does
 *                   not fit the images. Returns whether what is wrong can be edited beside the sentence
 *   "settled"       something was opened or could not be, or a run has ended: the next step of a session may follow
 *   "commit"        the recipe is about to be read: values being edited are to be set
 *   "ended" (gboolean sweep, gboolean tell)  the work; tell: the outcome is news to the user
 *   "found"         the run that was to be started is in the store: studio_runner_get_found()
 *   "interrupted" (const char *sentence)  a run may be resumed, interrupted_run; NULL: none any more
 *   "forecast" (const char *sentence, gboolean wrong)  what a run will take, or why none can start; NULL: nothing to say
 *   "usage" (gboolean possible, double fraction)  the patches that use atoms can be found; < 0: they are not being found
 *   "toast" (const char *sentence, const char *button, const char *action), "problem" (const char *sentence; NULL: none
 *   any more), "show-view" (const char *name)  for the user */
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

  /* NULL: none. */
  TosstDataset *dataset;
  StudioAtomSet *atoms;
  GFile *dictionary_file; /* of the atoms; NULL: of a run */
  gint64 interrupted_run; /* ended in the middle, and the user is asked whether to resume it; 0: none */
  gboolean refined;       /* during notify::atoms: they are the atoms of before, with their usage */
  gboolean closing;       /* when the work has stopped */
  gboolean disposed;

  /* project-open.c */
  GCancellable *opening, *loading; /* a data set, a dictionary; NULL: none is being opened */
  guint reopen_source;             /* waits for the user to finish editing */
  gboolean start_when_open;
  gboolean unfit; /* no data set, as a parameter does not fit the images: opened again when it changes */

  /* project-run.c */
  gboolean next_run_said, start_again;

  /* project-forecast.c */
  StudioForecast *forecast;     /* NULL: none is made */
  TosstRecipe *forecast_recipe; /* that it is of, or will be; NULL: none is to be */
  guint forecast_source;        /* waits for the user to finish editing */

  /* project-usage.c */
  StudioWorker *finding;      /* NULL: the patches that use atoms are not being found */
  StudioAtomSet *found_atoms; /* of these atoms; NULL with it */
  TosstDataset *found_dataset;
  double found; /* the part that is done */
};

StudioProject *studio_project_new (void); /* g_object_run_dispose() ends its threads */

void studio_project_changed (StudioProject *self); /* emits "changed", then "forecast" and "usage" */

/* project-state.c */
gboolean studio_project_is_empty (StudioProject *self);    /* nothing is open nor being opened */
gboolean studio_project_is_busy (StudioProject *self);     /* a run is under way */
gboolean studio_project_is_sweeping (StudioProject *self); /* a sweep is under way */
gboolean studio_project_is_working (StudioProject *self);  /* one of the two */
StudioRunnerState studio_project_get_work_state (StudioProject *self);

/* project-open.c: in the background. folder NULL: the data set of the recipe. recent: what the user chose, or NULL. */
void studio_project_open (StudioProject *self, GFile *folder, GFile *recent);
void studio_project_open_samples (StudioProject *self);
void studio_project_open_dictionary (StudioProject *self, GFile *file);
void studio_project_show_learned (StudioProject *self); /* the atoms of the run */

/* project-run.c. wish: what to do where the workspace has this run already. While a data set is being opened the run
 * starts as soon as it is open. */
void studio_project_start_run (StudioProject *self, StudioRunWish wish);
void studio_project_start (StudioProject *self);      /* unless it is done: then its results are offered */
void studio_project_start_over (StudioProject *self); /* a run under way is stopped first */
void studio_project_toggle_pause (StudioProject *self);
void studio_project_stop_work (StudioProject *self);
void studio_project_close (StudioProject *self); /* stops the work, and starts none any more */
/* Opens or resumes a run of the workspace; one that is not there, or has nothing to be opened, is left. */
void studio_project_open_run (StudioProject *self, gint64 run, StudioRunWish wish);
void studio_project_open_sweep_run (StudioProject *self, StudioSweepRow *row);
void studio_project_open_found (StudioProject *self);
/* Asks, with "interrupted", whether a run that a program left in the middle is to be resumed. */
void studio_project_offer_interrupted (StudioProject *self, gint64 run);
void studio_project_interrupted_answered (StudioProject *self);
void studio_project_continue (StudioProject *self); /* resumes that run */
gboolean studio_project_can_step (StudioProject *self);
void studio_project_step (StudioProject *self); /* one block of learning */

/* project-usage.c: finds which patches use the atoms of a file or of a stored run, by coding the data set with them; or
 * stops finding them. */
void studio_project_find_patches (StudioProject *self);

G_END_DECLS

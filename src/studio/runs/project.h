/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/preset/preset.h"
#include "studio/recipe/recipe-model.h"
#include "studio/runs/runner.h"
#include "studio/runs/stepper.h"
#include "studio/runs/workspace.h"
#include "studio/tasks/worker.h"

/* The model under a window: a data set, a dictionary, a recipe, and the work on them, one run or sweep at a time. Main
 * thread. Signals:
 *   "dataset", "atoms"  the member is another one
 *   "changed"       a data set or dictionary was opened or is being opened, or the state of the work changed
 *   "loading"       the first data set or dictionary is being opened
 *   "opened" (GFile *)  a file or folder was opened
 *   "failed" (const char *sentence, gboolean parameter)  no data set could be opened; parameter: a parameter of the
 *                   recipe does not fit the images. Returns whether the faulty value can be edited beside the sentence
 *   "settled"       opening succeeded or failed, or a run ended: the next step of a session may follow
 *   "commit"        the recipe is about to be read: pending edits must be applied
 *   "ended" (gboolean sweep, gboolean tell)  the work ended; tell: the outcome is new to the user
 *   "interrupted" (const char *sentence)  the run interrupted_run can be resumed; NULL: no longer
 *   "forecast" (const char *sentence, gboolean wrong)  the estimated cost of a run, or why it cannot start; NULL: none
 *   "preset-time" (guint preset, double seconds)  the estimated time of a run; NAN: unknown
 *   "usage" (gboolean possible, double fraction)  whether a search for the patches that use the atoms is possible, and
 *                   its progress; < 0: no search is running
 *   "toast" (const char *sentence, const char *button, const char *action), "problem" (const char *sentence; NULL:
 *   resolved), "show-view" (const char *name)  messages to the user */
#define STUDIO_TYPE_PROJECT (studio_project_get_type ())
G_DECLARE_FINAL_TYPE (StudioProject, studio_project, STUDIO, PROJECT, GObject)

/* Other files only read the members. */
struct _StudioProject
{
  GObject parent_instance;

  /* Constant for the life of the project. */
  StudioRecipeModel *model;
  StudioWorkspace *workspace;
  StudioRunner *runner;
  StudioSweepPlanner *sweep;    /* of the Sweep view */
  StudioSweepPlanner *forecast; /* of the run of the recipe */
  StudioStepper *stepper;

  /* NULL: none. */
  TosstDataset *dataset;
  StudioAtomSet *atoms;
  GFile *dictionary_file; /* file of the atoms; NULL: the atoms are those of a run */
  gint64 interrupted_run; /* interrupted run that the user is asked to resume; 0: none */
  int first_atom;         /* during "atoms": the atom to show; < 0: any */
  gpointer choosing;      /* the job that makes the atoms of another split; NULL: none */
  gboolean refined;       /* during "atoms": the same atoms as before, now with their usage or a step later */
  gboolean stepped;       /* the atoms are those of a step */
  gboolean closing;       /* to be closed once the work has stopped */
  gboolean disposed;

  /* project-open.c */
  GCancellable *opening, *loading; /* jobs that open a data set and a dictionary; NULL: none */
  guint reopen_source;             /* waits for the user to finish editing */
  GFile *refused, *refused_recent; /* folder that a parameter does not fit, and its entry of recent files; or NULL */
  gboolean start_when_open;
  gboolean unfit; /* a parameter does not fit the images; the data set is reopened when it changes */

  /* project-preset.c */
  TosstPreset preset;          /* of folders: the user's last choice */
  TosstFacts facts;            /* of the data set */
  StudioSweepPlanner *presets; /* of the run of a preset, to estimate its time */
  int estimating;              /* preset; < 0: none */

  /* project-run.c */
  gboolean next_run_said, start_again, starting;
  gint64 shown; /* the run whose results were shown when the last one was started; 0: none */

  /* project-open.c: the use of atoms */
  StudioWorker *finding;      /* NULL: no search for the patches that use the atoms */
  StudioAtomSet *found_atoms; /* the atoms searched for; NULL with it */
  TosstDataset *found_dataset;
  double found; /* fraction done */
};

/* project-state.c */
gboolean studio_project_is_empty (StudioProject *self);    /* nothing is open or being opened */
gboolean studio_project_is_busy (StudioProject *self);     /* a run is under way */
gboolean studio_project_is_sweeping (StudioProject *self); /* a sweep is under way */
gboolean studio_project_is_working (StudioProject *self);  /* a run or a sweep is under way */

/* project-open.c: in the background. folder NULL: the data set of the recipe. recent: the choice of the user, or
 * NULL. */
void studio_project_open (StudioProject *self, GFile *folder, GFile *recent);
/* The folder that was refused because of a parameter, else the data set of the recipe. */
void studio_project_reopen (StudioProject *self);
void studio_project_forget_refused (StudioProject *self);
void studio_project_open_samples (StudioProject *self);
void studio_project_open_dictionary (StudioProject *self, GFile *file);
void studio_project_show_learned (StudioProject *self); /* the atoms of the run: of its first split */

/* project-open.c: the atoms of a split of the run, from 0, of studio_runner_get_n_dictionaries(); in the background
 * those of later ones. atom: the one to show; < 0: any. */
void studio_project_show_split (StudioProject *self, int split, int atom);

/* project-preset.c. Without a data set there is none. */
TosstPreset studio_project_get_preset (StudioProject *self, gboolean *changed); /* TOSST_N_PRESETS: none of them */
void studio_project_choose_preset (StudioProject *self, TosstPreset preset);    /* except for other changed values */
void studio_project_estimate_presets (StudioProject *self); /* emits "preset-time" of each, as soon as it is known */

/* project-run.c. While a data set is being opened, the run starts as soon as it is open. */
void studio_project_start (StudioProject *self);      /* unless it is done, in which case its results are offered */
void studio_project_start_over (StudioProject *self); /* stops a run under way first */
void studio_project_start_sweep (StudioProject *self, gboolean retry_failed); /* its runs that are not done */
void studio_project_toggle_pause (StudioProject *self);
void studio_project_stop_work (StudioProject *self);
void studio_project_close (StudioProject *self); /* stops the work and accepts no further work */
/* Opens or resumes a run of the workspace; ignores a run that is missing or has no results. run: 0: the newest that has some. */
void studio_project_open_run (StudioProject *self, gint64 run, StudioRunWish wish);
void studio_project_open_sweep_run (StudioProject *self, StudioSweepRow *row);
/* Emits "interrupted" to ask whether to resume a run that a program left unfinished. */
void studio_project_offer_interrupted (StudioProject *self, gint64 run);
void studio_project_interrupted_answered (StudioProject *self);
void studio_project_continue (StudioProject *self); /* resumes that run */
gboolean studio_project_can_step (StudioProject *self);
void studio_project_step (StudioProject *self); /* one block of learning */

/* project-open.c: starts or stops the search for the patches that use the atoms of a file or of a stored run; it codes
 * the data set with them. */
void studio_project_find_patches (StudioProject *self);

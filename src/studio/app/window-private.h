/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/app/window.h"
#include "studio/atoms/atoms-view.h"
#include "studio/compare/compare-view.h"
#include "studio/data/data-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/learn/learn-view.h"
#include "studio/results/results-view.h"
#include "studio/runs/forecast.h"
#include "studio/runs/workspace.h"
#include "studio/sweep/sweep-view.h"
#include "studio/tasks/worker.h"

G_BEGIN_DECLS

struct _StudioWindow
{
  AdwApplicationWindow parent_instance;

  StudioProject *project;

  /* window-dataset.c */
  TosstDataset *dataset; /* NULL: none */
  GCancellable *opening; /* NULL: nothing is being opened */
  guint reopen_source;   /* waits for the user to finish editing */
  gboolean start_when_open, sweep_when_open;
  gboolean opened_sweep; /* the recipe that was opened last is of many runs */
  gboolean unfit;        /* no data set, as a parameter does not fit the images: open again when it changes */
  char *problem;

  /* window-dictionary.c */
  StudioAtomSet *atoms;   /* NULL: none */
  GFile *dictionary_file; /* that they are of; NULL: a run's */
  guint loading;          /* number of the file that is being opened, 0: none */

  /* window-usage.c */
  StudioWorker *finding;      /* NULL: nobody looks for the patches that use atoms */
  StudioAtomSet *found_atoms; /* whose; NULL with it */
  TosstDataset *found_dataset;
  double found; /* the part that is done */

  /* window-run.c */
  guint inhibit_cookie;
  gint64 run_started; /* monotonic */
  gboolean close_when_idle, next_run_said, start_again;

  /* window-forecast.c */
  StudioForecast *forecast;     /* NULL: none is made */
  TosstRecipe *forecast_recipe; /* that it is of, or will be; NULL: none is to be */
  guint forecast_source;        /* waits for the user to finish editing */

  /* window-workspace.c */
  GFile *shown_workspace;
  gint64 offered_run; /* ended in the middle, and the user is asked whether it is to go on; 0: none */

  /* window-history.c: what was chosen last, and in which data, only to be compared with */
  gconstpointer chosen_dataset, chosen_atoms;
  guint chosen_image;
  int chosen_x, chosen_y, chosen_atom;

  /* window-session.c */
  guint save_source;
  struct StudioSession *restoring; /* what is still to be done of it; NULL: nothing */

  GtkWidget *toasts, *problem_bar, *problem_label, *notice_bar, *notice_label, *recovery_bar, *recovery_label, *pages,
      *empty_page, *failed_page, *view_title, *views, *flap, *bottom_switcher;
  GtkWidget *panel, *data_stack, *no_images_page, *data_view, *learn_view, *atoms_view, *inspect_view, *results_view,
      *sweep_view, *compare_view;
  GtkWidget *recent_page, *recent_list;
  GMenu *recent_menu; /* of all windows */
  GtkWidget *menu_button, *recipe_button, *start_button, *step_button, *pause_button, *stop_button, *stop_content,
      *progress, *progress_ring;
  GtkWidget *progress_stage, *progress_time;
};

/* window.c */
void studio_window_toast (StudioWindow *self, const char *text);
/* With a button that activates the action. */
void studio_window_toast_action (StudioWindow *self, const char *text, const char *button, const char *action);
void studio_window_notice (StudioWindow *self, const char *sentence);      /* stays until it is read */
void studio_window_show_problem (StudioWindow *self, const char *problem); /* NULL: there is none any more */
void studio_window_show_view (StudioWindow *self, const char *name);

/* window-dataset.c */
void studio_window_dataset_init (StudioWindow *self);
void studio_window_dataset_dispose (StudioWindow *self);
void studio_window_open_recipe_data (StudioWindow *self); /* the data set of the recipe as it is */

/* window-dictionary.c */
void studio_window_dictionary_init (StudioWindow *self);
void studio_window_dictionary_dispose (StudioWindow *self);
void studio_window_open_dictionary (StudioWindow *self, GFile *file);
void studio_window_set_given_recipe (StudioWindow *self); /* the model has another one */

void studio_window_take_used (StudioWindow *self, StudioAtomSet *atoms); /* those on show, of which more is known now */

/* window-usage.c */
void studio_window_update_usage (StudioWindow *self); /* atoms, data set or recipe may be others */
void studio_window_install_usage_actions (GtkWidgetClass *widget_class);
void studio_window_usage_dispose (StudioWindow *self);

/* window-recent.c */
void studio_window_show_recent (StudioWindow *self);
void studio_window_remember (GFile *file); /* it was opened: shown first in every window */
void studio_window_forget (GFile *file);

/* window-run.c */
void studio_window_run_init (StudioWindow *self);
void studio_window_update_run_actions (StudioWindow *self);
void studio_window_fit_switcher (StudioWindow *self);
void studio_window_inhibit (StudioWindow *self, gboolean on); /* going to sleep */
gboolean studio_window_work_ended (StudioWindow *self);       /* TRUE: it was to be closed then, and is */
void studio_window_show_work (StudioWindow *self, double fraction, const char *stage, const char *time);
void studio_window_notify (StudioWindow *self, const char *title, const char *text); /* that it has ended */

/* wish: what to do where the workspace has this run already. */
void studio_window_start_run (StudioWindow *self, StudioRunWish wish);

/* window-forecast.c */
void studio_window_forecast_init (StudioWindow *self);
void studio_window_forecast_dispose (StudioWindow *self);
void studio_window_update_forecast (StudioWindow *self); /* data, recipe or what goes on may have changed */
/* Whether the run would not fit, as far as that is known; then the user is told. */
gboolean studio_window_refuses (StudioWindow *self, StudioRunWish wish);

/* window-sweep.c */
void studio_window_sweep_init (StudioWindow *self);

/* window-workspace.c */
void studio_window_workspace_init (StudioWindow *self);
void studio_window_install_workspace_actions (GtkWidgetClass *widget_class);
/* The run that was to be started is done already: open it, or run it again? */
void studio_window_offer_found (StudioWindow *self);

/* Reads a run of the workspace, and opens it or goes on with it; one that is not there, or has nothing to be opened, is
 * left. */
void studio_window_open_run (StudioWindow *self, gint64 run, StudioRunWish wish);
/* Asks whether a run that a program left in the middle is to go on. */
void studio_window_offer_interrupted (StudioWindow *self, gint64 run);

void studio_window_recovery_answered (StudioWindow *self); /* there is nothing to ask any more */

/* window-session.c */
void studio_window_session_init (StudioWindow *self);
void studio_window_session_dispose (StudioWindow *self);
void studio_window_session_save_now (StudioWindow *self);
void studio_window_session_step (StudioWindow *self);   /* something has been opened, or could not be */
void studio_window_session_forget (StudioWindow *self); /* the user opens something else */

/* window-compare.c */
void studio_window_compare_init (StudioWindow *self);
void studio_window_install_compare_actions (GtkWidgetClass *widget_class);
void studio_window_compare_runs (StudioWindow *self, const gint64 *runs, guint n);

/* window-history.c */
void studio_window_history_init (StudioWindow *self);
void studio_window_undo (StudioWindow *self);
void studio_window_redo (StudioWindow *self);

/* window-stepper.c */
void studio_window_stepper_init (StudioWindow *self);
void studio_window_install_step_actions (GtkWidgetClass *widget_class);
void studio_window_update_step_actions (StudioWindow *self);
void studio_window_step (StudioWindow *self);

/* window-actions.c */
void studio_window_install_actions (StudioWindowClass *klass);

/* window-export.c: kind is "dictionary", "curve", "chart", "confusion", "counts", "patch", "code", "atom", "atoms", "image",
 * "images", "report" or "recipe". */
gboolean studio_window_can_write (StudioWindow *self, const char *kind);
void studio_window_write (StudioWindow *self, const char *kind, GFile *file);
void studio_window_write_dialog (StudioWindow *self, const char *kind);

/* window-export-view.c: the same, "picture" and "numbers", which are those of the visible view, and a sweep's recipe and a
 * comparison's report where these are visible. */
gboolean studio_window_can_export (StudioWindow *self, const char *kind);
void studio_window_export (StudioWindow *self, const char *kind, GFile *file);
void studio_window_export_dialog (StudioWindow *self, const char *kind);
void studio_window_copy_command (StudioWindow *self);
void studio_window_update_exports (StudioWindow *self); /* there may be something else to export */
void studio_window_exports_init (StudioWindow *self);

G_END_DECLS

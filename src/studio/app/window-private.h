/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "studio/app/window.h"
#include "studio/atoms/atoms-view.h"
#include "studio/compare/compare-view.h"
#include "studio/data/data-view.h"
#include "studio/inspect/inspect-view.h"
#include "studio/learn/learn-view.h"
#include "studio/predict/predict-view.h"
#include "studio/results/results-view.h"
#include "studio/sweep/sweep-view.h"
#include "studio/widgets/build.h"

struct _StudioWindow
{
  AdwApplicationWindow parent_instance;
  StudioProject *project;
  void (*make_next) (StudioWindow *self); /* makes a part that the first page does not need; NULL: all are made */
  guint made, making;                     /* parts that are made; source that makes the others */
  char *problem;                          /* visible; NULL: none */
  GtkWidget *close_dialog;                /* asks whether to stop the work; weak; NULL: none */

  /* window-parts.c */
  guint restyling;   /* tick callback; 0: none */
  gint64 restyle_at; /* the frame that computes the new style */

  /* window-dataset.c */
  gboolean opened_sweep; /* the recipe opened last is of many runs */
  gboolean sweep_when_open;
  gboolean chose_data; /* the user opened the data set that is being opened */

  /* window-run.c */
  guint inhibit_cookie;
  gint64 run_started;            /* monotonic */
  gint64 script_run;             /* whose script the file dialog saves */
  gpointer job_to_save;          /* of window-job.c, while a file dialog is open for it; or NULL */
  gint64 last_run, previous_run; /* ids in the store of the run that ended last, and of the one before; 0: none */

  /* window-workspace.c */
  GFile *shown_workspace;
  GFile *opened_store; /* opened as a file: its newest run is shown once it is the workspace; or NULL */

  /* window-history.c: the last choices and their data, only for comparison */
  gconstpointer chosen_dataset, chosen_atoms;
  guint chosen_image;
  int chosen_x, chosen_y, chosen_atom;

  /* window-session.c */
  guint save_source;
  GKeyFile *restoring; /* remaining steps; NULL: none */

  GtkWidget *toasts, *problem_bar, *problem_label, *notice_bar, *notice_label, *recovery_bar, *recovery_label, *pages,
      *empty_page, *failed_page, *failed_button, *folder_button, *view_title, *views, *flap, *bottom_switcher;
  GtkWidget *recipe_place, *data_stack, *no_images_page;
  /* NULL before they are made */
  GtkWidget *panel, *data_view, *learn_view, *atoms_view, *inspect_view, *results_view, *sweep_view, *compare_view,
      *predict_view;
  GtkWidget *recent_page, *recent_list;
  GMenu *recent_menu; /* of all windows */
  GtkWidget *menu_button, *recipe_button, *run_button, *start_button, *step_button, *pause_button, *stop_button,
      *progress, *progress_box, *no_progress, *progress_ring, *other_recipe, *differences;
  GtkWidget *compare_offer; /* the button of a message; NULL: none */
  GtkWidget *progress_stage, *progress_time, *progress_text, *open_button, *start_content, *header_bar;
};

/* Makes at once what is missing of a window of studio_window_present_new (). Actions do so themselves. */
void studio_window_complete (StudioWindow *self);
void studio_window_install_action (GtkWidgetClass *widget_class, const char *name, const char *type,
                                   GtkWidgetActionActivateFunc activate);
/* As STUDIO_INSTALL_ACTIONS(). */
#define STUDIO_INSTALL_WINDOW_ACTIONS(klass, ...)                                                                      \
  TOSST_EACH (STUDIO_INSTALL_ACTION, studio_window_install_action, klass, __VA_ARGS__)

/* Files of the window do not depend on window.c, which calls each of them: handlers of actions cast without
 * STUDIO_WINDOW (). They do not call each other, except for window-header.c, window-messages.c and window-parts.c. */

/* window-messages.c */
void studio_window_messages_init (StudioWindow *self);
void studio_window_toast (StudioWindow *self, const char *text);
/* About finished work: a button shows the view; compares: another one compares the run with the previous one. */
void studio_window_toast_result (StudioWindow *self, const char *text, const char *view, gboolean compares);
void studio_window_show_problem (StudioWindow *self, const char *problem); /* NULL: removes it */
void studio_window_show_view (StudioWindow *self, const char *name);

/* window-dataset.c */
void studio_window_dataset_init (StudioWindow *self);
void studio_window_recent_init (StudioWindow *self);
void studio_window_recent_dispose (StudioWindow *self);
void studio_window_install_dataset_actions (GtkWidgetClass *widget_class);

/* window-dictionary.c */
void studio_window_dictionary_init (StudioWindow *self);

/* window-parts.c: a view or the recipe, which its place shows now. */
void studio_window_show_part (StudioWindow *self, GtkWidget *place);

/* window-header.c */
void studio_window_fit_switcher (StudioWindow *self);  /* to the width of the window */
void studio_window_show_switcher (StudioWindow *self); /* at the bottom, or not */

/* window-run.c */
void studio_window_install_run_actions (GtkWidgetClass *widget_class);
void studio_window_run_init (StudioWindow *self);

/* window-workspace.c. Actions "win.copy-script" (x run, s kind), "win.save-script-as" (x run), and for the run of the
 * window "win.copy-shown-script", "win.save-shown-script-as". */
void studio_window_workspace_init (StudioWindow *self);
void studio_window_install_workspace_actions (GtkWidgetClass *widget_class);

/* window-session.c */
void studio_window_session_init (StudioWindow *self);
void studio_window_session_dispose (StudioWindow *self);
void studio_window_session_save_now (StudioWindow *self);

/* window-job.c. Actions "win.save-job-as", and "win.save-job" (s path) with the last answers. */
void studio_window_install_job_actions (GtkWidgetClass *widget_class);
void studio_window_forget_job (StudioWindow *self); /* the one that a file dialog is open for */

/* window-predict.c */
void studio_window_predict_init (StudioWindow *self);
/* Whether the Predict view is visible and takes a file that was dropped. */
gboolean studio_window_predicts (StudioWindow *self, GFile *file);

/* window-history.c */
void studio_window_history_init (StudioWindow *self);
void studio_window_install_history_actions (GtkWidgetClass *widget_class);

/* window-export.c: what the visible view shows, and the rest of the project. */
void studio_window_exports_init (StudioWindow *self);
gboolean studio_window_shows_sweep (StudioWindow *self); /* exports are of the sweep of the Sweep view */
void studio_window_install_export_actions (GtkWidgetClass *widget_class);

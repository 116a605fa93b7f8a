/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "studio/app/progress-ring.h"
#include "studio/settings/state.h"
#include "studio/widgets/wrap.h"

G_DEFINE_FINAL_TYPE (StudioWindow, studio_window, ADW_TYPE_APPLICATION_WINDOW)

static void
dismiss (StudioWindow *self)
{
  studio_project_forget_refused (self->project);
  self->chose_data = FALSE;
  studio_window_show_problem (self, NULL);
}

static void
on_notice_response (StudioWindow *self)
{
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->notice_bar), FALSE);
}

static void
on_page (StudioWindow *self)
{
  gboolean working = g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->pages)), "work") == 0;

  adw_view_switcher_title_set_view_switcher_enabled (ADW_VIEW_SWITCHER_TITLE (self->view_title), working);
  studio_window_show_switcher (self);
  gtk_widget_set_visible (self->recipe_button, working);
  studio_window_fit_switcher (self);
}

static void
on_close_answer (StudioWindow *self, const char *response)
{
  g_clear_weak_pointer (&self->close_dialog);
  if (g_strcmp0 (response, "stop") == 0)
    studio_window_close_now (self);
  else if (g_strcmp0 (response, "background") == 0)
    {
      /* The application runs as long as it has a window, visible or not. */
      studio_window_session_save_now (self);
      gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
    }
}

static void
ask_before_closing (StudioWindow *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE); /* quitting closes hidden windows as well */
  if (self->close_dialog != NULL)
    {
      gtk_window_present (GTK_WINDOW (self->close_dialog));
      return;
    }
  GtkWidget *dialog = adw_message_dialog_new (
      GTK_WINDOW (self), studio_project_is_sweeping (self->project) ? _ ("Stop the Sweep?") : _ ("Stop the Run?"),
      _ ("It can continue in the background, with a notification when it is finished, or it can be stopped and saved, "
         "to be resumed later."));
  g_set_weak_pointer (&self->close_dialog, dialog);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "stop", _ ("_Stop and Save"),
                                    "background", _ ("_Keep Running"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "background", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "background");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_swapped (dialog, "response", G_CALLBACK (on_close_answer), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* The question is withdrawn when the work ends before it is answered; the window stays open with the results. */
static void
on_changed (StudioWindow *self)
{
  if (self->close_dialog != NULL && !studio_project_is_working (self->project))
    gtk_window_destroy (GTK_WINDOW (self->close_dialog));
}

static gboolean
studio_window_close_request (GtkWindow *window)
{
  StudioWindow *self = STUDIO_WINDOW (window);

  studio_window_complete (self);
  if (studio_project_is_working (self->project))
    {
      if (!self->project->closing)
        ask_before_closing (self);
      return TRUE;
    }
  studio_window_session_save_now (self);
  return GTK_WINDOW_CLASS (studio_window_parent_class)->close_request (window);
}

void
studio_window_close_now (StudioWindow *self)
{
  if (!studio_project_is_working (self->project))
    {
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  studio_project_close (self->project); /* "ended" follows when it has stopped; until then the main loop runs */
}

static gboolean
fit_switcher (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  studio_window_fit_switcher (STUDIO_WINDOW (widget));
  return G_SOURCE_REMOVE;
}

/* In the next frame, when the header bar has its width. */
static void
on_width (GtkWidget *widget)
{
  gtk_widget_add_tick_callback (widget, fit_switcher, NULL, NULL);
}

static void
studio_window_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (studio_window_parent_class)->realize (widget);
  studio_connect (gtk_native_get_surface (GTK_NATIVE (widget)), "notify::width", on_width, widget);
  /* Presenter mode has larger names. */
  studio_connect (gtk_settings_get_default (), "notify::gtk-xft-dpi", on_width, widget);
}

static void
studio_window_dispose (GObject *object)
{
  StudioWindow *self = STUDIO_WINDOW (object);

  self->make_next = NULL;
  g_clear_handle_id (&self->making, g_source_remove);
  g_object_run_dispose (G_OBJECT (self->project));
  g_clear_weak_pointer (&self->close_dialog);
  g_clear_weak_pointer (&self->compare_offer);
  studio_window_session_dispose (self);
  studio_window_recent_dispose (self);
  studio_window_forget_job (self);
  g_clear_object (&self->shown_workspace);
  g_clear_object (&self->opened_store);
  g_clear_pointer (&self->problem, g_free);
  g_clear_object (&self->recent_menu);
  G_OBJECT_CLASS (studio_window_parent_class)->dispose (object);
}

STUDIO_DEFINE_FINALIZE (StudioWindow, studio_window, (project, g_object_unref))

/* Actions. */

static void
show_view (StudioWindow *self, const char *name, GVariant *parameter)
{
  const char *view = g_variant_get_string (parameter, NULL);

  /* Stored runs and models of files need no data set. */
  if (strcmp (view, "compare") == 0 || strcmp (view, "predict") == 0)
    gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "work");
  else if (self->project->dataset == NULL && self->project->atoms == NULL)
    return;
  studio_window_show_view (self, view);
}

static void
toggle_recipe (StudioWindow *self)
{
  AdwFlap *flap = ADW_FLAP (self->flap);

  adw_flap_set_reveal_flap (flap, !adw_flap_get_reveal_flap (flap));
}

static void
stop (StudioWindow *self)
{
  studio_project_stop_work (self->project);
}

static const struct
{
  const char *action;
  void (*method) (StudioProject *project);
} commands[] = {
  { "win.start", studio_project_start },
  { "win.start-over", studio_project_start_over },
  { "win.pause", studio_project_toggle_pause },
  { "win.step", studio_project_step },
  { "win.find-patches", studio_project_find_patches },
  { "win.continue-run", studio_project_continue },
  { "win.leave-stopped", studio_project_interrupted_answered },
};

static void
command (StudioWindow *self, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].action, name) == 0)
      commands[i].method (self->project);
}

static void
install_actions (GtkWidgetClass *widget_class)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, (commands[i].action, NULL, command));
  STUDIO_INSTALL_WINDOW_ACTIONS (widget_class, ("win.stop", NULL, stop), ("win.view", "s", show_view),
                                 ("win.toggle-recipe", NULL, toggle_recipe), ("win.dismiss-problem", NULL, dismiss));
}

static void
studio_window_class_init (StudioWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  STUDIO_ENSURE_TYPES (STUDIO_TYPE_PROGRESS_RING, STUDIO_TYPE_WRAP);
  G_OBJECT_CLASS (klass)->dispose = studio_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = studio_window_finalize;
  widget_class->realize = studio_window_realize;
  GTK_WINDOW_CLASS (klass)->close_request = studio_window_close_request;
  STUDIO_SET_TEMPLATE (klass, StudioWindow, "window", toasts, problem_bar, problem_label, notice_bar, notice_label,
                       recovery_bar, recovery_label, pages, empty_page, failed_page, failed_button, folder_button,
                       no_images_page, view_title, views, bottom_switcher, flap, data_stack, recent_page, recent_list,
                       menu_button, recipe_button, start_button, step_button, pause_button, stop_button, run_button,
                       progress, progress_ring, other_recipe, differences, progress_stage, progress_time, progress_box,
                       no_progress, progress_text, open_button, start_content, header_bar, recipe_place);
  STUDIO_BIND_CALLBACKS (klass, studio_menu, on_page, studio_window_show_switcher, dismiss, on_notice_response);
  install_actions (widget_class);
  studio_window_install_dataset_actions (widget_class);
  studio_window_install_run_actions (widget_class);
  studio_window_install_workspace_actions (widget_class);
  studio_window_install_export_actions (widget_class);
  studio_window_install_job_actions (widget_class);
  studio_window_install_history_actions (widget_class);
}

static const struct
{
  const char *page; /* of the stack of views */
  GType (*type) (void);
  gssize offset;
} views[] = {
#define VIEW(name)                                                                                                     \
  {                                                                                                                    \
#name, studio_##name##_view_get_type, G_STRUCT_OFFSET(StudioWindow, name##_view)                                   \
  }
  VIEW (data), VIEW (learn), VIEW (atoms), VIEW (inspect), VIEW (results), VIEW (sweep), VIEW (compare), VIEW (predict),
#undef VIEW
};

/* The images of Data alternate with a page that says that there are none. */
static GtkWidget *
place_of (StudioWindow *self, guint i)
{
  return i == 0 ? gtk_stack_get_child_by_name (GTK_STACK (self->data_stack), "data")
                : adw_view_stack_get_child_by_name (ADW_VIEW_STACK (self->views), views[i].page);
}

static GtkWidget *
make_part (StudioWindow *self, GtkWidget *place, GType type)
{
  GtkWidget *part = g_object_new (type, NULL);

  adw_bin_set_child (ADW_BIN (place), part);
  studio_connect (place, "map", studio_window_show_part, self);
  studio_tooltips_leave_menus (part);
  return part;
}

static void
make_next (StudioWindow *self)
{
  guint i = self->made++;

  if (i < G_N_ELEMENTS (views))
    G_STRUCT_MEMBER (GtkWidget *, self, views[i].offset) = make_part (self, place_of (self, i), views[i].type ());
  else if (i == G_N_ELEMENTS (views))
    {
      self->panel = make_part (self, self->recipe_place, STUDIO_TYPE_RECIPE_PANEL);
      studio_recipe_panel_set_model (STUDIO_RECIPE_PANEL (self->panel), self->project->model);
      if (studio_settings_get () != NULL) /* all windows list the same parameters */
        g_settings_bind (studio_settings_get (), "advanced-parameters", self->panel, "advanced",
                         G_SETTINGS_BIND_DEFAULT);
    }
  else
    {
      self->make_next = NULL;
      studio_learn_view_set_project (STUDIO_LEARN_VIEW (self->learn_view), self->project);
      studio_results_view_set_runner (STUDIO_RESULTS_VIEW (self->results_view), self->project->runner,
                                      self->project->workspace);
      studio_sweep_view_set_project (STUDIO_SWEEP_VIEW (self->sweep_view), self->project);
      studio_connect (self->project, "changed", on_changed, self);
      studio_window_messages_init (self);
      studio_window_dataset_init (self);
      studio_window_dictionary_init (self);
      studio_window_workspace_init (self);
      studio_window_predict_init (self);
      studio_window_run_init (self);
      studio_window_exports_init (self);
      studio_window_session_init (self);
      studio_window_history_init (self);
      g_signal_emit_by_name (self->project, "changed");
    }
}

static void
studio_window_init (StudioWindow *self)
{
  self->project = g_object_new (STUDIO_TYPE_PROJECT, NULL);
  self->recent_menu = G_MENU (studio_menu (self, "recent_menu"));
  self->make_next = make_next;
  gtk_widget_init_template (GTK_WIDGET (self));
  studio_window_recent_init (self);
  studio_tooltips_leave_menus (GTK_WIDGET (self));
  studio_state_watch_window (GTK_WINDOW (self));
  g_signal_connect (self, "notify::is-active", G_CALLBACK (studio_window_will_restyle), NULL);
  g_signal_connect (self, "notify::fullscreened", G_CALLBACK (studio_window_will_restyle), NULL);
  g_signal_connect (self, "notify::maximized", G_CALLBACK (studio_window_will_restyle), NULL);
  studio_full_screen_leave_on_escape (GTK_WINDOW (self));
  on_page (self);
}

StudioWindow *
studio_window_new (GtkApplication *application)
{
  StudioWindow *self = g_object_new (STUDIO_TYPE_WINDOW, "application", application, NULL);

  studio_window_complete (self);
  return self;
}

static gboolean
make_more (StudioWindow *self)
{
  self->make_next (self);
  if (self->make_next != NULL)
    return G_SOURCE_CONTINUE;
  self->making = 0;
  studio_window_will_restyle (self); /* nothing but the first page is shown, and no part has a style yet */
  return G_SOURCE_REMOVE;
}

static void
on_first_frame (GdkFrameClock *clock, StudioWindow *self)
{
  g_signal_handlers_disconnect_by_func (clock, on_first_frame, self);
  if (self->make_next != NULL)
    self->making = g_timeout_add_full (G_PRIORITY_DEFAULT - 1, 0, G_SOURCE_FUNC (make_more), self, NULL);
}

StudioWindow *
studio_window_present_new (GtkApplication *application)
{
  StudioWindow *self = g_object_new (STUDIO_TYPE_WINDOW, "application", application, NULL);

  gtk_window_present (GTK_WINDOW (self));
  g_signal_connect_object (gtk_widget_get_frame_clock (GTK_WIDGET (self)), "after-paint", G_CALLBACK (on_first_frame),
                           self, 0);
  return self;
}

StudioProject *
studio_window_get_project (StudioWindow *self)
{
  return self->project;
}

const char *
studio_window_get_topic (StudioWindow *self)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (self->pages));

  if (g_strcmp0 (page, "failed") == 0)
    return "troubleshooting";
  return g_strcmp0 (page, "work") == 0 ? adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->views)) : "start";
}

void
studio_window_show_recipe (StudioWindow *self, gboolean shown)
{
  adw_flap_set_reveal_flap (ADW_FLAP (self->flap), shown);
}

gboolean
studio_window_is_recipe_leaving (StudioWindow *self)
{
  return gtk_widget_get_mapped (self->recipe_place) && !adw_flap_get_reveal_flap (ADW_FLAP (self->flap));
}

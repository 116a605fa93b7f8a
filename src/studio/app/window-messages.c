/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/app/window-private.h"

#include <glib/gi18n.h>

#include "studio/widgets/format.h"

/* Messages of the window: toasts, persistent messages, and the views they belong to. */

/* Seconds of a message with buttons, long enough to reach them by keys or a screen reader. It leaves by itself: libadwaita
 * 1.2 frees a toast twice that is dismissed while it appears. */
#define RESULT_SECONDS 20

static void
toast (StudioWindow *self, const char *text, const char *button, const char *action)
{
  AdwToast *toast = studio_toast_new (text);

  adw_toast_set_button_label (toast, button);
  adw_toast_set_action_name (toast, action);
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (self->toasts), toast);
}

void
studio_window_toast (StudioWindow *self, const char *text)
{
  toast (self, text, NULL, NULL);
}

void
studio_window_toast_result (StudioWindow *self, const char *text, const char *view, gboolean compares)
{
  AdwToast *toast = studio_toast_new (text);

  adw_toast_set_timeout (toast, RESULT_SECONDS);
  adw_toast_set_button_label (toast, _ ("Show _Results"));
  adw_toast_set_action_name (toast, "win.view");
  adw_toast_set_action_target (toast, "s", view);
  if (compares)
    {
      GtkWidget *label = studio_toast_label (text),
                *button = gtk_button_new_with_mnemonic (_ ("_Compare with Previous"));

      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.compare-previous");
      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_set_visible (button, !gtk_widget_has_css_class (GTK_WIDGET (self), "compact"));
      g_set_weak_pointer (&self->compare_offer, button);
      adw_toast_set_custom_title (toast, studio_row (12, label, button, NULL));
    }
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (self->toasts), toast);
}

void
studio_window_show_problem (StudioWindow *self, const char *problem)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (self->pages));
  gboolean working = g_strcmp0 (page, "work") == 0;
  g_autofree char *copy = g_strdup (problem), *sentence = studio_format_problem (problem != NULL ? problem : "");

  g_free (self->problem);
  self->problem = g_steal_pointer (&copy);
  gtk_label_set_label (GTK_LABEL (self->problem_label), sentence);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->problem_bar), self->problem != NULL && working);
  if (self->problem != NULL && !working)
    {
      g_autofree char *escaped = g_markup_escape_text (sentence, -1);

      adw_status_page_set_description (ADW_STATUS_PAGE (self->failed_page), escaped);
      gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "failed");
    }
}

void
studio_window_show_view (StudioWindow *self, const char *name)
{
  adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (self->views), name);
}

static void
notice (StudioWindow *self, const char *sentence)
{
  gtk_label_set_label (GTK_LABEL (self->notice_label), sentence);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->notice_bar), TRUE);
}

void
studio_window_messages_init (StudioWindow *self)
{
  g_signal_connect_swapped (self->project, "toast", G_CALLBACK (toast), self);
  g_signal_connect_swapped (self->project, "problem", G_CALLBACK (studio_window_show_problem), self);
  g_signal_connect_swapped (self->project, "show-view", G_CALLBACK (studio_window_show_view), self);
  g_signal_connect_swapped (self->project->runner, "notice", G_CALLBACK (notice), self);
  g_signal_connect_swapped (self->project->workspace, "notice", G_CALLBACK (notice), self);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/widgets/full-screen.h"

#include "studio/widgets/build.h"

void
studio_full_screen_toggle (GtkWindow *window)
{
  if (gtk_window_is_fullscreen (window))
    gtk_window_unfullscreen (window);
  else
    gtk_window_fullscreen (window);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, GtkWindow *window)
{
  if (key != GDK_KEY_Escape || !gtk_window_is_fullscreen (window))
    return FALSE;
  gtk_window_unfullscreen (window);
  return TRUE;
}

void
studio_full_screen_leave_on_escape (GtkWindow *window)
{
  studio_add_controller (window, gtk_event_controller_key_new (), "key-pressed", G_CALLBACK (on_key), NULL);
}

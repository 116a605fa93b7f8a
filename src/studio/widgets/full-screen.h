/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

void studio_full_screen_toggle (GtkWindow *window);
/* Escape ends the full screen, unless a widget in the window used it. */
void studio_full_screen_leave_on_escape (GtkWindow *window);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* Presenter mode of all windows, for a projector: larger text, icons and lines, also in charts and formulas, and a
 * lower header. Kept between sessions. Main thread. */
void studio_presenter_set (gboolean presenting);
gboolean studio_presenter_get (void);

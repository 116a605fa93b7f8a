/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The look for a projector, of all windows: larger text, icons and lines, also in charts and formulas, and a lower
 * header. Remembered from one start to the next. Main thread. */
void studio_presenter_restore (void); /* as it was left */
void studio_presenter_set (gboolean presenting);
gboolean studio_presenter_get (void);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/help/guide-text.h"

/* The user guide: contents with a search on the left, a chapter on the right. */
#define STUDIO_TYPE_GUIDE_WINDOW (studio_guide_window_get_type ())
G_DECLARE_FINAL_TYPE (StudioGuideWindow, studio_guide_window, STUDIO, GUIDE_WINDOW, AdwWindow)

GtkWidget *studio_guide_window_new (GtkApplication *application);
/* anchor NULL: its beginning. */
void studio_guide_window_show (StudioGuideWindow *self, guint chapter, const char *anchor);
/* FALSE if a link has no target; links to the web are opened by the system. */
gboolean studio_guide_window_follow (StudioGuideWindow *self, const char *link);
void studio_guide_window_search (StudioGuideWindow *self, const char *words);

/* For tests. */
guint studio_guide_window_get_chapter (StudioGuideWindow *self);
guint studio_guide_window_get_rows (StudioGuideWindow *self); /* lines of the contents list */

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/recipe/recipe-panel.h"
#include "studio/runs/project.h"

/* The window: a data set, a recipe, a run, and views of them. */
#define STUDIO_TYPE_WINDOW (studio_window_get_type ())
G_DECLARE_FINAL_TYPE (StudioWindow, studio_window, STUDIO, WINDOW, AdwApplicationWindow)

StudioWindow *studio_window_new (GtkApplication *application);
/* The same, presented: what the first page does not need is made after its first frame, or when it is needed. */
StudioWindow *studio_window_present_new (GtkApplication *application);

/* A folder of images, a recipe file or a dictionary. Returns at once; errors are shown in the window. */
void studio_window_open (StudioWindow *self, GFile *file);
void studio_window_open_samples (StudioWindow *self);

/* Restores the session of the last window; no effect if there was none. */
void studio_window_restore (StudioWindow *self);
gboolean studio_window_is_restoring (StudioWindow *self);

/* Starts the work as soon as the file is open: the sweep of a recipe that has one, else a run. */
void studio_window_start_opened (StudioWindow *self);

/* Stops a run and closes without asking. */
void studio_window_close_now (StudioWindow *self);

StudioProject *studio_window_get_project (StudioWindow *self);

/* Before a change of the style of the whole program: views that are not shown, and a hidden
 * recipe, follow in the next frames, one in each. */
void studio_window_will_restyle (StudioWindow *self);
/* The recipe at the side. */
void studio_window_show_recipe (StudioWindow *self, gboolean shown);
gboolean studio_window_is_recipe_leaving (StudioWindow *self); /* hidden, but still moving out */
/* The visible view by the name of its chapter in the guide: "learn"; "start" while nothing is open. */
const char *studio_window_get_topic (StudioWindow *self);

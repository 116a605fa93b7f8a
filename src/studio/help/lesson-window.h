/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/help/lesson.h"

/* Lessons for a class: a list of them, and their pages, each with a live widget. Alt+Left and Alt+Right, or Page Up and
 * Page Down, turn the pages; the last page is saved. */
#define STUDIO_TYPE_LESSON_WINDOW (studio_lesson_window_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonWindow, studio_lesson_window, STUDIO, LESSON_WINDOW, AdwWindow)

GtkWidget *studio_lesson_window_new (GtkApplication *application);
void studio_lesson_window_open (StudioLessonWindow *self, guint lesson); /* at its last visible page */
/* FALSE if there is no such page. */
gboolean studio_lesson_window_go (StudioLessonWindow *self, int pages);

/* For tests. */
StudioLesson *studio_lesson_window_get_lesson (StudioLessonWindow *self); /* NULL: the list is shown */
guint studio_lesson_window_get_page (StudioLessonWindow *self);
GtkWidget *studio_lesson_window_get_widget (StudioLessonWindow *self);

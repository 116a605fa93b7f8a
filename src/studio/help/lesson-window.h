/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "studio/help/lesson.h"

/* Lessons for a class: a list of them, and their pages, each with a live widget. Alt+Left and Alt+Right, or Page Up and
 * Page Down, turn the pages; the last page is saved. */
#define STUDIO_TYPE_LESSON_WINDOW (studio_lesson_window_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonWindow, studio_lesson_window, STUDIO, LESSON_WINDOW, AdwWindow)

/* Other files only read the members. */
struct _StudioLessonWindow
{
  AdwWindow parent_instance;
  StudioLesson *lesson; /* NULL: the list is shown */
  guint page;
  GtkWidget *pages, *list, *list_button, *header_bar, *window_title;
  GtkWidget *page_title, *text, *plate, *formula, *question, *answer, *question_box, *expander, *widgets, *dots, *back,
      *next;
  GtkWidget *reading, *reading_page, *reading_edge;
  GtkWidget *scroller, *whole; /* of the text, and of text and widget in a narrow window */
};

GtkWidget *studio_lesson_window_new (GtkApplication *application);
void studio_lesson_window_open (StudioLessonWindow *self, guint lesson); /* at its last visible page */
/* FALSE if there is no such page. */
gboolean studio_lesson_window_go (StudioLessonWindow *self, int pages);

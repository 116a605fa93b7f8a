/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* One page of a lesson: title, a few sentences, a formula, a live widget and how it is set up, a question and its
 * answer. All strings; widget and mode are names of lesson-widgets.c. */
#define STUDIO_TYPE_LESSON_PAGE (studio_lesson_page_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonPage, studio_lesson_page, STUDIO, LESSON_PAGE, GObject)

typedef enum
{
  STUDIO_PAGE_TITLE = 1,
  STUDIO_PAGE_TEXT,
  STUDIO_PAGE_FORMULA,
  STUDIO_PAGE_WIDGET,
  STUDIO_PAGE_MODE,
  STUDIO_PAGE_QUESTION,
  STUDIO_PAGE_ANSWER,
  STUDIO_N_PAGE_FIELDS,
} StudioPageField;

const char *studio_lesson_page_get (StudioLessonPage *self, StudioPageField field); /* "" for none */

/* A lesson: resources/lessons/NAME.ui, an object of this class with its pages as children. Properties: title,
 * subtitle. Other files only read the members. */
#define STUDIO_TYPE_LESSON (studio_lesson_get_type ())
G_DECLARE_FINAL_TYPE (StudioLesson, studio_lesson, STUDIO, LESSON, GObject)

struct _StudioLesson
{
  GObject parent_instance;
  const char *name;
  char *title, *subtitle;
  GPtrArray *pages; /* of StudioLessonPage, owned */
};

guint studio_lessons_count (void);
StudioLesson *studio_lesson_load (guint index); /* new */

/* lesson-widgets.c: the live widgets by name; NULL: none of that name. */
GtkWidget *studio_lesson_widget_new (const char *name);
void studio_lesson_widget_set_mode (GtkWidget *widget, const char *mode);
/* Whether all requests have been answered and shown. */
gboolean studio_lesson_widget_is_ready (GtkWidget *widget);

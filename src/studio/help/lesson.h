/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

/* A lesson, resources/lessons/NAME.ui, which has a title, a subtitle, and pages as children; or such a page, which has the
 * other properties: title, a few sentences, a formula, a live widget and how it is set up, a question and its answer.
 * All strings; widget and mode are names of lesson-widgets.c. Other files only read the members. */
#define STUDIO_TYPE_LESSON (studio_lesson_get_type ())
G_DECLARE_FINAL_TYPE (StudioLesson, studio_lesson, STUDIO, LESSON, GObject)

typedef enum
{
  STUDIO_FIELD_TITLE = 1,
  STUDIO_FIELD_TEXT,
  STUDIO_FIELD_FORMULA,
  STUDIO_FIELD_WIDGET,
  STUDIO_FIELD_MODE,
  STUDIO_FIELD_QUESTION,
  STUDIO_FIELD_ANSWER,
  STUDIO_FIELD_SUBTITLE,
  STUDIO_N_LESSON_FIELDS,
} StudioLessonField;

struct _StudioLesson
{
  GObject parent_instance;
  const char *name;
  char *fields[STUDIO_N_LESSON_FIELDS];
  GPtrArray *pages; /* of StudioLesson, owned */
};

const char *studio_lesson_get (StudioLesson *self, StudioLessonField field); /* "" for none */
guint studio_lessons_count (void);
StudioLesson *studio_lesson_load (guint index); /* new */

/* lesson-widgets.c: the live widgets by name; NULL: none of that name. */
GtkWidget *studio_lesson_widget_new (const char *name);
void studio_lesson_widget_set_mode (GtkWidget *widget, const char *mode);
/* Whether all requests have been answered and shown. */
gboolean studio_lesson_widget_is_ready (GtkWidget *widget);

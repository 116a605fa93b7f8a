/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "tosst/describe.h"

/* A sample texture and a patch of it, chosen with the pointer or the arrow keys. Signal: "changed". */
#define STUDIO_TYPE_LESSON_PICKER (studio_lesson_picker_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonPicker, studio_lesson_picker, STUDIO, LESSON_PICKER, AdwBin)

GtkWidget *studio_lesson_picker_new (int patch); /* side of a patch, pixels */
guint studio_lesson_picker_get_texture (StudioLessonPicker *self);
TosstPoint studio_lesson_picker_get_point (StudioLessonPicker *self);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Learning six atoms from a few patches, step by step, forwards and back: its objective and its atoms. All steps are
 * computed when a setting changes, so that each can be shown at once. Mode "eta" shows the length of steps, "solvers"
 * the choice of the solver as well. */
#define STUDIO_TYPE_LESSON_STEPS (studio_lesson_steps_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonSteps, studio_lesson_steps, STUDIO, LESSON_STEPS, AdwBin)

void studio_lesson_steps_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_steps_is_ready (GtkWidget *self);

G_END_DECLS

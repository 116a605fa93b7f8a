/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* A patch and its code by forty atoms, recomputed while lambda is dragged. Mode "sparsity" shows slices, error and
 * non-zeros, "ranks" the ranks of Theorem 2. */
#define STUDIO_TYPE_LESSON_CODE (studio_lesson_code_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonCode, studio_lesson_code, STUDIO, LESSON_CODE, AdwBin)

void studio_lesson_code_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_code_is_ready (GtkWidget *self);

G_END_DECLS

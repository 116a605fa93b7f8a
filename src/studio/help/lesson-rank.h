/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* An atom and its approximation by its R largest eigenvalues. */
#define STUDIO_TYPE_LESSON_RANK (studio_lesson_rank_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonRank, studio_lesson_rank, STUDIO, LESSON_RANK, AdwBin)

void studio_lesson_rank_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_rank_is_ready (GtkWidget *self);

G_END_DECLS

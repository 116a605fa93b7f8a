/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Learning with more and more atoms from one picture of each texture, and evaluating them on others, live: accuracy and
 * the mean objective of a tensor, for training and for new pictures. Mode "accuracy" or "objective"; "whole" shows the
 * objective of atoms that are whole tensors. */
#define STUDIO_TYPE_LESSON_OVERFIT (studio_lesson_overfit_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonOverfit, studio_lesson_overfit, STUDIO, LESSON_OVERFIT, AdwBin)

void studio_lesson_overfit_set_mode (GtkWidget *self, const char *mode);
gboolean studio_lesson_overfit_is_ready (GtkWidget *self);

G_END_DECLS

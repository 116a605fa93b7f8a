/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* A patch of a texture and its tensor. Modes: "features" (the mean of the contributions of its pixels), "tensor" (its
 * slices), "eigenvalues" (a slice and its eigenvalues), "signs" (the same, with settings that make some of them
 * negative). */
#define STUDIO_TYPE_LESSON_PATCH (studio_lesson_patch_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonPatch, studio_lesson_patch, STUDIO, LESSON_PATCH, AdwBin)

void studio_lesson_patch_set_mode (GtkWidget *self, const char *mode);
/* Whether all requests have been answered and shown. */
gboolean studio_lesson_patch_is_ready (GtkWidget *self);

G_END_DECLS

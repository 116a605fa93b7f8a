/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/data/textures.h"
#include "core/recipe/recipe.h"
#include "studio/widgets/picture-view.h"
#include "tosst/describe.h"

/* Parts of the live widgets of lessons. */

/* A picture with a heading above it; heading NULL: none. *view: the StudioPictureView in it, with its accessible
 * label. */
GtkWidget *studio_lesson_picture (const char *heading, const char *name, GtkWidget **view);

/* A row: a name, a slider, and its value in words. *scale receives the GtkScale, *value its label. */
GtkWidget *studio_lesson_slider (const char *name, double low, double high, double step, GtkWidget **scale,
                                 GtkWidget **value);
/* A number with its name below, like in the other views. *value: the label of the number. */
GtkWidget *studio_lesson_stat (const char *name, GtkWidget **value);
/* A line of stats, equally wide; the last ones may be NULL. */
GtkWidget *studio_lesson_stats (GtkWidget *first, GtkWidget *second, GtkWidget *third, GtkWidget *fourth);
/* Controls or parts in a line, or in several where the window is narrow, up to NULL. Parts of equal_width have that width
 * at least and share what is left; 0: controls. */
GtkWidget *studio_lesson_line (int equal_width, ...) G_GNUC_NULL_TERMINATED;

/* Recipes of the lessons: small tensors of linear features (d = 7), absolute or not; and d = 21 with three pivots. */
TosstRecipe *studio_lesson_recipe (gboolean rbf, gboolean absolute);

/* Tensors of the patches of images first .. first + images - 1 of the first `classes` textures, on a grid without
 * overlap: *n x m float32, new; NULL with a message in the context. per_image receives the patches of an image. */
float *studio_lesson_tensors (TosstContext *context, const TosstRecipe *recipe, guint classes, guint first,
                              guint images, gsize *n, gsize *per_image);

/* A sample texture and a patch of it, chosen with the pointer or the arrow keys. Signal: "changed". */
#define STUDIO_TYPE_LESSON_PICKER (studio_lesson_picker_get_type ())
G_DECLARE_FINAL_TYPE (StudioLessonPicker, studio_lesson_picker, STUDIO, LESSON_PICKER, AdwBin)

GtkWidget *studio_lesson_picker_new (int patch); /* side of a patch, pixels */
guint studio_lesson_picker_get_texture (StudioLessonPicker *self);
TosstPoint studio_lesson_picker_get_point (StudioLessonPicker *self);

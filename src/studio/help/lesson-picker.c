/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/help/lesson-picker.h"

#include <glib/gi18n.h>

#include "studio/help/lesson-parts.h"
#include "studio/widgets/build.h"
#include "studio/widgets/image-view.h"

#define STEP 8 /* between patches, pixels */

struct _StudioLessonPicker
{
  AdwBin parent_instance;
  int patch;
  TosstPoint point;
  GtkWidget *chooser, *image, *random;
};

G_DEFINE_FINAL_TYPE (StudioLessonPicker, studio_lesson_picker, ADW_TYPE_BIN)

static void
show (StudioLessonPicker *self)
{
  g_autoptr (GdkTexture) texture = studio_lesson_texture (studio_lesson_picker_get_texture (self), 0);

  studio_image_view_set_texture (STUDIO_IMAGE_VIEW (self->image), texture, gdk_texture_get_width (texture),
                                 gdk_texture_get_height (texture));
  studio_image_view_set_chosen (STUDIO_IMAGE_VIEW (self->image), self->point.x, self->point.y);
}

static void
on_texture (StudioLessonPicker *self)
{
  show (self);
  g_signal_emit_by_name (self, "changed");
}

static void
on_patch (StudioImageView *view, int x, int y, StudioLessonPicker *self)
{
  if (x == self->point.x && y == self->point.y)
    return;
  self->point = (TosstPoint){ x, y };
  studio_image_view_set_chosen (view, x, y);
  g_signal_emit_by_name (self, "changed");
}

/* A texture and a patch of it. */
static void
on_random (StudioLessonPicker *self)
{
  int places = (tosst_textures_size () - self->patch) / STEP + 1;

  self->point.x = STEP * g_random_int_range (0, places);
  self->point.y = STEP * g_random_int_range (0, places);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->chooser),
                              (guint)g_random_int_range (0, (gint32)tosst_textures_count ()));
  on_texture (self); /* also where the texture is the same */
}

static void
studio_lesson_picker_class_init (StudioLessonPickerClass *klass)
{
  studio_add_signal (klass, "changed", 0);
}

static void
studio_lesson_picker_init (StudioLessonPicker *self)
{
}

GtkWidget *
studio_lesson_picker_new (int patch)
{
  StudioLessonPicker *self = g_object_new (STUDIO_TYPE_LESSON_PICKER, NULL);

  self->patch = patch;
  self->point = (TosstPoint){ patch, patch };
  self->chooser = studio_lesson_texture_chooser ();
  self->image = g_object_new (STUDIO_TYPE_IMAGE_VIEW, "vexpand", TRUE, "hexpand", TRUE, NULL);
  studio_set_name (self->image, _ ("Texture, with the chosen patch"));
  studio_image_view_set_patches (STUDIO_IMAGE_VIEW (self->image), patch, STEP, FALSE);
  studio_image_view_set_chooses (STUDIO_IMAGE_VIEW (self->image), TRUE);
  self->random = studio_icon_button ("view-refresh-symbolic", _ ("Random texture and patch"));
  gtk_widget_set_hexpand (self->chooser, TRUE);
  adw_bin_set_child (ADW_BIN (self),
                     studio_column (8, studio_row (8, self->chooser, self->random, NULL), self->image, NULL));
  g_signal_connect_swapped (self->random, "clicked", G_CALLBACK (on_random), self);
  g_signal_connect_swapped (self->chooser, "notify::selected", G_CALLBACK (on_texture), self);
  g_signal_connect (self->image, "patch-chosen", G_CALLBACK (on_patch), self);
  show (self);
  return GTK_WIDGET (self);
}

guint
studio_lesson_picker_get_texture (StudioLessonPicker *self)
{
  return gtk_drop_down_get_selected (GTK_DROP_DOWN (self->chooser));
}

TosstPoint
studio_lesson_picker_get_point (StudioLessonPicker *self)
{
  return self->point;
}

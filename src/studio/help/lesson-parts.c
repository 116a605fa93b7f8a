/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/help/lesson-widgets.h"

#include <glib/gi18n.h>

#include "core/dictionary/patch-coder.h"
#include "studio/widgets/build.h"
#include "studio/widgets/image-loader.h"
#include "studio/widgets/image-view.h"
#include "studio/widgets/wrap.h"

GtkWidget *
studio_lesson_picture (const char *heading, const char *name, GtkWidget **view)
{
  GtkWidget *label = studio_label (heading, "caption-heading", NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_visible (label, heading != NULL);
  *view = g_object_new (STUDIO_TYPE_PICTURE_VIEW, "hexpand", TRUE, "vexpand", TRUE, NULL);
  studio_set_name (*view, name);
  return studio_column (4, label, *view, NULL);
}

GtkWidget *
studio_lesson_slider (const char *name, double low, double high, double step, GtkWidget **scale, GtkWidget **value)
{
  *scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, low, high, step);
  gtk_scale_set_draw_value (GTK_SCALE (*scale), FALSE);
  gtk_widget_set_hexpand (*scale, TRUE);
  studio_set_name (*scale, name);
  *value = studio_label ("", "numeric", NULL);
  g_object_set (*value, "width-chars", 7, "xalign", 1.0, NULL);
  return studio_row (8, gtk_label_new (name), *scale, *value, NULL);
}

GtkWidget *
studio_lesson_stat (const char *name, GtkWidget **value)
{
  GtkWidget *label = studio_label (name, "caption", "dim-label", NULL), *box;

  *value = studio_label ("–", "stat-value", "numeric", NULL);
  g_object_set (label, "wrap", TRUE, "lines", 2, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (*value), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
  box = studio_column (0, *value, label, NULL);
  gtk_widget_add_css_class (box, "stat");
  return box;
}

GtkWidget *
studio_lesson_stats (GtkWidget *first, GtkWidget *second, GtkWidget *third, GtkWidget *fourth)
{
  GtkWidget *box = studio_row (0, first, second, third, fourth, NULL);

  gtk_box_set_homogeneous (GTK_BOX (box), TRUE);
  studio_add_classes (box, "card", "stats", "narrow", NULL);
  return box;
}

GtkWidget *
studio_lesson_line (int equal_width, ...)
{
  GtkWidget *line = g_object_new (STUDIO_TYPE_WRAP, "spacing", equal_width > 0 ? 12 : 8, "by-minimum", equal_width > 0,
                                  "vexpand", equal_width > 0, NULL),
            *child;
  va_list children;

  va_start (children, equal_width);
  while ((child = va_arg (children, GtkWidget *)) != NULL)
    {
      if (equal_width > 0)
        g_object_set (child, "width-request", equal_width, "hexpand", TRUE, NULL);
      gtk_widget_set_parent (child, line);
    }
  va_end (children);
  return line;
}

/* A drop-down of the class names of the sample textures, translated if possible. */
static GtkWidget *
studio_lesson_texture_chooser (void)
{
  GtkStringList *names = gtk_string_list_new (NULL);

  for (guint i = 0; i < TOSST_TEXTURES; i++)
    gtk_string_list_append (names, tosst_textures_label (tosst_textures_name (i)));
  GtkWidget *chooser = gtk_drop_down_new (G_LIST_MODEL (names), NULL);
  studio_set_name (chooser, _ ("Texture"));
  return chooser;
}

TosstRecipe *
studio_lesson_recipe (gboolean rbf, gboolean absolute)
{
  TosstRecipe *recipe = tosst_recipe_new_samples ();

  recipe->descriptor.kind = rbf ? TOSST_DESCRIPTOR_RBF : TOSST_DESCRIPTOR_LINEAR;
  recipe->descriptor.pivots = 3;
  recipe->descriptor.absolute = absolute;
  recipe->descriptor.patch = recipe->descriptor.step = 32;
  return recipe;
}

float *
studio_lesson_tensors (TosstContext *context, const TosstRecipe *recipe, guint classes, guint first, guint images,
                       gsize *n, gsize *per_image)
{
  int side = TOSST_TEXTURE_SIZE, patch = recipe->descriptor.patch, step = recipe->descriptor.step;
  gsize count = tosst_patch_grid (side, side, patch, step, NULL), m = tosst_shape_numbers (tosst_recipe_shape (recipe));
  g_autofree TosstPoint *points = g_new (TosstPoint, count);
  g_autofree float *tensors = g_new (float, m *count *classes *images);
  float *at = tensors;

  tosst_patch_grid (side, side, patch, step, points);
  for (guint c = 0; c < classes; c++)
    for (guint i = first; i < first + images; i++, at += m * count)
      {
        TosstImage *image = tosst_textures_render (c, i, FALSE);
        TosstStatus status = TOSST_ERROR_MEMORY;

        if (image != NULL)
          status = tosst_describe_patches (recipe, context, image, points, count, at);
        tosst_image_free (image);
        if (status != TOSST_OK)
          return NULL;
      }
  *n = count * classes * images;
  if (per_image != NULL)
    *per_image = count;
  return g_steal_pointer (&tensors);
}

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
  g_autoptr (TosstImage) image = tosst_textures_render (studio_lesson_picker_get_texture (self), 0, FALSE);
  g_autoptr (GdkTexture) texture
      = image != NULL ? studio_image_texture (image, 0, 0, image->width, image->height, 0) : NULL;

  studio_image_view_set_texture (STUDIO_IMAGE_VIEW (self->image), texture, TOSST_TEXTURE_SIZE, TOSST_TEXTURE_SIZE);
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
  int places = (TOSST_TEXTURE_SIZE - self->patch) / STEP + 1;

  self->point.x = STEP * g_random_int_range (0, places);
  self->point.y = STEP * g_random_int_range (0, places);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->chooser), (guint)g_random_int_range (0, (gint32)TOSST_TEXTURES));
  on_texture (self); /* also where the texture is the same */
}

static void
studio_lesson_picker_class_init (StudioLessonPickerClass *klass)
{
  studio_add_signal (klass, "changed", 0);
}

STUDIO_DEFINE_INIT (StudioLessonPicker, studio_lesson_picker)

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

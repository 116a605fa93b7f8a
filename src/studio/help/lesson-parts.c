/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/help/lesson-parts.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/dictionary/describe-patches.h"
#include "studio/widgets/build.h"
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

GdkTexture *
studio_lesson_texture (guint texture, guint variant)
{
  TosstImage *image = tosst_textures_render (texture, variant, FALSE);
  gsize size, stride;
  guchar *pixels;
  g_autoptr (GBytes) bytes = NULL;
  GdkTexture *result;

  if (image == NULL)
    return NULL;
  size = (gsize)image->width * image->height;
  stride = (gsize)image->width * 3;
  pixels = g_malloc (size * 3);
  for (gsize i = 0; i < size; i++)
    for (gsize c = 0; c < 3; c++)
      pixels[3 * i + c] = (guchar)lrint (255 * image->data[(image->channels == 3 ? c : 0) * size + i]);
  bytes = g_bytes_new_take (pixels, size * 3);
  result = gdk_memory_texture_new (image->width, image->height, GDK_MEMORY_R8G8B8, bytes, stride);
  tosst_image_free (image);
  return result;
}

GtkWidget *
studio_lesson_texture_chooser (void)
{
  GtkStringList *names = gtk_string_list_new (NULL);
  GtkWidget *chooser;

  for (guint i = 0; i < tosst_textures_count (); i++)
    gtk_string_list_append (names, tosst_textures_name (i));
  chooser = gtk_drop_down_new (G_LIST_MODEL (names), NULL);
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
  int side = tosst_textures_size (), patch = recipe->descriptor.patch, step = recipe->descriptor.step;
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

GtkWidget *
studio_lesson_waiting (const char *text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *spinner = gtk_spinner_new ();
  GtkWidget *label = gtk_label_new (text);

  /* Where it is not shown it would ask for frames all the time. */
  g_signal_connect (spinner, "map", G_CALLBACK (gtk_spinner_start), NULL);
  g_signal_connect (spinner, "unmap", G_CALLBACK (gtk_spinner_stop), NULL);
  gtk_widget_set_size_request (spinner, 32, 32);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), spinner);
  gtk_box_append (GTK_BOX (box), label);
  return box;
}

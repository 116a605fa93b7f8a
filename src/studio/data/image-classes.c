/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "studio/data/image-classes.h"

#include <glib/gi18n.h>

#include "studio/widgets/build.h"

struct _StudioImageClasses
{
  AdwBin parent_instance;
  GtkWidget *box;
};

G_DEFINE_FINAL_TYPE (StudioImageClasses, studio_image_classes, ADW_TYPE_BIN)

static const char *
list_name (TosstSide side)
{
  return side == TOSST_SIDE_TRAIN      ? _ ("train")
         : side == TOSST_SIDE_VALIDATE ? _ ("val")
         : side == TOSST_SIDE_TEST     ? _ ("test")
                                       : _ ("in no list");
}

char *
studio_class_lists (TosstDataset *dataset, guint class_index)
{
  static const TosstSide sides[] = { TOSST_SIDE_TRAIN, TOSST_SIDE_VALIDATE, TOSST_SIDE_TEST };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    g_string_append_printf (text, "%s%'u %s", i > 0 ? " · " : "",
                            tosst_dataset_count_label (dataset, sides[i], class_index, 1), list_name (sides[i]));
  return g_string_free (text, FALSE);
}

static void
on_clicked (GtkButton *button, StudioImageClasses *self)
{
  g_signal_emit_by_name (self, "class-chosen", GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "class")));
}

static void
add_class (StudioImageClasses *self, TosstDataset *dataset, guint class_index, gboolean difficult)
{
  const char *name = tosst_dataset_class_name (dataset, class_index);
  g_autofree char *text = difficult ? g_strdup_printf (_ ("%s (difficult)"), name) : g_strdup (name);
  GtkWidget *button = gtk_button_new_with_label (text);

  gtk_widget_add_css_class (button, "chip");
  studio_set_class (button, "difficult", difficult);
  gtk_widget_set_tooltip_text (button, difficult ? _ ("Neither trains nor tests this class; click to show its images")
                                                 : _ ("Show the images of this class"));
  g_object_set_data (G_OBJECT (button), "class", GUINT_TO_POINTER (class_index));
  g_signal_connect (button, "clicked", G_CALLBACK (on_clicked), self);
  gtk_box_append (GTK_BOX (self->box), button);
}

void
studio_image_classes_show (StudioImageClasses *self, TosstDataset *dataset, guint image)
{
  studio_remove_children (self->box);
  gtk_widget_set_visible (GTK_WIDGET (self), tosst_dataset_has_several_labels (dataset));
  if (!tosst_dataset_has_several_labels (dataset))
    return;
  gtk_box_append (GTK_BOX (self->box),
                  studio_label (list_name (tosst_dataset_side (dataset, image)), "caption", "dim-label", NULL));
  for (int label = 1; label >= 0; label--) /* an image is a sample */
    for (guint c = 0; c < tosst_dataset_classes (dataset); c++)
      if (tosst_dataset_label (dataset, image, c) == label)
        add_class (self, dataset, c, label == 0);
}

static void
studio_image_classes_class_init (StudioImageClassesClass *klass)
{
  studio_add_signal (klass, "class-chosen", 1, G_TYPE_UINT);
}

static void
studio_image_classes_init (StudioImageClasses *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  studio_set_name (self->box, _ ("Classes of the image"));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->box);
  adw_bin_set_child (ADW_BIN (self), scroller);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

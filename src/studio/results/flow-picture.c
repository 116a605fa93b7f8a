/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studio/results/flow-picture.h"

#include "studio/widgets/build.h"

#define LOADED (2 * STUDIO_FLOW_SIDE)

GtkWidget *
studio_flow_new (const char *name)
{
  GtkWidget *box
      = g_object_new (GTK_TYPE_FLOW_BOX, "activate-on-single-click", FALSE, "homogeneous", TRUE, "row-spacing",
                      STUDIO_FLOW_GAP, "column-spacing", STUDIO_FLOW_GAP, "halign", GTK_ALIGN_START, "valign",
                      GTK_ALIGN_START, "min-children-per-line", 4, "max-children-per-line", 24, NULL);

  studio_set_name (box, name);
  return box;
}

void
studio_flow_add_picture (GtkFlowBox *box, StudioImageLoader *loader, StudioImageItem *item, const char *text,
                         const char *caption)
{
  GtkWidget *picture = gtk_image_new (), *child = gtk_flow_box_child_new (), *content = picture;

  gtk_image_set_pixel_size (GTK_IMAGE (picture), STUDIO_FLOW_SIDE);
  gtk_widget_set_overflow (picture, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (picture, "thumbnail");
  if (caption != NULL)
    {
      GtkWidget *label = studio_label (caption, "caption", "numeric", NULL);

      gtk_label_set_xalign (GTK_LABEL (label), 0.5f);
      content = studio_column (2, picture, label, NULL);
    }
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), content);
  gtk_widget_set_tooltip_text (child, text);
  studio_set_name (child, text);
  g_object_bind_property (item, "texture", picture, "paintable", 0);
  g_object_set_data_full (G_OBJECT (child), "item", g_object_ref (item), g_object_unref);
  gtk_flow_box_append (box, child);
  studio_image_loader_request (loader, item, LOADED);
}

StudioImageItem *
studio_flow_child_get_item (GtkFlowBoxChild *child)
{
  return g_object_get_data (G_OBJECT (child), "item");
}

void
studio_flow_clear (GtkFlowBox *box, StudioImageLoader *loader)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    {
      studio_image_loader_cancel (loader, studio_flow_child_get_item (GTK_FLOW_BOX_CHILD (child)));
      gtk_flow_box_remove (box, child);
    }
}
